"""A tour with time windows, as text and as SVG.

Glossary
    visit   a node that is reached, when the traveller comes, and when the service begins; the depot is the last
    map     the way in the plane; where a problem has no places, the nodes stand in a circle, the depot on top
    strip   a row for each visit, in the order of the tour, with the window as a bar along the time
"""

from collections.abc import Sequence
from math import cos, pi, sin
from typing import TYPE_CHECKING, NamedTuple

from domains.protocol import replay
from domains.svg import document
from domains.tsptw_problems import Customers, Place2D

if TYPE_CHECKING:
    from domains.tsptw import Trip, Tsptw

WRAP = 100
MAP, MARGIN, TOP = 440.0, 24.0, 44.0
STRIP, NAMES = 460.0, 44.0
LOWEST_ROW, HIGHEST_ROW, LOWEST_NAMED_ROW = 5.0, 22.0, 9.0

STYLE = """
.way { stroke: var(--found); stroke-width: 1.6; fill: none; stroke-linejoin: round; }
.node { fill: var(--paper); stroke: var(--found); stroke-width: 1.4; } .left { stroke: var(--faint); }
.node.late { stroke: var(--mark); stroke-width: 2.4; } .depot { fill: var(--ink); stroke: var(--ink); }
.window { fill: var(--given); stroke: var(--faint); stroke-width: 0.8; }
.wait { stroke: var(--found); stroke-width: 1.4; stroke-dasharray: 2 2; }
.lateness { stroke: var(--mark); stroke-width: 2; }
.coming { fill: var(--found); } .coming.late { fill: var(--mark); }
.axis { stroke: var(--faint); } text { font-size: 9px; text-anchor: middle; font-variant-numeric: tabular-nums; }
.title { font-size: 14px; text-anchor: start; } .name { text-anchor: end; } .on-depot { fill: var(--paper); }
.name.late { fill: var(--mark); font-weight: 600; }
"""


class Visit(NamedTuple):
    node: int
    comes: float
    begins: float
    too_late_by: float
    """0 for who is in time."""


def visits_of(domain: "Tsptw", initial: "Trip", actions: Sequence[int]) -> tuple["Trip", list[Visit]]:
    """Where the tour leads, and what it visits on the way."""
    problem, state = initial.customers, replay(domain, initial, actions)
    nodes = [*actions, 0] if actions and not state.left else list(actions)
    visits, last, time = [], initial.last, initial.time
    for node in nodes:
        comes = time + problem.travel[last][node]
        last, time = node, max(comes, problem.opens[node])
        visits.append(Visit(node, comes, time, max(0.0, comes - problem.closes[node])))
    return state, visits


def text(domain: "Tsptw", initial: "Trip", actions: Sequence[int]) -> str:
    """Such as "17@2  19@15+5  5@320!8"."""
    state, visits = visits_of(domain, initial, actions)
    lines = [f"depot@{number(initial.time)}" if initial.last == 0 else f"{initial.last}@{number(initial.time)}"]
    for visit in visits:
        word = f"{visit.node or 'depot'}@{number(visit.comes)}"
        word += f"+{number(visit.begins - visit.comes)}" * (visit.begins > visit.comes)
        word += f"!{number(visit.too_late_by)}" * (visit.too_late_by > 0)
        if len(lines[-1]) + 2 + len(word) > WRAP:
            lines.append(word)
        else:
            lines[-1] += f"  {word}"
    legend = "5@30: customer 5 is reached at 30; +4: waits 4 until the window opens; !8: comes 8 too late"
    return "\n".join([*lines, legend, summary(domain, state)])


def summary(domain: "Tsptw", state: "Trip") -> str:
    late = f"{state.late} late" if state.late else "nobody late"
    if state.left:
        done = state.customers.nodes - 1 - len(state.left)
        return f"{done} of {state.customers.nodes - 1} customers visited: travel {number(state.travel)}, {late}"
    penalty = f" × {number(domain.penalty)}" if state.late else ""
    return f"cost {number(domain.cost(state))}: travel {number(state.travel)}, {late}{penalty}"


def number(value: float) -> str:
    return f"{value:.10g}"


def picture(domain: "Tsptw", initial: "Trip", actions: Sequence[int]) -> str:
    state, visits = visits_of(domain, initial, actions)
    row = min(HIGHEST_ROW, max(LOWEST_ROW, (MAP - MARGIN) / state.customers.nodes))
    height = TOP + max(MAP, row * state.customers.nodes + MARGIN)
    said = summary(domain, state)
    body = [f'<text class="title" x="{MARGIN:g}" y="26">{said}</text>']
    body += map_of(state.customers, initial.last, visits)
    body += strip_of(state.customers, visits, 2 * MARGIN + MAP + NAMES, row)
    width = 3 * MARGIN + MAP + NAMES + STRIP
    return document(width, height, f"Travelling salesman with time windows: {said}", body, STYLE)


def map_of(problem: Customers, start: int, visits: list[Visit]) -> list[str]:
    places = on_map(problem)
    way = "L".join(f"{x:.1f} {y:.1f}" for x, y in (places[node] for node in (start, *(v.node for v in visits))))
    body = [f'<path class="way" d="M{way}"/>']
    late = {visit.node: visit.too_late_by > 0 for visit in visits}
    radius = 8.5 if problem.nodes <= 60 else 5.0
    for node in range(problem.nodes - 1, -1, -1):  # the depot on top of all
        x, y = places[node]
        kind = "node" + (" late" if late.get(node) else "" if node in late or not node else " left")
        kind += " depot" * (node == 0)
        hover = f"<title>{window_text(problem, node)}</title>"
        body.append(f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}">{hover}</circle>')
        if radius > 8 and node:
            body.append(f'<text x="{x:.1f}" y="{y + 3:.1f}">{node}</text>')
    return body


def on_map(problem: Customers) -> list[Place2D]:
    """Where each node stands in the picture."""
    places = problem.places
    if places is None:
        turns = [2 * pi * node / problem.nodes for node in range(problem.nodes)]
        places = tuple((sin(turn), cos(turn)) for turn in turns)
    low_x, low_y = min(x for x, _ in places), min(y for _, y in places)
    extent = max(max(x for x, _ in places) - low_x, max(y for _, y in places) - low_y) or 1.0
    scale = (MAP - 2 * MARGIN) / extent
    return [(2 * MARGIN + (x - low_x) * scale, TOP + MAP - MARGIN - (y - low_y) * scale) for x, y in places]


def strip_of(problem: Customers, visits: list[Visit], left: float, row: float) -> list[str]:
    known = [*(visit.begins for visit in visits), *problem.opens, *(problem.closes[v.node] for v in visits if v.node)]
    latest = max(known) or 1.0
    scale, bottom = STRIP / latest, TOP + row * len(visits)
    body = []
    for place, visit in enumerate(visits):
        top = TOP + row * place
        middle, thick = top + row / 2, max(2.0, row - 6)
        opens, closes = (min(at[visit.node], latest) * scale for at in (problem.opens, problem.closes))
        comes, begins = visit.comes * scale, visit.begins * scale
        late = " late" * (visit.too_late_by > 0)
        body.append(
            f'<rect class="window" x="{left + opens:.1f}" y="{middle - thick / 2:.1f}" '
            f'width="{max(1.0, closes - opens):.1f}" height="{thick:.1f}"/>'
        )
        if late:
            body.append(f'<path class="lateness" d="M{left + closes:.1f} {middle:.1f}H{left + comes:.1f}"/>')
        if begins > comes:
            body.append(f'<path class="wait" d="M{left + comes:.1f} {middle:.1f}H{left + begins:.1f}"/>')
        hover = f"<title>{window_text(problem, visit.node)}, reached at {number(visit.comes)}</title>"
        dot = min(4.0, row / 2.6)
        body.append(
            f'<circle class="coming{late}" cx="{left + comes:.1f}" cy="{middle:.1f}" r="{dot:.1f}">{hover}</circle>'
        )
        if row >= LOWEST_NAMED_ROW:
            name = visit.node or "depot"
            body.append(f'<text class="name{late}" x="{left - 8:g}" y="{middle + 3:.1f}">{name}</text>')
    body.append(f'<path class="axis" d="M{left:g} {bottom + 4:.1f}H{left + STRIP:g}"/>')
    between = next(d * 10.0**k for k in range(-9, 99) for d in (1, 2, 5) if latest <= 8 * d * 10.0**k)
    for tick in range(int(latest / between) + 1):
        x = left + tick * between * scale
        body.append(f'<text x="{x:.1f}" y="{bottom + 16:.1f}">{number(tick * between)}</text>')
    return body


def window_text(problem: Customers, node: int) -> str:
    name = f"customer {node}" if node else "depot"
    return f"{name}, open from {number(problem.opens[node])} to {number(problem.closes[node])}"

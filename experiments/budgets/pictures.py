"""Curves of scores over budgets: evaluations on the left, CPU time on the right, both on a logarithmic scale."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import combinations

from domains.svg import document

WIDTH, HEIGHT = 360.0, 340.0
LEFT, TOP, GAP, RIGHT = 56.0, 64.0, 44.0, 24.0
ROW = 15.0
LABEL = 11.0
"""Least distance between letters at the ends of curves."""
ROUNDS = 60
"""So often letters are moved apart."""
SHOWN_SECONDS = 1e-5
"""CPU times below this are those of starting, and are not drawn."""

STYLE = """
text { font-size: 12px; } .title { font-size: 14px; font-weight: 600; } .small { font-size: 11px; }
.mono { font-family: ui-monospace, monospace; font-size: 11px; }
.axis { stroke: var(--faint); stroke-width: 0.7; }
path { fill: none; stroke-width: 1.5; } .known { stroke: var(--ink); stroke-opacity: 0.45; }
.nrpa { stroke: var(--ink); stroke-dasharray: 5 3; } .old { stroke: var(--found); } .larger { stroke: var(--mark); }
.hand { stroke: var(--mark); stroke-dasharray: 2 3; }
"""
CLASSES = {
    "generic": "known",
    "NRPA": "nrpa",
    "old language": "old",
    "larger language": "larger",
    "by hand": "hand",
}


@dataclass(frozen=True)
class Curve:
    """A contestant."""

    letter: str
    name: str
    kind: str
    points: tuple[tuple[float, float, float], ...]
    """(evaluations, CPU seconds, mean score), more and more evaluations"""


@dataclass(frozen=True)
class Scale:
    """From values to places; logarithmic ones have a tick for each power of ten."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool

    def at(self, value: float) -> float:
        turned: Callable[[float], float] = math.log10 if self.logarithmic else float
        share = (turned(value) - turned(self.low)) / (turned(self.high) - turned(self.low))
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        if self.logarithmic:
            first, last = math.floor(math.log10(self.low)), math.floor(math.log10(self.high) + 1e-9)
            factors = (1, 2, 5) if self.high < 100 * self.low else (1,)
            ticks = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
            return [tick for tick in ticks if self.low * (1 - 1e-9) <= tick <= self.high * (1 + 1e-9)]
        step = 10 ** math.floor(math.log10((self.high - self.low) / 4))
        step *= next(factor for factor in (1, 2, 5, 10) if (self.high - self.low) / (step * factor) <= 6)
        return [step * i for i in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def picture(title: str, unit: str, less: bool, curves: Sequence[Curve]) -> str:
    """Scores where less is better are drawn on a logarithmic scale, upside down: up is better in every picture."""
    means = [mean for curve in curves for *_, mean in curve.points]
    low, high = min(means), max(means)
    vertical = (
        Scale(low * 0.9, high * 1.05, TOP, TOP + HEIGHT, True)
        if less
        else Scale(low - 0.02 * (high - low), high + 0.02 * (high - low), TOP + HEIGHT, TOP, False)
    )
    heading = f"{title}: mean {unit}, {'less' if less else 'more'} is better; up is better"
    body = [f'<text class="title" x="12" y="20">{escape(heading)}</text>', *_kinds()]
    for number, (what, column) in enumerate((("evaluations", 0), ("CPU time of a run", 1))):
        body += _panel(curves, column, LEFT + number * (WIDTH + GAP), what, vertical)
    top = TOP + HEIGHT + 46
    half = (len(curves) + 1) // 2
    for i, curve in enumerate(curves):
        x, y = 14 + (i // half) * (WIDTH + GAP), top + (i % half) * ROW
        text = escape(f"{curve.letter}  {curve.name}")
        body.append(f'<text class="mono" x="{x:.0f}" y="{y:.0f}" xml:space="preserve">{text}</text>')
    width = LEFT + 2 * WIDTH + GAP + RIGHT
    return document(width, top + half * ROW + 4, heading, body, STYLE)


def _kinds() -> Iterator[str]:
    x = 14.0
    for kind, style in CLASSES.items():
        yield f'<path class="{style}" d="M{x:.0f} 38h22"/>'
        yield f'<text class="small" x="{x + 27:.0f}" y="42">{kind}</text>'
        x += 46 + 6.2 * len(kind)


def _panel(curves: Sequence[Curve], column: int, left: float, what: str, vertical: Scale) -> Iterator[str]:
    values = [point[column] for curve in curves for point in curve.points]
    low = max(min(values), SHOWN_SECONDS) if column else min(values)
    across = Scale(low, max(values), left, left + WIDTH - LABEL, True)
    bottom = TOP + HEIGHT
    for tick in across.ticks():
        x = across.at(tick)
        yield f'<path class="axis" d="M{x:.1f} {TOP:.0f}V{bottom:.0f}"/>'
        text = _time(tick) if column else f"{tick:,.0f}".replace(",", " ")
        yield f'<text class="small" x="{x:.1f}" y="{bottom + 14:.0f}" text-anchor="middle">{text}</text>'
    for tick in vertical.ticks():
        y = vertical.at(tick)
        yield f'<path class="axis" d="M{left:.1f} {y:.1f}h{WIDTH - LABEL:.0f}"/>'
        yield f'<text class="small" x="{left - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>'
    yield f'<text class="small" x="{left:.1f}" y="{TOP - 6:.0f}">{what}</text>'
    ends = []
    for curve in curves:
        places = [(across.at(p[column]), vertical.at(p[2])) for p in curve.points if p[column] >= low]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        hint = f"<title>{escape(f'{curve.letter}: {curve.name}')}</title>"
        yield f'<path class="{CLASSES[curve.kind]}" d="M{path}">{hint}</path>'
        ends.append((places[-1][1], places[-1][0], curve.letter))
    yield from _letters(ends)


def _letters(ends: Sequence[tuple[float, float, str]]) -> Iterator[str]:
    """At the ends of the curves; those that would lie on each other are moved apart, up and down."""
    order = sorted(ends)
    places = [y for y, _, _ in order]
    for _ in range(ROUNDS):
        for i, j in combinations(range(len(order)), 2):
            overlap = LABEL * 0.8 - (places[j] - places[i])
            if overlap > 0 and abs(order[i][1] - order[j][1]) < LABEL:
                places[i], places[j] = places[i] - overlap / 2, places[j] + overlap / 2
        places = [min(max(y, TOP), TOP + HEIGHT) for y in places]
    for y, (_, x, letter) in zip(places, order, strict=True):
        yield f'<text class="small" x="{x + 3:.1f}" y="{y + 4:.1f}">{letter}</text>'


def _time(seconds: float) -> str:
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        if seconds * factor >= 0.999:
            return f"{seconds * factor:.0f} {unit}"
    return f"{seconds:g} s"

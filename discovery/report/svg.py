"""Inline SVG charts from scratch: a canvas, scales and axes. What they show is in `charts.py`.

Colours come from the page, by classes, so that one chart serves light, dark and print. Every chart has a title and a
description for screen readers; marks have titles of their own, which browsers show when one points at them.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mcsgrammar.display import as_html

CHARACTER_WIDTH = 6.4
"""Of the text of charts, on average."""
LINE = 15


class Canvas:
    """An SVG element under construction."""

    def __init__(self, width: float, height: float) -> None:
        self.width, self.height = width, height
        self.marks: list[str] = []

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str) -> None:
        self.marks.append(f'<path class="{kind}" d="M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}"/>')

    def path(self, points: Sequence[tuple[float, float]], kind: str, title: str = "") -> None:
        steps = "L".join(f"{_n(x)} {_n(y)}" for x, y in points)
        self.marks.append(_titled(f'<path class="{kind}" d="M{steps}"', "path", title))

    def rect(self, x: float, y: float, width: float, height: float, kind: str, title: str = "", more: str = "") -> None:
        place = f'x="{_n(x)}" y="{_n(y)}" width="{_n(max(0, width))}" height="{_n(max(0, height))}"'
        self.marks.append(_titled(f'<rect class="{kind}" {place}{more and " " + more}', "rect", title))

    def dot(self, x: float, y: float, kind: str, title: str = "", radius: float = 4) -> None:
        self.marks.append(
            _titled(f'<circle class="{kind}" cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}"', "circle", title)
        )

    def diamond(self, x: float, y: float, kind: str, title: str = "") -> None:
        self.path([(x, y - 5), (x + 5, y), (x, y + 5), (x - 5, y), (x, y - 5)], kind, title)

    def square(self, x: float, y: float, kind: str, title: str = "") -> None:
        self.rect(x - 3.5, y - 3.5, 7, 7, kind, title)

    def text(self, x: float, y: float, text: str, kind: str = "", title: str = "", tail: str = "") -> None:
        """`tail` follows in plain letters."""
        name = f' class="{kind}"' if kind else ""
        tip = f"<title>{as_html(title)}</title>" if title and title != text else ""
        after = f'<tspan class="tail" dx="8">{as_html(tail)}</tspan>' if tail else ""
        self.marks.append(f'<text{name} x="{_n(x)}" y="{_n(y)}">{tip}{as_html(text)}{after}</text>')

    def svg(self, name: str, title: str, description: str, kind: str) -> str:
        """The element. `name` makes its ids unique on the page."""
        return "\n".join(
            [
                f'<svg class="chart {kind}" viewBox="0 0 {_n(self.width)} {_n(self.height)}" role="img" '
                f'aria-labelledby="{name}-title" aria-describedby="{name}-desc">',
                f'<title id="{name}-title">{as_html(title)}</title>',
                f'<desc id="{name}-desc">{as_html(description)}</desc>',
                *self.marks,
                "</svg>",
            ]
        )


def _titled(opening: str, element: str, title: str) -> str:
    return f"{opening}><title>{as_html(title)}</title></{element}>" if title else f"{opening}/>"


def _n(value: float) -> str:
    """A length in at most one decimal."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


@dataclass(frozen=True)
class Axis:
    """Where values lie between two places of the canvas, and the marks that say so."""

    place: Callable[[float], float]
    ticks: list[tuple[float, str]]
    middle: float


def linear(low: float, high: float, start: float, end: float, count: int) -> Axis:
    """An axis over low … high with about `count` round marks inside. Values beyond it are placed at its ends."""
    if not high > low:
        margin = abs(low) / 10 or 1.0
        low, high = low - margin, high + margin
    step = nice_step((high - low) / max(1, count))
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    ticks = [(i * step, _tick(i * step, decimals)) for i in range(first, last + 1)]

    def place(value: float) -> float:
        return start + (end - start) * (min(max(value, low), high) - low) / (high - low)

    return Axis(place, ticks, (start + end) / 2)


def _tick(value: float, decimals: int) -> str:
    return f"{value + 0.0:,.{decimals}f}" if abs(value) < 1e9 and decimals < 7 else f"{value:.4g}"


def nice_step(rough: float) -> float:
    """The next of 1, 2, 5, 10, … times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


def logarithmic(low: float, high: float, start: float, end: float) -> Axis:
    """An axis from low > 0 to high, marked at the powers of ten, or at 1, 2, 5, … if these are few; and at the end."""
    a, b = math.log10(low), math.log10(max(high, low * 1.01))
    powers = range(math.ceil(a - 1e-9), math.floor(b + 1e-9) + 1)
    factors = (1,) if b - a > 2 else (1, 2, 5)
    values = [factor * 10**power for power in powers for factor in factors if factor * 10**power < high / 1.5]
    ticks = [(float(value), f"{value:,}") for value in [*values, round(high)]]
    return Axis(lambda value: start + (end - start) * (math.log10(value) - a) / (b - a), ticks, (start + end) / 2)


def draw_x(canvas: Canvas, axis: Axis, top: float, bottom: float, label: str) -> None:
    """Marks below the plot, faint lines through it, the label in the middle below."""
    for value, text in axis.ticks:
        x = axis.place(value)
        canvas.line(x, top, x, bottom, "grid")
        canvas.text(x, bottom + 16, text, "middle")
    canvas.text(axis.middle, bottom + 34, label, "middle label")


def draw_y(canvas: Canvas, axis: Axis, left: float, right: float, label: str, label_y: float) -> None:
    """Marks left of the plot, the label above it, so that it can be read without turning one's head."""
    for value, text in axis.ticks:
        y = axis.place(value)
        canvas.line(left, y, right, y, "grid")
        canvas.text(left - 6, y + 4, text, "end")
    canvas.text(0, label_y, label, "label")


def spread_out(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The places of labels beside lines, moved until neighbours are `gap` apart; inside low … high if they can be."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    moved = [places[i] for i in order]
    for _ in range(100):  # neighbours that are too close give way, both of them
        for i in range(len(moved) - 1):
            lacking = max(0.0, gap - (moved[i + 1] - moved[i]))
            moved[i] -= lacking / 2
            moved[i + 1] += lacking / 2
    for i, place in enumerate(moved):
        moved[i] = max(place, moved[i - 1] + gap if i else low)
    for i in reversed(range(len(moved))):
        moved[i] = min(moved[i], moved[i + 1] - gap if i + 1 < len(moved) else high)
    result = [0.0] * len(places)
    for i, place in zip(order, moved, strict=True):
        result[i] = place
    return result


def cut(text: str, width: float) -> str:
    """The text, its middle left out where it is wider than `width`."""
    most = max(5, int(width / CHARACTER_WIDTH))
    if len(text) <= most:
        return text
    head = (most - 1) * 2 // 3
    return f"{text[:head]}…{text[len(text) - (most - 1 - head) :]}"

"""A formula in the usual notation, and its curve over the points of the target: as text and as SVG.

Glossary
    infix    the usual notation, sin(x * x) + 1, where a sequence has `x x * sin 1 +`
    curve    the formula between the first and the last point, in short pieces; it breaks where it is not finite
    frame    the part of the plane that is shown
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from math import ceil, floor, isfinite, log10

from domains.regression import (
    DIVIDED_BY,
    FUNCTIONS,
    MINUS,
    NAMES,
    OPERANDS,
    PLUS,
    Target,
    evaluate,
    mean_absolute_error,
)
from domains.svg import document

COLUMNS, LINES = 60, 12
WIDTH, HEIGHT = 640.0, 420.0
LEFT, RIGHT, TOP, BOTTOM = 64.0, 20.0, 64.0, 44.0
PIECES = 480
BRAILLE = 0x2800
BRAILLE_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each of the four rows of two dots in a character."""

STYLE = """
.axis { stroke: var(--faint); stroke-width: 1; fill: none; }
.grid { stroke: var(--given); stroke-width: 1; }
.curve { stroke: var(--found); stroke-width: 2.5; fill: none; stroke-linejoin: round; stroke-linecap: round; }
.point { fill: var(--mark); }
.formula { font-family: ui-monospace, monospace; font-weight: 600; }
.small { font-size: 12px; }
.right { text-anchor: end; }
.middle { text-anchor: middle; }
"""


@dataclass(frozen=True)
class Frame:
    x_low: float
    x_high: float
    y_low: float
    y_high: float

    def across(self, x: float) -> float:
        """0 at the left edge, 1 at the right."""
        return (x - self.x_low) / (self.x_high - self.x_low)

    def down(self, y: float) -> float:
        """0 at the upper edge, 1 at the lower."""
        return (self.y_high - y) / (self.y_high - self.y_low)

    def shows(self, y: float) -> bool:
        return self.y_low <= y <= self.y_high


def infix(symbols: Sequence[int]) -> str:
    """The formula of a sequence; the parts of an unfinished one, separated by commas."""
    stack: list[tuple[str, int]] = []  # each part with how tightly it binds: 0 for sums, 1 for products, 2 for the rest
    for symbol in symbols:
        if symbol in OPERANDS:
            stack.append((NAMES[symbol], 2))
        elif symbol in FUNCTIONS:
            argument, _ = stack.pop()
            stack.append((f"{NAMES[symbol]}({argument})", 2))
        else:
            (right, right_binds), (left, left_binds) = stack.pop(), stack.pop()
            binds = 0 if symbol in (PLUS, MINUS) else 1
            if left_binds < binds:
                left = f"({left})"
            if right_binds < binds or (right_binds == binds and symbol in (MINUS, DIVIDED_BY)):
                right = f"({right})"
            stack.append((f"{left} {NAMES[symbol]} {right}", binds))
    return ", ".join(part for part, _ in stack)


def is_complete(symbols: Sequence[int]) -> bool:
    return sum(1 if s in OPERANDS else 0 if s in FUNCTIONS else -1 for s in symbols) == 1


def text(target: Target, symbols: Sequence[int]) -> str:
    """The formula, its error and a plot for a terminal: the curve in dots, the target's points as o."""
    if not is_complete(symbols):
        return f"found   {infix(symbols) or 'nothing'} (unfinished)\ntarget  {target.name}"
    frame = frame_of(target, symbols)
    cells = [[0] * COLUMNS for _ in range(LINES)]
    for piece in curve(symbols, frame):
        for (x, y), (next_x, next_y) in pairwise(piece) if len(piece) > 1 else [(piece[0], piece[0])]:
            for step in range(9):
                part_x, part_y = x + (next_x - x) * step / 8, y + (next_y - y) * step / 8
                if frame.shows(part_y):
                    column = round(frame.across(part_x) * (2 * COLUMNS - 1))
                    row = round(frame.down(part_y) * (4 * LINES - 1))
                    cells[row // 4][column // 2] |= BRAILLE_DOTS[row % 4][column % 2]
    plot = [[chr(BRAILLE + dots) if dots else " " for dots in line] for line in cells]
    for x, y in zip(target.xs, target.ys, strict=True):
        plot[round(frame.down(y) * (LINES - 1))][round(frame.across(x) * (COLUMNS - 1))] = "o"
    labels = [""] * LINES
    labels[0], labels[-1] = f"{frame.y_high:.3g}", f"{frame.y_low:.3g}"
    x_low, x_high = f"{frame.x_low:.3g}", f"{frame.x_high:.3g}"
    return "\n".join(
        [
            f"found   {infix(symbols)}",
            f"target  {target.name}",
            f"mae     {mean_absolute_error(symbols, target):.6g}",
            "",
            *(f"{label:>9} │{''.join(line)}".rstrip() for label, line in zip(labels, plot, strict=True)),
            f"{'':>9} └{'─' * COLUMNS}",
            f"{'':>9}  {x_low}{x_high:>{COLUMNS - len(x_low)}}",
        ]
    )


def picture(target: Target, symbols: Sequence[int]) -> str:
    """The formula as title, its curve as a line, the target's points as dots, between axes with ticks."""
    complete = is_complete(symbols)
    formula = infix(symbols) if complete else f"{infix(symbols) or 'nothing'} (unfinished)"
    frame = frame_of(target, symbols if complete else ())
    inner_width, inner_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + frame.across(x) * inner_width, TOP + frame.down(y) * inner_height

    # Monospaced letters are about 0.6 of their size wide; a long formula gets smaller ones.
    size = max(6.0, min(17.0, (WIDTH - 40.0) / (0.62 * len(formula))))
    below = f"target {target.name}"
    if complete:
        below += f"   ·   mae {mean_absolute_error(symbols, target):.4g}"
    body = [
        f'<text class="formula" x="20" y="28" font-size="{size:.4g}">{escape(formula)}</text>',
        f'<text class="small" x="20" y="48">{escape(below)}</text>',
        f'<clipPath id="inner"><rect x="{LEFT:g}" y="{TOP:g}" width="{inner_width:g}" height="{inner_height:g}"/>'
        "</clipPath>",
    ]
    for x in ticks(frame.x_low, frame.x_high):
        column, _ = at(x, frame.y_low)
        body.append(f'<path class="grid" d="M{column:.2f} {TOP:g}V{HEIGHT - BOTTOM:g}"/>')
        body.append(f'<text class="small middle" x="{column:.2f}" y="{HEIGHT - BOTTOM + 20:g}">{x:g}</text>')
    for y in ticks(frame.y_low, frame.y_high):
        _, row = at(frame.x_low, y)
        body.append(f'<path class="grid" d="M{LEFT:g} {row:.2f}H{WIDTH - RIGHT:g}"/>')
        body.append(f'<text class="small right" x="{LEFT - 8:g}" y="{row + 4:.2f}">{y:g}</text>')
    body.append(f'<path class="axis" d="M{LEFT:g} {TOP:g}V{HEIGHT - BOTTOM:g}H{WIDTH - RIGHT:g}"/>')
    for piece in curve(symbols, frame) if complete else []:
        path = "L".join("{:.2f} {:.2f}".format(*at(x, y)) for x, y in piece)
        body.append(f'<path class="curve" clip-path="url(#inner)" d="M{path}"/>')
    for point in zip(target.xs, target.ys, strict=True):
        body.append('<circle class="point" cx="{:.2f}" cy="{:.2f}" r="4"/>'.format(*at(*point)))
    return document(WIDTH, HEIGHT, f"{formula}, over the points of {target.name}", body, STYLE)


def frame_of(target: Target, symbols: Sequence[int]) -> Frame:
    """All points of the target, and as much of the curve as lies within one height of them."""
    x_low, x_high = widened(min(target.xs), max(target.xs), 0.0)
    y_low, y_high = widened(min(target.ys), max(target.ys), 0.0)
    height = y_high - y_low
    values = [evaluate(symbols, x) for x in target.xs] if symbols else []
    near = [value for value in values if y_low - height <= value <= y_high + height]
    return Frame(x_low, x_high, *widened(min([y_low, *near]), max([y_high, *near]), 0.05))


def widened(low: float, high: float, margin: float) -> tuple[float, float]:
    """The interval with a margin on both sides, and never empty."""
    if high - low <= 1e-9 * max(abs(low), abs(high)):
        extra = 0.5 * max(abs(low), 1e-9) if low else 0.5
    else:
        extra = margin * (high - low)
    return low - extra, high + extra


def curve(symbols: Sequence[int], frame: Frame) -> list[list[tuple[float, float]]]:
    """The pieces of the curve; it may leave the frame, by no more than one height."""
    height = frame.y_high - frame.y_low
    pieces: list[list[tuple[float, float]]] = [[]]
    for i in range(PIECES + 1):
        x = frame.x_low + (frame.x_high - frame.x_low) * i / PIECES
        y = evaluate(symbols, x)
        if isfinite(y) and frame.y_low - height <= y <= frame.y_high + height:
            pieces[-1].append((x, y))
        elif pieces[-1]:
            pieces.append([])
    return [piece for piece in pieces if piece]


def ticks(low: float, high: float) -> list[float]:
    """Round numbers from low to high, four to ten of them."""
    rough = (high - low) / 6
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= rough)
    return [round(i * step, 12) + 0.0 for i in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]

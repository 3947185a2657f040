"""The pictures: SVG written by hand, so that the same results give the same bytes."""

import math
from collections.abc import Iterator, Sequence
from html import escape

from domains.svg import document
from experiments.campaigns import CAMPAIGNS
from experiments.columns import COLUMNS, MAIN, Column
from experiments.other_tables import COMPONENTS
from experiments.score_tables import Cell, cells_of
from experiments.stored import Stored

ROW = 17.0
LEFT = 330.0
PLOT = 430.0
RIGHT = 30.0
TOP = 62.0
TITLES = {"sudoku4": "Sudoku(4), B = 1 000", "T11": "Symbolic regression, B = 10 000", "5T": "Morpion 5T, B = 10 000"}
SHORT = {"sudoku4": "Sudoku(4)", "T11": "Regression", "5T": "Morpion 5T"}

STYLE = """
text { font-size: 12px; } .title { font-size: 14px; font-weight: 600; } .small { font-size: 11px; }
.mono { font-family: ui-monospace, monospace; font-size: 11px; }
.axis { stroke: var(--faint); stroke-width: 1; } .zero { stroke: var(--ink); stroke-width: 1; }
.ours { fill: var(--found); stroke: var(--found); } .paper { stroke: none; }
.theirs { fill: none; stroke: var(--mark); stroke-width: 1.6; }
.rules { fill: none; stroke: var(--found); stroke-width: 1.4; }
.all { fill: var(--faint); } .some { fill: var(--mark); } .few { fill: var(--found); }
"""


def all_of(stored: Stored) -> Iterator[tuple[str, str]]:
    """The name and text of every picture there is data for."""
    for key in MAIN.values():
        column = COLUMNS[key]
        cells = [cell for cell in cells_of(column.table, "standard", stored) if cell.column == column.title]
        other = [c for c in cells_of(column.table, "maes2013", stored) if c.column == column.title]
        other = [cell for cell in other if cell.run_by == "maes2013"]
        if any(cell.n for cell in cells):
            yield f"pictures/scores-{column.table}.svg", scores(column, cells, other)
    if stored.finding:
        yield "pictures/finding.svg", finding(stored)
    shares = {name: component_shares(stored, name) for name in COMPOSED if name in stored.summaries}
    if shares:
        yield "pictures/components.svg", components(shares)


class Axis:
    """A horizontal axis with round ticks."""

    def __init__(self, low: float, high: float, left: float = LEFT, width: float = PLOT, ticks: int = 6) -> None:
        span = (high - low) or 1.0
        step = 10 ** math.floor(math.log10(span / ticks))
        step *= next(factor for factor in (1, 2, 5, 10) if span / (step * factor) <= ticks)
        self.low, self.high = math.floor(low / step) * step, math.ceil(high / step) * step
        self.left, self.width, self.step = left, width, step

    def at(self, value: float) -> float:
        return float(self.left + (value - self.low) / (self.high - self.low) * self.width)

    def lines(self, top: float, bottom: float) -> list[str]:
        digits = max(0, -math.floor(math.log10(self.step)))
        drawn = []
        for i in range(round((self.high - self.low) / self.step) + 1):
            value = self.low + i * self.step
            x = self.at(value)
            drawn.append(f'<line class="axis" x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{bottom:.1f}"/>')
            text = f"{value:.{digits}f}".replace("-", "−")
            drawn.append(f'<text class="small" x="{x:.1f}" y="{top - 6:.1f}" text-anchor="middle">{text}</text>')
        return drawn


def scores(column: Column, cells: Sequence[Cell], other_rules: Sequence[Cell]) -> str:
    """Every algorithm of a main column with its 95 % interval, and the published value."""
    by_algorithm: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.n:
            by_algorithm.setdefault(cell.run_as, []).append(cell)
    sign = 1 if column.less_is_better else -1
    rows = sorted(by_algorithm.values(), key=lambda same: sign * same[0].mean)
    other = {cell.run_as: cell for cell in other_rules}
    values = [one for same in rows for cell in same for one in (*_interval(cell), cell.published)]
    values += [cell.mean for cell in other.values()]
    values = [value for value in values if not math.isnan(value)]
    axis = Axis(min(values), max(values))
    bottom = TOP + ROW * len(rows) + 4
    better = "less" if column.less_is_better else "more"
    title = f"{TITLES[column.key]}: {column.unit}, {better} is better"
    body = [_text(12, 20, title, "title"), *_legend(bool(other))]
    body += axis.lines(TOP - 6, bottom)
    for i, same in enumerate(rows):
        y = TOP + ROW * (i + 0.5)
        name = ", ".join(f"paper's {c.name}" if c.kind == "paper" else c.name for c in same)
        body.append(_text(LEFT - 12, y + 4, name, "small", "end", same[0].expression))
        low, high = _interval(same[0])
        body.append(_line("ours", axis.at(low), y, axis.at(high), y))
        body.append(f'<circle class="ours" cx="{axis.at(same[0].mean):.1f}" cy="{y:.1f}" r="3"/>')
        for value in dict.fromkeys(c.published for c in same if not math.isnan(c.published)):
            body.append(_diamond(axis.at(value), y))
        if same[0].run_as in other:
            body.append(f'<circle class="rules" cx="{axis.at(other[same[0].run_as].mean):.1f}" cy="{y:.1f}" r="4"/>')
    return document(LEFT + PLOT + RIGHT, bottom + 12, title, body, STYLE)


def _interval(cell: Cell) -> tuple[float, float]:
    return cell.mean - 1.96 * cell.stderr, cell.mean + 1.96 * cell.stderr


def _legend(rules: bool) -> list[str]:
    drawn = ['<circle class="ours" cx="18" cy="36" r="3"/>', _text(27, 40, "ours, 95 %", "small"), _diamond(112, 36)]
    drawn.append(_text(121, 40, "published", "small"))
    if rules:
        drawn.append('<circle class="rules" cx="196" cy="36" r="4"/>')
        drawn.append(_text(205, 40, "ours, rules maes2013", "small"))
    return drawn


def _diamond(x: float, y: float) -> str:
    return (
        f'<path class="theirs" d="M{x - 4:.1f} {y:.1f}L{x:.1f} {y - 4:.1f}L{x + 4:.1f} {y:.1f}L{x:.1f} {y + 4:.1f}Z"/>'
    )


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start", hint: str = "") -> str:
    shown = escape(text) + (f"<title>{escape(hint)}</title>" if hint else "")
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{shown}</text>'


def finding(stored: Stored) -> str:
    """What the winners of each campaign are worth beside those of ucb1 at the paper's size."""
    body = [_text(12, 20, "What one campaign finds beside another, on test problems", "title")]
    body.append('<circle class="ours" cx="18" cy="36" r="3"/>')
    body += [_text(27, 40, "mean of the ten best, 95 %", "small"), _diamond(198, 36)]
    body.append(_text(207, 40, "the first alone, 95 %; to the right is better", "small"))
    y = TOP + 14
    for problem, key in MAIN.items():
        rows = [row for row in stored.finding if CAMPAIGNS[row["campaign"]].problem == problem]
        others = [row for row in rows if row["ten_difference"]]
        if not others:
            continue
        sign = -1.0 if COLUMNS[key].less_is_better else 1.0
        drawn = []
        for row in others:
            ten, error = sign * float(row["ten_difference"]), 1.96 * float(row["ten_difference_stderr"])
            first, its_error = sign * float(row["first_difference"]), 1.96 * float(row["first_difference_stderr"])
            own, beside = (row[what].removeprefix(f"{problem}-") for what in ("campaign", "beside"))
            drawn.append((f"{own} beside {beside}", ten, error, first, its_error))
        values = [0.0, *(d[1] - d[2] for d in drawn), *(d[1] + d[2] for d in drawn)]
        values += [*(d[3] - d[4] for d in drawn), *(d[3] + d[4] for d in drawn)]
        axis = Axis(min(values), max(values))
        bottom = y + 10 + 1.3 * ROW * len(drawn)
        unit = f"less {COLUMNS[key].unit}" if COLUMNS[key].less_is_better else f"more {COLUMNS[key].unit}"
        body.append(_text(12, y + 2, f"{SHORT[key]}: {unit}", "small"))
        body += axis.lines(y + 8, bottom + 4)
        body.append(_line("zero", axis.at(0), y + 8, axis.at(0), bottom + 4))
        for i, (name, ten, error, first, its_error) in enumerate(drawn):
            row_y = y + 10 + 1.3 * ROW * (i + 0.5)
            first_y = row_y + 4
            body.append(_text(LEFT - 12, row_y + 4, name, "small", "end"))
            ten_y = row_y - 4
            body.append(_line("ours", axis.at(ten - error), ten_y, axis.at(ten + error), ten_y))
            body.append(f'<circle class="ours" cx="{axis.at(ten):.1f}" cy="{ten_y:.1f}" r="3"/>')
            body.append(_line("theirs", axis.at(first - its_error), first_y, axis.at(first + its_error), first_y))
            body.append(_diamond(axis.at(first), first_y))
        y = bottom + 36
    return document(LEFT + PLOT + RIGHT, y - 14, "What campaigns find with less and deeper", body, STYLE)


COMPOSED = ("sudoku4-halving", "regression-halving", "morpion5T-halving")
PARTS = (None, 100, 10)
"""All candidates, the best 100, the best 10."""


def component_shares(stored: Stored, campaign: str) -> dict[str, list[float]]:
    """How many of all candidates, of the best 100 and of the best 10 contain each component."""
    texts = [row["expression"] for row in stored.candidates(campaign)]
    parts = [texts[:part] for part in PARTS]
    return {
        name: [sum(f"{own}(" in text for text in part) / len(part) for part in parts]
        for name, own in COMPONENTS.items()
        if name != "simulate"
    }


def components(shares: dict[str, dict[str, list[float]]]) -> str:
    """Which components are in the candidates that win."""
    width, bar = 170.0, 9.0
    body = [_text(12, 20, "Which components the best candidates contain (halving)", "title")]
    for x, kind, text in (
        (18, "all", "of all candidates"),
        (148, "some", "of the best 100"),
        (268, "few", "of the best 10"),
    ):
        body.append(f'<rect class="{kind}" x="{x}" y="31" width="10" height="10"/>')
        body.append(_text(x + 15, 40, text, "small"))
    left = 90.0
    for number, (campaign, own) in enumerate(shares.items()):
        axis = Axis(0, 100, left + number * (width + 40), width, 5)
        title = TITLES[MAIN[CAMPAIGNS[campaign].problem]]
        body.append(_text(axis.left, 64, title, "small"))
        bottom = 84 + len(own) * (3 * bar + 12)
        body += axis.lines(84, bottom)
        for i, (name, parts) in enumerate(own.items()):
            y = 90 + i * (3 * bar + 12)
            if number == 0:
                body.append(_text(left - 8, y + 1.5 * bar + 4, name, "mono", "end"))
            for j, (kind, part) in enumerate(zip(("all", "some", "few"), parts, strict=True)):
                body.append(
                    f'<rect class="{kind}" x="{axis.left:.1f}" y="{y + j * bar:.1f}" '
                    f'width="{axis.at(100 * part) - axis.left:.1f}" height="{bar - 1:g}"/>'
                )
    height = 84 + 4 * (3 * bar + 12) + 14
    return document(
        left + len(shares) * (width + 40), height, "Components of the best candidates, in per cent", body, STYLE
    )

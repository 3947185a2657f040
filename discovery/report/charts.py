"""The charts of a report. Each is drawn twice, wide for a screen or paper and narrow for a phone; the page shows one.

forest      scores on test problems with their intervals
anytime     the score so far against evaluations
dumbbells   training against test scores
shares      how the pulls were spread over the final ranking, over time
heat        pulls of each leader over time
boxes       the candidates' scores by outermost component, or by depth
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from discovery.evaluation.kept import TestRow, TestScores
from discovery.numbers import Scale, decimals_for, fixed, grouped, interval, plural
from discovery.report.components import Group
from discovery.report.measuring import Curve, Curves
from discovery.report.svg import (
    Canvas,
    cut,
    draw_x,
    draw_y,
    linear,
    logarithmic,
    spread_out,
)

WIDE, NARROW = 780, 350
EMPHASISED = 3
"""So many discovered algorithms have a line of their own colour."""


def both(name: str, title: str, description: str, draw: Callable[[int], Canvas]) -> str:
    """The chart in both widths."""
    return "\n".join(
        draw(width).svg(f"{name}-{kind}", title, description, kind)
        for width, kind in ((WIDE, "wide"), (NARROW, "narrow"))
    )


@dataclass(frozen=True)
class Pair:
    """An algorithm in training and in the test, in one unit."""

    row: TestRow
    trained: float
    half: float
    """of the 95 % interval in training"""
    tested: float
    test_interval: tuple[float, float]

    @property
    def training_interval(self) -> tuple[float, float]:
        return self.trained - self.half, self.trained + self.half


def with_direction(unit: str, direction: str) -> str:
    return f"{unit} ({direction})" if direction else unit


def span(values: Sequence[float]) -> tuple[float, float]:
    """From the lowest value to the highest, outliers left out, which may be beyond all measure: a formula may miss its
    points by 1e30."""
    ordered = sorted(values)
    low, high = ordered[len(ordered) // 10], ordered[-1 - len(ordered) // 10]
    margin = 3 * (high - low)
    return (max(ordered[0], low - margin), min(ordered[-1], high + margin)) if margin > 0 else (ordered[0], ordered[-1])


def span_of_curves(curves: Curves) -> tuple[float, float]:
    """The same of curves, by their last decade: the first evaluations may be worse beyond all measure."""
    values = [score for curve in curves.curves for score in curve.scores]
    start = next(i for i, point in enumerate(curves.points) if 10 * point >= curves.points[-1])
    late = [score for curve in curves.curves for score in curve.scores[start:]]
    margin = 6 * (max(late) - min(late)) or math.inf
    return max(min(values), min(late) - margin), min(max(values), max(late) + margin)


def forest(test: TestScores) -> str:
    """Every algorithm with its mean and 95 % interval, the best on top; a line through the reference's mean."""
    decimals = test.decimals
    reference = next((row for row in test.rows if row.reference), None)
    ends = [end for row in test.rows for end in (row.ci95 or (row.mean, row.mean))]

    def draw(width: int) -> Canvas:
        narrow = width == NARROW
        row_height = 34 if narrow else 22
        left, right, top = (12, width - 12, 8) if narrow else (350, width - 16, 8)
        bottom = top + row_height * len(test.rows)
        canvas = Canvas(width, bottom + 44)
        axis = linear(*span(ends), left, right, 4 if narrow else 6)
        draw_x(canvas, axis, top, bottom, with_direction(test.unit, test.direction))
        if reference is not None:
            x = axis.place(reference.mean)
            canvas.line(x, top, x, bottom, "reference")
        for i, row in enumerate(test.rows):
            y = top + row_height * (i + (0.72 if narrow else 0.5))
            kind = "generic" if row.generic else "found"
            place, baseline = (0, y - 10) if narrow else (0, y + 4)
            label = f"{row.label} {row.expression}"
            tail = "" if row.generic else cut(row.expression, (width if narrow else left) - 75)
            canvas.text(place, baseline, row.label, f"{kind}-text", label, tail)
            low, high = row.ci95 or (row.mean, row.mean)
            canvas.line(axis.place(low), y, axis.place(high), y, f"bar {kind}-line")
            tip = (
                f"{row.label}: {fixed(row.mean, decimals)} {test.unit}, 95 % interval {interval((low, high), decimals)}"
            )
            mark = canvas.diamond if row.generic else canvas.dot
            mark(axis.place(row.mean), y, f"{kind}-fill", tip)
        return canvas

    best = test.rows[0]
    line = "" if reference is None else f" The dashed line is the mean of {reference.label}."
    description = (
        f"Mean {test.unit} and 95 % interval of {len(test.rows)} algorithms, the best first: {best.label} with "
        f"{fixed(best.mean, decimals)}, to {test.rows[-1].label} with {fixed(test.rows[-1].mean, decimals)}.{line}"
    )
    return both("forest", test.title, description, draw)


def anytime(curves: Curves, reference: str | None) -> str:
    """Lines over a logarithmic axis: the best discovered ones and the reference emphasised, the others grey."""
    shown = _styles(curves, reference)
    lowest, highest = span_of_curves(curves)
    decimals = decimals_for([(highest - lowest) / 100])
    generic_only = [curve for curve in curves.curves if curve.label in shown or curve.generic]

    def draw(width: int) -> Canvas:
        narrow = width == NARROW
        labelled = [curve for curve in generic_only if not narrow or curve.label in shown]
        left, right, top, bottom = (44, width - 84, 26, 330) if narrow else (52, width - 150, 26, 420)
        canvas = Canvas(width, bottom + 44)
        x_axis = logarithmic(curves.points[0], curves.points[-1], left, right)
        y_axis = linear(lowest, highest, bottom, top + 4, 6)
        draw_y(canvas, y_axis, left, right, with_direction(f"mean {curves.unit}", curves.direction), 12)
        draw_x(canvas, x_axis, top, bottom, "evaluations")
        for curve in sorted(generic_only, key=lambda curve: curve.label in shown):
            points = [
                (x_axis.place(point), y_axis.place(score))
                for point, score in zip(curves.points, curve.scores, strict=True)
            ]
            kind = shown.get(curve.label, "other-line")
            canvas.path(points, f"curve {kind}", f"{curve.label}: {fixed(curve.scores[-1], decimals)} {curves.unit}")
        places = [y_axis.place(curve.scores[-1]) for curve in labelled]
        for curve, y, place in zip(labelled, spread_out(places, 13, top, bottom - 3), places, strict=True):
            canvas.path([(right + 2, place), (right + 10, place), (right + 16, y), (right + 20, y)], "leader")
            kind = shown.get(curve.label, "other-line").replace("-line", "-text")
            canvas.text(right + 23, y + 4, cut(curve.label, width - right - 22), kind, curve.expression)
        return canvas

    best = curves.curves[0]
    first, last = fixed(best.scores[0], decimals), fixed(best.scores[-1], decimals)
    description = (
        f"Mean {curves.unit} of the best solution so far after 1 to {grouped(curves.points[-1])} evaluations, "
        f"over {plural(curves.problems, 'test problem')}. {best.label} is best at the end: {last}, "
        f"from {first} after the first evaluation. The table below has all numbers."
    )
    return both("anytime", "Score against evaluations", description, draw)


def _styles(curves: Curves, reference: str | None) -> dict[str, str]:
    """The lines that stand out."""
    found = [curve for curve in curves.curves if not curve.generic][:EMPHASISED]
    styles = {curve.label: f"found{i}-line" for i, curve in enumerate(found, 1)}
    generic: list[Curve] = [curve for curve in curves.curves if curve.generic]
    chosen = next((curve for curve in generic if curve.label.split(" = ")[0] == reference), None)
    if chosen is not None or generic:
        styles[(chosen or generic[0]).label] = "generic-line"
    return styles


def dumbbells(unit: str, less_is_better: bool, pairs: Sequence[Pair]) -> str:
    """Two marks for each algorithm, training above test, with their 95 % intervals."""
    ends = [end for pair in pairs for end in (pair.trained, pair.tested, *pair.test_interval)]
    ends += [pair.trained + side * pair.half for pair in pairs if not pair.row.generic for side in (-1, 1)]
    low_end, high_end = span(ends)
    decimals = decimals_for([(high_end - low_end) / 100])

    def draw(width: int) -> Canvas:
        narrow = width == NARROW
        row_height = 42 if narrow else 28
        left, right, top = (12, width - 12, 24) if narrow else (350, width - 16, 24)
        bottom = top + row_height * len(pairs)
        canvas = Canvas(width, bottom + 44)
        axis = linear(low_end, high_end, left, right, 4 if narrow else 6)
        direction = "less is better" if less_is_better else "more is better"
        draw_x(canvas, axis, top, bottom, with_direction(f"mean {unit}", direction))
        canvas.square(left + 6, 8, "trained-fill")
        canvas.text(left + 16, 12, "training")
        canvas.dot(left + 86, 8, "found-fill")
        canvas.diamond(left + 100, 8, "generic-fill")
        canvas.text(left + 111, 12, "test")
        for i, pair in enumerate(pairs):
            row, y = pair.row, top + row_height * (i + (0.68 if narrow else 0.5))
            kind = "generic" if row.generic else "found"
            tail = "" if row.generic else cut(row.expression, (width if narrow else left) - 75)
            place, baseline = (0, y - 14) if narrow else (0, y + 4)
            canvas.text(place, baseline, row.label, f"{kind}-text", f"{row.label} {row.expression}", tail)
            for value, (low, high), height, line, mark, fill in (
                (pair.trained, pair.training_interval, -4.5, "trained-line", canvas.square, "trained-fill"),
                (
                    pair.tested,
                    pair.test_interval,
                    4.5,
                    f"{kind}-line",
                    canvas.diamond if row.generic else canvas.dot,
                    f"{kind}-fill",
                ),
            ):
                canvas.line(axis.place(low), y + height, axis.place(high), y + height, f"bar {line}")
                where = "training" if line == "trained-line" else "test"
                mark(axis.place(value), y + height, fill, f"{row.label} in {where}: {fixed(value, decimals)} {unit}")
        return canvas

    worse = sum(pair.tested > pair.trained if less_is_better else pair.tested < pair.trained for pair in pairs)
    description = (
        f"Mean {unit} of {len(pairs)} algorithms in training and in the test, with 95 % intervals. {worse} of them did "
        "worse in the test."
    )
    return both("training-test", "Training against test scores", description, draw)


def boxes(name: str, title: str, groups: Sequence[Group], scale: Scale, where: str) -> str:
    """A box for each group: the middle half of its candidates' scores, whiskers over 90 %, a mark at the median."""
    ends = [scale.of(reward) for group in groups for reward in (group.spread[0], group.spread[-1])]
    decimals = decimals_for([(max(ends) - min(ends)) / 100])

    def draw(width: int) -> Canvas:
        narrow = width == NARROW
        row_height = 40 if narrow else 28
        left, right, top = (8, width - 12, 4) if narrow else (190, width - 16, 4)
        bottom = top + row_height * len(groups)
        canvas = Canvas(width, bottom + 44)
        axis = linear(min(ends), max(ends), left, right, 4 if narrow else 6)
        draw_x(canvas, axis, top, bottom, with_direction(f"mean {scale.unit}", scale.direction))
        for i, group in enumerate(groups):
            y = top + row_height * (i + (0.7 if narrow else 0.5))
            low, first, median, third, high = (axis.place(scale.of(reward)) for reward in group.spread)
            text = f"{group.label} ({plural(group.candidates, 'candidate')})"
            canvas.text(0, y - 13 if narrow else y + 4, text)
            canvas.line(low, y, high, y, "bar found-line")
            a, b = min(first, third), max(first, third)
            tip = f"{group.label}: median {fixed(scale.of(group.spread[2]), decimals)} {scale.unit}"
            canvas.rect(a, y - 6, max(1.5, b - a), 12, "box", tip)
            canvas.line(median, y - 8, median, y + 8, "median")
        return canvas

    medians = "; ".join(f"{group.label}: {fixed(scale.of(group.spread[2]), decimals)}" for group in groups)
    description = f"Medians of the candidates' mean {scale.unit} on {where}: {medians}."
    return both(name, title, description, draw)

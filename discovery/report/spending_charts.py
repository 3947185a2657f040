"""How the bandit spent its pulls, as charts: shares over the final ranking, and the leaders one by one."""

import math

from discovery.numbers import grouped, plural
from discovery.report.charts import NARROW, both
from discovery.report.spending import Share, Spending
from discovery.report.svg import LINE, Canvas, cut, draw_x, linear, spread_out


def shares(spent: Spending) -> str:
    """Stacked shares of the pulls in each window."""
    kinds = [f"rank{min(i, 5)}" for i in range(len(spent.groups))]

    def draw(width: int) -> Canvas:
        narrow = width == NARROW
        left, right, top, bottom = (44, width - 8, 26, 210) if narrow else (52, width - 150, 26, 250)
        legend = LINE * len(spent.groups) + 4 if narrow else 0
        canvas = Canvas(width, bottom + 44 + legend)
        x_axis = linear(0, spent.edges[-1], left, right, 3 if narrow else 6)
        y_axis = linear(0, 1, bottom, top, 4)
        canvas.text(0, 12, "share of the pulls", "label")
        for value, _ in y_axis.ticks:
            canvas.text(left - 6, y_axis.place(value) + 4, f"{value:.0%}", "end")
        ends: list[tuple[float, float]] = []
        heights = [float(bottom)] * spent.windows
        for group, kind in zip(spent.groups, kinds, strict=True):
            outline: list[tuple[float, float]] = []
            back: list[tuple[float, float]] = []
            for i in range(spent.windows):
                a, b = spent.edges[i], spent.edges[i + 1]
                new = heights[i] - (bottom - top) * group.pulls[i] / (b - a)
                back += [(x_axis.place(a), heights[i]), (x_axis.place(b), heights[i])]
                outline += [(x_axis.place(a), new), (x_axis.place(b), new)]
                if i == spent.windows - 1:
                    ends.append((new, heights[i]))
                heights[i] = new
            canvas.path([*outline, *reversed(back)], f"area {kind}", f"{group.label}: {plural(group.total, 'pull')}")
        draw_x(canvas, x_axis, bottom, bottom, "pulls of the campaign")
        if narrow:
            for i, (group, kind) in enumerate(zip(spent.groups, kinds, strict=True)):
                below = bottom + 44 + LINE * i
                canvas.rect(left, below, 11, 11, f"area {kind}")
                canvas.text(left + 17, below + 10, f"{group.label}: {plural(group.total, 'pull')}")
        else:
            middles = [(a + b) / 2 for a, b in ends]
            labels = list(zip(spent.groups, kinds, middles, strict=True))[::-1]  # the highest first
            spread = spread_out([place for _, _, place in labels], 17, top + 6, bottom - 6)
            for (group, kind, place), y in zip(labels, spread, strict=True):
                canvas.path([(right + 2, place), (right + 8, y)], "leader")
                canvas.rect(right + 11, y - 6, 11, 11, f"area {kind}")
                canvas.text(right + 26, y + 4, group.label)
        return canvas

    parts = "; ".join(f"{group.label}: {plural(group.total, 'pull')}" for group in spent.groups)
    description = f"Share of the {grouped(spent.edges[-1])} pulls of the campaign by final rank, over time. {parts}."
    return both("shares", "Which candidates got the pulls, over time", description, draw)


def heat(spent: Spending) -> str:
    """One row for each leader and for each group behind them, one cell for each window; darker is more pulls."""
    rows: list[tuple[str, str, Share]] = [(f"{i}", share.label, share) for i, share in enumerate(spent.leaders, 1)]
    behind = [group for group in spent.groups if group.first > len(spent.leaders)]
    rows += [("each of", group.label, group) for group in behind if group.total]
    most = max(n / share.candidates for _, _, share in rows for n in share.pulls)

    def draw(width: int) -> Canvas:
        narrow = width == NARROW
        row_height = 34 if narrow else 20
        left, right, top = (4, width - 4, 8) if narrow else (350, width - 16, 8)
        bottom = top + row_height * len(rows)
        canvas = Canvas(width, bottom + 74)
        x_axis = linear(0, spent.edges[-1], left, right, 3 if narrow else 4)
        for i, (first, label, share) in enumerate(rows):
            y = top + row_height * i + (18 if narrow else 2)
            text = f"{first} {label}" if first == "each of" else f"{first}  {label}"
            place, baseline = (left, y - 4) if narrow else (0, y + 12)
            canvas.text(place, baseline, cut(text, (width if narrow else left) - 12), "", text)
            height = row_height - (20 if narrow else 4)
            canvas.rect(left, y, right - left, height, "empty", f"{text}: {share.total / share.candidates:,.1f} pulls")
            for a, b, n in zip(spent.edges, spent.edges[1:], share.pulls, strict=False):
                if n:
                    x = x_axis.place(a)
                    cell = f'fill-opacity="{_shade(n / share.candidates, most):.2f}"'
                    canvas.rect(x, y, x_axis.place(b) - x + 0.3, height, "cell", "", cell)
        draw_x(canvas, x_axis, bottom, bottom, "pulls of the campaign")
        steps = 5
        key = left if narrow else 350
        for i in range(steps):
            level = most ** (i / (steps - 1)) if most > 1 else most * (i + 1) / steps
            canvas.rect(key + 52 * i, bottom + 46, 52, 10, "cell", "", f'fill-opacity="{_shade(level, most):.2f}"')
            canvas.text(key + 52 * i + 26, bottom + 70, f"{float(f'{level:.2g}'):,g}", "middle")
        canvas.text(key + 52 * steps + 8, bottom + 55, "pulls" if narrow else "pulls in one column")
        return canvas

    names = "; ".join(f"rank {one.first} has {plural(one.total, 'pull')}" for one in spent.leaders)
    description = f"When each of the recommended candidates was pulled. {names}."
    return both("heat", "Pulls of the leaders, over time", description, draw)


def _shade(n: float, most: float) -> float:
    """From faint to full on a logarithmic scale, since a bandit's attention spans orders of magnitude."""
    return 0.15 + 0.85 * min(1.0, math.log1p(n) / math.log1p(most)) if n > 0 else 0.0

"""What the page shows that the text has no room for: wide tables, training beside test, and the script's data."""

import json
import math
from collections.abc import Iterable
from typing import NamedTuple

from discovery.campaign.ranking import Ranked
from discovery.evaluation.family_tables import kinds_of
from discovery.evaluation.kept import TestScores
from discovery.numbers import MISSING, Scale, fixed, grouped, percent, signed
from discovery.report.charts import Pair
from discovery.report.components import Group, Structure
from discovery.report.measuring import Curves
from discovery.report.report import Report
from discovery.report.spending import Spending
from discovery.report.tables import score_cells
from discovery.tables import Code, Heading, Table, numbers, texts
from mcsgrammar.language.expressions import COMPONENTS, Simulate, Tune

FIRST_ROWS = 50
"""Of the full ranking, shown at first and without the script."""
MOST_DATA = 1_500_000
"""Characters of the full ranking; what is more is left to --csv."""
ABBREVIATIONS = dict(
    zip("!@$%&~^", sorted(f"{c.name}(" for c in COMPONENTS if c not in (Simulate, Tune)), strict=False)
)
"""In the data; these signs have no part in the language."""
SHOWN_GROUPS = 12
MOST_GROUPS = 240


class NameCell(NamedTuple):
    """A cell: an algorithm by its name, and its expression if the name does not tell it."""

    name: str
    expression: str = ""


def test_table(test: TestScores) -> Table:
    rows = []
    for row in test.rows:
        mean, *others = score_cells(test, row)
        name = NameCell(test.label(row), "" if row.generic else row.expression)
        rows.append([str(row.rank), name, mean + "*" * row.star, *others, signed(row.effect_size, 2)])
    heads = [*numbers("rank"), *texts("algorithm"), *numbers("mean"), *numbers("95 % interval", minor=True)]
    heads += [*numbers("difference"), *numbers("p", minor=True), *numbers("p Holm"), *numbers("d", minor=True)]
    stars = "; *: better by the unpaired test, p < 0.05" if any(row.star for row in test.rows) else ""
    return Table(heads, rows, f"{test.unit_and_direction}{stars}", kinds_of(test.rows))


def curve_table(curves: Curves, decimals: int) -> Table:
    rows = [[NameCell(one.label), *(fixed(score, decimals) for score in one.scores)] for one in curves.curves]
    heads = [*texts("algorithm"), *numbers(*map(grouped, curves.points))]
    return Table(heads, rows, f"Mean {curves.unit} after so many evaluations", kinds_of(curves.curves))


def training_pairs(report: Report) -> list[Pair]:
    """Those that were both trained and tested, by their rank in training; the generic ones last."""
    test, scale, pairs = report.test, report.scale, []
    for row in test.rows if test is not None else ():
        one = report.trained(row)
        if one is not None and test is not None:
            in_unit = scale.unit == test.unit
            half = scale.width(one.half_width) if math.isfinite(one.stderr) else 0.0
            tested = row.mean if in_unit else row.mean_reward
            ends = row.ci95 if row.ci95 is not None and in_unit else (tested, tested)
            pairs.append((row.generic, one.rank, Pair(row, scale.of(one.mean), half, tested, ends)))
    return [pair for _, _, pair in sorted(pairs, key=lambda item: item[:2])]


def effect_headings(structure: Structure) -> list[Heading]:
    return [*texts("component"), *numbers(*(f"level {level}" for level in structure.effect_levels))]


def structure_tables(report: Report) -> list[Table]:
    """The first ones, and the others, which stand behind a click."""
    if report.structure is None:
        return []
    groups = report.structure.by_structure
    caption = "Expressions without their constants, by the rank of the best that has the structure"
    shown, others = groups[:SHOWN_GROUPS], groups[SHOWN_GROUPS:MOST_GROUPS]
    rest = "the others" if len(groups) <= MOST_GROUPS else f"the next {len(others)} of {len(groups)}"
    if not others:
        return [_group_table(report, caption, "structure", [(Code(group.label), group) for group in shown])]
    parts = ((f"the first {SHOWN_GROUPS} of {len(groups)}", shown), (rest, others))
    return [
        _group_table(report, f"{caption}: {what}", "structure", [(Code(group.label), group) for group in part])
        for what, part in parts
    ]


def component_tables(report: Report) -> list[Table]:
    structure = report.structure
    if structure is None:
        return []
    by_component = [
        (f"{name} at level {level}", structure.by_component[name, level])
        for name in structure.components
        for level in structure.levels
        if (name, level) in structure.by_component
    ]
    by_constant = [(group.label, group) for group in structure.by_constant]
    wanted = (
        ("Candidates with a component at a level", "component", by_component),
        ("Candidates with a constant", "constant", by_constant),
    )
    return [_group_table(report, caption, what, groups) for caption, what, groups in wanted if groups]


def _group_table(report: Report, caption: str, what: str, groups: Iterable[tuple[str, Group]]) -> Table:
    scale, top = report.scale, report.structure and report.structure.top
    rows = [
        [
            label,
            grouped(group.best_rank),
            Code(group.best_expression),
            grouped(group.candidates),
            f"{grouped(group.in_top)} ({percent(group.in_top / group.candidates)})",
            fixed(scale.of(group.mean), scale.decimals),
        ]
        for label, group in groups
    ]
    heads = [*texts(what), *numbers("best rank"), *texts("its best", minor=True), *numbers("candidates")]
    heads += [*numbers(f"in the top {top}", minor=True), *numbers(f"mean {scale.unit}")]
    return Table(heads, rows, caption)


def spending_table(spent: Spending) -> Table:
    rows = [[str(i), Code(one.label), grouped(one.total), grouped(one.total)] for i, one in enumerate(spent.leaders, 1)]
    rows += [
        ["", group.label, grouped(group.total), f"{group.total / group.candidates:,.1f}"] for group in spent.groups
    ]
    heads = [*numbers("rank"), *texts("candidates"), *numbers("pulls", "each")]
    return Table(heads, rows, "Pulls by candidate")


def candidates_table(report: Report) -> Table:
    """The first of the full ranking."""
    rows = [
        [
            grouped(one.rank),
            Code(one.expression_text),
            str(depth),
            grouped(one.pulls),
            *_scores(one, report.scale, _decimals(report)),
            *([grouped(one.failed)] if report.failed else []),
        ]
        for one, depth in zip(report.ranking[:FIRST_ROWS], report.depths, strict=False)
    ]
    heads = [*numbers("rank"), *texts("expression"), *numbers("depth", minor=True)]
    heads += [*numbers("pulls", f"mean {report.scale.unit}", "± 95 %"), *numbers("sd", "best", minor=True)]
    heads += numbers("failed", minor=True) if report.failed else []
    return Table(heads, rows, "Candidates by their rank in training")


def _decimals(report: Report) -> int:
    return max(report.training_decimals, report.scale.decimals)


def _scores(one: Ranked, scale: Scale, decimals: int) -> list[str]:
    """Mean, half of the 95 % interval, standard deviation, best."""
    deviation = one.stderr * math.sqrt(one.pulls)
    values = (scale.of(one.mean), scale.width(one.half_width), scale.width(deviation), scale.of(one.best))
    return [fixed(value, decimals) for value in values]


def candidates_data(report: Report) -> tuple[str, int]:
    """The full ranking for the script, as JSON that may stand in HTML, and how many candidates it holds."""
    scale, size, decimals = report.scale, 0, _decimals(report)
    lines: list[str] = []
    for one, depth in zip(report.ranking, report.depths, strict=True):
        scores = [None if text == MISSING else float(text) for text in _scores(one, scale, decimals)]
        row = [_abbreviated(one.expression_text), depth, one.pulls, *scores, *([one.failed] if report.failed else [])]
        line = json.dumps(row, separators=(",", ":"), ensure_ascii=True)
        size += len(line) + 2
        if size > MOST_DATA and lines:
            break
        lines.append(line)
    rows = ",\n".join(lines)
    settings = {
        "decimals": decimals,
        "first": FIRST_ROWS,
        "bestIsLow": scale.less_is_better,
        "abbreviations": ABBREVIATIONS,
    }
    text = f'{json.dumps(settings, separators=(",", ":"))[:-1]},"rows":[\n{rows}\n]}}'
    return text.replace("<", "\\u003c").replace("&", "\\u0026"), len(lines)


def _abbreviated(text: str) -> str:
    for sign, word in ABBREVIATIONS.items():
        text = text.replace(word, sign)
    return text

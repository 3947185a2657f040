"""The sections of the page that the journal alone fills: components, spending, all candidates."""

import json
import math

from discovery.campaign.ranking import Ranked
from discovery.numbers import (
    MISSING,
    Scale,
    decimals_for,
    decimals_of_largest,
    fixed,
    grouped,
    percent,
    plural,
    signed,
)
from discovery.report.charts import boxes
from discovery.report.components import Group, Structure
from discovery.report.markup import PageSection, about, code, details, e, figure, number, scrolling, table
from discovery.report.report import Report
from discovery.report.script import SCRIPT
from discovery.report.spending import Spending
from discovery.report.spending_charts import heat, shares
from discovery.report.tables import common_about

FIRST_ROWS = 50
"""Of the full ranking, shown at first and without the script."""
MOST_DATA = 1_500_000
"""Characters of the full ranking; what is more is left to --csv."""
ABBREVIATIONS = {"!": "lookahead(", "@": "repeat(", "$": "select(", "%": "step("}
"""In the data; these signs have no part in the language."""
SHOWN_GROUPS = 12
MOST_GROUPS = 240
FEW_PROBLEMS = 10


def components(report: Report) -> PageSection:
    title, structure = "Which components help, and where", report.structure
    if structure is None:
        return "components", title, ""
    scale = report.scale
    caution = ""
    if structure.common_problems < FEW_PROBLEMS:
        caution = " These are few: differences are worth something only where many candidates share them."
    parts = [about(f"Candidates are compared by their means {e(common_about(structure))}.{caution}")]
    if structure.effects:
        parts += [
            "<h3>What adding a component does</h3>",
            about(
                f"The mean change in {e(scale.unit)} ({scale.direction}) and how often it helps, over all pairs of "
                "candidates of which one has the component at this level and the other is the same without it. "
                "Level 1 is the outermost. Blue helps, orange harms."
            ),
            _effect_table(report, structure),
        ]
    parts += [_boxes(report, structure), "<h3>By structure</h3>", _structure_table(report, structure)]
    parts.append(details("By component and level, and by constant", _component_tables(report, structure)))
    return "components", title, "\n".join(parts)


def _effect_table(report: Report, structure: Structure) -> str:
    scale, effects = report.scale, structure.effects
    levels = sorted({level for _, level in effects})
    largest = max(abs(effect.mean) for effect in effects.values()) or 1.0
    decimals = decimals_of_largest(scale.per_reward * effect.mean for effect in effects.values())
    rows = []
    for name in [name for name in structure.components if any((name, level) in effects for level in levels)]:
        cells: list[str] = []
        for level in levels:
            effect = effects.get((name, level))
            if effect is None:
                cells.append(f'<td class="effect">{MISSING}</td>')
                continue
            colour = "good" if effect.mean > 0 else "bad"
            alpha = 0.45 * abs(effect.mean) / largest
            change = number(signed(scale.per_reward * effect.mean, decimals))
            cells.append(
                f'<td class="effect" style="background:rgba(var(--{colour}),{alpha:.2f})">{change}'
                f'<small><span class="aux-inline">helps </span>{percent(effect.helps)}'
                f'<span class="aux-inline"> of {grouped(effect.pairs)}</span></small></td>'
            )
        rows.append(f'<tr><th scope="row">{code(name)}</th>{"".join(cells)}</tr>')
    heads = "".join(f'<th scope="col" class="n">level {level}</th>' for level in levels)
    caption = f"Mean change in {scale.unit} by component and level"
    return scrolling(caption, f'<th scope="col">component</th>{heads}', "".join(rows))


def _boxes(report: Report, structure: Structure) -> str:
    scale, common, parts = report.scale, structure.common_problems, []
    if len(structure.by_outermost) > 1:
        chart = boxes("outermost", "Scores by outermost component", structure.by_outermost, scale, common)
        caption = "The box is the middle half of the candidates, the line 90 % of them, the mark their median."
        parts += ["<h3>By outermost component</h3>", figure(chart, caption)]
    if len(structure.by_depth) > 1:
        chart = boxes("depths", "Scores by depth", structure.by_depth, scale, common)
        parts += ["<h3>By depth</h3>", figure(chart, "Depth is the number of components.")]
    return "\n".join(parts)


def _structure_table(report: Report, structure: Structure) -> str:
    """The first ones, the others behind a click."""
    caption = "Expressions without their constants, by the rank of the best that has the structure"
    groups = structure.by_structure[:MOST_GROUPS]
    rows = [[code(group.label), *_group_cells(report, group)] for group in groups]
    if len(rows) <= SHOWN_GROUPS:
        return _group_table(report, structure, caption, "structure", rows)
    first = f"{caption}: the first {SHOWN_GROUPS} of {len(structure.by_structure)}"
    others = _group_table(report, structure, f"{caption}: the others", "structure", rows[SHOWN_GROUPS:])
    shown = _group_table(report, structure, first, "structure", rows[:SHOWN_GROUPS])
    return shown + details(f"{len(rows) - SHOWN_GROUPS} more", others)


def _component_tables(report: Report, structure: Structure) -> str:
    by_component = [
        [e(f"{name} at level {level}"), *_group_cells(report, structure.by_component[name, level])]
        for name in structure.components
        for level in structure.levels
        if (name, level) in structure.by_component
    ]
    tables = _group_table(report, structure, "Candidates with a component at a level", "component", by_component)
    if structure.by_constant:
        by_constant = [[e(group.label), *_group_cells(report, group)] for group in structure.by_constant]
        tables += _group_table(report, structure, "Candidates with a constant", "constant", by_constant)
    return tables


def _group_table(report: Report, structure: Structure, caption: str, what: str, rows: list[list[str]]) -> str:
    heads = [(what, ""), ("best rank", "n"), ("its best", "aux"), ("candidates", "n")]
    heads += [(f"in the top {structure.top}", "n aux"), (f"mean {report.scale.unit}", "n")]
    return table(caption, heads, [("", row) for row in rows])


def _group_cells(report: Report, group: Group) -> list[str]:
    scale = report.scale
    decimals = decimals_for([abs(scale.per_reward) / 100])
    return [
        grouped(group.best_rank),
        code(group.best_expression),
        grouped(group.candidates),
        f"{grouped(group.in_top)} ({percent(group.in_top / group.candidates)})",
        number(fixed(scale.of(group.mean), decimals)),
    ]


def spending(report: Report) -> PageSection:
    title, spent = "How the bandit spent its pulls", report.spending
    if spent is None:
        return "spending", title, ""
    text = f"By {e(report.settings.policy)}: {spent.spread}."
    if spent.untried:
        text += f" {plural(spent.untried, 'candidate')} never had a pull."
    body = [about(text), "<h3>Over the final ranking</h3>", figure(shares(spent))]
    body += ["<h3>On the leaders</h3>", figure(heat(spent)), details("Totals", _spending_table(spent))]
    return "spending", title, "\n".join(body)


def _spending_table(spent: Spending) -> str:
    rows = [
        ("", [str(i), code(one.label), grouped(one.total), f"{one.total:,}"]) for i, one in enumerate(spent.leaders, 1)
    ]
    rows += [
        ("", ["", e(group.label), grouped(group.total), f"{group.total / group.candidates:,.1f}"])
        for group in spent.groups
    ]
    return table("Pulls by candidate", [("rank", "n"), ("candidates", ""), ("pulls", "n"), ("each", "n")], rows, 1)


def candidates(report: Report) -> PageSection:
    title = "All candidates"
    if not report.ranking:
        return "ranking", title, ""
    scale, first = report.scale, report.ranking[:FIRST_ROWS]
    decimals = decimals_for(scale.width(one.stderr) for one in report.leaders)
    decimals = max(decimals, decimals_for([abs(scale.per_reward) / 100]))
    heads = [("rank", "n"), ("expression", ""), ("depth", "n aux"), ("pulls", "n"), (f"mean {scale.unit}", "n")]
    heads += [("± 95 %", "n"), ("sd", "n aux"), ("best", "n aux"), *([("failed", "n aux")] if report.failed else [])]
    rows = []
    for one, depth in zip(first, report.depths, strict=False):
        numbers = map(number, _scores(one, scale, decimals))
        cells = [grouped(one.rank), code(one.expression_text), str(depth), grouped(one.pulls), *numbers]
        rows.append(("", cells + ([grouped(one.failed)] if report.failed else [])))
    data, held = _data(report, decimals)
    text = f"What training says: {e(scale.unit)}, {scale.direction}. "
    if report.settings.policy == "halving":
        text += "Halving ranks by the round a candidate reached, then by its mean: "
        text += "one that was dropped early has met fewer problems. "
    if held < len(report.ranking):
        text += f"Here are the best {grouped(held)} of {grouped(len(report.ranking))}; --csv writes all. "
    caption = "Candidates by their rank in training"
    if held > len(first):
        text += f"<noscript>Without JavaScript the first {len(first)} are shown.</noscript>"
    shown = table(caption, heads, rows, 1).replace("<table>", '<table id="candidates">', 1)
    body = f"""{about(text)}
{_filters(report)}
<p class="count" id="count" role="status">{grouped(len(first))} of {grouped(len(report.ranking))} candidates</p>
{shown}
<p><button type="button" class="more" id="more" hidden>Show more</button></p>
<script type="application/json" id="candidates-data">{data}</script>
<script>{SCRIPT}</script>"""
    return "ranking", title, body


def _scores(one: Ranked, scale: Scale, decimals: int) -> list[str]:
    """Mean, half of the 95 % interval, standard deviation, best."""
    deviation = one.stderr * math.sqrt(one.pulls)
    values = (scale.of(one.mean), scale.width(one.half_width), scale.width(deviation), scale.of(one.best))
    return [fixed(value, decimals) for value in values]


def _filters(report: Report) -> str:
    names = report.structure.components if report.structure else []
    levels = report.structure.levels if report.structure else []
    options = "".join(f'<option value="{e(name)}">{e(name)}</option>' for name in names)
    depths = "".join(f'<option value="{level}">level {level}</option>' for level in levels)
    return f"""<form class="filters" id="filters" role="search" aria-label="Candidates" hidden>
<div class="wide-field"><label for="filter-text">Expression contains</label>
<input id="filter-text" name="text" type="search" autocomplete="off" spellcheck="false"
placeholder="repeat(sim, 2)"></div>
<div><label for="filter-component">With component</label>
<select id="filter-component" name="component"><option value="">any</option>{options}</select></div>
<div><label for="filter-level">at</label>
<select id="filter-level" name="level"><option value="0">any level</option>{depths}</select></div>
<div><button type="reset">Reset</button></div>
</form>"""


def _data(report: Report, decimals: int) -> tuple[str, int]:
    """The full ranking for the script, as JSON that may stand in HTML, and how many candidates it holds."""
    scale, size = report.scale, 0
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

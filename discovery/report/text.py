"""A report as text: for a terminal, Markdown, CSV and JSON."""

import json
import math
import textwrap
from dataclasses import asdict
from typing import Any

from discovery.documents import finite
from discovery.markdown import fenced, plain, sentence
from discovery.report.report import Report
from discovery.report.tables import sections
from discovery.tables import csv_text
from mcsgrammar.wording import printable_lines


def as_text(report: Report, width: int | None = None) -> str:
    """For a terminal; its sentences in lines no wider than `width`."""
    lines = [*_folded(report.title, width), *_folded(report.state, width), ""]
    for one in report.findings:
        lines += _folded(one.replace("`", ""), width)
    for section in sections(report):
        lines += ["", section.title, *(_folded(section.about, width) if section.about else [])]
        lines += section.table.as_text()
    return printable_lines("\n".join(line.rstrip() for line in lines) + "\n")


def as_markdown(report: Report) -> str:
    lines = [f"# {plain(report.title)}", "", f"{plain(report.state)}.", ""]
    lines += [f"- {sentence(one)}" for one in report.findings]
    for section in sections(report):
        lines += ["", f"## {section.title}", ""]
        if section.about:
            lines += [sentence(section.about), ""]
        lines += section.table.as_markdown()
    for drawing in report.drawings[:1]:
        score = f"{drawing.score:.6g} {drawing.unit}"
        lines += ["", "## The best solution", ""]
        lines += [f"{drawing.label} on test problem {drawing.problem}: {plain(score)}", ""]
        lines += [fenced(drawing.text)]
    lines += ["", "## How to repeat it", ""]
    for what, command in report.commands:
        lines += [f"{what}:", "", fenced(command), ""]
    return printable_lines("\n".join(lines).rstrip("\n") + "\n")


def as_csv(report: Report) -> str:
    """One line for each candidate that was tried, the best first; what is missing is empty."""
    return printable_lines(csv_text(candidates(report), _candidate_columns()))


def as_json_text(report: Report) -> str:
    return json.dumps(finite(document(report)), ensure_ascii=True, allow_nan=False) + "\n"


def document(report: Report) -> dict[str, Any]:
    structure, spent, test, curves = report.structure, report.spending, report.test, report.curves
    return {
        "domain": report.settings.canonical_domain,
        "budget": report.settings.budget,
        "seconds": report.settings.seconds,
        "complete": report.complete,
        "pulls": report.pulls_done,
        "pulls_in_all": report.settings.pulls,
        "failed": report.failed,
        "findings": report.findings,
        "unit": report.scale.unit,
        "less_is_better": report.scale.less_is_better,
        "ranking": candidates(report),
        "test": None if test is None else asdict(test),
        "curves": None if curves is None else asdict(curves),
        "structure": structure
        and {
            "common_problems": structure.common_problems,
            "top": structure.top,
            "effects": [asdict(effect) for effect in structure.effects.values()],
            "components": [{"level": key[1], **asdict(group)} for key, group in structure.by_component.items()],
            "outermost": [asdict(group) for group in structure.by_outermost],
            "depths": [asdict(group) for group in structure.by_depth],
            "constants": [asdict(group) for group in structure.by_constant],
            "structures": [asdict(group) for group in structure.by_structure],
        },
        "spending": None if spent is None else asdict(spent),
        "speed": None if report.speed is None else asdict(report.speed),
        "settings": asdict(report.settings),
        "commands": [{"what": what, "command": command} for what, command in report.commands],
    }


def candidates(report: Report) -> list[dict[str, Any]]:
    """One record for each candidate that was tried. `mean`, `sd`, `stderr` and `best` are rewards; `score` is the mean
    in the domain's unit, the test columns are in that unit too."""
    scale, records = report.scale, []
    tested = {one.rank: row for row in (report.test.rows if report.test else ()) if (one := report.trained(row))}
    for one, depth in zip(report.ranking, report.depths, strict=True):
        row = tested.get(one.rank)
        stderr = one.stderr if math.isfinite(one.stderr) else None
        low, high = (row and row.ci95) or (None, None)
        values = (
            *(one.rank, one.expression_text, depth, one.pulls, one.mean),
            *(None if stderr is None else stderr * math.sqrt(one.pulls), stderr, one.best, one.failed),
            *(scale.unit, scale.of(one.mean), None if stderr is None else scale.width(stderr)),
            *(row and row.mean, row and row.stderr, low, high, row and row.rank, row and row.p_holm),
        )
        records.append(dict(zip(_candidate_columns(), map(finite, values), strict=True)))
    return records


def _candidate_columns() -> tuple[str, ...]:
    return (
        *("rank", "expression", "depth", "pulls", "mean", "sd", "stderr", "best", "failed"),
        *("unit", "score", "score_stderr"),
        *("test_score", "test_stderr", "test_ci95_low", "test_ci95_high", "test_rank", "test_p_holm"),
    )


def _folded(sentence: str, width: int | None) -> list[str]:
    if width is None:
        return [sentence]
    return textwrap.wrap(sentence, max(20, width), break_long_words=False, break_on_hyphens=False)

"""A quick look whether the published tables come out, without a work folder: `python -m experiments check`."""

import statistics
from collections.abc import Iterator

from discovery.evaluation.evaluating import OnProgress, evaluate
from experiments.columns import Column
from experiments.markdown import signed, table_lines, thousands
from experiments.published import LIMIT, PUBLISHED_RUNS, Published, Sample, published, verdict
from mcsgrammar.engines.searching import SemanticsName
from mcsgrammar.language.parsing import parse

PROBLEMS = {"sudoku4": 1_500, "T11": 800, "5T": 300}
"""Enough to see a mistake, in minutes."""


def samples(
    column: Column,
    expressions: list[str],
    semantics: SemanticsName,
    problems: int,
    jobs: int | None = 1,
    on_progress: OnProgress | None = None,
) -> dict[str, Sample]:
    """The scores of each expression on test problems 0, 1, 2, …"""
    measured = evaluate(
        column.domain,
        expressions,
        budgets=column.budget,
        problems=problems,
        semantics=semantics,
        jobs=jobs,
        on_progress=on_progress,
    )
    return {
        text: Sample(problems, float(scores.mean()), statistics.stdev(scores.tolist()))
        for text, scores in zip(expressions, measured.settings[0].scores, strict=True)
    }


def check(
    column: Column, semantics: SemanticsName, problems: int, jobs: int, on_progress: OnProgress | None = None
) -> tuple[str, bool]:
    """The main column of a table in Markdown beside the paper's; whether all its rows are as expected."""
    rows = [row for row in published(column.table) if row.column == column.title]
    texts = list(dict.fromkeys(_canonical(row.expression) for row in rows if row.expression))
    found = samples(column, texts, semantics, problems, jobs, on_progress)
    lines = [
        f"### Table {column.table}: {column.domain}, B = {thousands(column.budget)}, {semantics} ({column.unit}; "
        f"{thousands(problems)} problems)",
        "",
    ]
    as_expected = True
    body = []
    for row in rows:
        if not row.expression:
            body.append([row.name, "", f"{row.value:g}", "", f"not run; {row.note}"])
            continue
        sample = found[_canonical(row.expression)]
        said = verdict(row, sample, column.last_digit, semantics)
        as_expected &= said.expected
        body.append(list(_line(row, sample, column, said.text)))
    lines += table_lines(["algorithm", "ours ± 95 %", "paper", "apart, in standard errors", ""], body)
    lines += ["", EXPLANATION, ""]
    return "\n".join(lines), as_expected


def _line(row: Published, sample: Sample, column: Column, said: str) -> Iterator[str]:
    yield row.name if row.expression == row.name else f"{row.name} `{row.expression}`"
    yield f"{column.number(sample.mean, 1)} ± {column.number(1.96 * sample.standard_error, 1)}"
    yield column.number(row.value)
    yield signed(sample.apart(row.value, column.last_digit))
    yield f"{said}; {row.note}" if row.note else said


def _canonical(text: str) -> str:
    return str(parse(text))


EXPLANATION = (
    f"A row differs from {LIMIT:g} standard errors of the difference on; these take in our sampling error, that of "
    f"{thousands(PUBLISHED_RUNS)} published runs with our standard deviation (none is published), and the rounding of "
    "the published value. About one row in 370 does so by chance."
)

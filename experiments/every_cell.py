"""Every published score of tables II, IV, VIII and IX beside ours, and why those that differ do.

Why a cell differs is said by a measurement, the first of these that speaks of it:
    program   by the rules of the paper's program, `maes2013`, it agrees
    known     another value comes out in runs of this program and of one written before it (`published.csv`)
    budget    it lies where ours is with fewer or more evaluations, as many as suit the whole column best, by a line
              through the logarithms of two budgets
    few runs  the printed values of the column scatter about ours as means of so many runs would, and it is one of them
    time      a budget in CPU time buys what a program makes of it
"""

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from discovery.numbers import plural
from experiments.columns import COLUMNS, TABLES, Column, columns_of
from experiments.fields import run_as, run_by
from experiments.markdown import signed, table_lines, thousands
from experiments.published import LIMIT, PUBLISHED_RUNS, Published, Sample, published
from experiments.stored import Stored

Row = dict[str, str]

LESS = {"T11-B1e5": "T11", "5T-B1e5": "5T"}
"""Columns that differ from another by their budget alone."""
FEW_RUNS = 1_000
"""A tenth of those that the paper speaks of."""
FEWEST_RUNS = 50
"""Nobody prints means of fewer: a column that scatters more is not explained by that."""
FEWEST_CELLS = 5
"""that differ, for a column to be said to scatter"""


@dataclass(frozen=True)
class Beside:
    """A published score, and ours by each of the rules."""

    row: Published
    column: Column
    standard: Sample | None
    program: Sample | None

    def apart(self, sample: Sample) -> float:
        return sample.apart(self.row.value, self.column.last_digit)

    @property
    def agrees(self) -> bool:
        return self.standard is not None and abs(self.apart(self.standard)) < LIMIT

    @property
    def agrees_with_the_program(self) -> bool:
        return self.program is not None and abs(self.apart(self.program)) < LIMIT

    @property
    def nearer(self) -> Sample:
        """Ours by the rules of the paper's program where these matter."""
        sample = self.program or self.standard
        assert sample is not None
        return sample


def beside_ours(column: Column, stored: Stored) -> list[Beside]:
    """All published cells of a column."""
    found = []
    for row in published(column.table):
        if row.column == column.title:
            samples = [_sample(column, row, rules, stored) for rules in ("standard", "maes2013")]
            found.append(Beside(row, column, *samples))
    return found


def _sample(column: Column, row: Published, rules: str, stored: Stored) -> Sample | None:
    if not row.expression:
        return None
    expression = run_as(row.expression, column)
    if rules != "standard" and run_by(expression, "maes2013", column) == "standard":
        return None
    measured = stored.measured.get((column.key, rules, expression))
    return None if measured is None else measured.sample


@dataclass(frozen=True)
class Scatter:
    """How the printed values of a column lie about ours."""

    offset: float
    """the median of printed less ours"""
    spread: float
    """a robust standard deviation about it"""
    runs: int
    """means over so many runs would scatter like that"""


def scatter(cells: Sequence[Beside]) -> Scatter | None:
    """None where the printed values lie about ours as means of more than FEW_RUNS runs do."""
    measured = [cell for cell in cells if cell.standard is not None]
    if sum(not (cell.agrees or cell.agrees_with_the_program) for cell in measured) < FEWEST_CELLS:
        return None
    differences = [cell.row.value - cell.nearer.mean for cell in measured]
    offset = statistics.median(differences)
    spread = 1.4826 * statistics.median(abs(difference - offset) for difference in differences)
    deviation = statistics.median(cell.nearer.deviation for cell in measured)
    own = statistics.median(cell.nearer.standard_error for cell in measured)
    rounding = cells[0].column.last_digit / math.sqrt(12)
    left = spread**2 - own**2 - rounding**2
    runs = deviation**2 / left if left > 0 else math.inf
    return Scatter(offset, spread, round(runs)) if FEWEST_RUNS <= runs < FEW_RUNS else None


@dataclass(frozen=True)
class OtherBudget:
    """The evaluations with which ours would be the printed values of a column, as if it were another's."""

    share: float
    """of the way from a tenth of the column's budget to all of it, in logarithms"""
    evaluations: int
    """to two digits"""

    def shift(self, with_less: Sample, with_all: Sample) -> float:
        """What ours would lose or gain with so many."""
        return (self.share - 1) * (with_all.mean - with_less.mean)


def other_budget(cells: Sequence[Beside], with_less: Mapping[str, Sample]) -> OtherBudget | None:
    """That of the middle one of those that differ; None where few do."""
    shares = [
        (cell.row.value - less.mean) / (cell.nearer.mean - less.mean)
        for cell in cells
        if cell.standard is not None
        and not (cell.agrees or cell.agrees_with_the_program)
        and (less := with_less.get(cell.row.name)) is not None
    ]
    if len(shares) < FEWEST_CELLS:
        return None
    share = statistics.median(shares)
    return OtherBudget(share, int(float(f"{cells[0].column.budget / 10 * 10**share:.1e}")))


def why(cell: Beside, less: Sample | None, other: OtherBudget | None, scattered: Scatter | None) -> str:
    """A sentence about a cell that differs; empty for one that agrees."""
    if cell.standard is None:
        return f"not run: {cell.row.note}"
    if cell.agrees:
        return ""
    column, value = cell.column, cell.row.value
    if cell.agrees_with_the_program:
        return "program: it agrees by the rules of the paper's program"
    known = cell.row.known.get("standard")
    if known is not None and abs(cell.standard.apart(known, column.last_digit)) < LIMIT:
        note = f"; {cell.row.note}" if cell.row.note else ""
        return f"known: {column.number(known)} comes out in all our programs{note}"
    if column.by_time:
        return "time: what a second buys is a matter of the program"
    if less is not None and other is not None:
        moved = cell.nearer.apart(value - other.shift(less, cell.nearer), column.last_digit)
        if abs(moved) < LIMIT:
            return (
                f"budget: ours is there with about {thousands(other.evaluations)} evaluations, as suits the column best"
            )
    if scattered is not None and abs(value - cell.nearer.mean - scattered.offset) < LIMIT * scattered.spread:
        return f"few runs: the column scatters as means of about {plural(scattered.runs, 'run')} would"
    return "not explained"


def rows_of(stored: Stored) -> list[Row]:
    rows = []
    for column in (column for table in TABLES for column in columns_of(table)):
        cells = beside_ours(column, stored)
        other = COLUMNS[LESS[column.key]] if column.key in LESS else None
        with_less = {c.row.name: c.nearer for c in beside_ours(other, stored) if c.standard} if other else {}
        scattered, suits = scatter(cells), other_budget(cells, with_less)
        for cell in cells:
            rows.append(
                {
                    "table": column.table,
                    "column": column.key,
                    "algorithm": cell.row.name,
                    "expression": cell.row.expression,
                    "printed": column.number(cell.row.value),
                    **_written("", cell, cell.standard),
                    **_written("program_", cell, cell.program),
                    "why": why(cell, with_less.get(cell.row.name), suits, scattered),
                }
            )
    return rows


def _written(prefix: str, cell: Beside, sample: Sample | None) -> Row:
    if sample is None:
        return dict.fromkeys((f"{prefix}n", f"{prefix}mean", f"{prefix}stderr", f"{prefix}apart"), "")
    number = cell.column.number
    return {
        f"{prefix}n": str(sample.n),
        f"{prefix}mean": number(sample.mean, 1),
        f"{prefix}stderr": number(sample.standard_error, 1),
        f"{prefix}apart": signed(cell.apart(sample)),
    }


def to_markdown(rows: Sequence[Row]) -> str:
    columns = list(dict.fromkeys(row["column"] for row in rows))
    lines = [
        "# Every published score beside ours",
        "",
        "Scores are means ± standard errors; *apart* is ours less the printed value in standard errors of the "
        f"difference (ours, theirs for {thousands(PUBLISHED_RUNS)} runs, and the rounding), and {LIMIT:g} of them "
        "count as a difference. *By the program*: by the rules `maes2013`, where they matter. Tables III and V are "
        "counts: [III](III.md), [V](V.md).",
        "",
        *table_lines(["column", "cells", "agree", "only by the program", *REASONS, "not explained"], _summary(rows)),
        "",
    ]
    for key in columns:
        column, of_it = COLUMNS[key], [row for row in rows if row["column"] == key]
        lines += [f"## Table {column.table}: {column.title} ({column.unit})", ""]
        lines += table_lines(
            ["algorithm", "printed", "ours", "apart", "by the program", "apart", "why"], list(_lines(of_it))
        )
        lines.append("")
    return "\n".join(lines)


REASONS = ("known", "budget", "few runs", "time")


def _summary(rows: Sequence[Row]) -> list[list[str]]:
    found = []
    for key in dict.fromkeys(row["column"] for row in rows):
        of_it = [row for row in rows if row["column"] == key and row["n"]]
        reasons = [row["why"].partition(":")[0] for row in of_it]
        counts = [reasons.count(reason) for reason in ("", "program", *REASONS, "not explained")]
        column = COLUMNS[key]
        found.append([f"{column.table}, {column.title}", str(len(of_it)), *(str(n) if n else "" for n in counts)])
    return found


def _lines(rows: Sequence[Row]) -> Iterator[list[str]]:
    for row in rows:
        name = row["algorithm"]
        text = name if row["expression"] in (name, "") else f"{name} `{row['expression']}`"
        ours, program = (
            f"{row[p + 'mean']} ± {row[p + 'stderr']}" if row[p + "mean"] else "" for p in ("", "program_")
        )
        yield [text, row["printed"], ours, row["apart"], program, row["program_apart"], row["why"]]

"""Tables II, IV, VIII and IX: scores of algorithms in the columns of a table, beside the published ones.

A table is first a list of `Cell`s, which its CSV holds one a line, and then Markdown, made from that list alone.
"""

import csv
import io
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from discovery.statistics import SIGNIFICANT
from experiments.columns import Column, columns_of
from experiments.fields import Entry, field_of
from experiments.files import csv_text
from experiments.markdown import duration, signed, table_lines, thousands
from experiments.published import LIMIT, Published, Sample, published, verdict
from experiments.stored import Stored
from mcsgrammar.engines.searching import SemanticsName


@dataclass(frozen=True)
class Cell:
    """One algorithm, under one of its names, in one column. Empty texts and NaN are what there is not."""

    table: str
    column: str
    semantics: str
    kind: str
    name: str
    expression: str
    run_as: str
    run_by: str
    """the rules: by those of the paper's program an algorithm without a `select` is the same, and was not run again"""
    n: int
    mean: float
    sd: float
    stderr: float
    published: float
    apart: float
    """the difference from the published value in standard errors"""
    verdict: str
    star: bool
    """better than the best generic algorithm by the unpaired t-test: the paper's star"""
    best_generic: str
    paired_difference: float
    paired_stderr: float
    cpu_seconds_per_run: float
    note: str

    @property
    def sample(self) -> Sample:
        return Sample(self.n, self.mean, self.sd)


def cells_of(table: str, semantics: SemanticsName, stored: Stored) -> list[Cell]:
    """What is measured of a table, and the published rows that cannot be run."""
    found, cells = stored.winners(), []
    for column in columns_of(table):
        if semantics not in column.rules:
            continue
        rows = {row.name: row for row in published(table) if row.column == column.title}
        for entry in field_of(column, found, wide=False):
            row = rows.get(entry.name) if entry.kind in ("generic", "paper") else None
            cell = _cell(column, semantics, entry, row, stored)
            if cell is not None:
                cells.append(cell)
        cells += [_unknown(column, semantics, row) for row in rows.values() if not row.expression]
    return cells


def _cell(column: Column, semantics: SemanticsName, entry: Entry, row: Published | None, stored: Stored) -> Cell | None:
    measured = stored.measured.get((column.key, semantics, entry.run_as))
    if measured is None:
        return None
    sample = measured.sample
    best = stored.measured.get((column.key, semantics, measured.best_generic))
    return Cell(
        column.table,
        column.title,
        semantics,
        entry.kind,
        entry.name,
        entry.text,
        entry.run_as,
        measured.run_by,
        sample.n,
        sample.mean,
        sample.deviation,
        sample.standard_error,
        row.value if row else math.nan,
        sample.apart(row.value, column.last_digit) if row else math.nan,
        verdict(row, sample, column.last_digit, semantics).text if row else "",
        entry.kind != "generic" and best is not None and _star(sample, best.sample, column.less_is_better),
        measured.best_generic,
        measured.paired_difference,
        measured.paired_stderr,
        measured.cpu_seconds_per_run,
        row.note if row else "",
    )


def _unknown(column: Column, semantics: SemanticsName, row: Published) -> Cell:
    none = math.nan
    why = f"not run: {row.note}"
    return Cell(
        column.table, column.title, semantics, "paper", row.name, "", "", "", 0, none, none, none, row.value, none, why,
        False, "", none, none, none, row.note,
    )  # fmt: skip


def _star(sample: Sample, best: Sample, less_is_better: bool) -> bool:
    better = sample.mean < best.mean if less_is_better else sample.mean > best.mean
    if not better:
        return False
    return sample.p_beside(best) < SIGNIFICANT


def to_csv(cells: Iterable[Cell]) -> str:
    """The cells, one a line."""
    rows = ({name: _written(value) for name, value in asdict(cell).items()} for cell in cells)
    return csv_text([f.name for f in fields(Cell)], rows)


def _written(value: object) -> object:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.6g}"
    return value


def from_csv(text: str) -> list[Cell]:
    """The cells that `to_csv` wrote, to six digits."""
    kinds = {f.name: f.type for f in fields(Cell)}
    return [
        Cell(**{name: _read(kinds[name], value) for name, value in row.items()})
        for row in csv.DictReader(io.StringIO(text))
    ]


def _read(kind: Any, value: str) -> Any:
    if kind is float:
        return float(value or "nan")
    return value == "True" if kind is bool else kind(value)


TITLES = {
    "II": "Sudoku, B = 1 000",
    "IV": "Sudoku(4) with a budget in CPU time",
    "VIII": "symbolic regression",
    "IX": "Morpion Solitaire",
}


def to_markdown(table: str, semantics: SemanticsName, cells: Sequence[Cell]) -> str:
    """A table for people."""
    columns = [column for column in columns_of(table) if any(cell.column == column.title for cell in cells)]
    main = columns[0]
    lines = [f"# Table {table}: {TITLES[table]}" + ("" if semantics == "standard" else f", rules `{semantics}`"), ""]
    lines += _introduction(columns, semantics, cells)
    lines += table_lines(*_grid(columns, cells))
    lines += ["", *_remarks(main, cells)]
    return "\n".join(lines) + "\n"


def _introduction(columns: Sequence[Column], semantics: SemanticsName, cells: Sequence[Cell]) -> list[str]:
    unit = columns[0].unit
    better = "less" if columns[0].less_is_better else "more"
    runs = "; ".join(f"{column.title}: {runs_text(column, cells)}" for column in columns)
    lines = [
        f"Mean {unit} ± standard error; {better} is better. Runs of each algorithm, one on each test problem: {runs}.",
        "`*`: better than the best generic algorithm of the column by the paper's unpaired t-test at p < 0.05. "
        "*paired*: the difference from the best generic algorithm on the same problems, ± its standard error. "
        "*apart*: our mean minus the published one, in standard errors of the difference "
        "(ours, theirs for 10 000 runs, and the rounding). `ucb1#n` and `halving#n`: rank n in our discovery.",
    ]
    if semantics == "maes2013":
        forced = "only, for no move of a formula is forced" if columns[0].problem == "regression" else "or a `step`"
        lines.append(
            f"The rules of the paper's program change algorithms with a `select` {forced}; the others are as in "
            f"{columns[0].table}."
        )
    if columns[0].by_time:
        lines.append(
            "A run has as much CPU time as 1 000 random playouts take, on our machine as on the paper's. What else "
            "costs time depends on the program, so the scores need not agree with the published ones. All algorithms "
            "took turns on the same machine; runs by the clock do not come out the same again."
        )
    lines.append(_origin(columns, cells))
    return ["\n\n".join(lines), ""]


def _origin(columns: Sequence[Column], cells: Sequence[Cell]) -> str:
    """How the table was made, and how long it took."""
    options = " ".join(f"--only {column.key}" for column in columns)
    own = {(cell.column, cell.run_as): cell for cell in cells if cell.n and cell.run_by == cell.semantics}
    seconds = math.fsum(cell.n * cell.cpu_seconds_per_run for cell in own.values())  # the same in all Pythons
    return (
        f"Made by `python -m experiments tables {options}`, {duration(seconds)} of CPU inside the searches "
        "([machine](../machine.json)), then `summarise` and `render`."
    )


def runs_text(column: Column, cells: Sequence[Cell]) -> str:
    """How often each algorithm was run in a column, and how often it should be."""
    numbers = sorted({cell.n for cell in cells if cell.column == column.title and cell.n})
    text = " to ".join(dict.fromkeys(thousands(number) for number in (numbers[0], numbers[-1])))
    return text if numbers[0] >= column.problems else f"{text} (of {thousands(column.problems)} planned)"


def _grid(columns: Sequence[Column], cells: Sequence[Cell]) -> tuple[list[str], list[list[str]]]:
    main = columns[0]
    by_algorithm: dict[str, list[Cell]] = {}
    for cell in cells:
        if cell.column == main.title and cell.n:
            by_algorithm.setdefault(cell.run_as, []).append(cell)
    sign = 1 if main.less_is_better else -1
    order = sorted(by_algorithm.values(), key=lambda same: sign * same[0].mean)
    header = ["", "algorithm", "", main.title, "paper", "apart", "paired"]
    header += [column.title for column in columns[1:]]
    elsewhere = {(cell.column, cell.name, cell.kind): cell for cell in cells}
    rows = []
    for rank, same in enumerate(order, 1):
        with_value = [cell for cell in same if not math.isnan(cell.published)]
        row = [
            str(rank),
            ", ".join(_name(cell) for cell in same),
            "" if same[0].expression == same[0].name else f"`{same[0].expression}`",
            _score(same, main),
            " / ".join(dict.fromkeys(main.number(cell.published) for cell in with_value)),
            " / ".join(dict.fromkeys(signed(cell.apart) for cell in with_value)),
            paired_text(same[0], main),
        ]
        for column in columns[1:]:
            others = [elsewhere.get((column.title, cell.name, cell.kind)) for cell in same]
            row.append(_score([cell for cell in others if cell is not None], column))
        rows.append(row)
    return header, rows


def _name(cell: Cell) -> str:
    return f"paper's {cell.name}" if cell.kind == "paper" else cell.name


def _score(same: Sequence[Cell], column: Column) -> str:
    if not same:
        return ""
    cell = same[0]
    star = "*" if any(one.star for one in same) and all(one.kind != "generic" for one in same) else ""
    text = f"{column.number(cell.mean, 1)} ± {column.number(cell.stderr, 1)}"
    return f"{text}\\{star}" if star else text


def paired_text(cell: Cell, column: Column) -> str:
    """The difference from the best generic algorithm."""
    if cell.run_as == cell.best_generic:
        return "best generic"
    sign = "−" if cell.paired_difference < 0 else "+"
    return f"{sign}{column.number(abs(cell.paired_difference), 1)} ± {column.number(cell.paired_stderr, 1)}"


def _remarks(main: Column, cells: Sequence[Cell]) -> list[str]:
    cells = [cell for cell in cells if cell.column == main.title]
    beside = [cell for cell in cells if not math.isnan(cell.published) and cell.n]
    off = [cell for cell in beside if abs(cell.apart) >= LIMIT]
    beyond_two = sum(abs(cell.apart) >= 2 for cell in beside)
    lines = [
        f"## Beside the paper: {main.title}",
        "",
        f"[All columns, cell by cell](cells.md). {len(beside)} published cells could be run; "
        f"{len(beside) - len(off)} agree within {LIMIT:g} standard errors. "
        f"{beyond_two} are 2 or more apart, where chance alone would give about {0.0455 * len(beside):.1f}. All "
        "algorithms meet the same problems, so the cells of a column move together.",
        "",
    ]
    lines += ["Cells that do not agree:", ""] if off else ["There is no cell that does not agree.", ""]
    for cell in sorted(off, key=lambda cell: -abs(cell.apart)):
        expression = "" if cell.expression == cell.name else f" `{cell.expression}`"
        note = f"; {cell.note}" if cell.note else ""
        lines.append(
            f"- {_name(cell)}{expression}: ours {main.number(cell.mean, 1)} ± {main.number(cell.stderr, 1)}, published "
            f"{main.number(cell.published)}, {signed(cell.apart)} standard errors; "
            f"{cell.verdict.replace('**', '')}{note}"
        )
    others = [
        cell for cell in cells if not math.isnan(cell.published) and (not cell.n or (cell.note and cell not in off))
    ]
    if others:
        lines += ["", "Remarks:", ""]
        lines += [
            f"- {_name(cell)}: published {main.number(cell.published)}; {cell.note if cell.n else cell.verdict}"
            for cell in others
        ]
    return lines

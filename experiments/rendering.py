"""Every table and picture from what `summarise` has kept."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from experiments import every_cell, other_tables, pictures, score_tables
from experiments.columns import TABLES, columns_of
from experiments.files import csv_text, write
from experiments.other_tables import Row
from experiments.papers.rendering import NAME as PAPERS_PAGE
from experiments.papers.rendering import papers_text
from experiments.reading import reading
from experiments.stored import Stored, read_stored

OTHERS: dict[str, tuple[Callable[[Stored], list[Row]], Callable[[Sequence[Row]], str]]] = {
    "III": (other_tables.repeatability, other_tables.repeatability_text),
    "V": (other_tables.composition, other_tables.composition_text),
    "campaigns": (other_tables.costs, other_tables.costs_text),
    "everywhere": (other_tables.everywhere, other_tables.everywhere_text),
    "finding": (other_tables.finding, other_tables.finding_text),
    "cells": (every_cell.rows_of, every_cell.to_markdown),
}
"""Each as (lines of the stored results, Markdown of the lines)."""


def render(results: Path) -> list[Path]:
    """Write all of it: `tables/`, `pictures/`, `README.md` and `papers.md`; the files written."""
    stored = read_stored(results)
    written = []
    pages = [("README.md", reading(stored)), (PAPERS_PAGE, papers_text(results))]
    for name, text in [*table_files(stored), *pictures.all_of(stored), *pages]:
        path = results / name
        write(path, text)
        written.append(path)
    return written


def table_files(stored: Stored) -> Iterator[tuple[str, str]]:
    """The name and text of every table, as CSV and as Markdown."""
    for table in TABLES:
        for semantics in dict.fromkeys(rules for column in columns_of(table) for rules in column.rules):
            cells = score_tables.cells_of(table, semantics, stored)
            if any(cell.n for cell in cells):
                name = f"tables/{table}" if semantics == "standard" else f"tables/{table}-{semantics}"
                text = score_tables.to_csv(cells)
                yield f"{name}.csv", text
                yield f"{name}.md", markdown_of(f"{name}.csv", text)
    for other, (rows_of, _) in OTHERS.items():
        rows = rows_of(stored)
        if rows:
            text = csv_text(list(rows[0]), rows)
            yield f"tables/{other}.csv", text
            yield f"tables/{other}.md", markdown_of(f"tables/{other}.csv", text)


def markdown_of(name: str, text: str) -> str:
    """The Markdown of a table, from the name and the text of its CSV alone."""
    table, _, semantics = Path(name).stem.partition("-")
    if table in OTHERS:
        return OTHERS[table][1](list(csv.DictReader(io.StringIO(text))))
    return score_tables.to_markdown(table, semantics or "standard", score_tables.from_csv(text))  # type: ignore[arg-type]

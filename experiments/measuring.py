"""Which pieces there are to measure, and in which order."""

from collections.abc import Iterable
from pathlib import Path

from experiments.campaigns import seconds_of, winners
from experiments.columns import COLUMNS, Column
from experiments.fields import TOP, Winners, campaigns_of, field_of, run_by
from experiments.pieces import OnProgress, Piece, run_tasks, tasks_for
from mcsgrammar.engines.searching import SemanticsName

ROUNDS = (0.1, 0.4, 1.0)
"""Everything is measured on a tenth of the problems first, so that there are whole tables early on."""


def known_winners(work: Path) -> Winners:
    """The winners of all finished campaigns whose winners are measured."""
    names = dict.fromkeys(name for column in COLUMNS.values() for name in campaigns_of(column, wide=True))
    return winners(names, work, TOP)


def pieces_of(column: Column, semantics: SemanticsName, found: Winners, work: Path, wide: bool = True) -> list[Piece]:
    """The pieces that a column is made of, each once; under the rules of the paper's program some are those of the
    standard rules."""
    seconds = seconds_of(column.domain, column.budget, work) if column.by_time else None
    texts = dict.fromkeys(entry.run_as for entry in field_of(column, found, wide))
    return [Piece(column.key, run_by(text, semantics, column), text, seconds) for text in texts]


def measure_tables(
    work: Path, columns: Iterable[Column], problems: float, jobs: int, on_progress: OnProgress | None = None
) -> None:
    """Measure what is missing, on `problems` times the full number of problems. The winners of campaigns that are not
    finished are left out; the same command adds them later."""
    found, columns = known_winners(work), list(columns)
    for part in ROUNDS:
        wanted = {column.key: max(2, round(column.problems * problems * part)) for column in columns}
        for wide in (False, True):
            pieces = dict.fromkeys(
                piece
                for column in columns
                for semantics in column.rules
                for piece in pieces_of(column, semantics, found, work, wide and semantics == "standard")
            )
            run_tasks(tasks_for(list(pieces), work, wanted), work, jobs, on_progress)

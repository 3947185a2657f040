"""The pieces that the tables are made of, run and kept one after the other.

A piece holds the scores of one algorithm in one column under one set of rules, on the test problems 0, 1, 2, … n - 1,
and the CPU seconds of each run: an array [2, n] in WORK/tables/COLUMN/RULES/EXPRESSION.npy. Each run is the one that
`mcsgrammar evaluate` and `mcsgrammar solve --problem k` do, with the same seed. A piece grows by chunks; killed at any
time, all but the chunks under way is kept, and the same command goes on.
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from discovery.bandits.recording import npy_bytes
from discovery.evaluation.runs import Bench, Block, Plan
from discovery.pool.parallel import in_workers
from domains.errors import DomainError
from domains.problems import problem
from domains.protocol import Domain
from domains.registry import find_domain
from experiments.columns import COLUMNS
from experiments.files import write
from mcsgrammar.engines.searching import Limits, SemanticsName, choose_engine, engine_of

FOLDER = "tables"

OnProgress = Callable[[str], None]


@dataclass(frozen=True)
class Piece:
    """Which scores."""

    column: str
    semantics: SemanticsName
    expression: str
    """as it is run"""
    seconds: float | None = None
    """CPU time of a run, in a column by time"""

    def path(self, work: Path) -> Path:
        return work / FOLDER / self.column / self.semantics / f"{self.expression}.npy"

    def read(self, work: Path) -> np.ndarray:
        """[scores and CPU seconds, problem]"""
        path = self.path(work)
        return np.asarray(np.load(path)) if path.exists() else np.empty((2, 0))

    def append(self, work: Path, start: int, chunk: np.ndarray) -> None:
        """Add what was run from problem `start` on; nothing happens if the piece does not end there."""
        there = self.read(work)
        if there.shape[1] != start:
            return
        write(self.path(work), npy_bytes(np.concatenate([there, chunk], axis=1)))


@dataclass(frozen=True)
class Task:
    """One chunk of a piece."""

    piece: Piece
    problems: range


def tasks_for(pieces: list[Piece], work: Path, problems: dict[str, int]) -> list[Task]:
    """What is missing until every piece has as many problems as its column wants: piece by piece, but in a column by
    time all algorithms in turn, so that whatever else the machine does slows all of them alike."""
    tasks, in_turn = [], []
    for piece in pieces:
        there, wanted = piece.read(work).shape[1], problems[piece.column]
        column = COLUMNS[piece.column]
        own = [Task(piece, range(k, min(k + column.chunk, wanted))) for k in range(there, wanted, column.chunk)]
        if column.by_time:
            in_turn += own
        else:
            tasks += own
    return tasks + sorted(in_turn, key=lambda task: (task.piece.column, task.problems.start))


def run_tasks(tasks: list[Task], work: Path, jobs: int, on_progress: OnProgress | None = None) -> None:
    """Run the tasks and keep what comes, in their order."""
    for name in dict.fromkeys(task.piece.column for task in tasks):
        _compile(COLUMNS[name].domain)
    with closing(in_workers(scores_of, tasks, jobs)) as chunks:
        for done, (task, chunk) in enumerate(zip(tasks, chunks, strict=True), 1):
            task.piece.append(work, task.problems.start, chunk)
            if on_progress is not None:
                piece = task.piece
                on_progress(f"{done:,} of {len(tasks):,} tasks; {piece.column}, {piece.semantics}, {piece.expression}")


def scores_of(task: Task) -> np.ndarray:
    """[scores and CPU seconds, problem] of one task."""
    outcome = _bench(task.piece).measure(Block(range(1), task.problems))
    if outcome.failure is not None:
        raise DomainError(outcome.failure)
    return np.stack([outcome.scores[0, 0], outcome.seconds[0, 0]])


@lru_cache(maxsize=64)
def _bench(piece: Piece) -> Bench:
    column = COLUMNS[piece.column]
    domain = domain_of(column.domain)
    limits = Limits(column.budget) if piece.seconds is None else Limits(None, piece.seconds)
    plan = Plan((piece.expression,), (limits,), "test", 0, 0, piece.semantics, choose_engine(domain, "auto"))
    return Bench(domain, plan)


@lru_cache
def domain_of(text: str) -> Domain:
    return find_domain(text)


def _compile(domain: str) -> None:
    """So that the workers find the compiled machine in the cache."""
    found = domain_of(domain)
    engine = engine_of(found, "auto")
    engine.warm_up(engine.ready(problem(found, 0)))

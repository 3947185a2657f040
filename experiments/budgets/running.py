"""The runs behind results/budgets/, kept problem by problem.

WORK/budgets/PROBLEM/BUDGET/K.json holds score and CPU seconds of every expression on one test problem. Everything is
run a little first, small budgets before large ones, then more and more: stopped at any time, what is there are all
curves from fewer runs. The same command goes on; what has a new name is run in addition.

Each budget has runs of its own. But for `uct(C)` and NRPA with roots, which are told it, a short run is the beginning
of a long one, so the scores of one long run would do for all smaller budgets; their CPU time would not be known.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from discovery.evaluation.evaluating import less_is_better
from discovery.evaluation.runs import Bench, Block
from domains.errors import DomainError
from experiments.budgets.curves import BUDGETS, FIRST_PROBLEM, PROBLEMS, BudgetProblem, Contestant, Size, contestants
from experiments.files import write_json
from experiments.learning.running import bench_of
from experiments.pieces import domain_of
from mcsgrammar.engines.searching import Limits

FOLDER = "budgets"
SHARES = (0.1, 0.25, 0.6, 1.0)
KEEP_AFTER = 2.0
"""CPU seconds: what a kill loses at most, but for one run."""

Show = Callable[[str], None]
Kept = dict[str, list[float]]
"""[score, CPU seconds] by expression"""


@dataclass(frozen=True)
class Trial:
    """One test problem within one budget, for all contestants."""

    problem: BudgetProblem
    budget: int
    k: int

    def path(self, work: Path) -> Path:
        return work / FOLDER / self.problem.key / str(self.budget) / f"{self.k:04}.json"

    def kept(self, work: Path) -> Kept:
        path = self.path(work)
        kept: Kept = json.loads(path.read_text("utf-8")) if path.exists() else {}
        return kept


def run_trials(work: Path, size: Size, show: Show, wanted: Iterable[BudgetProblem]) -> None:
    """Run what is missing."""
    who = {problem: contestants(problem) for problem in wanted}
    for trial in in_order(size, who):
        show(f"{trial.problem.title}, {trial.budget:,} evaluations, problem {trial.k + 1}")
        run_trial(work, trial, [one.at(trial.budget) for one in who[trial.problem]])


def in_order(size: Size, problems: Iterable[BudgetProblem]) -> Iterator[Trial]:
    problems = list(problems)
    there: dict[tuple[str, int], int] = {}
    for share in SHARES:
        for budget in size.budgets():
            for problem in problems:
                place, aim = (problem.key, budget), max(2, round(share * size.runs(problem, budget)))
                yield from (Trial(problem, budget, k) for k in range(there.get(place, 0), aim))
                there[place] = aim


def run_trial(work: Path, trial: Trial, texts: list[str]) -> None:
    """All contestants in turn, so that whatever else the machine does slows all alike."""
    kept = trial.kept(work)
    missing = [text for text in dict.fromkeys(texts) if text not in kept]
    if not missing:
        return
    warm_up(trial.problem.domain)
    unkept = 0.0
    for text in missing:
        kept[text] = run(trial.problem.domain, text, trial.budget, trial.k)
        unkept += kept[text][1]
        if unkept > KEEP_AFTER or text == missing[-1]:
            write_json(trial.path(work), kept)
            unkept = 0.0


@lru_cache
def warm_up(domain: str) -> None:
    """So that no measured time is one of compiling."""
    for text in ("step(repeat(select(lookahead(sim), 0), 2))", "adapt(sim, 10)"):
        run(domain, text, 1_000, 0)


def run(domain: str, text: str, budget: int, k: int) -> list[float]:
    """Score and CPU seconds."""
    outcome = _bench(domain, text, budget).measure(Block(range(1), range(k, k + 1)))
    if outcome.failure is not None:
        raise DomainError(outcome.failure)
    return [float(outcome.scores[0, 0, 0]), float(outcome.seconds[0, 0, 0])]


@lru_cache(maxsize=256)
def _bench(domain: str, text: str, budget: int) -> Bench:
    return bench_of(domain, [text], Limits(budget), FIRST_PROBLEM)


@dataclass(frozen=True)
class Measured:
    """Scores and CPU seconds of all contestants within one budget: [contestant, problem]."""

    scores: np.ndarray
    seconds: np.ndarray

    @property
    def n(self) -> int:
        return int(self.scores.shape[1])


def read_trials(work: Path, problem: BudgetProblem, who: list[Contestant]) -> dict[int, Measured]:
    """By budget: the first problems, up to the first that somebody has not run on; none where these are fewer than
    two."""
    found = {}
    for budget in BUDGETS:
        texts, columns = [one.at(budget) for one in who], []
        for k in range(max(problem.runs)):
            kept = Trial(problem, budget, k).kept(work)
            if any(text not in kept for text in texts):
                break
            columns.append([kept[text] for text in texts])
        if len(columns) > 1:
            both = np.array(columns).transpose(2, 1, 0)
            found[budget] = Measured(both[0], both[1])
    return found


def is_less_better(problem: BudgetProblem) -> bool:
    return bool(less_is_better(domain_of(problem.domain)))


def all_problems(only: Iterable[str] = ()) -> list[BudgetProblem]:
    return [problem for key, problem in PROBLEMS.items() if not list(only) or key in only]

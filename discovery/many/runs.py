"""Many runs of an algorithm on one problem, here or in worker processes, kept in a journal as they are finished.

A run depends on nothing but its number and what all runs have in common, so workers, journals and interruptions change
no result; and they are the runs that `mcsgrammar solve` does one after the other.
"""

import math
import time
import uuid
from collections.abc import Generator, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import count
from pathlib import Path
from typing import Any

from discovery.evaluation.runs import Bench, Parcel, Plan, parcel, unpacked
from discovery.keeping.line_journal import LineJournal, LineKind, about_domain, require_keepable
from discovery.pool.parallel import in_workers
from domains.errors import DomainError
from domains.problems import Split, instance_of, stream_of
from domains.protocol import Domain
from domains.registry import found_from_anywhere
from mcsgrammar.engines.compiled.vetting import vetted_engine
from mcsgrammar.engines.results import RunResult
from mcsgrammar.engines.searching import EngineName, Limits, SemanticsName
from mcsgrammar.language.expressions import Component
from mcsgrammar.solving import Solution, check_runs, run_seed

CHUNK_SECONDS = 0.3
"""About the size of a worker's task."""


@dataclass(frozen=True)
class FinishedRuns:
    """A worker's answer."""

    results: tuple[RunResult, ...]
    failure: str | None = None
    """what the domain did wrong"""


def result_fields(result: RunResult) -> dict[str, Any]:
    return {
        "reward": result.reward,
        "actions": list(result.actions),
        "evaluations": result.evaluations,
        "stop_reason": result.stop_reason,
        "curve": [list(point) for point in result.curve],
        "tree_nodes": result.tree_nodes,
        "tree_full": result.tree_full,
        "seconds": result.seconds,
    }


def read_result(document: dict[str, Any]) -> RunResult:
    fields = {name: document[name] for name in result_fields(NO_RESULT)}
    curve = tuple((evaluations, best) for evaluations, best in fields["curve"])
    return RunResult(**{**fields, "actions": tuple(fields["actions"]), "curve": curve})


NO_RESULT = RunResult(None, (), 0, "evaluations", (), 0, False, 0.0)
RUNS = LineKind("run", "mcsgrammar runs 1", result_fields, read_result)


class ManyRuns:
    """What the runs have in common, and the runs."""

    def __init__(
        self,
        domain: Domain,
        expression: Component,
        limits: Limits,
        number: int = 0,
        split: Split = "test",
        seed: int = 0,
        engine: EngineName = "auto",
        semantics: SemanticsName = "standard",
    ) -> None:
        check_runs(domain, number, split, 1, engine, semantics)
        self.stream = stream_of(split, seed)
        engine = vetted_engine(domain, engine)
        self.plan = Plan((str(expression),), (limits,), split, self.stream, seed, semantics, engine, number)
        self.bench = Bench(domain, self.plan)
        self.domain, self.number, self.limits = domain, number, limits
        self.expression = self.bench.runs(0)[0].expression
        self.initial = self.bench.initial(number)
        self.instance = instance_of(domain, number, split, self.stream)

    def header(self) -> dict[str, object]:
        """What a journal says of them."""
        return {
            **about_domain(self.domain),
            "expression": str(self.expression),
            "budget": self.limits.evaluations,
            "seconds": self.limits.seconds,
            "max_nodes": self.limits.max_nodes,
            "split": self.plan.split,
            "problem": self.number,
            "seed": self.plan.seed,
            "semantics": self.plan.semantics,
        }

    def solution(self, run: int, result: RunResult) -> Solution:
        plan = self.plan
        seed = run_seed(self.domain, self.expression, plan.semantics, plan.split, self.number, plan.seed, run)
        return Solution(self.domain, self.expression, self.number, seed, self.initial, result, self.instance)

    def solutions(
        self,
        runs: int | None,
        hours: float | None = None,
        jobs: int = 1,
        typed: str | None = None,
        journal: Path | None = None,
    ) -> Generator[Solution, None, None]:
        """So many runs, or as many as are begun within `hours` from now, in their order; those that the journal holds
        come first, and are not done again. `typed` is the name by which workers find the domain. What tuners did is
        not kept."""
        if journal is not None:
            require_keepable(self.domain, self.initial)
        until = None if hours is None else time.monotonic() + 3600 * hours
        with ExitStack() as stack:
            kept = stack.enter_context(LineJournal(RUNS, journal, self.header())) if journal is not None else None
            held = kept.things[:runs] if kept is not None else []
            for run, result in enumerate(held):
                yield self.solution(run, result)
            run = len(held)
            for outcome in stack.enter_context(closing(self._outcomes(run, runs, until, jobs, typed))):
                if not outcome.results and outcome.failure is None:
                    return  # the time was over before these were begun
                if kept is not None and outcome.results:
                    kept.keep(outcome.results)
                for result in outcome.results:
                    yield self.solution(run, result)
                    run += 1
                if outcome.failure is not None:
                    raise DomainError(outcome.failure)

    def _outcomes(
        self, first: int, runs: int | None, until: float | None, jobs: int, typed: str | None
    ) -> Generator[FinishedRuns, None, None]:
        if runs is not None and first >= runs:
            return
        started = time.perf_counter()
        outcome = runs_on(self.bench, range(first, first + 1))
        yield outcome
        if outcome.failure is not None:
            return
        size = max(1, int(CHUNK_SECONDS / max(time.perf_counter() - started, 1e-9)))
        tasks = chunks(first + 1, runs, size, until)
        what = parcel(self.domain, None if typed is None else found_from_anywhere(typed), self.plan, uuid.uuid4().hex)
        end = None if until is None else time.time() + until - time.monotonic()
        work = partial(runs_in_worker, what, end) if jobs > 1 else partial(runs_on, self.bench)
        yield from in_workers(work, tasks, jobs)


def chunks(first: int, runs: int | None, size: int, until: float | None) -> Iterator[range]:
    """Runs from the first on, in tasks, until all are handed out or the time is over."""
    for start in count(first, size):
        end = start + size if runs is None else min(start + size, runs)
        if start >= end or (until is not None and time.monotonic() >= until):
            return
        yield range(start, end)


def runs_in_worker(what: Parcel, end: float | None, numbers: range) -> FinishedRuns:
    """None, if the time is over since they were handed out; `end` is by the clock that processes share."""
    if end is not None and time.time() >= end:
        return FinishedRuns(())
    return runs_on(_bench(what), numbers)


@lru_cache(maxsize=4)
def _bench(what: Parcel) -> Bench:
    return Bench(unpacked(what), what.plan)


def runs_on(bench: Bench, numbers: range) -> FinishedRuns:
    expression, limits, k = bench.runs(0)[0].expression, bench.plan.limits[0], bench.plan.first_problem
    results: list[RunResult] = []
    try:
        ready = bench.ready(bench.initial(k))
        for run in numbers:
            results.append(replace(bench.search(expression, limits, k, ready, run), tunings=()))
    except DomainError as error:
        return FinishedRuns(tuple(results), str(error))
    return FinishedRuns(tuple(results))


def improvements(solutions: list[Solution]) -> list[tuple[int, Solution]]:
    """The runs that were better than all before them, with their numbers."""
    better, best = [], -math.inf
    for run, solution in enumerate(solutions):
        if solution.reward is not None and solution.reward > best:
            better.append((run, solution))
            best = solution.reward
    return better

"""Solve problems of a domain with one algorithm: what `mcsgrammar solve` and `mcsgrammar.solve` do."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from domains.problems import SPLITS, Split, check_split, instance_of, stream_of
from domains.protocol import Domain, replay
from domains.randomness import seed_of
from domains.registry import canonical_text, domain_of
from mcsgrammar.arguments import at_least, check_choice, numbered_from_0, whole
from mcsgrammar.defaults import DEFAULT_BUDGET
from mcsgrammar.display import data_frame, html_picture, html_table, number
from mcsgrammar.engines.compiled.vetting import vetted_engine
from mcsgrammar.engines.guarding import finite_score, guarded, initial_state
from mcsgrammar.engines.results import RunResult
from mcsgrammar.engines.searching import (
    ENGINES,
    SEMANTICS,
    EngineName,
    Limits,
    SemanticsName,
    engine_of,
    prepare,
)
from mcsgrammar.language.expressions import Component
from mcsgrammar.language.parsing import read_expression


@dataclass(frozen=True)
class Solution:
    """One run on one problem, with what people want to know of it."""

    domain: Domain
    expression: Component
    """as it was run: `uct(C)` resolved"""
    problem: int
    seed: int
    """the run's own, derived from everything that identifies it"""
    initial: Any
    result: RunResult
    instance: Path | None = None
    """the file that the problem is, where a domain has files"""

    @property
    def reward(self) -> float | None:
        return self.result.reward

    @property
    def actions(self) -> tuple[Any, ...]:
        return self.result.actions

    @property
    def score(self) -> float | None:
        """The reward in the domain's own unit; None if nothing was evaluated."""
        if self.result.reward is None:
            return None
        actions = self.result.actions
        return finite_score(self.domain, "score", lambda: self.domain.score(replay(self.domain, self.initial, actions)))

    def draw(self) -> str:
        """The solution as text."""
        return guarded(self.domain, "draw", lambda: self.domain.draw(self.initial, self.result.actions))

    def svg(self) -> str | None:
        """The solution as an SVG document; None if the domain draws none."""
        return guarded(self.domain, "svg", lambda: self.domain.svg(self.initial, self.result.actions))

    def __repr__(self) -> str:
        return (
            f"<Solution of {self._problem_text}, by {self.expression}: reward {self.reward} after "
            f"{self.result.evaluations} evaluations, {len(self.actions)} actions>"
        )

    def _repr_svg_(self) -> str | None:
        return self.svg()

    def _repr_html_(self) -> str:
        score = f"{number(self.score)} {self.domain.unit}"
        caption = f"{self._problem_text}: {score}, by {self.expression} in {self.result.evaluations:,} evaluations"
        return html_picture(caption, self.svg(), self.draw())

    @property
    def _problem_text(self) -> str:
        file = "" if self.instance is None else f" ({self.instance.name})"
        return f"{canonical_text(self.domain)}, problem {self.problem}{file}"

    def record(self) -> dict[str, Any]:
        """All that is said of it in a line of a table."""
        return {
            "domain": canonical_text(self.domain),
            "problem": self.problem,
            "instance": None if self.instance is None else self.instance.name,
            "expression": str(self.expression),
            "seed": self.seed,
            "reward": self.reward,
            "score": self.score,
            "unit": self.domain.unit,
            "evaluations": self.result.evaluations,
            "seconds": self.result.seconds,
            "stop_reason": self.result.stop_reason,
            "actions": self.actions,
        }


class Solutions(list[Solution]):
    """A list of the runs, in their order. A notebook shows the best."""

    @property
    def best(self) -> Solution:
        """The one with the highest reward, the first of equals."""
        return max(self, key=lambda one: -math.inf if one.reward is None else one.reward)

    def to_dataframe(self) -> Any:
        """A `pandas.DataFrame`, one line for each run; needs pandas."""
        return data_frame([one.record() for one in self])

    def _repr_html_(self) -> str:
        if len(self) < 2:
            return "".join(one._repr_html_() for one in self)
        head = ["run", self[0].domain.unit, "reward", "evaluations", "CPU seconds"]
        rows = [
            [str(i), number(one.score), number(one.reward), f"{one.result.evaluations:,}", number(one.result.seconds)]
            for i, one in enumerate(self)
        ]
        return html_table(f"{len(self)} runs", head, rows) + self.best._repr_html_()


def run_seed(
    domain: Domain, expression: Component, semantics: str, split: str, k: int, seed: int, repetition: int
) -> int:
    """The seed of one run of `solve` or `evaluate`; neither the budget nor the engine goes into it."""
    return seed_of("solve", seed, canonical_text(domain), semantics, str(expression), split, k, repetition)


def solve(
    domain: Domain | str,
    expression: Component | str,
    budget: int | None = None,
    *,
    seconds: float | None = None,
    problem: int = 0,
    split: Split = "test",
    seed: int = 0,
    runs: int = 1,
    engine: EngineName = "auto",
    semantics: SemanticsName = "standard",
    max_nodes: int | None = None,
) -> Solutions:
    """Run an algorithm `runs` times on problem number `problem` of a domain; the same arguments, the same solutions.

    The budget is a number of evaluations (1000 if neither is given) or CPU `seconds`.
    """
    if budget is None and seconds is None:
        budget = DEFAULT_BUDGET
    limits = Limits(budget, seconds) if max_nodes is None else Limits(budget, seconds, max_nodes)
    return Solutions(solutions(domain, expression, limits, problem, split, seed, runs, engine, semantics))


def solutions(
    domain: Domain | str,
    expression: Component | str,
    limits: Limits,
    number: int = 0,
    split: Split = "test",
    seed: int = 0,
    runs: int = 1,
    engine: EngineName = "auto",
    semantics: SemanticsName = "standard",
    on_progress: Callable[[int, int, float, float], None] | None = None,
) -> Iterator[Solution]:
    """The same one run at a time; `on_progress` gets (run, evaluations, best reward, CPU seconds). After a Ctrl-C the
    run under way is given, with its best so far, and no more."""
    domain = domain_of(domain)
    expression = read_expression(expression)
    check_runs(domain, number, split, runs, engine, semantics)
    number, runs, seed = int(number), int(runs), whole("the seed", seed)
    prepared = prepare(expression, domain, limits)
    stream = stream_of(split, seed)
    initial = initial_state(domain, number, split, stream)
    instance = instance_of(domain, number, split, stream)
    running = engine_of(domain, vetted_engine(domain, engine))
    ready = running.ready(initial)
    for repetition in range(runs):
        own_seed = run_seed(domain, prepared, semantics, split, number, seed, repetition)

        def progress(evaluations: int, best: float, elapsed: float, run: int = repetition) -> None:
            if on_progress is not None:
                on_progress(run, evaluations, best, elapsed)

        result = running.run(ready, prepared, own_seed, limits, semantics, progress)
        yield Solution(domain, prepared, number, own_seed, initial, result, instance)
        if result.stop_reason == "interrupted":
            return


def check_runs(domain: Domain, number: int, split: Split, runs: int, engine: str, semantics: str) -> None:
    """Refuse what no run can be like."""
    check_choice("the engine", engine, ENGINES)
    check_choice("the semantics", semantics, SEMANTICS)
    check_choice("the split", split, SPLITS)
    check_split(domain, split)
    at_least(1, "the number of runs", runs)
    numbered_from_0("the problem", number)

"""A tuner at work in the reference engine: between the `tune` it belongs to and the settings it changes."""

from typing import Any

from domains.randomness import Random
from mcsgrammar.engines.results import Tuning
from mcsgrammar.language.expressions import Component, Tune
from mcsgrammar.tuning.making import FIRST_INVOCATIONS, expected_choices, make
from mcsgrammar.tuning.space import space_of


class RunningTuner:
    """One state for a tune and run, kept across invocations."""

    def __init__(
        self, expression: Component, tune: Tune, settings: list[dict[str, Any]], random: Random, budget: int | None
    ) -> None:
        """`settings` are those of all components, from the outside in."""
        self.space = space_of(expression, tune)
        self.tuner = make(tune.tuner, self.space, random)
        self.settings = settings
        self.budget = budget
        assert isinstance(tune.tuner.b, int)  # type: ignore[attr-defined]
        self.kept_for: int = tune.tuner.b  # type: ignore[attr-defined]
        self.chosen: Any = None
        self.rewards: list[float] = []
        """of the invocations with the combination at hand"""
        self.invocations = 0
        self.evaluations_before = 0
        self.evaluations_spent = 0
        fixed = tune.component.evaluations
        self.hinted = budget is None
        if budget is not None and fixed is not None:
            self._hint(fixed)

    def _hint(self, evaluations: float) -> None:
        assert self.budget is not None
        self.hinted = True
        self.tuner.hint(expected_choices(self.budget, evaluations, self.kept_for))

    def expect(self, evaluations: float) -> None:
        """So many evaluations will be made in all, judging by those made so far."""
        self.tuner.hint(expected_choices(evaluations, self.evaluations_spent / self.invocations, self.kept_for))

    def before_invocation(self, evaluations: int) -> None:
        """Choose, unless the combination at hand is to be kept. `evaluations` is the number of those done so far."""
        self.evaluations_before = evaluations
        if not self.rewards:
            self.chosen = self.tuner.choose()
            values = self.tuner.values(self.chosen)
            for parameter, value in zip(self.space.parameters, values, strict=True):
                self.settings[parameter.part][parameter.name] = value

    def after_invocation(self, evaluations: int, reward: float) -> None:
        """An invocation was not cut by the budget: tell the tuner, when the combination was kept for long enough the
        mean of its rewards."""
        self.rewards.append(reward)
        self.invocations += 1
        self.evaluations_spent += evaluations - self.evaluations_before
        if len(self.rewards) == self.kept_for:
            total = 0.0
            for one in self.rewards:
                total += one
            self.tuner.update(self.chosen, total / self.kept_for)
            self.rewards.clear()
        if not self.hinted and self.invocations == FIRST_INVOCATIONS:
            self._hint(self.evaluations_spent / FIRST_INVOCATIONS)

    def report(self) -> Tuning:
        return self.tuner.report()

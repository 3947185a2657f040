"""The expressions of the language: one frozen dataclass per component.

Glossary
    component        something that, from a partly played sequence, tries completions of it:
                       simulate    sim                   one playout
                       repeat      repeat(sim, 10)       the sub-component, N times
                       lookahead   lookahead(sim)        the sub-component after each legal action
                       step        step(sim)             the sub-component, then commit the best action; until the end
                       select      select(sim, 0.5)      the sub-component from a leaf of a growing tree
    sub-component    the component inside another; every component but `simulate` has exactly one
    tune             tune(S, ntbea): not a component of its own, but a layer that chooses the open parameters inside S
    named algorithm  nmc(3), uct(0.5), …: an abbreviation that expands to components (`mcsgrammar/language/named.py`)
    depth            number of nested components; `tune` does not count
    size             number of nested components, `tune` included
    canonical text   str(expression); two expressions are the same if and only if their canonical texts are
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from mcsgrammar.language.components import SUB_COMPONENT, Component, Nest, require_closed
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.parameters import (
    Choice,
    Count,
    Interval,
    OpenParameter,
    Value,
    Word,
    checked,
    shown,
    value_text,
)
from mcsgrammar.language.policies import EXPLORATION, PlayoutPolicy, RandomPlayout, SelectionPolicy, Tuner, Ucb1
from mcsgrammar.wording import shortened, shown_object

__all__ = [
    "COMMIT_RULES",
    "REPETITIONS",
    "Component",
    "Lookahead",
    "Repeat",
    "Select",
    "Simulate",
    "Step",
    "Tune",
    "Uct",
    "rebuild",
    "require_closed",
    "resolve",
]

REPETITIONS = Count(1)
"""The N of repeat."""

COMMIT_RULES = ("best", "mean", "visits", "max")
"""How `step` picks the action it commits: from its best sequence, or by a statistic at the root of the select below."""


@dataclass(frozen=True, repr=False)
class Simulate(Component):
    """One playout to a final state, its actions drawn from `policy`."""

    name: ClassVar[str] = "sim"
    policy: PlayoutPolicy = RandomPlayout()

    def __post_init__(self) -> None:
        if not isinstance(self.policy, PlayoutPolicy):
            raise InvalidExpression(f"sim needs a playout policy, not {shown_object(self.policy)}")
        super().__post_init__()

    def _write(self) -> str:
        return "sim" if self.policy == RandomPlayout() else f"sim({self.policy})"

    def own_open_parameters(self) -> list[OpenParameter]:
        return self.policy.open_parameters()


@dataclass(frozen=True, repr=False)
class Repeat(Nest):
    """The sub-component, `count` times from the same state."""

    name: ClassVar[str] = "repeat"
    argument: ClassVar[str] = "N"
    count: Value

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", checked(self.name, self.argument, REPETITIONS, self.count))
        super().__post_init__()

    def _write(self) -> str:
        return f"repeat({self.component}, {value_text(self.count)})"

    def own_open_parameters(self) -> list[OpenParameter]:
        return self.own_if_open(self.count)


@dataclass(frozen=True, repr=False)
class Lookahead(Nest):
    """The sub-component after each legal action, in random order."""

    name: ClassVar[str] = "lookahead"

    def _write(self) -> str:
        return f"lookahead({self.component})"


@dataclass(frozen=True, repr=False)
class Step(Nest):
    """Until the end: the sub-component, then commit one action, chosen by the rule `commit`."""

    name: ClassVar[str] = "step"
    argument: ClassVar[str] = "the commit rule"
    commit: Value = "best"

    def __post_init__(self) -> None:
        object.__setattr__(self, "commit", checked(self.name, self.argument, Word(COMMIT_RULES), self.commit))
        super().__post_init__()
        if self.commit_rules != ("best",) and not self._is_over_select():
            rule = next(rule for rule in self.commit_rules if rule != "best")
            raise InvalidExpression(
                f"step commits by '{rule}' only with a select below and nothing but repeat and tune between, "
                f"as in step(repeat(select(sim, 0.5), 10), {rule})",
                argument=self.argument,
            )

    @property
    def commit_rules(self) -> tuple[object, ...]:
        """The rules it may come to use: one, or those of an open parameter."""
        return self.commit.values if isinstance(self.commit, Choice) else (self.commit,)

    def _is_over_select(self) -> bool:
        below = self.component
        while isinstance(below, Repeat | Tune):
            below = below.component
        return isinstance(below, Select)

    def _write(self) -> str:
        return f"step({self.component})" if self.commit == "best" else f"step({self.component}, {self.commit})"

    def own_open_parameters(self) -> list[OpenParameter]:
        return self.own_if_open(self.commit)


@dataclass(frozen=True, repr=False)
class Select(Nest):
    """The sub-component from a leaf of a tree, found by `policy`; the tree grows by that leaf and learns the result."""

    name: ClassVar[str] = "select"
    argument: ClassVar[str] = "C"
    policy: SelectionPolicy = Ucb1()

    def __post_init__(self) -> None:
        if not isinstance(self.policy, SelectionPolicy):
            raise InvalidExpression(f"select needs a selection policy, not {shown_object(self.policy)}")
        super().__post_init__()

    def _write(self) -> str:
        return f"select({self.component}, {self.policy.brief()})"

    def own_open_parameters(self) -> list[OpenParameter]:
        if isinstance(self.policy, Ucb1) and self.policy.is_only_c():
            return self.own_if_open(self.policy.c)
        return self.policy.open_parameters()


@dataclass(frozen=True, repr=False)
class Tune(Nest):
    """The sub-component, its open parameters chosen anew by `tuner` before each invocation."""

    name: ClassVar[str] = "tune"
    argument: ClassVar[str] = "tuner"
    tuner: Tuner

    def __post_init__(self) -> None:
        if not isinstance(self.tuner, Tuner):
            raise InvalidExpression(f"tune needs a tuner, not {shown_object(self.tuner)}")
        super().__post_init__()
        if not self.bound:
            raise InvalidExpression(
                f"tune has nothing to choose in {shortened(str(self.component))}; "
                "write an open parameter such as {0.1, 0.5} in place of a number inside it",
                argument=SUB_COMPONENT,
            )
        for bound in self.bound:
            if isinstance(bound.values, Interval) and not self.tuner.takes_intervals:
                raise InvalidExpression(
                    f"{self.tuner.name} chooses among listed values, {bound} is an interval, {shown(bound.values)}; "
                    "list values as {…, …} or use cmaes",
                    argument=self.argument,
                )
            if isinstance(bound.values, Choice) and self.tuner.takes_intervals:
                raise InvalidExpression(
                    f"{self.tuner.name} chooses from intervals, {bound} is a list, {shown(bound.values)}; "
                    "write an interval as [a..b] or use another tuner, such as ntbea",
                    argument=self.argument,
                )

    @property
    def bound(self) -> tuple[OpenParameter, ...]:
        """The open parameters that this layer chooses."""
        return self.component.unbound

    @cached_property
    def depth(self) -> int:
        return self.component.depth

    @cached_property
    def unbound(self) -> tuple[OpenParameter, ...]:
        return ()

    def _write(self) -> str:
        return f"tune({self.component}, {self.tuner})"


@dataclass(frozen=True, repr=False)
class Uct(Component):
    """`uct(C)`: `uct(C, N)` with N = max(1, round(B / T)), known when the domain's T and the budget B are."""

    name: ClassVar[str] = "uct"
    argument: ClassVar[str] = "C"
    c: Value

    def __post_init__(self) -> None:
        object.__setattr__(self, "c", checked(self.name, self.argument, EXPLORATION, self.c))
        super().__post_init__()

    @property
    def depth(self) -> int:
        return 4

    @property
    def size(self) -> int:
        return 4

    def _write(self) -> str:
        return f"uct({value_text(self.c)})"

    def own_open_parameters(self) -> list[OpenParameter]:
        return self.own_if_open(self.c)

    def expand(self, count: int) -> Component:
        """What it stands for when it spends `count` simulations a step."""
        return Step(Repeat(Select(Simulate(), Ucb1(self.c)), count))


def rebuild(expression: Component, component: Component) -> Component:
    """The same outermost component around another sub-component."""
    match expression:
        case Repeat():
            return Repeat(component, expression.count)
        case Lookahead():
            return Lookahead(component)
        case Step():
            return Step(component, expression.commit)
        case Select():
            return Select(component, expression.policy)
        case Tune():
            return Tune(component, expression.tuner)
        case _:
            return expression


def resolve(expression: Component, horizon: int, budget: int | None) -> Component:
    """The expression with every `uct(C)` replaced by `uct(C, N)` for this horizon and budget of evaluations."""
    if isinstance(expression, Uct):
        if budget is None:
            raise InvalidExpression(
                f"{expression} needs a budget in evaluations to know its N; with a budget in seconds "
                f"write uct({value_text(expression.c)}, N)"
            )
        if horizon < 1 or budget < 0:
            raise InvalidExpression(
                f"{expression} needs a horizon of at least 1 and a budget of at least 0 to know its N, "
                f"not {shown(horizon)} and {shown(budget)}"
            )
        # floor(B / T + 1/2) in whole numbers
        return expression.expand(max(1, (2 * budget + horizon) // (2 * horizon)))
    if not expression.children:
        return expression
    inner = resolve(expression.children[0], horizon, budget)
    return expression if inner is expression.children[0] else rebuild(expression, inner)

"""The expressions of the language: one frozen dataclass per component.

Glossary
    component        something that, from a partly played sequence, tries completions of it:
                       simulate    sim                   one playout
                       repeat      repeat(sim, 10)       the sub-component, N times
                       lookahead   lookahead(sim)        the sub-component after each legal action
                       step        step(sim)             the sub-component, then commit the best action; until the end
                       select      select(sim, 0.5)      the sub-component from a leaf of a growing tree
                       adapt       adapt(sim, 100)       the sub-component, N times, its playouts learning each time
    sub-component    the component inside another; every component but `simulate` has exactly one
    tune             tune(S, ntbea): not a component of its own, but a layer that chooses the open parameters inside S
    named algorithm  nmc(3), uct(0.5), …: an abbreviation that expands to components (`mcsgrammar/language/named.py`)
    depth            number of nested components; `tune` does not count
    size             number of nested components, `tune` included
    canonical text   str(expression); two expressions are the same if and only if their canonical texts are
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from mcsgrammar.language.components import SUB_COMPONENT, Component, Nest, require_closed
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.parameters import (
    Choice,
    Count,
    Interval,
    OpenParameter,
    Real,
    Value,
    Word,
    checked,
    shown,
    value_text,
)
from mcsgrammar.language.policies import EXPLORATION, PlayoutPolicy, RandomPlayout, SelectionPolicy, Ucb1
from mcsgrammar.language.tuners import Tuner
from mcsgrammar.wording import shortened, shown_object

__all__ = [
    "COMMIT_RULES",
    "COMPONENTS",
    "REPETITIONS",
    "STEP_SIZE",
    "Adapt",
    "Component",
    "Lookahead",
    "Repeat",
    "Select",
    "Simulate",
    "Step",
    "Tune",
    "Uct",
    "require_closed",
    "resolve",
]

REPETITIONS = Count(1)
"""The N of repeat and adapt."""

STEP_SIZE = Real(high=1000.0, positive=True)
"""The alpha of adapt; weights lie between -300 and 300."""

COMMIT_RULES = {
    "best": "the next action of the best sequence so far",
    "mean": "the action with the highest mean reward in the tree",
    "visits": "the action with the most visits in the tree",
    "max": "the action with the highest reward in the tree",
}
"""How `step` picks the action it commits: from its best sequence, or by a statistic at the root of the select below."""


@dataclass(frozen=True, repr=False)
class Simulate(Component):
    """One playout to a final state, its actions drawn from `policy`."""

    name: ClassVar[str] = "sim"
    usage: ClassVar[str] = "sim  |  sim(P)"
    example: ClassVar[str] = "sim(mast(eps=0.4))"
    remarks: ClassVar[str] = "P: a [playout policy](#playout-policies); without one, `random`."
    policy: PlayoutPolicy = RandomPlayout()

    def __post_init__(self) -> None:
        if not isinstance(self.policy, PlayoutPolicy):
            raise InvalidExpression(f"sim needs a playout policy, not {shown_object(self.policy)}")
        super().__post_init__()

    def written_arguments(self) -> list[str]:
        return [] if self.is_plain else [str(self.policy)]

    def in_words(self) -> str:
        if self.is_plain:
            return "one random playout to the end"
        return f"one playout{self.policy.to_the_end}, its actions chosen by {self.policy}"

    @property
    def evaluations(self) -> int | None:
        return 1

    @property
    def is_plain(self) -> bool:
        return self.policy == RandomPlayout()

    def settings(self) -> dict[str, Any]:
        return self.policy.parameters()

    @property
    def settings_owner(self) -> str:
        return self.policy.name

    def own_open_parameters(self) -> list[OpenParameter]:
        return self.policy.open_parameters()


@dataclass(frozen=True, repr=False)
class Repeat(Nest):
    """The sub-component, `count` times from the same state."""

    name: ClassVar[str] = "repeat"
    argument: ClassVar[str] = "N"
    usage: ClassVar[str] = "repeat(S, N)"
    example: ClassVar[str] = "repeat(sim, 10)"
    remarks: ClassVar[str] = f"N: {REPETITIONS.allowed()}. A counter, no memory: S does not know which time it is."
    count: Value

    def __post_init__(self) -> None:
        object.__setattr__(self, "count", checked(self.name, self.argument, REPETITIONS, self.count))
        super().__post_init__()

    def written_arguments(self) -> list[str]:
        return [value_text(self.count)]

    def in_words(self) -> str:
        return f"{value_text(self.count)} times from the same state"

    @property
    def evaluations(self) -> int | None:
        inner = self.component.evaluations
        return None if inner is None or not isinstance(self.count, int) else self.count * inner

    def settings(self) -> dict[str, Any]:
        return {self.argument: self.count}

    def own_open_parameters(self) -> list[OpenParameter]:
        return self.own_if_open(self.count)


@dataclass(frozen=True, repr=False)
class Lookahead(Nest):
    """The sub-component after each legal action, in random order."""

    name: ClassVar[str] = "lookahead"
    usage: ClassVar[str] = "lookahead(S)"
    example: ClassVar[str] = "lookahead(sim)"

    def in_words(self) -> str:
        return "once after each legal action, in random order"


@dataclass(frozen=True, repr=False)
class Step(Nest):
    """Until the end: the sub-component, then commit one action, chosen by the rule `commit`."""

    name: ClassVar[str] = "step"
    argument: ClassVar[str] = "the commit rule"
    usage: ClassVar[str] = "step(S)  |  step(S, RULE)"
    example: ClassVar[str] = "step(repeat(select(sim, 0.5), 10), visits)"
    remarks: ClassVar[str] = (
        "RULE: how the action is chosen. All but `best` need a `select` below with nothing but "
        "`repeat` and `tune` between."
    )
    commit: Value = "best"

    def __post_init__(self) -> None:
        rule = checked(self.name, self.argument, Word(tuple(COMMIT_RULES)), self.commit)
        object.__setattr__(self, "commit", rule)
        super().__post_init__()
        if self.commit_rules != ("best",) and not self._is_over_select():
            rule = next(rule for rule in self.commit_rules if rule != "best")
            raise InvalidExpression(
                f"step commits by '{rule}' only with a select below and nothing but repeat and tune between, "
                f"as in step(repeat(select(sim, 0.5), 10), {rule})",
                argument=self.argument,
            )

    @property
    def commit_rules(self) -> tuple[Any, ...]:
        """The rules it may come to use: one, or those of an open parameter."""
        return self.commit.values if isinstance(self.commit, Choice) else (self.commit,)

    def _is_over_select(self) -> bool:
        below = self.component
        while isinstance(below, Repeat | Tune):
            below = below.component
        return isinstance(below, Select)

    def written_arguments(self) -> list[str]:
        return [] if self.is_plain else [str(self.commit)]

    def in_words(self) -> str:
        if isinstance(self.commit, Choice):
            return f"then commit an action by one of the rules {self.commit}, and again, until the end"
        return f"then commit {COMMIT_RULES[str(self.commit)]}, and again, until the end"

    @property
    def is_plain(self) -> bool:
        return self.commit == "best"

    def settings(self) -> dict[str, Any]:
        return {"rule": self.commit}

    def own_open_parameters(self) -> list[OpenParameter]:
        return self.own_if_open(self.commit)


@dataclass(frozen=True, repr=False)
class Select(Nest):
    """The sub-component from a leaf of a tree, found by `policy`; the tree grows by that leaf and learns the result."""

    name: ClassVar[str] = "select"
    argument: ClassVar[str] = "C"
    usage: ClassVar[str] = "select(S, C)  |  select(S, P)"
    example: ClassVar[str] = "select(step(sim), grave(c=0.2, ref=100))"
    remarks: ClassVar[str] = (
        f"C: {EXPLORATION.allowed()}, the constant of UCB1. P: a [selection policy](#selection-policies). Where no "
        "chance and nobody else has a say, a final leaf, or a subtree of nothing else, is not walked into again."
    )
    policy: SelectionPolicy = Ucb1()

    def __post_init__(self) -> None:
        if not isinstance(self.policy, SelectionPolicy):
            raise InvalidExpression(f"select needs a selection policy, not {shown_object(self.policy)}")
        super().__post_init__()
        simulate = self.innermost
        if self.policy.needs_odds and isinstance(simulate, Simulate) and not simulate.policy.has_odds:
            raise InvalidExpression(
                f"{self.policy.name} goes by how probable the playout policy finds an action, and {simulate} does not "
                "say; write sim(guided(…)), sim(mast(tau=…)) or, inside adapt, sim",
                argument=SUB_COMPONENT,
            )

    @classmethod
    def read(cls, *parts: Any) -> Component:
        return super().read(*(part if isinstance(part, Component) else cls.read_policy(part) for part in parts))

    @classmethod
    def read_policy(cls, written: Value | SelectionPolicy) -> SelectionPolicy:
        """The policy that is written in a select, which may be the C of UCB1 alone."""
        if isinstance(written, SelectionPolicy):
            return written
        return Ucb1(checked(cls.name, cls.argument, EXPLORATION, written))

    def written_arguments(self) -> list[str]:
        return [self.policy.brief()]

    def in_words(self) -> str:
        by = f"UCB1 with C = {value_text(self.policy.c)}" if self.policy.is_only_c() else str(self.policy)
        return f"from a leaf of a growing tree, found by {by}"

    @property
    def evaluations(self) -> int | None:
        return 1 if self.component.evaluations == 1 else None  # a final leaf costs 1

    @property
    def is_plain(self) -> bool:
        return self.policy.is_only_c() and isinstance(self.policy.c, float)

    def settings(self) -> dict[str, Any]:
        return self.policy.parameters()

    @property
    def settings_owner(self) -> str:
        return self.policy.name

    def own_open_parameters(self) -> list[OpenParameter]:
        return self.own_if_open(self.policy.c) if self.policy.is_only_c() else self.policy.open_parameters()


@dataclass(frozen=True, repr=False)
class Adapt(Nest):
    """The sub-component, `iterations` times from the same state; after each its playouts learn from the best sequence
    so far. They begin with what an `adapt` around it has learnt, and forget in the end what they learnt here."""

    name: ClassVar[str] = "adapt"
    argument: ClassVar[str] = "N, alpha"
    usage: ClassVar[str] = "adapt(S, N)  |  adapt(S, N, alpha)"
    example: ClassVar[str] = "adapt(adapt(sim, 100), 100)"
    remarks: ClassVar[str] = (
        f"N: {REPETITIONS.allowed()}. alpha: {STEP_SIZE.allowed()}, how far a sequence is learnt from; 1 if it is not "
        "given. The playouts inside draw actions a in proportion to exp(w(a)), w being a weight for each code of an "
        "action; at every step of the sequence every legal action loses alpha times its probability, then the one that "
        "was played gains alpha. Of equally good sequences the last counts. Weights stay between -300 and 300."
    )
    iterations: Value
    alpha: Value = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "iterations", checked(self.name, "N", REPETITIONS, self.iterations))
        object.__setattr__(self, "alpha", checked(self.name, "alpha", STEP_SIZE, self.alpha))
        super().__post_init__()
        if isinstance(simulate := self.innermost, Simulate) and not simulate.policy.can_be_adapted:
            raise InvalidExpression(
                f"adapt teaches its playouts itself, and {simulate} has a policy of its own; "
                "write sim or sim(guided(…)) inside adapt",
                argument=SUB_COMPONENT,
            )

    def written_arguments(self) -> list[str]:
        texts = [value_text(self.iterations)]
        return texts if self.alpha == 1.0 else [*texts, value_text(self.alpha)]

    def in_words(self) -> str:
        step = "" if self.alpha == 1.0 else f" by steps of {value_text(self.alpha)}"
        return f"{value_text(self.iterations)} times from the same state, its playouts learning from the best{step}"

    @property
    def evaluations(self) -> int | None:
        inner = self.component.evaluations
        return None if inner is None or not isinstance(self.iterations, int) else self.iterations * inner

    def settings(self) -> dict[str, Any]:
        return {"N": self.iterations, "alpha": self.alpha}

    def own_open_parameters(self) -> list[OpenParameter]:
        pairs = [pair for pair in self.settings().items() if isinstance(pair[1], Choice | Interval)]
        return [OpenParameter(self.name, *pair) for pair in pairs]


@dataclass(frozen=True, repr=False)
class Tune(Nest):
    """The sub-component, its open parameters chosen anew by `tuner` before each invocation."""

    name: ClassVar[str] = "tune"
    argument: ClassVar[str] = "tuner"
    usage: ClassVar[str] = "tune(S, TUNER)"
    example: ClassVar[str] = "tune(select(sim, {0.1, 0.5}), ntbea)"
    remarks: ClassVar[str] = "TUNER: a [tuner](#open-parameters-and-tuners). It does not count for the depth."
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

    def written_arguments(self) -> list[str]:
        return [str(self.tuner)]

    def in_words(self) -> str:
        names = ", ".join(f"{bound.name} in {bound.values}" for bound in self.bound)
        return f"with {names}, chosen each time by {self.tuner}"

    @property
    def evaluations(self) -> int | None:
        return self.component.evaluations

    @property
    def is_plain(self) -> bool:
        return False


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

    def written_arguments(self) -> list[str]:
        return [value_text(self.c)]

    def in_words(self) -> str:
        return f"single-player UCT with C = {value_text(self.c)}"

    def own_open_parameters(self) -> list[OpenParameter]:
        return self.own_if_open(self.c)

    def expand(self, count: int) -> Component:
        """What it stands for when it spends `count` simulations a step."""
        return Step(Repeat(Select(Simulate(), Ucb1(self.c)), count))


COMPONENTS: tuple[type[Component], ...] = (Simulate, Repeat, Lookahead, Step, Select, Adapt, Tune)
"""All that can be written, in the order in which they are listed; `Uct` is written as a named algorithm."""


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
    return expression if inner is expression.children[0] else expression.around(inner)

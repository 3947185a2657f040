"""The named algorithms of the literature, thin presets over the components.

is                   sim                                          iterative sampling
la(l)                step(lookahead(…(sim)…)), l lookaheads        look-ahead search
nmc(l)               step(lookahead(nmc(l - 1))), nmc(0) = sim     nested Monte Carlo
rmc(N1, N2)          step(repeat(step(repeat(sim, N2)), N1))       reflexive Monte Carlo
mcts(C, N)           step(repeat(select(sim, C), N))               single-player MCTS
uct(C, N)            the same
uct(C)               the same with N = max(1, round(B / T))
metamcts(C, N1, N2)  step(repeat(select(mcts(C, N2), C), N1))      meta MCTS
nrpa(l, N)           adapt(nrpa(l - 1, N), N), nrpa(0, N) = sim    nested rollout policy adaptation
nrpa(l, N, alpha)    the same with steps of alpha
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mcsgrammar.language.components import DEPTH_LIMIT, Component
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import (
    REPETITIONS,
    STEP_SIZE,
    Adapt,
    Lookahead,
    Repeat,
    Select,
    Simulate,
    Step,
    Uct,
)
from mcsgrammar.language.parameters import Count, Kind, Value, checked
from mcsgrammar.language.policies import EXPLORATION, Ucb1


@dataclass(frozen=True)
class Argument:
    """One argument of a named algorithm."""

    name: str
    kind: Kind
    may_be_open: bool = True


@dataclass(frozen=True)
class Named:
    """A named algorithm: what it stands for, and its arguments, of which the last `optional` may be left out."""

    usage: str
    example: str
    expand: Callable[..., Component]
    arguments: tuple[Argument, ...] = ()
    optional: int = 0


def iterative_sampling() -> Component:
    return Simulate()


def lookahead_search(level: int) -> Component:
    component: Component = Simulate()
    for _ in range(level):
        component = Lookahead(component)
    return Step(component)


def nested_monte_carlo(level: int) -> Component:
    component: Component = Simulate()
    for _ in range(level):
        component = Step(Lookahead(component))
    return component


def reflexive_monte_carlo(meta_games: Value, games: Value) -> Component:
    return Step(Repeat(Step(Repeat(Simulate(), games)), meta_games))


def single_player_mcts(c: Value, count: Value) -> Component:
    return Step(Repeat(Select(Simulate(), Ucb1(c)), count))


def uct(c: Value, count: Value | None = None) -> Component:
    return Uct(c) if count is None else single_player_mcts(c, count)


def meta_mcts(c: Value, meta_games: Value, games: Value) -> Component:
    return Step(Repeat(Select(single_player_mcts(c, games), Ucb1(c)), meta_games))


def nested_rollout_policy_adaptation(level: int, count: Value, alpha: Value = 1.0) -> Component:
    component: Component = Simulate()
    for _ in range(level):
        component = Adapt(component, count, alpha)
    return component


def level(low: int, high: int) -> Argument:
    return Argument("the level", Count(low, high), may_be_open=False)


C = Argument("C", EXPLORATION)
ALPHA = Argument("alpha", STEP_SIZE)
N, N1, N2 = (Argument(name, REPETITIONS) for name in ("N", "N1", "N2"))

NAMED: dict[str, Named] = {
    "is": Named("is", "is", iterative_sampling),
    "la": Named("la(level)", "la(2)", lookahead_search, (level(1, DEPTH_LIMIT - 2),)),
    "nmc": Named("nmc(level)", "nmc(2)", nested_monte_carlo, (level(0, (DEPTH_LIMIT - 1) // 2),)),
    "rmc": Named("rmc(N1, N2)", "rmc(10, 10)", reflexive_monte_carlo, (N1, N2)),
    "mcts": Named("mcts(C, N)", "mcts(0.5, 100)", single_player_mcts, (C, N)),
    "uct": Named("uct(C) or uct(C, N)", "uct(0.5)", uct, (C, N), optional=1),
    "metamcts": Named("metamcts(C, N1, N2)", "metamcts(0.5, 10, 10)", meta_mcts, (C, N1, N2)),
    "nrpa": Named(
        "nrpa(level, N) or nrpa(level, N, alpha)",
        "nrpa(2, 100)",
        nested_rollout_policy_adaptation,
        (level(1, DEPTH_LIMIT - 1), N, ALPHA),
        optional=1,
    ),
}


def expand_named(name: str, values: Sequence[Value]) -> Component:
    """The expression that `name(values…)` stands for."""
    named = NAMED[name]
    if not len(named.arguments) - named.optional <= len(values) <= len(named.arguments):
        raise InvalidExpression(f"{name} takes other arguments: {named.usage}")
    given = zip(named.arguments, values, strict=False)
    return named.expand(*(checked(name, a.name, a.kind, value, a.may_be_open) for a, value in given))


GENERIC: tuple[str, ...] = (
    "is",
    *(f"la({level})" for level in range(1, 6)),
    *(f"nmc({level})" for level in range(2, 6)),
    *(f"uct({c})" for c in ("0", "0.3", "0.5", "1")),
)
"""The generic algorithms that the paper compares with; nmc(1) is la(1)."""

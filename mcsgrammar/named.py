"""The named algorithms of the literature, thin presets over the components.

is                   sim                                          iterative sampling
la(l)                step(lookahead(…(sim)…)), l lookaheads        look-ahead search
nmc(l)               step(lookahead(nmc(l - 1))), nmc(0) = sim     nested Monte Carlo
rmc(N1, N2)          step(repeat(step(repeat(sim, N2)), N1))       reflexive Monte Carlo
mcts(C, N)           step(repeat(select(sim, C), N))               single-player MCTS
uct(C, N)            the same
uct(C)               the same with N = max(1, round(B / T))
metamcts(C, N1, N2)  step(repeat(select(mcts(C, N2), C), N1))      meta MCTS
"""

from collections.abc import Callable
from dataclasses import dataclass

from mcsgrammar.errors import InvalidExpression
from mcsgrammar.expressions import DEPTH_LIMIT, Component, Lookahead, Repeat, Select, Simulate, Step, Uct
from mcsgrammar.parameters import Count, Value, checked
from mcsgrammar.policies import Ucb1


@dataclass(frozen=True)
class Named:
    """A named algorithm: how many arguments it takes, and what it stands for."""

    usage: str
    expand: Callable[..., Component]
    arguments: tuple[int, ...]


def iterative_sampling() -> Component:
    return Simulate()


def lookahead_search(level: Value) -> Component:
    component: Component = Simulate()
    for _ in range(_level("la", level, low=1, high=DEPTH_LIMIT - 2)):
        component = Lookahead(component)
    return Step(component)


def nested_monte_carlo(level: Value) -> Component:
    component: Component = Simulate()
    for _ in range(_level("nmc", level, low=0, high=(DEPTH_LIMIT - 1) // 2)):
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


def _level(name: str, level: Value, low: int, high: int) -> int:
    held = checked(name, "the level", Count(low, high), level, may_be_open=False)
    assert isinstance(held, int)
    return held


NAMED: dict[str, Named] = {
    "is": Named("is", iterative_sampling, (0,)),
    "la": Named("la(level)", lookahead_search, (1,)),
    "nmc": Named("nmc(level)", nested_monte_carlo, (1,)),
    "rmc": Named("rmc(N1, N2)", reflexive_monte_carlo, (2,)),
    "mcts": Named("mcts(C, N)", single_player_mcts, (2,)),
    "uct": Named("uct(C) or uct(C, N)", uct, (1, 2)),
    "metamcts": Named("metamcts(C, N1, N2)", meta_mcts, (3,)),
}


def expand_named(name: str, arguments: list[Value]) -> Component:
    """The expression that `name(arguments…)` stands for."""
    named = NAMED[name]
    if len(arguments) not in named.arguments:
        raise InvalidExpression(f"{name} takes other arguments: {named.usage}")
    return named.expand(*arguments)


GENERIC: tuple[str, ...] = (
    "is",
    *(f"la({level})" for level in range(1, 6)),
    *(f"nmc({level})" for level in range(2, 6)),
    *(f"uct({c})" for c in ("0", "0.3", "0.5", "1")),
)
"""The generic algorithms that the paper compares with; nmc(1) is la(1)."""

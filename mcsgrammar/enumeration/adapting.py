"""Candidates that tune themselves: from an expression with fixed parameters to the same with a tuner over them.

    select(sim, 0.5)                               tune(select(sim, {0.1, …, 0.9}), ntbea)
    step(repeat(select(sim(mast), grave), 100))    step(repeat(tune(select(sim(mast(eps={…})), grave(…)), ntbea), 100))

The parameters that a policy always has are opened, and those that it is written with, over the values of the papers on
self-adaptive search (Sironi and Winands, 2019; Sironi et al., 2018), where they have any. The `tune` stands around the
outermost component with an opened parameter, so that it chooses before every invocation of that one.
"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

from mcsgrammar.language.expressions import Component, Select, Simulate, Tune, rebuild
from mcsgrammar.language.parameters import Choice, Interval
from mcsgrammar.language.policies import Grave, History, Mast, Nst, PlayoutPolicy, SelectionPolicy, Tuner, Ucb1

Policy = TypeVar("Policy", PlayoutPolicy, SelectionPolicy)
INF = math.inf
TENTHS = tuple(i / 10 for i in range(11))

LISTS: dict[str, tuple[int | float, ...]] = {
    "c": TENTHS[1:10],
    "vo": (0.001, 0.005, 0.01, 0.015, 0.02, 0.025),
    "t": (0.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 100.0, 200.0, INF),
    "ref": (0.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 10000.0, INF),
    "k": (0.0, 10.0, 50.0, 100.0, 250.0, 500.0, 750.0, 1000.0, 2000.0, INF),
    "w": (0.1, 0.25, 0.5, 1.0, 3.0, 5.0, 7.5, 10.0, 20.0, 50.0),
    "eps": TENTHS,
    "n": (1, 2, 3, 4, 5),
    "kmin": (1, 3, 5, 7, 10, 15, 20, 30, 50),
    "depth": tuple(range(1, 16)),
    "tau": (0.02, 0.05, 0.1, 0.2, 0.5, 1.0),  # ours: the papers tune no Gibbs playouts
}
"""What a tuner over lists chooses from."""

INTERVALS: dict[str, tuple[float, float]] = {
    "c": (0.0, 1.0),
    "vo": (0.0, 0.025),
    "t": (0.0, 200.0),
    "ref": (0.0, 10000.0),
    "k": (0.0, 2000.0),
    "w": (0.1, 50.0),
    "eps": (0.0, 1.0),
    "tau": (0.02, 1.0),
}
"""What a tuner over intervals does; whole numbers have none."""

ALWAYS: Mapping[type, tuple[str, ...]] = {
    Ucb1: ("c",),
    Grave: ("c", "ref", "k"),
    History: ("c", "w"),
    Mast: ("tau", "eps"),
    Nst: ("eps", "n", "kmin"),
}
"""The parameters that are opened even where they are not written; of two that exclude each other, the one in use."""


def tuned(expression: Component, tuner: Tuner) -> Component | None:
    """The expression with its parameters tuned; None if no policy in it has any."""
    opened = _opened(expression, tuner)
    return None if opened is expression else _closed(opened, tuner)


def _opened(expression: Component, tuner: Tuner) -> Component:
    match expression:
        case Simulate(policy=policy):
            other = _open_policy(policy, tuner)
            return expression if other is policy else Simulate(other)
        case Select(policy=policy):
            inside = _opened(expression.component, tuner)
            other_selection = _open_policy(policy, tuner)
            unchanged = inside is expression.component and other_selection is policy
            return expression if unchanged else Select(inside, other_selection)
        case _:
            inside = _opened(expression.children[0], tuner)
            return expression if inside is expression.children[0] else rebuild(expression, inside)


def _open_policy(policy: Policy, tuner: Tuner) -> Policy:
    names = dict.fromkeys((*ALWAYS.get(type(policy), ()), *(name for name, _ in policy.written())))
    given: dict[str, Choice | Interval] = {}
    for name in names:
        if getattr(policy, name) is None:
            continue
        if tuner.takes_intervals and name in INTERVALS:
            given[name] = Interval(*INTERVALS[name])
        elif not tuner.takes_intervals and name in LISTS:
            given[name] = Choice(LISTS[name])
    return replace(policy, **given) if given else policy


def _closed(opened: Component, tuner: Tuner) -> Component:
    """With the tune around the outermost component that has an open parameter of its own."""
    if opened.own_open_parameters():
        return Tune(opened, tuner)
    return rebuild(opened, _closed(opened.children[0], tuner))

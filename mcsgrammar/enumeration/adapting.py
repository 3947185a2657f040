"""Candidates that tune themselves: from an expression with fixed parameters to the same with a tuner over them.

    select(sim, 0.5)                               tune(select(sim, {0.1, …, 0.9}), ntbea)
    step(repeat(select(sim(mast), grave), 100))    step(repeat(tune(select(sim(mast(eps={…})), grave(…)), ntbea), 100))

The parameters that a policy always has are opened, and those that it is written with, over the values of the papers on
self-adaptive search (see `mcsgrammar.language.policies`), where they have any. The `tune` stands around the outermost
component with an opened parameter, so that it chooses before every invocation of that one.
"""

from dataclasses import replace
from typing import Any, TypeVar

from mcsgrammar.language.expressions import Component, Select, Simulate, Tune
from mcsgrammar.language.parameters import Choice, Interval, declaration, parameters_of
from mcsgrammar.language.policies import PlayoutPolicy, SelectionPolicy
from mcsgrammar.language.tuners import Tuner

Policy = TypeVar("Policy", PlayoutPolicy, SelectionPolicy)


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
            return expression if inside is expression.children[0] else expression.around(inside)


def _open_policy(policy: Policy, tuner: Tuner) -> Policy:
    given: dict[str, Any] = {}
    for f in parameters_of(policy):
        declared, value = declaration(f), getattr(policy, f.name)
        if value is None or not (declared.always_tuned or value != f.default):
            continue
        if tuner.takes_intervals and declared.interval:
            given[f.name] = Interval(*declared.interval)
        elif not tuner.takes_intervals and declared.values:
            given[f.name] = Choice(declared.values)
    return replace(policy, **given) if given else policy


def _closed(opened: Component, tuner: Tuner) -> Component:
    """With the tune around the outermost component that has an open parameter of its own."""
    if opened.own_open_parameters():
        return Tune(opened, tuner)
    return opened.around(_closed(opened.children[0], tuner))

"""The checks on what a domain says of its actions: the code that a search learns by, and the features that guide it."""

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from domains.check.games import is_game
from domains.check.probing import REPEATS, STAYS, Broken, Findings, Place, Probe
from domains.protocol import Domain
from domains.saying import no_list, number, shown, wrong_feature_name, wrong_features

HUGE = 1000.0
"""A number of this size makes a softmax take the largest, whatever the weights."""


@dataclass
class Described:
    """What was said of the actions of states that have more than one."""

    states: dict[str, int] = field(default_factory=dict)
    """how many of them there were, by `code` and `feature`"""
    apart: set[str] = field(default_factory=set)
    """what told actions apart at least once: `code`, and names of features"""


# What the methods return, if it is sound.


def has_code(probe: Probe) -> bool:
    return type(probe.domain).code is not Domain.code


def described_by(probe: Probe) -> tuple[str, ...]:
    """The methods that say something of actions; the agents of games ask neither."""
    if is_game(probe.domain):
        return ()
    return ("code",) * has_code(probe) + ("feature",) * bool(probe.domain.features)


def code_of(probe: Probe, place: Place, state: Any, action: Any) -> Any:
    code = probe.ask(place, "code", state, action)
    try:
        hash(code)
    except TypeError:
        raise Broken(
            "code-unhashable",
            f"{place}: the code {shown(code)} of {shown(action)} is a {type(code).__name__}, which has no hash; use "
            "numbers, strings or tuples",
        ) from None
    return code


def features_of(probe: Probe, place: Place, state: Any, action: Any) -> tuple[float, ...]:
    given, names = probe.ask(place, "feature", state, action), probe.domain.features
    if wrong := no_list(given):
        raise Broken("feature-not-a-list", f"{place}: feature returned {shown(given)} for {shown(action)}, {wrong}")
    values = probe.guard(place, "feature", list, given)
    if len(values) != len(names):
        raise Broken(
            "feature-count",
            f"{place}: feature returned {shown(given)} for {shown(action)}, and features names {', '.join(names)}; "
            "return a number for each of them, in this order",
        )
    for name, value in zip(names, values, strict=True):
        if isinstance(value, (str, bytes)) or not math.isfinite(number(value)):
            raise Broken(
                "feature-not-finite",
                f"{place}: feature gives {shown(value)} for {name} of {shown(action)}; return finite numbers "
                "everywhere",
            )
    return tuple(map(number, values))


def bits_of(values: Sequence[float]) -> bytes:
    return struct.pack(f"<{len(values)}d", *values)


# What is declared, and what is said on random walks.


def check_feature_names(probe: Probe) -> None:
    names = probe.guard(probe.name, "features", getattr, probe.domain, "features")
    if wrong := wrong_features(probe.name, names):
        raise Broken("features", wrong)
    for i, name in enumerate(names):
        if wrong := wrong_feature_name(name):
            raise Broken("features", f"{probe.name}.features has {shown(name)}; {wrong}")
        if name in names[:i]:
            raise Broken("features", f"{probe.name}.features has '{name}' twice; give every feature a name of its own")


def check_describing(
    probe: Probe, found: Findings, seen: Described, place: Place, state: Any, actions: list[Any]
) -> None:
    """What is said of the actions of one state; asked of copies, so that the walk goes on as it would."""
    for method in described_by(probe):
        with found.noting():
            copied = probe.copy(place, state)
            if method == "code":
                said = _steadily(probe, place, copied, actions, method, code_of)
                named = {"code": said}
            else:
                said = _steadily(probe, place, copied, actions, method, features_of)
                _check_size(probe, found, place, actions, said)
                named = {name: [values[i] for values in said] for i, name in enumerate(probe.domain.features)}
            if len(set(actions)) > 1:
                seen.states[method] = seen.states.get(method, 0) + 1
                seen.apart |= {name for name, values in named.items() if len(set(values)) > 1}


def _steadily(
    probe: Probe, place: Place, state: Any, actions: list[Any], method: str, ask: Callable[..., Any]
) -> list[Any]:
    """What it says of each action, if that changes nothing and is the same when it is asked again."""
    before = probe.look(place, state)
    first = [ask(probe, place, state, action) for action in actions]
    if change := before.change_to(probe.look(place, state)):
        raise Broken("looking-changes", f"{place}: calling {method} changes {change}; {STAYS}")
    for action, one in zip(actions, first, strict=True):
        other = ask(probe, place, state, action)
        if not _are_equal(probe, place, method, one, other):
            fresh = [ask(probe, place, probe.at(place), action) for _ in range(REPEATS)]
            if all(_are_equal(probe, place, method, fresh[0], again) for again in fresh):
                change = f"what it gives for {shown(action)} from {shown(one)} to {shown(other)}"
                raise Broken("looking-changes", f"{place}: calling {method} changes {change}; {STAYS}")
            raise Broken(
                f"{method}-varies",
                f"{place}: called twice, {method} gives {shown(one)} for {shown(action)}, then {shown(other)}; it must "
                "depend on the state and the action alone, and be equal each time",
            )
    return first


def _are_equal(probe: Probe, place: Place, method: str, one: Any, other: Any) -> bool:
    if method == "feature":
        return bits_of(one) == bits_of(other)
    return bool(probe.guard(place, method, lambda: bool(one == other)))


def _check_size(probe: Probe, found: Findings, place: Place, actions: list[Any], said: list[Any]) -> None:
    for action, values in zip(actions, said, strict=True):
        for name, value in zip(probe.domain.features, values, strict=True):
            if abs(value) > HUGE:
                found.warn(
                    "feature-huge",
                    f"{place}: feature gives {value:g} for {name} of {shown(action)}; a weight of 1 makes an action e "
                    "times as probable for each unit, so features are best of the size of one: divide by something "
                    "that is fixed for a problem",
                )


def check_telling_apart(probe: Probe, found: Findings, seen: Described) -> None:
    """Warn of what says the same of all actions, in all states with more than one that were seen."""
    if found.errors():
        return
    if seen.states.get("code") and "code" not in seen.apart:
        found.warn(
            "code-same",
            f"{probe.name}: code gives the same for all actions of a state (in {seen.states['code']} states with more "
            "than one), so that there is nothing to learn; return what tells them apart, or leave out the method code",
        )
    names = [name for name in probe.domain.features if name not in seen.apart]
    if seen.states.get("feature") and names:
        found.warn(
            "feature-same",
            f"{probe.name}: feature gives the same for all actions of a state as {', '.join(names)} (in "
            f"{seen.states['feature']} states with more than one); guided(…) goes by differences between actions, so "
            "let it say something of the action, or leave it out",
        )

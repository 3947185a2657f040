"""The checks on domains in which chance has a say.

A check plays with chance that follows from the place alone (`Probe.chance`): what is drawn from it is the same each
time, and what is drawn elsewhere shows as it does in a domain without chance.
"""

import inspect
from collections.abc import Callable
from typing import Any

from domains.check.probing import Broken, Findings, Look, Place, Probe
from domains.saying import shown


def check_stochastic(probe: Probe) -> None:
    """What `stochastic` says, and that `play` takes a generator where it must."""
    stochastic = probe.guard(probe.name, "stochastic", getattr, probe.domain, "stochastic")
    if not isinstance(stochastic, bool):
        raise Broken(
            "stochastic",
            f"{probe.name}.stochastic is {shown(stochastic)}; set it to True if chance has a say in where an action "
            "leads, or leave it out",
        )
    if stochastic and len(probe.domain.roles) > 1:
        raise Broken("stochastic", f"{probe.name} is stochastic and has several roles; no search plays such games")
    if takes(probe.domain.play, 2 + stochastic) or not takes(probe.domain.play, 3 - stochastic):
        return
    if stochastic:
        raise Broken(
            "stochastic",
            f"{probe.name} is stochastic, and its play takes no generator; write play(self, state, action, random), "
            "and draw from random alone",
        )
    raise Broken(
        "stochastic",
        f"{probe.name}.play takes three arguments; set stochastic = True if the third is what it draws chance from, "
        "else write play(self, state, action)",
    )


def takes(function: Any, arguments: int) -> bool:
    """Whether a function can be called with so many; True where nobody knows."""
    try:
        inspect.signature(function).bind(*[None] * arguments)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def check_same_actions(probe: Probe, place: Place, state: Any) -> None:
    """A search knows a state by the actions that led to it, so all of a problem must list the same."""
    if not probe.domain.stochastic or probe.is_final(place, state):
        return
    actions = probe.actions(place, state)
    first = probe.first_actions.setdefault(place.problem, actions)
    if actions != first:
        raise Broken(
            "actions-differ",
            f"{place}: actions lists {shown(actions)}, and {shown(first)} in the initial state; where chance has a say "
            "all unfinished states list the same actions in the same order, and what cannot be done changes nothing",
        )


def check_draws(probe: Probe, found: Findings) -> None:
    """Warn of chance that was never asked: it does not exist, or comes from elsewhere, which a search would foresee."""
    if probe.domain.stochastic and probe.played and not probe.drew:
        found.warn(
            "no-chance",
            f"{probe.name} is stochastic, and its play never drew from its argument random; leave stochastic out, or "
            "draw there: a generator in the state is copied with it, and a search on the copy foresees the future",
        )


def check_later_encoding(compiled: Any, end: Place, disagreement: Callable[[Look, Look], Any]) -> None:
    """A state on the way can be encoded, too: searches start from there. `disagreement` is that of `kernels.py`."""
    probe = compiled.probe
    state = probe.initial(end.problem)
    for place, action in end.steps():
        look = probe.look(place, state)
        problem, encoded = compiled.encode(place, state)
        if differing := disagreement(look, compiled.look(place, encoded, problem, look)):
            method = differing[0].method
            raise Broken(
                "encode",
                f"{place}: kernels.{method} says otherwise of what encode makes of this state than {method}; where "
                "chance has a say a search may start anywhere",
            )
        state = probe.play(place, state, action)

"""What both engines mean alike, and with them the tuners and exported programs: numbers, and which part of an
expression looks at which."""

from collections.abc import Mapping, Sequence
from typing import Any

from mcsgrammar.language.expressions import Component, Repeat, Select, Step, Tune
from mcsgrammar.language.parameters import Choice, Interval

FOR_EVER = 2**63 - 1
"""More evaluations than anybody has."""

LARGEST = 1.7976931348623157e308
"""The largest float: no C is worth more."""

UNSEEN = 1.0
"""The worth of what never occurred: the highest there is, so that it is tried."""

LOWEST_ODDS = 1e-200
"""Where the odds exp((Q - 1) / tau) of all legal actions come to less than this together, Gibbs sampling takes them
beside the highest: exp((Q - highest) / tau)."""

HIGHEST_WEIGHT = 300.0
"""Weights that `adapt` learns lie between minus this and this: exp of it is finite, and so is any sum of such."""

BELOW_LOCAL_ROOT_2013 = 0.5
BOUND_2013 = 1e30
"""The rules `maes2013`: C holds at the local root only, this one below it; rewards are not clipped to [0, 1] but kept
within plus and minus this, so that sums of them stay finite. (The third, of the moves that a step commits unsearched,
needs no number.)"""


def clipped(reward: float) -> float:
    """What the statistics inside the search take a reward for."""
    return min(max(reward, 0.0), 1.0)


def first_settings(part: Component) -> dict[str, Any]:
    """The parameters of a component; an open one has the first of its values until it is chosen."""
    settings = part.settings()
    for name, value in settings.items():
        if isinstance(value, Choice):
            settings[name] = value.values[0]
        elif isinstance(value, Interval):
            settings[name] = value.low
    return settings


def cutting_select(parts: Sequence[Component]) -> Select | None:
    """The select whose descent counts into the length at which its playouts are cut off: the one around the simulate
    with nothing but repeat and tune between."""
    for part in reversed(parts[:-1]):
        if isinstance(part, Select):
            return part
        if not isinstance(part, Repeat | Tune):
            return None
    return None


def committing_select(step: Step) -> Select | None:
    """The select at whose root a commit rule looks."""
    below = step.component
    while isinstance(below, Repeat | Tune):
        below = below.component
    return below if isinstance(below, Select) else None


def cut_after(settings: Mapping[str, Any]) -> float:
    """The number of actions after which a playout is cut off; inf: never."""
    return float(settings["depth"])

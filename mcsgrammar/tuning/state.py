"""What a compiled tuner knows: numbers and lists, by name, in one flat array.

    tuner.kept           a number: of NUMBERS
    tuner.mean[pair]     an item of a list: of LISTS, which are declared by what they have an item for

The array opens with all numbers and the places at which the lists begin. Floats lie among the whole numbers, which are
as wide. Several tuners lie one after the other in the array that the machine is handed.

`TunerState` is a tuner for Python, `state_kernels.py` makes it one for compiled functions.

Glossary
    pair   one value of one parameter; the pairs of a parameter lie side by side
    arm    a combination that the tuner was told about, or that `mab` may choose
    key    the number of a combination among all, see `Space.key`
    work   what lsi and ea work on: a pass, candidates, a population
"""

from typing import Any

import numpy as np

from mcsgrammar.language.parameters import Count, declaration, parameters_of
from mcsgrammar.language.tuners import TUNERS

KINDS = {name: number for number, name in enumerate(TUNERS)}

SETTINGS: dict[str, type] = {
    f.name: int if isinstance(declaration(f).kind, Count) else float for t in TUNERS.values() for f in parameters_of(t)
}
"""The parameters of all tuners; each has its own of them."""

NATURE = ("kind", "in_python", "combinations")
"""`in_python`: whether the compiled engine leaves choosing to Python. `combinations`: all, legal or not."""
ROOMS = ("parameters", "pairs", "work_room", "work_slots_room", "arm_room", "arm_slots_room", "block_room")
"""How many items lists have."""
PROGRESS = ("kept", "updates", "invocations", "evaluations_before", "evaluations_spent", "expected", "ready", "arms")
"""`kept`: invocations with the combination at hand; `rewards` sums up theirs. `expected`: how often it will be asked,
-1: not known. `ready`, where Python chooses: HAS_CHOSEN, or TO_BE_TOLD."""
WORK = ("phase", "place", "count", "passes", "samples", "turns")
"""Of lsi and ea. `place` in the pass, turn or generation, `count`: its length. `samples` of a round."""
NUMBERS: dict[str, type] = SETTINGS | {"rewards": float} | dict.fromkeys(NATURE + ROOMS + PROGRESS + WORK, int)
HAS_CHOSEN, TO_BE_TOLD = 1, 2
TO_BE_SAID = 2**62
"""As `expected`: it will be known after the first search of a match. Where it is -1, the tuner finds out by itself."""

WHOLE_LISTS: dict[str, tuple[str, ...]] = {
    "parameters": ("frame", "column", "first_pair", "size", "master", "off", "dependent", "stride", "chosen", "spare"),
    "pairs": ("whole_value", "visits"),
    "work_room": ("work_pair", "work_key", "work_visits", "order", "spare_order"),
    "work_slots_room": ("work_slots",),
    "arm_room": ("arm_key", "arm_visits", "arm_since"),
    "arm_slots_room": ("arm_slots",),
}
"""`master`: the parameter that makes this one meaningless, or -1, by taking the value `off`; `dependent`: the other way
round. `stride`: what a step of its value adds to the key. `chosen`, `spare`: combinations, -1 for what is not chosen
yet. `arm_since`: the number of updates when it was told of first."""
REAL_LISTS: dict[str, tuple[str, ...]] = {
    "pairs": ("real_value", "total", "mean", "spread"),
    "work_room": ("work_total",),
    "arm_room": ("arm_total", "arm_mean", "arm_spread"),
    "block_room": ("block_mean", "block_spread"),
}
LISTS = {
    name: (kind, room)
    for kind, lists in ((int, WHOLE_LISTS), (float, REAL_LISTS))
    for room, names in lists.items()
    for name in names
}
"""What each holds, and the number that says how many. The slots are those in which `means_kernels.find` finds a key."""

PLACES = {name: place for place, name in enumerate([*NUMBERS, *LISTS])}

REPETITIONS_COLUMN = -1
"""Where an open N goes: not among the settings, which are floats."""

BLOCK = 64
"""Arms whose largest mean and spread are known together."""


class TunerState:
    """A tuner for Python: its numbers and lists are attributes."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array

    def __getattr__(self, name: str) -> Any:
        if name in NUMBERS:
            return self.array.view(NUMBERS[name])[PLACES[name]].item()
        if name not in LISTS:
            raise AttributeError(name)
        kind, room = LISTS[name]
        first = self.array[PLACES[name]]
        return self.array.view(kind)[first : first + self.array[PLACES[room]]]

    def __setattr__(self, name: str, value: Any) -> None:
        if name in NUMBERS:
            self.array.view(NUMBERS[name])[PLACES[name]] = value
        else:
            super().__setattr__(name, value)

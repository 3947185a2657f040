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

NUMBERS: dict[str, type] = SETTINGS | {
    # what it is
    "kind": int,
    "in_python": int,  # whether the compiled engine leaves choosing to Python
    "combinations": int,  # all, legal or not
    # how many items lists have
    "parameters": int,
    "pairs": int,
    "work_room": int,
    "work_slots_room": int,
    "arm_room": int,
    "arm_slots_room": int,
    "block_room": int,
    # what it has done
    "kept": int,  # invocations with the combination at hand
    "rewards": float,  # of these, summed up
    "updates": int,
    "invocations": int,
    "evaluations_before": int,
    "evaluations_spent": int,
    "expected": int,  # how often it will be asked, -1: not known
    "ready": int,  # where Python chooses: HAS_CHOSEN, or TO_BE_TOLD
    "arms": int,
    # lsi and ea: where they are
    "phase": int,
    "place": int,  # in the pass, turn or generation …
    "count": int,  # … of this length
    "passes": int,
    "samples": int,  # of a round
    "turns": int,
}
HAS_CHOSEN, TO_BE_TOLD = 1, 2

BY_PARAMETER: dict[str, type] = {
    "frame": int,
    "column": int,
    "first_pair": int,
    "size": int,
    "master": int,  # the parameter that makes this one meaningless, or -1 …
    "off": int,  # … by taking this value
    "dependent": int,  # the other way round
    "stride": int,  # what a step of its value adds to the key
    "chosen": int,  # combinations, -1 for what is not chosen yet
    "spare": int,
}
BY_PAIR: dict[str, type] = {
    "whole_value": int,
    "real_value": float,
    "visits": int,
    "total": float,
    "mean": float,
    "spread": float,
}
BY_WORK: dict[str, type] = {
    "work_pair": int,
    "work_key": int,
    "work_visits": int,
    "work_total": float,
    "order": int,
    "spare_order": int,
}
BY_ARM: dict[str, type] = {
    "arm_key": int,
    "arm_visits": int,
    "arm_since": int,  # the number of updates when it was told of first
    "arm_total": float,
    "arm_mean": float,
    "arm_spread": float,
}
BY_ROOM: dict[str, dict[str, type]] = {
    "parameters": BY_PARAMETER,
    "pairs": BY_PAIR,
    "work_room": BY_WORK,
    "work_slots_room": {"work_slots": int},
    "arm_room": BY_ARM,
    "arm_slots_room": {"arm_slots": int},
    "block_room": {"block_mean": float, "block_spread": float},
}
LISTS = {name: (kind, room) for room, names in BY_ROOM.items() for name, kind in names.items()}
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

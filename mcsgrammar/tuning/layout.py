"""The array of a compiled tuner: made, and made larger."""

import math
from typing import Any

import numpy as np

from mcsgrammar.engines.compiled.means_kernels import refill
from mcsgrammar.language.expressions import Component, Tune
from mcsgrammar.language.parameters import parameters_of
from mcsgrammar.tuning.making import DEFINITIONS, expected_choices
from mcsgrammar.tuning.nmc import FPU
from mcsgrammar.tuning.space import Space
from mcsgrammar.tuning.state import BLOCK, KINDS, LISTS, PLACES, TunerState

FIRST_ARMS = 256


def new_tuner(
    tune: Tune,
    space: Space,
    parts: tuple[Component, ...],
    column_of: Any,
    budget: int | None,
    evaluations: int | None,
) -> TunerState:
    """A tuner before `start`. `evaluations` are those of an invocation, where they are fixed."""
    settings = tune.tuner
    definition = DEFINITIONS[type(settings)]
    header = TunerState(np.zeros(len(PLACES), np.int64))
    numbers: dict[str, Any] = {f.name: getattr(settings, f.name) for f in parameters_of(settings)}
    numbers |= {
        "kind": KINDS[settings.name],
        "in_python": definition.in_python,
        "combinations": math.prod(space.sizes),
        "parameters": len(space.parameters),
        "pairs": sum(space.sizes),
        "work_room": 1,
        "arm_room": 1,
        "expected": -1,
    }
    numbers |= definition.twin_numbers(settings, space)
    for name, number in numbers.items():
        setattr(header, name, number)
    header.arm_room = max(FIRST_ARMS, _power_of_two(header.arm_room))
    if budget is not None and evaluations is not None:
        header.expected = expected_choices(budget, evaluations, header.b)
    tuner = _with_lists(header)
    _describe(tuner, space, parts, column_of)
    tuner.mean[:] = FPU
    return tuner


def _with_lists(header: TunerState) -> TunerState:
    """A tuner with these numbers and room for its lists."""
    header.work_slots_room, header.arm_slots_room = _power_of_two(2 * header.work_room), 2 * header.arm_room
    header.block_room = header.arm_room // BLOCK
    end = len(PLACES)
    for name, (_, room) in LISTS.items():
        header.array[PLACES[name]] = end
        end += getattr(header, room)
    return TunerState(np.concatenate([header.array, np.zeros(end - len(PLACES), np.int64)]))


def _power_of_two(number: int) -> int:
    """The next that is not less."""
    return 1 << (number - 1).bit_length()


def _describe(tuner: TunerState, space: Space, parts: tuple[Component, ...], column_of: Any) -> None:
    """Write down the parameters and their values."""
    for each in (tuner.master, tuner.off, tuner.dependent, tuner.chosen, tuner.spare):
        each[:] = -1
    pair = 0
    for number, parameter in enumerate(space.parameters):
        tuner.frame[number] = parameter.part + 1
        tuner.column[number], codes = column_of(parts[parameter.part], parameter.name)
        tuner.first_pair[number], tuner.size[number] = pair, space.sizes[number]
        tuner.stride[number] = math.prod(space.sizes[number + 1 :])
        if parameter.master is not None and parameter.off is not None:
            tuner.master[number], tuner.off[number] = parameter.master, parameter.off
            tuner.dependent[parameter.master] = number
        for value in parameter.values:
            number_of_value = codes[value] if isinstance(value, str) else value
            tuner.real_value[pair] = number_of_value
            tuner.whole_value[pair] = number_of_value if isinstance(number_of_value, int) else 0
            pair += 1


def with_room_for_arms(tuner: TunerState) -> TunerState:
    """The tuner, with room for twice the arms if all room is taken."""
    if tuner.arms < tuner.arm_room:
        return tuner
    header = TunerState(tuner.array[: len(PLACES)].copy())
    header.arm_room *= 2
    larger = _with_lists(header)
    for name in LISTS:
        if name != "arm_slots":
            old = getattr(tuner, name)
            getattr(larger, name)[: len(old)] = old
    refill(larger.arm_slots, larger.arm_slots_room - 1, larger.arm_key, larger.arms)
    return larger

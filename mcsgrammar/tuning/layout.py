"""The arrays of the compiled tuners: two a tuner, one of whole numbers and one of floats.

Both begin with a header. In the header of the whole numbers stand, after the tuner's own numbers, the places at which
the sections of both arrays begin; `section(whole, CHOSEN)` is what follows one of them.

Glossary
    pair   one value of one parameter; the pairs of a parameter lie side by side
    arm    a combination that the tuner was told about, or that `mab` may choose
    key    the number of a combination among all, see `Space.key`
    work   what lsi and ea work on: a pass, candidates, a population
"""

import math
from typing import Any

import numpy as np

from mcsgrammar.language.expressions import Component, Tune
from mcsgrammar.language.parameters import own_parameters
from mcsgrammar.language.tuners import (
    Cmaes,
    EvolutionaryAlgorithm,
    LinearSideInformation,
    Mab,
    NaiveMonteCarlo,
    Ntbea,
    RandomTuner,
    Tuner,
)
from mcsgrammar.tuning.lsi import draws_of
from mcsgrammar.tuning.making import expected_choices
from mcsgrammar.tuning.nmc import FPU
from mcsgrammar.tuning.space import Space

T_RANDOM, T_MAB, T_NMC, T_LSI, T_EA, T_NTBEA, T_CMAES = range(7)
KINDS: dict[type[Tuner], int] = {
    RandomTuner: T_RANDOM,
    Mab: T_MAB,
    NaiveMonteCarlo: T_NMC,
    LinearSideInformation: T_LSI,
    EvolutionaryAlgorithm: T_EA,
    Ntbea: T_NTBEA,
    Cmaes: T_CMAES,
}

# The header of the whole numbers: what the tuner is …
KIND, PARAMETERS, PAIRS, KEPT_FOR, SIZE, ELITE, COMBINATIONS = range(7)
"""SIZE: x of ntbea, lambda of ea, k of lsi. ELITE: mu of ea. COMBINATIONS: all, legal or not."""
# … what it has done …
KEPT, UPDATES, INVOCATIONS, EVALUATIONS_BEFORE, EVALUATIONS_SPENT, EXPECTED, READY, ARMS = range(7, 15)
"""KEPT: invocations with the combination at hand. EXPECTED: how often it will be asked, -1: not known. READY, for
cmaes: 1 when Python has chosen, 2 when it is to be told the reward."""
PHASE, PLACE, COUNT, PASSES, SAMPLES, TURNS = range(15, 21)
"""PHASE, PASSES, SAMPLES (a round's), TURNS: of lsi. PLACE: in the pass, turn or generation. COUNT: its length."""
# … and where the sections begin. By parameter:
FRAME, COLUMN, VALUES, MASTER, OFF, DEPENDENT, STRIDE, CHOSEN, SPARE = range(21, 30)
"""VALUES: the first pair; one entry more ends the last. MASTER: the parameter that makes this one meaningless, or -1,
by taking the value OFF. DEPENDENT: the other way round. STRIDE: what a step of its value adds to the key. CHOSEN,
SPARE: combinations, -1 for what is not chosen yet."""
# By pair:
WHOLE_VALUE, VISITS = range(30, 32)
# By place in the work, then by arm, each followed by the slots in which a key is found:
WORK_PAIR, WORK_KEY, WORK_VISITS, ORDER, SPARE_ORDER, WORK_SLOTS = range(32, 38)
ARM_KEY, ARM_VISITS, ARM_SINCE, ARM_SLOTS = range(38, 42)
"""ARM_SINCE: the number of updates when it was told of first."""
# Of the floats, by pair, by place in the work, by arm, by block of arms:
REAL_VALUE, TOTAL, MEAN, SPREAD = range(42, 46)
WORK_TOTAL = 46
ARM_TOTAL, ARM_MEAN, ARM_SPREAD, BLOCK_MEAN, BLOCK_SPREAD = range(47, 52)
# How long they are:
WORK_ROOM, ARM_ROOM = range(52, 54)
WHOLE_HEADER = 54

# The header of the floats.
REWARDS, FIRST, SECOND, THIRD = range(4)
"""REWARDS: of the invocations with the combination at hand, summed up. The others are settings: eps0, c_l, c_g of nmc;
c, fpu of mab; share of lsi; p_cross of ea; c of ntbea."""
REAL_HEADER = 4

REPETITIONS_COLUMN = -1
"""Where an open N goes: not among the settings, which are floats."""

BLOCK = 64
"""Arms whose largest mean and spread are known together."""
FIRST_ARMS = 256

BY_ARM = (ARM_KEY, ARM_VISITS, ARM_SINCE)
BY_ARM_REAL = (ARM_TOTAL, ARM_MEAN, ARM_SPREAD)
BY_BLOCK = (BLOCK_MEAN, BLOCK_SPREAD)


def new_tuner(
    tune: Tune,
    space: Space,
    parts: tuple[Component, ...],
    column_of: Any,
    budget: int | None,
    evaluations: int | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Both arrays of a tuner, before `start`. `evaluations` are those of an invocation, where they are fixed."""
    tuner, settings = tune.tuner, own_parameters(tune.tuner)
    d, pairs = len(space.parameters), sum(space.sizes)
    own = {
        KIND: KINDS[type(tuner)],
        PARAMETERS: d,
        PAIRS: pairs,
        KEPT_FOR: settings["b"],
        COMBINATIONS: math.prod(space.sizes),
        EXPECTED: -1,
    }
    real: list[Any] = [0.0]
    work, arms = 1, FIRST_ARMS
    match tuner:
        case Mab():
            real += settings["c"], settings["fpu"]
            while arms < space.legal_count:
                arms *= 2
        case NaiveMonteCarlo():
            real += settings["eps0"], settings["c_l"], settings["c_g"]
        case LinearSideInformation():
            real.append(settings["share"])
            own[SIZE] = draws_of(tuner, d)
            work = max(pairs, min(own[SIZE], space.legal_count))
        case EvolutionaryAlgorithm():
            real.append(settings["p_cross"])
            own[SIZE], own[ELITE] = settings["lambda"], settings["mu"]
            work = own[SIZE]
        case Ntbea():
            real.append(settings["c"])
            own[SIZE] = settings["x"]
    if budget is not None and evaluations is not None:
        own[EXPECTED] = expected_choices(budget, evaluations, settings["b"])
    whole = np.zeros(WHOLE_HEADER, np.int64)
    for place, number in own.items():
        whole[place] = number
    whole[WORK_ROOM], whole[ARM_ROOM] = work, arms
    _place_sections(whole)
    whole = np.concatenate([whole, np.zeros(whole_length(whole) - WHOLE_HEADER, np.int64)])
    floats = np.zeros(real_length(whole))
    floats[: len(real)] = real
    _describe(whole, floats, space, parts, column_of)
    section(floats, whole, MEAN)[:pairs] = FPU
    return whole, floats


def section(array: np.ndarray, whole: np.ndarray, name: int) -> np.ndarray:
    return array[whole[name] :]


def _lengths(whole: np.ndarray) -> tuple[dict[int, int], dict[int, int]]:
    """How long every section is, in the order in which they lie; those that grow come last."""
    d, pairs, work, arms = (int(whole[place]) for place in (PARAMETERS, PAIRS, WORK_ROOM, ARM_ROOM))
    wholes = dict.fromkeys((FRAME, COLUMN, MASTER, OFF, DEPENDENT, STRIDE, CHOSEN, SPARE), d) | {VALUES: d + 1}
    wholes |= dict.fromkeys((WHOLE_VALUE, VISITS), pairs)
    wholes |= dict.fromkeys((WORK_PAIR, WORK_KEY, WORK_VISITS, ORDER, SPARE_ORDER), work)
    wholes |= {WORK_SLOTS: slots_for(work)} | dict.fromkeys(BY_ARM, arms) | {ARM_SLOTS: slots_for(arms)}
    reals = dict.fromkeys((REAL_VALUE, TOTAL, MEAN, SPREAD), pairs) | {WORK_TOTAL: work}
    reals |= dict.fromkeys(BY_ARM_REAL, arms) | dict.fromkeys(BY_BLOCK, arms // BLOCK)
    return wholes, reals


def slots_for(entries: int) -> int:
    """Twice as many, rounded up to a power of two."""
    return 1 << (2 * entries - 1).bit_length()


def _place_sections(whole: np.ndarray) -> None:
    for lengths, header in zip(_lengths(whole), (WHOLE_HEADER, REAL_HEADER), strict=True):
        place = header
        for name, length in lengths.items():
            whole[name] = place
            place += length


def whole_length(whole: np.ndarray) -> int:
    return WHOLE_HEADER + sum(_lengths(whole)[0].values())


def real_length(whole: np.ndarray) -> int:
    return REAL_HEADER + sum(_lengths(whole)[1].values())


def _describe(
    whole: np.ndarray, floats: np.ndarray, space: Space, parts: tuple[Component, ...], column_of: Any
) -> None:
    """Write down the parameters and their values."""
    sections = {name: section(whole, whole, name) for name in range(FRAME, SPARE + 1)}
    for name in (MASTER, OFF, DEPENDENT, CHOSEN, SPARE):
        sections[name][: len(space.parameters)] = -1
    pair = 0
    for number, parameter in enumerate(space.parameters):
        sections[FRAME][number] = parameter.part + 1
        sections[COLUMN][number], codes = column_of(parts[parameter.part], parameter.name)
        sections[VALUES][number] = pair
        sections[STRIDE][number] = math.prod(space.sizes[number + 1 :])
        if parameter.master is not None and parameter.off is not None:
            sections[MASTER][number], sections[OFF][number] = parameter.master, parameter.off
            sections[DEPENDENT][parameter.master] = number
        for value in parameter.values:
            number_of_value = codes[value] if isinstance(value, str) else value
            floats[whole[REAL_VALUE] + pair] = number_of_value
            whole[whole[WHOLE_VALUE] + pair] = number_of_value if isinstance(number_of_value, int) else 0
            pair += 1
    sections[VALUES][len(space.parameters)] = pair


def with_more_arms(whole: np.ndarray, real: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both arrays with room for twice the arms; the slots of the arms are still empty."""
    larger = whole[:WHOLE_HEADER].copy()
    larger[ARM_ROOM] *= 2
    _place_sections(larger)
    larger = np.concatenate([larger, np.zeros(whole_length(larger) - WHOLE_HEADER, np.int64)])
    larger_real = np.zeros(real_length(larger))
    larger_real[:REAL_HEADER] = real[:REAL_HEADER]
    for lengths, old, new in zip(_lengths(whole), (whole, real), (larger, larger_real), strict=True):
        for name, length in lengths.items():
            if name != ARM_SLOTS:
                new[larger[name] : larger[name] + length] = old[whole[name] : whole[name] + length]
    return larger, larger_real

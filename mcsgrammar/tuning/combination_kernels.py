"""The compiled twin of `space.py`: combinations, drawn and changed."""

import numpy as np

from domains.kernels import below, njit
from mcsgrammar.tuning.state import TunerState


@njit
def is_feasible(tuner: TunerState, combination: np.ndarray, p: int, value: int) -> bool:
    master, q = tuner.master[p], tuner.dependent[p]
    if master >= 0 and combination[master] == tuner.off[p]:
        return value == 0
    return bool(q < 0 or combination[q] <= 0 or value != tuner.off[q])


@njit
def is_legal(tuner: TunerState, combination: np.ndarray) -> bool:
    for p in range(tuner.parameters):
        master = tuner.master[p]
        if master >= 0 and combination[master] == tuner.off[p] and combination[p] != 0:
            return False
    return True


@njit
def key_of_combination(tuner: TunerState, combination: np.ndarray) -> np.int64:
    key = np.int64(0)
    for p in range(tuner.parameters):
        key += tuner.stride[p] * combination[p]
    return key


@njit
def read_combination(tuner: TunerState, key: int, combination: np.ndarray) -> None:
    for p in range(tuner.parameters):
        combination[p] = key // tuner.stride[p]
        key -= combination[p] * tuner.stride[p]


@njit
def draw_combination(tuner: TunerState, random: np.ndarray, combination: np.ndarray, fixed: int, value: int) -> None:
    """A legal combination, all alike, with the parameter `fixed`, if it is one, at `value`."""
    while True:
        for p in range(tuner.parameters):
            combination[p] = value if p == fixed else below(random, tuner.size[p])
        if is_legal(tuner, combination):
            return


@njit
def draw_feasible(tuner: TunerState, random: np.ndarray, combination: np.ndarray, p: int) -> np.int64:
    """A feasible value of p."""
    n = np.int64(0)
    for value in range(tuner.size[p]):
        n += is_feasible(tuner, combination, p, value)
    left = below(random, n)
    for value in range(tuner.size[p]):
        if is_feasible(tuner, combination, p, value):
            if left == 0:
                return np.int64(value)
            left -= 1
    return np.int64(0)


@njit
def mutate(tuner: TunerState, random: np.ndarray, combination: np.ndarray) -> None:
    p = np.int64(below(random, tuner.parameters))
    if tuner.master[p] >= 0:
        p = np.int64(tuner.master[p])
    dependent = tuner.dependent[p]
    if dependent < 0:
        combination[p] = below(random, tuner.size[p])
        return
    # The legal pairs in order: all values of the dependent with each of p, but with OFF the first alone.
    values, alone = tuner.size[dependent], tuner.off[dependent] * tuner.size[dependent]
    pair = np.int64(below(random, (tuner.size[p] - 1) * values + 1))
    if pair > alone:
        pair += values - 1
    combination[p], combination[dependent] = pair // values, pair % values

"""The rules of `domains/statespace.py`, compiled.

A state is one uint64 array: the number of ways taken, and the path as a number in base 4 whose digits are the ways
less 1: path 413 is 3 * 16 + 0 * 4 + 2.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from domains.kernels import Kernels, below, njit, njit_inline
from domains.statespace import LENGTH, VALUES, WAYS, Path

TAKEN, CODE = 0, 1
_ONE = np.uint64(1)
_WAYS, _LENGTH = np.uint64(WAYS), np.uint64(LENGTH)
BITS_PER_WAY = 2


def code_of(ways: Iterable[int]) -> int:
    code = 0
    for way in ways:
        code = code * WAYS + way - 1
    return code


LONGEST_FIRST = sorted(VALUES, key=len, reverse=True)
REST_BITS = np.array([BITS_PER_WAY * (LENGTH - len(listed)) for listed in LONGEST_FIRST], np.uint64)
"""How many bits of a whole path follow on each listed path."""
LISTED_CODES = np.array([code_of(map(int, listed)) for listed in LONGEST_FIRST], np.uint64)
REWARDS = np.array([VALUES[listed] / 100 for listed in LONGEST_FIRST])

NO_PROBLEM = np.zeros(1, np.uint64)
NO_PROBLEM.setflags(write=False)


def encoded(path: Path) -> tuple[np.ndarray, np.ndarray]:
    return NO_PROBLEM, np.array([len(path), code_of(path)], np.uint64)


@njit
def actions(state: Any, problem: Any, out: Any) -> int:
    if state[TAKEN] == _LENGTH:
        return 0
    for way in range(1, WAYS + 1):
        out[way - 1] = way
    return WAYS


@njit
def play(state: Any, problem: Any, action: Any) -> None:
    state[TAKEN] += _ONE
    state[CODE] = state[CODE] * _WAYS + np.uint64(action) - _ONE


@njit
def is_final(state: Any, problem: Any) -> bool:
    return bool(state[TAKEN] == _LENGTH)


@njit
def reward(state: Any, problem: Any) -> float:
    for i in range(len(LISTED_CODES)):
        if state[CODE] >> REST_BITS[i] == LISTED_CODES[i]:
            return float(REWARDS[i])
    return 0.0


@njit
def playout(state: Any, problem: Any, random: Any, sequence: Any, length: int, limit: int) -> int:
    taken, code = state[TAKEN], state[CODE]
    while length < limit and taken != _LENGTH:
        choice = below(random, WAYS)
        sequence[length] = np.int32(choice + 1)
        length += 1
        taken += _ONE
        code = code * _WAYS + np.uint64(choice)
    state[TAKEN], state[CODE] = taken, code
    return length


@njit_inline
def code(state: np.ndarray, problem: np.ndarray, action: int) -> np.int64:
    return np.int64(state[TAKEN]) << 3 | np.int64(action)


KERNELS = Kernels(actions, play, is_final, reward, playout, code)

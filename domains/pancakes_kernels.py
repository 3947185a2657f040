"""The rules of `domains/pancakes.py`, compiled.

A state is one uint64 array: the stack as eight hexadecimal digits, the top pancake the lowest one, and the number of
flips. The stack 6 1 7 5 3 8 4 2 is 0x24835716.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from domains.kernels import Kernels, below, njit, njit_inline
from domains.pancakes import MOST_FLIPS, PANCAKES, SCORES, SORTED

STACK, FLIPS = 0, 1
_ONE, _4, _8, _16 = (np.uint64(n) for n in (1, 4, 8, 16))
_PANCAKES, _MOST_FLIPS = np.uint64(PANCAKES), np.uint64(MOST_FLIPS)
LOW_DIGITS, LOW_BYTES, LOW_HALF = (np.uint64(n) for n in (0x0F0F0F0F, 0x00FF00FF, 0x0000FFFF))
REWARDS = np.array([score / 100 for score in SCORES])

NO_PROBLEM = np.zeros(1, np.uint64)
NO_PROBLEM.setflags(write=False)


def packed(stack: Sequence[int]) -> int:
    return sum(size << 4 * place for place, size in enumerate(stack))


SORTED_STACK = np.uint64(packed(SORTED))


def encoded(stack: Sequence[int], flips: int) -> tuple[np.ndarray, np.ndarray]:
    return NO_PROBLEM, np.array([packed(stack), flips], np.uint64)


@njit
def flipped(stack: Any, k: Any) -> Any:
    """All eight digits reversed, by halves, then the first k of them back on top of the rest."""
    turned = ((stack & LOW_HALF) << _16) | (stack >> _16)
    turned = ((turned & LOW_BYTES) << _8) | ((turned >> _8) & LOW_BYTES)
    turned = ((turned & LOW_DIGITS) << _4) | ((turned >> _4) & LOW_DIGITS)
    width = k * _4
    return (turned >> ((_PANCAKES - k) * _4)) | (stack >> width << width)


@njit
def actions(state: Any, problem: Any, out: Any) -> int:
    if is_final(state, problem):
        return 0
    for k in range(1, PANCAKES + 1):
        out[k - 1] = k
    return PANCAKES


@njit
def play(state: Any, problem: Any, action: Any) -> None:
    state[STACK] = flipped(state[STACK], np.uint64(action))
    state[FLIPS] += _ONE


@njit
def is_final(state: Any, problem: Any) -> bool:
    return bool((state[STACK] == SORTED_STACK) | (state[FLIPS] == _MOST_FLIPS))


@njit
def reward(state: Any, problem: Any) -> float:
    return float(REWARDS[state[FLIPS]]) if state[STACK] == SORTED_STACK else 0.0


@njit
def playout(state: Any, problem: Any, random: Any, sequence: Any, length: int, limit: int) -> int:
    stack, flips = state[STACK], state[FLIPS]
    while length < limit and stack != SORTED_STACK and flips != _MOST_FLIPS:
        k = below(random, PANCAKES) + 1
        sequence[length] = np.int32(k)
        length += 1
        stack = flipped(stack, np.uint64(k))
        flips += _ONE
    state[STACK], state[FLIPS] = stack, flips
    return length


@njit_inline
def code(state: np.ndarray, problem: np.ndarray, action: int) -> np.int64:
    return np.int64(state[FLIPS]) << 4 | np.int64(action)


KERNELS = Kernels(actions, play, is_final, reward, playout, code)

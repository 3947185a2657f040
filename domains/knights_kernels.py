"""The rules of `domains/knights.py`, compiled.

A state is one uint64 array of two sets of squares and a flag: the knights, what they attack, and whether two of them
attack each other (1 or 0).
"""

from typing import Any

import numpy as np

from domains.bits import nth_set_bit, popcount
from domains.kernels import Kernels, below, njit
from domains.knights import ATTACKED, SCORES, SIDE, SQUARES, Board, clashes

KNIGHTS, ATTACKS, OVER = 0, 1, 2
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_SQUARES = np.uint64(SQUARES)
ATTACKED_FROM = np.array([sum(1 << target for target in targets) for targets in ATTACKED], np.uint64)
_RANK = np.uint64((1 << SIDE) - 1)
EMPTY_FILES = np.array(
    [[i for i in range(SIDE) if row >> i & 1] + [0] * (SIDE - row.bit_count()) for row in range(256)]
)
EMPTY_FILES = EMPTY_FILES.astype(np.int32)
"""By the bits of a rank: which are set, and what fills up the row."""
REWARDS = np.array([score / 100 for score in SCORES])

NO_PROBLEM = np.zeros(1, np.uint64)
NO_PROBLEM.setflags(write=False)


def encoded(board: Board) -> tuple[np.ndarray, np.ndarray]:
    words = [0, 0, int(bool(clashes(board)))]
    for square in board:
        words[KNIGHTS] |= 1 << square
        for target in ATTACKED[square]:
            words[ATTACKS] |= 1 << target
    return NO_PROBLEM, np.array(words, np.uint64)


@njit
def actions(state: Any, problem: Any, out: Any) -> Any:
    if state[OVER] != _ZERO:
        return 0
    n = _ZERO
    empty = ~state[KNIGHTS]
    for rank in range(SIDE):  # eight squares are written wherever some are empty, and the next rank begins behind those
        row = (empty >> np.uint64(SIDE * rank)) & _RANK
        for i in range(SIDE):
            out[n + np.uint64(i)] = EMPTY_FILES[row, i] + SIDE * rank
        n += popcount(row)
    return np.int64(n)


@njit
def play(state: Any, problem: Any, action: Any) -> None:
    square = np.uint64(action)
    state[OVER] = (state[ATTACKS] >> square) & _ONE
    state[KNIGHTS] |= _ONE << square
    state[ATTACKS] |= ATTACKED_FROM[square]


@njit
def is_final(state: Any, problem: Any) -> bool:
    return bool(state[OVER] != _ZERO)


@njit
def reward(state: Any, problem: Any) -> float:
    return float(REWARDS[popcount(state[KNIGHTS]) - state[OVER]])


@njit
def playout(state: Any, problem: Any, random: Any, sequence: Any, length: int, limit: int) -> int:
    empty_squares = _SQUARES - popcount(state[KNIGHTS])
    while length < limit and state[OVER] == _ZERO:
        square = nth_set_bit(~state[KNIGHTS], np.uint64(below(random, empty_squares)))
        sequence[length] = np.int32(square)
        length += 1
        empty_squares -= _ONE
        play(state, problem, square)
    return length


KERNELS = Kernels(actions=actions, play=play, is_final=is_final, reward=reward, playout=playout)

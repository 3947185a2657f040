"""The rules of `domains/games/chinesecheckers.py`, compiled.

A state is the set of cells of each role, and the steps played.
"""

from typing import Any

import numpy as np

from domains.bits import popcount, trailing_zeros
from domains.games.boards import set_of
from domains.games.chinesecheckers import CELLS, GOALS, NEXT, STEPS, TARGETS
from domains.kernels import GameKernels, njit
from domains.protocol import NOOP

STEP = 3
OFF = CELLS
"""Where there is no edge; it is never empty."""
_ZERO, _ONE, _THREE, _STEPS = np.uint64(0), np.uint64(1), np.uint64(3), np.uint64(STEPS)
BOARD = np.uint64(2**CELLS - 1)
FOLLOWING = np.array([[[way.get(cell, OFF) for cell in range(CELLS + 1)] for way in ways] for ways in NEXT], np.int64)
TARGET_SETS = np.array([set_of(cells) for cells in TARGETS], np.uint64)
REWARDS = np.array([goal / 100 for goal in GOALS])


@njit
def mover(state: Any, problem: Any) -> int:
    return int(state[STEP] % _THREE)


@njit
def is_final(state: Any, problem: Any) -> bool:
    final = state[STEP] == _STEPS
    for role in range(3):
        final |= state[role] & TARGET_SETS[role] == TARGET_SETS[role]
    return bool(final)


@njit
def contains(cells: Any, cell: Any) -> bool:
    return bool(cells >> np.uint64(cell) & _ONE)


@njit
def landing(role: Any, direction: Any, cell: Any, empty: Any) -> int:
    """Where a jump leads; OFF if there is none."""
    over = FOLLOWING[role, direction, cell]
    target = FOLLOWING[role, direction, over]
    return int(target) if not contains(empty, over) and contains(empty, target) else OFF


@njit
def actions(state: Any, problem: Any, role: Any, out: Any) -> int:
    n = 0
    if is_final(state, problem):
        return n
    empty = ~(state[0] | state[1] | state[2]) & BOARD
    pieces = state[role]
    while pieces != _ZERO:
        cell = np.int64(trailing_zeros(pieces))
        pieces &= pieces - _ONE
        left = empty  # of the cells that were not listed yet
        for direction in range(2):
            target = FOLLOWING[role, direction, cell]
            if contains(left, target):
                left ^= _ONE << np.uint64(target)
                out[n] = CELLS * cell + target
                n += 1
        for direction in range(2):
            first = landing(role, direction, cell, empty)
            if first == OFF:
                continue
            for jump in range(3):
                target = first if jump == 0 else landing(role, jump - 1, first, empty)
                if contains(left, target):
                    left ^= _ONE << np.uint64(target)
                    out[n] = CELLS * cell + target
                    n += 1
    out[n] = NOOP
    return n + 1


@njit
def play(state: Any, problem: Any, joint: Any) -> None:
    role = mover(state, problem)
    action = joint[role]
    if action != NOOP:
        state[role] ^= _ONE << np.uint64(action // CELLS) | _ONE << np.uint64(action % CELLS)
    state[STEP] += _ONE


@njit
def rewards(state: Any, problem: Any, out: Any) -> None:
    for role in range(3):
        out[role] = REWARDS[np.int64(popcount(state[role] & TARGET_SETS[role]))]


KERNELS = GameKernels(mover, actions, play, is_final, rewards, codes=CELLS**2)

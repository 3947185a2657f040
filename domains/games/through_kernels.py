"""The rules of `domains/games/through.py`, compiled. A state is the set of cells of each role, and the steps played."""

from functools import cache
from typing import Any

import numpy as np

from domains.bits import trailing_zeros
from domains.games.boards import column_and_row, set_of
from domains.games.through import AHEAD, BLACK, CELLS, FAR_ROW, SIDE, WHITE, Way
from domains.kernels import GameKernels, njit

STEP = 2
_ZERO, _ONE = np.uint64(0), np.uint64(1)
FAR_CELLS = np.array([set_of(range(SIDE * row, SIDE * row + SIDE)) for row in FAR_ROW], np.uint64)
OFF = CELLS
"""Where a way leaves the board."""


@njit
def mover(state: Any, problem: Any) -> int:
    return int(state[STEP] & _ONE)


@njit
def is_final(state: Any, problem: Any) -> bool:
    white, black = state[WHITE], state[BLACK]
    arrived = white & FAR_CELLS[WHITE] | black & FAR_CELLS[BLACK]
    return bool(arrived != _ZERO or white == _ZERO or black == _ZERO)


@njit
def play(state: Any, problem: Any, joint: Any) -> None:
    role = mover(state, problem)
    action = np.uint64(joint[role])
    cell, target = _ONE << action // np.uint64(CELLS), _ONE << action % np.uint64(CELLS)
    state[role] ^= cell | target
    state[1 - role] &= ~target
    state[STEP] += _ONE


@njit
def rewards(state: Any, problem: Any, out: Any) -> None:
    won = state[WHITE] & FAR_CELLS[WHITE] != _ZERO or state[BLACK] == _ZERO
    out[WHITE] = 1.0 if won else 0.0
    out[BLACK] = 0.0 if won else 1.0


def _target(cell: int, way: Way, role: int) -> int:
    column, row = column_and_row(cell, SIDE)
    column, row = column + way.right, row + AHEAD[role] * way.ahead
    return column + SIDE * row if 0 <= column < SIDE and 0 <= row < SIDE else OFF


@cache
def through_kernels(ways: tuple[Way, ...]) -> GameKernels:
    targets = np.array(
        [[[_target(cell, way, role) for way in ways] for cell in range(CELLS)] for role in (WHITE, BLACK)], np.int64
    )
    bits = np.array([1 << target for target in range(CELLS)] + [0], np.uint64)[targets]
    captures, count = np.array([way.captures for way in ways]), len(ways)

    @njit
    def actions(state: Any, problem: Any, role: Any, out: Any) -> int:
        n = 0
        if is_final(state, problem):
            return n
        pieces, enemies = state[role], state[1 - role]
        empty = ~(pieces | enemies)
        while pieces != _ZERO:
            cell = np.int64(trailing_zeros(pieces))
            pieces &= pieces - _ONE
            for i in range(count):
                free = empty | enemies if captures[i] else empty
                out[n] = CELLS * cell + targets[role, cell, i]
                n += bits[role, cell, i] & free != _ZERO
        return n

    return GameKernels(mover, actions, play, is_final, rewards, codes=CELLS**2)

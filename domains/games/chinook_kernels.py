"""The rules of `domains/games/chinook.py`, compiled, on states like those of `through_kernels.py`."""

from typing import Any

import numpy as np

from domains.bits import trailing_zeros
from domains.games.boards import set_of
from domains.games.chinook import STEPS, ahead, colour
from domains.games.through import BLACK, CELLS, WHITE
from domains.games.through_kernels import FAR_CELLS, STEP
from domains.kernels import GameKernels, njit
from domains.protocol import NOOP

_ZERO, _ONE, _STEPS = np.uint64(0), np.uint64(1), np.uint64(STEPS)
OFF = CELLS
"""Ahead of the far row."""


def _ahead(cell: int, role: int, right: int) -> int:
    target = None if cell == OFF else ahead(cell, role, right)
    return OFF if target is None else target


NEXT = np.array(
    [[[_ahead(cell, role, right) for right in (1, -1)] for cell in range(CELLS + 1)] for role in (WHITE, BLACK)],
    np.int64,
)
"""The cell ahead, for each role, cell and direction."""
BIT = np.array([1 << cell for cell in range(CELLS)] + [0], np.uint64)
COLOURS = np.array([set_of([cell for cell in range(CELLS) if colour(cell) == which]) for which in (0, 1)], np.uint64)


@njit
def mover(state: Any, problem: Any) -> int:
    return -1


@njit
def is_final(state: Any, problem: Any) -> bool:
    arrived = state[WHITE] & FAR_CELLS[WHITE] | state[BLACK] & FAR_CELLS[BLACK]
    return bool(arrived != _ZERO or state[STEP] == _STEPS)


@njit
def actions(state: Any, problem: Any, role: Any, out: Any) -> int:
    n = 0
    if is_final(state, problem):
        return n
    enemies = state[1 - role]
    empty = ~(state[role] | enemies)
    pieces = state[role] & COLOURS[np.int64(np.uint64(role) + state[STEP] & _ONE)]
    while pieces != _ZERO:
        cell = np.int64(trailing_zeros(pieces))
        pieces &= pieces - _ONE
        for direction in range(2):
            target = NEXT[role, cell, direction]
            if BIT[target] & enemies:
                target = NEXT[role, target, direction]
            if BIT[target] & empty:
                out[n] = CELLS * cell + target
                n += 1
    out[n] = NOOP
    return n + 1


@njit
def play(state: Any, problem: Any, joint: Any) -> None:
    for role in range(2):
        if joint[role] != NOOP:
            cell, target = joint[role] // CELLS, joint[role] % CELLS
            state[role] ^= BIT[cell] | BIT[target]
            for direction in range(2):
                between = NEXT[role, cell, direction]
                if NEXT[role, between, direction] == target:
                    state[1 - role] &= ~BIT[between]
    state[STEP] += _ONE


@njit
def rewards(state: Any, problem: Any, out: Any) -> None:
    for role in range(2):
        out[role] = 1.0 if state[role] & FAR_CELLS[role] else 0.0


KERNELS = GameKernels(mover, actions, play, is_final, rewards, codes=CELLS**2)

"""The rules of `domains/games/battle.py`, compiled.

A state is the sets of cells with pieces of north, of south, and with kings; the captures of north and of south; and the
steps played.
"""

from typing import Any

import numpy as np

from domains.bits import trailing_zeros
from domains.games.battle import CAPTURES, CELLS, KING, NORTH, PAWN, SOUTH, STEPS, BattlePosition, neighbours
from domains.games.boards import cells_of, encoded, set_of
from domains.games.set_kernels import list_cells
from domains.kernels import GameKernels, njit

KINGS, CAPTURED, STEP = 2, 3, 5
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_STEPS, _CAPTURES = np.uint64(STEPS), np.uint64(CAPTURES)
NEIGHBOURS = np.array([[set_of(neighbours(cell, kind)) for cell in range(CELLS)] for kind in (PAWN, KING)], np.uint64)


def encoded_position(position: BattlePosition) -> tuple[np.ndarray, np.ndarray]:
    pieces = [(NORTH + PAWN, NORTH + KING), (SOUTH + PAWN, SOUTH + KING), (NORTH + KING, SOUTH + KING)]
    return encoded(*(set_of(cells_of(position.board, *kinds)) for kinds in pieces), *position.captures, position.step)


@njit
def mover(state: Any, problem: Any) -> int:
    return -1


@njit
def is_final(state: Any, problem: Any) -> bool:
    empty = state[NORTH] == _ZERO or state[SOUTH] == _ZERO
    won = state[CAPTURED + NORTH] >= _CAPTURES or state[CAPTURED + SOUTH] >= _CAPTURES
    return bool(state[STEP] == _STEPS or empty or won)


@njit
def actions(state: Any, problem: Any, role: Any, out: Any) -> int:
    n = 0
    if is_final(state, problem):
        return n
    own, kings = state[role], state[KINGS]
    pieces = own
    while pieces != _ZERO:
        cell = trailing_zeros(pieces)
        pieces &= pieces - _ONE
        targets = NEIGHBOURS[np.int64(kings >> cell & _ONE), np.int64(cell)] & ~own
        n = list_cells(targets, np.int64(cell) * CELLS, out, n)
    while own != _ZERO:
        out[n] = np.int64(trailing_zeros(own)) * (CELLS + 1)
        own &= own - _ONE
        n += 1
    return n


@njit
def play(state: Any, problem: Any, joint: Any) -> None:
    meet = joint[NORTH] % CELLS == joint[SOUTH] % CELLS
    kings = state[KINGS]
    for role in range(2):
        cell = np.uint64(joint[role] // CELLS)
        if joint[role] // CELLS != joint[role] % CELLS:
            state[role] &= ~(_ONE << cell)
            state[KINGS] &= ~(_ONE << cell)
    for role in range(2):
        other = 1 - role
        cell, target = np.uint64(joint[role] // CELLS), _ONE << np.uint64(joint[role] % CELLS)
        if joint[role] // CELLS == joint[role] % CELLS:
            continue
        if not meet:
            if state[other] & target:
                state[CAPTURED + role] += _ONE
                state[other] &= ~target
                state[KINGS] &= ~target
            state[role] |= target
            state[KINGS] |= target if kings >> cell & _ONE else _ZERO
        elif joint[other] // CELLS == joint[other] % CELLS:
            state[CAPTURED + other] += _ONE
    state[STEP] += _ONE


@njit
def rewards(state: Any, problem: Any, out: Any) -> None:
    for role in range(2):
        out[role] = np.float64(state[CAPTURED + role]) / CAPTURES


KERNELS = GameKernels(mover, actions, play, is_final, rewards, codes=CELLS**2)

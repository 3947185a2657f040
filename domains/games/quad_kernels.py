"""The rules of `domains/games/quad.py`, compiled.

A state is the sets of cells with quads of x, of o, and with whites; the whites that x and o have left; whose turn it
is; and who has a square: 0 for nobody, else the role + 1.
"""

from typing import Any

import numpy as np

from domains.bits import popcount
from domains.games.boards import cells_of, encoded, set_of
from domains.games.quad import CELLS, ON_BOARD, QUADS, SQUARES, WHITE, O, QuadPosition, X, has_square
from domains.games.set_kernels import list_cells
from domains.kernels import GameKernels, njit

LEFT, TURN, WON = 3, 5, 6
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_CELLS, _QUADS = np.uint64(CELLS), np.uint64(QUADS)
BOARD = np.uint64(set_of(ON_BOARD))
SQUARE_SETS = np.array([set_of(square) for square in SQUARES], np.uint64)
_THROUGH = [[set_of(square) for square in SQUARES if cell in square] or [2**64 - 1] for cell in range(CELLS)]
MOST_THROUGH = max(map(len, _THROUGH))
SQUARES_THROUGH = np.array([(sets * MOST_THROUGH)[:MOST_THROUGH] for sets in _THROUGH], np.uint64)
"""Of each cell the squares with a corner there, some of them more than once."""


def encoded_position(position: QuadPosition) -> tuple[np.ndarray, np.ndarray]:
    sets = [set_of(cells_of(position.board, piece)) for piece in (X, O, WHITE)]
    won = next((role + 1 for role in (X, O) if has_square(position.board, role)), 0)
    return encoded(*sets, *position.whites, position.turn, won)


@njit
def mover(state: Any, problem: Any) -> int:
    return int(state[TURN])


@njit
def is_final(state: Any, problem: Any) -> bool:
    return bool(state[WON] != _ZERO or (popcount(state[X]) == _QUADS and popcount(state[O]) == _QUADS))


@njit
def actions(state: Any, problem: Any, role: Any, out: Any) -> int:
    n = 0
    if is_final(state, problem):
        return n
    empty = ~(state[X] | state[O] | state[WHITE]) & BOARD
    if popcount(state[role]) < _QUADS:
        n = list_cells(empty, 0, out, n)
    if state[LEFT + role] != _ZERO:
        n = list_cells(empty, CELLS, out, n)
    return n


@njit
def play(state: Any, problem: Any, joint: Any) -> None:
    role = mover(state, problem)
    action = joint[role]
    if action >= CELLS:
        state[WHITE] |= _ONE << np.uint64(action - CELLS)
        state[LEFT + role] -= _ONE
        return
    marked = state[role] | _ONE << np.uint64(action)
    found = False
    for i in range(MOST_THROUGH):
        square = SQUARES_THROUGH[action, i]
        found |= marked & square == square
    state[role] = marked
    state[TURN] = np.uint64(1 - role)
    if found:
        state[WON] = np.uint64(role + 1)


@njit
def almost_has_square(own: Any, empty: Any) -> bool:
    for square in SQUARE_SETS:
        missing = square & ~own
        if missing & empty == missing and popcount(missing) == _ONE:
            return True
    return False


@njit
def goal_of_x(state: Any) -> int:
    if state[WON] != _ZERO:
        return 100 if state[WON] == _ONE else 0
    if almost_has_square(state[X], ~(state[X] | state[O] | state[WHITE])):
        return 95
    if state[LEFT + X] == state[LEFT + O]:
        return 50
    return 90 if state[LEFT + X] > state[LEFT + O] else 10


@njit
def rewards(state: Any, problem: Any, out: Any) -> None:
    goal = goal_of_x(state)
    out[X] = goal / 100
    out[O] = (100 - goal) / 100


KERNELS = GameKernels(mover, actions, play, is_final, rewards, codes=2 * CELLS)

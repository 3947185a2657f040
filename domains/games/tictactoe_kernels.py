"""The rules of `domains/games/tictactoe.py`, compiled. A state is a set of cells for each role."""

from typing import Any

import numpy as np

from domains.bits import popcount
from domains.games.tictactoe import CELLS, LINES, Board
from domains.kernels import GameKernels, njit

LINE_SETS = np.array([sum(1 << cell for cell in line) for line in LINES], np.uint64)
_ONE = np.uint64(1)
NO_PROBLEM = np.zeros(1, np.uint64)
NO_PROBLEM.setflags(write=False)


def encoded(board: Board) -> tuple[np.ndarray, np.ndarray]:
    return NO_PROBLEM, np.array(
        [sum(1 << cell for cell in range(CELLS) if board[cell] == role) for role in (0, 1)], np.uint64
    )


@njit
def mover(state: Any, problem: Any) -> int:
    return int(popcount(state[0] | state[1]) & _ONE)


@njit
def has_line(cells: Any) -> bool:
    found = False
    for line in LINE_SETS:
        found |= cells & line == line
    return found


@njit
def actions(state: Any, problem: Any, role: Any, out: Any) -> int:
    n = 0
    if has_line(state[0]) or has_line(state[1]):
        return n
    marked = state[0] | state[1]
    for cell in range(CELLS):
        if not marked >> np.uint64(cell) & _ONE:
            out[n] = cell
            n += 1
    return n


@njit
def play(state: Any, problem: Any, joint: Any) -> None:
    role = mover(state, problem)
    state[role] |= _ONE << np.uint64(joint[role])


@njit
def is_final(state: Any, problem: Any) -> bool:
    return bool(has_line(state[0]) or has_line(state[1]) or popcount(state[0] | state[1]) == CELLS)


@njit
def rewards(state: Any, problem: Any, out: Any) -> None:
    won, lost = has_line(state[0]), has_line(state[1])
    out[0] = 1.0 if won else 0.0 if lost else 0.5
    out[1] = 1.0 - out[0]


KERNELS = GameKernels(mover, actions, play, is_final, rewards, codes=CELLS)

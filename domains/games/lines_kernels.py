"""The rules of `domains/games/lines.py`, compiled.

A state is the set of cells that each role has marked, and who has a line: 0 for nobody, else the role + 1.
"""

from functools import cache
from typing import Any

import numpy as np

from domains.bits import popcount
from domains.games.boards import Board, cells_of, encoded, set_of
from domains.games.lines import Lines
from domains.games.set_kernels import list_cells
from domains.kernels import Function, GameKernels, njit

WON = 2
_ZERO, _ONE = np.uint64(0), np.uint64(1)


def encoded_marks(board: Board, winner: int | None) -> tuple[np.ndarray, np.ndarray]:
    return encoded(*(set_of(cells_of(board, role)) for role in (0, 1)), 0 if winner is None else winner + 1)


@njit
def mover(state: Any, problem: Any) -> int:
    return int(popcount(state[0] | state[1]) & _ONE)


@njit
def rewards(state: Any, problem: Any, out: Any) -> None:
    out[0] = 0.5 if state[WON] == _ZERO else 1.0 if state[WON] == _ONE else 0.0
    out[1] = 1.0 - out[0]


@cache
def full_or_won(cells: int) -> Function:
    """`is_final`."""
    count = np.uint64(cells)

    @njit
    def is_final(state: Any, problem: Any) -> bool:
        return bool(state[WON] != _ZERO or popcount(state[0] | state[1]) == count)

    return is_final


@cache
def marking(lines: Lines, cells: int) -> Function:
    """(state, role, cell) -> None: puts the role's mark into the cell, and sees whether that makes a line."""
    through = [[set_of(line) for line in lines if cell in line] for cell in range(cells)]
    most = max(map(len, through))
    lines_through = np.array([(sets * most)[:most] if sets else [2**64 - 1] * most for sets in through], np.uint64)

    @njit
    def mark(state: Any, role: Any, cell: Any) -> None:
        marked = state[role] | _ONE << np.uint64(cell)
        found = False
        for i in range(most):
            line = lines_through[cell, i]
            found |= marked & line == line
        state[role] = marked
        if found:
            state[WON] = np.uint64(role + 1)

    return mark


@cache
def line_kernels(lines: Lines, cells: int) -> GameKernels:
    board = np.uint64(2**cells - 1)
    is_final, mark = full_or_won(cells), marking(lines, cells)

    @njit
    def actions(state: Any, problem: Any, role: Any, out: Any) -> int:
        if state[WON] != _ZERO:
            return 0
        return int(list_cells(~(state[0] | state[1]) & board, 0, out, 0))

    @njit
    def play(state: Any, problem: Any, joint: Any) -> None:
        role = mover(state, problem)
        mark(state, role, joint[role])

    return GameKernels(mover, actions, play, is_final, rewards, codes=cells)

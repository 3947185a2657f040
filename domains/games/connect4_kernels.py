"""The rules of `domains/games/connect4.py`, compiled, on the states of `lines_kernels.py`."""

from typing import Any

import numpy as np

from domains.bits import popcount
from domains.games.boards import set_of
from domains.games.connect4 import COLUMNS, ROWS, Connect4
from domains.games.lines_kernels import WON, full_or_won, marking, mover, rewards
from domains.kernels import GameKernels, njit

CELLS = COLUMNS * ROWS
FIRST_COLUMN = np.uint64(set_of(range(0, CELLS, COLUMNS)))
_ZERO, _ONE = np.uint64(0), np.uint64(1)

is_final = full_or_won(CELLS)
mark = marking(Connect4.lines, CELLS)


@njit
def actions(state: Any, problem: Any, role: Any, out: Any) -> int:
    n = 0
    if state[WON] == _ZERO:
        top_row = ~(state[0] | state[1]) >> np.uint64(CELLS - COLUMNS)
        for column in range(COLUMNS):
            if top_row >> np.uint64(column) & _ONE:
                out[n] = column
                n += 1
    return n


@njit
def play(state: Any, problem: Any, joint: Any) -> None:
    role = mover(state, problem)
    column = joint[role]
    height = popcount((state[0] | state[1]) >> np.uint64(column) & FIRST_COLUMN)
    mark(state, role, column + COLUMNS * np.int64(height))


KERNELS = GameKernels(mover, actions, play, is_final, rewards, codes=COLUMNS)

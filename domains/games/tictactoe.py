"""Tic-tac-toe: who first has three marks in a row.

Glossary
    cell   a place on the board, counted row by row from 0, the top row first; the action that marks it

Crosses begin. With best play on both sides the game is drawn.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from domains.protocol import Domain, replay_all
from domains.randomness import Random

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import GameKernels

SIDE = 3
CELLS = SIDE**2
EMPTY = -1
LINES = (
    *(tuple(range(SIDE * row, SIDE * row + SIDE)) for row in range(SIDE)),
    *(tuple(range(column, CELLS, SIDE)) for column in range(SIDE)),
    (0, 4, 8),
    (2, 4, 6),
)
MARKS = "×○"

Board = list[int]
"""A state: the role whose mark is in each cell, or EMPTY."""


def winner(board: Board) -> int | None:
    return next(
        (board[line[0]] for line in LINES if board[line[0]] != EMPTY and len({board[c] for c in line}) == 1), None
    )


class TicTacToe(Domain):
    """Three marks in a row, on a board of 3 by 3."""

    roles = ("crosses", "noughts")
    horizon = max_length = max_actions = CELLS

    def sample(self, random: Random) -> Board:
        return [EMPTY] * CELLS

    def mover(self, state: Board) -> int:
        return (CELLS - state.count(EMPTY)) % 2

    def actions(self, state: Board) -> list[int]:
        return [] if winner(state) is not None else [cell for cell in range(CELLS) if state[cell] == EMPTY]

    def play(self, state: Board, action: int) -> None:
        state[action] = self.mover(state)

    def copy(self, state: Board) -> Board:
        return state[:]

    def rewards(self, state: Board) -> tuple[float, float]:
        won = winner(state)
        return (0.5, 0.5) if won is None else (1.0 - won, float(won))

    def action_name(self, state: Board, action: int) -> str:
        return "abc"[action % SIDE] + str(SIDE - action // SIDE)

    def draw(self, initial: Board, actions: Sequence[Sequence[Any]]) -> str:
        board = replay_all(self, initial, actions)
        cells = ["·" if mark == EMPTY else MARKS[mark] for mark in board]
        return "\n".join(" ".join(cells[start : start + SIDE]) for start in range(0, CELLS, SIDE))

    def game_kernels(self) -> "GameKernels":
        from domains.games.tictactoe_kernels import KERNELS

        return KERNELS

    def encode(self, state: Board) -> "tuple[np.ndarray, np.ndarray]":
        from domains.games.tictactoe_kernels import encoded

        return encoded(state)

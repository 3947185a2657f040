"""Ten queens on a board of 10 × 10, none of them in line with another if possible.

Glossary
    square    a place on the board, counted row by row from 0, the top row first; the action that puts a queen there
    in line   two queens in the same row, column or diagonal; queens between them change nothing
    sharing   a queen in line with at least one other

Score by the number of sharing queens, which is never 1: 100 for none, 90 for 2, then 10 less for each more down to 40
for 7, and 0 for 8 or more.

An unfinished board is worth a tenth of the score of its queens for each of them: four queens of which none is sharing
40, an empty board nothing. What is said of a few queens is so never taken for a solution.
Used to compare simulation strategies, as by Tak, Winands and Björnsson (2014).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from domains.chessboard import board_picture, board_text, square_name
from domains.protocol import Domain, replay
from domains.randomness import Random

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import Kernels

SIDE, QUEENS = 10, 10
SQUARES = SIDE**2
SCORES = (100, 95, 90, 80, 70, 60, 50, 40, 0, 0, 0)
"""By the number of sharing queens; the second never occurs."""

Board = list[int]
"""A state: the squares of the queens, in the order in which they were put there."""


def lines_of(square: int) -> tuple[int, int, int, int]:
    """The row, the column and the two diagonals of `square`, numbered so that all 58 lines differ."""
    row, column = divmod(square, SIDE)
    falling, rising = row - column + SIDE - 1, row + column
    return row, SIDE + column, 2 * SIDE + falling, 4 * SIDE - 1 + rising


LINES = [frozenset(lines_of(square)) for square in range(SQUARES)]


def in_line(board: Board) -> list[tuple[int, int]]:
    """The pairs of queens that are in line."""
    return [(one, other) for i, one in enumerate(board) for other in board[:i] if LINES[one] & LINES[other]]


def sharing(board: Board) -> int:
    return len({queen for pair in in_line(board) for queen in pair})


class Queens(Domain):
    """Put ten queens on a 10 × 10 board, as few of them in line with another as possible; one problem."""

    horizon = max_length = QUEENS
    max_actions = SQUARES
    unit = "points"
    values_unfinished = True

    def sample(self, random: Random) -> Board:
        return []

    def actions(self, state: Board) -> list[int]:
        return [] if self.is_final(state) else [square for square in range(SQUARES) if square not in state]

    def play(self, state: Board, action: int) -> None:
        state.append(action)

    def copy(self, state: Board) -> Board:
        return state[:]

    def is_final(self, state: Board) -> bool:
        return len(state) == QUEENS

    def reward(self, state: Board) -> float:
        return SCORES[sharing(state)] * len(state) / (100 * QUEENS)

    def score(self, state: Board) -> float:
        return SCORES[sharing(state)] * len(state) / QUEENS

    def score_of_reward(self, reward: float) -> float:
        return float(round(reward * 100))

    def action_name(self, state: Board, action: int) -> str:
        return square_name(action, SIDE)

    def draw(self, initial: Board, actions: Sequence[int]) -> str:
        board = replay(self, initial, actions)
        marked = {queen for pair in in_line(board) for queen in pair}
        marks = {queen: "♕" if queen in marked else "♛" for queen in board}
        legend = "♛ a queen by herself, ♕ a queen in line with another"
        return "\n".join([board_text(SIDE, marks), legend, self._summary(board)])

    def _summary(self, board: Board) -> str:
        queens = "1 queen" if len(board) == 1 else f"{len(board)} queens"
        return f"{queens}, {sharing(board)} in line with another: {self.score(board):g} points"

    def svg(self, initial: Board, actions: Sequence[int]) -> str:
        """Queens in line with another are marked and joined."""
        board = replay(self, initial, actions)
        return board_picture(SIDE, "queen", board, in_line(board), self._summary(board))

    def kernels(self) -> "Kernels":
        from domains.queens_kernels import KERNELS

        return KERNELS

    def encode(self, state: Board) -> "tuple[np.ndarray, np.ndarray]":
        from domains.queens_kernels import encoded

        return encoded(state)

"""As many knights on a chessboard as possible, until two attack each other.

Glossary
    square    a place on the board, counted row by row from 0, the top row first; the action that puts a knight there
    attacked  a knight's move away from a knight; a knight may be put there, and that ends the game
    safe      all knights but the one that ended the game

Score by the number of safe knights: up to 10 as many points, from 11 to 20 two for each (12, 14, … 30), from 21 to 30
five (35, 40, … 80), 90 for 31, 100 for 32. There is no room for 33 safe knights, so the game is over after 33 at most.
In an unfinished game all knights are safe, so that it has a score, which can only grow.
Used to compare simulation strategies, as by Tak, Winands and Björnsson (2014), who call it MaxKnights.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from domains.chessboard import board_picture, board_text, square_name
from domains.protocol import Domain, replay
from domains.randomness import Random

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import Kernels

SIDE = 8
SQUARES = SIDE**2
MOST_SAFE = 32
LEAPS = ((-2, -1), (-2, 1), (-1, -2), (-1, 2), (1, -2), (1, 2), (2, -1), (2, 1))
SCORES: tuple[int, ...] = (*range(11), *range(12, 31, 2), *range(35, 81, 5), 90, 100)
"""By the number of safe knights."""

Board = list[int]
"""A state: the squares of the knights, in the order in which they were put there."""


def attacked_from(square: int) -> list[int]:
    row, column = divmod(square, SIDE)
    targets = ((row + down, column + right) for down, right in LEAPS)
    return [r * SIDE + c for r, c in targets if 0 <= r < SIDE and 0 <= c < SIDE]


ATTACKED = [frozenset(attacked_from(square)) for square in range(SQUARES)]


def clashes(board: Board) -> list[tuple[int, int]]:
    """The pairs of knights that attack each other: the last one is in all of them."""
    return [(board[-1], other) for other in board[:-1] if other in ATTACKED[board[-1]]]


def safe(board: Board) -> int:
    return len(board) - bool(clashes(board))


class Knights(Domain):
    """Put knights on a chessboard until two attack each other; one problem."""

    horizon = max_length = MOST_SAFE + 1
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
        return bool(state) and not ATTACKED[state[-1]].isdisjoint(state)

    def reward(self, state: Board) -> float:
        return SCORES[safe(state)] / 100

    def score(self, state: Board) -> float:
        return float(SCORES[safe(state)])

    def score_of_reward(self, reward: float) -> float:
        return float(round(reward * 100))

    def action_name(self, state: Board, action: int) -> str:
        return square_name(action, SIDE)

    def draw(self, initial: Board, actions: Sequence[int]) -> str:
        board = replay(self, initial, actions)
        marked = {knight for pair in clashes(board) for knight in pair}
        marks = {knight: "♘" if knight in marked else "♞" for knight in board}
        if marked:
            marks[board[-1]] = "×"
        legend = "♞ a knight, × the one that ended the game, ♘ one that it attacks"
        return "\n".join([board_text(SIDE, marks), legend, self._summary(board)])

    def _summary(self, board: Board) -> str:
        count = safe(board)
        return f"{count} safe {'knight' if count == 1 else 'knights'}: {self.score(board):g} points"

    def svg(self, initial: Board, actions: Sequence[int]) -> str:
        """Knights that attack each other are marked and joined."""
        board = replay(self, initial, actions)
        return board_picture(SIDE, "knight", board, clashes(board), self._summary(board))

    def kernels(self) -> "Kernels":
        from domains.knights_kernels import KERNELS

        return KERNELS

    def encode(self, state: Board) -> "tuple[np.ndarray, np.ndarray]":
        from domains.knights_kernels import encoded

        return encoded(state)

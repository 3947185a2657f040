"""Games in which roles move pieces from cell to cell: what these share.

A state is a `BoardPosition`, on whose board a piece is the role that it belongs to. An action is the number of cells
times the cell that a piece leaves, plus the one it goes to; or NOOP, to pass.
"""

from typing import TYPE_CHECKING

from domains.games.boards import EMPTY, BoardPosition, cells_of, encoded, set_of
from domains.games.drawing import BoardGame, Piece
from domains.protocol import NOOP

if TYPE_CHECKING:
    import numpy as np


class MovingGame(BoardGame):
    """The base of these games, in turns or not."""

    looks: tuple[Piece, ...]
    """of each role's pieces"""

    def play(self, state: BoardPosition, action: int) -> None:
        self.move(state, action)
        state.step += 1

    def move(self, state: BoardPosition, action: int) -> None:
        """The piece alone, whoever moves besides."""
        if action != NOOP:
            cell, target = self.cells_of_action(state, action)
            state.board[target] = state.board[cell]
            state.board[cell] = EMPTY

    def copy(self, state: BoardPosition) -> BoardPosition:
        return state.copy()

    def pieces_of(self, state: BoardPosition) -> dict[int, Piece]:
        return {cell: self.looks[piece] for cell, piece in enumerate(state.board) if piece != EMPTY}

    def cells_of_action(self, state: BoardPosition, action: int) -> tuple[int, ...]:
        return divmod(action, len(self.plan.places))

    def encode(self, state: BoardPosition) -> "tuple[np.ndarray, np.ndarray]":
        """The set of cells of each role, and the steps played."""
        return encoded(*(set_of(cells_of(state.board, role)) for role in range(len(self.roles))), state.step)

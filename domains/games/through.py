"""Races of two armies across a board of 8 × 8: who first gets a piece to the far row, or takes all pieces, wins.

Glossary
    white   fills the two lowest rows, moves up and begins; black the two highest, and moves down
    way     how a piece may move, as seen by its role: columns to the right of the board, rows ahead, and whether it may
            capture the piece it finds there

The cell in column x and row y is number x + 8y. As in the Base repository of general game playing.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from domains.games.boards import EMPTY, Board, BoardPosition, cell_name, cells_of, column_and_row
from domains.games.drawing import grid
from domains.games.moving import MovingGame
from domains.randomness import Random

if TYPE_CHECKING:
    from domains.kernels import GameKernels

SIDE = 8
CELLS = SIDE**2
WHITE, BLACK = 0, 1
AHEAD = (1, -1)
"""Rows, for each role."""
FAR_ROW = (SIDE - 1, 0)


class Way(NamedTuple):
    right: int
    ahead: int
    captures: bool


def reached(board: Board, role: int) -> bool:
    """Whether the role has a piece on its far row."""
    start = SIDE * FAR_ROW[role]
    return role in board[start : start + SIDE]


class ThroughGame(MovingGame):
    """The base of these games, which have `ways`. A piece moves ahead, by at least one row, so no game is longer than
    16 × (5 + 6) moves and one."""

    roles = ("white", "black")
    max_length = 177
    plan = grid(SIDE, SIDE, "checkered")
    ways: tuple[Way, ...]

    def sample(self, random: Random) -> BoardPosition:
        rows = [WHITE, WHITE, EMPTY, EMPTY, EMPTY, EMPTY, BLACK, BLACK]
        return BoardPosition([piece for piece in rows for _ in range(SIDE)])

    def mover(self, state: BoardPosition) -> int:
        return state.step % 2

    def targets(self, board: Board, cell: int) -> Iterator[int]:
        """Where the piece in this cell may go."""
        role = board[cell]
        column, row = column_and_row(cell, SIDE)
        for way in self.ways:
            to_column, to_row = column + way.right, row + AHEAD[role] * way.ahead
            if 0 <= to_column < SIDE and 0 <= to_row < SIDE:
                target = to_column + SIDE * to_row
                if board[target] == EMPTY or (way.captures and board[target] != role):
                    yield target

    def actions(self, state: BoardPosition) -> list[int]:
        if self.is_final(state):
            return []
        own = cells_of(state.board, self.mover(state))
        return [CELLS * cell + target for cell in own for target in self.targets(state.board, cell)]

    def is_final(self, state: BoardPosition) -> bool:
        return any(reached(state.board, role) or 1 - role not in state.board for role in (WHITE, BLACK))

    def rewards(self, state: BoardPosition) -> tuple[float, float]:
        white_won = reached(state.board, WHITE) or BLACK not in state.board
        return (1.0, 0.0) if white_won else (0.0, 1.0)

    def action_name(self, state: BoardPosition, action: int) -> str:
        cell, target = divmod(action, CELLS)
        sign = "–" if state.board[target] == EMPTY else "×"
        return f"{cell_name(cell, SIDE)}{sign}{cell_name(target, SIDE)}"

    def game_kernels(self) -> "GameKernels":
        from domains.games.through_kernels import through_kernels

        return through_kernels(self.ways)

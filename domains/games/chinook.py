"""Chinook: two games of checkers at once on one board, on its odd and its even cells; both roles move in every step.

Glossary
    odd      the cells whose column and row add up to an even number, such as a1; the others are even
    ahead    up for white, down for black
    jump     over an enemy diagonally ahead onto the empty cell behind it, which captures it

The board is 8 × 8 and a cylinder: its first and last columns are neighbours. The cell in column x and row y is
number x + 8y. At the first step white moves on the odd cells and black on the even ones; after every step they change
over. A role moves one piece diagonally ahead, or jumps with one, or passes. A piece stays on its colour, so that moves
made at once never meet.

The game ends when a piece is on its far row, or after 40 steps; what a role gets is 1 if it has one there, so that
both may get it, or nobody. As in the Base repository of general game playing.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from domains.games.boards import EMPTY, Board, BoardPosition, cell_name, cells_of, column_and_row
from domains.games.drawing import Piece, grid
from domains.games.moving import MovingGame
from domains.games.through import AHEAD, BLACK, CELLS, SIDE, WHITE, reached
from domains.protocol import NOOP
from domains.randomness import Random

if TYPE_CHECKING:
    from domains.kernels import GameKernels

STEPS = 40
PIECES_OF_A_COLOUR = 7


def colour(cell: int) -> int:
    """0 for odd, 1 for even."""
    column, row = column_and_row(cell, SIDE)
    return (column + row) % 2


def ahead(cell: int, role: int, right: int) -> int | None:
    """The cell diagonally ahead, to the right or the left (-1); None beyond the board."""
    column, row = column_and_row(cell, SIDE)
    row += AHEAD[role]
    return (column + right) % SIDE + SIDE * row if 0 <= row < SIDE else None


def jumped(cell: int, target: int) -> int | None:
    """The cell between, if this is a jump."""
    column, row = column_and_row(cell, SIDE)
    to_column, to_row = column_and_row(target, SIDE)
    if abs(to_row - row) == 1:
        return None
    right = 1 if (to_column - column) % SIDE == 2 else -1
    return (column + right) % SIDE + SIDE * (row + to_row) // 2


class Chinook(MovingGame):
    """Two games of checkers at once on a cylinder of 8 by 8; both roles move at the same time."""

    roles = ("white", "black")
    horizon = 29
    max_length = STEPS
    max_actions = 2 * PIECES_OF_A_COLOUR + 1
    plan = grid(SIDE, SIDE, "checkered")
    looks = (Piece("○", "disc", "white"), Piece("●", "disc", "black"))

    def sample(self, random: Random) -> BoardPosition:
        full, inner, empty = range(SIDE), range(1, SIDE - 1), range(0)
        filled = [(WHITE, full), (WHITE, inner), *[(EMPTY, empty)] * 4, (BLACK, inner), (BLACK, full)]
        return BoardPosition([piece if column in columns else EMPTY for piece, columns in filled for column in full])

    def mover(self, state: BoardPosition) -> None:
        return None

    def targets(self, board: Board, cell: int) -> Iterator[int]:
        """Where the piece in this cell may go."""
        role = board[cell]
        for right in (1, -1):
            target = ahead(cell, role, right)
            if target is not None and board[target] == 1 - role:
                target = ahead(target, role, right)
            if target is not None and board[target] == EMPTY:
                yield target

    def actions_of(self, state: BoardPosition, role: int) -> list[int]:
        if self.is_final(state):
            return []
        own = [cell for cell in cells_of(state.board, role) if colour(cell) == (role + state.step) % 2]
        return [*(CELLS * cell + target for cell in own for target in self.targets(state.board, cell)), NOOP]

    def play_all(self, state: BoardPosition, joint: Sequence[int]) -> None:
        for action in joint:
            self.move(state, action)
            between = None if action == NOOP else jumped(*divmod(action, CELLS))
            if between is not None:
                state.board[between] = EMPTY
        state.step += 1

    def is_final(self, state: BoardPosition) -> bool:
        return state.step == STEPS or any(reached(state.board, role) for role in (WHITE, BLACK))

    def rewards(self, state: BoardPosition) -> tuple[float, float]:
        return float(reached(state.board, WHITE)), float(reached(state.board, BLACK))

    def action_name(self, state: BoardPosition, action: int) -> str:
        if action == NOOP:
            return "pass"
        cell, target = divmod(action, CELLS)
        sign = "–" if jumped(cell, target) is None else "×"
        return f"{cell_name(cell, SIDE)}{sign}{cell_name(target, SIDE)}"

    def game_kernels(self) -> "GameKernels":
        from domains.games.chinook_kernels import KERNELS

        return KERNELS

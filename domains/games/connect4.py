"""Connect four: who first has four marks in a straight line, on an upright board where marks fall down its columns.

There are seven columns and six rows. The cell in column x and row y, the lowest row first, is number x + 7y. An action
is a column.
"""

from typing import TYPE_CHECKING

from domains.games.boards import EMPTY, Board, cell_name
from domains.games.drawing import grid
from domains.games.lines import LineGame, straight_lines

if TYPE_CHECKING:
    from domains.kernels import GameKernels

COLUMNS, ROWS = 7, 6


class Connect4(LineGame):
    """Four marks in a row, where marks fall down the columns of a board of 7 by 6."""

    horizon = 22
    cells = max_length = COLUMNS * ROWS
    max_actions = COLUMNS
    lines = straight_lines((COLUMNS, ROWS), 4)
    plan = grid(COLUMNS, ROWS)

    def actions(self, state: Board) -> list[int]:
        top = self.cells - COLUMNS
        return [] if self.is_final(state) else [column for column in range(COLUMNS) if state[top + column] == EMPTY]

    def play(self, state: Board, action: int) -> None:
        super().play(state, *self.cells_of_action(state, action))

    def cells_of_action(self, state: Board, action: int) -> tuple[int]:
        """The lowest cell of the column that is empty."""
        return (next(cell for cell in range(action, self.cells, COLUMNS) if state[cell] == EMPTY),)

    def action_name(self, state: Board, action: int) -> str:
        return cell_name(action, COLUMNS)[0]

    def game_kernels(self) -> "GameKernels":
        from domains.games.connect4_kernels import KERNELS

        return KERNELS

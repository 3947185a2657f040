"""Tic-tac-toe: who first has three marks in a row. With best play on both sides the game is drawn.

Cells are counted row by row from 0, the lowest row first.
"""

from domains.games.boards import Board, cell_name
from domains.games.drawing import grid
from domains.games.lines import LineGame, straight_lines

SIDE = 3


class TicTacToe(LineGame):
    """Three marks in a row, on a board of 3 by 3."""

    roles = ("crosses", "noughts")
    horizon = 8
    cells = max_length = max_actions = SIDE**2
    lines = straight_lines((SIDE, SIDE), SIDE)
    plan = grid(SIDE, SIDE)

    def action_name(self, state: Board, action: int) -> str:
        return cell_name(action, SIDE)

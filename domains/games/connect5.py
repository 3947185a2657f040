"""Connect five: who first has five or more marks in a straight line, on a board of 8 × 8.

The cell in column x and row y is number x + 8y. As in the Base repository of general game playing (`connect5`).
"""

from domains.games.boards import Board, cell_name
from domains.games.drawing import grid
from domains.games.lines import LineGame, straight_lines

SIDE = 8


class Connect5(LineGame):
    """Five marks in a row, on a board of 8 by 8."""

    horizon = 46
    cells = max_length = max_actions = SIDE**2
    lines = straight_lines((SIDE, SIDE), 5)
    plan = grid(SIDE, SIDE)

    def action_name(self, state: Board, action: int) -> str:
        return cell_name(action, SIDE)

"""Tic-tac-toe in space: who first has four marks in a straight line, in a cube of 4 × 4 × 4 cells.

The cell in column x and row y of layer z is number x + 4y + 16z. There are 76 lines: 48 along the axes, 24 diagonals of
layers, 4 of the cube. As in the Base repository of general game playing (`tictactoe_3d_2player`).
"""

from domains.games.boards import Board, cell_name
from domains.games.drawing import LETTERS, BoardPlan, Label
from domains.games.lines import LineGame, straight_lines

SIDE = 4


class TicTacToe3D(LineGame):
    """Four marks in a row, in a cube of 4 by 4 by 4."""

    roles = ("xplayer", "oplayer")
    horizon = 35
    cells = max_length = max_actions = SIDE**3
    lines = straight_lines((SIDE, SIDE, SIDE), SIDE)
    plan = BoardPlan(
        tuple((x + (SIDE + 1.0) * z, SIDE - 1.0 - y) for z in range(SIDE) for y in range(SIDE) for x in range(SIDE)),
        (
            *(Label(str(y + 1), -1.0, SIDE - 1.0 - y) for y in range(SIDE)),
            *(Label(LETTERS[x], x + (SIDE + 1.0) * z, float(SIDE)) for z in range(SIDE) for x in range(SIDE)),
            *(Label(f"layer {z + 1}", 1.5 + (SIDE + 1.0) * z, -1.0) for z in range(SIDE)),
        ),
    )

    def action_name(self, state: Board, action: int) -> str:
        """The layer, then the column and the row: 2b3."""
        layer, cell = divmod(action, SIDE**2)
        return f"{layer + 1}{cell_name(cell, SIDE)}"

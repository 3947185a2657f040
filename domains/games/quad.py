"""Quad: who first has pieces of its own on all four corners of a square, of any size and any tilt.

Glossary
    quad    a piece that counts for its role; each role has 12
    white   a piece that counts for nobody and blocks a cell; each role has 5
    mark    put a quad into an empty cell, after which it is the other's turn
    block   put a white into an empty cell, after which the same role moves again

The board is 7 × 7 without its corners; the cell in row r and column c is number 7r + c. An action is the cell to mark,
or 49 plus the cell to block. As in the Base repository of general game playing (`quad_7x7`).
"""

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING

from domains.games.boards import EMPTY, Board, cell_name
from domains.games.drawing import BoardGame, Piece, grid
from domains.games.lines import MARKS
from domains.randomness import Random

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import GameKernels

SIDE = 7
CELLS = SIDE**2
CORNERS = (0, SIDE - 1, CELLS - SIDE, CELLS - 1)
ON_BOARD = [cell for cell in range(CELLS) if cell not in CORNERS]
QUADS, WHITES = 12, 5
X, O, WHITE = 0, 1, 2  # noqa: E741


def squares() -> list[tuple[int, int, int, int]]:
    """The cells at the corners of each square: one side goes so many columns `across` and rows of `tilt`, the other
    is perpendicular to it."""
    found = []
    for row, column, across, tilt in product(range(SIDE), range(SIDE), range(1, SIDE), range(SIDE)):
        corners = [(0, 0), (-tilt, across), (across, tilt), (across - tilt, across + tilt)]
        places = [(row + rows, column + columns) for rows, columns in corners]
        cells = [SIDE * r + c for r, c in places if 0 <= r < SIDE and 0 <= c < SIDE]
        if len(cells) == 4 and not set(cells) & set(CORNERS):
            found.append((cells[0], cells[1], cells[2], cells[3]))
    return found


SQUARES = squares()
PIECES = (*MARKS, Piece("■", "block", "nobody"))


@dataclass(slots=True)
class QuadPosition:
    """A quad of X or O, a WHITE, or EMPTY in each cell; the whites that each role has left; whose turn it is."""

    board: Board = field(default_factory=lambda: [EMPTY] * CELLS)
    whites: list[int] = field(default_factory=lambda: [WHITES, WHITES])
    turn: int = X

    def copy(self) -> "QuadPosition":
        return QuadPosition(self.board[:], self.whites[:], self.turn)


def has_square(board: Board, role: int) -> bool:
    return any(board[a] == board[b] == board[c] == board[d] == role for a, b, c, d in SQUARES)


def almost_has_square(board: Board, role: int) -> bool:
    """Whether the role has three corners of a square whose fourth is empty."""
    pieces = ([board[cell] for cell in square] for square in SQUARES)
    return any(four.count(role) == 3 and EMPTY in four for four in pieces)


class Quad(BoardGame):
    """Four pieces on the corners of a square, on a board of 7 by 7."""

    roles = ("x", "o")
    horizon = 30
    max_length = 2 * (QUADS + WHITES)
    max_actions = 2 * len(ON_BOARD)
    plan = grid(SIDE, SIDE, cells=ON_BOARD)

    def sample(self, random: Random) -> QuadPosition:
        return QuadPosition()

    def mover(self, state: QuadPosition) -> int:
        return state.turn

    def actions(self, state: QuadPosition) -> list[int]:
        if self.is_final(state):
            return []
        empty = [cell for cell in ON_BOARD if state.board[cell] == EMPTY]
        marks = empty if state.board.count(state.turn) < QUADS else []
        blocks = empty if state.whites[state.turn] else []
        return [*marks, *(CELLS + cell for cell in blocks)]

    def play(self, state: QuadPosition, action: int) -> None:
        if action < CELLS:
            state.board[action] = state.turn
            state.turn = 1 - state.turn
        else:
            state.board[action - CELLS] = WHITE
            state.whites[state.turn] -= 1

    def copy(self, state: QuadPosition) -> QuadPosition:
        return state.copy()

    def is_final(self, state: QuadPosition) -> bool:
        quads = [state.board.count(role) for role in (X, O)]
        return quads == [QUADS, QUADS] or any(has_square(state.board, role) for role in (X, O))

    def goal_of_x(self, state: QuadPosition) -> int:
        """In hundredths; o has the rest. Without a square three corners of one count, for x alone, and then whites."""
        for role, goal in ((X, 100), (O, 0)):
            if has_square(state.board, role):
                return goal
        if almost_has_square(state.board, X):
            return 95
        left = state.whites[X] - state.whites[O]
        return 50 if left == 0 else 90 if left > 0 else 10

    def rewards(self, state: QuadPosition) -> tuple[float, float]:
        goal = self.goal_of_x(state)
        return goal / 100, (100 - goal) / 100

    def action_name(self, state: QuadPosition, action: int) -> str:
        return cell_name(action % CELLS, SIDE) + " blocked" * (action >= CELLS)

    def pieces_of(self, state: QuadPosition) -> dict[int, Piece]:
        return {cell: PIECES[piece] for cell, piece in enumerate(state.board) if piece != EMPTY}

    def cells_of_action(self, state: QuadPosition, action: int) -> tuple[int]:
        return (action % CELLS,)

    def won_by(self, state: QuadPosition) -> tuple[int, ...]:
        held = ((a, b, d, c) for a, b, c, d in SQUARES if len({state.board[cell] for cell in (a, b, c, d)}) == 1)
        return next((square for square in held if state.board[square[0]] in (X, O)), ())

    def game_kernels(self) -> "GameKernels":
        from domains.games.quad_kernels import KERNELS

        return KERNELS

    def encode(self, state: QuadPosition) -> "tuple[np.ndarray, np.ndarray]":
        from domains.games.quad_kernels import encoded_position

        return encoded_position(state)

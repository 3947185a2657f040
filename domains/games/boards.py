"""What games on boards share.

Glossary
    cell       a place on the board, by its number
    piece      what stands in a cell, by its number; EMPTY for nothing
    board      the piece in each cell
    position   a board and how many steps led to it: a state of games in which turns or colours go round
    set        cells as bits of a whole number: what kernels keep, a set for each role or kind of piece
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

EMPTY = -1

Board = list[int]


@dataclass(slots=True)
class BoardPosition:
    board: Board
    step: int = 0

    def copy(self) -> "BoardPosition":
        return BoardPosition(self.board[:], self.step)


def column_and_row(cell: int, columns: int) -> tuple[int, int]:
    row, column = divmod(cell, columns)
    return column, row


def cell_name(cell: int, columns: int) -> str:
    """As in chess, columns by letters and rows by numbers from the bottom: cell 0 is a1."""
    column, row = column_and_row(cell, columns)
    return f"{'abcdefghijklmnopqrstuvwxyz'[column]}{row + 1}"


def cells_of(board: Board, *pieces: int) -> list[int]:
    """Where these pieces stand, in the order of the cells."""
    return [cell for cell, piece in enumerate(board) if piece in pieces]


def set_of(cells: Sequence[int]) -> int:
    return sum(1 << cell for cell in cells)


def encoded(*words: int) -> "tuple[np.ndarray, np.ndarray]":
    """A state of these words, for kernels that need no problem."""
    import numpy as np

    return np.zeros(1, np.uint64), np.array(words, np.uint64)

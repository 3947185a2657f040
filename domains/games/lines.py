"""Games in which two roles mark the cells of an empty board in turn, and who first marks a line of cells wins.

Glossary
    line   cells that win together, in ascending order

A state is a board: the role whose mark is in each cell, or EMPTY. A full board without a line is a draw.
"""

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from domains.games.boards import EMPTY, Board, cells_of
from domains.games.drawing import BoardGame, Piece
from domains.randomness import Random

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import GameKernels

MARKS = (Piece("×", "cross", "first"), Piece("○", "ring", "second"))

Lines = tuple[tuple[int, ...], ...]


def straight_lines(sides: Sequence[int], length: int) -> Lines:
    """So many consecutive cells along an axis or a diagonal of a board with these sides, of which the first runs
    fastest in the numbers of cells."""
    strides = [1]
    for side in sides[:-1]:
        strides.append(strides[-1] * side)
    lines = set()
    for direction in product((-1, 0, 1), repeat=len(sides)):
        for start in product(*map(range, sides)):
            end = [place + step * (length - 1) for place, step in zip(start, direction, strict=True)]
            if any(direction) and all(0 <= place < side for place, side in zip(end, sides, strict=True)):
                first = sum(place * stride for place, stride in zip(start, strides, strict=True))
                step = sum(way * stride for way, stride in zip(direction, strides, strict=True))
                lines.add(tuple(sorted(first + step * i for i in range(length))))
    return tuple(sorted(lines))


class LineGame(BoardGame):
    """The base of these games, which have `cells` and `lines`."""

    roles = ("x", "o")
    cells: int
    lines: Lines

    def sample(self, random: Random) -> Board:
        return [EMPTY] * self.cells

    def mover(self, state: Board) -> int:
        return (self.cells - state.count(EMPTY)) % 2

    def actions(self, state: Board) -> list[int]:
        return [] if self.is_final(state) else cells_of(state, EMPTY)

    def play(self, state: Board, action: int) -> None:
        state[action] = self.mover(state)

    def copy(self, state: Board) -> Board:
        return state[:]

    def won_by(self, state: Board) -> tuple[int, ...]:
        """The first line there is; none if nobody has one."""
        for line in self.lines:
            mark = state[line[0]]
            if mark != EMPTY and all(state[cell] == mark for cell in line):
                return line
        return ()

    def winner(self, state: Board) -> int | None:
        line = self.won_by(state)
        return state[line[0]] if line else None

    def is_final(self, state: Board) -> bool:
        return EMPTY not in state or self.winner(state) is not None

    def rewards(self, state: Board) -> tuple[float, float]:
        won = self.winner(state)
        return (0.5, 0.5) if won is None else (1.0 - won, float(won))

    def pieces_of(self, state: Board) -> dict[int, Piece]:
        return {cell: MARKS[mark] for cell, mark in enumerate(state) if mark != EMPTY}

    def game_kernels(self) -> "GameKernels":
        from domains.games.lines_kernels import line_kernels

        return line_kernels(self.lines, self.cells)

    def encode(self, state: Board) -> "tuple[np.ndarray, np.ndarray]":
        from domains.games.lines_kernels import encoded_marks

        return encoded_marks(state, self.winner(state))

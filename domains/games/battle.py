"""Battle: both roles move a piece or defend one at the same time, and each counts its own captures.

Glossary
    pawn     moves one cell along its row or column
    king     moves one cell in any direction
    defend   stay, and capture whoever comes to a cell of one's own

The board is 8 × 8; the cell in column x and row y is number x + 8y. An action is 64 times the cell that a piece leaves
plus the one it goes to, which holds no piece of its own; a defence has the same cell twice.

What happens at once: moving pieces leave their cells. Two that come to one cell vanish, and nobody scores. A piece that
comes to a defended cell vanishes, and the defender scores. Any other replaces the enemy that stands where it comes to,
and scores; an enemy that left that cell, even by going where the piece came from, is not captured.

The game ends after 30 steps, when a role has no pieces, or ten captures; each capture is worth 0.1. As in the Base
repository of general game playing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from domains.games.boards import EMPTY, Board, cell_name, cells_of, column_and_row
from domains.games.drawing import BoardGame, Piece, grid
from domains.randomness import Random

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import GameKernels

SIDE = 8
CELLS = SIDE**2
STEPS, CAPTURES = 30, 10
NORTH, SOUTH = 0, 1
PAWN, KING = 0, 2
"""A piece is its role plus its kind."""
START = """
. n N N N N n .
s . n n n n . n
S s . . . . n N
S s . . . . n N
S s . . . . n N
S s . . . . n N
s . s s s s . n
. s S S S S s .
"""
"""The top row first; kings in capitals."""
LETTERS = "nsNS"
"""By piece."""
PIECES = [
    Piece(letter, shape, colour)
    for letter, shape, colour in zip(LETTERS, ("pawn", "pawn", "crown", "crown"), ("first", "second") * 2, strict=True)
]


@dataclass(slots=True)
class BattlePosition:
    board: Board
    captures: list[int]
    step: int = 0

    def copy(self) -> "BattlePosition":
        return BattlePosition(self.board[:], self.captures[:], self.step)


def is_king(piece: int) -> bool:
    return piece >= KING


def neighbours(cell: int, piece: int) -> list[int]:
    """Where such a piece could go on an empty board, in ascending order."""
    column, row = column_and_row(cell, SIDE)
    return [
        SIDE * to_row + to_column
        for to_row in range(max(0, row - 1), min(SIDE, row + 2))
        for to_column in range(max(0, column - 1), min(SIDE, column + 2))
        if abs(to_row - row) + abs(to_column - column) == 1
        or (is_king(piece) and to_row != row and to_column != column)
    ]


class Battle(BoardGame):
    """Capture, and defend your own; both roles act at the same time."""

    roles = ("north", "south")
    horizon = max_length = STEPS
    max_actions = 20 * (8 + 1)
    plan = grid(SIDE, SIDE, "checkered")

    def sample(self, random: Random) -> BattlePosition:
        rows = [row.split() for row in reversed(START.split("\n")[1:-1])]
        return BattlePosition([LETTERS.find(letter) for row in rows for letter in row], [0, 0])

    def mover(self, state: BattlePosition) -> None:
        return None

    def actions_of(self, state: BattlePosition, role: int) -> list[int]:
        if self.is_final(state):
            return []
        board, pieces = state.board, (role + PAWN, role + KING)
        own = cells_of(board, *pieces)
        moves = [CELLS * cell + to for cell in own for to in neighbours(cell, board[cell]) if board[to] not in pieces]
        return [*moves, *(CELLS * cell + cell for cell in own)]

    def play_all(self, state: BattlePosition, joint: Sequence[int]) -> None:
        cells, targets = zip(*(divmod(action, CELLS) for action in joint), strict=True)
        moving = [cell != target for cell, target in zip(cells, targets, strict=True)]
        pieces = [state.board[cell] for cell in cells]
        for role in (NORTH, SOUTH):
            if moving[role]:
                state.board[cells[role]] = EMPTY
        meet = targets[NORTH] == targets[SOUTH]
        for role in (NORTH, SOUTH):
            if moving[role] and meet and not moving[1 - role]:
                state.captures[1 - role] += 1
            elif moving[role] and not meet:
                state.captures[role] += state.board[targets[role]] != EMPTY
                state.board[targets[role]] = pieces[role]
        state.step += 1

    def copy(self, state: BattlePosition) -> BattlePosition:
        return state.copy()

    def is_final(self, state: BattlePosition) -> bool:
        has_pieces = all(cells_of(state.board, role + PAWN, role + KING) for role in (NORTH, SOUTH))
        return state.step == STEPS or max(state.captures) >= CAPTURES or not has_pieces

    def rewards(self, state: BattlePosition) -> tuple[float, float]:
        return state.captures[NORTH] / CAPTURES, state.captures[SOUTH] / CAPTURES

    def action_name(self, state: BattlePosition, action: int) -> str:
        cell, target = divmod(action, CELLS)
        if cell == target:
            return f"{cell_name(cell, SIDE)} defended"
        return f"{cell_name(cell, SIDE)}–{cell_name(target, SIDE)}"

    def pieces_of(self, state: BattlePosition) -> dict[int, Piece]:
        return {cell: PIECES[piece] for cell, piece in enumerate(state.board) if piece != EMPTY}

    def cells_of_action(self, state: BattlePosition, action: int) -> tuple[int, ...]:
        return divmod(action, CELLS)

    def game_kernels(self) -> "GameKernels":
        from domains.games.battle_kernels import KERNELS

        return KERNELS

    def encode(self, state: BattlePosition) -> "tuple[np.ndarray, np.ndarray]":
        from domains.games.battle_kernels import encoded_position

        return encoded_position(state)

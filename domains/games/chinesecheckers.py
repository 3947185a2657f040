"""Chinese checkers for three on a small star: who first has all three pieces on its targets, across the star.

Glossary
    edge    from a cell to the next one in one of the two directions in which a role's pieces move, only ever forward
    jump    two edges of the same direction over a piece of anybody's onto an empty cell; nothing is captured

The star has 37 cells, a1 at the top, numbered row by row. Red, green and blue take turns, red first. A piece moves
along one edge, or jumps, or jumps twice, the second time in either direction; or its role passes.

The game ends when somebody has three pieces on targets, or after 59 steps; 0, 1, 2, 3 pieces on its targets are worth
0, 25, 50 and 100 points to a role. As in the Base repository of general game playing (`chineseCheckers3`).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from domains.games.boards import EMPTY, Board, BoardPosition, cells_of
from domains.games.drawing import BoardPlan, Label, Piece
from domains.games.moving import MovingGame
from domains.protocol import NOOP
from domains.randomness import Random

if TYPE_CHECKING:
    from domains.kernels import GameKernels

ROWS = {"a": 1, "b": 2, "c": 7, "d": 6, "e": 5, "f": 6, "g": 7, "h": 2, "i": 1}
NAMES = [f"{row}{column}" for row, width in ROWS.items() for column in range(1, width + 1)]
CELLS = len(NAMES)
STEPS = 59
PIECES = 3
LOOKS = (Piece("R", "disc", "second"), Piece("G", "disc", "third"), Piece("B", "disc", "first"))
GOALS = (0, 25, 50, 100)
"""By the pieces on targets."""


def _cells(names: str) -> tuple[int, ...]:
    return tuple(map(NAMES.index, names.split()))


STARTS = (_cells("a1 b1 b2"), _cells("f6 g6 g7"), _cells("f1 g1 g2"))
TARGETS = (_cells("h1 h2 i1"), _cells("c1 c2 d1"), _cells("c6 c7 d6"))
EDGES = (
    (
        "a1 b1, b1 c3, b2 c4, c3 d2, c4 d3, c5 d4, d2 e1, d3 e2, d4 e3, d5 e4, e2 f2, e3 f3, e4 f4, e5 f5, f3 g3, "
        "f4 g4, f5 g5, g4 h1, g5 h2, h2 i1",
        "a1 b2, b1 c4, b2 c5, c3 d3, c4 d4, c5 d5, d2 e2, d3 e3, d4 e4, d5 e5, e1 f2, e2 f3, e3 f4, e4 f5, f2 g3, "
        "f3 g4, f4 g5, g3 h1, g4 h2, h1 i1",
    ),
    (
        "d1 c1, e1 d1, d2 c2, f2 e1, e2 d2, d3 c3, g3 f2, f3 e2, e3 d3, d4 c4, g4 f3, f4 e3, e4 d4, d5 c5, g5 f4, "
        "f5 e4, e5 d5, g6 f5, f6 e5, g7 f6",
        "c2 c1, d2 d1, c3 c2, e2 e1, d3 d2, c4 c3, f3 f2, e3 e2, d4 d3, c5 c4, g4 g3, f4 f3, e4 e3, d5 d4, g5 g4, "
        "f5 f4, e5 e4, g6 g5, f6 f5, g7 g6",
    ),
    (
        "c6 c7, c5 c6, d5 d6, c4 c5, d4 d5, e4 e5, c3 c4, d3 d4, e3 e4, f4 f5, g4 g5, d2 d3, e2 e3, f3 f4, e1 e2, "
        "f2 f3, g3 g4, f1 f2, g2 g3, g1 g2",
        "d6 c7, d5 c6, e5 d6, d4 c5, e4 d5, f5 e5, d3 c4, e3 d4, f4 e4, g5 f5, d2 c3, e2 d3, f3 e3, g4 f4, e1 d2, "
        "f2 e2, g3 f3, f1 e1, g2 f2, g1 f1",
    ),
)
"""Of each role the edges of its two directions, by their cells."""


def _pair(edge: str) -> tuple[int, int]:
    cell, following = _cells(edge)
    return cell, following


def _next_cells(edges: str) -> dict[int, int]:
    return dict(_pair(edge) for edge in edges.split(","))


NEXT = tuple(tuple(map(_next_cells, directions)) for directions in EDGES)
"""For each role and direction the cell that follows a cell."""


def on_targets(board: Board, role: int) -> int:
    return sum(board[cell] == role for cell in TARGETS[role])


class ChineseCheckers3(MovingGame):
    """Three roles with three pieces each cross a star of 37 cells."""

    roles = ("red", "green", "blue")
    horizon = 54
    max_length = STEPS
    max_actions = PIECES * (2 + 2 * 3) + 1
    looks = LOOKS
    plan = BoardPlan(
        tuple(
            (column - (width - 1) / 2, float(row)) for row, width in enumerate(ROWS.values()) for column in range(width)
        ),
        tuple(Label(name, -4.0, float(row)) for row, name in enumerate(ROWS)),
        tile="point",
        goals=tuple((look.colour, cells) for look, cells in zip(LOOKS, TARGETS, strict=True)),
    )

    def sample(self, random: Random) -> BoardPosition:
        board = [EMPTY] * CELLS
        for role, cells in enumerate(STARTS):
            for cell in cells:
                board[cell] = role
        return BoardPosition(board)

    def mover(self, state: BoardPosition) -> int:
        return state.step % 3

    def targets(self, board: Board, cell: int) -> Iterator[int]:
        """Where the piece in this cell may go; some cells more than once."""
        directions = NEXT[board[cell]]
        for following in directions:
            if cell in following and board[following[cell]] == EMPTY:
                yield following[cell]
        for following in directions:
            for target in self.jump(board, cell, following):
                yield target
                for second in directions:
                    yield from self.jump(board, target, second)

    def jump(self, board: Board, cell: int, following: dict[int, int]) -> Iterator[int]:
        """Where a jump in one direction leads, if there is one."""
        over = following.get(cell)
        target = following.get(over) if over is not None and board[over] != EMPTY else None
        if target is not None and board[target] == EMPTY:
            yield target

    def actions(self, state: BoardPosition) -> list[int]:
        if self.is_final(state):
            return []
        own = cells_of(state.board, self.mover(state))
        moves = dict.fromkeys(CELLS * cell + target for cell in own for target in self.targets(state.board, cell))
        return [*moves, NOOP]

    def is_final(self, state: BoardPosition) -> bool:
        return state.step == STEPS or any(on_targets(state.board, role) == PIECES for role in range(3))

    def rewards(self, state: BoardPosition) -> tuple[float, ...]:
        return tuple(GOALS[on_targets(state.board, role)] / 100 for role in range(3))

    def action_name(self, state: BoardPosition, action: int) -> str:
        return "pass" if action == NOOP else "–".join(NAMES[cell] for cell in divmod(action, CELLS))

    def game_kernels(self) -> "GameKernels":
        from domains.games.chinesecheckers_kernels import KERNELS

        return KERNELS

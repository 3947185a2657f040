"""SameGame: remove groups of one colour from a board of fallen cells; large groups are worth much more than small ones.

Glossary
    cell         a place on the board; numbered column by column from the left, in a column from the bottom
    group        cells of one colour that hang together by their sides, as many as do; two of them at least
    move         removes a group of n cells and is worth (n - 2)² points; what lies above falls down, and where a column
                 is empty, those to the right of it close up to the left
    cleared      a board with no cell left; worth another 1000 points
    left over    the cells of a final board, on which no group is left: they cost (k - 2)² points for each colour of
                 which k cells are left, k at least 1, as if these were a group
    commonest    the colour that most cells of the board have now; of equal ones the lowest
    action       the lowest number of the cells of a group; they are listed in increasing order

The rules are those of Schadd, Winands, Tak and Uiterwijk (2012), "Single-player Monte-Carlo tree search for SameGame".
Others, Cazenave among them, play without the cost of what is left over; a cleared board is worth the same to both.

The reward is points / 5000: on the twenty standard boards, nested search of level 3 has 3897 points on average (77 934
in all, Cazenave). It is not cut off, because a search compares whatever it finds: it may be below 0, and above 1 where
a large group is removed. Only what keeps statistics in [0, 1] cuts it there.

A solution says little by its cells alone, because cells move: hence `code`, a number drawn for every cell and colour,
combined over the cells of the group by exclusive or. Same colour and same cells now, same code, as in the programs for
nested rollout policy adaptation.

What the features are good for, in playouts on 30 boards, the mean and the best of 100: at random 108 and 447 points;
commonest=-10, which keeps the commonest colour for the end as the tabu colour of Schadd et al. does, 501 and 1412; with
height=6 besides 629 and 1588. size=-6 alone: 187 and 630.
"""

from collections.abc import Iterator, Sequence
from functools import cache, reduce
from itertools import pairwise
from operator import xor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domains.errors import UnknownDomain
from domains.protocol import Domain, replay
from domains.randomness import Random, seed_of
from domains.samegame_board import BONUS, LONGEST_SIDE, MOST_COLOURS, POINTS_OF_1, Board, Cell, penalty
from domains.samegame_files import read_all, read_one

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import Kernels

CODE_BITS = 62


@cache
def cell_codes(width: int, height: int, colours: int) -> list[list[int]]:
    """A number for every colour and cell."""
    random = Random(seed_of("samegame code", width, height, colours))
    return [[random.next() >> 64 - CODE_BITS for _ in range(width * height)] for _ in range(colours)]


class SameGame(Domain):
    """SameGame on boards drawn at random; with PATH, on those of a file, or of the *.txt of a folder."""

    unit = "points"
    features = ("size", "commonest", "height")

    def __init__(self, width: int = 15, height: int = 15, colours: int = 5, path: Path | None = None) -> None:
        for name, value, most in (
            ("width", width, LONGEST_SIDE),
            ("height", height, LONGEST_SIDE),
            ("colours", colours, MOST_COLOURS),
        ):
            if not 2 <= value <= most:
                raise UnknownDomain(f"samegame: {name} is {value}; it must be from 2 to {most}")
        self.path, self.boards = None if path is None else Path(path), list[Board]()
        if self.path is not None:
            if (width, height, colours) != (15, 15, 5):
                raise UnknownDomain(f"samegame: what width, height and colours are, {path} says; leave them out")
            self.boards, self.instances = read_all(self.path)
            width = max(len(board.columns) for board in self.boards)
            height = max(len(column) for board in self.boards for column in board.columns)
            colours = max(2, *(max(column) for board in self.boards for column in board.columns))
        self.width, self.height, self.colours = width, height, colours
        cells = width * height
        self.horizon = max(1, cells * 2 // 7)
        self.max_length = self.max_actions = cells // 2
        self.reward_range = -(cells**2) / POINTS_OF_1, (cells**2 + BONUS) / POINTS_OF_1

    def identity(self) -> dict[str, Any]:
        if self.path is not None:
            return {"path": self.path}
        return {"width": self.width, "height": self.height, "colours": self.colours}

    def sample(self, random: Random) -> Board:
        """Every colour in every cell alike; with several boards in a file, one of these."""
        if self.boards:
            return self.copy(self.boards[random.below(len(self.boards))])
        columns = [[1 + random.below(self.colours) for _ in range(self.height)] for _ in range(self.width)]
        return Board(columns, 0)

    def load(self, path: Path) -> Board:
        return read_one(path)

    def actions(self, state: Board) -> list[int]:
        columns, listed = state.columns, []
        seen: set[Cell] = set()
        for x, column in enumerate(columns):
            right = columns[x + 1] if x + 1 < len(columns) else []
            for y, colour in enumerate(column):
                # The first cell of a group has its colour above it or on its right.
                if (column[y + 1 : y + 2] == [colour] or right[y : y + 1] == [colour]) and (x, y) not in seen:
                    seen.update(state.group((x, y)))
                    listed.append(x * self.height + y)
        return listed

    def group(self, state: Board, action: int) -> list[Cell]:
        """The cells that `action` removes, that with the lowest number first."""
        return state.group(divmod(action, self.height))

    def _colour(self, state: Board, action: int) -> int:
        return state.columns[action // self.height][action % self.height]

    def play(self, state: Board, action: int) -> None:
        group = self.group(state, action)
        state.points += (len(group) - 2) ** 2
        for x, y in sorted(group, reverse=True):  # from the top down, so that those below keep their places
            del state.columns[x][y]
        state.columns = [column for column in state.columns if column]

    def copy(self, state: Board) -> Board:
        return Board([column[:] for column in state.columns], state.points)

    def is_final(self, state: Board) -> bool:
        columns = state.columns
        if any(below == above for column in columns for below, above in pairwise(column)):
            return False
        return not any(a == b for one, other in pairwise(columns) for a, b in zip(one, other, strict=False))

    def score(self, state: Board) -> float:
        return float(state.points - penalty(state.counts()) if state.columns else state.points + BONUS)

    def reward(self, state: Board) -> float:
        return self.score(state) / POINTS_OF_1

    def score_of_reward(self, reward: float) -> float:
        return float(round(reward * POINTS_OF_1))

    def code(self, state: Board, action: int) -> int:
        group = self.group(state, action)
        codes = cell_codes(self.width, self.height, self.colours)[self._colour(state, action) - 1]
        return reduce(xor, (codes[x * self.height + y] for x, y in group))

    def feature(self, state: Board, action: int) -> tuple[float, float, float]:
        """size: 1 - 2 / n for n cells, 0 for the smallest group and never 1. commonest: 1 for a group of the commonest
        colour, unless it is all that is left of it; else 0. height: how high its first cell lies, from 0 to 1."""
        group, counts = self.group(state, action), state.counts()
        colour = self._colour(state, action)
        commonest = counts.index(max(counts)) + 1 == colour and counts[colour - 1] != len(group)
        return 1 - 2 / len(group), float(commonest), action % self.height / self.height

    def action_name(self, state: Board, action: int) -> str:
        """Such as "4 of colour 2 at c3r1"; columns from the left and rows from the bottom, both from 1."""
        group, (x, y) = self.group(state, action), divmod(action, self.height)
        return f"{len(group)} of colour {self._colour(state, action)} at c{x + 1}r{y + 1}"

    def draw(self, initial: Board, actions: Sequence[int]) -> str:
        """The colours on the board before and after."""
        from domains.samegame_drawing import summary, text

        final = replay(self, initial, actions)
        return text(initial, final, self.width, self.height, summary(final, len(actions), self.is_final(final)))

    def svg(self, initial: Board, actions: Sequence[int]) -> str:
        """The board before and after, and on the first the number of the move that removes each cell."""
        from domains.samegame_drawing import picture, summary

        final, groups = replay(self, initial, actions), list(self._removed(initial, actions))
        said = summary(final, len(actions), self.is_final(final))
        return picture(initial, final, self.width, self.height, groups, said)

    def _removed(self, initial: Board, actions: Sequence[int]) -> Iterator[list[Cell]]:
        state = self.copy(initial)
        for action in actions:
            yield self.group(state, action)
            self.play(state, action)

    def kernels(self) -> "Kernels":
        from domains.samegame_kernels import kernels_for

        return kernels_for(self.width, self.height, self.colours)

    def encode(self, state: Board) -> "tuple[np.ndarray, np.ndarray]":
        from domains.samegame_kernels import NO_PROBLEM, encoded

        return NO_PROBLEM, encoded(self, state)

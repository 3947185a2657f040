"""A board of SameGame, and what holds for all boards; the terms are in `domains/samegame.py`."""

from collections.abc import Sequence
from dataclasses import dataclass

LONGEST_SIDE = 50
MOST_COLOURS = 9
BONUS = 1000
POINTS_OF_1 = 5000
"""How many points are a reward of 1."""

Cell = tuple[int, int]
"""Column and row, both from 0; rows from the bottom."""


@dataclass(slots=True)
class Board:
    """A state."""

    columns: list[list[int]]
    """The colours, 1, 2, …, of each column from the bottom up; no column is empty, and none has holes."""
    points: int
    """For the groups removed so far."""

    @property
    def left(self) -> int:
        return sum(map(len, self.columns))

    def counts(self) -> list[int]:
        """How many cells have the colours 1, 2, …, MOST_COLOURS."""
        every = [colour for column in self.columns for colour in column]
        return [every.count(colour) for colour in range(1, MOST_COLOURS + 1)]

    def group(self, first: Cell) -> list[Cell]:
        """The cells that hang together with this one and have its colour, that one first; itself alone if none has."""
        columns, found, seen = self.columns, [first], {first}
        colour = columns[first[0]][first[1]]
        for x, y in found:
            for beside, height in ((x, y - 1), (x, y + 1), (x - 1, y), (x + 1, y)):
                if 0 <= beside < len(columns) and 0 <= height < len(columns[beside]):
                    cell = beside, height
                    if columns[beside][height] == colour and cell not in seen:
                        seen.add(cell)
                        found.append(cell)
        return found


def penalty(counts: Sequence[int]) -> int:
    """What the cells that are left over cost, given how many of each colour there are."""
    return sum((count - 2) ** 2 for count in counts if count)


def counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"

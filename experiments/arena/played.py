"""The table of agents that have played each other, as it is read again."""

import math
from dataclasses import dataclass
from pathlib import Path

from experiments.arena.cells import printed
from experiments.arena.running import TABLE_FILE
from experiments.files import read_csv


@dataclass(frozen=True)
class Played:
    """A cell, as it came out: percent of the points, and half the width of the 95 % interval."""

    table: str
    game: str
    column: str
    budget: int
    games: int
    value: float
    half: float
    draws: float
    cpu_seconds: float
    p: float = math.nan
    """of 50 %, from the blocks"""
    agent: str = ""

    @property
    def side(self) -> int:
        """1 or -1 where the interval is above or below 50."""
        return side_of(self.value, self.half)

    @property
    def printed(self) -> tuple[float, float] | None:
        return printed().get((self.table, self.game, self.column))

    def beside(self, value: float, half: float) -> int:
        """1 or -1 where this is clearly above or below another value, 0 where the difference's interval holds 0."""
        return side_of(self.value - value, math.hypot(self.half, half), 0.0)

    def __str__(self) -> str:
        return f"{self.value:.1f} ± {self.half:.1f}"


def side_of(value: float, half: float, middle: float = 50.0) -> int:
    return int(value - half > middle) - int(value + half < middle)


def read_played(folder: Path) -> list[Played]:
    path = folder / TABLE_FILE
    return [
        Played(
            row["table"],
            row["game"],
            row["column"],
            int(row["budget"]),
            int(row["games"]),
            float(row["points"]),
            float(row["half"]),
            float(row["draws"]),
            float(row["cpu_seconds"]),
            float(row.get("p") or math.nan),
            row["agent"],
        )
        for row in (read_csv(path) if path.exists() else [])
    ]

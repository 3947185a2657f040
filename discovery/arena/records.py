"""What is written down of a match, and how it stands in the journal.

[0,[0,1],[1.0,0.0],7,[8000,8000],[4,0,2,1,0,0,1],"d2f1…"]

block, seating, goals, steps, simulations of each role, choices (`mcsgrammar.engines.arena.matching`), checksum
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

from discovery.arena.blocks import Seating


@dataclass(frozen=True)
class MatchRecord:
    """A match that was played."""

    block: int
    seating: Seating
    goals: tuple[float, ...]
    steps: int
    simulations: tuple[int, ...]
    """of each role, in all its searches"""
    choices: tuple[int, ...]

    def fields(self) -> list[object]:
        return [self.block, self.seating, self.goals, self.steps, self.simulations, self.choices]


FIELDS = ("block", "seating", "goals", "steps", "simulations", "choices")
SHORTEST = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def text_of_record(record: MatchRecord) -> bytes:
    """A line of the journal without its checksum."""
    return SHORTEST(record.fields())[:-1].encode("ascii")


def record_of(fields: Sequence[object]) -> MatchRecord:
    """Raises `ValueError` for what is no match."""
    if len(fields) != len(FIELDS):
        raise ValueError("this is no match")
    block, seating, goals, steps, simulations, choices = fields
    if not (_is_count(block) and _is_count(steps) and all(map(_are_counts, (seating, simulations, choices)))):
        raise ValueError("this is no match")
    if not isinstance(goals, list) or not all(isinstance(goal, float) and math.isfinite(goal) for goal in goals):
        raise ValueError("this is no match")
    return MatchRecord(block, tuple(seating), tuple(goals), steps, tuple(simulations), tuple(choices))  # type: ignore


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _are_counts(values: object) -> bool:
    return isinstance(values, list) and all(map(_is_count, values))

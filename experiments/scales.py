"""How large the experiments are."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """What the sizes of the paper are multiplied with; `depth` is added to."""

    name: str
    pulls: float = 1.0
    budget: float = 1.0
    """of the campaigns; the columns keep theirs, so that they can be compared with the published values"""
    depth: int = 0
    problems: float = 1.0


FULL = Scale("full")
SMALL = Scale("small", pulls=0.2, budget=0.05, depth=-1, problems=0.01)
"""Finds little and measures roughly, but every step of the whole is taken."""

SCALES = {scale.name: scale for scale in (FULL, SMALL)}

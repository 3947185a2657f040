"""What a run of a search algorithm comes to."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

StopReason = Literal["evaluations", "seconds", "interrupted"]


def curve_points() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50, …: the numbers of evaluations at which a run notes its best so far."""
    return (factor * 10**power for power in itertools.count() for factor in (1, 2, 5))


@dataclass(frozen=True)
class Tuning:
    """What the tuner of one `tune` did in one run."""

    parameters: tuple[str, ...]
    """what it chose: 'c of ucb1', …"""
    choices: int
    """how often it was told the reward of a combination"""
    used: tuple[tuple[tuple[Any, ...], int, float], ...]
    """(combination, how often, mean reward), the most used first; empty where values are drawn from intervals"""
    best: tuple[Any, ...] | None
    """what it would choose in the end; None if it was told nothing"""


@dataclass(frozen=True)
class RunResult:
    """One run on one problem. Two engines give the same, bit for bit, but for `seconds`."""

    reward: float | None
    """the best reward; None if nothing was evaluated"""
    actions: tuple[Any, ...]
    """the best sequence"""
    evaluations: int
    stop_reason: StopReason
    curve: tuple[tuple[int, float], ...]
    """(evaluations, best so far) at 1, 2, 5, 10, … and at the end"""
    tree_nodes: int
    """in the trees of all selects together"""
    tree_full: bool
    """whether max_nodes kept something out: a node of a tree, or an entry of the statistics of a policy"""
    seconds: float
    """CPU time of the search itself, compilation excluded"""
    tunings: tuple[Tuning, ...] = ()
    """one for each `tune` of the expression, from the outside in"""

    def best_at(self, evaluations: int) -> float | None:
        """The best reward after that many evaluations, where the curve knows it."""
        return next((reward for at, reward in self.curve if at == evaluations), None)

"""What a run of a search algorithm comes to."""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

StopReason = Literal["evaluations", "plays", "seconds", "interrupted"]


def curve_points() -> Iterator[int]:
    """1, 2, 5, 10, 20, 50, …: the numbers of evaluations at which a run notes its best so far."""
    return (factor * 10**power for power in itertools.count() for factor in (1, 2, 5))


Used = tuple[tuple[tuple[Any, ...], int, float], ...]


class Tuning:
    """What the tuner of one `tune` did in one run."""

    parameters: tuple[str, ...]
    """what it chose: 'c of ucb1', …"""
    choices: int
    """how often it was told the reward of a combination"""
    best: tuple[Any, ...] | None
    """what it would choose in the end; None if it was told nothing"""

    def __init__(
        self, parameters: tuple[str, ...], choices: int, best: tuple[Any, ...] | None, used: Used | Callable[[], Used]
    ) -> None:
        """`used` may be a function: thousands of combinations are listed only for who asks for them."""
        self.parameters, self.choices, self.best = parameters, choices, best
        self._used = used

    @property
    def used(self) -> Used:
        """(combination, how often, mean reward), the most used first; empty where values are drawn from intervals."""
        if callable(self._used):
            self._used = self._used()
        return self._used

    def _all(self) -> tuple[Any, ...]:
        return self.parameters, self.choices, self.best, self.used

    def __eq__(self, other: object) -> bool:
        return self._all() == other._all() if isinstance(other, Tuning) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.parameters, self.choices, self.best))

    def __repr__(self) -> str:
        return f"<Tuning of {', '.join(self.parameters)}: {self.choices} choices, best {self.best}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Tuning, self._all()


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

    def __repr__(self) -> str:
        return (
            f"<RunResult: reward {self.reward} after {self.evaluations} evaluations, {len(self.actions)} actions, "
            f"stopped by {self.stop_reason}>"
        )

    def best_at(self, evaluations: int) -> float | None:
        """The best reward after that many evaluations, where the curve knows it."""
        return next((reward for at, reward in self.curve if at == evaluations), None)

"""Shares of games won, and by how much they differ.

Glossary
    share       so many wins of so many games, with Wilson's 95 % interval
    difference  of two shares, or the mean over games of such differences, with the interval that the single ones make
                (Newcombe's method: of every share the distance from its mean to the end of its interval counts)
    p           of no difference: Fisher's exact test for one game; for means over games 0.05 where the interval ends at
                0, and by the normal distribution from there
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scipy import stats

Z = float(stats.norm.ppf(0.975))


@dataclass(frozen=True)
class Share:
    wins: int
    games: int

    @property
    def mean(self) -> float:
        return self.wins / self.games

    @property
    def interval(self) -> tuple[float, float]:
        found = stats.binomtest(self.wins, self.games).proportion_ci(0.95, method="wilson")
        return float(found.low), float(found.high)


@dataclass(frozen=True)
class Difference:
    mean: float
    low: float
    high: float
    p: float

    @property
    def is_shown(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0 or self.high < 0


Pair = tuple[Share, Share]


def mean_share(shares: Sequence[Share]) -> Difference:
    """The mean over games, as a difference from nothing."""
    return mean_difference([(share, Share(0, 0)) for share in shares])


def difference(one: Share, other: Share) -> Difference:
    """How much more the one wins than the other."""
    found = mean_difference([(one, other)])
    table = [[one.wins, one.games - one.wins], [other.wins, other.games - other.wins]]
    return Difference(found.mean, found.low, found.high, float(stats.fisher_exact(table).pvalue))


def mean_difference(pairs: Sequence[Pair]) -> Difference:
    """The mean over games of what the one wins more than the other; a share of no games is 0."""
    total = below = above = 0.0
    for pair in pairs:
        for share, sign in zip(pair, (1.0, -1.0), strict=True):
            if not share.games:
                continue
            low, high = share.interval
            down, up = share.mean - low, high - share.mean
            total += sign * share.mean
            below += (down if sign > 0 else up) ** 2
            above += (up if sign > 0 else down) ** 2
    n = len(pairs)
    towards_0 = math.sqrt(below if total > 0 else above)
    p = 2.0 * float(stats.norm.sf(Z * abs(total) / towards_0)) if towards_0 else 1.0
    return Difference(total / n, (total - math.sqrt(below)) / n, (total + math.sqrt(above)) / n, p)

"""How a campaign's bandit spent its pulls: by candidate, over time.

The campaign is cut into windows of as many pulls each. Candidates are taken in the order of the final ranking, the
leaders one by one, the others in groups, so that one sees when the bandit came to those it recommends.
"""

from dataclasses import dataclass

import numpy as np

from discovery.campaign.ranking import Standing
from discovery.numbers import plural

WINDOWS = 60
GROUP_ENDS = (10, 100, 1000, 10_000, 100_000)


@dataclass(frozen=True)
class Share:
    """The pulls of some candidates."""

    label: str
    first: int
    """the rank of the best of them"""
    candidates: int
    pulls: tuple[int, ...]
    """in each window"""

    @property
    def total(self) -> int:
        return sum(self.pulls)


@dataclass(frozen=True)
class Spending:
    edges: tuple[int, ...]
    """where the windows begin and end, in pulls"""
    groups: tuple[Share, ...]
    """all candidates that were tried, by their final rank"""
    leaders: tuple[Share, ...]
    """the best of the ranking, one by one"""
    untried: int
    fewest: int
    """pulls of a tried candidate"""
    median: float
    most: int

    @property
    def spread(self) -> str:
        """How unevenly, in a few words."""
        if self.fewest == self.most:
            return f"every tried candidate has {plural(self.most, 'pull')}"
        pulls = f"{self.fewest:,} to {plural(self.most, 'pull')}"
        return f"a tried candidate has {pulls}, half of them at most {self.median:,.6g}"

    @property
    def windows(self) -> int:
        return len(self.edges) - 1


def spending(standing: Standing, top: int) -> Spending | None:
    """None for a campaign without pulls."""
    done = standing.pulls_done
    if done == 0:
        return None
    windows = min(WINDOWS, done)
    edges = np.arange(windows + 1) * done // windows
    rank = np.zeros(len(standing.expressions), np.int64)
    rank[standing.order] = np.arange(1, len(standing.order) + 1)
    ranks = rank[standing.contents.arms]
    window = np.searchsorted(edges, np.arange(done), side="right") - 1

    def pulls(low: int, high: int) -> tuple[int, ...]:
        chosen = window[(ranks >= low) & (ranks <= high)]
        return tuple(np.bincount(chosen, minlength=windows).tolist())

    tried = len(standing.order)
    ends = [end for end in GROUP_ENDS if end < tried] + [tried]
    starts = [1, *(end + 1 for end in ends[:-1])]
    groups = [
        Share(f"rank {low:,} to {high:,}" if low < high else f"rank {low:,}", low, high - low + 1, pulls(low, high))
        for low, high in zip(starts, ends, strict=True)
    ]
    leaders = [Share(standing.expressions[arm], i, 1, pulls(i, i)) for i, arm in enumerate(standing.order[:top], 1)]
    counts = standing.statistics.counts[standing.order]
    return Spending(
        tuple(edges.tolist()),
        tuple(groups),
        tuple(leaders),
        len(standing.expressions) - tried,
        int(counts.min()),
        float(np.median(counts)),
        int(counts.max()),
    )

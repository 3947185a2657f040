"""What the end of a campaign over a family says beyond the means over its domains: domain by domain, and what a choice
is worth on a domain that it was not made on.

Glossary
    left out    a domain; its choices are made by the rewards on all *others*, and measured on it. Each is left out once
    choice      the candidate that the campaign's pulls on the others recommend (`choices`), or the generic algorithm
                with the highest mean over the others, by its training runs
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from discovery.statistics import Summary, summary

CAUTION = 1.0
"""So many standard errors are taken off a mean before it is compared with others, of more pulls or less. With fewer,
luck in few pulls is chosen; with more, candidates with many pulls, and who has many was decided on the domain left out,
too: `benchmarks/left_out.py` compares."""


@dataclass(frozen=True)
class ChosenCandidate:
    """A candidate that was chosen by some of a campaign's pulls."""

    arm: int
    mean: float
    """reward, over the domains it was chosen on, each weighted alike"""
    pulls: int
    """on these"""


def choices(
    arms: np.ndarray, t: np.ndarray, rewards: np.ndarray, candidates: int, domains: int
) -> list[ChosenCandidate | None]:
    """For each domain the choice by a journal's pulls on all others; None where no candidate was pulled on all those.

    Candidates have unequal numbers of pulls, and few pulls make a lucky mean. So the one is chosen with the highest
    mean of its means on the other domains, less one standard error. For these all candidates have the same deviation
    of rewards on a domain, that within candidates; it is 0 where none was pulled there twice. Rewards below 0 count as
    0, or one of -1e30 would hide all others. Of equals, the first is chosen.
    """
    floored = np.maximum(rewards, 0.0)
    cells = arms * domains + t % domains
    counts = np.bincount(cells, minlength=candidates * domains).reshape(candidates, domains)
    sums = np.bincount(cells, floored, candidates * domains).reshape(candidates, domains)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / counts
    residuals = floored - means[arms, t % domains]
    squares = np.bincount(t % domains, residuals**2, domains)
    repeated = np.maximum(counts - 1, 0).sum(axis=0)
    variances = np.divide(squares, repeated, out=np.zeros(domains), where=repeated > 0)
    return [_choice(means, counts, variances, [one for one in range(domains) if one != out]) for out in range(domains)]


def _choice(means: np.ndarray, counts: np.ndarray, variances: np.ndarray, others: list[int]) -> ChosenCandidate | None:
    tried = np.flatnonzero((counts[:, others] > 0).all(axis=1))
    if not len(tried):
        return None
    own = means[tried][:, others].mean(axis=1)
    errors = np.sqrt((variances[others] / counts[tried][:, others]).sum(axis=1)) / len(others)
    best = int(np.argmax(own - CAUTION * errors))
    return ChosenCandidate(int(tried[best]), float(own[best]), int(counts[tried[best], others].sum()))


def best_of_others(trained: np.ndarray) -> list[int]:
    """For each domain the row of `trained` [algorithm, domain] with the highest mean over all other domains; of equals
    the first."""
    rest = trained.sum(axis=1, keepdims=True) - trained
    return [int(row) for row in np.round(rest, 9).argmax(axis=0)]


@dataclass(frozen=True)
class AlgorithmByDomain:
    """An algorithm on each domain."""

    name: str
    expression: str
    generic: bool
    means: tuple[float, ...]
    beside: tuple[int, ...]
    """the reference there: 1 better, -1 worse, 0 level with it, by the paired test over problems"""


@dataclass(frozen=True)
class LeftOut:
    """A domain that was left out: what was chosen on the others, and the mean scores of that here."""

    choice: str
    """expression"""
    chosen_mean: float
    """in the pulls on the others that it was chosen by"""
    chosen_pulls: int
    mean: float
    generic: str
    """name"""
    generic_mean: float

    @property
    def difference(self) -> float:
        return self.mean - self.generic_mean


@dataclass(frozen=True)
class FamilyScores:
    """Domain by domain, in the unit that the family has. Every mean is over as many test problems."""

    domains: tuple[str, ...]
    """as they are called"""
    problems: int
    spread_blindly: bool
    """whether candidates had their pulls whatever the rewards were"""
    algorithms: tuple[AlgorithmByDomain, ...]
    """the best over all domains first"""
    left_out: tuple[LeftOut, ...]
    """a line for each domain; empty where the campaign has too few pulls to choose by"""

    @property
    def reached(self) -> tuple[Summary, Summary, Summary]:
        """Over domains left out: the candidates chosen, the generic algorithms chosen, and their difference."""
        lines = [(one.mean, one.generic_mean, one.difference) for one in self.left_out]
        found, generic, difference = (summary(column) for column in zip(*lines, strict=True))
        return found, generic, difference


def family_scores_in(document: dict[str, Any]) -> FamilyScores:
    """What `asdict` gave. Raises `LookupError` or `TypeError` for what it cannot have given."""
    return FamilyScores(
        tuple(map(str, document["domains"])),
        int(document["problems"]),
        bool(document["spread_blindly"]),
        tuple(
            AlgorithmByDomain(**{**one, "means": tuple(one["means"]), "beside": tuple(one["beside"])})
            for one in document["algorithms"]
        ),
        tuple(LeftOut(**one) for one in document["left_out"]),
    )

"""What matches say of the agents that played them: pure functions of records.

Glossary
    W            an agent's points per match: the mean over its blocks of the mean points within a block
    same opponents  for two agents of a tournament: all the others, whom both have met in the same blocks

The unit is the block, whose matches are not independent of each other: intervals are Student's t over block means, and
tests are paired over blocks. Draws are never dropped. Only whole blocks count.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from discovery.arena.blocks import PointsRule, is_draw, points
from discovery.arena.records import MatchRecord
from discovery.statistics import Floats, Summary, binomial_interval, holm, means, paired_test, summary


@dataclass(frozen=True)
class Scored:
    """An agent in the matches of one pairing."""

    agent: int
    points: Summary
    """W, over blocks"""
    as_role: tuple[float | None, ...]
    """W in the matches in which it sat in each role"""
    mean_goal: float
    """of all its roles"""


@dataclass(frozen=True)
class Pairing:
    """What came of the matches of some agents with each other."""

    agents: tuple[int, ...]
    blocks: int
    matches: int
    scored: tuple[Scored, ...]
    """one for each agent"""
    draws: float
    """the share of matches in which more than one agent holds a highest goal"""
    mean_steps: float
    mean_simulations: float
    """of one role in one match"""

    def __getitem__(self, agent: int) -> Scored:
        return self.scored[self.agents.index(agent)]


@dataclass(frozen=True)
class Difference:
    """Two agents compared over the same blocks: the first's points minus the second's."""

    agents: tuple[int, int]
    difference: Summary
    p: float | None
    """of the paired t-test; None for one block alone"""
    p_holm: float | None
    """corrected for the family of such comparisons"""


@dataclass(frozen=True)
class Overall:
    """An agent against all the others of a tournament."""

    agent: int
    rank: int
    points: Summary


@dataclass(frozen=True)
class Standings:
    """All that is said of a match or a tournament."""

    rule: PointsRule
    pairings: tuple[Pairing, ...]
    direct: tuple[Difference, ...]
    """in their own matches, for every two agents that met; Holm's correction is over all of these"""
    overall: tuple[Overall, ...]
    """the best first; of a match it says the same as its pairing"""
    same_opponents: tuple[Difference, ...]
    """of a tournament of three agents or more, for every two; Holm's correction is over all of these"""

    def pairing(self, agents: Sequence[int]) -> Pairing:
        return next(one for one in self.pairings if set(one.agents) == set(agents))


def whole_blocks(records: Sequence[MatchRecord], matches_in_block: int) -> list[MatchRecord]:
    """The records of blocks of which no match is missing, in the order of blocks."""
    by_block: dict[int, list[MatchRecord]] = {}
    for record in records:
        by_block.setdefault(record.block, []).append(record)
    return [one for block in sorted(by_block) for one in by_block[block] if len(by_block[block]) == matches_in_block]


def block_points(records: Sequence[MatchRecord], agent: int, rule: PointsRule = "agents") -> Floats:
    """The mean points of an agent in each block, in the order of blocks, over the matches it played there."""
    by_block: dict[int, list[float]] = {}
    for record in records:
        if agent in record.seating:
            by_block.setdefault(record.block, []).append(points(record.goals, record.seating, rule)[agent])
    return np.array([means(by_block[block]) for block in sorted(by_block)], np.float64)


def standings(
    records: Sequence[MatchRecord],
    pairings: Sequence[tuple[int, ...]],
    rule: PointsRule = "agents",
) -> Standings | None:
    """Of whole blocks of matches between these; None if there are none yet."""
    if not records:
        return None
    played = {agents: [one for one in records if set(one.seating) == set(agents)] for agents in pairings}
    scores = {
        agents: {agent: block_points(own, agent, rule) for agent in agents} for agents, own in played.items() if own
    }
    met = [(scores[agents][a], scores[agents][b], (a, b)) for agents in scores for a, b in combinations(agents, 2)]
    everybody = sorted({agent for agents in pairings for agent in agents})
    return Standings(
        rule,
        tuple(_pairing(agents, played[agents], scores[agents], rule) for agents in scores),
        _differences(met),
        _overall(scores, everybody),
        _differences(_against_the_same(scores, everybody)) if len(scores) > 1 else (),
    )


Scores = dict[tuple[int, ...], dict[int, Floats]]
"""For each pairing the block means of each of its agents."""


def _pairing(
    agents: tuple[int, ...], records: Sequence[MatchRecord], scores: dict[int, Floats], rule: PointsRule
) -> Pairing:
    return Pairing(
        agents,
        len(scores[agents[0]]),
        len(records),
        tuple(
            Scored(
                agent,
                summary_of_points(scores[agent]),
                tuple(_as_role(records, agent, role, rule) for role in range(len(records[0].seating))),
                float(means([g for one in records for g, a in zip(one.goals, one.seating, strict=True) if a == agent])),
            )
            for agent in agents
        ),
        float(means([float(is_draw(one.goals, one.seating)) for one in records])),
        float(means([float(one.steps) for one in records])),
        float(means([float(simulations) for one in records for simulations in one.simulations])),
    )


def _as_role(records: Sequence[MatchRecord], agent: int, role: int, rule: PointsRule) -> float | None:
    own = [points(one.goals, one.seating, rule)[agent] for one in records if one.seating[role] == agent]
    return float(means(own)) if own else None


def _overall(scores: Scores, everybody: Sequence[int]) -> tuple[Overall, ...]:
    """By the mean over opponents, block by block."""
    whole = {
        agent: np.mean([own[agent] for agents, own in scores.items() if agent in agents], axis=0) for agent in everybody
    }
    said = {agent: summary_of_points(values) for agent, values in whole.items()}
    order = sorted(everybody, key=lambda agent: (-said[agent].mean, agent))
    return tuple(
        Overall(agent, 1 + sum(said[other].mean > said[agent].mean for other in everybody), said[agent])
        for agent in order
    )


def _against_the_same(scores: Scores, everybody: Sequence[int]) -> list[tuple[Floats, Floats, tuple[int, int]]]:
    compared = []
    for a, b in combinations(everybody, 2):
        others = [other for other in everybody if other not in (a, b)]
        means_of = [np.mean([scores[min(one, o), max(one, o)][one] for o in others], axis=0) for one in (a, b)]
        compared.append((means_of[0], means_of[1], (a, b)))
    return compared


def _differences(compared: Sequence[tuple[Floats, Floats, tuple[int, int]]]) -> tuple[Difference, ...]:
    p = np.array([p_of_blocks(first, second) for first, second, _ in compared])
    corrected = holm(p)
    return tuple(
        Difference(agents, summary_of_points(first - second, -1.0), _known(p[i]), _known(corrected[i]))
        for i, (first, second, agents) in enumerate(compared)
    )


def summary_of_points(values: Floats, least: float = 0.0) -> Summary:
    """Of means of blocks, from `least` to 1. Where all blocks are alike, Student's t would be certain of two; then the
    interval is that of a share of so many coins, unless they are alike by being even, as agents are with themselves."""
    said = summary(values)
    width = 1.0 - least
    if said.n < 2 or said.stderr > 0 or said.mean == least + width / 2:
        return said
    low, high = binomial_interval(round((said.mean - least) / width * said.n), said.n)
    return replace(said, low=least + width * low, high=least + width * high)


def p_of_blocks(first: Floats, second: Floats) -> float:
    """Of the paired t-test. Where all blocks differ by the same, it has no spread to judge by and would be certain of
    two blocks; that all have one sign is by chance as probable as that as many coins fall alike."""
    differences = first - second
    n = len(differences)
    if n > 1 and differences[0] != 0 and (differences == differences[0]).all():
        return float(2.0 ** (1 - n))
    return float(paired_test(first, second))


def _known(p: float) -> float | None:
    return None if np.isnan(p) else float(p)

"""Policies replayed over a record: how good is the arm they recommend after so many pulls?

Glossary
    true mean       the mean of an arm's row in the record
    ranking         the policy's own: tried arms by mean, except that halving goes by the round they reached
    simple regret   the highest true mean minus that of the arm ranked first
    top-10 regret   the mean of the ten highest true means minus that of the ten arms ranked first
    repetition      a replay with the columns of the record in an order of its own
    held out        half of the columns, another in every repetition, that are not replayed but judge

In a repetition, pull t of every arm gives column order[t mod columns], for a random order that all arms and all
policies share, as all arms meet the same problem at their pull t. An arm pulled more often than there are columns sees
them again, and its mean is then about the true mean, so figures far beyond `columns` pulls per arm flatter. A policy
that plans for the number of pulls (`anytime` is false) is replayed once for every number.

With columns held out, nothing that a policy has seen judges it. True means are then those of the columns held out, and
the arms compared with are the best in the columns replayed: what a policy would recommend that had seen all of them.
Its luck in these does not count either, so regret may be negative. Without, luck counts twice: an arm that was lucky in
the record is both recommended and taken for good.
"""

import copy
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from discovery.bandits.policies import Policy, make_policy, pull_numbers
from discovery.bandits.recording import Record
from domains.errors import UserError
from domains.randomness import Random, seed_of
from mcsgrammar.defaults import BATCH_OF_PULLS

TOP = 10
PER_ARM = tuple(factor * 10**power for power in range(7) for factor in (1, 2, 5))
"""Pulls per arm after which regret is looked at."""

OnRepetition = Callable[[str, int], None]
"""Called with (policy, repetitions done)."""


@dataclass(frozen=True)
class ReplayRow:
    policy: str
    pulls: int
    regret: float
    regret_error: float
    """standard error over the repetitions"""
    top_regret: float
    top_regret_error: float


def looks(arms: int, pulls: int, per_arm: Sequence[float] = PER_ARM) -> list[int]:
    """The numbers of pulls after which regret is looked at: multiples of the number of arms, and the last."""
    return sorted({round(multiple * arms) for multiple in per_arm if 1 <= round(multiple * arms) < pulls} | {pulls})


def replay(
    record: Record,
    policy_text: str,
    pulls: int,
    batch: int = BATCH_OF_PULLS,
    repetitions: int = 20,
    seed: int = 0,
    at: Sequence[int] | None = None,
    on_repetition: OnRepetition | None = None,
    hold_out: bool = False,
) -> list[ReplayRow]:
    """Regret after each of the numbers of pulls in `at` (by default `looks(arms, pulls)`), over the repetitions."""
    for what, number in (("batch", batch), ("number of repetitions", repetitions)):
        if number < 1:
            raise UserError(f"the {what} cannot be {number}; it is at least 1")
    if hold_out and record.columns < 2:
        raise UserError("of one pull per candidate nothing can be held out; record two or more")
    policy = make_policy(policy_text, record.arms, max(pulls, record.arms), seed)  # with enough for any
    at = looks(record.arms, pulls) if at is None else sorted({number for number in at if 1 <= number <= pulls})
    at = [number for number in at if number >= policy.fewest_pulls]
    truth = seen = record.rewards.mean(axis=1)
    regrets = np.empty((repetitions, len(at), 2))
    for repetition in range(repetitions):
        own_seed = seed_of("replay", seed, repetition)
        order = list(range(record.columns))
        Random(own_seed).shuffle_from_end(order)
        outcomes = record.rewards[:, order]
        if hold_out:
            outcomes, held_out = np.array_split(outcomes, 2, axis=1)
            seen, truth = outcomes.mean(axis=1), held_out.mean(axis=1)
        for position, looked_at in enumerate(_replay_once(outcomes, policy, pulls, batch, own_seed, at)):
            regrets[repetition, position] = regret_of(looked_at, truth, seen)
        if on_repetition is not None:
            on_repetition(policy.text, repetition + 1)
    means = regrets.mean(axis=0)
    errors = regrets.std(axis=0, ddof=1) / math.sqrt(repetitions) if repetitions > 1 else np.full_like(means, np.nan)
    return [
        ReplayRow(policy.text, number, float(mean[0]), float(error[0]), float(mean[1]), float(error[1]))
        for number, mean, error in zip(at, means, errors, strict=True)
    ]


def _replay_once(
    outcomes: np.ndarray, policy: Policy, pulls: int, batch: int, seed: int, at: Sequence[int]
) -> Iterator[Policy]:
    """The policy as it stands after each of the numbers of pulls."""
    arms = len(outcomes)
    if policy.anytime:
        yield from _pulled(make_policy(policy.text, arms, pulls, seed), outcomes, batch, at)
        return
    for number in at:
        yield from _pulled(make_policy(policy.text, arms, number, seed), outcomes, batch, [number])


def _pulled(policy: Policy, outcomes: np.ndarray, batch: int, at: Sequence[int]) -> Iterator[Policy]:
    for number in at:
        while policy.told + batch <= number:
            asked = policy.ask(batch)
            policy.tell(asked, rewards_of(asked, policy.counts, outcomes))
        # The rest of a campaign of so many pulls is the beginning of the next batch; the replay itself goes on without.
        ending = copy.deepcopy(policy)
        while ending.told < number:
            asked = ending.ask(number - ending.told)
            ending.tell(asked, rewards_of(asked, ending.counts, outcomes))
        yield ending


def rewards_of(asked: np.ndarray, counts: np.ndarray, outcomes: np.ndarray) -> np.ndarray:
    """The next rewards of the arms asked for, of which each has been pulled `counts` times before."""
    found: np.ndarray = outcomes[asked, pull_numbers(asked, counts) % outcomes.shape[1]]
    return found


def regret_of(policy: Policy, truth: np.ndarray, seen: np.ndarray) -> tuple[float, float]:
    """Simple regret and top-10 regret, beside the arms with the highest means `seen`."""
    ranked = policy.ranking()[:TOP]
    best = np.argsort(-seen, kind="stable")[: len(ranked)]
    return float(truth[best[0]] - truth[ranked[0]]), float(np.sort(truth[best]).mean() - np.sort(truth[ranked]).mean())

"""Bandit policies: which candidate algorithm to pull next. Ask and tell, no input or output, no clock.

    ucb1(c=0.1)        mean + c sqrt(ln t) / sqrt(n)
    greedy(alpha=5)    mean + alpha / n
    thompson(sigma=…)  mean + sigma z / sqrt(n), a new z for every arm and pull
    halving            sequential halving: equal shares for ever fewer, better arms (Karnin, Koren and Somekh 2013)
    sampled-halving    the same, among no more arms than the pulls are enough for, drawn from all parts of the list
    uniform            one after the other

Glossary
    arm        a candidate, numbered in the order of enumeration
    pull       one run of a candidate; its result is a reward
    n          pulls of the arm, those pending included
    t          pulls of all arms, those pending included
    pending    asked for in the batch that is being filled, so without a result yet
    index      what a policy maximises; ties go to the arm that comes first

The batch rule: a batch is filled one pull at a time, each time with the arm of highest index, which then counts as
pulled once more with its mean unchanged for the rest of the batch. Untried arms come first, in order; one that is
pending and has no result yet has mean 0, so that it waits for its result unless the exploration term says otherwise.
A shorter batch is the beginning of a longer one.

`ask` changes nothing, and the state is what was told: telling a journal's results again, split anyhow, restores a
policy to the last bit, because each arm's rewards are added one after the other, in the order told. Nothing but IEEE
operations and the portable logarithm decides, so that choices are the same on every machine.
"""

import math
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from discovery.bandits.names import NAMES
from discovery.bandits.portable_arrays import HIGHEST_NORMAL, log_of_each, normals
from discovery.bandits.texts import Parameters, checked_values, read_policy_text
from domains.errors import UserError
from domains.randomness import GOLDEN_GAMMA, MASK, Random, seed_of
from mcsgrammar.language.parameters import Count, Real, number_text


class Policy:
    """The base of all policies, which keeps the counts and means of what was told."""

    name: ClassVar[str]
    parameters: ClassVar[Parameters] = {}
    """Each parameter with the values it takes and its default."""
    anytime: ClassVar[bool] = True
    """Whether it does the same whatever the total number of pulls."""
    named: ClassVar[dict[str, type["Policy"]]] = {}
    """All that have a name."""

    def __init_subclass__(cls) -> None:
        if "name" in vars(cls):
            cls.named[cls.name] = cls

    def __init__(self, arms: int, pulls: int, seed: int, **parameters: float) -> None:
        if arms < 1:
            raise UserError("there are no candidates to choose from")
        if pulls < 1:
            raise UserError(f"the number of pulls cannot be {pulls}; it is at least 1")
        self.arms, self.pulls, self.seed = arms, pulls, seed & MASK
        self.values = checked_values(self.name, self.parameters, parameters)
        written = ", ".join(f"{name}={number_text(value)}" for name, value in self.values.items())
        self.text = f"{self.name}({written})" if written else self.name
        self.told = 0
        self.counts = np.zeros(arms, np.int64)
        self.means = np.zeros(arms)
        self._sums = np.zeros(arms)

    @property
    def fewest_pulls(self) -> int:
        """With fewer it cannot be made."""
        return 1

    @property
    def reach(self) -> int:
        """How many arms it can come to."""
        return min(self.arms, self.pulls)

    def ask(self, n: int) -> np.ndarray:
        """The next pulls, at most n, in order. Fewer only where results are needed first or the total is reached;
        none only when that is all."""
        return self._fill(min(n, self.pulls - self.told))

    def tell(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        """The results of pulls, in the order asked."""
        if len(arms) != len(rewards) or not np.isfinite(rewards).all():
            raise ValueError("tell takes one finite reward for each arm")
        if self.told + len(arms) > self.pulls:
            raise ValueError(f"told of {self.told + len(arms)} pulls, {self.pulls} in all were planned")
        np.add.at(self._sums, arms, rewards)  # one by one, in order: the same bits however a journal is split
        np.add.at(self.counts, arms, 1)
        self.means[arms] = self._sums[arms] / self.counts[arms]
        self.told += len(arms)

    def ranking(self) -> np.ndarray:
        """The arms that were tried, in the order in which they are recommended: by mean, ties as enumerated."""
        return self._ranked_by(-self.means)

    def _ranked_by(self, *keys: np.ndarray) -> np.ndarray:
        order = np.lexsort((*keys[::-1], self.counts == 0))
        return order[: np.count_nonzero(self.counts)]

    def _fill(self, n: int) -> np.ndarray:
        raise NotImplementedError


class Uniform(Policy):
    """Round robin."""

    name = "uniform"

    def _fill(self, n: int) -> np.ndarray:
        return np.arange(self.told, self.told + n, dtype=np.int64) % self.arms


class UntriedFirst(Policy):
    """The part common to policies with an index."""

    def _fill(self, n: int) -> np.ndarray:
        untried = np.flatnonzero(self.counts == 0)[:n]
        if len(untried) == n:
            return untried
        counts = self.counts.copy()
        counts[untried] = 1
        return np.concatenate((untried, self._fill_by_index(counts, self.told + len(untried), n - len(untried))))

    def _fill_by_index(self, counts: np.ndarray, t: int, n: int) -> np.ndarray:
        """n more pulls after t, of which each arm has had counts > 0."""
        raise NotImplementedError


class IndexPolicy(UntriedFirst):
    """Maximises mean + scale / weight: the scale may change with t, the weight grows with n."""

    def _scales(self, t: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _weights(self, counts: Any) -> Any:
        raise NotImplementedError

    def _fill_by_index(self, counts: np.ndarray, t: int, n: int) -> np.ndarray:
        scales = self._scales(np.arange(t, t + n, dtype=np.float64))
        contenders = self._contenders(counts, scales, n)
        means, counts = self.means[contenders], counts[contenders]
        weights = self._weights(counts)
        index = np.empty(len(contenders))
        picks = np.empty(n, np.int64)
        for position, scale in enumerate(scales):
            np.divide(scale, weights, out=index)
            np.add(index, means, out=index)
            pick = index.argmax()
            picks[position] = pick
            counts[pick] += 1
            weights[pick] = self._weights(counts[pick])
        return contenders[picks]

    def _contenders(self, counts: np.ndarray, scales: np.ndarray, n: int) -> np.ndarray:
        """Arms that can be among the next n pulls, in order; none is left out that can.

        Among the n arms with the highest index under the lowest scale, one is not yet pulled whenever a pull is chosen,
        so a chosen arm reaches at least the lowest index of these. Of arms that are alike, only the first n count.
        """
        if n >= self.arms:
            return np.arange(self.arms)
        weights = self._weights(counts)
        lowest = scales.min() / weights + self.means
        last = np.argpartition(lowest, self.arms - n)[self.arms - n]
        possible = scales.max() / weights + self.means >= lowest[last]
        alike = np.flatnonzero((counts == counts[last]) & (self.means == self.means[last]))
        possible[alike[n:]] = False
        return np.flatnonzero(possible)


class Ucb1Bandit(IndexPolicy):
    """Auer, Cesa-Bianchi and Fischer (2002), with the exploration constant free."""

    name = "ucb1"
    parameters = {"c": (Real(), 0.1)}  # noqa: RUF012

    def _scales(self, t: np.ndarray) -> np.ndarray:
        scales: np.ndarray = self.values["c"] * np.sqrt(log_of_each(t))
        return scales

    def _weights(self, counts: Any) -> Any:
        return np.sqrt(counts)


class Greedy(IndexPolicy):
    """The program behind the paper: optimism that fades with the number of pulls."""

    name = "greedy"
    parameters = {"alpha": (Real(), 5.0)}  # noqa: RUF012

    def _scales(self, t: np.ndarray) -> np.ndarray:
        return np.full(len(t), self.values["alpha"])

    def _weights(self, counts: Any) -> Any:
        return counts.astype(np.float64)


class Thompson(UntriedFirst):
    """Thompson sampling for rewards of about normal noise: the arm whose mean is highest in a draw of all means.

    The noise z of arm a at pull t is the a-th draw of the generator seeded with the t-th draw of the policy's own.
    """

    name = "thompson"
    parameters = {"sigma": (Real(positive=True), 0.1)}  # noqa: RUF012
    FIRST_BLOCK = 1024

    def _fill_by_index(self, counts: np.ndarray, t: int, n: int) -> np.ndarray:
        sigma = self.values["sigma"]
        spreads = sigma / np.sqrt(counts)
        # Arms in the order of the most they can reach: those that reach less than the best so far need no draw.
        order = np.argsort(-(self.means + spreads * HIGHEST_NORMAL), kind="stable")
        place = np.empty(self.arms, np.int64)
        place[order] = np.arange(self.arms)
        means, spreads, counts = self.means[order], spreads[order], counts[order]
        reach = means + spreads * HIGHEST_NORMAL
        steps = (order.astype(np.uint64) + np.uint64(1)) * np.uint64(GOLDEN_GAMMA)
        keys = Random(0)
        picks = np.empty(n, np.int64)
        for position in range(n):
            keys.state = (self.seed + (t + position) * GOLDEN_GAMMA) & MASK
            key = np.uint64(keys.next())
            best, pick, start, size = -math.inf, self.arms, 0, self.FIRST_BLOCK
            while start < self.arms and reach[start] >= best:
                block = slice(start, start + size)
                draws = means[block] + spreads[block] * normals(steps[block] + key)
                highest = draws.max()
                if highest >= best:
                    first = int(order[block][draws == highest].min())
                    best, pick = highest, min(first, pick) if highest == best else first
                start, size = start + size, 2 * size
            picks[position] = pick
            counts[place[pick]] += 1
            spreads[place[pick]] = sigma / np.sqrt(counts[place[pick]])
        return picks


class Halving(Policy):
    """Sequential halving: in each of ceil(log2 arms) rounds, equal pulls for all that are left; the better half of them
    by the mean of all their pulls, rounded up, goes on.

    A round gets what is left of the pulls divided by the rounds to come, cut to a multiple of its arms, and the last
    round gets all. The first round pulls every arm at least once; a later one without a pull for each is passed over.

    The arms that are compared have met the same problems, which is worth many pulls where problems differ more than
    arms do. So arms are recommended by the round they reached, and by mean only within it: an arm dropped early may
    have the higher mean, but of few and easy problems.
    """

    name = "halving"
    anytime = False

    def __init__(self, arms: int, pulls: int, seed: int, **parameters: float) -> None:
        super().__init__(arms, pulls, seed, **parameters)
        if pulls < self.fewest_pulls:
            raise UserError(
                f"{self.name} pulls every candidate at least once: {arms} candidates need {arms} pulls or more; "
                "sampled-halving takes fewer"
            )
        self.survivors = self._entrants()
        self.rounds = np.zeros(arms, np.int64)
        self._rounds_left = max(1, (len(self.survivors) - 1).bit_length())
        self._round_start, self._round_end = 0, self._end_of_round()

    @property
    def fewest_pulls(self) -> int:
        return self.arms

    def _entrants(self) -> np.ndarray:
        """The arms of the first round, in order."""
        return np.arange(self.arms)

    def tell(self, arms: np.ndarray, rewards: np.ndarray) -> None:
        while len(arms):
            now = self._round_end - self.told or len(arms)
            super().tell(arms[:now], rewards[:now])
            arms, rewards = arms[now:], rewards[now:]
            if self._round_end == self.told < self.pulls:
                self._start_round()

    def _start_round(self) -> None:
        while True:
            better = np.argsort(-self.means[self.survivors], kind="stable")[: (len(self.survivors) + 1) // 2]
            self.survivors = np.sort(self.survivors[better])
            self.rounds[self.survivors] += 1
            self._rounds_left -= 1
            if self._rounds_left == 1 or (self.pulls - self.told) // self._rounds_left >= len(self.survivors):
                break
        self._round_start, self._round_end = self.told, self._end_of_round()

    def ranking(self) -> np.ndarray:
        return self._ranked_by(-self.rounds, -self.means)

    def _end_of_round(self) -> int:
        if self._rounds_left == 1:
            return self.pulls
        each = (self.pulls - self.told) // (self._rounds_left * len(self.survivors))
        return self.told + max(1, each) * len(self.survivors)

    def _fill(self, n: int) -> np.ndarray:
        turns = np.arange(self.told, min(self.told + n, self._round_end)) - self._round_start
        return self.survivors[turns % len(self.survivors)]


class SampledHalving(Halving):
    """Halving among so many arms that there are `each` pulls for each, but five at least; the other arms are never
    pulled. With `each` pulls for all arms or more it is halving.

    Halving spreads few pulls so thin that the first rounds drop arms by chance; the first of a sample that is known
    well is better than the first of a list known badly. The list is cut into as many stretches of equal length as arms
    are sampled, and one arm is drawn from each: neighbours in the enumeration are built alike, so no kind that fills a
    stretch is missed.
    """

    name = "sampled-halving"
    parameters = {"each": (Count(1), 4.0)}  # noqa: RUF012
    FEWEST = 5

    @property
    def fewest_pulls(self) -> int:
        return 1

    @property
    def reach(self) -> int:
        return min(self.arms, self.pulls, max(self.FEWEST, self.pulls // int(self.values["each"])))

    def _entrants(self) -> np.ndarray:
        sample, random = self.reach, Random(seed_of(self.name, self.seed))
        bounds = [stretch * self.arms // sample for stretch in range(sample + 1)]
        return np.array([start + random.below(end - start) for start, end in pairwise(bounds)], np.int64)


POLICIES = {name: Policy.named[name] for name in NAMES}


def pull_numbers(asked: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """The number t of every pull of a batch: how often its arm was pulled before, `counts` and earlier in the batch."""
    order = np.argsort(asked, kind="stable")
    in_order = asked[order]
    numbers = np.empty(len(asked), np.int64)
    numbers[order] = counts[in_order] + np.arange(len(asked)) - np.searchsorted(in_order, in_order)
    return numbers


def make_policy(text: str, arms: int, pulls: int, seed: int) -> Policy:
    """The policy that `text` names, such as `ucb1` or `ucb1(c=0.3)`. Raises `UserError` with what is allowed."""
    name, values = read_policy_text(text, {name: policy.parameters for name, policy in POLICIES.items()})
    return POLICIES[name](arms, pulls, seed, **values)

"""The policies once more, one pull at a time in plain Python: what `discovery.bandits.policies` must choose."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from domains.portable_math import log
from domains.randomness import GOLDEN_GAMMA, Random, seed_of

Index = Callable[[int, int, int, float], float]
"""(arm, t, n, mean) -> index"""


@dataclass
class NaivePolicy:
    index: Index
    arms: int
    pulls: int
    rewards: list[list[float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rewards = [[] for _ in range(self.arms)]

    def told(self) -> int:
        return sum(map(len, self.rewards))

    def mean(self, arm: int) -> float:
        total = 0.0
        for reward in self.rewards[arm]:
            total += reward
        return total / len(self.rewards[arm]) if self.rewards[arm] else 0.0

    def ask(self, n: int) -> list[int]:
        counts = [len(rewards) for rewards in self.rewards]
        asked: list[int] = []
        while len(asked) < n and self.told() + len(asked) < self.pulls:
            t = self.told() + len(asked)
            if 0 in counts:
                pick = counts.index(0)
            else:
                indices = [self.index(arm, t, counts[arm], self.mean(arm)) for arm in range(self.arms)]
                pick = indices.index(max(indices))
            counts[pick] += 1
            asked.append(pick)
        return asked

    def tell(self, arms: list[int], rewards: list[float]) -> None:
        for arm, reward in zip(arms, rewards, strict=True):
            self.rewards[arm].append(reward)


def ucb1(c: float) -> Index:
    return lambda arm, t, n, mean: mean + c * math.sqrt(log(float(t))) / math.sqrt(n)


def greedy(alpha: float) -> Index:
    return lambda arm, t, n, mean: mean + alpha / n


def thompson(sigma: float, seed: int) -> Index:
    return lambda arm, t, n, mean: mean + sigma / math.sqrt(n) * noise(seed, t, arm)


def noise(seed: int, t: int, arm: int) -> float:
    """The arm-th draw of the generator that is seeded with the t-th draw of the policy's own."""
    draw = drawn(drawn(seed, t), arm)
    parts = [draw >> shift & 0xFFFF for shift in (0, 16, 32, 48)]
    return (sum(parts) - 131070.0) * (1.0 / math.sqrt((2.0**32 - 1.0) / 3.0))


def drawn(seed: int, number: int) -> int:
    """Draw `number`, from 0, of a generator: each moves the state on by the golden gamma."""
    return Random(seed + number * GOLDEN_GAMMA).next()


@dataclass
class NaiveHalving(NaivePolicy):
    """The schedule is worked out anew from all results at every question."""

    def ask(self, n: int) -> list[int]:
        survivors = self.entrants()
        rounds = max(1, math.ceil(math.log2(len(survivors))))
        seen = [0] * self.arms
        used = 0
        for left in range(rounds, 0, -1):
            budget = self.pulls - used
            if left < rounds and left > 1 and budget // left < len(survivors):
                survivors = self.better_half(survivors, seen)
                continue
            if left == 1:
                turns = [survivors[i % len(survivors)] for i in range(budget)]
            else:
                turns = survivors * max(1, budget // left // len(survivors))
            if used + len(turns) > self.told() or left == 1:
                return turns[self.told() - used :][:n]
            used += len(turns)
            for arm in turns:
                seen[arm] += 1
            survivors = self.better_half(survivors, seen)
        raise AssertionError("the last round takes all")

    def entrants(self) -> list[int]:
        return list(range(self.arms))

    def better_half(self, survivors: list[int], seen: list[int]) -> list[int]:
        def mean_then(arm: int) -> float:
            total = 0.0
            for reward in self.rewards[arm][: seen[arm]]:
                total += reward
            return total / seen[arm]

        best_first = sorted(survivors, key=lambda arm: (-mean_then(arm), arm))
        return sorted(best_first[: math.ceil(len(survivors) / 2)])


@dataclass
class NaiveSampledHalving(NaiveHalving):
    """Arms in as many parts as there may be arms; of each part, one."""

    each: int = 4
    seed: int = 0

    def entrants(self) -> list[int]:
        number = self.pulls // self.each
        if number < 5:
            number = 5
        if number > self.pulls:
            number = self.pulls
        if number >= self.arms:
            return super().entrants()
        random = Random(seed_of("sampled-halving", self.seed))
        arms = list(range(self.arms))
        parts = []
        for part in range(1, number + 1):
            end = math.floor(Fraction(part * self.arms, number))
            parts.append([arm for arm in arms if arm < end])
            arms = [arm for arm in arms if arm >= end]
        return [part[random.below(len(part))] for part in parts]

"""The multi-armed bandit inside several tuners: UCB1 with a first-play urgency (Auer, Cesa-Bianchi and Fischer, 2002).

    value of an arm   mean + c sqrt(ln N / n)   n: its visits, N: those of all arms together
                      fpu                        while n = 0
    ties              one of the best, all alike

Where an arm's mean is 1, the highest reward there is, no untried arm with fpu = 1 is ever chosen.

It is computed as mean + (c sqrt(ln N)) (1 / sqrt(n)), in both engines.
"""

import math
from collections.abc import Sequence

from domains.portable_math import log
from domains.randomness import Random
from mcsgrammar.engines.rules import LARGEST


class Bandit:
    def __init__(self, arms: int, c: float, fpu: float) -> None:
        self.c, self.fpu = c, fpu
        self.visits = [0] * arms
        self.totals = [0.0] * arms
        self.all_visits = 0

    def add_arm(self) -> None:
        self.visits.append(0)
        self.totals.append(0.0)

    def choose(self, random: Random, among: Sequence[int] | None = None) -> int:
        """The arm with the highest value, of all or of those listed."""
        arms = range(len(self.visits)) if among is None else among
        values = [self.value(arm) for arm in arms]
        highest = max(values)
        ties = [arm for arm, value in zip(arms, values, strict=True) if value == highest]
        return ties[random.below(len(ties))]

    def value(self, arm: int) -> float:
        if self.visits[arm] == 0:
            return self.fpu
        return self.totals[arm] / self.visits[arm] + scale(self.c, self.all_visits) * (1 / math.sqrt(self.visits[arm]))

    def update(self, arm: int, reward: float) -> None:
        self.visits[arm] += 1
        self.totals[arm] += reward
        self.all_visits += 1


def scale(c: float, all_visits: int) -> float:
    """c sqrt(ln N), kept finite; 0 before the first visit."""
    return min(c * math.sqrt(log(float(all_visits))), LARGEST) if all_visits else 0.0

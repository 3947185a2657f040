"""`ntbea`: the N-Tuple Bandit Evolutionary Algorithm (Kunanusont, Gaina, Liu, Perez-Liebana and Lucas, 2017; Lucas, Liu
and Perez-Liebana, 2018), as used for tuning by Sironi et al. (2018, 2020).

A hill climber in a model. The model keeps the rewards of every value of each parameter and of every combination met.
Each time, `x` neighbours of the current combination are made by drawing one parameter anew; the one that the model
values most is next. The current one stays only where a draw gave back the value that was there.

    value of a combination   the mean, over the tuples of it that were met, of mean + c sqrt(ln N / n); 0 if none was
"""

import math

from domains.randomness import Random
from mcsgrammar.language.tuners import Ntbea
from mcsgrammar.tuning.bandit import scale
from mcsgrammar.tuning.protocol import OnlineTuner
from mcsgrammar.tuning.space import Combination, Space


class NtbeaTuner(OnlineTuner):
    settings_class = Ntbea

    def __init__(self, space: Space, random: Random, settings: Ntbea) -> None:
        super().__init__(space, random, settings)
        assert isinstance(settings.x, int) and isinstance(settings.c, float)
        self.neighbours, self.c = settings.x, settings.c
        self.singles = [[[0.0, 0.0] for _ in range(size)] for size in space.sizes]
        """for each parameter and value: how often it was told of, and the sum of the rewards"""
        self.updates = 0
        self.current = space.draw(random)

    def choose(self) -> Combination:
        return self.current

    def learn(self, combination: Combination, reward: float) -> None:
        self.updates += 1
        for table, value in zip(self.singles, combination, strict=True):
            table[value][0] += 1
            table[value][1] += reward
        best, highest = combination, -math.inf
        for _ in range(self.neighbours):
            neighbour = self.space.mutated(combination, self.random)
            worth = self.model(neighbour)
            if worth > highest:
                best, highest = neighbour, worth
        self.current = best

    def model(self, combination: Combination) -> float:
        tuples = [table[value] for table, value in zip(self.singles, combination, strict=True)]
        if len(self.singles) > 1:  # with one parameter, its value and the combination are the same tuple
            tuples.append(self.told.get(combination, [0.0, 0.0]))
        total, met = 0.0, 0
        for visits, rewards in tuples:
            if visits:
                total += rewards / visits + scale(self.c, self.updates) * (1 / math.sqrt(visits))
                met += 1
        return total / met if met else 0.0

"""`mab`: one bandit over all legal combinations.

The naive way, and what the others are measured against in Sironi, Liu, Perez-Liebana, Gaina, Bravi, Lucas and Winands,
*Self-Adaptive MCTS for General Video Game Playing* (2018): with many combinations most are never tried twice.
"""

from domains.randomness import Random
from mcsgrammar.language.tuners import Mab
from mcsgrammar.tuning.bandit import Bandit
from mcsgrammar.tuning.protocol import OnlineTuner
from mcsgrammar.tuning.space import Combination, Space


class MabTuner(OnlineTuner):
    def __init__(self, space: Space, random: Random, settings: Mab) -> None:
        super().__init__(space, random)
        assert isinstance(settings.c, float) and isinstance(settings.fpu, float)
        self.arms = list(space.legal())
        self.numbers = {combination: number for number, combination in enumerate(self.arms)}
        self.bandit = Bandit(len(self.arms), settings.c, settings.fpu)

    def choose(self) -> Combination:
        return self.arms[self.bandit.choose(self.random)]

    def learn(self, combination: Combination, reward: float) -> None:
        self.bandit.update(self.numbers[combination], reward)

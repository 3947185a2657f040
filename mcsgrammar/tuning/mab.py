"""`mab`: one bandit over all legal combinations.

The naive way, and what NTBEA is measured against in Sironi and Winands, *Analysis of Self-Adaptive Monte Carlo Tree
Search in General Video Game Playing* (2018): with many combinations most are never tried twice.
"""

from domains.randomness import Random
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Tune
from mcsgrammar.language.tuners import Mab
from mcsgrammar.tuning.bandit import Bandit
from mcsgrammar.tuning.protocol import OnlineTuner
from mcsgrammar.tuning.space import Combination, Space
from mcsgrammar.wording import shortened

MOST_ARMS = 1_000_000
"""It keeps an arm for every combination."""


class MabTuner(OnlineTuner):
    settings_class = Mab

    @classmethod
    def check(cls, space: Space, tune: Tune, budget_in_seconds: bool) -> None:
        if space.legal_count > MOST_ARMS:
            raise InvalidExpression(
                f"mab keeps an arm for each of the {space.legal_count:,} combinations of {shortened(str(tune))}, and "
                f"can keep {MOST_ARMS:,}; list fewer values, or use ntbea"
            )

    @classmethod
    def twin_numbers(cls, settings: Mab, space: Space) -> dict[str, int]:
        return {"arm_room": space.legal_count}

    def __init__(self, space: Space, random: Random, settings: Mab) -> None:
        super().__init__(space, random, settings)
        assert isinstance(settings.c, float) and isinstance(settings.fpu, float)
        self.arms = list(space.legal())
        self.numbers = {combination: number for number, combination in enumerate(self.arms)}
        self.bandit = Bandit(len(self.arms), settings.c, settings.fpu)

    def choose(self) -> Combination:
        return self.arms[self.bandit.choose(self.random)]

    def learn(self, combination: Combination, reward: float) -> None:
        self.bandit.update(self.numbers[combination], reward)

"""`random`: every legal combination alike, each time anew. The baseline that a tuner has to beat."""

from mcsgrammar.language.tuners import RandomTuner
from mcsgrammar.tuning.protocol import OnlineTuner
from mcsgrammar.tuning.space import Combination


class UniformTuner(OnlineTuner):
    settings_class = RandomTuner

    def choose(self) -> Combination:
        return self.space.draw(self.random)

    def learn(self, combination: Combination, reward: float) -> None:
        pass

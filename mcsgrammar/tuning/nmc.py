"""`nmc`: Naive Monte Carlo (Ontañón, *The Combinatorial Multi-armed Bandit Problem and its Application to Real-time
Strategy Games*, 2013), as used for tuning by Sironi et al. (2018, 2020).

It assumes that parameters matter one by one. With probability eps0 it explores: a bandit for each parameter chooses
its value. Else it exploits: one bandit over the combinations met so far chooses among these, if any. `local` never
exploits. The draw that decides is made every time, whatever eps0 is.

Two parameters with equally many values are in lockstep as long as no values tie: all bandits are told the same rewards,
so values that were first chosen together have the same mean and visits, and are chosen together again. That is the
published algorithm; with lists of different lengths it shows less.
"""

from domains.randomness import Random
from mcsgrammar.language.tuners import NaiveMonteCarlo
from mcsgrammar.tuning.bandit import Bandit
from mcsgrammar.tuning.protocol import OnlineTuner
from mcsgrammar.tuning.space import Combination, Space

FPU = 1.0


class NaiveMonteCarloTuner(OnlineTuner):
    settings_class = NaiveMonteCarlo

    def __init__(self, space: Space, random: Random, settings: NaiveMonteCarlo) -> None:
        super().__init__(space, random, settings)
        assert isinstance(settings.eps0, float)
        assert isinstance(settings.c_l, float) and isinstance(settings.c_g, float)
        self.eps0 = settings.eps0
        self.local = [Bandit(size, settings.c_l, FPU) for size in space.sizes]
        self.met: list[Combination] = []
        self.numbers: dict[Combination, int] = {}
        self.overall = Bandit(0, settings.c_g, FPU)

    def choose(self) -> Combination:
        explores = self.random.uniform01() < self.eps0
        if not explores and self.met:
            return self.met[self.overall.choose(self.random)]
        chosen: list[int | None] = [None] * len(self.local)
        for number, bandit in enumerate(self.local):
            chosen[number] = bandit.choose(self.random, self.space.feasible(chosen, number))
        return tuple(value for value in chosen if value is not None)

    def learn(self, combination: Combination, reward: float) -> None:
        if combination not in self.numbers:
            self.numbers[combination] = len(self.met)
            self.met.append(combination)
            self.overall.add_arm()
        self.overall.update(self.numbers[combination], reward)
        for bandit, value in zip(self.local, combination, strict=True):
            bandit.update(value, reward)

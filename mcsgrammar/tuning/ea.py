"""`ea`: an evolutionary algorithm over combinations (Sironi et al., 2018).

A population of `lambda` random combinations. In each generation every individual is evaluated once, in random order.
Then the `mu` with the best mean are kept, with what they have met so far, and the rest is replaced by offspring that
has met nothing: with probability p_cross the uniform crossover of two of the kept, else one of them with one parameter
drawn anew, which may give back the value it had.
"""

from domains.randomness import Random
from mcsgrammar.language.tuners import EvolutionaryAlgorithm
from mcsgrammar.tuning.protocol import OnlineTuner
from mcsgrammar.tuning.space import Combination, Space
from mcsgrammar.tuning.tried import Tried


class EvolutionaryTuner(OnlineTuner):
    settings_class = EvolutionaryAlgorithm

    @classmethod
    def twin_numbers(cls, settings: EvolutionaryAlgorithm, space: Space) -> dict[str, int]:
        assert isinstance(settings.lambda_, int)
        return {"work_room": settings.lambda_}

    def __init__(self, space: Space, random: Random, settings: EvolutionaryAlgorithm) -> None:
        super().__init__(space, random, settings)
        assert isinstance(settings.lambda_, int) and isinstance(settings.mu, int)
        assert isinstance(settings.p_cross, float)
        self.size, self.kept, self.p_cross = settings.lambda_, settings.mu, settings.p_cross
        self.population = [Tried(space.draw(random)) for _ in range(self.size)]
        self._start_generation()

    def _start_generation(self) -> None:
        self.order = list(range(self.size))
        self.random.shuffle_from_end(self.order)
        self.place = 0

    def choose(self) -> Combination:
        return self.population[self.order[self.place]].combination

    def learn(self, combination: Combination, reward: float) -> None:
        individual = self.population[self.order[self.place]]
        individual.visits += 1
        individual.total += reward
        self.place += 1
        if self.place == self.size:
            self.population.sort(key=lambda one: -one.mean)  # stable
            elite = self.population[: self.kept]
            self.population = elite + [Tried(self._offspring(elite)) for _ in range(self.size - self.kept)]
            self._start_generation()

    def _offspring(self, elite: list[Tried]) -> Combination:
        if self.random.uniform01() >= self.p_cross:
            return self.space.mutated(elite[self.random.below(self.kept)].combination, self.random)
        mother = elite[self.random.below(self.kept)].combination
        father = elite[self.random.below(self.kept)].combination
        child: list[int | None] = [None] * len(mother)
        for number in range(len(mother)):
            feasible = self.space.feasible(child, number)
            genes = (mother[number], father[number])
            first = self.random.below(2)
            if genes[first] in feasible:
                child[number] = genes[first]
            elif genes[1 - first] in feasible:
                child[number] = genes[1 - first]
            else:
                child[number] = feasible[self.random.below(len(feasible))]
        return tuple(value for value in child if value is not None)

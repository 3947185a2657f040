"""What every tuner promises: ask it, tell it.

    tuner = make(settings, space, random)     settings: a `Tuner` of `mcsgrammar.language.policies`, such as Ntbea(x=5)
    tuner.hint(total)                         how often it will be asked, once that is known (only `lsi` cares)
    combination = tuner.choose()
    tuner.update(combination, reward)         the reward of what ran with it, in [0, 1]
    tuner.best()                              what it would choose if nothing could be learnt any more

A tuner is asked and told in turn. It starts anew on every problem. All it knows, the generator included, is in its
attributes: `saved` copies it, `restore` puts it back.
"""

import copy
from abc import ABC, abstractmethod
from typing import Any

from domains.randomness import Random
from mcsgrammar.tuning.space import Combination, Space


class OnlineTuner(ABC):
    """Chooses combinations of a discrete space."""

    def __init__(self, space: Space, random: Random) -> None:
        self.space = space
        self.random = random
        self.told: dict[Combination, list[float]] = {}
        """every combination it was told about: how often, and the sum of its rewards"""

    def hint(self, total: int) -> None:
        """It will be asked `total` times in all. Most tuners have no use for that."""
        return

    @abstractmethod
    def choose(self) -> Combination:
        """The combination to run next."""

    def update(self, combination: Combination, reward: float) -> None:
        entry = self.told.setdefault(combination, [0, 0.0])
        entry[0] += 1
        entry[1] += reward
        self.learn(combination, reward)

    @abstractmethod
    def learn(self, combination: Combination, reward: float) -> None:
        """What it makes of a reward."""

    def best(self) -> Combination | None:
        """The combination with the best mean reward, of several the first told of; None before the first."""
        if not self.told:
            return None
        return max(self.told, key=lambda combination: self.told[combination][1] / self.told[combination][0])

    def saved(self) -> dict[str, Any]:
        """All it knows; it can be pickled."""
        return copy.deepcopy(vars(self))

    def restore(self, saved: dict[str, Any]) -> None:
        """Put it back to where `saved` was called. The generator stays the same object, set back."""
        random, kept = self.random, copy.deepcopy(saved)
        random.state = kept.pop("random").state
        self.__dict__.clear()
        self.__dict__.update(kept, random=random)

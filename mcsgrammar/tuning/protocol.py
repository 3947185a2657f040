"""What every tuner promises: ask it, tell it.

    tuner = make(settings, space, random)     settings: a `Tuner` of `mcsgrammar.language.tuners`, such as Ntbea(x=5)
    tuner.hint(total)                         how often it will be asked, once that is known (only `lsi` cares)
    combination = tuner.choose()
    tuner.update(combination, reward)         the reward of what ran with it, in [0, 1]
    tuner.best()                              what it would choose if nothing could be learnt any more

A tuner is asked and told in turn. It starts anew on every problem. All it knows, the generator included, is in its
attributes: `saved` copies it, `restore` puts it back.
"""

import copy
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from domains.randomness import Random
from mcsgrammar.engines.results import Tuning
from mcsgrammar.language.expressions import Tune
from mcsgrammar.language.parameters import Number
from mcsgrammar.language.tuners import Tuner
from mcsgrammar.tuning.space import Combination, Space

if TYPE_CHECKING:
    from mcsgrammar.tuning.state import TunerState


class AnyTuner(ABC):
    """What chooses lists of values, and what chooses from intervals."""

    settings_class: ClassVar[type[Tuner]]
    in_python: ClassVar[bool] = False
    """whether it has no compiled twin: the machine then stops whenever there is something to choose"""

    def __init__(self, space: Space, random: Random, settings: Any) -> None:
        self.space = space
        self.random = random

    @classmethod
    def check(cls, space: Space, tune: Tune, budget_in_seconds: bool) -> None:
        """`InvalidExpression` if it cannot work here."""
        return

    @classmethod
    def twin_numbers(cls, settings: Any, space: Space) -> dict[str, int]:
        """What its compiled twin needs beside the settings as they are: more room, of `mcsgrammar.tuning.state`."""
        return {}

    @classmethod
    def best_of_twin(cls, twin: "TunerState") -> int | None:
        """The key of what its twin would choose, where that is not the combination with the best mean."""
        return None

    def hint(self, total: int) -> None:
        """It will be asked `total` times in all. Most tuners have no use for that."""
        return

    @abstractmethod
    def choose(self) -> Any:
        """What to run next."""

    @abstractmethod
    def update(self, chosen: Any, reward: float) -> None:
        """What came of it."""

    @abstractmethod
    def best(self) -> Any:
        """What it would choose if nothing could be learnt any more; None before the first reward."""

    @abstractmethod
    def values(self, chosen: Any) -> tuple[Number | str, ...]:
        """What it means, a value a parameter."""

    @abstractmethod
    def report(self) -> Tuning:
        """What it did."""

    def saved(self) -> dict[str, Any]:
        """All it knows; it can be pickled."""
        return copy.deepcopy(vars(self))

    def restore(self, saved: dict[str, Any]) -> None:
        """Put it back to where `saved` was called. The generator stays the same object, set back."""
        random, kept = self.random, copy.deepcopy(saved)
        random.state = kept.pop("random").state
        self.__dict__.clear()
        self.__dict__.update(kept, random=random)


class OnlineTuner(AnyTuner):
    """Chooses combinations of a discrete space."""

    def __init__(self, space: Space, random: Random, settings: Any) -> None:
        super().__init__(space, random, settings)
        self.told: dict[Combination, list[float]] = {}
        """every combination it was told about: how often, and the sum of its rewards"""

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

    def values(self, chosen: Combination) -> tuple[Number | str, ...]:
        return self.space.values(chosen)

    def report(self) -> Tuning:
        best = self.best()
        used = [(self.values(c), int(visits), total / visits) for c, (visits, total) in self.told.items()]
        used.sort(key=lambda one: -one[1])  # stable: of those used alike, the first told of first
        chosen = None if best is None else self.values(best)
        return Tuning(self.space.names, sum(visits for _, visits, _ in used), chosen, tuple(used))

    def best(self) -> Combination | None:
        """The combination with the best mean reward, of several the first told of; None before the first."""
        if not self.told:
            return None
        return max(self.told, key=lambda combination: self.told[combination][1] / self.told[combination][0])

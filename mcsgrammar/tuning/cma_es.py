"""`cmaes`: the covariance matrix adaptation evolution strategy (Hansen, Müller and Koumoutsakos, 2003), as used for
tuning by Sironi, Liu and Winands (2020), over intervals. The strategy itself is the library `cmaes`.

Individuals lie in [0, 1]^d. One that leaves the cube is run at the nearest point of it, and pays for the way:

    fitness   1 - reward + alpha ||clamped - sampled||^2   (less is better)

The square is that of Hansen's tutorial, which they follow; their pseudocode prints none.

Rewards are often few and far between, so that a whole generation earns the same. It teaches nothing then, and would
only blow up the step size; such a generation is dropped and the next drawn from the same distribution. When the
distribution has become a point or a line, or has grown out of all bounds, it stays what it is, and its mean is used for
the rest. (They evaluate the mean as well, and use the best of all that was: which is the mean where all is a point.)

The library computes with NumPy, whose last bits differ between machines: runs with this tuner repeat on one machine,
in both engines, but not always on another.
"""

import copy
from typing import Any

import numpy as np

from domains.errors import UserError
from domains.randomness import Random
from mcsgrammar.engines.results import Tuning
from mcsgrammar.language.parameters import Interval
from mcsgrammar.language.tuners import Cmaes
from mcsgrammar.tuning.protocol import AnyTuner
from mcsgrammar.tuning.space import Space

Values = tuple[float, ...]

SMALLEST_SPREAD = 1e-12
LARGEST_SPREAD = 1e4
"""A generation all of whose individuals are as near to the mean, or one of which is as far, is the last."""


class CmaesTuner(AnyTuner):
    """Asked and told like the others; what it chooses are values, not their numbers."""

    settings_class = Cmaes
    in_python = True

    def __init__(self, space: Space, random: Random, settings: Cmaes) -> None:
        try:
            from cmaes import CMA
        except ImportError:
            raise UserError(
                "the tuner cmaes needs the library of that name: pip install 'mcsgrammar[tune]'; "
                "or list values {…, …} and use another tuner, such as ntbea"
            ) from None
        assert isinstance(settings.alpha, float) and isinstance(settings.sigma0, float)
        super().__init__(space, random, settings)
        self.alpha = settings.alpha
        self.intervals = [p.interval for p in space.parameters if isinstance(p.interval, Interval)]
        self.cma = CMA(np.array([random.uniform01() for _ in self.intervals]), settings.sigma0, seed=0)
        self.mean = self.cma.mean.copy()
        """the last that is a number"""
        self.told_count = 0
        self.frozen = False
        self.sampled: list[Any] = []
        self.fitness: list[float] = []

    def _start_generation(self) -> None:
        # From what a copy of the library's object keeps (not all of its last bits, nor its generator), so that a tuner
        # that was saved goes on as the original does. The whole generation at once, from a seed of its own.
        self.cma = copy.copy(self.cma)
        self.cma.reseed_rng(self.random.next() >> 32)
        self.sampled, self.fitness = self._drawn(), []
        spread = float(np.max(np.abs(np.array(self.sampled) - self.cma.mean))) if self.sampled else np.nan
        self.frozen = not SMALLEST_SPREAD <= spread <= LARGEST_SPREAD  # nor is it where that is no number

    def _drawn(self) -> list[Any]:
        """A generation; none where the covariance has no root."""
        try:
            with np.errstate(all="ignore"):
                return [self.cma.ask() for _ in range(self.cma.population_size)]
        except np.linalg.LinAlgError:
            return []

    def choose(self) -> Values:
        if len(self.fitness) == len(self.sampled) and not self.frozen:
            self._start_generation()
        return self._values(self.mean if self.frozen else self.sampled[len(self.fitness)])

    def update(self, values: Values, reward: float) -> None:
        self.told_count += 1
        if self.frozen:
            return
        sampled = self.sampled[len(self.fitness)]
        way = sampled - sampled.clip(0.0, 1.0)
        self.fitness.append(1.0 - reward + self.alpha * float(way @ way))
        if len(self.fitness) == len(self.sampled) and min(self.fitness) < max(self.fitness):
            with np.errstate(all="ignore"):  # after some thousand rewards by chance alone it divides by a width of 0
                self.cma.tell(list(zip(self.sampled, self.fitness, strict=True)))
            if np.isfinite(self.cma.mean).all():
                self.mean = self.cma.mean.copy()

    def best(self) -> Values | None:
        """The mean of the distribution."""
        return self._values(self.mean) if self.told_count else None

    def values(self, chosen: Values) -> Values:
        return chosen

    def report(self) -> Tuning:
        return Tuning(self.space.names, self.told_count, self.best(), ())

    def _values(self, point: Any) -> Values:
        clamped = point.clip(0.0, 1.0)
        return tuple(i.low + (i.high - i.low) * float(x) for i, x in zip(self.intervals, clamped, strict=True))

"""How fast work goes, and how long it will take."""

import math
import time
from collections.abc import Callable

KNOWN_AFTER_SECONDS = 2.0
KNOWN_AFTER = 5
"""The first few may be the long ones, or the short ones."""


class WorkPace:
    """Told now and then how much is done. What was done when it was first told counts only until it is told again:
    workers are started and machines compiled before, which would make an estimate far too long."""

    def __init__(self, done: float = 0.0, clock: Callable[[], float] = time.monotonic) -> None:
        """So much was done before."""
        self._clock = clock
        self._times = [clock()]
        self._done = [done]

    def tell(self, done: float) -> None:
        """So much is done in all."""
        self._times[2:] = [self._clock()]
        self._done[2:] = [done]

    @property
    def is_known(self) -> bool:
        """Whether it has been told for long enough, and of enough, to be worth telling."""
        if len(self._times) < 3:
            return False
        seconds, done = (told[-1] - told[-2] for told in (self._times, self._done))
        return seconds >= KNOWN_AFTER_SECONDS and done >= KNOWN_AFTER

    @property
    def per_second(self) -> float:
        """How much is done in a second; 0 while that is not known."""
        seconds = self._times[-1] - self._times[-2] if len(self._times) > 1 else 0.0
        return (self._done[-1] - self._done[-2]) / seconds if seconds > 0 else 0.0

    def seconds_left(self, total: float) -> float:
        """Until `total` is done, at this pace; infinite while that is not known."""
        return (total - self._done[-1]) / self.per_second if self.per_second > 0 else math.inf

"""When a search stops to look at the clock, show progress, or let Ctrl-C through; the same for both engines."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from mcsgrammar.engines.results import StopReason
from mcsgrammar.engines.rules import FOR_EVER

OnProgress = Callable[[int, float, float], None]
"""Called now and then with (evaluations, best reward, CPU seconds)."""

FIRST_STRETCH = 1024
"""Evaluations before the first pause of a run without a deadline: the whole of a short run."""
LONGEST_STRETCH_SECONDS = 0.05
"""Between two pauses: Ctrl-C and progress wait no longer than this."""
TOLERANCE = 0.002
TOLERANCE_SECONDS = 20e-6
"""A deadline counts as met when less than this is left, relative or absolute."""


@dataclass
class Pace:
    """The pauses of one run. `start` it after compilation; ask `pause` whenever an evaluation with the number it named
    is done, and get the number of the next, or None to stop."""

    evaluations: int | None
    seconds: float | None
    on_progress: OnProgress | None = None
    clock: Callable[[], float] = field(default_factory=lambda: time.thread_time)
    """of the seconds: CPU time of this thread, or another"""
    plays: int = FOR_EVER
    """actions played in the model: the evaluation that reaches them is the last"""

    stop_reason: StopReason = "evaluations"

    def start(self) -> int:
        """The number of evaluations at which to pause first."""
        self.started = self.clock()
        return self.budget if self.budget <= FIRST_STRETCH and self.seconds is None else self._first()

    @property
    def budget(self) -> int:
        return FOR_EVER if self.evaluations is None else self.evaluations

    def _first(self) -> int:
        return min(self.budget, 1 if self.seconds is not None else FIRST_STRETCH)

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self.clock() - self.started

    def pause(self, evaluations: int, best: float, plays: int = 0) -> int | None:
        """The number of evaluations at which to pause next; None when the run is over."""
        if evaluations >= self.budget:
            return None
        if plays >= self.plays:
            self.stop_reason = "plays"
            return None
        elapsed = self.elapsed
        if self.on_progress is not None:
            self.on_progress(evaluations, best, elapsed)
        stretch = LONGEST_STRETCH_SECONDS
        if self.seconds is not None:
            left = self.seconds - elapsed
            if left <= max(TOLERANCE_SECONDS, TOLERANCE * self.seconds):
                self.stop_reason = "seconds"
                return None
            stretch = min(stretch, left / 2)  # halving what is left comes close without passing it
        per_second = evaluations / elapsed if elapsed > 0 else 1.0
        # At most doubling: evaluations that get slower than those before are noticed in time.
        return min(self.budget, evaluations + max(1, min(evaluations, int(per_second * stretch))))

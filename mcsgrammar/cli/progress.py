"""Progress on standard error: a line that renews itself on a terminal, plain lines now and then elsewhere."""

import math
import os
import sys
import time
from types import TracebackType
from typing import Self

FIRST_PLAIN_LINE_AFTER = 2.0
PLAIN_LINE_EVERY = 10.0
REDRAWS_PER_SECOND = 10


def per_second(rate: float) -> str:
    """A rate for people: 833 k/s, 1.20 M/s."""
    for factor, letter in ((1e6, " M"), (1e3, " k")):
        if rate >= factor:
            return f"{rate / factor:.3g}{letter}/s"
    return f"{rate:.3g} /s" if rate >= 1 or rate == 0 else f"{1 / rate:.3g} s each"


def duration(seconds: float) -> str:
    """A length of time for people: 42 s, 3 min 20 s, 2 h 5 min."""
    if seconds != seconds or seconds == float("inf"):
        return "?"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


UNITS = {90: ("s", 1), 5400: ("min", 60), 172800: ("h", 3600), math.inf: ("days", 86400)}
"""What lengths of time are told in, by the seconds from which the next is better."""


def about(seconds: float) -> str:
    """A length of time that is only estimated: about 35 s, about 3 min, about 2 h, about 3 days."""
    if seconds < 2:
        return "about a second"
    unit, length = next(named for until, named in UNITS.items() if seconds < until)
    number = seconds / length
    step = 1 if number < 10 else 5 if number < 100 else 10 ** (math.floor(math.log10(number)) - 1)
    return f"about {round(number / step) * step:,} {unit}"


def is_live() -> bool:
    """Whether standard error is a terminal that can take back what it shows."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


class ProgressLine:
    """Shows the latest of the texts it is given; gone when the work is done."""

    def __init__(self) -> None:
        self.live = is_live()
        self.dirty = False
        self.started = time.monotonic()
        self.shown = self.started if self.live else self.started + FIRST_PLAIN_LINE_AFTER - PLAIN_LINE_EVERY

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.dirty:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()

    def due(self) -> bool:
        """Whether it is time to show something again; cheap enough to ask often."""
        return time.monotonic() - self.shown >= (1 / REDRAWS_PER_SECOND if self.live else PLAIN_LINE_EVERY)

    def show(self, text: str) -> None:
        import shutil

        self.shown = time.monotonic()
        if self.live:
            width = shutil.get_terminal_size().columns
            self.dirty = True
            sys.stderr.write("\r\x1b[K" + text[: max(10, width - 1)])
        else:
            sys.stderr.write(text + "\n")
        sys.stderr.flush()


class WorkProgress:
    """On a progress line: how much is done of all there is, and how long the rest will take."""

    def __init__(self, line: ProgressLine, things: str = "runs") -> None:
        from discovery.pace import WorkPace

        self.line, self.things, self.pace = line, things, WorkPace()

    def show(self, done: int, total: int) -> None:
        """To be called whenever there is more done; it shows that now and then."""
        self.pace.tell(done)
        if self.line.due():
            known = self.pace.is_known
            self.line.show(
                f"{done / total:4.0%}  {done:,} of {total:,} {self.things}"
                + (f", {per_second(self.pace.per_second)}, {about(self.pace.seconds_left(total))} left" * known)
            )

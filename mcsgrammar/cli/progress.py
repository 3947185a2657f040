"""Progress on standard error: a line that renews itself on a terminal, plain lines now and then elsewhere."""

import os
import sys
import time
from types import TracebackType

FIRST_PLAIN_LINE_AFTER = 2.0
PLAIN_LINE_EVERY = 10.0
REDRAWS_PER_SECOND = 10


def per_second(rate: float) -> str:
    """A rate for people: 833 k/s, 1.20 M/s."""
    for factor, letter in ((1e6, " M"), (1e3, " k")):
        if rate >= factor:
            return f"{rate / factor:.3g}{letter}/s"
    return f"{rate:.3g} /s"


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

    def __enter__(self) -> "ProgressLine":
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

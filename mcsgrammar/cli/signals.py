"""How the command line takes signals that ask it to end."""

import signal
from types import FrameType


def end_as_by_ctrl_c() -> None:
    """From here on, SIGTERM and SIGHUP, which a terminal sends when it is closed, end a command as Ctrl-C does: what
    runs is stopped, what is finished is kept, nothing is left behind. Ignored, as by `nohup`, they stay ignored."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _as_ctrl_c)


def _as_ctrl_c(number: int, frame: FrameType | None) -> None:
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):  # ignored, as in what a script runs in the background
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


def ignore_ctrl_c() -> None:
    """For the last steps of a command that it has ended: a second one would only spoil its exit status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

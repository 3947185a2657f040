"""How the command line takes signals that ask it to end."""

import os
import signal
import threading
from types import FrameType

ENDING = {getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)}  # Windows has no SIGHUP


def end_as_by_ctrl_c() -> None:
    """From here on, SIGTERM and SIGHUP, which a terminal sends when it is closed, end a command as Ctrl-C does: what
    runs is stopped, what is finished is kept, nothing is left behind. Ignored, as by `nohup`, they stay ignored."""
    numbers = {number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL}
    for number in numbers:
        signal.signal(number, _as_ctrl_c)
    if numbers and hasattr(os, "register_at_fork"):
        _end_forked_children_at_once(numbers)


def _as_ctrl_c(number: int, frame: FrameType | None) -> None:
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler):  # ignored, as in what a script runs in the background
        raise KeyboardInterrupt
    handler(signal.SIGINT, frame)


def _end_forked_children_at_once(numbers: set[signal.Signals]) -> None:
    """A pool ends its workers by SIGTERM and waits for them: one that took it for Ctrl-C could live on, and the pool
    would wait for ever. What arrives while the child is made waits until it knows what to do."""
    mask = threading.local()

    def hold() -> None:
        mask.before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)

    def let_go() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask.before)

    def end_at_once() -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)
        let_go()

    os.register_at_fork(before=hold, after_in_parent=let_go, after_in_child=end_at_once)


def ignore_ctrl_c() -> None:
    """For the last steps of a command that it has ended: a second one would only spoil its exit status."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

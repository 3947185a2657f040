"""Ctrl-C while kernels run: Python handles it in the main thread, when the kernels come back. If they never do, because
one of them loops, nothing would happen for ever. The same goes for what `mcsgrammar.cli.signals` takes as Ctrl-C.

So a thread, which kernels do not hold up, hears of every Ctrl-C through a pipe, and ends the process if the very call
during which it came still has not come back some seconds later, or soon after a second Ctrl-C. That loses what is in
memory only: journals survive any kill.
"""

import os
import select
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from mcsgrammar.engines.compiled.driver import Call

ENDING = {
    getattr(signal, name): "Ctrl-C" if name == "SIGINT" else name
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if hasattr(signal, name)
}
PATIENCE = 5.0
"""Seconds after the first Ctrl-C; kernels that are sound are back in a twentieth of one."""
PATIENCE_AFTER_THE_SECOND = 0.2


def end_if_kernels_do_not() -> None:
    """Watch over Ctrl-C from now on. For the command line only: the process and its signals are ours."""
    if sys.platform == "win32":  # a signal cannot write to a pipe there
        return
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    # Blocked in the thread: else it would take a Ctrl-C that the main thread has put off.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    threading.Thread(target=_watch, args=(reading,), daemon=True).start()
    signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _watch(reading: int) -> None:
    held: Call | None = None
    """the call during which there was a Ctrl-C"""
    name = ""
    again = False
    deadline = 0.0
    while True:
        ready, _, _ = select.select([reading], [], [], None if held is None else max(0.0, deadline - time.monotonic()))
        call = _call_under_way()
        if ready:
            if signals := ENDING.keys() & set(os.read(reading, 512)):
                name = ENDING[min(signals)]
                now, again = time.monotonic(), call is not None and call is held
                deadline = min(deadline, now + PATIENCE_AFTER_THE_SECOND) if again else now + PATIENCE
                held = call
        elif call is None or call is not held:
            held = None
        elif again or call.is_compiled():
            _end(call, name)
        else:  # the compiler comes back
            deadline = time.monotonic() + PATIENCE


def _call_under_way() -> "Call | None":
    compiled = sys.modules.get("mcsgrammar.engines.compiled.driver")
    return getattr(compiled, "under_way", None)


def _end(call: "Call", name: str) -> NoReturn:
    """At once, past everything that would wait for the main thread."""
    from mcsgrammar.cli import EXIT_INTERRUPTED
    from mcsgrammar.cli.abrupt_ends import leave

    line = (
        f"mcsgrammar: the kernels of {call.domain} did not come back after {name}, so this process was ended; if one "
        "of them loops, 'mcsgrammar check' finds it\n"
        if call.is_compiled()
        else "mcsgrammar: interrupted while compiling\n"
    )
    in_order = "\r\x1b[K\x1b[?25h" if os.isatty(2) and os.environ.get("TERM") != "dumb" else ""
    try:
        os.write(2, (in_order + line).encode())
    finally:
        leave(EXIT_INTERRUPTED)

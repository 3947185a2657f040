"""What SIGTERM means to a command, and to processes that are forked from it, which a pool ends by it."""

import os
import signal
import subprocess
import sys

import pytest

FORK_AND_TERMINATE = """
import os, signal, time
from mcsgrammar.cli.signals import end_as_by_ctrl_c
for number in (signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, signal.SIG_DFL)  # nohup leaves one ignored
end_as_by_ctrl_c()
for number in (signal.SIGTERM, signal.SIGHUP) * 20:
    child = os.fork()
    if child == 0:
        while True:
            try:
                time.sleep(60)
            except KeyboardInterrupt:
                pass  # it stays
    os.kill(child, number)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
try:
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)
except KeyboardInterrupt:
    print("Ctrl-C")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="POSIX")
def test_sigterm_is_ctrl_c_here_and_sigterm_in_a_forked_child() -> None:
    """At once after the fork, too: what a child misses its pool waits for, for ever."""
    ended = subprocess.run(
        [sys.executable, "-c", FORK_AND_TERMINATE], capture_output=True, text=True, timeout=60, check=True
    )
    assert ended.stdout.splitlines() == [str(-signal.SIGTERM), str(-signal.SIGHUP)] * 20 + ["Ctrl-C"]
    assert ended.stderr == ""

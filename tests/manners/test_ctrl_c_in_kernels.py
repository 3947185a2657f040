"""Ctrl-C while a kernel loops for ever: the command line ends, and says why."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a signal cannot write to a pipe there")

ROOT = Path(__file__).parents[2]

PROGRAM = """\
import os, signal, sys, threading, time
from domains import registry
from mcsgrammar.engines.compiled import driver as compiled
from mcsgrammar.engines.compiled import vetting
from mcsgrammar.cli import interrupting, main
from tests.engines.faulty import Faulty
from tests.engines.running import run

registry.BUILT_IN["faulty"] = "tests.engines.faulty:Faulty"
vetting.vet = lambda *arguments: None  # it would find the loop
interrupting.PATIENCE, times, name = float(sys.argv.pop()), int(sys.argv.pop()), sys.argv.pop()
run(Faulty(), [0, 0, 0], "sim", 1, engine="compiled")  # so that the compiler is not what Ctrl-C meets


def press():
    polls, call = 0, None
    while polls < 10:  # the same call all the while: Python has entered the kernel
        polls = polls + 1 if call is not None and call is compiled.under_way else 0
        call = compiled.under_way
        time.sleep(0.01)
    for _ in range(times):
        os.kill(os.getpid(), signal.Signals[name])
        time.sleep(0.1)


threading.Thread(target=press, daemon=True).start()
main()
"""

MESSAGE = (
    "mcsgrammar: the kernels of Faulty did not come back after {}, so this process was ended; if one of them "
    "loops, 'mcsgrammar check' finds it\n"
)


@pytest.mark.parametrize(
    ("name", "times", "patience"),
    [("SIGINT", 1, 0.1), ("SIGINT", 600, 3600), ("SIGTERM", 1, 0.1)],
    ids=["one and patience", "several", "another signal"],
)
def test_a_kernel_that_loops_is_ended(name: str, times: int, patience: float) -> None:
    arguments = ["solve", "faulty:fault=6", "sim", "--budget", "1", name, str(times), str(patience)]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    said = MESSAGE.format("Ctrl-C" if name == "SIGINT" else name)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", said)

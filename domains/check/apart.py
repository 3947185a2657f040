"""Part of a check in a process of its own, which may hang or die of what it calls, and what became of it.

The process is a new one, not a fork: its hash values, addresses and time are others, and nothing in it was compiled
before, so that kernels can be compiled with bounds checking. What it is doing it writes into memory that this process
reads when it does not come back.
"""

import contextlib
import json
import math
import mmap
import os
import pickle
import signal
import struct
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from domains.check.games import probe_of
from domains.check.probing import Finding
from domains.protocol import Domain
from domains.registry import module_in_file
from domains.saying import said
from domains.sources import file_of_class, module_name

Tell = Callable[[Any], None]
"""Hands over something that JSON can hold."""
Task = Callable[..., None]
"""Is given a probe of the domain, a `Tell`, and its arguments."""
Watch = Callable[[list[Any], str], None]
"""Hears, many times a second, what a task has told so far and what it is doing."""

JOB, DOING, READY, TOLD = "job", "doing", "ready", "told"
LONGEST_DOING = 1000
COMPILING = ": compiling "
"""Stands in what is being done while Numba is at work, which takes its time."""
SLOW = 1.0
"""Seconds after which somebody may want to know what is waited for."""
LONGEST_START = 60.0
LOOKED_AFTER_EVERY = 0.05
START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from domains.check.apart import main; main(sys.argv[2])"
)
CRASHES = ("kernel-bounds", "max-actions", "dies", "hangs")
"""What the compiled engine does not survive, or does not end."""
CACHES = ("NUMBA_CACHE_DIR", "MCSGRAMMAR_CACHE")
"""Folders of its own for them, as they do not tell functions with bounds checking from those without."""


@dataclass(frozen=True)
class Ended:
    """How a process ended."""

    how: Literal["complete", "time", "status", "signal", "unsent"]
    told: list[Any]
    doing: str = ""
    """what it called last, and where"""
    taken: float = 0.0
    """seconds that this call had taken when the time was up"""
    why: str = ""
    """the exit status, the signal, or what made it impossible to send the domain"""

    def finding(self, name: str, seconds: float, left_out: str = "") -> Finding | None:
        """What is wrong with the domain of this name if it is given so many seconds; `left_out` when they are over."""
        doing = self.doing or f"{name}: its import"
        kernel = "; a kernel may use nothing outside its arrays" if ": kernels." in doing else ""
        if self.how == "signal":
            return Finding("error", "dies", f"{doing} ended the process by the signal {self.why}{kernel}")
        if self.how == "status":
            return Finding(
                "error",
                "dies",
                f"{doing} ended the process with the exit status {self.why}, as os._exit does; raise an exception "
                "instead",
            )
        if self.how == "time" and self.taken > seconds / 2 and COMPILING not in doing:
            what = f"{doing} did not return within {self.taken:.0f} seconds; is there a loop without end?"
            return Finding("error", "hangs", what)
        if self.how == "time":
            return Finding(
                "warning",
                "not-all-checked",
                f"{name}: the check ended after {seconds:g} seconds, before it was through{left_out and '; left out: '}"
                f"{left_out}; give it more time, or check fewer problems or a smaller version of the domain",
            )
        return None


def run_apart(
    domain: Domain,
    task: str,
    arguments: tuple[Any, ...],
    seconds: float,
    hash_seed: str | None = None,
    on_slow: Callable[[], None] | None = None,
    watch: Watch | None = None,
) -> Ended:
    """Run a task, `module:function`, on the domain, and say how that ended. Ctrl-C ends the process too."""
    with tempfile.TemporaryDirectory(prefix="mcsgrammar_", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        try:
            job = pickle.dumps((own_file(domain), _pickled(domain), task, arguments, seconds))
            (folder / JOB).write_bytes(job)
            (folder / DOING).write_bytes(bytes(LONGEST_DOING + 16))
            (folder / TOLD).touch()
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", START, json.dumps(sys.path), name],
                env=_environment(folder, hash_seed),
                stdin=subprocess.DEVNULL,
                stdout=2,  # what the domain prints is no result of ours
                start_new_session=True,  # Ctrl-C is this process's to handle
            )
        except Exception as error:  # whatever a class may raise when it is pickled, or the system
            return Ended("unsent", [], why=said(error))
        try:
            _wait(process, folder, seconds, on_slow, watch)
        finally:
            returned = process.poll()
            now = time.monotonic()
            process.kill()
            process.wait()
        return _ended(folder, returned, now)


def _wait(
    process: "subprocess.Popen[bytes]",
    folder: Path,
    seconds: float,
    on_slow: Callable[[], None] | None,
    watch: Watch | None,
) -> None:
    """Until the process ends, or has had its time; its beginning, which others may slow down, is not counted."""
    started = time.monotonic()
    until, ready = started + LONGEST_START, False
    while (now := time.monotonic()) < until:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LOOKED_AFTER_EVERY)
            return
        if not ready and (folder / READY).exists():
            until, ready = now + seconds, True
        if on_slow is not None and now - started > SLOW:
            on_slow()
            on_slow = None
        if watch is not None:
            watch(_told(folder), _doing(folder)[1])


def _ended(folder: Path, returned: int | None, now: float) -> Ended:
    told = _told(folder)
    kind, value = told.pop() if told and isinstance(told[-1], list) else ("", "")
    if kind == "bug":
        raise RuntimeError(f"a check in another process failed\n{value}")
    since, doing = _doing(folder)
    if kind == "unsent":
        return Ended("unsent", told, doing, why=value)
    if kind == "complete":
        return Ended("complete", told)
    if returned is None:
        return Ended("time", told, doing, now - since if doing else 0.0)
    if returned < 0:
        return Ended("signal", told, doing, why=_signal_name(-returned))
    return Ended("status", told, doing, why=str(returned))


def _told(folder: Path) -> list[Any]:
    lines = (folder / TOLD).read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]


def _doing(folder: Path) -> tuple[float, str]:
    """Since when it does what."""
    memory = (folder / DOING).read_bytes()
    (since,) = struct.unpack_from("<d", memory)
    return since, memory[8:].partition(b"\0")[0].decode("utf-8", "replace")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return str(number)


def _environment(folder: Path, hash_seed: str | None) -> dict[str, str]:
    caches = {variable: str(folder / variable) for variable in CACHES}
    hashes = {} if hash_seed is None else {"PYTHONHASHSEED": hash_seed}
    return {**os.environ, "NUMBA_BOUNDSCHECK": "1", **caches, **hashes}


def own_file(domain: Domain) -> str | None:
    """The file that the domain's module is, if no import finds it by its name."""
    file = file_of_class(domain)
    return str(file) if file is not None and module_name(file) == type(domain).__module__ else None


def _pickled(domain: Domain) -> bytes:
    import cloudpickle  # which pickles classes of a notebook whole

    return bytes(cloudpickle.dumps(domain))


# In the process of its own.


class Doing:
    """Where what is called is written down, so that it can be read when this process is dead."""

    def __init__(self, path: Path) -> None:
        with path.open("r+b") as file:
            self._memory = mmap.mmap(file.fileno(), 0)
        self._where: object = None
        self._text = ""

    def __call__(self, where: object, said: str) -> None:
        if where is not self._where:
            self._where, self._text = where, str(where)
        text = f"{self._text}: {said}".encode("utf-8", "backslashreplace")[:LONGEST_DOING]
        written = struct.pack("<d", time.monotonic()) + text + b"\0"
        self._memory[: len(written)] = written


def main(folder: str) -> None:
    """Do the job in the folder."""
    file, pickled, task, arguments, seconds = pickle.loads((Path(folder) / JOB).read_bytes())
    if hasattr(signal, "alarm"):  # whoever started this may be dead
        signal.alarm(math.ceil(LONGEST_START + seconds))
    with (Path(folder) / TOLD).open("a", encoding="utf-8") as told:

        def tell(thing: Any) -> None:
            print(json.dumps(thing), file=told, flush=True)

        try:
            if file is not None:
                module_in_file(Path(file))
            probe = probe_of(pickle.loads(pickled), Doing(Path(folder) / DOING))
            (Path(folder) / READY).touch()
        except (Exception, SystemExit) as error:
            tell(["unsent", said(error)])
            return
        module, _, function = task.partition(":")
        try:
            getattr(import_module(module), function)(probe, tell, *arguments)
            tell(["complete", ""])
        except Exception:
            tell(["bug", traceback.format_exc()])

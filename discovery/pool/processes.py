"""Worker processes of this machine: how they start, and how they end."""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator
from multiprocessing import resource_tracker
from typing import Any

PROCESS_NAME = "LokyProcess"
"""How loky's worker processes are called; threads and dask's workers are called otherwise."""
PARENT_CHECKED_EVERY = 0.5
TERMINAL_SIGNALS = {signal.SIGINT} | ({signal.SIGHUP} if hasattr(signal, "SIGHUP") else set())
"""What a terminal sends to all processes of a command, workers included: by Ctrl-C, and when it is closed."""
IDLE_SECONDS = 300.0
"""After so long without a task a worker ends."""
THREADS = [
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"),
    *("VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS", "NUMEXPR_NUM_THREADS"),
]
"""What libraries read that would else start as many threads in every worker as there are cores."""

LEAK = "LOKY_MAX_MEMORY_LEAK_SIZE"
"""What loky, from 3.7 on, reads in a worker: how many bytes it may grow by after its first task, before it is ended as
one that leaks, with a warning."""
LEAK_BYTES = 3e9
"""loky's own bound is 0.3e9. A worker keeps the machine of every problem that it has met: loaded from the cache one of
a game takes some 7 MB, but a process that compiled those of ten games, and three that tune, grew by 1.3 GB, more slowly
from game to game; and two players may take 0.5 GB each by --max-nodes, which an allocator need not give back."""


def worker_processes(jobs: int) -> Any:
    """loky's executor of so many processes, which stay for whatever comes next and are started when they are needed."""
    from loky import cpu_count, get_reusable_executor

    _start_trackers()
    share = str(max(1, cpu_count() // jobs))
    told = {name: os.environ.get(name, share) for name in THREADS}
    told[LEAK] = os.environ.get(LEAK, str(LEAK_BYTES))
    return get_reusable_executor(
        jobs, timeout=IDLE_SECONDS, initializer=become_worker, initargs=(os.getpid(),), env=told
    )


SAFE_PATH = {"PYTHONSAFEPATH": "mcsgrammar"}
"""Any value means yes; by this one it is known to be ours."""


@contextlib.contextmanager
def workers_start_safely() -> Iterator[None]:
    """Processes started meanwhile do not import what lies in the working directory and is called like a module of the
    library, as `python -m` and `python -c` do otherwise. loky tells them later where the parent's modules are."""
    before = {name: os.environ.get(name) for name in SAFE_PATH}
    os.environ.update(SAFE_PATH)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def become_worker(parent: int) -> None:
    """The first that a worker process does: what a terminal sends is the parent's to handle, and the parent's end is
    ours."""
    for name, value in SAFE_PATH.items():
        if os.environ.get(name) == value:  # what a domain starts is its own business
            del os.environ[name]
    for number in TERMINAL_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    if os.name != "nt":  # where a process keeps its parent's number for ever
        threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    """A parent that is killed cannot stop its workers, which would wait for tasks for minutes."""
    while os.getppid() == parent:
        time.sleep(PARENT_CHECKED_EVERY)
    os._exit(0)


@contextlib.contextmanager
def processes_started_here_ignore_ctrl_c() -> Iterator[None]:
    """A terminal sends Ctrl-C to workers, too: even to one whose interpreter is only starting. What is blocked here
    stays blocked in the processes and threads started meanwhile. A Ctrl-C during this is raised at its end."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    _start_trackers()  # else one is started meanwhile, and lifts the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINAL_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _start_trackers() -> None:
    """Python and loky each have a process that removes what is left in shared memory. It ignores Ctrl-C, but a
    terminal that is closed would end it before its work is done: what is blocked at its start stays blocked in it."""
    from loky.backend import resource_tracker as loky_tracker

    if not hasattr(signal, "pthread_sigmask"):
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINAL_SIGNALS - {signal.SIGINT})
    try:
        resource_tracker.ensure_running()
        loky_tracker.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class KilledByCtrlC:
    """Within it, Ctrl-C kills loky's worker processes, and `pressed` says so.

    A KeyboardInterrupt in the middle of loky would leave its threads complaining; of dead workers it gets over.
    """

    def __init__(self) -> None:
        self.pressed = False
        self.raises = False
        """whether it raises KeyboardInterrupt at once; to be set while loky is not called"""
        self._before: object = None

    def __enter__(self) -> "KilledByCtrlC":
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._kill)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)  # type: ignore[arg-type]

    def _kill(self, *_: object) -> None:
        self.pressed = True
        for process in multiprocessing.active_children():
            if process.name.startswith(PROCESS_NAME) and process.pid is not None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))  # loky's processes lack kill()
        if self.raises:
            raise KeyboardInterrupt

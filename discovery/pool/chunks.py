"""What a worker does: chunks of pulls, one pull after the other, with what it needs kept between them."""

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from multiprocessing import resource_tracker

from discovery.pool.pulls import PullResult, run_pull, warm_up
from domains.protocol import Domain
from domains.registry import find_domain
from mcsgrammar.engines.searching import EngineName, Limits, SemanticsName, prepare
from mcsgrammar.language.expressions import Component
from mcsgrammar.language.parsing import parse

PROCESS_NAME = "LokyProcess"
"""How joblib's own worker processes are called; threads and dask's workers are called otherwise."""
PARENT_CHECKED_EVERY = 0.5
TERMINAL_SIGNALS = {signal.SIGINT} | ({signal.SIGHUP} if hasattr(signal, "SIGHUP") else set())
"""What a terminal sends to all processes of a command, workers included: by Ctrl-C, and when it is closed."""
TIMED_SECONDS = 0.7
"""After so long no further candidate is timed …"""
LONG_ENOUGH_SECONDS = 0.03
"""… and after so long no longer run of one."""


@dataclass(frozen=True)
class PullSetup:
    """What every pull of a campaign has in common; `token` names it in the workers' caches."""

    token: str
    domain: str | Domain
    seed: int
    limits: Limits
    semantics: SemanticsName
    engine: EngineName


@dataclass
class ChunkResult:
    results: list[PullResult] = field(default_factory=list)
    cpu_seconds: float = 0.0
    seconds: float = 0.0
    """on the clock"""


class _World:
    """What is kept between chunks: the domain, and every expression met."""

    def __init__(self, setup: PullSetup) -> None:
        self.setup = setup
        self.domain = find_domain(setup.domain) if isinstance(setup.domain, str) else setup.domain
        self.expressions: dict[str, Component] = {}
        warm_up(self.domain, setup.seed, setup.engine)

    def pull(self, text: str, t: int, evaluations: int | None = None) -> PullResult:
        """Pull t of a candidate, or so many evaluations of it."""
        if text not in self.expressions:
            self.expressions[text] = prepare(parse(text), self.domain, self.setup.limits)
        setup = self.setup
        limits = setup.limits if evaluations is None else replace(setup.limits, evaluations=evaluations)
        expression = self.expressions[text]
        return run_pull(self.domain, expression, t, setup.seed, limits, setup.semantics, setup.engine)

    def seconds_of_pull(self, text: str, t: int, budget: int) -> float | None:
        """About how long pull t would take: runs within budgets that grow until one takes long enough, or is whole."""
        self.pull(text, t, 0)  # draws the problem
        evaluations = 1
        while True:
            started = time.monotonic()
            if self.pull(text, t, evaluations).failed is not None:
                return None
            spent = time.monotonic() - started
            if spent > LONG_ENOUGH_SECONDS or evaluations == budget:
                return spent / evaluations * budget
            evaluations = min(10 * evaluations, budget)


_worlds: dict[tuple[str, str], _World] = {}
_worlds_lock = threading.Lock()


def make_ready(setup: PullSetup) -> None:
    """Find the domain and compile it, which otherwise the first chunk does."""
    _world(setup)


def _world(setup: PullSetup) -> _World:
    """The world of a campaign: made once in a process, whose threads share it."""
    with _worlds_lock:
        key = setup.token, setup.domain if isinstance(setup.domain, str) else ""
        if key not in _worlds:
            _worlds[key] = _World(setup)
        return _worlds[key]


def run_chunk(setup: PullSetup, texts: Sequence[str], ts: Sequence[int]) -> ChunkResult:
    """Pulls run one after the other in one worker."""
    chunk = ChunkResult()
    fill_chunk(chunk, setup, texts, ts)
    return chunk


def fill_chunk(chunk: ChunkResult, setup: PullSetup, texts: Sequence[str], ts: Sequence[int]) -> None:
    """The same, pull by pull: after an interrupt, `chunk` holds those before it."""
    world = _world(setup)
    started, cpu_started = time.monotonic(), time.thread_time()  # compiling the domain, once a worker, is left out
    try:
        for text, t in zip(texts, ts, strict=True):
            chunk.results.append(world.pull(text, t))
    finally:
        chunk.cpu_seconds, chunk.seconds = time.thread_time() - cpu_started, time.monotonic() - started


def time_pulls(setup: PullSetup, texts: Sequence[str]) -> float | None:
    """About how many seconds a pull takes, by short runs of these candidates, each on another training problem; None
    if all of them failed. It takes a second at most, unless one evaluation does. On the clock, as people wait."""
    if setup.limits.evaluations is None:
        return setup.limits.seconds
    world = _world(setup)
    began, per_pull = time.monotonic(), []
    for t, text in enumerate(texts):
        seconds = world.seconds_of_pull(text, t, setup.limits.evaluations)
        per_pull += [] if seconds is None else [seconds]
        if time.monotonic() - began > TIMED_SECONDS:
            break
    return sum(per_pull) / len(per_pull) if per_pull else None


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
    start_trackers()  # else one is started meanwhile, and lifts the block
    before = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINAL_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start_trackers() -> None:
    """Python and joblib each have a process that removes what is left in shared memory. It ignores Ctrl-C, but a
    terminal that is closed would end it before its work is done: what is blocked at its start stays blocked in it."""
    from joblib.externals.loky.backend import resource_tracker as loky_tracker

    if not hasattr(signal, "pthread_sigmask"):
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINAL_SIGNALS - {signal.SIGINT})
    try:
        resource_tracker.ensure_running()
        loky_tracker.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class KilledByCtrlC:
    """Within it, Ctrl-C kills joblib's worker processes, and `pressed` says so.

    A KeyboardInterrupt in the middle of joblib would leave its threads complaining; of dead workers it gets over.
    """

    def __init__(self) -> None:
        self.pressed = False
        self.raises = False
        """whether it raises KeyboardInterrupt at once; to be set while joblib is not called"""
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

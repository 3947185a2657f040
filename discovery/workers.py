"""Runs batches of pulls: in this process, in joblib's workers, or on a dask cluster. The results are the same.

A worker that dies or hangs loses its pulls: each of the batch's pulls is then run again, alone. If one fails again, the
campaign stops cleanly, with nothing of the batch in the journal. What a domain does wrong is a *failed pull* instead
(see `discovery.pulls`).
"""

import math
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from discovery.pulls import PullResult, run_pull, warm_up
from domains.errors import UserError
from domains.protocol import Domain
from domains.registry import find_domain
from mcsgrammar.expressions import Component
from mcsgrammar.parsing import parse
from mcsgrammar.searching import EngineName, Limits, SemanticsName, prepare

Backend = Literal["loky", "threading", "dask"]
BACKENDS = ("loky", "threading", "dask")

CHUNK_SECONDS = 0.04
"""About the size of a task: large beside the millisecond that a task costs, small beside a batch, so that the last
task of a batch does not keep one worker busy alone for long."""
SLACK_SECONDS = 60.0
"""A task of many short pulls may take this much longer than the limit for one."""


@dataclass(frozen=True)
class PullSetup:
    """What every pull of a campaign has in common; `token` names it in the workers' caches."""

    token: str
    domain: str | Domain
    seed: int
    limits: Limits
    semantics: SemanticsName
    engine: EngineName


class CampaignStopped(UserError):
    """A pull could not be run, twice. The journal is whole; `resume` goes on from it."""


@dataclass
class ChunkResult:
    results: list[PullResult]
    cpu_seconds: float


class _World:
    """What a worker keeps between tasks: the domain, and every expression it has met."""

    def __init__(self, setup: PullSetup) -> None:
        self.setup = setup
        self.domain = find_domain(setup.domain) if isinstance(setup.domain, str) else setup.domain
        self.expressions: dict[str, Component] = {}
        warm_up(self.domain, setup.seed, setup.engine)

    def pull(self, text: str, t: int) -> PullResult:
        if text not in self.expressions:
            self.expressions[text] = prepare(parse(text), self.domain, self.setup.limits)
        setup = self.setup
        expression = self.expressions[text]
        return run_pull(self.domain, expression, t, setup.seed, setup.limits, setup.semantics, setup.engine)


_worlds: dict[str, _World] = {}


def _world(setup: PullSetup) -> _World:
    if setup.token not in _worlds:
        _worlds[setup.token] = _World(setup)
    return _worlds[setup.token]


def run_chunk(setup: PullSetup, texts: Sequence[str], ts: Sequence[int]) -> ChunkResult:
    """Pulls run one after the other in one worker."""
    if threading.current_thread() is threading.main_thread() and _is_worker():
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    world = _world(setup)
    started = time.thread_time()  # compiling the domain, once a worker, is left out
    results = [world.pull(text, t) for text, t in zip(texts, ts, strict=True)]
    return ChunkResult(results, time.thread_time() - started)


def _is_worker() -> bool:
    import multiprocessing

    return multiprocessing.current_process().name != "MainProcess"


class Workers:
    """Where pulls are run. A context manager; keeps its workers from batch to batch."""

    def __init__(
        self, setup: PullSetup, jobs: int = 1, backend: Backend = "loky", address: str | None = None, timeout: float = 600.0
    ) -> None:
        if jobs < 1:
            raise UserError(f"the number of jobs cannot be {jobs}; it is at least 1")
        if backend not in BACKENDS:
            raise UserError(f"the backend cannot be '{backend}'; it is one of {', '.join(BACKENDS)}")
        if (backend == "dask") != (address is not None):
            raise UserError("--backend dask needs --address, the scheduler's (tcp://host:8786), and only it does")
        if not timeout > 0:
            raise UserError(f"the timeout cannot be {timeout}; it is a number of seconds above 0")
        self.setup, self.jobs, self.backend, self.address, self.timeout = setup, jobs, backend, address, timeout
        self.seconds_per_pull = 0.0
        self.cpu_seconds = 0.0
        self.search_seconds = 0.0
        self.start_seconds = 0.0
        """CPU spent in this process on making the domain ready"""
        self._client: Any = None

    @property
    def in_process(self) -> bool:
        return self.jobs == 1 and self.backend != "dask"

    def __enter__(self) -> "Workers":
        if self.in_process:
            started = time.process_time()
            _world(self.setup)
            self.start_seconds = time.process_time() - started
        if self.backend == "dask":
            self._connect()
        return self

    def __exit__(self, *error: object) -> None:
        if self._client is not None:
            self._client.close()

    def run(self, texts: Sequence[str], ts: Sequence[int]) -> list[PullResult]:
        """The results of one batch, in the order given. Raises `CampaignStopped`."""
        if self.in_process:
            chunks = [run_chunk(self.setup, texts, ts)]
        else:
            size = self._chunk_size(len(texts))
            parts = [(texts[i : i + size], ts[i : i + size]) for i in range(0, len(texts), size)]
            try:
                chunks = self._run_parts(parts, self.timeout + (SLACK_SECONDS if size > 1 else 0.0))
            except Exception as error:
                if not _is_loss(error):
                    raise
                chunks = self._run_alone(texts, ts)
        results = [result for chunk in chunks for result in chunk.results]
        self.cpu_seconds += sum(chunk.cpu_seconds for chunk in chunks)
        self.search_seconds += sum(result.seconds for result in results)
        self.seconds_per_pull = sum(chunk.cpu_seconds for chunk in chunks) / max(1, len(results))
        return results

    def _chunk_size(self, pulls: int) -> int:
        """As many pulls as fill a task, but at least two tasks for every worker."""
        fair = math.ceil(pulls / (2 * self.jobs))
        if self.seconds_per_pull == 0.0:
            return max(1, math.ceil(pulls / (4 * self.jobs)))
        return max(1, min(fair, round(CHUNK_SECONDS / self.seconds_per_pull)))

    def _run_parts(self, parts: list[tuple[Sequence[str], Sequence[int]]], timeout: float) -> list[ChunkResult]:
        import joblib

        jobs = -1 if self.backend == "dask" else self.jobs
        with joblib.parallel_config(backend=self.backend):
            parallel = joblib.Parallel(n_jobs=jobs, batch_size=1, pre_dispatch="all", timeout=timeout)
            chunks: list[ChunkResult] = parallel(joblib.delayed(run_chunk)(self.setup, *part) for part in parts)
        return chunks

    def _run_alone(self, texts: Sequence[str], ts: Sequence[int]) -> list[ChunkResult]:
        """Every pull of a batch that was lost, one at a time; the second loss of a pull stops the campaign."""
        self._discard_workers()
        chunks = []
        for text, t in zip(texts, ts, strict=True):
            try:
                chunks += self._run_parts([([text], [t])], self.timeout)
            except Exception as error:
                if not _is_loss(error):
                    raise
                self._discard_workers()
                how = f"took longer than {self.timeout:g} s" if isinstance(error, TimeoutError) else "killed its worker"
                raise CampaignStopped(
                    f"{text} on training problem {t} {how}, twice; the campaign stopped before this batch and can be "
                    "resumed once the domain is mended (or with a larger --timeout)"
                ) from error
        return chunks

    def _discard_workers(self) -> None:
        if self.backend == "loky":
            from joblib.externals.loky import get_reusable_executor

            get_reusable_executor().shutdown(wait=True, kill_workers=True)

    def _connect(self) -> None:
        try:
            from dask.distributed import Client
        except ImportError:
            raise UserError("--backend dask needs dask: pip install 'mcsgrammar[cluster]'") from None
        try:
            self._client = Client(self.address, timeout="10s")
        except (OSError, ValueError, TimeoutError) as error:
            raise UserError(f"no dask scheduler answers at {self.address}: {error}") from None


def _is_loss(error: Exception) -> bool:
    """Whether the error says that a worker died or did not answer in time."""
    names = {cls.__name__ for cls in type(error).__mro__}
    return bool(names & {"BrokenProcessPool", "TerminatedWorkerError", "BrokenExecutor", "TimeoutError", "KilledWorker"})

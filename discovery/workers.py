"""Runs batches of pulls: in this process, in joblib's workers, or on a dask cluster. The results are the same.

A worker that dies or hangs loses its pulls: each of the batch's pulls is then run again, alone. If one fails again, the
campaign stops cleanly, with nothing of the batch in the journal. What a domain does wrong is a *failed pull* instead
(see `discovery.pulls`).
"""

import contextlib
import math
import time
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from discovery.chunks import (
    ChunkResult,
    KilledByCtrlC,
    PullSetup,
    become_worker,
    make_ready,
    processes_started_here_ignore_ctrl_c,
    run_chunk,
)
from discovery.pulls import PullResult
from domains.errors import UserError

__all__ = ["BACKENDS", "Backend", "CampaignStopped", "PullSetup", "Workers", "check_workers"]

Backend = Literal["loky", "threading", "dask"]
BACKENDS = ("loky", "threading", "dask")

CHUNK_SECONDS = 0.04
"""About the size of a task: large beside the millisecond that a task costs, small beside a batch, so that the last
task of a batch does not keep one worker busy alone for long."""
SLACK_SECONDS = 60.0
"""A task of many short pulls may take this much longer than the limit for one."""
CONNECTING_SECONDS = 10


class CampaignStopped(UserError):
    """The campaign could not go on, although nothing is wrong with it: a pull that fails twice to come back, a full
    disk. The journal is whole; `resume` goes on from it."""


def check_workers(jobs: int, backend: str, address: str | None, timeout: float) -> None:
    """Raises `UserError` for what can be known to be wrong before anything is started."""
    if jobs < 1:
        raise UserError(f"the number of jobs cannot be {jobs}; it is at least 1")
    if backend not in BACKENDS:
        raise UserError(f"the backend cannot be '{backend}'; it is one of {', '.join(BACKENDS)}")
    if (backend == "dask") != (address is not None):
        raise UserError("--backend dask needs --address, the scheduler's (tcp://host:8786), and only it does")
    if not timeout > 0:
        raise UserError(f"the timeout cannot be {timeout}; it is a number of seconds above 0")


class Workers:
    """Where pulls are run. A context manager; keeps its workers from batch to batch."""

    def __init__(
        self,
        setup: PullSetup,
        jobs: int = 1,
        backend: Backend = "loky",
        address: str | None = None,
        timeout: float = 600.0,
    ) -> None:
        check_workers(jobs, backend, address, timeout)
        self.setup, self.jobs, self.backend, self.address, self.timeout = setup, jobs, backend, address, timeout
        self.seconds_per_pull = 0.0
        self.cpu_seconds = 0.0
        self.search_seconds = 0.0
        self._started = False
        self._client: Any = None

    @property
    def in_process(self) -> bool:
        return self.jobs == 1 and self.backend != "dask"

    @property
    def cpu_seconds_elsewhere(self) -> float:
        """CPU spent in other processes than this."""
        return 0.0 if self.in_process or self.backend == "threading" else self.cpu_seconds

    def __enter__(self) -> "Workers":
        if self.in_process or self.backend == "threading":
            make_ready(self.setup)
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

        if self.backend == "loky" and not self._started:
            self._start_processes()
        with joblib.parallel_config(backend=self.backend), self._ctrl_c_ends_it():
            # Not more tasks ahead than joblib's queue holds: of others, its manager loses track when it is stopped.
            ahead = "all" if self.backend == "dask" else "2*n_jobs"
            parallel = joblib.Parallel(n_jobs=self._n_jobs, batch_size=1, pre_dispatch=ahead, timeout=timeout)
            chunks: list[ChunkResult] = parallel(joblib.delayed(run_chunk)(self.setup, *part) for part in parts)
        return chunks

    @property
    def _n_jobs(self) -> int:
        return -1 if self.backend == "dask" else self.jobs

    def _start_processes(self) -> None:
        import joblib

        with processes_started_here_ignore_ctrl_c(), joblib.parallel_config(backend="loky"):
            joblib.Parallel(n_jobs=self.jobs, batch_size=1)(joblib.delayed(become_worker)() for _ in range(self.jobs))
        self._started = True

    @contextlib.contextmanager
    def _ctrl_c_ends_it(self) -> Iterator[None]:
        """Raises KeyboardInterrupt in the end."""
        if self.backend != "loky":
            yield
            return
        try:
            with KilledByCtrlC() as ctrl_c:
                yield
        except Exception as error:
            if not ctrl_c.pressed:
                raise
            raise KeyboardInterrupt from error
        finally:
            if ctrl_c.pressed:
                self._started = False
        if ctrl_c.pressed:
            raise KeyboardInterrupt

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

            get_reusable_executor(reuse=True).shutdown(wait=True, kill_workers=True)
            self._started = False

    def _connect(self) -> None:
        try:
            from dask.distributed import Client
        except ImportError:
            raise UserError("--backend dask needs dask: pip install 'mcsgrammar[cluster]'") from None
        try:
            self._client = Client(self.address, timeout=f"{CONNECTING_SECONDS}s")
        except (OSError, ValueError, TimeoutError) as error:
            raise UserError(f"no dask scheduler answers at {self.address}: {error}") from None


def _is_loss(error: Exception) -> bool:
    """Whether the error says that a worker died or did not answer in time."""
    names = {cls.__name__ for cls in type(error).__mro__}
    return bool(names & {"BrokenProcessPool", "TerminatedWorkerError", "BrokenExecutor", "TimeoutError", "KilledWorker"})

"""Runs batches of pulls: in this process, in joblib's workers, or on a dask cluster. The results are the same.

A worker that dies or hangs loses its pulls: each of the batch's pulls is then run again, alone. If one fails again, the
campaign stops cleanly, with nothing of the batch in the journal. What a domain does wrong is a *failed pull* instead
(see `discovery.pulls`).
"""

import contextlib
import math
import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from importlib import import_module
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

CHUNK_SECONDS = 0.01
"""About the size of a task: large beside the fraction of a millisecond that a task costs, small beside a batch, so that
the last task of a batch does not keep one worker busy alone for long."""
DASK_CHUNK_SECONDS = 0.05
"""A task costs more there."""
SLACK_SECONDS = 60.0
"""A task of many short pulls may take this much longer than the limit for one."""
READY_SECONDS = 600.0
"""Compiling a domain takes time that is not the pulls'."""
CONNECTING_SECONDS = 10


class CampaignStopped(UserError):
    """The campaign could not go on, although nothing is wrong with it: a pull that fails twice to come back, a full
    disk. The journal is whole; `resume` goes on from it."""


def check_workers(jobs: int, backend: str, address: str | None, timeout: float) -> None:
    """Raises `UserError` for what can be known to be wrong before anything is started."""
    if jobs < 1:
        raise UserError(f"the number of jobs cannot be {jobs}; it is at least 1")
    if backend not in BACKENDS and not _is_registered(backend):
        raise UserError(f"the backend cannot be '{backend}'; it is one of {', '.join(BACKENDS)}")
    if (backend == "dask") != (address is not None):
        raise UserError("--backend dask needs --address, the scheduler's (tcp://host:8786), and only it does")
    if not timeout > 0:
        raise UserError(f"the timeout cannot be {timeout}; it is a number of seconds above 0")


def _is_registered(backend: str) -> bool:
    """Whether somebody has registered such a backend with joblib, as `ray.util.joblib.register_ray` does."""
    from joblib.parallel import BACKENDS as known_to_joblib

    return backend in known_to_joblib


class Workers:
    """Where pulls are run. A context manager; keeps its workers from batch to batch."""

    def __init__(
        self,
        setup: PullSetup,
        jobs: int = 1,
        backend: Backend | str = "loky",
        address: str | None = None,
        timeout: float = 600.0,
    ) -> None:
        check_workers(jobs, backend, address, timeout)
        self.setup, self.jobs, self.backend, self.address, self.timeout = setup, jobs, backend, address, timeout
        self.seconds_per_pull = 0.0
        self.cpu_seconds = 0.0
        self.search_seconds = 0.0
        self._parallel: Any = None
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

    def _enter_parallel(self) -> None:
        """joblib with its workers, as it stays from batch to batch."""
        import joblib

        own = {"initializer": become_worker, "initargs": (os.getpid(),)} if self.backend == "loky" else {}
        with joblib.parallel_config(backend=self.backend, **own):
            self._parallel = joblib.Parallel(n_jobs=self.jobs, batch_size=1, pre_dispatch="2*n_jobs")
        self._parallel.__enter__()
        if self.backend == "loky":
            # The first that a worker does is to compile the domain: loky measures its memory after that, and takes a
            # process that then grows by 300 MB for one that leaks. Measured any earlier, Morpion's machine is a leak.
            with processes_started_here_ignore_ctrl_c():
                getting_ready = [self._executor().submit(make_ready, self.setup) for _ in range(self.jobs)]
            with self._ctrl_c_ends_it():
                for worker in getting_ready:
                    worker.result(READY_SECONDS)

    def _leave_parallel(self) -> None:
        if self._parallel is not None:
            self._parallel.__exit__(None, None, None)
            self._parallel = None

    def __exit__(self, *error: object) -> None:
        self._leave_parallel()
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
        aim = DASK_CHUNK_SECONDS if self.backend == "dask" else CHUNK_SECONDS
        return max(1, min(fair, round(aim / self.seconds_per_pull)))

    def _run_parts(self, parts: list[tuple[Sequence[str], Sequence[int]]], timeout: float) -> list[ChunkResult]:
        try:
            if self._client is not None:
                return self._on_dask(parts, timeout)
            if self._parallel is None:
                self._enter_parallel()
            with self._ctrl_c_ends_it():
                return self._on_loky(parts, timeout) if self.backend == "loky" else self._on_joblib(parts, timeout)
        except BaseException as error:
            self._leave_parallel()  # not to be used again: it may hear of the end of its workers later
            if self.backend == "loky":
                self._executor().shutdown(wait=True, kill_workers=True)  # with what hangs
            if _is_timeout(error) and self._client is not None:
                self._client.restart()  # else its worker would go on with what hangs, and be missing for the rest
            if self._is_connection_lost(error):
                raise CampaignStopped(
                    f"the connection to the dask cluster at {self.address} was lost; "
                    "the campaign stopped before this batch and can be resumed"
                ) from error
            raise

    def _on_joblib(self, parts: list[tuple[Sequence[str], Sequence[int]]], timeout: float) -> list[ChunkResult]:
        import joblib

        self._parallel.timeout = timeout
        chunks: list[ChunkResult] = self._parallel(joblib.delayed(run_chunk)(self.setup, *part) for part in parts)
        return chunks

    def _on_dask(self, parts: list[tuple[Sequence[str], Sequence[int]]], timeout: float) -> list[ChunkResult]:
        """By dask's own client: on a cluster of one core, joblib would run the pulls here instead."""
        futures = [self._client.submit(run_chunk, self.setup, *part, pure=False) for part in parts]
        return [future.result(timeout) for future in futures]

    def _on_loky(self, parts: list[tuple[Sequence[str], Sequence[int]]], timeout: float) -> list[ChunkResult]:
        """The same on joblib's own worker processes without its loop, which looks for results every 10 ms only: with
        batches of 60 ms, two workers are 1.8 times as fast as one instead of 1.7."""
        executor = self._executor()
        futures: list[Future[ChunkResult]] = []
        unfinished: set[Future[ChunkResult]] = set()
        for part in parts:
            if len(unfinished) == 2 * self.jobs:  # which loky's queue holds; stopped, it loses track of any others
                finished, unfinished = wait(unfinished, timeout, FIRST_COMPLETED)
                if not finished:
                    raise TimeoutError
            futures.append(executor.submit(run_chunk, self.setup, *part))
            unfinished.add(futures[-1])
        return [future.result(timeout) for future in futures]

    def _executor(self) -> Any:
        from joblib.externals.loky import get_reusable_executor

        return get_reusable_executor(reuse=True)

    def _is_connection_lost(self, error: BaseException) -> bool:
        if self.backend != "dask" or _is_timeout(error):
            return False
        return isinstance(error, OSError | CancelledError)

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
        if ctrl_c.pressed:
            raise KeyboardInterrupt

    def _run_alone(self, texts: Sequence[str], ts: Sequence[int]) -> list[ChunkResult]:
        """Every pull of a batch that was lost, one at a time; the second loss of a pull stops the campaign."""
        chunks = []
        for text, t in zip(texts, ts, strict=True):
            try:
                chunks += self._run_parts([([text], [t])], self.timeout)
            except Exception as error:
                if not _is_loss(error):
                    raise
                how = f"took longer than {self.timeout:g} s" if _is_timeout(error) else "killed its worker"
                raise CampaignStopped(
                    f"{text} on training problem {t} {how}, twice; the campaign stopped before this batch and can be "
                    "resumed once the domain is mended (or with a larger --timeout)"
                ) from error
        return chunks

    def _connect(self) -> None:
        try:
            distributed: Any = import_module("dask.distributed")
        except ImportError:
            raise UserError("--backend dask needs dask: pip install 'mcsgrammar[cluster]'") from None
        try:
            self._client = distributed.Client(self.address, timeout=f"{CONNECTING_SECONDS}s")
        except (OSError, ValueError, TimeoutError) as error:
            raise UserError(f"no dask scheduler answers at {self.address}: {error}") from None
        try:
            self._client.wait_for_workers(1, timeout=CONNECTING_SECONDS)
        except TimeoutError:
            self._client.close()
            raise UserError(f"the dask cluster at {self.address} has no workers; start some") from None
        self.jobs = sum(self._client.ncores().values())


def _is_loss(error: Exception) -> bool:
    """Whether the error says that a worker died or did not answer in time."""
    return _is_timeout(error) or isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"  # dask's


def _is_timeout(error: BaseException) -> bool:
    return isinstance(error, TimeoutError | multiprocessing.TimeoutError)  # joblib raises the latter

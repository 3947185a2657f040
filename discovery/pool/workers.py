"""Runs batches of pulls: in this process, in worker processes, or on a dask cluster. The results are the same.

A worker that dies or hangs loses the pulls it had: they are run again, alone, when all others of the batch are
finished. If one is lost again and again, the campaign stops cleanly, with nothing of the batch in the journal
(`discovery.pool.losses`). What a domain does wrong is a *failed pull* instead (`discovery.pool.pulls`).
"""

import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, Literal

from discovery.pool.chunks import ChunkResult, PullSetup, Setup
from discovery.pool.losses import DOUBTFUL_LOSSES, PAUSES_ALONE, Losses, is_loss
from discovery.pool.pools import CampaignStopped, Dask, Joblib, Loky, Pool, Task, ThisProcess, Threads, is_timeout
from domains.errors import UserError
from mcsgrammar.arguments import at_least, seconds_of
from mcsgrammar.defaults import SECONDS_OF_A_PULL

__all__ = ["BACKENDS", "Backend", "CampaignStopped", "OnFinished", "PullSetup", "Workers", "check_workers"]

Backend = Literal["loky", "threading", "dask"]
BACKENDS = ("loky", "threading", "dask")

OnFinished = Callable[[Sequence[int], ChunkResult], None]
"""Called with pulls that are finished, by their places in the batch, and with what came of them."""


def check_workers(
    jobs: int, backend: str = "loky", address: str | None = None, timeout: float = SECONDS_OF_A_PULL
) -> None:
    """Raises `UserError` for what can be known to be wrong before anything is started."""
    at_least(1, "the number of jobs", jobs)
    if backend not in BACKENDS and not _is_registered(backend):
        raise UserError(f"the backend cannot be '{backend}'; it is one of {', '.join(BACKENDS)}")
    if (backend == "dask") != (address is not None):
        raise UserError("--backend dask needs --address, the scheduler's (tcp://host:8786), and only it does")
    seconds_of("the timeout", timeout)


def _is_registered(backend: str) -> bool:
    """Whether somebody has registered such a backend with joblib, as `ray.util.joblib.register_ray` does."""
    from joblib.parallel import BACKENDS as known_to_joblib

    return backend in known_to_joblib


def _pool(setup: Setup, jobs: int, backend: str, address: str | None) -> Pool:
    if address is not None:
        return Dask(setup, address)
    if jobs == 1:
        return ThisProcess(setup, 1)
    if backend == "loky":
        return Loky(setup, jobs)
    if backend == "threading":
        return Threads(setup, jobs)
    return Joblib(setup, jobs, backend)


class _Batch:
    """The pulls of a batch, by their places in it, and what has come of them."""

    def __init__(self, texts: Sequence[str], ts: Sequence[int], on_finished: OnFinished | None) -> None:
        self.texts, self.ts, self._on_finished = texts, ts, on_finished
        self.results: list[Any | None] = [None] * len(texts)

    def task(self, places: list[int]) -> Task:
        return Task(places, [self.texts[i] for i in places], [self.ts[i] for i in places])

    def finish(self, task: Task, chunk: ChunkResult) -> None:
        """After an interrupt, the chunk may have fewer pulls than the task."""
        places = task.places[: len(chunk.results)]
        for i, result in zip(places, chunk.results, strict=True):
            self.results[i] = result
        if places and self._on_finished is not None:
            self._on_finished(places, chunk)

    def unfinished(self) -> list[int]:
        return [i for i, result in enumerate(self.results) if result is None]


class Workers:
    """Where pulls are run. A context manager; keeps its workers from batch to batch."""

    def __init__(
        self,
        setup: Setup,
        jobs: int = 1,
        backend: Backend | str = "loky",
        address: str | None = None,
        timeout: float = SECONDS_OF_A_PULL,
    ) -> None:
        check_workers(jobs, backend, address, timeout)
        self.timeout = timeout
        self._setup = setup
        self._losses = Losses(setup.domain, timeout, setup.stopped)
        self.pulls = 0
        self.seconds = 0.0
        """on the clocks of all workers together"""
        self.cpu_seconds = 0.0
        self.search_seconds = 0.0
        self._pool = _pool(setup, jobs, backend, address)

    @property
    def cpu_seconds_elsewhere(self) -> float:
        """CPU spent in other processes than this."""
        return self.cpu_seconds if self._pool.elsewhere else 0.0

    def __enter__(self) -> "Workers":
        self._pool.open()
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.close()

    def give_up(self, error: BaseException) -> None:
        """Nobody waits for what is under way."""
        self._pool._abandon(error)

    @property
    def jobs(self) -> int:
        """How many pulls run at a time; known of a cluster when it is entered."""
        return self._pool.jobs

    def spoken(self, text: str, t: int) -> str:
        """A pull, in messages."""
        return self._setup.spoken(text, t)

    def time(self, texts: Sequence[str]) -> float | None:
        """About how many seconds a pull takes, from short runs of these candidates that count for nothing; None if
        none of them came to its end."""
        try:
            return self._pool.time(texts)
        except Exception as error:
            if not is_loss(error):
                raise
            return None

    def run(self, texts: Sequence[str], ts: Sequence[int], on_finished: OnFinished | None = None) -> list[Any]:
        """The results of one batch, in the order given. Raises `CampaignStopped`."""
        if not texts:
            return []
        batch = _Batch(texts, ts, on_finished)
        left = deque(range(len(texts)))
        while left and self._losses.in_a_row < DOUBTFUL_LOSSES:
            self._lost(batch, self._tasks(batch, left))
        for place in batch.unfinished():
            self._run_alone(batch, place)
        return [result for result in batch.results if result is not None]

    def _tasks(self, batch: _Batch, left: "deque[int]") -> Iterator[Task]:
        """Tasks of the pulls that are left. The first of all hold one pull: how long one takes is not known yet."""
        fair = math.ceil(len(left) / (2 * self._pool.jobs))  # at least two tasks for every worker
        while left:
            seconds_per_pull = self.seconds / self.pulls if self.pulls else math.inf
            size = max(1, min(fair, int(self._pool.chunk_seconds / max(seconds_per_pull, 1e-9))))
            yield batch.task([left.popleft() for _ in range(min(size, len(left)))])

    def _run(self, batch: _Batch, tasks: Iterator[Task]) -> None:
        with closing(self._pool.finished(tasks, self.timeout)) as finished:  # type: ignore[type-var]
            for task, chunk in finished:
                self.pulls += len(chunk.results)
                self._losses.in_a_row = 0
                self.seconds += chunk.seconds
                self.cpu_seconds += chunk.cpu_seconds
                self.search_seconds += sum(result.seconds for result in chunk.results)
                batch.finish(task, chunk)

    def _lost(self, batch: _Batch, tasks: Iterator[Task]) -> Exception | None:
        """Run the tasks until they are done or a worker is lost: then, the error that says so."""
        try:
            self._run(batch, tasks)
        except Exception as error:
            if not is_loss(error):
                raise
            self._losses.count(error)
            return error
        return None

    def _run_alone(self, batch: _Batch, place: int) -> None:
        """A pull that was lost, or may be the one that others were lost by."""
        error = None
        for pause in PAUSES_ALONE:
            time.sleep(pause)
            left = deque([place])
            while left:  # workers that are lost before they have the pull say nothing of it
                error = self._lost(batch, self._tasks(batch, left))
            if error is None:
                return
            if is_timeout(error):
                break
        assert error is not None
        self._losses.accuse(self._setup.spoken(batch.texts[place], batch.ts[place]), error)

"""Where tasks of pulls run: in this process, in worker processes, in threads, on a dask cluster."""

import contextlib
import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from importlib import import_module
from itertools import islice
from multiprocessing.pool import ThreadPool
from typing import Any, NamedTuple, TypeVar

from discovery.pool.chunks import ChunkResult, Setup, fill_chunk, make_ready, run_chunk, time_pulls
from discovery.pool.processes import KilledByCtrlC, processes_started_here_ignore_ctrl_c, worker_processes
from domains.errors import UserError

T = TypeVar("T")

SLACK_SECONDS = 60.0
"""A task of many short pulls may take this much longer than the limit for one."""
READY_SECONDS = 600.0
"""Compiling a domain takes time that is not the pulls'."""
CONNECTING_SECONDS = 10
TASKS_IN_A_ROUND = 4
"""For each worker of a backend that is handed its tasks together and answers when all of them are done."""


class CampaignStopped(UserError):
    """The campaign could not go on, although nothing is wrong with it: a pull that never comes back, a full disk.
    The journal is whole; `resume` goes on from it."""


class Task(NamedTuple):
    """Pulls that are handed to a worker together, by their places in the batch."""

    places: list[int]
    texts: list[str]
    ts: list[int]


Finished = tuple[Task, ChunkResult]


class Pool:
    """What runs tasks. Kept from batch to batch; `jobs` of them run at a time."""

    chunk_seconds = 0.01
    """About the size of a task: large beside the fraction of a millisecond that a task costs, small beside a batch, so
    that the last task of a batch does not keep one worker busy alone for long."""
    timing_seconds = 20.0
    """After which `time` gives up; the pulls themselves may take longer."""
    elsewhere = True
    """whether other processes than this one do the work"""

    def __init__(self, setup: Setup, jobs: int) -> None:
        self.setup, self.jobs = setup, jobs

    def open(self) -> None:
        """Before the first task of a campaign."""

    def close(self) -> None:
        """After its last one."""

    def _start(self) -> None:
        """Make sure that there are workers."""

    def _submit(self, function: Callable[..., T], *arguments: Any) -> "Future[T]":
        raise NotImplementedError

    def _abandon(self, error: BaseException) -> None:
        """Give up all tasks under way; the next one meets new workers."""

    def time(self, texts: Sequence[str]) -> float | None:
        """About how many seconds a pull takes (`time_pulls`), found out by one of the workers."""
        try:
            self._start()
            return self._submit(time_pulls, self.setup, texts).result(self.timing_seconds)
        except BaseException as error:
            self._abandon(error)
            raise

    def finished(self, tasks: Iterator[Task], timeout: float) -> Iterator[Finished]:
        """What comes of the tasks, in the order in which they are finished; one is taken when there is room for it.
        After an error and after Ctrl-C, what was finished until then comes first."""
        under_way: dict[Future[ChunkResult], Task] = {}
        try:
            self._start()
            while True:
                # Two for each worker, which loky's queue holds; stopped, it loses track of any others.
                for task in islice(tasks, 2 * self.jobs - len(under_way)):
                    under_way[self._submit(run_chunk, self.setup, task.texts, task.ts)] = task
                if not under_way:
                    return
                slack = SLACK_SECONDS if any(len(task.places) > 1 for task in under_way.values()) else 0.0
                done, _ = wait(under_way, timeout + slack, FIRST_COMPLETED)
                if not done:
                    raise TimeoutError
                for future in done:
                    chunk = future.result()
                    yield under_way.pop(future), chunk
        except (Exception, KeyboardInterrupt) as error:
            try:
                for future, task in under_way.items():
                    if future.done() and not future.cancelled() and future.exception() is None:
                        yield task, future.result()
            finally:
                self._abandon(error)
            raise
        except GeneratorExit as error:
            self._abandon(error)
            raise


class ThisProcess(Pool):
    """No workers."""

    elsewhere = False

    def open(self) -> None:
        make_ready(self.setup)

    def time(self, texts: Sequence[str]) -> float | None:
        return time_pulls(self.setup, texts)

    def finished(self, tasks: Iterator[Task], timeout: float) -> Iterator[Finished]:
        for task in tasks:
            chunk = ChunkResult()
            try:
                fill_chunk(chunk, self.setup, task.texts, task.ts)
            except KeyboardInterrupt:
                yield task, chunk
                raise
            yield task, chunk


class Threads(Pool):
    """Threads of this process. Nobody waits for one that hangs, not even at the end of the program."""

    elsewhere = False
    _threads: ThreadPool | None = None

    def open(self) -> None:
        make_ready(self.setup)

    def _start(self) -> None:
        if self._threads is None:
            self._threads = ThreadPool(self.jobs)

    def _submit(self, function: Callable[..., T], *arguments: Any) -> "Future[T]":
        assert self._threads is not None
        future: Future[T] = Future()
        future.set_running_or_notify_cancel()
        self._threads.apply_async(function, arguments, callback=future.set_result, error_callback=future.set_exception)
        return future

    def _abandon(self, error: BaseException) -> None:
        self.close()

    def close(self) -> None:
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.terminate()


class Loky(Pool):
    """Worker processes of this machine. joblib's loop around them looks for results every 10 ms only: with batches of
    60 ms, two workers are 1.8 times as fast as one, and 1.7 times with it."""

    _executor: Any = None

    def _start(self) -> None:
        executor = worker_processes(self.jobs)
        if executor is self._executor:
            return
        self._executor = executor
        # The first that a worker does is to compile the domain: loky measures its memory after that, and takes a
        # process that then grows by much (`processes.LEAK`) for one that leaks.
        with processes_started_here_ignore_ctrl_c():
            getting_ready = [self._submit(make_ready, self.setup) for _ in range(self.jobs)]
        with _ctrl_c_ends_it():
            for worker in getting_ready:
                worker.result(READY_SECONDS)

    def _submit(self, function: Callable[..., T], *arguments: Any) -> "Future[T]":
        future: Future[T] = self._executor.submit(function, *arguments)
        return future

    def time(self, texts: Sequence[str]) -> float | None:
        with _ctrl_c_ends_it():
            return super().time(texts)

    def finished(self, tasks: Iterator[Task], timeout: float) -> Iterator[Finished]:
        try:
            self._start()
        except BaseException as error:
            self._abandon(error)
            raise
        with _ctrl_c_ends_it():
            yield from super().finished(tasks, timeout)

    def _abandon(self, error: BaseException) -> None:
        if self._executor is not None:
            self._executor.shutdown(wait=True, kill_workers=True)  # with what hangs


@contextlib.contextmanager
def _ctrl_c_ends_it() -> Iterator[None]:
    """Raises KeyboardInterrupt in the end."""
    try:
        with KilledByCtrlC() as ctrl_c:
            yield
    except Exception as error:
        if not ctrl_c.pressed:
            raise
        raise KeyboardInterrupt from error
    if ctrl_c.pressed:
        raise KeyboardInterrupt


class Joblib(Pool):
    """A backend that was registered with joblib. It is handed tasks in rounds, and answers when a round is done."""

    _parallel: Any = None

    def __init__(self, setup: Setup, jobs: int, backend: str) -> None:
        super().__init__(setup, jobs)
        self.backend = backend

    def _start(self) -> None:
        if self._parallel is None:
            import joblib

            with joblib.parallel_config(backend=self.backend):
                self._parallel = joblib.Parallel(n_jobs=self.jobs, batch_size=1, pre_dispatch="2*n_jobs")
            self._parallel.__enter__()

    def time(self, texts: Sequence[str]) -> float | None:
        return None  # its workers may be many, or busy

    def finished(self, tasks: Iterator[Task], timeout: float) -> Iterator[Finished]:
        import joblib

        try:
            while round_ := list(islice(tasks, TASKS_IN_A_ROUND * self.jobs)):
                self._start()
                self._parallel.timeout = timeout + (SLACK_SECONDS if len(round_[0].places) > 1 else 0.0)
                calls = (joblib.delayed(run_chunk)(self.setup, task.texts, task.ts) for task in round_)
                yield from zip(round_, self._parallel(calls), strict=True)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        parallel, self._parallel = self._parallel, None
        if parallel is not None:
            parallel.__exit__(None, None, None)


class Dask(Pool):
    """dask's own client: on a cluster of one core, joblib would run the pulls here instead."""

    chunk_seconds = 0.05  # a task costs more there
    timing_seconds = READY_SECONDS  # compiling the domain is part of it
    _client: Any = None

    def __init__(self, setup: Setup, address: str) -> None:
        super().__init__(setup, 1)
        self.address = address

    def open(self) -> None:
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
        self._tasks = self._client.get_executor(pure=False)

    def _submit(self, function: Callable[..., T], *arguments: Any) -> "Future[T]":
        future: Future[T] = self._tasks.submit(function, *arguments)
        return future

    def _abandon(self, error: BaseException) -> None:
        if is_timeout(error):
            self._client.restart()  # else its worker would go on with what hangs, and be missing for the rest
        elif isinstance(error, OSError | CancelledError):
            raise CampaignStopped(
                f"the connection to the dask cluster at {self.address} was lost; "
                "the campaign stopped before this batch and can be resumed"
            ) from error

    def close(self) -> None:
        if self._client is not None:
            self._client.close()


def is_timeout(error: BaseException) -> bool:
    return isinstance(error, TimeoutError | multiprocessing.TimeoutError)  # joblib raises the latter

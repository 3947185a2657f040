"""Tasks in worker processes of this machine."""

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import BrokenExecutor, Future, wait
from itertools import islice
from typing import TypeVar

from discovery.pool.processes import (
    KilledByCtrlC,
    processes_started_here_ignore_ctrl_c,
    worker_processes,
    workers_start_safely,
)
from domains.errors import UserError

WORKERS_PAY_AFTER_SECONDS = 6.0
"""They take seconds to start."""
Task = TypeVar("Task")
Result = TypeVar("Result")


def jobs_that_pay(seconds: float) -> int:
    """One where all the work takes a few seconds, else one for each core."""
    from loky import cpu_count

    return int(cpu_count()) if seconds > WORKERS_PAY_AFTER_SECONDS else 1


def in_workers(function: Callable[[Task], Result], tasks: Iterable[Task], jobs: int) -> Generator[Result, None, None]:
    """What `function` makes of each task, in their order, worked out by so many processes, or here if that is one.

    After an error no further task is begun; those under way are finished first. Ctrl-C does not wait for them.
    """
    if jobs == 1:
        yield from map(function, tasks)
        return
    left = iter(tasks)
    under_way: deque[Future[Result]] = deque()
    with workers_start_safely(), KilledByCtrlC() as ctrl_c:
        executor = worker_processes(jobs)
        try:
            with processes_started_here_ignore_ctrl_c():
                under_way.extend(executor.submit(function, task) for task in islice(left, 2 * jobs))
            while under_way and not ctrl_c.pressed:
                result = under_way.popleft().result()
                under_way.extend(executor.submit(function, task) for task in islice(left, 1))
                ctrl_c.raises = True  # what is done with the result need not be finished
                yield result
                ctrl_c.raises = False
        except BrokenExecutor as error:
            if not ctrl_c.pressed:
                raise UserError(
                    "a worker process died; perhaps the memory did not suffice (see --max-nodes), or the domain ended "
                    "it. With one job (--jobs 1) everything runs in this process"
                ) from error
        finally:
            wait(under_way)
    if ctrl_c.pressed:
        raise KeyboardInterrupt

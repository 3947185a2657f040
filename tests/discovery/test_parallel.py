"""Tasks in workers: their order, their failures and Ctrl-C."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from discovery.pool.parallel import in_workers
from discovery.pool.processes import LEAK, worker_processes
from domains.errors import UserError


def slow_square(n: int) -> int:
    time.sleep(0.02 * (n % 3))  # so that they do not end in the order they were begun
    return n * n


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_results_come_in_the_order_of_the_tasks(jobs: int) -> None:
    assert list(in_workers(slow_square, range(20), jobs)) == [n * n for n in range(20)]
    assert list(in_workers(slow_square, [], jobs)) == []


def begun(folder: Path, n: int) -> Iterator[tuple[Path, int]]:
    """Tasks; each leaves a file when it is handed out."""
    for number in range(n):
        (folder / f"begun-{number}").touch()
        yield folder, number


def finish(task: tuple[Path, int]) -> int:
    folder, number = task
    if number == 5:
        raise ValueError("no such thing")
    if number == 6:
        time.sleep(0.3)
    (folder / f"finished-{number}").touch()
    return number


def test_after_an_error_nothing_more_is_begun_and_what_is_under_way_is_finished(tmp_path: Path) -> None:
    results = []
    with pytest.raises(ValueError, match="no such thing"):
        for number in in_workers(finish, begun(tmp_path, 1000), 2):
            results.append(number)
    assert results == [0, 1, 2, 3, 4]
    under_way = {int(path.name.removeprefix("begun-")) for path in tmp_path.glob("begun-*")}
    assert under_way == set(range(9))  # no more than four at a time
    assert {path.name for path in tmp_path.glob("finished-*")} == {f"finished-{n}" for n in under_way - {5}}


def test_what_is_closed_early_is_finished_too(tmp_path: Path) -> None:
    with closing(in_workers(finish, begun(tmp_path, 5), 2)) as results:
        assert next(results) == 0
    assert len(list(tmp_path.glob("finished-*"))) == 5


def end(_: int) -> None:
    os._exit(3)


def test_a_worker_that_dies() -> None:
    with pytest.raises(UserError, match=r"a worker process died; perhaps .* With one job \(--jobs 1\) everything runs"):
        list(in_workers(end, range(3), 2))
    assert list(in_workers(slow_square, range(3), 2)) == [0, 1, 4]  # there are new ones


HELD: list[bytes] = []


def hold(size: int) -> int:
    """Who has so much more memory from now on. loky looks once a second, after a task."""
    HELD.append(b"x" * size)
    time.sleep(1.1 if size else 0)
    return os.getpid()


@pytest.mark.filterwarnings("ignore:A worker was restarted")  # loky's, where the bound is low
@pytest.mark.parametrize(("bound", "stays"), [(None, True), ("3e8", False)])
def test_a_worker_that_grows_is_no_leak(bound: str | None, stays: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The machines of several games come to more than what loky allows; who allows something else is heard."""
    assert find_spec("psutil") is not None  # else loky does not look
    monkeypatch.delenv(LEAK, raising=False)
    if bound is not None:
        monkeypatch.setenv(LEAK, bound)
    executor = worker_processes(1)
    executor.shutdown(kill_workers=True)  # whoever was started by other settings
    executor = worker_processes(1)
    before, growing, after = (executor.submit(hold, size).result(60) for size in (0, 400_000_000, 0))
    executor.shutdown(kill_workers=True)
    assert before == growing
    assert (after == growing) == stays


LONG = """
import sys, time
from discovery.pool.parallel import in_workers

def long(n):
    time.sleep(0.05 if n < 4 else 60)
    return n

if __name__ == "__main__":
    try:
        for n in in_workers(long, range(100), 2):
            print(n, flush=True)
            if n == int(sys.argv[1]):
                time.sleep(60)
    except KeyboardInterrupt:
        print("interrupted")
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a signal to a process group")
@pytest.mark.parametrize("busy_at", ["3", "-1"])
def test_ctrl_c_waits_for_nobody(busy_at: str, tmp_path: Path) -> None:
    """Neither for what the workers do nor, if the results are being used meanwhile, for that."""
    (tmp_path / "long.py").write_text(LONG)
    process = subprocess.Popen(
        [sys.executable, str(tmp_path / "long.py"), busy_at],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": os.getcwd()},
        start_new_session=True,
    )
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(4)] == ["0\n", "1\n", "2\n", "3\n"]
    os.killpg(process.pid, signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert (output, errors, process.returncode) == ("interrupted\n", "", 0)

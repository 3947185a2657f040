"""Whatever dies, hangs or is interrupted, the journal of the resumed campaign is that of the uninterrupted one."""

import os
import random
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.kill_loop import kill_until_complete, workers_of
from discovery.campaign import CampaignStopped, run
from discovery.chunks import KilledByCtrlC
from tests.discovery.campaigns import CANDIDATES, Tiny, finished, journal_of, made, on_disk, pulls_in, tiny
from tests.language.command import ENVIRONMENT, MCSGRAMMAR
from tests.language.command import run as mcsgrammar

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc")

DEPTH_2 = ("--depth", "2", "--repeat", "2", "--select", "0.5", "--budget", "6")


@pytest.fixture
def domain(tmp_path: Path) -> Tiny:
    return tiny(tmp_path)


@pytest.mark.parametrize(("target", "seed"), [("all", 1), ("worker", 2)])
def test_killed_at_random_moments(target: str, seed: int, domain: Tiny, tmp_path: Path) -> None:
    campaign = (domain.name, *DEPTH_2, "--pulls", "3000", "--batch", "16", "--seed", str(seed))
    killed = kill_until_complete(campaign, tmp_path, 4, random.Random(seed), [target])
    assert killed.same
    assert killed.kills.total() >= 2


def test_workers_end_with_their_parent(domain: Tiny, tmp_path: Path) -> None:
    running = started(domain, tmp_path / "c")
    wait_for_pulls(running, tmp_path / "c")
    workers = workers_of(running.pid)
    assert len(workers) == 2
    running.kill()
    running.communicate()
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{worker}").exists() for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)


def started(domain: Tiny, out: Path, jobs: int = 2) -> "subprocess.Popen[str]":
    """A campaign that will not be complete for a long time, in a process group of its own."""
    arguments = [*DEPTH_2, "--policy", "ucb1", "--pulls", "1000000", "--batch", "16"]
    arguments += ["--jobs", str(jobs), "--out", str(out)]
    return subprocess.Popen(
        [MCSGRAMMAR, "discover", domain.name, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        start_new_session=True,
    )


def wait_for_pulls(running: "subprocess.Popen[str]", folder: Path, size: int = 1000) -> None:
    journal = folder / "journal.jsonl"
    deadline = time.monotonic() + 60
    while not journal.exists() or journal.stat().st_size < size:
        assert running.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)


# Workers that die or hang, always on the same pull. With 5 candidates and 8 pulls, problem 1 is that of three pulls.


def lost(folder: Path, domain: Tiny, kind: str, **how: float) -> str:
    """Run a campaign into trouble on problem 1, from its second batch on."""
    made(folder, domain, policy="uniform", pulls=16, batch=4)
    domain.trouble(kind, 1)
    with pytest.raises(CampaignStopped) as caught:
        run(folder, jobs=2, **how)  # type: ignore[arg-type]
    assert len(pulls_in(folder)) == 4
    domain.mend()
    return str(caught.value)


@pytest.fixture
def whole(domain: Tiny, tmp_path: Path) -> bytes:
    return finished(made(tmp_path / "whole", domain, policy="uniform", pulls=16, batch=4))


def test_a_pull_that_always_kills_its_worker(domain: Tiny, tmp_path: Path, whole: bytes) -> None:
    assert lost(tmp_path / "c", domain, "os._exit") == (
        "sim on training problem 1 killed its worker, twice; the campaign stopped before this batch and can be "
        "resumed once the domain is mended (or with a larger --timeout)"
    )
    assert finished(tmp_path / "c", jobs=2) == whole


def test_a_pull_that_always_hangs(domain: Tiny, tmp_path: Path, whole: bytes) -> None:
    assert lost(tmp_path / "c", domain, "hang", timeout=1.0) == (
        "sim on training problem 1 took longer than 1 s, twice; the campaign stopped before this batch and can be "
        "resumed once the domain is mended (or with a larger --timeout)"
    )
    assert finished(tmp_path / "c", jobs=2) == whole


def test_a_thread_that_always_hangs(domain: Tiny, tmp_path: Path, whole: bytes) -> None:
    message = lost(tmp_path / "c", domain, "hang", timeout=0.5, backend="threading")  # type: ignore[arg-type]
    assert message.startswith("sim on training problem 1 took longer than 0.5 s, twice; ")
    assert finished(tmp_path / "c", jobs=2) == whole


def test_a_pull_that_kills_its_worker_once(domain: Tiny, tmp_path: Path, whole: bytes) -> None:
    folder = made(tmp_path / "c", domain, policy="uniform", pulls=16, batch=4)
    domain.trouble("os._exit once", 1)
    assert finished(folder, jobs=2) == whole
    assert not (tmp_path / "trouble.json").exists()
    assert "failures.jsonl" not in on_disk(folder)


def test_what_the_command_says_of_it(domain: Tiny, tmp_path: Path) -> None:
    domain.trouble("os._exit", 1)
    (tmp_path / "mine.txt").write_text("\n".join(CANDIDATES))
    arguments = ["--candidates", str(tmp_path / "mine.txt"), "--budget", "6", "--policy", "uniform"]
    arguments += ["--pulls", "16", "--batch", "4", "--out", str(tmp_path / "c"), "--jobs", "2"]
    stopped = mcsgrammar("discover", domain.name, *arguments)
    assert (stopped.returncode, stopped.stdout) == (1, "")
    assert stopped.stderr == (
        "note: Tiny has no kernels, so it runs on the reference engine, which is slower\n"
        "mcsgrammar: sim on training problem 1 killed its worker, twice; the campaign stopped before this batch and "
        "can be resumed once the domain is mended (or with a larger --timeout)\n"
    )
    domain.mend()
    resumed = mcsgrammar("resume", str(tmp_path / "c"), "--jobs", "1", "--test-problems", "0")
    assert resumed.returncode == 0
    assert journal_of(tmp_path / "c") == finished(made(tmp_path / "whole", domain, policy="uniform", pulls=16, batch=4))


def test_a_domain_that_needs_much_memory_is_no_leak(domain: Tiny, tmp_path: Path) -> None:
    """loky ends workers that have grown by 300 MB since their first task, and warns of it: here, tables of a domain
    would do (and what Numba keeps of Morpion's machine did), if that first task came before the domain was made."""
    assert find_spec("psutil") is not None  # else loky does not look
    source = (tmp_path / "tiny.py").read_text()
    (tmp_path / "tiny.py").write_text(source + "\n\nTABLE = bytearray(b'x') * 320_000_000\n")
    arguments = [*DEPTH_2, "--policy", "uniform", "--pulls", "12000", "--out", str(tmp_path / "c"), "--jobs", "2"]
    run = mcsgrammar("discover", domain.name, *arguments, "--test-problems", "0")
    assert run.returncode == 0
    assert [line for line in run.stderr.splitlines() if "pulls" not in line] == [
        "note: Tiny has no kernels, so it runs on the reference engine, which is slower"
    ]


# Ctrl-C, which a terminal sends to the whole group of processes.


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c(jobs: int, domain: Tiny, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    running = started(domain, folder, jobs)
    wait_for_pulls(running, folder)
    os.killpg(running.pid, signal.SIGINT)
    output, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    pulls = len(pulls_in(folder))
    assert output.splitlines()[0] == f"tiny.py:Tiny, 4 candidates, ucb1(c=0.1): {pulls:,} of 1,000,000 pulls"
    assert output.splitlines()[-1] == f"{1_000_000 - pulls:,} pulls are left; go on with: mcsgrammar resume {folder}"
    note, cost, *more = errors.splitlines()
    assert more == []
    assert note == "note: Tiny has no kernels, so it runs on the reference engine, which is slower"
    assert cost.startswith(f"{folder}: {pulls:,} pulls in ")


@pytest.mark.parametrize("moment", [0.05, 0.15, 0.6])
def test_ctrl_c_while_workers_are_starting(moment: float, domain: Tiny, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    running = started(domain, folder)
    deadline = time.monotonic() + 60
    while not workers_of(running.pid):
        assert running.poll() is None and time.monotonic() < deadline
    time.sleep(moment)
    os.killpg(running.pid, signal.SIGINT)
    output, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    assert f"go on with: mcsgrammar resume {folder}\n" in output
    assert [line for line in errors.splitlines() if not line.startswith(("note: Tiny has", f"{folder}: "))] == []


def test_ctrl_c_kills_the_workers_and_raises_nothing_in_the_middle(domain: Tiny, tmp_path: Path) -> None:
    finished(made(tmp_path / "c", domain), jobs=2)
    assert len(workers_of(os.getpid())) >= 2
    with KilledByCtrlC() as ctrl_c:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)  # impatience
    assert ctrl_c.pressed
    deadline = time.monotonic() + 20
    while workers_of(os.getpid()) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert workers_of(os.getpid()) == []
    assert finished(made(tmp_path / "again", domain), jobs=2) == journal_of(tmp_path / "c")

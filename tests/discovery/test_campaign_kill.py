"""Whatever dies, hangs or is interrupted, the journal of the resumed campaign is that of the uninterrupted one."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.kill_loop import kill_until_complete, workers_of
from discovery.campaign.running import CampaignStopped, run
from discovery.pool import losses, pools, workers
from discovery.pool.processes import LEAK, KilledByCtrlC
from mcsgrammar.cli import cli
from tests.discovery.campaigns import CANDIDATES, Tiny, finished, journal_of, made, on_disk, pulls_in, step, tiny
from tests.language.command import ENVIRONMENT, MCSGRAMMAR
from tests.language.command import run as mcsgrammar

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks for processes in /proc"),
]

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


def test_a_family_killed_at_random_moments(domain: Tiny, tmp_path: Path) -> None:
    domains = ("--on", domain.name, "--on", "sudoku:2", "--engine", "reference")
    campaign = (*domains, *DEPTH_2, "--pulls", "1500", "--batch", "16")
    killed = kill_until_complete(campaign, tmp_path, 2, random.Random(3), ["all"])
    assert killed.same
    assert killed.kills.total() >= 1


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


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nobody here who would end processes in bursts."""
    monkeypatch.setattr(workers, "PAUSES_ALONE", (0.0, 0.0, 0.0))


@pytest.mark.parametrize(("kind", "how"), [("os._exit", "exit status 1"), ("os._exit(0)", "exit status 0")])
def test_a_pull_that_always_ends_its_worker(
    kind: str, how: str, domain: Tiny, tmp_path: Path, whole: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    assert lost(tmp_path / "c", domain, kind) == (
        f"sim on training problem 1 was lost with its worker all 3 times it ran alone, the last time by {how}; "
        "the campaign stopped before this batch\n"
        "if the domain ends its process, mend it and resume with --accept-domain; "
        "else see what ends processes here (too little memory? somebody who stops them?), then resume"
    )
    assert f"note: a worker was lost ({how}); what was under way is run again\n" in capsys.readouterr().err
    assert finished(tmp_path / "c", jobs=2) == whole


def test_a_pull_that_always_hangs(domain: Tiny, tmp_path: Path, whole: bytes) -> None:
    assert lost(tmp_path / "c", domain, "hang", timeout=1.0) == (
        "sim on training problem 1 took longer than 1 s, twice; the campaign stopped before this batch: "
        "resume it with a larger --timeout; or, if it never ends, mend the domain and add --accept-domain"
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


def test_what_the_command_says_of_it(
    domain: Tiny, tmp_path: Path, whole: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    domain.trouble("os._exit", 1)
    (tmp_path / "mine.txt").write_text("\n".join(CANDIDATES))
    arguments = ["--candidates", str(tmp_path / "mine.txt"), "--budget", "6", "--policy", "uniform"]
    arguments += ["--pulls", "16", "--batch", "4", "--out", str(tmp_path / "c"), "--jobs", "2"]
    assert cli.main(["discover", domain.name, *arguments], standalone_mode=False) == 1
    stopped = capsys.readouterr()
    assert stopped.out == ""
    assert stopped.err.splitlines()[-3:] == [
        "note: a worker was lost (exit status 1); what was under way is run again",
        "mcsgrammar: sim on training problem 1 was lost with its worker all 3 times it ran alone, "
        "the last time by exit status 1; the campaign stopped before this batch",
        "if the domain ends its process, mend it and resume with --accept-domain; "
        "else see what ends processes here (too little memory? somebody who stops them?), then resume",
    ]
    domain.mend()
    assert finished(tmp_path / "c") == whole


def test_the_domain_is_mended_and_the_campaign_goes_on(domain: Tiny, tmp_path: Path, whole: bytes) -> None:
    """As the message advises."""
    lost(tmp_path / "c", domain, "os._exit")
    source = tmp_path / "tiny.py"
    source.write_text(source.read_text() + "\n# mended\n")
    assert finished(tmp_path / "c", jobs=2, accept_domain=True) == whole


def test_an_innocent_pull_that_is_lost_now_and_then(
    domain: Tiny, tmp_path: Path, whole: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once with others, then twice while it runs alone: some processes are ended by somebody else."""
    folder = made(tmp_path / "c", domain, policy="uniform", pulls=16, batch=4)
    domain.trouble("SIGKILL 3 times", 1)
    assert finished(folder, jobs=2) == whole
    assert (tmp_path / "times").read_text() == "xxx"
    said = "note: a worker was lost (SIGKILL); what was under way is run again"
    assert [line for line in capsys.readouterr().err.splitlines() if "lost" in line] == [said]


def test_pulls_beside_a_lost_one_are_kept(domain: Tiny, tmp_path: Path) -> None:
    """The fourth pull of the batch runs on another problem."""
    made(tmp_path / "c", domain, policy="uniform", pulls=16, batch=4)
    step(tmp_path / "c")
    domain.trouble("os._exit", 1)
    with pytest.raises(CampaignStopped):
        run(tmp_path / "c", jobs=2)
    (_, kept) = (tmp_path / "c" / "unfinished.jsonl").read_text().splitlines()
    assert kept.startswith("[4,0,")


def end_in_the_worker(*_: object) -> None:
    os._exit(7)


def test_workers_that_end_before_they_begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is known of any pull then, and a domain that is built in is not to be mended."""
    monkeypatch.setattr(pools, "make_ready", end_in_the_worker)
    monkeypatch.setattr(losses, "LOSSES_IN_A_ROW", 4)
    folder = made(tmp_path / "c", "sudoku:2", pulls=16, batch=4)
    with pytest.raises(CampaignStopped) as caught:
        run(folder, jobs=2)
    assert str(caught.value) == (
        "4 workers were lost one after the other, with no pull finished between, the last time by exit status 7; "
        "the campaign stopped before this batch\n"
        "see what ends processes here (too little memory? somebody who stops them?), then resume"
    )
    assert pulls_in(folder) == []


def test_workers_that_are_lost_all_the_time(
    domain: Tiny, tmp_path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path / "c", domain, policy="uniform", pulls=16, batch=4)
    domain.trouble("SIGKILL 3 times", 1)
    with monkeypatch.context() as impatient:
        impatient.setattr(losses, "LOSSES_IN_ALL", 2)
        with pytest.raises(CampaignStopped) as caught:
            run(folder, jobs=2)
    assert str(caught.value).startswith("2 workers were lost, the last time by SIGKILL; the campaign stopped before ")
    assert finished(folder, jobs=2) == whole


def test_a_domain_that_needs_much_memory_is_no_leak(domain: Tiny, tmp_path: Path) -> None:
    """loky ends workers that have grown by much since their first task, and warns of it: tables of a domain would do,
    if that first task came before the domain was made."""
    assert find_spec("psutil") is not None  # else loky does not look
    source = (tmp_path / "tiny.py").read_text()
    (tmp_path / "tiny.py").write_text(source + "\n\nTABLE = bytearray(b'x') * 320_000_000\n")
    arguments = [*DEPTH_2, "--policy", "uniform", "--pulls", "12000", "--out", str(tmp_path / "c"), "--jobs", "2"]
    run = mcsgrammar("discover", domain.name, *arguments, "--test-problems", "0", **{LEAK: "3e8"})
    assert run.returncode == 0
    assert [line for line in run.stderr.splitlines() if "pulls" not in line] == [
        "note: Tiny has no kernels, so it runs on the reference engine, which is slower"
    ]


# Ctrl-C, which a terminal sends to the whole group of processes.


def left_in_shared_memory(pid: int) -> list[str]:
    return [name for name in os.listdir("/dev/shm") if f"loky-{pid}-" in name or f"folder_{pid}_" in name]


@pytest.mark.parametrize(
    ("number", "jobs"), [(signal.SIGINT, 1), (signal.SIGINT, 2), (signal.SIGTERM, 2), (signal.SIGHUP, 2)]
)
def test_ctrl_c(number: signal.Signals, jobs: int, domain: Tiny, tmp_path: Path) -> None:
    """A terminal that is closed, and a system that shuts down, end it as well."""
    folder = tmp_path / "c"
    running = started(domain, folder, jobs)
    wait_for_pulls(running, folder)
    os.killpg(running.pid, number)
    output, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    pulls = len(pulls_in(folder))
    assert output.splitlines()[0] == f"tiny.py:Tiny, 4 candidates, ucb1(c=0.1): {pulls:,} of 1,000,000 pulls"
    note, planned, *others, cost = errors.splitlines()
    lost = [line for line in others if not re.match(r"\d+%  ", line)]
    assert planned.startswith("planned: 1,000,000 pulls of 6 evaluations on 4 candidates, about ")
    assert lost == [] or (number == signal.SIGTERM and "a worker was lost (SIGTERM)" in lost[0])  # as it came first
    assert note == "note: Tiny has no kernels, so it runs on the reference engine, which is slower"
    assert cost.startswith(f"{folder}: {pulls:,} pulls in ")
    kept = re.search(r"; (\d+) of the batch under way are kept", cost)
    left = 1_000_000 - pulls - (0 if kept is None else int(kept[1]))
    assert output.splitlines()[-1] == f"{left:,} pulls are left; go on with: mcsgrammar resume {folder}"
    assert left_in_shared_memory(running.pid) == []


def test_a_second_ctrl_c(domain: Tiny, tmp_path: Path) -> None:
    """While the first is being dealt with."""
    running = started(domain, tmp_path / "c", 2)
    wait_for_pulls(running, tmp_path / "c")
    os.killpg(running.pid, signal.SIGINT)
    os.killpg(running.pid, signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Traceback" not in errors


def test_impatience(domain: Tiny, tmp_path: Path) -> None:
    """Ctrl-C, again and again, until it is over."""
    running = started(domain, tmp_path / "c")
    wait_for_pulls(running, tmp_path / "c")
    while running.poll() is None:
        os.killpg(running.pid, signal.SIGINT)
        time.sleep(0.02)
    assert running.returncode == 130
    assert "Traceback" not in running.communicate()[1]


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
    said = ("note: Tiny has", "planned: ", f"{folder}: ")  # the plan, if they have started meanwhile
    assert [line for line in errors.splitlines() if not line.startswith(said)] == []


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

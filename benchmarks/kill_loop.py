"""Kill a campaign again and again, and see whether its journal comes out as if nothing had happened.

    python benchmarks/kill_loop.py                 200 times
    python benchmarks/kill_loop.py --times 10      a quick look

A campaign is begun with two workers and killed with SIGKILL at a random moment: the whole process, or one worker, as a
coin says. It is resumed, killed, and so on, and in the end left alone until it is complete. Its journal must be, byte
for byte, that of the same campaign run in one piece in one process. A campaign that is complete before all kills are
spent is followed by another, with another seed. Linux only. Exit status 1 if a journal differs.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from shutil import which

import click

MCSGRAMMAR = which("mcsgrammar", path=str(Path(sys.executable).parent)) or "mcsgrammar"
DEFAULT_CAMPAIGN = ("sudoku:2", "--depth", "3", "--budget", "100", "--pulls", "10000", "--batch", "64")
LONGEST_WAIT = 120.0
WORKER = b"LokyProcess"
STOPPED, KILLED_TWICE = 1, "killed its worker, twice"
"""How a campaign ends when the pull that is run again loses its worker, too; it is then resumed."""


@dataclass
class Killed:
    """What was done to one campaign."""

    kills: Counter[str] = field(default_factory=Counter)
    starts: int = 0
    same: bool = False


def kill_until_complete(
    arguments: Sequence[str], folder: Path, kills: int, dice: random.Random, targets: Sequence[str] = ("all", "worker")
) -> Killed:
    """Run `mcsgrammar discover ARGUMENTS`, killing what `targets` says at `kills` random moments, and compare."""
    killed = Killed()
    broken, whole = folder / "broken", folder / "whole"
    running = _start(arguments, broken, jobs=2)
    killed.starts = 1
    try:
        while True:
            target = dice.choice(targets)
            if killed.kills.total() == kills or not _is_under_way(running, broken, dice.uniform(0.0, 0.3)):
                output, errors = running.communicate(timeout=LONGEST_WAIT)
                if running.returncode != STOPPED or KILLED_TWICE not in errors:
                    break
                running = _start(arguments, broken, jobs=2)
                killed.starts += 1
                continue
            victims = [running.pid] if target == "all" else workers_of(running.pid)
            if not victims:
                continue  # they are being replaced
            os.kill(dice.choice(victims), signal.SIGKILL)
            killed.kills[target] += 1
            if target == "all":
                running.communicate()
                running = _start(arguments, broken, jobs=2)
                killed.starts += 1
    finally:
        running.kill()
    if running.returncode != 0:
        raise RuntimeError(f"the campaign ended with status {running.returncode}:\n{output}{errors}")
    with _start(arguments, whole, jobs=1) as undisturbed:
        output, errors = undisturbed.communicate(timeout=LONGEST_WAIT)
    if undisturbed.returncode != 0:
        raise RuntimeError(f"the campaign does not run in one piece either:\n{output}{errors}")
    killed.same = (broken / "journal.jsonl").read_bytes() == (whole / "journal.jsonl").read_bytes()
    return killed


def _start(arguments: Sequence[str], out: Path, jobs: int) -> "subprocess.Popen[str]":
    how = ["--jobs", str(jobs), "--test-problems", "0", "--out", str(out)]
    command = [MCSGRAMMAR, "discover", *arguments, *how]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _is_under_way(running: "subprocess.Popen[str]", out: Path, moment: float) -> bool:
    """Wait until this process has written to the journal, and a moment more; False if it ends before."""
    journal = out / "journal.jsonl"
    before = journal.stat().st_size if journal.exists() else 0
    deadline = time.monotonic() + LONGEST_WAIT
    while not journal.exists() or journal.stat().st_size <= before:
        if running.poll() is not None:
            return False
        if time.monotonic() > deadline:
            raise RuntimeError(f"nothing is written for {LONGEST_WAIT:.0f} s")
        time.sleep(0.01)
    time.sleep(moment)
    return running.poll() is None


def workers_of(parent: int) -> list[int]:
    """The worker processes of a process."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            parent_of_it = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            if parent_of_it == parent and WORKER in (entry / "cmdline").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue  # it has just ended
    return sorted(found)


@click.command(help=__doc__, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--times", type=click.IntRange(1), default=200, show_default=True, help="How often it is killed.")
@click.option("--seed", type=int, default=0, show_default=True)
def main(times: int, seed: int) -> None:
    dice = random.Random(seed)
    started = time.monotonic()
    kills: Counter[str] = Counter()
    campaigns = starts = different = 0
    while kills.total() < times:
        with tempfile.TemporaryDirectory() as folder:
            arguments = (*DEFAULT_CAMPAIGN, "--seed", str(seed + campaigns))
            killed = kill_until_complete(arguments, Path(folder), times - kills.total(), dice)
        kills += killed.kills
        campaigns, starts, different = campaigns + 1, starts + killed.starts, different + (not killed.same)
        print(f"{kills.total()} of {times} kills; campaign {campaigns} is {'the same' if killed.same else 'DIFFERENT'}")
    print(
        f"{kills['all']} kills of the process and {kills['worker']} of a worker in {campaigns} campaigns "
        f"({starts} starts, {time.monotonic() - started:.0f} s): "
        f"{different} journals differ from the uninterrupted ones"
    )
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()

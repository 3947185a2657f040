"""A problem so small that a pull costs a fraction of a millisecond, and campaigns on it.

What the problem does wrong is said by a file beside it, `trouble.json`, so that it can be mended without becoming
another problem: `{"kind": "raise", "first": 123}` is trouble on the problem that begins with 123.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest

from discovery.campaign.journal import read_journal
from discovery.campaign.running import Outcome, create, plan, run
from domains.errors import UserError
from domains.problems import problem
from domains.registry import find_domain
from mcsgrammar.cli import cli
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.parsing import parse

TINY = """
import json
import multiprocessing
import os
import sys
import time
from pathlib import Path

TROUBLE = Path(__file__).with_name("trouble.json")


class Tiny:
    horizon = 4

    def sample(self, random):
        return [random.below(1000)]

    def actions(self, state):
        if trouble("long", state):
            return [1]
        return [1, 2, 3] if len(state) <= 4 else []

    def play(self, state, action):
        state.append(action)

    def copy(self, state):
        return state[:]

    def reward(self, state):
        if trouble("raise", state):
            raise ValueError("no such thing")
        if trouble("nan", state):
            return float("nan")
        if trouble("interrupt", state):
            raise KeyboardInterrupt
        if trouble("sys.exit", state):
            sys.exit(3)
        if trouble("os._exit", state):
            end_the_worker()
        if trouble("os._exit(0)", state):
            end_the_worker(0)
        if trouble("SIGKILL 3 times", state):
            times = TROUBLE.with_name("times")
            if not times.exists() or len(times.read_text()) < 3:
                with times.open("a") as file:
                    file.write("x")
                os.kill(os.getpid(), 9)
        if trouble("os._exit once", state):
            TROUBLE.unlink()
            end_the_worker()
        if trouble("hang", state):
            time.sleep(60)
        return sum((state[0] >> i) % 3 + 1 == action for i, action in enumerate(state[1:])) / 4


def trouble(kind, state):
    try:
        wanted = json.loads(TROUBLE.read_text())
    except FileNotFoundError:
        return False
    return wanted == {"kind": kind, "first": state[0]}


def end_the_worker(status=1):
    assert multiprocessing.current_process().name != "MainProcess"
    os._exit(status)
"""
CANDIDATES = ("sim", "lookahead(sim)", "step(sim)", "select(sim, 0.5)", "step(repeat(sim, 2))")
SETTINGS = "settings.json"
JOURNAL = "journal.jsonl"


@dataclass(frozen=True)
class Tiny:
    """The file with the problem."""

    folder: Path

    @property
    def name(self) -> str:
        return f"{self.folder / 'tiny.py'}:Tiny"

    def trouble(self, kind: str, t: int, seed: int = 0) -> int:
        """From now on problem t is trouble. What it begins with is returned."""
        domain = find_domain(self.name)
        firsts = [problem(domain, k, "train", seed)[0] for k in range(t + 1)]
        assert firsts.count(firsts[t]) == 1
        (self.folder / "trouble.json").write_text(json.dumps({"kind": kind, "first": firsts[t]}))
        return int(firsts[t])

    def mend(self) -> None:
        (self.folder / "trouble.json").unlink(missing_ok=True)


def tiny(folder: Path) -> Tiny:
    (folder / "tiny.py").write_text(TINY)
    return Tiny(folder)


def made(
    folder: Path,
    domain: Tiny | str,
    candidates: Sequence[str] = CANDIDATES,
    *,
    policy: str = "ucb1",
    pulls: int = 60,
    batch: int = 7,
    budget: int = 6,
    **settings: Any,
) -> Path:
    """A campaign not yet run."""
    name = domain.name if isinstance(domain, Tiny) else domain
    expressions = [parse(text) for text in candidates]
    planned = plan(name, expressions, limits=Limits(budget), policy=policy, pulls=pulls, batch=batch, **settings)
    create(folder, *planned)
    return folder


def finished(folder: Path, **how: Any) -> bytes:
    """The journal of a campaign run to its end."""
    outcome = run(folder, **how)
    assert outcome.ended == "complete"
    return journal_of(folder)


def journal_of(folder: Path) -> bytes:
    return (folder / JOURNAL).read_bytes()


def step(folder: Path, **how: Any) -> Outcome:
    """One batch more."""
    return run(folder, stop_after=1e-9, **how)


def pulls_in(folder: Path) -> list[tuple[int, int, float, bool]]:
    contents = read_journal(folder / JOURNAL)
    columns = (contents.arms, contents.t, contents.rewards, contents.failed)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def on_disk(folder: Path) -> dict[str, bytes | None]:
    """All files with what is in them, and all folders."""
    paths = sorted(folder.rglob("*"))
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None for path in paths}


def refusal(*arguments: str | Path) -> str:
    """What a command complains of, called in this process."""
    with pytest.raises((UserError, click.UsageError)) as caught:
        cli.main([str(argument) for argument in arguments], standalone_mode=False)
    return caught.value.format_message() if isinstance(caught.value, click.UsageError) else str(caught.value)


def refused(folder: Path, *arguments: str | Path) -> str:
    """The complaint; the folder is as it was. Its name is left out."""
    before = on_disk(folder)
    message = refusal(*arguments)
    assert on_disk(folder) == before
    return message.replace(f"{folder}{os.sep}", "")


def change_settings(folder: Path, **changes: Any) -> None:
    path = folder / SETTINGS
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))

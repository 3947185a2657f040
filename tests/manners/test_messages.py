"""What users are told when something is wrong: every place that complains is caused by a test, which knows its words.

Most are caused where what they are about is tested, and `tests/*/*_messages.txt` are tables of them. Here are those
that belong nowhere else, by their causes.
"""

import math
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from loky import BrokenProcessPool
from numba.core.errors import TypingError

import domains.registry
import mcsgrammar as mg
from discovery.campaign.journal import PULLS, read_journal
from discovery.evaluation.evaluating import evaluate
from discovery.keeping.journal_format import checksum
from discovery.pool.workers import check_workers
from domains.knights import Knights
from mcsgrammar.engines.compiled.driver import CompiledEngine
from mcsgrammar.enumeration.candidates import Candidates, Constants
from tests.language.command import run
from tests.manners.message_sites import is_known, sites

UNREACHABLE = {
    "a budget of 0 finds no solution to draw": "an evaluation is refused with this budget before anything is drawn",
}
"""What no test can cause, and why it is there all the same."""


def test_every_complaint_is_known_to_a_test() -> None:
    unknown = [site for site in sites() if not is_known(site) and not any(p in UNREACHABLE for p in site.pieces)]
    assert not unknown, "no test causes these:\n" + "\n".join(f"{site.place}: {site.telling[0]}" for site in unknown)


def test_complaints_are_found() -> None:
    assert len(sites()) > 200


class Coins(mg.Domain):
    """Three coins in a row."""

    horizon = 3

    def sample(self, random: Any) -> list[int]:
        return []

    def actions(self, state: list[int]) -> Any:
        return [0, 1] if len(state) < 3 else []

    def play(self, state: list[int], action: int) -> None:
        state.append(action)

    def reward(self, state: list[int]) -> float:
        return sum(state) / 3


class Generating(Coins):
    def actions(self, state: list[int]) -> Any:
        return (action for action in (0, 1))

    def is_final(self, state: list[int]) -> bool:
        return len(state) == 3


class Moody(Coins):
    """Lists what it has never listed before, once it was asked too often for a glance to see it."""

    def __init__(self) -> None:
        self.calls = 0

    def actions(self, state: list[int]) -> list[int]:
        self.calls += len(state) < 3
        return [max(5_000, self.calls)] if len(state) < 3 else []


class Listing(Coins):
    def actions(self, state: list[int]) -> list[Any]:
        return [[one] for one in super().actions(state)]

    def play(self, state: list[int], action: Any) -> None:
        super().play(state, action[0])


class Priced(Coins):
    reward = mg.Domain.reward

    def cost(self, state: Any) -> float:
        return 1.0


class Scoreless(Coins):
    def score(self, state: list[int]) -> float:
        return math.nan


class Lonely(Knights):
    def encode(self, state: list[int]) -> Any:
        return np.zeros(1)


class Machine:
    """Instead of a compiled one."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def run_machine(self, *arguments: Any) -> NoReturn:
        raise self.error


def call_machine(error: Exception) -> None:
    knights = Knights()
    CompiledEngine(knights)._call_machine(Machine(error))


CAUSES: list[tuple[Callable[[], object], str]] = [
    (
        lambda: Constants(select=(0.5,)),  # type: ignore[arg-type]
        "0.5 is no SelectionPolicy; give one, or use candidates(…), which reads text",
    ),
    (
        lambda: Candidates(2, tuners=("ntbea",)),  # type: ignore[arg-type]
        "'ntbea' is no tuner; give one, or use candidates(…)",
    ),
    (
        lambda: mg.solve(Generating(), "sim", 5, engine="reference"),
        "Generating.actions must return a list; it returned a generator; return list(…)",
    ),
    (
        lambda: mg.solve(Moody(), "step(select(sim, 0.5))", 2_000, engine="reference"),
        "Moody.actions does not list 5008 when the state is reached again, as it did before; it must list the same "
        "actions in the same order every time",
    ),
    (
        lambda: mg.solve(Listing(), "step(select(sim(mast(eps=0.4)), 0.5))", 20, engine="reference"),
        "what is learned of actions is kept by them, and [0] has no hash; use numbers, strings, tuples or frozen "
        "dataclasses as actions",
    ),
    (lambda: mg.check_domain(Coins(), playouts=-1), "5 problems and -1 playouts check nothing; one of each at least"),
    (lambda: mg.check_domain(Coins(), problems=0), "0 problems and 20 playouts check nothing; one of each at least"),
    (
        lambda: mg.evaluate(Scoreless(), ["sim"], budgets=5, problems=1, engine="reference"),
        "sim on test problem 0 of Scoreless: Scoreless.score returned nan; a score is a finite number",
    ),
    (
        lambda: mg.solve(Lonely(), "sim", 5, engine="compiled"),
        "Lonely.encode must return a pair of arrays, (problem, state)",
    ),
    (
        lambda: call_machine(TypingError("cannot unify int64 and none")),
        "the kernels of Knights do not compile: cannot unify int64 and none",
    ),
    (lambda: call_machine(ValueError("no such move")), "a kernel of Knights raised ValueError: no such move"),
    (lambda: call_machine(ZeroDivisionError()), "a kernel of Knights raised ZeroDivisionError"),
    (
        lambda: mg.export("uct(0.5)"),
        "uct(0.5) needs a domain and a budget of evaluations to know its N; give both, or write uct(0.5, N)",
    ),
    (
        lambda: check_workers(1, "ray", None, 600.0),
        "the backend cannot be 'ray'; it is one of loky, threading, dask",
    ),
]


def test_a_cost_without_bounds() -> None:
    with pytest.raises(
        mg.UserError, match=r"Priced has a cost\(self, state\); declare minimise = \(lowest, highest\), too"
    ):
        mg.solve(Priced(), "sim", 5, engine="reference")


@pytest.mark.parametrize(("cause", "text"), CAUSES, ids=[text[:40] for _, text in CAUSES])
def test_cause_and_text(cause: Callable[[], object], text: str) -> None:
    with pytest.raises(mg.UserError) as error:
        cause()
    assert str(error.value) == text


def test_a_package_that_offers_no_class(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("odd", "math:pi", domains.registry.ENTRY_POINT_GROUP)
    monkeypatch.setattr(domains.registry, "_added", lambda: {"odd": point})
    with pytest.raises(mg.DomainError) as error:
        mg.domain("odd")
    assert str(error.value) == (
        f"the domain 'odd' of an installed package does not import: DomainError: {math.pi} is not a class"
    )


def test_a_journal_of_no_known_format(tmp_path: Path) -> None:
    body = PULLS.header_start + b'0,"5f0c"'
    path = tmp_path / "journal.jsonl"
    path.write_bytes(body + checksum(body) + b"\n")
    with pytest.raises(mg.UserError) as error:
        read_journal(path)
    assert str(error.value) == f"{path}, line 1: this header is of no known format; restore the file from a copy"


def test_a_worker_that_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dying:
        def submit(self, *how: Any) -> Any:
            raise BrokenProcessPool

    monkeypatch.setattr("discovery.pool.parallel.worker_processes", lambda jobs: Dying())
    with pytest.raises(mg.UserError) as error:
        evaluate("sudoku:2", ["sim"], budgets=2, problems=4, jobs=2, engine="reference")
    assert str(error.value) == (
        "a worker process died; perhaps the memory did not suffice (see --max-nodes), or the domain ended it. "
        "With one job (--jobs 1) everything runs in this process"
    )


COINS = """
from mcsgrammar import Domain


class Coins(Domain):
    horizon = 3

    def sample(self, random):
        return []

    def actions(self, state):
        return [0, 1] if len(state) < 3 else []

    def play(self, state, action):
        state.append(action)

    def reward(self, state):
        return sum(state) / 3
"""


def test_a_report_on_a_domain_that_is_gone(tmp_path: Path) -> None:
    file = tmp_path / "coins.py"
    file.write_text(COINS)
    campaign = tmp_path / "c"
    mg.discover(f"{file}:Coins", campaign, budget=3, candidates=["sim", "step(sim)"], pulls=4, engine="reference")
    file.unlink()
    done = run("report", str(campaign), "--test-problems", "5")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (f"mcsgrammar: there is no file {file}\n--test-problems 0 reports without running anything\n")

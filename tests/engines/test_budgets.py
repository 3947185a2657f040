"""Budgets in evaluations, in seconds, and cut short by Ctrl-C."""

import itertools
import math
import random
import time
from collections.abc import Callable
from typing import Any

import pytest

from domains.errors import UserError
from domains.problems import problem
from domains.registry import find_domain
from mcsgrammar.engines.pacing import FIRST_STRETCH, LONGEST_STRETCH_SECONDS, Pace
from mcsgrammar.engines.searching import EngineName, Limits, search
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.parsing import parse
from mcsgrammar.solving import solutions, solve
from tests.engines.running import ENGINES, run, untimed

each_engine = pytest.mark.parametrize("engine", ENGINES)

ONE_OF_TWO = "give a budget in evaluations or in seconds, one of the two"
WHOLE = "it is a whole number from 0 to 2^63 - 1"
FINITE = "it is a finite number above 0"
NODES = "it is a whole number from 1 to 2,147,483,647"


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({}, ONE_OF_TWO),
        ({"evaluations": 10, "seconds": 1.0}, ONE_OF_TWO),
        ({"evaluations": -1}, f"the budget cannot be -1; {WHOLE}"),
        ({"evaluations": 2**63}, f"the budget cannot be 9223372036854775808; {WHOLE}"),
        ({"seconds": 0.0}, f"the budget cannot be 0.0 seconds; {FINITE}"),
        ({"seconds": -1.5}, f"the budget cannot be -1.5 seconds; {FINITE}"),
        ({"seconds": math.inf}, f"the budget cannot be inf seconds; {FINITE}"),
        ({"seconds": math.nan}, f"the budget cannot be nan seconds; {FINITE}"),
        ({"evaluations": 1, "max_nodes": 0}, f"max_nodes cannot be 0; {NODES}"),
        ({"evaluations": 1, "max_nodes": 2**31}, f"max_nodes cannot be 2147483648; {NODES}"),
    ],
)
def test_limits_that_are_none(limits: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as caught:
        Limits(**limits)
    assert str(caught.value) == message


def test_limits_at_their_ends() -> None:
    for evaluations in (0, 2**63 - 1):
        Limits(evaluations)
    for max_nodes in (1, 2**31 - 1):
        Limits(seconds=1e-9, max_nodes=max_nodes)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"runs": 0}, UserError, "the number of runs cannot be 0; it is at least 1"),
        ({"problem": -1}, UserError, "the problem cannot be -1; problems are numbered from 0"),
        (
            {"engine": "fast"},
            UserError,
            "the engine cannot be 'fast'; it is one of auto, compiled, reference",
        ),
        ({"semantics": "mine"}, UserError, "the semantics cannot be 'mine'; it is one of standard, maes2013"),
        ({"split": "dev"}, UserError, "the split cannot be 'dev'; it is one of train, test, both"),
        ({"budget": 5, "seconds": 1.0}, UserError, ONE_OF_TWO),
        (
            {"expression": "uct(0.5)", "seconds": 1.0},
            InvalidExpression,
            "uct(0.5) needs a budget in evaluations to know its N; with a budget in seconds write uct(0.5, N)",
        ),
        (
            {"domain": "regression", "expression": "sim(mast(depth=5))"},
            InvalidExpression,
            "sim(mast(eps=0.4, depth=5)) cuts playouts off, and Regression does not value unfinished states; leave "
            "depth out, or set values_unfinished in the domain if its reward means something before the end",
        ),
        (
            {"expression": "tune(select(sim, {0, 0.5}), lsi)", "seconds": 1.0},
            InvalidExpression,
            "lsi must know how many combinations it can try, which a budget in seconds does not say; give a budget in "
            "evaluations, or use another tuner, such as ntbea",
        ),
    ],
)
def test_what_solve_does_not_take(arguments: dict[str, Any], error: type[UserError], message: str) -> None:
    with pytest.raises(error) as caught:
        solve(**{"domain": "sudoku:2", "expression": "sim"} | arguments)
    assert str(caught.value) == message


@each_engine
@pytest.mark.parametrize("budget", [0, 1, 2, 1023, 1024, 1025, 2500])
def test_evaluations_are_exact(budget: int, engine: EngineName) -> None:
    domain = find_domain("sudoku:2")
    result = run(domain, problem(domain, 0), "step(lookahead(select(sim, 0.5)))", budget, engine=engine)
    assert (result.evaluations, result.stop_reason) == (budget, "evaluations")


@each_engine
def test_seconds_end_a_run(engine: EngineName) -> None:
    domain = find_domain("sudoku:3")
    initial, expression = problem(domain, 0), parse("step(repeat(select(sim, 0.5), 5))")
    run(domain, initial, expression, 10, engine=engine)  # compiled before the clock starts
    before = time.thread_time()
    result = search(domain, initial, expression, 1, Limits(seconds=0.05), "standard", engine)
    spent = time.thread_time() - before
    assert result.stop_reason == "seconds"
    assert result.evaluations >= 1
    assert result.curve[-1] == (result.evaluations, result.reward)
    assert 0.02 < result.seconds <= spent < 1.0  # how close it comes is tested below, with a clock of our own


# The pace, by a clock of our own.


class Clock:
    """Tells the CPU time of a thread that does nothing but evaluations of given lengths."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, start: float = 123.0) -> None:
        self.now = start
        monkeypatch.setattr(time, "thread_time", lambda: self.now)

    def run(self, pace: Pace, durations: Callable[[int], float]) -> int:
        """Evaluate until the pace says stop; how many evaluations that were."""
        evaluations, pause_at = 0, pace.start()
        while True:
            while evaluations < pause_at:
                evaluations += 1
                self.now += durations(evaluations)
            following = pace.pause(evaluations, 0.5)
            if following is None:
                return evaluations
            assert following > evaluations
            pause_at = following


def tolerance(seconds: float) -> float:
    return max(0.01 * seconds, 50e-6)


@pytest.mark.parametrize("seconds", [1e-5, 1e-3, 0.02, 1.0, 7.5])
@pytest.mark.parametrize("duration", [1e-6, 2.3e-5, 1e-4, 1.7e-3, 0.04, 0.3, 20.0])
def test_the_deadline_is_kept(seconds: float, duration: float, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    pace = Pace(None, seconds)
    clock.run(pace, lambda n: duration)
    assert pace.stop_reason == "seconds"
    assert -tolerance(seconds) <= pace.elapsed - seconds <= tolerance(seconds) + duration


@pytest.mark.parametrize("seconds", [1e-3, 0.1, 2.0])
@pytest.mark.parametrize("typical", [3e-6, 1e-4, 2e-3])
def test_the_deadline_is_kept_though_evaluations_differ(
    seconds: float, typical: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(7)
    clock = Clock(monkeypatch)
    pace = Pace(None, seconds)
    clock.run(pace, lambda n: typical * rng.uniform(0.5, 1.5))
    assert -tolerance(seconds) <= pace.elapsed - seconds <= tolerance(seconds) + 1.5 * typical


@pytest.mark.parametrize("quick", [1, 10])
def test_the_deadline_is_kept_though_the_first_evaluations_are_quick(
    quick: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock(monkeypatch)
    pace = Pace(None, 0.5)
    clock.run(pace, lambda n: 1e-6 if n <= quick else 1e-4)
    assert pace.elapsed - 0.5 <= tolerance(0.5) + 1e-4


def test_the_deadline_is_kept_though_evaluations_slow_down(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    pace = Pace(None, 1.0)
    clock.run(pace, lambda n: 1e-6 * (1 + n / 10_000))
    assert abs(pace.elapsed - 1.0) <= tolerance(1.0)


def test_a_clock_that_stands_still_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    # Some systems count CPU time in steps of 16 ms.
    clock = Clock(monkeypatch)
    fine = [0.0]

    def coarse(n: int) -> float:
        fine[0] += 1e-4
        return math.floor(fine[0] / 0.016) * 0.016 + 123.0 - clock.now

    pace = Pace(None, 0.2)
    clock.run(pace, coarse)
    assert pace.stop_reason == "seconds"
    assert abs(pace.elapsed - 0.2) <= 0.016 + 0.02


def test_progress_is_shown_twenty_times_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock(monkeypatch)
    shown: list[tuple[int, float, float]] = []
    pace = Pace(1_000_000, None, lambda *what: shown.append(what))
    clock.run(pace, lambda n: 1e-5)
    assert pace.stop_reason == "evaluations"
    assert shown[0][0] == FIRST_STRETCH
    times = [elapsed for _, _, elapsed in shown]
    assert all(later - earlier <= 1.01 * LONGEST_STRETCH_SECONDS for earlier, later in itertools.pairwise(times))
    assert len(shown) >= 190
    assert {best for _, best, _ in shown} == {0.5}


def test_a_short_run_is_not_paused() -> None:
    assert Pace(1000, None).start() == 1000
    assert Pace(2000, None).start() == FIRST_STRETCH
    assert Pace(None, 10.0).start() == 1


# Ctrl-C.


class CtrlC:
    """Interrupts a run when it reports progress for the n-th time."""

    def __init__(self, n: int) -> None:
        self.left = n

    def __call__(self, *progress: object) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


@each_engine
@pytest.mark.parametrize("expression", ["sim", "step(lookahead(select(sim, 0.5)))"])
def test_ctrl_c_returns_the_best_so_far(expression: str, engine: EngineName) -> None:
    domain = find_domain("sudoku:2")
    initial, parsed = problem(domain, 3), parse(expression)
    stopped = search(domain, initial, parsed, 6, Limits(10**12), "standard", engine, CtrlC(2))
    assert stopped.stop_reason == "interrupted"
    assert stopped.evaluations > FIRST_STRETCH
    whole = run(domain, initial, parsed, stopped.evaluations, seed=6, engine=engine)
    assert (stopped.reward, stopped.actions, stopped.curve) == (whole.reward, whole.actions, whole.curve)
    assert stopped.tree_nodes == whole.tree_nodes


@each_engine
def test_ctrl_c_leaves_the_domain_fit_for_another_run(engine: EngineName) -> None:
    domain = find_domain("sudoku:2")
    initial, parsed = problem(domain, 3), parse("step(lookahead(select(sim, 0.5)))")
    before = run(domain, initial, parsed, 300, engine=engine)
    search(domain, initial, parsed, 6, Limits(seconds=60.0), "standard", engine, CtrlC(3))
    assert run(domain, initial, parsed, 300, engine=engine) == before


@each_engine
def test_no_run_follows_an_interrupted_one(engine: EngineName) -> None:
    limits, interrupt = Limits(1500), CtrlC(2)  # a run reports once, at 1024 evaluations, or a few times more
    runs = []

    def on_progress(run: int, evaluations: int, best: float, elapsed: float) -> None:
        if run == 1:
            interrupt.left = 1
            interrupt()

    for solution in solutions(find_domain("sudoku:2"), "sim", limits, runs=5, engine=engine, on_progress=on_progress):
        runs.append(solution)
    assert [solution.result.stop_reason for solution in runs] == ["evaluations", "interrupted"]
    assert runs[1].result.evaluations == FIRST_STRETCH
    assert untimed(runs[0].result) == untimed(solve("sudoku:2", "sim", 1500, engine=engine)[0].result)

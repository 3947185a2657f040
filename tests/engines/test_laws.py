"""What holds for every run, whatever it runs."""

import hashlib
import itertools
import threading
from functools import cache
from typing import Any

import pytest

from domains.problems import problem
from domains.protocol import Domain
from domains.registry import find_domain
from mcsgrammar.defaults import DEFAULT_MAX_NODES
from mcsgrammar.engines.compiled import workspace
from mcsgrammar.engines.compiled.driver import CompiledEngine
from mcsgrammar.engines.pacing import Pace
from mcsgrammar.engines.results import RunResult, curve_points
from mcsgrammar.engines.searching import EngineName, Limits, search
from mcsgrammar.language.expressions import Component
from mcsgrammar.language.parsing import parse
from mcsgrammar.solving import run_seed, solve
from tests.engines.running import ENGINES, run, untimed

EXPRESSIONS = (
    "sim",
    "step(lookahead(sim))",
    "step(repeat(select(sim, 0.5), 10))",
    "select(step(repeat(sim, 3)), 0.3)",
    "lookahead(step(lookahead(select(sim, 1))))",
    "step(select(repeat(select(sim, 0.5), 5), 0))",
)
NAMES = ("sudoku:2", "sudoku:3", "regression", "morpion:4D")

found = cache(find_domain)
each_engine = pytest.mark.parametrize("engine", ENGINES)
each_expression = pytest.mark.parametrize("expression", EXPRESSIONS)


# A run at a small budget is the beginning of a run at a larger one.


def assert_beginning(small: RunResult, large: RunResult) -> None:
    """`small` is where `large` stood after as many evaluations."""
    shared = [point for point in large.curve if point[0] < small.evaluations]
    assert small.curve[: len(shared)] == tuple(shared)
    assert small.curve[len(shared) :] == ((small.evaluations, small.reward),)
    if large.best_at(small.evaluations) is not None:
        assert large.best_at(small.evaluations) == small.reward


@each_engine
@each_expression
@pytest.mark.parametrize("name", NAMES)
def test_a_small_budget_is_the_beginning_of_a_large_one(name: str, expression: str, engine: EngineName) -> None:
    domain = found(name)
    initial = problem(domain, 3)
    large = run(domain, initial, expression, 120, seed=9, engine=engine)
    for budget in (1, 2, 3, 5, 10, 49, 50, 51, 100, 119):
        assert_beginning(run(domain, initial, expression, budget, seed=9, engine=engine), large)


@each_engine
def test_the_points_of_the_curve(engine: EngineName) -> None:
    assert list(itertools.islice(curve_points(), 8)) == [1, 2, 5, 10, 20, 50, 100, 200]
    domain = found("sudoku:2")
    for budget, points in [(1, [1]), (2, [1, 2]), (4, [1, 2, 4]), (10, [1, 2, 5, 10]), (23, [1, 2, 5, 10, 20, 23])]:
        result = run(domain, problem(domain, 0), "sim", budget, engine=engine)
        assert [at for at, _ in result.curve] == points
        assert result.curve[-1] == (budget, result.reward)
        assert list(result.curve) == sorted(result.curve)
        assert result.best_at(points[0]) == result.curve[0][1]
        assert result.best_at(budget + 1) is None


# Nothing but expression, problem, seed and limits matters.


@each_engine
@each_expression
def test_pauses_change_nothing(expression: str, engine: EngineName) -> None:
    domain = found("sudoku:2")
    initial, parsed, seen = problem(domain, 5), parse(expression), []

    def on_progress(evaluations: int, best: float, elapsed: float) -> None:
        seen.append((evaluations, best))

    limits = Limits(evaluations=3000)
    plain = search(domain, initial, parsed, 4, limits, "standard", engine)
    watched = search(domain, initial, parsed, 4, limits, "standard", engine, on_progress)
    assert untimed(watched) == untimed(plain)
    assert seen[0][0] == 1024
    assert all(best <= plain.reward for _, best in seen if plain.reward is not None)


@each_expression
def test_a_pause_after_every_evaluation_changes_nothing(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Restless(Pace):
        def start(self) -> int:
            super().start()
            return 1

        def pause(self, evaluations: int, best: float, plays: int = 0) -> int | None:
            return evaluations + 1 if evaluations < self.budget else None

    domain = found("sudoku:2")
    initial = problem(domain, 5)
    plain = [run(domain, initial, expression, 200, seed=4, engine=engine) for engine in ENGINES]
    for module in ("compiled.driver", "reference.engine"):
        monkeypatch.setattr(f"mcsgrammar.engines.{module}.Pace", Restless)
    assert [run(domain, initial, expression, 200, seed=4, engine=engine) for engine in ENGINES] == plain


@each_engine
@each_expression
def test_a_budget_in_seconds_finds_what_as_many_evaluations_find(expression: str, engine: EngineName) -> None:
    domain = found("sudoku:3")
    initial, parsed = problem(domain, 2), parse(expression)
    timed = search(domain, initial, parsed, 8, Limits(seconds=0.01), "standard", engine)
    counted = search(domain, initial, parsed, 8, Limits(timed.evaluations), "standard", engine)
    assert (timed.reward, timed.actions, timed.curve) == (counted.reward, counted.actions, counted.curve)
    assert (timed.tree_nodes, timed.tree_full) == (counted.tree_nodes, counted.tree_full)
    assert (timed.stop_reason, counted.stop_reason) == ("seconds", "evaluations")


@each_engine
@each_expression
def test_the_seed_decides(expression: str, engine: EngineName) -> None:
    domain = found("sudoku:3")
    initial = problem(domain, 1)
    results = [run(domain, initial, expression, 30, seed=seed, engine=engine) for seed in (1, 2, 3, 1)]
    assert results[3] == results[0]
    assert len({result.actions for result in results}) == 3


def test_a_seed_is_taken_modulo_2_to_the_64() -> None:
    domain = found("sudoku:3")
    initial = problem(domain, 1)
    largest = [run(domain, initial, "sim", 5, seed=2**64 - 1, engine=engine) for engine in ENGINES]
    assert largest[0] == largest[1] != run(domain, initial, "sim", 5, seed=0)


@each_engine
def test_a_run_leaves_nothing_behind(engine: EngineName) -> None:
    # Expressions of equal length use the same arrays.
    domain = found("regression")
    how: list[tuple[str, int, int, int]] = [
        ("select(select(sim, 0.5), 1)", 150, 0, DEFAULT_MAX_NODES),
        ("step(lookahead(sim))", 40, 1, DEFAULT_MAX_NODES),
        ("repeat(select(sim, 0), 2)", 7, 2, DEFAULT_MAX_NODES),
        ("step(select(sim, 0.3))", 200, 3, 50),
        ("lookahead(lookahead(sim))", 1, 4, DEFAULT_MAX_NODES),
    ]

    def result(domain: Domain, index: int) -> RunResult:
        text, budget, number, max_nodes = how[index]
        return run(domain, problem(domain, number), text, budget, engine=engine, max_nodes=max_nodes)

    fresh = [result(find_domain("regression"), index) for index in range(len(how))]
    assert [one.tree_full for one in fresh] == [False, False, False, True, False]
    for one, other in itertools.product(range(len(how)), repeat=2):
        assert [result(domain, index) for index in (one, other, one)] == [fresh[one], fresh[other], fresh[one]]


def test_a_search_leaves_the_problem_alone() -> None:
    domain = found("sudoku:3")
    initial, untouched = problem(domain, 7), problem(domain, 7)
    for engine, expression in itertools.product(ENGINES, EXPRESSIONS):
        run(domain, initial, expression, 50, engine=engine)
        assert initial == untouched


def test_threads_share_a_domain() -> None:
    domain = found("sudoku:3")
    jobs = [(parse(text), seed) for seed in range(6) for text in EXPRESSIONS]

    def result(job: tuple[Component, int]) -> RunResult:
        return run(domain, problem(domain, job[1]), job[0], 2000, seed=job[1], engine="compiled")

    alone = [result(job) for job in jobs]
    together: dict[int, RunResult] = {}

    def work(indices: range) -> None:
        for index in indices:
            together[index] = result(jobs[index])

    threads = [threading.Thread(target=work, args=(range(start, len(jobs), 4),)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[index] for index in range(len(jobs))] == alone


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("max_nodes", [DEFAULT_MAX_NODES, 3000])
def test_memory_that_grows_on_the_way(name: str, max_nodes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    domain = found(name)
    initial = problem(domain, 1)

    def results(smallest: int) -> list[RunResult]:
        monkeypatch.setattr(workspace, "SMALLEST_TREE", smallest)
        compiled = CompiledEngine(domain)
        ready, limits = compiled.ready(initial), Limits(400, max_nodes=max_nodes)
        return [untimed(compiled.run(ready, parse(text), 3, limits)) for text in EXPRESSIONS]

    assert results(1) == results(1 << 20)


# The facade.


@each_engine
@pytest.mark.parametrize("expression", ["step(lookahead(sim))", "uct(0.5, 4)", "select(sim, 0)"])
def test_solve_begins_the_same_at_every_budget(expression: str, engine: EngineName) -> None:
    (large,) = solve("sudoku:2", expression, 100, engine=engine)
    for budget in (1, 7, 50):
        (small,) = solve("sudoku:2", expression, budget, engine=engine)
        assert small.seed == large.seed
        assert_beginning(small.result, large.result)


def test_solve_gives_each_run_a_seed_of_its_own() -> None:
    three = solve("sudoku:2", "sim", 20, runs=3, seed=5)
    assert len({solution.seed for solution in three}) == 3
    assert [untimed(s.result) for s in solve("sudoku:2", "sim", 20, runs=2, seed=5)] == [
        untimed(s.result) for s in three[:2]
    ]
    assert [s.problem for s in three] == [0, 0, 0]


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 1},
        {"problem": 1},
        {"split": "train"},
        {"semantics": "maes2013"},
        {"expression": "step(step(sim))"},
        {"domain": "sudoku:3"},
    ],
    ids=str,
)
def test_the_seed_of_a_run_names_everything_that_identifies_it(other: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"domain": "sudoku:2", "expression": "step(sim)", "budget": 1}
    (plain,), (changed,) = solve(**arguments), solve(**arguments | other)
    assert plain.seed != changed.seed


def test_the_seed_of_a_run_is_fixed_for_good() -> None:
    # The first 8 bytes, the lowest first, of the BLAKE2b hash of this text.
    text = '["mcsg1","solve",7,"sudoku:4","standard","step(sim)","test",3,2]'
    expected = int.from_bytes(hashlib.blake2b(text.encode()).digest()[:8], "little")
    assert expected == 1709697413954834765
    assert run_seed(found("sudoku:4"), parse("step(sim)"), "standard", "test", 3, 7, 2) == expected


def test_spelling_makes_no_other_run() -> None:
    (plain,), (spelt,) = solve("sudoku:2", "nmc(1)", 50), solve("sudoku:order=2", " step( lookahead(simulate))", 50)
    assert str(plain.expression) == str(spelt.expression) == "step(lookahead(sim))"
    assert plain.seed == spelt.seed
    assert untimed(plain.result) == untimed(spelt.result)


@pytest.mark.parametrize(
    ("name", "budget", "count"),
    [("sudoku:2", 100, 6), ("sudoku:2", 1, 1), ("sudoku:2", 24, 2), ("sudoku:2", 23, 1), ("regression", 1000, 91)],
)
def test_uct_is_resolved_with_the_horizon(name: str, budget: int, count: int) -> None:
    # Half a simulation counts as one: 24 / 16 = 1.5 -> 2.
    (short,), (explicit,) = solve(name, "uct(0.5)", budget), solve(name, f"uct(0.5, {count})", budget)
    assert str(short.expression) == f"step(repeat(select(sim, 0.5), {count}))"
    assert short.seed == explicit.seed
    assert untimed(short.result) == untimed(explicit.result)


def test_solve_defaults_to_a_thousand_evaluations() -> None:
    (solution,) = solve("sudoku:2", "sim")
    assert solution.result.evaluations == 1000
    assert solution.score == 16 * (solution.reward or 0.0)
    assert solve("sudoku:2", "sim", 0)[0].score is None

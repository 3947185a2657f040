"""Any expression, on any domain, within any limits: the engines give the same result in everything but time."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.problems import problem
from domains.registry import BUILT_IN, find_domain
from mcsgrammar.engines.searching import SemanticsName
from mcsgrammar.language.components import DEPTH_LIMIT
from mcsgrammar.language.expressions import Component, Lookahead
from mcsgrammar.language.parsing import parse
from tests.engines.naive import NaiveSearch
from tests.engines.running import agreed, both
from tests.engines.strategies import BUDGETS, MEMORY, SEEDS, SEMANTICS, runnable
from tests.engines.toys import TreeGame, grown
from tests.language.strategies import deterministic

DOMAINS = {
    "sudoku:2": 300,
    "sudoku:3": 150,
    "sudoku:4": 60,
    "morpion:4D": 30,
    "morpion:5T": 12,
    "regression:length=1": 60,
    "regression:length=3": 200,
    "regression": 200,
    "regression:length=21": 60,
    "regression:set=robustness": 60,
    "tsptw:cities=5": 150,
    "samegame:width=5,height=6,colours=3": 40,
}
"""How many expressions are tried on each; a playout of Morpion takes the reference a millisecond or two."""

SLOW = {"regression:length=21", "regression:set=robustness", "tsptw:cities=5"}
"""Each compiles a machine of its own."""

found = cache(find_domain)


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in SLOW else n for n in DOMAINS])
def test_the_engines_agree(name: str) -> None:
    domain = found(name)

    @deterministic(DOMAINS[name])
    @given(runnable(), st.integers(0, 50), SEEDS, BUDGETS, MEMORY, SEMANTICS)
    def check(
        expression: Component, number: int, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
    ) -> None:
        initial = problem(domain, number)
        agreed(domain, initial, expression, budget, seed=seed, max_nodes=max_nodes, semantics=semantics)

    check()


def assert_naive(
    domain: Any, initial: Any, expression: Component, budget: int, seed: int, semantics: SemanticsName, max_nodes: int
) -> None:
    """All three give the same result, and hold the same in the end."""
    how: dict[str, Any] = {"seed": seed, "max_nodes": max_nodes, "semantics": semantics}
    result, internals = both(domain, initial, expression, budget, **how)
    naive = NaiveSearch(domain, initial, seed, semantics == "maes2013", max_nodes)
    assert naive.result(expression, budget) == result
    assert naive.random.state == internals.random_state
    counted = [{path: (visits, total) for path, (visits, total, _) in tree.items()} for tree in internals.trees]
    assert [{path: (n.visits, n.total) for path, n in tree.items()} for tree in naive.trees.values()] == counted


@deterministic(1000)
@given(runnable(5), st.integers(0, 30), SEEDS, st.integers(0, 60), MEMORY, SEMANTICS)
def test_both_agree_with_the_naive_search_on_toys(
    expression: Component, tree: int, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
) -> None:
    # Small enough to be exhausted again and again.
    game = TreeGame(grown(tree))
    assert_naive(game, game.sample(None), expression, budget, seed, semantics, max_nodes)


@pytest.mark.parametrize("name", ["sudoku:2", "regression:length=3"])
def test_both_agree_with_the_naive_search(name: str) -> None:
    domain = found(name)

    @deterministic(60)
    @given(runnable(5), st.integers(0, 50), SEEDS, st.integers(0, 25), MEMORY, SEMANTICS)
    def check(
        expression: Component, number: int, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
    ) -> None:
        assert_naive(domain, problem(domain, number), expression, budget, seed, semantics, max_nodes)

    check()


@pytest.mark.parametrize("expression", ["select(sim, 0.5)", "repeat(select(repeat(select(sim, 0), 2), 1), 7)"])
def test_they_agree_where_counts_outgrow_the_tables(expression: str) -> None:
    # The machine looks up roots and logarithms of numbers below 4096, and computes the others.
    domain = found("regression")
    agreed(domain, problem(domain, 1), expression, 9000, seed=5)


@pytest.mark.parametrize(
    "c",
    [
        "1e300",
        "1.7e308",
    ],
)
def test_they_agree_on_enormous_constants(c: str) -> None:
    domain = found("sudoku:2")
    agreed(domain, problem(domain, 0), f"select(sim, {c})", 100, seed=1)


OTHER_DOMAINS = ("queens", "knights", "sudoku_simple", "statespace", "pancakes", "frogs")


@pytest.mark.parametrize("level", ["adapt(step({}, visits), 2)", "adapt(step(tune({}, random), visits), 2)"])
def test_they_agree_on_expressions_as_deep_as_any(level: str) -> None:
    """The compiled engine adds a frame to some, which nobody wrote and which counts in no limit."""
    text = "select(sim, 0.5)" if "tune" not in level else "select(sim, {0, 0.5})"
    expression = parse(level.format(text))
    domain = find_domain("sudoku:2")
    while expression.depth < DEPTH_LIMIT:
        expression = Lookahead(expression)
    agreed(domain, problem(domain, 0), expression, 30)


@pytest.mark.parametrize("name", OTHER_DOMAINS)
def test_the_engines_agree_on_small_games(name: str) -> None:
    domain = found(name)

    @deterministic(15)
    @given(runnable(4), st.integers(0, 50), SEEDS, st.integers(1, 40), MEMORY, SEMANTICS)
    def check(
        expression: Component, number: int, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
    ) -> None:
        both(domain, problem(domain, number), expression, budget, seed=seed, max_nodes=max_nodes, semantics=semantics)

    check()


def test_all_domains_for_one_without_chance_are_compared() -> None:
    """Those from files, `gdl` and `vgdl`, and those that others run, `gym`, have tests of their own."""
    ours = {name for name in BUILT_IN if name not in ("gdl", "vgdl", "gym")}
    for_one = {name for name in ours if len(find_domain(name).roles) == 1 and not find_domain(name).stochastic}
    assert for_one == {name.partition(":")[0] for name in (*DOMAINS, *OTHER_DOMAINS)}

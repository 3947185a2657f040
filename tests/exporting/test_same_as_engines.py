"""Exported files find what the engines find, bit for bit."""

import itertools
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.portable_math import exp, log
from domains.randomness import Random, seed_of
from domains.registry import find_domain
from mcsgrammar.defaults import DEFAULT_MAX_NODES
from mcsgrammar.engines.searching import SemanticsName
from mcsgrammar.exporting.standalone import export
from mcsgrammar.language.expressions import Component, Select, Simulate
from mcsgrammar.language.parsing import parse
from mcsgrammar.language.policies import Ucb1
from tests.engines.strategies import BUDGETS, MEMORY, SEEDS, SEMANTICS, adaptive, runnable
from tests.engines.toys import Errand, InPlaceTreeGame, TreeGame, corridor, grown
from tests.exporting.solvers import (
    BOTH,
    CANDIDATES,
    CUT,
    MORE,
    POLICIES,
    SHALLOW,
    Valuing,
    assert_same,
    grows,
    imported,
    solver,
)
from tests.language.strategies import deterministic

TOYS = [TreeGame(grown(1, 4)), InPlaceTreeGame(grown(2, 4)), TreeGame(grown(7, 5)), TreeGame(corridor(3, 0.4))]
SUDOKU = find_domain("sudoku:2")


def test_the_candidates_are_those_of_the_paper() -> None:
    assert (len(SHALLOW), len(CANDIDATES)) == (51, 411)
    assert {type(part).name for expression in CANDIDATES for part in expression.walk()} == {
        "sim",
        "repeat",
        "lookahead",
        "step",
        "select",
    }


@pytest.mark.parametrize("semantics", BOTH)
def test_every_candidate_up_to_depth_4(semantics: SemanticsName) -> None:
    for number, expression in enumerate(CANDIDATES):
        if semantics != "standard" and not (grows(expression) or "step" in expression.text):
            continue  # the same program
        seeds = (seed_of("export", str(expression), repetition) for repetition in itertools.count())
        toy = TOYS[number % len(TOYS)]
        for budget, max_nodes in ((40, DEFAULT_MAX_NODES), (60, 12)):
            assert_same(expression, toy, toy.sample(None), budget, next(seeds), semantics, max_nodes)
        assert_same(expression, SUDOKU, SUDOKU.sample(Random(number)), 12, next(seeds), semantics)


@pytest.mark.parametrize("semantics", BOTH)
def test_every_budget_of_every_candidate_up_to_depth_3(semantics: SemanticsName) -> None:
    """So the budget ends inside each component, after each evaluation."""
    for number, expression in enumerate([*SHALLOW, *map(parse, MORE)]):
        toy = TOYS[number % 2]
        for budget in range(14):
            assert_same(expression, toy, toy.sample(None), budget, 1000 * number + budget, semantics)


@deterministic(150)
@given(runnable(), st.integers(0, 50), SEEDS, BUDGETS, MEMORY, SEMANTICS)
def test_any_expression_on_any_game(
    expression: Component, game: int, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
) -> None:
    domain = TreeGame(grown(game, 4))
    assert_same(expression, domain, domain.sample(None), budget, seed, semantics, max_nodes)


@pytest.mark.slow
@pytest.mark.parametrize("semantics", BOTH)
def test_every_budget_of_every_policy(semantics: SemanticsName) -> None:
    for number, expression in enumerate((*POLICIES, *CUT)):
        for budget in (*range(14), *range(30, 90, 7), 250):
            for max_nodes, horizon in ((DEFAULT_MAX_NODES, 7), (DEFAULT_MAX_NODES, 8), (9, 8)):
                game = Valuing(grown(number + budget, 7), horizon)
                assert_same(expression, game, game.sample(None), budget, budget, semantics, max_nodes)


@deterministic(300)
@given(adaptive(True, tunes=False), st.integers(0, 50), SEEDS, BUDGETS, MEMORY, SEMANTICS)
def test_any_adaptive_expression_on_any_game(
    expression: Component, game: int, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
) -> None:
    domain = Valuing(grown(game, 4), 5 + game % 2)
    assert_same(expression, domain, domain.sample(None), budget, seed, semantics, max_nodes)


@pytest.mark.parametrize("expression", [*POLICIES[::3], "step(repeat(select(sim(nst), grave(c=0.2, ref=5)), 5))"])
def test_policies_on_sudoku(expression: str) -> None:
    for number in range(3):
        assert_same(expression, SUDOKU, SUDOKU.sample(Random(number)), 40, number)


def test_the_exponential_is_the_portable_one() -> None:
    file_exp = imported(export("sim(mast(tau=0.1))"))["exp"]
    random = Random(6)
    numbers = [-i / 64 for i in range(64 * 760)] + [-1e308, -math.inf, -5e-324]
    numbers += [-random.uniform01() * 2.0 ** random.below(12) for _ in range(20_000)]
    for x in numbers:
        assert file_exp(x) == exp(x), x


@pytest.mark.parametrize("expression", ["sim", "step(sim)", "repeat(lookahead(sim), 2)", "select(repeat(sim, 2), 0)"])
def test_an_initial_state_that_is_final(expression: str) -> None:
    """It is evaluated until the budget is spent."""
    domain = TreeGame(0.7, horizon=1)
    assert_same(expression, domain, domain.sample(None), 5, 0)


@pytest.mark.parametrize("expression", ["nmc(1)", "select(step(sim), 0.5)"])
def test_what_a_domain_leaves_to_its_base(expression: str) -> None:
    """Errand has no copy, no is_final and no reward of its own: it minimises a cost."""
    assert_same(expression, Errand(), [], 50, 3)


@pytest.mark.parametrize("max_nodes", range(1, 11))
@pytest.mark.parametrize(
    "expression",
    ["lookahead(select(sim, 0.5))", "step(repeat(select(step(sim), 0), 2))", "select(step(select(sim, 0.3)), 1)"],
)
def test_a_tree_without_room_for_the_first_state(expression: str, max_nodes: int) -> None:
    """Later states, with fewer actions, would fit; their nodes are missing all the same."""
    below = {1: {1: {1: 0.1, 2: 0.9}, 2: {1: 0.3, 2: 0.5}}}
    domain = TreeGame(dict.fromkeys(range(1, 9), below))
    for seed in range(5):
        assert_same(expression, domain, domain.sample(None), 60, seed, max_nodes=max_nodes)


@pytest.mark.parametrize("expression", ["select(sim, 1.7e308)", "step(select(select(sim, 0.5), 1e308))"])
def test_a_constant_near_the_largest_float(expression: str) -> None:
    domain = TreeGame({i: {j: {k: (i * j + k) / 30 for k in range(6)} for j in range(4)} for i in range(3)})
    for budget in range(20, 60, 2):
        assert_same(expression, domain, domain.sample(None), budget, seed=budget)


def test_the_logarithm_is_the_portable_one() -> None:
    file_log = imported(export("select(sim, 0.5)"))["log"]
    random = Random(5)
    numbers = [*range(1, 20_000), *(2**k + i for k in range(15, 53) for i in (-1, 0, 1))]
    numbers += [math.isqrt(2 ** (2 * k + 1)) + i for k in range(15, 52) for i in (-1, 0, 1)]
    numbers += [random.getrandbits(k) | 1 for k in range(15, 53) for _ in range(20)]
    for n in numbers:
        assert file_log(n) == log(float(n)), n


def test_values_that_differ_in_the_last_bit() -> None:
    """C is made so that two children are equally promising, but for what is rounded off."""
    random = Random(8)
    for seed in range(150):
        visits = (1 + random.below(50), 51 + random.below(50))
        totals = tuple(n * random.uniform01() * i for i, n in enumerate(visits, 1))
        means = [total / n for total, n in zip(totals, visits, strict=True)]
        spreads = [1 / math.sqrt(n) for n in visits]
        root_log = math.sqrt(log(float(sum(visits))))
        c = abs((means[1] - means[0]) / (root_log * (spreads[0] - spreads[1])))
        values = [mean + c * root_log * spread for mean, spread in zip(means, spreads, strict=True)]
        ties = [i for i in (0, 1) if values[i] == max(values)]
        names = imported(export(Select(Simulate(), Ucb1(c))))
        search = names["Search"](None, None, 1, seed, math.inf, 100)
        node = names["Node"]()
        node.children = [names["Node"](0), names["Node"](1)]
        for child, total, n in zip(node.children, totals, visits, strict=True):
            child.total, child.visits = total, n
        assert search.choose(node).action == ties[Random(seed).below(len(ties))]


# How a run ends.


class Interrupting(TreeGame):
    def reward(self, state: Any) -> float:
        if len(self.seen) == 4:
            raise KeyboardInterrupt
        return super().reward(state)


@pytest.mark.parametrize("expression", ["sim", "step(select(lookahead(sim), 0.5))"])
def test_ctrl_c_gives_the_best_so_far(expression: str) -> None:
    solve = solver(expression)
    domain = TreeGame(grown(3, 4))
    uninterrupted = solve(domain, domain.sample(None), 4, seed=9)
    interrupting = Interrupting(grown(3, 4))
    result = solve(interrupting, interrupting.sample(None), 100, seed=9)
    assert result.stop_reason == "interrupted"
    assert result[:3] == uninterrupted[:3]


def test_seconds_end_a_run_without_a_budget_too() -> None:
    domain = TreeGame(grown(1, 4))
    result = solver("step(sim)")(domain, domain.sample(None), math.inf, seconds=0)
    assert (result.evaluations, result.stop_reason) == (1, "seconds")


def test_a_result_can_be_changed_without_consequences() -> None:
    domain = TreeGame(grown(1, 4))
    solve = solver("sim")
    nothing = solve(domain, domain.sample(None), 0)
    assert nothing == (None, [], 0, "evaluations")
    nothing.actions.append(1)
    assert solve(domain, domain.sample(None), 0) == (None, [], 0, "evaluations")

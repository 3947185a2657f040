"""What the pruning rules claim of the expressions they leave out, bit for bit on both engines."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.problems import problem
from domains.registry import find_domain
from mcsgrammar.engines.reference.interpreter import BudgetSpent, Node, ReferenceSearch
from mcsgrammar.engines.results import RunResult
from mcsgrammar.engines.searching import SemanticsName
from mcsgrammar.enumeration.pruning import RULES, collapse_repeats
from mcsgrammar.language.expressions import Component, Repeat, Select
from mcsgrammar.language.parsing import parse
from mcsgrammar.language.policies import Ucb1
from tests.engines.running import agreed, play
from tests.engines.strategies import BUDGETS, CONSTANTS, COUNTS, MEMORY, SEEDS, SEMANTICS, runnable
from tests.language.strategies import deterministic

found = cache(find_domain)
names = st.sampled_from(("sudoku:2", "regression:length=3", "regression"))


def outcome(result: RunResult) -> tuple[object, ...]:
    """What the claims are about: the inner tree of a pruned expression takes memory of its own."""
    return result.reward, result.actions, result.evaluations, result.stop_reason, result.curve


def test_every_claim_is_tested_here() -> None:
    assert {rule.name: rule.claim for rule in RULES} == {
        "repeat-at-root": "the same run as without it",
        "select-in-select": "the same run as without the inner select, until a subtree is exhausted",
        "repeat-in-repeat": "the same run as the collapsed expression",
    }


@deterministic(80)
@given(runnable(5), COUNTS, names, SEEDS, BUDGETS, MEMORY, SEMANTICS)
def test_repeat_at_the_root(
    inner: Component, count: int, name: str, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
) -> None:
    domain = found(name)
    initial = problem(domain, 1)
    how = {"seed": seed, "max_nodes": max_nodes, "semantics": semantics}
    assert agreed(domain, initial, Repeat(inner, count), budget, **how) == agreed(domain, initial, inner, budget, **how)


@deterministic(80)
@given(runnable(6), names, SEEDS, BUDGETS, MEMORY, SEMANTICS)
def test_nested_repeats(
    expression: Component, name: str, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
) -> None:
    doubled = double_repeats(expression)
    collapsed = collapse_repeats(doubled)
    assert (doubled != collapsed) == ("repeat" in str(expression))
    domain = found(name)
    initial = problem(domain, 2)
    how = {"seed": seed, "max_nodes": max_nodes, "semantics": semantics}
    assert agreed(domain, initial, doubled, budget, **how) == agreed(domain, initial, collapsed, budget, **how)


def double_repeats(expression: Component) -> Component:
    """Every repeat(S, N) becomes repeat(repeat(S, 3), 2)."""
    if not expression.children:
        return expression
    inner = double_repeats(expression.children[0])
    return Repeat(Repeat(inner, 3), 2) if isinstance(expression, Repeat) else expression.around(inner)


# A select directly in a select. On these domains no subtree is exhausted within the budget, which is asserted.

SELECTS = (
    "select(sim, {})",
    "step(repeat(select(sim, {}), 5))",
    "select(step(sim), {})",
    "step(select(repeat(lookahead(sim), 2), {}))",
)


@pytest.mark.slow
@pytest.mark.parametrize("text", SELECTS)
@pytest.mark.parametrize("name", ["sudoku:4", "morpion:4D"])
@deterministic(8)
@given(inner=CONSTANTS, outer=CONSTANTS, seed=SEEDS, semantics=SEMANTICS)
def test_select_in_select(
    name: str, text: str, inner: float, outer: float, seed: int, semantics: SemanticsName
) -> None:
    domain, budget = found(name), 60
    initial = problem(domain, 4)
    kept = parse(text.format(outer))
    pruned = with_inner_select(kept, inner)
    assert not exhausted_nodes(name, kept, budget, seed, semantics)
    how = {"seed": seed, "semantics": semantics}
    assert outcome(agreed(domain, initial, pruned, budget, **how)) == outcome(
        agreed(domain, initial, kept, budget, **how)
    )


def with_inner_select(expression: Component, c: float) -> Component:
    if isinstance(expression, Select):
        return Select(Select(expression.component, Ucb1(c)), expression.policy)
    return expression.around(with_inner_select(expression.children[0], c))


def exhausted_nodes(name: str, expression: Component, budget: int, seed: int, semantics: SemanticsName) -> list[Node]:
    domain = found(name)

    def stop(evaluations: int) -> None:
        if evaluations == budget:
            raise BudgetSpent

    search = ReferenceSearch(
        domain, problem(domain, 4), expression, seed, semantics == "maes2013", 10_000_000, None, stop
    )
    search.run()
    nodes = list(search.trees.values())
    for node in nodes:
        nodes += node.children
    return [node for node in nodes if node.exhausted]


def test_the_claim_stops_at_exhausted_subtrees() -> None:
    # Once all is exhausted, what runs at the root is simulate in one, and a select with its own draws in the other.
    tree = {1: {1: 0.1, 2: 0.2}, 2: {1: 0.3, 2: 0.4}}
    kept, pruned = play(tree, "select(sim, 0.5)", budget=30), play(tree, "select(select(sim, 1), 0.5)", budget=30)
    assert kept.yields[:5] == pruned.yields[:5]
    assert kept.yields != pruned.yields

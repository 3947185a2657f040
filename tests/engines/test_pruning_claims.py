"""What the pruning rules claim of the expressions they leave out, bit for bit on both engines."""

from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.problems import problem
from domains.registry import find_domain
from mcsgrammar.engines.reference.interpreter import BudgetSpent, Node, ReferenceSearch
from mcsgrammar.engines.results import RunResult
from mcsgrammar.engines.searching import SearchTask, SemanticsName
from mcsgrammar.enumeration.pruning import RULES, SPENT_INSIDE, collapse_repeats
from mcsgrammar.language.expressions import Adapt, Component, Lookahead, Repeat, Select, Simulate, Step
from mcsgrammar.language.parsing import parse
from mcsgrammar.language.policies import Grave, Puct, RandomPlayout, Ucb1
from tests.engines.running import agreed, both, play, run
from tests.engines.strategies import (
    ALPHAS,
    BUDGETS,
    CONSTANTS,
    COUNTS,
    MEMORY,
    SEEDS,
    SEMANTICS,
    guided_by,
    runnable,
)
from tests.engines.toys import FEATURES, CodedTreeGame, TreeGame, grown
from tests.language.strategies import deterministic

found = cache(find_domain)
names = st.sampled_from(("sudoku:2", "regression:length=3", "regression"))


def outcome(result: RunResult) -> tuple[object, ...]:
    """What the claims are about: the inner tree of a pruned expression takes memory of its own."""
    return result.reward, result.actions, result.evaluations, result.stop_reason, result.curve


def test_every_claim_is_tested_here() -> None:
    assert {rule.name: rule.claim for rule in (*RULES, SPENT_INSIDE)} == {
        "repeat-at-root": "the same run as without it",
        "select-in-select": "the same run as without the inner select, until a subtree is exhausted",
        "repeat-in-repeat": "the same run as the collapsed expression",
        "spent-inside": "the same run as without that component",
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

    search = ReferenceSearch(domain, problem(domain, 4), SearchTask(expression, seed, semantics=semantics), stop)
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


# A component whose sub-component alone spends the budget.


@st.composite
def costly(draw: st.DrawFn, features: tuple[str, ...]) -> Component:
    """An expression with a component around something that costs the same every time."""
    policy = draw(guided_by(features)) if features and draw(st.booleans()) else RandomPlayout()
    expression: Component = Simulate(policy)
    inner, outer = ("repeat", "adapt"), ("repeat", "step", "select", "adapt", "lookahead")
    layers = draw(st.lists(st.sampled_from(inner), min_size=1, max_size=3))
    layers += draw(st.lists(st.sampled_from(outer), min_size=1, max_size=3))
    for layer in layers:
        n, selection = draw(st.sampled_from((2, 3, 5))), draw(st.sampled_from((Ucb1(0.3), Puct(1.0), Grave(0.2))))
        match layer:
            case "repeat":
                expression = Repeat(expression, n)
            case "step":
                expression = Step(expression)
            case "select":
                expression = Select(expression, selection)
            case "adapt":
                expression = Adapt(expression, n, draw(ALPHAS))
            case _:
                expression = Lookahead(expression)
    return expression


def without_what_is_spent_inside(expression: Component, budget: int) -> Component:
    """The innermost component that the rule applies to is taken away."""
    inner = expression.children[0]
    if not SPENT_INSIDE.applies(inner, budget):
        return inner
    return expression.around(without_what_is_spent_inside(inner, budget))


@pytest.mark.parametrize("name", ["tree", "sudoku:2"])
def test_spent_inside(name: str) -> None:
    """Bit for bit, draws included, where there is memory for all: the nodes of a tree that is left out take room that
    codes of actions could have had.

    Where an `adapt` is left out and none is around it, a uniform action is drawn in
    another way from the same number: `below(n)` takes 32 bits of it, `uniform01() * n` takes 53. Where n actions are
    legal that is another action once in 2^33 / (n - 1) draws, and never if n is a power of two; none of these is one.
    """
    applied = []

    @deterministic(150 if name == "tree" else 50)
    @given(costly(FEATURES if name == "tree" else ()), st.integers(1, 30), SEEDS, SEMANTICS, st.integers(0, 30))
    def check(expression: Component, budget: int, seed: int, semantics: SemanticsName, number: int) -> None:
        domain: Any = CodedTreeGame(grown(number, 4)) if name == "tree" else found(name)
        initial = domain.sample(None) if name == "tree" else problem(domain, number)
        how: dict[str, Any] = {"seed": seed, "semantics": semantics}
        alone, (result, held) = expression, both(domain, initial, expression, budget, **how)
        while SPENT_INSIDE.applies(alone, budget):
            smaller = without_what_is_spent_inside(alone, budget)
            assert smaller.size == alone.size - 1
            alone = smaller
            again, holds = both(domain, initial, alone, budget, **how)
            assert (outcome(again), holds.random_state) == (outcome(result), held.random_state)
            applied.append(expression)

    check()
    assert len(applied) > 20


def test_a_component_that_the_budget_lets_act_makes_a_difference() -> None:
    """With one evaluation more than the sub-component takes, so the rule has its limit in the right place."""
    game = TreeGame({first: {second: first * second / 20 for second in range(1, 9)} for first in (1, 2)})
    for text in ("adapt(repeat(sim, 5), 3)", "step(repeat(sim, 5))", "select(repeat(sim, 5), 0.5)"):
        expression = parse(text)
        assert SPENT_INSIDE.applies(expression, 5) and not SPENT_INSIDE.applies(expression, 6)
        differs = []
        for seed in range(10):
            whole, part = (
                [outcome(agreed(game, game.sample(None), one, budget, seed=seed)) for budget in (5, 40)]
                for one in (expression, expression.children[0])
            )
            assert whole[0] == part[0]
            differs.append(whole[1] != part[1])
        assert any(differs)


def test_where_drawing_in_another_way_differs() -> None:
    """The one number in 2^33 / (n - 1), for 3 actions."""
    bits = (2**32 // 3 << 32) + (2**32 - 1)
    assert (bits >> 32) * 3 >> 32 == 0
    odds = (bits >> 11) * 2.0**-53 * 3.0
    assert next(place for place, total in enumerate((1.0, 2.0, 3.0)) if total > odds) == 1


def test_a_nested_select_counts_where_playouts_are_cut_off() -> None:
    """Which is why it is kept there: of two, the inner one's leaf is where their length begins."""
    domain = found("knights")
    one, two = (
        run(domain, problem(domain, 0), parse(text), 200, seed=7, engine="reference")
        for text in ("select(sim(random(depth=3)), 0.5)", "select(select(sim(random(depth=3)), 1), 0.5)")
    )
    assert (len(one.actions), len(two.actions)) == (3, 5)

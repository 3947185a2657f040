"""What holds for every run with adapt in it, whatever is inside."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsgrammar.engines.results import RunResult
from mcsgrammar.engines.searching import SemanticsName
from mcsgrammar.language.expressions import Adapt, Component, Repeat, Simulate
from mcsgrammar.language.parsing import parse
from mcsgrammar.language.policies import Guided, RandomPlayout
from tests.engines.running import internals_of_reference, untimed
from tests.engines.strategies import ALPHAS, ITERATIONS, MEMORY, SEEDS, SEMANTICS, learning
from tests.engines.toys import FEATURES, CodedTreeGame, grown
from tests.engines.unfinished import Looked, look
from tests.language.strategies import deterministic

GAMES = st.integers(0, 30)
BUDGETS = st.integers(1, 60)


def ran(expression: Component, tree: int, seed: int, budget: int, **how: Any) -> Looked:
    return look(CodedTreeGame(grown(tree)), str(expression), budget, seed=seed, **how)


def outcome(looked: Looked) -> tuple[Any, ...]:
    return untimed(looked.result), looked.yields, internals_of_reference(looked.search)


@deterministic(150)
@given(learning(FEATURES), ITERATIONS, ALPHAS, GAMES, SEEDS, BUDGETS, MEMORY, SEMANTICS)
def test_adapting_once_inside_or_around_changes_nothing(
    inner: Component,
    n: int,
    alpha: float,
    tree: int,
    seed: int,
    budget: int,
    max_nodes: int,
    semantics: SemanticsName,
) -> None:
    how: dict[str, Any] = {"max_nodes": max_nodes, "semantics": semantics}
    plain = outcome(ran(Adapt(inner, n, alpha), tree, seed, budget, **how))
    for same in (
        Adapt(Adapt(inner, 1, 7.0), n, alpha),
        Adapt(Adapt(inner, n, alpha), 1),
        Adapt(Repeat(inner, 1), n, alpha),
        Repeat(Adapt(inner, n, alpha), 3),
    ):
        assert outcome(ran(same, tree, seed, budget, **how)) == plain


@deterministic(150)
@given(learning(FEATURES), GAMES, SEEDS, BUDGETS, MEMORY, SEMANTICS)
def test_adapting_once_is_the_same_run(
    inner: Component, tree: int, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
) -> None:
    """Under `guided` in every bit. Uniform actions are drawn in another way, which differs once in 2^30 draws or so:
    the first of n equal shares beyond u n, and the upper 32 bits of a draw times n."""
    how: dict[str, Any] = {"max_nodes": max_nodes, "semantics": semantics}
    once = outcome(ran(Adapt(inner, 1), tree, seed, budget, **how))
    assert once == outcome(ran(inner, tree, seed, budget, **how))


@deterministic(150)
@given(st.data(), st.integers(1, 10), GAMES, SEEDS, BUDGETS)
def test_who_learns_next_to_nothing_repeats(data: st.DataObject, n: int, tree: int, seed: int, budget: int) -> None:
    """But for which of equals comes out. exp(1e-300) is 1."""
    inner = data.draw(learning(FEATURES).filter(lambda e: "adapt" not in str(e)))
    adapted, repeated = (ran(e, tree, seed, budget) for e in (Adapt(inner, n, 1e-300), Repeat(inner, n)))
    assert adapted.yields == repeated.yields
    held = internals_of_reference(adapted.search)
    assert replace(held, known=frozenset()) == internals_of_reference(repeated.search)
    assert without_actions(adapted.result) == without_actions(repeated.result)


def without_actions(result: RunResult) -> RunResult:
    return replace(untimed(result), actions=())


@deterministic(150)
@given(learning(FEATURES), GAMES, SEEDS, MEMORY, SEMANTICS)
def test_a_small_budget_is_the_beginning_of_a_large_one(
    expression: Component, tree: int, seed: int, max_nodes: int, semantics: SemanticsName
) -> None:
    large = ran(expression, tree, seed, 60, max_nodes=max_nodes, semantics=semantics)
    for budget in (1, 2, 3, 7, 20, 59):
        small = ran(expression, tree, seed, budget, max_nodes=max_nodes, semantics=semantics)
        assert small.yields == large.yields[:budget]
        assert large.result.best_at(budget) in (None, small.result.reward)
        assert small.result.reward == max(worth(tree, path) for path in small.yields)
        assert small.result.actions in small.yields
        assert worth(tree, small.result.actions) == small.result.reward


def worth(tree: int, path: tuple[int, ...]) -> float:
    place = grown(tree)
    for action in path:
        place = place[action]
    return float(place)


@deterministic(100)
@given(learning(FEATURES), GAMES, SEEDS, BUDGETS)
def test_a_weight_of_0_is_as_good_as_none(expression: Component, tree: int, seed: int, budget: int) -> None:
    """Features that are not named are not looked at."""
    parts = list(expression.walk())
    policy = parts[-1].policy  # type: ignore[attr-defined]
    named = dict(policy.weights) if isinstance(policy, Guided) else {}
    missing = [name for name in FEATURES if name not in named]
    if missing and named:
        more = with_policy(expression, Guided((*policy.weights, *((name, 0.0) for name in missing))))
        assert outcome(ran(more, tree, seed, budget)) == outcome(ran(expression, tree, seed, budget))


@deterministic(60)
@given(learning(), GAMES, SEEDS, BUDGETS)
def test_guided_by_nothing_is_the_softmax_of_zeros(inner: Component, tree: int, seed: int, budget: int) -> None:
    guided = with_policy(inner, Guided((("distance", 0.0),)))
    for random, nothing in ((Adapt(inner, 2), Adapt(guided, 2)), (inner, guided)):
        assert outcome(ran(random, tree, seed, budget)) == outcome(ran(nothing, tree, seed, budget))


def with_policy(expression: Component, policy: Any) -> Component:
    rebuilt: Component = Simulate(policy)
    for part in reversed(list(expression.walk())[:-1]):
        rebuilt = part.around(rebuilt)  # type: ignore[attr-defined]
    return rebuilt


def test_a_plain_policy_is_put_back() -> None:
    expression = parse("adapt(step(select(sim, puct), max), 3, 2)")
    assert with_policy(with_policy(expression, Guided((("x", 1.0),))), RandomPlayout()) == expression


@pytest.mark.parametrize("expression", ["adapt(adapt(sim, 3), 3)", "adapt(select(sim(guided(slack=1)), puct), 5)"])
def test_the_seed_decides(expression: str) -> None:
    yields = [ran(parse(expression), 3, seed, 40).yields for seed in (1, 2, 3, 1)]
    assert yields[3] == yields[0]
    assert len({tuple(one) for one in yields}) == 3

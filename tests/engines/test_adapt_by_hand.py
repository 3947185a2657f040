"""adapt, guided and puct by numbers computed by hand: what is learnt, and what is drawn by it.

A draw of a playout inside `adapt` or under `guided` is a float, the value of uniform01; the others are as everywhere.
Weights are looked at in the middle of a run: a budget that ends in the k-th evaluation leaves what was learnt before.
"""

import math
from typing import Any

import pytest

from mcsgrammar.engines.reference.selection import Node, scale_of
from mcsgrammar.language.policies import Puct
from tests.engines.toys import CodedTreeGame, TreeGame, corridor, grown
from tests.engines.unfinished import Looked, look
from tests.tuning.scripted import Draw, in_place

E = math.e
GAME = {1: {3: 0.5, 4: 0.1, 5: 0.0}, 2: 0.3}
CLOSE = 1e-9


def weights(looked: Looked, depth: int = -1) -> dict[Any, float]:
    """What the innermost adapt under way has learnt, or that at a depth from the outside."""
    return dict(looked.search.playouts.teaching.under_way[depth])


def near(expected: dict[Any, float]) -> Any:
    return pytest.approx(expected, rel=1e-12, abs=1e-15)


def seen(expression: str, budget: int, *draws: Draw, tree: Any = GAME, **how: Any) -> Looked:
    return look(TreeGame(tree), expression, budget, *draws, **how)


# Learning.


@pytest.mark.parametrize(("written", "alpha"), [("", 1.0), (", 0.5", 0.5), (", 2", 2.0)])
def test_what_two_sequences_teach(written: str, alpha: float) -> None:
    expression, a = f"adapt(sim, 3{written})", E**alpha
    first = (0.2, 0.9)  # all weights are 0: the borders are 1/2, then 1/3 and 2/3
    assert weights(seen(expression, 1, *first)) == {}
    # (1, 5) is worth 0. The odds of 1 and 2 become e^(alpha / 2) and e^(-alpha / 2): 1 has a / (a + 1). Those of 3, 4
    # and 5 become e^(-alpha / 3) twice and e^(2 alpha / 3): 1, 1 and a of a + 2.
    learnt = {1: alpha / 2, 2: -alpha / 2, 3: -alpha / 3, 4: -alpha / 3, 5: alpha * 2 / 3}
    second = (a / (a + 1) - CLOSE, 1 / (a + 2) - CLOSE)
    two = seen(expression, 2, *first, *second)
    assert two.yields == [(1, 5), (1, 3)]
    assert weights(two) == near(learnt)
    for border, below, above in [(1 / (a + 2), 3, 4), (2 / (a + 2), 4, 5)]:
        for nudge, action in [(-CLOSE, below), (CLOSE, above)]:
            assert seen(expression, 2, *first, 0.0, border + nudge).yields[1] == (1, action)
    assert seen(expression, 2, *first, a / (a + 1) + CLOSE).yields[1] == (2,)
    # (1, 3) is worth 0.5 and is now the best: it gains what its probabilities lack to alpha.
    learnt[1] += alpha - alpha * a / (a + 1)
    learnt[2] -= alpha / (a + 1)
    learnt[3] += alpha - alpha / (a + 2)
    learnt[4] -= alpha / (a + 2)
    learnt[5] -= alpha * a / (a + 2)
    three = seen(expression, 3, *first, *second, 1 - 2.0**-53)
    assert three.yields[2] == (2,)
    assert weights(three) == near(learnt)
    assert (three.result.reward, three.result.actions) == (0.5, (1, 3))


def test_it_learns_from_the_best_and_not_from_the_last() -> None:
    looked = seen("adapt(sim, 3)", 3, 0.2, 0.2, 0.9, 0.1, 0.1)  # (1, 3), worth 0.5; (2,), worth 0.3; (1, 3)
    assert looked.yields == [(1, 3), (2,), (1, 3)]
    p = E / (E + 1)
    assert weights(looked)[1] == pytest.approx(0.5 + 1 - p)


def test_probabilities_are_those_of_before_the_walk() -> None:
    # The same code twice along the way: 1/2 each time, whatever the first has added.
    looked = seen("adapt(sim, 2)", 2, 0.2, 0.9, 0.2, 0.2, tree={1: {1: 0.5, 2: 0.1}, 2: 0.3})
    assert looked.yields == [(1, 2), (1, 1)]
    assert weights(looked) == {1: 0.0, 2: 0.0}
    looked = seen("adapt(sim, 2)", 2, 0.2, 0.2, 0.2, 0.2, tree={1: {1: 0.5, 2: 0.1}, 2: 0.3})
    assert weights(looked) == {1: 1.0, 2: -1.0}


def test_after_the_last_iteration_nothing_is_learnt() -> None:
    looked = seen("adapt(sim, 2)", 3, 0.2, 0.2, 0.2, 0.2, 0.49, 0.99)  # the third begins from nothing: 1/2
    assert looked.yields == [(1, 3), (1, 3), (1, 5)]
    assert weights(looked) == {}
    assert looked.search.playouts.teaching.known == {1, 2, 3, 4, 5}


def test_one_iteration_draws_as_it_does_and_learns_nothing() -> None:
    looked = seen("adapt(sim, 1)", 2, 0.49, 0.34, 0.51)
    assert looked.yields == [(1, 4), (2,)]
    assert looked.search.playouts.teaching.known == set()


def test_the_last_of_equals_is_learnt_from_and_handed_over() -> None:
    tree = {1: 0.5, 2: 0.5}
    two = seen("adapt(sim, 3)", 2, 0.2, 0.8, tree=tree)
    assert two.yields == [(1,), (2,)]
    assert two.result.actions == (2,)
    three = seen("adapt(sim, 3)", 3, 0.2, 0.8, 0.01, tree=tree)
    assert three.result.actions == (1,)
    p = E / (E + 1)  # of 1, when (2,) is learnt from
    assert weights(three) == near({1: 0.5 - p, 2: -0.5 + 1 - (1 - p)})
    # Elsewhere the first stays, between the invocations of the whole expression as well.
    assert seen("repeat(sim, 3)", 3, (0, 2), (1, 2), (0, 2), tree=tree).result.actions == (1,)
    assert seen("adapt(sim, 2)", 4, 0.2, 0.8, 0.2, 0.2, tree=tree).result.actions == (2,)
    assert seen("adapt(repeat(sim, 2), 1)", 2, 0.2, 0.8, tree=tree).result.actions == (1,)


# Bounds.


def test_weights_stay_between_minus_300_and_300() -> None:
    tree = {1: 0.5, 2: 0.1}
    two = seen("adapt(sim, 3, 1000)", 2, 0.2, 1 - 2.0**-53, tree=tree)
    assert two.yields == [(1,), (1,)]  # e^-600 is less than one draw in 2^53
    assert weights(two) == {1: 300.0, 2: -300.0}
    three = seen("adapt(sim, 3, 1000)", 3, 0.2, 1 - 2.0**-53, 0.0, tree=tree)
    assert weights(three) == {1: 300.0, 2: -300.0}
    # With 599 the change is 299.5, with 601 it is 300.5.
    assert weights(seen("adapt(sim, 3, 599)", 2, 0.2, 0.0, tree=tree)) == {1: 299.5, 2: -299.5}
    assert weights(seen("adapt(sim, 3, 601)", 2, 0.2, 0.0, tree=tree)) == {1: 300.0, 2: -300.0}


def test_only_what_comes_out_in_the_end_is_bounded() -> None:
    """+500 at the first move and -500 at the second are 0, not 300 - 500."""
    looked = seen("adapt(sim, 2, 1000)", 2, 0.2, 0.9, 0.2, 0.9, tree={1: {1: 0.1, 2: 0.5}, 2: 0.3})
    assert weights(looked) == {1: 0.0, 2: 0.0}


# Where it begins and ends.


def test_each_outermost_entry_begins_from_nothing() -> None:
    for draw, action in [(0.49, 1), (0.51, 2)]:
        looked = seen("step(adapt(sim, 2))", 3, 0.2, 0.2, 0.2, 0.2, draw, tree={1: {1: 0.5, 2: 0.1}, 2: 0.3})
        assert looked.yields == [(1, 1), (1, 1), (1, action)]
        assert weights(looked) == {}
        assert len(looked.search.playouts.teaching.under_way) == 1


def test_the_inner_begins_with_what_the_outer_learnt_and_hands_it_back() -> None:
    tree = {1: 0.5, 2: 0.3, 3: 0.1}
    two = (0.5, 0.0)  # (2,), then (1,)
    half = seen("adapt(adapt(sim, 2), 3)", 2, *two, tree=tree)
    assert weights(half, 0) == {}
    assert weights(half, 1) == near({1: -1 / 3, 2: 2 / 3, 3: -1 / 3})
    # The outer learns from (1,) alone, at probabilities of 1/3: what the inner learnt is gone.
    outer = near({1: 2 / 3, 2: -1 / 3, 3: -1 / 3})
    three = seen("adapt(adapt(sim, 2), 3)", 3, *two, E / (E + 2) + CLOSE, tree=tree)
    assert three.yields == [(2,), (1,), (2,)]
    assert weights(three, 0) == outer
    assert weights(three, 1) == outer
    four = seen("adapt(adapt(sim, 2), 3)", 4, *two, E / (E + 2) + CLOSE, 0.0, tree=tree)
    assert weights(four, 0) == outer
    z = E + 2
    inner = {1: 2 / 3 - E / z, 2: -1 / 3 + 1 - 1 / z, 3: -1 / 3 - 1 / z}
    assert weights(four, 1) == near(inner)
    five = seen("adapt(adapt(sim, 2), 3)", 5, *two, E / (E + 2) + CLOSE, 0.0, 0.0, tree=tree)
    assert weights(five, 0) == near({1: 2 / 3 + 1 - E / z, 2: -1 / 3 - 1 / z, 3: -1 / 3 - 1 / z})


def test_the_prefix_is_not_learnt() -> None:
    tree = {1: {3: 0.5, 4: 0.1}, 2: {5: 0.2, 6: 0.3}}
    draws: list[Draw] = [*in_place(2), 0.2, 0.2]
    looked = seen("lookahead(adapt(sim, 2))", 2, *draws, tree=tree)
    assert weights(looked) == {3: 0.5, 4: -0.5}
    looked = seen("lookahead(adapt(sim, 2))", 4, *draws, 0.9, 0.9, tree=tree)
    assert weights(looked) == {5: -0.5, 6: 0.5}
    # Nor is it when an outer adapt has learnt it.
    outer = seen("adapt(lookahead(adapt(sim, 2)), 2)", 6, *draws, 0.9, 0.9, *in_place(2), 0.2, 0.2, tree=tree)
    assert weights(outer, 0) == near({1: 0.5, 2: -0.5, 3: 0.5, 4: -0.5})
    assert {code: weights(outer, 1)[code] for code in (1, 2)} == {1: 0.5, 2: -0.5}


def test_forced_moves_cost_a_draw_and_teach_nothing() -> None:
    looked = seen("adapt(sim, 2)", 2, 0.99, 0.2, 0.01, 0.2, tree={9: {3: 0.5, 4: 0.1}})
    assert looked.yields == [(9, 3), (9, 3)]
    assert weights(looked) == {3: 0.5, 4: -0.5}
    assert weights(seen("adapt(sim, 3)", 3, *[0.5] * 9, tree=corridor(3, 0.5))) == {}


def test_a_final_state_is_valued_once() -> None:
    looked = seen("lookahead(adapt(sim, 5))", 2, *in_place(2), tree={1: 0.5, 2: 0.3})
    assert looked.yields == [(1,), (2,)]


def test_a_tree_around_learns_one_result_of_each_adapt() -> None:
    tree = {1: {3: 0.5, 4: 0.1}, 2: {5: 0.2, 6: 0.3}}
    # From the root: (1, 4), then (2, 6). Outside of the adapt, the untried child is drawn as by plain sim.
    draws: list[Draw] = [0.2, 0.9, 0.9, 0.9, (0, 2), 0.2, 0.2]
    looked = seen("select(adapt(sim, 2), 1)", 4, *draws, tree=tree)
    assert looked.yields == [(1, 4), (2, 6), (1, 3), (1, 3)]
    root, one = looked.node(), looked.node(1)
    # The second invocation was cut off by the budget before its best was handed on.
    assert (root.visits, root.total, one.visits) == (1, 0.3, 0)
    whole = seen("select(adapt(sim, 2), 1)", 5, *draws, (0, 1), 0.2, tree=tree)
    assert (whole.node().visits, whole.node().total, whole.node(1).visits, whole.node(1).total) == (2, 0.8, 1, 0.5)


# Inside it, a tree's untried children are drawn by what is learnt.


def test_untried_children_are_drawn_by_the_odds_among_them() -> None:
    tree = {1: 0.1, 2: 0.2, 3: 0.5}
    # The first playout from the root comes to (3,): w = -1/3, -1/3, 2/3. Among all three untried, e / (e + 2) is 3's.
    for nudge, action in [(-CLOSE, 2), (CLOSE, 3)]:
        looked = seen("adapt(select(sim, 0), 3)", 2, 0.9, 2 / (E + 2) + nudge, tree=tree)
        assert looked.yields == [(3,), (action,)]
    # Between 1 and 2 alone each has a half, when (3,) is learnt from once more.
    for nudge, action in [(-CLOSE, 1), (CLOSE, 2)]:
        assert seen("adapt(select(sim, 0), 3)", 3, 0.9, 0.99, 0.5 + nudge, tree=tree).yields[2] == (action,)
    # One untried child alone costs a draw, too; then the root is exhausted.
    assert seen("adapt(select(sim, 0), 9)", 4, 0.9, 0.99, 0.1, 0.5, tree=tree).yields[3] == (2,)


# Steps that forget.


@pytest.mark.parametrize("rule", ["visits", "mean", "max"])
def test_what_a_step_forgets_is_handed_over(rule: str) -> None:
    best_forgotten = 0
    for seed in range(60):
        tree = grown(seed % 20)
        looked = seen(f"adapt(step(repeat(select(sim, 0), 2), {rule}), 1)", 40, tree=tree, seed=seed)
        rewards = [worth(tree, path) for path in looked.yields]
        assert looked.result.reward == max(rewards)
        assert worth(tree, looked.result.actions) == max(rewards)
        best_forgotten += rewards[-1] < max(rewards)
    assert best_forgotten > 10


@pytest.mark.parametrize("rule", ["visits", "mean", "max"])
def test_what_a_step_forgot_is_not_lost_when_the_budget_ends(rule: str) -> None:
    for seed in range(12):
        tree = grown(seed)
        for budget in range(1, 25):
            looked = seen(f"adapt(step(repeat(select(sim, 0), 2), {rule}), 3)", budget, tree=tree, seed=seed)
            assert worth(tree, looked.result.actions) == max(worth(tree, path) for path in looked.yields)


@pytest.mark.parametrize("step", ["step(repeat(select(sim, 0.5), 2), visits)", "step(select(adapt(sim, 3), 0.5), max)"])
def test_a_step_hands_over_the_first_of_equals_whatever_it_forgets(step: str) -> None:
    for seed in range(60):
        tree = grown(seed % 31)
        plain = seen(f"adapt({step}, 10)", 120, tree=tree, seed=seed)
        wrapped = seen(f"adapt(repeat({step}, 1), 10)", 120, tree=tree, seed=seed)
        assert plain.yields == wrapped.yields
        assert plain.result.actions == wrapped.result.actions


def worth(tree: Any, path: tuple[int, ...]) -> float:
    for action in path:
        tree = tree[action]
    return float(tree)


# Codes.


def coded(expression: str, budget: int, *draws: Draw, tree: Any, code: str = "merging", **how: Any) -> Looked:
    return look(CodedTreeGame(tree, coded=code), expression, budget, *draws, **how)


def test_actions_with_one_code_share_a_weight() -> None:
    tree = {1: 0.1, 2: 0.2, 4: 0.5}  # the codes 1, 2 and 1
    looked = coded("adapt(sim, 2)", 2, 0.9, 0.0, tree=tree)
    assert looked.yields == [(4,), (1,)]
    assert weights(looked) == near({1: 1 - 2 / 3, 2: -1 / 3})
    z = 2 * E ** (1 / 3) + E ** (-1 / 3)
    for border, below, above in [(E ** (1 / 3) / z, 1, 2), ((E ** (1 / 3) + E ** (-1 / 3)) / z, 2, 4)]:
        for nudge, action in [(-CLOSE, below), (CLOSE, above)]:
            assert coded("adapt(sim, 2)", 2, 0.9, border + nudge, tree=tree).yields[1] == (action,)


def test_where_all_have_one_code_nothing_is_learnt_of_it() -> None:
    looked = coded("adapt(sim, 2)", 2, 0.9, 0.4, tree={1: 0.1, 4: 0.2})
    assert weights(looked) == {1: 0.0}
    assert looked.yields == [(4,), (1,)]


def test_codes_that_differ_beyond_32_bits() -> None:
    looked = coded("adapt(sim, 2)", 2, 0.9, 0.0, tree={1: 0.1, 2: 0.2}, code="high")
    assert weights(looked) == {2 << 41: -0.5, 4 << 41: 0.5}


def test_codes_take_the_room_of_nodes() -> None:
    tree = {1: 0.1, 2: 0.2, 3: 0.5}
    for room, learnt in [
        (1, {1: -1 / 3}),
        (2, {1: -1 / 3, 2: -1 / 3}),
        (3, {1: -1 / 3, 2: -1 / 3, 3: 2 / 3}),
    ]:
        looked = seen("adapt(sim, 2)", 2, 0.9, 0.0, tree=tree, max_nodes=room)
        assert weights(looked) == near(learnt)
        assert looked.result.tree_full == (room < 3)
        assert looked.result.tree_nodes == 0
    # The root and its three children come first.
    looked = seen("adapt(select(sim, 0), 2)", 2, 0.9, 0.0, tree=tree, max_nodes=5)
    assert weights(looked) == near({1: -1 / 3})
    assert (looked.result.tree_nodes, looked.result.tree_full) == (4, True)
    # Codes once known stay so, in later invocations as well.
    later = seen("adapt(sim, 2)", 4, 0.9, 0.0, 0.0, 0.0, tree=tree, max_nodes=2)
    assert weights(later) == near({1: 2 / 3, 2: -1 / 3})


# guided.

FEATURED = {1: 0.1, 2: 0.2, 3: 0.5}
"""distance -1/4, 0, 1/4; slack -1/4, 3/4, -1/4."""


@pytest.mark.parametrize(
    ("written", "odds"),
    [
        ("distance=4", [E**-1, 1, E]),
        ("distance=-4", [E, 1, E**-1]),
        ("slack=2", [E**-0.5, E**1.5, E**-0.5]),
        ("distance=4, slack=2", [E**-1.5, E**1.5, E**0.5]),
        ("distance=0", [1, 1, 1]),
    ],
)
def test_guided_draws_in_proportion_to_the_exponential_of_the_sum(written: str, odds: list[float]) -> None:
    first, second, all_of_them = odds[0], odds[0] + odds[1], sum(odds)
    for border, below, above in [(first / all_of_them, 1, 2), (second / all_of_them, 2, 3)]:
        for nudge, action in [(-CLOSE, below), (CLOSE, above)]:
            looked = coded(f"sim(guided({written}))", 1, border + nudge, tree=FEATURED)
            assert looked.yields == [(action,)]


def test_guided_draws_for_a_forced_move_and_bears_large_weights() -> None:
    assert coded("sim(guided(distance=1))", 1, 0.9, tree={1: 0.5}).yields == [(1,)]
    for weight, action in [(1e6, 3), (-1e6, 1)]:
        assert coded(f"sim(guided(distance={weight}))", 2, 0.0, 1 - 2.0**-53, tree=FEATURED).yields == [(action,)] * 2


def test_what_is_learnt_adds_to_the_sum() -> None:
    # P = e^-1, 1, e of z. After (1,): w = 1 - P(1), -P(2), -P(3); alpha times that.
    z = E**-1 + 1 + E
    p = [E**-1 / z, 1 / z, E / z]
    looked = coded("adapt(sim(guided(distance=4)), 2, 0.5)", 2, 0.0, 0.0, tree=FEATURED, code="action")
    learnt = {1: 0.5 - 0.5 * p[0], 2: -0.5 * p[1], 3: -0.5 * p[2]}
    assert weights(looked) == near(learnt)
    odds = [math.exp(b + learnt[a]) for a, b in [(1, -1), (2, 0), (3, 1)]]
    for border, below, above in [(odds[0], 1, 2), (odds[0] + odds[1], 2, 3)]:
        for nudge, action in [(-CLOSE, below), (CLOSE, above)]:
            draw = border / sum(odds) + nudge
            looked = coded("adapt(sim(guided(distance=4)), 2, 0.5)", 2, 0.0, draw, tree=FEATURED, code="action")
            assert looked.yields[1] == (action,)


# puct.


def test_puct_goes_by_the_prior_first_and_by_the_mean_later() -> None:
    # P = 0.090, 0.245, 0.665. The first playout, from the root, is no child's.
    tree = {a: {7: reward, 8: reward} for a, reward in FEATURED.items()}
    expression = "select(sim(guided(distance=4)), puct(c=1))"
    draws: list[Draw] = [0.5, 0.0]
    draws += [(0, 1), 0.0]  # n(x) = 0 counts as 1: the values are the priors
    # n(x) = 1: 3 has 0.5 + 0.665 / 2 = 0.83, 2 has 0.245. Below 3 the priors decide: 7 has the distance 0, 8 has 1/4.
    draws += [(0, 1), (0, 1)]
    looked = coded(expression, 3, *draws, tree=tree)
    assert looked.yields == [(3, 7), (3, 7), (3, 8)]
    assert [(looked.node(a).visits, looked.node(a).total) for a in (1, 2, 3)] == [(0, 0.0), (0, 0.0), (1, 0.5)]
    # With c = 10, n(x) = 1: 3 has 0.5 + 3.33, 2 has 2.45. n(x) = 2: 3, all of which is known, is out; 2 before 1.
    looked = coded(expression.replace("1)", "10)"), 4, *draws, (0, 1), (0, 1), tree=tree)
    assert looked.yields[3][0] == 3  # 7 is not known yet: it was a playout that came to it
    looked = coded(expression.replace("1)", "10)"), 5, *draws, (0, 1), (0, 1), (0, 1), 0.0, tree=tree)
    assert looked.yields[4] == (2, 7)


def test_puct_goes_by_what_is_learnt() -> None:
    # (2,) is what the playout from the root comes to: with e / (e + 2) it is the likeliest child, once it is learnt.
    tree = {1: 0.1, 2: 0.2, 3: 0.5}
    assert seen("adapt(select(sim, puct(c=1)), 2)", 2, 0.5, (0, 1), tree=tree).yields == [(2,), (2,)]
    # Outside of it all children are alike.
    assert seen("select(sim, puct(c=1))", 2, (1, 3), (2, 3), tree=tree).yields == [(2,), (3,)]


def test_below_the_local_root_the_constant_of_puct_is_a_half_under_maes2013() -> None:
    # At the local root there is one action.
    tree = {1: {3: {5: 0.5, 6: 0.5}, 4: {5: 0.1, 6: 0.1}}}
    half = seen("select(sim, puct(c=9))", 60, tree=tree, seed=3, semantics="maes2013")
    assert half.yields != seen("select(sim, puct(c=9))", 60, tree=tree, seed=3).yields
    assert half.yields == seen("select(sim, puct(c=0.5))", 60, tree=tree, seed=3).yields


def test_the_scale_of_puct() -> None:
    def scale(c: float, *visits: int) -> float:
        children = [Node() for _ in visits]
        for child, n in zip(children, visits, strict=True):
            child.visits = n
        return scale_of(Puct(), c, children)

    assert scale(2.0, 4, 0, 5) == 6.0
    assert scale(2.0, 0) == scale(2.0, 1) == 2.0
    assert scale(1.7e308, 1) == 1.7e308
    assert scale(1.7e308, 9) == 1.7976931348623157e308

"""What each component means, on games small enough to follow by hand; the engines agree at every budget on the way.

A draw is written `(value, n)`: the value that below(n) gives. Each test lists all draws of its run, in order, and
`play` finds a seed that gives them; so a draw too many, too few or elsewhere shows.
"""

from typing import Any

import pytest

from mcsgrammar.engines.searching import SemanticsName
from tests.engines.running import ENGINES, Played, agreed, play, run
from tests.engines.toys import Errand, InPlaceTreeGame, TreeGame, corridor, grown

SMALL = {1: {1: 0.5, 2: 0.1}, 2: 0.3}

ANY = (0, 1)
"""A draw that may be anything."""


def sure(reward: float, levels: int = 3) -> Any:
    """A game of two actions in which everything ends with the same reward."""
    return {1: sure(reward, levels - 1), 2: sure(reward, levels - 1)} if levels else reward


def first_actions(played: Played) -> list[int]:
    return [sequence[0] for sequence in played.yields]


# Search and yield.


def test_simulate_draws_one_action_after_the_other_until_the_end() -> None:
    played = play(SMALL, "sim", (0, 2), (1, 2), (1, 2), (0, 2), (0, 2), budget=3)
    assert played.yields == [(1, 2), (2,), (1, 1)]
    assert played.draws == 5
    assert played.result.curve == ((1, 0.1), (2, 0.3), (3, 0.5))
    assert (played.result.reward, played.result.actions) == (0.5, (1, 1))


def test_a_forced_choice_costs_a_draw() -> None:
    assert play(corridor(3, 0.4), "sim", budget=2).draws == 6


def test_the_first_of_equal_rewards_stays() -> None:
    played = play({1: 0.3, 2: 0.3}, "sim", (1, 2), (0, 2), budget=2)
    assert played.yields == [(2,), (1,)]
    assert played.result.actions == (2,)


def test_a_negative_reward_is_a_reward() -> None:
    played = play({1: -3.0, 2: -5.0}, "sim", (1, 2), (0, 2), budget=2)
    assert (played.result.reward, played.result.actions) == (-3.0, (1,))


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_comes_of_no_budget(engine: Any) -> None:
    game = TreeGame(SMALL)
    result = run(game, game.sample(None), "step(select(select(sim, 1), 0))", 0, engine=engine)
    assert (result.reward, result.actions, result.evaluations, result.curve) == (None, (), 0, ())
    assert (result.stop_reason, result.tree_nodes, result.tree_full) == ("evaluations", 2, False)
    assert game.seen == []


def test_a_problem_that_is_over_at_once_is_yielded_again_and_again() -> None:
    played = play(0.25, "sim", budget=3)
    assert (played.yields, played.draws) == ([(), (), ()], 0)
    assert (played.result.reward, played.result.actions) == (0.25, ())


@pytest.mark.parametrize("expression", ["lookahead(sim)", "step(sim)", "step(lookahead(sim))"])
def test_a_problem_that_is_over_at_once_needs_no_component(expression: str) -> None:
    assert play(0.25, expression, budget=3).yields == [(), (), ()]


# Repeat.


def test_repeat_invokes_from_the_same_state() -> None:
    # Two playouts from the root, commit, two from there.
    tree = {1: {1: 0.1, 2: 0.2}, 2: {1: 0.3, 2: 0.4}}
    draws = [(0, 2), (1, 2), (1, 2), (0, 2), (1, 2), (0, 2)]
    played = play(tree, "step(repeat(sim, 2))", *draws, budget=4)
    assert played.yields == [(1, 2), (2, 1), (2, 2), (2, 1)]
    assert played.draws == 6


def test_repeat_counts_anew_at_each_invocation() -> None:
    # lookahead draws 2 before 1; then each of them is played twice.
    played = play({1: sure(0.1, 1), 2: sure(0.2, 1)}, "lookahead(repeat(sim, 2))", (0, 2), budget=4)
    assert first_actions(played) == [2, 2, 1, 1]


def test_a_count_too_large_to_finish_is_no_problem() -> None:
    played = play(
        {1: {1: 0.1}, 2: {1: 0.2}}, "step(repeat(sim, 9223372036854775807))", (0, 2), (0, 1), (1, 2), budget=2
    )
    assert played.yields == [(1, 1), (2, 1)]


# Lookahead.


def test_lookahead_takes_every_action_once_in_random_order() -> None:
    # Fisher-Yates from the end: 1 2 3 -> swap the last with the first -> 3 2 1 -> swap the second with the first.
    played = play({1: 0.1, 2: 0.2, 3: 0.3}, "lookahead(sim)", (0, 3), (0, 2), budget=3)
    assert played.yields == [(2,), (3,), (1,)]
    assert played.draws == 2


def test_lookahead_invokes_its_component_on_the_successors() -> None:
    played = play(SMALL, "lookahead(sim)", (1, 2), (0, 2), budget=2)
    assert played.yields == [(1, 1), (2,)]
    assert played.draws == 2


def test_the_budget_ends_a_lookahead_in_its_midst() -> None:
    played = play({1: 0.1, 2: 0.2, 3: 0.3}, "lookahead(sim)", (0, 3), (0, 2), budget=1)
    assert (played.result.reward, played.result.actions, played.result.evaluations) == (0.2, (2,), 1)


def test_nested_lookahead_shuffles_at_every_level() -> None:
    tree = {1: {1: 0.11, 2: 0.12}, 2: {1: 0.21, 2: 0.22}}
    played = play(tree, "lookahead(lookahead(sim))", (0, 2), (1, 2), (0, 2), budget=4)
    assert played.yields == [(2, 1), (2, 2), (1, 2), (1, 1)]
    assert played.draws == 3


# Step.

THREE_MOVES = {1: {1: {1: 0.1, 2: 0.2}, 2: {1: 0.9, 2: 0.3}}, 2: 0.0}


def test_step_commits_from_its_best_sequence_so_far() -> None:
    draws = [
        *[(0, 2), (1, 2), (0, 2)],  # from the root: the best of this step
        *[(0, 2), (0, 2)],  # from (1): worse, so the best so far says 2
        *[(1, 2)],  # from (1, 2)
    ]
    played = play(THREE_MOVES, "step(sim)", *draws, budget=3)
    assert played.yields == [(1, 2, 1), (1, 1, 1), (1, 2, 2)]
    assert played.draws == 6


def test_a_step_knows_nothing_of_the_step_before() -> None:
    # The first step finds 0.9. The second starts with 0.0 and commits that; so does the third.
    draws = [(0, 2), (1, 2), (0, 2), (1, 2), (0, 2), (0, 2), (1, 2), (1, 2)]
    played = play(THREE_MOVES, "step(sim)", *draws, budget=5)
    assert played.yields == [(1, 2, 1), (1, 2, 1), (1, 2, 1), (2,), (2,)]
    assert played.draws == 8
    assert (played.result.reward, played.result.actions) == (0.9, (1, 2, 1))


def test_step_skips_no_forced_move() -> None:
    played = play(corridor(3, 0.4), "step(sim)", budget=4)
    assert played.yields == [(1, 1, 1)] * 4  # three, and the first of the next step
    assert played.draws == 3 + 2 + 1 + 3


FORCED_AFTER_1 = {1: {1: {1: {1: 0.9, 2: 0.3}, 2: {1: 0.5, 2: 0.1}}}, 2: 0.0}


def test_under_maes2013_forced_moves_are_committed_without_a_sub_search() -> None:
    draws = [
        *[(0, 2), (0, 1), (1, 2), (1, 2)],  # from the root; 1 is committed, and the 1 that must follow
        *[(0, 2), (1, 2)],  # from (1, 1): better; 1 is committed
        *[(0, 2)],  # from (1, 1, 1); over, and again from the root:
        *[(1, 2)],
    ]
    played = play(FORCED_AFTER_1, "step(sim)", *draws, budget=4, semantics="maes2013")
    assert played.yields == [(1, 1, 2, 2), (1, 1, 1, 2), (1, 1, 1, 1), (2,)]
    assert played.draws == 8


def test_after_a_forced_move_the_best_sequence_so_far_still_holds() -> None:
    # From (1, 1) the playout finds 0.3, but 0.5 was found from the root: so 2 is committed.
    draws = [*[(0, 2), (0, 1), (1, 2), (0, 2)], *[(0, 2), (1, 2)], *[(1, 2)]]
    played = play(FORCED_AFTER_1, "step(sim)", *draws, budget=3, semantics="maes2013")
    assert played.yields == [(1, 1, 2, 1), (1, 1, 1, 2), (1, 1, 2, 2)]


def test_the_first_move_of_a_step_is_searched_for_even_if_it_is_forced() -> None:
    # One sub-search from the root commits all three, in the first step and in those after it.
    played = play(corridor(3, 0.4), "step(sim)", budget=4, semantics="maes2013")
    assert played.yields == [(1, 1, 1)] * 4
    assert played.draws == 4 * 3
    # Lookahead leads to (1), where the step searches once; to an end, where it has nothing to do.
    played = play({1: corridor(3, 0.4), 2: 0.1}, "lookahead(step(sim))", (0, 2), budget=4, semantics="maes2013")
    assert played.yields[:2] == [(2,), (1, 1, 1, 1)]
    assert sorted(played.yields[2:]) == [(1, 1, 1, 1), (2,)]


def test_a_select_below_a_step_is_not_invoked_where_a_move_is_forced() -> None:
    # At the root it adds (1); the nodes of (1, 1) and (1, 1, 1) are added on the way to the next invocation, at
    # (1, 1, 1), whose two children are added as well.
    tree = {1: {1: {1: {1: 0.2, 2: 0.8}}}}
    played = play(tree, "step(select(sim, 0))", *[ANY] * 3, (0, 2), (1, 2), budget=2, semantics="maes2013")
    assert played.yields == [(1, 1, 1, 1), (1, 1, 1, 2)]
    assert [play(tree, "step(select(sim, 0))", budget=n, semantics="maes2013").result.tree_nodes for n in (1, 2)] == [
        2,
        6,
    ]


def test_an_inner_step_commits_for_itself_alone() -> None:
    # The inner step from the root plays 2 1; from (2) it finds 2 2 = 0.9, which the outer one then keeps.
    tree = {1: {1: 0.1, 2: 0.2}, 2: {1: 0.5, 2: 0.9}}
    draws = [(1, 2), (0, 2), (0, 2), (1, 2)]
    played = play(tree, "step(step(sim))", *draws, budget=3)
    assert played.yields == [(2, 1), (2, 1), (2, 2)]
    assert played.draws == 4


# Select.


def test_the_life_of_a_tree() -> None:
    tree = {1: {1: 0.2, 2: 0.8}, 2: 0.5}
    lines = [
        ([(0, 2), (0, 2)], (1, 1), 3),  # the root is a leaf: expand it, simulate from it
        ([(0, 2), (1, 2)], (1, 2), 5),  # two untried children: 1; expand it, simulate from it
        ([(0, 1)], (2,), 5),  # the other one is untried; it is final: exhausted
        ([(0, 1), (0, 2)], (1, 1), 5),  # 1 is all that is left; below it two untried, the first is final
        ([(0, 1), (0, 1)], (1, 2), 5),  # the second is final too; now all is exhausted
        ([(1, 2)], (2,), 5),  # so simulate runs at the root
    ]
    for n in range(1, len(lines) + 1):
        draws = [draw for drawn, _, _ in lines[:n] for draw in drawn]
        played = play(tree, "select(sim, 0)", *draws, budget=n)
        assert played.yields == [sequence for _, sequence, _ in lines[:n]]
        assert played.draws == len(draws)
        assert played.result.tree_nodes == lines[n - 1][2]


@pytest.mark.parametrize(
    ("c", "rewards", "expected"),
    [
        # After the first playout from the root and one for each action:
        ("0", (0.2, 0.5), [2, 2, 2, 2]),
        ("1", (0.2, 0.53), [2, 2, 1, 2]),  # 0.53 + 1.048 / 1.414 > 0.2 + 1.048, then 0.53 + 1.177 / 1.732 < 0.2 + 1.177
        ("1", (0.2, 0.5), [2, 1, 2, 2]),  # 0.5 + 1.048 / 1.414 < 0.2 + 1.048
        ("0.5", (0.2, 0.53), [2, 2, 2, 2]),
    ],
)
def test_ucb1_by_hand(c: str, rewards: tuple[float, float], expected: list[int]) -> None:
    # n(x) counts how often a child was chosen, not the playout from x itself: with it the second line would differ.
    tree = {1: sure(rewards[0], 4), 2: sure(rewards[1], 4)}
    draws = [*[ANY] * 5, (0, 2)]
    played = play(tree, f"select(sim, {c})", *draws, budget=7)
    assert first_actions(played)[1:] == [1, 2, *expected]


@pytest.mark.parametrize("drawn", [0, 1])
def test_ties_are_broken_by_one_draw(drawn: int) -> None:
    tree = {1: sure(0.5, 2), 2: sure(0.5, 2)}
    draws = [*[ANY] * 3, (0, 2), *[ANY] * 5, (drawn, 2)]
    played = play(tree, "select(sim, 1)", *draws, budget=4)
    assert first_actions(played)[1:] == [1, 2, drawn + 1]
    assert played.draws == 3 + 3 + 3 + 3


def test_the_best_of_the_sub_search_goes_into_the_tree() -> None:
    # Below 2 the two playouts find 0.1 and 0.9. Their mean would tie with 0.5, their last would win with 0.9 as well
    # as the first with 0.1; so both orders are played, and 2 is chosen by the draw that would choose 1 in a tie.
    for first in (0, 1):
        tree = {1: sure(0.5, 3), 2: {1: sure(0.1, 2), 2: sure(0.9, 2)}}
        root = [ANY] * 4 * 2
        one = [(0, 2), *[ANY] * 3 * 2]
        two = [ANY, (first, 2), ANY, ANY, (1 - first, 2), ANY, ANY]
        played = play(tree, "select(repeat(sim, 2), 0)", *root, *one, *two, (0, 2), budget=8)
        assert first_actions(played)[2:] == [1, 1, 2, 2, 2, 2]


def both_tried(rewards: tuple[float, float], draw: tuple[int, int], semantics: SemanticsName) -> int:
    """The action chosen, with C = 0, after each has been tried once; `draw` breaks a tie."""
    tree = {1: sure(rewards[0], 2), 2: sure(rewards[1], 2)}
    draws = [*[ANY] * 3, (0, 2), *[ANY] * 5, draw]
    return first_actions(play(tree, "select(sim, 0)", *draws, budget=4, semantics=semantics))[3]


@pytest.mark.parametrize(
    ("rewards", "draw", "standard", "maes2013"),
    [
        ((1.7, 1.0), (1, 2), 2, 1),  # clipped, they tie
        ((-3.0, 0.0), (0, 2), 1, 2),
        ((-1e40, -1e31), (0, 2), 1, 1),  # both beyond the floor of maes2013
        ((-1e40, -1e29), (0, 2), 1, 2),
        ((0.4, 0.5), (0, 2), 2, 2),
    ],
)
def test_clipping(rewards: tuple[float, float], draw: tuple[int, int], standard: int, maes2013: int) -> None:
    assert both_tried(rewards, draw, "standard") == standard
    assert both_tried(rewards, draw, "maes2013") == maes2013


@pytest.mark.parametrize(
    ("expression", "semantics", "expected"),
    [
        # At (1), below the local root, after one visit of each: 0.5, then 0.4 + 0.5 * 1.048 > 0.5 + 0.5 * 0.741.
        ("select(sim, 0)", "standard", [1, 2, 2, 2]),
        ("select(sim, 0.5)", "standard", [1, 2, 2, 1]),
        ("select(sim, 0)", "maes2013", [1, 2, 2, 1]),
        ("select(sim, 5)", "maes2013", [1, 2, 2, 1]),
        ("select(sim, 5)", "standard", [1, 2, 2, 1]),
    ],
)
def test_the_constant_of_maes2013_holds_at_the_local_root(
    expression: str, semantics: SemanticsName, expected: list[int]
) -> None:
    tree = {1: {1: sure(0.4, 5), 2: sure(0.5, 5)}}
    draws = [*[ANY] * 7, *[ANY] * 7, ANY, (0, 2)]
    played = play(tree, expression, *draws, budget=6, semantics=semantics)
    assert [sequence[1] for sequence in played.yields[2:]] == expected


@pytest.mark.parametrize("semantics", ["standard", "maes2013"])
def test_the_local_root_of_maes2013_is_where_select_was_invoked(semantics: SemanticsName) -> None:
    # lookahead has one action to take, so select is always invoked at (1): C = 0 holds there in both.
    tree = {1: {1: sure(0.4, 5), 2: sure(0.5, 5)}}
    draws = [*[ANY] * 6, (0, 2)]
    played = play(tree, "lookahead(select(sim, 0))", *draws, budget=6, semantics=semantics)
    assert [sequence[1] for sequence in played.yields[1:]] == [1, 2, 2, 2, 2]


# Select elsewhere than at the root.


def test_walking_to_a_prefix_adds_all_siblings() -> None:
    tree = {1: sure(0.1, 2), 2: sure(0.2, 2), 3: sure(0.3, 2)}
    nodes = [play(tree, "lookahead(select(sim, 0))", budget=n).result.tree_nodes for n in range(1, 7)]
    # The root and three children and two below the first; two below each other; then one level deeper.
    assert nodes == [6, 8, 10, 12, 14, 16]


def test_a_select_finds_its_statistics_again() -> None:
    # From the root: expand; commit 1. At (1), known but a leaf: expand. Over. In the second round, both are known.
    tree = {1: {1: 0.9, 2: 0.1}}
    draws = [(0, 1), (0, 2), (0, 2), (0, 1), (1, 2)]
    played = play(tree, "step(select(sim, 0))", *draws, budget=3)
    assert played.yields == [(1, 1), (1, 1), (1, 2)]
    assert played.result.tree_nodes == 4


def test_the_result_goes_up_to_the_root_of_the_tree() -> None:
    # The first round invokes select at (1), which counts as a visit of (1) from the root: 2 alone is untried in the
    # second round. Were both untried, the draw would choose 1.
    tree = {1: {1: 0.9, 2: 0.1}, 2: {1: 0.5, 2: 0.5}}
    played = play(tree, "step(select(sim, 0))", (0, 2), (0, 2), (1, 2), (0, 2), (0, 2), budget=3)
    assert played.yields == [(1, 1), (1, 2), (2, 1)]
    assert played.draws == 5


def test_two_selects_have_a_tree_each() -> None:
    # Both have a root, and expand it; with one tree, the inner would go on to the three below 1.
    tree = {1: {1: 0.1, 2: 0.2, 3: 0.3}, 2: {1: 0.4}}
    assert play(tree, "select(select(sim, 0), 0)", (0, 2), budget=1).result.tree_nodes == 2 + 2 + 2


def test_a_prefix_with_nothing_left_to_explore_is_searched_itself() -> None:
    # (1) is exhausted after three rounds; then simulate runs there, with two nodes each still.
    tree = {1: {1: 0.1, 2: 0.2}}
    played = play(tree, "lookahead(select(sim, 0))", (0, 2), (0, 2), (0, 1), (1, 2), (1, 2), (0, 2), budget=6)
    assert played.yields == [(1, 1), (1, 1), (1, 2), (1, 2), (1, 2), (1, 1)]
    assert played.draws == 6
    assert played.result.tree_nodes == 4


def test_a_finished_subtree_is_left_alone() -> None:
    # With C = 0 the mean of (1), 0.9, would win for ever; but it is final.
    tree = {1: 0.9, 2: sure(0.1, 3)}
    played = play(tree, "select(sim, 0)", (0, 2), (0, 2), budget=6)
    assert first_actions(played) == [1, 1, 2, 2, 2, 2]


# Memory.


@pytest.mark.parametrize(
    ("max_nodes", "nodes", "full"),
    [(1, 1, True), (3, 1, True), (4, 4, True), (5, 4, True), (6, 6, True), (8, 8, True), (10, 10, False)],
)
def test_a_node_gets_all_its_children_or_none(max_nodes: int, nodes: int, full: bool) -> None:
    tree = {1: {1: 0.1, 2: 0.2}, 2: {1: 0.3, 2: 0.4}, 3: {1: 0.5, 2: 0.6}}
    played = play(tree, "select(sim, 1)", budget=20, max_nodes=max_nodes)
    assert (played.result.tree_nodes, played.result.tree_full) == (nodes, full)


def test_where_a_full_tree_has_no_node_the_sub_search_runs_at_the_prefix() -> None:
    # There is room for the root alone. Two shuffled actions, and a playout below each.
    tree = {1: {1: 0.1, 2: 0.2}, 2: {1: 0.3, 2: 0.4}}
    played = play(tree, "lookahead(select(sim, 0))", (1, 2), (0, 2), (1, 2), budget=2, max_nodes=1)
    assert played.yields == [(1, 1), (2, 2)]
    assert played.draws == 3
    assert (played.result.tree_nodes, played.result.tree_full) == (1, True)


def test_a_full_tree_still_learns() -> None:
    # The root has its children, they have none: their means still say where to go.
    tree = {1: sure(0.2, 2), 2: sure(0.6, 2)}
    played = play(tree, "select(sim, 0)", *[ANY] * 3, (0, 2), budget=6, max_nodes=3)
    assert first_actions(played)[1:] == [1, 2, 2, 2, 2]
    assert played.result.tree_nodes == 3


def test_a_budget_that_ends_in_a_sub_search_leaves_its_leaf_expanded() -> None:
    played = play({1: sure(0.1, 2), 2: sure(0.2, 2)}, "select(repeat(sim, 9), 0)", budget=1)
    assert (played.result.evaluations, played.result.tree_nodes) == (1, 3)


# Domains of several kinds.

EXPRESSIONS = ("sim", "step(lookahead(sim))", "select(sim, 0.5)", "step(repeat(select(step(sim), 0.3), 3))")


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_states_that_change_and_states_that_do_not(expression: str) -> None:
    for seed in range(5):
        fixed, changing = TreeGame(grown(seed)), InPlaceTreeGame(grown(seed))
        result = agreed(fixed, fixed.sample(None), expression, 60, seed=seed)
        assert agreed(changing, changing.sample(None), expression, 60, seed=seed) == result


def test_a_domain_that_minimises() -> None:
    result = run(Errand(), [], "step(lookahead(sim))", 300)
    assert (result.reward, sum(result.actions)) == (1.0, 7)
    first = run(Errand(), [], "sim", 1, seed=2)
    assert first.reward == (7.0 - abs(7.0 - sum(first.actions))) / 7.0

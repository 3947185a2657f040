"""Playouts that are cut off, and what `step` commits: on games small enough to follow by hand."""

from typing import Any

import pytest

from mcsgrammar.engines.reference.interpreter import ReferenceSearch
from mcsgrammar.engines.reference.selection import Node
from mcsgrammar.engines.searching import Limits, SearchTask, prepare
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Select, Step
from mcsgrammar.language.parsing import parse
from tests.engines.running import both
from tests.engines.toys import TreeGame, corridor
from tests.engines.unfinished import WORTH, ValuedTreeGame, look
from tests.tuning.scripted import Scripted


def lane(*worths: float) -> Any:
    """One action a state; the states, from the first on, are worth this much."""
    return worths[0] if len(worths) == 1 else {WORTH: worths[0], 1: lane(*worths[1:])}


def lengths(game: ValuedTreeGame, expression: str, budget: int, **how: Any) -> list[int]:
    return [len(path) for path in look(game, expression, budget, **how).yields]


LANE = lane(0.0, 0.1, 0.2, 0.3, 0.4, 0.5)
"""Five actions long."""

# Cuts.


@pytest.mark.parametrize("policy", ["random(depth=2)", "mast(depth=2)", "nst(depth=2)"])
def test_a_playout_is_cut_off_after_depth_actions(policy: str) -> None:
    looked = look(ValuedTreeGame(LANE), f"sim({policy})", 2)
    assert looked.yields == [(1, 1), (1, 1)]
    assert (looked.result.reward, looked.result.actions) == (0.2, (1, 1))


@pytest.mark.parametrize(("depth", "length"), [(1, 1), (4, 4), (5, 5), (6, 5), ("inf", 5)])
def test_a_playout_ends_at_the_end_all_the_same(depth: Any, length: int) -> None:
    assert lengths(ValuedTreeGame(LANE), f"sim(random(depth={depth}))", 2) == [length] * 2


def test_a_cut_costs_no_draw_for_what_it_leaves_out() -> None:
    game = ValuedTreeGame({1: {1: {1: 0.5}, 2: {1: 0.25}}, 2: {1: {1: 0.125}}})
    looked = look(game, "sim(random(depth=2))", 2, (0, 2), (1, 2), (1, 2), (0, 1))
    assert looked.yields == [(1, 2), (2, 1)]


def test_the_depth_counts_from_where_the_playout_starts() -> None:
    assert lengths(ValuedTreeGame(LANE), "lookahead(lookahead(sim(random(depth=2))))", 1) == [4]
    assert lengths(ValuedTreeGame(LANE), "step(sim(random(depth=2)))", 5) == [2, 3, 4, 5, 5]


@pytest.mark.parametrize("between", ["{}", "repeat({}, 1)", "tune(repeat({}, {{1}}), random)"])
def test_in_the_tree_of_a_select_descent_and_playout_together_count(between: str) -> None:
    # The leaf is 0, 1, 2, 2, 2 deep: the playout from it ends at 2, and the tree does not grow past that.
    expression = f"select({between.format('sim(random(depth=2))')}, 0.5)"
    looked = look(ValuedTreeGame(LANE), expression, 6)
    assert [len(path) for path in looked.yields] == [2] * 6
    assert looked.node(1, 1).visits == 3
    assert looked.node(1, 1).children == []
    assert not looked.node(1, 1).exhausted and not looked.node().exhausted
    assert looked.result.tree_nodes == 3


def test_an_end_within_reach_is_still_exhausted() -> None:
    looked = look(ValuedTreeGame({1: 0.5, 2: {1: {1: 0.25}}}), "select(sim(random(depth=2)), 0)", 12, seed=1)
    assert looked.node(1).exhausted and looked.node(1).visits == 1
    assert not looked.node(2).exhausted
    assert {len(path) for path in looked.yields if path[0] == 2} == {2}


def test_every_invocation_under_a_step_may_go_depth_from_its_own_prefix() -> None:
    # From (): 2 deep; then from (1): 3; from (1, 1): 4; from (1, 1, 1) and on: 5, the end.
    assert lengths(ValuedTreeGame(LANE), "step(select(sim(random(depth=2)), 0))", 5) == [2, 3, 4, 5, 5]
    assert (
        lengths(ValuedTreeGame(LANE), "step(repeat(select(sim(random(depth=2)), 0), 3))", 9)
        == [2] * 3 + [3] * 3 + [4] * 3
    )


def test_a_descent_is_cut_off_where_the_tree_has_grown_deeper() -> None:
    # From each of the five prefixes of a round three invocations, which reach 2 further, 5 being the end. In the second
    # round the tree below () is deeper than 2, for it grew below (1) and further on, too.
    def twofold(levels: int) -> Any:
        return {1: twofold(levels - 1), 2: twofold(levels - 1)} if levels else 0.5

    reached = lengths(ValuedTreeGame(twofold(5)), "step(repeat(select(sim(random(depth=2)), 1), 3))", 60)
    assert reached == ([2] * 3 + [3] * 3 + [4] * 3 + [5] * 6) * 4


def test_a_step_between_select_and_playout_lets_playouts_count_alone() -> None:
    # The select's leaf is (), (1), (1, 1) …: from there step plays one action, commits it, plays one, …, to the end.
    assert lengths(ValuedTreeGame(LANE), "select(step(sim(random(depth=1))), 0)", 9) == [1, 2, 3, 4, 5, 2, 3, 4, 5]
    # And so does lookahead.
    assert lengths(ValuedTreeGame(LANE), "select(lookahead(sim(random(depth=1))), 0)", 4) == [2, 3, 4, 5]


def test_of_two_selects_the_one_around_the_playout_is_cut() -> None:
    # The outer leaf is (), (1), …; the inner one goes 2 from there, its tree being deeper each time.
    assert lengths(ValuedTreeGame(LANE), "select(select(sim(random(depth=2)), 0), 0)", 4) == [2, 3, 4, 5]


def test_a_step_goes_on_where_its_best_sequence_is_used_up() -> None:
    # Its best, 0.9, is the first state; it commits that, and goes on by the best of what comes after.
    game = ValuedTreeGame({1: {WORTH: 0.9, 1: {WORTH: 0.1, 1: 0.2, 2: 0.3}, 2: {WORTH: 0.4, 1: 0.0, 2: 0.6}}, 2: 0.5})
    draws = [(0, 2), (1, 2), (1, 2), (1, 2), (0, 2)]
    looked = look(game, "step(repeat(sim(random(depth=1)), 2))", 6, (0, 2), (1, 2), *draws[1:3], *[(0, 2), (1, 2)])
    # 0.9 and 0.5: commit 1. 0.4 twice: commit 2. 0.0 and 0.6: commit 2, the end; the budget ends with that.
    assert looked.yields == [(1,), (2,), (1, 2), (1, 2), (1, 2, 1), (1, 2, 2)]
    assert (looked.result.reward, looked.result.actions) == (0.9, (1,))


def test_a_best_sequence_that_reaches_further_is_followed_to_its_end() -> None:
    # From () a playout of two reaches 0.8; from (1) one reaches only 0.2 in (1, 2, 1). What is best so far, 1 1, holds.
    # Then it is used up: from (1, 1) on it starts anew.
    game = ValuedTreeGame({1: {1: {WORTH: 0.8, 1: {WORTH: 0.1, 1: 0.05}}, 2: {1: {WORTH: 0.2, 1: 0.3}}}})
    looked = look(game, "step(sim(random(depth=2)))", 4, (0, 1), (0, 2), (1, 2), (0, 1), (0, 1), (0, 1), (0, 1))
    assert looked.yields == [(1, 1), (1, 2, 1), (1, 1, 1, 1), (1, 1, 1, 1)]


def test_under_maes2013_forced_moves_may_lead_past_the_end_of_the_best_sequence() -> None:
    # The playout of one ends in (1), and so does what is best; 1 and 1 must follow. From there the step starts anew,
    # for nothing says what comes next: from (1, 1, 1) it finds 0.2 and commits 2, and once more.
    game = ValuedTreeGame({1: {WORTH: 0.9, 1: {1: {1: 0.3, 2: {WORTH: 0.2, 1: 0.5, 2: 0.6}}}}, 2: 0.0})
    draws = [(0, 2), (1, 2), (0, 2), (1, 2)]
    looked = look(game, "step(sim(random(depth=1)))", 4, *draws, semantics="maes2013")
    assert looked.yields == [(1,), (1, 1, 1, 2), (1, 1, 1, 2, 1), (2,)]
    assert (looked.result.reward, looked.result.actions) == (0.9, (1,))
    for seed in range(5):  # what mast learns shows which states were reached
        both(game, game.sample(None), "step(sim(mast(eps=1, depth=1)))", 9, seed=seed, semantics="maes2013")


@pytest.mark.parametrize("rule", ["mean", "visits", "max"])
def test_under_maes2013_no_rule_is_asked_about_a_forced_move(rule: str) -> None:
    game = TreeGame({1: {1: {1: {1: 0.75, 2: 0.5}}}, 2: 0.25})
    draws = [
        *[(0, 2), (0, 1), (0, 1), (1, 2)],  # the root is a leaf: a playout from there
        *[(0, 2), (0, 1), (0, 1), (1, 2)],  # untried 1, a playout from there
        (0, 1),  # the rule's choice among those visited, which is 1 alone; 1 and 1 must follow
        *[(0, 2)],  # (1, 1, 1) is a leaf: a playout from there
        *[(1, 2)],  # untried 2
    ]
    looked = look(game, f"step(repeat(select(sim, 0), 2), {rule})", 4, *draws, semantics="maes2013")
    assert looked.yields == [(1, 1, 1, 2), (1, 1, 1, 2), (1, 1, 1, 1), (1, 1, 1, 2)]


def test_what_a_step_forgets_its_surroundings_remember() -> None:
    # The select hears of 0.9, not of what the step had last.
    game = ValuedTreeGame({1: {WORTH: 0.9, 1: {WORTH: 0.1, 1: 0.2}}})
    looked = look(game, "select(step(sim(random(depth=1))), 0)", 4)
    assert looked.node().total == 0.9
    assert (looked.result.reward, looked.result.actions) == (0.9, (1,))


def test_without_a_depth_unfinished_states_are_never_valued() -> None:
    looked = look(ValuedTreeGame(LANE), "step(select(sim, 0))", 8)
    assert {len(path) for path in looked.yields} == {5}


@pytest.mark.parametrize("depth", ["3", "{2, 3}", "{inf, 2}"])
def test_a_domain_that_does_not_value_unfinished_states_refuses_a_depth(depth: str) -> None:
    simulate = f"sim(random(depth={depth}))"
    expression = f"step({simulate})" if depth == "3" else f"tune(step({simulate}), random)"
    with pytest.raises(InvalidExpression) as refusal:
        prepare(parse(expression), TreeGame(corridor(3, 0.5)), Limits(10))
    assert str(refusal.value) == (
        f"{simulate} cuts playouts off, and TreeGame does not value unfinished states; leave depth out, or set "
        "values_unfinished in the domain if its reward means something before the end"
    )


def test_a_depth_that_never_cuts_is_no_depth() -> None:
    game = TreeGame(corridor(3, 0.5))
    assert look(game, "step(sim(mast(depth=inf)))", 2).yields == [(1, 1, 1)] * 2


# Commit rules.


def committing(rule: str, children: list[Node], *draws: tuple[int, int]) -> Any:
    """What the rule commits at a root with these children."""
    game = TreeGame(corridor(2, 0.5))
    step = parse(f"step(repeat(select(sim, 0.5), 4), {rule})")
    search = ReferenceSearch(game, game.sample(None), SearchTask(step, 0), lambda n: None)
    select = next(part for part in step.walk() if isinstance(part, Select))
    search.trees[id(select)].children = children
    search.random = Scripted(*draws)
    assert isinstance(step, Step)
    action = search.committed_by_statistic(step, rule, [])
    search.random.expect()
    return action


def child(action: int, *results: float) -> Node:
    made = Node(action)
    for result in results:
        made.visits += 1
        made.total += result
        made.top = max(made.top, result)
    return made


def test_each_rule_has_its_own_choice() -> None:
    children = [child(1, 0.5, 0.5, 0.5), child(2, 0.625), child(3, 0.875, 0.0), child(4)]
    assert committing("visits", children, (0, 1)) == 1
    assert committing("mean", children, (0, 1)) == 2
    assert committing("max", children, (0, 1)) == 3


@pytest.mark.parametrize("rule", ["mean", "visits", "max"])
def test_ties_are_broken_at_random(rule: str) -> None:
    children = [child(1, 0.5), child(2), child(3, 0.5), child(4, 0.5)]
    assert [committing(rule, children, (place, 3)) for place in range(3)] == [1, 3, 4]


@pytest.mark.parametrize("rule", ["mean", "visits", "max"])
def test_a_rule_says_nothing_where_no_child_was_visited(rule: str) -> None:
    assert committing(rule, [child(1), child(2)]) is None
    assert committing(rule, []) is None


@pytest.mark.parametrize("rule", ["mean", "visits", "max"])
def test_an_exhausted_child_may_be_committed(rule: str) -> None:
    children = [child(1, 0.75, 0.75), child(2, 0.5)]
    children[0].exhausted = True
    assert committing(rule, children, (0, 1)) == 1


FORK = {1: {1: {1: 0.5}, 2: {1: 0.5}}, 2: {1: {1: 0.9}, 2: {1: 0.0}}}
"""2 holds the best and the worst."""


@pytest.mark.parametrize("rule", ["best", "mean", "visits", "max"])
def test_a_step_commits_by_its_rule(rule: str) -> None:
    # Five invocations of select, c = 0.
    draws = [
        *[(1, 2), (0, 2), (0, 1)],  # the root is a leaf; a playout 2 1 1: 0.9
        *[(0, 2), (0, 2), (0, 1)],  # untried 1, a playout 1 1: 0.5
        *[(0, 1), (1, 2), (0, 1)],  # untried 2, a playout 2 1: 0.0
        *[(0, 1), (0, 2), (0, 1)],  # 1 with 0.5 against 0; untried 1, a playout 1: 0.5
        *[(0, 1), (0, 1), (0, 1)],  # 1; untried 2, a playout 1: 0.5
    ]
    if rule == "best":
        # 2, for the best sequence begins with it, though the tree knows only 0.0 of it. Untried 1, a playout 1.
        draws, expected = [*draws, (0, 2), (0, 1)], (2, 1, 1)
    else:
        # 1: three visits against one, 0.5 against 0.0; a draw. Then 1 of two alike, and its only child.
        draws, expected = [*draws, (0, 1), (0, 2), (0, 1)], (1, 1, 1)
    looked = look(TreeGame(FORK), f"step(repeat(select(sim, 0), 5), {rule})", 6, *draws)
    assert looked.yields == [(2, 1, 1), (1, 1, 1), (2, 2, 1), (1, 1, 1), (1, 2, 1), expected]


def test_a_step_falls_back_on_the_best_of_its_last_sub_search() -> None:
    # One invocation of select: the root is a leaf, so no child was visited. From () 2 1 1 (0.9): 2. From (2), again a
    # leaf, 2 1 (0.0): its best so far would say 1, but only the last sub-search counts: 2.
    draws = [(1, 2), (0, 2), (0, 1), (1, 2), (0, 1), (0, 1)]
    looked = look(TreeGame(FORK), "step(select(sim, 0), visits)", 3, *draws)
    assert looked.yields == [(2, 1, 1), (2, 2, 1), (2, 2, 1)]
    follows = look(TreeGame(FORK), "step(select(sim, 0))", 3, *draws[:5], (0, 1))
    assert follows.yields == [(2, 1, 1), (2, 2, 1), (2, 1, 1)]


def test_in_a_tree_that_is_full_a_rule_falls_back_too() -> None:
    draws = [(1, 2), (0, 2), (0, 1)] * 2
    looked = look(TreeGame(FORK), "step(repeat(select(sim, 0), 2), mean)", 3, *draws, (1, 2), (0, 1), max_nodes=1)
    assert looked.result.tree_full
    assert looked.yields == [(2, 1, 1), (2, 1, 1), (2, 2, 1)]

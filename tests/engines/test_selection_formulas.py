"""What the selection policies are worth and choose, by numbers computed by hand."""

import math
from typing import Any

import pytest

from mcsgrammar.engines.reference.interpreter import ReferenceSearch
from mcsgrammar.engines.reference.means import Room
from mcsgrammar.engines.reference.selection import Node, Scaled, reference_node, scale_of, values_of
from mcsgrammar.engines.searching import SearchTask
from mcsgrammar.language.expressions import Select
from mcsgrammar.language.parsing import parse
from mcsgrammar.language.policies import Ucb1
from tests.engines.toys import TreeGame, corridor
from tests.engines.unfinished import look
from tests.tuning.scripted import Draw, Scripted

ROOM = Room(10_000)


def node(action: int, visits: int = 0, mean: float = 0.0, amaf: dict[int, tuple[float, float]] | None = None) -> Node:
    """A node; `amaf` is (count, mean) by action."""
    made = Node(action)
    made.visits, made.total = visits, visits * mean
    if amaf is not None:
        made.all_moves_as_first(ROOM).entries.update({a: [count, mean] for a, (count, mean) in amaf.items()})
    return made


def searching(policy: str, playout: str = "random") -> tuple[ReferenceSearch, Select]:
    game = TreeGame(corridor(2, 0.5))
    select = parse(f"select(sim({playout}), {policy})")
    assert isinstance(select, Select)
    return ReferenceSearch(game, game.sample(None), SearchTask(select, 0), lambda n: None), select


def values(policy: str, path: list[Node], children: list[Node], *priors: float) -> list[float]:
    """What the children of the last node of the path are worth."""
    search, select = searching(policy)
    path[-1].children = children
    n = sum(child.visits for child in children)
    c = search.settings[id(select)]["c"]
    scale = c * math.sqrt(max(1, n)) if priors else c * math.sqrt(math.log(n)) if n else 0.0
    settings = search.settings[id(select)]
    amaf = reference_node(settings["ref"], path).amaf if "ref" in settings else None
    scaled = Scaled(path[-1] if settings.get("norm") else None)
    return values_of(select.policy, settings, path[-1].visits, children, scale, scaled, amaf, search.history, priors)


def chosen(policy: str, path: list[Node], children: list[Node], *draws: Draw, playout: str = "random") -> Any:
    """The action chosen below the last node of the path."""
    search, select = searching(policy, playout)
    path[-1].children = children
    search.random = Scripted(*draws)
    action = search.choose(select, path, [], None, 0).action
    search.random.expect()
    return action


# ucb1.


def test_ucb1_is_the_mean_and_c_times_the_root_of_ln_n_over_n() -> None:
    # n(x) = 6: sqrt(ln 6) = 1.33857
    found = values("ucb1(c=0.5)", [node(0, 9)], [node(1, 1, 0.25), node(2, 4, 0.5), node(3, 1, 0.0)])
    assert found == pytest.approx([0.25 + 0.5 * 1.33857, 0.5 + 0.25 * 1.33857, 0.5 * 1.33857], abs=1e-5)


def test_n_of_x_is_that_of_the_children_and_not_of_the_node() -> None:
    assert scale_of(Ucb1(), 0.5, []) == 0
    assert scale_of(Ucb1(), 0.5, [node(1, 1)]) == 0  # ln 1
    here = [node(1, 4), node(2), node(3, 2)]
    assert scale_of(Ucb1(), 0.5, here) == pytest.approx(0.5 * 1.33857, abs=1e-5)
    assert scale_of(Ucb1(), 1.7e308, here) == 1.7976931348623157e308  # the largest float, not inf


@pytest.mark.parametrize("fpu", [-1.0, 0.0, 0.5, 1.0])
def test_a_finite_fpu_is_what_an_untried_child_is_worth(fpu: float) -> None:
    found = values(f"ucb1(c=0.5, fpu={fpu})", [node(0, 9)], [node(1, 4, 0.5), node(2), node(3, 2, 0.25)])
    assert found[1] == fpu
    assert found[0] == pytest.approx(0.5 + 0.25 * 1.33857, abs=1e-5)


def test_a_finite_fpu_competes_and_an_infinite_one_comes_first() -> None:
    children = [node(1, 4, 0.75), node(2, 2, 0.5), node(3), node(4)]
    assert chosen("ucb1(c=0, fpu=0.7)", [node(0, 6)], children, (0, 1)) == 1
    assert chosen("ucb1(c=0, fpu=0.8)", [node(0, 6)], children, (1, 2)) == 4
    assert chosen("ucb1(c=0, fpu=0.75)", [node(0, 6)], children, (1, 3)) == 3  # three times 0.75
    assert chosen("ucb1(c=0)", [node(0, 6)], children, (0, 2)) == 3
    assert chosen("ucb1(c=9)", [node(0, 6)], [children[0], children[2]], (0, 1)) == 3  # forced, and a draw


def test_ties_are_broken_at_random_among_those_not_exhausted() -> None:
    children = [node(1, 1, 0.5), node(2, 1, 0.5), node(3, 1, 0.25), node(4, 1, 0.5)]
    assert chosen("ucb1(c=1)", [node(0, 4)], children, (2, 3)) == 4
    children[1].exhausted = True
    assert chosen("ucb1(c=1)", [node(0, 4)], children, (1, 2)) == 4
    children[0].exhausted = children[3].exhausted = True
    assert chosen("ucb1(c=1)", [node(0, 4)], children, (0, 1)) == 3


@pytest.mark.parametrize(
    ("vo", "eligible"), [(0, [1]), (0.1, [1]), (0.125, [1, 2]), (0.25, [1, 2, 4]), (5, [1, 2, 3, 4])]
)
def test_vo_makes_all_eligible_that_are_worth_nearly_as_much(vo: float, eligible: list[int]) -> None:
    children = [node(1, 1, 0.75), node(2, 1, 0.625), node(3, 1, 0.25), node(4, 1, 0.5)]
    found = [
        chosen(f"ucb1(c=0, vo={vo})", [node(0, 4)], children, (place, len(eligible))) for place in range(len(eligible))
    ]
    assert found == eligible


def test_vo_is_taken_from_the_value_with_its_exploration() -> None:
    # n(x) = 5: sqrt(ln 5) = 1.26864. 0.5 + 0.63432 = 1.134 and 0 + 1.269: within 0.2, not within 0.1.
    children = [node(1, 4, 0.5), node(2, 1, 0.0)]
    assert chosen("ucb1(c=1, vo=0.2)", [node(0, 5)], children, (0, 2)) == 1
    assert chosen("ucb1(c=1, vo=0.1)", [node(0, 5)], children, (0, 1)) == 2


@pytest.mark.parametrize("policy", ["ucb1", "grave", "history"])
def test_below_t_visits_the_playout_policy_chooses(policy: str) -> None:
    children = [node(1, 4, 0.9), node(2, 2, 0.1), node(3)]
    assert chosen(f"{policy}(c=0, t=7)", [node(0, 6)], children, (1, 3)) == 2
    assert chosen(f"{policy}(c=0, t=6)", [node(0, 6)], children, (0, 1)) == 3  # 6 are not fewer: the untried one
    assert chosen(f"{policy}(c=0, t=inf)", [node(0, 6)], children, (0, 3)) == 1
    children[0].exhausted = True
    assert chosen(f"{policy}(c=0, t=inf)", [node(0, 6)], children, (0, 2)) == 2


def test_the_playout_policy_chooses_among_several_untried_children() -> None:
    search, select = searching("ucb1(c=0)", "mast(eps=0.5)")
    search.playouts.learn((1,), 0.25)
    search.playouts.learn((2,), 0.5)
    search.playouts.learn((4,), 1.0)
    root = node(0, 1)
    root.children = [node(1), node(2), node(4, 1, 1.0), node(1)]
    search.random = Scripted(0.5, (0, 1))  # greedy: 2 is the best of the untried ones
    assert search.choose(select, [root], [], None, True).action == 2
    search.random = Scripted(0.4, (2, 3))
    assert search.choose(select, [root], [], None, True).action == 1


def test_below_t_visits_the_playout_policy_goes_by_what_it_learnt() -> None:
    search, select = searching("ucb1(c=0, t=9)", "mast(eps=0.5)")
    search.playouts.learn((1,), 0.25)
    search.playouts.learn((2,), 0.5)
    root = node(0, 8)
    root.children = [node(1, 4, 1.0), node(2, 4, 0.0)]
    search.random = Scripted(0.5, (0, 1))  # greedy: 2, though the tree knows better
    assert search.choose(select, [root], [], None, True).action == 2
    search.random = Scripted(0.4, (0, 2))
    assert search.choose(select, [root], [], None, True).action == 1


# grave.


@pytest.mark.parametrize(
    ("k", "visits", "beta"),
    [
        (30.0, 10, math.sqrt(0.5)),
        (250.0, 10, math.sqrt(250 / 280)),
        (3.0, 1, math.sqrt(0.5)),
        (1.0, 1, 0.5),
        (1.0, 0, 1.0),
    ],
)
def test_beta_of_k_is_the_root_of_k_over_3n_and_k(k: float, visits: int, beta: float) -> None:
    # N is that of the node at hand, not of the child nor of the reference.
    here = node(9, visits, 0.0, {1: (4, 0.5)})
    found = values(f"grave(c=0, ref=0, k={k})", [node(0, 1000), here], [node(1, 2, 0.25)])
    assert found == [pytest.approx((1 - beta) * 0.25 + beta * 0.5, rel=1e-12)]


def test_k_is_250_and_ref_50_by_default() -> None:
    path = [node(0, 60, 0.0, {1: (4, 1.0)}), node(9, 49, 0.0, {1: (4, 0.5)})]
    beta = math.sqrt(250 / (3 * 49 + 250))
    assert values("grave(c=0)", path, [node(1, 2, 0.25)]) == [pytest.approx((1 - beta) * 0.25 + beta * 1.0)]


def test_k_is_infinite_for_amaf_alone_and_0_for_none() -> None:
    path = [node(0, 10, 0.0, {1: (4, 0.5), 2: (1, 0.875)})]
    children = [node(1, 2, 0.25), node(2), node(3, 2, 0.75)]
    assert values("grave(c=0, ref=0, k=inf, fpu=0.6)", path, children) == [0.5, 0.875, 0.75]
    assert values("grave(c=0, ref=0, k=0, fpu=0.6)", path, children) == [0.25, 0.6, 0.75]
    same = values("ucb1(c=0.3, fpu=0.6)", path, children)
    assert values("grave(c=0.3, ref=0, k=0, fpu=0.6)", path, children) == same


@pytest.mark.parametrize(
    ("ref", "amaf"),
    [(0, 0.125), (10, 0.125), (11, 0.5), (60, 0.5), (61, 0.875), (100, 0.875), (101, 0.875), ("inf", 0.875)],
)
def test_the_reference_is_the_nearest_node_above_with_enough_visits_or_the_root(ref: Any, amaf: float) -> None:
    path = [node(0, 100, 0.0, {1: (9, 0.875)}), node(8, 60, 0.0, {1: (9, 0.5)}), node(9, 10, 0.0, {1: (9, 0.125)})]
    assert values(f"grave(c=0, ref={ref}, k=inf)", path, [node(1, 2, 0.25)]) == [amaf]


def test_only_the_reference_counts_even_if_it_knows_nothing() -> None:
    path = [node(0, 100, 0.0, {1: (9, 0.875)}), node(8, 60, 0.0, {2: (9, 0.5)}), node(9, 10)]
    assert values("grave(c=0, ref=50, k=inf, fpu=0.3)", path, [node(1, 2, 0.25), node(2), node(3)]) == [0.25, 0.5, 0.3]
    assert values("grave(c=0, ref=0, k=inf, fpu=0.3)", path, [node(1, 2, 0.25), node(2)]) == [0.25, 0.3]


def test_beta_of_bias_weighs_the_two_counts() -> None:
    # m = 4, n = 6: 4 / (4 + 6 + 0.5 * 24) = 4 / 22; m = 1, n = 6: 1 / (1 + 6 + 3) = 0.1; bias 0: 4 / 10
    path = [node(0, 10, 0.0, {1: (4, 0.5), 2: (1, 0.75), 3: (4, 1.0)})]
    children = [node(1, 6, 0.25), node(2, 6, 0.25), node(3), node(4, 6, 0.25)]
    found = values("grave(c=0, ref=0, bias=0.5, fpu=0.1)", path, children)
    assert found == pytest.approx([0.25 + 0.25 * 4 / 22, 0.25 + 0.5 * 0.1, 1.0, 0.25])
    assert values("grave(c=0, ref=0, bias=0)", path, children[:1]) == [pytest.approx(0.25 * 0.6 + 0.5 * 0.4)]


def test_grave_explores_by_the_visits_of_the_child() -> None:
    # n(x) = 6: 1.33857. Untried with AMAF: as if visited once; untried without: fpu, no exploration.
    path = [node(0, 9, 0.0, {1: (4, 0.5), 2: (1, 0.75)})]
    children = [node(1, 4, 0.25), node(2), node(3), node(4, 2, 0.5)]
    found = values("grave(c=0.5, ref=0, k=inf, fpu=0.1)", path, children)
    expected = [0.5 + 0.25 * 1.33857, 0.75 + 0.5 * 1.33857, 0.1, 0.5 + 0.5 * 1.33857 / math.sqrt(2)]
    assert found == pytest.approx(expected, abs=1e-5)


def amaf_of(found: Node) -> dict[Any, Any]:
    return {} if found.amaf is None else {a: (n, pytest.approx(mean)) for a, (n, mean) in found.amaf.entries.items()}


WIDE = {1: {3: {5: 0.8, 6: 0.4}, 4: {5: 0.6, 6: 0.0}}, 2: {3: {5: 0.1, 6: 0.9}, 4: {5: 0.3, 6: 0.2}}}


def test_amaf_by_hand() -> None:
    looked = look(
        TreeGame(WIDE),
        "select(sim, grave(c=0, ref=0, k=inf))",
        5,
        *[(0, 2), (0, 2), (0, 2)],  # the root is a leaf: a playout 1 3 5, 0.8
        *[(1, 2), (1, 2), (1, 2)],  # two untried: 2; a playout 4 6, 0.2
        *[(0, 1), (1, 2), (0, 2)],  # one untried: 1; a playout 4 5, 0.6
        # AMAF at the root: 1: 0.8, 0.6 = 0.7; 2: 0.2
        *[(0, 1), (0, 2), (1, 2)],  # 1; two untried: 3; a playout 6, 0.4
        # 1: 0.6; 2: 0.2
        *[(0, 1), (0, 1), (0, 2)],  # 1; one untried: 4; a playout 5, 0.6; here the budget ends, and nothing is learnt
    )
    assert looked.yields == [(1, 3, 5), (2, 4, 6), (1, 4, 5), (1, 3, 6), (1, 4, 5)]
    assert looked.node().visits == 4
    assert amaf_of(looked.node()) == {
        1: (3, pytest.approx(0.6)),  # 0.8, 0.6, 0.4
        2: (1, pytest.approx(0.2)),
        3: (2, pytest.approx(0.6)),  # 0.8, 0.4
        4: (2, pytest.approx(0.4)),  # 0.2, 0.6
        5: (2, pytest.approx(0.7)),  # 0.8, 0.6
        6: (2, pytest.approx(0.3)),  # 0.2, 0.4
    }
    # Below 1 only what came after 1, in the runs that passed it as a node: the first ended at the root.
    assert amaf_of(looked.node(1)) == {
        4: (1, pytest.approx(0.6)),
        5: (1, pytest.approx(0.6)),
        3: (1, pytest.approx(0.4)),
        6: (1, pytest.approx(0.4)),
    }
    assert amaf_of(looked.node(2)) == {4: (1, pytest.approx(0.2)), 6: (1, pytest.approx(0.2))}
    assert amaf_of(looked.node(1, 3)) == {6: (1, pytest.approx(0.4))}
    assert looked.node(1, 4).amaf is None


def test_an_action_counts_once_an_invocation_wherever_it_was_last() -> None:
    # 1 1 1 with 0.5: at the root, at (1) and at (1, 1), each time once.
    looked = look(TreeGame(corridor(3, 0.5)), "select(sim, grave(c=0))", 4)
    assert amaf_of(looked.node()) == {1: (3, 0.5)}
    assert amaf_of(looked.node(1)) == {1: (2, 0.5)}
    assert amaf_of(looked.node(1, 1)) == {1: (1, 0.5)}
    # 1 2 1: at (1) both came after, at (1, 2) only 1, at its end nothing.
    looked = look(TreeGame({1: {2: {1: 0.25}}}), "select(sim, grave(c=0))", 5)
    assert amaf_of(looked.node(1)) == {1: (3, 0.25), 2: (3, 0.25)}
    assert amaf_of(looked.node(1, 2)) == {1: (2, 0.25)}
    assert amaf_of(looked.node(1, 2, 1)) == {}


def test_the_reference_node_lies_at_or_below_the_local_root() -> None:
    # No node has ref = inf visits. At the local root (1), 4 has an AMAF mean of 0.2, so 3 is ahead with its own 0.5;
    # the root of the tree has 0.9 for 4, which would put 4 ahead.
    search, select = searching("grave(c=0, ref=inf, k=inf)")
    root, local = node(0, 3, 0.5, {4: (1, 0.9)}), node(1, 2, 0.5, {4: (1, 0.2)})
    three, four = node(3, 1, 0.5), node(4, 1, 0.5)
    root.children, local.children = [local], [three, four]
    assert search.choose(select, [root, local], [1], None, 1) is three
    assert search.choose(select, [root, local], [1], None, 0) is four


def test_amaf_learns_the_best_of_the_invocation_alone() -> None:
    # Two playouts an invocation: 1 3 5 with 0.8 and 2 4 6 with 0.2, in either order.
    for first, second in [(0, 1), (1, 0)]:
        draws = [(first, 2)] * 3 + [(second, 2)] * 3
        looked = look(TreeGame(WIDE), "select(repeat(sim, 2), grave(c=0))", 3, *draws, (0, 2), (0, 2), (0, 2))
        assert amaf_of(looked.node()) == {1: (1, 0.8), 3: (1, 0.8), 5: (1, 0.8)}


def test_amaf_counts_from_the_local_root_on() -> None:
    # The select stands below a step. Invoked at the start it teaches the root; invoked at (1), after the commit, it
    # teaches (1), and the root no more, although it counts the visit there.
    looked = look(TreeGame({1: {2: {3: 0.5}}}), "step(select(sim, grave(c=0)))", 3)
    assert looked.yields == [(1, 2, 3)] * 3
    assert looked.node().visits == 2
    assert amaf_of(looked.node()) == {1: (1, 0.5), 2: (1, 0.5), 3: (1, 0.5)}
    assert amaf_of(looked.node(1)) == {2: (1, 0.5), 3: (1, 0.5)}


def test_amaf_takes_room_and_says_when_there_is_none() -> None:
    # The root, two nodes; then room for one entry.
    looked = look(TreeGame({1: {3: {5: 0.5}}, 2: {4: {5: 0.5}}}), "select(sim, grave(c=0))", 2, max_nodes=4)
    assert len(looked.node().amaf.entries) == 1
    assert looked.result.tree_full and looked.result.tree_nodes == 3


# norm.


def between(lo: float, hi: float, made: Node) -> Node:
    """A node whose results lay between these."""
    made.bottom, made.top = lo, hi
    return made


def test_norm_counts_a_mean_as_it_lies_between_the_least_and_the_greatest_result_at_the_node() -> None:
    children = [node(1, 1, 0.3), node(2, 4, 0.5), node(3), node(4, 1, 0.2)]
    here = between(0.2, 0.6, node(0, 9))
    # (0.3 - 0.2) / 0.4, (0.5 - 0.2) / 0.4, fpu as it is, the least
    found = values("ucb1(c=0.5, fpu=0.7, norm=1)", [here], children)
    assert found == pytest.approx([0.25 + 0.5 * 1.33857, 0.75 + 0.25 * 1.33857, 0.7, 0.5 * 1.33857], abs=1e-5)
    assert values("ucb1(c=0, norm=0)", [here], children[:2]) == [0.3, 0.5]
    unlike = between(0.0, 1.0, node(9, 5))  # the bounds are those of the last node of the path
    assert values("ucb1(c=0, norm=1)", [unlike, here], children[:2]) == pytest.approx([0.25, 0.75])


def test_norm_changes_nothing_while_all_results_are_alike() -> None:
    children = [node(1, 4, 0.5), node(2, 2, 0.5)]
    here = between(0.5, 0.5, node(0, 6))
    assert values("ucb1(c=0.5, norm=1)", [here], children) == values("ucb1(c=0.5)", [here], children)
    assert values("ucb1(c=0.5, fpu=0.3, norm=1)", [node(0)], [node(1)]) == [0.3]


def test_norm_scales_both_means_of_grave() -> None:
    amaf = {1: (8.0, 0.4), 2: (4.0, 1.0)}
    here = between(0.2, 0.6, node(0, 9, amaf=amaf))
    children = [node(1, 4, 0.5), node(2), node(3, 1, 0.2)]
    found = values("grave(c=0, ref=0, bias=0, fpu=0, norm=1)", [here], children)
    # β = 8 / 12: a third of 0.75 and two of 0.5; AMAF alone, (1.0 - 0.2) / 0.4; no AMAF
    assert found == pytest.approx([0.75 / 3 + 2 * 0.5 / 3, 2.0, 0.0])


def test_norm_scales_the_mean_of_history_and_by_which_its_bonus_fades() -> None:
    here = between(0.2, 0.6, node(0, 9))
    children = [node(1, 4, 0.5), node(2, 1, 0.2)]
    search, select = searching("history(c=0, w=2, norm=1)")
    search.history.add(1, 0.75)
    here.children = children
    settings = search.settings[id(select)]
    found = values_of(select.policy, settings, here.visits, children, 0.0, Scaled(here), None, search.history, [])
    assert found == pytest.approx([0.75 + 1.5 / 2, 0.0 + 2 / 2])


def test_a_node_knows_the_least_and_the_greatest_result_of_its_invocations() -> None:
    looked = look(TreeGame({1: 0.25, 2: 0.75}), "select(sim, ucb1(norm=1))", 4, (1, 2), (0, 2), (0, 1), (0, 2))
    assert (looked.node().bottom, looked.node().top) == (0.25, 0.75)
    assert (looked.node(1).bottom, looked.node(1).top) == (0.25, 0.25)


# history.


def history_values(policy: str, means: dict[int, float], children: list[Node]) -> list[float]:
    search, select = searching(policy)
    for action, mean in means.items():
        search.history.add(action, mean)
    root = node(0, 9)
    root.children = children
    n = sum(child.visits for child in children)
    settings = search.settings[id(select)]
    scale = settings["c"] * math.sqrt(math.log(n))
    return values_of(select.policy, settings, root.visits, children, scale, Scaled(), None, search.history, [])


def test_history_adds_its_mean_which_fades_with_the_losses() -> None:
    children = [node(1, 4, 0.5), node(2, 1, 0.25), node(3, 1, 1.0)]
    found = history_values("history(c=0.5, w=2)", {1: 0.75, 3: 0.5}, children)
    # H w / ((1 - Q) n + 1): 1.5 / 3; never met: 2 / 1.75; 1 / 1
    expected = [0.5 + 0.25 * 1.33857 + 0.5, 0.25 + 0.5 * 1.33857 + 2 / 1.75, 1.0 + 0.5 * 1.33857 + 1.0]
    assert found == pytest.approx(expected, abs=1e-5)


def test_w_of_0_leaves_ucb1_and_1_is_the_default() -> None:
    children = [node(1, 4, 0.5), node(2), node(3, 2, 0.25)]
    without = values("ucb1(c=0.5, fpu=0.25)", [node(0, 9)], children)
    assert history_values("history(c=0.5, w=0, fpu=0.25)", {1: 0.75}, children) == pytest.approx(without)
    assert history_values("history(c=0)", {1: 0.75}, [node(1, 4, 0.5)]) == [0.5 + 0.75 / 3]


def test_an_untried_child_is_worth_fpu_and_its_whole_history() -> None:
    # n = 0, so that the bonus is H w / 1.
    children = [node(1, 1, 0.5), node(2), node(3)]
    assert history_values("history(c=0, w=2, fpu=0.25)", {2: 0.5}, children)[1:] == [0.25 + 1.0, 0.25 + 2.0]


def test_history_learns_every_action_of_every_final_state() -> None:
    looked = look(TreeGame(WIDE), "select(repeat(sim, 2), history(c=0))", 2, *[(0, 2)] * 3, *[(1, 2)] * 3)
    assert looked.search.history.entries == {a: [1, 0.8] for a in (1, 3, 5)} | {a: [1, 0.2] for a in (2, 4, 6)}
    # every occurrence, what was committed included, clipped
    looked = look(TreeGame(corridor(2, 1.5)), "step(select(sim, history(c=0)))", 2)
    assert looked.search.history.entries == {1: [4, 1.0]}


def test_history_is_kept_only_where_it_is_asked_for() -> None:
    assert look(TreeGame(corridor(2, 0.5)), "select(sim(mast), 0.5)", 2).search.history.entries == {}


def test_history_and_playouts_have_tables_of_their_own() -> None:
    looked = look(TreeGame(corridor(2, 0.5)), "step(select(sim(mast(move_decay=0)), history(c=0)))", 3)
    assert looked.search.history.entries == {1: [6, 0.5]}  # decay is the playouts'
    assert looked.grams() == {(1,): (2, 0.5)}


# Trees learn clipped rewards, and descend by what they learnt.


def test_a_select_with_a_finite_fpu_may_stay_where_it_is_good() -> None:
    # c = 0, fpu = 0.4: the first child tried gives 0.5 and is left only when it is exhausted, after 7 invocations: one
    # from each of its nodes.
    half = {3: {5: 0.5, 6: 0.5}, 4: {5: 0.5, 6: 0.5}}
    looked = look(TreeGame({1: half, 2: half}), "select(sim, ucb1(c=0, fpu=0.4))", 9, seed=1)
    first, *others = [path[0] for path in looked.yields[1:]]
    assert others == [first] * 6 + [3 - first]
    never = look(TreeGame({1: half, 2: half}), "select(sim, ucb1(c=0, fpu=inf))", 9, seed=1)
    assert {path[0] for path in never.yields[1:3]} == {1, 2}


def test_top_is_the_best_result_of_an_invocation_below() -> None:
    looked = look(TreeGame(WIDE), "select(sim, 0.5)", 60, seed=2)
    assert (looked.node().top, looked.node(1).top, looked.node(2).top) == (0.9, 0.8, 0.9)


# puct.


def test_puct_is_the_mean_and_c_times_the_prior_times_the_root_of_n_over_1_plus_n() -> None:
    children = [node(1, 1, 0.25), node(2, 3, 0.5), node(3)]  # n(x) = 4
    assert values("puct(c=0.5)", [node(0, 9)], children, 0.5, 0.25, 0.125) == [0.25 + 0.25, 0.5 + 0.0625, 0.125]
    assert values("puct(c=0.5, fpu=0.75)", [node(0, 9)], children, 0.5, 0.25, 0.125)[2] == 0.875
    assert values("puct", [node(0, 9)], [node(1), node(2)], 0.75, 0.25) == [0.75, 0.25]  # n(x) = 0 counts as 1


def test_the_priors_of_puct_are_among_all_that_are_legal() -> None:
    # Exhausted children keep their share, and count in n(x) = 4: 2 has 0.5 + 2 / 3 / 3, 3 has 2 / 3 of fpu 0.
    children = [node(1, 2, 0.9), node(2, 2, 0.5), node(3)]
    children[0].exhausted = True
    assert chosen("puct(c=1)", [node(0, 4)], children, (0, 1)) == 2
    assert chosen("puct(c=2)", [node(0, 4)], children, (0, 1)) == 3  # 0.5 + 0.44 against 1.33
    assert chosen("puct(c=1.1)", [node(0, 4)], children, (0, 1)) == 2  # 0.744 against 0.733; among two: 0.867 and 1.1


def test_puct_takes_the_odds_of_mast() -> None:
    # Nobody has played 1, 2 or 3: all are worth 1, and alike.
    children = [node(1, 1, 0.25), node(2, 1, 0.25), node(3, 1, 0.25)]
    assert chosen("puct(c=1)", [node(0, 3)], children, (2, 3), playout="mast(tau=0.1)") == 3


def test_an_infinite_fpu_and_t_hold_for_puct() -> None:
    children = [node(1, 4, 0.75), node(2, 2, 0.5), node(3), node(4)]
    assert chosen("puct(c=9, fpu=inf)", [node(0, 6)], children, (0, 2)) == 3
    assert chosen("puct(c=0, t=7)", [node(0, 6)], children, (1, 4)) == 2
    assert chosen("puct(c=0, vo=0.3)", [node(0, 6)], children, (1, 2)) == 2

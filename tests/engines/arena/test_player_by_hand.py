"""Grams, all-moves-as-first and the calls of tuners, worked out by hand on games of two rounds."""

from typing import Any

import pytest

from mcsgrammar.engines.reference.means import Means
from mcsgrammar.engines.searching import Limits
from tests.engines.arena.toys import Rounds, reference_player
from tests.tuning.scripted import Scripted


def held(means: Means) -> dict[Any, tuple[float, float]]:
    return {key: (count, mean) for key, (count, mean) in means.entries.items()}


def arms_of(player: Any) -> list[list[tuple[int, float]]]:
    return [[(arm.visits, arm.total) for arm in arms] for arms in player.root.arms]


def two_rounds() -> Rounds:
    """Both roles have two actions in both rounds."""
    paid = {((0, 1), (1, 1)): (0.75, 0.25), ((1, 0), (0, 0)): (0.5, 0.5)}
    return Rounds([(2, 2), (2, 2)], lambda joints: paid[joints])


FIRST = (0.9, (0, 2), 0.9, (1, 2), 0.9, (1, 2), 0.9, (1, 2))
"""The draws of a simulation that plays (0, 1), then (1, 1): nothing is known, so all are tied."""


def test_two_simulations_of_nst_and_grave() -> None:
    player = reference_player(two_rounds(), "select(sim(nst(n=2, kmin=1)), grave(c=0))")
    player.random = Scripted(*FIRST)
    player.search(Limits(1))
    player.random.expect(
        *(0.9, (1, 2)),  # a at the root: both have 0.75
        *(0.9, (0, 1)),  # b: its 0 was never played and counts 1, its 1 has 0.25
        *(0.9, (0, 2)),  # a: 0 and 1 have 0.75; (0, 1) is a gram of b's
        *(0.9, (0, 1)),  # b: 0 has 1
    )
    # Diagonals of (0, 1), (1, 1): a's 0 and b's 1; b's 1 and a's 1.
    assert held(player.playouts[0].grams) == {(0,): (1, 0.75), (1,): (1, 0.75), (1, 1): (1, 0.75)}
    assert held(player.playouts[1].grams) == {(1,): (2, 0.25), (0, 1): (1, 0.25)}
    assert player.root is not None and player.root.amaf is not None
    assert held(player.root.amaf[0]) == {0: (1, 0.75), 1: (1, 0.75)}
    assert held(player.root.amaf[1]) == {1: (1, 0.25)}  # played twice, counted once
    assert arms_of(player) == [[(0, 0.0), (0, 0.0)], [(0, 0.0), (0, 0.0)]]  # the first adds the root, and begins there

    player.search(Limits(1))
    player.random.expect()
    assert held(player.playouts[0].grams) == {
        (0,): (2, 0.625),
        (1,): (2, 0.625),
        (1, 1): (1, 0.75),
        (0, 0): (1, 0.5),  # b's 0, then a's
    }
    assert held(player.playouts[1].grams) == {(1,): (2, 0.25), (0, 1): (1, 0.25), (0,): (2, 0.5), (1, 0): (1, 0.5)}
    assert held(player.root.amaf[0]) == {0: (2, 0.625), 1: (2, 0.625)}
    assert held(player.root.amaf[1]) == {1: (1, 0.25), 0: (1, 0.5)}
    assert arms_of(player) == [[(0, 0.0), (1, 0.5)], [(1, 0.5), (0, 0.0)]]
    child = player.root.children[1, 0]
    assert child.visits == 1 and child.amaf is not None
    assert [held(table) for table in child.amaf] == [{0: (1, 0.5)}, {0: (1, 0.5)}]


def test_decays_strike_each_in_its_time() -> None:
    text = "select(sim(nst(n=2, kmin=1, sim_decay=0.5, batch_decay=0.25, batch=2, move_decay=0.125)), 0)"
    player = reference_player(two_rounds(), text)
    player.random = Scripted(*FIRST)
    player.search(Limits(1))
    # Each occurrence halves: b's 1 occurred twice.
    assert held(player.playouts[1].grams) == {(1,): (0.5, 0.25), (0, 1): (0.5, 0.25)}
    player.random.expect(0.9, (1, 2), 0.9, (0, 1), 0.9, (0, 2), 0.9, (0, 1))
    player.search(Limits(1))
    # Learnt and halved again, then a quarter of it after two final states.
    assert held(player.playouts[1].grams) == {
        (1,): (0.125, 0.25),
        (0, 1): (0.125, 0.25),
        (0,): (0.125, 0.5),
        (1, 0): (0.125, 0.5),
    }
    player.advance((1, 0))
    assert {count for count, _ in held(player.playouts[1].grams).values()} == {0.125 / 8}
    assert player.root is not None and player.root.visits == 1  # the child that was played


def test_noops_stand_in_grams_and_nowhere_else() -> None:
    turns = Rounds([(2, 0), (0, 2), (2, 2)], lambda joints: (1.0, 0.5))
    player = reference_player(turns, "select(sim(nst(n=3, kmin=1)), grave(c=0))")
    player.random = Scripted(0.9, (1, 2), 0.9, (0, 2), 0.9, (0, 2), 0.9, (1, 2))
    player.search(Limits(1))
    # Diagonals: a's 1, b's 0, a's 0; and b's noop, a's noop, b's 1.
    assert held(player.playouts[0].grams) == {
        (1,): (1, 1.0),
        (0,): (1, 1.0),
        (0, 0): (1, 1.0),
        (1, 0, 0): (1, 1.0),
        (-1,): (1, 1.0),
        (-1, -1): (1, 1.0),
    }
    assert held(player.playouts[1].grams) == {
        (0,): (1, 0.5),
        (1, 0): (1, 0.5),
        (-1,): (1, 0.5),
        (1,): (1, 0.5),
        (-1, 1): (1, 0.5),
        (-1, -1, 1): (1, 0.5),
    }
    assert player.root is not None and player.root.amaf is not None
    assert [held(table) for table in player.root.amaf] == [{1: (1, 1.0), 0: (1, 1.0)}, {0: (1, 0.5), 1: (1, 0.5)}]


def test_a_diagonal_without_a_choice_is_not_learnt() -> None:
    turns = Rounds([(2, 0), (0, 2)], lambda joints: (1.0, 0.5))
    player = reference_player(turns, "select(sim(mast(eps=0)), 0)")
    player.random = Scripted(0.5, (1, 2), 0.5, (0, 2))
    player.search(Limits(1))
    assert [held(playouts.grams) for playouts in player.playouts] == [{(1,): (1, 1.0)}, {(0,): (1, 0.5)}]


def test_of_three_roles_each_looks_back_on_the_one_before_it() -> None:
    three = Rounds([(2, 3, 2), (2, 2, 2)], lambda joints: (0.1, 0.2, 0.7))
    player = reference_player(three, "select(sim(nst(n=2, kmin=1)), history(c=0))")
    player.random = Scripted(0.9, (0, 2), 0.9, (2, 3), 0.9, (1, 2), 0.9, (1, 2), 0.9, (0, 2), 0.9, (0, 2))
    player.search(Limits(1))
    first, second, third = [held(playouts.grams) for playouts in player.playouts]
    assert first == {(0,): (1, 0.1), (1,): (1, 0.1), (1, 1): (1, 0.1)}  # after c's 1
    assert second == {(2,): (1, 0.2), (0,): (1, 0.2), (0, 0): (1, 0.2)}  # after a's 0
    assert third == {(1,): (1, 0.7), (0,): (1, 0.7), (2, 0): (1, 0.7)}  # after b's 2
    assert [held(history) for history in player.histories] == [
        {0: (1, 0.1), 1: (1, 0.1)},
        {2: (1, 0.2), 0: (1, 0.2)},
        {1: (1, 0.7), 0: (1, 0.7)},
    ]


class Noting:
    """In place of a tuner at work."""

    def __init__(self, role: int, calls: list[Any]) -> None:
        self.role, self.calls = role, calls

    def before_invocation(self, evaluations: int) -> None:
        self.calls.append(("choose", self.role, evaluations))

    def after_invocation(self, evaluations: int, reward: float) -> None:
        self.calls.append(("told", self.role, evaluations, reward))

    def expect(self, evaluations: float) -> None:
        self.calls.append(("expect", self.role, evaluations))


def test_every_role_has_a_tuner_that_is_told_its_own_result() -> None:
    player = reference_player(two_rounds(), "tune(select(sim(nst(n=2, kmin=1)), {0.1, 0.2}), ntbea)", budget=50)
    calls: list[Any] = []
    (part,) = player.tuners
    player.tuners[part] = [Noting(role, calls) for role in range(2)]  # type: ignore[misc]
    player.random = Scripted(*FIRST)
    player.search(Limits(1))
    assert calls == [
        ("choose", 0, 0),
        ("choose", 1, 0),
        ("told", 0, 1, 0.75),
        ("told", 1, 1, 0.25),
        ("expect", 0, 100.0),  # 50 a search, and 2 steps a simulation
        ("expect", 1, 100.0),
    ]
    calls.clear()
    player.random.expect(0.9, (1, 2), 0.9, (0, 1), 0.9, (0, 2), 0.9, (0, 1))
    player.search(Limits(1))
    assert calls == [("choose", 0, 1), ("choose", 1, 1), ("told", 0, 2, 0.5), ("told", 1, 2, 0.5)]


def test_roles_play_by_their_own_settings() -> None:
    player = reference_player(two_rounds(), "tune(select(sim(mast(eps={0, 1})), 0), ntbea)")
    for settings, eps in zip(player.playouts, (1.0, 0.0), strict=True):
        settings.settings["eps"] = eps  # type: ignore[index]
    (part,) = player.tuners
    player.tuners[part] = [Noting(role, []) for role in range(2)]  # type: ignore[misc]
    player.playouts[1].grams.add((0,), 0.5)
    # a draws at random, b by its table: 1 was never played
    player.random = Scripted(0.5, (0, 2), 0.5, (0, 1), 0.5, (1, 2), 0.5, (0, 1))
    player.search(Limits(1))
    player.random.expect()


def test_repeat_inside_select_hands_back_the_mean_and_ends_with_the_budget() -> None:
    values = iter([(1.0, 0.0), (0.0, 0.0), (0.5, 1.0), (1.0, 1.0), (0.0, 0.5)])
    pays = Rounds([(2, 2)], lambda joints: next(values))
    player = reference_player(pays, "select(repeat(sim, 3), 0.5)")
    player.random = Scripted(*[(0, 2)] * 6, *[(1, 2), (0, 2)])
    player.search(Limits(4))
    assert player.root is not None and player.root.visits == 2
    # The first three are of the root itself; the fourth meets a final state at once, which is valued once.
    assert arms_of(player) == [[(0, 0.0), (1, 1.0)], [(1, 1.0), (0, 0.0)]]


def test_the_mean_is_over_what_was_seen_when_the_budget_ends() -> None:
    values = iter([(1.0, 0.0), (0.0, 0.0), (0.5, 1.0), (1.0, 0.25), (0.0, 0.5)])
    pays = Rounds([(2, 2), (2, 2)], lambda joints: next(values))
    player = reference_player(pays, "repeat(select(repeat(sim, 3), 0.5), 5)")
    player.random = Scripted(*[(0, 2)] * 12, *[(1, 2), (0, 2)], *[(0, 2)] * 4)
    player.search(Limits(5))
    assert arms_of(player) == [[(0, 0.0), (1, 0.5)], [(1, 0.375), (0, 0.0)]]


@pytest.mark.parametrize(("rule", "best"), [("mean", 1), ("visits", 0)])
def test_the_commit_rules(rule: str, best: int) -> None:
    player = reference_player(two_rounds(), f"step(select(sim, 0), {rule})")
    player.random = Scripted((0, 2), (1, 2), (1, 2), (1, 2))
    player.search(Limits(1))
    assert player.root is not None
    for arm, visits, total in zip(player.root.arms[0], (3, 1), (1.5, 0.75), strict=True):
        arm.visits, arm.total = visits, total
    player.random.expect((0, 1))
    assert player.commit() == best
    for arm in player.root.arms[0]:
        arm.visits, arm.total = 2, 1.0
    player.random.expect((1, 2))
    assert player.commit() == 1


def test_who_has_not_searched_commits_anything_and_who_is_forced_draws_nothing() -> None:
    game = Rounds([(3, 0), (2, 2)], lambda joints: (1.0, 1.0))
    for role in range(2):
        player = reference_player(game, "select(sim, 0)", role)
        player.random = Scripted(*[(2, 3)][role:])
        assert player.commit() == (2, -1)[role]
        player.random.expect()

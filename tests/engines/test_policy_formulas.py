"""What the playout policies choose and learn, by numbers computed by hand.

Decay hardly changes the results of one-player problems, so a decay that does nothing, or twice too much, shows only in
the tables: here they are.
"""

from typing import Any

import pytest

from domains.randomness import Random
from mcsgrammar.engines.guarding import Guarded
from mcsgrammar.engines.reference.means import Means, Room
from mcsgrammar.engines.reference.playouts import Playouts
from mcsgrammar.language.parsing import parse
from mcsgrammar.language.policies import Mast, Nst, PlayoutPolicy
from tests.engines.toys import TreeGame, corridor
from tests.engines.unfinished import look
from tests.tuning.scripted import Draw, Scripted

GRID = 10_000
ANY_GAME = Guarded(TreeGame(corridor(1, 0.5)))
"""mast and nst ask it nothing."""


def playouts(policy: PlayoutPolicy, room: int = 1000) -> Playouts:
    return Playouts(ANY_GAME, policy, policy.parameters(), Room(room))


def taught(policy: PlayoutPolicy, *runs: tuple[tuple[int, ...], float]) -> Playouts:
    learner = playouts(policy)
    for sequence, reward in runs:
        learner.learn(sequence, reward)
    return learner


def counts(learner: Playouts) -> dict[Any, float]:
    return {gram: count for gram, (count, _) in learner.grams.entries.items()}


def means(learner: Playouts) -> dict[Any, float]:
    return {gram: mean for gram, (_, mean) in learner.grams.entries.items()}


# mast, Gibbs.


@pytest.mark.parametrize(
    ("tau", "expected"),
    [
        # Q = 0.5, 0.25 and, never met, 1. Weights exp((Q - 1) / tau), in 10 000:
        (0.5, [2312, 1402, 6285]),  # e^-1 = 0.36788, e^-1.5 = 0.22313, 1: of 1.59101
        (0.1, [67, 5, 9928]),  # e^-5 = 0.0067379, e^-7.5 = 0.00055308, 1: of 1.0072910
        (10.0, [3304, 3222, 3474]),  # e^-0.05 = 0.951229, e^-0.075 = 0.927743, 1: of 2.878973
    ],
)
def test_gibbs_draws_in_proportion_to_the_exponential(tau: float, expected: list[int]) -> None:
    learner = taught(Mast(tau=tau), ((1, 2), 0.25), ((1,), 0.75))  # 1: 0.25, 0.75; 2: 0.25
    found = [0, 0, 0]
    for i in range(GRID):
        found[learner.choose(None, [1, 2, 3], (), Scripted((i + 0.5) / GRID))] += 1
    assert all(abs(one - other) <= 1 for one, other in zip(found, expected, strict=True)), found


def test_gibbs_takes_the_actions_in_their_order() -> None:
    learner = taught(Mast(tau=0.5), ((1, 2), 0.25), ((1,), 0.75))  # borders: 0.2312, 0.3715
    for u, place in [(0.0, 0), (0.23, 0), (0.2325, 1), (0.37, 1), (0.372, 2), (1 - 2.0**-53, 2)]:
        assert learner.choose(None, [1, 2, 3], (), Scripted(u)) == place
    assert learner.choose(None, [3], (), Scripted(0.999)) == 0  # a forced choice costs a draw


def test_gibbs_holds_for_the_smallest_tau() -> None:
    learner = taught(Mast(tau=1e-300), ((1,), 0.25), ((2,), 0.75))
    for u in (0.0, 0.5, 1 - 2.0**-53):
        assert learner.choose(None, [1, 2], (), Scripted(u)) == 1


# mast, greedy.


def test_greedy_draws_for_eps_first_and_then_for_the_action() -> None:
    learner = taught(Mast(eps=0.4), ((1,), 0.25), ((2,), 0.75), ((3,), 0.5))
    assert learner.choose(None, [1, 2, 3], (), Scripted(0.4, (0, 1))) == 1  # 0.4 is not below 0.4
    assert learner.choose(None, [1, 2, 3], (), Scripted(0.39, (2, 3))) == 2
    assert learner.choose(None, [1, 3], (), Scripted(0.9, (0, 1))) == 1
    assert learner.choose(None, [1], (), Scripted(0.9, (0, 1))) == 0


def test_greedy_takes_what_never_occurred_for_1_and_breaks_ties_at_random() -> None:
    learner = taught(Mast(eps=0), ((1,), 0.25), ((2,), 0.75), ((3,), 1.0), ((4,), 0.25))
    assert learner.choose(None, [1, 2, 9], (), Scripted(0.0, (0, 1))) == 2  # never met: 1
    assert learner.choose(None, [1, 9, 2, 8], (), Scripted(0.0, (1, 2))) == 3
    assert learner.choose(None, [3, 1, 9], (), Scripted(0.0, (1, 2))) == 2  # met with 1, and never met
    assert learner.choose(None, [4, 1], (), Scripted(0.0, (1, 2))) == 1


def test_mast_looks_at_the_action_alone() -> None:
    learner = taught(Mast(eps=0), ((1, 2), 1.0), ((3, 2), 0.0), ((1, 4), 0.75))
    assert (learner.score(2, (1,)), learner.score(2, (3,)), learner.score(4, ())) == (0.5, 0.5, 0.75)


def test_eps_is_04_and_tau_none_by_default() -> None:
    assert (Mast().eps, Mast().tau, Nst().eps, Nst().n, Nst().kmin) == (0.4, None, 0.2, 3, 7)


# nst.

RUNS = (((1, 2, 3), 0.8), ((1, 2, 3), 0.4), ((2, 3), 0.2), ((3,), 0.0))
"""3: 0.8, 0.4, 0.2, 0 = 0.35 of 4; (2, 3): 0.8, 0.4, 0.2 = 0.46667 of 3; (1, 2, 3): 0.6 of 2."""


@pytest.mark.parametrize(
    ("n", "kmin", "before", "worth"),
    [
        (3, 2, (1, 2), (0.35 + 1.4 / 3 + 0.6) / 3),
        (3, 1, (9, 1, 2), (0.35 + 1.4 / 3 + 0.6) / 3),
        (3, 0, (1, 2), (0.35 + 1.4 / 3 + 0.6) / 3),
        (3, 3, (1, 2), (0.35 + 1.4 / 3) / 2),  # (1, 2, 3) occurred only twice
        (3, 4, (1, 2), 0.35),
        (3, 100, (1, 2), 0.35),  # the action alone needs no kmin
        (2, 2, (1, 2), (0.35 + 1.4 / 3) / 2),
        (1, 0, (1, 2), 0.35),
        (3, 2, (2,), (0.35 + 1.4 / 3) / 2),
        (3, 2, (), 0.35),
        (3, 0, (1, 5), 0.35),  # (5, 3) never occurred
        (3, 0, (7, 2), (0.35 + 1.4 / 3) / 2),
        (8, 1, (1, 2), (0.35 + 1.4 / 3 + 0.6) / 3),
    ],
)
def test_the_worth_of_an_action_is_the_plain_mean_over_its_grams(
    n: int, kmin: int, before: tuple[int, ...], worth: float
) -> None:
    assert taught(Nst(n=n, kmin=kmin), *RUNS).score(3, before) == pytest.approx(worth, abs=1e-15)


def test_an_action_that_never_occurred_is_worth_1() -> None:
    assert taught(Nst(kmin=0), *RUNS).score(4, (1, 2)) == 1.0


def test_a_longer_gram_counts_though_a_shorter_one_does_not() -> None:
    # After sim_decay (2, 3) may have been halved more often than (1, 2, 3); each gram is asked for itself.
    learner = taught(Nst(kmin=2), *RUNS)
    learner.grams.entries[(2, 3)][0] = 1.5
    assert learner.score(3, (1, 2)) == pytest.approx((0.35 + 0.6) / 2, abs=1e-15)


def test_nst_is_greedy_by_its_worths() -> None:
    learner = taught(Nst(kmin=2, eps=0.2), *RUNS, ((9, 4), 0.45))
    # After (1, 2): 3 is worth 0.472, 4 is 0.45. At the start 3 is worth 0.35.
    assert learner.choose(None, [3, 4], (1, 2), Scripted(0.2, (0, 1))) == 0
    assert learner.choose(None, [3, 4], (), Scripted(0.2, (0, 1))) == 1
    assert learner.choose(None, [3, 4], (), Scripted(0.19, (0, 2))) == 0


# What is learnt.


def test_every_occurrence_counts() -> None:
    learner = taught(Nst(n=3), ((1, 1, 1, 2), 0.5))
    assert counts(learner) == {(1,): 3, (1, 1): 2, (1, 1, 1): 1, (2,): 1, (1, 2): 1, (1, 1, 2): 1}
    learner.learn((1, 2), 1.0)
    # 1: three times 0.5, once 1
    assert counts(learner)[(1,)] == 4 and means(learner)[(1,)] == 0.625
    assert counts(learner)[(1, 2)] == 2 and means(learner)[(1, 2)] == 0.75


def test_grams_are_learnt_up_to_the_longest_that_may_be_asked_for() -> None:
    assert set(counts(taught(Mast(), ((1, 2, 3), 0.5)))) == {(1,), (2,), (3,)}
    assert set(counts(taught(Nst(n=1), ((1, 2, 3), 0.5)))) == {(1,), (2,), (3,)}
    opened = parse("tune(sim(nst(n={1, 3, 2})), random)").children[0].policy  # type: ignore[attr-defined]
    learner = Playouts(ANY_GAME, opened, opened.parameters() | {"n": 1}, Room(100))
    learner.learn((1, 2, 3, 4), 0.5)
    assert (1, 2, 3) in counts(learner) and (1, 2, 3, 4) not in counts(learner)


def test_a_sequence_is_learnt_with_what_was_committed_and_what_was_looked_ahead() -> None:
    # 2 before 1, each followed by a playout of one step; the second state after 2 is final and yielded by lookahead.
    game = TreeGame({1: {5: 0.5}, 2: 0.25})
    looked = look(game, "lookahead(sim(mast(eps=0)))", 2, (0, 2), 0.5, (0, 1))
    assert looked.yields == [(2,), (1, 5)]
    assert looked.grams() == {(2,): (1, 0.25), (1,): (1, 0.5), (5,): (1, 0.5)}
    game = TreeGame(corridor(3, 0.5))
    assert look(game, "step(sim(nst))", 3).grams() == {(1,): (9, 0.5), (1, 1): (6, 0.5), (1, 1, 1): (3, 0.5)}
    game = TreeGame(corridor(3, 0.5))
    assert look(game, "select(sim(mast), 0)", 2).grams() == {(1,): (6, 0.5)}


def test_rewards_are_clipped_to_0_and_1() -> None:
    assert look(TreeGame(corridor(1, -3.0)), "sim(mast)", 2).grams() == {(1,): (2, 0.0)}
    assert look(TreeGame(corridor(1, 7.0)), "sim(nst)", 2).grams() == {(1,): (2, 1.0)}


def test_what_finds_no_room_is_not_learnt_and_reported() -> None:
    learner = Playouts(ANY_GAME, Nst(n=2), Nst(n=2).parameters(), Room(3))
    learner.learn((1, 2, 3), 0.5)
    assert set(counts(learner)) == {(1,), (2,), (1, 2)} and learner.grams.room.full
    learner.learn((1, 2), 1.0)
    assert means(learner) == {(1,): 0.75, (2,): 0.75, (1, 2): 0.75}  # what there is goes on learning
    assert learner.score(3, (2,)) == 1.0


def test_a_gram_is_kept_only_if_its_beginning_is() -> None:
    # It comes right after its beginning, and for one of the two alone there is room only once. The machine, which finds
    # a gram below its beginning, counts on that.
    for room in range(20):
        learner = playouts(Nst(n=4), room)
        for sequence in ((1, 2, 3, 1, 2), (3, 1, 2, 2, 1, 3), (2, 2, 2, 2), (1, 2, 3, 3, 3)):
            learner.learn(sequence, 0.5)
            kept = counts(learner)
            assert len(kept) <= room
            assert all(len(gram) == 1 or gram[:-1] in kept for gram in kept)
        assert len(kept) == room


def test_a_mean_is_updated_by_its_real_count() -> None:
    table = Means(Room(9))
    for reward in (1.0, 0.0):
        table.add("a", reward)
    table.decay("a", 0.25)  # 0.5 of 0.5
    table.add("a", 0.0)
    assert table.count("a") == 1.5
    assert table.mean("a") == pytest.approx(0.5 / 3)
    assert (table.count("b"), "b" in table, list(table)) == (0, False, ["a"])


# Decay.


def test_move_decay_scales_all_counts_and_keeps_the_means() -> None:
    learner = taught(Nst(move_decay=0.5), ((1, 2), 0.25), ((1, 2), 0.75), ((3,), 1.0))
    learner.committed()
    assert counts(learner) == {(1,): 1, (2,): 1, (1, 2): 1, (3,): 0.5}
    assert means(learner) == {(1,): 0.5, (2,): 0.5, (1, 2): 0.5, (3,): 1.0}
    learner.learn((1,), 1.0)
    assert (counts(learner)[(1,)], means(learner)[(1,)]) == (2, 0.75)  # without decay 0.667
    learner.committed()
    learner.committed()
    assert (counts(learner)[(1,)], means(learner)[(1,)]) == (0.5, 0.75)


@pytest.mark.parametrize("policy", [Mast(eps=0, move_decay=0), Nst(eps=0, kmin=0, move_decay=0)])
def test_a_decay_of_0_forgets_everything(policy: PlayoutPolicy) -> None:
    learner = taught(policy, ((1, 2), 0.25), ((3,), 0.5))
    learner.committed()
    assert [learner.score(action, (1,)) for action in (1, 2, 3)] == [1, 1, 1]
    learner.learn((2,), 0.5)
    assert learner.score(2, (1,)) == 0.5  # of (1, 2) nothing is known any more


def test_after_a_decay_of_0_everything_is_as_at_the_start() -> None:
    learner = taught(Mast(eps=0, move_decay=0), ((1,), 0.9))
    learner.committed()
    learner.learn((1, 2), 0.1)
    # In floats 0.9 + (0.1 - 0.9) is not 0.1; then 2 alone would be best, where the two are alike.
    assert learner.choose(None, [1, 2], (), Scripted(0.5, (0, 2))) == 0


def test_kmin_is_compared_with_the_decayed_count() -> None:
    learner = taught(Nst(kmin=2, move_decay=0.9), *RUNS)
    learner.committed()  # (2, 3): 2.7, (1, 2, 3): 1.8
    assert learner.score(3, (1, 2)) == pytest.approx((0.35 + 1.4 / 3) / 2, abs=1e-15)


def test_batch_decay_scales_all_counts_after_every_batch_of_final_states() -> None:
    learner = playouts(Mast(batch_decay=0.5, batch=2))
    seen = []
    for sequence, reward in [((1,), 1.0), ((1, 2), 0.0), ((1,), 0.5), ((1,), 1.0), ((2,), 0.5)]:
        learner.learn(sequence, reward)
        seen.append((counts(learner)[(1,)], means(learner)[(1,)], counts(learner).get((2,))))
    # 1; 2 halved, mean 0.5; 2, mean 0.5; 3 halved, mean (0.5 + 0.5 + 1) / 3; the same, for 2 was played
    assert seen == [
        (1, 1.0, None),
        (1, 0.5, 0.5),
        (2, 0.5, 0.5),
        (1.5, pytest.approx(2 / 3), 0.25),
        (1.5, pytest.approx(2 / 3), 1.25),
    ]


def test_a_batch_is_50_by_default() -> None:
    learner = playouts(Nst(n=1, batch_decay=0.9))
    for _ in range(50):
        learner.learn((1,), 0.5)
    assert counts(learner) == {(1,): pytest.approx(45)}
    for _ in range(49):
        learner.learn((1,), 0.5)
    assert counts(learner) == {(1,): pytest.approx(94)}


def test_sim_decay_scales_what_occurred_once_for_each_occurrence() -> None:
    learner = taught(Nst(n=2, sim_decay=0.5), ((3,), 0.5), ((1, 1, 2), 1.0))
    # 3: 1 halved. 1: 2 halved twice; 2, (1, 1), (1, 2): 1 halved.
    assert counts(learner) == {(3,): 0.5, (1,): 0.5, (2,): 0.5, (1, 1): 0.5, (1, 2): 0.5}
    learner.learn((1, 3), 0.0)
    # 1: 1.5 with mean 1 - 1 / 1.5, halved; 3: 1.5 with mean 0.5 - 0.5 / 1.5, halved; (1, 3): 1 halved; the others stay.
    assert counts(learner) == {(3,): 0.75, (1,): 0.75, (2,): 0.5, (1, 1): 0.5, (1, 2): 0.5, (1, 3): 0.5}
    assert means(learner)[(1,)] == pytest.approx(1 / 3)
    assert means(learner)[(3,)] == pytest.approx(1 / 6)
    assert means(learner)[(2,)] == 1.0


def test_a_final_state_is_learnt_before_it_decays() -> None:
    # Were it learnt after sim_decay, 1 would count 0.5 + 1; after batch_decay, 0.25 + 1.
    learner = playouts(Mast(sim_decay=0.5, batch_decay=0.5, batch=2, move_decay=0.5))
    learner.learn((1,), 1.0)
    assert counts(learner) == {(1,): 0.5}
    learner.learn((1, 2), 0.25)
    assert counts(learner) == {(1,): 0.375, (2,): 0.25}  # 1.5 * 0.5 * 0.5, 1 * 0.5 * 0.5
    assert means(learner) == {(1,): 0.5, (2,): 0.25}  # 1 - 0.75 / 1.5
    learner.committed()
    assert counts(learner) == {(1,): 0.1875, (2,): 0.125}
    learner.learn((2, 2), 0.25)
    assert counts(learner) == {(1,): 0.1875, (2,): 2.125 / 4}
    learner.learn((1,), 1.0)
    assert counts(learner) == {(1,): 1.1875 / 4, (2,): 2.125 / 8}


@pytest.mark.parametrize("decay", ["move_decay", "batch_decay", "sim_decay"])
def test_each_decay_changes_only_its_own(decay: str) -> None:
    def after(policy: PlayoutPolicy) -> list[dict[Any, float]]:
        learner, seen = playouts(policy), []
        for event in ("learn", "learn", "commit", "learn", "learn"):
            if event == "learn":
                learner.learn((1, 2), 0.5)
            else:
                learner.committed()
            seen.append(counts(learner))
        return seen

    expected: dict[str, list[float]] = {
        "move_decay": [1, 2, 1, 2, 3],
        "batch_decay": [1, 1, 1, 2, 1.5],
        "sim_decay": [0.5, 0.75, 0.75, 0.875, 0.9375],
    }
    policy = Mast(batch=2, **{decay: 0.5})
    assert after(policy) == [{(1,): count, (2,): count} for count in expected[decay]]


def test_in_a_run_the_outermost_step_decays_at_each_commit_and_nothing_else_does() -> None:
    game = TreeGame(corridor(2, 0.5))
    seen = {
        budget: look(game, "step(sim(mast(move_decay=0.5)))", budget).grams()[(1,)][0] for budget in (1, 2, 3, 4, 5)
    }
    # Every yield adds 2 occurrences; every commit but the one the budget forestalls halves.
    assert seen == {1: 2, 2: 2 / 2 + 2, 3: (2 / 2 + 2) / 2 + 2, 4: 3.5 / 2 + 2, 5: 3.75 / 2 + 2}
    # An inner step plays to the end between two commits of the outer: two yields, then one.
    inner = {b: look(game, "step(step(sim(mast(move_decay=0.5))))", b).grams()[(1,)][0] for b in (1, 2, 3, 4)}
    assert inner == {1: 2, 2: 4, 3: 4 / 2 + 2, 4: (4 / 2 + 2) / 2 + 2}
    # Without a step nothing is committed.
    assert look(game, "repeat(sim(mast(move_decay=0.5)), 5)", 5).grams() == {(1,): (10, 0.5)}


def test_under_maes2013_a_forced_move_decays_as_any_other_that_is_committed() -> None:
    game = TreeGame({1: corridor(3, 0.5), 2: 0.25})
    first: list[Draw] = [0.0, (0, 2), 0.0, (0, 1), 0.0, (0, 1), 0.0, (0, 1)]  # all four are committed after it
    looked = look(game, "step(sim(mast(eps=1, move_decay=0.5)))", 2, *first, 0.0, (1, 2), semantics="maes2013")
    assert looked.yields == [(1, 1, 1, 1), (2,)]
    assert looked.grams() == {(1,): (4 / 2**4, 0.5), (2,): (1, 0.25)}


def test_a_step_inside_a_select_is_outermost_where_there_is_no_other() -> None:
    game = TreeGame(corridor(2, 0.5))
    assert look(game, "select(step(sim(mast(move_decay=0.5))), 0)", 3).grams()[(1,)][0] == ((2 / 2 + 2) / 2) + 2


def test_a_run_starts_with_nothing_learnt() -> None:
    game = TreeGame({1: {1: 0.25, 2: 0.75}, 2: 0.5})
    expression = "step(select(sim(nst(eps=0.5, kmin=1)), history(c=0.5)))"
    first, second = (look(game, expression, 40, seed=3) for _ in range(2))
    assert first.result.actions == second.result.actions
    assert first.grams() == second.grams()
    assert first.search.history.entries == second.search.history.entries
    assert first.search.random.state == second.search.random.state


def test_the_actions_may_be_anything_hashable() -> None:
    learner = taught(Nst(n=2, kmin=1, eps=0), (("up", (1, 2)), 0.25), (("down",), 0.5))  # type: ignore[arg-type]
    assert learner.score((1, 2), ("up",)) == 0.25
    assert learner.choose(None, [(1, 2), "down"], ("up",), Random(1)) == 1

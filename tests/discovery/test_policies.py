"""Bandit policies: tables by hand, a naive twin of each, and what they find."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discovery.bandits.policies import make_policy, pull_numbers
from discovery.bandits.portable_arrays import HIGHEST_NORMAL, log_of_each, normals
from domains.portable_math import log
from domains.randomness import Random, seed_of
from tests.discovery.naive_policies import noise
from tests.discovery.policy_tools import ALL, PULLS, Instance, instances, run, told, twins

# By hand.


def test_the_numbers_of_pulls() -> None:
    """Arm 2 has been pulled five times and is asked for three times, arm 0 never, arm 1 twice."""
    asked, counts = np.array([2, 0, 2, 1, 0, 2]), np.array([0, 2, 5])
    assert pull_numbers(asked, counts).tolist() == [5, 0, 6, 2, 1, 7]
    assert pull_numbers(np.array([], np.int64), counts).tolist() == []


def test_ucb1_by_hand() -> None:
    # sqrt(ln t) for t = 2 … 6: 0.8326, 1.0481, 1.1774, 1.2686, 1.3386
    #   t=2  1 + 0.8326 = 1.8326           0.5 + 0.8326 = 1.3326
    #   t=3  1 + 1.0481 / 1.4142 = 1.7411  0.5 + 1.0481 = 1.5481
    #   t=4  1 + 1.1774 / 1.7321 = 1.6798  0.5 + 1.1774 = 1.6774
    #   t=5  1 + 1.2686 / 2 = 1.6343       0.5 + 1.2686 = 1.7686
    #   t=6  1 + 1.3386 / 2 = 1.6693       0.5 + 1.3386 / 1.4142 = 1.4465
    assert told("ucb1(c=1)", [1.0, 0.5]).ask(5).tolist() == [0, 0, 0, 1, 0]


def test_greedy_by_hand_with_a_tie() -> None:
    # 0.9 + 0.5 / n = 1.4, 1.15, 1.067, 1.025, 1.0 (a tie with 0.5 + 0.5, which the first arm wins), 0.983
    assert told("greedy(alpha=0.5)", [0.9, 0.5, 0.2]).ask(7).tolist() == [0, 0, 0, 0, 0, 1, 0]


def test_untried_arms_come_first_and_then_wait_with_mean_0() -> None:
    policy = make_policy("greedy(alpha=0.5)", 3, PULLS, 1)
    assert policy.ask(2).tolist() == [0, 1]
    policy.tell(np.array([0]), np.array([0.4]))
    # Then 0.4 + 0.5 / n = 0.9, 0.65, 0.567 against 0 + 0.5 twice.
    assert policy.ask(5).tolist() == [1, 2, 0, 0, 0]


def test_all_pending_means_round_robin() -> None:
    assert make_policy("ucb1", 3, PULLS, 1).ask(7).tolist() == [0, 1, 2, 0, 1, 2, 0]


def test_halving_of_8_arms_by_hand() -> None:
    # 48 pulls, 3 rounds: 48 / 3 / 8 = 2 each; of the 32 left 32 / 2 / 4 = 4 each; of the 16 left 8 each.
    policy = make_policy("halving", 8, 48, 1)
    first = policy.ask(100)
    assert first.tolist() == list(range(8)) * 2
    policy.tell(first, np.array([0.1, 0.9, 0.5, 0.5, 0.5, 0.8, 0.2, 0.7] * 2))
    second = policy.ask(100)
    assert second.tolist() == [1, 2, 5, 7] * 4  # 2, 3 and 4 are alike: the first of them goes on
    policy.tell(second, np.array([0.1, 0.6, 0.8, 0.7] * 4))
    third = policy.ask(100)
    assert third.tolist() == [5, 7] * 8  # the means of all six: 0.367, 0.567, 0.8, 0.7
    policy.tell(third[:3], np.array([0.8, 0.7, 0.8]))
    assert policy.ask(2).tolist() == [7, 5]
    policy.tell(third[3:], np.full(13, 0.8))
    assert policy.ask(100).tolist() == []


def test_halving_passes_over_rounds_that_are_too_short() -> None:
    # 12 pulls for 8 arms: one each; 4 left for 2 rounds are 2 a round, too few for 4 arms, so 2 go on.
    policy = told("halving", [0.1, 0.9, 0.5, 0.4, 0.3, 0.8, 0.2, 0.7], pulls=12)
    assert policy.ask(100).tolist() == [1, 5, 1, 5]


@pytest.mark.parametrize(("arms", "pulls"), [(1, 1), (1, 9), (2, 2), (2, 3), (3, 3), (5, 23), (8, 8), (9, 100)])
def test_halving_uses_all_pulls(arms: int, pulls: int) -> None:
    assert len(run(make_policy("halving", arms, pulls, 1), lambda arm, n: arm / 10)) == pulls


def test_sampled_halving_by_hand() -> None:
    # 20 pulls with 4 for each are enough for 5 of 13 arms: one each of 0 1, 2 3 4, 5 6, 7 8 9 and 10 11 12.
    draws = Random(seed_of("sampled-halving", 1))
    assert [0 + draws.below(2), 2 + draws.below(3), 5 + draws.below(2), 7 + draws.below(3), 10 + draws.below(3)] == FIVE
    policy = make_policy("sampled-halving(each=4)", 13, 20, 1)
    # 3 rounds: 20 / 3 / 5 = 1 each; of the 15 left 15 / 2 / 3 = 2 each; the 9 left are for the better two.
    assert policy.ask(100).tolist() == FIVE
    policy.tell(np.array(FIVE), np.array([0.1, 0.9, 0.5, 0.4, 0.7]))
    second = [FIVE[1], FIVE[2], FIVE[4]]
    assert policy.ask(100).tolist() == second * 2
    policy.tell(np.array(second * 2), np.array([0.0, 0.8, 0.7] * 2))
    assert policy.means[second].tolist() == pytest.approx([0.3, 0.7, 0.7])
    third = [FIVE[2], FIVE[4]]
    assert policy.ask(100).tolist() == [*third * 4, third[0]]
    policy.tell(policy.ask(100), np.array([0.7, 0.8] * 4 + [0.7]))
    assert policy.ranking().tolist() == [FIVE[4], FIVE[2], FIVE[1], FIVE[3], FIVE[0]]
    assert policy.ask(100).tolist() == []


FIVE = [1, 4, 5, 9, 10]


@pytest.mark.parametrize(
    ("arms", "pulls", "each", "sampled"),
    [
        (100, 99, 4, 24),
        (100, 399, 4, 99),
        (100, 400, 4, 100),
        (100, 10**6, 4, 100),
        (3155, 300, 10, 30),
        (9, 7, 4, 5),  # one or two would be compared with nothing or little
        (9, 2, 4, 2),
        (9, 1, 4, 1),
        (3, 3, 4, 3),
        (1, 9, 4, 1),
    ],
)
def test_one_arm_of_each_stretch_is_sampled(arms: int, pulls: int, each: int, sampled: int) -> None:
    policy = make_policy(f"sampled-halving(each={each})", arms, pulls, 1)
    entered = policy.ask(sampled).tolist()
    bounds = [stretch * arms // sampled for stretch in range(sampled + 1)]
    assert policy.reach == len(entered) == sampled
    assert all(low <= arm < high for (low, high), arm in zip(pairwise(bounds), entered, strict=True))
    if pulls < 1000:
        pulled = run(policy, lambda arm, n: arm / arms)
        assert len(pulled) == pulls and set(pulled) == set(entered)


@given(st.integers(1, 30), st.integers(1, 9), st.integers(0, 99))
def test_with_pulls_for_all_sampled_halving_is_halving(arms: int, each: int, seed: int) -> None:
    pulls = arms * each + seed
    sampled, plain = (
        make_policy(f"sampled-halving(each={each})", arms, pulls, seed),
        make_policy("halving", arms, pulls, 0),
    )
    random = Random(seed)
    while len(asked := plain.ask(16)):
        assert sampled.ask(16).tolist() == asked.tolist()
        rewards = np.array([random.below(4) / 3 for _ in asked])
        sampled.tell(asked, rewards)
        plain.tell(asked, rewards)
        assert sampled.ranking().tolist() == plain.ranking().tolist()


def test_every_arm_is_sampled_by_some_seed() -> None:
    sampled: set[int] = set()
    for seed in range(100):
        sampled |= set(make_policy("sampled-halving", 20, 20, seed).ask(100).tolist())
    assert sampled == set(range(20))


def test_uniform_by_hand() -> None:
    policy = make_policy("uniform", 3, 8, 1)
    assert policy.ask(4).tolist() == [0, 1, 2, 0]
    policy.tell(policy.ask(4), np.ones(4))
    assert policy.ask(99).tolist() == [1, 2, 0, 1]


def test_thompson_frozen() -> None:
    policy = told("thompson(sigma=0.2)", [0.5, 0.5, 0.4, 0.6, 0.55], seed=42)
    assert policy.ask(20).tolist() == FROZEN_PICKS
    assert [noise(42, 7, arm).hex() for arm in range(3)] == FROZEN_NOISE


FROZEN_PICKS = [4, 2, 3, 3, 1, 3, 0, 0, 4, 1, 3, 1, 3, 3, 3, 4, 3, 3, 1, 3]
FROZEN_NOISE = ["-0x1.b68f888a42a2fp+0", "0x1.d3fa7d827513dp-3", "-0x1.99e690ee6afd3p-1"]


@pytest.mark.parametrize("name", ["ucb1", "greedy", "thompson", "uniform"])
def test_ranking_is_by_mean_of_what_was_tried(name: str) -> None:
    policy = make_policy(name, 5, 9, 1)
    policy.tell(np.array([0, 1, 3, 4]), np.array([-0.5, 0.25, 0.75, 0.25]))
    assert policy.ranking().tolist() == [3, 1, 4, 0]


def test_halving_ranks_by_the_round_reached() -> None:
    policy = told("halving", [0.9, 0.8, 0.7, 0.1, 0.2], pulls=17)  # 5, then 2 each for 3, then 6 for 2
    assert policy.ranking().tolist() == [0, 1, 2, 4, 3]
    policy.tell(np.array([0, 1, 2, 0, 1, 2]), np.array([0.0, 0.8, 0.7, 0.0, 0.8, 0.7]))
    policy.tell(np.array([1, 2]), np.array([0.0, 0.0]))
    assert policy.means.tolist() == pytest.approx([0.3, 0.6, 0.525, 0.1, 0.2])
    policy.tell(np.array([1, 2, 1, 2]), np.array([0.0, 0.2, 0.0, 0.2]))
    assert policy.means.tolist() == pytest.approx([0.3, 0.4, 2.5 / 6, 0.1, 0.2])
    assert policy.ranking().tolist() == [2, 1, 0, 4, 3]


# The naive twins.


@pytest.mark.parametrize("name", ALL)
@given(instances())
@settings(max_examples=60, deadline=None)
def test_equals_its_naive_twin(name: str, instance: Instance) -> None:
    policy, naive = twins(name, instance)
    random = Random(instance["seed"])
    batches = instance["batches"]
    for i in range(20):
        asked = policy.ask(batches[i % len(batches)])
        assert asked.dtype == np.int64
        assert asked.tolist() == naive.ask(batches[i % len(batches)])
        rewards = [random.below(instance["levels"]) / (instance["levels"] - 1) for _ in asked]
        policy.tell(asked, np.array(rewards))
        naive.tell(asked.tolist(), rewards)
        assert policy.means.tolist() == [naive.mean(arm) for arm in range(policy.arms)]
        assert policy.counts.tolist() == [len(rewards) for rewards in naive.rewards]


def test_many_arms_alike_and_a_batch_between() -> None:
    """Where the choice of contenders has most to leave out."""
    instance = {"arms": 300, "pulls": 900, "seed": 5, "parameter": 0.1}
    for name in ("ucb1", "greedy", "thompson"):
        policy, naive = twins(name, instance)
        for batch in (256, 40, 17, 60):
            asked = policy.ask(batch)
            assert asked.tolist() == naive.ask(batch)
            rewards = [(arm % 3) / 2 for arm in asked.tolist()]
            policy.tell(asked, np.array(rewards))
            naive.tell(asked.tolist(), rewards)


# What they find.

ERROR_RATE = 0.03


@pytest.mark.parametrize("name", ["ucb1", "greedy(alpha=1)", "thompson(sigma=0.3)", "halving", "sampled-halving"])
def test_finds_and_favours_the_best_of_a_small_table(name: str) -> None:
    """Means 0.3 … 0.7 and noise from -0.25 to 0.25: wrong in at most 3 of 100 campaigns."""
    truth = [0.3, 0.55, 0.4, 0.7, 0.5, 0.35]
    wrong = 0
    for seed in range(100):
        random = Random(seed)
        policy = make_policy(name, 6, 240, seed)
        run(policy, lambda arm, n, random=random: truth[arm] + (random.uniform01() - 0.5) / 2)
        wrong += int(policy.means.argmax()) != 3 or policy.counts[3] < policy.counts.max() - 1
    assert wrong <= ERROR_RATE * 100


def test_uniform_finds_the_best_too() -> None:
    policy = make_policy("uniform", 4, 40, 1)
    run(policy, lambda arm, n: [0.1, 0.3, 0.9, 0.2][arm])
    assert policy.counts.tolist() == [10] * 4
    assert policy.means.argmax() == 2


# Numbers.


def test_log_of_each_is_the_portable_log() -> None:
    values = [float(n) for n in range(1, 3000)] + [2.5e6, 1e9 + 7, 2.0**52 + 1]
    assert log_of_each(np.array(values)).tolist() == [log(value) for value in values]


def test_normals_are_about_normal() -> None:
    draws = normals(np.arange(1, 200_001, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    assert abs(draws.mean()) < 4 / math.sqrt(200_000)
    assert abs(draws.var() - 1) < 4 * math.sqrt(1.7 / 200_000)
    assert abs((draws**4).mean() - 2.7) < 0.05
    for x, share in ((-2.0, 0.02275), (-1.0, 0.15866), (0.0, 0.5), (1.0, 0.84134), (2.0, 0.97725)):
        assert abs((draws < x).mean() - share) < 0.008 + 0.004
    assert np.abs(draws).max() <= HIGHEST_NORMAL


def test_the_highest_normal() -> None:
    # A part is uniform on 0 … 2^16 - 1, so four have the mean 2 (2^16 - 1) and the variance 4 (2^32 - 1) / 12.
    assert pytest.approx(2 * 65535 / math.sqrt((2**32 - 1) / 3), rel=1e-15) == HIGHEST_NORMAL


def test_a_reward_beyond_all_bounds_makes_the_spread_infinite_and_no_noise() -> None:
    from discovery.campaign.ranking import ArmStatistics

    statistics = ArmStatistics(2)
    arms, failed = np.array([0, 0, 1, 1]), np.zeros(4, bool)
    statistics.add(arms, np.array([0.5, -1e200, 0.25, 0.75]), failed)
    wild, tame = statistics.ranked(np.array([0, 1]), ["sim", "step(sim)"])
    assert wild.stderr == np.inf and wild.mean == -5e199
    assert tame.stderr == pytest.approx(0.25)

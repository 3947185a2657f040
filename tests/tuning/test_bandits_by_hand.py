"""`random`, `mab`, `nmc` and `local`, step by step: every draw is listed and every choice computed by hand.

Twice a value of UCB is mean + c sqrt(ln N / n); sqrt(ln N) for N = 1 … 6: 0, 0.8326, 1.0481, 1.1774, 1.2686, 1.3386.
"""

import math

import pytest

from mcsgrammar.language.parsing import parse
from mcsgrammar.language.tuners import Mab, NaiveMonteCarlo, RandomTuner
from mcsgrammar.tuning.bandit import Bandit
from tests.tuning.scripted import K_AND_REF, Scripted, asked_and_told, first_tune, made, space, space_in

# The bandit inside.


def test_the_value_of_an_arm() -> None:
    bandit = Bandit(3, c=0.7, fpu=1.0)
    assert [bandit.value(arm) for arm in range(3)] == [1.0, 1.0, 1.0]
    for arm, reward in [(0, 0.5), (0, 0.25), (1, 1.0)]:
        bandit.update(arm, reward)
    assert bandit.value(0) == pytest.approx(0.375 + 0.7 * math.sqrt(math.log(3) / 2), rel=1e-14)
    assert bandit.value(1) == pytest.approx(1.0 + 0.7 * math.sqrt(math.log(3)), rel=1e-14)
    assert bandit.value(2) == 1.0


def test_a_single_visit_explores_nothing_because_ln_1_is_0() -> None:
    bandit = Bandit(2, c=5.0, fpu=0.25)
    bandit.update(0, 0.5)
    assert [bandit.value(0), bandit.value(1)] == [0.5, 0.25]


def test_a_bandit_chooses_among_the_arms_it_is_given() -> None:
    bandit = Bandit(4, c=0.0, fpu=0.5)
    bandit.update(0, 1.0)
    bandit.update(2, 0.5)
    assert bandit.choose(Scripted((0, 1))) == 0
    assert bandit.choose(Scripted((1, 3)), [1, 2, 3]) == 2  # 0.5 three times: a tie
    assert bandit.choose(Scripted((2, 3)), [1, 2, 3]) == 3


# random.


def test_random_draws_a_legal_combination_each_time_and_learns_nothing() -> None:
    random = Scripted()
    tuner = made(RandomTuner(), space_in(K_AND_REF), random)
    asked_and_told(
        tuner,
        random,
        [
            ([(1, 2), (2, 3)], (1, 2), 0.0, []),
            ([(0, 2), (1, 3), (0, 2), (0, 3)], (0, 0), 1.0, []),  # (0, 1) is not legal: again
            ([(1, 2), (2, 3)], (1, 2), 0.0, []),
        ],
    )


# mab.


def test_mab_by_hand() -> None:
    random = Scripted()
    tuner = made(Mab(), space(3), random)  # c = 0.7, fpu = 1
    asked_and_told(
        tuner,
        random,
        [
            ([(2, 3)], (2,), 0.5, []),  # all are worth 1
            ([(0, 2)], (0,), 1.0, []),  # 1, 1, 0.5: one of the first two
            ([(0, 1)], (0,), 0.0, []),  # 1 + 0.7 * 0.8326 = 1.583, 1, 0.5 + 0.583 = 1.083
            ([(0, 1)], (2,), 0.0, []),  # 0.5 + 0.7 * 1.0481 / 1.4142 = 1.019, 1, 0.5 + 0.734 = 1.234
            ([(0, 1)], (0,), 0.0, []),  # 0.5 + 0.7 * 1.1774 / 1.4142 = 1.083, 1, 0.25 + 0.583 = 0.833
            ([(0, 1)], (1,), 0.25, []),  # 0.333 + 0.7 * 1.2686 / 1.7321 = 0.846, 1, 0.25 + 0.628 = 0.878
            ([(0, 1)], (1,), 0.0, []),  # 0.333 + 0.7 * 1.3386 / 1.7321 = 0.874, 0.25 + 0.937 = 1.187, 0.913
        ],
    )


def test_mab_has_an_arm_for_each_legal_combination() -> None:
    random = Scripted()
    tuner = made(Mab(c=0, fpu=0.5), space_in(K_AND_REF), random)  # (0, 0), (1, 0), (1, 1), (1, 2)
    asked_and_told(
        tuner,
        random,
        [
            ([(3, 4)], (1, 2), 0.25, []),
            ([(0, 3)], (0, 0), 0.5, []),
            ([(0, 3)], (0, 0), 1.0, []),  # 0.5, 0.5, 0.5, 0.25
            ([(0, 1)], (0, 0), 0.0, []),  # 0.75
            ([(0, 3)], (0, 0), 0.0, []),  # 0.5: a tie again
            ([(1, 2)], (1, 1), 1.0, []),  # 0.375, 0.5, 0.5, 0.25
            ([(0, 1)], (1, 1), 0.0, []),  # 1
        ],
    )


# nmc.


def test_nmc_by_hand() -> None:
    random = Scripted()
    tuner = made(NaiveMonteCarlo(), space(2, 2), random)  # eps0 = 0.75, c_l = c_g = 1
    asked_and_told(
        tuner,
        random,
        [
            # It would exploit, but has met nothing: both bandits are at 1, 1.
            ([0.9, (1, 2), (0, 2)], (1, 0), 0.5, []),
            # 0.75 is not below 0.75: exploit the one combination there is.
            ([0.75, (0, 1)], (1, 0), 0.3, []),
            # Explore: a: 1, 0.4 + 0.8326 / 1.4142 = 0.989; b: 0.989, 1.
            ([0.5, (0, 1), (0, 1)], (0, 1), 0.9, []),
            # Exploit: (1, 0): 0.4 + 1.0481 / 1.4142 = 1.141; (0, 1): 0.9 + 1.048.
            ([0.8, (0, 1)], (0, 1), 0.0, []),
            # (1, 0): 0.4 + 1.1774 / 1.4142 = 1.233; (0, 1): 0.45 + 0.833 = 1.283
            ([0.99, (0, 1)], (0, 1), 0.0, []),
            # (1, 0): 0.4 + 1.2686 / 1.4142 = 1.297; (0, 1): 0.3 + 1.2686 / 1.7321 = 1.032
            ([0.99, (0, 1)], (1, 0), 0.7, []),
            # Explore: a: 0.3 + 1.3386 / 1.7321 = 1.073, 0.5 + 0.773 = 1.273; b: the other way round.
            ([0.0, (0, 1), (0, 1)], (1, 0), 0.0, []),
        ],
    )


def test_nmc_explores_its_bandits_with_c_l_and_exploits_with_c_g() -> None:
    # (0,) met 1, 0, 0, 0; (1,) met 0: means 0.25 and 0. With c = 0 the first is better, with c = 1
    # sqrt(ln 5) = 1.2686: 0.25 + 0.634 = 0.884 against 1.269. The unmet (2,) is worth 1.
    for settings, explored, exploited in [
        (NaiveMonteCarlo(c_l=0, c_g=1), 2, 1),
        (NaiveMonteCarlo(c_l=1, c_g=0), 1, 0),
        (NaiveMonteCarlo(c_l=0.7, c_g=0.7), 2, 1),  # 0.25 + 0.444 = 0.694, 0.888, 1
    ]:
        random = Scripted()
        tuner = made(settings, space(3), random)
        for combination, reward in [((0,), 1.0), ((1,), 0.0), ((0,), 0.0), ((0,), 0.0), ((0,), 0.0)]:
            tuner.update(combination, reward)
        random.expect(0.74, (0, 1))
        assert tuner.choose() == (explored,)
        random.expect(0.76, (0, 1))
        assert tuner.choose() == (exploited,)


def test_nmc_explores_legal_combinations_only() -> None:
    random = Scripted()
    tuner = made(NaiveMonteCarlo(), space_in(K_AND_REF), random)
    random.expect(0.0, (0, 2), (0, 1))  # k = 0 leaves ref one value: a forced choice costs a draw
    assert tuner.choose() == (0, 0)
    random.expect(0.0, (1, 2), (2, 3))
    assert tuner.choose() == (1, 2)


def test_local_never_exploits() -> None:
    local = first_tune(parse("tune(select(sim, {1, 2}), local)")).tuner
    random = Scripted()
    tuner = made(local, space(2, 2), random)
    asked_and_told(
        tuner,
        random,
        [
            ([0.999999, (0, 2), (0, 2)], (0, 0), 1.0, []),
            ([0.999999, (0, 2), (0, 2)], (0, 0), 1.0, []),  # 1 + 0 against 1: ties
            # a: 1 + 0.589, 1. Exploiting would be a single draw.
            ([0.999999, (0, 1), (0, 1)], (0, 0), 0.0, []),
        ],
    )

"""`lsi`: its three phases by hand, and how it divides the number of combinations it may try.

N_g = share * N samples generate candidates, in max(1, floor(N_g / number of values)) passes; the other N_e are divided
among ceil(log2 |C|) rounds, of floor(N_e / rounds) samples each, max(1, floor(that / |C_i|)) for each candidate.
"""

from collections import Counter
from typing import Any

import pytest

from domains.randomness import Random
from mcsgrammar.language.tuners import LinearSideInformation as Lsi
from mcsgrammar.tuning.lsi import LinearSideInformationTuner, draws_of
from mcsgrammar.tuning.space import Combination
from tests.tuning.scripted import K_AND_REF, Scripted, asked_and_told, in_place, made, space, space_in


def test_lsi_by_hand() -> None:
    # Values in order: a = 0, a = 1, b = 0, b = 1. N = 16: N_g = 8, two passes; N_e = 8.
    # For each value the other parameter is drawn: (0, 1), (1, 0), (1, 0), (0, 1). The first and third are swapped.
    random = Scripted((1, 2), (0, 2), (1, 2), (0, 2), (3, 4), (0, 3), (1, 2))
    tuner = made(Lsi(share=0.5, k=3), space(2, 2), random)
    tuner.hint(16)
    second_pass = [(0, 2), (1, 2), (0, 2), (1, 2), *in_place(4)]  # (0, 0), (1, 1), (0, 0), (1, 1)
    candidates = [
        # Means: a = 0: 0.25, a = 1: 0.5, b = 0: 0.25, b = 1: 0; together 1.
        *[0.1, 0.9],  # 0.1 of 1 is within the first 0.25: a = 0. Of b = 0, 1 with 0.25 and 0: b = 0
        *[0.5, 0.0],  # within the next 0.5: a = 1. b = 0
        *[0.9, 0.5],  # within the next 0.25: b = 0. Of a = 0, 1 with 0.25 and 0.5: 0.5 * 0.75 is past 0.25: a = 1
    ]  # two different ones: (0, 0), (1, 0). One round of 8 samples: four times each.
    asked_and_told(
        tuner,
        random,
        [
            ([], (1, 0), 0.25, []),  # for b = 0
            ([], (1, 0), 0.75, []),  # for a = 1
            ([], (0, 1), 0.5, []),  # for a = 0
            ([], (0, 1), 0.0, second_pass),  # for b = 1
            ([], (0, 0), 0.0, []),  # for a = 0
            ([], (1, 1), 0.25, []),  # for a = 1
            ([], (0, 0), 0.25, []),  # for b = 0
            ([], (1, 1), 0.0, [*candidates, (0, 2)]),  # for b = 1; the order of the first turn is changed
            ([], (1, 0), 1.0, []),
            ([], (0, 0), 0.5, [(1, 2)]),
            ([], (0, 0), 0.5, []),
            ([], (1, 0), 0.0, [(1, 2)]),
            ([], (0, 0), 0.5, []),
            ([], (1, 0), 0.5, [(0, 2)]),
            ([], (1, 0), 0.25, []),
            ([], (0, 0), 0.5, []),  # 0.5 against 1.75 / 4: (0, 0) has won
            ([], (0, 0), 0.0, []),  # whatever comes now
            ([], (0, 0), 0.0, []),
        ],
    )
    assert tuner.best() == (0, 0)


def test_only_the_fixed_value_learns_from_a_pass() -> None:
    random = Scripted((1, 2), (1, 2), (1, 2), (1, 2), *in_place(4))
    tuner = made(Lsi(k=1), space(2, 2), random)
    assert isinstance(tuner, LinearSideInformationTuner)
    random.expect()
    for reward in (0.5, 1.0, 0.25):
        tuner.update(tuner.choose(), reward)  # (0, 1), (1, 1), (1, 0)
    assert (tuner.visits, tuner.totals) == ([1, 1, 1, 0], [0.5, 1.0, 0.25, 0.0])


def evaluation(tuner: LinearSideInformationTuner, random: Scripted, n: int) -> None:
    """Through the only pass of n values of one parameter, each rewarded 1, to n candidates in order."""
    for value in range(n - 1):
        assert tuner.choose() == (value,)
        tuner.update((value,), 1.0)
    tuner_draws: list[Any] = [(value + 0.5) / n for value in range(n)]  # the value-th of n equal weights
    random.expect(*tuner_draws, *in_place(n))
    tuner.update((n - 1,), 1.0)
    random.expect()


def test_three_candidates_become_two_then_one_by_their_cumulative_means() -> None:
    # N = 24 halves: N_g = 12, but 12 / 3 = 4 passes; so share = 0.25 with N = 16: 4 samples, one pass. N_e = 12,
    # ceil(log2 3) = 2 rounds of 6: two for each of 3, then three for each of 2.
    random = Scripted(*in_place(3))
    tuner = made(Lsi(share=0.25, k=3), space(3), random)
    assert isinstance(tuner, LinearSideInformationTuner)
    tuner.hint(16)
    evaluation(tuner, random, 3)
    three, two = in_place(3), in_place(2)
    asked_and_told(
        tuner,
        random,
        [
            ([], (0,), 1.0, []),
            ([], (1,), 0.25, []),
            ([], (2,), 0.5, three),
            ([], (0,), 1.0, []),
            ([], (1,), 0.25, []),
            ([], (2,), 0.5, two),  # 1, 0.25, 0.5: 0 and 2 go on, in this order
            ([], (0,), 0.0, []),
            ([], (2,), 0.125, two),
            ([], (0,), 0.0, []),
            ([], (2,), 0.125, two),
            ([], (0,), 0.0, []),
            ([], (2,), 0.125, []),  # 2 of 5 against 1.375 of 5: this round alone, 2 would have won
            ([], (0,), 0.0, []),
        ],
    )


def test_of_equal_candidates_the_first_goes_on() -> None:
    random = Scripted(*in_place(2))
    tuner = made(Lsi(share=0.5, k=2), space(2), random)
    assert isinstance(tuner, LinearSideInformationTuner)
    tuner.hint(4)
    evaluation(tuner, random, 2)
    asked_and_told(tuner, random, [([], (0,), 0.5, []), ([], (1,), 0.5, []), ([], (0,), 0.0, [])])


def test_every_candidate_is_evaluated_at_least_once_a_round() -> None:
    # N = 4, share 1: N_e = 0. Two rounds all the same, 3 + 2 samples more than there are.
    random = Scripted(*in_place(3))
    tuner = made(Lsi(share=1, k=3), space(3), random)
    assert isinstance(tuner, LinearSideInformationTuner)
    tuner.hint(4)
    evaluation(tuner, random, 3)
    rewards = [((0,), 0.0), ((1,), 1.0), ((2,), 1.0)]
    asked_and_told(
        tuner,
        random,
        [
            *[([], c, reward, in_place(2) if c == (2,) else []) for c, reward in rewards],
            *[([], (1,), 0.0, []), ([], (2,), 0.5, []), ([], (2,), 0.0, [])],
        ],
    )


def test_a_single_candidate_has_won() -> None:
    random = Scripted(*in_place(3))
    tuner = made(Lsi(share=0.5, k=2), space(3), random)
    tuner.hint(6)
    random.expect()
    tuner.update((0,), 0.0)
    tuner.update((1,), 1.0)
    random.expect(0.0, 0.9)  # twice the only value with a mean above 0; no evaluation, no shuffle
    tuner.update((2,), 0.0)
    random.expect()
    assert (tuner.choose(), tuner.best()) == ((1,), (1,))


def test_where_nothing_was_rewarded_values_are_drawn_alike() -> None:
    random = Scripted((0, 2), (0, 2), (0, 2), (0, 2), *in_place(4))
    tuner = made(Lsi(share=0.5, k=1), space(2, 2), random)
    tuner.hint(8)
    for _ in range(3):
        tuner.update(tuner.choose(), 0.0)
    random.expect((3, 4), (0, 2))  # b = 1, then a = 0 of two
    tuner.update(tuner.choose(), 0.0)
    random.expect()
    assert tuner.choose() == (0, 1)


def test_a_candidate_is_drawn_from_what_still_goes_with_it() -> None:
    # Values: k = 0, k = 1, ref = 0, 1, 2. In the pass k is drawn for each ref, again while not legal.
    draws = [(0, 3), (0, 3), (0, 2), (1, 2), (1, 2)]
    random = Scripted(*draws, *in_place(5))
    tuner = made(Lsi(share=0.5, k=2), space_in(K_AND_REF), random)
    tuner.hint(10)
    for _ in range(4):
        tuner.update(tuner.choose(), 1.0)
    # First ref = 2; then k can only be 1, so any number leads there. Then k = 0, beside which ref can only be 0.
    random.expect(0.9, 0.1, 0.1, 0.9, *in_place(2))
    tuner.update(tuner.choose(), 1.0)
    random.expect()
    assert tuner.choose() == (1, 2)
    tuner.update((1, 2), 0.0)
    assert tuner.choose() == (0, 0)


@pytest.mark.parametrize(
    ("settings", "parameters", "draws"), [(Lsi(), 1, 20), (Lsi(), 2, 20), (Lsi(), 3, 2000), (Lsi(k=7), 3, 7)]
)
def test_k_is_20_for_two_parameters_and_2000_for_more(settings: Lsi, parameters: int, draws: int) -> None:
    assert draws_of(settings, parameters) == draws


def phases(total: int, settings: Lsi, *sizes: int) -> tuple[int, list[int]]:
    """The number of samples before there are candidates; then how many candidates there are at each sample."""
    tuner = made(settings, space(*sizes), Random(7))
    assert isinstance(tuner, LinearSideInformationTuner)
    tuner.hint(total)
    generation, alive = 0, []
    while tuner.winner is None:
        if tuner.candidates:
            alive.append(len(tuner.candidates))
        else:
            generation += 1
        tuner.update(tuner.choose(), 0.5)
    return generation, alive


def test_the_samples_of_the_phases() -> None:
    # 5 values, k = 200 draws find all of them. N = 60: N_g = 30, six passes; N_e = 30, three rounds of 10: two for each
    # of 5 (10), three for each of 3 (9), five for each of 2 (10).
    generation, alive = phases(60, Lsi(share=0.5, k=200), 5)
    assert (generation, Counter(alive)) == (30, {5: 10, 3: 9, 2: 10})
    # N = 100, the default share: 75 samples are floor(75 / 8) = 9 passes of 8; 16 combinations, four rounds of
    # floor(25 / 4) = 6: one for each of 16, one for each of 8, one for each of 4, three for each of 2.
    generation, alive = phases(100, Lsi(k=2000), 4, 4)
    assert (generation, Counter(alive)) == (72, {16: 16, 8: 8, 4: 4, 2: 6})
    # Fewer samples than values: a pass all the same.
    assert phases(1, Lsi(k=1), 4, 4) == (8, [])
    assert phases(10, Lsi(k=1), 4, 4) == (8, [])
    assert phases(22, Lsi(k=1), 4, 4)[0] == 16  # 16.5 / 8


@pytest.mark.parametrize(("candidates", "rounds"), [(2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4)])
def test_the_rounds_are_the_logarithm_rounded_up(candidates: int, rounds: int) -> None:
    _, alive = phases(10 * candidates, Lsi(share=0.5, k=500), candidates)
    assert alive[0] == candidates
    assert len(dict.fromkeys(alive)) == rounds


def test_the_samples_of_the_evaluation_are_not_lost_to_rounding() -> None:
    # N = 100, share 0.9: N_e = 10, one round, five for each of 2 candidates; in floats (1 - 0.9) * 100 is below 10.
    _, alive = phases(100, Lsi(share=0.9, k=50), 2)
    assert len(alive) == 10


def test_it_goes_on_generating_until_it_is_told_how_often_it_will_be_asked() -> None:
    tuner = made(Lsi(share=0.5, k=50), space(2), Random(1))
    assert isinstance(tuner, LinearSideInformationTuner)
    for _ in range(15):
        tuner.update(tuner.choose(), 0.5)
    assert (tuner.passes, tuner.candidates) == (7, [])
    tuner.hint(8)  # two passes would have been enough: the one under way is the last
    tuner.update(tuner.choose(), 0.5)
    assert len(tuner.candidates) == 2


def test_the_best_is_the_winner_before_it_the_leading_candidate_before_it_the_best_mean() -> None:
    random = Scripted(*in_place(2))
    tuner = made(Lsi(share=0.5, k=2), space(2), random)
    assert isinstance(tuner, LinearSideInformationTuner)
    tuner.hint(4)
    bests: list[Combination | None] = [tuner.best()]
    tuner.update((0,), 0.25)
    bests.append(tuner.best())  # (0,): the only one met
    random.expect(0.1, 0.9, (0, 2))
    tuner.update((1,), 1.0)
    bests.append(tuner.best())  # (1,): 1
    tuner.update((1,), 0.5)
    bests.append(tuner.best())  # (1,): the only candidate evaluated
    tuner.update((0,), 0.75)
    bests.append(tuner.best())  # (0,) has won with 0.75 to 0.5, though all (1,) ever met is (1 + 0.5) / 2
    assert bests == [None, (0,), (1,), (1,), (0,)]

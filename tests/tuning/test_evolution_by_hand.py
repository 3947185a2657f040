"""`ea` and `ntbea`, step by step: every draw is listed and every choice computed by hand."""

import itertools
import math
from collections import Counter

import pytest

from domains.randomness import Random
from mcsgrammar.language.tuners import EvolutionaryAlgorithm, Ntbea
from mcsgrammar.tuning.ntbea import NtbeaTuner
from tests.tuning.scripted import K_AND_REF, Draw, Scripted, asked_and_told, in_place, made, space, space_in

# ea.


def test_ea_by_hand() -> None:
    random = Scripted((0, 2), (0, 2), (0, 2), (1, 2), (1, 2), (0, 2), *in_place(3))
    tuner = made(EvolutionaryAlgorithm(lambda_=3, mu=2), space(2, 2), random)  # (0, 0), (0, 1), (1, 0); p_cross = 0.5
    mutates: list[Draw] = [0.5, (1, 2), (1, 2), (1, 2)]  # the second of the elite, its b, the value 1
    crosses: list[Draw] = [
        0.49,
        (0, 2),
        (1, 2),
        (1, 2),
        (0, 2),
    ]  # first and second of the elite; a of the second, b of the first
    asked_and_told(
        tuner,
        random,
        [
            ([], (0, 0), 0.25, []),
            ([], (0, 1), 0.75, []),
            # The elite is (0, 1) with 0.75, (1, 0) with 0.5; the mutant of the second is (1, 1). The order is then
            # 2, 1, 0: the shuffle swaps the last with the first.
            ([], (1, 0), 0.5, [*mutates, (0, 3), (1, 2)]),
            ([], (1, 1), 0.5, []),
            ([], (1, 0), 1.0, []),
            # (0, 1): 0.75 of two, (1, 0): 0.75 of two, (1, 1): 0.5 of one. The first two stay, in this order.
            ([], (0, 1), 0.75, [*crosses, *in_place(3)]),
            ([], (0, 1), 0.0, []),
            ([], (1, 0), 0.5, []),
            # (0, 1): 0.5 of three, (1, 0): 0.667 of three, the child (1, 1): 0.6 of one, for it starts anew (with its
            # 0.5 from before it would be 0.55). So (1, 0) leads, and (1, 1) is the second of the elite.
            ([], (1, 1), 0.6, [0.0, (0, 2), (1, 2), (0, 2), (1, 2), *in_place(3)]),
            ([], (1, 0), 0.0, []),
            ([], (1, 1), 0.0, []),
            # the child of (1, 0) with its a, of (1, 1) with its b
            ([], (1, 1), 0.0, [0.0, (0, 2), (0, 2), (0, 2), (0, 2), *in_place(3)]),
        ],
    )


def test_ea_keeps_the_mean_of_all_an_individual_met() -> None:
    # (0,): 1, then 0 = 0.5. (1,): 0.6, 0.6 = 0.6, so it leads; by the last reward alone it would, too, but by the first
    # it would not.
    random = Scripted((0, 2), (1, 2), *in_place(2))
    tuner = made(EvolutionaryAlgorithm(lambda_=2, mu=2), space(2), random)
    asked_and_told(
        tuner,
        random,
        [
            ([], (0,), 1.0, []),
            ([], (1,), 0.6, in_place(2)),
            ([], (0,), 0.0, []),
            ([], (1,), 0.6, in_place(2)),
            ([], (1,), 0.0, []),  # 0.4
            ([], (0,), 0.0, in_place(2)),  # 0.333
            ([], (1,), 0.0, []),  # 0.3
            ([], (0,), 1.0, in_place(2)),  # 0.5
            ([], (0,), 1.0, []),
        ],
    )


def test_a_mutant_may_be_what_it_comes_from() -> None:
    random = Scripted((0, 2), (1, 2), *in_place(2))
    tuner = made(EvolutionaryAlgorithm(lambda_=2, mu=1, p_cross=0.0), space(2), random)
    mutant: list[Draw] = [0.5, (0, 1), (0, 1), (0, 2)]  # of the only one kept, its only parameter, 0 again
    asked_and_told(tuner, random, [([], (0,), 1.0, []), ([], (1,), 0.0, [*mutant, *in_place(2)])])
    assert [one.combination for one in tuner.population] == [(0,), (0,)]  # type: ignore[attr-defined]
    assert [one.visits for one in tuner.population] == [1, 0]  # type: ignore[attr-defined]


def test_an_infeasible_gene_takes_the_value_of_the_other_parent() -> None:
    random = Scripted((0, 2), (0, 3), (1, 2), (2, 3), (1, 2), (1, 3), *in_place(3))
    tuner = made(EvolutionaryAlgorithm(lambda_=3, mu=2), space_in(K_AND_REF), random)
    for combination, reward in [((0, 0), 1.0), ((1, 2), 0.5)]:
        random.expect()
        assert tuner.choose() == combination
        tuner.update(combination, reward)
    # k = 0 of the first parent, then ref 2 of the second does not go with it: the first parent's 0.
    random.expect(0.0, (0, 2), (1, 2), (0, 2), (1, 2), *in_place(3))
    tuner.update(tuner.choose(), 0.0)
    for combination in [(0, 0), (1, 2)]:
        random.expect()
        assert tuner.choose() == combination
        tuner.update(combination, 0.5)
    assert tuner.choose() == (0, 0)  # the child


def test_ea_evaluates_every_individual_once_a_generation() -> None:
    random = Random(1)
    tuner = made(EvolutionaryAlgorithm(), space(9, 9), random)  # lambda = 50, mu = 25
    generations: list[Counter[tuple[int, ...]]] = []
    for _ in range(6):
        seen: Counter[tuple[int, ...]] = Counter()
        for _ in range(50):
            chosen = tuner.choose()
            seen[chosen] += 1
            tuner.update(chosen, sum(chosen) / 16)
        generations.append(seen)
    for earlier, later in itertools.pairwise(generations):
        best = sorted(earlier.elements(), key=lambda c: -sum(c))[:25]
        assert sorted(map(sum, later.elements()), reverse=True)[:25] >= [sum(c) for c in best]
        assert sum((later & Counter(best)).values()) >= 20  # of the 25; equals may be others at the edge


# ntbea.


def test_ntbea_by_hand() -> None:
    random = Scripted((0, 2), (0, 3))
    tuner = made(Ntbea(x=2), space(2, 3), random)  # c = 0.2
    a0, a1 = [(0, 2), (0, 2)], [(0, 2), (1, 2)]  # the parameter, and its value
    b0, b1, b2 = ([(1, 2), (value, 3)] for value in range(3))
    asked_and_told(
        tuner,
        random,
        [
            # N = 1, ln 1 = 0. (1, 0): b = 0 alone was met: 0.5. (0, 2): a = 0 alone: 0.5. The first of the two.
            ([], (0, 0), 0.5, [*a1, *b2]),
            # N = 2: 0.2 * 0.8326 = 0.1665.
            # (0, 0): a: 0.5 + 0.1665, b: 0.75 + 0.1177, both: 0.5 + 0.1665; the mean is 0.734
            # (1, 2): a: 1 + 0.1665 alone: 1.167
            ([], (1, 0), 1.0, [*a0, *b2]),
            # N = 3: 0.2 * 1.0481 = 0.2096.
            # (0, 2): a: 0.5 + 0.2096, b: 0 + 0.2096; the mean is 0.460
            # (1, 1): a: 0.5 + 0.1482 alone: 0.648
            ([], (1, 2), 0.0, [*a0, *b1]),
            # N = 4: 0.2 * 1.1774 = 0.2355. It was best so far and would be again, but both mutations lead away:
            # (0, 1): a: 0.5 + 0.2355, b: 1 + 0.2355; 0.985
            # (1, 0): a: 0.667 + 0.1360, b: 0.75 + 0.1665, both: 1 + 0.2355; 0.985 …
            ([], (1, 1), 1.0, [*a0, *b0]),
        ],
    )
    worths = [(0.5 + 1.0) / 2 + 0.2 * math.sqrt(math.log(4))]
    worths.append((2 / 3 + 0.75 + 1 + 0.2 * math.sqrt(math.log(4)) * (1 / math.sqrt(3) + 1 / math.sqrt(2) + 1)) / 3)
    assert worths[0] == pytest.approx(0.98548, abs=1e-5) and worths[1] == pytest.approx(0.98488, abs=1e-5)
    random.expect()
    assert tuner.choose() == (0, 1)


def test_the_model_of_ntbea_is_the_mean_over_the_tuples_it_met() -> None:
    random = Scripted((0, 2), (0, 3))
    tuner = made(Ntbea(x=1, c=0.7), space(2, 3), random)
    assert isinstance(tuner, NtbeaTuner)
    assert tuner.model((1, 2)) == 0.0  # none was met
    told = [((0, 0), 0.5), ((0, 1), 0.25), ((0, 0), 1.0), ((1, 0), 0.0)]
    for combination, reward in told:
        random.expect((0, 2), (0, 2))
        tuner.update(combination, reward)
    n = math.log(4)
    a = 1.75 / 3 + 0.7 * math.sqrt(n / 3)  # a = 0 three times
    b = 1.5 / 3 + 0.7 * math.sqrt(n / 3)  # b = 0 three times
    both = 0.75 + 0.7 * math.sqrt(n / 2)
    assert tuner.model((0, 0)) == pytest.approx((a + b + both) / 3, rel=1e-14)
    assert tuner.model((0, 2)) == pytest.approx(a, rel=1e-14)
    assert tuner.model((1, 2)) == pytest.approx(0.0 + 0.7 * math.sqrt(n), rel=1e-14)
    assert tuner.model((1, 1)) == pytest.approx((0.0 + 0.25) / 2 + 0.7 * math.sqrt(n), rel=1e-14)


def test_with_one_parameter_its_value_is_the_only_tuple() -> None:
    random = Scripted((1, 3))
    tuner = made(Ntbea(x=1, c=0.2), space(3), random)
    assert isinstance(tuner, NtbeaTuner)
    random.expect((0, 1), (2, 3))
    tuner.update((1,), 0.5)
    assert tuner.model((1,)) == 0.5
    assert tuner.choose() == (2,)


def test_ntbea_moves_on_unless_a_mutation_gives_back_the_current_one() -> None:
    random = Scripted((0, 2))
    tuner = made(Ntbea(x=3, c=0), space(2), random)
    to_0, to_1 = [(0, 1), (0, 2)], [(0, 1), (1, 2)]
    asked_and_told(
        tuner,
        random,
        [
            ([], (0,), 1.0, to_1 * 3),  # worse, but all there is
            ([], (1,), 0.0, to_0 * 3),
            ([], (0,), 1.0, to_1 + to_0 + to_1),  # one of them is what it was, and best
            ([], (0,), 1.0, to_1 * 3),
        ],
    )
    assert tuner.choose() == (1,)


def test_ntbea_stays_where_there_is_nothing_else() -> None:
    random = Scripted((0, 1))
    tuner = made(Ntbea(x=2), space(1), random)
    stays = [(0, 1), (0, 1)] * 2
    asked_and_told(tuner, random, [([], (0,), 0.5, stays), ([], (0,), 0.5, stays)])


def test_ntbea_makes_five_neighbours_by_default() -> None:
    random = Scripted((0, 2))
    tuner = made(Ntbea(), space(2), random)
    random.expect(*[(0, 1), (0, 2)] * 5)
    tuner.update((0,), 0.5)
    random.expect()

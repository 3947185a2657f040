"""The statistics against scipy, against numbers worked out by hand, and against laws."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from discovery.statistics import (
    binomial_interval,
    effect_size,
    holm,
    means,
    paired_test,
    summary,
    welch_test,
    winners_curse,
)

NAN = float("nan")
INF = float("inf")

finite = st.floats(-1e3, 1e3).map(lambda x: round(x, 6))
samples = st.lists(finite, min_size=2, max_size=12)
p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_summary_by_hand() -> None:
    # deviations -2 … 2, variance 10 / 4, standard error sqrt(2.5 / 5); t of 4 degrees at 97.5 % is 2.776445
    got = summary([1, 2, 3, 4, 5])
    assert (got.n, got.mean) == (5, 3.0)
    assert got.stderr == pytest.approx(math.sqrt(0.5))
    assert (got.low, got.high) == pytest.approx((3 - 2.776445 * math.sqrt(0.5), 3 + 2.776445 * math.sqrt(0.5)))


def test_welch_by_hand() -> None:
    # means 2 and 6, variances 1 and 4 over n = 3: t = -4 / sqrt(5 / 3), and with 25 / 9 / (1 / 18 + 16 / 18) degrees
    degrees = (25 / 9) / (17 / 18)
    assert degrees == pytest.approx(2.9412, abs=1e-4)
    expected = 2 * stats.t.sf(4 / math.sqrt(5 / 3), degrees)
    assert welch_test([1, 2, 3], [4, 6, 8]) == pytest.approx(expected)


def test_paired_by_hand() -> None:
    # differences 1, 2, 3: t = 2 / (1 / sqrt 3) with 2 degrees, for which p = 1 - t / sqrt(2 + t^2)
    t = 2 * math.sqrt(3)
    assert paired_test([2, 4, 6], [1, 2, 3]) == pytest.approx(1 - t / math.sqrt(2 + t * t))


def test_effect_size_by_hand() -> None:
    assert effect_size([2, 4, 6], [1, 2, 3]) == pytest.approx(2.0)


def test_rows_are_tested_as_scipy_tests_them_one_by_one() -> None:
    draw = np.random.Generator(np.random.PCG64(1))
    rows, other = draw.normal(size=(4, 30)), draw.normal(0.3, 2.0, size=30)
    shorter = other[:17]
    for row, welch, paired, mean in zip(
        rows, welch_test(rows, shorter), paired_test(rows, other), means(rows), strict=True
    ):
        assert welch == pytest.approx(stats.ttest_ind(row, shorter, equal_var=False).pvalue)
        assert paired == pytest.approx(stats.ttest_rel(row, other).pvalue)
        assert mean == pytest.approx(row.mean())
        got = summary(row)
        assert (got.low, got.high) == pytest.approx(stats.t.interval(0.95, 29, row.mean(), stats.sem(row)))


HOLM = [
    # five p-values, the smallest times 5, the next times 4, …, none below the one before it
    ([0.005, 0.011, 0.02, 0.04, 0.13], [0.025, 0.044, 0.06, 0.08, 0.13]),
    # the same in another order
    ([0.13, 0.04, 0.005, 0.02, 0.011], [0.13, 0.08, 0.025, 0.06, 0.044]),
    # 0.03 × 3 = 0.09 raises 0.0301 × 2 and 0.0302 × 1; what passes 1 is 1
    ([0.0301, 0.03, 0.0302], [0.09, 0.09, 0.09]),
    ([0.6, 0.7], [1.0, 1.0]),
    ([0.03], [0.03]),
    # what could not be tested is no member of the family
    ([0.02, NAN, 0.03], [0.04, NAN, 0.04]),
    ([], []),
]


@pytest.mark.parametrize(("p", "adjusted"), HOLM)
def test_holm_by_hand(p: list[float], adjusted: list[float]) -> None:
    assert holm(p) == pytest.approx(adjusted, nan_ok=True)


@given(p_values)
def test_holm_lies_between_no_correction_and_bonferroni(p: list[float]) -> None:
    adjusted = holm(p)
    assert (adjusted >= p).all()
    assert (adjusted <= np.minimum(1, len(p) * np.array(p))).all()


@given(p_values)
def test_holm_keeps_the_order(p: list[float]) -> None:
    adjusted = holm(p)
    for a, adjusted_a in zip(p, adjusted, strict=True):
        for b, adjusted_b in zip(p, adjusted, strict=True):
            assert not a <= b or adjusted_a <= adjusted_b


@given(p_values, st.floats(0.001, 0.5))
def test_holm_rejects_what_the_step_down_procedure_rejects(p: list[float], level: float) -> None:
    rejected = set()
    for position, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        if (len(p) - position) * p[i] > level:
            break
        rejected.add(i)
    assert set(np.flatnonzero(holm(p) <= level)) == rejected


@given(samples, samples)
def test_welch_is_symmetric(a: list[float], b: list[float]) -> None:
    assert welch_test(a, b) == welch_test(b, a)
    assert 0 <= welch_test(a, b) <= 1


@given(st.lists(st.tuples(finite, finite), min_size=2, max_size=12))
def test_paired_comparisons_turn_with_their_sides(pairs: list[tuple[float, float]]) -> None:
    a, b = zip(*pairs, strict=True)
    assert paired_test(a, b) == paired_test(b, a)
    assert effect_size(a, b) == -effect_size(b, a)


@given(samples, samples, st.integers(-900, 900))
def test_scale_does_not_matter(a: list[float], b: list[float], exponent: int) -> None:
    c, d = np.ldexp(a, exponent), np.ldexp(b, exponent)
    n = min(len(a), len(b))
    assert welch_test(c, d) == pytest.approx(welch_test(a, b), rel=1e-6, abs=1e-12)
    assert paired_test(c[:n], d[:n]) == pytest.approx(paired_test(a[:n], b[:n]), rel=1e-6, abs=1e-12)
    assert summary(c).stderr == pytest.approx(np.ldexp(summary(a).stderr, exponent))


@given(samples)
def test_the_interval_holds_the_mean(sample: list[float]) -> None:
    got = summary(sample)
    assert min(sample) <= got.mean <= max(sample) or got.mean == pytest.approx(sample[0])
    assert got.low <= got.mean <= got.high


DEGENERATE = [
    # a, b, Welch's p, the paired p, the effect size
    ([1.0], [2.0], NAN, NAN, NAN),
    ([1.0], [1.0], NAN, NAN, NAN),
    ([0.1] * 3, [0.1] * 3, 1.0, 1.0, 0.0),
    ([0.2] * 3, [0.1] * 3, 0.0, 0.0, INF),
    ([0.1] * 3, [0.2] * 3, 0.0, 0.0, -INF),
    ([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], 1.0, 1.0, 0.0),
    ([1e308, 1e308], [-1e308, -1e308], 0.0, 0.0, INF),
]


@pytest.mark.parametrize(("a", "b", "welch", "paired", "effect"), DEGENERATE)
def test_degenerate_cases(a: list[float], b: list[float], welch: float, paired: float, effect: float) -> None:
    got = (welch_test(a, b), paired_test(a, b), effect_size(a, b))
    assert got == pytest.approx((welch, paired, effect), nan_ok=True)


def test_one_value_beside_many_has_no_spread_to_judge_by() -> None:
    assert math.isnan(welch_test([1.0], [1.0, 2.0, 4.0])) and math.isnan(welch_test([1.0, 2.0, 4.0], [1.0]))


def test_one_value_has_a_mean_and_nothing_else() -> None:
    got = summary([0.25])
    assert (got.n, got.mean) == (1, 0.25)
    assert all(map(math.isnan, (got.stderr, got.low, got.high)))


def test_equal_values_have_no_error_at_all() -> None:
    got = summary([0.1] * 7)  # whose sum is not 0.7
    assert (got.mean, got.stderr, got.low, got.high) == (0.1, 0.0, 0.1, 0.1)


@pytest.mark.parametrize("wrong", [[], [1.0, NAN], [INF, 1.0]])
def test_what_is_not_a_sample_is_refused(wrong: list[float]) -> None:
    for statistic in (summary, means):
        with pytest.raises(ValueError, match="statistics need"):
            statistic(wrong)
    for test in (welch_test, paired_test, effect_size):
        with pytest.raises(ValueError, match="statistics need"):
            test(wrong, [1.0, 2.0])


def test_pairs_need_partners() -> None:
    with pytest.raises(ValueError, match="the same problems on both sides"):
        paired_test([1, 2, 3], [1, 2])


@pytest.mark.parametrize("wrong", [-0.1, 1.1])
def test_holm_refuses_what_is_no_probability(wrong: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        holm([0.5, wrong])


def test_winners_curse_by_hand() -> None:
    # test means 2 and 4, so 3; training 5: an excess of 2. The covariance matrix of the tests is [[1, 2], [2, 4]], and
    # the weights 1/3 + 1/10, and 1/3 + 1/20 where the second, with more pulls, is part of the pair.
    got = winners_curse([5, 5], [10, 20], [[1, 2, 3], [2, 4, 6]])
    variance = (1 * (1 / 3 + 1 / 10) + (2 + 2 + 4) * (1 / 3 + 1 / 20)) / 4
    assert (got.training, got.test, got.excess) == pytest.approx((5, 3, 2))
    assert got.stderr == pytest.approx(math.sqrt(variance))


def test_the_error_of_the_winners_curse_is_what_it_says() -> None:
    """Without any selection: excesses over many repetitions, with problems in common and different numbers of pulls."""
    draw = np.random.Generator(np.random.PCG64(2))
    pulls = np.array([5, 12, 12, 30])
    excesses, errors = [], []
    for _ in range(2000):
        training = draw.normal(size=30) + draw.normal(size=(4, 30))
        test = draw.normal(size=40) + draw.normal(size=(4, 40))
        trained = [row[:n].mean() for row, n in zip(training, pulls, strict=True)]
        curse = winners_curse(trained, pulls, test)
        excesses.append(curse.excess)
        errors.append(curse.stderr)
    assert np.mean(excesses) == pytest.approx(0, abs=4 * float(np.std(excesses)) / math.sqrt(2000))
    assert math.sqrt(np.mean(np.square(errors))) == pytest.approx(np.std(excesses), rel=0.06)


def test_winners_curse_of_one_problem_has_no_error() -> None:
    got = winners_curse([0.5], [1], [[0.25]])
    assert got.excess == 0.25
    assert math.isnan(got.stderr)


@pytest.mark.parametrize(("trained", "pulls"), [([0.5], [1, 1]), ([0.5, 0.5], [1, 0])])
def test_winners_curse_refuses_what_does_not_fit(trained: list[float], pulls: list[int]) -> None:
    with pytest.raises(ValueError, match=r"of the same number|pulled at least once"):
        winners_curse(trained, pulls, [[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("hits", "trials", "interval"),
    [(0, 10, (0.0, 1 - 0.025 ** (1 / 10))), (10, 10, (0.025 ** (1 / 10), 1.0)), (5, 100, (0.016432, 0.112835))],
)
def test_binomial_interval_by_hand(hits: int, trials: int, interval: tuple[float, float]) -> None:
    assert binomial_interval(hits, trials) == pytest.approx(interval, abs=1e-6)


def test_rows_of_another_size_change_nothing() -> None:
    """What is 1e160 times as large is squared apart: else the deviations of the others vanish, and p is 0."""
    random = np.random.default_rng(3)
    rows, base = random.normal(0.5, 0.1, (4, 30)), random.normal(0.5, 0.1, 30)
    beside_huge = np.vstack([rows, random.normal(-1e160, 1e159, 30)])
    for test in (paired_test, welch_test, effect_size):
        alone = [float(test(row, base)) for row in rows]
        assert test(beside_huge, base)[:4].tolist() == alone
        assert all(0 < abs(value) < 1 for value in alone)
    assert means(beside_huge)[:4].tolist() == [float(means(row)) for row in rows]

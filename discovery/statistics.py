"""The statistics of evaluations: pure functions of arrays of rewards, one value for each problem.

Tests compare the last axis and broadcast over the others, so that a matrix [algorithm, problem] is tested at once.
Numbers that do not exist are NaN, and only then:
    one value alone           has a mean, but no standard error, interval, test or effect size
    no spread at all          standard error 0; a test says p = 1 where the means are equal, else p = 0, its limit;
                              the effect size is 0 where the means are equal, else infinite
Values must be finite: a NaN or an infinity among them is refused with `ValueError`, and so is an empty array.

SciPy is imported where it is needed: it takes longer than a short match, of which only the last table asks for it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Summary:
    """What a sample says of the mean it is drawn around."""

    n: int
    mean: float
    stderr: float
    low: float
    """of the 95 % interval by Student's t"""
    high: float


def summary(values: ArrayLike) -> Summary:
    """Mean, standard error and 95 % t-interval."""
    sample = _checked(values)
    n = sample.shape[-1]
    mean, deviation = (float(part) for part in _moments(sample))
    stderr = float(deviation / np.sqrt(n))
    half = stderr * _student_quantile(n - 1) if n > 1 else np.nan
    return Summary(n, mean, stderr, mean - half, mean + half)


def means(values: ArrayLike) -> Floats:
    """The mean over the last axis."""
    return _moments(_checked(values))[0]


def welch_test(a: ArrayLike, b: ArrayLike) -> Floats:
    """The two-sided p of Welch's unpaired t-test: do the means of `a` and `b` differ?"""
    a, b = _on_one_scale(_checked(a), _checked(b))
    n_a, n_b = a.shape[-1], b.shape[-1]
    mean_a, deviation_a = _moments(a)
    mean_b, deviation_b = _moments(b)
    if min(n_a, n_b) < 2:
        return np.full(np.broadcast_shapes(mean_a.shape, mean_b.shape), np.nan)
    difference = mean_a - mean_b
    variance_a, variance_b = deviation_a**2 / n_a, deviation_b**2 / n_b
    variance = variance_a + variance_b
    spread = variance > 0
    degrees = np.where(spread, variance, 1.0) ** 2 / np.where(
        spread, variance_a**2 / (n_a - 1) + variance_b**2 / (n_b - 1), 1.0
    )
    return _two_sided(difference, np.sqrt(variance), degrees)


def paired_test(a: ArrayLike, b: ArrayLike) -> Floats:
    """The two-sided p of the paired t-test: do `a` and `b` differ in mean on the same problems?"""
    differences = _differences(a, b)
    n = differences.shape[-1]
    mean, deviation = _moments(differences)
    if n < 2:
        return np.full(mean.shape, np.nan)
    return _two_sided(mean, deviation / np.sqrt(n), np.full(mean.shape, n - 1.0))


def holm(p_values: ArrayLike) -> Floats:
    """Holm's adjusted p-values: reject where they are below 0.05, and the chance of any false rejection among the
    whole family is below 0.05. NaN stays NaN and does not count as a member of the family."""
    p = np.asarray(p_values, np.float64)
    if ((p < 0) | (p > 1)).any():
        raise ValueError("a p-value is a number from 0 to 1")
    adjusted = np.full(p.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return adjusted


def effect_size(a: ArrayLike, b: ArrayLike) -> Floats:
    """Cohen's d of paired differences (d_z): the mean of a - b in standard deviations of a - b."""
    differences = _differences(a, b)
    mean, deviation = _moments(differences)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((mean == 0) & (deviation == 0), 0.0, mean / deviation)


@dataclass(frozen=True)
class WinnersCurse:
    """By how much the selected look better in training than they are."""

    training: float
    """their mean training reward, all of them weighted alike"""
    test: float
    excess: float
    """training - test"""
    stderr: float
    """of the excess, as far as it comes from the draw of the problems and seeds"""


def winners_curse(training_means: ArrayLike, pulls: ArrayLike, test: ArrayLike) -> WinnersCurse:
    """The estimate for the selected algorithms with these training means over so many pulls and these test rewards
    [algorithm, problem].

    All are tested on the same n problems, and the t-th pull of each was on the same t-th training problem. So the
    excess has variance mean(C_ij * (1 / n + 1 / max(pulls_i, pulls_j))) over the pairs i, j, with C the covariance of
    the test rewards.
    """
    rewards = np.atleast_2d(_checked(test))
    trained, counts = _checked(training_means), _checked(pulls)
    if not trained.shape == counts.shape == rewards.shape[:1]:
        raise ValueError("training means, pulls and rows of test rewards must be of the same number")
    if (counts < 1).any():
        raise ValueError("what was selected has been pulled at least once")
    n = rewards.shape[1]
    training, tested = float(means(trained)), float(means(rewards.ravel()))
    stderr = np.nan
    if n > 1:
        exponent = int(_exponent(_largest(rewards).max()))
        covariance = np.atleast_2d(np.cov(np.ldexp(rewards, -exponent)))
        weights = 1.0 / n + 1.0 / np.maximum.outer(counts, counts)
        stderr = float(np.ldexp(np.sqrt(max(0.0, float((covariance * weights).mean()))), exponent))
    return WinnersCurse(training, tested, training - tested, stderr)


def binomial_interval(hits: int, trials: int) -> tuple[float, float]:
    """The exact 95 % interval (Clopper and Pearson) of a rate seen `hits` times in `trials`."""
    from scipy import stats

    interval = stats.binomtest(hits, trials).proportion_ci(0.95, method="exact")
    return float(interval.low), float(interval.high)


def _checked(values: ArrayLike) -> Floats:
    array = np.asarray(values, np.float64)
    if array.ndim == 0 or array.shape[-1] == 0:
        raise ValueError("statistics need at least one value")
    if not np.isfinite(array).all():
        raise ValueError("statistics need finite numbers, and there is a NaN or an infinity among them")
    return array


def _differences(a: ArrayLike, b: ArrayLike) -> Floats:
    """a - b on one scale: exact but for a power of two, which tests and effect sizes do not see."""
    first, second = _on_one_scale(_checked(a), _checked(b))
    if first.shape[-1] != second.shape[-1]:
        raise ValueError("a paired comparison needs the same problems on both sides")
    return np.asarray(first - second)


def _on_one_scale(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Both over a power of two, one for each comparison, so that huge values (a mean absolute error of 1e308) can be
    squared and summed, and those of one do not make another's vanish."""
    exponent = _exponent(np.maximum(_largest(a), _largest(b)))
    return np.ldexp(a, -exponent), np.ldexp(b, -exponent)


def _largest(values: Floats) -> Floats:
    """The largest size in each row, which keeps its axis."""
    return np.asarray(np.abs(values).max(axis=-1, keepdims=True))


def _exponent(sizes: Floats) -> NDArray[np.int32]:
    return np.asarray(np.frexp(sizes)[1])


def _moments(values: Floats) -> tuple[Floats, Floats]:
    """Mean and standard deviation over the last axis; values that are all equal have no deviation at all."""
    exponent = _exponent(_largest(values))
    scaled = np.ldexp(values, -exponent)
    first = scaled[..., :1]
    constant = (scaled == first).all(axis=-1)
    # Where nothing varies, the mean is the value itself: a sum would round.
    mean = np.where(constant, first[..., 0], scaled.mean(axis=-1))
    if values.shape[-1] > 1:
        deviation = np.where(constant, 0.0, scaled.std(axis=-1, ddof=1))
    else:
        deviation = np.full(mean.shape, np.nan)
    return np.ldexp(mean, exponent[..., 0]), np.ldexp(deviation, exponent[..., 0])


def _student_quantile(degrees: int) -> float:
    """Below it lies 97.5 % of Student's distribution."""
    from scipy import special

    return float(special.stdtrit(degrees, 0.975))


def _two_sided(difference: Floats, stderr: Floats, degrees: Floats) -> Floats:
    from scipy import special

    spread = stderr > 0
    t = difference / np.where(spread, stderr, 1.0)
    p = 2.0 * special.stdtr(degrees, -np.abs(t))
    return np.asarray(np.where(spread, p, np.where(difference == 0, 1.0, 0.0)))

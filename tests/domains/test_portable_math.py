"""log, exp, sin and cos: near the truth (mpmath), the same compiled and plain, the same bits for good."""

import math
import subprocess
import sys
from collections.abc import Callable
from hashlib import blake2b

import mpmath  # type: ignore[import-untyped]
import numpy as np
import pytest

from domains import portable_math, portable_math_kernels
from domains.kernels import njit
from domains.portable_math import CODY_WAITE_LIMIT, bits_of, float_of
from domains.randomness import Random

INF, NAN = math.inf, math.nan
NAMES = ("log", "exp", "sin", "cos")
SPECIAL = [
    *(0.0, -0.0, INF, -INF, NAN, 1.0, -1.0, 5e-324, -5e-324, 2.2250738585072009e-308, 2.2250738585072014e-308),
    *(1.7976931348623157e308, -1.7976931348623157e308, math.nextafter(1.0, 0.0), math.nextafter(1.0, 2.0)),
    *(709.782712893384, 709.7827128933841, 710.0, -708.4, -745.1332191019411, -745.1332191019412, -746.0, -1e9),
    *(math.sqrt(0.5), math.nextafter(math.sqrt(0.5), 0.0), math.sqrt(2.0), math.pi / 4, math.pi / 2, math.pi),
    *(CODY_WAITE_LIMIT, math.nextafter(CODY_WAITE_LIMIT, INF), -CODY_WAITE_LIMIT, 1e22, 6381956970095103 * 2.0**797),
]


def plain(name: str) -> Callable[[float], float]:
    function: Callable[[float], float] = getattr(portable_math, name)
    return function


def over_arrays(name: str) -> Callable[[np.ndarray], np.ndarray]:
    function = getattr(portable_math_kernels, name)

    @njit
    def apply(xs: np.ndarray) -> np.ndarray:
        out = np.empty_like(xs)
        for i in range(xs.shape[0]):
            out[i] = function(xs[i])
        return out

    return apply


def samples(count: int) -> list[float]:
    """Floats of every kind: any bits at all, and many of ordinary size."""
    random = Random(20130611)
    any_bits = [float_of(random.next()) for _ in range(count)]
    ordinary = [random.uniform(-s, s) for s in (1.0, 10.0, 750.0, 40000.0) for _ in range(count // 8)]
    return SPECIAL + any_bits + ordinary + [10.0 ** random.uniform(-20.0, 20.0) for _ in range(count // 8)]


def bits(values: np.ndarray) -> np.ndarray:
    """The bits, with one pattern for every nan."""
    return np.where(np.isnan(values), NAN, values).view(np.uint64)


@pytest.mark.parametrize("name", NAMES)
def test_compiled_and_plain_are_equal_bit_for_bit(name: str) -> None:
    xs = samples(70_000)
    assert len(xs) > 110_000
    expected = np.array([plain(name)(x) for x in xs])
    with np.errstate(all="ignore"):
        found = over_arrays(name)(np.array(xs))
    different = bits(expected) != bits(found)
    assert not different.any(), np.array(xs)[different][:5]


def test_the_row_functions_are_sin_and_cos_except_for_huge_arguments() -> None:
    row_value = portable_math_kernels.sine_row_value

    @njit
    def apply(xs: np.ndarray, quarter_turns: np.uint64, sign_mask: np.uint64) -> np.ndarray:
        out = np.empty_like(xs)
        for i in range(xs.shape[0]):
            out[i] = row_value(xs[i], quarter_turns, sign_mask)
        return out

    xs = [x for x in samples(4000) if abs(x) <= CODY_WAITE_LIMIT or not math.isfinite(x)]
    with np.errstate(all="ignore"):
        sines = apply(np.array(xs), np.uint64(0), np.uint64(1 << 63))
        cosines = apply(np.array(xs), np.uint64(1), np.uint64(0))
    assert (bits(sines) == bits(np.array([portable_math.sin(x) for x in xs]))).all()
    assert (bits(cosines) == bits(np.array([portable_math.cos(x) for x in xs]))).all()


def error_in_ulps(name: str, x: float) -> float:
    """How far the function is from the truth at x, in distances between floats there."""
    found = plain(name)(x)
    with mpmath.workprec(1300 if abs(x) > 1e15 else 200):
        truth = getattr(mpmath, name)(mpmath.mpf(x))
        return float(abs(mpmath.mpf(found) - truth) / math.ulp(float(truth)))


@pytest.mark.parametrize("name", NAMES)
def test_within_two_ulps_of_the_truth(name: str) -> None:
    domain = {"log": (0.0, INF), "exp": (-708.0, 709.78)}.get(name, (-INF, INF))
    xs = [x for x in samples(2000) if domain[0] < x < domain[1] and math.isfinite(x) and x != 0.0]
    assert len(xs) > 1000
    worst = max(xs, key=lambda x: error_in_ulps(name, x))
    assert error_in_ulps(name, worst) < {"log": 1.0, "exp": 1.0}.get(name, 2.0), worst


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_within_two_ulps_next_to_every_multiple_of_a_quarter_turn(name: str) -> None:
    """Where most of the digits cancel, all along the range reduced with three constants."""
    multiples = range(1, int(CODY_WAITE_LIMIT / (math.pi / 2)) + 1)
    assert len(multiples) == 20860
    worst = max((n * (math.pi / 2) for n in multiples), key=lambda x: error_in_ulps(name, x))
    assert error_in_ulps(name, worst) < 2.0, worst


def test_within_two_ulps_at_the_float_next_to_a_multiple_of_all() -> None:
    assert error_in_ulps("cos", 6381956970095103 * 2.0**797) < 2.0
    assert portable_math.cos(6381956970095103 * 2.0**797) == pytest.approx(-4.6871659242546277e-19, rel=1e-15)


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        *(("log", 0.0, -INF), ("log", -0.0, -INF), ("log", 1.0, 0.0), ("log", INF, INF)),
        *(("log", -1.0, NAN), ("log", -5e-324, NAN), ("log", -INF, NAN), ("log", NAN, NAN)),
        ("log", 5e-324, -744.4400719213812),
        *(("exp", 0.0, 1.0), ("exp", -0.0, 1.0), ("exp", INF, INF), ("exp", -INF, 0.0), ("exp", NAN, NAN)),
        ("exp", 1.0, 2.718281828459045),
        *(("exp", 709.7827128933841, INF), ("exp", 1e300, INF), ("exp", -745.1332191019412, 0.0), ("exp", -1e300, 0.0)),
        ("exp", -745.1332191019411, 5e-324),
        *(("sin", 0.0, 0.0), ("sin", -0.0, -0.0), ("sin", INF, NAN), ("sin", -INF, NAN), ("sin", NAN, NAN)),
        *(("sin", 5e-324, 5e-324), ("sin", -1e-300, -1e-300), ("sin", 1e22, -0.8522008497671888)),
        *(("cos", 0.0, 1.0), ("cos", -0.0, 1.0), ("cos", INF, NAN), ("cos", -INF, NAN), ("cos", NAN, NAN)),
        *(("cos", 5e-324, 1.0), ("cos", math.pi, -1.0)),
    ],
)
def test_special_values(name: str, x: float, expected: float) -> None:
    found = plain(name)(x)
    assert math.isnan(found) if math.isnan(expected) else bits_of(found) == bits_of(expected)


def test_exp_goes_down_to_zero_gradually() -> None:
    for step in range(400):
        x = -708.0 - step * 0.1
        with mpmath.workprec(200):
            assert abs(mpmath.exp(mpmath.mpf(x)) - portable_math.exp(x)) <= max(math.ulp(math.exp(x)), 5e-324), x


@pytest.mark.parametrize("name", ["exp", "log"])
def test_no_step_back_between_neighbours(name: str) -> None:
    """Not proven for every float, but so around the places where the reduction changes."""
    changes = [(n + 0.5) * math.log(2.0) for n in range(-40, 40)] if name == "exp" else [2.0**n for n in range(-40, 40)]
    changes += [] if name == "exp" else [2.0 ** (n + 0.5) for n in range(-40, 40)]
    for change in changes:
        x = change
        for _ in range(20):
            x = math.nextafter(x, -INF)
        for _ in range(40):
            following = math.nextafter(x, INF)
            assert plain(name)(x) <= plain(name)(following), x
            x = following


def test_sin_is_odd_and_cos_is_even() -> None:
    for x in samples(2000):
        if math.isfinite(x):
            assert bits_of(portable_math.sin(-x)) == bits_of(-portable_math.sin(x))
            assert bits_of(portable_math.cos(-x)) == bits_of(portable_math.cos(x))


def test_the_same_bits_on_every_machine() -> None:
    random = Random(1)
    xs = [float_of(random.next()) for _ in range(4000)] + [(random.uniform01() - 0.5) * 100.0 for _ in range(4000)]
    results = np.array([plain(name)(x) for name in NAMES for x in xs])
    assert blake2b(bits(results).astype("<u8").tobytes(), digest_size=8).hexdigest() == "78296e3a94f227bf"


def test_the_plain_functions_need_no_numba() -> None:
    code = "import sys, domains.portable_math; print(sorted({'numba', 'numpy'} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout == "[]\n"

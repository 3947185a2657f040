"""log, exp, sin and cos, the same bits on every machine.

The functions of a C library differ in the last bit from one system to the next, and one bit is enough to turn a search
another way. These use nothing but what IEEE 754 fixes (+, -, *, /, comparisons) and the bits of a float, with every
rounding in a written order. `domains/portable_math_kernels.py` holds the compiled twins, equal bit for bit.

Glossary
    ulp         the distance from a float to the next one
    quadrant    how many quarter turns were taken off the argument of sin or cos, modulo 4
    reduced     what remains of an argument near 0, where a short polynomial is enough
    Cody-Waite  reduction with a constant cut into parts, so that the products are exact or their errors negligible
    Payne-Hanek reduction of a huge argument with only those bits of 2 / pi that matter for it

Promises
    Results are within 0.7 ulp for log and exp and 1.3 ulp for sin and cos (measured; the tests allow 1 and 2); log of a
    subnormal too. exp overflows to inf above 709.78..., and below -708.4 goes gradually down to 0 with one more
    rounding, to the nearest subnormal. sin and cos are accurate for every finite argument, 1e308 included.
    log(0) = -inf; log(negative) = sin(inf) = cos(inf) = nan; a nan gives a nan, whose own bits are not promised.
    exp is deterministic but, like every approximation, not proven monotone.

The polynomials of log, sin and cos are those of FreeBSD's msun (fdlibm, Copyright 1993 Sun Microsystems, "Permission to
use, copy, modify, and distribute this software is freely granted, provided that this notice is preserved"); that of exp
is a minimax polynomial of its own, relative error 2^-58.
"""

import struct

INF = float("inf")
NAN = float("nan")

ONE_BITS = 0x3FF0000000000000
MANTISSA = 0x000FFFFFFFFFFFFF
SIGN = 0x8000000000000000
WORD = 0xFFFFFFFFFFFFFFFF

# Adding 1.5 * 2^52 rounds to a whole number, which then stands in the low bits of the sum.
ROUNDER = 6755399441055744.0
ROUNDER_BITS = 0x4338000000000000
# A float with these upper bits is 2^52 plus the whole number in its lower bits.
TWO_TO_52 = 4503599627370496.0
TWO_TO_52_BITS = 0x4330000000000000

LOG2_E = 1.4426950408889634
# ln 2 in two parts, the first with 21 zeros at its end.
LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10

EXP_LOWEST = -746.0  # exp is 0 from here on down, and its scaling below needs a bounded exponent
EXP_HIGHEST = 710.0  # and infinite from here on up

SMALLEST_NORMAL = 2.2250738585072014e-308
TWO_TO_54 = 18014398509481984.0
ROOT_HALF_BITS = 0x3FE6A09E667F3BCD

# pi / 2 in three parts; the first two have 33 bits, so their products with a quadrant count are exact.
CODY_WAITE_LIMIT = 32768.0
TWO_OVER_PI = 0.6366197723675814
HALF_PI_HIGH = 1.57079632673412561417e00
HALF_PI_MIDDLE = 6.07710050630396597660e-11
HALF_PI_LOW = 2.0222662487959506e-21

TWO_OVER_PI_LENGTH = 1216
TWO_OVER_PI_BITS = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea09d1921cfe1deb1cb129a73ee8"
    "8235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b74f46"
    "3f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b6bab",
    16,
)
HALF_PI_TIMES_TWO_TO_63 = 0xC90FDAA22168C234


def log(x: float) -> float:
    """The natural logarithm."""
    if not x < INF:
        return x
    if x <= 0.0:
        return -INF if x == 0.0 else NAN
    normal = x
    bias = 1023.0
    if x < SMALLEST_NORMAL:
        normal = x * TWO_TO_54
        bias = 1077.0
    shifted = bits_of(normal) + (ONE_BITS - ROOT_HALF_BITS)
    exponent = float_of(shifted >> 52 | TWO_TO_52_BITS) - TWO_TO_52 - bias
    return log_of_parts(exponent, float_of((shifted & MANTISSA) + ROOT_HALF_BITS))


def exp(x: float) -> float:
    """e to the power of x."""
    if x != x:
        return x
    x = EXP_LOWEST if x < EXP_LOWEST else x
    x = EXP_HIGHEST if x > EXP_HIGHEST else x
    rounded = x * LOG2_E + ROUNDER
    power = bits_of(rounded) - ROUNDER_BITS
    # Two factors, since 2^1024 and 2^-1075 are no floats; only the last product rounds.
    half = power >> 1
    return exp_near_zero(x, rounded - ROUNDER) * power_of_two(half) * power_of_two(power - half)


def sin(x: float) -> float:
    """The sine of x in radians."""
    return sine_by_quadrant(x, 0, bits_of(x) & SIGN)


def cos(x: float) -> float:
    """The cosine of x in radians."""
    return sine_by_quadrant(x, 1, 0)


def sine_by_quadrant(x: float, quarter_turns: int, sign: int) -> float:
    """sin(|x| + quarter_turns * pi / 2), its sign bit flipped by `sign`."""
    size = abs(x)
    if not size < INF:
        return NAN
    if size <= CODY_WAITE_LIMIT:
        rounded = size * TWO_OVER_PI + ROUNDER
        quadrant = bits_of(rounded) + quarter_turns
        reduced = quarter_turns_off(size, rounded - ROUNDER)
    else:
        quadrant, reduced = reduce_huge(size)
        quadrant += quarter_turns
    value = cos_near_zero(reduced) if quadrant & 1 else sin_near_zero(reduced)
    return float_of(bits_of(value) ^ sign ^ (quadrant & 2) << 62)


def reduce_huge(x: float) -> tuple[int, float]:
    """The quadrant and what remains in [-pi/4, pi/4] of a finite x >= CODY_WAITE_LIMIT (Payne and Hanek)."""
    bits = bits_of(x)
    exponent = (bits >> 52) - 1075
    mantissa = bits & MANTISSA | 1 << 52
    # x * 2 / pi modulo 4, in units of 2^-190; bits of 2 / pi further up only add multiples of 4.
    window = TWO_OVER_PI_BITS >> (TWO_OVER_PI_LENGTH - 190 - exponent)
    product = mantissa * window & ((1 << 192) - 1)
    quadrant = product >> 190
    fraction = product & ((1 << 190) - 1)
    negative = fraction >> 189
    if negative:
        quadrant += 1
        fraction = (1 << 190) - fraction
    length = fraction.bit_length()
    leading = fraction >> (length - 64)
    reduced = float(leading * HALF_PI_TIMES_TWO_TO_63 >> 64) * power_of_two(length - 253)
    return quadrant, -reduced if negative else reduced


# What follows is plain arithmetic on floats; the compiled twins are made from these very functions.


def log_of_parts(exponent: float, mantissa: float) -> float:
    """log(2^exponent * mantissa), with the mantissa in [sqrt(1/2), sqrt(2))."""
    f = mantissa - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    odd = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01))
    even = z * (
        6.666666666666735130e-01
        + w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01))
    )
    half_square = 0.5 * f * f
    return exponent * LN2_HIGH - ((half_square - (s * (half_square + (odd + even)) + exponent * LN2_LOW)) - f)


def exp_near_zero(x: float, power: float) -> float:
    """exp(x - power * ln 2), for a whole power that leaves less than ln 2 / 2."""
    coarse = x - power * LN2_HIGH
    step = power * LN2_LOW
    r = coarse - step
    rounding_error = (coarse - r) - step
    z = r * r
    w = z * z
    # Pairs of terms (Estrin), which are independent of each other: a third of the latency of Horner's rule.
    low = (0.5000000000000011 + r * 0.16666666666666413) + z * (0.041666666666530155 + r * 0.008333333333494461)
    middle = (0.0013888888943630114 + r * 0.00019841269506578688) + z * (
        2.480149309890655e-05 + r * 2.7557586373840165e-06
    )
    high = 2.763024837921144e-07 + r * 2.5000061602835666e-08
    main = 1.0 + r
    rounding_error += (1.0 - main) + r
    return main + (z * (low + w * (middle + w * high)) + rounding_error)


def quarter_turns_off(size: float, count: float) -> float:
    """size - count * pi / 2, for 0 <= size <= CODY_WAITE_LIMIT and the nearest whole count."""
    coarse = size - count * HALF_PI_HIGH
    step = count * HALF_PI_MIDDLE
    fine = coarse - step
    rounding_error = (coarse - fine) - step
    return fine - (count * HALF_PI_LOW - rounding_error)


def sin_near_zero(r: float) -> float:
    """sin(r) for |r| <= pi / 4."""
    z = r * r
    w = z * z
    low = -1.66666666666666324348e-01 + z * 8.33333333332248946124e-03
    middle = -1.98412698298579493134e-04 + z * 2.75573137070700676789e-06
    high = -2.50507602534068634195e-08 + z * 1.58969099521155010221e-10
    return r + r * z * (low + w * (middle + w * high))


def cos_near_zero(r: float) -> float:
    """cos(r) for |r| <= pi / 4."""
    z = r * r
    w = z * z
    low = 4.16666666666666019037e-02 + z * -1.38888888888741095749e-03
    middle = 2.48015872894767294178e-05 + z * -2.75573143513906633035e-07
    high = 2.08757232129817482790e-09 + z * -1.13596475577881948265e-11
    half = 0.5 * z
    main = 1.0 - half
    rounding_error = (1.0 - main) - half
    return main + (w * (low + w * (middle + w * high)) + rounding_error)


def bits_of(x: float) -> int:
    """The 64 bits of a float."""
    bits: int = struct.unpack("<Q", struct.pack("<d", x))[0]
    return bits


def float_of(bits: int) -> float:
    """The float of 64 bits."""
    x: float = struct.unpack("<d", struct.pack("<Q", bits & WORD))[0]
    return x


def power_of_two(power: int) -> float:
    """2^power, for powers of normal floats."""
    return float_of(power + 1023 << 52)

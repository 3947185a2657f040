"""The compiled twins of `domains/portable_math.py`, equal to it bit for bit.

    log, exp, sin, cos          every argument
    sine_row_value              sin or cos without a branch, for arguments up to CODY_WAITE_LIMIT, inf and nan

log, exp and sine_row_value have no branch left once compiled (a choice between two floats becomes a select), so that a
loop over an array that calls them becomes vector code. The arithmetic is compiled from the Python functions themselves;
only what handles bits is written a second time, on 64-bit words.
"""

from typing import Any

import numpy as np

from domains import portable_math as reference
from domains.kernels import njit, njit_inline
from domains.portable_math import (
    CODY_WAITE_LIMIT,
    EXP_HIGHEST,
    EXP_LOWEST,
    INF,
    LOG2_E,
    NAN,
    ROUNDER,
    SMALLEST_NORMAL,
    TWO_OVER_PI,
    TWO_TO_52,
    TWO_TO_54,
)

_log_of_parts = njit_inline(reference.log_of_parts)
_exp_near_zero = njit_inline(reference.exp_near_zero)
_quarter_turns_off = njit_inline(reference.quarter_turns_off)
_sin_near_zero = njit_inline(reference.sin_near_zero)
_cos_near_zero = njit_inline(reference.cos_near_zero)

_ROOT_HALF = np.uint64(reference.ROOT_HALF_BITS)
_ONE_OVER_ROOT_HALF = np.uint64(reference.ONE_BITS - reference.ROOT_HALF_BITS)
_MANTISSA = np.uint64(reference.MANTISSA)
_SIGN = np.uint64(reference.SIGN)
_TWO_TO_52_BITS = np.uint64(reference.TWO_TO_52_BITS)
_ROUNDER_BITS = np.uint64(reference.ROUNDER_BITS)
_HALF_PI = np.uint64(reference.HALF_PI_TIMES_TWO_TO_63)
_LOW_HALF = np.uint64(0xFFFFFFFF)
_U0, _U1, _U2, _U32, _U52, _U61, _U62, _U63, _U64 = (np.uint64(n) for n in (0, 1, 2, 32, 52, 61, 62, 63, 64))
_U1023, _U4096, _U2048 = np.uint64(1023), np.uint64(4096), np.uint64(2048)

_WORDS = reference.TWO_OVER_PI_LENGTH // 64
# 2 / pi as words, most significant first, behind as many zeros as the smallest huge argument looks back on.
_TWO_OVER_PI_WORDS = np.array(
    [0, 0, 0] + [reference.TWO_OVER_PI_BITS >> 64 * (_WORDS - 1 - i) & reference.WORD for i in range(_WORDS)],
    dtype=np.uint64,
)


@njit_inline
def bits_of(x: float) -> Any:
    return np.float64(x).view(np.uint64)


@njit_inline
def float_of(bits: np.uint64) -> Any:
    return np.uint64(bits).view(np.float64)


@njit_inline
def log(x: float) -> float:
    """The natural logarithm."""
    subnormal = x < SMALLEST_NORMAL
    normal = x * TWO_TO_54 if subnormal else x
    bias = 1077.0 if subnormal else 1023.0
    shifted = bits_of(normal) + _ONE_OVER_ROOT_HALF
    exponent = float_of((shifted >> _U52) | _TWO_TO_52_BITS) - TWO_TO_52 - bias
    value = _log_of_parts(exponent, float_of((shifted & _MANTISSA) + _ROOT_HALF))
    value = value if x < INF else x
    value = value if x > 0.0 else (-INF if x == 0.0 else (NAN if x < 0.0 else value))
    return float(value)


@njit_inline
def exp(x: float) -> float:
    """e to the power of x."""
    x = EXP_LOWEST if x < EXP_LOWEST else x
    x = EXP_HIGHEST if x > EXP_HIGHEST else x
    rounded = x * LOG2_E + ROUNDER
    power = bits_of(rounded) - _ROUNDER_BITS
    half = ((power + _U4096) >> _U1) - _U2048
    low = float_of((half + _U1023) << _U52)
    high = float_of((power - half + _U1023) << _U52)
    return float(_exp_near_zero(x, rounded - ROUNDER) * low * high)


@njit_inline
def sine_row_value(x: float, quarter_turns: np.uint64, sign_mask: np.uint64) -> float:
    """sin(|x| + quarter_turns * pi / 2) with the sign of x where the mask lets it through; not for huge finite x.

    sin(x) is sine_row_value(x, 0, 2^63), and cos(x) is sine_row_value(x, 1, 0)."""
    size = abs(x)
    rounded = size * TWO_OVER_PI + ROUNDER
    quadrant = bits_of(rounded) + quarter_turns
    reduced = _quarter_turns_off(size, rounded - ROUNDER)
    sine = _sin_near_zero(reduced)
    cosine = _cos_near_zero(reduced)
    value = cosine if quadrant & _U1 else sine
    return float(float_of(bits_of(value) ^ (bits_of(x) & sign_mask) ^ ((quadrant & _U2) << _U62)))


@njit
def sin(x: float) -> float:
    """The sine of x in radians."""
    if abs(x) <= CODY_WAITE_LIMIT or not abs(x) < INF:
        return float(sine_row_value(x, _U0, _SIGN))
    return float(_sine_huge(x, _U0, _SIGN))


@njit
def cos(x: float) -> float:
    """The cosine of x in radians."""
    if abs(x) <= CODY_WAITE_LIMIT or not abs(x) < INF:
        return float(sine_row_value(x, _U1, _U0))
    return float(_sine_huge(x, _U1, _U0))


@njit
def _sine_huge(x: float, quarter_turns: np.uint64, sign_mask: np.uint64) -> float:
    """The same as `sine_row_value` for finite arguments above CODY_WAITE_LIMIT."""
    quadrant, reduced = _reduce_huge(abs(x))
    quadrant += quarter_turns
    value = _cos_near_zero(reduced) if quadrant & _U1 else _sin_near_zero(reduced)
    return float(float_of(bits_of(value) ^ (bits_of(x) & sign_mask) ^ ((quadrant & _U2) << _U62)))


@njit
def _reduce_huge(x: float) -> tuple[np.uint64, float]:
    """Payne and Hanek with a product of 192 bits held in three words; `portable_math.reduce_huge` explains it."""
    bits = bits_of(x)
    mantissa = (bits & _MANTISSA) | (_U1 << _U52)
    # Where the window ends in the words, which begin with 192 bits of zeros; 190 of its 192 bits are behind the point.
    end = np.int64(bits >> _U52) - 1075 + 190 + 192
    low, middle, high = _word_ending_at(end), _word_ending_at(end - 64), _word_ending_at(end - 128)
    carry, product_low = _wide_product(mantissa, low)
    top, product_middle = _wide_product(mantissa, middle)
    product_middle += carry
    top += _U1 if product_middle < carry else _U0
    product_high = mantissa * high + top
    quadrant = product_high >> _U62
    fraction_high = product_high & ((_U1 << _U62) - _U1)
    negative = fraction_high >> _U61
    if negative:
        quadrant += _U1
        product_low = ~product_low + _U1
        borrow = _U1 if product_low == _U0 else _U0
        product_middle = ~product_middle + borrow
        borrow = borrow if product_middle == _U0 else _U0
        fraction_high = (~fraction_high + borrow) & ((_U1 << _U62) - _U1)
    length = 192
    while not fraction_high >> _U63:
        fraction_high = (fraction_high << _U1) | (product_middle >> _U63)
        product_middle = (product_middle << _U1) | (product_low >> _U63)
        product_low <<= _U1
        length -= 1
    leading, _ = _wide_product(fraction_high, _HALF_PI)
    scale = float_of(np.uint64(length - 253 + 1023) << _U52)
    reduced = np.float64(leading) * scale
    return quadrant, (-reduced if negative else reduced)


@njit
def _word_ending_at(end: int) -> np.uint64:
    """The 64 bits of 2 / pi in front of bit `end` of the words."""
    word, used = end // 64, np.uint64(end % 64)
    if used == _U0:
        return np.uint64(_TWO_OVER_PI_WORDS[word - 1])
    return np.uint64((_TWO_OVER_PI_WORDS[word - 1] << used) | (_TWO_OVER_PI_WORDS[word] >> (_U64 - used)))


@njit
def _wide_product(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """(upper, lower) word of a * b."""
    a_high, a_low, b_high, b_low = a >> _U32, a & _LOW_HALF, b >> _U32, b & _LOW_HALF
    cross = a_high * b_low + ((a_low * b_low) >> _U32)
    other = a_low * b_high + (cross & _LOW_HALF)
    return a_high * b_high + (cross >> _U32) + (other >> _U32), a * b

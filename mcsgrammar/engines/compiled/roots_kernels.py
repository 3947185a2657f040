"""Roots and logarithms of counts, as UCB1 needs them."""

import numpy as np

from domains import portable_math
from domains.kernels import njit, njit_inline
from domains.portable_math_kernels import log

# Those of small counts are looked up: a fifth of the time of select on regression.
TABLE_SIZE = 2**14


def _logarithms(numbers: np.ndarray) -> np.ndarray:
    """What `portable_math.log` gives for each, in a hundredth of its time."""
    shifted = numbers.view(np.int64) + (portable_math.ONE_BITS - portable_math.ROOT_HALF_BITS)
    mantissas = ((shifted & portable_math.MANTISSA) + portable_math.ROOT_HALF_BITS).view(np.float64)
    exponents = (shifted >> 52) - 1023.0
    logarithms: np.ndarray = portable_math.log_of_parts(exponents, mantissas)  # type: ignore[arg-type, assignment]
    return logarithms


_COUNTS = np.arange(1.0, TABLE_SIZE)
ROOT_LOG = np.concatenate([[0.0], np.sqrt(_logarithms(_COUNTS))])
SPREAD = np.concatenate([[0.0], 1.0 / np.sqrt(_COUNTS)])


@njit
def _root_log_of_large(n: int) -> float:
    return float(np.sqrt(log(np.float64(n))))


@njit_inline
def root_log(n: int) -> float:
    """sqrt(ln n); 0 for n = 0."""
    return ROOT_LOG[np.uint64(n)] if n < TABLE_SIZE else _root_log_of_large(n)


@njit_inline
def spread_of(n: int) -> float:
    """1 / sqrt(n), for n > 0."""
    return SPREAD[np.uint64(n)] if n < TABLE_SIZE else 1.0 / np.sqrt(np.float64(n))

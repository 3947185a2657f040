"""Roots and logarithms of counts, as UCB1 needs them."""

import math

import numpy as np

from domains import portable_math
from domains.kernels import njit_inline
from domains.portable_math_kernels import log

# Those of small counts are looked up: a fifth of the time of select on regression.
TABLE_SIZE = 4096
ROOT_LOG = np.array([0.0] + [math.sqrt(portable_math.log(float(n))) for n in range(1, TABLE_SIZE)])
SPREAD = np.array([0.0] + [1.0 / math.sqrt(float(n)) for n in range(1, TABLE_SIZE)])


@njit_inline
def root_log(n: int) -> float:
    """sqrt(ln n); 0 for n = 0."""
    return ROOT_LOG[n] if n < TABLE_SIZE else np.sqrt(log(np.float64(n)))


@njit_inline
def spread_of(n: int) -> float:
    """1 / sqrt(n), for n > 0."""
    return SPREAD[n] if n < TABLE_SIZE else 1.0 / np.sqrt(np.float64(n))

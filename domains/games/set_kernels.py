"""Sets of cells in kernels: the bits of a word."""

from typing import Any

import numpy as np

from domains.bits import trailing_zeros
from domains.kernels import njit

_ONE = np.uint64(1)


@njit
def list_cells(cells: Any, first: int, out: Any, n: int) -> int:
    """Writes `first` plus the number of each cell to `out` from place `n` on, ascending; the place after the last."""
    while cells:
        out[n] = first + np.int64(trailing_zeros(cells))
        cells &= cells - _ONE
        n += 1
    return n

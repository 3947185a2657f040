"""The bit tricks, compiled and in plain Python, against indices counted one by one."""

from typing import Any

import numpy as np
import pytest

from domains import bits
from domains.kernels import njit
from domains.randomness import Random


@njit
def compiled_bits(word: Any, n: Any) -> Any:
    return (
        bits.popcount(word),
        bits.trailing_zeros(word),
        bits.nth_set_bit(word, n),
        bits.nth_set_bit_by_halves(word, n),
    )


def python_bits(word: Any, n: Any) -> Any:
    return (
        bits.popcount(word),
        bits.trailing_zeros(word),
        bits.nth_set_bit(word, n),
        bits.nth_set_bit_by_halves(word, n),
    )


@pytest.mark.parametrize("implementation", [compiled_bits, python_bits])
def test_bits(implementation: Any) -> None:
    random = Random(64)
    words = [0, 1, 1 << 63, (1 << 64) - 1, 0xF0F0, *(random.next() for _ in range(20))]
    words += [random.next() & random.next() & random.next() for _ in range(20)]
    for word in words:
        indices = [index for index in range(64) if word >> index & 1]
        for n in (*range(0, len(indices) + 1, 3), max(len(indices) - 1, 0), 63):
            nth = indices[n] if n < len(indices) else 64
            lowest = indices[0] if indices else 64
            results = implementation(np.uint64(word), np.uint64(n))
            assert tuple(int(result) for result in results) == (len(indices), lowest, nth, nth)

"""What is lent to a compiled function reads as the tuple itself does."""

from typing import NamedTuple

import numpy as np

from domains.kernels import njit, njit_uncounted
from domains.lending import lent


class Inner(NamedTuple):
    counts: np.ndarray
    table: np.ndarray


class Outer(NamedTuple):
    numbers: np.ndarray
    inner: Inner
    factor: float


@njit_uncounted
def taught(outer: Outer, place: int) -> float:
    inner = outer.inner
    inner.counts[place] += 1
    total = 0.0
    for row in range(inner.table.shape[0]):
        total += outer.numbers[row] * inner.table[row, 1] * inner.counts[place]
    return float(outer.factor * total)


@njit
def twice(outer: Outer, place: int) -> float:
    borrowed = lent(outer)
    return float(taught(borrowed, place) + taught(borrowed, place))


@njit
def each(first: Outer, second: Outer) -> float:
    total = 0.0
    for number in range(2):
        borrowed = lent(first if number == 0 else second)  # the same place in memory, lent again
        total = 10.0 * total + taught(borrowed, 0)
    return total


def outer(factor: float) -> Outer:
    return Outer(np.array([1.0, 2.0]), Inner(np.zeros(3, np.int64), np.array([[9.0, 3.0], [9.0, 5.0]])), factor)


def test_fields_and_those_of_tuples_within_are_read_and_arrays_written() -> None:
    lender = outer(0.5)
    assert twice(lender, 2) == 0.5 * 13.0 * 1 + 0.5 * 13.0 * 2
    assert lender.inner.counts.tolist() == [0, 0, 2]


def test_arrays_of_another_size_are_lent_with_theirs() -> None:
    assert twice(outer(1.0), 0) == 39.0
    longer = Outer(np.ones(4), Inner(np.zeros(1, np.int64), np.ones((4, 2))), 1.0)
    assert twice(longer, 0) == 12.0


def test_what_is_lent_anew_is_read_anew() -> None:
    assert each(outer(1.0), outer(0.5)) == 10.0 * 13.0 + 6.5

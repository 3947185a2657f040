"""One of several actions by their odds or scores: what playouts of problems and of games have in common."""

import numpy as np

from domains.bits import nth_set_bit, popcount
from domains.kernels import below, njit_inline
from domains.portable_math_kernels import bits_of

FEW = 16
"""So many actions are gone through one by one."""
_NONE, _WORD = np.uint64(0), 64


@njit_inline
def sum_up(odds: np.ndarray, n: int) -> float:
    """Replace the first n odds by the sums up to each; the last of these."""
    total = 0.0
    for i in range(n):
        total += odds[i]
        odds[i] = total
    return total


@njit_inline
def place_by_sums(sums: np.ndarray, n: int, left: float) -> np.int64:
    """The first place whose sum is above `left`, which is below the last sum."""
    place = np.int64(0)
    for i in range(n):
        place += sums[i] <= left
    return place


@njit_inline
def place_of_highest(worths: np.ndarray, n: int, random: np.ndarray) -> np.int64:
    """The place of one of the highest among the first n of `worths`.

    They are not negative, so that their bits are in their order: whole numbers, of which the compiler finds the highest
    of many several at once."""
    highest, count, place = np.int64(-1), np.int64(0), np.int64(0)
    if n <= FEW:
        for i in range(n):  # without branches: where the highest stands cannot be predicted
            worth = np.int64(bits_of(worths[i]))
            better = worth > highest
            count = np.int64(1) if better else count + np.int64(worth == highest)
            place = np.int64(i) if better else place
            highest = worth if better else highest
        number = below(random, count)
        while number > 0:
            place += 1
            number -= np.int64(bits_of(worths[place])) == highest
        return place
    for i in range(n):
        highest = max(highest, np.int64(bits_of(worths[i])))
    ties = _NONE
    for first in range(0, n, _WORD):
        ties = ties_of(worths, first, n, highest)
        count += np.int64(popcount(ties))
    number = np.int64(below(random, count))
    if n > _WORD:
        ties = ties_of(worths, 0, n, highest)
        while number >= np.int64(popcount(ties)):
            number -= np.int64(popcount(ties))
            place += _WORD
            ties = ties_of(worths, place, n, highest)
    return place + np.int64(nth_set_bit(ties, np.uint64(number)))


@njit_inline
def ties_of(worths: np.ndarray, first: int, n: int, highest: int) -> np.uint64:
    """A bit for each of the 64 worths from the place `first` on that is the highest; for those of the first n."""
    ties, start = _NONE, np.uint64(first)  # a signed index would cost a test for Python's counting from the end
    for i in range(np.uint64(min(n - first, _WORD))):
        ties |= np.uint64(np.int64(bits_of(worths[start + i])) == highest) << i
    return ties

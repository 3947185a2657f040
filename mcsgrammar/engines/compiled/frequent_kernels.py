"""The grams that playouts by nst ask for, in a small table of their own.

Most grams of a run occur once or twice and do not count, since their counts are below kmin. Playouts ask for the others
in this table, which stays in the cache while that of all grams does not; and they ask only after contexts that some
gram which counts begins with. What it holds follows from the table of all grams: it is filled anew from that one when
kmin changes, when all counts have decayed, and when it is to be larger.

Glossary
    frequent   of more than one action, and met at least kmin times
    followed   the beginning of a frequent gram, or of one that is followed
"""

from typing import NamedTuple

import numpy as np

from domains.kernels import njit_inline, njit_uncounted
from domains.portable_math_kernels import bits_of, float_of
from mcsgrammar.engines.compiled.means_kernels import COUNT, MEAN, MeansTable, first_slot

KEY, WORTH, CODE = range(3)
"""Columns of `Frequent.rows`: the key of a gram, 0: free; the bits of its mean, RARE if it is not frequent; its code if
it is followed, else 0."""
COLUMNS = 4
RARE = -1
USED, MASK = range(2)
"""Places in `Frequent.state`: how many rows are taken, and the number of rows in use less one."""
FIRST_ROWS = 1024
UNKNOWN = -1.0
"""The kmin for which an empty table stands."""


class Frequent(NamedTuple):
    rows: np.ndarray
    """found by their keys, open addressing; twice as many as there may be grams, of which few are in use"""
    followed: np.ndarray
    """by entry in the table of all grams"""
    state: np.ndarray
    kmin: np.ndarray
    """that for which the rows stand; UNKNOWN: fill them anew"""


def empty_frequent(entries: int) -> Frequent:
    """For a table of that many entries."""
    rows = max(2 * entries, FIRST_ROWS)
    return Frequent(
        rows=np.zeros((rows, COLUMNS), np.int64),
        followed=np.zeros(entries, np.bool_),
        state=np.array([0, FIRST_ROWS - 1]),
        kmin=np.full(1, UNKNOWN),
    )


@njit_inline
def row_of(frequent: Frequent, key: int) -> np.int64:
    """The row of a gram, or a free one."""
    mask = frequent.state[MASK]
    slot = first_slot(key, mask)
    while frequent.rows[slot, KEY] != key and frequent.rows[slot, KEY] != 0:
        slot = (slot + 1) & mask
    return slot


@njit_uncounted
def made_row(frequent: Frequent, key: int) -> np.int64:
    """The row of a gram, a new one if there was none; -1 if too many are taken, and all will be filled anew."""
    row = row_of(frequent, key)
    if frequent.rows[row, KEY] == 0:
        if 2 * frequent.state[USED] >= frequent.state[MASK]:
            frequent.kmin[0] = UNKNOWN
            return np.int64(-1)
        frequent.state[USED] += 1
        frequent.rows[row, KEY] = key
        frequent.rows[row, WORTH] = RARE
        frequent.rows[row, CODE] = 0
    return row


@njit_inline
def renewed_if_frequent(frequent: Frequent, key: int, mean: float) -> bool:
    """Set the mean of a gram that the table knows as frequent; whether it does."""
    row = row_of(frequent, key)
    known = frequent.rows[row, KEY] != 0 and frequent.rows[row, WORTH] != RARE
    if known:
        frequent.rows[row, WORTH] = np.int64(bits_of(mean))
    return known


@njit_uncounted
def note_frequent(grams: MeansTable, frequent: Frequent, entry: int, kmin: float) -> None:
    """The count or mean of a gram of several actions has changed."""
    key = grams.key[entry]
    count = grams.numbers[entry, COUNT]
    if count > 0 and count >= kmin:
        row = made_row(frequent, key)
        if row >= 0:
            frequent.rows[row, WORTH] = np.int64(bits_of(grams.numbers[entry, MEAN]))
            parent = (key >> 32) - 1
            while parent >= 0 and not frequent.followed[parent]:
                frequent.followed[parent] = True
                key = grams.key[parent]
                if key >> 32 > 0:  # an action alone has no row
                    row = made_row(frequent, key)
                    if row < 0:
                        return
                    frequent.rows[row, CODE] = parent + 1
                parent = (key >> 32) - 1
    else:
        row = row_of(frequent, key)
        if frequent.rows[row, KEY] != 0:
            frequent.rows[row, WORTH] = RARE


@njit_uncounted
def fill_frequent(grams: MeansTable, frequent: Frequent, kmin: float) -> None:
    """Fill the table anew, if it does not stand for this kmin."""
    if frequent.kmin[0] == kmin:
        return
    used, frequent_ones = grams.used[0], np.int64(0)
    for entry in range(used):
        frequent.followed[entry] = False
        counts = grams.numbers[entry, COUNT] > 0 and grams.numbers[entry, COUNT] >= kmin
        frequent_ones += np.int64(counts and grams.key[entry] >> 32 > 0)
    rows = np.int64(FIRST_ROWS)
    while rows < 8 * frequent_ones and 2 * rows <= frequent.rows.shape[0]:
        rows *= 2
    while frequent.kmin[0] != kmin:
        for row in range(max(rows, frequent.state[MASK] + 1)):
            frequent.rows[row, KEY] = 0
        frequent.state[MASK] = rows - 1
        frequent.state[USED] = 0
        frequent.kmin[0] = kmin
        for entry in range(used):
            counts = grams.numbers[entry, COUNT] > 0 and grams.numbers[entry, COUNT] >= kmin
            if counts and grams.key[entry] >> 32 > 0:
                note_frequent(grams, frequent, entry, kmin)
        rows *= 2  # where it is still too small for all that is followed; all grams there are have room in all rows


@njit_inline
def followed_code(frequent: Frequent, key: int) -> np.int64:
    """The code of a gram of several actions that is followed, else 0."""
    row = row_of(frequent, key)
    return np.int64(frequent.rows[row, CODE]) if frequent.rows[row, KEY] != 0 else np.int64(0)


@njit_inline
def mean_if_frequent(frequent: Frequent, key: int) -> float:
    """The mean of a gram of several actions, negative if that is not frequent."""
    row = row_of(frequent, key)
    frequent_one = frequent.rows[row, KEY] != 0 and frequent.rows[row, WORTH] != RARE
    return float_of(np.uint64(frequent.rows[row, WORTH])) if frequent_one else -1.0

"""Which grams playouts by nst have to ask for.

Most grams of a run occur once or twice and do not count, since their counts are below kmin. Playouts ask for the others
alone: of what may come next, a gram keeps a few bits that say which actions make a frequent gram of it, or one of some
that share a bit. Where all these actions are small numbers there is a table of the means by action, which playouts read
instead. They do either only after what some gram which counts begins with, and find this in a small table that stays in
the cache, while that of all grams does not. All of it follows from the table of all grams, and is filled anew from that
one when kmin changes, when all counts have decayed, and when it is to be larger.

Glossary
    frequent    of more than one action, and met at least kmin times
    followed    the beginning of a frequent gram, or of one that is followed
"""

from typing import Any, NamedTuple

import numpy as np

from domains.kernels import njit_inline, njit_uncounted
from mcsgrammar.engines.compiled.means_kernels import COUNT, MEAN, MULTIPLIER, MeansTable, first_slot

WORDS = 4
"""Of 64 bits, for the actions that may come next."""
FOLLOWED, TABLE = range(2)
"""Columns of `Frequent.about`: whether a gram is followed; and the number of its table, counted from 1, 0 for none as
yet, NO_TABLE if it must not have one."""
NO_TABLE = -1
KEY, CODE = range(2)
"""Columns of `Frequent.rows`: the key of a followed gram of several actions, 0: free; its code."""
USED, MASK, TABLES = range(3)
"""Places in `Frequent.state`: how many rows are taken, the number of rows in use less one, and how many tables are
taken."""
FIRST_ROWS = 1024
WIDTH = 256
"""Actions below this are found in tables."""
MOST_TABLES = 4096
NOT_FREQUENT = -1.0
UNKNOWN = -1.0
"""The kmin for which nothing stands here."""
_LOW, _ONE = np.int64(0xFFFFFFFF), np.uint64(1)
_56, _63 = np.uint64(56), np.uint64(63)


class Frequent(NamedTuple):
    bits: np.ndarray
    """by entry in the table of all grams: for the actions that may make a frequent gram of it"""
    about: np.ndarray
    """by entry"""
    tables: np.ndarray
    """by the number of a table and action: the mean of the gram that the action makes, NOT_FREQUENT if it is not. One
    more behind the last is that of a gram that nothing follows"""
    rows: np.ndarray
    """found by their keys, open addressing; twice as many as there may be grams, of which few are in use"""
    state: np.ndarray
    kmin: np.ndarray
    """that for which all this stands; UNKNOWN: fill it anew"""


def empty_frequent(entries: int) -> Frequent:
    """For a table of that many entries."""
    rows = max(2 * entries, FIRST_ROWS)
    tables = np.empty((MOST_TABLES + 1, WIDTH))
    tables[MOST_TABLES] = NOT_FREQUENT
    return Frequent(
        bits=np.zeros((entries, WORDS), np.uint64),
        about=np.zeros((entries, 2), np.int32),
        tables=tables,
        rows=np.zeros((rows, 2), np.int64),
        state=np.array([0, FIRST_ROWS - 1, 0]),
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


@njit_inline
def hashed(action: int) -> Any:
    """Eight bits of an action: which word, and which bit of that."""
    return (np.uint64(np.int64(action) & _LOW) * MULTIPLIER) >> _56


@njit_inline
def may_be_frequent(frequent: Frequent, context: int, action: int) -> bool:
    """Whether an action may make a frequent gram of that of the entry `context`."""
    place = hashed(action)
    return bool((frequent.bits[context, place >> np.uint64(6)] >> (place & _63)) & _ONE)


@njit_inline
def renewed_if_noted(frequent: Frequent, context: int, action: int, mean: float) -> bool:
    """Set the mean of a frequent gram, if everything else was noted when another one was; whether it was."""
    table = np.int64(frequent.about[context, TABLE])
    if not may_be_frequent(frequent, context, action) or (table > 0 and not 0 <= action < WIDTH):
        return False
    if table > 0:
        frequent.tables[table - 1, action] = mean
    return True


@njit_uncounted
def note_in_table(frequent: Frequent, context: int, action: int, mean: float) -> None:
    """Enter a mean, or NOT_FREQUENT, into the table of a gram, a new one if it may still have one."""
    about, table = frequent.about, np.int64(frequent.about[context, TABLE])
    if not 0 <= action < WIDTH or (table == 0 and frequent.state[TABLES] == frequent.tables.shape[0] - 1):
        about[context, TABLE] = NO_TABLE
        return
    if table == 0:
        frequent.state[TABLES] += 1
        table = np.int64(frequent.state[TABLES])
        about[context, TABLE] = table
        for i in range(WIDTH):
            frequent.tables[table - 1, i] = NOT_FREQUENT
    if table > 0:
        frequent.tables[table - 1, action] = mean


@njit_uncounted
def note_frequent(grams: MeansTable, frequent: Frequent, entry: int, kmin: float) -> None:
    """The count or mean of a gram of several actions has changed."""
    key, count = grams.key[entry], grams.numbers[entry, COUNT]
    parent, action = (key >> 32) - 1, np.int64(np.int32(key & _LOW))
    if not (count > 0 and count >= kmin):
        if frequent.about[parent, TABLE] > 0 and 0 <= action < WIDTH:
            note_in_table(frequent, parent, action, NOT_FREQUENT)
        return
    note_in_table(frequent, parent, action, grams.numbers[entry, MEAN])
    place = hashed(action)
    frequent.bits[parent, place >> np.uint64(6)] |= _ONE << (place & _63)
    while parent >= 0 and frequent.about[parent, FOLLOWED] == 0:
        key = grams.key[parent]
        if key >> 32 > 0:  # an action alone has no row
            if 2 * frequent.state[USED] >= frequent.state[MASK]:
                frequent.kmin[0] = UNKNOWN
                return
            row = row_of(frequent, key)
            frequent.rows[row, KEY], frequent.rows[row, CODE] = key, parent + 1
            frequent.state[USED] += 1
        frequent.about[parent, FOLLOWED] = 1
        parent = (key >> 32) - 1


@njit_uncounted
def fill_frequent(grams: MeansTable, frequent: Frequent, kmin: float) -> None:
    """Fill all of it anew, if it does not stand for this kmin."""
    if frequent.kmin[0] == kmin:
        return
    used, frequent_ones = grams.used[0], np.int64(0)
    for entry in range(used):
        counts = grams.numbers[entry, COUNT] > 0 and grams.numbers[entry, COUNT] >= kmin
        frequent_ones += np.int64(counts and grams.key[entry] >> 32 > 0)
    rows = np.int64(FIRST_ROWS)
    while rows < 8 * frequent_ones and 2 * rows <= frequent.rows.shape[0]:
        rows *= 2
    while frequent.kmin[0] != kmin:
        for row in range(max(rows, frequent.state[MASK] + 1)):
            frequent.rows[row, KEY] = 0
        for entry in range(used):
            frequent.about[entry, FOLLOWED] = frequent.about[entry, TABLE] = 0
            for word in range(WORDS):
                frequent.bits[entry, word] = 0
        frequent.state[MASK] = rows - 1
        frequent.state[USED] = frequent.state[TABLES] = 0
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

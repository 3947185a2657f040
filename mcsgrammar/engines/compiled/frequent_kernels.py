"""Which grams playouts by nst have to ask for.

Most grams of a run occur once or twice and do not count, since their counts are below kmin. Playouts ask for the others
alone: of what may come next, a gram keeps a few bits that say which actions make a frequent gram of it, or one of some
that share a bit, and the means of these are found in a small table by key. Where all these actions are small numbers
there is a table of the means by action, which playouts read instead, and one of the codes, by which a gram is found
that is told of. Playouts do either only after what some gram which counts begins with, and find this in a small table,
too. Small tables stay in the cache, while that of all grams does not: means read there cost Morpion Solitaire a tenth
more time. All of it follows from the table of all grams, and is filled anew from that one when kmin changes, when all
counts have decayed, and when it is to be larger.

Glossary
    frequent    of more than one action, and met at least kmin times
    followed    the beginning of a frequent gram, or of one that is followed
"""

from typing import Any, NamedTuple

import numpy as np

from domains.kernels import njit_inline, njit_uncounted
from domains.portable_math_kernels import bits_of, float_of
from mcsgrammar.engines.compiled.means_kernels import (
    COUNT,
    MEAN,
    MULTIPLIER,
    MeansTable,
    entry_or_new_one,
    first_slot,
    key_of,
)

WORDS = 4
"""Of 64 bits, for the actions that may come next."""
FOLLOWED, TABLE = range(2)
"""Columns of `Frequent.about`: whether a gram is followed; and the number of its table, counted from 1, 0 for none as
yet, NO_TABLE if it must not have one."""
NO_TABLE = -1
KEY, CODE = range(2)
"""Columns of `Frequent.rows`: the key of a followed gram of several actions, 0: free; its code."""
MEAN_BITS = 1
"""Column of `Frequent.means`, beside KEY."""
USED, MASK, TABLES, MEANS_USED, MEANS_MASK = range(5)
"""Places in `Frequent.state`: how many rows are taken, the number of rows in use less one, how many tables are taken,
and the same as for `rows` of `means`."""
FIRST_ROWS = 1024
WIDTH = 256
"""Actions below this are found in tables."""
MOST_TABLES = 4096
NOT_FREQUENT = -1.0
NOT_FREQUENT_BITS = np.int64(np.float64(NOT_FREQUENT).view(np.int64))
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
    codes: np.ndarray
    """beside `tables`: the code of the gram that the action makes, 0 if it is not known here; those of frequent and of
    followed grams are"""
    rows: np.ndarray
    """found by their keys, open addressing; twice as many as there may be grams, of which few are in use"""
    means: np.ndarray
    """likewise, the bits of the means of frequent grams whose beginnings must not have a table"""
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
        codes=np.zeros((MOST_TABLES + 1, WIDTH), np.int32),
        rows=np.zeros((rows, 2), np.int64),
        means=np.zeros((rows, 2), np.int64),
        state=np.array([0, FIRST_ROWS - 1, 0, 0, FIRST_ROWS - 1]),
        kmin=np.full(1, UNKNOWN),
    )


@njit_inline
def place_of_key(rows: np.ndarray, mask: int, key: int) -> np.int64:
    """Where a key stands in `rows` or `means`, or a free row."""
    slot = first_slot(key, mask)
    while rows[slot, KEY] != key and rows[slot, KEY] != 0:
        slot = (slot + 1) & mask
    return slot


@njit_inline
def row_of(frequent: Frequent, key: int) -> np.int64:
    """The row of a gram, or a free one."""
    return place_of_key(frequent.rows, frequent.state[MASK], key)


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
def row_of_mean(frequent: Frequent, key: int) -> np.int64:
    """The row of a frequent gram in `means`, or a free one."""
    return place_of_key(frequent.means, frequent.state[MEANS_MASK], key)


@njit_inline
def mean_by_key(frequent: Frequent, key: int) -> float:
    """The mean of a gram whose beginning must not have a table; NOT_FREQUENT if it is not."""
    return float_of(np.uint64(frequent.means[row_of_mean(frequent, key), MEAN_BITS]))


@njit_inline
def entry_after(
    grams: MeansTable, frequent: Frequent, context: int, action: int, numbers: np.ndarray, limit: int
) -> np.int64:
    """The entry of the gram that an action makes of that of the entry `context`, a new one with count 0 if there was
    none; -1 if all room is taken up."""
    table = np.int64(frequent.about[context, TABLE])
    if table <= 0 or not 0 <= action < WIDTH:
        return entry_or_new_one(grams, key_of(context + 1, action), numbers, limit)
    entry = np.int64(frequent.codes[table - 1, action]) - 1
    return entry if entry >= 0 else entry_or_new_one(grams, key_of(context + 1, action), numbers, limit)


@njit_inline
def renewed_if_noted(frequent: Frequent, context: int, action: int, mean: float) -> bool:
    """Set the mean of a frequent gram, if it was noted; whether it was."""
    table = np.int64(frequent.about[context, TABLE])
    if table > 0 and 0 <= action < WIDTH:
        noted = frequent.tables[table - 1, action] >= 0
        if noted:
            frequent.tables[table - 1, action] = mean
        return bool(noted)
    if table >= 0:
        return False
    row = row_of_mean(frequent, key_of(context + 1, action))
    if frequent.means[row, KEY] == 0:
        return False
    frequent.means[row, MEAN_BITS] = np.int64(bits_of(mean))
    return True


@njit_uncounted
def table_with(frequent: Frequent, context: int, action: int, code: int) -> np.int64:
    """The number of the table of a gram, a new one if it may still have one, with the code of what an action makes of
    it; NO_TABLE if it must not have one, or the action is none for tables."""
    table = np.int64(frequent.about[context, TABLE])
    if not 0 <= action < WIDTH or (table == 0 and frequent.state[TABLES] == frequent.tables.shape[0] - 1):
        return np.int64(NO_TABLE)
    if table == 0:
        frequent.state[TABLES] += 1
        table = np.int64(frequent.state[TABLES])
        frequent.about[context, TABLE] = table
        for i in range(WIDTH):
            frequent.tables[table - 1, i] = NOT_FREQUENT
            frequent.codes[table - 1, i] = 0
    if table > 0:
        frequent.codes[table - 1, action] = code
    return table


@njit_uncounted
def note_by_key(frequent: Frequent, key: int, mean: float) -> None:
    """Enter a mean, or NOT_FREQUENT, into `means`; all is to be filled anew if there is no room."""
    if 2 * frequent.state[MEANS_USED] >= frequent.state[MEANS_MASK]:
        frequent.kmin[0] = UNKNOWN
        return
    row = row_of_mean(frequent, key)
    if frequent.means[row, KEY] == 0:
        frequent.means[row, KEY] = key
        frequent.state[MEANS_USED] += 1
    frequent.means[row, MEAN_BITS] = np.int64(bits_of(mean))


@njit_uncounted
def note_mean(frequent: Frequent, context: int, action: int, code: int, mean: float) -> None:
    """Enter the mean of a frequent gram, where it is found after its beginning `context`."""
    table = table_with(frequent, context, action, code)
    if table > 0:
        frequent.tables[table - 1, action] = mean
        return
    table = np.int64(frequent.about[context, TABLE])
    frequent.about[context, TABLE] = NO_TABLE
    if table > 0:
        for other in range(WIDTH):
            if frequent.tables[table - 1, other] >= 0:
                note_by_key(frequent, key_of(context + 1, other), frequent.tables[table - 1, other])
    note_by_key(frequent, key_of(context + 1, action), mean)


@njit_uncounted
def note_frequent(grams: MeansTable, frequent: Frequent, entry: int, kmin: float) -> None:
    """The count or mean of a gram of several actions has changed."""
    key, count = grams.key[entry], grams.numbers[entry, COUNT]
    parent, action = (key >> 32) - 1, np.int64(np.int32(key & _LOW))
    if not (count > 0 and count >= kmin):
        renewed_if_noted(frequent, parent, action, NOT_FREQUENT)
        return
    note_mean(frequent, parent, action, entry + 1, grams.numbers[entry, MEAN])
    place = hashed(action)
    frequent.bits[parent, place >> np.uint64(6)] |= _ONE << (place & _63)
    while parent >= 0 and frequent.about[parent, FOLLOWED] == 0:
        key, code = grams.key[parent], parent + 1
        parent = (key >> 32) - 1
        if parent >= 0:  # an action alone has no row
            if 2 * frequent.state[USED] >= frequent.state[MASK]:
                frequent.kmin[0] = UNKNOWN
                return
            row = row_of(frequent, key)
            frequent.rows[row, KEY], frequent.rows[row, CODE] = key, code
            frequent.state[USED] += 1
            table_with(frequent, parent, np.int64(np.int32(key & _LOW)), code)
        frequent.about[code - 1, FOLLOWED] = 1


@njit_uncounted
def fill_frequent(grams: MeansTable, frequent: Frequent, kmin: float) -> None:
    """Fill all of it anew, if it does not stand for this kmin."""
    if frequent.kmin[0] == kmin:
        return
    used, frequent_ones = grams.used[0], np.int64(0)
    for entry in range(used):
        counts = grams.numbers[entry, COUNT] > 0 and grams.numbers[entry, COUNT] >= kmin
        frequent_ones += np.int64(counts and grams.key[entry] >> 32 > 0)
    # As few as will do, since they are to stay in the cache: sixteen times as many rows and twice as many means cost a
    # seventh more time on Morpion Solitaire.
    rows = means = np.int64(FIRST_ROWS)
    while 2 * rows < frequent_ones and 2 * rows <= frequent.rows.shape[0]:
        rows *= 2
    while means < 2 * frequent_ones and 2 * means <= frequent.means.shape[0]:
        means *= 2
    while frequent.kmin[0] != kmin:
        for row in range(rows):
            frequent.rows[row, KEY] = 0
        for row in range(means):
            frequent.means[row, KEY], frequent.means[row, MEAN_BITS] = 0, NOT_FREQUENT_BITS
        for entry in range(used):
            frequent.about[entry, FOLLOWED] = frequent.about[entry, TABLE] = 0
            for word in range(WORDS):
                frequent.bits[entry, word] = 0
        frequent.state[MASK], frequent.state[MEANS_MASK] = rows - 1, means - 1
        frequent.state[USED] = frequent.state[TABLES] = frequent.state[MEANS_USED] = 0
        frequent.kmin[0] = kmin
        for entry in range(used):
            counts = grams.numbers[entry, COUNT] > 0 and grams.numbers[entry, COUNT] >= kmin
            if counts and grams.key[entry] >> 32 > 0:
                note_frequent(grams, frequent, entry, kmin)
        # where they are still too few; all grams there are have room in all rows
        rows, means = min(2 * rows, frequent.rows.shape[0]), min(2 * means, frequent.means.shape[0])


@njit_inline
def followed_code(frequent: Frequent, key: int) -> np.int64:
    """The code of a gram of several actions that is followed, else 0."""
    row = row_of(frequent, key)
    return np.int64(frequent.rows[row, CODE]) if frequent.rows[row, KEY] != 0 else np.int64(0)


@njit_inline
def code_after(frequent: Frequent, context: int, action: int) -> np.int64:
    """The code of the gram that an action makes of that of the code `context`, if it is followed, else 0."""
    if context <= 0:
        return np.int64(0)
    table = np.int64(frequent.about[context - 1, TABLE])
    if table <= 0 or not 0 <= action < WIDTH:
        return followed_code(frequent, key_of(context, action))
    code = np.int64(frequent.codes[table - 1, action])
    return np.int64(code if code > 0 and frequent.about[code - 1, FOLLOWED] == 1 else 0)

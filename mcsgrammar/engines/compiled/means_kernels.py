"""The compiled twin of `means.py`: tables of means by key, open addressing over entries that lie side by side.

A key is 64 bits wide and never negative. Keys of actions and of grams are made by `key_of`.

Functions are handed few arrays, and those with several numbers in a row: what a function is handed costs the compiler
more time than what it does (an array is seven values to it), and some at run time, too.
"""

from typing import Any, NamedTuple

import numpy as np

from domains.kernels import njit_inline, njit_uncounted

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_32 = np.uint64(32)
NODE_SHIFT = 32
"""A key's upper half is a node, or the code of a gram, its lower half an action."""
ACTION_BITS = np.int64(0xFFFFFFFF)

COUNT, MEAN = range(2)
"""Columns of `MeansTable.numbers`."""
ENTRIES, NO_ROOM = range(2)
"""Places in `room`: the number of entries in all tables, and whether something found no room."""


class MeansTable(NamedTuple):
    slots: np.ndarray
    """the number of an entry + 1; 0: free. Twice as many as entries, a power of two; int64, or int32 in the arena,
    where tables grow large"""
    key: np.ndarray
    numbers: np.ndarray
    """count and mean"""
    used: np.ndarray
    """how many entries there are"""


def empty_table(entries: int, slots: Any = np.int64) -> MeansTable:
    """Room for that many entries, a power of two; `slots` is the type of these."""
    return MeansTable(
        slots=np.zeros(2 * entries, slots),
        key=np.empty(entries, np.int64),
        numbers=np.empty((entries, 2), np.float64),
        used=np.zeros(1, np.int64),
    )


def grown_table(table: MeansTable, needed: int) -> MeansTable:
    """The same table with room for `needed` entries; its slots are still empty, `refill` is to be called."""
    entries = table.key.shape[0]
    while entries < needed:
        entries *= 2
    larger = empty_table(entries, table.slots.dtype)
    used = int(table.used[0])
    larger.key[:used] = table.key[:used]
    larger.numbers[:used] = table.numbers[:used]
    larger.used[0] = used
    return larger


@njit_inline
def key_of(parent: int, action: int) -> int:
    """The key of `action` below `parent`: a gram that begins with the gram of that code, or a node of the tree."""
    return (np.int64(parent) << NODE_SHIFT) | (np.int64(action) & ACTION_BITS)


@njit_inline
def first_slot(key: int, mask: int) -> np.int64:
    return np.int64((np.uint64(key) * MULTIPLIER) >> _32) & mask


@njit_uncounted
def find(slots: np.ndarray, mask: int, keys: np.ndarray, key: int) -> np.int64:
    """The entry with that key; -1 if there is none. `mask` is the number of slots less one."""
    slot = first_slot(key, mask)
    while True:
        entry = slots[slot] - 1
        if entry < 0 or keys[entry] == key:
            return np.int64(entry)
        slot = (slot + 1) & mask


@njit_uncounted
def insert(slots: np.ndarray, mask: int, keys: np.ndarray, entry: int, key: int) -> None:
    """Put a key that is not there yet at the place `entry`."""
    slot = first_slot(key, mask)
    while slots[slot] != 0:
        slot = (slot + 1) & mask
    slots[slot] = entry + 1
    keys[entry] = key


@njit_inline
def entry_of(table: MeansTable, key: int) -> np.int64:
    """The entry with that key; -1 if there is none."""
    mask = table.slots.shape[0] - 1
    slot = first_slot(key, mask)
    entry = table.slots[slot] - 1
    while entry >= 0 and table.key[entry] != key:
        slot = (slot + 1) & mask
        entry = table.slots[slot] - 1
    return entry


@njit_uncounted
def refill(slots: np.ndarray, mask: int, keys: np.ndarray, used: int) -> None:
    """Find all entries anew, after a table has grown."""
    for entry in range(used):
        insert(slots, mask, keys, entry, keys[entry])


@njit_inline
def add(table: MeansTable, key: int, reward: float, room: np.ndarray, limit: int) -> np.int64:
    """One more reward for a key; the entry, or -1 if the key is new and all room, `limit` entries, is taken up."""
    entry = entry_or_new_one(table, key, room, limit)
    if entry >= 0:
        add_to_entry(table, entry, reward)
    return entry


@njit_inline
def entry_or_new_one(table: MeansTable, key: int, room: np.ndarray, limit: int) -> np.int64:
    """The entry with that key, a new one with count 0 if there was none; -1 if all room is taken up."""
    mask = table.slots.shape[0] - 1
    slot = first_slot(key, mask)
    entry = table.slots[slot] - 1
    while entry >= 0 and table.key[entry] != key:
        slot = (slot + 1) & mask
        entry = table.slots[slot] - 1
    if entry < 0:
        if room[ENTRIES] < limit:
            room[ENTRIES] += 1
            entry = table.used[0]
            table.used[0] += 1
            table.slots[slot] = entry + 1
            table.key[entry] = key
            table.numbers[entry, COUNT] = 0.0
        else:
            room[NO_ROOM] = 1
    return entry


@njit_inline
def append_entry(table: MeansTable, key: int, room: np.ndarray, limit: int) -> np.int64:
    """A new entry with count 0 that is not found by its key; -1 if all room is taken up."""
    if room[ENTRIES] >= limit:
        room[NO_ROOM] = 1
        return np.int64(-1)
    room[ENTRIES] += 1
    entry = np.int64(table.used[0])
    table.used[0] += 1
    table.key[entry] = key
    table.numbers[entry, COUNT] = 0.0
    return entry


@njit_inline
def add_to_entry(table: MeansTable, entry: int, reward: float) -> float:
    """One more reward; the mean."""
    count = table.numbers[entry, COUNT]
    mean = 0.0 if count == 0.0 else table.numbers[entry, MEAN]
    count += 1.0
    mean += (reward - mean) / count
    table.numbers[entry, COUNT] = count
    table.numbers[entry, MEAN] = mean
    return mean

"""Results that wait to be added to the means of `amaf_kernels.py`."""

from typing import NamedTuple

import numpy as np

BEFORE, FIRST, END = range(3)
"""Columns of `Waiting.lines`: the number of the one before at the same node, 0: none; where its actions stand."""
ACTIONS, LINES, MOST_ENTRIES, ROW_CELLS, ROW_BITS, ROWS_LACK = range(6)
"""Places in `Waiting.used`: how many entries all that waits can come to; how many bits an action may have that the next
row has a cell for; and whether nodes with rows may have entries that are not in them, 1 or 0."""
TABLED = -1
FIRST_LINES, FIRST_ACTIONS = 4096, 16384
ROW_MEMORY = 2**21
"""Cells for all rows. Memory that nobody touches is not there."""
FEWEST_ROW_BITS, MOST_ROW_BITS = 4, 14
ROW_SHIFT, ROW_BITS_MASK = 5, 31
"""How `latest` says which row a node has."""


class Waiting(NamedTuple):
    latest: np.ndarray
    """by node, from its first visit on: the number of the line of its latest result, 0: none; TABLED or less: results
    are added at once. What it is less by than TABLED is 1 + the place where the node's row begins, shifted, and in the
    lower bits the bits that an action may have"""
    lines: np.ndarray
    """one for a result at a node; they are numbered from 1"""
    results: np.ndarray
    actions: np.ndarray
    used: np.ndarray
    distinct: np.ndarray
    """the actions of the sequence that is learnt, each where it occurs last, pushed together towards the end"""
    starts: np.ndarray
    """by place in that sequence: where those at or after it begin in `distinct`"""
    rows: np.ndarray
    """of nodes whose results are added at once, while there is memory: by action, its entry + 1; 0: none, or
    not looked up"""
    stamps: np.ndarray
    """by action that has a cell in rows: the EPOCH in which it was seen last"""


def empty_waiting(max_length: int) -> Waiting:
    return Waiting(
        latest=np.empty(0, np.int64),
        lines=np.empty((FIRST_LINES, 3), np.int64),
        results=np.empty(FIRST_LINES),
        actions=np.empty(FIRST_ACTIONS, np.int32),
        used=np.zeros(6, np.int64),
        distinct=np.empty(max_length, np.int32),
        starts=np.empty(max_length + 1, np.int64),
        rows=np.empty(ROW_MEMORY, np.int32),
        stamps=np.zeros(1 << MOST_ROW_BITS, np.int32),
    )


def grown_waiting(waiting: Waiting, nodes: int, max_length: int) -> Waiting:
    """The same with room for so many nodes and one more result of the longest sequence."""
    return waiting._replace(
        latest=_grown(waiting.latest, nodes),
        lines=_grown(waiting.lines, int(waiting.used[LINES]) + max_length + 1),
        results=_grown(waiting.results, int(waiting.used[LINES]) + max_length + 1),
        actions=_grown(waiting.actions, int(waiting.used[ACTIONS]) + max_length),
    )


def _grown(array: np.ndarray, needed: int) -> np.ndarray:
    if len(array) >= needed:
        return array
    larger = np.empty((max(2 * len(array), needed), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger

"""Memory for what a domain's kernels write, with guard cells around it: a kernel that writes outside is noticed.

Compiled code does not look where it writes. What it writes beside an array would change something else of this process,
or end it; here it changes guard cells, which hold the same byte everywhere. No array is longer for it: kernels see the
length that the domain declares.
"""

from dataclasses import dataclass

import numpy as np

GUARD = 0xA5
WATCHED = 64
"""Cells on either side of an array that are looked at."""
ROOM = 4096
"""Cells behind an array, for kernels that list many more actions than they may, and then say so."""


@dataclass(frozen=True)
class GuardedArray:
    array: np.ndarray
    watched: tuple[np.ndarray, ...]
    sound: list[bytes]
    """what the watched cells hold as long as nobody writes there"""

    def is_intact(self) -> bool:
        return [cells.tobytes() for cells in self.watched] == self.sound


def guarded_array(length: int, dtype: np.dtype | type) -> GuardedArray:
    """Zeros."""
    memory = _guard_cells(WATCHED + length + ROOM, np.dtype(dtype))
    array = memory[WATCHED : WATCHED + length]
    array[:] = 0
    return _guarded(array, memory[:WATCHED], memory[WATCHED + length :][:WATCHED])


def guarded_states(slots: int, length: int, dtype: np.dtype) -> GuardedArray:
    """By slot, a state in the first row and guard cells in the others; and a row of those before all."""
    rows = 1 + max(1, -(-WATCHED // max(1, length)))
    before = (rows - 1) * length
    memory = _guard_cells(before + slots * rows * length, dtype)
    states = memory[before:].reshape(slots, rows, length)
    states[:, 0] = np.zeros(length, dtype)
    by_slot = states.reshape(slots, rows * length)
    return _guarded(
        states, memory[:before][-WATCHED:], by_slot[:, length : length + WATCHED], by_slot[:, length:][:, -WATCHED:]
    )


def _guard_cells(length: int, dtype: np.dtype) -> np.ndarray:
    return np.full(length * dtype.itemsize, GUARD, np.uint8).view(dtype)


def _guarded(array: np.ndarray, *watched: np.ndarray) -> GuardedArray:
    return GuardedArray(array, watched, [cells.tobytes() for cells in watched])

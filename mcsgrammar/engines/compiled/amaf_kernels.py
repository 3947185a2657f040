"""The means that `grave` blends in, all-moves-as-first: what `learn` of `selection.py` adds to them, compiled."""

import numpy as np

from domains.kernels import njit_uncounted
from mcsgrammar.engines.compiled.adaptive_layout import EPOCH
from mcsgrammar.engines.compiled.means_kernels import MeansTable, add, first_slot, key_of

LAST_EPOCH = 2**31 - 2


@njit_uncounted
def learn_all_moves_as_first(
    amaf: MeansTable,
    numbers: np.ndarray,
    seen: np.ndarray,
    last: np.ndarray,
    path: np.ndarray,
    local_root: int,
    depth: int,
    sequence: np.ndarray,
    length: int,
    result: float,
    limit: int,
) -> None:
    """Add a result to AMAF(s, a) for every node s of the path from the local root on, and every action a at or after
    it, each once."""
    mark_last_occurrences(numbers, seen, last, sequence, length)
    for d in range(local_root, depth + 1):
        for place in range(d, length):
            if last[place]:
                add(amaf, key_of(path[d], sequence[place]), result, numbers, limit)


@njit_uncounted
def mark_last_occurrences(
    numbers: np.ndarray, seen: np.ndarray, last: np.ndarray, sequence: np.ndarray, length: int
) -> None:
    """Set last[place] to whether the action there does not occur later. Marks of earlier calls need no clearing."""
    if numbers[EPOCH] == LAST_EPOCH:
        numbers[EPOCH] = 0
        seen[:] = 0
    numbers[EPOCH] += 1
    mask = seen.shape[0] - 1
    for place in range(length - 1, -1, -1):
        mark = key_of(numbers[EPOCH], sequence[place])
        slot = first_slot(mark, mask)
        last[place] = True
        while (seen[slot] >> 32) == numbers[EPOCH]:
            if seen[slot] == mark:
                last[place] = False
                break
            slot = (slot + 1) & mask
        if last[place]:
            seen[slot] = mark

"""The means that `grave` blends in, all-moves-as-first: what `learn` of `selection.py` adds to them, compiled.

They are read of few nodes, those that have the visits that `ref` asks for, and of the local root. So results wait at
the others, and are added to a node's means, in the order in which they came, when it has become one of those. (Of
Sudoku(4), 10 000 evaluations, 15 nodes of 69 000.) A result that waits takes a line; its actions are kept once for all
nodes of the path. Where room is short nothing may wait: means share it with the nodes, so it must be known what is
taken up. Results that wait count as many entries as they could come to, and are all added before that matters.
"""

import numpy as np

from domains.kernels import njit, njit_uncounted
from mcsgrammar.engines.compiled.adaptive_layout import (
    ENTRIES,
    EPOCH,
    MAY_WAIT,
    NEED,
    SLACK,
    Adaptive,
)
from mcsgrammar.engines.compiled.layout import NEEDS_MEMORY, RUN, Tree
from mcsgrammar.engines.compiled.means_kernels import MeansTable, add, first_slot, key_of
from mcsgrammar.engines.compiled.waiting_layout import ACTIONS, BEFORE, END, FIRST, LINES, MOST_ENTRIES, TABLED, Waiting

LAST_EPOCH = 2**31 - 2


@njit_uncounted
def learn_all_moves_as_first(
    adaptive: Adaptive,
    tree: Tree,
    path: np.ndarray,
    local_root: int,
    depth: int,
    sequence: np.ndarray,
    length: int,
    result: float,
    limit: int,
    ref: int,
) -> None:
    """Add a result to AMAF(s, a) for every node s of the path from the local root on, and every action a at or after
    it, each once; or let it wait. The path has been visited."""
    waiting, numbers = adaptive.waiting, adaptive.numbers
    distinct, starts = waiting.distinct, waiting.starts
    mark_last_occurrences(numbers, adaptive.seen, adaptive.last, sequence, length)
    kept = np.int64(length)
    starts[length] = kept
    for place in range(length - 1, -1, -1):
        if adaptive.last[place]:
            kept -= 1
            distinct[kept] = sequence[place]
        starts[place] = kept
    shift, waits = waiting.used[ACTIONS] - kept, False
    for d in range(depth + 1):
        node = path[d]
        read = d == local_root or tree.visits[node] >= ref or numbers[MAY_WAIT] == 0
        if read and waiting.latest[node] > 0:
            add_waiting(adaptive.amaf, waiting, numbers, node, limit)
        if d < local_root:
            continue
        if read or waiting.latest[node] == TABLED:
            waiting.latest[node] = TABLED
            add_results(adaptive.amaf, numbers, node, distinct, starts[d], length, result, limit)
        elif starts[d] < length:
            waits = True
            line = waiting.used[LINES]
            waiting.used[LINES] += 1
            waiting.used[MOST_ENTRIES] += length - starts[d]
            waiting.lines[line, BEFORE] = waiting.latest[node]
            waiting.lines[line, FIRST] = starts[d] + shift
            waiting.lines[line, END] = length + shift
            waiting.results[line] = result
            waiting.latest[node] = line + 1
    if waits:
        for place in range(kept, length):
            waiting.actions[place + shift] = distinct[place]
        waiting.used[ACTIONS] += length - kept


@njit_uncounted
def add_results(
    amaf: MeansTable,
    numbers: np.ndarray,
    node: int,
    actions: np.ndarray,
    first: int,
    end: int,
    result: float,
    limit: int,
) -> None:
    for place in range(first, end):
        add(amaf, key_of(node, actions[place]), result, numbers, limit)


@njit_uncounted
def add_waiting(amaf: MeansTable, waiting: Waiting, numbers: np.ndarray, node: int, limit: int) -> None:
    """Add what waits at a node, the first first."""
    line, following = waiting.latest[node], np.int64(0)
    while line > 0:
        before = waiting.lines[line - 1, BEFORE]
        waiting.lines[line - 1, BEFORE] = following
        line, following = before, line
    line = following
    while line > 0:
        first, end = waiting.lines[line - 1, FIRST], waiting.lines[line - 1, END]
        add_results(amaf, numbers, node, waiting.actions, first, end, waiting.results[line - 1], limit)
        waiting.used[MOST_ENTRIES] -= end - first
        line = waiting.lines[line - 1, BEFORE]
    waiting.latest[node] = TABLED


@njit
def add_all_waiting(
    amaf: MeansTable, waiting: Waiting, numbers: np.ndarray, visits: np.ndarray, nodes: int, limit: int
) -> None:
    """Add all that waits; there is room for it."""
    for node in range(nodes):
        if visits[node] > 0 and waiting.latest[node] > 0:
            add_waiting(amaf, waiting, numbers, node, limit)


@njit_uncounted
def entries_waiting(waiting: Waiting, node: int) -> np.int64:
    """How many entries what waits at a node can come to."""
    count, line = np.int64(0), waiting.latest[node]
    while line > 0:
        count += waiting.lines[line - 1, END] - waiting.lines[line - 1, FIRST]
        line = waiting.lines[line - 1, BEFORE]
    return count


@njit_uncounted
def lacks_memory(
    adaptive: Adaptive, tree: Tree, path: np.ndarray, local_root: int, depth: int, length: int, ref: int
) -> bool:
    """Whether the arrays are too small for what a result may add that is about to be learnt."""
    waiting, amaf = adaptive.waiting, adaptive.amaf
    nodes = max(0, depth - local_root + 1)
    need = nodes * np.int64(length)
    for d in range(depth + 1):
        node = path[d]
        if tree.visits[node] > 0 and waiting.latest[node] > 0 and (d == local_root or tree.visits[node] + 1 >= ref):
            need += entries_waiting(waiting, node)
    adaptive.numbers[NEED] = need
    return (
        amaf.used[0] + need > amaf.key.shape[0]
        or waiting.used[ACTIONS] + length > waiting.actions.shape[0]
        or waiting.used[LINES] + nodes > waiting.lines.shape[0]
    )


@njit_uncounted
def table_local_root(adaptive: Adaptive, tree: Tree, node: int, limit: int) -> np.int64:
    """Before a descent from a node, add what waits there."""
    waiting, amaf = adaptive.waiting, adaptive.amaf
    if tree.visits[node] > 0 and waiting.latest[node] > 0:
        adaptive.numbers[NEED] = entries_waiting(waiting, node)
        if amaf.used[0] + adaptive.numbers[NEED] > amaf.key.shape[0]:
            return np.int64(NEEDS_MEMORY)
        add_waiting(amaf, waiting, adaptive.numbers, node, limit)
    return np.int64(RUN)


@njit_uncounted
def make_certain_of_room(adaptive: Adaptive, tree: Tree, nodes: int, max_nodes: int) -> np.int64:
    """Add all that waits if it might be more than what there is room for before the machine comes here again."""
    waiting, numbers = adaptive.waiting, adaptive.numbers
    if numbers[MAY_WAIT] == 0 or (nodes + numbers[ENTRIES] + waiting.used[MOST_ENTRIES] + numbers[SLACK] <= max_nodes):
        return np.int64(RUN)
    if waiting.used[MOST_ENTRIES] > 0:
        for node in range(nodes):
            if table_local_root(adaptive, tree, node, max_nodes - nodes) == NEEDS_MEMORY:
                return np.int64(NEEDS_MEMORY)
    waiting.used[ACTIONS] = waiting.used[LINES] = 0
    if nodes + numbers[ENTRIES] + numbers[SLACK] > max_nodes - max_nodes // 8:  # do not come here ever again
        numbers[MAY_WAIT] = 0
    return np.int64(RUN)


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

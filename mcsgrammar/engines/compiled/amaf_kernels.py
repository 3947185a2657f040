"""The means that `grave` blends in, all-moves-as-first: what `learn` of `selection.py` adds to them, compiled.

They are read of few nodes, those that have the visits that `ref` asks for, and of the local root. So results wait at
the others, and are added to a node's means, in the order in which they came, when it has become one of those. (Of
Sudoku(4), 10 000 evaluations, 15 nodes of 69 000.) A result that waits takes a line; its actions are kept once for all
nodes of the path. Where room is short nothing may wait: means share it with the nodes, so it must be known what is
taken up. Results that wait count as many entries as they could come to, and are all added before that matters.

A node whose means are brought up to date at once has a row: by action, where in the table its entry is, so that nothing
is hashed. There are rows for actions that are small numbers, and for as many nodes as there is memory for. Where trees
are kept from search to search rows begin empty, and entries that are not in them are looked up in the table.
"""

import numpy as np

from domains.kernels import njit, njit_inline, njit_uncounted
from mcsgrammar.engines.compiled.adaptive_layout import (
    ENTRIES,
    EPOCH,
    MAY_WAIT,
    NEED,
    SLACK,
    Adaptive,
)
from mcsgrammar.engines.compiled.layout import NEEDS_MEMORY, RUN, Tree
from mcsgrammar.engines.compiled.means_kernels import (
    MeansTable,
    add,
    add_to_entry,
    append_entry,
    entry_of,
    entry_or_new_one,
    first_slot,
    key_of,
)
from mcsgrammar.engines.compiled.waiting_layout import (
    ACTIONS,
    BEFORE,
    END,
    FEWEST_ROW_BITS,
    FIRST,
    LINES,
    MOST_ENTRIES,
    MOST_ROW_BITS,
    ROW_BITS,
    ROW_BITS_MASK,
    ROW_CELLS,
    ROW_SHIFT,
    ROWS_LACK,
    TABLED,
    Waiting,
)

LAST_EPOCH = 2**31 - 2
_ONE = np.uint64(1)


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
    kept = list_last_occurrences(adaptive, sequence, length)
    shift, waits = waiting.used[ACTIONS] - kept, False
    for d in range(depth + 1):
        node = path[d]
        read = d == local_root or tree.visits[node] >= ref or numbers[MAY_WAIT] == 0
        if read and waiting.latest[node] > 0:
            add_waiting(adaptive.amaf, waiting, numbers, node, limit)
        if d < local_root:
            continue
        if read or waiting.latest[node] <= TABLED:
            if waiting.latest[node] > TABLED:
                begin_row(waiting, node)
            add_results(adaptive.amaf, waiting, numbers, node, distinct, starts[d], length, result, limit)
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
def begin_row(waiting: Waiting, node: int) -> None:
    """From now on results are added to a node's means at once; in a row, if there is room for one."""
    bits = max(waiting.used[ROW_BITS], np.int64(FEWEST_ROW_BITS))
    start = waiting.used[ROW_CELLS]
    waiting.latest[node] = TABLED
    if bits <= MOST_ROW_BITS and start + (1 << bits) <= waiting.rows.shape[0]:
        waiting.rows[start : start + (1 << bits)] = 0
        waiting.used[ROW_CELLS] = start + (1 << bits)
        waiting.latest[node] = TABLED - 1 - (start << ROW_SHIFT | bits)


@njit_inline
def row_start(latest: int) -> np.uint64:
    """Where the row begins of a node with that `latest`, less than TABLED."""
    return np.uint64((TABLED - 1 - latest) >> ROW_SHIFT)


@njit_inline
def row_mask(latest: int) -> np.int64:
    """The bits of actions that the row has cells for."""
    return np.int64((np.int64(1) << ((TABLED - 1 - latest) & ROW_BITS_MASK)) - 1)


@njit_uncounted
def entry_at(amaf: MeansTable, waiting: Waiting, node: int, action: int) -> np.int64:
    """The entry of an action at a node whose results are added at once; -1 if there is none."""
    latest = waiting.latest[node]
    if latest < TABLED and action == action & row_mask(latest):
        cell = row_start(latest) + np.uint64(action)
        if waiting.rows[cell] == 0 and waiting.used[ROWS_LACK] == 1:
            waiting.rows[cell] = entry_of(amaf, key_of(node, action)) + 1
        return np.int64(waiting.rows[cell]) - 1
    return entry_of(amaf, key_of(node, action))


@njit_uncounted
def add_results(
    amaf: MeansTable,
    waiting: Waiting,
    numbers: np.ndarray,
    node: int,
    actions: np.ndarray,
    first: int,
    end: int,
    result: float,
    limit: int,
) -> None:
    latest, rows = waiting.latest[node], waiting.rows
    if latest == TABLED:
        for place in range(first, end):
            add(amaf, key_of(node, actions[place]), result, numbers, limit)
        return
    start, mask, lacks = row_start(latest), row_mask(latest), waiting.used[ROWS_LACK] == 1
    for place in range(np.uint64(first), np.uint64(end)):
        action = np.int64(actions[place])
        cell = start + np.uint64(action & mask)
        entry = np.int64(rows[cell]) - 1
        if entry < 0 or action != action & mask:
            key, in_row = key_of(node, action), action == action & mask
            if in_row and not lacks:
                entry = append_entry(amaf, key, numbers, limit)
            else:
                entry = entry_or_new_one(amaf, key, numbers, limit)
            if entry < 0:
                continue
            if in_row:
                rows[cell] = entry + 1
        add_to_entry(amaf, np.uint64(entry), result)


@njit_uncounted
def add_waiting(amaf: MeansTable, waiting: Waiting, numbers: np.ndarray, node: int, limit: int) -> None:
    """Add what waits at a node, the first first."""
    line, following = waiting.latest[node], np.int64(0)
    while line > 0:
        before = waiting.lines[line - 1, BEFORE]
        waiting.lines[line - 1, BEFORE] = following
        line, following = before, line
    line = following
    begin_row(waiting, node)
    while line > 0:
        first, end = waiting.lines[line - 1, FIRST], waiting.lines[line - 1, END]
        add_results(amaf, waiting, numbers, node, waiting.actions, first, end, waiting.results[line - 1], limit)
        waiting.used[MOST_ENTRIES] -= end - first
        line = waiting.lines[line - 1, BEFORE]


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
def list_last_occurrences(adaptive: Adaptive, sequence: np.ndarray, length: int) -> np.int64:
    """List the different actions of a sequence in `distinct`, in the order in which they occur last, up to the place
    `length`, and for every place of the sequence where those begin in `starts`; where they all begin."""
    waiting, numbers = adaptive.waiting, adaptive.numbers
    distinct, starts, stamps = waiting.distinct, waiting.starts, waiting.stamps
    bits_together = np.int32(0)
    for place in range(length):
        bits_together |= sequence[place]
    while np.uint64(np.uint32(bits_together)) >> np.uint64(waiting.used[ROW_BITS]) > 0:
        waiting.used[ROW_BITS] += 1
    kept = np.uint64(length)
    starts[length] = length
    if numbers[EPOCH] == LAST_EPOCH:
        numbers[EPOCH] = 0
        stamps[:] = 0
        adaptive.seen[:] = 0
    if bits_together & ~(stamps.shape[0] - 1) == 0:
        numbers[EPOCH] += 1
        epoch = np.int32(numbers[EPOCH])
        for reverse in range(np.uint64(1), np.uint64(length + 1)):
            place = np.uint64(length) - reverse
            action = np.uint64(sequence[place])
            distinct[kept - _ONE] = action
            kept -= np.uint64(stamps[action] != epoch)
            stamps[action] = epoch
            starts[place] = kept
        return np.int64(kept)
    mark_last_occurrences(numbers, adaptive.seen, adaptive.last, sequence, length)
    for place in range(length - 1, -1, -1):
        if adaptive.last[place]:
            kept -= _ONE
            distinct[kept] = sequence[place]
        starts[place] = kept
    return np.int64(kept)


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

"""The trees of selects, compiled: grown, walked down by UCB1, told results, marked exhausted.

Where a walk goes next from a node depends on nothing but what its children were told, so it is noted when they are
told: for the nodes of a path all at once, while each choice of a walk would have to wait for the one before it.

Figures in comments: nanoseconds of an evaluation of `select(sim, 0.5)` on regression, on one core of a Zen 5 (300 in
all).
"""

from typing import Any

import numpy as np

from domains.bits import nth_set_bit, popcount, trailing_zeros
from domains.kernels import below, njit, njit_inline
from mcsgrammar.engines.compiled.choosing_kernels import LANES, equal_in_block, highest_of_block
from mcsgrammar.engines.compiled.far_memory import fetch, flat
from mcsgrammar.engines.compiled.layout import Run, Tree
from mcsgrammar.engines.compiled.roots_kernels import root_log, spread_of
from mcsgrammar.engines.rules import LARGEST

TIES, FIRST = np.uint64(0), np.uint64(1)
"""Columns of `Tree.next`."""
NOT_NOTED = np.uint64(0)
MOST_NOTED = 64
"""The children of a node that has more are looked through at each choice."""
BLOCK, U_BLOCK, U_2 = 8, np.uint64(8), np.uint64(2)
"""New nodes are written so many at a time, beyond the last one if need be: a handful of instructions (20 ns)."""
_ONE, _ALL = np.uint64(1), np.uint64(2**64 - 1)


@njit_inline
def add_children(tree: Tree, run: Run, node: int, choices: np.ndarray, n: int, max_nodes: int) -> bool:
    """Give `node` a child for each of the n actions in `choices`, all or none."""
    first = run.nodes[0]
    if first + n > max_nodes:
        run.tree_full[0] = 1
        return False
    for i in range(n):
        tree.action[first + i] = choices[i]
    next_ones = flat(tree.next)
    for start in range(first, first + n, BLOCK):
        block = np.uint64(start)
        for i in range(U_BLOCK):
            tree.visits[block + i] = 0
        for i in range(U_BLOCK):
            tree.total[block + i] = 0.0
        for i in range(U_BLOCK):
            tree.mean[block + i] = np.inf
        for i in range(U_BLOCK):
            tree.spread[block + i] = 1.0
        for i in range(U_BLOCK):
            tree.descents[block + i] = 0
        for i in range(U_BLOCK):
            tree.children[block + i] = 0
        for i in range(U_2 * U_BLOCK):
            next_ones[U_2 * block + i] = NOT_NOTED
    tree.first_child[node] = first
    tree.children[node] = n
    tree.next[node, TIES] = _ALL >> np.uint64(MOST_NOTED - n) if n <= MOST_NOTED else NOT_NOTED
    tree.next[node, FIRST] = first
    run.nodes[0] = first + n
    return True


@njit
def _highest_child(means: np.ndarray, spreads: np.ndarray, random: np.ndarray, first: int, n: int, scale: float) -> Any:
    highest, ties, chosen = -np.inf, np.int64(0), np.int64(first)
    for i in range(first, first + n):  # without branches: where the highest stands cannot be predicted
        value = means[i] + scale * spreads[i]
        better = value > highest
        ties = np.int64(1) if better else ties + np.int64(value == highest)
        chosen = i if better else chosen
        highest = value if better else highest
    left = below(random, ties)
    if ties > 1:
        chosen -= 1
        while left >= 0:
            chosen += 1
            left -= means[chosen] + scale * spreads[chosen] == highest
    return np.int64(chosen)


@njit_inline
def choose_child(tree: Tree, random: np.ndarray, node: int, c: float) -> int:
    """The child to descend into: an untried one, else the highest UCB1 among those not exhausted; ties at random.

    The loop needs neither division nor root, and no branch for the special cases: `mean` is +inf for untried children
    and -inf for exhausted ones, and `spread` is 1 / sqrt(visits), both brought up to date when a node is visited.
    """
    first, n = np.int64(tree.first_child[node]), np.int64(tree.children[node])
    scale = min(c * root_log(tree.descents[node]), LARGEST)  # finite, so that untried children stay first
    return _highest_child(tree.mean, tree.spread, random, first, n, scale)


@njit_inline
def choose_noted(tree: Tree, random: np.ndarray, node: int, c: float, other_c: bool) -> int:
    """The child that `choose_child` chooses, with the same draw, by what was noted for the usual c."""
    ties = tree.next[np.uint64(node), TIES]
    if other_c or ties == NOT_NOTED:
        return choose_child(tree, random, node, c)
    place = nth_set_bit(ties, np.uint64(below(random, np.int64(popcount(ties)))))
    return np.int64(tree.next[np.uint64(node), FIRST] + place)


@njit_inline
def fetch_node(tree: Tree, node: int) -> None:
    """Ask for what `visit` and `add_children` will write of a node that a walk has come to."""
    fetch(tree.visits, node)
    fetch(tree.total, node)
    fetch(tree.descents, node)
    fetch(tree.mean, node)
    fetch(tree.spread, node)
    fetch(tree.first_child, node)
    fetch(tree.children, node)


@njit_inline
def visit(tree: Tree, path: np.ndarray, depth: int, result: float) -> None:
    """Add the result of a sub-search to every node of the path."""
    for d in range(depth + 1):
        node = np.uint64(path[d])  # unsigned: a signed index costs a test for Python's counting from the end
        visits = tree.visits[node] + 1
        total = tree.total[node] + result
        tree.visits[node] = visits
        tree.total[node] = total
        tree.descents[node] += d < depth
        if tree.mean[node] != -np.inf:
            tree.mean[node] = total / np.float64(visits)
            tree.spread[node] = spread_of(visits)


@njit_inline
def note_next(tree: Tree, path: np.ndarray, start: int, depth: int, c: float) -> None:
    """After a visit: note for the nodes of the path from `start` on where a walk goes next. Those before it may never
    be walked on from again. Not in one loop with `visit`: what it has just written would have to be waited for."""
    for d in range(start):
        tree.next[path[d], TIES] = NOT_NOTED
    node = np.uint64(path[start])
    for d in range(start, depth):
        first, n = tree.next[node, FIRST], np.int64(tree.children[node])
        child = np.uint64(path[d + 1])
        if n <= MOST_NOTED:
            ties = tree.next[node, TIES] & ~(_ONE << (child - first))
            if ties == NOT_NOTED or tree.mean[first + trailing_zeros(ties)] < np.inf:  # else, others are untried
                scale = min(c * root_log(tree.descents[node]), LARGEST)
                ties = _highest_children(tree.mean, tree.spread, np.int64(first), n, scale)
            tree.next[node, TIES] = ties
        node = child


@njit
def _highest_children(means: np.ndarray, spreads: np.ndarray, first: int, n: int, scale: float) -> Any:
    """Those of n children, at most MOST_NOTED, that tie for the highest UCB1, as bits from the first child on."""
    highest, ties = -np.inf, np.uint64(0)
    for i in range(0, n, LANES):
        highest = max(highest, highest_of_block(means, spreads, first + i, n - i, scale))
    for i in range(0, n, LANES):
        ties |= equal_in_block(means, spreads, first + i, n - i, scale, highest) << np.uint64(i)
    return ties


@njit_inline
def mark_exhausted(tree: Tree, path: np.ndarray, depth: int) -> None:
    """Mark the node at the end of the path, and every node above it that has nothing left to explore."""
    tree.mean[path[depth]] = -np.inf
    for d in range(depth - 1, -1, -1):
        node = path[d]
        first, n = np.int64(tree.first_child[node]), np.int64(tree.children[node])
        for i in range(first, first + n):
            if tree.mean[i] != -np.inf:
                return
        tree.mean[node] = -np.inf

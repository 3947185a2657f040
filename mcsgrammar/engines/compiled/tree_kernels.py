"""The trees of selects, compiled: grown, walked down by UCB1, told results, marked exhausted."""

import numpy as np

from domains.kernels import below, njit_inline
from mcsgrammar.engines.compiled.layout import Run, Tree
from mcsgrammar.engines.compiled.roots_kernels import root_log, spread_of
from mcsgrammar.engines.rules import LARGEST


@njit_inline
def add_children(tree: Tree, run: Run, node: int, choices: np.ndarray, n: int, max_nodes: int) -> bool:
    """Give `node` a child for each of the n actions in `choices`, all or none."""
    first = run.nodes[0]
    if first + n > max_nodes:
        run.tree_full[0] = 1
        return False
    for i in range(n):
        child = first + i
        tree.action[child] = choices[i]
        tree.visits[child] = 0
        tree.total[child] = 0.0
        tree.mean[child] = np.inf
        tree.spread[child] = 1.0
        tree.descents[child] = 0
        tree.children[child] = 0
    tree.first_child[node] = first
    tree.children[node] = n
    run.nodes[0] = first + n
    return True


@njit_inline
def choose_child(tree: Tree, random: np.ndarray, node: int, c: float) -> int:
    """The child to descend into: an untried one, else the highest UCB1 among those not exhausted; ties at random.

    The loop needs neither division nor root, and no branch for the special cases: `mean` is +inf for untried children
    and -inf for exhausted ones, and `spread` is 1 / sqrt(visits), both brought up to date when a node is visited.
    """
    first, n = np.int64(tree.first_child[node]), np.int64(tree.children[node])
    scale = min(c * root_log(tree.descents[node]), LARGEST)  # finite, so that untried children stay first
    highest, ties, chosen = -np.inf, np.int64(0), first
    for i in range(first, first + n):  # without branches: where the highest stands cannot be predicted
        value = tree.mean[i] + scale * tree.spread[i]
        better = value > highest
        ties = np.int64(1) if better else ties + np.int64(value == highest)
        chosen = i if better else chosen
        highest = value if better else highest
    left = below(random, ties)
    if ties > 1:
        chosen -= 1
        while left >= 0:
            chosen += 1
            left -= tree.mean[chosen] + scale * tree.spread[chosen] == highest
    return chosen


@njit_inline
def visit(tree: Tree, path: np.ndarray, depth: int, result: float) -> None:
    """Add the result of a sub-search to every node of the path."""
    for d in range(depth + 1):
        node = path[d]
        tree.visits[node] += 1
        tree.total[node] += result
        tree.descents[node] += d < depth
        if tree.mean[node] != -np.inf:
            tree.mean[node] = tree.total[node] / np.float64(tree.visits[node])
            tree.spread[node] = spread_of(tree.visits[node])


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

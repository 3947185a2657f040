"""Trees that are kept from one search of a game to the next: what stands below the action that was played."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mcsgrammar.engines.compiled.layout import Tree
from mcsgrammar.engines.compiled.tree_kernels import FIRST


@dataclass(frozen=True)
class KeptTrees:
    """Nodes in a pool of their own: the roots first, then level by level, so that the children of a node lie side by
    side again."""

    nodes: Tree
    """of those that are kept; where their children are is right for the new pool"""
    places: np.ndarray
    """in the new pool. A root that is missing there begins anew"""
    numbers: np.ndarray
    """in the old pool"""
    size: int
    """of the new pool, roots that begin anew included"""


def kept_below(tree: Tree, roots: Sequence[int], action: int) -> KeptTrees:
    """What stands below an action that was played at the roots of some trees."""
    level = np.array([_child(tree, root, action) for root in roots], np.int64)
    levels = [level]
    while level.size:
        parents = level[(level >= 0) & (tree.children[level] > 0)]
        brothers = tree.children[parents].astype(np.int64)
        before = np.cumsum(brothers) - brothers
        level = np.repeat(tree.first_child[parents] - before, brothers) + np.arange(brothers.sum())
        levels.append(level)
    order = np.concatenate(levels)
    places = np.flatnonzero(order >= 0)
    numbers = order[places]
    nodes = Tree(*(array[numbers] for array in tree))
    first = len(roots) + np.cumsum(nodes.children) - nodes.children
    nodes.first_child[:] = first
    nodes.next[:, FIRST] = np.where(nodes.children > 0, first, 0)
    return KeptTrees(nodes, places, numbers, len(order))


def _child(tree: Tree, node: int, action: int) -> int:
    first = int(tree.first_child[node])
    children = range(first, first + int(tree.children[node]))
    return next((child for child in children if tree.action[child] == action), -1)

"""The arrays that the compiled machine of the arena and its Python side share; those of one player, for a whole match.

Glossary
    tag        an action and whose it is, as a number: role · (codes + 1) + action + 1; that of NOOP is a multiple. So
               one table holds what all roles have learnt
    diagonal   as in `engines/arena/trees.py`: row d of `sequence` has the tag of role (d + t) mod R at step t
    arm        as there; the arms of all roles that choose in a node lie side by side, in the order of roles
    chooser    the one role that chooses in a node; SEVERAL, or NOBODY
    key        of a node: that of its parent, and the place of the arm that leads to it or, where there is no chooser,
               of the joint move. Nodes of the latter kind are found by their keys, others at the arm
    phase      what the machine does next with the component of a frame: enter it, value a final state, or go on after
               what is inside has returned
"""

from typing import NamedTuple

import numpy as np

from mcsgrammar.engines.compiled.adaptive_layout import NUMBERS as ADAPTIVE_NUMBERS
from mcsgrammar.engines.compiled.means_kernels import MeansTable

SEARCH, ADVANCE, LIST, REHASH = range(4)
"""What the machine is asked to do: search; play `joint`; list the actions of a role; find anew what has moved."""

ENTER, VALUE, RETURNED = range(3)
"""The phases."""

FIRST_FRAME = 2
"""That of S; the step around it is the match."""

SEVERAL, NOBODY = -1, -2
VISITS, FIRST_ARM, CHOOSER, COUNTS = range(4)
"""Columns of `nodes`. From COUNTS on how many arms each role has, 0 where it is forced; then what is forced on it."""
ACTION, ARM_VISITS, CHILD = range(3)
"""Columns of `arms`; the child only where there is a chooser, -1 while there is none."""
TOTAL, MEAN, SPREAD = range(3)
"""Columns of `worths`, which are not set before the first visit."""

(
    FRAME,
    PHASE,
    SPENT,
    EVALUATIONS,
    SIMULATIONS,
    SIMULATION_STEPS,
    ROOT,
    NODES,
    ARMS,
    SIZE,
    STEPS,
    LENGTH,
    LEAF_LENGTH,
    PATH_NODES,
    CHOOSING,
    ROLE,
    CODES,
    NUMBER,
    STALE,
) = range(ADAPTIVE_NUMBERS, ADAPTIVE_NUMBERS + 19)
"""Places in `Knowledge.numbers`, after those of `adaptive_layout`. EVALUATIONS: of this search, SIMULATIONS: of the
match. SIZE: the room that the nodes take. STEPS: of the match so far. LENGTH: of the sequence, LEAF_LENGTH: up to the
leaf. PATH_NODES: how many nodes `path` has. CHOOSING: whose tuner is to choose next. ROLE: who
is asked about, or whom an error names. CODES: of actions,
and NOOP. NUMBER: what an error names. STALE: which tables are to be rehashed."""
PLAYER_NUMBERS = ADAPTIVE_NUMBERS + 19

STALE_GRAMS, STALE_HISTORY, STALE_AMAF, STALE_TREE = 1, 2, 4, 8

BAD_MOVER, MANY_JOINTS = 32, 33
"""Why the machine stopped, beside what `layout` has."""
MOST_JOINTS = 2**32
"""In a state: their numbers take half a key."""

FIRST_NODES = 1024
OFTEN = 5
"""How often a gram was met at least if `followers` tells: where kmin is less, playouts ask for all grams."""
DIRECT_TAGS = 2**16
"""Tags below this are looked up in lists."""


class JointTree(NamedTuple):
    nodes: np.ndarray
    key: np.ndarray
    arms: np.ndarray
    worths: np.ndarray
    slots: np.ndarray
    """the number of a node + 1, by its key; 0: free"""
    moved: np.ndarray
    """scratch: where nodes have gone"""


class Knowledge(NamedTuple):
    """What a player knows beside its tree, and who it is."""

    op: np.ndarray
    repetitions: np.ndarray
    frames: np.ndarray
    """as in `adaptive_layout`"""
    settings: np.ndarray
    """by role, frame and column"""
    numbers: np.ndarray
    since_decay: np.ndarray
    """by role: final states since its counts were decayed after a batch"""
    grams: MeansTable
    followers: np.ndarray
    """by entry of `grams`: bits for the actions that have come after that gram OFTEN times, an action's being its tag
    modulo 64; so that playouts do not ask in vain for grams that are too rare to count"""
    scores: np.ndarray
    """by tag: what the gram of that action alone is worth, as `grams` has it"""
    odds: np.ndarray
    """by tag: what Gibbs sampling gives that action, at the temperature in `listed_tau`"""
    listed_tau: np.ndarray
    """by role; 0 where playouts are others"""
    direct: np.ndarray
    """by tag: the entry of that gram + 1; 0: none"""
    history: MeansTable
    amaf: MeansTable
    tuner_places: np.ndarray
    """by role and frame: where in `tuners` its tuner begins"""
    tuners: np.ndarray


class Scratch(NamedTuple):
    """What need not outlast a simulation, but a stop of the machine."""

    state: np.ndarray
    """the root's, the leaf's, that of the playout; and rows of guard cells"""
    random: np.ndarray
    choices: np.ndarray
    joint: np.ndarray
    rewards: np.ndarray
    sequence: np.ndarray
    """tags by diagonal and step"""
    free: np.ndarray
    """by diagonal: whether somebody had a choice"""
    leaf_free: np.ndarray
    path: np.ndarray
    """nodes"""
    chosen: np.ndarray
    """by step and role: an arm, -1 where the role was forced"""
    contexts: np.ndarray
    """by diagonal: the codes of the last 0, 1, 2, … actions"""
    options: np.ndarray
    option_places: np.ndarray
    worths: np.ndarray
    sums: np.ndarray
    totals: np.ndarray
    """by frame and role: what the invocation under way has come across"""
    finals: np.ndarray
    """by frame: in how many final states"""
    left: np.ndarray
    """by frame: invocations left to a repeat"""
    factors: np.ndarray
    """by role"""
    tags: np.ndarray
    """of a sequence, step by step, without NOOP"""
    tag_worths: np.ndarray
    starts: np.ndarray
    """by step: where its tags begin"""
    last: np.ndarray
    seen: np.ndarray


def empty_joint_tree(roles: int, nodes: int, arms: int) -> JointTree:
    return JointTree(
        nodes=np.empty((nodes, COUNTS + 2 * roles), np.int64),
        key=np.empty(nodes, np.int64),
        arms=np.empty((arms, 3), np.int32),
        worths=np.empty((arms, 3)),
        slots=np.zeros(1 << (2 * nodes - 1).bit_length(), np.int64),
        moved=np.empty(nodes, np.int64),
    )


def grown_joint_tree(tree: JointTree, numbers: np.ndarray, roles: int, nodes: int, arms: int) -> JointTree:
    """The same with room for so many; its slots are still empty."""
    larger = empty_joint_tree(roles, nodes, arms)
    used = (numbers[NODES], numbers[NODES], numbers[ARMS], numbers[ARMS])
    for old, new, count in zip(tree[:4], larger[:4], used, strict=True):
        new[:count] = old[:count]
    return larger

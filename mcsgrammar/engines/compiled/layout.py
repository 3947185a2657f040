"""The arrays that the compiled engine and its Python side share.

Glossary
    frame      one running component; frame 0 repeats the expression for ever, frame i runs component i
    program    the expression, lowered: one entry a frame, the innermost `simulate` last
    row        where the weights stand by which a frame draws actions, see `learning_layout.py`
    slot       a place in `Frames.state`: one a frame, one for `simulate`, one spare
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from mcsgrammar.engines.compiled.learning_layout import Learning
from mcsgrammar.engines.rules import FOR_EVER, first_settings
from mcsgrammar.language.expressions import Adapt, Component, Lookahead, Repeat, Select, Simulate, Step, Tune

REPEAT, LOOKAHEAD, STEP, SELECT, SIMULATE, TUNE, ADAPT = range(7)
"""What a frame runs."""

RUN, YIELDED, FINISHED = range(-1, -4, -1)
"""What a component does next: runs its sub-component, shows a final state, returns."""

BUDGET_SPENT, PAUSED, NEEDS_MEMORY, NEEDS_CHOICE = range(4)
TOO_LONG, NO_ACTIONS, BAD_REWARD, CHANGED_ACTIONS, BAD_COUNT, BAD_LENGTH, BAD_FEATURE = range(4, 11)
"""Why the machine stopped; the second line are errors of the domain."""

SPARE_NODES = 16
"""Behind the last node: nodes are written and read several at a time, see `tree_kernels.py`."""

BAD_COUNT_AT = -(2**62)
"""What a playout returns in place of a length for a bad number of actions: that number, counted from here."""


BAD_FEATURES_AT = -(2**60)
"""The same for a feature that is not finite; no length that a faulty playout is likely to return."""


PLAYS_SO_FAR, PLAYS_ALLOWED = range(2)
"""Places in `Run.plays`."""


class Program(NamedTuple):
    op: np.ndarray
    repetitions: np.ndarray
    """N of repeat and adapt"""
    c: np.ndarray
    """C of select"""
    alpha: np.ndarray
    """of adapt"""
    row: np.ndarray
    """the number of adapts around: the last of them says how actions are drawn"""


class Frames(NamedTuple):
    state: np.ndarray
    """by slot: the state, then rows of guard cells"""
    length: np.ndarray
    """of the prefix; step's grows"""
    counter: np.ndarray
    """repeat: invocations left; adapt: those begun; lookahead: next action; step, select, tune: 1 when the
    sub-component has returned"""
    best: np.ndarray
    best_length: np.ndarray
    best_sequence: np.ndarray


class Lookaheads(NamedTuple):
    actions: np.ndarray
    """shuffled"""
    n_actions: np.ndarray


class Selects(NamedTuple):
    path: np.ndarray
    """the nodes from the root of its tree to the current leaf"""
    walked: np.ndarray
    """the actions along that path"""
    path_length: np.ndarray
    """their number"""


class Own(NamedTuple):
    """What components have of their own, beside what every frame has: a field for each of them, its arrays by frame."""

    lookahead: Lookaheads
    select: Selects
    adapt: Learning | tuple[()]
    """nothing in a machine that learns nothing: what a function is handed costs the compiler time"""


def own_arrays(frames: int, max_length: int, max_actions: int, learning: Learning | tuple[()]) -> Own:
    return Own(
        Lookaheads(actions=np.zeros((frames, max_actions), np.int32), n_actions=np.zeros(frames, np.int64)),
        Selects(
            path=np.zeros((frames, max_length + 1), np.int32),
            walked=np.zeros((frames, max_length), np.int32),
            path_length=np.zeros(frames, np.int64),
        ),
        learning,
    )


class Tree(NamedTuple):
    """The trees of all selects of a run, in one pool; the children of a node lie side by side."""

    action: np.ndarray
    visits: np.ndarray
    total: np.ndarray
    mean: np.ndarray
    """total / visits; +inf before the first visit, -inf once there is nothing left to explore below"""
    spread: np.ndarray
    """1 / sqrt(visits); 1 before the first visit"""
    descents: np.ndarray
    """how often a child was chosen: n(x) = the sum of the children's visits"""
    first_child: np.ndarray
    children: np.ndarray
    """their number; 0 for a leaf"""
    next: np.ndarray
    """which of the children plain selects descend into next, as bits from the first child on, 0: not noted; and once
    more the first child, 0 for a leaf"""


class Run(NamedTuple):
    """The rest: scratch, and what must survive a pause (numbers in arrays of length one)."""

    random: np.ndarray
    sequence: np.ndarray
    choices: np.ndarray
    frame: np.ndarray
    evaluations: np.ndarray
    plays: np.ndarray
    """actions that the components played, and at how many to stop"""
    best: np.ndarray
    reward: np.ndarray
    """a bad one, for the message"""
    number: np.ndarray
    """what else the message of an error names: the length of the sequence that led to that reward, an action, a number
    of actions, a length"""
    nodes: np.ndarray
    tree_full: np.ndarray
    curve_at: np.ndarray
    """the numbers of evaluations at which the best so far is noted, ended by FOR_EVER"""
    curve: np.ndarray
    curve_length: np.ndarray


def empty_tree(capacity: int) -> Tree:
    return Tree(
        action=np.empty(capacity, np.int32),
        visits=np.empty(capacity + SPARE_NODES, np.int64),
        total=np.empty(capacity + SPARE_NODES, np.float64),
        mean=np.empty(capacity + SPARE_NODES, np.float64),
        spread=np.empty(capacity + SPARE_NODES, np.float64),
        descents=np.empty(capacity + SPARE_NODES, np.int64),
        first_child=np.empty(capacity + SPARE_NODES, np.int32),
        children=np.empty(capacity + SPARE_NODES, np.int32),
        next=np.empty((capacity + SPARE_NODES, 2), np.uint64),
    )


def grown_tree(tree: Tree, capacity: int) -> Tree:
    larger = empty_tree(capacity)
    for old, new in zip(tree, larger, strict=True):
        new[: old.shape[0]] = old
    return larger


@dataclass(frozen=True, repr=False)
class Memory(Repeat):
    """A repeat of one that nobody wrote, so that it does not count in how deep an expression nests."""

    @cached_property
    def depth(self) -> int:
        return self.component.depth

    @cached_property
    def size(self) -> int:
        return self.component.size


def with_memory(expression: Component) -> Component:
    """The same, with a repeat of one between an adapt and a step that may forget its best (by a commit rule, or where
    playouts are cut off): an adapt is told the best of all that its sub-component has seen."""
    if not expression.children:
        return expression
    below, inner = expression.children[0], with_memory(expression.children[0])
    if isinstance(expression, Adapt) and isinstance(below, Step):
        cut = below.innermost.settings()["depth"] != math.inf
        if cut or not below.is_plain:
            inner = Memory(inner, 1)
    return expression if inner is below else expression.around(inner)


def lower(expression: Component) -> Program:
    """The program of a closed and resolved expression; where parameters are open, with the first of their values."""
    parts = list(expression.walk())
    program = Program(
        op=np.zeros(len(parts) + 1, np.int64),
        repetitions=np.zeros(len(parts) + 1, np.int64),
        c=np.zeros(len(parts) + 1, np.float64),
        alpha=np.zeros(len(parts) + 1, np.float64),
        row=np.zeros(len(parts) + 1, np.int64),
    )
    program.op[0], program.repetitions[0] = REPEAT, FOR_EVER
    for frame, part in enumerate(parts, 1):
        program.op[frame] = OPERATIONS[type(part)]
        program.row[frame] = sum(isinstance(outer, Adapt) for outer in parts[: frame - 1])
        if isinstance(part, Repeat | Adapt):
            program.repetitions[frame] = first_settings(part)["N"]
        if isinstance(part, Adapt):
            program.alpha[frame] = first_settings(part)["alpha"]
        if isinstance(part, Select) and part.is_plain:
            program.c[frame] = part.policy.c
    return program


OPERATIONS: dict[type[Component], int] = {
    Simulate: SIMULATE,
    Repeat: REPEAT,
    Memory: REPEAT,
    Lookahead: LOOKAHEAD,
    Step: STEP,
    Select: SELECT,
    Adapt: ADAPT,
    Tune: TUNE,
}

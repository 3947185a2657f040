"""The pieces that exported programs are made of, written as they come out.

`$name` stands for a word or, alone on its line, for a block, which takes on the indentation of that line; a block of
nothing takes its line with it.
"""

import string
from textwrap import indent


def fill(template: str, **parts: str) -> str:
    """The template with its parts in place."""
    lines = []
    for line in template.lstrip("\n").splitlines(keepends=True):
        word = line.strip()
        if word.startswith("$") and word[1:] in parts:
            lines.append(indent(parts[word[1:]], line[: line.index("$")]))
        else:
            lines.append(string.Template(line).substitute(parts))
    return "".join(lines)


IMPORTS = """
from __future__ import annotations

import math
import time
from typing import NamedTuple
"""

RESULT = '''
class Result(NamedTuple):
    """What a run comes to."""

    reward: float | None  # the best; None if nothing was evaluated
    actions: list  # the sequence that it is the reward of
    evaluations: int
    stop_reason: str  # "evaluations", "seconds" or "interrupted"
    $more
'''

TREE_FULL = "tree_full: bool  # whether max_nodes stopped the growth of a tree\n"

SOLVE = '''
def solve(
    problem,
    initial_state,
    budget=$budget,
    *,
    seed=0,
    seconds=math.inf,
    $max_nodes_parameter
):
    """The best that the algorithm finds from `initial_state`, which stays as it is.

    The search ends when it has asked for the reward of `budget` final states, or after
    `seconds` of CPU time (with budget=math.inf: after these alone), or at Ctrl-C.
    $memory
    The same arguments give the same result, unless time or Ctrl-C cuts it short.
    """
    search = Search($arguments)
    try:
        if budget > 0:
            search.run()
        stop_reason = "evaluations"
    except BudgetSpent as spent:
        stop_reason = str(spent)
    except KeyboardInterrupt:
        stop_reason = "interrupted"
    return Result(
        search.best.reward if search.evaluations else None,
        list(search.best.actions),
        search.evaluations,
        stop_reason,
        $tree_full
    )
'''

SEARCH = '''
class Search:
    """One run of the algorithm.

    $components
    """

    def __init__(self, $arguments):
        self.problem = problem
        self.initial_state = initial_state
        self.random = SplitMix64(seed)
        self.budget = budget
        self.deadline = time.thread_time() + seconds
        self.evaluations = 0
        self.best = NOTHING
        $memory

    $methods
'''

RUN = '''
def run(self):
    """The algorithm: $first from the initial state, again and again."""
    $when_final
    while True:
        $call
'''

WHEN_FINAL = """
while self.problem.is_final(self.initial_state):  # there is nothing to choose
    self.evaluate([], self.initial_state)
"""

# The components.

SIMULATE = '''
def $method(self, prefix, state):
    """A playout: random actions until the state is final."""
    actions, state = list(prefix), self.problem.copy(state)
    while not self.problem.is_final(state):
        action = self.random.choice(self.problem.actions(state))
        state = self.play(state, action)
        actions.append(action)
    return self.evaluate(actions, state)
'''

LOOKAHEAD = '''
def $method(self, prefix, state):
    """$below after each legal action, in random order."""
    best = NOTHING
    actions = list(self.problem.actions(state))
    self.random.shuffle(actions)
    for action in actions:
        longer = [*prefix, action]
        following = self.play(self.problem.copy(state), action)
        $search
    return best
'''

SEARCH_FOLLOWING = """
if self.problem.is_final(following):
    best = better(best, self.evaluate(longer, following))
else:
    $search
"""

STEP = '''
def $method(self, prefix, state):
    """Play to the end; before each action, $below."""
    best = NOTHING
    state = self.problem.copy(state)
    while not self.problem.is_final(state):
        $search
        action = best.actions[len(prefix)]  # as in the best sequence so far
        state = self.play(state, action)
        prefix = [*prefix, action]
        $committed
        $forced
    return best
'''

FORCED = """
while not self.problem.is_final(state):
    actions = self.problem.actions(state)
    if len(actions) > 1:
        break
    state = self.play(state, actions[0])  # it must follow: no search
    prefix = [*prefix, actions[0]]
    $committed
"""

SELECT = '''
def $method(self, prefix, state):
    """$below from a leaf of the tree, which learns the best reward."""
    path, actions, state = self.descend(self.$tree, ${c}prefix, state)
    $search
    for node in path:
        node.visits += 1
        node.total += $reward
    return best
'''

SEARCH_LEAF = """
if self.problem.is_final(state):
    best = self.evaluate(actions, state)
else:
    $search
"""

# The tree.

DESCEND = '''
def descend(self, root, ${c}prefix, state):
    """Walk from the node of the prefix to a leaf, which gets children.

    Returns the nodes from the root to the leaf, the actions to it, and its state.
    """
    path, actions = [root], list(prefix)
    $find
    node = path[-1]
    if node.exhausted:  # all below is known: search right here
        return path, actions, state
    state = self.problem.copy(state)
    while node.children:
        node = self.choose(node$c_argument)
        $c_below
        path.append(node)
        actions.append(node.action)
        state = self.play(state, node.action)
    if self.problem.is_final(state):
        mark_exhausted(path)
    else:
        self.grow(node, state)
    return path, actions, state
'''

FIND = """
for action in prefix:
    child = next((x for x in path[-1].children if x.action == action), None)
    if child is None:  # the tree was full before it came here
        return path, actions, state
    path.append(child)
"""

FIND_OR_GROW = """
for depth, action in enumerate(prefix):
    if not path[-1].children:  # no walk has come here
        self.grow(path[-1], self.replay(prefix[:depth]))
    child = next((x for x in path[-1].children if x.action == action), None)
    if child is None:  # the tree is full
        return path, actions, state
    path.append(child)
"""

CHOOSE = '''
def choose(self, node$c_argument):
    """A child never tried, or else the most promising one; ties at random.

    $promise
    """
    untried = [child for child in node.children if child.visits == 0]
    if untried:
        return self.random.choice(untried)
    $scale
    candidates = [child for child in node.children if not child.exhausted]
    $values
    highest = max(values)
    ties = [child for child, value in zip(candidates, values) if value == highest]
    return self.random.choice(ties)
'''

PROMISE_MEAN = """
Promising is a high mean reward.
Exhausted children, with nothing left to explore, are left out.
"""

PROMISE_UCB1 = """
Promising is a high mean reward, or few visits (UCB1):
mean + $c * sqrt(log(visits of all children) / visits).
Exhausted children, with nothing left to explore, are left out.
"""

VALUES_MEAN = """
values = [child.total / child.visits for child in candidates]
"""

SCALE = """
visits = sum(child.visits for child in node.children)
scale = $scale
"""

VALUES_UCB1 = """
values = [
    child.total / child.visits + scale * (1 / math.sqrt(child.visits))
    for child in candidates
]
"""

GROW = '''
def grow(self, node, state):
    """Give the node all its children, or none if they would be too many."""
    actions = self.problem.actions(state)
    if self.nodes + len(actions) > self.max_nodes:
        self.tree_full = True
    else:
        self.nodes += len(actions)
        node.children = [Node(action) for action in actions]
'''

REPLAY = '''
def replay(self, actions):
    """The state that the actions lead to from the initial one."""
    state = self.problem.copy(self.initial_state)
    for action in actions:
        state = self.play(state, action)
    return state
'''

NODE = '''
class Node:
    """A state in a tree, reached from its parent by `action`."""

    __slots__ = ($slots)

    def __init__(self, action=None):
        self.action = action
        self.children = ()
        $more
        self.exhausted = False  # final, or all children are exhausted


def mark_exhausted(path):
    """Mark the last node, and those above it with nothing left to explore."""
    for node in reversed(path):
        if not all(child.exhausted for child in node.children):
            return
        node.exhausted = True
'''

SLOTS = ("action", "children", "exhausted", "total", "visits")

MEAN_OF_NODE = """
self.visits = 0
self.total = 0.0  # of the rewards
"""

# What all programs share.

PLAY = '''
def play(self, state, action):
    """The state that follows: `state` itself, changed, or a new one."""
    following = self.problem.play(state, action)
    return state if following is None else following
'''

EVALUATE = '''
def evaluate(self, actions, state):
    """The reward of $which. The end of the budget ends everything."""
    found = Found(float(self.problem.reward(state)), actions)
    self.best = better(self.best, found)
    self.evaluations += 1
    $learn
    if self.evaluations >= self.budget:
        raise BudgetSpent("evaluations")
    if time.thread_time() >= self.deadline:
        raise BudgetSpent("seconds")
    return found
'''

FOUND = '''
class BudgetSpent(Exception):
    """The search is over; the message says which budget it was."""


class Found(NamedTuple):
    """The reward of a final state, and the actions that lead to it."""

    reward: float
    actions: list


NOTHING = Found(-math.inf, [])


def better(one, other):
    """The one with the higher reward; the first of equals."""
    return other if other.reward > one.reward else one
'''

LOG = '''
def log(n):
    """The natural logarithm of a whole number, the same bits on every machine.

    `math.log` differs in the last bit between systems, enough to turn a search another
    way. The polynomial is that of FreeBSD's msun (fdlibm, Copyright 1993 Sun
    Microsystems, "Permission to use, copy, modify, and distribute this software is
    freely granted, provided that this notice is preserved").
    """
    mantissa, exponent = math.frexp(n)
    if mantissa < 0.7071067811865476:
        mantissa, exponent = 2 * mantissa, exponent - 1
    f = mantissa - 1.0  # n is (1 + f) * 2**exponent, with f near 0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    odd = w * (0.3999999999940942 + w * (0.22222198432149784 + w * 0.15313837699209373))
    even = z * (
        0.6666666666666735
        + w * (0.2857142874366239 + w * (0.1818357216161805 + w * 0.14798198605116586))
    )
    half_square = 0.5 * f * f
    tail = s * (half_square + (odd + even)) + exponent * 1.9082149292705877e-10
    return exponent * 0.6931471803691238 - ((half_square - tail) - f)
'''

SPLITMIX = '''
MASK = 2**64 - 1  # keeps the lower 64 bits


class SplitMix64:
    """Random numbers, fixed by the seed. A choice costs one draw, even of one item."""

    def __init__(self, seed):
        self.state = seed & MASK

    def below(self, n):
        """A whole number from 0 to n - 1."""
        self.state = z = (self.state + 0x9E3779B97F4A7C15) & MASK
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
        return ((z ^ (z >> 31)) >> 32) * n >> 32

    def choice(self, items):
        return items[self.below(len(items))]
    $shuffle
'''

SHUFFLE = """
def shuffle(self, items):
    for i in range(len(items) - 1, 0, -1):
        j = self.below(i + 1)
        items[i], items[j] = items[j], items[i]
"""

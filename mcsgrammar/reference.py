"""The reference engine: what every component means, in plain Python, on any domain.

This is the definition; the compiled engine must equal it bit for bit. It reads like figures 1 and 2 of Maes, Lupien
St-Pierre and Ernst (2013), with the open points settled as the docstrings say.

Glossary
    prefix       the actions that lead from the problem's initial state to the state at hand
    invocation   one call of a component; it keeps the best reward and sequence seen inside it
    yield        a final state is reached: it is valued, counted, and shown to every invocation around it
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from domains.portable_math import log
from domains.protocol import Domain
from domains.randomness import Random
from mcsgrammar.expressions import Component, Lookahead, Repeat, Select, Simulate, Step
from mcsgrammar.guarding import Guarded, changed_its_mind
from mcsgrammar.layout import BELOW_LOCAL_ROOT_2013, FLOOR_2013, LARGEST
from mcsgrammar.results import curve_points


class BudgetSpent(Exception):
    """The whole search stops at once."""


@dataclass
class Best:
    reward: float = -math.inf
    sequence: list[Any] = field(default_factory=list)


@dataclass
class Node:
    """A state in the tree of a select, reached from its parent by `action`."""

    action: Any = None
    visits: int = 0
    total: float = 0.0
    children: "list[Node]" = field(default_factory=list)
    exhausted: bool = False
    """nothing is left to explore: the state is final, or all children are exhausted"""


class ReferenceSearch:
    """One search for a good sequence on one problem; `run` it once."""

    def __init__(
        self,
        domain: Domain,
        initial: Any,
        expression: Component,
        seed: int,
        maes2013: bool,
        max_nodes: int,
        after_evaluation: Callable[[int], None],
    ) -> None:
        """`after_evaluation(n)` is called after the n-th evaluation and may raise `BudgetSpent`."""
        self.domain = Guarded(domain)
        self.initial = initial
        self.expression = expression
        self.random = Random(seed)
        self.maes2013 = maes2013
        self.max_nodes = max_nodes
        self.after_evaluation = after_evaluation
        self.evaluations = 0
        self.best = Best()
        self.invocations = [self.best]
        """the best of every invocation under way, from the outside in"""
        selects = [part for part in expression.walk() if isinstance(part, Select)]
        self.trees = {id(select): Node() for select in selects}
        self.nodes = len(selects)
        self.tree_full = False
        self.curve: list[tuple[int, float]] = []
        self.curve_points = curve_points()
        self.next_curve_point = next(self.curve_points)

    def run(self) -> None:
        """A search algorithm invokes its component again and again until the budget is spent."""
        try:
            while True:
                self.invoke(self.expression, [], self.initial)
        except BudgetSpent:
            return

    # Figure 2: yield and invoke.

    def yield_(self, sequence: list[Any], final: Any) -> None:
        reward = self.domain.reward(final, sequence)
        self.evaluations += 1
        for best in self.invocations:
            if reward > best.reward:  # strictly: the first stays on ties
                best.reward, best.sequence = reward, list(sequence)
        if self.evaluations == self.next_curve_point:
            self.curve.append((self.evaluations, self.best.reward))
            self.next_curve_point = next(self.curve_points)
        self.after_evaluation(self.evaluations)

    def invoke(self, component: Component, prefix: list[Any], state: Any) -> None:
        if self.domain.is_final(state):
            self.yield_(prefix, state)
            return
        self.invocations.append(Best())
        match component:
            case Simulate():
                self.simulate(prefix, state)
            case Repeat():
                self.repeat(component, prefix, state)
            case Lookahead():
                self.lookahead(component, prefix, state)
            case Step():
                self.step(component, prefix, state)
            case Select():
                self.select(component, prefix, state)
            case _:
                raise AssertionError(f"{component} passed require_runnable")
        self.invocations.pop()

    # Figure 1: the components. None changes the state it is given.

    def simulate(self, prefix: list[Any], state: Any) -> None:
        sequence, state = list(prefix), self.domain.copy(state)
        while not self.domain.is_final(state):
            actions = self.domain.actions(state)
            action = actions[self.random.below(len(actions))]
            state = self.domain.play(state, action, sequence)
            sequence.append(action)
        self.yield_(sequence, state)

    def repeat(self, component: Repeat, prefix: list[Any], state: Any) -> None:
        assert isinstance(component.count, int)
        for _ in range(component.count):
            self.invoke(component.component, prefix, state)

    def lookahead(self, component: Lookahead, prefix: list[Any], state: Any) -> None:
        actions = list(self.domain.actions(state))
        self.random.shuffle_from_end(actions)
        for action in actions:
            following = self.domain.play(self.domain.copy(state), action, prefix)
            self.invoke(component.component, [*prefix, action], following)

    def step(self, component: Step, prefix: list[Any], state: Any) -> None:
        best = self.invocations[-1]
        state = self.domain.copy(state)
        while not self.domain.is_final(state):
            self.invoke(component.component, prefix, state)
            action = best.sequence[len(prefix)]
            state = self.domain.play(state, action, prefix)
            prefix = [*prefix, action]

    def select(self, component: Select, prefix: list[Any], state: Any) -> None:
        path = self.find(component, prefix)
        if len(path) <= len(prefix) or path[-1].exhausted:
            self.invoke(component.component, prefix, state)
        else:
            sequence, state = list(prefix), self.domain.copy(state)
            c = self.constant(component)
            while path[-1].children:
                path.append(self.choose(path[-1], c))
                state = self.domain.play(state, path[-1].action, sequence)
                sequence.append(path[-1].action)
                if self.maes2013:
                    c = BELOW_LOCAL_ROOT_2013
            if self.domain.is_final(state):
                mark_exhausted(path)
                self.yield_(sequence, state)
            else:
                self.expand(path[-1], self.domain.actions(state))
                self.invoke(component.component, sequence, state)
        result = self.invocations[-1].reward
        for node in path:
            node.visits += 1
            node.total += max(result, FLOOR_2013) if self.maes2013 else min(max(result, 0.0), 1.0)

    # The tree of a select.

    def find(self, component: Select, prefix: list[Any]) -> list[Node]:
        """The nodes from the root to that of the prefix, added where missing; fewer when the tree is full."""
        path = [self.trees[id(component)]]
        state = self.initial
        for depth, action in enumerate(prefix):
            if not path[-1].children:
                state = self.initial
                for earlier, played in enumerate(prefix[:depth]):
                    state = self.domain.play(self.domain.copy(state), played, prefix[:earlier])
                if not self.expand(path[-1], self.domain.actions(state)):
                    break
            child = next((child for child in path[-1].children if child.action == action), None)
            if child is None:
                raise changed_its_mind(self.domain.domain, action)
            path.append(child)
        return path

    def expand(self, node: Node, actions: Any) -> bool:
        """Give the node all its children, or none if the tree is full."""
        if self.nodes + len(actions) > self.max_nodes:
            self.tree_full = True
            return False
        node.children = [Node(action) for action in actions]
        self.nodes += len(actions)
        return True

    def choose(self, node: Node, c: float) -> Node:
        """An untried child, else the one with the highest UCB1 among those not exhausted; ties at random."""
        untried = [child for child in node.children if child.visits == 0]
        if untried:
            return untried[self.random.below(len(untried))]
        log_visits = log(float(sum(child.visits for child in node.children)))
        open_children = [child for child in node.children if not child.exhausted]
        scale = min(c * math.sqrt(log_visits), LARGEST)
        values = [child.total / child.visits + scale * (1 / math.sqrt(child.visits)) for child in open_children]
        highest = max(values)
        ties = [child for child, value in zip(open_children, values, strict=True) if value == highest]
        return ties[self.random.below(len(ties))]

    @staticmethod
    def constant(component: Select) -> float:
        c = component.policy.c  # type: ignore[attr-defined]
        assert isinstance(c, float)
        return c


def mark_exhausted(path: list[Node]) -> None:
    """Mark the last node of the path, and every node above it that has nothing left to explore."""
    path[-1].exhausted = True
    for node in reversed(path[:-1]):
        if not all(child.exhausted for child in node.children):
            return
        node.exhausted = True

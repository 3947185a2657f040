"""A third implementation of the search, written only to be obviously right: slow, and different in every way it can be.

A component is a generator of what it yields. There is no state but the prefix: the game is played again from the start
whenever one is needed. A tree is a dict from prefixes to nodes, and what is exhausted is found out by looking.
"""

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from domains.portable_math import log
from domains.protocol import Domain, replay
from domains.randomness import Random
from mcsgrammar.engines.results import RunResult
from mcsgrammar.language.expressions import Component, Lookahead, Repeat, Select, Simulate, Step

Sequence = tuple[Any, ...]
Yield = tuple[float, Sequence]


@dataclass
class Node:
    visits: int = 0
    total: float = 0.0
    expanded: bool = False


class NaiveSearch:
    def __init__(self, domain: Domain, initial: Any, seed: int, maes2013: bool, max_nodes: int) -> None:
        self.domain, self.initial, self.random = domain, initial, Random(seed)
        self.maes2013, self.max_nodes = maes2013, max_nodes
        self.trees: dict[int, dict[Sequence, Node]] = {}
        self.tree_full = False

    def result(self, expression: Component, budget: int) -> RunResult:
        self.trees = {i: {(): Node()} for i, part in enumerate(expression.walk()) if isinstance(part, Select)}
        for_ever = itertools.chain.from_iterable(self.invoke(expression, 0, ()) for _ in itertools.count())
        yields = list(itertools.islice(for_ever, budget))
        points = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000} | {budget}
        reward, actions = best_of(yields) if yields else (None, ())
        return RunResult(
            reward=reward,
            actions=actions,
            evaluations=len(yields),
            stop_reason="evaluations",
            curve=tuple((n, best_of(yields[:n])[0]) for n in sorted(points) if 0 < n <= budget),
            tree_nodes=sum(len(tree) for tree in self.trees.values()),
            tree_full=self.tree_full,
            seconds=0.0,
        )

    def state(self, prefix: Sequence) -> Any:
        return replay(self.domain, self.initial, prefix)

    def is_final(self, prefix: Sequence) -> bool:
        return self.domain.is_final(self.state(prefix))

    def followers(self, prefix: Sequence) -> list[Sequence]:
        return [(*prefix, action) for action in self.domain.actions(self.state(prefix))]

    def invoke(self, component: Component, index: int, prefix: Sequence) -> Iterator[Yield]:
        if self.is_final(prefix):
            yield self.domain.reward(self.state(prefix)), prefix
            return
        match component:
            case Simulate():
                followers = self.followers(prefix)
                following = followers[self.random.below(len(followers))]
                yield from self.invoke(component, index, following)
            case Repeat(component=inner, count=int(count)):
                for _ in range(count):
                    yield from self.invoke(inner, index + 1, prefix)
            case Lookahead(component=inner):
                followers = self.followers(prefix)
                self.random.shuffle_from_end(followers)
                for following in followers:
                    yield from self.invoke(inner, index + 1, following)
            case Step(component=inner):
                yielded: list[Yield] = []
                while not self.is_final(prefix):
                    yield from noted(self.invoke(inner, index + 1, prefix), yielded)
                    prefix = best_of(yielded)[1][: len(prefix) + 1]
                    while self.maes2013 and not self.is_final(prefix) and len(self.followers(prefix)) == 1:
                        (prefix,) = self.followers(prefix)
            case Select(component=inner):
                yield from self.select(component, index, prefix)
            case _:
                raise NotImplementedError(component)

    def select(self, component: Select, index: int, prefix: Sequence) -> Iterator[Yield]:
        tree = self.trees[index]
        for length in range(len(prefix)):
            self.expand(tree, prefix[:length])
        leaf = prefix
        if leaf in tree and not self.is_exhausted(tree, leaf):
            while tree[leaf].expanded:
                leaf = self.choose(tree, leaf, self.constant(component, is_local_root=leaf == prefix))
            self.expand(tree, leaf)
        yielded: list[Yield] = []
        yield from noted(self.invoke(component.component, index + 1, leaf), yielded)
        result = best_of(yielded)[0]
        for length in range(len(leaf) + 1):
            if leaf[:length] in tree:
                node = tree[leaf[:length]]
                node.visits += 1
                node.total += max(-1e30, result) if self.maes2013 else min(1.0, max(0.0, result))

    def expand(self, tree: dict[Sequence, Node], prefix: Sequence) -> None:
        if prefix not in tree or tree[prefix].expanded or self.is_final(prefix):
            return
        followers = self.followers(prefix)
        if sum(len(each) for each in self.trees.values()) + len(followers) > self.max_nodes:
            self.tree_full = True
            return
        tree[prefix].expanded = True
        tree.update((following, Node()) for following in followers)

    def is_exhausted(self, tree: dict[Sequence, Node], prefix: Sequence) -> bool:
        """A final state that was met, or a node with nothing but such below."""
        if not tree[prefix].expanded:
            return self.is_final(prefix) and tree[prefix].visits > 0
        return all(self.is_exhausted(tree, following) for following in self.followers(prefix))

    def choose(self, tree: dict[Sequence, Node], prefix: Sequence, c: float) -> Sequence:
        followers = self.followers(prefix)
        tries = sum(tree[following].visits for following in followers)

        def value(following: Sequence) -> float:
            node = tree[following]
            if not node.visits:
                return math.inf
            if self.is_exhausted(tree, following):
                return -math.inf
            return node.total / node.visits + c * math.sqrt(log(float(tries))) * (1 / math.sqrt(node.visits))

        values = [value(following) for following in followers]
        ties = [following for following, v in zip(followers, values, strict=True) if v == max(values)]
        return ties[self.random.below(len(ties))]

    def constant(self, component: Select, is_local_root: bool) -> float:
        if self.maes2013 and not is_local_root:
            return 0.5
        return float(component.policy.c)  # type: ignore[attr-defined]


def noted(yields: Iterator[Yield], into: list[Yield]) -> Iterator[Yield]:
    for one in yields:
        into.append(one)
        yield one


def best_of(yields: list[Yield]) -> Yield:
    return max(yields, key=lambda one: one[0])  # the first of the largest

"""A third implementation of the search, written only to be obviously right: slow, and different in every way it can be.

A component is a generator that pauses after every evaluation; what it sees it writes down in a trace, and what was best
is read from there afterwards. There is no state but the prefix: the game is played again from the start whenever one
is needed. What is learnt is handed down as an argument. A tree is a dict from prefixes to nodes, and what is exhausted
is found out by looking.
"""

import itertools
import math
import operator
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from domains.portable_math import exp, log
from domains.protocol import Domain, replay
from domains.randomness import Random
from mcsgrammar.engines.results import RunResult
from mcsgrammar.language.expressions import Adapt, Component, Lookahead, Repeat, Select, Simulate, Step
from mcsgrammar.language.policies import Guided, Puct

Sequence = tuple[Any, ...]
Yield = tuple[float, Sequence]
Learnt = dict[Any, float] | None
"""The weights of the innermost adapt under way by code, those of 0 left out; None without an adapt."""


@dataclass
class Node:
    visits: int = 0
    total: float = 0.0
    top: float = -math.inf
    expanded: bool = False


@dataclass
class Trace:
    """What an invocation saw, in order: final states, and the invocations in it, be they finished or not."""

    of_adapt: bool = False
    items: "list[Yield | Trace]" = field(default_factory=list)

    def inner(self, of_adapt: bool = False) -> "Trace":
        self.items.append(Trace(of_adapt))
        return self.items[-1]  # type: ignore[return-value]

    def best(self) -> Yield | None:
        """The first of the best; of what came back to an adapt, the last."""
        found = [item.best() if isinstance(item, Trace) else item for item in self.items]
        seen = [one for one in found if one is not None]
        if self.of_adapt:
            seen.reverse()
        return max(seen, key=lambda one: one[0], default=None)


def total(numbers: Iterable[float]) -> float:
    """Added one by one from the left, as `sum` is not sure to do."""
    return reduce(operator.add, numbers, 0.0)


class NaiveSearch:
    def __init__(self, domain: Domain, initial: Any, seed: int, maes2013: bool, max_nodes: int) -> None:
        self.domain, self.initial, self.random = domain, initial, Random(seed)
        self.maes2013, self.max_nodes = maes2013, max_nodes
        self.trees: dict[int, dict[Sequence, Node]] = {}
        self.codes: set[Any] = set()
        self.tree_full = False
        self.bias: dict[str, float] | None = None

    def result(self, expression: Component, budget: int) -> RunResult:
        parts = list(expression.walk())
        self.trees = {i: {(): Node()} for i, part in enumerate(parts) if isinstance(part, Select)}
        policy = parts[-1].policy  # type: ignore[attr-defined]
        self.bias = dict(policy.weights) if isinstance(policy, Guided) else None
        seen = Trace()
        for_ever = itertools.chain.from_iterable(
            self.invoke(expression, 0, (), None, seen.inner()) for _ in itertools.count()
        )
        rewards = [reward for reward, _ in itertools.islice(for_ever, budget)]
        points = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000} | {budget}
        reward, actions = seen.best() or (None, ())
        return RunResult(
            reward=reward,
            actions=actions,
            evaluations=len(rewards),
            stop_reason="evaluations",
            curve=tuple((n, max(rewards[:n])) for n in sorted(points) if 0 < n <= budget),
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

    def invoke(
        self, component: Component, index: int, prefix: Sequence, learnt: Learnt, seen: Trace
    ) -> Iterator[Yield]:
        """Pauses after each evaluation; `seen` is where it is written down."""
        if self.is_final(prefix):
            one = self.domain.reward(self.state(prefix)), prefix
            seen.items.append(one)
            yield one
            return
        match component:
            case Simulate():
                following = self.drawn(self.followers(prefix), learnt)
                yield from self.invoke(component, index, following, learnt, seen)
            case Repeat(component=inner, count=int(count)):
                for _ in range(count):
                    yield from self.invoke(inner, index + 1, prefix, learnt, seen.inner())
            case Lookahead(component=inner):
                followers = self.followers(prefix)
                self.random.shuffle_from_end(followers)
                for following in followers:
                    yield from self.invoke(inner, index + 1, following, learnt, seen.inner())
            case Step(component=inner):
                while not self.is_final(prefix):
                    last = seen.inner()
                    yield from self.invoke(inner, index + 1, prefix, learnt, last)
                    prefix = self.committed(component, index, prefix, seen, last)
                    while self.maes2013 and not self.is_final(prefix) and len(self.followers(prefix)) == 1:
                        (prefix,) = self.followers(prefix)
            case Select():
                yield from self.select(component, index, prefix, learnt, seen)
            case Adapt(component=inner, iterations=int(n), alpha=float(alpha)):
                mine, came_back = dict(learnt or {}), seen.inner(of_adapt=True)
                for iteration in range(1, n + 1):
                    yield from self.invoke(inner, index + 1, prefix, mine, came_back.inner())
                    if iteration < n:
                        mine = self.taught(mine, prefix, came_back.best()[1], alpha)  # type: ignore[index]
            case _:
                raise NotImplementedError(component)

    # What is learnt.

    def odds(self, followers: list[Sequence], learnt: Learnt) -> list[float]:
        """How probable each is, up to a factor."""
        if self.bias is None:
            priors = [1.0 for _ in followers]
        else:
            sums = [self.weighted_features(following) for following in followers]
            priors = [exp(b - max(sums)) for b in sums]
        weights = [(learnt or {}).get(self.code(following), 0.0) for following in followers]
        return [exp(w) * p for w, p in zip(weights, priors, strict=True)]

    def code(self, following: Sequence) -> Any:
        return self.domain.code(self.state(following[:-1]), following[-1])

    def weighted_features(self, following: Sequence) -> float:
        features = dict(
            zip(self.domain.features, self.domain.feature(self.state(following[:-1]), following[-1]), strict=True)
        )
        products = [self.bias[name] * features[name] for name in features if name in self.bias]  # type: ignore[index, operator]
        return total(products)

    def drawn(self, followers: list[Sequence], learnt: Learnt) -> Sequence:
        """One of them, as a playout draws its next action."""
        if learnt is None and self.bias is None:
            return followers[self.random.below(len(followers))]
        sums = list(itertools.accumulate(self.odds(followers, learnt)))
        return followers[bisect_right(sums, self.random.uniform01() * sums[-1])]

    def taught(self, learnt: dict[Any, float], prefix: Sequence, sequence: Sequence, alpha: float) -> dict[Any, float]:
        gains: list[tuple[Any, float]] = []
        for length in range(len(prefix), len(sequence)):
            followers = self.followers(sequence[:length])
            if len(followers) == 1:
                continue
            odds = self.odds(followers, learnt)
            share = alpha / total(odds)
            gains += [(self.code(following), -(p * share)) for following, p in zip(followers, odds, strict=True)]
            gains += [(self.code(sequence[: length + 1]), alpha)]
        after = dict(learnt)
        for code in dict.fromkeys(code for code, _ in gains):  # in the order in which they are met
            if code not in self.codes:
                if self.used() >= self.max_nodes:
                    self.tree_full = True
                    continue
                self.codes.add(code)
            moved = learnt.get(code, 0.0) + total(gain for c, gain in gains if c == code)
            after[code] = max(-300.0, min(300.0, moved))
        return after

    # The steps and trees.

    def committed(self, step: Step, index: int, prefix: Sequence, seen: Trace, last: Trace) -> Sequence:
        """The prefix with the action that the step commits."""
        if step.commit == "best":
            return seen.best()[1][: len(prefix) + 1]  # type: ignore[index]
        nodes = {}
        if isinstance(step.component, Repeat | Select):
            below = list(step.component.walk())
            tree = self.trees[index + 1 + next(i for i, part in enumerate(below) if isinstance(part, Select))]
            if prefix in tree and tree[prefix].expanded:
                nodes = {following: tree[following] for following in self.followers(prefix) if tree[following].visits}
        if not nodes:
            return last.best()[1][: len(prefix) + 1]  # type: ignore[index]

        def statistic(node: Node) -> float:
            return {"mean": node.total / node.visits, "visits": node.visits, "max": node.top}[str(step.commit)]

        highest = max(map(statistic, nodes.values()))
        ties = [following for following, node in nodes.items() if statistic(node) == highest]
        return ties[self.random.below(len(ties))]

    def select(self, component: Select, index: int, prefix: Sequence, learnt: Learnt, seen: Trace) -> Iterator[Yield]:
        tree = self.trees[index]
        for length in range(len(prefix)):
            self.expand(tree, prefix[:length])
        leaf = prefix
        if leaf in tree and not self.is_exhausted(tree, leaf):
            while tree[leaf].expanded:
                leaf = self.choose(component, tree, leaf, self.constant(component, leaf == prefix), learnt)
            self.expand(tree, leaf)
        yield from self.invoke(component.component, index + 1, leaf, learnt, seen.inner())
        result = seen.best()[0]  # type: ignore[index]
        result = max(-1e30, result) if self.maes2013 else min(1.0, max(0.0, result))
        for length in range(len(leaf) + 1):
            if leaf[:length] in tree:
                node = tree[leaf[:length]]
                node.visits += 1
                node.total += result
                node.top = max(node.top, result)

    def used(self) -> int:
        return sum(len(each) for each in self.trees.values()) + len(self.codes)

    def expand(self, tree: dict[Sequence, Node], prefix: Sequence) -> None:
        if prefix not in tree or tree[prefix].expanded or self.is_final(prefix):
            return
        followers = self.followers(prefix)
        if self.used() + len(followers) > self.max_nodes:
            self.tree_full = True
            return
        tree[prefix].expanded = True
        tree.update((following, Node()) for following in followers)

    def is_exhausted(self, tree: dict[Sequence, Node], prefix: Sequence) -> bool:
        """A final state that was met, or a node with nothing but such below."""
        if not tree[prefix].expanded:
            return self.is_final(prefix) and tree[prefix].visits > 0
        return all(self.is_exhausted(tree, following) for following in self.followers(prefix))

    def choose(
        self, component: Select, tree: dict[Sequence, Node], prefix: Sequence, c: float, learnt: Learnt
    ) -> Sequence:
        everybody = self.followers(prefix)
        followers = [following for following in everybody if not self.is_exhausted(tree, following)]
        untried = [following for following in followers if not tree[following].visits]
        fpu = float(component.policy.fpu)  # type: ignore[arg-type]
        if untried and fpu == math.inf:
            return self.drawn(untried, learnt)
        tries = sum(tree[following].visits for following in everybody)
        odds = dict(zip(everybody, self.odds(everybody, learnt), strict=True))
        whole = total(odds.values())

        def value(following: Sequence) -> float:
            node = tree[following]
            q = node.total / node.visits if node.visits else fpu
            if isinstance(component.policy, Puct):
                return q + c * math.sqrt(max(1, tries)) * (odds[following] / whole) / (1 + node.visits)
            if not node.visits:
                return fpu
            return q + c * math.sqrt(log(float(tries))) * (1 / math.sqrt(node.visits))

        values = [value(following) for following in followers]
        ties = [following for following, v in zip(followers, values, strict=True) if v == max(values)]
        return ties[self.random.below(len(ties))]

    def constant(self, component: Select, is_local_root: bool) -> float:
        if self.maes2013 and not is_local_root:
            return 0.5
        return float(component.policy.c)  # type: ignore[arg-type]

"""The reference engine: what every component means, in plain Python, on any domain.

This is the definition; the compiled engine must equal it bit for bit. It reads like figures 1 and 2 of Maes, Lupien
St-Pierre and Ernst (2013), with the open points settled as the docstrings say. The policies are in `playouts.py` and
`selection.py`, the tuners in `tuning/`.

Where chance has a say, every action is played with fresh chance, drawn from the search's own generator. So a node of a
tree is a sequence of actions, which may lead to one state or another, and its mean is one over chance; nothing is ever
exhausted, and a descent ends where the state at hand is final. As unfinished states all list the same actions, a node
that is missing on the way to a prefix gets those of the state at hand.

Glossary
    prefix       the actions that lead from the problem's initial state to the state at hand
    invocation   one call of a component; it keeps the best reward and sequence seen inside it
    yield        a final state is reached: it is valued, counted, and shown to every invocation around it, up to the
                 next adapt. Where a playout is cut off, the unfinished state it ends in is
    settings     the values that the parameters of a component have now; a tune changes those it binds
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from domains.protocol import Domain
from domains.randomness import Random
from mcsgrammar.engines.guarding import Guarded, changed_its_mind, no_actions
from mcsgrammar.engines.reference.means import Means, Room
from mcsgrammar.engines.reference.playouts import Playouts
from mcsgrammar.engines.reference.selection import Node, Scaled, reference_node, scale_of, values_of
from mcsgrammar.engines.results import Tuning, curve_points
from mcsgrammar.engines.rules import (
    BELOW_LOCAL_ROOT_2013,
    BOUND_2013,
    clipped,
    committing_select,
    cut_after,
    cutting_select,
    first_settings,
)
from mcsgrammar.engines.searching import SearchTask
from mcsgrammar.language.expressions import Adapt, Component, Lookahead, Repeat, Select, Simulate, Step, Tune
from mcsgrammar.language.policies import Grave, History
from mcsgrammar.tuning.running import RunningTuner


class BudgetSpent(Exception):
    """The whole search stops at once."""


@dataclass
class Best:
    reward: float = -math.inf
    sequence: list[Any] = field(default_factory=list)
    of_adapt: bool = False
    """It is told of invocations that return, not of single yields, and keeps the last of equals, not the first."""

    def hear_of(self, reward: float, sequence: list[Any]) -> None:
        if reward > self.reward or (self.of_adapt and reward == self.reward > -math.inf):
            self.reward, self.sequence = reward, list(sequence)

    def forget(self) -> None:
        self.reward, self.sequence = -math.inf, []


class ReferenceSearch:
    """One search for a good sequence on one problem; `run` it once."""

    def __init__(
        self,
        domain: Domain,
        initial: Any,
        task: SearchTask,
        after_evaluation: Callable[[int], None],
        in_game: bool = False,
    ) -> None:
        """`after_evaluation(n)` is called after the n-th evaluation and may raise `BudgetSpent`. In a game the world's
        step is outermost."""
        expression = task.expression
        self.domain = Guarded(domain)
        self.initial = initial
        self.expression = expression
        self.random = Random(task.seed)
        self.maes2013 = task.maes2013
        self.after_evaluation = after_evaluation
        self.evaluations = 0
        self.plays = 0
        """actions that the components played; what `find` and `adapt` play again does not count"""
        self.best_reward = -math.inf
        self.invocations = [Best()]
        """the best of every invocation under way, from the outside in"""
        self.room = Room(task.max_nodes)
        parts = list(expression.walk())
        self.settings = {id(part): first_settings(part) for part in parts}
        self.plant_trees()
        simulate = parts[-1]
        assert isinstance(simulate, Simulate)
        self.playouts = Playouts(self.domain, simulate.policy, self.settings[id(simulate)], self.room)
        self.history = Means(self.room)
        self.keeps_history = any(isinstance(part, Select) and isinstance(part.policy, History) for part in parts)
        self.outermost_step = None if in_game else next((part for part in parts if isinstance(part, Step)), None)
        self.cutting_select = cutting_select(parts)
        self.select_of = {id(step): committing_select(step) for step in parts if isinstance(step, Step)}
        self.cut_starts: list[int] = []
        """the lengths of the prefixes of the cutting select's invocations under way"""
        self.tuners = {
            id(part): RunningTuner(expression, part, list(self.settings.values()), self.random, task.evaluations)
            for part in parts
            if isinstance(part, Tune)
        }
        self.curve: list[tuple[int, float]] = []
        self.curve_points = curve_points()
        self.next_curve_point = next(self.curve_points)

    def plant_trees(self) -> None:
        self.trees = {id(part): Node() for part in self.expression.walk() if isinstance(part, Select)}
        self.room.nodes = len(self.trees)

    def begin_again(self, initial: Any, keep_trees: bool, played: Any) -> None:
        """Another search of the same game, from the state it has come to by the action `played`: as a new one, but for
        what playouts, history and tuners have learnt, and the generator. Trees are new, or what stood below that
        action, as it was: its means are over the states that it might have led to."""
        self.initial = initial
        self.evaluations, self.best_reward, self.invocations = 0, -math.inf, [Best()]
        self.plays = 0
        self.room.entries = len(self.playouts.grams.entries) + len(self.history.entries)
        if keep_trees:
            self.trees = {
                part: next((child for child in root.children if child.action == played), Node())
                for part, root in self.trees.items()
            }
            kept = [node for root in self.trees.values() for node in root.with_all_below()]
            self.room.nodes = len(kept)
            self.room.entries += sum(len(node.amaf.entries) for node in kept if node.amaf is not None)
        else:
            self.plant_trees()
        self.room.full = False
        self.cut_starts.clear()
        self.playouts.teaching.forget()
        self.curve, self.curve_points = [], curve_points()
        self.next_curve_point = next(self.curve_points)

    def run(self) -> None:
        """A search algorithm invokes its component again and again until the budget is spent."""
        try:
            while True:
                self.invoke(self.expression, [], self.initial)
        except BudgetSpent:
            return

    @property
    def best(self) -> Best:
        """Of all that was seen, the outermost of equals: what the invocations under way would return if they ended now,
        from the inside out."""
        best = Best()
        for outer in reversed(self.invocations):
            outer = replace(outer)
            outer.hear_of(best.reward, best.sequence)
            best = outer
        return best

    @property
    def nodes(self) -> int:
        return self.room.nodes

    @property
    def tree_full(self) -> bool:
        return self.room.full

    def tunings(self) -> tuple[Tuning, ...]:
        return tuple(tuner.report() for tuner in self.tuners.values())

    # Figure 2: yield and invoke.

    def yield_(self, sequence: list[Any], final: Any) -> None:
        reward = self.domain.reward(final, sequence)
        self.evaluations += 1
        self.best_reward = max(self.best_reward, reward)
        self.tell_up_to_adapt(reward, sequence)
        self.playouts.learn(sequence, clipped(reward))
        if self.keeps_history:
            for action in sequence:
                self.history.add(action, clipped(reward))
        if self.evaluations == self.next_curve_point:
            self.curve.append((self.evaluations, self.best_reward))
            self.next_curve_point = next(self.curve_points)
        self.after_evaluation(self.evaluations)

    def tell_up_to_adapt(self, reward: float, sequence: list[Any]) -> None:
        """Show a final state to the invocations under way, from the inside out, but to none from an adapt on: that is
        told when its sub-component returns, and those around it when it returns itself."""
        for best in reversed(self.invocations):
            if best.of_adapt:
                return
            best.hear_of(reward, sequence)

    def invoke(self, component: Component, prefix: list[Any], state: Any) -> None:
        if self.domain.is_final(state):
            self.yield_(prefix, state)
            return
        self.invocations.append(Best())
        match component:
            case Simulate():
                self.simulate(component, prefix, state)
            case Repeat():
                self.repeat(component, prefix, state)
            case Lookahead():
                self.lookahead(component, prefix, state)
            case Step():
                self.step(component, prefix, state)
            case Select():
                self.select(component, prefix, state)
            case Adapt():
                self.adapt(component, prefix, state)
            case Tune():
                self.tune(component, prefix, state)
            case _:
                raise AssertionError(component)
        best = self.invocations.pop()
        if best.of_adapt:
            self.tell_up_to_adapt(best.reward, best.sequence)

    # Figure 1: the components. None changes the state it is given.

    def simulate(self, component: Simulate, prefix: list[Any], state: Any) -> None:
        sequence, state = list(prefix), self.domain.copy(state)
        start = self.cut_starts[-1] if self.cut_starts else len(prefix)
        limit = start + cut_after(self.settings[id(component)])
        while len(sequence) < limit and not self.domain.is_final(state):
            actions = self.domain.actions(state)
            action = actions[self.playouts.choose(state, actions, sequence, self.random)]
            state = self.domain.play(state, action, sequence, self.random)
            sequence.append(action)
        self.plays += len(sequence) - len(prefix)
        self.yield_(sequence, state)

    def repeat(self, component: Repeat, prefix: list[Any], state: Any) -> None:
        for _ in range(self.settings[id(component)]["N"]):
            self.invoke(component.component, prefix, state)

    def lookahead(self, component: Lookahead, prefix: list[Any], state: Any) -> None:
        actions = list(self.domain.actions(state))
        self.random.shuffle_from_end(actions)
        for action in actions:
            following = self.domain.play(self.domain.copy(state), action, prefix, self.random)
            self.plays += 1
            self.invoke(component.component, [*prefix, action], following)

    def step(self, component: Step, prefix: list[Any], state: Any) -> None:
        """By `best` it follows its best sequence. Where that ends too early, in a playout that was cut off, after every
        action that another rule commits, and where chance has a say, it forgets it: what counts is then the best of the
        last sub-search.

        Under maes2013 an action that it commits brings along those that must follow: while only one is legal, that is
        committed, too, without a sub-search, a draw or a yield."""
        best = self.invocations[-1]
        rule = self.settings[id(component)]["rule"]
        state = self.domain.copy(state)
        while not self.domain.is_final(state):
            if rule != "best" or self.domain.stochastic or len(best.sequence) <= len(prefix):
                best.forget()
            self.invoke(component.component, prefix, state)
            action = self.committed_by_statistic(component, rule, prefix)
            if action is None:
                if len(best.sequence) <= len(prefix):  # is_final says otherwise than when that sequence ended
                    raise no_actions(self.domain.domain)
                action = best.sequence[len(prefix)]
            actions: Sequence[Any] = [action]
            while len(actions) == 1:
                state = self.domain.play(state, actions[0], prefix, self.random)
                self.plays += 1
                prefix = [*prefix, actions[0]]
                if component is self.outermost_step:
                    self.playouts.committed()
                actions = self.domain.actions(state) if self.maes2013 and not self.domain.is_final(state) else []

    def committed_by_statistic(self, component: Step, rule: str, prefix: list[Any]) -> Any:
        """The action of the child with the highest mean, visits or best result at the node of the prefix in the tree of
        the select below, ties at random; None by the rule `best`, and where no child was visited."""
        select = self.select_of[id(component)]
        return None if rule == "best" or select is None else self.best_child(select, rule, prefix)

    def best_child(self, select: Select, rule: str, prefix: list[Any]) -> Any:
        """The action of that child; None where none was visited."""
        path = self.known_path(select, prefix)
        visited = [child for child in path[-1].children if child.visits] if len(path) > len(prefix) else []
        if not visited:
            return None
        statistics = [STATISTICS[rule](child) for child in visited]
        highest = max(statistics)
        ties = [child for child, statistic in zip(visited, statistics, strict=True) if statistic == highest]
        return ties[self.random.below(len(ties))].action

    def select(self, component: Select, prefix: list[Any], state: Any) -> None:
        path = self.find(component, prefix, state)
        cuts = component is self.cutting_select
        if cuts:
            self.cut_starts.append(len(prefix))
        if len(path) <= len(prefix) or path[-1].exhausted:
            self.invoke(component.component, prefix, state)
        else:
            sequence, state = list(prefix), self.domain.copy(state)
            limit = len(prefix) + (cut_after(self.playouts.settings) if cuts else math.inf)
            while path[-1].children and len(sequence) < limit and not self.ended_by_chance(state):
                path.append(self.choose(component, path, sequence, state, len(prefix)))
                state = self.domain.play(state, path[-1].action, sequence, self.random)
                sequence.append(path[-1].action)
                self.plays += 1
            if self.domain.is_final(state):
                if not self.domain.stochastic:
                    mark_exhausted(path)
                self.yield_(sequence, state)
            else:
                if not path[-1].children and len(sequence) < limit:
                    self.expand(path[-1], self.domain.actions(state))
                self.invoke(component.component, sequence, state)
        if cuts:
            self.cut_starts.pop()
        self.learn(component, path, len(prefix))

    def ended_by_chance(self, state: Any) -> bool:
        """Whether nothing more can be played although the tree goes on."""
        return self.domain.stochastic and self.domain.is_final(state)

    def adapt(self, component: Adapt, prefix: list[Any], state: Any) -> None:
        """Policy adaptation, see `weights.py`. Its best is the last of the best that its sub-component has come to."""
        best = self.invocations[-1]
        best.of_adapt = True
        settings = self.settings[id(component)]
        self.playouts.teaching.begin()
        for iteration in range(settings["N"]):
            if iteration:
                self.playouts.teaching.learn(prefix, state, best.sequence, settings["alpha"])
            self.invocations.append(Best())  # of this time, whatever a step forgets
            self.invoke(component.component, prefix, state)
            got = self.invocations.pop()
            best.hear_of(got.reward, got.sequence)
        self.playouts.teaching.end()

    def tune(self, component: Tune, prefix: list[Any], state: Any) -> None:
        tuner = self.tuners[id(component)]
        tuner.before_invocation(self.evaluations)
        self.invoke(component.component, prefix, state)
        tuner.after_invocation(self.evaluations, clipped(self.invocations[-1].reward))

    # The tree of a select.

    def known_path(self, component: Select, prefix: list[Any]) -> list[Node]:
        """The nodes from the root towards that of the prefix, as far as there are any."""
        path = [self.trees[id(component)]]
        for action in prefix:
            child = next((child for child in path[-1].children if child.action == action), None)
            if child is None:
                break
            path.append(child)
        return path

    def find(self, component: Select, prefix: list[Any], at_hand: Any) -> list[Node]:
        """The nodes from the root to that of the prefix, which leads to the state at hand, added where missing; fewer
        when the tree is full."""
        path = self.known_path(component, prefix)
        while len(path) <= len(prefix):
            depth = len(path) - 1
            if path[-1].children:
                raise changed_its_mind(self.domain.domain, prefix[depth])
            state = at_hand if self.domain.stochastic else self.initial
            for earlier, played in enumerate(() if self.domain.stochastic else prefix[:depth]):
                state = self.domain.play(self.domain.copy(state), played, prefix[:earlier])
            if not self.expand(path[-1], self.domain.actions(state)):
                break
            child = next((child for child in path[-1].children if child.action == prefix[depth]), None)
            if child is None:
                raise changed_its_mind(self.domain.domain, prefix[depth])
            path.append(child)
        return path

    def expand(self, node: Node, actions: Any) -> bool:
        """Give the node all its children, or none if the room is taken up."""
        if not self.room.take_nodes(len(actions)):
            return False
        node.children = [Node(action) for action in actions]
        return True

    def choose(self, component: Select, path: list[Node], sequence: list[Any], state: Any, local_root: int) -> Node:
        """The child to descend into, of those not exhausted. `local_root` is the depth of the prefix."""
        node, settings = path[-1], self.settings[id(component)]
        open_children = [child for child in node.children if not child.exhausted]
        if node.visits < settings["t"]:
            return self.chosen_by_playout_policy(open_children, sequence, state)
        untried = [child for child in open_children if child.visits == 0]
        if untried and settings["fpu"] == math.inf:
            return self.chosen_by_playout_policy(untried, sequence, state)
        c = BELOW_LOCAL_ROOT_2013 if self.maes2013 and len(path) > local_root + 1 else settings["c"]
        policy = component.policy
        scale = scale_of(policy, c, node.children)
        amaf = reference_node(settings["ref"], path[local_root:]).amaf if isinstance(policy, Grave) else None
        priors = self.priors_of(node, open_children, sequence, state) if policy.needs_odds else []
        scaled = Scaled(node if settings.get("norm") else None)
        values = values_of(policy, settings, node.visits, open_children, scale, scaled, amaf, self.history, priors)
        lowest = max(values) - settings["vo"]
        eligible = [child for child, value in zip(open_children, values, strict=True) if value >= lowest]
        return eligible[self.random.below(len(eligible))]

    def chosen_by_playout_policy(self, children: list[Node], sequence: list[Any], state: Any) -> Node:
        return children[self.playouts.choose(state, [child.action for child in children], sequence, self.random)]

    def priors_of(self, node: Node, children: list[Node], sequence: list[Any], state: Any) -> list[float]:
        """The probabilities of some children of a node, of which all together have 1."""
        actions = [child.action for child in node.children]
        priors = self.playouts.probabilities(state, actions, sequence)
        return [prior for child, prior in zip(node.children, priors, strict=True) if child in children]

    def learn(self, component: Select, path: list[Node], local_root: int) -> None:
        """Hand the best of this invocation to every node from the root to the leaf; AMAF is kept from the local root
        on, which is where a game stands whose first moves are made."""
        best = self.invocations[-1]
        result = min(max(best.reward, -BOUND_2013), BOUND_2013) if self.maes2013 else clipped(best.reward)
        for node in path:
            node.visits += 1
            node.total += result
            node.top, node.bottom = max(node.top, result), min(node.bottom, result)
        if isinstance(component.policy, Grave):
            last_place = {action: place for place, action in enumerate(best.sequence)}
            for depth, node in enumerate(path[local_root:], local_root):
                table = node.all_moves_as_first(self.room)
                for place in range(depth, len(best.sequence)):
                    if last_place[best.sequence[place]] == place:  # each action once
                        table.add(best.sequence[place], result)


STATISTICS: dict[str, Callable[[Node], float]] = {
    "mean": lambda child: child.mean,
    "visits": lambda child: child.visits,
    "max": lambda child: child.top,
}
"""What the commit rules of `step` go by."""


def mark_exhausted(path: list[Node]) -> None:
    """Mark the last node of the path, and every node above it that has nothing left to explore."""
    path[-1].exhausted = True
    for node in reversed(path[:-1]):
        if not all(child.exhausted for child in node.children):
            return
        node.exhausted = True

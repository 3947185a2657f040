"""The reference engine of the arena: what an agent does in a match, in plain Python, on any game.

This is the definition; the compiled engine must equal it bit for bit. Every role has its own statistics, each learning
from that role's rewards: decoupled UCT (Cazenave and others have it simultaneous; the form here is that of Sironi, Liu
and Winands, *Self-Adaptive Monte Carlo Tree Search in General Game Playing*, 2020).

    sim       at each step every role with a choice, in the order of roles, draws by its policy, from its own table
    select    the same roles choose by the selection policy among their own arms. A node is added where the joint move
              has led to none, one at most in an invocation, the root being the first; there S is invoked. On the path
              each role's arms get that role's result
    repeat    S, N times; the result is the mean over all final states seen, with one role still the best of them
    tune      one tuner for each role: each chooses before an invocation, and is told its role's result
    step      the match: S is invoked from the state at hand until the budget of the search is spent, then the arm of
              the player's own role with the highest mean, or the most visits, is committed, ties at random

When the budget is spent, no further simulation begins, and all that is under way ends and learns from what it has seen.
Tables, tuners and the tree last for the whole match. A search looks back no further than its root: what was played
before is on no gram. Playouts that learn (`playouts.py`) go by diagonals, see `trees.py`; one on which nobody had a
choice is not learnt. AMAF counts an action once a simulation, for the role that plays it; NOOP counts nowhere but in
grams. With several roles nothing is ever exhausted: the means must keep following visits of states that are won.

Room is taken by arms among which there is a choice, by grams, and by entries of AMAF and history. What the tree loses
when the match goes on gives its room back.
"""

import math
from collections.abc import Sequence
from typing import Any

from domains.protocol import NOOP, Domain
from domains.randomness import Random
from mcsgrammar.engines.arena.guarded import GuardedGame
from mcsgrammar.engines.arena.players import Searched
from mcsgrammar.engines.arena.trees import JointNode, RoleArm, Trail, reachable
from mcsgrammar.engines.pacing import Pace
from mcsgrammar.engines.reference.means import Means, Room
from mcsgrammar.engines.reference.playouts import Playouts
from mcsgrammar.engines.reference.selection import Scaled, reference_node, scale_of, values_of
from mcsgrammar.engines.results import Tuning
from mcsgrammar.engines.rules import clipped, first_settings
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.expressions import Component, Repeat, Select, Simulate, Step, Tune
from mcsgrammar.language.policies import Grave, History
from mcsgrammar.tuning.running import RunningTuner

Rewards = tuple[float, ...]
"""One for each role, in [0, 1]."""


class ReferenceArena:
    """To it the start of a match is its initial state."""

    def __init__(self, game: Domain) -> None:
        self.game = game

    def ready(self, initial: Any) -> Any:
        return initial

    def warm_up(self, ready: Any) -> None:
        return

    def player(self, ready: Any, agent: Step, role: int, seed: int, limits: Limits) -> "ReferencePlayer":
        return ReferencePlayer(self.game, ready, agent, role, seed, limits)


class Gathered:
    """What an invocation has come across."""

    def __init__(self, roles: int) -> None:
        self.totals = [0.0] * roles
        self.finals = 0
        self.best = 0.0

    def hear_of(self, rewards: Rewards) -> None:
        for role, reward in enumerate(rewards):
            self.totals[role] += reward
        self.finals += 1
        self.best = max(self.best, rewards[0])

    @property
    def result(self) -> Rewards:
        """The mean, with one role the best."""
        return (self.best,) if len(self.totals) == 1 else tuple(total / self.finals for total in self.totals)


class ReferencePlayer:
    """An agent in one role of one match."""

    def __init__(self, game: Domain, initial: Any, agent: Step, role: int, seed: int, limits: Limits) -> None:
        self.game = GuardedGame(game)
        self.state = self.game.copy(initial)
        self.agent = agent
        self.role = role
        self.random = Random(seed)
        self.usual = limits
        self.roles = range(len(game.roles))
        self.room = Room(limits.max_nodes)
        self.steps = 0
        """of the match so far"""
        self.root: JointNode | None = None
        parts = list(agent.walk())
        self.select_part = next(part for part in parts if isinstance(part, Select))
        self.settings = [{id(part): first_settings(part) for part in parts} for _ in self.roles]
        simulate = parts[-1]
        assert isinstance(simulate, Simulate)
        self.playouts = [
            Playouts(self.game, simulate.policy, settings[id(simulate)], self.room) for settings in self.settings
        ]
        self.histories = [Means(self.room) for _ in self.roles]
        self.keeps_history = isinstance(self.select_part.policy, History)
        self.keeps_amaf = isinstance(self.select_part.policy, Grave)
        self.tuners = {
            id(part): [
                RunningTuner(agent, part, list(settings.values()), self.random, None) for settings in self.settings
            ]
            for part in parts
            if isinstance(part, Tune)
        }
        self.plans_ahead = True
        """whether the tuners have not yet been told how often they will be asked"""
        self.simulations = 0
        self.simulation_steps = 0
        """of all simulations together"""
        self.invocations: list[Gathered] = []
        self.path: list[JointNode] = []
        """the nodes of the select's invocation under way"""

    # What a player does.

    def search(self, limits: Limits) -> Searched:
        before = self.simulations
        self.room.full = False
        pace = Pace(limits.evaluations, limits.seconds)
        self.pace, self.pause_at, self.simulations_before = pace, pace.start(), before
        self.spent = limits.evaluations == 0 or self.game.is_final(self.state)
        while not self.spent:
            self.invoke(self.agent.component, self.state, Trail(len(self.roles)))
        if self.simulations and self.plans_ahead:
            self.plan_ahead()
        return Searched(self.simulations - before, pace.elapsed, self.room.nodes, self.room.full)

    def commit(self) -> Any:
        if self.root is None:  # nothing was searched, or nothing is to be remembered
            actions = self.game.actions_of(self.state, self.role)
            return actions[0] if self.is_forced(actions) else actions[self.random.below(len(actions))]
        arms = self.root.arms[self.role]
        if self.root.is_forced(self.role):
            return arms[0].action
        visited = [arm for arm in arms if arm.visits]
        statistics = [arm.mean if self.agent.commit == "mean" else arm.visits for arm in visited]
        ties = [arm for arm, one in zip(visited, statistics, strict=True) if one == max(statistics)] or arms
        return ties[self.random.below(len(ties))].action

    def advance(self, joint: tuple[Any, ...]) -> None:
        self.state = self.game.play_all(self.state, joint, self.steps)
        self.steps += 1
        if self.root is not None:
            self.root = self.root.children.get(tuple(joint))
        for playouts in self.playouts:
            playouts.committed()
        nodes = reachable(self.root)
        tables = [playouts.grams for playouts in self.playouts] + self.histories
        tables += [amaf for node in nodes for amaf in node.amaf or ()]
        self.room.nodes = sum(node.size for node in nodes)
        self.room.entries = sum(len(table.entries) for table in tables)

    def tunings(self) -> tuple[tuple[Tuning, ...], ...]:
        return tuple(tuple(tuners[role].report() for tuners in self.tuners.values()) for role in self.roles)

    def plan_ahead(self) -> None:
        """After the first search: a match will have as many as a simulation of it had steps on the average."""
        self.plans_ahead = False
        budget = self.simulations if self.usual.evaluations is None else self.usual.evaluations
        total = budget * (self.simulation_steps / self.simulations)
        for tuners in self.tuners.values():
            for tuner in tuners:
                tuner.expect(total)

    # Yield and invoke.

    def yield_(self, trail: Trail, final: Any) -> None:
        rewards = tuple(clipped(reward) for reward in self.game.rewards(final))
        self.simulations += 1
        self.simulation_steps += len(trail.joints)
        for seen in self.invocations:
            seen.hear_of(rewards)
        self.learn_playouts(trail, rewards)
        if self.keeps_history:
            for joint in trail.joints:
                for role, action in enumerate(joint):
                    if action != NOOP:
                        self.histories[role].add(action, rewards[role])
        if self.keeps_amaf:
            self.learn_amaf(trail, rewards)
        done = self.simulations - self.simulations_before
        if done == self.pause_at:
            following = self.pace.pause(done, 0.0)
            self.spent = following is None
            self.pause_at = following or 0

    def invoke(self, component: Component, state: Any, trail: Trail) -> Rewards:
        """What came of it, for each role. Neither the state nor the trail is changed."""
        self.invocations.append(Gathered(len(self.roles)))
        match component:
            case Simulate():
                self.simulate(state, trail)
            case Repeat():
                count = self.settings[self.role][id(component)]["N"]
                while count and not self.spent:
                    self.invoke(component.component, state, trail)
                    count -= 1
            case Select():
                self.select(component, state)
            case Tune():
                tuners = self.tuners[id(component)]
                for tuner in tuners:
                    tuner.before_invocation(self.simulations)
                rewards = self.invoke(component.component, state, trail)
                for tuner, reward in zip(tuners, rewards, strict=True):
                    tuner.after_invocation(self.simulations, reward)
            case _:
                raise AssertionError(component)
        return self.invocations.pop().result

    def simulate(self, state: Any, trail: Trail) -> None:
        state, trail = self.game.copy(state), trail.copy()
        while not self.game.is_final(state):
            joint, forced = [], []
            for role, actions in enumerate(self.actions(state)):
                forced.append(self.is_forced(actions))
                place = 0
                if not forced[role]:
                    place = self.playouts[role].choose(state, actions, trail.seen_by(role), self.random)
                joint.append(actions[place])
            state = self.play(state, trail, tuple(joint), forced)
        self.yield_(trail, state)

    def select(self, component: Select, state: Any) -> None:
        """From the root of the search, which is where the match stands."""
        state, trail = self.game.copy(state), Trail(len(self.roles))
        node = self.root = self.root or self.new_node(state)
        self.path = [] if node is None else [node]
        chosen: list[list[RoleArm]] = []
        explores = node is not None and node.visits > 0 and not is_exhausted(node)
        while node is not None and explores:
            arms = [self.choose(component, node, role, state, trail) for role in self.roles]
            chosen.append(arms)
            forced = [node.is_forced(role) for role in self.roles]
            joint = tuple(arm.action for arm in arms)
            state = self.play(state, trail, joint, forced)
            if self.game.is_final(state):
                self.mark_exhausted(chosen)
                break
            child = node.children.get(joint)
            explores = child is not None
            if child is None and (child := self.new_node(state)) is not None:
                node.children[joint] = child
            if child is not None:
                self.path.append(child)
            node = child
        if chosen and self.game.is_final(state):
            self.yield_(trail, state)
        else:
            self.invoke(component.component, state, trail)
        self.learn(chosen)

    # The game.

    def is_forced(self, actions: Sequence[Any]) -> bool:
        return len(self.roles) > 1 and len(actions) == 1

    def actions(self, state: Any) -> list[Sequence[Any]]:
        """Those of each role."""
        mover = self.game.mover(state)
        return [self.game.actions_of(state, role) if mover is None or role == mover else (NOOP,) for role in self.roles]

    def play(self, state: Any, trail: Trail, joint: tuple[Any, ...], forced: Sequence[bool]) -> Any:
        following = self.game.play_all(state, joint, self.steps + len(trail.joints))
        trail.play(joint, forced)
        return following

    # The tree.

    def new_node(self, state: Any) -> JointNode | None:
        """None if the room is taken up."""
        node = JointNode(self.actions(state))
        return node if self.room.take_nodes(node.size) else None

    def choose(self, component: Select, node: JointNode, role: int, state: Any, trail: Trail) -> RoleArm:
        """The role's arm, of those not exhausted."""
        if node.is_forced(role):
            return node.arms[role][0]
        policy, settings = component.policy, self.settings[role][id(component)]
        arms = [arm for arm in node.arms[role] if not arm.exhausted]
        untried = [arm for arm in arms if arm.visits == 0]
        if node.visits < settings["t"] or (untried and settings["fpu"] == math.inf):
            among = arms if node.visits < settings["t"] else untried
            actions = [arm.action for arm in among]
            return among[self.playouts[role].choose(state, actions, trail.seen_by(role), self.random)]
        scale = scale_of(policy, settings["c"], node.arms[role])
        tables = reference_node(settings["ref"], self.path).amaf if self.keeps_amaf else None
        amaf = tables[role] if tables else None
        priors: list[float] = []
        if policy.needs_odds:
            actions = [arm.action for arm in node.arms[role]]
            odds = self.playouts[role].probabilities(state, actions, trail.seen_by(role))
            priors = [one for arm, one in zip(node.arms[role], odds, strict=True) if not arm.exhausted]
        values = values_of(policy, settings, node.visits, arms, scale, Scaled(), amaf, self.histories[role], priors)
        lowest = max(values) - settings["vo"]
        eligible = [arm for arm, value in zip(arms, values, strict=True) if value >= lowest]
        return eligible[self.random.below(len(eligible))]

    def mark_exhausted(self, chosen: Sequence[Sequence[RoleArm]]) -> None:
        """The last arms of the path lead to a final state. Where one role plays alone, its arm is exhausted, and every
        arm above it that leads to nothing else."""
        if len(self.roles) > 1:
            return
        for node, arms in zip(reversed(self.path), reversed(chosen), strict=True):
            arms[0].exhausted = True
            if not is_exhausted(node):
                return

    # What is learnt.

    def learn(self, chosen: Sequence[Sequence[RoleArm]]) -> None:
        """Hand the result of the select's invocation to the nodes of the path, and to the arms chosen in them."""
        result = self.invocations[-1].result
        for node in self.path:
            node.visits += 1
        for arms in chosen:
            for arm, reward in zip(arms, result, strict=True):
                arm.visits += 1
                arm.total += reward

    def learn_playouts(self, trail: Trail, rewards: Rewards) -> None:
        """Every role learns the grams that end with an action of its own."""
        if self.playouts[0].longest == 0:
            return
        ends = [
            (self.playouts[(d + end - 1) % len(self.roles)], diagonal, end, rewards[(d + end - 1) % len(self.roles)])
            for d, diagonal in enumerate(trail.diagonals)
            for end in range(1, len(diagonal) + 1)
            if trail.is_free[d]
        ]
        for playouts, diagonal, end, reward in ends:
            for gram in playouts.grams_ending(diagonal, end):
                playouts.grams.add(gram, reward)
        for playouts, diagonal, end, _ in ends:
            if playouts.settings["sim_decay"] != 1:
                for gram in playouts.grams_ending(diagonal, end):
                    playouts.grams.decay(gram, playouts.settings["sim_decay"])
        for playouts in self.playouts:
            playouts.count_final()

    def learn_amaf(self, trail: Trail, rewards: Rewards) -> None:
        last_place = {(r, action): place for place, joint in enumerate(trail.joints) for r, action in enumerate(joint)}
        for depth, node in enumerate(self.path):
            tables = node.all_moves_as_first(self.room)
            for place in range(depth, len(trail.joints)):
                for role, action in enumerate(trail.joints[place]):
                    if action != NOOP and last_place[role, action] == place:  # each action once
                        tables[role].add(action, rewards[role])


def is_exhausted(node: JointNode) -> bool:
    """Of one role: nothing is left to explore from here on. With several it is always False."""
    return len(node.arms) == 1 and all(arm.exhausted for arm in node.arms[0])

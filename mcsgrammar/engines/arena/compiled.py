"""The compiled engine of the arena, its Python side: hands the machine the arrays of a player, and reads them."""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from domains.errors import DomainError
from domains.protocol import Domain
from domains.randomness import Random
from mcsgrammar.engines.arena.guarded import bad_mover, bad_rewards, many_joints, no_actions_of, too_many_steps
from mcsgrammar.engines.arena.player_arrays import in_own_array, new_knowledge, new_scratch, tuner_of, with_tuners
from mcsgrammar.engines.arena.players import Searched
from mcsgrammar.engines.compiled.adaptation import report_of
from mcsgrammar.engines.compiled.adaptive_layout import (
    LONGEST_GRAM,
    MEAN,
    NO_ROOM,
    RULE,
    AdaptiveProgram,
    lower_adaptive,
)
from mcsgrammar.engines.compiled.arena_layout import (
    ACTION,
    ADVANCE,
    ARM_VISITS,
    ARMS,
    BAD_MOVER,
    CHOOSING,
    COUNTS,
    EVALUATIONS,
    FIRST_ARM,
    FIRST_NODES,
    FRAME,
    LENGTH,
    LIST,
    MANY_JOINTS,
    NODES,
    NUMBER,
    PATH_NODES,
    REHASH,
    ROLE,
    ROOT,
    SEARCH,
    SIMULATION_STEPS,
    SIMULATIONS,
    SIZE,
    SPENT,
    STALE,
    STALE_AMAF,
    STALE_GRAMS,
    STALE_HISTORY,
    STALE_TREE,
    TOTAL,
    empty_joint_tree,
    grown_joint_tree,
)
from mcsgrammar.engines.compiled.compiling import Scope, machine_for
from mcsgrammar.engines.compiled.driver import Encoded, call_machine, checked_encoding
from mcsgrammar.engines.compiled.layout import (
    BAD_COUNT,
    BAD_REWARD,
    NEEDS_CHOICE,
    NEEDS_MEMORY,
    NO_ACTIONS,
    PAUSED,
    TOO_LONG,
    lower,
)
from mcsgrammar.engines.compiled.means_kernels import MeansTable, grown_table
from mcsgrammar.engines.guarding import bad_count, guarded, kernels_of, wrote_outside
from mcsgrammar.engines.pacing import Pace
from mcsgrammar.engines.results import Tuning
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.expressions import Step
from mcsgrammar.language.parsing import parse
from mcsgrammar.tuning.layout import with_room_for_arms
from mcsgrammar.tuning.making import expected_choices, make
from mcsgrammar.tuning.protocol import AnyTuner
from mcsgrammar.tuning.running_kernels import start
from mcsgrammar.tuning.state import HAS_CHOSEN, TO_BE_TOLD

FIRST_ENTRIES = 256
GROWTH = 4
"""By which the tree's arrays grow: what is not written yet takes no memory, and what is there has to be copied."""

SHORTEST: dict[Scope, str] = {
    "arena": "step(select(sim, 0.5), mean)",
    "arena_tuning": "step(tune(select(sim, {0, 1}), random), mean)",
}
"""What is run to compile a machine."""


class CompiledArena:
    """A game made ready for the machine."""

    def __init__(self, game: Domain) -> None:
        self.game = game
        kernels = kernels_of(game)
        assert kernels is not None
        self.kernels = kernels
        self.max_length, self.max_actions = game.length_bound, game.max_actions
        if self.max_actions < 1:
            raise DomainError(
                f"{type(game).__name__} has kernels but no max_actions; set it to the most actions a role can have"
            )
        self._machines: dict[Scope, Any] = {}
        self._lowered: dict[str, AdaptiveProgram] = {}

    def ready(self, initial: Any) -> Encoded:
        return checked_encoding(self.game, guarded(self.game, "encode", lambda: self.game.encode(initial)))

    def warm_up(self, ready: Encoded) -> None:
        self.machine(ready, "arena")

    def player(self, ready: Encoded, agent: Step, role: int, seed: int, limits: Limits) -> "CompiledPlayer":
        lowered = self.lowered(agent)
        machine = self.machine(ready, "arena_tuning" if lowered.tunes else "arena")
        return CompiledPlayer(self, machine, ready, lowered, role, seed, limits)

    def lowered(self, agent: Step) -> AdaptiveProgram:
        if agent.text not in self._lowered:
            self._lowered[agent.text] = lower_adaptive(agent, lower(agent), ())
        return self._lowered[agent.text]

    def machine(self, ready: Encoded, scope: Scope) -> Any:
        """The machine, compiled or loaded from the cache, so that this is not counted as search time."""
        if scope not in self._machines:
            machine = machine_for(self.kernels, scope)
            if sys.stderr.isatty() and not any(Path(machine.__file__).parent.rglob("*.nbi")):
                print("compiling the engine for this game, once", file=sys.stderr)
            agent = parse(SHORTEST[scope])
            assert isinstance(agent, Step)
            CompiledPlayer(self, machine, ready, self.lowered(agent), 0, 0, Limits(1)).search(Limits(1))
            self._machines[scope] = machine
        return self._machines[scope]


class CompiledPlayer:
    """An agent in one role of one match: the twin of `ReferencePlayer`."""

    def __init__(
        self,
        arena: CompiledArena,
        machine: Any,
        ready: Encoded,
        lowered: AdaptiveProgram,
        role: int,
        seed: int,
        limits: Limits,
    ) -> None:
        self.arena, self.machine, self.lowered, self.role, self.usual = arena, machine, lowered, role, limits
        self.roles = len(arena.game.roles)
        self.by_mean = lowered.settings[1, RULE] == MEAN
        self.problem, state = ready
        sizes = self.roles, arena.max_length, arena.max_actions
        self.scratch, self.written = new_scratch(lowered, *sizes, state, seed)
        self.known = new_knowledge(lowered, self.roles, arena.kernels.codes, FIRST_ENTRIES)
        self.tree = empty_joint_tree(self.roles, FIRST_NODES, FIRST_NODES * self.roles * arena.max_actions)
        self.drawing: dict[tuple[int, int], AnyTuner] = {}
        """the tuners that Python runs, by role and frame"""
        self.plans_ahead = True
        for number, frame in enumerate(lowered.tune_frames):
            for of_role in range(self.roles):
                self._start_tuner(number, frame, of_role)

    def _start_tuner(self, number: int, frame: int, role: int) -> None:
        """Draw what it draws before the match begins."""
        if tuner_of(self.known, role, frame).in_python:
            random = Random(int(self.scratch.random[0]))
            tune, space = self.lowered.tunes[number], self.lowered.spaces[number]
            self.drawing[role, frame] = make(tune.tuner, space, random)
            self.scratch.random[0] = random.state
        else:
            start(self.known.tuners, int(self.known.tuner_places[role, frame]), self.scratch.random)

    # What a player does.

    def search(self, limits: Limits) -> Searched:
        pace, numbers = Pace(limits.evaluations, limits.seconds), self.known.numbers
        numbers[EVALUATIONS] = numbers[SPENT] = numbers[NO_ROOM] = 0
        pause_at = pace.start()
        while pace.budget > 0:
            status = self._call(SEARCH, pace.budget, pause_at)
            if status == NEEDS_MEMORY:
                self._grow()
            elif status == NEEDS_CHOICE:
                self._choose()
            elif status == PAUSED:
                following = pace.pause(int(numbers[EVALUATIONS]), 0.0)
                numbers[SPENT] = following is None
                pause_at = following or 0
            else:
                self._raise_for(status)
                break
        self._require_intact()
        if self.plans_ahead and numbers[SIMULATIONS]:
            self._plan_ahead()
        return Searched(int(numbers[EVALUATIONS]), pace.elapsed, int(numbers[SIZE]), bool(numbers[NO_ROOM]))

    def commit(self) -> Any:
        tree, numbers, random = self.tree, self.known.numbers, Random(int(self.scratch.random[0]))
        root = int(numbers[ROOT])
        if root < 0:
            numbers[ROLE] = self.role
            self._call(LIST, 0, 0)
            n = int(numbers[NUMBER])
            self._require_count(n, self.role)
            actions = self.scratch.choices[:n].tolist()
            ties = list(range(n))
        else:
            counts = tree.nodes[root, COUNTS : COUNTS + self.roles]
            first, n = int(tree.nodes[root, FIRST_ARM] + counts[: self.role].sum()), int(counts[self.role])
            if n == 0:
                return int(tree.nodes[root, COUNTS + self.roles + self.role])
            actions = tree.arms[first : first + n, ACTION].tolist()
            visits, totals = tree.arms[first : first + n, ARM_VISITS].tolist(), tree.worths[first : first + n, TOTAL]
            statistics = {
                place: totals[place] / visits[place] if self.by_mean else visits[place]
                for place in range(n)
                if visits[place]
            }
            highest = max(statistics.values(), default=0)
            ties = [place for place, one in statistics.items() if one == highest] or list(range(n))
        if len(actions) == 1:
            return actions[0]
        place = ties[random.below(len(ties))]
        self.scratch.random[0] = random.state
        return actions[place]

    def advance(self, joint: tuple[Any, ...]) -> None:
        self.scratch.joint[:] = joint
        self._raise_for(self._call(ADVANCE, 0, 0))
        self._require_intact()

    def tunings(self) -> tuple[tuple[Tuning, ...], ...]:
        return tuple(
            tuple(self._report(number, frame, role) for number, frame in enumerate(self.lowered.tune_frames))
            for role in range(self.roles)
        )

    # Tuners.

    def _report(self, number: int, frame: int, role: int) -> Tuning:
        if (role, frame) in self.drawing:
            self._tell(role, frame)
            return self.drawing[role, frame].report()
        return report_of(self.lowered.tunes[number], self.lowered.spaces[number], tuner_of(self.known, role, frame))

    def _choose(self) -> None:
        """Let the tuner choose for which the machine has stopped, after telling it what came of its last choice."""
        role, frame = int(self.known.numbers[CHOOSING]), int(self.known.numbers[FRAME])
        self._tell(role, frame)
        tuner, state = self.drawing[role, frame], tuner_of(self.known, role, frame)
        tuner.random.state = int(self.scratch.random[0])
        self.known.settings[role, state.frame, state.column] = tuner.choose()
        self.scratch.random[0] = tuner.random.state
        state.ready = HAS_CHOSEN

    def _tell(self, role: int, frame: int) -> None:
        state = tuner_of(self.known, role, frame)
        if state.ready == TO_BE_TOLD:
            state.ready = 0
            self.drawing[role, frame].update((), state.rewards)
            state.rewards = 0.0

    def _plan_ahead(self) -> None:
        """After the first search, as in the reference engine."""
        self.plans_ahead = False
        simulations = int(self.known.numbers[SIMULATIONS])
        budget = simulations if self.usual.evaluations is None else self.usual.evaluations
        total = budget * (int(self.known.numbers[SIMULATION_STEPS]) / simulations)
        for frame in self.lowered.tune_frames:
            for role in range(self.roles):
                tuner = tuner_of(self.known, role, frame)
                tuner.expected = expected_choices(total, tuner.evaluations_spent / tuner.invocations, tuner.b)

    # The machine.

    def _call(self, command: int, budget: int, pause_at: int) -> int:
        return call_machine(
            self.arena.game,
            self.machine,
            command,
            self.tree,
            self.known,
            self.scratch,
            self.problem,
            budget,
            pause_at,
            self.arena.max_length,
            self.usual.max_nodes,
        )

    def _grow(self) -> None:
        """Room for what may come before the machine can stop again."""
        tree, known, numbers = self.tree, self.known, self.known.numbers
        nodes, arms, most = tree.key.shape[0], tree.arms.shape[0], self.roles * self.arena.max_actions
        if numbers[NODES] == nodes or numbers[ARMS] + most > arms:
            nodes = GROWTH * nodes if numbers[NODES] == nodes else nodes
            arms = max(GROWTH * arms, arms + most) if numbers[ARMS] + most > arms else arms
            self.tree = grown_joint_tree(tree, numbers, self.roles, nodes, arms)
            numbers[STALE] |= STALE_TREE
        taught = int(numbers[LENGTH]) * self.roles
        for name, needed, stale in (
            ("grams", int(numbers[LONGEST_GRAM]) * taught, STALE_GRAMS),
            ("history", taught, STALE_HISTORY),
            ("amaf", int(numbers[PATH_NODES]) * taught, STALE_AMAF),
        ):
            table: MeansTable = getattr(known, name)
            if (needed := needed + int(table.used[0])) > table.key.shape[0]:
                self.known = self.known._replace(**{name: grown_table(table, needed)})  # type: ignore[arg-type]
                numbers[STALE] |= stale
        known, entries = self.known, self.known.grams.key.shape[0]
        if len(known.followers) < entries:
            followers = np.zeros(entries, np.uint64)  # np.pad would write zeros, and so take all of that memory at once
            followers[: len(known.followers)] = known.followers
            self.known = known._replace(followers=followers)
        states = [tuner_of(self.known, role, frame) for frame in self.lowered.tune_frames for role in range(self.roles)]
        if any(state.arms == state.arm_room for state in states):
            tuners = [with_room_for_arms(in_own_array(state)) for state in states]
            self.known = with_tuners(self.known, self.lowered, tuners)
        if numbers[STALE]:
            self._call(REHASH, 0, 0)

    def _raise_for(self, status: int) -> None:
        game, numbers = self.arena.game, self.known.numbers
        number = int(numbers[NUMBER])
        if status == BAD_COUNT:
            self._require_count(number, int(numbers[ROLE]))
        self._require_intact()
        if status == TOO_LONG:
            raise too_many_steps(game)
        if status == NO_ACTIONS:
            raise no_actions_of(game, int(numbers[ROLE]))
        if status == BAD_REWARD:
            raise bad_rewards(game, self.scratch.rewards.tolist())
        if status == BAD_MOVER:
            raise bad_mover(game, number)
        if status == MANY_JOINTS:
            raise many_joints(game)

    def _require_count(self, n: int, role: int) -> None:
        if n == 0:
            raise no_actions_of(self.arena.game, role)
        if not 0 < n <= self.arena.max_actions:
            raise bad_count(self.arena.game, n)

    def _require_intact(self) -> None:
        """Raises for a kernel that wrote outside its arrays."""
        for (what, kernel), guarded_one in self.written.items():
            if not guarded_one.is_intact():
                raise wrote_outside(self.arena.game, what, kernel)

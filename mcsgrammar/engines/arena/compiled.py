"""The compiled engine of the arena, its Python side: hands the machine the arrays of a player, and reads them."""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from domains.errors import DomainError, UserError
from domains.protocol import Domain
from domains.randomness import Random
from mcsgrammar.engines.arena.guarded import bad_mover, bad_rewards, no_actions_of, too_many_steps
from mcsgrammar.engines.arena.players import Searched
from mcsgrammar.engines.compiled.adaptation import report_of
from mcsgrammar.engines.compiled.adaptive_layout import (
    LONGEST_GRAM,
    MEAN,
    NO_ROOM,
    RULE,
    SCORED_ACTIONS,
    AdaptiveProgram,
    column_of,
    lower_adaptive,
)
from mcsgrammar.engines.compiled.arena_layout import (
    ACTION,
    ADVANCE,
    ARM_VISITS,
    ARMS,
    BAD_MOVER,
    CHOOSING,
    CODES,
    COUNTS,
    EVALUATIONS,
    FIRST_ARM,
    FIRST_FRAME,
    FIRST_NODES,
    FRAME,
    LENGTH,
    LIST,
    NODES,
    NUMBER,
    PATH_NODES,
    PLAYER_NUMBERS,
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
    Knowledge,
    Scratch,
    empty_joint_tree,
    grown_joint_tree,
)
from mcsgrammar.engines.compiled.compiling import Scope, machine_for
from mcsgrammar.engines.compiled.driver import Encoded, call_machine, checked_encoding
from mcsgrammar.engines.compiled.guard_cells import guarded_array, guarded_states
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
from mcsgrammar.engines.compiled.means_kernels import MeansTable, empty_table, grown_table
from mcsgrammar.engines.guarding import bad_count, guarded, wrote_outside
from mcsgrammar.engines.pacing import Pace
from mcsgrammar.engines.results import Tuning
from mcsgrammar.engines.rules import UNSEEN
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.expressions import Step
from mcsgrammar.language.parsing import parse
from mcsgrammar.tuning.layout import new_tuner, with_room_for_arms
from mcsgrammar.tuning.making import expected_choices, make
from mcsgrammar.tuning.protocol import AnyTuner
from mcsgrammar.tuning.running_kernels import start
from mcsgrammar.tuning.state import HAS_CHOSEN, LISTS, PLACES, TO_BE_TOLD, TunerState

FIRST_ENTRIES = 256
NOT_YET_KNOWN = 2**62
"""How often a tuner will be asked, as long as it does not know; as good as for ever."""
MOST_JOINT_MOVES = 2**32
"""In a state: their numbers take half a key."""

SHORTEST: dict[Scope, str] = {
    "arena": "step(select(sim, 0.5), mean)",
    "arena_tuning": "step(tune(select(sim, {0, 1}), random), mean)",
}
"""What is run to compile a machine."""


class CompiledArena:
    """A game made ready for the machine."""

    def __init__(self, game: Domain) -> None:
        self.game = game
        kernels = guarded(game, "game_kernels", game.game_kernels)
        assert kernels is not None
        self.kernels = kernels
        self.max_length, self.max_actions = game.length_bound, game.max_actions
        if self.max_actions < 1:
            raise DomainError(
                f"{type(game).__name__} has kernels but no max_actions; set it to the most actions a role can have"
            )
        if self.max_actions ** len(game.roles) > MOST_JOINT_MOVES:
            raise UserError(
                f"{type(game).__name__} can have {self.max_actions} actions for each of {len(game.roles)} roles, and "
                "the compiled engine numbers 2^32 joint moves of a state; lower its max_actions, or use --engine "
                "reference"
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
        return CompiledPlayer(self, machine, ready, agent, lowered, role, seed, limits)

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
            CompiledPlayer(self, machine, ready, agent, self.lowered(agent), 0, 0, Limits(1)).search(Limits(1))
            self._machines[scope] = machine
        return self._machines[scope]


class CompiledPlayer:
    """An agent in one role of one match: the twin of `ReferencePlayer`."""

    def __init__(
        self,
        arena: CompiledArena,
        machine: Any,
        ready: Encoded,
        agent: Step,
        lowered: AdaptiveProgram,
        role: int,
        seed: int,
        limits: Limits,
    ) -> None:
        self.arena, self.machine, self.lowered, self.role, self.usual = arena, machine, lowered, role, limits
        self.roles = len(arena.game.roles)
        self.by_mean = lowered.settings[1, RULE] == MEAN
        self.problem, state = ready
        self._make_scratch(state)
        self._make_knowledge()
        self.tree = empty_joint_tree(self.roles, FIRST_NODES, max(4 * FIRST_NODES, self.roles * arena.max_actions))
        self.scratch.random[0] = seed
        self.drawing: dict[tuple[int, int], AnyTuner] = {}
        """the tuners that Python runs, by role and frame"""
        self.plans_ahead = True
        for number, frame in enumerate(lowered.tune_frames):
            for of_role in range(self.roles):
                self._start_tuner(number, frame, of_role)

    # The arrays.

    def _make_scratch(self, state: np.ndarray) -> None:
        roles, steps, actions = self.roles, self.arena.max_length, self.arena.max_actions
        frames = len(self.lowered.settings)
        longest = int(self.lowered.numbers[LONGEST_GRAM])
        states = guarded_states(3, len(state), state.dtype)
        choices, joint = guarded_array(actions, np.int32), guarded_array(roles, np.int32)
        rewards = guarded_array(roles, np.float64)
        self.guarded = {
            ("its state", "play"): states,
            ("the list of actions", "actions"): choices,
            ("the joint move", "play"): joint,
            ("the rewards", "rewards"): rewards,
        }
        """what kernels write or may write, each with the kernel that most likely went wrong there"""
        self.scratch = Scratch(
            state=states.array,
            random=np.zeros(1, np.uint64),
            choices=choices.array,
            joint=joint.array,
            rewards=rewards.array,
            sequence=np.zeros((roles, steps), np.int64),
            free=np.zeros(roles, np.int64),
            leaf_free=np.zeros(roles, np.int64),
            path=np.zeros(steps + 1, np.int64),
            chosen=np.zeros((steps, roles), np.int64),
            contexts=np.zeros((roles, longest + 1), np.int64),
            options=np.zeros(actions, np.int32),
            option_places=np.zeros(actions, np.int64),
            worths=np.zeros(actions),
            sums=np.zeros(actions),
            totals=np.zeros((frames, roles)),
            finals=np.zeros(frames, np.int64),
            left=np.zeros(frames, np.int64),
            factors=np.zeros(roles),
            tags=np.zeros(steps * roles, np.int64),
            tag_worths=np.zeros(steps * roles),
            starts=np.zeros(steps + 1, np.int64),
            last=np.zeros(steps * roles, np.bool_),
            seen=np.zeros(1 << (2 * steps * roles).bit_length(), np.int64),
        )
        self.scratch.state[0, 0] = state

    def _make_knowledge(self) -> None:
        lowered, roles = self.lowered, self.roles
        numbers = np.zeros(PLAYER_NUMBERS, np.int64)
        numbers[: len(lowered.numbers)] = lowered.numbers
        numbers[CODES] = self.arena.kernels.codes + 1
        numbers[ROOT] = -1
        numbers[FRAME] = FIRST_FRAME
        budget_of_tuners = [
            new_tuner(tune, space, lowered.parts, partial(column_of, features=()), None, None)
            for tune, space in zip(lowered.tunes, lowered.spaces, strict=True)
            for _ in range(roles)
        ]
        for tuner in budget_of_tuners:
            tuner.expected = NOT_YET_KNOWN
        self.known = Knowledge(
            op=lowered.program.op,
            repetitions=lowered.program.repetitions,
            frames=lowered.frames,
            settings=np.stack([lowered.settings] * roles),
            numbers=numbers,
            since_decay=np.zeros(roles, np.int64),
            grams=empty_table(FIRST_ENTRIES),
            scores=np.full(min(SCORED_ACTIONS, roles * int(numbers[CODES])), UNSEEN),
            history=empty_table(FIRST_ENTRIES),
            amaf=empty_table(FIRST_ENTRIES),
            tuner_places=np.zeros((roles, len(lowered.settings)), np.int64),
            tuners=np.zeros(0, np.int64),
        )
        self._lay_out(budget_of_tuners)

    def _lay_out(self, tuners: list[TunerState]) -> None:
        """Put the arrays of all tuners into one, role after role for each tune."""
        end, at = 0, iter(tuners)
        for frame in self.lowered.tune_frames:
            for role in range(self.roles):
                self.known.tuner_places[role, frame] = end
                end += len(next(at).array)
        joined = np.concatenate([np.zeros(0, np.int64), *(tuner.array for tuner in tuners)])
        self.known = self.known._replace(tuners=joined)

    def _tuner(self, role: int, frame: int) -> TunerState:
        return TunerState(self.known.tuners[self.known.tuner_places[role, frame] :])

    def _start_tuner(self, number: int, frame: int, role: int) -> None:
        """Draw what it draws before the match begins."""
        if self._tuner(role, frame).in_python:
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
        return report_of(self.lowered.tunes[number], self.lowered.spaces[number], self._tuner(role, frame))

    def _choose(self) -> None:
        """Let the tuner choose for which the machine has stopped, after telling it what came of its last choice."""
        role, frame = int(self.known.numbers[CHOOSING]), int(self.known.numbers[FRAME])
        self._tell(role, frame)
        tuner, state = self.drawing[role, frame], self._tuner(role, frame)
        tuner.random.state = int(self.scratch.random[0])
        self.known.settings[role, state.frame, state.column] = tuner.choose()
        self.scratch.random[0] = tuner.random.state
        state.ready = HAS_CHOSEN

    def _tell(self, role: int, frame: int) -> None:
        state = self._tuner(role, frame)
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
                tuner = self._tuner(role, frame)
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
            nodes = 2 * nodes if numbers[NODES] == nodes else nodes
            arms = max(2 * arms, arms + most) if numbers[ARMS] + most > arms else arms
            self.tree = grown_joint_tree(tree, self.roles, nodes, arms)
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
        states = [self._tuner(role, frame) for frame in self.lowered.tune_frames for role in range(self.roles)]
        if any(state.arms == state.arm_room for state in states):
            self._lay_out([with_room_for_arms(_own_array(state)) for state in states])
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

    def _require_count(self, n: int, role: int) -> None:
        if n == 0:
            raise no_actions_of(self.arena.game, role)
        if not 0 < n <= self.arena.max_actions:
            raise bad_count(self.arena.game, n)

    def _require_intact(self) -> None:
        """Raises for a kernel that wrote outside its arrays."""
        for (what, kernel), guarded_one in self.guarded.items():
            if not guarded_one.is_intact():
                raise wrote_outside(self.arena.game, what, kernel)


def _own_array(state: TunerState) -> TunerState:
    """The tuner in an array of its own."""
    last = list(LISTS)[-1]
    length = int(state.array[PLACES[last]]) + getattr(state, LISTS[last][1])
    return TunerState(state.array[:length].copy())

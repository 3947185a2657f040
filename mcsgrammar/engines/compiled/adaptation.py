"""The Python side of the compiled engine's adaptive parts: their arrays, kept large enough, and what they report."""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from domains.randomness import Random
from mcsgrammar.engines.compiled.adaptive_layout import (
    DIRECT_ACTIONS,
    ENTRIES,
    LEAF,
    LONGEST_GRAM,
    MAY_WAIT,
    MOVE_DECAY,
    NEED,
    NO_ROOM,
    OUTERMOST_STEP,
    SLACK,
    TUNER,
    UNTRIED_ARE,
    Adaptive,
    AdaptiveProgram,
    column_of,
    new_direct,
    new_statistics,
)
from mcsgrammar.engines.compiled.amaf_kernels import add_all_waiting
from mcsgrammar.engines.compiled.frequent_kernels import UNKNOWN, empty_frequent
from mcsgrammar.engines.compiled.kept_trees import KeptTrees
from mcsgrammar.engines.compiled.layout import SPARE_NODES, Tree
from mcsgrammar.engines.compiled.means_kernels import ACTION_BITS, COUNT, NODE_SHIFT, MeansTable, grown_table, refill
from mcsgrammar.engines.compiled.waiting_layout import MOST_ENTRIES, ROWS_LACK, empty_waiting, grown_waiting
from mcsgrammar.engines.results import RunResult, Tuning, Used
from mcsgrammar.language.expressions import Tune
from mcsgrammar.tuning.layout import new_tuner, with_room_for_arms
from mcsgrammar.tuning.making import DEFINITIONS, make
from mcsgrammar.tuning.protocol import AnyTuner
from mcsgrammar.tuning.running_kernels import start
from mcsgrammar.tuning.space import Space
from mcsgrammar.tuning.state import HAS_CHOSEN, TO_BE_TOLD, TunerState

if TYPE_CHECKING:
    from mcsgrammar.engines.compiled.workspace import Workspace


class Statistics:
    """The tables and scratch of one thread, used again for run after run."""

    def __init__(self, max_length: int, max_actions: int) -> None:
        self.max_length = max_length
        self.grams, self.history, self.amaf = new_statistics()
        self.direct = new_direct(max_actions, max_length)
        self.frequent = empty_frequent(len(self.grams.key))
        self.top = np.empty((0, 2))
        self.worths = np.empty(max_actions + SPARE_NODES)
        self.last = np.zeros(max_length, np.bool_)
        self.waiting = empty_waiting(max_length)
        self.seen = np.zeros(1 << (2 * max_length).bit_length(), np.int64)
        refill(self.grams.slots, len(self.grams.slots) - 1, self.grams.key, 0)  # compiled before the clock starts

    def clear(self) -> None:
        keys = self.grams.key[: self.grams.used[0]]
        direct = keys[keys < DIRECT_ACTIONS]
        self.frequent.bits[: len(keys)] = self.frequent.about[: len(keys)] = 0
        self.frequent.kmin[0] = UNKNOWN
        self.direct.worth[direct] = self.direct.entry[direct] = self.direct.tau[0] = 0
        for table in (self.grams, self.history, self.amaf):
            if table.used[0]:
                table.slots[:] = 0
                table.used[0] = 0
        self.waiting.used[:] = 0
        self.seen[:] = self.waiting.stamps[:] = 0  # marks count from 1 in every run

    def make_room(self, longest_gram: int, amaf: int) -> None:
        """For all that the next final state may teach, and for that many more entries of AMAF."""
        self.grams = _with_room(self.grams, longest_gram * self.max_length)
        if len(self.frequent.about) < len(self.grams.key):
            self.frequent = empty_frequent(len(self.grams.key))
        self.history = _with_room(self.history, self.max_length)
        self.amaf = _with_room(self.amaf, amaf)


class Adaptation:
    """One run of an adaptive expression."""

    def __init__(self, statistics: Statistics, lowered: AdaptiveProgram, budget: int | None) -> None:
        self.statistics = statistics
        self.lowered = lowered
        self.program = lowered.program._replace(repetitions=lowered.program.repetitions.copy())
        self.settings = lowered.settings.copy()
        self.frames = lowered.frames.copy()
        self.numbers = lowered.numbers.copy()
        longest = int(self.numbers[LONGEST_GRAM])
        self.numbers[MAY_WAIT] = 1
        self.numbers[UNTRIED_ARE] = LEAF
        self.numbers[SLACK] = (statistics.max_length + 1) * (2 * len(statistics.worths) + 2 * longest + 4)
        self.contexts = np.zeros(longest + 1, np.int64)
        self._lay_out(
            [
                new_tuner(
                    tune, space, lowered.parts, partial(column_of, features=lowered.features), budget, evaluations
                )
                for tune, space, evaluations in zip(lowered.tunes, lowered.spaces, lowered.evaluations, strict=True)
            ]
        )
        self.drawing: dict[int, AnyTuner] = {}
        """the tuners that Python runs, by their frames"""
        statistics.clear()

    def _lay_out(self, tuners: list[TunerState]) -> None:
        """Put the arrays of all tuners into one."""
        end = 0
        for frame, tuner in zip(self.lowered.tune_frames, tuners, strict=True):
            self.frames[frame, TUNER] = end
            end += len(tuner.array)
        self.tuners = np.concatenate([np.zeros(0, np.int64), *(tuner.array for tuner in tuners)])

    def _tuner(self, frame: int) -> TunerState:
        return TunerState(self.tuners[self.frames[frame, TUNER] :])

    @property
    def arrays(self) -> Adaptive:
        s = self.statistics
        return Adaptive(
            settings=self.settings,
            frames=self.frames,
            numbers=self.numbers,
            top=s.top,
            grams=s.grams,
            direct=s.direct,
            frequent=s.frequent,
            history=s.history,
            amaf=s.amaf,
            waiting=s.waiting,
            contexts=self.contexts,
            worths=s.worths,
            last=s.last,
            seen=s.seen,
            tuners=self.tuners,
        )

    def start(self, workspace: "Workspace") -> None:
        """Draw what the tuners draw before the search begins."""
        for frame, tune, space in zip(self.lowered.tune_frames, self.lowered.tunes, self.lowered.spaces, strict=True):
            if self._tuner(frame).in_python:
                random = Random(int(workspace.run.random[0]))
                tuner = make(tune.tuner, space, random)
                self.drawing[frame] = tuner
                workspace.run.random[0] = random.state
            else:
                start(self.tuners, self.frames[frame, TUNER], workspace.run.random)

    def leave_steps_to_the_world(self) -> None:
        """In a game it plays the outermost step, so that no other brings a decay."""
        self.numbers[OUTERMOST_STEP] = -1

    def add_what_waits(self, tree: Tree, nodes: int, max_nodes: int) -> None:
        """Bring the means of all nodes up to date, for trees that are to be kept."""
        s = self.statistics
        if s.waiting.used[MOST_ENTRIES]:
            s.amaf = _with_room(s.amaf, int(s.waiting.used[MOST_ENTRIES]))
            add_all_waiting(s.amaf, s.waiting, self.numbers, tree.visits, nodes, max_nodes - nodes)

    def begin_again(self, kept: KeptTrees | None) -> None:
        """Another search of the same game: trees are new but for those kept, and what was kept by their nodes; a decay
        comes with every action that the game plays."""
        s = self.statistics
        decay = self.settings[-1, MOVE_DECAY]
        if self.numbers[LONGEST_GRAM] and decay != 1:
            used = int(s.grams.used[0])
            s.grams.numbers[:used, COUNT] *= decay
            gone = s.grams.key[:used][s.grams.numbers[:used, COUNT] == 0]
            s.direct.worth[gone[gone < DIRECT_ACTIONS]] = 0
            s.frequent.kmin[0] = UNKNOWN
        if s.amaf.used[0]:
            _keep_those_below(s.amaf, kept)
        if kept is not None:
            s.top[kept.places] = s.top[kept.numbers]
            s.waiting.latest[kept.places] = 0
            if ((kept.nodes.visits == 0) & (kept.nodes.children > 0)).any():
                self.numbers[UNTRIED_ARE] = 0
        s.waiting.used[:] = 0
        s.waiting.used[ROWS_LACK] = s.amaf.used[0] > 0
        self.numbers[MAY_WAIT] = 1
        self.numbers[ENTRIES] = s.grams.used[0] + s.history.used[0] + s.amaf.used[0]
        self.numbers[NO_ROOM] = self.numbers[NEED] = 0

    def ready(self, workspace: "Workspace") -> Adaptive:
        """The arrays, with room for what may come before the machine can stop again."""
        s = self.statistics
        if s.top.shape[0] < workspace.tree.action.shape[0]:
            top = np.empty((workspace.tree.action.shape[0], 2))
            top[: s.top.shape[0]] = s.top
            s.top = top
        s.waiting = grown_waiting(s.waiting, workspace.tree.action.shape[0], s.max_length)
        s.make_room(int(self.numbers[LONGEST_GRAM]), int(self.numbers[NEED]))
        tuners = [self._tuner(frame) for frame in self.lowered.tune_frames]
        if any(tuner.arms == tuner.arm_room for tuner in tuners):
            self._lay_out([with_room_for_arms(tuner) for tuner in tuners])
        return self.arrays

    def choose(self, workspace: "Workspace") -> None:
        """Let the tuner choose for which the machine has stopped, after telling it what came of its last choice."""
        frame = int(workspace.run.frame[0])
        self._tell(frame)
        tuner, state = self.drawing[frame], self._tuner(frame)
        tuner.random.state = int(workspace.run.random[0])
        self.settings[state.frame, state.column] = tuner.choose()
        workspace.run.random[0] = tuner.random.state
        state.ready = HAS_CHOSEN

    def _tell(self, frame: int) -> None:
        state = self._tuner(frame)
        if state.ready == TO_BE_TOLD:
            state.ready = 0
            self.drawing[frame].update((), state.rewards)
            state.rewards = 0.0

    def completed(self, result: RunResult) -> RunResult:
        """The result with what the tuners did."""
        for frame in self.drawing:
            self._tell(frame)
        reports = tuple(map(self._report, range(len(self.lowered.tunes))))
        return replace(result, tree_full=result.tree_full or bool(self.numbers[NO_ROOM]), tunings=reports)

    def _report(self, number: int) -> Tuning:
        space, frame = self.lowered.spaces[number], self.lowered.tune_frames[number]
        if frame in self.drawing:
            return self.drawing[frame].report()
        return report_of(self.lowered.tunes[number], space, self._tuner(frame))


def report_of(tune: Tune, space: Space, state: TunerState) -> Tuning:
    """What a compiled tuner did."""
    told = _told(state)
    best = DEFINITIONS[type(tune.tuner)].best_of_twin(state)
    if best is None and len(told.keys):
        best = int(told.keys[np.argmax(told.totals / told.visits)])
    chosen = None if best is None else space.values(space.combination(best))
    return Tuning(space.names, int(told.visits.sum()), chosen, lambda: _used(space, told))


class Told(NamedTuple):
    """The combinations that a tuner was told about, in the order in which it was told of them first."""

    keys: np.ndarray
    visits: np.ndarray
    totals: np.ndarray


def _told(tuner: TunerState) -> Told:
    since = tuner.arm_since[: tuner.arms]
    order = np.argsort(since, kind="stable")[int((since < 0).sum()) :]  # mab has arms that it was not told about
    return Told(tuner.arm_key[order], tuner.arm_visits[order], tuner.arm_total[order])


def _used(space: Space, told: Told) -> Used:
    rows = zip(told.keys.tolist(), told.visits.tolist(), told.totals.tolist(), strict=True)
    used = [(space.values(space.combination(key)), visits, total / visits) for key, visits, total in rows]
    return tuple(sorted(used, key=lambda one: -one[1]))  # stable


def _keep_those_below(amaf: MeansTable, kept: KeptTrees | None) -> None:
    """Leave in the table what belongs to nodes that are kept, by their new numbers."""
    used, left = int(amaf.used[0]), 0
    if kept is not None:
        nodes = amaf.key[:used] >> NODE_SHIFT
        renamed = np.full(max(int(nodes.max()), int(kept.numbers.max(initial=0))) + 1, -1, np.int64)
        renamed[kept.numbers] = kept.places
        stay = np.flatnonzero(renamed[nodes] >= 0)
        left = len(stay)
        amaf.numbers[:left] = amaf.numbers[stay]
        amaf.key[:left] = (renamed[nodes[stay]] << NODE_SHIFT) | (amaf.key[stay] & ACTION_BITS)
    amaf.slots[:] = 0
    amaf.used[0] = left
    refill(amaf.slots, len(amaf.slots) - 1, amaf.key, left)


def _with_room(table: MeansTable, entries: int) -> MeansTable:
    needed = int(table.used[0]) + entries
    if needed <= table.key.shape[0]:
        return table
    larger = grown_table(table, needed)
    refill(larger.slots, len(larger.slots) - 1, larger.key, int(larger.used[0]))
    return larger

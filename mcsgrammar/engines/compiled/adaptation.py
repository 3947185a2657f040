"""The Python side of the compiled engine's adaptive parts: their arrays, kept large enough, and what they report."""

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from domains.randomness import Random
from mcsgrammar.engines.compiled.adaptive_layout import (
    LONGEST_GRAM,
    NEED,
    NO_ROOM,
    SCORED_ACTIONS,
    TUNER_REAL,
    TUNER_WHOLE,
    Adaptive,
    AdaptiveProgram,
    column_of,
    new_statistics,
)
from mcsgrammar.engines.compiled.layout import Program
from mcsgrammar.engines.compiled.means_kernels import Table, grown_table, refill
from mcsgrammar.engines.results import RunResult, Tuning, Used
from mcsgrammar.engines.rules import UNSEEN
from mcsgrammar.tuning import kernels as tuning
from mcsgrammar.tuning.cma_es import CmaesTuner
from mcsgrammar.tuning.layout import (
    ARM_KEY,
    ARM_ROOM,
    ARM_SINCE,
    ARM_SLOTS,
    ARM_TOTAL,
    ARM_VISITS,
    ARMS,
    COLUMN,
    COUNT,
    FRAME,
    KIND,
    PHASE,
    READY,
    REWARDS,
    T_CMAES,
    T_LSI,
    WORK_KEY,
    WORK_TOTAL,
    WORK_VISITS,
    new_tuner,
    section,
    with_more_arms,
)
from mcsgrammar.tuning.making import make
from mcsgrammar.tuning.space import Space

if TYPE_CHECKING:
    from mcsgrammar.engines.compiled.driver import Workspace


class Statistics:
    """The tables and scratch of one thread, used again for run after run."""

    def __init__(self, max_length: int, max_actions: int) -> None:
        self.max_length = max_length
        self.grams, self.history, self.amaf = new_statistics()
        self.scores = np.full(SCORED_ACTIONS, UNSEEN)
        self.top = np.empty(0)
        self.worths = np.empty(max_actions)
        self.options = np.empty(max_actions, np.int32)
        self.places = np.empty(max_actions, np.int64)
        self.last = np.zeros(max_length, np.bool_)
        self.seen = np.zeros(1 << (2 * max_length).bit_length(), np.int64)

    def clear(self) -> None:
        keys = self.grams.key[: self.grams.used[0]]
        self.scores[keys[keys < SCORED_ACTIONS]] = UNSEEN
        for table in (self.grams, self.history, self.amaf):
            if table.used[0]:
                table.slots[:] = 0
                table.used[0] = 0
        self.seen[:] = 0  # marks count from 1 in every run


class Adaptation:
    """One run of an adaptive expression."""

    def __init__(self, statistics: Statistics, lowered: AdaptiveProgram, budget: int | None) -> None:
        self.statistics = statistics
        self.lowered = lowered
        self.program = Program(lowered.program.op, lowered.program.repetitions.copy(), lowered.program.c)
        self.settings = lowered.settings.copy()
        self.frames = lowered.frames.copy()
        self.numbers = lowered.numbers.copy()
        self.contexts = np.zeros(int(self.numbers[LONGEST_GRAM]) + 1, np.int64)
        self._lay_out(
            [
                new_tuner(tune, space, lowered.parts, column_of, budget, evaluations)
                for tune, space, evaluations in zip(lowered.tunes, lowered.spaces, lowered.evaluations, strict=True)
            ]
        )
        self.drawing: dict[int, CmaesTuner] = {}
        """the tuners that Python runs, by their frames"""
        statistics.clear()

    def _lay_out(self, tuners: list[tuple[np.ndarray, np.ndarray]]) -> None:
        """Put the arrays of all tuners into two."""
        whole_at = real_at = 0
        for frame, (whole, real) in zip(self.lowered.tune_frames, tuners, strict=True):
            self.frames[frame, TUNER_WHOLE], self.frames[frame, TUNER_REAL] = whole_at, real_at
            whole_at, real_at = whole_at + len(whole), real_at + len(real)
        self.whole = np.concatenate([whole for whole, _ in tuners] or [np.zeros(1, np.int64)])
        self.real = np.concatenate([real for _, real in tuners] or [np.zeros(1)])

    def _tuner(self, frame: int) -> tuple[np.ndarray, np.ndarray]:
        """The arrays of one tuner; behind them lie those of the next."""
        return self.whole[self.frames[frame, TUNER_WHOLE] :], self.real[self.frames[frame, TUNER_REAL] :]

    @property
    def arrays(self) -> Adaptive:
        s = self.statistics
        return Adaptive(
            settings=self.settings,
            frames=self.frames,
            numbers=self.numbers,
            top=s.top,
            grams=s.grams,
            scores=s.scores,
            history=s.history,
            amaf=s.amaf,
            contexts=self.contexts,
            worths=s.worths,
            options=s.options,
            places=s.places,
            last=s.last,
            seen=s.seen,
            whole=self.whole,
            real=self.real,
        )

    def start(self, workspace: "Workspace") -> None:
        """Draw what the tuners draw before the search begins."""
        for frame, tune, space in zip(self.lowered.tune_frames, self.lowered.tunes, self.lowered.spaces, strict=True):
            w, r = self._tuner(frame)
            if w[KIND] == T_CMAES:
                random = Random(int(workspace.run.random[0]))
                tuner = make(tune.tuner, space, random)
                assert isinstance(tuner, CmaesTuner)
                self.drawing[frame] = tuner
                workspace.run.random[0] = random.state
            else:
                tuning.start(w, r, workspace.run.random)

    def ready(self, workspace: "Workspace") -> Adaptive:
        """The arrays, with room for what may come before the machine can stop again."""
        s = self.statistics
        if s.top.shape[0] < workspace.tree.action.shape[0]:
            top = np.empty(workspace.tree.action.shape[0])
            top[: s.top.shape[0]] = s.top
            s.top = top
        s.grams = _with_room(s.grams, int(self.numbers[LONGEST_GRAM]) * s.max_length)
        s.history = _with_room(s.history, s.max_length)
        s.amaf = _with_room(s.amaf, int(self.numbers[NEED]))
        if any(w[ARMS] == w[ARM_ROOM] for w, _ in map(self._tuner, self.lowered.tune_frames)):
            self._lay_out([with_more_arms(*self._tuner(frame)) for frame in self.lowered.tune_frames])
            for frame in self.lowered.tune_frames:
                w, _ = self._tuner(frame)
                refill(section(w, w, ARM_SLOTS), 2 * w[ARM_ROOM] - 1, section(w, w, ARM_KEY), w[ARMS])
        return self.arrays

    def choose(self, workspace: "Workspace") -> None:
        """Let the tuner choose for which the machine has stopped, after telling it what came of its last choice."""
        frame = int(workspace.run.frame[0])
        self._tell(frame)
        tuner, (w, _) = self.drawing[frame], self._tuner(frame)
        tuner.random.state = int(workspace.run.random[0])
        for parameter, value in enumerate(tuner.choose()):
            self.settings[w[w[FRAME] + parameter], w[w[COLUMN] + parameter]] = value
        workspace.run.random[0] = tuner.random.state
        w[READY] = 1

    def _tell(self, frame: int) -> None:
        w, r = self._tuner(frame)
        if w[READY] == 2:
            w[READY] = 0
            self.drawing[frame].update((), float(r[REWARDS]))
            r[REWARDS] = 0.0

    def completed(self, result: RunResult) -> RunResult:
        """The result with what the tuners did."""
        for frame in self.drawing:
            self._tell(frame)
        reports = tuple(map(self._report, range(len(self.lowered.tunes))))
        return replace(result, tree_full=result.tree_full or bool(self.numbers[NO_ROOM]), tunings=reports)

    def _report(self, number: int) -> Tuning:
        space, frame = self.lowered.spaces[number], self.lowered.tune_frames[number]
        names = tuple(str(parameter) for parameter in space.parameters)
        if frame in self.drawing:
            tuner = self.drawing[frame]
            return Tuning(names, tuner.told_count, tuner.best(), ())
        w, r = self._tuner(frame)
        told = _told(w, r)
        best = best_key(w, r, told)
        chosen = None if best is None else space.values(space.combination(best))
        return Tuning(names, int(told.visits.sum()), chosen, lambda: _used(space, told))


class Told(NamedTuple):
    """The combinations that a tuner was told about, in the order in which it was told of them first."""

    keys: np.ndarray
    visits: np.ndarray
    totals: np.ndarray


def _told(w: np.ndarray, r: np.ndarray) -> Told:
    arms = int(w[ARMS])
    since = section(w, w, ARM_SINCE)[:arms]
    order = np.argsort(since, kind="stable")[int((since < 0).sum()) :]  # mab has arms that it was not told about
    columns = (section(w, w, ARM_KEY), section(w, w, ARM_VISITS), section(r, w, ARM_TOTAL))
    return Told(*(column[:arms][order] for column in columns))


def _used(space: Space, told: Told) -> Used:
    rows = zip(told.keys.tolist(), told.visits.tolist(), told.totals.tolist(), strict=True)
    used = [(space.values(space.combination(key)), visits, total / visits) for key, visits, total in rows]
    return tuple(sorted(used, key=lambda one: -one[1]))  # stable


def best_key(w: np.ndarray, r: np.ndarray, told: Told) -> int | None:
    """The combination that `best` of the tuner names."""
    if w[KIND] == T_LSI:
        if w[PHASE] == tuning.DECIDED:
            return int(w[w[WORK_KEY]])
        if w[PHASE] == tuning.EVALUATING:
            visits, total, keys = section(w, w, WORK_VISITS), section(r, w, WORK_TOTAL), section(w, w, WORK_KEY)
            evaluated = [place for place in range(w[COUNT]) if visits[place]]
            if evaluated:
                return int(keys[max(evaluated, key=lambda place: total[place] / visits[place])])
    return int(told.keys[np.argmax(told.totals / told.visits)]) if len(told.keys) else None


def _with_room(table: Table, entries: int) -> Table:
    needed = int(table.used[0]) + entries
    if needed <= table.key.shape[0]:
        return table
    larger = grown_table(table, needed)
    refill(larger.slots, len(larger.slots) - 1, larger.key, int(larger.used[0]))
    return larger

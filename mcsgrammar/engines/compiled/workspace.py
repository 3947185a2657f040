"""The arrays of one run of the machine: made, cleared, made larger, and read."""

import numpy as np

from mcsgrammar.engines.compiled.guard_cells import guarded_array, guarded_states
from mcsgrammar.engines.compiled.kept_trees import KeptTrees
from mcsgrammar.engines.compiled.layout import (
    ADAPT,
    PLAYS_SO_FAR,
    SELECT,
    Frames,
    Program,
    Run,
    empty_tree,
    grown_tree,
    own_arrays,
)
from mcsgrammar.engines.compiled.learning_layout import Learning, forget_all
from mcsgrammar.engines.pacing import Pace
from mcsgrammar.engines.results import RunResult, curve_points
from mcsgrammar.engines.rules import FOR_EVER

SMALLEST_TREE = 4096


class Workspace:
    """The arrays for expressions of one length on one domain, used again for run after run."""

    def __init__(self, frames: int, dtype: np.dtype, state_length: int, max_length: int, max_actions: int) -> None:
        points = []
        for point in curve_points():
            if point >= FOR_EVER:
                break
            points.append(point)
        self.points = np.array([*points, FOR_EVER], np.int64)
        states = guarded_states(frames + 1, state_length, dtype)
        choices, sequence = guarded_array(max_actions, np.int32), guarded_array(max_length, np.int32)
        random = guarded_array(1, np.uint64)
        self.guarded = {
            ("its state", "play"): states,
            ("the list of actions", "actions"): choices,
            ("the sequence", "playout"): sequence,
            ("the generator's state", "playout"): random,
        }
        """what kernels write, each with the kernel that most likely went wrong there"""
        self.frames = Frames(
            state=states.array,
            length=np.zeros(frames, np.int64),
            counter=np.zeros(frames, np.int64),
            best=np.zeros(frames, np.float64),
            best_length=np.zeros(frames, np.int64),
            best_sequence=np.zeros((frames, max_length), np.int32),
        )
        self.own = own_arrays(frames, max_length, max_actions, ())
        self.tree = empty_tree(max(SMALLEST_TREE, 2 * max_actions))
        self.run = Run(
            random=random.array,
            sequence=sequence.array,
            choices=choices.array,
            frame=np.zeros(1, np.int64),
            evaluations=np.zeros(1, np.int64),
            plays=np.zeros(2, np.int64),
            best=np.zeros(1, np.float64),
            reward=np.zeros(1, np.float64),
            number=np.zeros(1, np.int64),
            nodes=np.zeros(1, np.int64),
            tree_full=np.zeros(1, np.int64),
            curve_at=self.points,
            curve=np.zeros(len(self.points), np.float64),
            curve_length=np.zeros(1, np.int64),
        )

    def prepare(self, learning: Learning | tuple[()]) -> None:
        """Take what is learnt into its arrays, cleared."""
        if isinstance(learning, Learning):
            forget_all(learning)
        self.own = self.own._replace(adapt=learning)

    def reset(self, program: Program, state: np.ndarray, seed: int) -> None:
        frames, run = self.frames, self.run
        frames.state[0, 0] = state
        frames.length[0] = 0
        frames.counter[0] = FOR_EVER
        frames.best[0] = -np.inf
        frames.best_length[0] = 0
        self.own.select.path_length[:] = 0
        run.random[0] = seed
        run.plays[PLAYS_SO_FAR] = 0
        run.frame[0] = run.evaluations[0] = run.tree_full[0] = run.curve_length[0] = 0
        run.best[0] = -np.inf
        # One root a select. Plain loops: these arrays are shorter than a call into NumPy is long.
        roots = 0
        for frame, op in enumerate(program.op.tolist()):
            if op == SELECT:
                self.own.select.path[frame, 0] = roots
                roots += 1
        if self.tree.action.shape[0] < roots:
            self.tree = empty_tree(2 * roots)
        tree = self.tree
        for root in range(roots):
            tree.visits[root] = tree.total[root] = tree.descents[root] = tree.children[root] = 0
            tree.next[root, 0] = tree.next[root, 1] = 0
            tree.mean[root], tree.spread[root] = np.inf, 1.0
        run.nodes[0] = roots

    def plant(self, kept: KeptTrees) -> None:
        """Trees that are kept, in place of the roots that `reset` has made."""
        for array, nodes in zip(self.tree, kept.nodes, strict=True):
            array[kept.places] = nodes
        self.run.nodes[0] = kept.size

    def grow(self, max_nodes: int) -> None:
        """Twice the nodes, if they are what is short, but never more than max_nodes and the scratch for one more
        expansion."""
        capacity = self.tree.action.shape[0]
        room = self.run.choices.shape[0]
        if self.run.nodes[0] + room <= capacity:
            return
        self.tree = grown_tree(self.tree, max(capacity + room, min(2 * capacity, max_nodes + room)))

    def result(self, pace: Pace, interrupted: bool, program: Program) -> RunResult:
        """Reads the best so far out of the frames, wherever the machine stopped."""
        seconds = pace.elapsed
        frames, run = self.frames, self.run
        evaluations = int(run.evaluations[0])
        holder = int(run.frame[0])
        for outer in range(
            holder - 1, -1, -1
        ):  # what each would hand to the next now; only adapt keeps the last of equals
            if frames.best[outer] > frames.best[holder] or (
                frames.best[outer] == frames.best[holder] and program.op[outer] != ADAPT
            ):
                holder = outer
        best = float(frames.best[holder])
        sequence = frames.best_sequence[holder, : frames.best_length[holder]].tolist() if evaluations else []
        noted = int(run.curve_length[0])
        curve = list(zip(run.curve_at[:noted].tolist(), run.curve[:noted].tolist(), strict=True))
        if evaluations and (not curve or curve[-1][0] != evaluations):
            curve.append((evaluations, best))
        return RunResult(
            reward=best if evaluations else None,
            actions=tuple(sequence),
            evaluations=evaluations,
            stop_reason="interrupted" if interrupted else pace.stop_reason,
            curve=tuple(curve),
            tree_nodes=int(run.nodes[0]),
            tree_full=bool(run.tree_full[0]) or (isinstance(self.own.adapt, Learning) and bool(self.own.adapt.room[1])),
            seconds=seconds,
        )

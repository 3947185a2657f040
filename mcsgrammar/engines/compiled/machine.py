"""The compiled engine: one loop that runs any expression on one domain.

An expression is a chain, each component with at most one inside it, so the index of a component is also the index of
its frame: the machine needs no call stack. Frame 0 repeats the whole expression for ever; frame `last` would be the
innermost `simulate`, which is run in place and needs no frame.

This file and those before it, `machine_weights.py`, `machine_playouts.py`, `machine_select.py` and
`machine_components.py`, are a template. `compiling.py` runs it once for every domain, with that domain's rules placed
in `KERNELS`, and keeps what Numba makes of it in the cache folder, under a name that says which rules these are; so the
rules are compiled into the loop, and nothing is compiled per expression. There are three machines for a domain, each
with all that the one before it has: plain ones; what stands under `if LEARNS`, which is for `adapt`; what stands under
`if ADAPTIVE`, which is for policies, statistics and tuners. The compiler leaves out what a machine has no use for, and
is done with the first in a third of the time that it takes for the last. All are twins of
`reference/interpreter.py`, which is the definition: same draws, same evaluations, same results, bit for bit.

Everything the loop knows is in the arrays it is handed. It can stop after any evaluation and be called again: to
report progress, to look at the clock, or because the tree needs larger arrays.

Glossary
    frame      what one running invocation of a component has: its state, its prefix length, its best so far
    prefix     the actions that lead to a frame's state; the prefixes of all frames are beginnings of one `sequence`
    fold       hand a frame's best to the frame around it
    path       the nodes from the root of a select's tree to the leaf of its current invocation
"""

import numpy as np

from domains.kernels import Kernels, njit
from domains.scratch import unowned
from mcsgrammar.engines.compiled.layout import (
    ADAPT,
    BAD_REWARD,
    BUDGET_SPENT,
    FINISHED,
    NEEDS_MEMORY,
    PAUSED,
    RUN,
    YIELDED,
    Frames,
    Own,
    Program,
    Run,
    Tree,
)

KERNELS: Kernels  # placed here before this file runs, as is
LEARNS: bool
ADAPTIVE: bool
if ADAPTIVE:
    from mcsgrammar.engines.compiled.adaptive_layout import (
        KEEPS_HISTORY,
        LONGEST_GRAM,
    )
    from mcsgrammar.engines.compiled.policy_kernels import (
        learn,
    )


@njit
def run_machine(
    program: Program,
    frames: Frames,
    own: Own,
    tree: Tree,
    run: Run,
    adaptive,
    problem,
    budget,
    pause_at,
    max_length,
    max_nodes,
    maes2013,
):
    """Search until `budget` or `pause_at` evaluations; returns why it stopped (see `layout.py`). `adaptive` are the
    arrays of `adaptive_layout.py` in the machine that has a use for them."""
    # Views that count no references: counting makes select on regression twice as slow, and costs all a little.
    frames, own, tree, run, problem = unowned(frames), unowned(own), unowned(tree), unowned(run), unowned(problem)
    if ADAPTIVE:
        adaptive = unowned(adaptive)
    frame = np.int64(run.frame[0])
    evaluations = np.int64(run.evaluations[0])
    over_at_once = is_final(frames.state[0, 0], problem)
    simulate_frame = program.op.shape[0] - 1
    next_stop = min(np.int64(budget), np.int64(pause_at), np.int64(run.curve_at[run.curve_length[0]]))

    while True:
        outcome = go_on(
            program,
            frames,
            own,
            tree,
            run,
            adaptive,
            problem,
            frame,
            evaluations,
            budget,
            max_length,
            max_nodes,
            simulate_frame,
            maes2013,
        )
        if outcome == FINISHED:  # go on in the frame around
            fold(program, frames, own, frame)
            frame -= 1
            continue

        child = frame + 1
        if outcome == RUN:
            if over_at_once:  # then no other frame is ever entered
                outcome = YIELDED
            elif child == simulate_frame:
                outcome = simulate(program, frames, own, run, adaptive, problem, child, max_length)
            else:
                frame = child
                outcome = enter(program, frames, own, run, problem, frame)
                if outcome == RUN:
                    continue
        if outcome != YIELDED:
            run.frame[0] = frame
            run.evaluations[0] = evaluations
            return outcome

        # A final state is reached: value it, count it.
        length = frames.length[child]
        reward = reward_of(frames.state[child, 0], problem)
        if not abs(reward) < np.inf:
            run.reward[0], run.number[0] = reward, length
            return BAD_REWARD
        evaluations += 1
        if LEARNS and program.op[frame] == ADAPT:
            tell_adapt(frames, own.adapt, program, frame, reward, run.sequence, length)
            if reward > run.best[0]:
                run.best[0] = reward
        elif reward > frames.best[frame]:
            frames.best[frame] = reward
            frames.best_length[frame] = length
            for i in range(length):
                frames.best_sequence[frame, i] = run.sequence[i]
            if reward > run.best[0]:
                run.best[0] = reward
        if ADAPTIVE:
            longest = adaptive.numbers[LONGEST_GRAM]
            if longest > 0 or adaptive.numbers[KEEPS_HISTORY] == 1:
                learn(
                    adaptive.grams,
                    adaptive.scores,
                    adaptive.history,
                    adaptive.contexts,
                    adaptive.numbers,
                    adaptive.settings[simulate_frame],
                    run.sequence,
                    length,
                    reward,
                    max_nodes - run.nodes[0],
                )
        if evaluations == next_stop:
            curve_length = run.curve_length[0]
            if evaluations == run.curve_at[curve_length]:
                run.curve[curve_length] = run.best[0]
                run.curve_length[0] = curve_length + 1
            run.frame[0] = frame
            run.evaluations[0] = evaluations
            if evaluations == budget:
                return BUDGET_SPENT
            if evaluations == pause_at:
                return PAUSED
            next_stop = min(np.int64(budget), np.int64(pause_at), np.int64(run.curve_at[run.curve_length[0]]))
        # Room for what the next final state may teach: made here, where coming back repeats nothing.
        if ADAPTIVE and (
            adaptive.grams.used[0] + longest * max_length > adaptive.grams.key.shape[0]
            or adaptive.history.used[0] + max_length > adaptive.history.key.shape[0]
        ):
            run.frame[0] = frame
            run.evaluations[0] = evaluations
            return NEEDS_MEMORY

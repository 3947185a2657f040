"""What each component does inside the machine: a part of the template that `machine.py` is the last of. `select` has
a file of its own, `machine_select.py`.

A function each, which is called when the component has been entered or its sub-component has returned: it sets up the
state and the prefix of the sub-component, or has finished. What it returns is RUN, YIELDED or FINISHED, or why the
machine must stop. All are inlined, each in its one place: the loop is as quick as if they were written there.
"""

import numpy as np

from domains.kernels import Kernels, njit_inline, shuffle_from_end
from mcsgrammar.engines.compiled.layout import (
    ADAPT,
    BAD_COUNT,
    FINISHED,
    LOOKAHEAD,
    NO_ACTIONS,
    REPEAT,
    RUN,
    STEP,
    TOO_LONG,
    TUNE,
    YIELDED,
    Frames,
)

KERNELS: Kernels  # placed here before this file runs, as is
LEARNS: bool
ADAPTIVE: bool
if LEARNS:
    from mcsgrammar.engines.compiled.learning_layout import FRESH, Learning
    from mcsgrammar.engines.compiled.weights_kernels import begin_row, learn_from_walk
if ADAPTIVE:
    from mcsgrammar.engines.compiled.adaptive_layout import (
        ALPHA,
        BEST,
        COMMIT_SELECT,
        LONGEST_GRAM,
        MOVE_DECAY,
        OUTERMOST_STEP,
        RULE,
        TUNER,
    )
    from mcsgrammar.engines.compiled.policy_kernels import (
        committed_by_statistic,
        decay_grams,
    )
    from mcsgrammar.tuning.running_kernels import after_invocation, before_invocation
    from mcsgrammar.tuning.state_kernels import tuner_at


@njit_inline
def copy_state(state, into, slot):
    """Copy the state of one slot to another. A plain loop: slice assignment costs 8 % of Morpion playouts more."""
    for i in range(state.shape[2]):
        state[into, 0, i] = state[slot, 0, i]


if LEARNS:

    @njit_inline
    def tell_adapt(frames: Frames, learning: Learning, program, frame, reward, sequence, n) -> None:
        """An invocation inside an adapt returns: its best is the adapt's own if it is no worse."""
        if reward < frames.best[frame]:
            return
        fresh = frames.best_length[frame] != n or frames.best[frame] == -np.inf
        for i in range(n):
            fresh |= frames.best_sequence[frame, i] != sequence[i]
            frames.best_sequence[frame, i] = sequence[i]
        frames.best[frame] = reward
        frames.best_length[frame] = n
        if fresh:
            learning.counts[program.row[frame] + 1, FRESH] = 1


@njit_inline
def fold(program, frames: Frames, own, frame: int) -> None:
    """Hand a frame's best to the frame around it."""
    outer = frame - 1
    if LEARNS and program.op[outer] == ADAPT:
        best, n = frames.best[frame], frames.best_length[frame]
        tell_adapt(frames, own.adapt, program, outer, best, frames.best_sequence[frame], n)
    elif frames.best[frame] > frames.best[outer]:
        frames.best[outer] = frames.best[frame]
        n = frames.best_length[frame]
        frames.best_length[outer] = n
        for i in range(n):
            frames.best_sequence[outer, i] = frames.best_sequence[frame, i]


@njit_inline
def repeat_goes_on(frames, frame):
    if frames.counter[frame] == 0:
        return FINISHED
    frames.counter[frame] -= 1
    copy_state(frames.state, frame + 1, frame)
    frames.length[frame + 1] = frames.length[frame]
    return RUN


@njit_inline
def enter_lookahead(frames, lookaheads, run, problem, frame):
    n = np.int64(legal_actions(frames.state[frame, 0], problem, run.choices))
    if not 0 < n <= run.choices.shape[0]:
        run.number[0] = n
        return NO_ACTIONS if n == 0 else BAD_COUNT
    for i in range(n):
        lookaheads.actions[frame, i] = run.choices[i]
    shuffle_from_end(run.random, lookaheads.actions[frame], n)
    lookaheads.n_actions[frame] = n
    return RUN


@njit_inline
def lookahead_goes_on(frames, lookaheads, run, problem, frame, max_length, simulate_frame):
    if frames.counter[frame] == lookaheads.n_actions[frame]:
        return FINISHED
    child, length = frame + 1, frames.length[frame]
    if length == max_length:
        return TOO_LONG
    action = lookaheads.actions[frame, frames.counter[frame]]
    frames.counter[frame] += 1
    copy_state(frames.state, child, frame)
    play(frames.state[child, 0], problem, action)
    run.sequence[length] = action
    frames.length[child] = length + 1
    return YIELDED if child != simulate_frame and is_final(frames.state[child, 0], problem) else RUN


@njit_inline
def step_goes_on(program, frames, own, tree, run, adaptive, problem, frame, max_length, simulate_frame, maes2013):
    length = frames.length[frame]
    if frames.counter[frame] == 1:  # the sub-component has returned: commit
        if length == max_length:
            return TOO_LONG
        if length >= frames.best_length[frame]:  # is_final says otherwise than when that sequence ended
            return NO_ACTIONS
        action = frames.best_sequence[frame, length]
        if ADAPTIVE:
            rule = np.int64(adaptive.settings[frame, RULE])
            if rule != BEST:
                below_it = adaptive.frames[frame, COMMIT_SELECT]
                path, path_length = own.select.path[below_it], own.select.path_length[below_it]
                chosen = committed_by_statistic(tree, adaptive.top, run.random, path, path_length, length, rule)
                if chosen >= 0:
                    action = tree.action[chosen]
        while True:  # under maes2013 it brings along the actions that must follow
            play(frames.state[frame, 0], problem, action)
            run.sequence[length] = action
            length += 1
            finished = is_final(frames.state[frame, 0], problem)
            if ADAPTIVE:
                decay = adaptive.settings[simulate_frame, MOVE_DECAY]
                if frame == adaptive.numbers[OUTERMOST_STEP] and adaptive.numbers[LONGEST_GRAM] > 0 and decay != 1:
                    decay_grams(adaptive.grams, adaptive.scores, decay)
            if finished or not maes2013:
                break
            n = np.int64(legal_actions(frames.state[frame, 0], problem, run.choices))
            if not 0 < n <= run.choices.shape[0]:
                run.number[0] = n
                return NO_ACTIONS if n == 0 else BAD_COUNT
            if n > 1:
                break
            if length == max_length:
                return TOO_LONG
            action = run.choices[0]
        frames.length[frame] = length
        if finished:
            return FINISHED
        if ADAPTIVE and (rule != BEST or frames.best_length[frame] <= length):
            fold(program, frames, own, frame)  # and forget: what counts is the best of the next sub-search
            frames.best[frame] = -np.inf
    frames.counter[frame] = 1
    copy_state(frames.state, frame + 1, frame)
    frames.length[frame + 1] = length
    return RUN


if LEARNS:

    @njit_inline
    def room_of(learning: Learning, adaptive):
        """The count of what shares its room with nodes."""
        if ADAPTIVE:
            return adaptive.numbers
        return learning.room

    @njit_inline
    def adapt_goes_on(program, frames, own, run, adaptive, problem, frame, max_nodes, simulate_frame):
        child, row = frame + 1, program.row[frame] + 1
        if frames.counter[frame] > 0:  # the sub-component has returned
            if frames.counter[frame] == program.repetitions[frame]:
                return FINISHED
            if own.adapt.counts[row, FRESH] == 1:
                copy_state(frames.state, child, frame)
                room, limit = room_of(own.adapt, adaptive), max_nodes - run.nodes[0]
                status = walk_along_best(
                    frames, run, adaptive, own.adapt, problem, frame, row, simulate_frame, room, limit
                )
                if status != RUN:
                    return status
            learn_from_walk(own.adapt, row, adaptive.settings[frame, ALPHA] if ADAPTIVE else program.alpha[frame])
        frames.counter[frame] += 1
        copy_state(frames.state, child, frame)
        frames.length[child] = frames.length[frame]
        return RUN


if ADAPTIVE:

    @njit_inline
    def tune_goes_on(program, frames, run, adaptive, frame, evaluations, budget):
        tuner = tuner_at(adaptive.tuners, adaptive.frames[frame, TUNER])
        if frames.counter[frame] == 1:  # the sub-component has returned: tell
            after_invocation(tuner, run.random, evaluations, frames.best[frame], budget)
            return FINISHED
        stop = before_invocation(tuner, run.random, evaluations, adaptive.settings, program.repetitions)
        if stop != RUN:
            return stop
        frames.counter[frame] = 1
        copy_state(frames.state, frame + 1, frame)
        frames.length[frame + 1] = frames.length[frame]
        return RUN


@njit_inline
def enter(program, frames, own, run, problem, frame):
    """Begin an invocation of the component of a frame, whose state and prefix are set."""
    op = program.op[frame]
    frames.best[frame] = -np.inf
    frames.counter[frame] = program.repetitions[frame] if op == REPEAT else 0
    if LEARNS and op == ADAPT:
        begin_row(own.adapt, program.row[frame] + 1)
    return enter_lookahead(frames, own.lookahead, run, problem, frame) if op == LOOKAHEAD else RUN


@njit_inline
def go_on(
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
):
    """What the component of a frame does next."""
    op = program.op[frame]
    if op == REPEAT:
        return repeat_goes_on(frames, frame)
    if op == LOOKAHEAD:
        return lookahead_goes_on(frames, own.lookahead, run, problem, frame, max_length, simulate_frame)
    if op == STEP:
        return step_goes_on(
            program, frames, own, tree, run, adaptive, problem, frame, max_length, simulate_frame, maes2013
        )
    if LEARNS and op == ADAPT:
        return adapt_goes_on(program, frames, own, run, adaptive, problem, frame, max_nodes, simulate_frame)
    if ADAPTIVE and op == TUNE:
        return tune_goes_on(program, frames, run, adaptive, frame, evaluations, budget)
    return select_goes_on(
        program, frames, own, tree, run, adaptive, problem, frame, max_length, max_nodes, simulate_frame, maes2013
    )

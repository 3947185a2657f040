"""The compiled engine: one loop that runs any expression on one domain.

An expression is a chain, each component with at most one inside it, so the index of a component is also the index of
its frame: the machine needs no call stack. Frame 0 repeats the whole expression for ever; frame `last` would be the
innermost `simulate`, which is run in place and needs no frame.

This file and those before it, `machine_weights.py`, `machine_playouts.py`, `machine_frames.py` and `machine_select.py`,
are a template. `compiling.py` runs it once for every domain, with that domain's rules placed in `KERNELS`, and keeps
what Numba makes of it in the cache folder, under a name that says which rules these are; so the rules are compiled into
the loop, and nothing is compiled per expression. There are three machines for a domain, each with all that the one
before it has: plain ones; what stands under `if LEARNS`, which is for `adapt`; what stands under `if ADAPTIVE`, which
is for policies, statistics and tuners. The compiler leaves out what a machine has no use for, and is done with the
first in a third of the time that it takes for the last. What stands under `if STOCHASTIC` is for domains in which
chance has a say; the others are compiled without. All are twins of `reference/interpreter.py`, which is the
definition: same draws, same evaluations, same results, bit for bit.

Each component has a function, which is called when it has been entered or its sub-component has returned: it sets up
the state and the prefix of the sub-component, or has finished. What it returns is RUN, YIELDED or FINISHED, or why the
machine must stop. All are inlined, each in its one place, and the loop calls them itself: every level of functions
inlined in one another costs the compiler a second more, and select a tenth of its speed.

Everything the loop knows is in the arrays it is handed. It can stop after any evaluation and be called again: to
report progress, to look at the clock, or because the tree needs larger arrays.

Glossary
    frame      what one running invocation of a component has: its state, its prefix length, its best so far
    prefix     the actions that lead to a frame's state; the prefixes of all frames are beginnings of one `sequence`
    fold       hand a frame's best to the frame around it
    path       the nodes from the root of a select's tree to the leaf of its current invocation
"""

import numpy as np

from domains.kernels import Kernels, njit_inline, njit_uncounted, shuffle_from_end
from domains.scratch import unowned
from mcsgrammar.engines.compiled.layout import (
    ADAPT,
    BAD_COUNT,
    BAD_REWARD,
    BUDGET_SPENT,
    FINISHED,
    LOOKAHEAD,
    NEEDS_MEMORY,
    NO_ACTIONS,
    PAUSED,
    PLAYS_ALLOWED,
    PLAYS_SO_FAR,
    REPEAT,
    RUN,
    STEP,
    TOO_LONG,
    TUNE,
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
STOCHASTIC: bool
if LEARNS:
    from domains.lending import lent
    from mcsgrammar.engines.compiled.learning_layout import FRESH, NEW, ON_TRAIL
    from mcsgrammar.engines.compiled.means_kernels import ENTRIES
    from mcsgrammar.engines.compiled.weights_kernels import begin_row, learn_from_walk, walk_along_trail
if ADAPTIVE:
    from mcsgrammar.engines.compiled.adaptive_layout import (
        ALPHA,
        BEST,
        COMMIT_SELECT,
        KEEPS_HISTORY,
        LONGEST_GRAM,
        MOVE_DECAY,
        OUTERMOST_STEP,
        RULE,
        TUNER,
    )
    from mcsgrammar.engines.compiled.amaf_kernels import make_certain_of_room
    from mcsgrammar.engines.compiled.gram_kernels import decay_grams, learn
    from mcsgrammar.engines.compiled.selection_kernels import committed_by_statistic
    from mcsgrammar.tuning.running_kernels import after_invocation, before_invocation
    from mcsgrammar.tuning.state_kernels import tuner_at


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
    if STOCHASTIC:
        play(frames.state[child, 0], problem, action, run.random)
    else:
        play(frames.state[child, 0], problem, action)
    run.plays[PLAYS_SO_FAR] += 1
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
            if STOCHASTIC:
                play(frames.state[frame, 0], problem, action, run.random)
            else:
                play(frames.state[frame, 0], problem, action)
            run.plays[PLAYS_SO_FAR] += 1
            run.sequence[length] = action
            length += 1
            finished = is_final(frames.state[frame, 0], problem)
            if ADAPTIVE:
                decay = adaptive.settings[simulate_frame, MOVE_DECAY]
                if frame == adaptive.numbers[OUTERMOST_STEP] and adaptive.numbers[LONGEST_GRAM] > 0 and decay != 1:
                    decay_grams(adaptive.grams, adaptive.direct, adaptive.frequent, decay)
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
        if STOCHASTIC or (ADAPTIVE and (rule != BEST or frames.best_length[frame] <= length)):
            fold(program, frames, own, frame)  # and forget: what counts is the best of the next sub-search
            frames.best[frame] = -np.inf
    frames.counter[frame] = 1
    copy_state(frames.state, frame + 1, frame)
    frames.length[frame + 1] = length
    return RUN


if LEARNS:

    @njit_inline
    def adapt_goes_on(program, frames, own, run, adaptive, problem, frame, max_nodes, simulate_frame):
        child, row = frame + 1, program.row[frame] + 1
        if frames.counter[frame] > 0:  # the sub-component has returned
            if frames.counter[frame] == program.repetitions[frame]:
                return FINISHED
            fresh, room, limit = own.adapt.counts[row, FRESH], room_of(own.adapt, adaptive), max_nodes - run.nodes[0]
            if fresh == ON_TRAIL and walk_along_trail(own.adapt, row, room, limit):
                own.adapt.counts[row, FRESH] = 0
            elif fresh != 0:
                copy_state(frames.state, child, frame)
                status = walk_along_best(
                    frames, run, adaptive, own.adapt, problem, frame, row, simulate_frame, room, limit
                )
                if status != RUN:
                    return status
            alpha = adaptive.settings[frame, ALPHA] if ADAPTIVE else program.alpha[frame]
            learn_from_walk(own.adapt, row, alpha, ADAPTIVE and is_guided(adaptive, simulate_frame))
        frames.counter[frame] += 1
        copy_state(frames.state, child, frame)
        frames.length[child] = frames.length[frame]
        return RUN


if ADAPTIVE:

    @njit_inline
    def tune_goes_on(program, frames, own, run, adaptive, frame, evaluations, budget):
        tuner = tuner_at(adaptive.tuners, adaptive.frames[frame, TUNER])
        if frames.counter[frame] == 1:  # the sub-component has returned: tell
            after_invocation(tuner, run.random, evaluations, frames.best[frame], budget)
            return FINISHED
        stop = before_invocation(tuner, run.random, evaluations, adaptive.settings, program.repetitions)
        if stop != RUN:
            return stop
        for row in range(own.adapt.counts.shape[0]):
            own.adapt.counts[row, FRESH] = NEW  # the priors of its walk may be others from now on
        frames.counter[frame] = 1
        copy_state(frames.state, frame + 1, frame)
        frames.length[frame + 1] = frames.length[frame]
        return RUN


@njit_uncounted
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
    problem = unowned(problem)
    if LEARNS:
        frames, own, tree, run = lent(frames), lent(own), lent(tree), lent(run)
    else:  # all that is called is inlined
        frames, own, tree, run = unowned(frames), unowned(own), unowned(tree), unowned(run)
    if ADAPTIVE:
        adaptive = lent(adaptive)
    frame = np.int64(run.frame[0])
    evaluations = np.int64(run.evaluations[0])
    over_at_once = is_final(frames.state[0, 0], problem)
    simulate_frame = program.op.shape[0] - 1
    next_stop = min(np.int64(budget), np.int64(pause_at), np.int64(run.curve_at[run.curve_length[0]]))

    while True:
        if ADAPTIVE and make_certain_of_room(adaptive, tree, run.nodes[0], max_nodes) != RUN:
            run.frame[0] = frame
            run.evaluations[0] = evaluations
            return NEEDS_MEMORY
        op = program.op[frame]
        if op == REPEAT:
            outcome = repeat_goes_on(frames, frame)
        elif op == LOOKAHEAD:
            outcome = lookahead_goes_on(frames, own.lookahead, run, problem, frame, max_length, simulate_frame)
        elif op == STEP:
            outcome = step_goes_on(
                program, frames, own, tree, run, adaptive, problem, frame, max_length, simulate_frame, maes2013
            )
        elif LEARNS and not STOCHASTIC and op == ADAPT:
            outcome = adapt_goes_on(program, frames, own, run, adaptive, problem, frame, max_nodes, simulate_frame)
        elif ADAPTIVE and op == TUNE:
            outcome = tune_goes_on(program, frames, own, run, adaptive, frame, evaluations, budget)
        elif frames.counter[frame] == 1:
            outcome = select_learns(frames, own, tree, run, adaptive, frame, max_nodes, maes2013, program.c[frame])
        else:
            length = frames.length[frame]
            room = max_nodes - room_of(own.adapt, adaptive)[ENTRIES] if LEARNS else max_nodes
            depth = find_prefix(frames, own.select, tree, run, problem, frame, length, room, simulate_frame + 1)
            if depth < 0:
                outcome = -depth
            else:
                outcome = select_descends(
                    program,
                    frames,
                    own,
                    tree,
                    run,
                    adaptive,
                    problem,
                    frame,
                    depth,
                    max_length,
                    room,
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
                frame, op = child, program.op[child]
                frames.best[frame] = -np.inf
                frames.counter[frame] = program.repetitions[frame] if op == REPEAT else 0
                if LEARNS and op == ADAPT:
                    begin_row(own.adapt, program.row[frame] + 1)
                if op == LOOKAHEAD:
                    outcome = enter_lookahead(frames, own.lookahead, run, problem, frame)
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
            fresh = ON_TRAIL if child == simulate_frame else NEW
            tell_adapt(frames, own.adapt, program, frame, reward, run.sequence, length, fresh)
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
                    adaptive.direct,
                    adaptive.frequent,
                    adaptive.history,
                    adaptive.contexts,
                    adaptive.numbers,
                    adaptive.settings[simulate_frame],
                    run.sequence,
                    length,
                    reward,
                    max_nodes - run.nodes[0],
                )
        played_all = run.plays[PLAYS_SO_FAR] >= run.plays[PLAYS_ALLOWED]
        if evaluations == next_stop or played_all:
            curve_length = run.curve_length[0]
            if evaluations == run.curve_at[curve_length]:
                run.curve[curve_length] = run.best[0]
                run.curve_length[0] = curve_length + 1
            run.frame[0] = frame
            run.evaluations[0] = evaluations
            if evaluations == budget:
                return BUDGET_SPENT
            if evaluations == pause_at or played_all:
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

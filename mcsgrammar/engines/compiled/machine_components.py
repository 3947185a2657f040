"""What each component does inside the machine: a part of the template that `machine.py` is the last of.

A function each, which is called when the component has been entered or its sub-component has returned: it sets up the
state and the prefix of the sub-component, or has finished. What it returns is RUN, YIELDED or FINISHED, or why the
machine must stop. All are inlined, each in its one place: the loop is as quick as if they were written there.
"""

import numpy as np

from domains.kernels import Kernels, njit_inline, shuffle_from_end
from mcsgrammar.engines.compiled.layout import (
    ADAPT,
    BAD_COUNT,
    CHANGED_ACTIONS,
    FINISHED,
    LOOKAHEAD,
    NEEDS_MEMORY,
    NO_ACTIONS,
    REPEAT,
    RUN,
    STEP,
    TOO_LONG,
    TUNE,
    YIELDED,
    Frames,
    Run,
    Tree,
)
from mcsgrammar.engines.compiled.tree_kernels import add_children, choose_child, mark_exhausted, visit
from mcsgrammar.engines.rules import BELOW_LOCAL_ROOT_2013, FLOOR_2013

KERNELS: Kernels  # placed here before this file runs, as is
LEARNS: bool
ADAPTIVE: bool
if LEARNS:
    from mcsgrammar.engines.compiled.layout import BAD_FEATURE
    from mcsgrammar.engines.compiled.learning_layout import FRESH, Learning
    from mcsgrammar.engines.compiled.means_kernels import ENTRIES
    from mcsgrammar.engines.compiled.weights_kernels import begin_row, learn_from_walk
if ADAPTIVE:
    from mcsgrammar.engines.compiled.adaptive_layout import (
        ALPHA,
        BEST,
        COMMIT_SELECT,
        CUT_SELECT,
        DEPTH,
        FPU_COLUMN,
        GRAVE,
        LONGEST_GRAM,
        MOVE_DECAY,
        NEED,
        OUTERMOST_STEP,
        P_GIBBS,
        P_GUIDED,
        P_RANDOM,
        POLICY,
        PUCT,
        RULE,
        TUNER,
        UCB1,
        VO,
        C,
        T,
    )
    from mcsgrammar.engines.compiled.policy_kernels import (
        actions_left_to_playout_policy,
        choose_by_value,
        committed_by_statistic,
        decay_grams,
        gibbs_odds,
        learn_all_moves_as_first,
        note_top,
        pick_after,
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
def find_prefix(
    frames, selects, tree: Tree, run: Run, problem, frame: int, length: int, max_nodes: int, spare: int
) -> int:
    """Walk to the node of the prefix, adding nodes where they are missing. Sets `selects.path_length` to the depth
    reached, less than `length` if the tree is full; what it must stop for, as a negative number. Draws nothing."""
    sequence, path, walked = run.sequence, selects.path[frame], selects.walked[frame]
    depth = np.int64(0)
    known = min(length, selects.path_length[frame])
    while depth < known and walked[depth] == sequence[depth]:
        depth += 1
    selects.path_length[frame] = depth
    replayed = np.int64(-1)
    scratch = frames.state[spare, 0]
    while depth < length:
        node = path[depth]
        if tree.children[node] == 0:
            if run.nodes[0] + run.choices.shape[0] > tree.action.shape[0]:
                return -NEEDS_MEMORY
            if replayed < 0:
                copy_state(frames.state, spare, 0)
                replayed = np.int64(0)
            while replayed < depth:
                play(scratch, problem, sequence[replayed])
                replayed += 1
            n = np.int64(legal_actions(scratch, problem, run.choices))
            if not 0 < n <= run.choices.shape[0]:
                run.number[0] = n
                return -NO_ACTIONS if n == 0 else -BAD_COUNT
            if not add_children(tree, run, node, run.choices, n, max_nodes):
                return depth
        child = np.int64(tree.first_child[node])
        end = child + tree.children[node]
        while child < end and tree.action[child] != sequence[depth]:
            child += 1
        if child == end:
            run.number[0] = sequence[depth]
            return -CHANGED_ACTIONS
        walked[depth] = sequence[depth]
        depth += 1
        path[depth] = child
        selects.path_length[frame] = depth
    return depth


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


@njit_inline
def select_goes_on(
    program, frames, own, tree, run, adaptive, problem, frame, max_length, max_nodes, simulate_frame, maes2013
):
    selects, c = own.select, program.c[frame]
    child, length, path = frame + 1, frames.length[frame], selects.path[frame]
    if frames.counter[frame] == 1:  # the sub-component has returned: backpropagate
        if ADAPTIVE:
            grave = adaptive.frames[frame, POLICY] == GRAVE
            if grave:
                nodes = max(0, selects.path_length[frame] - length + 1)
                adaptive.numbers[NEED] = nodes * frames.best_length[frame]
                if adaptive.amaf.used[0] + adaptive.numbers[NEED] > adaptive.amaf.key.shape[0]:
                    return NEEDS_MEMORY
        result = frames.best[frame]
        result = max(result, FLOOR_2013) if maes2013 else min(max(result, 0.0), 1.0)
        visit(tree, path, selects.path_length[frame], result)
        if ADAPTIVE:
            note_top(adaptive.top, tree.visits, path, selects.path_length[frame], result)
            if grave:
                learn_all_moves_as_first(
                    adaptive.amaf,
                    adaptive.numbers,
                    adaptive.seen,
                    adaptive.last,
                    path,
                    length,
                    selects.path_length[frame],
                    frames.best_sequence[frame],
                    frames.best_length[frame],
                    result,
                    max_nodes - run.nodes[0],
                )
        return FINISHED
    if LEARNS:
        max_nodes = max_nodes - room_of(own.adapt, adaptive)[ENTRIES]
    depth = find_prefix(frames, selects, tree, run, problem, frame, length, max_nodes, simulate_frame + 1)
    if depth < 0:
        return -depth
    # Room for the leaf's children is made before the first draw, so that coming back repeats nothing.
    if run.nodes[0] + run.choices.shape[0] > tree.action.shape[0]:
        return NEEDS_MEMORY
    state = frames.state[child, 0]
    copy_state(frames.state, child, frame)
    frames.counter[frame] = 1
    frames.length[child] = length
    node = path[depth]
    if depth != length or tree.mean[node] == -np.inf:
        return RUN
    cut_at = np.inf
    if LEARNS:
        row = program.row[frame]
    if ADAPTIVE:
        c = adaptive.settings[frame, C]
        if frame == adaptive.numbers[CUT_SELECT]:
            cut_at = length + adaptive.settings[simulate_frame, DEPTH]
        plain = (
            adaptive.frames[frame, POLICY] == UCB1
            and adaptive.settings[frame, VO] == 0
            and adaptive.settings[frame, T] == 0
            and adaptive.settings[frame, FPU_COLUMN] == np.inf
            and adaptive.frames[simulate_frame, POLICY] == P_RANDOM
            and row == 0
        )
    while tree.children[node] > 0:
        if ADAPTIVE and depth >= cut_at:
            break
        if depth == max_length:
            return TOO_LONG
        if ADAPTIVE:
            if plain:
                node = choose_child(tree, run.random, node, c)
            else:
                node = choose_by_policy(
                    adaptive,
                    own.adapt,
                    tree,
                    run,
                    state,
                    problem,
                    path,
                    depth,
                    length,
                    c,
                    frame,
                    simulate_frame,
                    row,
                )
                if node < 0:
                    return BAD_FEATURE
        elif LEARNS and row > 0:
            node = choose_untried_or_child(own.adapt, tree, run.random, state, problem, node, c, row)
        else:
            node = choose_child(tree, run.random, node, c)
        action = tree.action[node]
        play(state, problem, action)
        run.sequence[depth] = action
        selects.walked[frame, depth] = action
        depth += 1
        path[depth] = node
        if maes2013:
            c = BELOW_LOCAL_ROOT_2013
    selects.path_length[frame] = depth
    frames.length[child] = depth
    if is_final(state, problem):
        mark_exhausted(tree, path, depth)
        return YIELDED
    if not ADAPTIVE or depth < cut_at:
        n = np.int64(legal_actions(state, problem, run.choices))
        if not 0 < n <= run.choices.shape[0]:
            run.number[0] = n
            return NO_ACTIONS if n == 0 else BAD_COUNT
        add_children(tree, run, node, run.choices, n, max_nodes)
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

    @njit
    def choose_by_policy(
        adaptive, learning, tree, run, state, problem, path, depth, local_root, c, frame, simulate_frame, row
    ):
        """The child of the node at the end of the path to descend into; `local_root` is the depth of the prefix. -1 for
        a feature that is not finite."""
        node, playout_policy = np.int64(path[depth]), adaptive.frames[simulate_frame, POLICY]
        weighs = playout_policy == P_GUIDED or (playout_policy == P_RANDOM and row > 0)
        guided, settings = playout_policy == P_GUIDED, adaptive.settings[simulate_frame]
        n = actions_left_to_playout_policy(adaptive, learning, tree, node, frame)
        if n > 0:
            if weighs:
                place = draw_weighted(state, problem, run.random, learning.options, n, learning, row, guided, settings)
                if place < 0:
                    return place
            else:
                place = pick_after(adaptive, learning, run.random, run.sequence, depth, n, simulate_frame)
            return learning.option_places[place]
        if adaptive.frames[frame, POLICY] == PUCT:
            first, n = np.int64(tree.first_child[node]), np.int64(tree.children[node])
            for i in range(n):
                learning.options[i] = tree.action[first + i]
            if playout_policy == P_GIBBS:
                gibbs_odds(adaptive, learning, n, simulate_frame)
            elif not fill_odds(state, problem, learning, n, row, guided, settings):
                return np.int64(-1)
        return choose_by_value(adaptive, learning, tree, run.random, path, depth, local_root, c, frame)

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

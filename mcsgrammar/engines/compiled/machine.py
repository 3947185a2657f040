"""The compiled engine: one loop that runs any expression on one domain.

An expression is a chain, each component with at most one inside it, so the index of a component is also the index of
its frame: the machine needs no call stack. Frame 0 repeats the whole expression for ever; frame `last` would be the
innermost `simulate`, which is run in place and needs no frame.

This file is a template. `mcsgrammar.engines.compiled.compiling` runs it once for every domain, with that domain's
rules placed in `KERNELS`, and keeps what Numba makes of it in the cache folder, under a name that says which rules
these are; so the rules are compiled into the loop, and nothing is compiled per expression. There are two machines for
a domain. What stands under `if ADAPTIVE` is for policies, statistics and tuners; the compiler leaves it out of the
machine that runs expressions without any, which is ready in half the time. Both are twins of
`mcsgrammar.engines.reference.interpreter`, which is the definition: same draws, same evaluations, same results, bit
for bit.

Everything the loop knows is in the arrays it is handed. It can stop after any evaluation and be called again: to
report progress, to look at the clock, or because the tree needs larger arrays.

Glossary
    frame      what one running invocation of a component has: its state, its prefix length, its best so far
    prefix     the actions that lead to a frame's state; the prefixes of all frames are beginnings of one `sequence`
    fold       hand a frame's best to the frame around it
    path       the nodes from the root of a select's tree to the leaf of its current invocation
"""

import numba
import numpy as np

from domains.kernels import Kernels, below, shuffle_from_end
from domains.scratch import unowned
from mcsgrammar.engines.compiled.layout import (
    BAD_COUNT,
    BAD_COUNT_AT,
    BAD_LENGTH,
    BAD_REWARD,
    BUDGET_SPENT,
    CHANGED_ACTIONS,
    LOOKAHEAD,
    NEEDS_MEMORY,
    NO_ACTIONS,
    PAUSED,
    REPEAT,
    STEP,
    TOO_LONG,
    TUNE,
    Frames,
    Program,
    Run,
    Tree,
)
from mcsgrammar.engines.compiled.roots_kernels import root_log, spread_of
from mcsgrammar.engines.rules import BELOW_LOCAL_ROOT_2013, FLOOR_2013, LARGEST

KERNELS: Kernels  # placed here before this file runs, as is
ADAPTIVE: bool
if ADAPTIVE:
    from mcsgrammar.engines.compiled.adaptive_layout import (
        BEST,
        COMMIT_SELECT,
        CUT_SELECT,
        DEPTH,
        ENTRIES,
        FPU_COLUMN,
        GRAVE,
        KEEPS_HISTORY,
        LONGEST_GRAM,
        MOVE_DECAY,
        N_GRAM,
        NEED,
        OUTERMOST_STEP,
        P_RANDOM,
        POLICY,
        RULE,
        TUNER,
        UCB1,
        VO,
        C,
        T,
    )
    from mcsgrammar.engines.compiled.policy_kernels import (
        advance_contexts,
        choose_by_policy,
        committed_by_statistic,
        decay_grams,
        learn,
        learn_all_moves_as_first,
        note_top,
        pick,
        read_contexts,
        unowned_adaptive,
    )
    from mcsgrammar.tuning.running_kernels import GO_ON, after_invocation, before_invocation
    from mcsgrammar.tuning.state_kernels import tuner_at

legal_actions = KERNELS.actions
play = KERNELS.play
is_final = KERNELS.is_final
reward_of = KERNELS.reward

inlined = numba.njit(error_model="numpy", nogil=True, boundscheck=False, inline="always")
compiled = numba.njit(error_model="numpy", nogil=True, boundscheck=False)


@inlined
def copy_state(state, into, slot):
    """Copy the state of one slot to another. A plain loop: slice assignment costs 8 % of Morpion playouts more."""
    for i in range(state.shape[2]):
        state[into, 0, i] = state[slot, 0, i]


@compiled
def plain_playout(state, problem, random, sequence, length, limit, choices):
    """What a fused playout must equal, draw for draw."""
    while length < limit:
        n = np.int64(legal_actions(state, problem, choices))
        if not 0 < n <= choices.shape[0]:
            return np.int64(length) if n == 0 else BAD_COUNT_AT + n
        action = choices[below(random, n)]
        play(state, problem, action)
        sequence[length] = action
        length += 1
    return np.int64(length)


if KERNELS.playout is None:
    playout = plain_playout
else:
    fused_playout = KERNELS.playout

    @compiled
    def playout(state, problem, random, sequence, length, limit, choices):
        return np.int64(fused_playout(state, problem, random, sequence, length, limit))


if ADAPTIVE:

    @compiled
    def policy_playout(
        state, problem, random, sequence, length, limit, choices, policy, settings, grams, scores, contexts, worths
    ):
        """The same by another policy."""
        n_gram = np.int64(settings[N_GRAM])
        read_contexts(grams, sequence, length, n_gram, contexts)
        while length < limit:
            n = np.int64(legal_actions(state, problem, choices))
            if not 0 < n <= choices.shape[0]:
                return np.int64(length) if n == 0 else BAD_COUNT_AT + n
            action = choices[pick(policy, settings, grams, scores, contexts, choices, n, random, worths)]
            play(state, problem, action)
            sequence[length] = action
            length += 1
            advance_contexts(grams, action, n_gram, contexts)
        return np.int64(length)


@inlined
def fold(frames: Frames, frame: int) -> None:
    """Hand a frame's best to the frame around it."""
    outer = frame - 1
    if frames.best[frame] > frames.best[outer]:
        frames.best[outer] = frames.best[frame]
        n = frames.best_length[frame]
        frames.best_length[outer] = n
        for i in range(n):
            frames.best_sequence[outer, i] = frames.best_sequence[frame, i]


@inlined
def add_children(tree: Tree, run: Run, node: int, choices: np.ndarray, n: int, max_nodes: int) -> bool:
    """Give `node` a child for each of the n actions in `choices`, all or none."""
    first = run.nodes[0]
    if first + n > max_nodes:
        run.tree_full[0] = 1
        return False
    for i in range(n):
        child = first + i
        tree.action[child] = choices[i]
        tree.visits[child] = 0
        tree.total[child] = 0.0
        tree.mean[child] = np.inf
        tree.spread[child] = 1.0
        tree.descents[child] = 0
        tree.children[child] = 0
    tree.first_child[node] = first
    tree.children[node] = n
    run.nodes[0] = first + n
    return True


@inlined
def choose_child(tree: Tree, random: np.ndarray, node: int, c: float) -> int:
    """The child to descend into: an untried one, else the highest UCB1 among those not exhausted; ties at random.

    The loop needs neither division nor root, and no branch for the special cases: `mean` is +inf for untried children
    and -inf for exhausted ones, and `spread` is 1 / sqrt(visits), both brought up to date when a node is visited.
    """
    first, n = np.int64(tree.first_child[node]), np.int64(tree.children[node])
    scale = min(c * root_log(tree.descents[node]), LARGEST)  # finite, so that untried children stay first
    highest, ties, chosen = -np.inf, np.int64(0), first
    for i in range(first, first + n):  # without branches: where the highest stands cannot be predicted
        value = tree.mean[i] + scale * tree.spread[i]
        better = value > highest
        ties = np.int64(1) if better else ties + np.int64(value == highest)
        chosen = i if better else chosen
        highest = value if better else highest
    left = below(random, ties)
    if ties > 1:
        chosen -= 1
        while left >= 0:
            chosen += 1
            left -= tree.mean[chosen] + scale * tree.spread[chosen] == highest
    return chosen


@inlined
def visit(tree: Tree, path: np.ndarray, depth: int, result: float) -> None:
    """Add the result of a sub-search to every node of the path."""
    for d in range(depth + 1):
        node = path[d]
        tree.visits[node] += 1
        tree.total[node] += result
        tree.descents[node] += d < depth
        if tree.mean[node] != -np.inf:
            tree.mean[node] = tree.total[node] / np.float64(tree.visits[node])
            tree.spread[node] = spread_of(tree.visits[node])


@inlined
def mark_exhausted(tree: Tree, path: np.ndarray, depth: int) -> None:
    """Mark the node at the end of the path, and every node above it that has nothing left to explore."""
    tree.mean[path[depth]] = -np.inf
    for d in range(depth - 1, -1, -1):
        node = path[d]
        first, n = np.int64(tree.first_child[node]), np.int64(tree.children[node])
        for i in range(first, first + n):
            if tree.mean[i] != -np.inf:
                return
        tree.mean[node] = -np.inf


@inlined
def find_prefix(
    frames: Frames, tree: Tree, run: Run, problem, frame: int, length: int, max_nodes: int, spare: int
) -> int:
    """Walk to the node of the prefix, adding nodes where they are missing. Sets `frames.path_length` to the depth
    reached, less than `length` if the tree is full; what it must stop for, as a negative number. Draws nothing."""
    sequence, path, walked = run.sequence, frames.path[frame], frames.walked[frame]
    depth = np.int64(0)
    known = min(length, frames.path_length[frame])
    while depth < known and walked[depth] == sequence[depth]:
        depth += 1
    frames.path_length[frame] = depth
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
        frames.path_length[frame] = depth
    return depth


# Views that count no references: counting makes select on regression twice as slow, and costs all a little.


@inlined
def unowned_frames(f: Frames) -> Frames:
    return Frames(
        unowned(f.state),
        unowned(f.length),
        unowned(f.counter),
        unowned(f.best),
        unowned(f.best_length),
        unowned(f.best_sequence),
        unowned(f.actions),
        unowned(f.n_actions),
        unowned(f.path),
        unowned(f.walked),
        unowned(f.path_length),
    )


@inlined
def unowned_tree(t: Tree) -> Tree:
    return Tree(
        unowned(t.action),
        unowned(t.visits),
        unowned(t.total),
        unowned(t.mean),
        unowned(t.spread),
        unowned(t.descents),
        unowned(t.first_child),
        unowned(t.children),
    )


@inlined
def unowned_run(r: Run) -> Run:
    return Run(
        unowned(r.random),
        unowned(r.sequence),
        unowned(r.choices),
        unowned(r.frame),
        unowned(r.evaluations),
        unowned(r.best),
        unowned(r.reward),
        unowned(r.number),
        unowned(r.nodes),
        unowned(r.tree_full),
        unowned(r.curve_at),
        unowned(r.curve),
        unowned(r.curve_length),
    )


@compiled
def run_machine(
    program: Program, frames: Frames, tree: Tree, run: Run, more, problem, budget, pause_at, max_length, limit, maes2013
):
    """Search until `budget` or `pause_at` evaluations; returns why it stopped (see
    `mcsgrammar.engines.compiled.layout`). `more` are the arrays of `mcsgrammar.engines.compiled.adaptive_layout` in
    the machine that has a use for them; `limit` bounds the nodes."""
    frames, tree, run, problem = unowned_frames(frames), unowned_tree(tree), unowned_run(run), unowned(problem)
    max_nodes = limit
    if ADAPTIVE:
        more = unowned_adaptive(more)
    random, sequence, choices = run.random, run.sequence, run.choices
    frame = np.int64(run.frame[0])
    evaluations = np.int64(run.evaluations[0])
    over_at_once = is_final(frames.state[0, 0], problem)
    simulate_frame = program.op.shape[0] - 1
    spare = simulate_frame + 1
    next_stop = min(np.int64(budget), np.int64(pause_at), np.int64(run.curve_at[run.curve_length[0]]))

    while True:
        op = program.op[frame]
        child = frame + 1
        length = frames.length[frame]
        yielded, finished = False, False
        child_length = length

        # What the frame does next: set up its sub-component's state and prefix, or finish.
        if op == REPEAT:
            if frames.counter[frame] == 0:
                finished = True
            else:
                frames.counter[frame] -= 1
                copy_state(frames.state, child, frame)
                yielded = over_at_once  # then no other frame is ever entered
        elif op == LOOKAHEAD:
            if frames.counter[frame] == frames.n_actions[frame]:
                finished = True
            else:
                if length == max_length:
                    return TOO_LONG
                action = frames.actions[frame, frames.counter[frame]]
                frames.counter[frame] += 1
                copy_state(frames.state, child, frame)
                play(frames.state[child, 0], problem, action)
                sequence[length] = action
                child_length = length + 1
                if child != simulate_frame:
                    yielded = is_final(frames.state[child, 0], problem)
        elif op == STEP:
            if frames.counter[frame] == 1:  # the sub-component has returned: commit
                if length == max_length:
                    return TOO_LONG
                if length >= frames.best_length[frame]:  # is_final says otherwise than when that sequence ended
                    return NO_ACTIONS
                action = frames.best_sequence[frame, length]
                if ADAPTIVE:
                    rule = np.int64(more.settings[frame, RULE])
                    if rule != BEST:
                        below_it = more.frames[frame, COMMIT_SELECT]
                        chosen = committed_by_statistic(
                            tree, more.top, random, frames.path[below_it], frames.path_length[below_it], length, rule
                        )
                        if chosen >= 0:
                            action = tree.action[chosen]
                while True:  # under maes2013 it brings along the actions that must follow
                    play(frames.state[frame, 0], problem, action)
                    sequence[length] = action
                    length += 1
                    finished = is_final(frames.state[frame, 0], problem)
                    if ADAPTIVE:
                        decay = more.settings[simulate_frame, MOVE_DECAY]
                        if frame == more.numbers[OUTERMOST_STEP] and more.numbers[LONGEST_GRAM] > 0 and decay != 1:
                            decay_grams(more.grams, more.scores, decay)
                    if finished or not maes2013:
                        break
                    n = np.int64(legal_actions(frames.state[frame, 0], problem, choices))
                    if not 0 < n <= choices.shape[0]:
                        run.number[0] = n
                        return NO_ACTIONS if n == 0 else BAD_COUNT
                    if n > 1:
                        break
                    if length == max_length:
                        return TOO_LONG
                    action = choices[0]
                child_length = length
                frames.length[frame] = length
                if ADAPTIVE and not finished and (rule != BEST or frames.best_length[frame] <= length):
                    fold(frames, frame)  # and forget: what counts is the best of the next sub-search
                    frames.best[frame] = -np.inf
            if not finished:
                frames.counter[frame] = 1
                copy_state(frames.state, child, frame)
        elif ADAPTIVE and op == TUNE:
            tuner = tuner_at(more.tuners, more.frames[frame, TUNER])
            if frames.counter[frame] == 1:  # the sub-component has returned: tell
                after_invocation(tuner, random, evaluations, frames.best[frame], budget)
                finished = True
            else:
                stop = before_invocation(tuner, random, evaluations, more.settings, program.repetitions)
                if stop != GO_ON:
                    run.frame[0] = frame
                    run.evaluations[0] = evaluations
                    return stop
                frames.counter[frame] = 1
                copy_state(frames.state, child, frame)
        else:  # SELECT
            if frames.counter[frame] == 1:  # the sub-component has returned: backpropagate
                if ADAPTIVE:
                    grave = more.frames[frame, POLICY] == GRAVE
                    if grave:
                        nodes = max(0, frames.path_length[frame] - length + 1)
                        more.numbers[NEED] = nodes * frames.best_length[frame]
                        if more.amaf.used[0] + more.numbers[NEED] > more.amaf.key.shape[0]:
                            run.frame[0] = frame
                            run.evaluations[0] = evaluations
                            return NEEDS_MEMORY
                result = frames.best[frame]
                result = max(result, FLOOR_2013) if maes2013 else min(max(result, 0.0), 1.0)
                visit(tree, frames.path[frame], frames.path_length[frame], result)
                if ADAPTIVE:
                    path, path_length = frames.path[frame], frames.path_length[frame]
                    note_top(more.top, tree.visits, path, path_length, result)
                    if grave:
                        learn_all_moves_as_first(
                            more.amaf,
                            more.numbers,
                            more.seen,
                            more.last,
                            path,
                            length,
                            path_length,
                            frames.best_sequence[frame],
                            frames.best_length[frame],
                            result,
                            limit - run.nodes[0],
                        )
                finished = True
            else:
                if ADAPTIVE:
                    max_nodes = limit - more.numbers[ENTRIES]
                depth = find_prefix(frames, tree, run, problem, frame, length, max_nodes, spare)
                if depth < 0 and depth != -NEEDS_MEMORY:
                    return -depth
                # Room for the leaf's children is made before the first draw, so that coming back repeats nothing.
                if depth < 0 or run.nodes[0] + choices.shape[0] > tree.action.shape[0]:
                    run.frame[0] = frame
                    run.evaluations[0] = evaluations
                    return NEEDS_MEMORY
                state = frames.state[child, 0]
                copy_state(frames.state, child, frame)
                node = frames.path[frame, depth]
                if depth == length and tree.mean[node] != -np.inf:
                    c = program.c[frame]
                    cut_at = np.inf
                    if ADAPTIVE:
                        c = more.settings[frame, C]
                        if frame == more.numbers[CUT_SELECT]:
                            cut_at = length + more.settings[simulate_frame, DEPTH]
                        plain = (
                            more.frames[frame, POLICY] == UCB1
                            and more.settings[frame, VO] == 0
                            and more.settings[frame, T] == 0
                            and more.settings[frame, FPU_COLUMN] == np.inf
                            and more.frames[simulate_frame, POLICY] == P_RANDOM
                        )
                    while tree.children[node] > 0:
                        if ADAPTIVE and depth >= cut_at:
                            break
                        if depth == max_length:
                            return TOO_LONG
                        if ADAPTIVE:
                            if plain:
                                node = choose_child(tree, random, node, c)
                            else:
                                node = choose_by_policy(
                                    more,
                                    tree,
                                    random,
                                    sequence,
                                    frames.path[frame],
                                    depth,
                                    length,
                                    c,
                                    frame,
                                    simulate_frame,
                                )
                        else:
                            node = choose_child(tree, random, node, c)
                        action = tree.action[node]
                        play(state, problem, action)
                        sequence[depth] = action
                        frames.walked[frame, depth] = action
                        depth += 1
                        frames.path[frame, depth] = node
                        if maes2013:
                            c = BELOW_LOCAL_ROOT_2013
                    frames.path_length[frame] = depth
                    child_length = depth
                    if is_final(state, problem):
                        mark_exhausted(tree, frames.path[frame], depth)
                        yielded = True
                    elif not ADAPTIVE or depth < cut_at:
                        n = np.int64(legal_actions(state, problem, choices))
                        if not 0 < n <= choices.shape[0]:
                            run.number[0] = n
                            return NO_ACTIONS if n == 0 else BAD_COUNT
                        add_children(tree, run, node, choices, n, max_nodes)
                frames.counter[frame] = 1

        if finished:  # go on in the frame around
            fold(frames, frame)
            frame -= 1
            continue

        if not yielded:
            if child != simulate_frame:  # enter the sub-component
                frame = child
                frames.best[frame] = -np.inf
                frames.length[frame] = child_length
                op = program.op[frame]
                if op == REPEAT:
                    frames.counter[frame] = program.repetitions[frame]
                else:
                    frames.counter[frame] = 0
                    if op == LOOKAHEAD:
                        n = np.int64(legal_actions(frames.state[frame, 0], problem, choices))
                        if not 0 < n <= choices.shape[0]:
                            run.number[0] = n
                            return NO_ACTIONS if n == 0 else BAD_COUNT
                        for i in range(n):
                            frames.actions[frame, i] = choices[i]
                        shuffle_from_end(random, frames.actions[frame], n)
                        frames.n_actions[frame] = n
                continue
            begun = child_length
            if ADAPTIVE:
                cut_select = more.numbers[CUT_SELECT]
                start = frames.length[cut_select] if cut_select >= 0 else child_length
                cut_at = start + more.settings[simulate_frame, DEPTH]
                end = np.int64(cut_at) if cut_at < max_length else np.int64(max_length)
                state = frames.state[child, 0]
                policy = more.frames[simulate_frame, POLICY]
                if policy == P_RANDOM:
                    child_length = playout(state, problem, random, sequence, child_length, end, choices)
                else:
                    child_length = policy_playout(
                        state,
                        problem,
                        random,
                        sequence,
                        child_length,
                        end,
                        choices,
                        policy,
                        more.settings[simulate_frame],
                        more.grams,
                        more.scores,
                        more.contexts,
                        more.worths,
                    )
                if not begun <= child_length <= max(begun, end):  # a tuner may have moved the end back meanwhile
                    run.number[0] = child_length
                    return BAD_LENGTH
                if child_length < cut_at and not is_final(state, problem):
                    return TOO_LONG if child_length == max_length else NO_ACTIONS
            else:
                child_length = playout(
                    frames.state[child, 0], problem, random, sequence, child_length, max_length, choices
                )
                if not begun <= child_length <= max_length:
                    run.number[0] = child_length
                    return BAD_LENGTH
                if not is_final(frames.state[child, 0], problem):
                    return TOO_LONG if child_length == max_length else NO_ACTIONS

        # A final state is reached: value it, count it.
        reward = reward_of(frames.state[child, 0], problem)
        if not abs(reward) < np.inf:
            run.reward[0], run.number[0] = reward, child_length
            return BAD_REWARD
        evaluations += 1
        if reward > frames.best[frame]:
            frames.best[frame] = reward
            frames.best_length[frame] = child_length
            for i in range(child_length):
                frames.best_sequence[frame, i] = sequence[i]
            if reward > run.best[0]:
                run.best[0] = reward
        if ADAPTIVE:
            longest = more.numbers[LONGEST_GRAM]
            if longest > 0 or more.numbers[KEEPS_HISTORY] == 1:
                settings, room = more.settings[simulate_frame], limit - run.nodes[0]
                learn(
                    more.grams,
                    more.scores,
                    more.history,
                    more.contexts,
                    more.numbers,
                    settings,
                    sequence,
                    child_length,
                    reward,
                    room,
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
            more.grams.used[0] + longest * max_length > more.grams.key.shape[0]
            or more.history.used[0] + max_length > more.history.key.shape[0]
        ):
            run.frame[0] = frame
            run.evaluations[0] = evaluations
            return NEEDS_MEMORY

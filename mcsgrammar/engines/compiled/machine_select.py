"""What `select` does inside the machine: the way to its leaf, and what an invocation teaches its tree. A part of the
template that `machine.py` is the last of."""

import numpy as np

from domains.kernels import Kernels, njit_inline, njit_uncounted
from mcsgrammar.engines.compiled.layout import (
    BAD_COUNT,
    CHANGED_ACTIONS,
    FINISHED,
    NEEDS_MEMORY,
    NO_ACTIONS,
    PLAYS_SO_FAR,
    RUN,
    TOO_LONG,
    YIELDED,
    Run,
    Tree,
)
from mcsgrammar.engines.compiled.tree_kernels import (
    FIRST,
    MOST_NOTED,
    NOT_NOTED,
    TIES,
    add_children,
    choose_child,
    choose_noted,
    fetch_node,
    mark_exhausted,
    note_next,
    visit,
)
from mcsgrammar.engines.rules import BELOW_LOCAL_ROOT_2013, BOUND_2013

KERNELS: Kernels  # placed here before this file runs, as is
LEARNS: bool
ADAPTIVE: bool
STOCHASTIC: bool
if LEARNS:
    from mcsgrammar.engines.compiled.layout import BAD_FEATURE
if ADAPTIVE:
    from mcsgrammar.engines.compiled.adaptive_layout import (
        CUT_SELECT,
        DEPTH,
        ENTRIES,
        EPS,
        FPU_COLUMN,
        GRAVE,
        KEEPS_LEAST,
        LEAF,
        LEAST_REF,
        N_GRAM,
        NORM,
        P_GIBBS,
        P_GREEDY,
        P_GUIDED,
        P_RANDOM,
        POLICY,
        PUCT,
        REF,
        UCB1,
        UNTRIED_ARE,
        VO,
        C,
        T,
    )
    from mcsgrammar.engines.compiled.amaf_kernels import lacks_memory, learn_all_moves_as_first, table_local_root
    from mcsgrammar.engines.compiled.selection_kernels import (
        actions_left_to_playout_policy,
        choose_by_value,
        fetch_statistics,
        gibbs_odds,
        note_bottom,
        note_top,
        note_tried,
        pick_after,
        pick_untried,
    )


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
            if STOCHASTIC:  # all unfinished states list what the one at hand does
                scratch = frames.state[frame, 0]
            else:
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


if ADAPTIVE:

    @njit_uncounted
    def choose_by_policy(
        adaptive, learning, tree, run, state, problem, node, depth, reference, c, frame, simulate_frame, row
    ):
        """The child of a node at that depth to descend into; all moves as first count by the means of `reference`. LEAF
        is added if it is known to be one without a look at it. -1 for a feature that is not finite."""
        playout_policy = adaptive.frames[simulate_frame, POLICY]
        weighs = playout_policy == P_GUIDED or (playout_policy == P_RANDOM and row > 0)
        guided, settings = playout_policy == P_GUIDED, adaptive.settings[simulate_frame]
        chooses = adaptive.settings[frame]
        if (
            playout_policy == P_GREEDY
            and settings[N_GRAM] == 1
            and tree.children[node] <= MOST_NOTED
            and tree.visits[node] >= chooses[T]
            and chooses[FPU_COLUMN] == np.inf
            and tree.next[node, TIES] != NOT_NOTED
        ):
            return pick_untried(adaptive, tree, run.random, node, settings[EPS]) | adaptive.numbers[UNTRIED_ARE]
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
        return choose_by_value(adaptive, learning, tree, run.random, node, reference, c, frame)


@njit_inline
def select_learns(frames, own, tree, run, adaptive, frame, max_nodes, maes2013, c):
    """The sub-component has returned: backpropagate."""
    length, selects = frames.length[frame], own.select
    path = selects.path[frame]
    if ADAPTIVE:
        grave = adaptive.frames[frame, POLICY] == GRAVE
        if grave:
            ref, best_length = adaptive.frames[frame, LEAST_REF], frames.best_length[frame]
            if lacks_memory(adaptive, tree, path, length, selects.path_length[frame], best_length, ref):
                return NEEDS_MEMORY
    result = frames.best[frame]
    result = min(max(result, -BOUND_2013), BOUND_2013) if maes2013 else min(max(result, 0.0), 1.0)
    visit(tree, path, selects.path_length[frame], result)
    if not ADAPTIVE:
        note_next(tree, path, length, selects.path_length[frame], BELOW_LOCAL_ROOT_2013 if maes2013 else c)
    if ADAPTIVE:
        note_top(adaptive, tree, path, selects.path_length[frame], result)
        if adaptive.numbers[KEEPS_LEAST] == 1:
            note_bottom(adaptive.top, tree.visits, path, selects.path_length[frame], result)
        if grave:
            learn_all_moves_as_first(
                adaptive,
                tree,
                path,
                length,
                selects.path_length[frame],
                frames.best_sequence[frame],
                best_length,
                result,
                max_nodes - run.nodes[0],
                ref,
            )
    return FINISHED


@njit_inline
def select_descends(
    program, frames, own, tree, run, adaptive, problem, frame, depth, max_length, max_nodes, simulate_frame, maes2013
):
    """Walk down the tree from the node of the prefix, at `depth`, and let the leaf grow."""
    selects, c = own.select, program.c[frame]
    child, length, path = frame + 1, frames.length[frame], selects.path[frame]
    # Room for the leaf's children is made before the first draw, so that coming back repeats nothing.
    if run.nodes[0] + run.choices.shape[0] > tree.action.shape[0]:
        return NEEDS_MEMORY
    if ADAPTIVE and adaptive.frames[frame, POLICY] == GRAVE and depth == length:
        stop = table_local_root(adaptive, tree, path[depth], max_nodes + adaptive.numbers[ENTRIES] - run.nodes[0])
        if stop != RUN:
            return stop
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
            and adaptive.settings[frame, NORM] == 0
            and adaptive.settings[frame, FPU_COLUMN] == np.inf
            and adaptive.frames[simulate_frame, POLICY] == P_RANDOM
            and row == 0
        )
    fresh, reference = False, np.int64(node)
    while not fresh and tree.next[np.uint64(node), FIRST] > 0:
        if ADAPTIVE and depth >= cut_at:
            break
        if STOCHASTIC and is_final(state, problem):
            break
        if depth == max_length:
            return TOO_LONG
        if ADAPTIVE:
            if plain:
                node = choose_child(tree, run.random, node, c)
            else:
                if tree.visits[node] >= adaptive.settings[frame, REF]:
                    reference = np.int64(node)
                node = choose_by_policy(
                    adaptive,
                    own.adapt,
                    tree,
                    run,
                    state,
                    problem,
                    node,
                    depth,
                    reference,
                    c,
                    frame,
                    simulate_frame,
                    row,
                )
                if node < 0:
                    return BAD_FEATURE
                fresh = node >= LEAF
                node &= ~LEAF
        elif LEARNS and row > 0:
            node = choose_untried_or_child(own.adapt, tree, run.random, state, problem, node, c, row)
        else:
            node = choose_noted(tree, run.random, node, c, maes2013 and depth == length)
        action = tree.action[node]
        if STOCHASTIC:
            play(state, problem, action, run.random)
        else:
            play(state, problem, action)
        run.sequence[depth] = action
        selects.walked[frame, depth] = action
        depth += 1
        path[depth] = node
        fetch_node(tree, node)
        if ADAPTIVE:
            fetch_statistics(adaptive, node)
        if maes2013:
            c = BELOW_LOCAL_ROOT_2013
    selects.path_length[frame] = depth
    run.plays[PLAYS_SO_FAR] += depth - length
    frames.length[child] = depth
    if is_final(state, problem):
        if not STOCHASTIC:
            mark_exhausted(tree, path, depth)
            if ADAPTIVE and depth > 0:
                note_tried(tree, path[depth - 1], path[depth])
        return YIELDED
    if not ADAPTIVE or depth < cut_at:
        n = np.int64(legal_actions(state, problem, run.choices))
        if not 0 < n <= run.choices.shape[0]:
            run.number[0] = n
            return NO_ACTIONS if n == 0 else BAD_COUNT
        add_children(tree, run, node, run.choices, n, max_nodes)
    return RUN

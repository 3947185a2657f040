"""The compiled twin of what in `engines/arena/reference.py` needs no game: how a role chooses in the tree, what a
simulation teaches, and what is left of the tree when the match goes on."""

import numpy as np

from domains.kernels import below, njit_inline, njit_uncounted
from mcsgrammar.engines.compiled.adaptive_layout import (
    BATCH,
    BATCH_DECAY,
    BIAS,
    FPU_COLUMN,
    GRAVE,
    HISTORY,
    KEEPS_HISTORY,
    LONGEST_GRAM,
    P_GIBBS,
    POLICY,
    PUCT,
    REF,
    SIM_DECAY,
    TAU,
    VO,
    C,
    K,
    T,
    W,
)
from mcsgrammar.engines.compiled.amaf_kernels import mark_last_occurrences
from mcsgrammar.engines.compiled.arena_layout import (
    ACTION,
    ARM_VISITS,
    ARMS,
    CHILD,
    CHOOSER,
    CODES,
    COUNTS,
    FIRST_ARM,
    LENGTH,
    MEAN,
    NODES,
    PATH_NODES,
    ROOT,
    SIZE,
    SPREAD,
    STALE,
    STALE_AMAF,
    STALE_GRAMS,
    STALE_HISTORY,
    STALE_TREE,
    TOTAL,
    VISITS,
    JointTree,
    Knowledge,
    Scratch,
)
from mcsgrammar.engines.compiled.means_kernels import COUNT, ENTRIES, add, entry_of, insert, key_of, refill
from mcsgrammar.engines.compiled.means_kernels import MEAN as MEAN_OF_ENTRY
from mcsgrammar.engines.compiled.policy_kernels import place_of_tie
from mcsgrammar.engines.compiled.roots_kernels import root_log, spread_of
from mcsgrammar.engines.compiled.tagged_kernels import (
    decay_by_role,
    draw_place,
    note_odds,
    read_contexts,
    walk_diagonals,
)
from mcsgrammar.engines.rules import LARGEST, UNSEEN

_LOW = np.int64(0xFFFFFFFF)


@njit_inline
def diagonal_of(role: int, step: int, roles: int) -> np.int64:
    """The diagonal that has what the role does at that step."""
    d = np.int64(role) - np.int64(step) % roles
    return np.int64(d + roles if d < 0 else d)


@njit_inline
def choose_arm(
    tree: JointTree,
    known: Knowledge,
    scratch: Scratch,
    node: int,
    depth: int,
    role: int,
    first: int,
    n: int,
    select_frame: int,
) -> np.int64:
    """The place of the arm that a role chooses among its n in the node, which is the path's at that depth."""
    settings = known.settings[role, select_frame]
    arms, worths, random = tree.arms, scratch.worths, scratch.random
    visits = tree.nodes[node, VISITS]
    simulate_frame = known.op.shape[0] - 1
    playout_policy, playout_settings = known.frames[simulate_frame, POLICY], known.settings[role, simulate_frame]
    base = role * known.numbers[CODES] + 1
    few_visits, fpu = visits < settings[T], settings[FPU_COLUMN]
    if few_visits or fpu == np.inf:
        count = np.int64(0)
        for i in range(n):
            if few_visits or arms[first + i, ARM_VISITS] == 0:
                scratch.options[count] = arms[first + i, ACTION]
                scratch.option_places[count] = i
                count += 1
        if count > 0:
            d = diagonal_of(role, depth, known.settings.shape[0])
            contexts = scratch.contexts[d]
            if known.numbers[LONGEST_GRAM] > 1:
                read_contexts(known, scratch.sequence[d], depth, contexts)
            options = scratch.options
            place = draw_place(playout_policy, playout_settings, known, contexts, options, role, count, random, worths)
            return scratch.option_places[place]
    policy = known.frames[select_frame, POLICY]
    k = settings[K]
    beta, reference = 0.0, scratch.path[0]
    blends = policy == GRAVE and k != 0
    if blends:
        for d in range(depth, -1, -1):  # the nearest node on the way up with enough visits
            if tree.nodes[scratch.path[d], VISITS] >= settings[REF]:
                reference = scratch.path[d]
                break
        if k > 0:
            beta = 1.0 if k == np.inf else np.sqrt(k / (3.0 * np.float64(visits) + k))
    n_of_node = visits - 1  # in the first visit nobody chose
    total_odds = 0.0
    if policy == PUCT:
        scale = min(settings[C] * np.sqrt(np.float64(max(np.int64(1), n_of_node))), LARGEST)
        total_odds = np.float64(n)
        for i in range(n):
            scratch.sums[i] = 1.0
            scratch.options[i] = arms[first + i, ACTION]
        if playout_policy == P_GIBBS:
            total_odds = note_odds(known, scratch.options, role, n, playout_settings[TAU], scratch.sums)
    else:
        scale = min(settings[C] * root_log(n_of_node), LARGEST)
    highest = -np.inf
    for i in range(n):
        arm = first + i
        tried, quality = np.float64(arms[arm, ARM_VISITS]), tree.worths[arm, MEAN]
        if policy == PUCT:
            worth = (quality if tried > 0 else fpu) + scale * (scratch.sums[i] / total_odds) / (1.0 + tried)
        else:
            worth = quality + scale * tree.worths[arm, SPREAD] if tried > 0 else fpu
        if blends:
            entry = entry_of(known.amaf, key_of(reference, arms[arm, ACTION] + base))
            if entry >= 0:
                amaf, count_of_amaf = known.amaf.numbers[entry, MEAN_OF_ENTRY], known.amaf.numbers[entry, COUNT]
                if k < 0:
                    beta = count_of_amaf / (count_of_amaf + tried + settings[BIAS] * count_of_amaf * tried)
                exploitation = (1.0 - beta) * quality + beta * amaf if tried > 0 else amaf
                worth = exploitation + (scale * tree.worths[arm, SPREAD] if tried > 0 else scale)
        elif policy == HISTORY:
            entry = entry_of(known.history, key_of(0, arms[arm, ACTION] + base))
            bonus = settings[W] * (known.history.numbers[entry, MEAN_OF_ENTRY] if entry >= 0 else UNSEEN)
            worth += bonus / (max(1.0 - quality, 0.0) * tried + 1.0) if tried > 0 else bonus
        worths[i] = worth
        highest = max(highest, worth)
    least = highest - settings[VO]
    eligible = np.int64(0)
    for i in range(n):
        eligible += worths[i] >= least
    return place_of_tie(worths, least, below(random, eligible))


# What a final state teaches.


@njit_inline
def learn_final(known: Knowledge, scratch: Scratch, limit: int) -> None:
    """The sequence has led to `rewards`; all tables may hold `limit` entries."""
    numbers, length, roles = known.numbers, known.numbers[LENGTH], known.settings.shape[0]
    simulate_frame = known.op.shape[0] - 1
    if numbers[LONGEST_GRAM] > 0:
        walk_diagonals(known, scratch, length, limit, True)
        decays = False
        for role in range(roles):
            scratch.factors[role] = known.settings[role, simulate_frame, SIM_DECAY]
            decays |= scratch.factors[role] != 1
        if decays:
            walk_diagonals(known, scratch, length, limit, False)
        decays = False
        for role in range(roles):
            scratch.factors[role] = 1.0
            known.since_decay[role] += 1
            if known.since_decay[role] >= known.settings[role, simulate_frame, BATCH]:
                known.since_decay[role] = 0
                scratch.factors[role] = known.settings[role, simulate_frame, BATCH_DECAY]
                decays |= scratch.factors[role] != 1
        if decays:
            decay_by_role(known, scratch.factors)
    if numbers[KEEPS_HISTORY] == 1:
        for step in range(length):
            for role in range(roles):
                tag = scratch.sequence[diagonal_of(role, step, roles), step]
                if tag != role * numbers[CODES]:
                    add(known.history, key_of(0, tag), scratch.rewards[role], numbers, limit)


@njit_inline
def learn_amaf(known: Knowledge, scratch: Scratch, limit: int) -> None:
    """Add to AMAF(s, a), for every node s of the path and every action a at or after it, each once, the reward of the
    role that played it."""
    numbers, length, roles = known.numbers, known.numbers[LENGTH], known.settings.shape[0]
    tags, starts, count = scratch.tags, scratch.starts, np.int64(0)
    for step in range(length):
        starts[step] = count
        for role in range(roles):
            tag = scratch.sequence[diagonal_of(role, step, roles), step]
            if tag != role * numbers[CODES]:
                tags[count] = tag
                scratch.tag_worths[count] = scratch.rewards[role]
                count += 1
    starts[length] = count
    mark_last_occurrences(numbers, scratch.seen, scratch.last, tags, count)
    for d in range(numbers[PATH_NODES]):
        for place in range(starts[d], count):
            if scratch.last[place]:
                add(known.amaf, key_of(scratch.path[d], tags[place]), scratch.tag_worths[place], numbers, limit)


@njit_inline
def learn_visits(tree: JointTree, known: Knowledge, scratch: Scratch, chosen: int, frame: int) -> None:
    """Hand the mean of an invocation of select to the nodes of its path, and to the arms chosen in the first of
    them."""
    roles = known.settings.shape[0]
    for d in range(known.numbers[PATH_NODES]):
        tree.nodes[scratch.path[d], VISITS] += 1
    for role in range(roles):
        result = scratch.totals[frame, role] / np.float64(scratch.finals[frame])
        for step in range(chosen):
            arm = scratch.chosen[step, role]
            if arm >= 0:
                tree.arms[arm, ARM_VISITS] += 1
                visits = tree.arms[arm, ARM_VISITS]
                total = (tree.worths[arm, TOTAL] if visits > 1 else 0.0) + result
                tree.worths[arm, TOTAL] = total
                tree.worths[arm, MEAN] = total / np.float64(visits)
                tree.worths[arm, SPREAD] = spread_of(visits)


# When the match goes on.


@njit_uncounted
def keep_below(tree: JointTree, known: Knowledge, root: int) -> None:
    """Make a node the root, or none of them if it is -1, and forget all that it does not lead to. Nodes lie behind
    their parents, so that they can be moved up one after the other."""
    numbers, moved, key, nodes = known.numbers, tree.moved, tree.key, tree.nodes
    roles = known.settings.shape[0]
    kept, arms, size = np.int64(0), np.int64(0), np.int64(0)
    for node in range(numbers[NODES]):
        moved[node] = -1
        if node < root or root < 0:
            continue
        parent, place = key[node] >> 32, key[node] & _LOW
        if node != root and (parent < 0 or moved[parent] < 0):
            continue
        moved[node] = kept
        first, count = nodes[node, FIRST_ARM], np.int64(0)
        for role in range(roles):
            count += nodes[node, COUNTS + role]
        for column in range(nodes.shape[1]):
            nodes[kept, column] = nodes[node, column]
        nodes[kept, FIRST_ARM] = arms
        for i in range(count):
            for column in range(3):
                tree.arms[arms + i, column] = tree.arms[first + i, column]
                tree.worths[arms + i, column] = tree.worths[first + i, column]
        if node == root:
            key[kept] = -1
        else:
            parent = moved[parent]
            key[kept] = key_of(parent, place)
            if nodes[parent, CHOOSER] >= 0:
                tree.arms[nodes[parent, FIRST_ARM] + place, CHILD] = kept
        kept += 1
        arms += count
        size += max(np.int64(1), count)
    keep_amaf(known, moved)
    numbers[ROOT] = 0 if root >= 0 else -1
    numbers[NODES], numbers[ARMS], numbers[SIZE] = kept, arms, size
    numbers[STALE] = STALE_TREE
    rehash(tree, known)


@njit_uncounted
def keep_amaf(known: Knowledge, moved: np.ndarray) -> None:
    """Keep the entries of nodes that are kept."""
    amaf, kept = known.amaf, np.int64(0)
    if amaf.used[0] == 0:
        return
    for entry in range(amaf.used[0]):
        node = moved[amaf.key[entry] >> 32]
        if node >= 0:
            amaf.key[kept] = key_of(node, amaf.key[entry] & _LOW)
            amaf.numbers[kept, COUNT] = amaf.numbers[entry, COUNT]
            amaf.numbers[kept, MEAN_OF_ENTRY] = amaf.numbers[entry, MEAN_OF_ENTRY]
            kept += 1
    known.numbers[ENTRIES] -= amaf.used[0] - kept
    amaf.used[0] = kept
    amaf.slots[:] = 0
    refill(amaf.slots, amaf.slots.shape[0] - 1, amaf.key, kept)


@njit_uncounted
def rehash(tree: JointTree, known: Knowledge) -> None:
    """Find anew what is in the tables that are stale."""
    stale = known.numbers[STALE]
    known.numbers[STALE] = 0
    if stale & STALE_GRAMS:
        refill(known.grams.slots, known.grams.slots.shape[0] - 1, known.grams.key, known.grams.used[0])
    if stale & STALE_HISTORY:
        refill(known.history.slots, known.history.slots.shape[0] - 1, known.history.key, known.history.used[0])
    if stale & STALE_AMAF:
        refill(known.amaf.slots, known.amaf.slots.shape[0] - 1, known.amaf.key, known.amaf.used[0])
    if stale & STALE_TREE:
        tree.slots[:] = 0
        for node in range(known.numbers[NODES]):
            parent = tree.key[node] >> 32
            if parent >= 0 and tree.nodes[parent, CHOOSER] < 0:
                insert(tree.slots, tree.slots.shape[0] - 1, tree.key, node, tree.key[node])

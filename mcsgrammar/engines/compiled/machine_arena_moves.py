"""How the machine of the arena plays: down the tree, and on to the end. A part of the template that `machine_arena.py`
is the last of."""

import numpy as np

from domains.kernels import GameKernels, njit_inline, njit_uncounted
from mcsgrammar.engines.compiled.adaptive_layout import (
    LONGEST_GRAM,
    NO_ROOM,
    POLICY,
)
from mcsgrammar.engines.compiled.arena_kernels import (
    choose_arm,
    diagonal_of,
)
from mcsgrammar.engines.compiled.arena_layout import (
    ACTION,
    ARM_VISITS,
    ARMS,
    BAD_MOVER,
    CHILD,
    CHOOSER,
    CODES,
    COUNTS,
    FIRST_ARM,
    LEAF_LENGTH,
    LENGTH,
    MANY_JOINTS,
    MOST_JOINTS,
    NOBODY,
    NODES,
    NUMBER,
    PATH_NODES,
    ROLE,
    ROOT,
    SEVERAL,
    SIZE,
    STEPS,
    VISITS,
    JointTree,
    Knowledge,
    Scratch,
)
from mcsgrammar.engines.compiled.layout import (
    BAD_COUNT,
    NO_ACTIONS,
    RUN,
    TOO_LONG,
    YIELDED,
)
from mcsgrammar.engines.compiled.means_kernels import ENTRIES, find, insert, key_of
from mcsgrammar.engines.compiled.tagged_kernels import advance_contexts, draw_place, read_contexts

KERNELS: GameKernels  # placed here before this file runs, as is

mover_of = KERNELS.mover
legal_actions = KERNELS.actions
play = KERNELS.play
is_final = KERNELS.is_final
rewards_of = KERNELS.rewards

NOOP = -1
ROOT_STATE, LEAF_STATE, PLAYOUT_STATE = range(3)


@njit_inline
def copy_state(state, into, slot):
    for i in range(state.shape[2]):
        state[into, 0, i] = state[slot, 0, i]


@njit_uncounted
def add_node(tree: JointTree, known: Knowledge, scratch: Scratch, problem, key, hashed, max_nodes):
    """A node for the state of the leaf; -1 if there is no room for it, -2 less why the machine must stop."""
    numbers, choices, state, roles = (
        known.numbers,
        scratch.choices,
        scratch.state[LEAF_STATE, 0],
        known.settings.shape[0],
    )
    node, first = numbers[NODES], numbers[ARMS]
    nodes, arm, chooser, joints = tree.nodes, first, np.int64(NOBODY), np.int64(1)
    mover = np.int64(mover_of(state, problem))
    if not -1 <= mover < roles:
        numbers[NUMBER] = mover
        return np.int64(-2 - BAD_MOVER)
    for role in range(roles):
        nodes[node, COUNTS + role] = 0
        nodes[node, COUNTS + roles + role] = NOOP
        if mover >= 0 and role != mover:
            continue
        n = np.int64(legal_actions(state, problem, role, choices))
        if not 0 < n <= choices.shape[0]:
            numbers[NUMBER], numbers[ROLE] = n, role
            return np.int64(-2 - (NO_ACTIONS if n == 0 else BAD_COUNT))
        if n == 1:
            nodes[node, COUNTS + roles + role] = choices[0]
            continue
        for i in range(n):
            tree.arms[arm + i, ACTION] = choices[i]
            tree.arms[arm + i, ARM_VISITS] = 0
            tree.arms[arm + i, CHILD] = -1
        nodes[node, COUNTS + role] = n
        joints *= n
        if joints > MOST_JOINTS:
            return np.int64(-2 - MANY_JOINTS)
        chooser = np.int64(role) if chooser == NOBODY else np.int64(SEVERAL)
        arm += n
    size = max(np.int64(1), arm - first)
    if numbers[SIZE] + numbers[ENTRIES] + size > max_nodes:
        numbers[NO_ROOM] = 1
        return np.int64(-1)
    numbers[SIZE] += size
    numbers[NODES], numbers[ARMS] = node + 1, arm
    nodes[node, VISITS], nodes[node, FIRST_ARM], nodes[node, CHOOSER] = 0, first, chooser
    tree.key[node] = key
    if hashed:
        insert(tree.slots, tree.slots.shape[0] - 1, tree.key, node, key)
    return node


@njit_inline
def walk(tree: JointTree, known: Knowledge, scratch: Scratch, problem, frame, max_length, max_nodes):
    """From the root down to a new node, or to where there is none. Afterwards `LENGTH` steps have been chosen."""
    numbers, joint, state, roles = known.numbers, scratch.joint, scratch.state[LEAF_STATE, 0], known.settings.shape[0]
    copy_state(scratch.state, LEAF_STATE, ROOT_STATE)
    for d in range(roles):
        scratch.leaf_free[d] = 0
    depth, node = np.int64(0), numbers[ROOT]
    numbers[PATH_NODES] = numbers[LENGTH] = 0
    if node < 0:
        node = add_node(tree, known, scratch, problem, np.int64(-1), False, max_nodes)
        if node < -1:
            return -2 - node
        numbers[ROOT] = node
        if node >= 0:
            scratch.path[0] = node
            numbers[PATH_NODES] = 1
        return np.int64(RUN)
    limit = max_length - numbers[STEPS]
    while True:
        scratch.path[depth] = node
        if depth >= limit:
            return np.int64(TOO_LONG)
        nodes = tree.nodes
        chooser, arm, place = nodes[node, CHOOSER], nodes[node, FIRST_ARM], np.int64(0)
        for role in range(roles):
            n, d = nodes[node, COUNTS + role], diagonal_of(role, depth, roles)
            scratch.chosen[depth, role] = -1
            action = nodes[node, COUNTS + roles + role]
            if n > 0:
                chosen = choose_arm(tree, known, scratch, node, depth, role, arm, n, frame)
                place = place * n + chosen
                scratch.chosen[depth, role] = arm + chosen
                action = tree.arms[arm + chosen, ACTION]
                scratch.leaf_free[d] = 1
                arm += n
            joint[role] = action
        for role in range(roles):  # only now, as all choose at once
            d = diagonal_of(role, depth, roles)
            scratch.sequence[d, depth] = role * numbers[CODES] + joint[role] + 1
        play(state, problem, joint)
        depth += 1
        numbers[LENGTH] = depth
        numbers[PATH_NODES] = depth
        key = key_of(node, place)
        if chooser >= 0:
            child = tree.arms[nodes[node, FIRST_ARM] + place, CHILD]
        else:
            child = find(tree.slots, tree.slots.shape[0] - 1, tree.key, key)
        if child < 0:
            break
        node = child
    if is_final(state, problem):
        return np.int64(YIELDED)
    child = add_node(tree, known, scratch, problem, key, chooser < 0, max_nodes)
    if child < -1:
        return -2 - child
    if child >= 0:
        if chooser >= 0:
            tree.arms[tree.nodes[node, FIRST_ARM] + place, CHILD] = child
        scratch.path[depth] = child
        numbers[PATH_NODES] = depth + 1
    return np.int64(RUN)


@njit_inline
def playout(known: Knowledge, scratch: Scratch, problem, max_length):
    """From the leaf to a final state."""
    numbers, joint, choices = known.numbers, scratch.joint, scratch.choices
    roles, codes, sequence, free = known.settings.shape[0], numbers[CODES], scratch.sequence, scratch.free
    frame, state, longest = known.op.shape[0] - 1, scratch.state[PLAYOUT_STATE, 0], numbers[LONGEST_GRAM]
    policy, limit = known.frames[frame, POLICY], max_length - numbers[STEPS]
    copy_state(scratch.state, PLAYOUT_STATE, LEAF_STATE)
    length = numbers[LEAF_LENGTH]
    for d in range(roles):
        free[d] = scratch.leaf_free[d]
        if longest > 1:
            read_contexts(known, sequence[d], length, scratch.contexts[d])
    shift = length % roles
    while True:
        mover = np.int64(mover_of(state, problem))
        if not -1 <= mover < roles:
            numbers[NUMBER] = mover
            return np.int64(BAD_MOVER)
        begin, end = np.int64(0), roles
        if mover >= 0:
            begin, end = mover, mover + 1
            for role in range(roles):
                joint[role] = NOOP
        n = np.int64(0)
        for role in range(begin, end):
            n = np.int64(legal_actions(state, problem, role, choices))
            if not 0 < n <= choices.shape[0]:
                numbers[NUMBER], numbers[ROLE] = n, role
                if n != 0:
                    return np.int64(BAD_COUNT)
                break
            place = np.int64(0)
            if n > 1:
                d = role - shift
                d = d + roles if d < 0 else d
                settings, contexts, worths = known.settings[role, frame], scratch.contexts[d], scratch.worths
                place = draw_place(policy, settings, known, contexts, choices, role, n, scratch.random, worths)
                free[d] = 1
            joint[role] = choices[place]
        if n == 0:
            break
        if length >= limit:
            return np.int64(TOO_LONG)
        for role in range(roles):
            d = role - shift
            d = d + roles if d < 0 else d
            sequence[d, length] = role * codes + joint[role] + 1
            if longest > 1:
                advance_contexts(known, sequence[d, length], scratch.contexts[d])
        play(state, problem, joint)
        length += 1
        shift = shift + 1 if shift + 1 < roles else np.int64(0)
    numbers[LENGTH] = length
    return np.int64(YIELDED) if is_final(state, problem) else np.int64(NO_ACTIONS)

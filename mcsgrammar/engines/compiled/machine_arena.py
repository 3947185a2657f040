"""The compiled machine of the arena: what a player does, on one game. A template, as `machine.py` is, apart from it.

S is a chain of components, each with one inside it: `repeat` and `tune`, one `select`, `repeat` and `tune`, `sim`. Only
select and sim play, so no component needs a state of its own: there is the root's, that of the leaf that select has
come to, and that of the playout. What the frames have are counters and sums. The loop enters a component, or goes on in
one after what is inside it has returned; a final state is valued in between, where the machine can stop and repeat
nothing.

Tuners are compiled in where `TUNES` says so. Twin of `engines/arena/reference.py`, which is the definition.
"""

import numpy as np

from domains.kernels import GameKernels, njit_inline, njit_uncounted
from domains.lending import lent
from domains.scratch import unowned
from mcsgrammar.engines.compiled.adaptive_layout import (
    GRAVE,
    KEEPS_HISTORY,
    LONGEST_GRAM,
    MOVE_DECAY,
    POLICY,
)
from mcsgrammar.engines.compiled.arena_kernels import (
    keep_below,
    learn_amaf,
    learn_final,
    learn_visits,
    rehash,
)
from mcsgrammar.engines.compiled.arena_layout import (
    ACTION,
    ADVANCE,
    ARMS,
    CHILD,
    CHOOSER,
    CHOOSING,
    COUNTS,
    ENTER,
    EVALUATIONS,
    FIRST_ARM,
    FIRST_FRAME,
    FRAME,
    LEAF_LENGTH,
    LENGTH,
    LIST,
    NODES,
    NUMBER,
    PATH_NODES,
    PHASE,
    REHASH,
    RETURNED,
    ROLE,
    ROOT,
    SIMULATION_STEPS,
    SIMULATIONS,
    SIZE,
    SPENT,
    STEPS,
    VALUE,
    JointTree,
    Knowledge,
    Scratch,
)
from mcsgrammar.engines.compiled.layout import (
    BAD_REWARD,
    BUDGET_SPENT,
    NEEDS_MEMORY,
    PAUSED,
    REPEAT,
    RUN,
    SELECT,
    TOO_LONG,
    TUNE,
    YIELDED,
)
from mcsgrammar.engines.compiled.means_kernels import find, key_of
from mcsgrammar.engines.compiled.tagged_kernels import decay_by_role

KERNELS: GameKernels  # placed here before this file runs, as is
TUNES: bool
if TUNES:
    from mcsgrammar.tuning.running_kernels import after_invocation, before_invocation
    from mcsgrammar.tuning.state_kernels import tuner_at


@njit_inline
def value(known: Knowledge, scratch: Scratch, problem, slot, frame, limit, keeps_amaf):
    """A final state is reached: what it is worth, to whom, and what that teaches."""
    rewards, numbers, roles = scratch.rewards, known.numbers, known.settings.shape[0]
    rewards_of(scratch.state[slot, 0], problem, rewards)
    for role in range(roles):
        if not abs(rewards[role]) < np.inf:
            return np.int64(BAD_REWARD)
    numbers[EVALUATIONS] += 1
    numbers[SIMULATIONS] += 1
    numbers[SIMULATION_STEPS] += numbers[LENGTH]
    for role in range(roles):
        rewards[role] = min(max(rewards[role], 0.0), 1.0)
        for outer in range(FIRST_FRAME, frame + 1):
            scratch.totals[outer, role] += rewards[role]
    for outer in range(FIRST_FRAME, frame + 1):
        scratch.finals[outer] += 1
    if numbers[LONGEST_GRAM] > 0 or numbers[KEEPS_HISTORY] == 1:
        learn_final(known, scratch, limit)
    if keeps_amaf:
        learn_amaf(known, scratch, limit)
    return np.int64(RUN)


@njit_inline
def lacks_room(known: Knowledge):
    """Whether what the final state at hand may teach could be more than the tables hold."""
    numbers, roles = known.numbers, known.settings.shape[0]
    taught = numbers[LENGTH] * roles
    return (
        known.grams.used[0] + numbers[LONGEST_GRAM] * taught > known.grams.key.shape[0]
        or known.history.used[0] + taught > known.history.key.shape[0]
        or known.amaf.used[0] + numbers[PATH_NODES] * taught > known.amaf.key.shape[0]
    )


if TUNES:

    @njit_uncounted
    def choose_values(known: Knowledge, scratch: Scratch, frame):
        """Every role's tuner chooses."""
        numbers = known.numbers
        while numbers[CHOOSING] < known.settings.shape[0]:
            role = numbers[CHOOSING]
            tuner = tuner_at(known.tuners, known.tuner_places[role, frame])
            settings = known.settings[role]
            stop = before_invocation(tuner, scratch.random, numbers[SIMULATIONS], settings, known.repetitions)
            if stop != RUN:
                return np.int64(stop)
            numbers[CHOOSING] += 1
        numbers[CHOOSING] = 0
        return np.int64(RUN)

    @njit_uncounted
    def tell_results(known: Knowledge, scratch: Scratch, frame):
        for role in range(known.settings.shape[0]):
            tuner = tuner_at(known.tuners, known.tuner_places[role, frame])
            result = scratch.totals[frame, role] / np.float64(scratch.finals[frame])
            after_invocation(tuner, scratch.random, known.numbers[SIMULATIONS], result, 0)


@njit_uncounted
def advance(tree: JointTree, known: Knowledge, scratch: Scratch, problem, max_length):
    """The joint move was played."""
    numbers, joint, roles = known.numbers, scratch.joint, known.settings.shape[0]
    if numbers[STEPS] >= max_length:
        return np.int64(TOO_LONG)
    child = np.int64(-1)
    root = numbers[ROOT]
    if root >= 0:
        place, arm, nodes = np.int64(0), tree.nodes[root, FIRST_ARM], tree.nodes
        for role in range(roles):
            n, at = nodes[root, COUNTS + role], np.int64(0)
            if n > 0:
                while at < n - 1 and tree.arms[arm + at, ACTION] != joint[role]:
                    at += 1
                place = place * n + at
                arm += n
        if nodes[root, CHOOSER] >= 0:
            child = tree.arms[nodes[root, FIRST_ARM] + place, CHILD]
        else:
            child = find(tree.slots, tree.slots.shape[0] - 1, tree.key, key_of(root, place))
    play(scratch.state[ROOT_STATE, 0], problem, joint)
    numbers[STEPS] += 1
    keep_below(tree, known, child)
    decays = False
    for role in range(roles):
        scratch.factors[role] = known.settings[role, known.op.shape[0] - 1, MOVE_DECAY]
        decays |= scratch.factors[role] != 1
    if decays and numbers[LONGEST_GRAM] > 0:
        decay_by_role(known, scratch.factors)
    return np.int64(RUN)


@njit_uncounted
def run_machine(
    command, tree: JointTree, known: Knowledge, scratch: Scratch, problem, budget, pause_at, max_length, max_nodes
):
    """Do what is asked; returns why it stopped."""
    tree, known, scratch, problem = lent(tree), lent(known), lent(scratch), unowned(problem)
    numbers, roles = known.numbers, known.settings.shape[0]
    if command == ADVANCE:
        return advance(tree, known, scratch, problem, max_length)
    if command == REHASH:
        rehash(tree, known)
        return np.int64(RUN)
    if command == LIST:
        mover = np.int64(mover_of(scratch.state[ROOT_STATE, 0], problem))
        scratch.choices[0] = NOOP
        numbers[NUMBER] = 1
        if mover < 0 or mover == numbers[ROLE]:
            numbers[NUMBER] = legal_actions(scratch.state[ROOT_STATE, 0], problem, numbers[ROLE], scratch.choices)
        return np.int64(RUN)
    frame, phase = numbers[FRAME], numbers[PHASE]
    if frame == FIRST_FRAME and phase == ENTER and is_final(scratch.state[ROOT_STATE, 0], problem):
        return np.int64(BUDGET_SPENT)
    simulate_frame = known.op.shape[0] - 1
    select_frame = simulate_frame
    while known.op[select_frame] != SELECT:
        select_frame -= 1
    keeps_amaf = known.frames[select_frame, POLICY] == GRAVE
    outcome = np.int64(RUN)
    while True:
        what = known.op[frame]
        if phase == ENTER:
            for role in range(roles):
                scratch.totals[frame, role] = 0.0
            scratch.finals[frame] = 0
            if what == SELECT:
                most = roles * scratch.choices.shape[0]
                if numbers[NODES] == tree.key.shape[0] or numbers[ARMS] + most > tree.arms.shape[0]:
                    outcome = np.int64(NEEDS_MEMORY)
                    break
                outcome = walk(tree, known, scratch, problem, frame, max_length, max_nodes)
                numbers[LEAF_LENGTH] = numbers[LENGTH]
                if outcome == YIELDED:
                    phase = np.int64(VALUE)
                    for d in range(roles):
                        scratch.free[d] = scratch.leaf_free[d]
                elif outcome == RUN:
                    frame += 1
                else:
                    break
                continue
            if frame < simulate_frame:
                if what == REPEAT:
                    scratch.left[frame] = known.repetitions[frame]
                if TUNES and what == TUNE:
                    outcome = choose_values(known, scratch, frame)
                    if outcome != RUN:
                        break
                frame += 1
                continue
            outcome = playout(known, scratch, problem, max_length)
            if outcome != YIELDED:
                break
            phase = np.int64(VALUE)
        if phase == VALUE:
            if lacks_room(known):
                outcome = np.int64(NEEDS_MEMORY)
                break
            slot = PLAYOUT_STATE if frame == simulate_frame else LEAF_STATE
            outcome = value(known, scratch, problem, slot, frame, max_nodes - numbers[SIZE], keeps_amaf)
            if outcome != RUN:
                break
            if frame == simulate_frame:
                frame -= 1
            phase = np.int64(RETURNED)
            if numbers[EVALUATIONS] >= budget:
                numbers[SPENT] = 1
            elif numbers[EVALUATIONS] == pause_at:
                outcome = np.int64(PAUSED)
                break
            continue
        # What is inside has returned.
        if frame < FIRST_FRAME:
            frame, phase = np.int64(FIRST_FRAME), np.int64(ENTER)
            if numbers[SPENT] == 1:
                outcome = np.int64(BUDGET_SPENT)
                break
            continue
        if what == REPEAT:
            scratch.left[frame] -= 1
            if scratch.left[frame] > 0 and numbers[SPENT] == 0:
                frame, phase = frame + 1, np.int64(ENTER)
                continue
        elif what == SELECT:
            learn_visits(tree, known, scratch, numbers[LEAF_LENGTH], frame)
        elif TUNES and what == TUNE:
            tell_results(known, scratch, frame)
        frame -= 1
    numbers[FRAME], numbers[PHASE] = frame, phase
    return outcome

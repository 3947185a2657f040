"""The arrays of a player of the compiled engine, as it begins a match."""

from functools import partial

import numpy as np

from mcsgrammar.engines.compiled.adaptive_layout import LONGEST_GRAM, P_GIBBS, POLICY, TAU, AdaptiveProgram, column_of
from mcsgrammar.engines.compiled.arena_layout import (
    CODES,
    DIRECT_TAGS,
    FIRST_FRAME,
    FRAME,
    PLAYER_NUMBERS,
    ROOT,
    Knowledge,
    Scratch,
)
from mcsgrammar.engines.compiled.guard_cells import GuardedArray, guarded_array, guarded_states
from mcsgrammar.engines.compiled.means_kernels import empty_table
from mcsgrammar.engines.rules import UNSEEN
from mcsgrammar.tuning.layout import new_tuner
from mcsgrammar.tuning.state import LISTS, PLACES, TO_BE_SAID, TunerState

Written = dict[tuple[str, str], GuardedArray]
"""What kernels write or may write, each with the kernel that most likely went wrong there."""


def new_scratch(
    lowered: AdaptiveProgram, roles: int, steps: int, actions: int, state: np.ndarray, seed: int
) -> tuple[Scratch, Written]:
    frames, longest = len(lowered.settings), int(lowered.numbers[LONGEST_GRAM])
    states = guarded_states(3, len(state), state.dtype)
    choices, joint = guarded_array(actions, np.int32), guarded_array(roles, np.int32)
    rewards = guarded_array(roles, np.float64)
    scratch = Scratch(
        state=states.array,
        random=np.array([seed], np.uint64),
        choices=choices.array,
        joint=joint.array,
        rewards=rewards.array,
        sequence=np.zeros((roles, steps), np.int64),
        free=np.zeros(roles, np.int64),
        leaf_free=np.zeros(roles, np.int64),
        path=np.zeros(steps + 1, np.int64),
        chosen=np.zeros((steps, roles), np.int64),
        contexts=np.zeros((roles, longest + 1), np.int64),
        options=np.zeros(actions, np.int32),
        option_places=np.zeros(actions, np.int64),
        worths=np.zeros(actions),
        sums=np.zeros(actions),
        totals=np.zeros((frames, roles)),
        finals=np.zeros(frames, np.int64),
        left=np.zeros(frames, np.int64),
        factors=np.zeros(roles),
        tags=np.zeros(steps * roles, np.int64),
        tag_worths=np.zeros(steps * roles),
        starts=np.zeros(steps + 1, np.int64),
        last=np.zeros(steps * roles, np.bool_),
        seen=np.zeros(1 << (2 * steps * roles).bit_length(), np.int64),
    )
    scratch.state[0, 0] = state
    written = {
        ("its state", "play"): states,
        ("the list of actions", "actions"): choices,
        ("the joint move", "play"): joint,
        ("the rewards", "rewards"): rewards,
    }
    return scratch, written


def new_knowledge(lowered: AdaptiveProgram, roles: int, codes: int, entries: int) -> Knowledge:
    """`codes` are those of the game's actions; the tables have room for so many entries."""
    numbers = np.zeros(PLAYER_NUMBERS, np.int64)
    numbers[: len(lowered.numbers)] = lowered.numbers
    numbers[CODES], numbers[ROOT], numbers[FRAME] = codes + 1, -1, FIRST_FRAME
    listed = min(DIRECT_TAGS, roles * (codes + 1))
    tuners = [
        new_tuner(tune, space, lowered.parts, partial(column_of, features=()), None, None)
        for tune, space in zip(lowered.tunes, lowered.spaces, strict=True)
        for _ in range(roles)
    ]
    for tuner in tuners:
        tuner.expected = TO_BE_SAID
    gibbs = lowered.frames[-1, POLICY] == P_GIBBS
    tau = float(lowered.settings[-1, TAU]) if gibbs else 0.0
    known = Knowledge(
        op=lowered.program.op,
        repetitions=lowered.program.repetitions,
        frames=lowered.frames,
        settings=np.stack([lowered.settings] * roles),
        numbers=numbers,
        since_decay=np.zeros(roles, np.int64),
        grams=empty_table(entries, np.int32),
        followers=np.zeros(entries, np.uint64),
        scores=np.full(listed, UNSEEN),
        odds=np.ones(listed),
        listed_tau=np.full(roles, tau),
        direct=np.zeros(listed, np.int32),
        history=empty_table(entries, np.int32),
        amaf=empty_table(entries, np.int32),
        tuner_places=np.zeros((roles, len(lowered.settings)), np.int64),
        tuners=np.zeros(0, np.int64),
    )
    return with_tuners(known, lowered, tuners)


def with_tuners(known: Knowledge, lowered: AdaptiveProgram, tuners: list[TunerState]) -> Knowledge:
    """The same with these tuners, whose arrays are put into one; they come role after role for each tune."""
    end, at = 0, iter(tuners)
    for frame in lowered.tune_frames:
        for role in range(len(known.settings)):
            known.tuner_places[role, frame] = end
            end += len(next(at).array)
    return known._replace(tuners=np.concatenate([np.zeros(0, np.int64), *(tuner.array for tuner in tuners)]))


def tuner_of(known: Knowledge, role: int, frame: int) -> TunerState:
    return TunerState(known.tuners[known.tuner_places[role, frame] :])


def in_own_array(tuner: TunerState) -> TunerState:
    last = list(LISTS)[-1]
    end = int(tuner.array[PLACES[last]]) + getattr(tuner, LISTS[last][1])
    return TunerState(tuner.array[:end].copy())

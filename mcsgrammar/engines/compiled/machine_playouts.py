"""The playouts of a machine: a part of the template that `machine.py` is the last of."""

import numpy as np

from domains.kernels import Kernels, below, njit_inline, njit_uncounted
from mcsgrammar.engines.compiled.layout import (
    BAD_COUNT_AT,
    BAD_LENGTH,
    NO_ACTIONS,
    PLAYS_SO_FAR,
    TOO_LONG,
    YIELDED,
)

KERNELS: Kernels  # placed here before this file runs, as is
LEARNS: bool
ADAPTIVE: bool
STOCHASTIC: bool
if LEARNS:
    from mcsgrammar.engines.compiled.layout import BAD_FEATURE, BAD_FEATURES_AT
if ADAPTIVE:
    from mcsgrammar.engines.compiled.adaptive_layout import (
        CUT_SELECT,
        DEPTH,
        N_GRAM,
        P_GUIDED,
        P_RANDOM,
        POLICY,
    )
    from mcsgrammar.engines.compiled.policy_kernels import (
        advance_contexts,
        pick,
        read_contexts,
        ready_worths,
    )

legal_actions = KERNELS.actions
play = KERNELS.play
is_final = KERNELS.is_final
reward_of = KERNELS.reward


@njit_uncounted
def plain_playout(state, problem, random, sequence, length, limit, choices):
    """What a fused playout must equal, draw for draw."""
    while length < limit:
        n = np.int64(legal_actions(state, problem, choices))
        if not 0 < n <= choices.shape[0]:
            return np.int64(length) if n == 0 else BAD_COUNT_AT + n
        action = choices[below(random, n)]
        if STOCHASTIC:
            play(state, problem, action, random)
        else:
            play(state, problem, action)
        sequence[length] = action
        length += 1
    return np.int64(length)


if KERNELS.playout is None:
    playout = plain_playout
else:
    fused_playout = KERNELS.playout

    @njit_inline
    def playout(state, problem, random, sequence, length, limit, choices):
        return np.int64(fused_playout(state, problem, random, sequence, length, limit))


if ADAPTIVE:

    @njit_uncounted
    def policy_playout(
        state,
        problem,
        random,
        sequence,
        length,
        limit,
        choices,
        policy,
        settings,
        grams,
        direct,
        frequent,
        contexts,
        worths,
    ):
        """The same by another policy."""
        n_gram = np.int64(settings[N_GRAM])
        ready_worths(policy, settings, grams, direct, frequent)
        read_contexts(grams, direct, frequent, sequence, length, n_gram, contexts)
        while length < limit:
            n = np.int64(legal_actions(state, problem, choices))
            if not 0 < n <= choices.shape[0]:
                return np.int64(length) if n == 0 else BAD_COUNT_AT + n
            action = choices[pick(policy, settings, grams, direct, frequent, contexts, choices, n, random, worths)]
            if STOCHASTIC:
                play(state, problem, action, random)
            else:
                play(state, problem, action)
            sequence[length] = action
            length += 1
            if n_gram > 1:
                advance_contexts(grams, direct, frequent, action, n_gram, contexts)
        return np.int64(length)


@njit_inline
def simulate(program, frames, own, run, adaptive, problem, child, max_length):
    """Play on from the state of the innermost frame, which then is final or cut off."""
    begun, state = frames.length[child], frames.state[child, 0]
    if LEARNS:
        row = program.row[child]
    if ADAPTIVE:
        cut_select = adaptive.numbers[CUT_SELECT]
        start = frames.length[cut_select] if cut_select >= 0 else begun
        cut_at = start + adaptive.settings[child, DEPTH]
        end = np.int64(cut_at) if cut_at < max_length else np.int64(max_length)
        policy = adaptive.frames[child, POLICY]
        if policy == P_RANDOM and row == 0:
            length = playout(state, problem, run.random, run.sequence, begun, end, run.choices)
        elif policy in (P_RANDOM, P_GUIDED):
            length = weighted_playout(
                state,
                problem,
                run.random,
                run.sequence,
                begun,
                end,
                run.choices,
                own.adapt,
                row,
                policy == P_GUIDED,
                adaptive.settings[child],
            )
        else:
            length = policy_playout(
                state,
                problem,
                run.random,
                run.sequence,
                begun,
                end,
                run.choices,
                policy,
                adaptive.settings[child],
                adaptive.grams,
                adaptive.direct,
                adaptive.frequent,
                adaptive.contexts,
                adaptive.worths,
            )
        end = max(begun, end)  # a tuner may have moved it back meanwhile
    elif LEARNS:
        cut_at, end = np.inf, max_length
        length = weighted_playout(
            state, problem, run.random, run.sequence, begun, end, run.choices, own.adapt, row, False, ()
        )
    else:
        cut_at, end = np.inf, max_length
        length = playout(state, problem, run.random, run.sequence, begun, end, run.choices)
    if LEARNS and length == BAD_FEATURES_AT:
        return BAD_FEATURE
    if not begun <= length <= end:
        run.number[0] = length
        return BAD_LENGTH
    frames.length[child] = length
    run.plays[PLAYS_SO_FAR] += length - begun
    if length < cut_at and not is_final(state, problem):
        return TOO_LONG if length == max_length else NO_ACTIONS
    return YIELDED

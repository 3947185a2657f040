"""Actions drawn by what was learnt of them and what the problem knows of them: the first part of the template that
`machine.py` is the last of, in the machines that have a use for it. The compiled twin of `weights.py`."""

import numpy as np

from domains.kernels import Kernels, njit, njit_inline
from domains.portable_math_kernels import exp
from mcsgrammar.engines.compiled.layout import (
    BAD_COUNT,
    BAD_COUNT_AT,
    BAD_FEATURE,
    BAD_FEATURES_AT,
    CHANGED_ACTIONS,
    NEEDS_MEMORY,
    NO_ACTIONS,
    RUN,
    Frames,
    Run,
    Tree,
)
from mcsgrammar.engines.compiled.learning_layout import (
    CHOICES,
    ENTRIES_WALKED,
    FRESH,
    NEW,
    PLAYED,
    STEPS,
    USED,
    Learning,
)
from mcsgrammar.engines.compiled.tree_kernels import choose_child
from mcsgrammar.engines.compiled.weights_kernels import (
    begin_walk,
    draw_by_sums,
    end_step,
    end_walk,
    meet,
    number_in_walk,
    place_of,
)

KERNELS: Kernels  # placed here before this file runs, as is
ADAPTIVE: bool
STOCHASTIC: bool
if ADAPTIVE:
    from mcsgrammar.engines.compiled.adaptive_layout import FIRST_FEATURE, P_GUIDED, POLICY

legal_actions = KERNELS.actions
play = KERNELS.play

if KERNELS.code is None:

    @njit_inline
    def code_of(state, problem, action):
        return np.int64(action)

else:
    own_code = KERNELS.code

    @njit_inline
    def code_of(state, problem, action):
        return np.int64(own_code(state, problem, action))


if KERNELS.codes is None:

    @njit_inline
    def list_codes(state, problem, actions, n, out):
        pass

    @njit_inline
    def listed_code(state, problem, actions, i, listed):
        return code_of(state, problem, actions[i])

else:
    list_codes = KERNELS.codes

    @njit_inline
    def listed_code(state, problem, actions, i, listed):
        return listed[i]


if ADAPTIVE:
    if KERNELS.feature is None:

        @njit_inline
        def features_of(state, problem, action, numbers):
            pass

    else:
        features_of = KERNELS.feature

    @njit
    def fill_priors(state, problem, actions, n, learning: Learning, settings, priors):
        """Set the first n of `priors`; False for a weighted sum that is not finite."""
        numbers = learning.features
        highest = -np.inf
        for i in range(n):
            total = 0.0
            features_of(state, problem, actions[i], numbers)
            for k in range(numbers.shape[0]):
                total += settings[FIRST_FEATURE + k] * numbers[k]
            if not abs(total) < np.inf:
                return False
            priors[i] = total
            highest = max(highest, total)
        for i in range(n):
            priors[i] = exp(priors[i] - highest)
        return True


@njit_inline
def draw_weighted(state, problem, random, actions, n, learning: Learning, row, guided, settings):
    """The place of the action drawn among the first n; -1 for a weighted sum that is not finite."""
    odds, sums, listed = learning.odds[row], learning.sums, learning.listed
    list_codes(state, problem, actions, n, listed)
    if ADAPTIVE and guided:
        if not fill_priors(state, problem, actions, n, learning, settings, sums):
            return np.int64(-1)
        total = 0.0
        for i in range(n):
            total += odds[np.uint64(place_of(learning, listed_code(state, problem, actions, i, listed)))] * sums[i]
            sums[i] = total
    else:
        total = 0.0
        for i in range(n):
            total += odds[np.uint64(place_of(learning, listed_code(state, problem, actions, i, listed)))]
            sums[i] = total
    return draw_by_sums(sums, n, random)


@njit_inline
def draw_and_note(state, problem, random, actions, n, learning: Learning, row, entries):
    """The place of the action drawn among the first n, without priors; their places are noted in the trail."""
    odds, sums, listed, places = learning.odds[row], learning.sums, learning.listed, learning.walk_place[0]
    list_codes(state, problem, actions, n, listed)
    total, first = 0.0, np.uint64(entries)
    for i in range(np.uint64(n)):
        place = place_of(learning, listed_code(state, problem, actions, i, listed))
        places[first + i] = place
        total += odds[np.uint64(place)]
        sums[i] = total
    return draw_by_sums(sums, n, random)


@njit_inline
def end_trail(learning: Learning, steps, whole, length):
    learning.counts[0, STEPS] = steps
    learning.counts[0, FRESH] = 0 if whole else NEW
    return np.int64(length)


@njit
def weighted_playout(
    state, problem, random, sequence, length, limit, choices, learning: Learning, row, guided, settings
):
    """A playout whose actions are drawn by their odds; but for priors, its trail is noted."""
    steps, entries, whole = np.int64(0), np.int64(0), not guided
    while length < limit:
        n = np.int64(legal_actions(state, problem, choices))
        if not 0 < n <= choices.shape[0]:
            return end_trail(learning, steps, whole, length) if n == 0 else BAD_COUNT_AT + n
        if guided:
            place = draw_weighted(state, problem, random, choices, n, learning, row, guided, settings)
            if place < 0:
                return np.int64(BAD_FEATURES_AT)
        else:
            if entries + n > learning.walk_place.shape[1]:
                entries, whole = np.int64(0), False
            place = draw_and_note(state, problem, random, choices, n, learning, row, entries)
            learning.walk_steps[0, steps, CHOICES], learning.walk_steps[0, steps, PLAYED] = n, place
            steps += 1
            entries += n
        action = choices[place]
        if STOCHASTIC:
            play(state, problem, action, random)
        else:
            play(state, problem, action)
        sequence[length] = action
        length += 1
    return np.int64(end_trail(learning, steps, whole, length))


@njit
def choose_untried_or_child(learning: Learning, tree: Tree, random, state, problem, node, c, row):
    """Inside an adapt: one of the untried children, drawn by what was learnt, else the child that UCB1 chooses."""
    first, n = np.int64(tree.first_child[node]), np.int64(0)
    for child in range(first, first + tree.children[node]):
        if tree.mean[child] == np.inf:
            learning.options[n] = tree.action[child]
            learning.option_places[n] = child
            n += 1
    if n == 0:
        return np.int64(choose_child(tree, random, node, c))
    return learning.option_places[draw_weighted(state, problem, random, learning.options, n, learning, row, False, ())]


@njit
def fill_odds(state, problem, learning: Learning, n, row, guided, settings):
    """Set the first n of `sums` to the odds of the first n of `options`; False for a sum that is not finite."""
    for i in range(n):
        learning.sums[i] = 1.0
    if ADAPTIVE and guided and not fill_priors(state, problem, learning.options, n, learning, settings, learning.sums):
        return False
    list_codes(state, problem, learning.options, n, learning.listed)
    for i in range(n):
        place = place_of(learning, listed_code(state, problem, learning.options, i, learning.listed))
        learning.sums[i] = learning.odds[row, place] * learning.sums[i]
    return True


@njit_inline
def is_guided(adaptive, simulate_frame):
    return ADAPTIVE and adaptive.frames[simulate_frame, POLICY] == P_GUIDED


@njit
def walk_along_best(
    frames: Frames, run: Run, adaptive, learning: Learning, problem, frame, row, simulate_frame, room, limit
):
    """List what was legal on the way of an adapt's best sequence, from the state in the slot of its sub-component on.
    It draws nothing and may be called again."""
    begin_walk(learning, row)
    state, sequence = frames.state[frame + 1, 0], frames.best_sequence[frame]
    mark, numbers = learning.mark[0], learning.walk_place[row]
    status = np.int64(RUN)
    for place in range(frames.length[frame], frames.best_length[frame]):
        played, first = sequence[place], learning.counts[row, ENTRIES_WALKED]
        if (
            first + run.choices.shape[0] > learning.walk_place.shape[1]
            or learning.counts[0, USED] + run.choices.shape[0] > learning.codes.shape[0]
        ):
            status = np.int64(NEEDS_MEMORY)
            break
        n = np.int64(legal_actions(state, problem, run.choices))
        if not 0 < n <= run.choices.shape[0]:
            run.number[0] = n
            status = np.int64(NO_ACTIONS if n == 0 else BAD_COUNT)
            break
        number = np.int64(-1)
        for i in range(n):
            if run.choices[i] == played:
                number = np.int64(i)
                break
        if number < 0:
            run.number[0] = played
            status = np.int64(CHANGED_ACTIONS)
            break
        if n > 1:
            if ADAPTIVE and is_guided(adaptive, simulate_frame):
                settings, priors = adaptive.settings[simulate_frame], learning.walk_prior[row, first:]
                if not fill_priors(state, problem, run.choices, n, learning, settings, priors):
                    status = np.int64(BAD_FEATURE)
                    break
            list_codes(state, problem, run.choices, n, learning.listed)
            for i in range(n):
                code = listed_code(state, problem, run.choices, i, learning.listed)
                at = place_of(learning, code)
                if mark[at] == 0:
                    at = meet(learning, code, at, room, limit)
                numbers[first + i] = number_in_walk(learning, row, at)
            end_step(learning, row, n, number)
        play(state, problem, played)
    end_walk(learning, row)
    if status == RUN:
        learning.counts[row, FRESH] = 0
    return status

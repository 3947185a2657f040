"""The compiled twin of `playouts.py` and `selection.py`: the same draws, the same sums in the same order.

before a choice by the playout policy     read_contexts, where grams are longer than one action
after every action of a playout           advance_contexts
after every final state                   learn
after every invocation of a grave select  learn_all_moves_as_first, in `amaf_kernels.py`
"""

import numpy as np

from domains.kernels import below, njit, njit_inline, uniform01
from domains.portable_math_kernels import exp
from mcsgrammar.engines.compiled.adaptive_layout import (
    BATCH,
    BATCH_DECAY,
    BIAS,
    BOTTOM,
    EPS,
    FINALS_SINCE_DECAY,
    FPU_COLUMN,
    GRAVE,
    HISTORY,
    KEEPS_HISTORY,
    KMIN,
    LONGEST_GRAM,
    MAX,
    MEAN,
    N_GRAM,
    NORM,
    P_GIBBS,
    P_RANDOM,
    POLICY,
    PUCT,
    REF,
    SIM_DECAY,
    TAU,
    TOP,
    VO,
    Adaptive,
    K,
    T,
    W,
)
from mcsgrammar.engines.compiled.layout import Tree
from mcsgrammar.engines.compiled.learning_layout import Learning
from mcsgrammar.engines.compiled.means_kernels import (
    COUNT,
    MeansTable,
    add,
    entry_of,
    key_of,
)
from mcsgrammar.engines.compiled.means_kernels import MEAN as MEAN_OF_ENTRY
from mcsgrammar.engines.compiled.roots_kernels import root_log
from mcsgrammar.engines.rules import LARGEST, UNSEEN

# Playouts. `settings` are those of simulate.


@njit
def read_contexts(grams: MeansTable, sequence: np.ndarray, length: int, n: int, contexts: np.ndarray) -> None:
    """Set contexts[l] to the code of the last l actions, for l < n."""
    contexts[0] = 0
    for size in range(1, n):
        code = np.int64(0) if size <= length else np.int64(-1)
        place = length - size
        while code >= 0 and place < length:
            code = code_below(grams, code, sequence[place])
            place += 1
        contexts[size] = code


@njit_inline
def code_below(grams: MeansTable, code: int, action: int) -> np.int64:
    """The code of a gram and one more action; -1 if that was not met."""
    entry = entry_of(grams, key_of(code, action))
    return np.int64(entry + 1 if entry >= 0 else -1)


@njit
def advance_contexts(grams: MeansTable, action: int, n: int, contexts: np.ndarray) -> None:
    """The contexts after one more action."""
    for size in range(n - 1, 0, -1):
        code = contexts[size - 1]
        contexts[size] = code_below(grams, code, action) if code >= 0 else np.int64(-1)


@njit_inline
def score_alone(grams: MeansTable, scores: np.ndarray, action: int) -> float:
    """Q of an action."""
    if 0 <= action < scores.shape[0]:
        return np.float64(scores[action])
    entry = entry_of(grams, key_of(0, action))
    return grams.numbers[entry, MEAN_OF_ENTRY] if entry >= 0 and grams.numbers[entry, COUNT] > 0 else UNSEEN


@njit_inline
def score(grams: MeansTable, contexts: np.ndarray, action: int, n: int, kmin: float) -> float:
    """T of an action."""
    entry = entry_of(grams, key_of(0, action))
    if entry < 0 or grams.numbers[entry, COUNT] == 0:
        return UNSEEN
    total, met = grams.numbers[entry, MEAN_OF_ENTRY], np.int64(1)
    for size in range(1, n):
        if contexts[size] > 0:
            entry = entry_of(grams, key_of(contexts[size], action))
            if entry >= 0 and grams.numbers[entry, COUNT] > 0 and grams.numbers[entry, COUNT] >= kmin:
                total += grams.numbers[entry, MEAN_OF_ENTRY]
                met += 1
    return total / np.float64(met)


@njit_inline
def pick(
    policy: int,
    settings: np.ndarray,
    grams: MeansTable,
    scores: np.ndarray,
    contexts: np.ndarray,
    choices: np.ndarray,
    n: int,
    random: np.ndarray,
    worths: np.ndarray,
) -> np.int64:
    """The place among the first n of `choices` that the playout policy draws."""
    if policy == P_RANDOM:
        return below(random, n)
    length, kmin = np.int64(settings[N_GRAM]), settings[KMIN]
    if policy != P_GIBBS and uniform01(random) < settings[EPS]:
        return below(random, n)
    if length == 1:
        for i in range(n):
            worths[i] = score_alone(grams, scores, choices[i])
    else:
        for i in range(n):
            worths[i] = score(grams, contexts, choices[i], length, kmin)
    highest, ties = -np.inf, np.int64(0)
    for i in range(n):  # without branches: where the highest stands cannot be predicted
        better = worths[i] > highest
        ties = np.int64(1) if better else ties + np.int64(worths[i] == highest)
        highest = worths[i] if better else highest
    if policy != P_GIBBS:
        return place_of_tie(worths, highest, below(random, ties))
    total = 0.0
    for i in range(n):
        worths[i] = exp((worths[i] - highest) / settings[TAU])
        total += worths[i]
    left = uniform01(random) * total
    last = np.int64(0)
    for i in range(n):
        left -= worths[i]
        if left < 0:
            return np.int64(i)
        if worths[i] > 0:
            last = np.int64(i)
    return last


@njit_inline
def place_of_tie(worths: np.ndarray, least: float, number: int) -> np.int64:
    """Where the worth of this number stands among those of at least `least`."""
    place = np.int64(-1)
    while number >= 0:
        place += 1
        number -= worths[place] >= least
    return place


@njit
def learn(
    grams: MeansTable,
    scores: np.ndarray,
    history: MeansTable,
    contexts: np.ndarray,
    numbers: np.ndarray,
    settings: np.ndarray,
    sequence: np.ndarray,
    length: int,
    reward: float,
    limit: int,
) -> None:
    """A final state was reached by the first `length` actions of `sequence`."""
    reward = min(max(reward, 0.0), 1.0)
    if numbers[LONGEST_GRAM] > 0:
        walk_grams(grams, scores, contexts, numbers, sequence, length, reward, limit, 1.0)
        if settings[SIM_DECAY] != 1:
            walk_grams(grams, scores, contexts, numbers, sequence, length, -1.0, limit, settings[SIM_DECAY])
        numbers[FINALS_SINCE_DECAY] += 1
        if numbers[FINALS_SINCE_DECAY] >= settings[BATCH]:
            numbers[FINALS_SINCE_DECAY] = 0
            if settings[BATCH_DECAY] != 1:
                decay_grams(grams, scores, settings[BATCH_DECAY])
    if numbers[KEEPS_HISTORY] == 1:
        for place in range(length):
            add(history, key_of(0, sequence[place]), reward, numbers, limit)


@njit
def decay_grams(grams: MeansTable, scores: np.ndarray, factor: float) -> None:
    """Scale the counts of all grams."""
    for entry in range(grams.used[0]):
        grams.numbers[entry, COUNT] *= factor
        if grams.numbers[entry, COUNT] == 0 and grams.key[entry] < scores.shape[0]:
            scores[grams.key[entry]] = UNSEEN  # the key of an action alone is the action


@njit
def walk_grams(
    grams: MeansTable,
    scores: np.ndarray,
    contexts: np.ndarray,
    numbers: np.ndarray,
    sequence: np.ndarray,
    length: int,
    reward: float,
    limit: int,
    factor: float,
) -> None:
    """Go through all grams of a sequence: add a reward to each or, if the reward is -1, scale the counts of those that
    are there, once an occurrence."""
    longest = numbers[LONGEST_GRAM]
    contexts[0] = 0
    for size in range(1, longest + 1):
        contexts[size] = -1
    for place in range(length):
        before = contexts[0]
        for size in range(1, longest + 1):
            entry = np.int64(-1)
            if before >= 0:
                key = key_of(before, sequence[place])
                if reward >= 0:
                    entry = add(grams, key, reward, numbers, limit)
                else:
                    entry = entry_of(grams, key)
                    if entry >= 0:
                        grams.numbers[entry, COUNT] *= factor
                if entry >= 0 and key < scores.shape[0]:
                    met = grams.numbers[entry, COUNT] > 0
                    scores[key] = grams.numbers[entry, MEAN_OF_ENTRY] if met else UNSEEN
            before = contexts[size]
            contexts[size] = entry + 1 if entry >= 0 else np.int64(-1)


# Selection.


@njit
def actions_left_to_playout_policy(
    adaptive: Adaptive, learning: Learning, tree: Tree, node: int, frame: int
) -> np.int64:
    """How many children of a node the playout policy chooses among, listed in `options`; 0 if it does not."""
    settings = adaptive.settings[frame]
    first, n = np.int64(tree.first_child[node]), np.int64(tree.children[node])
    few_visits, untried_only = tree.visits[node] < settings[T], False
    if not few_visits:
        if settings[FPU_COLUMN] != np.inf:
            return np.int64(0)
        untried_only = True
    count = np.int64(0)
    for child in range(first, first + n):
        if tree.mean[child] == np.inf if untried_only else tree.mean[child] != -np.inf:
            learning.options[count] = tree.action[child]
            learning.option_places[count] = child
            count += 1
    return count


@njit
def pick_after(
    adaptive: Adaptive,
    learning: Learning,
    random: np.ndarray,
    sequence: np.ndarray,
    length: int,
    n: int,
    simulate_frame: int,
) -> np.int64:
    """The place among the first n of `options` that the playout policy draws after a sequence."""
    settings, policy = adaptive.settings[simulate_frame], adaptive.frames[simulate_frame, POLICY]
    if policy != P_RANDOM:
        read_contexts(adaptive.grams, sequence, length, np.int64(settings[N_GRAM]), adaptive.contexts)
    return pick(
        policy,
        settings,
        adaptive.grams,
        adaptive.scores,
        adaptive.contexts,
        learning.options,
        n,
        random,
        adaptive.worths,
    )


@njit
def gibbs_odds(adaptive: Adaptive, learning: Learning, n: int, simulate_frame: int) -> None:
    """Set the first n of `sums` to the odds that Gibbs sampling gives the first n of `options`."""
    highest = -np.inf
    for i in range(n):
        learning.sums[i] = score_alone(adaptive.grams, adaptive.scores, learning.options[i])
        highest = max(highest, learning.sums[i])
    for i in range(n):
        learning.sums[i] = exp((learning.sums[i] - highest) / adaptive.settings[simulate_frame, TAU])


@njit
def choose_by_value(
    adaptive: Adaptive,
    learning: Learning,
    tree: Tree,
    random: np.ndarray,
    path: np.ndarray,
    depth: int,
    local_root: int,
    c: float,
    frame: int,
) -> np.int64:
    """The child of the node at the end of the path that is worth most; `local_root` is the depth of the prefix. For
    puct the odds of all children stand in `sums`."""
    settings = adaptive.settings[frame]
    node = np.int64(path[depth])
    first, n = np.int64(tree.first_child[node]), np.int64(tree.children[node])
    fpu = settings[FPU_COLUMN]
    policy = adaptive.frames[frame, POLICY]
    k = settings[K]
    beta, reference = 0.0, np.int64(path[local_root])
    blends = policy == GRAVE and k != 0
    if blends:
        for d in range(depth, local_root - 1, -1):  # the nearest node on the way up with enough visits
            if tree.visits[path[d]] >= settings[REF]:
                reference = np.int64(path[d])
                break
        if k > 0:
            beta = 1.0 if k == np.inf else np.sqrt(k / (3.0 * np.float64(tree.visits[node]) + k))
    total_odds = 0.0
    if policy == PUCT:
        scale = min(c * np.sqrt(np.float64(max(np.int64(1), tree.descents[node]))), LARGEST)
        for i in range(n):
            total_odds += learning.sums[i]
    else:
        scale = min(c * root_log(tree.descents[node]), LARGEST)
    least, span = 0.0, 0.0
    if settings[NORM] == 1 and tree.visits[node] > 0:
        least = adaptive.top[node, BOTTOM]
        span = adaptive.top[node, TOP] - least
    worths = adaptive.worths
    highest = -np.inf
    for i in range(n):
        child = first + i
        quality = tree.mean[child]
        if quality == -np.inf:
            worths[i] = -np.inf
            continue
        if span > 0:
            quality = (quality - least) / span
        visits = np.float64(tree.visits[child])
        if policy == PUCT:
            prior = learning.sums[i] / total_odds
            worth = (quality if visits > 0 else fpu) + scale * prior / (1.0 + visits)
        else:
            worth = quality + scale * tree.spread[child] if visits > 0 else fpu
        if blends:
            entry = entry_of(adaptive.amaf, key_of(reference, tree.action[child]))
            if entry >= 0:
                amaf, count = adaptive.amaf.numbers[entry, MEAN_OF_ENTRY], adaptive.amaf.numbers[entry, COUNT]
                if k < 0:
                    beta = count / (count + visits + settings[BIAS] * count * visits)
                if span > 0:
                    amaf = (amaf - least) / span
                exploitation = (1.0 - beta) * quality + beta * amaf if visits > 0 else amaf
                worth = exploitation + scale * tree.spread[child]
        elif policy == HISTORY:
            entry = entry_of(adaptive.history, key_of(0, tree.action[child]))
            bonus = settings[W] * (adaptive.history.numbers[entry, MEAN_OF_ENTRY] if entry >= 0 else UNSEEN)
            worth += bonus / (max(1.0 - quality, 0.0) * visits + 1.0) if visits > 0 else bonus
        worths[i] = worth
        highest = max(highest, worth)
    least = highest - settings[VO]
    eligible = np.int64(0)
    for i in range(n):
        eligible += worths[i] >= least
    return first + place_of_tie(worths, least, below(random, eligible))


@njit
def committed_by_statistic(
    tree: Tree, top: np.ndarray, random: np.ndarray, path: np.ndarray, path_length: int, length: int, rule: int
) -> np.int64:
    """The child that a commit rule takes at the node of the prefix; -1 if none was visited."""
    if path_length < length:
        return np.int64(-1)
    first, n = np.int64(tree.first_child[path[length]]), np.int64(tree.children[path[length]])
    highest, ties, left = -np.inf, np.int64(0), np.int64(-1)
    for counts in (True, False):  # first find and count the best, then draw one of them
        if not counts:
            if ties == 0:
                break
            left = below(random, ties)
        for child in range(first, first + n):
            if tree.visits[child] == 0:
                continue
            worth = np.float64(tree.visits[child])
            if rule == MEAN:
                worth = tree.total[child] / worth
            elif rule == MAX:
                worth = top[child, TOP]
            if counts:
                if worth > highest:
                    highest, ties = worth, np.int64(1)
                elif worth == highest:
                    ties += 1
            elif worth == highest:
                if left == 0:
                    return np.int64(child)
                left -= 1
    return np.int64(-1)


@njit
def note_top(top: np.ndarray, visits: np.ndarray, path: np.ndarray, depth: int, result: float) -> None:
    """Keep the best result of every node of the path, after it was visited."""
    for d in range(depth + 1):
        node = path[d]
        if visits[node] == 1 or result > top[node, TOP]:
            top[node, TOP] = result


@njit
def note_bottom(top: np.ndarray, visits: np.ndarray, path: np.ndarray, depth: int, result: float) -> None:
    """The same with the least."""
    for d in range(depth + 1):
        node = path[d]
        if visits[node] == 1 or result < top[node, BOTTOM]:
            top[node, BOTTOM] = result

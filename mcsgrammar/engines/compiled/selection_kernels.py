"""The compiled twin of `selection.py`: the same draws, the same sums in the same order.

after every invocation of a grave select  learn_all_moves_as_first, in `amaf_kernels.py`

Which children of a node are untried, neither visited nor exhausted, is noted in `Tree.next`, where plain machines note
who comes next: as bits from the first child on, for nodes with up to MOST_NOTED children.
"""

import numpy as np

from domains.bits import nth_set_bit, popcount, trailing_zeros
from domains.kernels import below, njit_inline, njit_uncounted, uniform01
from domains.scratch import part
from mcsgrammar.engines.compiled.adaptive_layout import (
    BIAS,
    BOTTOM,
    DIRECT_ACTIONS,
    FPU_COLUMN,
    GRAVE,
    HISTORY,
    MAX,
    MEAN,
    N_GRAM,
    NORM,
    P_GIBBS,
    P_RANDOM,
    POLICY,
    PUCT,
    TAU,
    TOP,
    VO,
    Adaptive,
    K,
    T,
    W,
)
from mcsgrammar.engines.compiled.amaf_kernels import entry_at, row_mask, row_start
from mcsgrammar.engines.compiled.choosing_kernels import LANES, equal_in_block, highest_of_block
from mcsgrammar.engines.compiled.far_memory import fetch
from mcsgrammar.engines.compiled.layout import Tree
from mcsgrammar.engines.compiled.learning_layout import Learning
from mcsgrammar.engines.compiled.means_kernels import COUNT, entry_of, key_of
from mcsgrammar.engines.compiled.means_kernels import MEAN as MEAN_OF_ENTRY
from mcsgrammar.engines.compiled.policy_kernels import (
    bits_of_worth,
    odds_beside_highest,
    pick,
    place_of_tie,
    read_contexts,
    read_worths,
    ready_worths,
    score_alone,
)
from mcsgrammar.engines.compiled.roots_kernels import root_log
from mcsgrammar.engines.compiled.tree_kernels import FIRST, MOST_NOTED, NOT_NOTED, TIES
from mcsgrammar.engines.compiled.waiting_layout import TABLED
from mcsgrammar.engines.rules import LARGEST, LOWEST_ODDS, UNSEEN

_ONE = np.uint64(1)
LOWEST_BITS = np.int64(-(2**63))


@njit_uncounted
def actions_left_to_playout_policy(
    adaptive: Adaptive, learning: Learning, tree: Tree, node: int, frame: int
) -> np.int64:
    """How many children of a node the playout policy chooses among, listed in `options`; 0 if it does not."""
    settings = adaptive.settings[frame]
    first, n = np.int64(tree.first_child[node]), np.int64(tree.children[node])
    few_visits, untried_only = tree.visits[node] < settings[T], False
    count = np.int64(0)
    if not few_visits:
        if settings[FPU_COLUMN] != np.inf:
            return count
        untried_only = True
        if n <= MOST_NOTED:
            untried, place = tree.next[np.uint64(node), TIES], np.uint64(0)
            while untried != NOT_NOTED:
                untried_child = tree.next[np.uint64(node), FIRST] + trailing_zeros(untried)
                untried &= untried - _ONE
                learning.options[place] = tree.action[untried_child]
                learning.option_places[place] = untried_child
                place += _ONE
            return np.int64(place)
    for child in range(first, first + n):
        if tree.mean[child] == np.inf if untried_only else tree.mean[child] != -np.inf:
            learning.options[count] = tree.action[child]
            learning.option_places[count] = child
            count += 1
    return count


@njit_uncounted
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
        ready_worths(policy, settings, adaptive.grams, adaptive.direct, adaptive.frequent)
        read_contexts(
            adaptive.grams,
            adaptive.direct,
            adaptive.frequent,
            sequence,
            length,
            np.int64(settings[N_GRAM]),
            adaptive.contexts,
        )
    return pick(
        policy,
        settings,
        adaptive.grams,
        adaptive.direct,
        adaptive.frequent,
        adaptive.contexts,
        learning.options,
        n,
        random,
        adaptive.worths,
    )


@njit_uncounted
def pick_untried(adaptive: Adaptive, tree: Tree, random: np.ndarray, node: int, eps: float) -> np.int64:
    """The child that the playout policy draws among those that are untried, which are noted, where it is greedy by
    single actions: what `pick_after` draws, and nothing is listed."""
    direct, actions = adaptive.direct, tree.action
    untried, first = tree.next[np.uint64(node), TIES], tree.next[np.uint64(node), FIRST]
    if uniform01(random) < eps or untried & (untried - _ONE) == NOT_NOTED:
        return np.int64(first + nth_set_bit(untried, np.uint64(below(random, np.int64(popcount(untried))))))
    highest, ties = LOWEST_BITS, np.uint64(0)
    while untried != NOT_NOTED:
        place = trailing_zeros(untried)
        bit = untried & (~untried + _ONE)
        untried ^= bit
        action = np.int64(actions[first + place])
        if 0 <= action < DIRECT_ACTIONS:
            worth = direct.worth[np.uint64(action)]
        else:
            worth = bits_of_worth(score_alone(adaptive.grams, direct, action))
        ties = bit if worth > highest else ties | (bit if worth == highest else np.uint64(0))
        highest = max(highest, worth)
    return np.int64(first + nth_set_bit(ties, np.uint64(below(random, np.int64(popcount(ties))))))


@njit_uncounted
def gibbs_odds(adaptive: Adaptive, learning: Learning, n: int, simulate_frame: int) -> None:
    """Set the first n of `sums` to the odds that Gibbs sampling gives the first n of `options`."""
    settings = adaptive.settings[simulate_frame]
    ready_worths(P_GIBBS, settings, adaptive.grams, adaptive.direct, adaptive.frequent)
    read_worths(adaptive.grams, adaptive.direct, learning.options, n, learning.sums)
    total = 0.0
    for i in range(n):
        total += learning.sums[i]
    if total < LOWEST_ODDS:
        odds_beside_highest(adaptive.grams, adaptive.direct, settings[TAU], learning.options, n, learning.sums)


@njit_inline
def choose_blended(
    adaptive: Adaptive,
    tree: Tree,
    random: np.ndarray,
    first: int,
    n: int,
    reference: int,
    beta: float,
    scale: float,
) -> np.int64:
    """What `choose_by_value` chooses among n children, at most MOST_NOTED, visited or exhausted, by the weight `beta`
    below 1; if the reference has a row in which all are found. Else -1, and nothing is drawn."""
    rows, numbers, blends = adaptive.waiting.rows, adaptive.amaf.numbers, adaptive.worths
    actions, means, spreads = tree.action, tree.mean, part(tree.spread, first)
    latest = adaptive.waiting.latest[reference]
    start, mask = row_start(latest), row_mask(latest)
    together, missing, rest = np.int64(0), False, 1.0 - beta
    for i in range(np.uint64(n)):
        child = np.uint64(first) + i
        action = np.int64(actions[child])
        together |= action
        entry = np.int64(rows[start + np.uint64(action & mask)])
        missing |= entry == 0
        amaf = numbers[np.uint64(entry - np.int64(entry != 0)), MEAN_OF_ENTRY]
        blends[i] = rest * means[child] + beta * amaf
    if missing or together != together & mask:
        return np.int64(-1)
    highest, ties = -np.inf, np.uint64(0)
    for i in range(0, n, LANES):
        highest = max(highest, highest_of_block(blends, spreads, i, n - i, scale))
    for i in range(0, n, LANES):
        ties |= equal_in_block(blends, spreads, i, n - i, scale, highest) << np.uint64(i)
    return first + np.int64(nth_set_bit(ties, np.uint64(below(random, np.int64(popcount(ties))))))


@njit_uncounted
def choose_by_value(
    adaptive: Adaptive,
    learning: Learning,
    tree: Tree,
    random: np.ndarray,
    node: int,
    reference: int,
    c: float,
    frame: int,
) -> np.int64:
    """The child of the node that is worth most. `reference` is whose means of all moves as first count; for puct the
    odds of all children stand in `sums`."""
    settings = adaptive.settings[frame]
    first, n = np.int64(tree.first_child[node]), np.int64(tree.children[node])
    fpu = settings[FPU_COLUMN]
    policy = adaptive.frames[frame, POLICY]
    k = settings[K]
    beta = 0.0
    blends = policy == GRAVE and k != 0
    if blends and k > 0:
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
    if (
        0.0 < beta < 1.0
        and n <= MOST_NOTED
        and span == 0
        and fpu == np.inf
        and settings[VO] == 0
        and adaptive.waiting.latest[reference] < TABLED
    ):
        chosen = choose_blended(adaptive, tree, random, first, n, reference, beta, scale)
        if chosen >= 0:
            return chosen
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
            entry = entry_at(adaptive.amaf, adaptive.waiting, reference, np.int64(tree.action[child]))
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
    least = max(highest - settings[VO], -LARGEST)  # what is exhausted is worth -inf, and less than all others
    eligible = np.int64(0)
    for i in range(n):
        eligible += worths[i] >= least
    return first + place_of_tie(worths, least, below(random, eligible))


@njit_uncounted
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


@njit_uncounted
def note_top(adaptive: Adaptive, tree: Tree, path: np.ndarray, depth: int, result: float) -> None:
    """Keep the best result of every node of the path, after it was visited; at one that is new nothing waits, and it is
    untried no more."""
    top = adaptive.top
    for d in range(depth + 1):
        node = np.uint64(path[d])
        if tree.visits[node] == 1:
            if d > 0:
                note_tried(tree, path[d - 1], path[d])
            adaptive.waiting.latest[node] = 0
            top[node, TOP] = result
        elif result > top[node, TOP]:
            top[node, TOP] = result


@njit_inline
def fetch_statistics(adaptive: Adaptive, node: int) -> None:
    """Ask for what `visit` is followed by."""
    fetch(adaptive.top, node)
    fetch(adaptive.waiting.latest, node)


@njit_uncounted
def note_tried(tree: Tree, node: int, child: int) -> None:
    """A child of the node was visited, or is exhausted."""
    if tree.children[node] <= MOST_NOTED:
        place = np.uint64(child) - tree.next[np.uint64(node), FIRST]
        tree.next[np.uint64(node), TIES] &= ~(_ONE << place)


@njit_uncounted
def note_bottom(top: np.ndarray, visits: np.ndarray, path: np.ndarray, depth: int, result: float) -> None:
    """The same with the least."""
    for d in range(depth + 1):
        node = path[d]
        if visits[node] == 1 or result < top[node, BOTTOM]:
            top[node, BOTTOM] = result

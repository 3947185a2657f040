"""The compiled twin of `playouts.py`: the same draws, the same sums in the same order.

before a choice by the playout policy     ready_worths, read_contexts where grams are longer than one action
after every action of a playout           advance_contexts
after every final state                   learn, in `gram_kernels.py`

Within a playout the means do not change. So the worth of an action, its score or under Gibbs sampling its odds, is
brought up to date when its mean changes, and a playout reads it: for actions that are small numbers, as they nearly
always are, from a list by action.
"""

import numpy as np

from domains.bits import nth_set_bit, popcount
from domains.kernels import below, njit_inline, njit_uncounted, uniform01
from domains.portable_math_kernels import bits_of, exp, float_of
from mcsgrammar.engines.compiled.adaptive_layout import (
    DIRECT_ACTIONS,
    EPS,
    KMIN,
    N_GRAM,
    P_GIBBS,
    P_RANDOM,
    TAU,
    Direct,
)
from mcsgrammar.engines.compiled.drawing_kernels import FEW, place_by_sums, place_of_highest, sum_up
from mcsgrammar.engines.compiled.frequent_kernels import (
    FOLLOWED,
    TABLE,
    WIDTH,
    Frequent,
    code_after,
    fill_frequent,
    may_be_frequent,
    mean_by_key,
)
from mcsgrammar.engines.compiled.means_kernels import (
    COUNT,
    MEAN,
    MeansTable,
    entry_of,
    key_of,
)
from mcsgrammar.engines.rules import LOWEST_ODDS, UNSEEN

UNSEEN_BITS = np.int64(np.float64(UNSEEN).view(np.int64))
DIRECT_BITS = np.int32(DIRECT_ACTIONS - 1)
"""The bits that a direct action may have."""
ONE = np.uint64(1)
SMALL = np.int32(WIDTH - 1)
"""The bits that an action in a table may have."""

# `settings` are those of simulate.


@njit_inline
def bits_of_worth(worth: float) -> np.int64:
    """What the list by action holds of a worth: 0 for that of what never occurred."""
    return np.int64(bits_of(worth)) - UNSEEN_BITS


@njit_inline
def worth_of_mean(mean: float, tau: float) -> float:
    """The odds of an action if tau is positive, else its score."""
    return exp((mean - UNSEEN) / tau) if tau > 0 else mean


@njit_inline
def entry_alone(grams: MeansTable, direct: Direct, action: int) -> np.int64:
    """The entry of an action alone; -1 if it was not met."""
    if 0 <= action < DIRECT_ACTIONS:
        return np.int64(direct.entry[action]) - 1
    return entry_of(grams, key_of(0, action))


@njit_uncounted
def ready_worths(policy: int, settings: np.ndarray, grams: MeansTable, direct: Direct, frequent: Frequent) -> None:
    """Bring up to date what is read of actions and grams, if settings have changed or all counts have decayed."""
    if policy == P_GIBBS and direct.tau[0] != settings[TAU]:
        direct.tau[0] = settings[TAU]
        for entry in range(grams.used[0]):
            if grams.key[entry] < DIRECT_ACTIONS and grams.numbers[entry, COUNT] > 0:  # an action alone is its key
                odds = worth_of_mean(grams.numbers[entry, MEAN], direct.tau[0])
                direct.worth[grams.key[entry]] = bits_of_worth(odds)
    if settings[N_GRAM] > 1:
        fill_frequent(grams, frequent, settings[KMIN])


@njit_uncounted
def read_contexts(
    grams: MeansTable,
    direct: Direct,
    frequent: Frequent,
    sequence: np.ndarray,
    length: int,
    n: int,
    contexts: np.ndarray,
) -> None:
    """Set contexts[l] to the code of the last l actions, for 0 < l < n; to 0 if no frequent gram begins with them."""
    for size in range(1, n):
        code = np.int64(0)
        if size <= length:
            code = code_alone(grams, direct, frequent, sequence[length - size])
            for place in range(length - size + 1, length):
                code = code_after(frequent, code, sequence[place])
        contexts[size] = code


@njit_inline
def code_alone(grams: MeansTable, direct: Direct, frequent: Frequent, action: int) -> np.int64:
    """The code of an action alone, 0 if no frequent gram begins with it."""
    entry = entry_alone(grams, direct, action)
    return np.int64(entry + 1 if entry >= 0 and frequent.about[entry, FOLLOWED] == 1 else 0)


@njit_inline
def advance_contexts(
    grams: MeansTable, direct: Direct, frequent: Frequent, action: int, n: int, contexts: np.ndarray
) -> None:
    """The contexts after one more action."""
    for size in range(n - 1, 1, -1):
        contexts[size] = code_after(frequent, contexts[size - 1], action)
    contexts[1] = code_alone(grams, direct, frequent, action)


@njit_uncounted
def score_alone(grams: MeansTable, direct: Direct, action: int) -> float:
    """Q of an action."""
    entry = entry_alone(grams, direct, action)
    return grams.numbers[entry, MEAN] if entry >= 0 and grams.numbers[entry, COUNT] > 0 else UNSEEN


@njit_inline
def add_frequent_grams(
    grams: MeansTable,
    direct: Direct,
    frequent: Frequent,
    contexts: np.ndarray,
    choices: np.ndarray,
    n: int,
    longest: int,
    worths: np.ndarray,
) -> None:
    """Make of the first n of `worths`, which are Q, T: the mean over all grams that the action completes."""
    met, places, following, unseen = direct.met, direct.places, np.int64(0), False
    for size in range(1, longest):
        following += contexts[size]
    if following == 0:
        return
    for i in range(n):
        met[i] = 1.0
        unseen |= worths[i] == UNSEEN
    for size in range(1, longest):
        context = np.int64(contexts[size] - 1)
        if context < 0:
            continue
        table = np.int64(frequent.about[context, TABLE])
        if table > 0:
            for i in range(n):
                mean = frequent.tables[table - 1, np.uint64(choices[i] & SMALL)]
                counts = (choices[i] & ~SMALL) == 0 and mean >= 0
                worths[i] += mean if counts else 0.0
                met[i] += 1.0 if counts else 0.0
        elif table < 0:
            asked = np.int64(0)  # first which are asked for, then these: that most are not cannot be predicted
            for i in range(n):
                places[asked] = i
                asked += np.int64(may_be_frequent(frequent, context, choices[i]))
            for k in range(asked):
                i = places[k]
                mean = mean_by_key(frequent, key_of(context + 1, choices[i]))
                worths[i] += mean if mean >= 0 else 0.0
                met[i] += 1.0 if mean >= 0 else 0.0
    for i in range(n):
        worths[i] /= met[i]
    if unseen:
        for i in range(n):
            if not is_met(grams, direct, choices[i]):
                worths[i] = UNSEEN


@njit_inline
def table_after(frequent: Frequent, context: int) -> np.int64:
    """Where the means stand of what follows a gram of that code; -1 if they are in no table."""
    if context == 0:
        return np.int64(frequent.tables.shape[0] - 1)
    return np.int64(frequent.about[context - 1, TABLE]) - 1


@njit_inline
def pick_by_tables(
    direct: Direct,
    frequent: Frequent,
    contexts: np.ndarray,
    choices: np.ndarray,
    n: int,
    random: np.ndarray,
    worths: np.ndarray,
) -> np.int64:
    """The place that is picked by grams of up to three of few actions, if all means are found in tables and all actions
    were met; else -1, and nothing is drawn. In one loop: where each of six ends cannot be predicted. The places of the
    highest are bits, put together without a choice, of which the compiler would make a branch (3 % of a playout on
    frogs)."""
    after_one, after_two = table_after(frequent, contexts[1]), table_after(frequent, contexts[2])
    if after_one < 0 or after_two < 0:
        return np.int64(-1)
    alone, ones, twos = direct.worth, frequent.tables[after_one], frequent.tables[after_two]
    bits_together, unseen = np.int32(0), False
    highest, ties = np.int64(-1), np.uint64(0)
    for i in range(n):
        bits_together |= choices[i]
        small = np.uint64(choices[i] & SMALL)
        bits = alone[small]
        unseen |= bits == 0
        one, two = ones[small], twos[small]
        worth = float_of(np.uint64(bits + UNSEEN_BITS))
        worth += one if one > 0 else 0.0
        worth += two if two > 0 else 0.0
        worth /= 1.0 + np.float64(one >= 0) + np.float64(two >= 0)
        worths[i] = worth
        value = np.int64(bits_of(worth))
        ties = (ties & (np.uint64(value > highest) - ONE)) | (np.uint64(value >= highest) << np.uint64(i))
        highest = max(highest, value)
    if unseen or (bits_together & ~SMALL) != 0:
        return np.int64(-1)
    return np.int64(nth_set_bit(ties, np.uint64(below(random, np.int64(popcount(ties))))))


@njit_uncounted
def is_met(grams: MeansTable, direct: Direct, action: int) -> bool:
    entry = entry_alone(grams, direct, action)
    return entry >= 0 and grams.numbers[entry, COUNT] > 0


@njit_inline
def read_worths(grams: MeansTable, direct: Direct, choices: np.ndarray, n: int, worths: np.ndarray) -> None:
    """Set the first n of `worths` to what the actions are worth alone."""
    bits_together = np.int32(0)
    for i in range(n):
        bits_together |= choices[i]
        worths[i] = float_of(np.uint64(direct.worth[np.uint64(choices[i] & DIRECT_BITS)] + UNSEEN_BITS))
    if bits_together & ~DIRECT_BITS:
        read_worths_by_key(grams, direct, choices, n, worths)


@njit_uncounted
def read_worths_by_key(grams: MeansTable, direct: Direct, choices: np.ndarray, n: int, worths: np.ndarray) -> None:
    for i in range(n):
        worths[i] = worth_of_mean(score_alone(grams, direct, choices[i]), direct.tau[0])


@njit_uncounted
def odds_beside_highest(
    grams: MeansTable, direct: Direct, tau: float, choices: np.ndarray, n: int, worths: np.ndarray
) -> None:
    """Set the first n of `worths` to the odds of the actions, those of the highest score 1."""
    highest = 0.0
    for i in range(n):
        worths[i] = score_alone(grams, direct, choices[i])
        highest = max(highest, worths[i])
    for i in range(n):
        worths[i] = exp((worths[i] - highest) / tau)


@njit_inline
def pick(
    policy: int,
    settings: np.ndarray,
    grams: MeansTable,
    direct: Direct,
    frequent: Frequent,
    contexts: np.ndarray,
    choices: np.ndarray,
    n: int,
    random: np.ndarray,
    worths: np.ndarray,
) -> np.int64:
    """The place among the first n of `choices` that the playout policy draws."""
    if policy == P_RANDOM:
        return below(random, n)
    if policy == P_GIBBS:
        read_worths(grams, direct, choices, n, worths)
        total = sum_up(worths, n)
        if total < LOWEST_ODDS:
            odds_beside_highest(grams, direct, settings[TAU], choices, n, worths)
            total = sum_up(worths, n)
        return place_by_sums(worths, n, uniform01(random) * total)
    if uniform01(random) < settings[EPS] or n == 1:
        return below(random, n)
    longest = np.int64(settings[N_GRAM])
    if longest == 3 and n <= FEW:
        place = pick_by_tables(direct, frequent, contexts, choices, n, random, worths)
        if place >= 0:
            return place
    read_worths(grams, direct, choices, n, worths)
    if longest > 1:
        add_frequent_grams(grams, direct, frequent, contexts, choices, n, longest, worths)
    return place_of_highest(worths, n, random)


@njit_inline
def place_of_tie(worths: np.ndarray, least: float, number: int) -> np.int64:
    """Where the worth of this number stands among those of at least `least`."""
    place = np.int64(-1)
    while number >= 0:
        place += 1
        number -= worths[place] >= least
    return place

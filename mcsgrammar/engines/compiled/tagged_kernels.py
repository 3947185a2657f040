"""The compiled twin of `playouts.py` for several roles, whose actions go by tags (`arena_layout.py`): the same draws,
the same sums in the same order.

Grams are found as in `means_kernels`, by the code of the gram they prolong and the tag of their last action; single
actions are found in lists by tag as far as these reach.
"""

import numpy as np

from domains.kernels import below, njit_inline, njit_uncounted, uniform01
from domains.portable_math_kernels import exp
from mcsgrammar.engines.compiled.adaptive_layout import EPS, KMIN, LONGEST_GRAM, N_GRAM, P_GIBBS, P_RANDOM, TAU
from mcsgrammar.engines.compiled.arena_layout import CODES, OFTEN, Knowledge, Scratch
from mcsgrammar.engines.compiled.drawing_kernels import place_by_sums, place_of_highest, sum_up
from mcsgrammar.engines.compiled.means_kernels import COUNT, MEAN, add, add_to_entry, entry_of, key_of
from mcsgrammar.engines.rules import LOWEST_ODDS, UNSEEN

_LOW = np.int64(0xFFFFFFFF)
_NONE, _ONE, _ALL = np.uint64(0), np.uint64(1), np.uint64(2**64 - 1)


@njit_inline
def entry_alone(known: Knowledge, tag: int) -> np.int64:
    """The entry of a single action; -1 if it was not met."""
    if tag < known.direct.shape[0]:
        return np.int64(known.direct[tag]) - 1
    return entry_of(known.grams, key_of(0, tag))


@njit_inline
def score_alone(known: Knowledge, tag: int) -> float:
    """Q of an action."""
    if tag < known.scores.shape[0]:
        return np.float64(known.scores[tag])
    entry = entry_of(known.grams, key_of(0, tag))
    return known.grams.numbers[entry, MEAN] if entry >= 0 and known.grams.numbers[entry, COUNT] > 0 else UNSEEN


@njit_inline
def code_below(known: Knowledge, code: int, tag: int) -> np.int64:
    """The code of a gram and one more action; -1 if that was not met."""
    entry = entry_of(known.grams, key_of(code, tag)) if code > 0 else entry_alone(known, tag)
    return np.int64(entry + 1 if entry >= 0 else -1)


@njit_uncounted
def read_contexts(known: Knowledge, diagonal: np.ndarray, length: int, contexts: np.ndarray) -> None:
    """Set contexts[l] to the code of the last l actions of a diagonal, -1 if that gram was not met."""
    contexts[0] = 0
    for size in range(1, known.numbers[LONGEST_GRAM]):
        code = np.int64(0) if size <= length else np.int64(-1)
        place = length - size
        while code >= 0 and place < length:
            code = code_below(known, code, diagonal[place])
            place += 1
        contexts[size] = code


@njit_uncounted
def advance_contexts(known: Knowledge, tag: int, contexts: np.ndarray) -> None:
    """The contexts after one more action."""
    for size in range(known.numbers[LONGEST_GRAM] - 1, 0, -1):
        code = contexts[size - 1]
        contexts[size] = code_below(known, code, tag) if code >= 0 else np.int64(-1)


@njit_inline
def bit_of(tag: int) -> np.uint64:
    """That of an action in `followers`."""
    return _ONE << np.uint64(tag & 63)


@njit_inline
def average_grams(
    known: Knowledge,
    contexts: np.ndarray,
    n_gram: int,
    kmin: float,
    base: int,
    choices: np.ndarray,
    n: int,
    worths: np.ndarray,
) -> None:
    """Make of the first n of `worths`, which are Q, T: the mean over all grams of at most n_gram actions that the
    action completes."""
    grams, asked = known.grams, _NONE
    for size in range(1, n_gram):
        if contexts[size] > 0:
            asked |= known.followers[contexts[size] - 1] if kmin >= OFTEN else _ALL
    if asked == _NONE:
        return
    for i in range(n):
        tag = base + choices[i]
        if asked & bit_of(tag) == _NONE:
            continue
        entry = entry_alone(known, tag)
        if entry < 0 or grams.numbers[entry, COUNT] == 0:
            continue
        total, met = worths[i], np.int64(1)
        for size in range(1, n_gram):
            if contexts[size] > 0 and (kmin < OFTEN or known.followers[contexts[size] - 1] & bit_of(tag) != _NONE):
                entry = entry_of(grams, key_of(contexts[size], tag))
                if entry >= 0 and grams.numbers[entry, COUNT] > 0 and grams.numbers[entry, COUNT] >= kmin:
                    total += grams.numbers[entry, MEAN]
                    met += 1
        worths[i] = total / np.float64(met)


@njit_inline
def draw_place(
    policy: int,
    settings: np.ndarray,
    known: Knowledge,
    contexts: np.ndarray,
    choices: np.ndarray,
    role: int,
    n: int,
    random: np.ndarray,
    worths: np.ndarray,
) -> np.int64:
    """The place among the first n of the role's choices that the playout policy draws."""
    if policy == P_RANDOM:
        return below(random, n)
    base = role * known.numbers[CODES] + 1
    if policy == P_GIBBS:
        total = 0.0
        if settings[TAU] == known.listed_tau[role] and base + known.numbers[CODES] <= known.odds.shape[0] + 1:
            for i in range(n):
                total += known.odds[base + choices[i]]
                worths[i] = total
        if total < LOWEST_ODDS:
            note_odds(known, choices, role, n, settings[TAU], worths)
            total = sum_up(worths, n)
        return place_by_sums(worths, n, uniform01(random) * total)
    if uniform01(random) < settings[EPS]:
        return below(random, n)
    if base + known.numbers[CODES] <= known.scores.shape[0] + 1:
        for i in range(n):
            worths[i] = known.scores[base + choices[i]]
    else:
        for i in range(n):
            worths[i] = score_alone(known, base + choices[i])
    n_gram = np.int64(settings[N_GRAM])
    if n_gram > 1:
        average_grams(known, contexts, n_gram, settings[KMIN], base, choices, n, worths)
    return place_of_highest(worths, n, random)


@njit_inline
def odds_alone(known: Knowledge, tag: int, role: int, tau: float) -> float:
    """What Gibbs sampling gives an action."""
    if tau == known.listed_tau[role] and tag < known.odds.shape[0]:
        return np.float64(known.odds[tag])
    return exp((score_alone(known, tag) - UNSEEN) / tau)


@njit_uncounted
def note_odds(known: Knowledge, choices: np.ndarray, role: int, n: int, tau: float, odds: np.ndarray) -> float:
    """Set the first n of `odds` to those of the first n of the role's choices, and return their sum."""
    base, total = role * known.numbers[CODES] + 1, 0.0
    for i in range(n):
        odds[i] = odds_alone(known, base + choices[i], role, tau)
        total += odds[i]
    if total < LOWEST_ODDS:
        highest, total = 0.0, 0.0
        for i in range(n):
            odds[i] = score_alone(known, base + choices[i])
            highest = max(highest, odds[i])
        for i in range(n):
            odds[i] = exp((odds[i] - highest) / tau)
            total += odds[i]
    return total


# What a final state teaches.


@njit_uncounted
def walk_diagonals(known: Knowledge, scratch: Scratch, length: int, limit: int, learns: bool) -> None:
    """Go through all grams of the diagonals on which there was a choice: add to each the reward of the role that ends
    it or, if nothing is learnt, scale its count by that role's factor, once an occurrence."""
    grams, numbers, scores, direct = known.grams, known.numbers, known.scores, known.direct
    longest, roles = numbers[LONGEST_GRAM], known.settings.shape[0]
    for d in range(roles):
        if scratch.free[d] == 0:
            continue
        contexts, role = scratch.contexts[d], d
        contexts[0] = 0
        for size in range(1, longest + 1):
            contexts[size] = -1
        for step in range(length):
            tag = scratch.sequence[d, step]
            before = contexts[0]
            for size in range(1, longest + 1):
                entry = np.int64(-1)
                if before >= 0:
                    entry = entry_alone(known, tag) if size == 1 else entry_of(grams, key_of(before, tag))
                    if entry >= 0:
                        if learns:
                            add_to_entry(grams, entry, scratch.rewards[role])
                            if size > 1 and grams.numbers[entry, COUNT] >= OFTEN:
                                known.followers[before - 1] |= bit_of(tag)
                        else:
                            grams.numbers[entry, COUNT] *= scratch.factors[role]
                    elif learns:
                        entry = add(grams, key_of(before, tag), scratch.rewards[role], numbers, limit)
                        if size == 1 and tag < direct.shape[0]:
                            direct[tag] = entry + 1
                    if size == 1 and entry >= 0 and tag < scores.shape[0]:
                        met = grams.numbers[entry, COUNT] > 0
                        scores[tag] = grams.numbers[entry, MEAN] if met else UNSEEN
                        if known.listed_tau[role] > 0:
                            known.odds[tag] = exp((scores[tag] - UNSEEN) / known.listed_tau[role])
                before = contexts[size]
                contexts[size] = entry + 1 if entry >= 0 else np.int64(-1)
            role = role + 1 if role + 1 < roles else 0


@njit_uncounted
def decay_by_role(known: Knowledge, factors: np.ndarray) -> None:
    """Scale the counts of all grams by the factor of the role that ends them."""
    grams, scores, codes = known.grams, known.scores, known.numbers[CODES]
    for entry in range(grams.used[0]):
        key = grams.key[entry]
        grams.numbers[entry, COUNT] *= factors[(key & _LOW) // codes]
        if grams.numbers[entry, COUNT] == 0 and key < scores.shape[0]:
            scores[key], known.odds[key] = UNSEEN, 1.0  # the key of an action alone is its tag

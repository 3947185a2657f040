"""What playouts learn of final states, and decay: the other half of the compiled twin of `playouts.py`, beside
`policy_kernels.py`."""

import numpy as np

from domains.kernels import njit_inline, njit_uncounted
from mcsgrammar.engines.compiled.adaptive_layout import (
    BATCH,
    BATCH_DECAY,
    DIRECT_ACTIONS,
    FINALS_SINCE_DECAY,
    KEEPS_HISTORY,
    LONGEST_GRAM,
    SIM_DECAY,
    Direct,
)
from mcsgrammar.engines.compiled.far_memory import fetch
from mcsgrammar.engines.compiled.frequent_kernels import (
    UNKNOWN,
    Frequent,
    entry_after,
    note_frequent,
    renewed_if_noted,
)
from mcsgrammar.engines.compiled.means_kernels import (
    COUNT,
    MeansTable,
    add,
    add_to_entry,
    entry_of,
    entry_or_new_one,
    first_slot,
    key_of,
)
from mcsgrammar.engines.compiled.policy_kernels import bits_of_worth, entry_alone, worth_of_mean

CACHED = 2**15
"""So many entries stay in the cache."""


@njit_uncounted
def learn(
    grams: MeansTable,
    direct: Direct,
    frequent: Frequent,
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
        add_grams(grams, direct, frequent, contexts, numbers, sequence, length, reward, limit)
        if settings[SIM_DECAY] != 1:
            decay_grams_of(grams, direct, frequent, contexts, numbers, sequence, length, settings[SIM_DECAY])
        numbers[FINALS_SINCE_DECAY] += 1
        if numbers[FINALS_SINCE_DECAY] >= settings[BATCH]:
            numbers[FINALS_SINCE_DECAY] = 0
            if settings[BATCH_DECAY] != 1:
                decay_grams(grams, direct, frequent, settings[BATCH_DECAY])
    if numbers[KEEPS_HISTORY] == 1:
        for place in range(length):
            add(history, key_of(0, sequence[place]), reward, numbers, limit)


@njit_inline
def fetch_grams(grams: MeansTable, direct: Direct, sequence: np.ndarray, length: int) -> None:
    """Ask for the entries of all grams of two and three actions of a sequence, where they are found at once.

    Of a large table hardly any entry is in the cache, and each is found by three reads, of three actions after those of
    the first two of them: here many wait at the same time, which saves a seventh of the time of playouts on Morpion
    Solitaire. It changes no result."""
    mask, twos, threes = grams.slots.shape[0] - 1, direct.ahead[0], direct.ahead[1]
    for place in range(1, length):
        before = entry_alone(grams, direct, sequence[place - 1]) + 1
        twos[place] = first_slot(key_of(before, sequence[place]), mask)
        fetch(grams.slots, twos[place])
    for place in range(1, length):
        entry = grams.slots[twos[place]] - 1
        fetch(grams.key, max(entry, 0))
        fetch(grams.numbers, max(entry, 0))
        if place + 1 < length:
            threes[place + 1] = first_slot(key_of(entry + 1, sequence[place + 1]), mask)
            fetch(grams.slots, threes[place + 1])
    for place in range(2, length):
        entry = max(grams.slots[threes[place]] - 1, 0)
        fetch(grams.key, entry)
        fetch(grams.numbers, entry)


@njit_uncounted
def add_grams(
    grams: MeansTable,
    direct: Direct,
    frequent: Frequent,
    contexts: np.ndarray,
    numbers: np.ndarray,
    sequence: np.ndarray,
    length: int,
    reward: float,
    limit: int,
) -> None:
    """Add a reward to all grams of a sequence, once an occurrence."""
    longest, tau, kmin = numbers[LONGEST_GRAM], direct.tau[0], frequent.kmin[0]
    for size in range(1, longest + 1):
        contexts[size] = -1
    if longest > 2 and grams.used[0] > CACHED:
        fetch_grams(grams, direct, sequence, length)
    for place in range(length):
        action = sequence[place]
        entry = entry_alone(grams, direct, action)
        if entry < 0:
            entry = entry_or_new_one(grams, key_of(0, action), numbers, limit)
            if 0 <= action < DIRECT_ACTIONS:
                direct.entry[action] = entry + 1
        if entry >= 0:
            mean = add_to_entry(grams, entry, reward)
            if 0 <= action < DIRECT_ACTIONS:
                direct.worth[action] = bits_of_worth(worth_of_mean(mean, tau))
        before = contexts[1]
        contexts[1] = entry + 1 if entry >= 0 else np.int64(-1)
        for size in range(2, longest + 1):
            entry = np.int64(-1)
            if before >= 0:
                entry = entry_after(grams, frequent, before - 1, action, numbers, limit)
                if entry >= 0:
                    mean = add_to_entry(grams, entry, reward)
                    counts = kmin >= 0 and grams.numbers[entry, COUNT] >= kmin
                    if counts and not renewed_if_noted(frequent, before - 1, action, mean):
                        note_frequent(grams, frequent, entry, kmin)
            before = contexts[size]
            contexts[size] = entry + 1 if entry >= 0 else np.int64(-1)


@njit_uncounted
def decay_grams_of(
    grams: MeansTable,
    direct: Direct,
    frequent: Frequent,
    contexts: np.ndarray,
    numbers: np.ndarray,
    sequence: np.ndarray,
    length: int,
    factor: float,
) -> None:
    """Scale the counts of the grams of a sequence, once an occurrence."""
    longest, kmin = numbers[LONGEST_GRAM], frequent.kmin[0]
    contexts[0] = 0
    for size in range(1, longest + 1):
        contexts[size] = -1
    for place in range(length):
        action = sequence[place]
        before = contexts[0]
        for size in range(1, longest + 1):
            code = np.int64(-1)
            if before == 0:
                code = entry_alone(grams, direct, action) + 1
            elif before > 0:
                code = entry_of(grams, key_of(before, action)) + 1
            code = code if code > 0 else np.int64(-1)
            if code > 0:
                decay_entry(grams, direct, code - 1, factor)
                if size > 1 and kmin >= 0:
                    note_frequent(grams, frequent, code - 1, kmin)
            before = contexts[size]
            contexts[size] = code


@njit_inline
def decay_entry(grams: MeansTable, direct: Direct, entry: int, factor: float) -> None:
    grams.numbers[entry, COUNT] *= factor
    if grams.numbers[entry, COUNT] == 0 and grams.key[entry] < DIRECT_ACTIONS:
        direct.worth[grams.key[entry]] = 0


@njit_uncounted
def decay_grams(grams: MeansTable, direct: Direct, frequent: Frequent, factor: float) -> None:
    """Scale the counts of all grams."""
    frequent.kmin[0] = UNKNOWN
    for entry in range(grams.used[0]):
        decay_entry(grams, direct, entry, factor)

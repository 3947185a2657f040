"""The compiled twin of `weights.py`, but for what asks the domain, which stands in `machine_weights.py`: the same sums
in the same order."""

import numpy as np

from domains.kernels import njit, njit_inline, uniform01
from domains.portable_math_kernels import exp
from mcsgrammar.engines.compiled.learning_layout import (
    CHOICES,
    DIRECT,
    DISTINCT,
    ENTRIES_WALKED,
    FRESH,
    LEARNT,
    NEW,
    PLAYED,
    STEPS,
    UNSEEN,
    USED,
    Learning,
)
from mcsgrammar.engines.compiled.means_kernels import ENTRIES, NO_ROOM, find, insert
from mcsgrammar.engines.rules import HIGHEST_WEIGHT


@njit_inline
def place_of(learning: Learning, code: int) -> np.int64:
    """Where the numbers of a code stand; UNSEEN for a large one that was not met."""
    if 0 <= code < DIRECT:
        return np.int64(code)
    return UNSEEN + 1 + find(learning.slots, learning.slots.shape[0] - 1, learning.codes, code)


@njit_inline
def draw_by_sums(sums: np.ndarray, n: int, random: np.ndarray) -> np.int64:
    """The first place whose sum is above a number drawn below the last sum. Counted without branches: where it stands
    cannot be predicted."""
    left = uniform01(random) * sums[n - 1]
    place = np.int64(0)
    for i in range(n):
        place += np.int64(sums[i] <= left)
    return place


@njit
def begin_row(learning: Learning, row: int) -> None:
    """An adapt is entered: it begins with what the one around it has learnt. Only places that have weights are touched,
    which are few beside those that could have."""
    for i in range(learning.counts[row, LEARNT]):
        place = learning.learnt[row, i]
        learning.weight[row, place], learning.odds[row, place] = 0.0, 1.0
        learning.mark[row, place] = 0
    outer = row - 1
    learnt = learning.counts[outer, LEARNT] if outer > 0 else np.int64(0)
    for i in range(learnt):
        place = learning.learnt[outer, i]
        learning.weight[row, place] = learning.weight[outer, place]
        learning.odds[row, place] = learning.odds[outer, place]
        learning.mark[row, place] = 1
        learning.learnt[row, i] = place
    learning.counts[row, LEARNT] = learnt
    learning.counts[row, FRESH] = 0


@njit
def begin_walk(learning: Learning, row: int) -> None:
    learning.counts[row, STEPS] = learning.counts[row, ENTRIES_WALKED] = learning.counts[row, DISTINCT] = 0


@njit
def meet(learning: Learning, code: int, place: int, room: np.ndarray, limit: int) -> np.int64:
    """A code at that place is learnt about for the first time. Its place from now on; the same for one that found all
    room, `limit` entries, taken up."""
    if room[ENTRIES] >= limit:
        room[NO_ROOM] = 1
        return np.int64(place)
    room[ENTRIES] += 1
    if place == UNSEEN:
        entry = learning.counts[0, USED]
        learning.counts[0, USED] += 1
        insert(learning.slots, learning.slots.shape[0] - 1, learning.codes, entry, code)
        place = UNSEEN + 1 + entry
    learning.mark[0, place] = 1
    learning.learnt[0, learning.counts[0, LEARNT]] = place
    learning.counts[0, LEARNT] += 1
    return np.int64(place)


@njit_inline
def number_in_walk(learning: Learning, row: int, place: int) -> np.int64:
    """Which of the distinct places of a walk this is."""
    number = np.int64(learning.number[place])
    if number == 0:
        learning.walk_distinct[row, learning.counts[row, DISTINCT]] = place
        learning.counts[row, DISTINCT] += 1
        number = learning.counts[row, DISTINCT]
        learning.number[place] = number
    return number - 1


@njit_inline
def end_step(learning: Learning, row: int, n: int, played: int) -> None:
    """All n actions of a step have been entered; the one at the place `played` was played."""
    step = learning.counts[row, STEPS]
    learning.walk_steps[row, step, CHOICES], learning.walk_steps[row, step, PLAYED] = n, played
    learning.counts[row, STEPS] += 1
    learning.counts[row, ENTRIES_WALKED] += n


@njit
def walk_along_trail(learning: Learning, row: int, room: np.ndarray, limit: int) -> bool:
    """List what was legal on the way of an adapt's best sequence where that was the last playout: nothing is played or
    listed again. False where a large code was met for the first time, or the trail is not whole."""
    if learning.counts[0, FRESH] == NEW:
        return False
    begin_walk(learning, row)
    mark, numbers, places = learning.mark[0], learning.walk_place[row], learning.walk_place[0]
    first, met = np.uint64(0), True
    for step in range(learning.counts[0, STEPS]):
        n, entered = np.uint64(learning.walk_steps[0, step, CHOICES]), np.uint64(learning.counts[row, ENTRIES_WALKED])
        if n > 1:
            for i in range(n):
                place = np.uint64(places[first + i])
                if learning.number[place] == 0 and mark[place] == 0:
                    if place == UNSEEN:
                        met = False
                        break
                    meet(learning, np.int64(place), np.int64(place), room, limit)
                numbers[entered + i] = number_in_walk(learning, row, place)
            end_step(learning, row, n, learning.walk_steps[0, step, PLAYED])
        if not met:
            break
        first += n
    end_walk(learning, row)
    return met


@njit
def end_walk(learning: Learning, row: int) -> None:
    for i in range(learning.counts[row, DISTINCT]):
        learning.number[learning.walk_distinct[row, i]] = 0


@njit
def learn_from_walk(learning: Learning, row: int, alpha: float, guided: bool) -> None:
    """Add to the weights what the walk of a row teaches; where actions are `guided` they have priors."""
    # Indices that are read are made unsigned: a signed one costs a test for Python's counting from the end.
    odds, weight, mark, ever = learning.odds[row], learning.weight[row], learning.mark[row], learning.mark[0]
    distinct, numbers, priors = learning.walk_distinct[row], learning.walk_place[row], learning.walk_prior[row]
    steps, chances, change, current = learning.walk_steps[row], learning.sums, learning.change, learning.current
    n_distinct = np.uint64(learning.counts[row, DISTINCT])
    for k in range(n_distinct):
        current[k] = odds[np.uint64(distinct[k])]
    first = np.uint64(0)
    for step in range(np.uint64(learning.counts[row, STEPS])):
        n = np.uint64(steps[step, CHOICES])
        total = 0.0
        for i in range(n):
            chance = current[np.uint64(numbers[first + i])]
            if guided:
                chance *= priors[first + i]
            chances[i] = chance
            total += chance
        share = alpha / total
        for i in range(n):
            change[np.uint64(numbers[first + i])] -= chances[i] * share
        change[np.uint64(numbers[first + np.uint64(steps[step, PLAYED])])] += alpha
        first += n
    # The weights stand side by side while exp is taken of them, so that the compiler takes it of several at once: an
    # evaluation of nrpa(2, 100) on Morpion 5T takes 6.3 instead of 6.6 µs.
    moved = current
    for k in range(n_distinct):
        place = np.uint64(distinct[k])
        moved_weight = min(max(weight[place] + change[k], -HIGHEST_WEIGHT), HIGHEST_WEIGHT)
        change[k] = 0.0
        moved[k] = weight[place] = moved_weight if ever[place] == 1 else 0.0
    for k in range(n_distinct):
        moved[k] = exp(moved[k])
    for k in range(n_distinct):
        place = np.uint64(distinct[k])
        odds[place] = moved[k]
        if mark[place] == 0 and ever[place] == 1:
            mark[place] = 1
            learning.learnt[row, learning.counts[row, LEARNT]] = place
            learning.counts[row, LEARNT] += 1

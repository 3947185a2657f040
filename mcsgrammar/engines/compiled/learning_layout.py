"""The arrays of the compiled engine that only `adapt`, `guided` and `puct` need: what is learnt of actions.

Glossary
    code     what a domain calls an action to learn about, any whole number of 64 bits
    place    where the numbers of a code stand. Small codes are their own places; behind these stands UNSEEN, and then
             the large codes, in the order in which they were met, found by their hashes
    row      the weights of one adapt under way. Row 0 is nobody's: its weights are 0 for ever. The innermost adapt
             around a frame says by which row its actions are drawn (`Program.row`)
    walk     the best sequence of an adapt with all actions that were legal on its way: what it learns from again and
             again, until it has a new best
    trail    the walk of row 0: the last playout by weights, with the places that its actions were drawn from
    prior    the part of an action's odds that nobody learnt: by its features
"""

from typing import NamedTuple

import numpy as np

from mcsgrammar.engines.compiled.means_kernels import refill

DIRECT = 2**16
"""Codes below this are their own places."""
UNSEEN = DIRECT
"""The place of all large codes that were not met; its odds are 1."""

FIRST_CODES = 1024
FIRST_WALK = 2048

LEARNT, USED = 0, 1
"""Columns of `Learning.counts`: how many places of a row have weights (of row 0: how many codes were ever learnt
about); in row 0, how many large codes were met."""
FRESH, STEPS, ENTRIES_WALKED, DISTINCT = 2, 3, 4, 5
"""The walk of a row: whether its adapt has a new best since, or a tuner has chosen (NEW), the trail being that of the
new best (ON_TRAIL), or neither (0); its steps, entries and distinct places. FRESH of row 0: NEW for a trail that is not
whole."""
NEW, ON_TRAIL = 1, 2
COUNTS = 6
CHOICES, PLAYED = 0, 1
"""Columns of `walk_steps`: how many actions were legal, and which of them was played."""


class Learning(NamedTuple):
    odds: np.ndarray
    """by row and place: exp(weight)"""
    weight: np.ndarray
    mark: np.ndarray
    """by row and place: whether the place is listed in `learnt`"""
    number: np.ndarray
    """by place, during a walk: its number in `walk_distinct`, counted from 1; else 0"""
    learnt: np.ndarray
    """by row: the places that have weights; in row 0 those of all codes ever learnt about"""
    counts: np.ndarray
    slots: np.ndarray
    """where large codes are found"""
    codes: np.ndarray
    """the large codes"""
    walk_place: np.ndarray
    """by row, step after step: the places of the legal actions, as numbers in `walk_distinct`, so that what is added
    up for them lies side by side; in row 0 the places themselves"""
    walk_prior: np.ndarray
    walk_distinct: np.ndarray
    """by row: each place once"""
    walk_steps: np.ndarray
    change: np.ndarray
    """by distinct place of a walk: what it adds up to; 0 between walks"""
    current: np.ndarray
    """scratch: by distinct place of a walk, its odds"""
    room: np.ndarray
    """as in `means_kernels.py`, where there are no other statistics"""
    sums: np.ndarray
    """scratch, as all that follow: by legal action"""
    listed: np.ndarray
    """codes"""
    options: np.ndarray
    option_places: np.ndarray
    features: np.ndarray


def empty_learning(
    rows: int, max_length: int, max_actions: int, features: int, codes: int = FIRST_CODES, walk: int = FIRST_WALK
) -> Learning:
    places, walk = DIRECT + 1 + codes, max(walk, max_actions)
    learning = Learning(
        odds=np.ones((rows, places)),
        weight=np.zeros((rows, places)),
        mark=np.zeros((rows, places), np.uint8),
        number=np.zeros(places, np.int32),
        learnt=np.zeros((rows, places), np.int32),
        counts=np.zeros((rows, COUNTS), np.int64),
        slots=np.zeros(2 * codes, np.int64),
        codes=np.zeros(codes, np.int64),
        walk_place=np.zeros((rows, walk), np.int32),
        walk_prior=np.ones((rows, walk)),
        walk_distinct=np.zeros((rows, walk), np.int32),
        walk_steps=np.zeros((rows, max_length, 2), np.int32),
        change=np.zeros(walk),
        current=np.zeros(walk),
        room=np.zeros(2, np.int64),
        sums=np.zeros(max_actions),
        listed=np.zeros(max_actions, np.int64),
        options=np.zeros(max_actions, np.int32),
        option_places=np.zeros(max_actions, np.int64),
        features=np.zeros(features),
    )
    refill(learning.slots, 2 * codes - 1, learning.codes, 0)  # compiled before the clock starts
    return learning


def grown_learning(old: Learning, max_actions: int) -> Learning:
    """The same with room for another state's actions, in walks and among the large codes."""
    rows, walk, codes = old.odds.shape[0], old.walk_place.shape[1], old.codes.shape[0]
    while (old.counts[:, ENTRIES_WALKED] + max_actions > walk).any():
        walk *= 2
    while old.counts[0, USED] + max_actions > codes:
        codes *= 2
    if (walk, codes) == (old.walk_place.shape[1], old.codes.shape[0]):
        return old
    larger = empty_learning(rows, old.walk_steps.shape[1], max_actions, old.features.shape[0], codes, walk)
    for name, array in zip(Learning._fields, old, strict=True):
        if name != "slots":
            getattr(larger, name)[tuple(map(slice, array.shape))] = array
    refill(larger.slots, len(larger.slots) - 1, larger.codes, int(larger.counts[0, USED]))
    return larger


def forget_all(learning: Learning) -> None:
    """As new, for the next run."""
    for row in range(learning.counts.shape[0]):
        places = learning.learnt[row, : learning.counts[row, LEARNT]]
        learning.odds[row, places] = 1.0
        learning.weight[row, places] = 0.0
        learning.mark[row, places] = 0
    if learning.counts[0, USED]:
        learning.slots[:] = 0
    learning.counts[:] = 0
    learning.room[:] = 0

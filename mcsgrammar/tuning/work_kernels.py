"""What lsi and ea do with their candidates and populations: go through them in random order, and rank them."""

import numpy as np

from domains.kernels import njit, shuffle_from_end
from mcsgrammar.tuning.state import TunerState


@njit
def start_turn(tuner: TunerState, random: np.ndarray) -> None:
    order = tuner.order
    for place in range(tuner.count):
        order[place] = place
    shuffle_from_end(random, order, tuner.count)
    tuner.place = 0


@njit
def sort_by_mean(tuner: TunerState, n: int) -> None:
    """Set `order` to the places 0 … n - 1 of the work by falling mean, stable: a merge sort from the bottom up."""
    order, spare = tuner.order, tuner.spare_order
    visits, total = tuner.work_visits, tuner.work_total
    for i in range(n):
        order[i] = i
    width = 1
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            a, b = low, middle
            for i in range(low, high):
                takes_a = b >= high
                if not takes_a and a < middle:
                    one, other = order[a], order[b]
                    takes_a = total[one] / np.float64(visits[one]) >= total[other] / np.float64(visits[other])
                if takes_a:
                    spare[i] = order[a]
                    a += 1
                else:
                    spare[i] = order[b]
                    b += 1
        for i in range(n):
            order[i] = spare[i]
        width *= 2


@njit
def reorder(tuner: TunerState, n: int) -> None:
    """Bring what `order` lists first to the first n places of the work, in that order, by swapping."""
    order, moved = tuner.order, tuner.spare_order
    keys, visits, total = tuner.work_key, tuner.work_visits, tuner.work_total
    for i in range(n):
        source = order[i]
        while source < i:  # what stood there has been swapped away
            source = moved[source]
        moved[i] = source
        key, visited, sum_of_it = keys[i], visits[i], total[i]
        keys[i], visits[i], total[i] = keys[source], visits[source], total[source]
        keys[source], visits[source], total[source] = key, visited, sum_of_it

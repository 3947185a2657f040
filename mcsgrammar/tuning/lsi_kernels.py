"""The compiled twin of `lsi.py`."""

import numpy as np

from domains.kernels import below, njit, uniform01
from mcsgrammar.engines.compiled.means_kernels import find, insert
from mcsgrammar.tuning.bandit_kernels import update_pair
from mcsgrammar.tuning.combination_kernels import draw_combination, is_feasible, key_of_combination, read_combination
from mcsgrammar.tuning.lsi import DECIDED, EVALUATING, GENERATING
from mcsgrammar.tuning.state import TO_BE_SAID, TunerState
from mcsgrammar.tuning.work_kernels import reorder, sort_by_mean, start_turn


@njit
def start(tuner: TunerState, random: np.ndarray) -> None:
    spare = tuner.spare
    pair = np.int64(0)
    for p in range(tuner.parameters):
        for value in range(tuner.size[p]):
            draw_combination(tuner, random, spare, p, value)
            tuner.work_pair[pair] = pair
            tuner.work_key[pair] = key_of_combination(tuner, spare)
            pair += 1
    tuner.count = pair
    start_turn(tuner, random)


@njit
def choose(tuner: TunerState) -> None:
    at = np.int64(0) if tuner.phase == DECIDED else tuner.order[tuner.place]
    read_combination(tuner, tuner.work_key[at], tuner.chosen)


@njit
def note_shares(tuner: TunerState) -> None:
    """Sum up the means of every parameter whose values are always feasible, in `spread`, which lsi has no other use
    for. The candidates of six parameters are then drawn five times as fast."""
    mean = tuner.mean
    for p in range(tuner.parameters):
        share = 0.0
        for value in range(tuner.size[p]):
            share += mean[tuner.first_pair[p] + value]
        tuner.spread[p] = share


@njit
def share_of(tuner: TunerState, combination: np.ndarray, p: int) -> float:
    """The sum of the means of the feasible values of p."""
    if tuner.master[p] < 0 and tuner.dependent[p] < 0:
        return np.float64(tuner.spread[p])
    share = 0.0
    for value in range(tuner.size[p]):
        if is_feasible(tuner, combination, p, value):
            share += tuner.mean[tuner.first_pair[p] + value]
    return share


@njit
def draw_pair(tuner: TunerState, random: np.ndarray, combination: np.ndarray) -> None:
    """Give one parameter that has none a feasible value, in proportion to the means of the values."""
    d = tuner.parameters
    total = 0.0
    for p in range(d):
        if combination[p] < 0:
            total += share_of(tuner, combination, p)
    if total == 0:
        draw_any_pair(tuner, random, combination)
        return
    left = uniform01(random) * total
    drawn = np.int64(-1)
    for p in range(d):
        if combination[p] < 0:
            share = share_of(tuner, combination, p)
            if left < share:
                drawn = np.int64(p)
                break
            left -= share
            if share > 0:
                drawn = np.int64(p)  # the last with a share, where rounding leaves something over
    chosen = np.int64(-1)
    for value in range(tuner.size[drawn]):
        if is_feasible(tuner, combination, drawn, value):
            weight = tuner.mean[tuner.first_pair[drawn] + value]
            left -= weight
            if weight > 0:
                chosen = np.int64(value)
            if left < 0:
                chosen = np.int64(value)
                break
    combination[drawn] = chosen


@njit
def draw_any_pair(tuner: TunerState, random: np.ndarray, combination: np.ndarray) -> None:
    """The same where all means are 0: all alike."""
    feasible = np.int64(0)
    for p in range(tuner.parameters):
        if combination[p] < 0:
            for value in range(tuner.size[p]):
                feasible += is_feasible(tuner, combination, p, value)
    left = below(random, feasible)
    for p in range(tuner.parameters):
        if combination[p] < 0:
            for value in range(tuner.size[p]):
                if is_feasible(tuner, combination, p, value):
                    if left == 0:
                        combination[p] = value
                        return
                    left -= 1


@njit
def draw_candidate(tuner: TunerState, random: np.ndarray, combination: np.ndarray) -> None:
    for p in range(tuner.parameters):
        combination[p] = -1
    for _ in range(tuner.parameters):
        draw_pair(tuner, random, combination)


@njit
def start_evaluation(tuner: TunerState, random: np.ndarray) -> None:
    """Draw the candidates, and keep the distinct ones."""
    spare, keys, slots = tuner.spare, tuner.work_key, tuner.work_slots
    mask = tuner.work_slots_room - 1
    for slot in range(mask + 1):
        slots[slot] = 0
    note_shares(tuner)
    n = np.int64(0)
    for _ in range(tuner.k):
        draw_candidate(tuner, random, spare)
        key = key_of_combination(tuner, spare)
        if find(slots, mask, keys, key) < 0:
            insert(slots, mask, keys, n, key)
            tuner.work_visits[n] = 0
            tuner.work_total[n] = 0.0
            n += 1
    tuner.count = n
    rounds = np.int64(0)
    while (1 << rounds) < n:
        rounds += 1
    if rounds == 0:
        tuner.phase = DECIDED
        return
    tuner.phase = EVALUATING
    tuner.samples = (tuner.expected - generation_samples(tuner)) // rounds
    tuner.turns = max(1, tuner.samples // n)
    start_turn(tuner, random)


@njit
def generation_samples(tuner: TunerState) -> np.int64:
    return np.int64(np.floor(tuner.share * np.float64(tuner.expected)))


@njit
def passes_enough(tuner: TunerState) -> bool:
    """Never, as long as it is not known how often the tuner will be asked."""
    if tuner.expected < 0 or tuner.expected == TO_BE_SAID:
        return False
    return bool(tuner.passes >= max(1, generation_samples(tuner) // tuner.pairs))


@njit
def learn(tuner: TunerState, random: np.ndarray, reward: float) -> None:
    if tuner.phase == DECIDED:
        return
    at = tuner.order[tuner.place]
    tuner.place += 1
    ended = tuner.place == tuner.count
    if tuner.phase == GENERATING:
        update_pair(tuner, tuner.work_pair[at], reward)
        if ended:
            tuner.passes += 1
            if passes_enough(tuner):
                start_evaluation(tuner, random)
            else:
                start(tuner, random)
        return
    tuner.work_visits[at] += 1
    tuner.work_total[at] += reward
    if ended:
        tuner.turns -= 1
        if tuner.turns == 0:
            sort_by_mean(tuner, tuner.count)
            tuner.count = (tuner.count + 1) // 2
            reorder(tuner, tuner.count)
            if tuner.count == 1:
                tuner.phase = DECIDED
                return
            tuner.turns = max(1, tuner.samples // tuner.count)
        start_turn(tuner, random)

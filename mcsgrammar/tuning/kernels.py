"""The compiled twins of the discrete tuners: the same draws, the same choices.

    start    before the first choice
    choose   sets CHOSEN to the next combination
    tell     the reward of the combination in CHOSEN
    apply    writes the chosen values into the settings

All take the two arrays of a tuner, `w` its whole numbers and `r` its floats; `layout.py` says what lies where.
"""

import numpy as np

from domains.kernels import below, njit, shuffle_from_end, uniform01
from domains.scratch import part
from mcsgrammar.engines.compiled.means_kernels import find, insert
from mcsgrammar.engines.compiled.roots_kernels import root_log, spread_of
from mcsgrammar.engines.rules import LARGEST
from mcsgrammar.tuning.layout import (
    ARM_KEY,
    ARM_MEAN,
    ARM_ROOM,
    ARM_SINCE,
    ARM_SLOTS,
    ARM_SPREAD,
    ARM_TOTAL,
    ARM_VISITS,
    ARMS,
    BLOCK,
    BLOCK_MEAN,
    BLOCK_SPREAD,
    CHOSEN,
    COLUMN,
    COMBINATIONS,
    COUNT,
    DEPENDENT,
    ELITE,
    EXPECTED,
    FIRST,
    FRAME,
    KIND,
    MASTER,
    MEAN,
    OFF,
    ORDER,
    PAIRS,
    PARAMETERS,
    PASSES,
    PHASE,
    PLACE,
    REAL_VALUE,
    REPETITIONS_COLUMN,
    SAMPLES,
    SECOND,
    SIZE,
    SPARE,
    SPARE_ORDER,
    SPREAD,
    STRIDE,
    T_EA,
    T_LSI,
    T_MAB,
    T_NMC,
    T_NTBEA,
    T_RANDOM,
    THIRD,
    TOTAL,
    TURNS,
    UPDATES,
    VALUES,
    VISITS,
    WHOLE_VALUE,
    WORK_KEY,
    WORK_PAIR,
    WORK_SLOTS,
    WORK_TOTAL,
    WORK_VISITS,
)

GENERATING, EVALUATING, DECIDED = range(3)
"""The phases of lsi."""


@njit
def section(array: np.ndarray, w: np.ndarray, name: int) -> np.ndarray:
    return part(array, w[name])


# Combinations.


@njit
def size_of(w: np.ndarray, p: int) -> np.int64:
    return np.int64(w[w[VALUES] + p + 1] - w[w[VALUES] + p])


@njit
def is_feasible(w: np.ndarray, combination: np.ndarray, p: int, value: int) -> bool:
    master, q = w[w[MASTER] + p], w[w[DEPENDENT] + p]
    if master >= 0 and combination[master] == w[w[OFF] + p]:
        return value == 0
    return q < 0 or combination[q] <= 0 or value != w[w[OFF] + q]


@njit
def is_legal(w: np.ndarray, combination: np.ndarray) -> bool:
    for p in range(w[PARAMETERS]):
        master = w[w[MASTER] + p]
        if master >= 0 and combination[master] == w[w[OFF] + p] and combination[p] != 0:
            return False
    return True


@njit
def key_of_combination(w: np.ndarray, combination: np.ndarray) -> np.int64:
    key = np.int64(0)
    for p in range(w[PARAMETERS]):
        key += w[w[STRIDE] + p] * combination[p]
    return key


@njit
def read_combination(w: np.ndarray, key: int, combination: np.ndarray) -> None:
    for p in range(w[PARAMETERS]):
        combination[p] = key // w[w[STRIDE] + p]
        key -= combination[p] * w[w[STRIDE] + p]


@njit
def draw_combination(w: np.ndarray, random: np.ndarray, combination: np.ndarray, fixed: int, value: int) -> None:
    """A legal combination, all alike, with the parameter `fixed`, if it is one, at `value`."""
    while True:
        for p in range(w[PARAMETERS]):
            combination[p] = value if p == fixed else below(random, size_of(w, p))
        if is_legal(w, combination):
            return


@njit
def draw_feasible(w: np.ndarray, random: np.ndarray, combination: np.ndarray, p: int) -> np.int64:
    """A feasible value of p."""
    n = np.int64(0)
    for value in range(size_of(w, p)):
        n += is_feasible(w, combination, p, value)
    left = below(random, n)
    for value in range(size_of(w, p)):
        if is_feasible(w, combination, p, value):
            if left == 0:
                return np.int64(value)
            left -= 1
    return np.int64(0)


@njit
def mutate(w: np.ndarray, random: np.ndarray, combination: np.ndarray) -> None:
    p = np.int64(below(random, w[PARAMETERS]))
    if w[w[MASTER] + p] >= 0:
        p = np.int64(w[w[MASTER] + p])
    dependent = w[w[DEPENDENT] + p]
    if dependent < 0:
        combination[p] = below(random, size_of(w, p))
        return
    # The legal pairs in order: all values of the dependent with each of p, but with OFF the first alone.
    values, alone = size_of(w, dependent), w[w[OFF] + dependent] * size_of(w, dependent)
    pair = np.int64(below(random, (size_of(w, p) - 1) * values + 1))
    if pair > alone:
        pair += values - 1
    combination[p], combination[dependent] = pair // values, pair % values


# Bandits: one over the arms, one over the pairs of each parameter.


@njit
def exploration(c: float, all_visits: int) -> float:
    return min(c * root_log(all_visits), LARGEST)


@njit
def arm_of(w: np.ndarray, key: int) -> np.int64:
    """The arm of a combination; -1 if there is none."""
    return find(section(w, w, ARM_SLOTS), 2 * w[ARM_ROOM] - 1, section(w, w, ARM_KEY), key)


@njit
def new_arm(w: np.ndarray, r: np.ndarray, key: int, fpu: float) -> np.int64:
    arm = w[ARMS]
    w[ARMS] += 1
    insert(section(w, w, ARM_SLOTS), 2 * w[ARM_ROOM] - 1, section(w, w, ARM_KEY), arm, key)
    w[w[ARM_VISITS] + arm] = 0
    w[w[ARM_SINCE] + arm] = -1
    r[w[ARM_TOTAL] + arm] = 0.0
    r[w[ARM_MEAN] + arm] = fpu
    r[w[ARM_SPREAD] + arm] = 0.0
    block = arm // BLOCK
    if arm % BLOCK == 0:
        r[w[BLOCK_MEAN] + block] = -np.inf
        r[w[BLOCK_SPREAD] + block] = 0.0
    r[w[BLOCK_MEAN] + block] = max(r[w[BLOCK_MEAN] + block], fpu)
    return np.int64(arm)


@njit
def update_arm(w: np.ndarray, r: np.ndarray, arm: int, reward: float) -> None:
    visits, total = section(w, w, ARM_VISITS), section(r, w, ARM_TOTAL)
    mean, spread = section(r, w, ARM_MEAN), section(r, w, ARM_SPREAD)
    if visits[arm] == 0:
        w[w[ARM_SINCE] + arm] = w[UPDATES]
    visits[arm] += 1
    total[arm] += reward
    mean[arm] = total[arm] / np.float64(visits[arm])
    spread[arm] = spread_of(visits[arm])
    if w[KIND] == T_MAB or w[KIND] == T_NMC:
        block = arm // BLOCK
        highest, widest = -np.inf, 0.0
        for one in range(block * BLOCK, min((block + 1) * BLOCK, w[ARMS])):
            highest = max(highest, mean[one])
            widest = max(widest, spread[one])
        r[w[BLOCK_MEAN] + block] = highest
        r[w[BLOCK_SPREAD] + block] = widest


@njit
def choose_arm(w: np.ndarray, r: np.ndarray, random: np.ndarray, scale: float) -> np.int64:
    """The arm with the highest value, ties at random. Blocks that cannot hold it are passed over. (Rounding is
    monotonous, so a bound from the largest mean and the largest spread holds for the computed values, too.)"""
    mean, spread = section(r, w, ARM_MEAN), section(r, w, ARM_SPREAD)
    block_mean, block_spread = section(r, w, BLOCK_MEAN), section(r, w, BLOCK_SPREAD)
    arms = w[ARMS]
    blocks = (arms + BLOCK - 1) // BLOCK
    highest, ties = -np.inf, np.int64(0)
    for block in range(blocks):
        if block_mean[block] + scale * block_spread[block] < highest:
            continue
        for arm in range(block * BLOCK, min((block + 1) * BLOCK, arms)):
            value = mean[arm] + scale * spread[arm]
            if value > highest:
                highest, ties = value, np.int64(1)
            elif value == highest:
                ties += 1
    left = below(random, ties)
    for block in range(blocks):
        if block_mean[block] + scale * block_spread[block] < highest:
            continue
        for arm in range(block * BLOCK, min((block + 1) * BLOCK, arms)):
            if mean[arm] + scale * spread[arm] == highest:
                if left == 0:
                    return np.int64(arm)
                left -= 1
    return np.int64(0)


@njit
def choose_value(w: np.ndarray, r: np.ndarray, random: np.ndarray, p: int, scale: float) -> np.int64:
    """The feasible value of parameter p with the highest value in its own bandit."""
    chosen, first = section(w, w, CHOSEN), w[w[VALUES] + p]
    mean, spread = part(section(r, w, MEAN), first), part(section(r, w, SPREAD), first)
    highest, ties = -np.inf, np.int64(0)
    for value in range(size_of(w, p)):
        if is_feasible(w, chosen, p, value):
            worth = mean[value] + scale * spread[value]
            if worth > highest:
                highest, ties = worth, np.int64(1)
            elif worth == highest:
                ties += 1
    left = below(random, ties)
    for value in range(size_of(w, p)):
        if is_feasible(w, chosen, p, value) and mean[value] + scale * spread[value] == highest:
            if left == 0:
                return np.int64(value)
            left -= 1
    return np.int64(0)


@njit
def update_pair(w: np.ndarray, r: np.ndarray, pair: int, reward: float) -> None:
    visits, total = section(w, w, VISITS), section(r, w, TOTAL)
    visits[pair] += 1
    total[pair] += reward
    r[w[MEAN] + pair] = total[pair] / np.float64(visits[pair])
    r[w[SPREAD] + pair] = spread_of(visits[pair])


@njit
def update_pairs_of_chosen(w: np.ndarray, r: np.ndarray, reward: float) -> None:
    for p in range(w[PARAMETERS]):
        update_pair(w, r, w[w[VALUES] + p] + w[w[CHOSEN] + p], reward)


# lsi.


@njit
def start_pass(w: np.ndarray, random: np.ndarray) -> None:
    spare = section(w, w, SPARE)
    pair = np.int64(0)
    for p in range(w[PARAMETERS]):
        for value in range(size_of(w, p)):
            draw_combination(w, random, spare, p, value)
            w[w[WORK_PAIR] + pair] = pair
            w[w[WORK_KEY] + pair] = key_of_combination(w, spare)
            pair += 1
    w[COUNT] = pair
    start_turn(w, random)


@njit
def start_turn(w: np.ndarray, random: np.ndarray) -> None:
    order = section(w, w, ORDER)
    for place in range(w[COUNT]):
        order[place] = place
    shuffle_from_end(random, order, w[COUNT])
    w[PLACE] = 0


@njit
def note_shares(w: np.ndarray, r: np.ndarray) -> None:
    """Sum up the means of every parameter whose values are always feasible, in SPREAD, which lsi has no other use for.
    The candidates of six parameters are then drawn five times as fast."""
    mean = section(r, w, MEAN)
    for p in range(w[PARAMETERS]):
        share = 0.0
        for pair in range(w[w[VALUES] + p], w[w[VALUES] + p + 1]):
            share += mean[pair]
        r[w[SPREAD] + p] = share


@njit
def share_of(w: np.ndarray, r: np.ndarray, combination: np.ndarray, p: int) -> float:
    """The sum of the means of the feasible values of p."""
    if w[w[MASTER] + p] < 0 and w[w[DEPENDENT] + p] < 0:
        return np.float64(r[w[SPREAD] + p])
    share = 0.0
    for value in range(size_of(w, p)):
        if is_feasible(w, combination, p, value):
            share += r[w[MEAN] + w[w[VALUES] + p] + value]
    return share


@njit
def draw_pair(w: np.ndarray, r: np.ndarray, random: np.ndarray, combination: np.ndarray) -> None:
    """Give one parameter that has none a feasible value, in proportion to the means of the values."""
    d = w[PARAMETERS]
    total = 0.0
    for p in range(d):
        if combination[p] < 0:
            total += share_of(w, r, combination, p)
    if total == 0:
        draw_any_pair(w, random, combination)
        return
    left = uniform01(random) * total
    drawn = np.int64(-1)
    for p in range(d):
        if combination[p] < 0:
            share = share_of(w, r, combination, p)
            if left < share:
                drawn = np.int64(p)
                break
            left -= share
            if share > 0:
                drawn = np.int64(p)  # the last with a share, where rounding leaves something over
    chosen = np.int64(-1)
    for value in range(size_of(w, drawn)):
        if is_feasible(w, combination, drawn, value):
            weight = r[w[MEAN] + w[w[VALUES] + drawn] + value]
            left -= weight
            if weight > 0:
                chosen = np.int64(value)
            if left < 0:
                chosen = np.int64(value)
                break
    combination[drawn] = chosen


@njit
def draw_any_pair(w: np.ndarray, random: np.ndarray, combination: np.ndarray) -> None:
    """The same where all means are 0: all alike."""
    feasible = np.int64(0)
    for p in range(w[PARAMETERS]):
        if combination[p] < 0:
            for value in range(size_of(w, p)):
                feasible += is_feasible(w, combination, p, value)
    left = below(random, feasible)
    for p in range(w[PARAMETERS]):
        if combination[p] < 0:
            for value in range(size_of(w, p)):
                if is_feasible(w, combination, p, value):
                    if left == 0:
                        combination[p] = value
                        return
                    left -= 1


@njit
def draw_candidate(w: np.ndarray, r: np.ndarray, random: np.ndarray, combination: np.ndarray) -> None:
    for p in range(w[PARAMETERS]):
        combination[p] = -1
    for _ in range(w[PARAMETERS]):
        draw_pair(w, r, random, combination)


@njit
def start_evaluation(w: np.ndarray, r: np.ndarray, random: np.ndarray) -> None:
    """Draw the candidates, and keep the distinct ones."""
    spare, keys, slots = section(w, w, SPARE), section(w, w, WORK_KEY), section(w, w, WORK_SLOTS)
    mask = slots_of_work(w) - 1
    for slot in range(mask + 1):
        slots[slot] = 0
    note_shares(w, r)
    n = np.int64(0)
    for _ in range(w[SIZE]):
        draw_candidate(w, r, random, spare)
        key = key_of_combination(w, spare)
        if find(slots, mask, keys, key) < 0:
            insert(slots, mask, keys, n, key)
            w[w[WORK_VISITS] + n] = 0
            r[w[WORK_TOTAL] + n] = 0.0
            n += 1
    w[COUNT] = n
    rounds = np.int64(0)
    while (1 << rounds) < n:
        rounds += 1
    if rounds == 0:
        w[PHASE] = DECIDED
        return
    w[PHASE] = EVALUATING
    w[SAMPLES] = (w[EXPECTED] - generation_samples(w, r)) // rounds
    w[TURNS] = max(1, w[SAMPLES] // n)
    start_turn(w, random)


@njit
def slots_of_work(w: np.ndarray) -> np.int64:
    return np.int64(w[ARM_KEY] - w[WORK_SLOTS])


@njit
def generation_samples(w: np.ndarray, r: np.ndarray) -> np.int64:
    return np.int64(np.floor(r[FIRST] * np.float64(w[EXPECTED])))


@njit
def learn_lsi(w: np.ndarray, r: np.ndarray, reward: float, random: np.ndarray) -> None:
    if w[PHASE] == DECIDED:
        return
    at = w[w[ORDER] + w[PLACE]]
    w[PLACE] += 1
    ended = w[PLACE] == w[COUNT]
    if w[PHASE] == GENERATING:
        update_pair(w, r, w[w[WORK_PAIR] + at], reward)
        if ended:
            w[PASSES] += 1
            if w[EXPECTED] < 0 or w[PASSES] < max(1, generation_samples(w, r) // w[PAIRS]):
                start_pass(w, random)
            else:
                start_evaluation(w, r, random)
        return
    w[w[WORK_VISITS] + at] += 1
    r[w[WORK_TOTAL] + at] += reward
    if ended:
        w[TURNS] -= 1
        if w[TURNS] == 0:
            sort_by_mean(w, r, w[COUNT])
            w[COUNT] = (w[COUNT] + 1) // 2
            reorder(w, r, w[COUNT])
            if w[COUNT] == 1:
                w[PHASE] = DECIDED
                return
            w[TURNS] = max(1, w[SAMPLES] // w[COUNT])
        start_turn(w, random)


@njit
def sort_by_mean(w: np.ndarray, r: np.ndarray, n: int) -> None:
    """Set ORDER to the places 0 … n - 1 of the work by falling mean, stable: a merge sort from the bottom up."""
    order, spare = section(w, w, ORDER), section(w, w, SPARE_ORDER)
    visits, total = section(w, w, WORK_VISITS), section(r, w, WORK_TOTAL)
    for i in range(n):
        order[i] = i
    width = np.int64(1)
    while width < n:
        for low in range(0, n, 2 * width):
            middle, high = min(low + width, n), min(low + 2 * width, n)
            a, b = np.int64(low), middle
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
def reorder(w: np.ndarray, r: np.ndarray, n: int) -> None:
    """Bring what ORDER lists first to the first n places of the work, in that order, by swapping."""
    order, moved = section(w, w, ORDER), section(w, w, SPARE_ORDER)
    keys, visits, total = section(w, w, WORK_KEY), section(w, w, WORK_VISITS), section(r, w, WORK_TOTAL)
    for i in range(n):
        source = order[i]
        while source < i:  # what stood there has been swapped away
            source = moved[source]
        moved[i] = source
        key, visited, sum_of_it = keys[i], visits[i], total[i]
        keys[i], visits[i], total[i] = keys[source], visits[source], total[source]
        keys[source], visits[source], total[source] = key, visited, sum_of_it


# ea.


@njit
def start_generation(w: np.ndarray, random: np.ndarray) -> None:
    w[COUNT] = w[SIZE]
    start_turn(w, random)


@njit
def learn_ea(w: np.ndarray, r: np.ndarray, reward: float, random: np.ndarray) -> None:
    at = w[w[ORDER] + w[PLACE]]
    w[w[WORK_VISITS] + at] += 1
    r[w[WORK_TOTAL] + at] += reward
    w[PLACE] += 1
    if w[PLACE] < w[SIZE]:
        return
    sort_by_mean(w, r, w[SIZE])
    reorder(w, r, w[SIZE])
    for place in range(w[ELITE], w[SIZE]):
        w[w[WORK_KEY] + place] = offspring(w, r, random)
        w[w[WORK_VISITS] + place] = 0
        r[w[WORK_TOTAL] + place] = 0.0
    start_generation(w, random)


@njit
def offspring(w: np.ndarray, r: np.ndarray, random: np.ndarray) -> np.int64:
    child, keys = section(w, w, SPARE), section(w, w, WORK_KEY)
    if uniform01(random) >= r[FIRST]:
        read_combination(w, keys[below(random, w[ELITE])], child)
        mutate(w, random, child)
        return key_of_combination(w, child)
    mother = keys[below(random, w[ELITE])]
    father = keys[below(random, w[ELITE])]
    for p in range(w[PARAMETERS]):
        child[p] = -1
    for p in range(w[PARAMETERS]):
        stride = w[w[STRIDE] + p]
        one, other = mother // stride, father // stride
        mother -= one * stride
        father -= other * stride
        if below(random, 2) == 1:
            one, other = other, one
        if is_feasible(w, child, p, one):
            child[p] = one
        elif is_feasible(w, child, p, other):
            child[p] = other
        else:
            child[p] = draw_feasible(w, random, child, p)
    return key_of_combination(w, child)


# ntbea.


@njit
def model(w: np.ndarray, r: np.ndarray, combination: np.ndarray, scale: float) -> float:
    visits, mean, spread = section(w, w, VISITS), section(r, w, MEAN), section(r, w, SPREAD)
    total, met = 0.0, np.int64(0)
    for p in range(w[PARAMETERS]):
        pair = w[w[VALUES] + p] + combination[p]
        if visits[pair] > 0:
            total += mean[pair] + scale * spread[pair]
            met += 1
    if w[PARAMETERS] > 1:
        arm = arm_of(w, key_of_combination(w, combination))
        if arm >= 0:
            total += r[w[ARM_MEAN] + arm] + scale * r[w[ARM_SPREAD] + arm]
            met += 1
    return total / np.float64(met) if met > 0 else 0.0


@njit
def learn_ntbea(w: np.ndarray, r: np.ndarray, reward: float, random: np.ndarray) -> None:
    chosen, spare = section(w, w, CHOSEN), section(w, w, SPARE)
    update_pairs_of_chosen(w, r, reward)
    scale = exploration(r[FIRST], w[UPDATES])
    best, highest = key_of_combination(w, chosen), -np.inf
    for _ in range(w[SIZE]):
        for p in range(w[PARAMETERS]):
            spare[p] = chosen[p]
        mutate(w, random, spare)
        worth = model(w, r, spare, scale)
        if worth > highest:
            best, highest = key_of_combination(w, spare), worth
    w[w[WORK_KEY]] = best


# What the machine calls.


@njit
def start(w: np.ndarray, r: np.ndarray, random: np.ndarray) -> None:
    kind, spare = w[KIND], section(w, w, SPARE)
    if kind == T_MAB:
        for key in range(w[COMBINATIONS]):
            read_combination(w, key, spare)
            if is_legal(w, spare):
                new_arm(w, r, key, r[SECOND])
    elif kind == T_LSI:
        start_pass(w, random)
    elif kind == T_EA:
        for place in range(w[SIZE]):
            draw_combination(w, random, spare, -1, -1)
            w[w[WORK_KEY] + place] = key_of_combination(w, spare)
        start_generation(w, random)
    elif kind == T_NTBEA:
        draw_combination(w, random, spare, -1, -1)
        w[w[WORK_KEY]] = key_of_combination(w, spare)


@njit
def choose(w: np.ndarray, r: np.ndarray, random: np.ndarray) -> None:
    kind, chosen = w[KIND], section(w, w, CHOSEN)
    if kind == T_RANDOM:
        draw_combination(w, random, chosen, -1, -1)
        return
    if kind == T_MAB:
        arm = choose_arm(w, r, random, exploration(r[FIRST], w[UPDATES]))
        key = w[w[ARM_KEY] + arm]
    elif kind == T_NMC:
        explores = uniform01(random) < r[FIRST]
        if explores or w[ARMS] == 0:
            for p in range(w[PARAMETERS]):
                chosen[p] = -1
            scale = exploration(r[SECOND], w[UPDATES])
            for p in range(w[PARAMETERS]):
                chosen[p] = choose_value(w, r, random, p, scale)
            return
        arm = choose_arm(w, r, random, exploration(r[THIRD], w[UPDATES]))
        key = w[w[ARM_KEY] + arm]
    elif kind == T_NTBEA or (kind == T_LSI and w[PHASE] == DECIDED):
        key = w[w[WORK_KEY]]
    else:  # ea, and lsi before it has decided
        key = w[w[WORK_KEY] + w[w[ORDER] + w[PLACE]]]
    read_combination(w, key, chosen)


@njit
def tell(w: np.ndarray, r: np.ndarray, reward: float, random: np.ndarray) -> None:
    kind = w[KIND]
    w[UPDATES] += 1
    key = key_of_combination(w, section(w, w, CHOSEN))
    arm = arm_of(w, key)
    if arm < 0:
        arm = new_arm(w, r, key, 1.0)
    update_arm(w, r, arm, reward)
    if kind == T_NMC:
        update_pairs_of_chosen(w, r, reward)
    elif kind == T_LSI:
        learn_lsi(w, r, reward, random)
    elif kind == T_EA:
        learn_ea(w, r, reward, random)
    elif kind == T_NTBEA:
        learn_ntbea(w, r, reward, random)


@njit
def apply(w: np.ndarray, r: np.ndarray, settings: np.ndarray, repetitions: np.ndarray) -> None:
    for p in range(w[PARAMETERS]):
        pair = w[w[VALUES] + p] + w[w[CHOSEN] + p]
        frame, column = w[w[FRAME] + p], w[w[COLUMN] + p]
        if column == REPETITIONS_COLUMN:
            repetitions[frame] = w[w[WHOLE_VALUE] + pair]
        else:
            settings[frame, column] = r[w[REAL_VALUE] + pair]

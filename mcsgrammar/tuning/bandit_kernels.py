"""The compiled twin of `bandit.py`: one bandit over the arms, one over the pairs of each parameter."""

import numpy as np

from domains.kernels import below, njit
from domains.scratch import part
from mcsgrammar.engines.compiled.means_kernels import find, insert
from mcsgrammar.engines.compiled.roots_kernels import root_log, spread_of
from mcsgrammar.engines.rules import LARGEST
from mcsgrammar.tuning.combination_kernels import is_feasible
from mcsgrammar.tuning.state import BLOCK, TunerState


@njit
def exploration(c: float, all_visits: int) -> float:
    return np.float64(min(c * root_log(all_visits), LARGEST))


@njit
def arm_of(tuner: TunerState, key: int) -> np.int64:
    """The arm of a combination; -1 if there is none."""
    return np.int64(find(tuner.arm_slots, tuner.arm_slots_room - 1, tuner.arm_key, key))


@njit
def new_arm(tuner: TunerState, key: int, fpu: float) -> np.int64:
    arm = tuner.arms
    tuner.arms += 1
    insert(tuner.arm_slots, tuner.arm_slots_room - 1, tuner.arm_key, arm, key)
    tuner.arm_visits[arm] = 0
    tuner.arm_since[arm] = -1
    tuner.arm_total[arm] = 0.0
    tuner.arm_mean[arm] = fpu
    tuner.arm_spread[arm] = 0.0
    block = arm // BLOCK
    if arm % BLOCK == 0:
        tuner.block_mean[block] = -np.inf
        tuner.block_spread[block] = 0.0
    tuner.block_mean[block] = max(tuner.block_mean[block], fpu)
    return np.int64(arm)


@njit
def update_arm(tuner: TunerState, arm: int, reward: float) -> None:
    visits, total = tuner.arm_visits, tuner.arm_total
    mean, spread = tuner.arm_mean, tuner.arm_spread
    if visits[arm] == 0:
        tuner.arm_since[arm] = tuner.updates
    visits[arm] += 1
    total[arm] += reward
    mean[arm] = total[arm] / np.float64(visits[arm])
    spread[arm] = spread_of(visits[arm])


@njit
def update_block(tuner: TunerState, arm: int) -> None:
    mean, spread = tuner.arm_mean, tuner.arm_spread
    block = arm // BLOCK
    highest, widest = -np.inf, 0.0
    for one in range(block * BLOCK, min((block + 1) * BLOCK, tuner.arms)):
        highest = max(highest, mean[one])
        widest = max(widest, spread[one])
    tuner.block_mean[block] = highest
    tuner.block_spread[block] = widest


@njit
def choose_arm(tuner: TunerState, random: np.ndarray, scale: float) -> np.int64:
    """The arm with the highest value, ties at random. Blocks that cannot hold it are passed over. (Rounding is
    monotonous, so a bound from the largest mean and the largest spread holds for the computed values, too.)"""
    mean, spread = tuner.arm_mean, tuner.arm_spread
    block_mean, block_spread = tuner.block_mean, tuner.block_spread
    arms = tuner.arms
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
def choose_value(tuner: TunerState, random: np.ndarray, p: int, scale: float) -> np.int64:
    """The feasible value of parameter p with the highest value in its own bandit."""
    chosen, first = tuner.chosen, tuner.first_pair[p]
    mean, spread = part(tuner.mean, first), part(tuner.spread, first)
    highest, ties = -np.inf, np.int64(0)
    for value in range(tuner.size[p]):
        if is_feasible(tuner, chosen, p, value):
            worth = mean[value] + scale * spread[value]
            if worth > highest:
                highest, ties = worth, np.int64(1)
            elif worth == highest:
                ties += 1
    left = below(random, ties)
    for value in range(tuner.size[p]):
        if is_feasible(tuner, chosen, p, value) and mean[value] + scale * spread[value] == highest:
            if left == 0:
                return np.int64(value)
            left -= 1
    return np.int64(0)


@njit
def update_pair(tuner: TunerState, pair: int, reward: float) -> None:
    visits, total = tuner.visits, tuner.total
    visits[pair] += 1
    total[pair] += reward
    tuner.mean[pair] = total[pair] / np.float64(visits[pair])
    tuner.spread[pair] = spread_of(visits[pair])


@njit
def update_pairs_of_chosen(tuner: TunerState, reward: float) -> None:
    for p in range(tuner.parameters):
        update_pair(tuner, tuner.first_pair[p] + tuner.chosen[p], reward)

"""The compiled twin of `ntbea.py`."""

import numpy as np

from domains.kernels import njit
from mcsgrammar.tuning.bandit_kernels import arm_of, exploration, update_pairs_of_chosen
from mcsgrammar.tuning.combination_kernels import draw_combination, key_of_combination, mutate, read_combination
from mcsgrammar.tuning.state import TunerState


@njit
def start(tuner: TunerState, random: np.ndarray) -> None:
    draw_combination(tuner, random, tuner.spare, -1, -1)
    tuner.work_key[0] = key_of_combination(tuner, tuner.spare)


@njit
def choose(tuner: TunerState) -> None:
    read_combination(tuner, tuner.work_key[0], tuner.chosen)


@njit
def model(tuner: TunerState, combination: np.ndarray, scale: float) -> float:
    visits, mean, spread = tuner.visits, tuner.mean, tuner.spread
    total, met = 0.0, np.int64(0)
    for p in range(tuner.parameters):
        pair = tuner.first_pair[p] + combination[p]
        if visits[pair] > 0:
            total += mean[pair] + scale * spread[pair]
            met += 1
    if tuner.parameters > 1:
        arm = arm_of(tuner, key_of_combination(tuner, combination))
        if arm >= 0:
            total += tuner.arm_mean[arm] + scale * tuner.arm_spread[arm]
            met += 1
    return total / np.float64(met) if met > 0 else 0.0


@njit
def learn(tuner: TunerState, random: np.ndarray, reward: float) -> None:
    chosen, spare = tuner.chosen, tuner.spare
    update_pairs_of_chosen(tuner, reward)
    scale = exploration(tuner.c, tuner.updates)
    best, highest = key_of_combination(tuner, chosen), -np.inf
    for _ in range(tuner.x):
        for p in range(tuner.parameters):
            spare[p] = chosen[p]
        mutate(tuner, random, spare)
        worth = model(tuner, spare, scale)
        if worth > highest:
            best, highest = key_of_combination(tuner, spare), worth
    tuner.work_key[0] = best

"""The compiled twin of `nmc.py`."""

import numpy as np

from domains.kernels import njit, uniform01
from mcsgrammar.tuning.bandit_kernels import (
    choose_arm,
    choose_value,
    exploration,
    update_block,
    update_pairs_of_chosen,
)
from mcsgrammar.tuning.combination_kernels import read_combination
from mcsgrammar.tuning.state import TunerState


@njit
def choose(tuner: TunerState, random: np.ndarray) -> None:
    explores = uniform01(random) < tuner.eps0
    if not explores and tuner.arms > 0:
        arm = choose_arm(tuner, random, exploration(tuner.c_g, tuner.updates))
        read_combination(tuner, tuner.arm_key[arm], tuner.chosen)
        return
    for p in range(tuner.parameters):
        tuner.chosen[p] = -1
    scale = exploration(tuner.c_l, tuner.updates)
    for p in range(tuner.parameters):
        tuner.chosen[p] = choose_value(tuner, random, p, scale)


@njit
def learn(tuner: TunerState, arm: int, reward: float) -> None:
    update_block(tuner, arm)
    update_pairs_of_chosen(tuner, reward)

"""The compiled twin of `mab.py`."""

import numpy as np

from domains.kernels import njit
from mcsgrammar.tuning.bandit_kernels import choose_arm, exploration, new_arm
from mcsgrammar.tuning.combination_kernels import is_legal, read_combination
from mcsgrammar.tuning.state import TunerState


@njit
def start(tuner: TunerState) -> None:
    for key in range(tuner.combinations):
        read_combination(tuner, key, tuner.spare)
        if is_legal(tuner, tuner.spare):
            new_arm(tuner, key, tuner.fpu)


@njit
def choose(tuner: TunerState, random: np.ndarray) -> None:
    arm = choose_arm(tuner, random, exploration(tuner.c, tuner.updates))
    read_combination(tuner, tuner.arm_key[arm], tuner.chosen)

"""The compiled twin of `running.py`: a tuner at work in the machine.

Each tuner has its own `start`, `choose`, which sets what is chosen, and `learn`, which is handed the reward.
"""

import numpy as np

from domains.kernels import njit
from mcsgrammar.engines.compiled.layout import NEEDS_CHOICE, NEEDS_MEMORY, RUN
from mcsgrammar.tuning import ea_kernels as ea
from mcsgrammar.tuning import lsi_kernels as lsi
from mcsgrammar.tuning import mab_kernels as mab
from mcsgrammar.tuning import nmc_kernels as nmc
from mcsgrammar.tuning import ntbea_kernels as ntbea
from mcsgrammar.tuning.bandit_kernels import arm_of, new_arm, update_arm, update_block
from mcsgrammar.tuning.combination_kernels import draw_combination, key_of_combination
from mcsgrammar.tuning.making import FIRST_INVOCATIONS
from mcsgrammar.tuning.state import HAS_CHOSEN, KINDS, REPETITIONS_COLUMN, TO_BE_TOLD, TunerState
from mcsgrammar.tuning.state_kernels import tuner_at

RANDOM, MAB, NMC, LSI, EA, NTBEA = (KINDS[name] for name in ("random", "mab", "nmc", "lsi", "ea", "ntbea"))


@njit
def start(tuners: np.ndarray, place: int, random: np.ndarray) -> None:
    """Before the first choice of the tuner at that place."""
    tuner = tuner_at(tuners, place)
    kind = tuner.kind
    if kind == MAB:
        mab.start(tuner)
    elif kind == LSI:
        lsi.start(tuner, random)
    elif kind == EA:
        ea.start(tuner, random)
    elif kind == NTBEA:
        ntbea.start(tuner, random)


@njit
def choose(tuner: TunerState, random: np.ndarray) -> None:
    kind = tuner.kind
    if kind == RANDOM:
        draw_combination(tuner, random, tuner.chosen, -1, -1)
    elif kind == MAB:
        mab.choose(tuner, random)
    elif kind == NMC:
        nmc.choose(tuner, random)
    elif kind == LSI:
        lsi.choose(tuner)
    elif kind == EA:
        ea.choose(tuner)
    elif kind == NTBEA:
        ntbea.choose(tuner)


@njit
def tell(tuner: TunerState, random: np.ndarray, reward: float) -> None:
    """The reward of the combination that was chosen last."""
    kind = tuner.kind
    tuner.updates += 1
    key = key_of_combination(tuner, tuner.chosen)
    arm = arm_of(tuner, key)
    if arm < 0:
        arm = new_arm(tuner, key, 1.0)
    update_arm(tuner, arm, reward)
    if kind == MAB:
        update_block(tuner, arm)
    elif kind == NMC:
        nmc.learn(tuner, arm, reward)
    elif kind == LSI:
        lsi.learn(tuner, random, reward)
    elif kind == EA:
        ea.learn(tuner, random, reward)
    elif kind == NTBEA:
        ntbea.learn(tuner, random, reward)


@njit
def apply(tuner: TunerState, settings: np.ndarray, repetitions: np.ndarray) -> None:
    """Write the chosen values into the settings."""
    for p in range(tuner.parameters):
        pair = tuner.first_pair[p] + tuner.chosen[p]
        frame, column = tuner.frame[p], tuner.column[p]
        if column == REPETITIONS_COLUMN:
            repetitions[frame] = tuner.whole_value[pair]
        else:
            settings[frame, column] = tuner.real_value[pair]


@njit
def before_invocation(
    tuner: TunerState, random: np.ndarray, evaluations: int, settings: np.ndarray, repetitions: np.ndarray
) -> np.int64:
    """Choose, unless the combination at hand is to be kept. Why the machine must stop first, or RUN."""
    if tuner.kept == 0:
        if tuner.arms == tuner.arm_room:
            return np.int64(NEEDS_MEMORY)
        if tuner.in_python == 0:
            choose(tuner, random)
            apply(tuner, settings, repetitions)
        elif tuner.ready == HAS_CHOSEN:
            tuner.ready = 0
        else:
            return np.int64(NEEDS_CHOICE)
    tuner.evaluations_before = evaluations
    return np.int64(RUN)


@njit
def after_invocation(tuner: TunerState, random: np.ndarray, evaluations: int, best: float, budget: int) -> None:
    """An invocation was not cut by the budget: tell the tuner, when the combination was kept for long enough the mean
    of the rewards."""
    tuner.kept += 1
    tuner.rewards += min(max(best, 0.0), 1.0)
    tuner.invocations += 1
    tuner.evaluations_spent += evaluations - tuner.evaluations_before
    if tuner.kept == tuner.b:
        mean_reward = tuner.rewards / np.float64(tuner.b)
        tuner.kept = 0
        if tuner.in_python == 1:
            tuner.ready = TO_BE_TOLD
            tuner.rewards = mean_reward
        else:
            tell(tuner, random, mean_reward)
            tuner.rewards = 0.0
    if tuner.expected < 0 and tuner.invocations == FIRST_INVOCATIONS:
        spent = np.float64(tuner.evaluations_spent) / np.float64(FIRST_INVOCATIONS)
        tuner.expected = max(1, np.int64(np.floor(np.float64(budget) / (spent * np.float64(tuner.b)))))

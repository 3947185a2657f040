"""The compiled twin of `ea.py`."""

import numpy as np

from domains.kernels import below, njit, uniform01
from mcsgrammar.tuning.combination_kernels import (
    draw_combination,
    draw_feasible,
    is_feasible,
    key_of_combination,
    mutate,
    read_combination,
)
from mcsgrammar.tuning.state import TunerState
from mcsgrammar.tuning.work_kernels import reorder, sort_by_mean, start_turn


@njit
def start(tuner: TunerState, random: np.ndarray) -> None:
    for place in range(tuner.lambda_):
        draw_combination(tuner, random, tuner.spare, -1, -1)
        tuner.work_key[place] = key_of_combination(tuner, tuner.spare)
    start_generation(tuner, random)


@njit
def start_generation(tuner: TunerState, random: np.ndarray) -> None:
    tuner.count = tuner.lambda_
    start_turn(tuner, random)


@njit
def choose(tuner: TunerState) -> None:
    read_combination(tuner, tuner.work_key[tuner.order[tuner.place]], tuner.chosen)


@njit
def learn(tuner: TunerState, random: np.ndarray, reward: float) -> None:
    at = tuner.order[tuner.place]
    tuner.work_visits[at] += 1
    tuner.work_total[at] += reward
    tuner.place += 1
    if tuner.place < tuner.lambda_:
        return
    sort_by_mean(tuner, tuner.lambda_)
    reorder(tuner, tuner.lambda_)
    for place in range(tuner.mu, tuner.lambda_):
        tuner.work_key[place] = offspring(tuner, random)
        tuner.work_visits[place] = 0
        tuner.work_total[place] = 0.0
    start_generation(tuner, random)


@njit
def offspring(tuner: TunerState, random: np.ndarray) -> np.int64:
    child, keys = tuner.spare, tuner.work_key
    if uniform01(random) >= tuner.p_cross:
        read_combination(tuner, keys[below(random, tuner.mu)], child)
        mutate(tuner, random, child)
        return np.int64(key_of_combination(tuner, child))
    mother = keys[below(random, tuner.mu)]
    father = keys[below(random, tuner.mu)]
    for p in range(tuner.parameters):
        child[p] = -1
    for p in range(tuner.parameters):
        stride = tuner.stride[p]
        one, other = mother // stride, father // stride
        mother -= one * stride
        father -= other * stride
        if below(random, 2) == 1:
            one, other = other, one
        if is_feasible(tuner, child, p, one):
            child[p] = one
        elif is_feasible(tuner, child, p, other):
            child[p] = other
        else:
            child[p] = draw_feasible(tuner, random, child, p)
    return np.int64(key_of_combination(tuner, child))

"""The rules of `domains/cliff.py`, compiled. A state is one int64 array, (x, y, steps); the problem is (width, height,
steps, slip)."""

import numpy as np

from domains.cliff import LATEST_GOAL, OUT_OF_TIME
from domains.kernels import Kernels, njit, njit_inline, uniform01

X, Y, STEPS = range(3)
WIDTH, HEIGHT, MOST_STEPS, SLIP = range(4)


@njit
def actions(state: np.ndarray, problem: np.ndarray, out: np.ndarray) -> np.int64:
    if is_final(state, problem):
        return np.int64(0)
    for action in range(4):
        out[action] = action
    return np.int64(4)


@njit
def play(state: np.ndarray, problem: np.ndarray, action: int, random: np.ndarray) -> None:
    luck, slip = uniform01(random), problem[SLIP]
    towards = np.int64(action)
    if luck < slip:
        towards = (towards + (3 if luck < slip / 2 else 1)) % 4
    if towards == 0:
        state[Y] = min(state[Y] + 1, np.int64(problem[HEIGHT]) - 1)
    elif towards == 1:
        state[X] = min(state[X] + 1, np.int64(problem[WIDTH]) - 1)
    elif towards == 2:
        state[Y] = max(state[Y] - 1, 0)
    else:
        state[X] = max(state[X] - 1, 0)
    state[STEPS] += 1


@njit_inline
def is_final(state: np.ndarray, problem: np.ndarray) -> bool:
    return bool((state[STEPS] == problem[MOST_STEPS]) | ((state[Y] == 0) & (state[X] > 0)))


@njit
def reward(state: np.ndarray, problem: np.ndarray) -> float:
    if state[Y] == 0 and state[X] == problem[WIDTH] - 1:
        return float(1.0 - (1.0 - LATEST_GOAL) * state[STEPS] / problem[MOST_STEPS])
    return 0.0 if state[Y] == 0 and state[X] > 0 else OUT_OF_TIME


KERNELS = Kernels(actions, play, is_final, reward)

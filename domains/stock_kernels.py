"""The rules of `domains/stock.py`, compiled. A state is one int64 array, (stock, week, cost); the problem is (weeks,
capacity, most, highest cost)."""

import numpy as np

from domains.kernels import Kernels, below, njit, njit_inline
from domains.stock import HALF_DEMAND, KEEPING, LOSING, ORDERING

STOCK, WEEK, COST = range(3)
WEEKS, CAPACITY, MOST, HIGHEST = range(4)


@njit
def actions(state: np.ndarray, problem: np.ndarray, out: np.ndarray) -> np.int64:
    if is_final(state, problem):
        return np.int64(0)
    n = np.int64(problem[MOST] + 1)
    for action in range(n):
        out[action] = action
    return n


@njit_inline
def play(state: np.ndarray, problem: np.ndarray, action: int, random: np.ndarray) -> None:
    come = min(np.int64(action), problem[CAPACITY] - state[STOCK])
    first = below(random, HALF_DEMAND)
    left = state[STOCK] + come - (first + below(random, HALF_DEMAND))
    if come > 0:
        state[COST] += ORDERING
    state[COST] += KEEPING * left if left > 0 else -LOSING * left
    state[STOCK] = max(left, 0)
    state[WEEK] += 1


@njit_inline
def is_final(state: np.ndarray, problem: np.ndarray) -> bool:
    return bool(state[WEEK] == problem[WEEKS])


@njit
def reward(state: np.ndarray, problem: np.ndarray) -> float:
    highest = np.float64(problem[HIGHEST])
    return (highest - np.float64(state[COST])) / (highest - 0.0)


@njit
def playout(
    state: np.ndarray, problem: np.ndarray, random: np.ndarray, sequence: np.ndarray, length: int, limit: int
) -> np.int64:
    n = problem[MOST] + 1
    while length < limit and not is_final(state, problem):
        action = below(random, n)
        sequence[length] = action
        play(state, problem, action, random)
        length += 1
    return np.int64(length)


KERNELS = Kernels(actions, play, is_final, reward, playout)

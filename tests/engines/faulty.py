"""A game whose kernels do what they are told to do wrong, so that all faults share one compilation.

Five moves of 0 or 1; the reward is the share of ones. The problem array says what is wrong, and by how much. The state:
the moves so far, their sum, and how often its actions were listed.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from domains.kernels import Kernels, below, njit
from domains.protocol import Domain

MOVES = 5
SOUND, LISTS_OTHERS, WRITES_STATE, WRITES_CHOICES, WRITES_SEQUENCE, RETURNS_LENGTH, LOOPS, FLICKERS = range(8)


@dataclass(eq=False)
class Faulty(Domain):
    fault: int = SOUND
    amount: int = 0
    horizon = MOVES
    max_actions = 2

    def sample(self, random: Any) -> list[int]:
        return [0, 0, 0]

    def actions(self, state: list[int]) -> list[int]:
        if state[0] == MOVES:
            return []
        state[2] += 1
        first = 2 * state[2] if self.fault == LISTS_OTHERS else 0
        return [first, first + 1]

    def play(self, state: list[int], action: int) -> None:
        state[0] += 1
        state[1] += action % 2

    def copy(self, state: list[int]) -> list[int]:
        return state[:]

    def is_final(self, state: list[int]) -> bool:
        return state[0] == MOVES

    def reward(self, state: list[int]) -> float:
        return state[1] / MOVES

    def kernels(self) -> Kernels:
        return KERNELS

    def encode(self, state: list[int]) -> tuple[np.ndarray, np.ndarray]:
        return np.array([self.fault, self.amount]), np.array(state)


@njit
def actions(state: np.ndarray, problem: np.ndarray, out: np.ndarray) -> np.int64:
    if state[0] == MOVES:
        return np.int64(0)
    state[2] += 1
    out[0] = 2 * state[2] if problem[0] == LISTS_OTHERS else 0
    out[1] = out[0] + 1
    if problem[0] == WRITES_CHOICES:
        out[problem[1]] = 1
    return np.int64(2)


@njit
def play(state: np.ndarray, problem: np.ndarray, action: int) -> None:
    while problem[0] == LOOPS:
        state[2] += 1
    state[0] += 1
    state[1] += action % 2
    if problem[0] == WRITES_STATE:
        state[problem[1]] = 1


@njit
def is_final(state: np.ndarray, problem: np.ndarray) -> bool:
    if problem[0] == FLICKERS and state[0] == problem[1]:
        state[2] += 1
        return bool(state[2] % 2 == 1)
    return bool(state[0] == MOVES)


@njit
def reward(state: np.ndarray, problem: np.ndarray) -> float:
    return state[1] / MOVES


@njit
def playout(
    state: np.ndarray, problem: np.ndarray, random: np.ndarray, sequence: np.ndarray, length: int, limit: int
) -> np.int64:
    while length < limit and state[0] < MOVES:
        sequence[length] = below(random, 2)
        play(state, problem, sequence[length])
        length += 1
    if problem[0] == WRITES_SEQUENCE:
        sequence[problem[1]] = 1
    return np.int64(problem[1] if problem[0] == RETURNS_LENGTH else length)


KERNELS = Kernels(actions, play, is_final, reward, playout)

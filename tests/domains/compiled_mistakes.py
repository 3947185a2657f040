"""A sound domain with compiled kernels, and some whose kernels take a process down. Compiled where they are used: not
when this file is imported."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from domains.kernels import GameKernels, Kernels, njit
from domains.protocol import Domain
from domains.randomness import Random

NUMBERS = 4
LENGTH = 2 + NUMBERS


@njit
def actions(state: Any, problem: Any, out: Any) -> int:
    if state[1] == NUMBERS:
        return 0
    for i in range(3):
        out[i] = i + 1
    return 3


@njit
def play(state: Any, problem: Any, action: Any) -> None:
    state[2 + state[1]] = action
    state[1] += 1


@njit
def play_past_the_end(state: Any, problem: Any, action: Any) -> None:
    state[2 + state[1]] = action
    state[LENGTH] = action
    state[1] += 1


@njit
def is_final(state: Any, problem: Any) -> bool:
    return bool(state[1] == NUMBERS)


@njit
def is_final_at_last(state: Any, problem: Any) -> bool:
    while state[1] == NUMBERS:
        problem[0]
    return False


@njit
def reward(state: Any, problem: Any) -> float:
    return float(1 - (state[0] + state[2:].sum()) % 11 / 10)


@njit
def mover(state: Any, problem: Any) -> int:
    return int(state[1] % 2)


@njit
def actions_of(state: Any, problem: Any, role: Any, out: Any) -> int:
    return int(actions(state, problem, out))


@njit
def play_all(state: Any, problem: Any, joint: Any) -> None:
    play(state, problem, joint[state[1] % 2])


@njit
def play_all_past_the_end(state: Any, problem: Any, joint: Any) -> None:
    play_past_the_end(state, problem, joint[state[1] % 2])


@njit
def rewards(state: Any, problem: Any, out: Any) -> None:
    out[0] = reward(state, problem)
    out[1] = 1.0 - out[0]


class Numbers(Domain):
    """Sound: four numbers, as in `tests.domains.mistaken_domains.Sum`."""

    horizon = NUMBERS
    max_actions = 3

    def sample(self, random: Random) -> list[Any]:
        return [random.below(11), []]

    def actions(self, state: list[Any]) -> Sequence[int]:
        return [1, 2, 3] if len(state[1]) < NUMBERS else []

    def play(self, state: list[Any], action: int) -> None:
        state[1].append(action)

    def reward(self, state: list[Any]) -> float:
        return float(1 - (state[0] + sum(state[1])) % 11 / 10)

    def encode(self, state: list[Any]) -> tuple[np.ndarray, np.ndarray]:
        numbers = [state[0], len(state[1]), *state[1]]
        return np.zeros(1), np.array(numbers + [0] * (LENGTH - len(numbers)))

    def kernels(self) -> Kernels:
        return Kernels(actions, play, is_final, reward)


class PastTheEnd(Numbers):
    def kernels(self) -> Kernels:
        return Kernels(actions, play_past_the_end, is_final, reward)


class Narrow(Numbers):
    max_actions = 2


class NumbersInTurns(Numbers):
    """Sound: two choose the numbers in turns."""

    roles = ("first", "second")

    def mover(self, state: list[Any]) -> int:
        return len(state[1]) % 2

    def rewards(self, state: list[Any]) -> tuple[float, float]:
        return self.reward(state), 1.0 - self.reward(state)

    def game_kernels(self) -> GameKernels:
        return GameKernels(mover, actions_of, play_all, is_final, rewards, codes=4)


class PastTheEndInTurns(NumbersInTurns):
    def game_kernels(self) -> GameKernels:
        return GameKernels(mover, actions_of, play_all_past_the_end, is_final, rewards, codes=4)

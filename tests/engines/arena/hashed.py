"""A game whose rules are numbers, in Python and compiled: all such games share one compilation.

The table says for every round how many actions each role has at most. Where one role alone has any, it moves alone;
else all with any choose at once. What comes of it is hashed from what was played: how many actions there are (one, too:
a role is forced then), which these are, when the game ends before its last round, and the rewards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from domains.kernels import GameKernels, njit
from domains.protocol import NOOP, Domain
from domains.randomness import Random

CODES, MOST = 11, 4
ROUND, HASH = range(2)
"""Places in a state."""
ROLES, ROUNDS, FAULT, TABLE = range(4)
"""Places in a problem."""
FINE, NO_ACTIONS, TOO_MANY, TOO_LONG, BAD_REWARD, BAD_MOVER = range(6)
"""What can be wrong from the round on in which the fault strikes."""
FAULTY_ROUND = 2
PRIME = 1_000_003


@njit
def mover(state: Any, problem: Any) -> int:
    if problem[FAULT] == BAD_MOVER and state[ROUND] >= FAULTY_ROUND:
        return 7
    row, found = TABLE + state[ROUND] % problem[ROUNDS] * problem[ROLES], -1
    for role in range(problem[ROLES]):
        if problem[row + role] > 0:
            if found >= 0:
                return -1
            found = role
    return found


@njit
def is_final(state: Any, problem: Any) -> bool:
    if problem[FAULT] == TOO_LONG:
        return False
    return bool(state[ROUND] >= problem[ROUNDS] or (state[ROUND] >= 2 and state[HASH] % 7 == 0))


@njit
def actions(state: Any, problem: Any, role: Any, out: Any) -> int:
    if is_final(state, problem):
        return 0
    if problem[FAULT] == NO_ACTIONS and state[ROUND] >= FAULTY_ROUND:
        return 0
    if problem[FAULT] == TOO_MANY and state[ROUND] >= FAULTY_ROUND:
        return MOST + 1
    most = problem[TABLE + state[ROUND] % problem[ROUNDS] * problem[ROLES] + role]
    if most == 0:
        out[0] = -1
        return 1
    n = 1 + (state[HASH] // (role + 3)) % most if state[HASH] % 3 == 0 else most
    for i in range(n):
        out[i] = (3 * i + state[HASH] // 5 + role) % CODES
    return int(n)


@njit
def play(state: Any, problem: Any, joint: Any) -> None:
    for role in range(problem[ROLES]):
        state[HASH] = (state[HASH] * 31 + (joint[role] + 2) * (role + 3)) % PRIME
    state[ROUND] += 1


@njit
def rewards(state: Any, problem: Any, out: Any) -> None:
    for role in range(problem[ROLES]):
        out[role] = (state[HASH] // (3 * role + 2)) % 5 / 4.0
    if problem[FAULT] == BAD_REWARD:
        out[1] = np.inf


KERNELS = GameKernels(mover, actions, play, is_final, rewards, codes=CODES)


@dataclass(eq=False)
class Hashed(Domain):
    table: tuple[tuple[int, ...], ...]
    fault: int = FINE
    max_actions = MOST

    def __post_init__(self) -> None:
        self.roles = tuple("abc"[: len(self.table[0])])
        self.horizon = len(self.table)
        numbers = [n for row in self.table for n in row]
        self.problem = np.array([len(self.roles), len(self.table), self.fault, *numbers], np.int64)

    def sample(self, random: Random) -> list[int]:
        return [0, random.below(PRIME)]

    def copy(self, state: list[int]) -> list[int]:
        return state[:]

    def mover(self, state: list[int]) -> int | None:
        found: int = mover.py_func(state, self.problem)  # type: ignore[attr-defined]
        return None if found == -1 else found

    def is_final(self, state: list[int]) -> bool:
        return is_final(np.array(state), self.problem)

    def actions_of(self, state: list[int], role: int) -> Sequence[int]:
        alone = self.mover(state)
        if alone is not None and alone != role:
            return [] if self.is_final(state) else [NOOP]
        out = np.zeros(MOST + 1, np.int32)
        n = actions(np.array(state), self.problem, role, out)
        listed: list[int] = out[:n].tolist()
        return listed

    def play_all(self, state: list[int], joint: Sequence[int]) -> None:
        played = np.array(state)
        play(played, self.problem, np.array(joint, np.int32))
        state[:] = played.tolist()

    def rewards(self, state: list[int]) -> Sequence[float]:
        out = np.zeros(len(self.roles))
        rewards(np.array(state), self.problem, out)
        listed: list[float] = out.tolist()
        return listed

    def game_kernels(self) -> GameKernels:
        return KERNELS

    def encode(self, state: list[int]) -> tuple[np.ndarray, np.ndarray]:
        return self.problem, np.array(state, np.int64)


TURNS = Hashed(((4, 0), (0, 3)) * 4)
AT_ONCE = Hashed(((3, 4), (2, 2), (4, 0), (3, 3), (0, 4), (4, 4)))
THREE = Hashed(((3, 2, 2), (0, 4, 0), (2, 0, 3), (4, 4, 4), (0, 0, 3), (2, 2, 2)))
THREE_IN_TURN = Hashed(((4, 0, 0), (0, 4, 0), (0, 0, 4)) * 3)
GAMES = {"turns": TURNS, "at once": AT_ONCE, "three": THREE, "three in turn": THREE_IN_TURN}

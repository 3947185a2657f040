"""The rules of `domains/lift.py`, compiled. A state is one int64 array, (floor, tick, time, number waiting, number
riding, waiting by floor, riding by floor); the problem is (floors, ticks, room, arrivals, longest time)."""

import numpy as np

from domains.kernels import Kernels, below, njit, njit_inline, uniform01
from domains.lift import DOWN, OPEN, UP

FLOOR, TICK, TIME, N_WAITING, N_RIDING, WAITING = range(6)
FLOORS, TICKS, ROOM, ARRIVALS, LONGEST = range(5)


@njit
def actions(state: np.ndarray, problem: np.ndarray, out: np.ndarray) -> np.int64:
    if is_final(state, problem):
        return np.int64(0)
    for action in range(3):
        out[action] = action
    return np.int64(3)


@njit
def play(state: np.ndarray, problem: np.ndarray, action: int, random: np.ndarray) -> None:
    floors = np.int64(problem[FLOORS])
    if action == UP:
        state[FLOOR] = min(state[FLOOR] + 1, floors - 1)
    elif action == DOWN:
        state[FLOOR] = max(state[FLOOR] - 1, 0)
    else:
        open_door(state, floors, np.int64(problem[ROOM]), random)
    if uniform01(random) < problem[ARRIVALS]:
        state[WAITING + below(random, floors)] += 1
        state[N_WAITING] += 1
    state[TIME] += state[N_WAITING] + state[N_RIDING]
    state[TICK] += 1


@njit
def open_door(state: np.ndarray, floors: int, room: int, random: np.ndarray) -> None:
    here, riding = state[FLOOR], WAITING + floors
    state[N_RIDING] -= state[riding + here]
    state[riding + here] = 0
    entering = min(state[WAITING + here], room - state[N_RIDING])
    for _ in range(entering):
        other = below(random, floors - 1)
        if other >= here:
            other += 1
        state[riding + other] += 1
    state[WAITING + here] -= entering
    state[N_WAITING] -= entering
    state[N_RIDING] += entering


@njit_inline
def is_final(state: np.ndarray, problem: np.ndarray) -> bool:
    return bool(state[TICK] == np.int64(problem[TICKS]))


@njit
def reward(state: np.ndarray, problem: np.ndarray) -> float:
    longest = np.float64(problem[LONGEST])
    return (longest - np.float64(state[TIME])) / (longest - 0.0)


@njit
def calls(state: np.ndarray, problem: np.ndarray, floor: int) -> bool:
    riding = WAITING + np.int64(problem[FLOORS])
    has_room = state[N_RIDING] < np.int64(problem[ROOM])
    return bool((state[riding + floor] > 0) | ((state[WAITING + floor] > 0) & has_room))


@njit
def feature(state: np.ndarray, problem: np.ndarray, action: int, out: np.ndarray) -> None:
    here, floors = state[FLOOR], np.int64(problem[FLOORS])
    out[0] = 0.0
    if action == OPEN:
        out[0] = 1.0 if calls(state, problem, here) else 0.0
        return
    towards = 1 if action == UP else -1
    if calls(state, problem, here):
        return
    for distance in range(1, floors):
        there, opposite = here + towards * distance, here - towards * distance
        if 0 <= there < floors and calls(state, problem, there):
            out[0] = 1.0
            return
        if 0 <= opposite < floors and calls(state, problem, opposite):
            return


@njit
def playout(
    state: np.ndarray, problem: np.ndarray, random: np.ndarray, sequence: np.ndarray, length: int, limit: int
) -> np.int64:
    while length < limit and not is_final(state, problem):
        action = below(random, 3)
        sequence[length] = action
        play(state, problem, action, random)
        length += 1
    return np.int64(length)


KERNELS = Kernels(actions, play, is_final, reward, playout, feature=feature)

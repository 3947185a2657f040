"""Ticks: what `reference.py` does, on the arrays of `layout.py`. One set of compiled functions is for all games."""

import numpy as np

from domains.kernels import Kernels, below, njit, njit_callee, njit_uncounted
from domains.vgdl import layout as at
from domains.vgdl import vocabulary as words
from domains.vgdl.effect_kernels import AT_EDGE, alone, by_clock, in_pairs
from domains.vgdl.moving_kernels import move_all
from domains.vgdl.sprite_kernels import clear, kind_row, kind_state
from domains.vgdl.stages import LOST, UNFINISHED, WON


@njit_callee
def _left(state: np.ndarray, problem: np.ndarray, number: int) -> np.int64:
    row, left = kind_row(problem, number), np.int64(0)
    for i in range(problem[row + at.K_MEMBERS_N]):
        own = kind_state(problem, problem[problem[row + at.K_MEMBERS_AT] + i])
        left += state[own + at.COUNT] - state[own + at.DISABLED]
    return left


@njit_callee
def _end(state: np.ndarray, problem: np.ndarray) -> None:
    for i in range(problem[at.ENDINGS_N]):
        ending = problem[at.ENDINGS_AT] + at.N_SIZE * i
        number, limit = problem[ending + at.N_NUMBER], problem[ending + at.N_LIMIT]
        if number == words.AFTER:
            over = state[at.TICK] - 1 >= limit
        else:
            left = np.int64(0)
            for j in range(problem[ending + at.N_KINDS_N]):
                left += _left(state, problem, problem[ending + at.N_KINDS + j])
            over = left == limit if number == words.EXACTLY else left <= limit
        if over:
            state[at.STATUS] = WON if problem[ending + at.N_WIN] else LOST
            return
    if state[at.TICK] == problem[at.TICKS]:
        state[at.STATUS] = LOST


@njit_uncounted
def play(state: np.ndarray, problem: np.ndarray, action: int, random: np.ndarray) -> None:
    move_all(state, problem, np.int64(action), random)
    if problem[at.CLOCK_N]:
        by_clock(state, problem, random)
    for i in range(problem[at.EDGE_N]):
        alone(state, problem, problem[at.EDGE_AT] + at.E_SIZE * i, random, AT_EDGE)
    in_pairs(state, problem, random)
    if state[at.KILLED]:
        clear(state, problem)
    state[at.TICK] += 1
    _end(state, problem)


@njit
def play_alone(state: np.ndarray, problem: np.ndarray, action: int) -> None:
    """Where nothing is left to chance; what is drawn then decides nothing."""
    play(state, problem, action, np.zeros(1, np.uint64))


@njit_uncounted
def actions(state: np.ndarray, problem: np.ndarray, out: np.ndarray) -> np.int64:
    if state[at.STATUS] != UNFINISHED:
        return np.int64(0)
    n = problem[at.ACTIONS_N]
    for i in range(n):
        out[i] = problem[problem[at.ACTIONS_AT] + i]
    return np.int64(n)


@njit_uncounted
def is_final(state: np.ndarray, problem: np.ndarray) -> bool:
    return bool(state[at.STATUS] != UNFINISHED)


@njit_uncounted
def reward(state: np.ndarray, problem: np.ndarray) -> float:
    score, status = np.float64(state[at.SCORE]), state[at.STATUS]
    gained = score / (abs(score) + np.float64(problem[at.SCALE]))
    band = 0.0 if status == LOST else 1.0 if status == UNFINISHED else 2.0
    return (band + (1.0 + gained) / 2.0) / 3.0


@njit_uncounted
def playout(
    state: np.ndarray, problem: np.ndarray, random: np.ndarray, sequence: np.ndarray, length: int, limit: int
) -> np.int64:
    n, first = problem[at.ACTIONS_N], problem[at.ACTIONS_AT]
    while length < limit and state[at.STATUS] == UNFINISHED:
        action = np.int32(problem[first + below(random, n)])
        sequence[length] = action
        play(state, problem, action, random)
        length += 1
    return np.int64(length)


@njit
def playout_alone(
    state: np.ndarray, problem: np.ndarray, random: np.ndarray, sequence: np.ndarray, length: int, limit: int
) -> np.int64:
    n, first, none = problem[at.ACTIONS_N], problem[at.ACTIONS_AT], np.zeros(1, np.uint64)
    while length < limit and state[at.STATUS] == UNFINISHED:
        action = np.int32(problem[first + below(random, n)])
        sequence[length] = action
        play(state, problem, action, none)
        length += 1
    return np.int64(length)


CHANCY = Kernels(actions, play, is_final, reward, playout)
DETERMINED = Kernels(actions, play_alone, is_final, reward, playout_alone)

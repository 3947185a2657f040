"""The rules of all sheets with several roles, compiled once: what stands in `layout.py`, and behind it for each move of
all roles whether it is idle."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from domains.bits import trailing_zeros
from domains.gdl.kernels import advance, is_final, is_over, legal_moves, make_move, not_now
from domains.gdl.layout import GOAL_WORD, LEGAL_WORD, MOVES, ROLE_MOVES_AT, ROLE_WORDS_AT, ROLES, TURN_WORD
from domains.kernels import GameKernels, njit
from domains.protocol import NOOP

_ZERO, _ONE = np.uint64(0), np.uint64(1)


def with_idle_moves(problem: np.ndarray, idle: Sequence[bool]) -> np.ndarray:
    """The problem array of a network, with what games have behind it."""
    array = np.concatenate([problem, np.array(idle, np.int32)])
    array.setflags(write=False)
    return array


@njit
def only_move(state: Any, problem: Any, role: Any) -> Any:
    """The one legal move of a role, by its number in the role's list; -1 if it has none, or several."""
    at = np.int64(problem[ROLE_WORDS_AT]) + role
    first, turns, found = np.int64(problem[LEGAL_WORD]), np.int64(problem[TURN_WORD]), np.int64(-1)
    hidden = not_now(state, problem, role)
    for word in range(problem[at], problem[at + 1]):
        left = state[first + word] & ~(state[turns + word] & hidden)
        if left != _ZERO:
            if found >= 0 or left & (left - _ONE) != _ZERO:
                return np.int64(-1)
            found = 64 * np.int64(word - problem[at]) + np.int64(trailing_zeros(left))
    return found


@njit
def first_action(problem: Any, role: Any) -> Any:
    """Where the actions of a role begin."""
    return np.int64(problem[np.int64(problem[ROLE_MOVES_AT]) + role])


@njit
def waits(state: Any, problem: Any, role: Any) -> bool:
    """Whether a role has one move, and that is idle."""
    move = only_move(state, problem, role)
    return bool(
        move >= 0 and problem[problem.shape[0] - np.int64(problem[MOVES]) + first_action(problem, role) + move] == 1
    )


@njit
def mover(state: Any, problem: Any) -> Any:
    alone = np.int64(-1)
    for role in range(problem[ROLES]):
        if not waits(state, problem, np.int64(role)):
            if alone >= 0:
                return np.int64(-1)
            alone = np.int64(role)
    return alone


@njit
def actions(state: Any, problem: Any, role: Any, out: Any) -> Any:
    if is_over(state, problem):
        return np.int64(0)
    n = legal_moves(state, problem, role, out)
    if n == 0:
        raise ValueError("the rules leave a role no legal move before the game is over")
    if n == 1 and waits(state, problem, role):
        out[0] = NOOP
    else:
        first = first_action(problem, role)
        for i in range(n):
            out[i] += np.int32(first)
    return n


@njit
def play(state: Any, problem: Any, joint: Any) -> None:
    counters = state.view(np.int16)
    for role in range(problem[ROLES]):
        if joint[role] == NOOP:
            move = only_move(state, problem, np.int64(role))
        else:
            move = np.int64(joint[role]) - first_action(problem, role)
        make_move(state, counters, problem, role, move)
    advance(state, counters, problem)


@njit
def rewards(state: Any, problem: Any, out: Any) -> None:
    at = np.int64(problem[GOAL_WORD])
    for role in range(problem[ROLES]):
        goal = np.int64(state[at + role])
        if goal > 100:
            raise ValueError("the rules give a role no goal, or several, when the game is over")
        out[role] = float(goal / 100.0)


@cache
def kernels_for(moves: int) -> GameKernels:
    """Those of a game in which all roles together have so many moves."""
    return GameKernels(mover, actions, play, is_final, rewards, codes=moves)

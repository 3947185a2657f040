"""Sprites in slots, made, killed and put somewhere: what `reference.py` does, on the arrays of `layout.py`."""

import math

import numpy as np

from domains.kernels import next_bits, njit_callee
from domains.vgdl import layout as at
from domains.vgdl import vocabulary as words

_11 = np.uint64(11)
MORE, LESS = np.int64(1), np.int64(-1)
FOUR, DOWNWARDS = np.int64(4), np.int64(2)
"""Numbers of 64 bits: a function is compiled once more for every constant that Python's numbers are to the compiler,
and for every other kind of number; so all are handed over as these."""


@njit_callee
def is_lucky(random: np.ndarray, threshold: int) -> bool:
    return bool(np.int64(next_bits(random) >> _11) < threshold)


@njit_callee
def kind_row(problem: np.ndarray, kind: int) -> np.int64:
    return np.int64(problem[at.KINDS_AT] + at.K_SIZE * kind)


@njit_callee
def kind_state(problem: np.ndarray, kind: int) -> np.int64:
    return np.int64(problem[at.FIRST_KIND] + at.K_STATE * kind)


@njit_callee
def sign(number: int) -> np.int64:
    return np.int64(number > 0) - np.int64(number < 0)


@njit_callee
def _crowd(state: np.ndarray, problem: np.ndarray, slot: int, more: int) -> None:
    """Count a sprite, or no longer count it, in the cells that it reaches into."""
    columns, rows = problem[at.COLUMNS], problem[at.ROWS]
    cell, span = problem[at.CROWD_AT] + state[slot + at.CELL], state[slot + at.SPAN]
    if span < at.OUTSIDE:
        state[cell] += more
        if span & at.RIGHT_TOO:
            state[cell + 1] += more
        if span & at.BELOW_TOO:
            state[cell + columns] += more
            if span & at.RIGHT_TOO:
                state[cell + columns + 1] += more
        return
    left, top = state[slot + at.X] // problem[at.BLOCK], state[slot + at.Y] // problem[at.BLOCK]
    for row in range(max(0, top), min(rows, top + 1 + (span & at.BELOW_TOO) // at.BELOW_TOO)):
        for column in range(max(0, left), min(columns, left + 1 + (span & at.RIGHT_TOO))):
            state[problem[at.CROWD_AT] + row * columns + column] += more


@njit_callee
def _reach(state: np.ndarray, problem: np.ndarray, slot: int) -> None:
    """Note which cells a sprite reaches into."""
    block, columns, rows = problem[at.BLOCK], problem[at.COLUMNS], problem[at.ROWS]
    x, y = state[slot + at.X], state[slot + at.Y]
    left, top = x // block, y // block
    right, below_ = np.int64(x != left * block), np.int64(y != top * block)
    span = right * at.RIGHT_TOO + below_ * at.BELOW_TOO
    if left < 0 or top < 0 or left + right >= columns or top + below_ >= rows:
        span += at.OUTSIDE
    state[slot + at.CELL], state[slot + at.SPAN] = top * columns + left, span
    _crowd(state, problem, slot, MORE)


@njit_callee
def put_at(state: np.ndarray, problem: np.ndarray, slot: int, x: int, y: int) -> None:
    """Where it was not before."""
    if state[slot + at.X] != x or state[slot + at.Y] != y:
        _crowd(state, problem, slot, LESS)
        state[slot + at.X], state[slot + at.Y] = x, y
        _reach(state, problem, slot)


@njit_callee
def put_back(state: np.ndarray, problem: np.ndarray, slot: int) -> None:
    """To where it was when it was last about to move."""
    put_at(state, problem, slot, state[slot + at.LAST_X], state[slot + at.LAST_Y])


@njit_callee
def are_any(state: np.ndarray, problem: np.ndarray, row: int) -> bool:
    for i in range(problem[row + at.K_MEMBERS_N]):
        if state[kind_state(problem, problem[problem[row + at.K_MEMBERS_AT] + i]) + at.COUNT] > 0:
            return True
    return False


@njit_callee
def _is_blocked(state: np.ndarray, problem: np.ndarray, row: int) -> bool:
    for i in range(problem[row + at.K_SINGLE_N]):
        above = kind_row(problem, problem[problem[row + at.K_SINGLE_AT] + i])
        if are_any(state, problem, above):
            return True
    return False


@njit_callee
def make_beside(state: np.ndarray, problem: np.ndarray, kind: int, one: int) -> np.int64:
    """The slot of a new sprite where another one is; 0 where there is none."""
    if _is_blocked(state, problem, kind_row(problem, kind)):
        return np.int64(0)
    return np.int64(make_forced(state, problem, kind, one))


@njit_callee
def make_forced(state: np.ndarray, problem: np.ndarray, kind: int, one: int) -> np.int64:
    """Whatever singletons there are."""
    x, y = state[one + at.X], state[one + at.Y]
    slot = state[at.FREE]
    row = kind_row(problem, kind)
    if slot == 0:
        return np.int64(0)
    state[at.FREE] = state[slot + at.NEXT]
    state[at.BORN] += 1
    state[slot + at.KIND], state[slot + at.SERIAL], state[slot + at.NEXT] = kind, state[at.BORN], 0
    state[slot + at.X], state[slot + at.Y], state[slot + at.LAST_X], state[slot + at.LAST_Y] = x, y, x, y
    _reach(state, problem, slot)
    state[slot + at.RESTED], state[slot + at.FLAGS], state[slot + at.ONE] = 0, at.IS_NEW, 0
    state[slot + at.RIGHT_], state[slot + at.DOWN_] = problem[row + at.K_RIGHT], problem[row + at.K_DOWN]
    does = problem[row + at.K_DOES]
    state[slot + at.TWO] = -1 if does == words.SPAWNING or does == words.BOMBING else 0
    state[slot + at.HEALTH] = problem[row + at.K_HEALTH]
    for i in range(problem[at.CARRIED]):
        state[slot + at.CARRIES + i] = 0
    own = kind_state(problem, kind)
    if state[own + at.HEAD_SLOT] == 0:
        state[own + at.HEAD_SLOT] = slot
    else:
        state[state[own + at.TAIL_SLOT] + at.NEXT] = slot
    state[own + at.TAIL_SLOT] = slot
    state[own + at.COUNT] += 1
    return np.int64(slot)


@njit_callee
def kill(state: np.ndarray, problem: np.ndarray, slot: int) -> None:
    kind = state[slot + at.KIND]
    if problem[kind_row(problem, kind) + at.K_DOES] != words.AVATAR:
        remove_later(state, slot)
    elif not state[slot + at.FLAGS] & at.IS_DISABLED:
        state[slot + at.FLAGS] |= at.IS_DISABLED
        state[kind_state(problem, kind) + at.DISABLED] += 1


@njit_callee
def remove_later(state: np.ndarray, slot: int) -> None:
    state[slot + at.FLAGS] |= at.IS_KILLED
    state[at.KILLED] += 1


@njit_callee
def clear(state: np.ndarray, problem: np.ndarray) -> None:
    """Free the slots of those that were killed."""
    for own in range(problem[at.FIRST_KIND], problem[at.FIRST_SLOT], at.K_STATE):
        before, slot = np.int64(0), state[own + at.HEAD_SLOT]
        while slot:
            following = state[slot + at.NEXT]
            flags = state[slot + at.FLAGS]
            if flags & at.IS_KILLED:
                if before:
                    state[before + at.NEXT] = following
                else:
                    state[own + at.HEAD_SLOT] = following
                if following == 0:
                    state[own + at.TAIL_SLOT] = before
                _crowd(state, problem, slot, LESS)
                state[own + at.COUNT] -= 1
                if flags & at.IS_DISABLED:
                    state[own + at.DISABLED] -= 1
                state[slot + at.NEXT] = state[at.FREE]
                state[at.FREE] = slot
            else:
                before = slot
            slot = following
    state[at.KILLED] = 0


@njit_callee
def go(state: np.ndarray, problem: np.ndarray, slot: int, right: int, down: int, pixels: int) -> None:
    x, y = state[slot + at.X], state[slot + at.Y]
    if right != 0 and down != 0:
        length = math.sqrt(np.float64(right * right + down * down))
        put_at(state, problem, slot, x + np.int64(right / length * pixels), y + np.int64(down / length * pixels))
    else:
        put_at(state, problem, slot, x + right * pixels, y + down * pixels)


@njit_callee
def shift(state: np.ndarray, problem: np.ndarray, slot: int, row: int, right: int, down: int, pixels: int) -> bool:
    if pixels == 0:
        pixels = problem[row + at.K_INT_SPEED]
    if pixels == 0 or (right == 0 and down == 0) or state[slot + at.RESTED] < problem[row + at.K_COOLDOWN]:
        return False
    go(state, problem, slot, right, down, pixels)
    state[slot + at.RESTED] = 0
    return True


@njit_callee
def step(state: np.ndarray, problem: np.ndarray, slot: int, row: int, right: int, down: int, pixels: int) -> bool:
    if right == 0 and down == 0:
        return False
    if problem[row + at.K_ROTATES] and (state[slot + at.RIGHT_] != right or state[slot + at.DOWN_] != down):
        state[slot + at.RIGHT_], state[slot + at.DOWN_] = right, down
        return False
    return bool(shift(state, problem, slot, row, right, down, pixels))


@njit_callee
def step_around(state: np.ndarray, problem: np.ndarray, slot: int, row: int, way: int) -> None:
    """A step of its own; up, left, down or right."""
    right = np.int64(way == 3) - np.int64(way == 1)
    down = np.int64(way == 2) - np.int64(way == 0)
    step(state, problem, slot, row, right, down, problem[row + at.K_STRIDE])

"""What sprites do by themselves, and the avatar as told: what `reference.py` does, on the arrays of `layout.py`."""

import numpy as np

from domains.kernels import below, njit_callee
from domains.vgdl import layout as at
from domains.vgdl import vocabulary as words
from domains.vgdl.sprite_kernels import (
    FOUR,
    go,
    is_lucky,
    kill,
    kind_row,
    kind_state,
    make_beside,
    shift,
    sign,
    step,
    step_around,
)


@njit_callee
def _begin(state: np.ndarray, slot: int) -> None:
    state[slot + at.LAST_X], state[slot + at.LAST_Y] = state[slot + at.X], state[slot + at.Y]
    state[slot + at.RESTED] += 1


@njit_callee
def _move_on(state: np.ndarray, problem: np.ndarray, slot: int, row: int) -> None:
    moves = problem[row + at.K_MOVES_ON]
    if moves == 0:
        return
    if state[slot + at.FLAGS] & at.IS_NEW:
        state[slot + at.FLAGS] -= at.IS_NEW
    elif moves == 2:
        right, down = state[slot + at.RIGHT_], state[slot + at.DOWN_]
        shift(state, problem, slot, row, right, down, problem[row + at.K_ON_PIXELS])


@njit_callee
def _random_walk(state: np.ndarray, problem: np.ndarray, slot: int, row: int, random: np.ndarray) -> None:
    if state[slot + at.ONE] < problem[row + at.K_CONS]:
        state[slot + at.ONE] += 1
    else:
        state[slot + at.TWO] = 1 + below(random, FOUR)
        state[slot + at.ONE] = 0
    if state[slot + at.TWO]:
        step_around(state, problem, slot, row, state[slot + at.TWO] - 1)


@njit_callee
def _leads(right: int, down: int, way: int, flees: bool) -> bool:
    """Whether a pixel in a way leads nearer to what is so far to the right and down, or away from it."""
    towards = -down if way == 0 else -right if way == 1 else down if way == 2 else right
    return bool(towards <= 0 if flees else towards > 0)


@njit_callee
def _chase(state: np.ndarray, problem: np.ndarray, slot: int, row: int, random: np.ndarray) -> None:
    """First look how far the nearest are and how many ways lead there, then choose one of these."""
    flees = problem[row + at.K_DOES] == words.FLEEING
    x, y = state[slot + at.X], state[slot + at.Y]
    other = problem[row + at.K_OTHER]
    others_at, others_n = np.int64(0), np.int64(1)
    if state[kind_state(problem, other) + at.COUNT] == 0:
        others = kind_row(problem, other)
        others_at, others_n = problem[others + at.K_MEMBERS_AT], problem[others + at.K_MEMBERS_N]
    nearest, ways, chosen = np.int64(1) << 40, np.int64(0), np.int64(-1)
    for again in range(2):
        if again:
            if ways == 0:
                _random_walk(state, problem, slot, row, random)
                return
            chosen = below(random, ways)
        for i in range(others_n):
            kind = problem[others_at + i] if others_at else other
            target_row = kind_row(problem, kind)
            places, fixed = problem[target_row + at.K_PLACES_AT], problem[target_row + at.K_PLACES_N]
            target = np.int64(0) if fixed else state[kind_state(problem, kind) + at.HEAD_SLOT]
            j = np.int64(0)
            while j < fixed or target:
                if fixed:
                    right, down = problem[places + 2 * j] - x, problem[places + 2 * j + 1] - y
                    j += 1
                else:
                    right, down = state[target + at.X] - x, state[target + at.Y] - y
                    target = state[target + at.NEXT]
                distance = abs(right) + abs(down)
                if distance > nearest:
                    continue
                if distance < nearest:
                    nearest, ways = distance, np.int64(0)
                for way in range(4):
                    if _leads(right, down, way, flees):
                        if not again:
                            ways += 1
                        elif chosen == 0:
                            step_around(state, problem, slot, row, np.int64(way))
                            return
                        else:
                            chosen -= 1


@njit_callee
def _spawn(state: np.ndarray, problem: np.ndarray, slot: int, row: int, random: np.ndarray) -> None:
    tick = state[at.TICK]
    if state[slot + at.TWO] == -1:
        state[slot + at.TWO] = tick
    lucky = is_lucky(random, problem[row + at.K_PROB])
    if lucky and (state[slot + at.TWO] + tick) % problem[row + at.K_COOLDOWN] == 0:
        one = make_beside(state, problem, problem[row + at.K_OTHER], slot)
        if one:
            state[slot + at.ONE] += 1
            if state[one + at.RIGHT_] == 0 and state[one + at.DOWN_] == 0:
                state[one + at.RIGHT_], state[one + at.DOWN_] = state[slot + at.RIGHT_], state[slot + at.DOWN_]


@njit_callee
def _move(state: np.ndarray, problem: np.ndarray, slot: int, row: int, random: np.ndarray) -> None:
    does = problem[row + at.K_DOES]
    if does == words.BOMBING:
        step_around(state, problem, slot, row, below(random, FOUR))
    if does == words.BOMBING or does == words.SPAWNING:
        _spawn(state, problem, slot, row, random)
    _move_on(state, problem, slot, row)
    if does == words.BOMBING or does == words.SPAWNING:
        if 0 < problem[row + at.K_TOTAL] <= state[slot + at.ONE]:
            kill(state, problem, slot)
    elif does == words.RANDOM:
        _random_walk(state, problem, slot, row, random)
    elif does == words.CHASING or does == words.FLEEING:
        _chase(state, problem, slot, row, random)
    elif does == words.FLICKERING:
        if state[slot + at.ONE] > problem[row + at.K_LIMIT]:
            kill(state, problem, slot)
        state[slot + at.ONE] += 1


@njit_callee
def _use(state: np.ndarray, problem: np.ndarray, slot: int, row: int) -> None:
    ammo = problem[row + at.K_AMMO]
    if ammo >= 0 and state[slot + at.CARRIES + ammo] <= 0:
        return
    shoots = problem[row + at.K_USE] == words.SHOOTING
    kind = problem[row + at.K_OTHER]
    shot = make_beside(state, problem, kind, slot)
    if shot == 0:
        return
    if shoots:
        right, down = state[slot + at.RIGHT_], state[slot + at.DOWN_]
        go(state, problem, shot, right, down, problem[at.BLOCK])
        state[shot + at.LAST_X], state[shot + at.LAST_Y] = state[shot + at.X], state[shot + at.Y]
        if problem[kind_row(problem, kind) + at.K_ORIENTED]:
            state[shot + at.RIGHT_], state[shot + at.DOWN_] = right, down
    if ammo >= 0:
        state[slot + at.CARRIES + ammo] -= 1


@njit_callee
def _move_avatar(state: np.ndarray, problem: np.ndarray, action: int) -> None:
    slot = state[at.AVATAR_SLOT]
    if state[slot + at.FLAGS] & at.IS_DISABLED:
        return
    _begin(state, slot)
    row = kind_row(problem, state[slot + at.KIND])
    if not (problem[row + at.K_CAN] >> action) & 1:
        return
    if action == words.USE:
        _use(state, problem, slot, row)
        return
    right = np.int64(action == words.RIGHT) - np.int64(action == words.LEFT)
    down = np.int64(action == words.DOWN) - np.int64(action == words.UP)
    moved = step(state, problem, slot, row, right, down, problem[row + at.K_STRIDE])
    if moved and problem[row + at.K_TURNS]:
        _look(
            state,
            slot,
            state[slot + at.X] - state[slot + at.LAST_X],
            state[slot + at.Y] - state[slot + at.LAST_Y],
        )


@njit_callee
def _look(state: np.ndarray, slot: int, right: int, down: int) -> None:
    """Look in a direction; along an axis it has length one."""
    if right == 0 or down == 0:
        right, down = sign(right), sign(down)
    state[slot + at.RIGHT_], state[slot + at.DOWN_] = right, down


@njit_callee
def move_all(state: np.ndarray, problem: np.ndarray, action: int, random: np.ndarray) -> None:
    _move_avatar(state, problem, action)
    for i in range(problem[at.MOVERS_N]):
        kind = problem[problem[at.MOVERS_AT] + i]
        slot = state[kind_state(problem, kind) + at.HEAD_SLOT]
        row, born = kind_row(problem, kind), state[at.BORN]
        while slot and state[slot + at.SERIAL] <= born:
            _begin(state, slot)
            _move(state, problem, slot, row, random)
            slot = state[slot + at.NEXT]

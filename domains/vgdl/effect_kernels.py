"""What happens to sprites that meet: what `effects.py` does, on the arrays of `layout.py`.

The second sprite is a slot; or a number below zero, and then the cell of a fixed one; or 0, and then there is none.
"""

import numpy as np

from domains.kernels import below, njit_callee
from domains.vgdl import layout as at
from domains.vgdl import vocabulary as words
from domains.vgdl.rules import NONE
from domains.vgdl.sprite_kernels import (
    DOWNWARDS,
    FOUR,
    are_any,
    is_lucky,
    kill,
    kind_row,
    kind_state,
    make_beside,
    make_forced,
    put_at,
    put_back,
    remove_later,
    sign,
    step,
    step_around,
)

CROWDED = 1 << 62
NOBODY = np.int64(0)
ALL, AT_EDGE = np.int64(0), np.int64(1)


@njit_callee
def _fixed_x(problem: np.ndarray, second: int) -> np.int64:
    return np.int64((-1 - second) % problem[at.COLUMNS] * problem[at.BLOCK])


@njit_callee
def _fixed_y(problem: np.ndarray, second: int) -> np.int64:
    return np.int64((-1 - second) // problem[at.COLUMNS] * problem[at.BLOCK])


@njit_callee
def _touch(state: np.ndarray, problem: np.ndarray, one: int, second: int) -> bool:
    if second < 0:
        x, y = _fixed_x(problem, second), _fixed_y(problem, second)
    else:
        x, y = state[second + at.X], state[second + at.Y]
    block = problem[at.BLOCK]
    return bool(abs(state[one + at.X] - x) < block and abs(state[one + at.Y] - y) < block)


@njit_callee
def _step_back(state: np.ndarray, problem: np.ndarray, effect: int, one: int, second: int) -> None:
    x, y = state[one + at.LAST_X], state[one + at.LAST_Y]
    if problem[effect + at.E_PIXEL_PERFECT] and second != 0:
        right, down = state[one + at.X] - x, state[one + at.Y] - y
        if (right == 0) != (down == 0):
            block = problem[at.BLOCK]
            if right != 0:
                other = _fixed_x(problem, second) if second < 0 else state[second + at.X]
                x = other - sign(right) * block
            else:
                other = _fixed_y(problem, second) if second < 0 else state[second + at.Y]
                y = other - sign(down) * block
    put_at(state, problem, one, x, y)


@njit_callee
def _transform(state: np.ndarray, problem: np.ndarray, effect: int, one: int, second: int) -> None:
    if state[one + at.FLAGS] & at.IS_DISABLED:
        return
    new = make_beside(state, problem, problem[effect + at.E_OTHER], one)
    _become(state, problem, effect, one, second, new)


@njit_callee
def _transform_all(state: np.ndarray, problem: np.ndarray, effect: int, second: int) -> None:
    slot = state[kind_state(problem, problem[effect + at.E_SOURCE]) + at.HEAD_SLOT]
    born = state[at.BORN]
    while slot and state[slot + at.SERIAL] <= born:
        new = make_forced(state, problem, problem[effect + at.E_OTHER], slot)
        _become(state, problem, effect, slot, second, new)
        slot = state[slot + at.NEXT]


@njit_callee
def _become(state: np.ndarray, problem: np.ndarray, effect: int, one: int, second: int, new: int) -> None:
    """The new one is as the old one was, which is killed."""
    if new == 0:
        return
    kind = problem[effect + at.E_OTHER]
    row, old_row = kind_row(problem, kind), kind_row(problem, state[one + at.KIND])
    oriented = problem[row + at.K_ORIENTED] and problem[old_row + at.K_ORIENTED]
    if problem[effect + at.E_FORCES] or (oriented and state[new + at.RIGHT_] == 0 and state[new + at.DOWN_] == 0):
        state[new + at.RIGHT_], state[new + at.DOWN_] = state[one + at.RIGHT_], state[one + at.DOWN_]
    state[new + at.LAST_X], state[new + at.LAST_Y] = state[one + at.LAST_X], state[one + at.LAST_Y]
    for i in range(problem[at.CARRIED]):
        state[new + at.CARRIES + i] = state[one + at.CARRIES + i]
    state[new + at.HEALTH] = state[one + at.HEALTH]
    if problem[row + at.K_DOES] == words.AVATAR and problem[old_row + at.K_DOES] == words.AVATAR:
        state[at.AVATAR_SLOT] = new
        remove_later(state, one)
    else:
        kill(state, problem, one)
    if problem[effect + at.E_KILLS_SECOND] and second != 0:
        kill(state, problem, second)


@njit_callee
def _bounce_forward(state: np.ndarray, problem: np.ndarray, one: int, second: int) -> None:
    right, down, speed = np.int64(0), np.int64(0), np.int64(0)
    row = kind_row(problem, state[one + at.KIND])
    if second > 0:
        right = state[second + at.X] - state[second + at.LAST_X]
        down = state[second + at.Y] - state[second + at.LAST_Y]
        if right * state[second + at.RIGHT_] < 0:
            right = -right
        if down * state[second + at.DOWN_] < 0:
            down = -down
        if right == 0 or down == 0:
            right, down = sign(right), sign(down)
        speed = problem[kind_row(problem, state[second + at.KIND]) + at.K_PUSHES]
        if speed == at.NOT_SAID:
            speed = problem[row + at.K_PUSHED]
    step(state, problem, one, row, right, down, speed)
    state[one + at.RIGHT_], state[one + at.DOWN_] = right, down


@njit_callee
def _undo_all(state: np.ndarray, problem: np.ndarray) -> None:
    for i in range(problem[at.UNDONE_N]):
        slot = state[kind_state(problem, problem[problem[at.UNDONE_AT] + i]) + at.HEAD_SLOT]
        while slot:
            put_back(state, problem, slot)
            slot = state[slot + at.NEXT]


@njit_callee
def _turn_around(state: np.ndarray, problem: np.ndarray, one: int) -> None:
    row = kind_row(problem, state[one + at.KIND])
    put_back(state, problem, one)
    for _ in range(2):
        state[one + at.RESTED] = problem[row + at.K_COOLDOWN]
        step_around(state, problem, one, row, DOWNWARDS)
    _reverse(state, one)


@njit_callee
def _reverse(state: np.ndarray, one: int) -> None:
    state[one + at.RIGHT_], state[one + at.DOWN_] = -state[one + at.RIGHT_], -state[one + at.DOWN_]


@njit_callee
def _flip(state: np.ndarray, one: int, way: int) -> None:
    """Look up, left, down or right."""
    state[one + at.RIGHT_] = np.int64(way == 3) - np.int64(way == 1)
    state[one + at.DOWN_] = np.int64(way == 2) - np.int64(way == 0)


@njit_callee
def _teleport(state: np.ndarray, problem: np.ndarray, one: int, second: int, random: np.ndarray) -> None:
    leads_to = problem[kind_row(problem, state[second + at.KIND]) + at.K_EXIT]
    if leads_to == NONE:
        return
    exits = state[kind_state(problem, leads_to) + at.COUNT]
    if exits == 0:
        kill(state, problem, one)
        return
    chosen, row = below(random, exits), kind_row(problem, leads_to)
    right, down = problem[row + at.K_RIGHT], problem[row + at.K_DOWN]
    if problem[row + at.K_BIT]:
        place = problem[row + at.K_PLACES_AT] + 2 * chosen
        put_at(state, problem, one, problem[place], problem[place + 1])
    else:
        there = state[kind_state(problem, leads_to) + at.HEAD_SLOT]
        for _ in range(chosen):
            there = state[there + at.NEXT]
        put_at(state, problem, one, state[there + at.X], state[there + at.Y])
        right, down = state[there + at.RIGHT_], state[there + at.DOWN_]
    state[one + at.RESTED] = 0
    if problem[row + at.K_ORIENTED]:
        state[one + at.RIGHT_], state[one + at.DOWN_] = right, down


@njit_callee
def _wrap_around(state: np.ndarray, problem: np.ndarray, one: int) -> None:
    right, down = state[one + at.RIGHT_], state[one + at.DOWN_]
    x, y = state[one + at.X], state[one + at.Y]
    if right != 0:
        x = np.int64(0) if right > 0 else problem[at.WIDTH] - problem[at.BLOCK]
    elif down != 0:
        y = np.int64(0) if down > 0 else problem[at.HEIGHT] - problem[at.BLOCK]
    put_at(state, problem, one, x, y)
    state[one + at.RESTED] = 0


@njit_callee
def _collect(state: np.ndarray, problem: np.ndarray, effect: int, one: int, second: int) -> bool:
    """Whether it counts."""
    row = kind_row(problem, state[one + at.KIND])
    if not problem[row + at.K_IS_RESOURCE]:
        return True
    cell = second + at.CARRIES + problem[row + at.K_CARRIED]
    has, most = state[cell], problem[row + at.K_LIMIT]
    if has >= most:
        return False
    state[cell] = max(np.int64(0), has + min(problem[row + at.K_VALUE], most - has))
    if problem[effect + at.E_KILLS_RESOURCE]:
        kill(state, problem, one)
    return True


@njit_callee
def _happen(state: np.ndarray, problem: np.ndarray, effect: int, one: int, second: int, random: np.ndarray) -> np.int64:
    """What it adds to the score."""
    number, score = problem[effect + at.E_NUMBER], problem[effect + at.E_SCORE]
    carried = one + at.CARRIES + problem[effect + at.E_CARRIED]
    if number == words.STEP_BACK:
        _step_back(state, problem, effect, one, second)
    elif number == words.KILL_SPRITE:
        kill(state, problem, one)
    elif number == words.KILL_BOTH:
        kill(state, problem, one)
        kill(state, problem, second)
    elif number == words.CLONE_SPRITE:
        make_beside(state, problem, state[one + at.KIND], one)
    elif number == words.TRANSFORM_TO:
        _transform(state, problem, effect, one, second)
    elif number == words.BOUNCE_FORWARD:
        _bounce_forward(state, problem, one, second)
    elif number == words.UNDO_ALL:
        _undo_all(state, problem)
    elif number == words.ADD_HEALTH:
        health = state[one + at.HEALTH] + problem[effect + at.E_VALUE]
        if health >= problem[kind_row(problem, state[one + at.KIND]) + at.K_HEALTH_LIMIT]:
            return np.int64(0)
        state[one + at.HEALTH] = health
        if problem[effect + at.E_KILLS_SECOND] and second != 0:
            kill(state, problem, second)
    elif number == words.SUBTRACT_HEALTH:
        state[one + at.HEALTH] -= problem[effect + at.E_VALUE]
        if state[one + at.HEALTH] <= problem[effect + at.E_LIMIT]:
            kill(state, problem, one)
            return np.int64(problem[effect + at.E_IF_KILLED])
    elif number == words.TURN_AROUND:
        _turn_around(state, problem, one)
    elif number == words.REVERSE_DIRECTION:
        _reverse(state, one)
    elif number == words.WRAP_AROUND:
        _wrap_around(state, problem, one)
    elif number == words.CHANGE_RESOURCE:
        after = state[carried] + problem[effect + at.E_VALUE]
        if after > problem[effect + at.E_MOST]:
            return np.int64(0)
        state[carried] = max(np.int64(0), after)
        if problem[effect + at.E_KILLS_RESOURCE]:
            kill(state, problem, second)
    elif number == words.SPAWN_IF_HAS_MORE:
        lucky = is_lucky(random, problem[effect + at.E_PROB])
        if not lucky or state[carried] < problem[effect + at.E_LIMIT]:
            return np.int64(0)
        make_beside(state, problem, problem[effect + at.E_OTHER], one)
        state[carried] = max(np.int64(0), state[carried] - problem[effect + at.E_SPEND])
    elif number == words.COLLECT_RESOURCE:
        if not _collect(state, problem, effect, one, second):
            return np.int64(0)
    elif number == words.KILL_IF_OTHER_HAS_MORE:
        if state[second + at.CARRIES + problem[effect + at.E_CARRIED]] < problem[effect + at.E_LIMIT]:
            return np.int64(0)
        kill(state, problem, one)
    elif number == words.TRANSFORM_TO_ALL:
        _transform_all(state, problem, effect, second)
    elif number == words.FLIP_DIRECTION:
        _flip(state, one, below(random, FOUR))
    elif number == words.SPAWN:
        if is_lucky(random, problem[effect + at.E_PROB]):
            make_beside(state, problem, problem[effect + at.E_OTHER], one)
    else:  # TELEPORT_TO_EXIT
        _teleport(state, problem, one, second, random)
    return np.int64(score)


@njit_callee
def alone(state: np.ndarray, problem: np.ndarray, effect: int, random: np.ndarray, which: int) -> None:
    """An effect of all sprites of a kind, or of those AT_EDGE, which are not wholly on the screen."""
    row = kind_row(problem, problem[effect + at.E_FIRST])
    block = problem[at.BLOCK]
    right, bottom = problem[at.WIDTH] - block, problem[at.HEIGHT] - block
    for i in range(problem[row + at.K_MEMBERS_N]):
        kind = problem[problem[row + at.K_MEMBERS_AT] + i]
        slot, born = state[kind_state(problem, kind) + at.HEAD_SLOT], state[at.BORN]
        while slot and state[slot + at.SERIAL] <= born:
            x, y = state[slot + at.X], state[slot + at.Y]
            inside = 0 <= x <= right and 0 <= y <= bottom
            if not (which == AT_EDGE and inside) and not state[slot + at.FLAGS] & (at.IS_KILLED | at.IS_DISABLED):
                score = _happen(state, problem, effect, slot, NOBODY, random)
                state[at.SCORE] += score if which == AT_EDGE else problem[effect + at.E_SCORE]
            slot = state[slot + at.NEXT]


@njit_callee
def by_clock(state: np.ndarray, problem: np.ndarray, random: np.ndarray) -> None:
    for i in range(problem[at.CLOCK_N]):
        if state[at.S_HEAD + i] <= state[at.TICK]:
            effect = problem[at.CLOCK_AT] + at.E_SIZE * i
            alone(state, problem, effect, random, ALL)
            again = state[at.TICK] + problem[effect + at.E_TIMER]
            state[at.S_HEAD + i] = again if problem[effect + at.E_REPEATING] else problem[at.TICKS]


@njit_callee
def _near(state: np.ndarray, problem: np.ndarray, one: int) -> np.int64:
    """The bits of the fixed kinds in the cells that a sprite reaches into, and CROWDED where others may be."""
    span, columns = state[one + at.SPAN], problem[at.COLUMNS]
    if span >= at.OUTSIDE:
        return np.int64(-1)
    cell, crowd = problem[at.GRID_AT] + state[one + at.CELL], problem[at.CROWD_AT] + state[one + at.CELL]
    bits, most = problem[cell], state[crowd]
    if span & at.RIGHT_TOO:
        bits, most = bits | problem[cell + 1], max(most, state[crowd + 1])
    if span & at.BELOW_TOO:
        bits, most = bits | problem[cell + columns], max(most, state[crowd + columns])
        if span == at.RIGHT_TOO | at.BELOW_TOO:
            bits, most = bits | problem[cell + columns + 1], max(most, state[crowd + columns + 1])
    return np.int64(bits | CROWDED) if most > 1 else np.int64(bits)


@njit_callee
def _list_fixed(state: np.ndarray, problem: np.ndarray, one: int, bit: int, hits: int) -> np.int64:
    """Write the cells that a sprite touches in which there is something of a fixed kind; where the list then ends."""
    block, columns, grid = problem[at.BLOCK], problem[at.COLUMNS], problem[at.GRID_AT]
    x, y = state[one + at.X], state[one + at.Y]
    left, top = x // block, y // block
    right, bottom = left + np.int64(x != left * block), top + np.int64(y != top * block)
    left, top = max(left, np.int64(0)), max(top, np.int64(0))
    right, bottom = min(right, columns - 1), min(bottom, problem[at.ROWS] - 1)
    for row in range(top, bottom + 1):
        for column in range(left, right + 1):
            if problem[grid + row * columns + column] & bit:
                state[hits] = -1 - (row * columns + column)
                hits += 1
    return np.int64(hits)


@njit_callee
def _list_met(state: np.ndarray, problem: np.ndarray, effect: int, second_row: int, one: int, born: int) -> np.int64:
    """Write what a sprite touches of the second kind of an effect; where the list ends."""
    hits = np.int64(problem[at.HITS_AT])
    x, y, block = state[one + at.X], state[one + at.Y], problem[at.BLOCK]
    members, first = problem[second_row + at.K_MEMBERS_N], problem[second_row + at.K_MEMBERS_AT]
    near = _near(state, problem, one)
    fixed, crowded = near & problem[effect + at.E_BITS], near & CROWDED
    if not fixed and not crowded:
        return hits
    for i in range(members):
        kind = problem[first + i]
        bit = problem[kind_row(problem, kind) + at.K_BIT]
        if bit:
            if fixed & bit:
                hits = _list_fixed(state, problem, one, bit, hits)
            continue
        if not crowded:
            continue
        slot = state[kind_state(problem, kind) + at.HEAD_SLOT]
        while slot and state[slot + at.SERIAL] <= born:
            if abs(state[slot + at.X] - x) < block and abs(state[slot + at.Y] - y) < block and slot != one:
                state[hits] = slot
                hits += 1
            slot = state[slot + at.NEXT]
    return hits


@njit_callee
def in_pairs(state: np.ndarray, problem: np.ndarray, random: np.ndarray) -> None:
    hits_at = np.int64(problem[at.HITS_AT])
    for i in range(problem[at.PAIRS_N]):
        effect = problem[at.PAIRS_AT] + at.E_SIZE * i
        row = kind_row(problem, problem[effect + at.E_FIRST])
        second_row = kind_row(problem, problem[effect + at.E_SECOND])
        if not are_any(state, problem, second_row):
            continue
        born = state[at.BORN]
        for j in range(problem[row + at.K_MEMBERS_N]):
            kind = problem[problem[row + at.K_MEMBERS_AT] + j]
            one = state[kind_state(problem, kind) + at.HEAD_SLOT]
            while one and state[one + at.SERIAL] <= born:
                if not state[one + at.FLAGS] & at.IS_KILLED:
                    end = _list_met(state, problem, effect, second_row, one, born)
                    for hit in range(hits_at, end):
                        if state[one + at.FLAGS] & at.IS_KILLED:
                            break
                        second = state[hit]
                        if _touch(state, problem, one, second):
                            state[at.SCORE] += _happen(state, problem, effect, one, second, random)
                one = state[one + at.NEXT]

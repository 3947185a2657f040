"""The rules of all games, compiled once: `domains/gdl/layout.py` says what stands where.

A variable that turns moves the slots of those that have it as an input by one. A slot that leaves or reaches 0 turns
its bit: that is an output, or says that the node must be looked at; one that crosses twice turns it back. Nodes are
looked at in ascending order, so that each turns once at most, as the inputs of a node have smaller slots.

Indexes are unsigned: for signed ones Numba asks each time whether they count from the end.
"""

from typing import Any

import numpy as np

from domains.bits import nth_set_bit, popcount, trailing_zeros
from domains.gdl.layout import (
    BLOCK_OF_AT,
    BLOCKS,
    BLOCKS_AT,
    DIRTY_WORD,
    EDGES_AT,
    EFFECTS_AT,
    FIRST_BIT,
    FIRST_COLD,
    GOAL_DIRTY_WORD,
    GOAL_WORD,
    GOALS,
    GOALS_AT,
    INPUTS_AT,
    KEPT_WORD,
    LAST_WORD,
    LEGAL_WORD,
    NEXT_WORD,
    NONE,
    PENDING_WORD,
    ROLE_MOVES_AT,
    ROLE_WORDS_AT,
    ROLES,
    SEVERAL,
    SLOT_WORD,
    SPOKEN,
    SPOKEN_AT,
    STAND_INS,
    STAND_INS_AT,
    TERMINAL_WORD,
    TURN_WORD,
    TURNS_AT,
    WAITS,
    WAITS_AT,
)
from domains.kernels import Kernels, below, njit, njit_inline, njit_uncounted

_ZERO, _ONE, _TWO, _SIX, _LOW = np.uint64(0), np.uint64(1), np.uint64(2), np.uint64(6), np.uint64(63)
_64 = np.uint64(64)


@njit_inline
def number(problem: Any, at: Any) -> Any:
    """A number of the problem."""
    return np.uint64(problem[at])


@njit_inline
def slots_of(state: Any, problem: Any) -> Any:
    return state[problem[SLOT_WORD] :].view(np.int16)


@njit_inline
def holds(slots: Any, signal: Any) -> Any:
    """1 if a signal is true, 0 if it is not."""
    return np.uint64(slots[signal >> _ONE] == 0) ^ (signal & _ONE)


@njit_inline
def turn(state: Any, slots: Any, problem: Any, slot: Any, is_true: Any) -> None:
    """Tell all that depend on a slot that it has become true, 1, or false, 0."""
    at = number(problem, EDGES_AT) + slot
    shift = _64 * number(problem, DIRTY_WORD) - number(problem, FIRST_BIT)
    for i in range(number(problem, at), number(problem, at + _ONE)):
        edge = number(problem, i)
        reader = edge >> _ONE
        before = slots[reader]
        if (edge ^ is_true) & _ONE:
            slots[reader] = before - 1
            crosses = before == 1
        else:
            slots[reader] = before + 1
            crosses = before == 0
        if crosses:
            bit = reader + shift
            state[bit >> _SIX] ^= _ONE << (bit & _LOW)


NEWLY_TRUE = 2
"""Added to the slot of a node of a block while the block is worked out."""


@njit_uncounted
def settle(state: Any, slots: Any, problem: Any, block: Any) -> None:
    """Work a block out again, and tell what has changed."""
    at = number(problem, number(problem, BLOCKS_AT) + block)
    first, count, rules = number(problem, at), number(problem, at + _ONE), number(problem, at + _TWO)
    changed = True
    while changed:
        changed = False
        rule = at + np.uint64(3)
        for _ in range(rules):
            slot, inputs = number(problem, rule), number(problem, rule + _ONE)
            rule += _TWO
            if slots[slot] < NEWLY_TRUE:
                is_true = True
                for i in range(rule, rule + inputs):
                    signal = number(problem, i)
                    if first <= signal >> _ONE < first + count:
                        is_true = slots[signal >> _ONE] >= NEWLY_TRUE
                    else:
                        is_true = holds(slots, signal) == _ONE
                    if not is_true:
                        break
                if is_true:
                    slots[slot] += NEWLY_TRUE
                    changed = True
            rule += inputs
    for slot in range(first, first + count):
        before, after = slots[slot] & 1 == 0, slots[slot] >= NEWLY_TRUE
        slots[slot] = 0 if after else 1
        if before != after:
            turn(state, slots, problem, slot, np.uint64(after))


@njit_uncounted
def look_at_block(state: Any, slots: Any, problem: Any, node: Any) -> bool:
    """Whether a node is of a block: if it is its first, or has to do with what it depends on."""
    mark = number(problem, number(problem, BLOCK_OF_AT) + node)
    if mark == _ZERO:
        return False
    block = (mark - _ONE) >> _ONE
    if mark & _ONE:
        settle(state, slots, problem, block)
    else:
        first = number(problem, number(problem, number(problem, BLOCKS_AT) + block))
        bit = first + _64 * number(problem, DIRTY_WORD) - number(problem, FIRST_BIT)
        state[bit >> _SIX] |= _ONE << (bit & _LOW)
    return True


@njit_uncounted
def sweep(state: Any, slots: Any, problem: Any, start: Any, end: Any) -> None:
    """Look at all nodes that must be, in ascending order; their bits are in these words."""
    dirty, has_blocks = number(problem, DIRTY_WORD), problem[BLOCKS] > 0
    for word in range(start, end):
        first = _64 * (word - dirty)
        while state[word] != _ZERO:
            node = first + trailing_zeros(state[word])
            state[word] &= state[word] - _ONE
            if has_blocks and start == dirty and look_at_block(state, slots, problem, node):
                continue
            slot = number(problem, FIRST_BIT) + node
            turn(state, slots, problem, slot, np.uint64(slots[slot] == 0))


@njit_uncounted
def bring_up_to_date(state: Any, slots: Any, problem: Any) -> None:
    sweep(state, slots, problem, number(problem, DIRTY_WORD), number(problem, LEGAL_WORD))


@njit_uncounted
def make_move(state: Any, slots: Any, problem: Any, role: Any, move: Any) -> None:
    """Let a role's last move be another one; where nodes depend on moves, they are looked at later."""
    last = number(problem, LAST_WORD) + np.uint64(role)
    if problem[SPOKEN] > 0:
        at = number(problem, SPOKEN_AT) + number(problem, number(problem, ROLE_MOVES_AT) + np.uint64(role))
        before, after = number(problem, at + state[last]), number(problem, at + np.uint64(move))
        if before != after:
            if before != _ZERO:
                slots[before] = 1
                turn(state, slots, problem, before, _ZERO)
            if after != _ZERO:
                slots[after] = 0
                turn(state, slots, problem, after, _ONE)
    state[last] = np.uint64(move)


@njit_uncounted
def have_effect(state: Any, slots: Any, problem: Any, move: Any) -> None:
    """Note what a move changes beside what changes by default; of moves by their numbers among all."""
    at = number(problem, EFFECTS_AT) + move
    place, end = number(problem, at), number(problem, at + _ONE)
    first, inputs = number(problem, FIRST_COLD), number(problem, INPUTS_AT)
    cold = place + _ONE + number(problem, place)
    for i in range(place + _ONE, cold):
        node = number(problem, i)
        is_true = _ONE
        for j in range(number(problem, inputs + node), number(problem, inputs + node + _ONE)):
            is_true &= holds(slots, number(problem, j))
            if is_true == _ZERO:
                break
        slots[first + node] = np.int16(_ONE - is_true)
    pending = number(problem, PENDING_WORD)
    for i in range(cold, end, _TWO):
        base = number(problem, i)
        changes = holds(slots, number(problem, i + _ONE)) ^ np.uint64(slots[base + _ONE] == 0)
        word, bit = pending + (base >> _SIX), base & _LOW
        state[word] = (state[word] & ~(_ONE << bit)) | (changes << bit)


@njit_uncounted
def advance(state: Any, slots: Any, problem: Any) -> None:
    """To the next state, by the moves that have been made."""
    if problem[SPOKEN] > 0:
        bring_up_to_date(state, slots, problem)
    kept, following = number(problem, KEPT_WORD), number(problem, NEXT_WORD)
    pending, words = number(problem, PENDING_WORD), number(problem, KEPT_WORD)
    for word in range(words):
        state[pending + word] = (state[word] ^ state[following + word]) & ~state[kept + word]
    roles, last, moves = number(problem, ROLES), number(problem, LAST_WORD), number(problem, ROLE_MOVES_AT)
    is_idle = problem[WAITS] > 0
    for i in range(roles):
        role = roles - _ONE - i
        move = state[last + role]
        is_idle = is_idle and move == number(problem, number(problem, WAITS_AT) + role)
        have_effect(state, slots, problem, number(problem, moves + role) + move)
    if is_idle:
        have_effect(state, slots, problem, number(problem, moves + roles))
    for word in range(words):
        while state[pending + word] != _ZERO:
            bit = trailing_zeros(state[pending + word])
            state[pending + word] &= state[pending + word] - _ONE
            state[word] ^= _ONE << bit
            slot = _64 * word + bit + _ONE
            is_false = slots[slot]
            slots[slot] = 1 - is_false
            turn(state, slots, problem, slot, np.uint64(is_false))
    bring_up_to_date(state, slots, problem)
    if is_over(state, problem):
        work_goals_out(state, slots, problem)


@njit_uncounted
def work_goals_out(state: Any, slots: Any, problem: Any) -> None:
    start = number(problem, STAND_INS_AT)
    for at in range(start, start + _TWO * number(problem, STAND_INS), _TWO):
        stand_in = number(problem, at + _ONE)
        is_true, was_true = slots[number(problem, at)] == 0, slots[stand_in] == 0
        if is_true != was_true:
            slots[stand_in] = np.int16(was_true)
            turn(state, slots, problem, stand_in, np.uint64(is_true))
    sweep(state, slots, problem, number(problem, GOAL_DIRTY_WORD), number(problem, SLOT_WORD))
    goal = number(problem, GOAL_WORD)
    for role in range(number(problem, ROLES)):
        state[goal + role] = np.uint64(NONE)
    start = number(problem, GOALS_AT)
    for at in range(start, start + np.uint64(3) * number(problem, GOALS), np.uint64(3)):
        if holds(slots, number(problem, at + _TWO)):
            word, value = goal + number(problem, at), number(problem, at + _ONE)
            sound = state[word] == np.uint64(NONE) and value <= np.uint64(100)
            state[word] = value if sound else np.uint64(SEVERAL)


@njit_uncounted
def is_over(state: Any, problem: Any) -> bool:
    return bool(state[problem[TERMINAL_WORD]] != _ZERO)


@njit_uncounted
def not_now(state: Any, problem: Any, role: Any) -> Any:
    """All bits if it is not the turn of a role, otherwise none."""
    signal = number(problem, number(problem, TURNS_AT) + np.uint64(role))
    return holds(slots_of(state, problem), signal) - _ONE


@njit_uncounted
def legal_moves(state: Any, problem: Any, role: Any, out: Any) -> Any:
    """How many moves a role has, which are written to `out`, in order."""
    at = number(problem, ROLE_WORDS_AT) + np.uint64(role)
    first, turns, n = number(problem, LEGAL_WORD), number(problem, TURN_WORD), np.int64(0)
    hidden = not_now(state, problem, role)
    start = number(problem, at)
    for word in range(start, number(problem, at + _ONE)):
        left = state[first + word] & ~(state[turns + word] & hidden)
        while left != _ZERO:
            out[n] = np.int32(_64 * (word - start) + trailing_zeros(left))
            left &= left - _ONE
            n += 1
    return n


@njit_uncounted
def random_move(state: Any, problem: Any, random: Any, role: Any) -> Any:
    """One of a role's moves, by one draw; -1 if there is none."""
    at = number(problem, ROLE_WORDS_AT) + np.uint64(role)
    first, turns, n = number(problem, LEGAL_WORD), number(problem, TURN_WORD), _ZERO
    hidden = not_now(state, problem, role)
    start, end = number(problem, at), number(problem, at + _ONE)
    for word in range(start, end):
        n += popcount(state[first + word] & ~(state[turns + word] & hidden))
    if n == _ZERO:
        return np.int64(-1)
    chosen = np.uint64(below(random, np.int64(n)))
    for word in range(start, end):
        legal = state[first + word] & ~(state[turns + word] & hidden)
        here = popcount(legal)
        if chosen < here:
            return np.int64(_64 * (word - start) + nth_set_bit(legal, chosen))
        chosen -= here
    return np.int64(-1)


@njit_uncounted
def play_together(state: Any, problem: Any, moves: Any) -> None:
    """A legal move of each role, all at once; less than 0 for a role that has none."""
    slots = slots_of(state, problem)
    for role in range(problem[ROLES]):
        if moves[role] >= 0:
            make_move(state, slots, problem, role, moves[role])
    advance(state, slots, problem)


@njit_uncounted
def random_game(state: Any, problem: Any, random: Any, most: Any) -> Any:
    """Uniformly random moves of all roles in turn until the game is over, `most` steps at the most: how many it took;
    -1 if a role had no move."""
    slots = slots_of(state, problem)
    steps = np.int64(0)
    while steps < most and not is_over(state, problem):
        for role in range(number(problem, ROLES)):
            move = random_move(state, problem, random, role)
            if move < 0:
                return np.int64(-1)
            make_move(state, slots, problem, role, move)
        advance(state, slots, problem)
        steps += 1
    return steps


STEPS, UNFINISHED, STUCK, WITHOUT_GOAL, WITH_SEVERAL = range(5)
"""What is counted in random games: games that did not end, in which a role had no move, or no goal, or several."""


@njit
def random_games(first: Any, problem: Any, random: Any, most: Any, games: Any, counts: Any) -> None:
    """Some random games from the same state on."""
    goal, last = problem[GOAL_WORD], problem[GOAL_WORD] + problem[ROLES]
    for _ in range(games):
        state = first.copy()
        steps = random_game(state, problem, random, most)
        counts[STEPS] += max(0, steps)
        if steps < 0:
            counts[STUCK] += 1
        elif not is_over(state, problem):
            counts[UNFINISHED] += 1
        else:
            counts[WITHOUT_GOAL] += np.any(state[goal:last] == np.uint64(NONE))
            counts[WITH_SEVERAL] += np.any(state[goal:last] == np.uint64(SEVERAL))


# What a game of one role is to the engine.


@njit_uncounted
def actions(state: Any, problem: Any, out: Any) -> Any:
    if is_over(state, problem):
        return np.int64(0)
    n = legal_moves(state, problem, _ZERO, out)
    if n == 0:
        raise ValueError("the rules leave no legal move before the game is over")
    return n


@njit_uncounted
def play(state: Any, problem: Any, action: Any) -> None:
    slots = slots_of(state, problem)
    make_move(state, slots, problem, _ZERO, action)
    advance(state, slots, problem)


@njit_uncounted
def is_final(state: Any, problem: Any) -> bool:
    return bool(is_over(state, problem))


@njit_uncounted
def reward(state: Any, problem: Any) -> float:
    goal = np.int64(state[problem[GOAL_WORD]])
    if goal > 100:
        raise ValueError("the rules give no goal, or several, when the game is over")
    return float(goal / 100.0)


@njit_uncounted
def playout(state: Any, problem: Any, random: Any, sequence: Any, length: Any, limit: Any) -> Any:
    slots = slots_of(state, problem)
    while length < limit and not is_over(state, problem):
        move = random_move(state, problem, random, _ZERO)
        if move < 0:
            raise ValueError("the rules leave no legal move before the game is over")
        sequence[length] = np.int32(move)
        length += 1
        make_move(state, slots, problem, _ZERO, move)
        advance(state, slots, problem)
    return length


KERNELS = Kernels(actions, play, is_final, reward, playout)

"""The rules of all games, compiled once: `domains/gdl/layout.py` says what stands where.

A variable that changes moves the counters of its readers by one, and turns its wires. A counter that leaves or reaches
0 turns the bit of its node among those that must be looked at; one that crosses twice turns it back. They are looked at
in ascending order, so that each changes once at most, as the inputs of a node have smaller numbers.
"""

from typing import Any

import numpy as np

from domains.bits import nth_set_bit, popcount, trailing_zeros
from domains.gdl.layout import (
    BLOCK_OF_AT,
    BLOCKS,
    BLOCKS_AT,
    CHANGED_WORD,
    COUNTER_WORD,
    DIRTY_WORD,
    FIRST_MOVE,
    FIRST_NODE,
    GOAL_WORD,
    GOALS,
    GOALS_AT,
    INPUTS_AT,
    LAST_WORD,
    LEGAL_WORD,
    MAIN,
    NEXT_WORD,
    NODES,
    NONE,
    READERS_AT,
    ROLE_MOVES_AT,
    ROLE_WORDS_AT,
    ROLES,
    ROOM_WORD,
    SEVERAL,
    TERMINAL_WORD,
    TRIGGERS_AT,
    TURN_WORD,
    TURNS_AT,
    WIRES_AT,
)
from domains.kernels import Kernels, below, njit, njit_inline

_ZERO, _ONE, _LOW = np.uint64(0), np.uint64(1), np.uint64(63)


@njit_inline
def turn_bit(state: Any, address: Any) -> None:
    state[address >> 6] ^= _ONE << (np.uint64(address) & _LOW)


@njit_inline
def bit(state: Any, address: Any) -> Any:
    return (state[address >> 6] >> (np.uint64(address) & _LOW)) & _ONE


@njit
def turn(state: Any, counters: Any, problem: Any, variable: Any, is_true: Any) -> None:
    """Tell all that depends on a variable that it has become true, or false."""
    variables = np.int64(problem[FIRST_NODE]) + problem[NODES] + 1
    counter, dirty = 4 * np.int64(problem[COUNTER_WORD]), 64 * np.int64(problem[DIRTY_WORD])
    at = np.int64(problem[READERS_AT])
    for i in range(at + variables + problem[at + variable], at + variables + problem[at + variable + 1]):
        reader = np.int64(problem[i])
        node = reader >> 1
        before = counters[counter + node]
        if is_true != (reader & 1):
            counters[counter + node] = before - 1
            crosses = before == 1
        else:
            counters[counter + node] = before + 1
            crosses = before == 0
        if crosses:
            turn_bit(state, dirty + node)
    at = np.int64(problem[WIRES_AT])
    for i in range(at + variables + problem[at + variable], at + variables + problem[at + variable + 1]):
        turn_bit(state, np.int64(problem[i]))
    at = np.int64(problem[TRIGGERS_AT])
    for i in range(at + variables + problem[at + variable], at + variables + problem[at + variable + 1]):
        address = dirty + problem[i]
        state[address >> 6] |= _ONE << (np.uint64(address) & _LOW)


@njit
def holds(state: Any, counters: Any, problem: Any, signal: Any) -> bool:
    """Whether a signal is true, when all nodes before have been looked at."""
    variable = np.int64(signal) >> 1
    first_node, first_move = np.int64(problem[FIRST_NODE]), np.int64(problem[FIRST_MOVE])
    if variable >= first_node:
        node = variable - first_node
        if node < problem[MAIN]:
            is_true = counters[4 * np.int64(problem[COUNTER_WORD]) + node] == 0
        else:
            is_true = bit(state, 64 * np.int64(problem[ROOM_WORD]) + node - problem[MAIN]) != _ZERO
    elif variable >= first_move:
        move, is_true = variable - first_move, False
        at, last = np.int64(problem[ROLE_MOVES_AT]), np.int64(problem[LAST_WORD])
        for role in range(problem[ROLES]):
            if problem[at + role] + np.int64(state[last + role]) == move:
                is_true = True
    else:
        is_true = variable == 0 or bit(state, variable - 1) != _ZERO
    return bool(is_true != bool(signal & 1))


NEWLY_TRUE = 2
"""Added to the counter of a node of a block while the block is worked out."""


@njit
def settle(state: Any, counters: Any, problem: Any, block: Any) -> None:
    """Work a block out again, and tell what has changed."""
    places = np.int64(problem[BLOCKS_AT])
    at = places + problem[BLOCKS] + 1 + problem[places + block]
    first, count, rules = np.int64(problem[at]), np.int64(problem[at + 1]), np.int64(problem[at + 2])
    first_node, counter = np.int64(problem[FIRST_NODE]), 4 * np.int64(problem[COUNTER_WORD])
    changed = True
    while changed:
        changed = False
        rule = at + 3
        for _ in range(rules):
            node = counter + problem[rule] - first_node
            inputs = np.int64(problem[rule + 1])
            if counters[node] < NEWLY_TRUE:
                is_true = True
                for i in range(rule + 2, rule + 2 + inputs):
                    variable = np.int64(problem[i]) >> 1
                    if first <= variable < first + count:
                        is_true = counters[counter + variable - first_node] >= NEWLY_TRUE
                    else:
                        is_true = holds(state, counters, problem, problem[i])
                    if not is_true:
                        break
                if is_true:
                    counters[node] += NEWLY_TRUE
                    changed = True
            rule += 2 + inputs
    for member in range(count):
        place = counter + first - first_node + member
        before, after = counters[place] & 1 == 0, counters[place] >= NEWLY_TRUE
        counters[place] = 0 if after else 1
        if before != after:
            turn(state, counters, problem, first + member, np.int64(after))


@njit
def sweep(state: Any, counters: Any, problem: Any) -> None:
    """Look at all nodes that must be, in ascending order."""
    counter, first = 4 * np.int64(problem[COUNTER_WORD]), np.int64(problem[FIRST_NODE])
    start, block_of = np.int64(problem[DIRTY_WORD]), np.int64(problem[BLOCK_OF_AT])
    for word in range(start, np.int64(problem[ROOM_WORD])):
        while state[word] != _ZERO:
            node = 64 * (word - start) + np.int64(trailing_zeros(state[word]))
            state[word] &= state[word] - _ONE
            if problem[block_of + node] >= 0:
                settle(state, counters, problem, np.int64(problem[block_of + node]))
            else:
                turn(state, counters, problem, first + node, np.int64(counters[counter + node] == 0))


@njit
def make_move(state: Any, counters: Any, problem: Any, role: Any, move: Any) -> None:
    """Let a role's last move be another one; what depends on it is looked at later."""
    last = np.int64(problem[LAST_WORD]) + role
    before = np.int64(state[last])
    if before != move:
        first = np.int64(problem[FIRST_MOVE]) + problem[np.int64(problem[ROLE_MOVES_AT]) + role]
        turn(state, counters, problem, first + before, 0)
        turn(state, counters, problem, first + move, 1)
        state[last] = np.uint64(move)


@njit
def advance(state: Any, counters: Any, problem: Any) -> None:
    """To the next state, by the moves that have been made."""
    sweep(state, counters, problem)
    following, changed = np.int64(problem[NEXT_WORD]), np.int64(problem[CHANGED_WORD])
    bases = changed - following
    for word in range(bases):  # all of them first: they change as soon as a base does
        state[changed + word] = state[word] ^ state[following + word]
        state[word] = state[following + word]
    for word in range(bases):
        while state[changed + word] != _ZERO:
            base = np.int64(trailing_zeros(state[changed + word]))
            state[changed + word] &= state[changed + word] - _ONE
            is_true = np.int64((state[word] >> np.uint64(base)) & _ONE)
            turn(state, counters, problem, 1 + 64 * word + base, is_true)
    sweep(state, counters, problem)
    if is_over(state, problem):
        work_goals_out(state, counters, problem)


@njit
def work_goals_out(state: Any, counters: Any, problem: Any) -> None:
    main, at, room = np.int64(problem[MAIN]), np.int64(problem[INPUTS_AT]), 64 * np.int64(problem[ROOM_WORD])
    count = problem[NODES] - main
    for node in range(count):
        is_true = True
        for i in range(at + count + 1 + problem[at + node], at + count + 1 + problem[at + node + 1]):
            if not holds(state, counters, problem, problem[i]):
                is_true = False
                break
        if is_true != (bit(state, room + node) != _ZERO):
            turn_bit(state, room + node)
    goal = np.int64(problem[GOAL_WORD])
    for role in range(problem[ROLES]):
        state[goal + role] = np.uint64(NONE)
    for i in range(problem[GOALS]):
        at = np.int64(problem[GOALS_AT]) + 3 * i
        if holds(state, counters, problem, problem[at + 2]):
            word = goal + problem[at]
            sound = state[word] == np.uint64(NONE) and problem[at + 1] >= 0
            state[word] = np.uint64(problem[at + 1]) if sound else np.uint64(SEVERAL)


@njit
def is_over(state: Any, problem: Any) -> bool:
    return bool(state[problem[TERMINAL_WORD]] != _ZERO)


@njit
def not_now(state: Any, problem: Any, role: Any) -> Any:
    """All bits if it is not the turn of a role, otherwise none."""
    signal = np.int64(problem[np.int64(problem[TURNS_AT]) + role])
    is_true = signal >> 1 == 0 or bit(state, (signal >> 1) - 1) != _ZERO
    return _ZERO if is_true != bool(signal & 1) else ~_ZERO


@njit
def legal_moves(state: Any, problem: Any, role: Any, out: Any) -> Any:
    """How many moves a role has, which are written to `out`, in order."""
    at = np.int64(problem[ROLE_WORDS_AT]) + role
    first, turns, n = np.int64(problem[LEGAL_WORD]), np.int64(problem[TURN_WORD]), np.int64(0)
    hidden = not_now(state, problem, role)
    for word in range(problem[at], problem[at + 1]):
        left = state[first + word] & ~(state[turns + word] & hidden)
        while left != _ZERO:
            out[n] = np.int32(64 * (word - problem[at]) + np.int64(trailing_zeros(left)))
            left &= left - _ONE
            n += 1
    return n


@njit
def random_move(state: Any, problem: Any, random: Any, role: Any) -> Any:
    """One of a role's moves, by one draw; -1 if there is none."""
    at = np.int64(problem[ROLE_WORDS_AT]) + role
    first, turns, n = np.int64(problem[LEGAL_WORD]), np.int64(problem[TURN_WORD]), _ZERO
    hidden = not_now(state, problem, role)
    for word in range(problem[at], problem[at + 1]):
        n += popcount(state[first + word] & ~(state[turns + word] & hidden))
    if n == _ZERO:
        return np.int64(-1)
    chosen = np.uint64(below(random, np.int64(n)))
    for word in range(problem[at], problem[at + 1]):
        legal = state[first + word] & ~(state[turns + word] & hidden)
        here = popcount(legal)
        if chosen < here:
            return 64 * np.int64(word - problem[at]) + np.int64(nth_set_bit(legal, chosen))
        chosen -= here
    return np.int64(-1)


@njit
def play_together(state: Any, problem: Any, moves: Any) -> None:
    """A legal move of each role, all at once; less than 0 for a role that has none."""
    counters = state.view(np.int16)
    for role in range(problem[ROLES]):
        if moves[role] >= 0:
            make_move(state, counters, problem, role, np.int64(moves[role]))
    advance(state, counters, problem)


@njit
def random_game(state: Any, problem: Any, random: Any, most: Any) -> Any:
    """Uniformly random moves of all roles in turn until the game is over, `most` steps at the most: how many it took;
    -1 if a role had no move."""
    counters = state.view(np.int16)
    steps = np.int64(0)
    while steps < most and not is_over(state, problem):
        for role in range(problem[ROLES]):
            move = random_move(state, problem, random, np.int64(role))
            if move < 0:
                return np.int64(-1)
            make_move(state, counters, problem, role, move)
        advance(state, counters, problem)
        steps += 1
    return steps


# What a game of one role is to the engine.


@njit
def actions(state: Any, problem: Any, out: Any) -> Any:
    if is_over(state, problem):
        return np.int64(0)
    n = legal_moves(state, problem, np.int64(0), out)
    if n == 0:
        raise ValueError("the rules leave no legal move before the game is over")
    return n


@njit
def play(state: Any, problem: Any, action: Any) -> None:
    counters = state.view(np.int16)
    make_move(state, counters, problem, np.int64(0), np.int64(action))
    advance(state, counters, problem)


@njit
def is_final(state: Any, problem: Any) -> bool:
    return bool(is_over(state, problem))


@njit
def reward(state: Any, problem: Any) -> float:
    goal = np.int64(state[problem[GOAL_WORD]])
    if goal > 100:
        raise ValueError("the rules give no goal, or several, when the game is over")
    return float(goal / 100.0)


@njit
def playout(state: Any, problem: Any, random: Any, sequence: Any, length: Any, limit: Any) -> Any:
    counters = state.view(np.int16)
    while length < limit and not is_over(state, problem):
        move = random_move(state, problem, random, np.int64(0))
        if move < 0:
            raise ValueError("the rules leave no legal move before the game is over")
        sequence[length] = np.int32(move)
        length += 1
        make_move(state, counters, problem, np.int64(0), move)
        advance(state, counters, problem)
    return length


KERNELS = Kernels(actions, play, is_final, reward, playout)

"""The rules of `domains/regression.py` as compiled functions; sequence, depth, remaining, ... are explained there.

Glossary
    block     the points one pass over the sequence is for, so that the stack of rows fits into a small piece of memory
    row       one value for each point of a block
    leaf row  the row of x or 1 with up to two functions applied, such as log(sin(x)); computed once for a target.
              Leaf c under function f is leaf 4 c + f - 4: 0 is x, 1 is 1, 2 is sin(x), ..., 6 is sin(1), ...
    top       the row on top of the stack; the ones beneath it are in `stack`

    state     int32: remaining, depth, count of symbols, then room for `length` symbols ('stop' is not kept)
    problem   float64: PADDED, BLOCK, EXPANDABLE, then rows over all points: y, weight, leaf 0, leaf 1, ...
              Points are padded to whole blocks with points of weight 0.

Figures in comments: nanoseconds of a random playout with its reward, on one core of a Zen 5 (about 130 in all).
"""

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from domains import portable_math_kernels as portable
from domains.kernels import Kernels, below, njit, njit_inline
from domains.portable_math import CODY_WAITE_LIMIT, INF
from domains.regression import (
    DIVIDED_BY,
    EXP,
    FUNCTION_OF,
    FUNCTIONS,
    LANES,
    LARGEST_MISS,
    LOG,
    MINUS,
    ONE,
    OPERANDS,
    OPERATORS,
    PLUS,
    SIN,
    STOP,
    TIMES,
    X,
)
from domains.scratch import part, scratch

if TYPE_CHECKING:
    from domains.regression import Target

REMAINING, DEPTH, COUNT, SYMBOLS = 0, 1, 2, 3
PADDED, BLOCK, EXPANDABLE, ROWS = 0, 1, 2, 3
LARGEST_BLOCK = 64
STACK_SIZE = 2048
LEAVES_OF_DEPTH = (2, 10, 42)
MANY_POINTS = 1024
"""From here on the second level of leaf rows is left out: it would be too large and too long in the making."""

SIGN = np.uint64(1 << 63)
QUARTER_TURN, NONE = np.uint64(1), np.uint64(0)


def _packed(depth: int, room: int) -> int:
    """The legal symbols in 64 bits: each has six, its number and above it what it adds to the depth plus 1; the count
    is in the upper four. With tables in memory the chain from one draw to the next was longer (10 ns)."""
    symbols: list[int] = []
    if room > 0:
        symbols += OPERANDS
    if depth >= 2:
        symbols += OPERATORS
    if depth >= 1 and room >= 0:
        symbols += FUNCTIONS
    if depth == 1:
        symbols.append(STOP)
    growth = [2 if s in OPERANDS else 0 if s in OPERATORS else 1 for s in symbols]
    fields = (symbol | grown << 4 for symbol, grown in zip(symbols, growth, strict=True))
    return sum(field << 6 * i for i, field in enumerate(fields)) | len(symbols) << 60


MOST_LEGAL = len(OPERANDS) + len(OPERATORS) + len(FUNCTIONS)
_LEGAL = np.array([_packed(depth, room) for depth in (0, 1, 2) for room in (-1, 0, 1)], dtype=np.uint64)
_U3, _U4, _U6, _U15, _U60 = (np.uint64(n) for n in (3, 4, 6, 15, 60))


@njit_inline
def _legal(depth: int, room: int) -> Any:
    # Indices are unsigned: a signed one costs a test for Python's counting from the end.
    return _LEGAL[np.uint64((6 if depth >= 2 else 3 * depth) + (1 if room > 0 else room) + 1)]


@njit_inline
def _growth(field: np.uint64) -> Any:
    return np.int64((field >> _U4) & _U3) - 1


@njit
def actions(state: np.ndarray, problem: np.ndarray, out: np.ndarray) -> np.int64:
    remaining, depth = np.int64(state[REMAINING]), np.int64(state[DEPTH])
    if remaining == 0:
        return np.int64(0)
    legal = _legal(depth, remaining - depth)
    for i in range(MOST_LEGAL):  # all that there is room for, at once: where a loop of few rounds ends costs more
        out[i] = (legal >> (np.uint64(i) * _U6)) & _U15
    return np.int64(legal >> _U60)


@njit
def play(state: np.ndarray, problem: np.ndarray, action: int) -> None:
    if action == STOP:
        state[REMAINING] = 0
        return
    state[SYMBOLS + state[COUNT]] = action
    state[COUNT] += 1
    state[REMAINING] -= 1
    state[DEPTH] += 1 if action <= ONE else -1 if action <= DIVIDED_BY else 0


@njit
def is_final(state: np.ndarray, problem: np.ndarray) -> bool:
    return bool(state[REMAINING] == 0)


@njit
def playout(
    state: np.ndarray, problem: np.ndarray, random: np.ndarray, sequence: np.ndarray, length: int, limit: int
) -> int:
    remaining, depth, count = np.int64(state[REMAINING]), np.int64(state[DEPTH]), np.int64(state[COUNT])
    while remaining > 0 and length < limit:
        legal = _legal(depth, remaining - depth)
        field = legal >> (np.uint64(below(random, np.int64(legal >> _U60))) * _U6)
        symbol = np.int32(field & _U15)
        sequence[np.uint64(length)] = symbol
        length += 1
        if symbol == STOP:
            remaining = np.int64(0)
        else:
            state[np.uint64(SYMBOLS + count)] = symbol
            count += 1
            remaining -= 1
            depth += _growth(field)
    state[REMAINING], state[DEPTH], state[COUNT] = remaining, depth, count
    return length


@njit
def reward(state: np.ndarray, problem: np.ndarray) -> float:
    top = scratch(LARGEST_BLOCK)
    stack = scratch(STACK_SIZE)
    count, padded, expandable = np.int64(state[COUNT]), np.int64(problem[PADDED]), np.int64(problem[EXPANDABLE])
    # The compiler shall see that rows are whole lanes, but not how many: a loop of known length is unrolled first and
    # not made into vector code after.
    width = np.int64(problem[BLOCK]) // LANES * LANES
    l0 = l1 = l2 = l3 = l4 = l5 = l6 = l7 = 0.0
    for start in range(ROWS, ROWS + padded, width):
        leaves = start + 2 * padded
        depth = i = 0
        while i < count:
            symbol = np.int64(state[np.uint64(SYMBOLS + i)])
            i += 1
            if symbol <= ONE:
                # Leaf rows spare more than half of the functions (30 ns).
                leaf = symbol
                following = np.int64(STOP)
                while i < count:
                    following = np.int64(state[np.uint64(SYMBOLS + i)])
                    if following < SIN or leaf >= expandable:
                        break
                    leaf = 4 * leaf + following - 4
                    following = np.int64(STOP)
                    i += 1
                row = part(problem, leaves + leaf * padded)
                if PLUS <= following <= DIVIDED_BY:
                    # The operator takes the leaf as it is, without a way over the stack.
                    i += 1
                    _operate(following, top, row, top, width)
                else:
                    if depth > 0:
                        _copy(top, part(stack, (depth - 1) * width), width)
                    _copy(row, top, width)
                    depth += 1
            elif symbol <= DIVIDED_BY:
                depth -= 1
                _operate(symbol, part(stack, (depth - 1) * width), top, top, width)
            elif symbol == LOG:
                for j in range(width):
                    top[j] = portable.log(top[j])
            elif symbol == EXP:
                for j in range(width):
                    top[j] = portable.exp(top[j])
            else:
                _sine(symbol, top, width)
        ys, weights = part(problem, start), part(problem, start + padded)
        for j in range(width):
            value = top[j] if abs(top[j]) < INF else 0.0
            miss = abs(value - ys[j])
            top[j] = (miss if miss < LARGEST_MISS else LARGEST_MISS) * weights[j]
        for j in range(0, width, LANES):
            l0 += top[j]
            l1 += top[j + 1]
            l2 += top[j + 2]
            l3 += top[j + 3]
            l4 += top[j + 4]
            l5 += top[j + 5]
            l6 += top[j + 6]
            l7 += top[j + 7]
    return 1.0 - (((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7)))


@njit_inline
def _operate(operator: int, left: np.ndarray, right: np.ndarray, out: np.ndarray, width: int) -> None:
    if operator == PLUS:
        for j in range(width):
            out[j] = left[j] + right[j]
    elif operator == MINUS:
        for j in range(width):
            out[j] = left[j] - right[j]
    elif operator == TIMES:
        for j in range(width):
            out[j] = left[j] * right[j]
    else:
        for j in range(width):
            out[j] = left[j] / right[j]


@njit_inline
def _copy(source: np.ndarray, out: np.ndarray, width: int) -> None:
    for j in range(width):
        out[j] = source[j]


@njit_inline
def _sine(symbol: int, row: np.ndarray, width: int) -> None:
    huge = False
    for j in range(width):
        size = abs(row[j])
        huge |= (size > CODY_WAITE_LIMIT) & (size < INF)
    if huge:
        # Rare; most of these rows are constant, so that the last result is the next one (7 ns).
        bits, value = ~portable.bits_of(row[0]), 0.0
        for j in range(width):
            # By their bits, since 0 and -0 are equal.
            if portable.bits_of(row[j]) != bits:
                bits = portable.bits_of(row[j])
                value = portable.sin(row[j]) if symbol == SIN else portable.cos(row[j])
            row[j] = value
    else:
        quarter_turns, sign = (NONE, SIGN) if symbol == SIN else (QUARTER_TURN, NONE)
        for j in range(width):
            row[j] = portable.sine_row_value(row[j], quarter_turns, sign)


@njit_inline
def code(state: np.ndarray, problem: np.ndarray, action: int) -> np.int64:
    return np.int64(state[COUNT]) << 4 | np.int64(action)


KERNELS = Kernels(actions, play, is_final, reward, playout, code)
_PROBLEMS: "weakref.WeakKeyDictionary[Target, dict[int, np.ndarray]]" = weakref.WeakKeyDictionary()


def problem_array(target: "Target", length: int) -> np.ndarray:
    """The problem array of a target for sequences of at most `length` symbols; the same one each time."""
    cached = _PROBLEMS.setdefault(target, {})
    if length not in cached:
        cached[length] = _new_problem_array(target, length)
    return cached[length]


def _new_problem_array(target: "Target", length: int) -> np.ndarray:
    points = len(target.xs)
    rows_on_stack = max(1, (length - 1) // 2)
    widest = min(LARGEST_BLOCK, STACK_SIZE // rows_on_stack // LANES * LANES)
    block = min(widest, -(-points // LANES) * LANES)
    padded = -(-points // block) * block
    levels = 2 if padded < MANY_POINTS else 1
    problem = np.zeros(ROWS + (2 + LEAVES_OF_DEPTH[levels]) * padded)
    problem[:ROWS] = padded, block, LEAVES_OF_DEPTH[levels - 1]
    ys, weights, *leaves = problem[ROWS:].reshape(-1, padded)
    ys[:points], weights[:points] = target.ys, 1.0 / points
    leaves[X][:points], leaves[X][points:] = target.xs, target.xs[-1]
    leaves[ONE][:] = 1.0
    for leaf in range(LEAVES_OF_DEPTH[levels - 1]):
        for symbol in FUNCTIONS:
            # By their bits, since 0 and -0 are equal.
            different, where = np.unique(leaves[leaf].view(np.uint64), return_inverse=True)
            results = [FUNCTION_OF[symbol](argument) for argument in different.view(np.float64).tolist()]
            leaves[4 * leaf + symbol - 4][:] = np.array(results)[where]
    return problem


def state_array(remaining: int, depth: int, symbols: list[int], length: int) -> np.ndarray:
    """The state array after `symbols`."""
    state = np.zeros(SYMBOLS + length, dtype=np.int32)
    state[:SYMBOLS] = remaining, depth, len(symbols)
    state[SYMBOLS : SYMBOLS + len(symbols)] = symbols
    return state

"""The rules of `domains/sudoku_simple.py`, compiled.

Glossary
    blanks    the set of the blanks, as bits: bit i stands for number i of the 21 cells that are blank in the problem
    digits    of a unit: the set of the digits in it, bit 0 for the digit 1; ALL_DIGITS if the unit is complete

A state is one uint64 array: blanks, then the digits of the 27 units. What cell holds which digit is not kept.
"""

from typing import Any

import numpy as np

from domains.bits import nth_set_bit, popcount, trailing_zeros
from domains.kernels import Kernels, below, njit
from domains.sudoku_simple import CELLS, GIVEN, SIDE, Grid, score_of_complete, units_of

BLANKS, DIGITS = 0, 1
UNIT_COUNT = 3 * SIDE
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_SIDE = np.uint64(SIDE)
ALL_DIGITS = np.uint64((1 << SIDE) - 1)

CELL_OF_BLANK = np.array([cell for cell in range(CELLS) if not GIVEN[cell]], np.uint64)
BLANK_OF_CELL = np.array([GIVEN[:cell].count(0) for cell in range(CELLS)], np.uint64)
UNITS_OF_CELL = np.array([units_of(cell) for cell in range(CELLS)], np.uint64)
REWARDS = np.array([score_of_complete(complete) / 100 for complete in range(UNIT_COUNT + 1)])

NO_PROBLEM = np.zeros(1, np.uint64)
NO_PROBLEM.setflags(write=False)


def encoded(grid: Grid) -> tuple[np.ndarray, np.ndarray]:
    words = [0] * (DIGITS + UNIT_COUNT)
    for cell, digit in enumerate(grid):
        if digit:
            for unit in units_of(cell):
                words[DIGITS + unit] |= 1 << digit - 1
        else:
            words[BLANKS] |= 1 << int(BLANK_OF_CELL[cell])
    return NO_PROBLEM, np.array(words, np.uint64)


@njit
def write(state: Any, blank: Any, cell: Any, value: Any) -> None:
    state[BLANKS] &= ~(_ONE << blank)
    for kind in range(3):
        state[np.uint64(DIGITS) + UNITS_OF_CELL[cell, kind]] |= _ONE << value


@njit
def actions(state: Any, problem: Any, out: Any) -> int:
    n = 0
    blanks = state[BLANKS]
    while blanks != _ZERO:
        first = np.int32(CELL_OF_BLANK[trailing_zeros(blanks)] * _SIDE)
        blanks &= blanks - _ONE
        for value in range(SIDE):
            out[n] = first + np.int32(value)
            n += 1
    return n


@njit
def play(state: Any, problem: Any, action: Any) -> None:
    cell = np.uint64(action) // _SIDE
    write(state, BLANK_OF_CELL[cell], cell, np.uint64(action) % _SIDE)


@njit
def is_final(state: Any, problem: Any) -> bool:
    return bool(state[BLANKS] == _ZERO)


@njit
def reward(state: Any, problem: Any) -> float:
    complete = 0
    for unit in range(UNIT_COUNT):
        complete += state[DIGITS + unit] == ALL_DIGITS
    return float(REWARDS[complete])


@njit
def playout(state: Any, problem: Any, random: Any, sequence: Any, length: int, limit: int) -> int:
    count = popcount(state[BLANKS])
    while length < limit and count != _ZERO:
        choice = np.uint64(below(random, count * _SIDE))
        blank = nth_set_bit(state[BLANKS], choice // _SIDE)
        cell, value = CELL_OF_BLANK[blank], choice % _SIDE
        sequence[length] = np.int32(cell * _SIDE + value)
        length += 1
        count -= _ONE
        write(state, blank, cell, value)
    return length


KERNELS = Kernels(actions=actions, play=play, is_final=is_final, reward=reward, playout=playout)

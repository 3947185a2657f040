"""The rules of `domains/queens.py`, compiled.

Glossary
    board     the set of the squares with a queen, as bits: 50 squares in each of two words
    lines     a set of rows, columns and diagonals, as bits of one word: there are 58
    once      the lines with a queen or more; twice: with two or more

A state is one uint64 array: number of queens, once, twice, the two words of the board. A queen is sharing if and only
if one of her four lines is in `twice`.
"""

from typing import Any

import numpy as np

from domains.bits import nth_set_bit, popcount, trailing_zeros
from domains.kernels import Kernels, below, njit
from domains.queens import QUEENS, SCORES, SQUARES, Board, lines_of

COUNT, ONCE, TWICE, BOARD = 0, 1, 2, 3
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_QUEENS, _SQUARES = np.uint64(QUEENS), np.uint64(SQUARES)
WORDS = 2
WORD_SIZE = SQUARES // WORDS
_WORD_SIZE = np.uint64(WORD_SIZE)
FULL_WORD = np.uint64((1 << WORD_SIZE) - 1)
LINES_OF_SQUARE = np.array([sum(1 << line for line in lines_of(square)) for square in range(SQUARES)], np.uint64)
SCORE_OF_SHARING = np.array(SCORES, np.int64)

NO_PROBLEM = np.zeros(1, np.uint64)
NO_PROBLEM.setflags(write=False)


def encoded(board: Board) -> tuple[np.ndarray, np.ndarray]:
    words = [len(board), 0, 0, 0, 0]
    for square in board:
        lines = sum(1 << line for line in lines_of(square))
        words[TWICE] |= words[ONCE] & lines
        words[ONCE] |= lines
        words[BOARD + square // WORD_SIZE] |= 1 << square % WORD_SIZE
    return NO_PROBLEM, np.array(words, np.uint64)


@njit
def actions(state: Any, problem: Any, out: Any) -> int:
    if state[COUNT] == _QUEENS:
        return 0
    n = 0
    for word in range(WORDS):
        empty = ~state[BOARD + word] & FULL_WORD
        while empty != _ZERO:
            out[n] = np.int32(np.uint64(word * WORD_SIZE) + trailing_zeros(empty))
            empty &= empty - _ONE
            n += 1
    return n


@njit
def play(state: Any, problem: Any, action: Any) -> None:
    square = np.uint64(action)
    lines = LINES_OF_SQUARE[square]
    state[COUNT] += _ONE
    state[TWICE] |= state[ONCE] & lines
    state[ONCE] |= lines
    state[np.uint64(BOARD) + square // _WORD_SIZE] |= _ONE << square % _WORD_SIZE


@njit
def is_final(state: Any, problem: Any) -> bool:
    return bool(state[COUNT] == _QUEENS)


@njit
def reward(state: Any, problem: Any) -> float:
    sharing = 0
    for word in range(WORDS):
        queens = state[BOARD + word]
        while queens != _ZERO:
            square = np.uint64(word * WORD_SIZE) + trailing_zeros(queens)
            queens &= queens - _ONE
            sharing += (LINES_OF_SQUARE[square] & state[TWICE]) != _ZERO
    return float(SCORE_OF_SHARING[sharing] * np.int64(state[COUNT]) / (100 * QUEENS))


@njit
def playout(state: Any, problem: Any, random: Any, sequence: Any, length: int, limit: int) -> int:
    while length < limit and state[COUNT] != _QUEENS:
        rank = np.uint64(below(random, _SQUARES - state[COUNT]))
        first_word = ~state[BOARD] & FULL_WORD
        before = popcount(first_word)
        if rank < before:
            square = nth_set_bit(first_word, rank)
        else:
            square = _WORD_SIZE + nth_set_bit(~state[BOARD + 1] & FULL_WORD, rank - before)
        sequence[length] = np.int32(square)
        length += 1
        play(state, problem, square)
    return length


KERNELS = Kernels(actions=actions, play=play, is_final=is_final, reward=reward, playout=playout)

"""Sudoku's rules as Numba functions on sets of cells.

Glossary
    word          64 cells as the bits of one number; a set of cells is WORDS of them, from cell 0 on
    open          the set of the empty cells
    fewest        the set of the open cells with the fewest candidates; `count` says how many candidates each has
    has[value]    the set of the cells that still have `value` as a candidate
    plane         the number of candidates of a cell, written in binary, is one bit in each of PLANES sets of cells

What `has` and the planes say of filled cells has no meaning: `open` is what tells.

A state is one array of words: open, fewest, count, the planes from the lowest bit on, then `has`, where the words of
all values for the same 64 cells lie together. `count` is 0 if and only if the state is final, filled grids included.

Speeds below are random playouts of Sudoku(4) per second on one core, of 1.65 M as it stands. A C program that keeps one
set of cells for each number of candidates reaches 0.72 M: it has to visit the cells that lose a candidate one by one,
while counts in planes lose one in all those cells at once, without a branch that depends on the grid.
"""

from functools import cache
from typing import Any

import numpy as np

from domains.bits import nth_set_bit, popcount, trailing_zeros
from domains.kernels import Kernels, next_bits, njit, njit_inline
from domains.sudoku import Grid, peers_of

WORD_SIZE = 64
_ZERO, _ONE = np.uint64(0), np.uint64(1)
_WORD_SHIFT, _BIT_IN_WORD = np.uint64(6), np.uint64(WORD_SIZE - 1)
_32, _LOW_32 = np.uint64(32), np.uint64(0xFFFFFFFF)


class Layout:
    """Where things lie in the state array of one order."""

    def __init__(self, order: int) -> None:
        self.side = order**2
        self.cells = order**4
        self.words = -(-self.cells // WORD_SIZE)
        self.planes = self.side.bit_length()
        self.open = 0
        self.fewest = self.words
        self.count = 2 * self.words
        self.plane = self.count + 1
        self.has = self.plane + self.planes * self.words
        self.length = self.has + self.side * self.words


def encoded(order: int, grid: Grid) -> np.ndarray:
    """The state array of `grid`."""
    layout = Layout(order)
    words = [0] * layout.length
    open_cells = [cell for cell, number in enumerate(grid.numbers) if not number]
    fewest = min((grid.counts[cell] for cell in open_cells), default=0)
    words[layout.count] = fewest
    for cell in open_cells:
        word, bit = cell // WORD_SIZE, 1 << cell % WORD_SIZE
        words[layout.open + word] |= bit
        if grid.counts[cell] == fewest:
            words[layout.fewest + word] |= bit
        for plane in range(layout.planes):
            if grid.counts[cell] >> plane & 1:
                words[layout.plane + plane * layout.words + word] |= bit
        for value in range(layout.side):
            if grid.candidates[cell] >> value & 1:
                words[layout.has + word * layout.side + value] |= bit
    return np.array(words, dtype=np.uint64)


def _peer_words(order: int) -> np.ndarray:
    """The set of peers of every cell, WORDS words each."""
    layout = Layout(order)
    words = [0] * (layout.cells * layout.words)
    for cell, peers in enumerate(peers_of(order)):
        for peer in peers:
            words[cell * layout.words + peer // WORD_SIZE] |= 1 << peer % WORD_SIZE
    return np.array(words, dtype=np.uint64)


@cache
def kernels_for(order: int) -> Kernels:
    """The rules of Sudoku of this order; its sizes and its table of peers are constants to the compiler.

    What is computed from the state is unsigned all through: Numba would turn a mixture with signed numbers into floats,
    and check signed indices for being negative.
    """
    layout = Layout(order)
    CELLS, WORDS, SIDE, PLANES = layout.cells, layout.words, layout.side, layout.planes
    OPEN, FEWEST, COUNT, PLANE = layout.open, layout.fewest, layout.count, layout.plane
    PEERS = _peer_words(order)
    U_OPEN, U_HAS, U_WORDS, U_SIDE = (np.uint64(n) for n in (layout.open, layout.has, layout.words, layout.side))

    # Too large for the compiler to inline unasked; left as calls, this function, `place` and `candidates`: 1.46 M.
    @njit_inline
    def find_fewest(state: Any) -> None:
        """The open cells with the fewest candidates: of those so far, keep the ones without the next lower bit in
        their count, if there are any."""
        anything = _ZERO
        for word in range(WORDS):
            state[FEWEST + word] = state[OPEN + word]
            anything |= state[OPEN + word]
        count = _ZERO
        for from_top in range(PLANES):
            plane = PLANES - 1 - from_top
            without = _ZERO
            for word in range(WORDS):
                without |= state[FEWEST + word] & ~state[PLANE + plane * WORDS + word]
            if without != _ZERO:
                for word in range(WORDS):
                    state[FEWEST + word] &= ~state[PLANE + plane * WORDS + word]
            else:
                count |= _ONE << np.uint64(plane)
        state[COUNT] = count if anything != _ZERO else _ZERO

    @njit_inline
    def place(state: Any, cell: Any, value: Any) -> None:
        state[U_OPEN + (cell >> _WORD_SHIFT)] &= ~(_ONE << (cell & _BIT_IN_WORD))
        for word in range(WORDS):
            has = U_HAS + value + np.uint64(word * SIDE)
            losing = state[has] & PEERS[cell * U_WORDS + np.uint64(word)]
            state[has] ^= losing
            borrow = losing
            for plane in range(PLANES):
                bits = state[PLANE + plane * WORDS + word] ^ borrow
                state[PLANE + plane * WORDS + word] = bits
                borrow &= bits
        find_fewest(state)

    @njit_inline
    def candidates(state: Any, cell: Any) -> Any:
        """The candidates of `cell` as bits, read off the sets of its word; kept by cell, they would have to be
        changed in every peer that loses one."""
        has = U_HAS + (cell >> _WORD_SHIFT) * U_SIDE
        bit = cell & _BIT_IN_WORD
        values = _ZERO
        for value in range(SIDE):
            values |= ((state[has + np.uint64(value)] >> bit) & _ONE) << np.uint64(value)
        return values

    @njit
    def actions(state: Any, problem: Any, out: Any) -> int:
        if state[COUNT] == _ZERO:
            return 0
        n = 0
        for word in range(WORDS):
            cells = state[FEWEST + word]
            while cells != _ZERO:
                cell = np.uint64(word * WORD_SIZE) + trailing_zeros(cells)
                cells &= cells - _ONE
                values = candidates(state, cell)
                while values != _ZERO:
                    out[n] = np.int32(cell * U_SIDE + trailing_zeros(values))
                    values &= values - _ONE
                    n += 1
        return n

    @njit
    def play(state: Any, problem: Any, action: Any) -> None:
        place(state, np.uint64(action) // U_SIDE, np.uint64(action) % U_SIDE)

    @njit
    def is_final(state: Any, problem: Any) -> bool:
        return bool(state[COUNT] == _ZERO)

    @njit
    def reward(state: Any, problem: Any) -> float:
        empty = _ZERO
        for word in range(WORDS):
            empty += popcount(state[OPEN + word])
        return (CELLS - np.int64(empty)) / CELLS

    @njit
    def playout(state: Any, problem: Any, random: Any, sequence: Any, length: int, limit: int) -> int:
        while length < limit and state[COUNT] != _ZERO:
            # Drawn first: for all the compiler knows this write changes `state`, and what it has read of it before must
            # be read again (drawn where it is needed: 1.62 M).
            draw = next_bits(random) >> _32
            count = state[COUNT]
            cells = _ZERO
            for word in range(WORDS):
                cells += popcount(state[FEWEST + word])
            # The action is number floor(draw * cells * count / 2^32) of cells * count, its cell that divided by count,
            # its value the remainder. The high half of draw * cells is the same quotient and the low half times count
            # gives the same remainder: no division (with one: 1.60 M).
            product = draw * cells
            cell_rank = product >> _32
            value_rank = ((product & _LOW_32) * count) >> _32
            # The word with the cell of this rank among the fewest: the last with no more than that many before it.
            chosen, first_cell, rank, before = state[FEWEST], _ZERO, cell_rank, _ZERO
            for word in range(1, WORDS):
                before += popcount(state[FEWEST + word - 1])
                if cell_rank >= before:
                    chosen, first_cell, rank = state[FEWEST + word], np.uint64(word * WORD_SIZE), cell_rank - before
            # On a processor without `pdep` these two take a loop each: 1.10 M.
            cell = first_cell + nth_set_bit(chosen, rank)
            value = nth_set_bit(candidates(state, cell), value_rank)
            sequence[length] = np.int32(cell * U_SIDE + value)
            length += 1
            place(state, cell, value)
        return length

    return Kernels(actions=actions, play=play, is_final=is_final, reward=reward, playout=playout)

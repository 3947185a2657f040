"""`Sudoku.sample` and `encoded`, compiled: a campaign at a small budget draws thousands of grids, and in Python a grid
takes as long as a thousand playouts on it.

Same draws, same grid, same state array; a test compares them.
"""

from functools import cache
from typing import Any

import numpy as np

from domains.kernels import below, njit
from domains.randomness import Random
from domains.sudoku import peers_of
from domains.sudoku_kernels import WORD_SIZE, Layout


@cache
def sampler_for(order: int) -> Any:
    """A compiled function: (random, words) writes the state array of a new grid into `words`, all zero before."""
    layout = Layout(order)
    cells, side, planes = layout.cells, layout.side, layout.planes
    all_values = (1 << side) - 1
    peers = np.array(peers_of(order), dtype=np.int32)
    open_at, fewest_at, count_at, plane_at, has_at = layout.open, layout.fewest, layout.count, layout.plane, layout.has
    n_words = layout.words

    @njit
    def attempt(random: np.ndarray, candidates: np.ndarray, given: np.ndarray) -> bool:
        candidates[:] = all_values
        given[:] = 0
        for cell in range(cells):
            if below(random, 3) != 0:
                continue
            possible = 0
            for value in range(side):
                possible += candidates[cell] >> value & 1
            if possible == 0:
                return False
            left = below(random, possible)
            chosen = -1
            while left >= 0:
                chosen += 1
                left -= candidates[cell] >> chosen & 1
            given[cell] = 1
            for peer in peers[cell]:
                candidates[peer] &= ~(1 << chosen)
        dead = 0
        for cell in range(cells):
            dead += given[cell] == 0 and candidates[cell] == 0
        return dead == 0

    @njit
    def sample(random: np.ndarray, words: np.ndarray) -> None:
        candidates, given = np.empty(cells, np.int64), np.empty(cells, np.uint8)
        while not attempt(random, candidates, given):
            pass
        counts = np.zeros(cells, np.int64)
        fewest = side + 1
        for cell in range(cells):
            for value in range(side):
                counts[cell] += candidates[cell] >> value & 1
            if given[cell] == 0:
                fewest = min(fewest, counts[cell])
        words[count_at] = np.uint64(fewest if fewest <= side else 0)
        for cell in range(cells):
            if given[cell] != 0:
                continue
            word, bit = cell // WORD_SIZE, np.uint64(1) << np.uint64(cell % WORD_SIZE)
            words[open_at + word] |= bit
            if counts[cell] == fewest:
                words[fewest_at + word] |= bit
            for plane in range(planes):
                if counts[cell] >> plane & 1:
                    words[plane_at + plane * n_words + word] |= bit
            for value in range(side):
                if candidates[cell] >> value & 1:
                    words[has_at + word * side + value] |= bit

    return sample


def sampled(order: int, random: Random) -> np.ndarray:
    """The state array of the grid that `Sudoku(order).sample(random)` draws."""
    words, state = np.zeros(Layout(order).length, np.uint64), np.array([random.state], np.uint64)
    sampler_for(order)(state, words)
    random.state = int(state[0])
    return words

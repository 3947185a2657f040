"""The rules of `domains/frogs.py`, compiled.

A state is one uint64 array: the set of the cells with a frog, as bits, the empty cell, and the number of moves. Where
there is neither a frog nor the empty cell, there is a toad.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from domains.bits import popcount
from domains.frogs import ANIMALS, CELLS, FROG, LOWER_RIGHT, MOVES, SOURCES, UPPER_LEFT, WIDTH, Pond
from domains.kernels import Kernels, below, njit

FROGS, EMPTY, MOVED = 0, 1, 2
_ONE = np.uint64(1)
_MOVES = np.uint64(MOVES)
MOST_SOURCES = 8


def set_of(cells: Iterable[int]) -> int:
    return sum(1 << cell for cell in cells)


FROGS_GOAL, TOADS_GOAL = np.uint64(set_of(UPPER_LEFT)), np.uint64(set_of(LOWER_RIGHT))
SOURCE_COUNT = np.array([len(SOURCES.get(cell, ())) for cell in range(WIDTH**2)], np.int64)
SOURCE = np.zeros((WIDTH**2, MOST_SOURCES), np.uint64)
for _cell in CELLS:
    SOURCE[_cell, : SOURCE_COUNT[_cell]] = SOURCES[_cell]

SOURCE_LISTED = SOURCE.astype(np.int32)

NO_PROBLEM = np.zeros(1, np.uint64)
NO_PROBLEM.setflags(write=False)


def encoded(pond: Pond) -> tuple[np.ndarray, np.ndarray]:
    frogs = set_of(cell for cell in CELLS if pond.marks[cell] == FROG)
    return NO_PROBLEM, np.array([frogs, pond.empty, pond.moves], np.uint64)


@njit
def moved(frogs: Any, source: Any, empty: Any) -> Any:
    """The frogs after the animal in the cell `source` went to the cell `empty`."""
    is_frog = (frogs >> source) & _ONE
    return frogs ^ (is_frog << source) ^ (is_frog << empty)


@njit
def actions(state: Any, problem: Any, out: Any) -> int:
    if state[MOVED] == _MOVES:
        return 0
    empty = state[EMPTY]
    for i in range(MOST_SOURCES):  # all that there is room for, at once: where a loop of few rounds ends costs more
        out[i] = SOURCE_LISTED[empty, i]
    return int(SOURCE_COUNT[empty])


@njit
def play(state: Any, problem: Any, action: Any) -> None:
    source = np.uint64(action)
    state[FROGS] = moved(state[FROGS], source, state[EMPTY])
    state[EMPTY] = source
    state[MOVED] += _ONE


@njit
def is_final(state: Any, problem: Any) -> bool:
    return bool(state[MOVED] == _MOVES)


@njit
def reward(state: Any, problem: Any) -> float:
    toads = ~(state[FROGS] | (_ONE << state[EMPTY]))
    placed = popcount(state[FROGS] & FROGS_GOAL) + popcount(toads & TOADS_GOAL)
    return np.int64(placed) / ANIMALS


@njit
def playout(state: Any, problem: Any, random: Any, sequence: Any, length: int, limit: int) -> int:
    frogs, empty, moves = state[FROGS], state[EMPTY], state[MOVED]
    while length < limit and moves != _MOVES:
        source = SOURCE[empty, below(random, SOURCE_COUNT[empty])]
        sequence[length] = np.int32(source)
        length += 1
        frogs = moved(frogs, source, empty)
        empty = source
        moves += _ONE
    state[FROGS], state[EMPTY], state[MOVED] = frogs, empty, moves
    return length


KERNELS = Kernels(actions=actions, play=play, is_final=is_final, reward=reward, playout=playout)

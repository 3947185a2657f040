"""A naive Sudoku, and what the tests of the real one share."""

import itertools

from domains.randomness import Random
from domains.sudoku import Grid, Sudoku

ORDERS = (2, 3, 4, 5)


class Twin:
    """A list of rows, 0 for empty; everything is found out again from the numbers each time."""

    def __init__(self, order: int, rows: list[list[int]]) -> None:
        self.order, self.side, self.rows = order, order**2, rows

    def possible(self, row: int, column: int) -> list[int]:
        top, left = row - row % self.order, column - column % self.order
        seen = set(self.rows[row]) | {line[column] for line in self.rows}
        for line in self.rows[top : top + self.order]:
            seen |= set(line[left : left + self.order])
        return [number for number in range(1, self.side + 1) if number not in seen]

    def empty(self) -> list[tuple[int, int]]:
        places = itertools.product(range(self.side), range(self.side))
        return [(row, column) for row, column in places if not self.rows[row][column]]

    def actions(self) -> list[int]:
        options = {place: self.possible(*place) for place in self.empty()}
        fewest = min(map(len, options.values()), default=0)
        return [
            (row * self.side + column) * self.side + number - 1
            for (row, column), numbers in options.items()
            if len(numbers) == fewest
            for number in numbers
        ]

    def play(self, action: int) -> None:
        cell, value = divmod(action, self.side)
        self.rows[cell // self.side][cell % self.side] = value + 1

    def filled(self) -> int:
        return self.side**2 - len(self.empty())


def twin_of(domain: Sudoku, grid: Grid) -> Twin:
    side = domain.side
    return Twin(domain.order, [grid.numbers[start : start + side] for start in range(0, side**2, side)])


def twin_sample(order: int, random: Random) -> tuple[Twin, int]:
    """The sampled grid and the number of attempts it took."""
    side = order**2
    for attempt in itertools.count(1):
        twin, stuck = Twin(order, [[0] * side for _ in range(side)]), False
        for row, column in itertools.product(range(side), range(side)):
            if random.below(3) == 0:
                numbers = twin.possible(row, column)
                if not numbers:
                    stuck = True
                    break
                twin.rows[row][column] = numbers[random.below(len(numbers))]
        if not stuck and all(twin.possible(*place) for place in twin.empty()):
            return twin, attempt
    raise AssertionError("unreachable")


def empty_grid(order: int) -> Grid:
    side, cells = order**2, order**4
    return Grid([0] * cells, [(1 << side) - 1] * cells, bytearray([side]) * cells)


def grid_of(domain: Sudoku, numbers: dict[int, int]) -> Grid:
    """The grid with these numbers by cell, nothing else."""
    grid = empty_grid(domain.order)
    for cell, number in numbers.items():
        domain.play(grid, cell * domain.side + number - 1)
    return grid


def random_playout(domain: Sudoku, state: Grid, random: Random, limit: int) -> list[int]:
    """The generic loop of the engines."""
    sequence: list[int] = []
    while len(sequence) < limit and (actions := domain.actions(state)):
        sequence.append(actions[random.below(len(actions))])
        domain.play(state, sequence[-1])
    return sequence

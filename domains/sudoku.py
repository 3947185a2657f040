"""Sudoku: fill as many cells as possible of a grid in which every row, column and box holds a number once at most.

Glossary
    order        the side of a box; the grid has order² rows and columns, and as many numbers; newspapers have order 3
    cell         a place in the grid, counted row by row from 0
    peers        the cells that share a row, a column or a box with a cell
    candidate    a number that no peer of an empty cell holds yet
    dead cell    an empty cell without a candidate; the grid is final as soon as it has one
    given        filled from the start; found: filled by the search
    action       cell * order² + (number - 1): action 44 of order 4 writes 13 into cell 2, and is called r1c3=13

Only the empty cells with the fewest candidates may be filled. A grid may have no solution at all.
Cazenave (2009) and Maes, St-Pierre and Ernst (2013) use it as a benchmark for Monte-Carlo search.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from domains.errors import UnknownDomain
from domains.protocol import Domain, replay
from domains.randomness import Random
from domains.svg import document

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import Kernels

ORDERS = (2, 3, 4, 5)
NOT_OPEN = 255
"""Stands for the number of candidates of a filled cell: more than any open cell has."""


@cache
def peers_of(order: int) -> tuple[tuple[int, ...], ...]:
    """The peers of every cell."""
    side = order**2

    def units(cell: int) -> tuple[tuple[str, int], ...]:
        row, column = divmod(cell, side)
        return ("row", row), ("column", column), ("box", row // order * order + column // order)

    cells_of: dict[tuple[str, int], set[int]] = {}
    for cell in range(side**2):
        for unit in units(cell):
            cells_of.setdefault(unit, set()).add(cell)
    return tuple(
        tuple(sorted(set().union(*(cells_of[unit] for unit in units(cell))) - {cell})) for cell in range(side**2)
    )


def values_in(candidates: int) -> Iterator[int]:
    """The set bits of `candidates`, in increasing order."""
    while candidates:
        lowest = candidates & -candidates
        yield lowest.bit_length() - 1
        candidates ^= lowest


@dataclass(slots=True)
class Grid:
    """A state: what is written, and what could be. The counts are bytes, because `min` and `find` on bytes need no
    loop in Python."""

    numbers: list[int]
    """The number in each cell, 0 for none."""
    candidates: list[int]
    """The candidates of each cell as bits, bit 0 for the number 1; none for a filled cell."""
    counts: bytearray
    """How many candidates each cell has; NOT_OPEN for a filled one."""

    def write(self, cell: int, value: int, peers: Sequence[int]) -> None:
        """Write the number value + 1 into the empty `cell`."""
        self.numbers[cell] = value + 1
        self.candidates[cell] = 0
        self.counts[cell] = NOT_OPEN
        candidates, bit = self.candidates, 1 << value
        for peer in peers:
            if candidates[peer] & bit:
                candidates[peer] ^= bit
                self.counts[peer] -= 1

    @property
    def filled(self) -> int:
        return len(self.numbers) - self.numbers.count(0)

    @property
    def dead(self) -> int:
        return self.counts.count(0)


class Sudoku(Domain):
    """Sudoku on an order² × order² grid in which about a third of the cells is given."""

    unit = "filled cells"
    values_unfinished = True

    def __init__(self, order: int = 4) -> None:
        if not isinstance(order, int) or order not in ORDERS:
            raise UnknownDomain(
                f"there is no sudoku of order {order!r}: the order is the side of a box and may be 2, 3, 4 or 5 "
                "(sudoku:4 is a grid of 16 × 16)"
            )
        self.order = order
        self.side = order**2
        self.cells = order**4
        self.horizon = self.max_length = self.cells
        self.max_actions = self.cells * self.side

    def sample(self, random: Random) -> Grid:
        grid = self._attempt(random)
        while grid is None:
            grid = self._attempt(random)
        return grid

    def _attempt(self, random: Random) -> Grid | None:
        """A grid with about a third of its cells given; None once one of those, or in the end another, is dead."""
        grid = Grid([0] * self.cells, [(1 << self.side) - 1] * self.cells, bytearray([self.side]) * self.cells)
        for cell, peers in enumerate(peers_of(self.order)):
            if random.below(3) == 0:
                possible = list(values_in(grid.candidates[cell]))
                if not possible:
                    return None
                grid.write(cell, possible[random.below(len(possible))], peers)
        return None if grid.dead else grid

    def actions(self, state: Grid) -> list[int]:
        # In a final grid the fewest is none at all, so nothing is listed.
        fewest = min(state.counts)
        actions: list[int] = []
        cell = state.counts.find(fewest)
        while cell >= 0:
            actions += [cell * self.side + value for value in values_in(state.candidates[cell])]
            cell = state.counts.find(fewest, cell + 1)
        return actions

    def play(self, state: Grid, action: int) -> None:
        cell, value = divmod(action, self.side)
        state.write(cell, value, peers_of(self.order)[cell])

    def copy(self, state: Grid) -> Grid:
        return Grid(state.numbers[:], state.candidates[:], state.counts[:])

    def is_final(self, state: Grid) -> bool:
        return min(state.counts) in (0, NOT_OPEN)

    def reward(self, state: Grid) -> float:
        return state.filled / self.cells

    def score(self, state: Grid) -> float:
        return float(state.filled)

    def score_of_reward(self, reward: float) -> float:
        return float(round(reward * self.cells))

    def action_name(self, state: Grid, action: int) -> str:
        cell, value = divmod(action, self.side)
        return f"r{cell // self.side + 1}c{cell % self.side + 1}={value + 1}"

    def draw(self, initial: Grid, actions: Sequence[int]) -> str:
        """Given numbers in brackets, found ones without, empty cells as dots, dead ones as crosses."""
        final = replay(self, initial, actions)
        width = len(str(self.side)) + 2

        def text(cell: int) -> str:
            if initial.numbers[cell]:
                return f"[{initial.numbers[cell]}]".rjust(width)
            return f"{final.numbers[cell] or ('·' if final.counts[cell] else '×')} ".rjust(width)

        line = "─" * width * self.order
        rows = []
        for row in range(self.side):
            if row and row % self.order == 0:
                rows.append("├" + "┼".join([line] * self.order) + "┤")
            texts = [text(row * self.side + column) for column in range(self.side)]
            boxes = ["".join(texts[column : column + self.order]) for column in range(0, self.side, self.order)]
            rows.append("│" + "│".join(boxes) + "│")
        top, bottom = "┌" + "┬".join([line] * self.order) + "┐", "└" + "┴".join([line] * self.order) + "┘"
        legend = "[1] given, 1 found, · empty, × empty with no candidate left"
        return "\n".join([top, *rows, bottom, legend, self._summary(final)])

    def _summary(self, final: Grid) -> str:
        filled = f"{final.filled} of {self.cells} cells filled"
        if not final.dead:
            return filled
        return f"{filled}, {final.dead} of the empty ones {'has' if final.dead == 1 else 'have'} no candidate left"

    def svg(self, initial: Grid, actions: Sequence[int]) -> str:
        """Given numbers on a shade, found ones in colour, dead cells crossed out."""
        final = replay(self, initial, actions)
        cell_size, margin = 28, 8
        body = []
        for cell, number in enumerate(final.numbers):
            x, y = margin + cell % self.side * cell_size, margin + cell // self.side * cell_size
            if initial.numbers[cell]:
                body.append(f'<rect class="given" x="{x}" y="{y}" width="{cell_size}" height="{cell_size}"/>')
            if number:
                kind = "number" if initial.numbers[cell] else "found number"
                body.append(f'<text class="{kind}" x="{x + cell_size / 2:g}" y="{y + 19}">{number}</text>')
            elif not final.counts[cell]:
                near, far = 8, cell_size - 8
                cross = f"M{x + near} {y + near}L{x + far} {y + far}M{x + far} {y + near}L{x + near} {y + far}"
                body.append(f'<path class="dead" d="{cross}"/>')
        low, high = margin, margin + self.side * cell_size
        for i in range(self.side + 1):
            at, kind = margin + i * cell_size, "thin" if i % self.order else "thick"
            body.append(f'<path class="{kind}" d="M{low} {at}H{high}M{at} {low}V{high}"/>')
        # Thin lines first, so that they do not cut the thick ones where they cross.
        body.sort(key=lambda element: 'class="thick"' in element)
        style = (
            ".given { fill: var(--given); } .number { font-size: 14px; text-anchor: middle; }\n"
            ".found { fill: var(--found); font-weight: 600; } .dead { stroke: var(--mark); stroke-width: 2; }\n"
            ".thin { stroke: var(--faint); } .thick { stroke: var(--ink); stroke-width: 2; stroke-linecap: square; }\n"
        )
        title = f"Sudoku {self.side} × {self.side}: {self._summary(final)}"
        return document(high + margin, high + margin, title, body, style)

    def kernels(self) -> "Kernels":
        from domains.sudoku_kernels import kernels_for

        return kernels_for(self.order)

    def encode(self, state: Grid) -> "tuple[np.ndarray, np.ndarray]":
        import numpy as np

        from domains.sudoku_kernels import encoded

        return np.zeros(1, dtype=np.uint64), encoded(self.order, state)

    def sample_encoded(self, random: Random) -> "tuple[np.ndarray, np.ndarray]":
        import numpy as np

        from domains.sudoku_sampling import sampled

        return np.zeros(1, dtype=np.uint64), sampled(self.order, random)

"""A newspaper Sudoku with 21 blanks, into which any digit may be written, wrong ones too.

Glossary
    cell      a place in the 9 × 9 grid, counted row by row from 0
    blank     a cell without a digit; a digit that is written stays
    unit      a row, a column or a box: 27 of them, numbered in that order, of 9 cells each
    complete  a unit that holds all nine digits
    action    cell * 9 + (digit - 1): action 7 writes 8 into cell 0, and is called r1c1=8

Score: 3 points for each complete unit, but 100 for all 27. Only one grid has that; see `SOLUTION`.
Games of this kind are used to compare simulation strategies, as by Tak, Winands and Björnsson (2014).
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from domains.protocol import Domain, replay
from domains.randomness import Random
from domains.svg import document

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import Kernels

CLUES = ".1435926. 5.21.63.8 93.872.15 765.3.921 .819.765. 249.1.873 62.781.49 1.85.47.2 .5729318."
SOLUTION = "814359267 572146398 936872415 765438921 381927654 249615873 623781549 198564732 457293186"
SIDE, BOX, CELLS = 9, 3, 81

Grid = list[int]
"""A state: the digit in each cell, 0 for a blank."""


def grid_of(rows: str) -> Grid:
    return [0 if mark == "." else int(mark) for mark in rows.replace(" ", "")]


GIVEN = grid_of(CLUES)


def units_of(cell: int) -> tuple[int, int, int]:
    """The row, the column and the box of `cell`."""
    row, column = divmod(cell, SIDE)
    return row, SIDE + column, 2 * SIDE + row // BOX * BOX + column // BOX


UNITS = [[cell for cell in range(CELLS) if unit in units_of(cell)] for unit in range(3 * SIDE)]


def complete_units(grid: Grid) -> list[int]:
    return [unit for unit, cells in enumerate(UNITS) if {grid[cell] for cell in cells} >= set(range(1, SIDE + 1))]


def score_of_complete(complete: int) -> int:
    return 100 if complete == len(UNITS) else 3 * complete


class SudokuSimple(Domain):
    """Write any digits into a 9 × 9 Sudoku: points for complete rows, columns and boxes; one problem."""

    horizon = max_length = GIVEN.count(0)
    max_actions = horizon * SIDE
    unit = "points"

    def sample(self, random: Random) -> Grid:
        return GIVEN[:]

    def actions(self, state: Grid) -> list[int]:
        return [cell * SIDE + value for cell, digit in enumerate(state) if not digit for value in range(SIDE)]

    def play(self, state: Grid, action: int) -> None:
        cell, value = divmod(action, SIDE)
        state[cell] = value + 1

    def copy(self, state: Grid) -> Grid:
        return state[:]

    def is_final(self, state: Grid) -> bool:
        return 0 not in state

    def reward(self, state: Grid) -> float:
        return score_of_complete(len(complete_units(state))) / 100

    def score(self, state: Grid) -> float:
        return float(score_of_complete(len(complete_units(state))))

    def score_of_reward(self, reward: float) -> float:
        return float(round(reward * 100))

    def action_name(self, state: Grid, action: int) -> str:
        cell, value = divmod(action, SIDE)
        return f"r{cell // SIDE + 1}c{cell % SIDE + 1}={value + 1}"

    def draw(self, initial: Grid, actions: Sequence[int]) -> str:
        """Given digits in brackets, found ones without; ticks for the complete units."""
        final = replay(self, initial, actions)
        complete = complete_units(final)

        def text(cell: int) -> str:
            return f"[{initial[cell]}]" if initial[cell] else f" {final[cell] or '·'} "

        def tick(unit: int) -> str:
            return "✓" if unit in complete else " "

        line = "─" * SIDE
        rows = []
        for row in range(SIDE):
            if row and row % BOX == 0:
                boxes = "".join(tick(2 * SIDE + row - BOX + box) for box in range(BOX))
                rows.append("├" + "┼".join([line] * BOX) + "┤ " + boxes.rstrip())
            texts = [text(row * SIDE + column) for column in range(SIDE)]
            cells = "│".join("".join(texts[column : column + BOX]) for column in range(0, SIDE, BOX))
            rows.append(f"│{cells}│ {tick(row)}")
        boxes = "".join(tick(2 * SIDE + SIDE - BOX + box) for box in range(BOX))
        columns = " ".join("".join(f" {tick(SIDE + c + i)} " for i in range(BOX)) for c in range(0, SIDE, BOX))
        top = "┌" + "┬".join([line] * BOX) + "┐"
        bottom = "└" + "┴".join([line] * BOX) + "┘ " + boxes
        legend = "[1] given, 1 found, · blank; ✓ a complete row or column, and the three boxes above a line"
        return "\n".join([top, *(row.rstrip() for row in [*rows, bottom, " " + columns]), legend, summary(complete)])

    def svg(self, initial: Grid, actions: Sequence[int]) -> str:
        """Given digits on a shade, found ones in colour, or marked where an equal one is in the same unit; bars beside
        complete rows, under complete columns and along the edges of complete boxes."""
        final = replay(self, initial, actions)
        complete = complete_units(final)
        pitch, margin = 36, 12
        low, high = margin, margin + SIDE * pitch
        body = []
        for cell, digit in enumerate(final):
            x, y = margin + cell % SIDE * pitch, margin + cell // SIDE * pitch
            if initial[cell]:
                body.append(f'<rect class="given" x="{x}" y="{y}" width="{pitch}" height="{pitch}"/>')
            if digit:
                clashes = any(sum(final[other] == digit for other in UNITS[unit]) > 1 for unit in units_of(cell))
                kind = "digit" if initial[cell] else "clash digit" if clashes else "found digit"
                body.append(f'<text class="{kind}" x="{x + pitch // 2}" y="{y + 25}">{digit}</text>')
        for i in range(SIDE + 1):
            at = margin + i * pitch
            body.append(f'<path class="thin" d="M{low} {at}H{high}M{at} {low}V{high}"/>')
        for i in range(0, SIDE + 1, BOX):
            at = margin + i * pitch
            body.append(f'<path class="thick" d="M{low} {at}H{high}M{at} {low}V{high}"/>')
        for unit in complete:
            direction, number = divmod(unit, SIDE)
            near, far = margin + number * pitch + 5, margin + (number + 1) * pitch - 5
            if direction == 0:
                body.append(f'<path class="complete" d="M{high + 7} {near}V{far}"/>')
            elif direction == 1:
                body.append(f'<path class="complete" d="M{near} {high + 7}H{far}"/>')
            else:
                x, y = (margin + place * BOX * pitch + 3 for place in (number % BOX, number // BOX))
                edge = BOX * pitch - 6
                body.append(f'<rect class="complete" x="{x}" y="{y}" width="{edge}" height="{edge}"/>')
        return document(high + margin, high + margin, f"Sudoku: {summary(complete)}", body, STYLE)

    def kernels(self) -> "Kernels":
        from domains.sudoku_simple_kernels import KERNELS

        return KERNELS

    def encode(self, state: Grid) -> "tuple[np.ndarray, np.ndarray]":
        from domains.sudoku_simple_kernels import encoded

        return encoded(state)


STYLE = """
.given { fill: var(--given); } .digit { font-size: 19px; text-anchor: middle; }
.found { fill: var(--found); font-weight: 600; } .clash { fill: var(--mark); font-weight: 600; }
.thin { stroke: var(--faint); } .thick { stroke: var(--ink); stroke-width: 2; stroke-linecap: square; }
.complete { stroke: var(--found); stroke-width: 3; stroke-linecap: round; fill: none; }
"""


def summary(complete: list[int]) -> str:
    points = score_of_complete(len(complete))
    return f"{len(complete)} of {len(UNITS)} rows, columns and boxes complete: {points} points"

"""Frogs and toads change places on two boards of 4 × 4 that share a corner.

Glossary
    cell      a place in the 7 × 7 square around both boards, counted row by row from 0; 31 of the 49 are on a board
    shared    cell 24, in the middle, which both boards have: empty at first
    home      of the toads at first the upper left board, of the frogs the lower right one, 15 cells each
    placed    correctly: a frog on the upper left board, a toad on the lower right one, not in the shared cell
    action    the cell of the animal that moves into the empty cell: a neighbour (not diagonally), or one that jumps
              over a neighbour, whatever that is

The game is over after 116 moves, whatever was reached. Each move must be made, so there are 2 to 8 of them.

The score, 100 × correctly placed / 30, is an assumption: the sheet with the rules of this game was not found, and the
paper that uses it (Tak, Winands and Björnsson, 2014) says only that points depend on how many are placed correctly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from domains.protocol import Domain, replay
from domains.randomness import Random
from domains.svg import document

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import Kernels

WIDTH, BOARD = 7, 4
SHARED = 24
MOVES = 116
FROG, TOAD, EMPTY, OUTSIDE = "F", "T", "·", " "


def on_upper_left(cell: int) -> bool:
    return cell // WIDTH < BOARD and cell % WIDTH < BOARD


def on_lower_right(cell: int) -> bool:
    return on_upper_left(WIDTH**2 - 1 - cell)


UPPER_LEFT = [cell for cell in range(WIDTH**2) if on_upper_left(cell) and cell != SHARED]
LOWER_RIGHT = [cell for cell in range(WIDTH**2) if on_lower_right(cell) and cell != SHARED]
CELLS = sorted([*UPPER_LEFT, SHARED, *LOWER_RIGHT])
ANIMALS = len(CELLS) - 1


def sources_of(cell: int) -> list[int]:
    """The cells from which an animal can move or jump into `cell`."""
    row, column = divmod(cell, WIDTH)
    sources = []
    for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0)):
        for steps in (1, 2):
            r, c = row + steps * down, column + steps * right
            if not (0 <= r < WIDTH and 0 <= c < WIDTH) or r * WIDTH + c not in CELLS:
                break  # no animal there, and none that could jump over it
            sources.append(r * WIDTH + c)
    return sorted(sources)


SOURCES = {cell: sources_of(cell) for cell in CELLS}


@dataclass(slots=True)
class Pond:
    """A state."""

    marks: list[str]
    """What is in each of the 49 cells."""
    empty: int
    moves: int

    @property
    def placed(self) -> int:
        """How many animals are placed correctly."""
        return sum(is_placed(self, cell) for cell in CELLS)


def start() -> Pond:
    marks = [OUTSIDE] * WIDTH**2
    marks[SHARED] = EMPTY
    for cell in UPPER_LEFT:
        marks[cell] = TOAD
    for cell in LOWER_RIGHT:
        marks[cell] = FROG
    return Pond(marks, SHARED, 0)


class Frogs(Domain):
    """Let 15 frogs and 15 toads change places in 116 moves (score assumed, see domains/frogs.py); one problem."""

    horizon = max_length = MOVES
    max_actions = 8
    unit = "points"

    def sample(self, random: Random) -> Pond:
        return start()

    def actions(self, state: Pond) -> list[int]:
        return [] if self.is_final(state) else SOURCES[state.empty][:]

    def play(self, state: Pond, action: int) -> None:
        state.marks[state.empty], state.marks[action] = state.marks[action], EMPTY
        state.empty = action
        state.moves += 1

    def copy(self, state: Pond) -> Pond:
        return Pond(state.marks[:], state.empty, state.moves)

    def is_final(self, state: Pond) -> bool:
        return state.moves == MOVES

    def reward(self, state: Pond) -> float:
        return state.placed / ANIMALS

    def score(self, state: Pond) -> float:
        return score_of(state.placed)

    def score_of_reward(self, reward: float) -> float:
        return score_of(round(reward * ANIMALS))

    def action_name(self, state: Pond, action: int) -> str:
        """Such as "frog r5c4 ↑", or "toad r2c4 ↓↓" for a jump; rows and columns from 1, at the upper left."""
        row, column = divmod(action, WIDTH)
        down, right = state.empty // WIDTH - row, state.empty % WIDTH - column
        arrow = ("↑" if down < 0 else "↓") * abs(down) + ("←" if right < 0 else "→") * abs(right)
        return f"{'frog' if state.marks[action] == FROG else 'toad'} r{row + 1}c{column + 1} {arrow}"

    def draw(self, initial: Pond, actions: Sequence[int]) -> str:
        """Capital letters for animals that are placed correctly, small ones for the others."""
        final = replay(self, initial, actions)
        rows = [
            " ".join(self._letter(final, row * WIDTH + column) for column in range(WIDTH)).rstrip()
            for row in range(WIDTH)
        ]
        return "\n".join([*rows, "F frog, T toad, · empty; small letters where they should not end", summary(final)])

    def _letter(self, pond: Pond, cell: int) -> str:
        return pond.marks[cell] if is_placed(pond, cell) else pond.marks[cell].lower()

    def svg(self, initial: Pond, actions: Sequence[int]) -> str:
        """Frogs in one colour, toads in another; filled where they are placed correctly."""
        final = replay(self, initial, actions)
        pitch, margin = 50, 12
        body = []
        for cell in CELLS:
            x, y = margin + cell % WIDTH * pitch, margin + cell // WIDTH * pitch
            body.append(f'<rect class="cell" x="{x}" y="{y}" width="{pitch}" height="{pitch}"/>')
        for cell in CELLS:
            mark = final.marks[cell]
            if mark == EMPTY:
                continue
            x, y = (margin + place * pitch + pitch // 2 for place in (cell % WIDTH, cell // WIDTH))
            kind = ("frog" if mark == FROG else "toad") + (" placed" if is_placed(final, cell) else "")
            ink = ' class="on-colour"' if is_placed(final, cell) else ""
            body.append(f'<circle class="{kind}" cx="{x}" cy="{y}" r="18"/>')
            body.append(f'<text{ink} x="{x}" y="{y + 5.5}">{mark}</text>')
        edge = WIDTH * pitch + 2 * margin
        return document(edge, edge, f"Frogs and toads: {summary(final)}", body, STYLE)

    def kernels(self) -> "Kernels":
        from domains.frogs_kernels import KERNELS

        return KERNELS

    def encode(self, state: Pond) -> "tuple[np.ndarray, np.ndarray]":
        from domains.frogs_kernels import encoded

        return encoded(state)


STYLE = """
.cell { fill: var(--given); stroke: var(--paper); stroke-width: 2; }
.frog { fill: var(--paper); stroke: var(--found); stroke-width: 3; } .frog.placed { fill: var(--found); }
.toad { fill: var(--paper); stroke: var(--mark); stroke-width: 3; } .toad.placed { fill: var(--mark); }
text { font-size: 16px; font-weight: 600; text-anchor: middle; } .on-colour { fill: var(--paper); }
"""


def is_placed(pond: Pond, cell: int) -> bool:
    home = {FROG: UPPER_LEFT, TOAD: LOWER_RIGHT}
    return cell in home.get(pond.marks[cell], ())


def score_of(placed: int) -> float:
    return 100 * placed / ANIMALS


def summary(pond: Pond) -> str:
    moves = "1 move" if pond.moves == 1 else f"{pond.moves} moves"
    return (
        f"{pond.placed} of {ANIMALS} placed correctly after {moves}: "
        f"{score_of(pond.placed):.1f} points (assumed to be 100 × placed / {ANIMALS})"
    )

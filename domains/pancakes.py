"""Sort a stack of eight pancakes of different sizes by turning over the top of it, with few flips.

Glossary
    stack     the sizes of the pancakes, 1 to 8, from the top down; it starts as 6 1 7 5 3 8 4 2
    flip k    turns the first k pancakes over, as one; flip 1 changes nothing but counts
    sorted    1 2 3 4 5 6 7 8: the game is over then, or after 40 flips
    action    k

Score by the number of flips: 100 below 6, then 90, 85, 80, 75, 70, 65 and 60 for 6 to 12, 50 up to 19, 45 up to 29, 40
up to 39; 0 after 40 flips, sorted or not. No fewer than 8 flips sort this stack, and only one sequence of 8 does, so
that 80 is the most anyone can score.
Used to compare simulation strategies, as by Tak, Winands and Björnsson (2014), who call it Pancakes88.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from domains.protocol import Domain, advance, replay
from domains.randomness import Random
from domains.svg import document

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import Kernels

START = (6, 1, 7, 5, 3, 8, 4, 2)
SORTED = (1, 2, 3, 4, 5, 6, 7, 8)
PANCAKES = len(START)
MOST_FLIPS = 40
SCORES = (*[100] * 6, 90, 85, 80, 75, 70, 65, 60, *[50] * 7, *[45] * 10, *[40] * 10, 0)
"""Of a sorted stack, by the number of flips."""


@dataclass(slots=True)
class Pile:
    """A state."""

    stack: tuple[int, ...]
    flips: int

    @property
    def score(self) -> int:
        return SCORES[self.flips] if self.stack == SORTED else 0


class Pancakes(Domain):
    """Sort eight pancakes by turning over the top of the stack, with few flips; one problem."""

    horizon = max_length = MOST_FLIPS
    max_actions = PANCAKES
    unit = "points"

    def sample(self, random: Random) -> Pile:
        return Pile(START, 0)

    def actions(self, state: Pile) -> list[int]:
        return [] if self.is_final(state) else [1, 2, 3, 4, 5, 6, 7, 8]

    def play(self, state: Pile, action: int) -> None:
        state.stack = state.stack[:action][::-1] + state.stack[action:]
        state.flips += 1

    def code(self, state: Pile, action: int) -> int:
        """The flip and how many there were before it."""
        return state.flips << 4 | action

    def copy(self, state: Pile) -> Pile:
        return Pile(state.stack, state.flips)

    def is_final(self, state: Pile) -> bool:
        return state.stack == SORTED or state.flips == MOST_FLIPS

    def reward(self, state: Pile) -> float:
        return state.score / 100

    def score(self, state: Pile) -> float:
        return float(state.score)

    def score_of_reward(self, reward: float) -> float:
        return float(round(reward * 100))

    def action_name(self, state: Pile, action: int) -> str:
        return f"flip {action}"

    def _steps(self, initial: Pile, actions: Sequence[int]) -> Iterator[tuple[int, Pile]]:
        """Each flip and what it leads to; first no flip, 0, and `initial`."""
        pile = initial
        yield 0, pile
        for action in actions:
            pile = advance(self, self.copy(pile), action)
            yield action, pile

    def draw(self, initial: Pile, actions: Sequence[int]) -> str:
        """The stack after each flip, from the top down; what was turned over in brackets."""
        final = replay(self, initial, actions)
        lines = []
        for flip, pile in self._steps(initial, actions):
            sizes = [str(size) for size in pile.stack]
            turned = f"[{' '.join(sizes[:flip])}]" if flip else ""
            rest = " ".join(sizes[flip:])
            lines.append(f"{f'flip {flip}' if flip else 'start'}  {turned or ' '}{' ' * bool(turned)}{rest}".rstrip())
        return "\n".join([*lines, "from the top down; [6 1] was just turned over", summary(final)])

    def svg(self, initial: Pile, actions: Sequence[int]) -> str:
        """The stack after each flip, nine to a row; what was just turned over in colour."""
        final = replay(self, initial, actions)
        steps = list(self._steps(initial, actions))
        columns = min(len(steps), 9)
        width, height, margin, thickness, per_size = 96, 132, 10, 12, 10
        body = []
        for number, (flip, pile) in enumerate(steps):
            left, top = margin + number % columns * width, margin + number // columns * height
            middle = left + width / 2
            for place, size in enumerate(pile.stack):
                kind = "turned" if place < flip else "pancake"
                x, y = middle - size * per_size / 2, top + place * thickness
                shape = f'x="{x:g}" y="{y}" width="{size * per_size}" height="{thickness - 2}" rx="5"'
                body.append(f'<rect class="{kind}" {shape}/>')
            plate = top + PANCAKES * thickness + 1
            body.append(f'<path class="plate" d="M{left + 6} {plate}H{left + width - 6}"/>')
            text = f"{number}: flip {flip}" if flip else "start"
            body.append(f'<text x="{middle:g}" y="{plate + 16}">{text}</text>')
        rows = -(-len(steps) // columns)
        size_of_picture = columns * width + 2 * margin, rows * height + margin
        return document(*size_of_picture, f"Pancakes: {summary(final)}", body, STYLE)

    def kernels(self) -> "Kernels":
        from domains.pancakes_kernels import KERNELS

        return KERNELS

    def encode(self, state: Pile) -> "tuple[np.ndarray, np.ndarray]":
        from domains.pancakes_kernels import encoded

        return encoded(state.stack, state.flips)


STYLE = """
.pancake { fill: var(--given); stroke: var(--faint); } .turned { fill: var(--found); stroke: var(--found); }
.plate { stroke: var(--ink); stroke-width: 2; stroke-linecap: round; }
text { font-size: 12px; text-anchor: middle; }
"""


def summary(pile: Pile) -> str:
    flips = "1 flip" if pile.flips == 1 else f"{pile.flips} flips"
    return f"{'sorted' if pile.stack == SORTED else 'not sorted'} after {flips}: {pile.score} points"

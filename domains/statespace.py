"""Fourteen turns at a crossing of four ways; a few paths are worth something, the longer the rarer.

Glossary
    way     1, 2, 3 or 4; the action is the way itself
    path    what was played, such as 41311423331142
    listed  one of the 14 paths that are worth something, one of each length from 1 to 14
    begun   what was played begins with the whole listed path

Score: the value of the longest listed path that was begun, 0 if there is none. A way can so be good for a few points
and lead away from the many: the path that is worth 100 begins with 1, which is worth nothing by itself.
Used to compare simulation strategies, as by Tak, Winands and Björnsson (2014), who call it StatespaceLarge.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from domains.protocol import Domain, replay
from domains.randomness import Random
from domains.svg import document

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import Kernels

WAYS = 4
LENGTH = 14
VALUES = {
    "3": 7,
    "41": 14,
    "332": 21,
    "3134": 28,
    "22234": 35,
    "441412": 42,
    "2121311": 49,
    "31431232": 56,
    "214443243": 63,
    "4334142334": 70,
    "41311423331": 77,
    "122213132423": 84,
    "4443433112114": 91,
    "11232443311424": 100,
}
"""The value of each listed path."""

Path = list[int]
"""A state: the ways taken so far."""


def path_text(path: Sequence[int]) -> str:
    return "".join(map(str, path))


def longest_begun(path: Sequence[int]) -> str:
    """The longest listed path that `path` begins with; empty if there is none."""
    return max((listed for listed in VALUES if path_text(path).startswith(listed)), key=len, default="")


def matched(path: Sequence[int], listed: str) -> int:
    """How many of the first ways of `listed` were taken."""
    taken = path_text(path)
    return next((i for i, way in enumerate(listed) if taken[i : i + 1] != way), len(listed))


class StateSpace(Domain):
    """Take one of four ways, 14 times: points for the longest listed path begun; one problem."""

    horizon = max_length = LENGTH
    max_actions = WAYS
    unit = "points"

    def sample(self, random: Random) -> Path:
        return []

    def actions(self, state: Path) -> list[int]:
        return [] if self.is_final(state) else [1, 2, 3, 4]

    def play(self, state: Path, action: int) -> None:
        state.append(action)

    def code(self, state: Path, action: int) -> int:
        """The way and how many were taken before it."""
        return len(state) << 3 | action

    def copy(self, state: Path) -> Path:
        return state[:]

    def is_final(self, state: Path) -> bool:
        return len(state) == LENGTH

    def reward(self, state: Path) -> float:
        return VALUES.get(longest_begun(state), 0) / 100

    def score(self, state: Path) -> float:
        return float(VALUES.get(longest_begun(state), 0))

    def score_of_reward(self, reward: float) -> float:
        return float(round(reward * 100))

    def draw(self, initial: Path, actions: Sequence[int]) -> str:
        """The path, and how much of each listed path it begins with; what was taken in brackets."""
        path = replay(self, initial, actions)
        lines = ["path  " + path_text(path)]
        for listed, value in VALUES.items():
            n = matched(path, listed)
            text = f"[{listed[:n]}]{listed[n:]}" if n else f" {listed}"
            mark = "→" if listed == longest_begun(path) else " "
            lines.append(f"{mark} {value:>3} {text:<{LENGTH + 2}} {n:>2} of {len(listed)}")
        return "\n".join([*lines, "[4]1 taken and not taken, → the longest path begun", summary(path)])

    def svg(self, initial: Path, actions: Sequence[int]) -> str:
        """A row for the path and one for each listed path: what was taken is filled, all of it if begun."""
        path = replay(self, initial, actions)
        pitch, margin, left = 28, 12, 56
        body = [f'<text class="label" x="{left - 12}" y="{margin + 19}">path</text>']
        rows = [(path_text(path), "path", len(path), margin)]
        for row, (listed, value) in enumerate(VALUES.items(), 1):
            y = margin + row * pitch + 10
            best = listed == longest_begun(path)
            kind = "best" if best else "begun" if matched(path, listed) == len(listed) else "part"
            label = "label best-label" if best else "label"
            body.append(f'<text class="{label}" x="{left - 12}" y="{y + 19}">{value}</text>')
            rows.append((listed, kind, matched(path, listed), y))
        for text, kind, taken, y in rows:
            for i, way in enumerate(text):
                x = left + i * pitch
                box = kind if i < taken else "missed"
                body.append(f'<rect class="{box}" x="{x}" y="{y}" width="{pitch - 3}" height="{pitch - 3}" rx="4"/>')
                ink = "way on-colour" if box in ("begun", "best") else "way"
                body.append(f'<text class="{ink}" x="{x + 12.5:g}" y="{y + 18}">{way}</text>')
        width, height = left + LENGTH * pitch + margin, margin + 15 * pitch + 10 + margin
        return document(width, height, f"State space: {summary(path)}", body, STYLE)

    def kernels(self) -> "Kernels":
        from domains.statespace_kernels import KERNELS

        return KERNELS

    def encode(self, state: Path) -> "tuple[np.ndarray, np.ndarray]":
        from domains.statespace_kernels import encoded

        return encoded(state)


STYLE = """
.way { font-size: 14px; text-anchor: middle; } .label { font-size: 14px; text-anchor: end; }
.path { fill: var(--given); } .missed { fill: none; stroke: var(--faint); }
.part { fill: var(--found); fill-opacity: 0.3; } .begun { fill: var(--found); } .best { fill: var(--mark); }
.on-colour { fill: var(--paper); font-weight: 600; } .best-label { fill: var(--mark); font-weight: 600; }
"""


def summary(path: Path) -> str:
    listed = longest_begun(path)
    return f"{VALUES[listed]} points for {listed}" if listed else "0 points: no listed path begun"

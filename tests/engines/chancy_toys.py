"""Games of chance small enough to follow by hand.

A tree is written down as nested dicts, outcomes of an action in a list: `{1: [0.5, {1: [0.0], 2: [1.0]}], 2: [0.3]}`
has the actions 1 and 2; 1 ends the game with the reward 0.5 or leads on, 2 ends it with 0.3. An action draws once among
its outcomes, one alone included. The same tree runs on both engines.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from domains.kernels import Kernels, below, njit
from domains.protocol import Domain
from domains.randomness import Random
from tests.engines.toys import KERNELS, Place

MOST_OUTCOMES = 3


@dataclass(eq=False)
class ChancyGame(Domain):
    """The game written down in `tree`."""

    tree: Any
    horizon: int = 8
    max_actions = 8
    stochastic = True
    seen: list[tuple[int, ...]] = field(default_factory=list)
    """the sequences of the states that were valued, in order"""

    def sample(self, random: Random | None) -> Place:
        return Place((), self.tree)

    def actions(self, state: Place) -> Sequence[int]:
        return list(state.tree) if isinstance(state.tree, dict) else []

    def play(self, state: Place, action: int, random: Random) -> Place:  # type: ignore[override]
        outcomes = state.tree[action]
        return Place((*state.path, action), outcomes[random.below(len(outcomes))])

    def copy(self, state: Place) -> Place:
        return state

    def is_final(self, state: Place) -> bool:
        return not isinstance(state.tree, dict)

    def reward(self, state: Place) -> float:
        self.seen.append(state.path)
        return float(state.tree)

    def kernels(self) -> Kernels:
        return CHANCY_KERNELS

    def encode(self, state: Place) -> tuple[np.ndarray, np.ndarray]:
        numbers: list[float] = []
        start = written(state.tree, numbers)
        return np.array(numbers), np.array([start])


def written(tree: Any, numbers: list[float]) -> int:
    """Appends the tree to `numbers` and returns where it starts: final (0 or 1), reward, then n and n pairs of an
    action and where its outcomes are listed: m, and where each leads."""
    below_it = tree if isinstance(tree, dict) else {}
    pairs = []
    for action, outcomes in below_it.items():
        starts = [written(outcome, numbers) for outcome in outcomes]
        pairs.append((action, len(numbers)))
        numbers += [len(starts), *starts]
    start = len(numbers)
    numbers += [0.0, 0.0] if isinstance(tree, dict) else [1.0, float(tree)]
    numbers += [len(pairs), *(number for pair in pairs for number in pair)]
    return start


@njit
def chancy_play(state: np.ndarray, problem: np.ndarray, action: int, random: np.ndarray) -> None:
    i = state[0] + 3
    while problem[i] != action:
        i += 2
    outcomes = np.int64(problem[i + 1])
    state[0] = np.int64(problem[outcomes + 1 + below(random, np.int64(problem[outcomes]))])


CHANCY_KERNELS = Kernels(KERNELS.actions, chancy_play, KERNELS.is_final, KERNELS.reward)


@cache
def grown_by_chance(seed: int, levels: int = 4) -> Any:
    """An arbitrary tree whose unfinished states all list the same actions; rewards repeat, and leave [0, 1]."""
    random = Random(seed)
    actions = [7 * action + 1 for action in range(1 + random.below(3))]

    def grow(levels: int) -> Any:
        if levels == 0 or (levels < 4 and random.below(4) == 0):
            return (random.below(9) - 2) / 5
        return {action: [grow(levels - 1) for _ in range(1 + random.below(MOST_OUTCOMES))] for action in actions}

    return grow(levels)

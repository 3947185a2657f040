"""Problems small enough to follow by hand, and broken ones.

A tree is written down as nested dicts: `{1: {1: 0.5, 2: 0.1}, 2: 0.3}` has the actions 1 and 2; 2 ends the game with
the reward 0.3, 1 leads on. A number is a final state, `{}` a state without actions that claims not to be final.
The same tree runs on both engines: the kernels read it from the problem array, so all trees share one compilation.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from domains.kernels import Kernels, njit
from domains.protocol import Domain
from domains.randomness import GOLDEN_GAMMA, MASK, Random

Tree = float | dict[int, Any]

MOST_ACTIONS = 8


@dataclass(frozen=True)
class Place:
    """A state, never changed: the actions so far, and what may follow."""

    path: tuple[int, ...]
    tree: Any


@dataclass(eq=False)
class TreeGame(Domain):
    """The game written down in `tree`. Its `play` returns the next state."""

    tree: Any
    horizon: int = 0
    max_actions = MOST_ACTIONS
    seen: list[tuple[int, ...]] = field(default_factory=list)
    """the sequences of the states that were valued, in order"""

    def __post_init__(self) -> None:
        self.horizon = self.horizon or height(self.tree)

    def sample(self, random: Random | None) -> Place:
        return Place((), self.tree)

    def actions(self, state: Place) -> Sequence[int]:
        return list(state.tree) if isinstance(state.tree, dict) else []

    def play(self, state: Place, action: int) -> Place:
        return Place((*state.path, action), state.tree[action])

    def copy(self, state: Place) -> Place:
        return state

    def is_final(self, state: Place) -> bool:
        return not isinstance(state.tree, dict)

    def reward(self, state: Place) -> float:
        self.seen.append(state.path)
        return float(state.tree)

    def kernels(self) -> Kernels:
        return KERNELS

    def encode(self, state: Place) -> tuple[np.ndarray, np.ndarray]:
        numbers: list[float] = []
        start = written(state.tree, numbers)
        return np.array(numbers), np.array([start])


class InPlaceTreeGame(TreeGame):
    """The same game with states that `play` changes."""

    def sample(self, random: Random | None) -> Any:
        return [Place((), self.tree)]

    def actions(self, state: Any) -> Sequence[int]:
        return super().actions(state[0])

    def play(self, state: Any, action: int) -> Any:
        state[0] = super().play(state[0], action)

    def copy(self, state: Any) -> Any:
        return [state[0]]

    def is_final(self, state: Any) -> bool:
        return super().is_final(state[0])

    def reward(self, state: Any) -> float:
        return super().reward(state[0])

    def encode(self, state: Any) -> tuple[np.ndarray, np.ndarray]:
        return super().encode(state[0])


FEATURES = ("distance", "slack")
CODES = ("action", "merging", "high", "hashed")


@dataclass(eq=False)
class CodedTreeGame(TreeGame):
    """The same game, that says something of its actions: two features, and a code, one of `CODES`."""

    coded: str = "merging"
    features = FEATURES

    def code(self, state: Place, action: int) -> int:
        n = len(state.tree)
        match self.coded:
            case "merging":  # the same for several that are legal together
                return action % 3
            case "high":  # the lower halves are all alike, and there is more than 2^40 between two
                return action * n << 41
            case "hashed":
                mixed = ((action + (n << 8)) * GOLDEN_GAMMA) & MASK
                return (mixed ^ 1 << 63) - (1 << 63)
        return action

    def feature(self, state: Place, action: int) -> Sequence[float]:
        return [action % 5 / 4 - 0.5, len(state.tree) / 4 - action % 2]

    def kernels(self) -> Kernels:
        return CODED_KERNELS

    def encode(self, state: Place) -> tuple[np.ndarray, np.ndarray]:
        problem, start = super().encode(state)
        return np.append(problem, float(CODES.index(self.coded))), start


class Errand(Domain):
    """Walks of one to four steps of length 1 to 3; the cost is the distance to 7. It minimises, and has no kernels."""

    horizon = 4
    minimise = (0.0, 7.0)
    unit = "metres"

    def sample(self, random: Random) -> list[int]:
        return []

    def actions(self, state: list[int]) -> list[int]:
        return [1, 2, 3] if len(state) < 4 and sum(state) < 7 else []

    def play(self, state: list[int], action: int) -> None:
        state.append(action)

    def cost(self, state: list[int]) -> float:
        return abs(7.0 - sum(state))


def height(tree: Tree) -> int:
    return 1 + max((height(below) for below in tree.values()), default=0) if isinstance(tree, dict) else 0


def corridor(length: int, reward: float) -> Tree:
    """One action per state."""
    return {1: corridor(length - 1, reward)} if length else reward


@cache
def grown(seed: int, levels: int = 3) -> Any:
    """An arbitrary tree; rewards repeat, so that there are ties, and leave [0, 1]."""
    random = Random(seed)

    def grow(levels: int) -> Tree:
        if levels == 0 or (levels < 3 and random.below(4) == 0):
            return (random.below(9) - 2) / 5
        return {7 * action + 1: grow(levels - 1) for action in range(1 + random.below(3))}

    return grow(levels)


def written(tree: Any, numbers: list[float]) -> int:
    """Appends the tree to `numbers` and returns where it starts: final (0 or 1), reward, then n and n pairs of an
    action and where it leads."""
    below = tree if isinstance(tree, dict) else {}
    starts = [(action, written(child, numbers)) for action, child in below.items()]
    start = len(numbers)
    numbers += [0.0, 0.0] if isinstance(tree, dict) else [1.0, float(tree)]
    numbers += [len(starts), *(number for pair in starts for number in pair)]
    return start


@njit
def tree_actions(state: np.ndarray, problem: np.ndarray, out: np.ndarray) -> np.int64:
    n = np.int64(problem[state[0] + 2])
    for i in range(n):
        out[i] = np.int32(problem[state[0] + 3 + 2 * i])
    return n


@njit
def tree_play(state: np.ndarray, problem: np.ndarray, action: int) -> None:
    i = state[0] + 3
    while problem[i] != action:
        i += 2
    state[0] = np.int64(problem[i + 1])


@njit
def tree_is_final(state: np.ndarray, problem: np.ndarray) -> bool:
    return bool(problem[state[0]] == 1.0)


@njit
def tree_reward(state: np.ndarray, problem: np.ndarray) -> float:
    return float(problem[state[0] + 1])


@njit
def tree_code(state: np.ndarray, problem: np.ndarray, action: int) -> np.int64:
    n = np.int64(problem[state[0] + 2])
    coded = problem[problem.shape[0] - 1]
    if coded == 1:
        return np.int64(action % 3)
    if coded == 2:
        return np.int64((np.int64(action) * n) << np.int64(41))
    if coded == 3:
        return np.int64(np.uint64(np.int64(action) + (n << np.int64(8))) * np.uint64(GOLDEN_GAMMA))
    return np.int64(action)


@njit
def tree_feature(state: np.ndarray, problem: np.ndarray, action: int, out: np.ndarray) -> None:
    out[0] = action % 5 / 4 - 0.5
    out[1] = problem[state[0] + 2] / 4 - action % 2


KERNELS = Kernels(tree_actions, tree_play, tree_is_final, tree_reward)
CODED_KERNELS = Kernels(tree_actions, tree_play, tree_is_final, tree_reward, code=tree_code, feature=tree_feature)


# Randomness that is known beforehand.


@cache
def seed_for(*draws: tuple[int, int]) -> int:
    """A seed whose successive draws are as wanted: `(value, n)` asks for below(n) = value."""
    for seed in range(10_000_000):
        random = Random(seed)
        if all(random.below(n) == value for value, n in draws):
            return seed
    raise AssertionError(f"no seed for {draws}")


def draws_between(seed: int, state: int) -> int:
    """How many draws lead a generator from its seed to this state."""
    inverse = pow(GOLDEN_GAMMA, -1, 1 << 64)
    return (state - seed) * inverse & MASK

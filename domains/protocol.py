"""What a problem promises.

Glossary
    domain    a family of problems with common rules, such as Sudoku grids of one size
    problem   one initial state of a domain, such as one grid
    state     where a partly built solution stands; what it is made of is the domain's business
    action    one move; whole numbers in the domains here, anything hashable in yours
    final     nothing more can be done; only final states are worth something (unless `values_unfinished`)
    reward    what a final state is worth to the search, in [0, 1] unless `reward_range` says otherwise; more is better
    score     the same in the domain's natural unit, for people: filled cells, lines, mean absolute error
    horizon   T, the nominal number of actions in a solution; `uct(C)` divides its budget by it
    code      what a search learns about when it learns of an action: actions with the same code are alike to it
    feature   a number that says something about an action where it may be played: how far, how urgent, how many

A domain of one's own needs `horizon`, `sample`, `actions`, `play` and `reward`; the rest has defaults:

    class Countdown(Domain):
        horizon = 5
        def sample(self, random): return [random.below(100)]
        def actions(self, state): return [1, 2, 3] if len(state) <= 5 else []
        def play(self, state, action): state.append(action)
        def reward(self, state): return 1.0 if sum(state) % 7 == 0 else 0.0

Two rules that are easy to miss: `actions`, `is_final`, `reward` and `score` look at a state and must not change it; and
the order in which `actions` lists the moves is part of what the domain is (another order, other results for a seed).
"""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domains.errors import DomainError
from domains.randomness import Random

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import Kernels


class Domain:
    """The base of all problems; `domains/protocol.py` opens with the terms."""

    horizon: int
    max_length: int = 0
    """The hard bound on the number of actions; 0: the horizon is one. A run past it is an error of the domain."""
    max_actions: int = 0
    """The hard bound on the legal actions of one state; only compiled domains need to know it."""
    unit: str = "reward"
    reward_range: tuple[float, float] = (0.0, 1.0)
    minimise: tuple[float, float] | None = None
    """(lo, hi), the bounds of `cost` for a domain that minimises; the reward is then (hi - cost) / (hi - lo)."""
    values_unfinished: bool = False
    """Whether `reward` means something in states that are not final, so that a playout may be cut short."""
    features: tuple[str, ...] = ()
    """The names of the numbers that `feature` gives, for `sim(guided(NAME=WEIGHT))`; not `depth`, `inf` or `nan`."""
    registered_name: str | None = None
    """What it was found by on the command line; set by `domains.registry`."""
    registered_text: str | None = None
    """Its canonical text, with all options; set with the name."""
    registered_as: str | None = None
    """What finds it again, from any working directory; set with the name."""
    instances: Sequence[Path] | Mapping[str, Sequence[Path]] | None = None
    """Files that hold one problem each, read by `load`; None for a domain that samples its problems. They are split by
    their hashes, or as `{"train": files, "test": files}` says."""

    def sample(self, random: Random) -> Any:
        """A new initial state, drawn with `random` alone."""
        raise NotImplementedError(f"{type(self).__name__} has no sample(self, random)")

    def load(self, path: Path) -> Any:
        """The initial state in the file `path`, for a domain with `instances`."""
        raise NotImplementedError(f"{type(self).__name__} lists instances but has no load(self, path)")

    def actions(self, state: Any) -> Sequence[Any]:
        """The legal actions, always in the same order for the same state; none if and only if it is final."""
        raise NotImplementedError(f"{type(self).__name__} has no actions(self, state)")

    def play(self, state: Any, action: Any) -> Any:
        """Play `action`: change `state` in place and return None, or leave it alone and return the next one."""
        raise NotImplementedError(f"{type(self).__name__} has no play(self, state, action)")

    def copy(self, state: Any) -> Any:
        """A state that can be played on without changing this one."""
        return copy.deepcopy(state)

    def is_final(self, state: Any) -> bool:
        """Whether nothing more can be played."""
        return not self.actions(state)

    def reward(self, state: Any) -> float:
        """What the final `state` is worth; more is better."""
        if self.minimise is None:
            raise NotImplementedError(f"{type(self).__name__} has no reward(self, state)")
        lo, hi = self.minimise
        return (hi - self.cost(state)) / (hi - lo)

    def cost(self, state: Any) -> float:
        """What the final `state` costs, for a domain that declares `minimise`."""
        raise NotImplementedError(f"{type(self).__name__} declares minimise but has no cost(self, state)")

    def score(self, state: Any) -> float:
        """The worth of the final `state` in the domain's `unit`."""
        return self.reward(state) if self.minimise is None else self.cost(state)

    def score_of_reward(self, reward: float) -> float | None:
        """The score of any state with this reward; None if the reward alone does not say it."""
        own = type(self)
        if own.score is not Domain.score:
            return None
        if self.minimise is None:
            return reward
        if own.reward is not Domain.reward:
            return None
        lo, hi = self.minimise
        return hi - reward * (hi - lo)

    def code(self, state: Any, action: Any) -> Any:
        """What `adapt` learns about when it learns of `action`, legal in `state`; anything hashable, and a whole number
        of 64 bits where there are kernels."""
        return action

    def feature(self, state: Any, action: Any) -> Sequence[float]:
        """A finite number for each of the `features` of `action`, legal in `state`. A weight of 1 makes an action e
        times as probable for each unit, so they are best of the size of one."""
        raise NotImplementedError(f"{type(self).__name__} names features but has no feature(self, state, action)")

    def action_name(self, state: Any, action: Any) -> str:
        """What a person calls `action`, legal in `state`."""
        return str(action)

    def draw(self, initial: Any, actions: Sequence[Any]) -> str:
        """The solution that plays `actions` from `initial`, as text for a terminal."""
        state, names = self.copy(initial), []
        for action in actions:
            names.append(self.action_name(state, action))
            state = advance(self, state, action)
        return ", ".join(names)

    def svg(self, initial: Any, actions: Sequence[Any]) -> str | None:
        """The same as a picture: one standalone SVG document; None if the domain draws none."""
        return None

    def kernels(self) -> "Kernels | None":
        """The rules as Numba functions, for the compiled engine; None if the domain has none."""
        return None

    def encode(self, state: Any) -> "tuple[np.ndarray, np.ndarray]":
        """(problem, state) as 1-D arrays for the kernels: what stays the same during a run, and what `play` changes."""
        raise NotImplementedError(f"{type(self).__name__} has kernels but no encode(self, state)")

    def sample_encoded(self, random: Random) -> "tuple[np.ndarray, np.ndarray]":
        """`encode(sample(random))`, for a domain that has a faster way to it."""
        return self.encode(self.sample(random))

    def too_long(self) -> str:
        """What to do if a run goes on after `length_bound` actions."""
        return "raise its max_length, or make is_final true earlier"

    def __repr__(self) -> str:
        return f"<domain {self.registered_text or type(self).__name__}>"

    def identity(self) -> dict[str, Any] | None:
        """The options that say which problems these are, for the canonical text; None: the constructor's parameters,
        read from the attributes of the same names. A `Path` is written as the hash of what it holds."""
        return None

    @property
    def length_bound(self) -> int:
        """The hard bound on the number of actions."""
        return self.max_length or self.horizon


def advance(domain: Domain, state: Any, action: Any) -> Any:
    """Play `action` and return the state that follows; `state` itself may be changed or not."""
    following = domain.play(state, action)
    return state if following is None else following


def replay(domain: Domain, initial: Any, actions: Sequence[Any]) -> Any:
    """The state after `actions` from `initial`, which stays as it is."""
    state = domain.copy(initial)
    for number, action in enumerate(actions, 1):
        if action not in domain.actions(state):
            raise DomainError(f"action {number} of the sequence, {action!r}, is not legal there")
        state = advance(domain, state, action)
    return state

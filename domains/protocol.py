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
    role      one side of a game; problems here have one role, games have several
    mover     the one role that has a choice in a state; None where several have one
    joint     an action of each role, in the order of roles: what is played in one step of a game
    NOOP      the only action of a role that has nothing to choose
    chance    what else decides where an action leads; `play` draws it from a generator that it is handed

A domain of one's own needs `horizon`, `sample`, `actions`, `play` and `reward`; the rest has defaults:

    class Countdown(Domain):
        horizon = 5
        def sample(self, random): return [random.below(100)]
        def actions(self, state): return [1, 2, 3] if len(state) <= 5 else []
        def play(self, state, action): state.append(action)
        def reward(self, state): return 1.0 if sum(state) % 7 == 0 else 0.0

A game needs `roles` and `rewards` besides, and `mover` if its roles take turns; see "Games" below.

Where chance has a say, set `stochastic = True` and let `play(self, state, action, random)` draw from `random` alone;
`draw` and `svg` then take it last, too. Nobody can plan such a solution ahead: `mcsgrammar play` searches anew before
every action. Its unfinished states all list the same actions, in the same order: what cannot be done there changes
nothing. (A search knows a state by the actions that led to it, and chance leads them elsewhere each time.)

Two rules that are easy to miss: `actions`, `is_final`, `reward` and `score` look at a state and must not change it; and
the order in which `actions` lists the moves is part of what the domain is (another order, other results for a seed).
"""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domains.errors import DomainError
from domains.randomness import Random
from domains.saying import no_state

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import GameKernels, Kernels

NOOP = -1


class Domain:
    """The base of all problems; `domains/protocol.py` opens with the terms."""

    horizon: int
    max_length: int = 0
    """The hard bound on the number of actions; 0: the horizon is one. A run past it is an error of the domain."""
    max_actions: int = 0
    """The hard bound on the legal actions of one state; only compiled domains need to know it."""
    unit: str = "reward"
    """Of `score`, for people; a domain with a `cost` has "cost", unless it says another."""
    reward_range: tuple[float, float] = (0.0, 1.0)
    minimise: tuple[float, float] | None = None
    """(lo, hi), the bounds of `cost` for a domain that minimises; the reward is then (hi - cost) / (hi - lo)."""
    values_unfinished: bool = False
    """Whether `reward` means something in states that are not final, so that a playout may be cut short."""
    stochastic: bool = False
    """Whether chance has a say in where an action leads. `play`, `draw` and `svg` then take a `Random` as well."""
    features: tuple[str, ...] = ()
    """The names of the numbers that `feature` gives, for `sim(guided(NAME=WEIGHT))`; not `depth`, `inf` or `nan`."""
    roles: tuple[str, ...] = ("player",)
    """The sides of a game, in the order in which their actions, rewards and seats are listed."""
    registered_name: str | None = None
    """What it was found by on the command line; set by `domains.registry`."""
    registered_text: str | None = None
    """Its canonical text, with all options; set with the name."""
    registered_as: str | None = None
    """What finds it again, from any working directory; set with the name."""
    registered_file: Path | None = None
    """The file that it was found in; set with the name."""
    instances: Sequence[Path] | Mapping[str, Sequence[Path]] | None = None
    """Files that hold one problem each, read by `load`; None for a domain that samples its problems. They are split by
    their hashes, or as `{"train": files, "test": files}` says."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        minimises = cls.minimise is not None or cls.reward is Domain.reward
        if minimises and cls.cost is not Domain.cost and cls.unit == Domain.unit:
            cls.unit = "cost"

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

    def reaches_goal(self, state: Any) -> bool | None:
        """Whether the final `state` is what was wanted, for `mcsgrammar play` to count; None: no such thing."""
        return None

    def copy(self, state: Any) -> Any:
        """A state that can be played on without changing this one."""
        return copy.deepcopy(state)

    def is_final(self, state: Any) -> bool:
        """Whether nothing more can be played."""
        if len(self.roles) > 1 and self.mover(state) is None:
            return not self.actions_of(state, 0)
        actions = self.actions(state)
        return hasattr(actions, "__len__") and len(actions) == 0  # who asks for the actions says what is no list

    def reward(self, state: Any) -> float:
        """What the final `state` is worth; more is better."""
        if self.minimise is None:
            name, costs = type(self).__name__, type(self).cost is not Domain.cost
            if costs:
                raise NotImplementedError(f"{name} has a cost(self, state); declare minimise = (lowest, highest), too")
            raise NotImplementedError(f"{name} has no reward(self, state)")
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

    # Games, which have several `roles`. A game whose roles take turns says who is the `mover`, and its `actions` and
    # `play` are those of the mover; one in which several roles choose at once gives all three itself. `horizon` and
    # `max_length` then count steps, and `max_actions` bounds what one role has.

    def mover(self, state: Any) -> int | None:
        """The role, by its place in `roles`, that alone has a choice in `state`; None where several have one."""
        if len(self.roles) == 1:
            return 0
        raise NotImplementedError(f"{type(self).__name__} has several roles but no mover(self, state)")

    def actions_of(self, state: Any, role: int) -> Sequence[Any]:
        """The legal actions of a role: at least one for every role, and none for all iff `state` is final."""
        mover = self.mover(state)
        if mover is None:
            raise NotImplementedError(f"{type(self).__name__} has no actions_of(self, state, role)")
        if role == mover:
            return self.actions(state)
        return [] if self.is_final(state) else [NOOP]

    def play_all(self, state: Any, joint: Sequence[Any]) -> Any:
        """Play one action of each role at once, in place or not, as `play` does."""
        mover = self.mover(state)
        if mover is None:
            raise NotImplementedError(f"{type(self).__name__} has no play_all(self, state, joint)")
        return self.play(state, joint[mover])

    def rewards(self, state: Any) -> Sequence[float]:
        """What the final `state` is worth to each role, in [0, 1]."""
        if len(self.roles) == 1:
            return (self.reward(state),)
        raise NotImplementedError(f"{type(self).__name__} has several roles but no rewards(self, state)")

    def action_name(self, state: Any, action: Any) -> str:
        """What a person calls `action`, legal in `state`."""
        return str(action)

    def draw(self, initial: Any, actions: Sequence[Any]) -> str:
        """The solution that plays `actions` from `initial`, as text for a terminal; of a game the actions are joint."""
        return named_actions(self, initial, actions)

    def svg(self, initial: Any, actions: Sequence[Any]) -> str | None:
        """The same as a picture: one standalone SVG document; None if the domain draws none."""
        return None

    def kernels(self) -> "Kernels | None":
        """The rules as Numba functions, for the compiled engine; None if the domain has none."""
        return None

    def game_kernels(self) -> "GameKernels | None":
        """The same for a game with several roles."""
        return None

    def encode(self, state: Any) -> "tuple[np.ndarray, np.ndarray]":
        """(problem, state) as 1-D arrays for the kernels: what stays the same during a run, and what `play` changes."""
        raise NotImplementedError(f"{type(self).__name__} has kernels but no encode(self, state)")

    def sample_encoded(self, random: Random) -> "tuple[np.ndarray, np.ndarray]":
        """`encode(sample(random))`, for a domain that has a faster way to it."""
        return self.encode(self.sample(random))

    def too_long(self) -> str:
        """What to do if a run goes on after `length_bound` actions, or a match after as many steps."""
        return "raise its max_length, or make is_final true earlier"

    def __reduce_ex__(self, protocol: Any) -> Any:
        """What was found in a file is found there again, as no import finds its class by a name."""
        if self.registered_file is None or self.registered_as is None:
            return super().__reduce_ex__(protocol)
        from domains.registry import find_domain

        return find_domain, (self.registered_as,), vars(self)

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


def kernels_method(domain: Domain) -> str:
    """Which of its methods hands over the kernels."""
    return "kernels" if len(domain.roles) == 1 else "game_kernels"


def advance(domain: Domain, state: Any, action: Any, random: Random | None = None) -> Any:
    """Play `action` and return the state that follows; `state` itself may be changed or not. Chance is drawn from
    `random`, which a domain without chance does without."""
    following = domain.play(state, action, random) if domain.stochastic else domain.play(state, action)  # type: ignore[call-arg]
    return state_after(domain, "play", state, following)


def state_after(domain: Domain, method: str, state: Any, following: Any) -> Any:
    """What a method returned, or the state that it was given and may have changed."""
    if following is None:
        return state
    if wrong := no_state(state, following):
        raise DomainError(f"{type(domain).__name__}.{method} {wrong}")
    return following


def replay(domain: Domain, initial: Any, actions: Sequence[Any], random: Random | None = None) -> Any:
    """The state after `actions` from `initial`, which stays as it is. The same `random`, the same chance."""
    state = domain.copy(initial)
    for number, action in enumerate(actions, 1):
        if action not in domain.actions(state):
            raise DomainError(f"action {number} of the sequence, {action!r}, is not legal there")
        state = advance(domain, state, action, random)
    return state


def named_actions(domain: Domain, initial: Any, actions: Sequence[Any], random: Random | None = None) -> str:
    """What people call the actions of a solution, one after the other."""
    state, names = domain.copy(initial), []
    for action in actions:
        if len(domain.roles) > 1:
            names.append(joint_name(domain, state, action))
            state = advance_all(domain, state, action)
        else:
            names.append(str(domain.action_name(state, action)))
            state = advance(domain, state, action, random)
    return ", ".join(names)


def drawn(domain: Domain, initial: Any, actions: Sequence[Any], random: Random | None = None) -> str:
    """What `draw` says, where chance has a say with that of `random`."""
    if not domain.stochastic:
        return domain.draw(initial, actions)
    if type(domain).draw is Domain.draw:
        return named_actions(domain, initial, actions, random)
    return domain.draw(initial, actions, random)  # type: ignore[call-arg]


def pictured(domain: Domain, initial: Any, actions: Sequence[Any], random: Random | None = None) -> str | None:
    """The same of `svg`."""
    if not domain.stochastic or type(domain).svg is Domain.svg:
        return domain.svg(initial, actions)
    return domain.svg(initial, actions, random)  # type: ignore[call-arg]


def states_on_the_way(domain: Domain, initial: Any, actions: Sequence[Any], random: Random) -> list[Any]:
    """The initial state, and that after each action."""
    way = [initial]
    for action in actions:
        way.append(advance(domain, domain.copy(way[-1]), action, random))
    return way


def advance_all(game: Domain, state: Any, joint: Sequence[Any]) -> Any:
    """Play an action of each role and return the state that follows; `state` itself may be changed or not."""
    return state_after(game, "play_all", state, game.play_all(state, joint))


def replay_all(game: Domain, initial: Any, joints: Sequence[Sequence[Any]], steps: int = 0) -> Any:
    """The state after the joint moves from `initial`, which stays as it is, and to which so many steps have led."""
    state = game.copy(initial)
    for number, joint in enumerate(joints, steps + 1):
        for role, (name, action) in enumerate(zip(game.roles, joint, strict=True)):
            if action not in game.actions_of(state, role):
                raise DomainError(f"step {number} of the match: {action!r} is not legal there for {name}")
        state = advance_all(game, state, joint)
    return state


def joint_name(game: Domain, state: Any, joint: Sequence[Any]) -> str:
    """What a person calls a joint move: the mover's action, or those of all who have a choice, with their roles."""
    mover = game.mover(state)
    if mover is not None:
        return game.action_name(state, joint[mover])
    return " ".join(
        f"{name} {'–' if action == NOOP else game.action_name(state, action)}"
        for name, action in zip(game.roles, joint, strict=True)
    )

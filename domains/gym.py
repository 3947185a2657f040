"""Any Gymnasium environment that can be copied: `gym:FrozenLake-v1,is_slippery=true`.

Glossary
    environment  an object with `reset`, `step` and an `action_space` (Towers and others, "Gymnasium: A Standard
                 Interface for Reinforcement Learning Environments", 2024)
    episode      a state: a copy of the environment, and what it has paid so far
    return       the sum of the rewards of an episode; the score
    action       the number of one of the `choices`: all that a discrete space holds, `parts` evenly spread values in
                 each dimension of a continuous one, all combinations of those in a compound one
    scale        the search's reward is 1/2 + r / (2 (|r| + scale)) for a return r, in [0, 1] whatever r is
    chance       every step gets a generator whose state is drawn from the search's or the world's `Random`. A copy that
                 carried the generator of the original on would foresee what the world is about to draw. With chance=no
                 all steps draw the same: for environments in which nothing hangs on it
"""

import copy
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import RLock
from typing import Any

import numpy as np

from domains.errors import DomainError, UnknownDomain
from domains.protocol import Domain, advance
from domains.randomness import Random
from domains.saying import said

UNKNOWN_LENGTH = 1000
MOST_CHOICES = 10_000
ALONE = RLock()
"""Episodes share a generator, whose state is set before it is used: of the threads of a campaign one at a time."""


@dataclass(slots=True)
class Episode:
    """A state."""

    environment: Any
    steps: int
    paid: float
    over: bool
    seen: Any
    """The last observation, for people."""


class Gym(Domain):
    """Plan in a Gymnasium environment that can be copied, by its name."""

    unit = "return"
    values_unfinished = True

    def __init__(
        self,
        environment: Any,
        length: int | None = None,
        parts: int = 3,
        scale: float | None = None,
        chance: bool = True,
        **options: Any,
    ) -> None:
        """The `environment`, or its name; the most steps (`length`, else what it says), how many `parts` a continuous
        action is cut into, the `scale` of returns (else the return at which it counts as solved, or the length),
        whether there is `chance` in it, and `options` of its own."""
        if parts < 2:
            raise UnknownDomain(f"gym: parts is {parts}; it is a whole number of 2 or more")
        if length is not None and length < 1:
            raise UnknownDomain(f"gym: length is {length}; it is a whole number of 1 or more")
        if scale is not None and not scale > 0:
            raise UnknownDomain(f"gym: scale is {scale}; it is a number above 0")
        made = made_by_name(environment, options) if isinstance(environment, str) else copied(environment, {})
        spec = getattr(made, "spec", None)
        self.environment = environment if isinstance(environment, str) else getattr(spec, "id", type(made).__name__)
        self.options, self.parts, self.stochastic = options, parts, chance
        self.length = int(length or getattr(spec, "max_episode_steps", None) or UNKNOWN_LENGTH)
        self.threshold: float | None = getattr(spec, "reward_threshold", None)
        self.scale = float(scale or abs(self.threshold or 0) or self.length)
        self.horizon = self.length
        self.choices = choices(made.action_space, parts)
        self.max_actions = len(self.choices)
        self._original = without_limits(made)
        # The one generator of all episodes; its state is set before it is used.
        self._generator = np.random.Generator(np.random.PCG64(0))
        shared = [self._original.action_space, self._original.observation_space, spec, self._generator]
        self._shared = {id(thing): thing for thing in shared}
        copied(self._original, self._shared)

    def identity(self) -> dict[str, Any]:
        own = {"length": self.length, "parts": self.parts, "scale": self.scale, "chance": self.stochastic}
        return {"environment": self.environment, **own, **self.options}

    def sample(self, random: Random) -> Episode:
        with ALONE:
            seen, _ = self._original.reset(seed=random.below(2**31))
            drawn_with = self._original.unwrapped.np_random
            # Whoever has kept the generator that `reset` has made is handed ours instead.
            environment = copied(self._original, self._shared | {id(drawn_with): self._generator})
        return Episode(environment, 0, 0.0, False, seen)

    def copy(self, state: Episode) -> Episode:
        environment = copied(state.environment, self._shared)
        return Episode(environment, state.steps, state.paid, state.over, state.seen)

    def actions(self, state: Episode) -> list[int]:
        return [] if self.is_final(state) else list(range(len(self.choices)))

    def play(self, state: Episode, action: int, random: Random | None = None) -> None:
        word = random.next() << 64 | random.next() if random is not None else 0
        chance = {"bit_generator": "PCG64", "state": {"state": word, "inc": 1}, "has_uint32": 0, "uinteger": 0}
        with ALONE:
            state.environment.unwrapped.np_random.bit_generator.state = chance
            state.seen, reward, over, cut_short, _ = state.environment.step(copy.deepcopy(self.choices[action]))
        state.paid += float(reward)
        state.over = bool(over or cut_short)
        state.steps += 1

    def is_final(self, state: Episode) -> bool:
        return state.over or state.steps == self.length

    def reaches_goal(self, state: Episode) -> bool | None:
        """Whether the return is one at which the environment counts as solved."""
        return None if self.threshold is None else state.paid >= self.threshold

    def reward(self, state: Episode) -> float:
        return 0.5 + 0.5 * state.paid / (abs(state.paid) + self.scale)

    def score(self, state: Episode) -> float:
        return state.paid

    def action_name(self, state: Episode, action: int) -> str:
        return named(self.choices[action])

    def draw(self, initial: Episode, actions: Sequence[int], random: Random | None = None) -> str:
        """A line for each step: the action, what it paid, and what was seen."""
        state = self.copy(initial)
        lines = [
            f"{'step':>4}  {'action':<12} {'reward':>8}  observation",
            f"{0:>4}  {'':<12} {'':>8}  {named(state.seen)}",
        ]
        for action in actions:
            before = state.paid
            state = advance(self, state, action, random)
            paid = f"{state.paid - before:8.4g}"
            lines.append(f"{state.steps:>4}  {named(self.choices[action]):<12} {paid}  {named(state.seen)}")
        return "\n".join([*lines, f"return {state.paid:.6g}"])


def made_by_name(name: str, options: dict[str, str]) -> Any:
    try:
        import gymnasium
    except ImportError:
        raise UnknownDomain(
            "gym:… needs Gymnasium: pip install 'mcsgrammar[gym]', and what the environment needs besides"
        ) from None
    given = {key: read(value) for key, value in options.items()}
    try:
        return gymnasium.make(name, disable_env_checker=True, **given)
    except (Exception, SystemExit) as error:
        raise UnknownDomain(f"Gymnasium cannot make {name}: {said(error)}") from error


def read(text: Any) -> Any:
    """An option of an environment as Python has it: a truth value, a number, or the text itself."""
    if not isinstance(text, str):
        return text
    if text.lower() in ("true", "yes", "false", "no"):
        return text.lower() in ("true", "yes")
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def copied(environment: Any, shared: dict[int, Any]) -> Any:
    """A copy with the `shared` things, by their identities, in common."""
    try:
        return copy.deepcopy(environment, shared.copy())
    except Exception as error:
        raise DomainError(
            f"{environment} cannot be copied, and a search plays on copies: {said(error)}; a method __deepcopy__ of "
            "its class can say how"
        ) from error


def without_limits(environment: Any) -> Any:
    """Without the wrappers that count steps or watch over the order of calls: episodes count for themselves."""
    while type(environment).__name__ in ("TimeLimit", "OrderEnforcing", "PassiveEnvChecker"):
        environment = environment.env
    return environment


def choices(space: Any, parts: int) -> list[Any]:
    """The actions that a search chooses from."""
    found = list(itertools.islice(in_space(space, parts), MOST_CHOICES + 1))
    if len(found) > MOST_CHOICES:
        raise UnknownDomain(
            f"gym: {space} has more than {MOST_CHOICES} actions in {parts} parts a dimension; take fewer"
        )
    return found


def in_space(space: Any, parts: int) -> Iterable[Any]:
    kind = type(space).__name__
    if kind == "Discrete":
        return range(int(space.start), int(space.start + space.n))
    if kind == "MultiDiscrete":
        lows, sizes = space.start.ravel(), space.nvec.ravel()
        return filled(space, [range(low, low + size) for low, size in zip(lows, sizes, strict=True)])
    if kind == "MultiBinary":
        return filled(space, [range(2)] * int(np.prod(space.shape)))
    if kind == "Box" and np.isfinite(space.low).all() and np.isfinite(space.high).all():
        ends = zip(space.low.ravel(), space.high.ravel(), strict=True)
        return filled(space, [np.linspace(low, high, parts) for low, high in ends])
    if kind == "Tuple":
        return itertools.product(*(choices(part, parts) for part in space.spaces))
    if kind == "Dict":
        each = [choices(part, parts) for part in space.spaces.values()]
        return (dict(zip(space.spaces, chosen, strict=True)) for chosen in itertools.product(*each))
    raise UnknownDomain(
        f"gym: nobody can list the actions of {space}; it needs a wrapper with an action space that ends"
    )


def filled(space: Any, values: list[Any]) -> Iterable[Any]:
    """All arrays of the shape of `space` with these values at its places, one after the other."""
    return (np.array(chosen, space.dtype).reshape(space.shape) for chosen in itertools.product(*values))


def named(thing: Any) -> str:
    if isinstance(thing, np.ndarray):
        return " ".join(f"{value:.4g}" for value in thing.ravel())
    return str(thing)

"""A domain under examination: its methods called with care, and the words for what went wrong and where."""

import math
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import domains.problems
import domains.protocol
from domains.protocol import Domain
from domains.randomness import Random, seed_of
from domains.saying import listed, no_list, no_state, number, said, shown
from domains.sources import file_of_class

MOST_STEPS = 1_000_000
"""Actions that an examination plays in all, so that it ends whatever the domain does."""
REPEATS = 8
"""How often something is asked again before it counts as steady."""
STAYS = "looking at a state must not change it, nor anything it shares"


@dataclass(frozen=True)
class Finding:
    """Something wrong with a domain. An error breaks a search or its reproducibility; a warning makes it poor."""

    kind: Literal["error", "warning"]
    name: str
    """which mistake it is; these do not change"""
    message: str
    """what is wrong, where, and what to do"""


class Broken(Exception):
    """A check found an error. `about` tells apart errors of the same name that are all worth showing."""

    def __init__(self, name: str, message: str, about: str = "") -> None:
        self.finding = Finding("error", name, message)
        self.about = about


MISLEADING = {
    "action-order",
    "action-unequal",
    "actions-vary",
    "code-varies",
    "copy-differs",
    "copy-shares",
    "feature-varies",
    "final-varies",
    "looking-changes",
    "mover",
    "mover-varies",
    "play-varies",
    "returns-nothing",
    "reward-varies",
    "sample-shares",
    "sample-varies",
}
"""Once one of these is found, whatever else is seen may be its doing."""


class Misled(Exception):
    """Something was found that makes further checks misleading."""


class Findings:
    """What was found so far, the first of its kind each."""

    def __init__(self, tell: Callable[[Finding, str], None] | None = None) -> None:
        """`tell` hears of each as it is found."""
        self._found: dict[tuple[str, str], Finding] = {}
        self._tell = tell

    def add(self, finding: Finding, about: str = "") -> None:
        if (finding.name, about) in self._found:
            return
        self._found[finding.name, about] = finding
        if self._tell is not None:
            self._tell(finding, about)

    def warn(self, name: str, message: str) -> None:
        self.add(Finding("warning", name, message))

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note what is raised inside, and go on after it, unless that would mislead."""
        try:
            yield
        except Broken as broken:
            self.add(broken.finding, broken.about)
            if broken.finding.name in MISLEADING:
                raise Misled from None

    def errors(self) -> bool:
        return any(finding.kind == "error" for finding in self._found.values())

    def all(self) -> list[Finding]:
        """Errors first."""
        return sorted(self._found.values(), key=lambda finding: finding.kind)


class OutOfSteps(Exception):
    """The examination has played as many actions as it may."""


@dataclass(frozen=True, eq=False)
class Place:
    """A state as a person can reach it: the problem's number, and the first `length` actions that were `played`. The
    places of one walk share a list, to which only its last place appends."""

    problem: int
    played: list[Any] = field(default_factory=list)
    length: int = 0
    world: int = 0
    """another, other chance"""

    def __str__(self) -> str:
        if self.length == 0:
            return f"problem {self.problem}, initial state"
        return f"problem {self.problem}, after {listed(self.actions)}"

    @property
    def actions(self) -> tuple[Any, ...]:
        return tuple(self.played[: self.length])

    def before(self, length: int) -> "Place":
        """Where this walk was after `length` actions."""
        return Place(self.problem, self.played, length, self.world)

    def after(self, action: Any) -> "Place":
        played = self.played if self.length == len(self.played) else self.played[: self.length]
        played.append(action)
        return Place(self.problem, played, self.length + 1, self.world)

    def steps(self) -> Iterator["tuple[Place, Any]"]:
        """Every place on the way here, with the action that is played there."""
        for length in range(self.length):
            yield self.before(length), self.played[length]


class Said(NamedTuple):
    """What one method says of a state."""

    method: str
    who: str
    """for which role, as in " for white"; empty where there is but one"""
    value: Any


@dataclass(frozen=True)
class Look:
    """What a state says of itself. States are compared by it, since their `==` may mean anything."""

    final: bool
    actions: list[Any]
    reward: Any
    """None where the reward means nothing: in a state that is not final, unless the domain values those"""

    def change_to(self, other: "Look") -> str:
        """What differs, in words; empty if nothing does."""
        pairs = zip(self.said(), other.said(), strict=True)
        return "; ".join(
            f"{old.method}{old.who} from {shown(old.value)} to {shown(new.value)}" for old, new in pairs if old != new
        )

    def said(self) -> list[Said]:
        return [Said("is_final", "", self.final), Said("actions", "", self.actions), Said("reward", "", self.reward)]

    def lists(self) -> list[Said]:
        """The actions alone."""
        return [said for said in self.said() if isinstance(said.value, list)]


Between = Callable[[Place, Any], None]
"""Is shown every state on the way to a place."""


def nothing_between(place: Place, state: Any) -> None:
    """Looks at none."""


class Probe:
    """A domain whose every call is counted and guarded: what it does wrong is raised as `Broken`."""

    looks: tuple[str, ...] = ("actions", "is_final", "reward", "score", "action_name")
    """The methods that look at a state."""
    says: tuple[str, ...] = ("is_final", "actions")
    """Those that mean something in every state."""
    why_moves = "is_final must be true where nothing can be played"

    def __init__(self, domain: Domain, doing: Callable[[object, str], None] | None = None) -> None:
        """`doing` is told of every call before it is made."""
        self.domain = domain
        self.doing = doing
        self.name = type(domain).__name__
        self.most_steps = self.steps_left = MOST_STEPS
        self.first_actions: dict[int, list[Any]] = {}
        """of the initial states, by problem, where chance has a say"""
        self.played = self.drew = False
        """whether an action was played, and whether any drew from the chance it was handed"""

    def guard(self, where: object, method: str, function: Callable[..., Any], *arguments: Any) -> Any:
        """What the function returns. What it raises is an error of the domain, called `method` in the message."""
        if self.doing is not None:
            self.doing(where, method)
        try:
            return function(*arguments)
        except (Exception, SystemExit) as error:
            if isinstance(error, NotImplementedError) and _raised_by_default(error):
                raise Broken(
                    "missing-method", f"{error}; domains/protocol.py opens with an example of a whole domain"
                ) from error
            raise Broken("exception", f"{where}: {method} raised {self._described(error)}", method) from error

    def ask(self, where: object, method: str, *arguments: Any) -> Any:
        return self.guard(where, method, getattr(self.domain, method), *arguments)

    def initial(self, k: int) -> Any:
        """A new initial state of test problem `k`, numbered as by `mcsgrammar solve --problem`."""
        method = "sample" if self.domain.instances is None else "load"
        state = self.guard(f"problem {k}", method, domains.problems.problem, self.domain, k)
        return self._something(f"problem {k}", method, state)

    def at(self, place: Place, between: Between = nothing_between) -> Any:
        """The state at `place`, played to from a new initial state; `between` sees it in every state on the way."""
        state = self.initial(place.problem)
        for here, action in place.steps():
            between(here, state)
            state = self.play(here, state, action)
        between(place, state)
        return state

    def copy(self, where: Place, state: Any) -> Any:
        return self._something(where, "copy", self.ask(where, "copy", state))

    def is_final(self, where: Place, state: Any) -> bool:
        return bool(self.guard(where, "is_final", lambda: bool(self.domain.is_final(state))))

    def actions(self, where: Place, state: Any) -> list[Any]:
        return self._checked_actions(where, "actions", self.ask(where, "actions", state))

    def _checked_actions(self, where: Place, method: str, given: Any) -> list[Any]:
        if wrong := no_list(given):
            raise Broken("actions-not-a-list", f"{where}: {method} returned {shown(given)}, {wrong}")
        actions = list(given)
        for action in actions:
            try:
                hash(action)
            except TypeError:
                raise Broken(
                    "action-unhashable",
                    f"{where}: the action {shown(action)} is a {type(action).__name__}, which has no hash; "
                    "use numbers, strings, tuples or frozen dataclasses",
                ) from None
        return self.comparable(where, actions)

    def comparable(self, where: Place, actions: list[Any]) -> list[Any]:
        """The actions, each of which may be asked whether it equals another, as every search does."""
        for action in actions:
            try:
                bool(action == action)
            except (Exception, SystemExit) as error:
                raise Broken(
                    "action-unequal",
                    f"{where}: comparing the action {shown(action)} with itself raises {said(error)}; "
                    "use numbers, strings, tuples or frozen dataclasses",
                ) from error
        return actions

    def play(self, where: Place, state: Any, action: Any, random: Random | None = None) -> Any:
        """The state after `action`; the state that was given may be changed. Where chance has a say, it is that of the
        place, unless another is given."""
        self.played = True
        if not self.domain.stochastic:
            return self._step(where, "play", state, action)
        chance = self.chance(where) if random is None else random
        before = chance.state
        following = self._step(where, "play", state, action, chance)
        self.drew |= chance.state != before
        return following

    def _step(self, where: Place, method: str, state: Any, *played: Any) -> Any:
        if self.steps_left == 0:
            raise OutOfSteps
        self.steps_left -= 1
        following = self.ask(where, method, state, *played)
        if wrong := no_state(state, following):
            raise Broken("no-state", f"{where}: {self.name}.{method} {wrong}")
        return state if following is None else following

    def chance(self, where: Place) -> Random:
        """The same each time for the same place."""
        return Random(seed_of("chance", where.problem, where.world, where.length))

    def reward(self, where: Place, state: Any) -> Any:
        if self.domain.minimise is not None:
            self.cost(where, state)  # which is to blame first
        return self._number(where, "reward", self.ask(where, "reward", state))

    def cost(self, where: Place, state: Any) -> float:
        return self._number(where, "cost", self.ask(where, "cost", state))

    def valued(self, final: bool) -> bool:
        """Whether a state has a reward."""
        return final or self.domain.values_unfinished

    def look(self, where: Place, state: Any) -> Look:
        return self.look_at(where, lambda: state)

    def look_at(self, where: Place, state: Callable[[], Any]) -> Look:
        """The same, where `state` gives one for each question."""
        final = self.is_final(where, state())
        actions = self.actions(where, state())
        return Look(final, actions, self.reward(where, state()) if self.valued(final) else None)

    def call_look(self, where: Place, method: str, state: Any) -> None:
        """Call one of `looks`, but for `action_name`."""
        self.ask(where, method, state)

    def call_on_action(self, where: Place, method: str, state: Any, action: Any) -> None:
        """Call a method that says something of an action."""
        self.ask(where, method, state, action)

    def can_play(self, actions: list[Any]) -> bool:
        return bool(actions)

    def choose(self, actions: list[Any], random: Random) -> Any:
        """What is played in one step."""
        return actions[random.below(len(actions))]

    def _something(self, where: object, method: str, state: Any) -> Any:
        if state is None:
            raise Broken("returns-nothing", f"{where}: {method} returned None; return a state", method)
        return state

    def _number(self, where: Place, method: str, value: Any) -> float:
        finite = number(value)
        if not math.isfinite(finite):
            raise Broken(
                f"{method}-not-finite", f"{where}: {method} returned {shown(value)}; return a finite number everywhere"
            )
        return finite

    def _described(self, error: BaseException) -> str:
        """Type, message and the line of the domain's file it comes from, on one line."""
        frames = [
            frame
            for frame in traceback.extract_tb(error.__traceback__)
            if frame.filename not in (__file__, domains.problems.__file__)
        ]
        own_file = str(file_of_class(self.domain))
        frame = next(
            (frame for frame in reversed(frames) if frame.filename == own_file), frames[-1] if frames else None
        )
        return f"{said(error)} ({frame.filename}:{frame.lineno})" if frame else said(error)


def _raised_by_default(error: Exception) -> bool:
    return traceback.extract_tb(error.__traceback__)[-1].filename == domains.protocol.__file__

"""A domain behind a guard: what it does wrong becomes a `DomainError` that says what and where.

Whatever a domain raises is its author's to mend, not a bug of the search; the original exception stays attached.
"""

import math
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from domains.errors import DomainError
from domains.problems import Split, problem
from domains.protocol import Domain, advance, kernels_method
from domains.randomness import Random
from domains.saying import SHOWN_ACTIONS, no_list, number, said, shown, wrong_features, wrong_minimise

T = TypeVar("T")

OURS = str(Path(__file__).parents[1])
"""What is raised in here was caused by the line that led here."""


class Guarded:
    """The methods that a search calls. `prefix` is the sequence that led to the state, for the message."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.name = type(domain).__name__
        self.length_bound = guarded(domain, "horizon", lambda: int(domain.length_bound))

    def sample(self, random: Any) -> Any:
        return guarded(self.domain, "sample", lambda: self.domain.sample(random))

    def copy(self, state: Any) -> Any:
        return guarded(self.domain, "copy", lambda: self.domain.copy(state))

    def is_final(self, state: Any) -> bool:
        return guarded(self.domain, "is_final", lambda: bool(self.domain.is_final(state)))

    def actions(self, state: Any) -> Sequence[Any]:
        """The actions of a state that is not final: at least one."""
        actions = guarded(self.domain, "actions", lambda: self.domain.actions(state))
        if not isinstance(actions, (list, tuple)) and (wrong := no_list(actions)):
            raise DomainError(f"{self.name}.actions must return a list; it returned {wrong}")
        if len(actions) == 0:
            raise no_actions(self.domain)
        return actions

    def play(self, state: Any, action: Any, prefix: Sequence[Any], random: Random | None = None) -> Any:
        """`random` is asked where chance has a say."""
        if len(prefix) >= self.length_bound:
            raise too_long(self.domain)
        return guarded(self.domain, "play", lambda: advance(self.domain, state, action, random))

    @property
    def stochastic(self) -> bool:
        return self.domain.stochastic

    @property
    def features(self) -> tuple[str, ...]:
        return tuple(self.domain.features)

    def code(self, state: Any, action: Any) -> Any:
        code = guarded(self.domain, "code", lambda: self.domain.code(state, action))
        try:
            hash(code)
        except TypeError:
            raise DomainError(f"{self.name}.code returned {shown(code)}; a code can be hashed") from None
        return code

    def feature(self, state: Any, action: Any) -> list[float]:
        """One finite number for each of the features."""
        given = guarded(self.domain, "feature", lambda: list(self.domain.feature(state, action)))
        numbers = [number(one) for one in given]
        if len(numbers) != len(self.features):
            raise DomainError(
                f"{self.name}.feature returned {len(numbers)} numbers for {len(self.features)} features; "
                f"it must return one for each of {', '.join(self.features)}"
            )
        if not all(map(math.isfinite, numbers)):
            raise bad_feature(self.domain)
        return numbers

    def reward(self, state: Any, sequence: Sequence[Any]) -> float:
        reward = guarded(self.domain, "reward", lambda: self.domain.reward(state))
        finite = number(reward)
        if not math.isfinite(finite):
            raise bad_reward(self.domain, reward, sequence)
        return finite


def finite_score(domain: Domain, method: str, call: Callable[[], Any]) -> float:
    """The score that a method gives."""
    score = guarded(domain, method, lambda: float(call()))
    if not math.isfinite(score):
        raise DomainError(f"{type(domain).__name__}.{method} returned {score}; a score is a finite number")
    return score


def kernels_of(domain: Domain) -> Any:
    """The kernels of a domain or a game; None where it has none."""
    method = kernels_method(domain)
    found = guarded(domain, method, getattr(domain, method))
    if found is not None:
        from domains.kernels import wrong_kernels

        if wrong := wrong_kernels(found, method):
            raise DomainError(f"{type(domain).__name__}.{method} {wrong}")
    return found


def guarded(domain: Domain, method: str, call: Callable[[], T]) -> T:
    """What the call returns; what it raises becomes a `DomainError`."""
    try:
        return call()
    except DomainError:
        raise
    except (Exception, SystemExit) as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(OURS)]
        place = f" (line {frames[-1].lineno} of {frames[-1].filename})" if frames else ""
        advice = "; raise another exception, this one ends the program" if isinstance(error, SystemExit) else ""
        raise DomainError(f"{type(domain).__name__}.{method} raised {said(error)}{place}{advice}") from error


def require_declared(domain: Domain) -> None:
    """What is declared of costs and features, which all searches go by, makes sense."""
    name = type(domain).__name__
    if wrong := wrong_minimise(name, domain.minimise) or wrong_features(name, domain.features):
        raise DomainError(wrong)


def no_actions(domain: Domain) -> DomainError:
    return DomainError(
        f"{type(domain).__name__} has a state without legal actions that is not final; "
        "is_final must be true exactly where actions returns none"
    )


def changed_its_mind(domain: Domain, action: object) -> DomainError:
    return DomainError(
        f"{type(domain).__name__}.actions does not list {shown(action)} when the state is reached again, as it did "
        "before; it must list the same actions in the same order every time"
    )


def too_long(domain: Domain) -> DomainError:
    return DomainError(
        f"{type(domain).__name__} goes on after {domain.length_bound} actions, the most it declares; "
        f"{domain.too_long()}"
    )


def bad_reward(domain: Domain, reward: Any, sequence: Sequence[Any]) -> DomainError:
    actions = ", ".join(shown(action, str) for action in sequence[:SHOWN_ACTIONS])
    more = ", …" if len(sequence) > SHOWN_ACTIONS else ""
    return DomainError(
        f"{type(domain).__name__}.reward returned {shown(reward)} after the actions {actions}{more}; "
        "a reward is a finite number"
    )


def bad_feature(domain: Domain) -> DomainError:
    return DomainError(
        f"{type(domain).__name__}.feature gives an action a number, or a weighted sum of numbers, that is not finite; "
        "features are finite numbers of about the size of one"
    )


def bad_count(domain: Domain, number: int) -> DomainError:
    """What the kernel `actions` returned cannot be a number of actions."""
    name = type(domain).__name__
    if number < 0:
        return DomainError(f"the kernel actions of {name} returned {number}; it must return how many actions it listed")
    return DomainError(
        f"the kernel actions of {name} listed {number} actions, more than its max_actions, {domain.max_actions}; "
        "set max_actions to the most actions that a state can have"
    )


def bad_length(domain: Domain, length: int) -> DomainError:
    return DomainError(
        f"the kernel playout of {type(domain).__name__} returned the length {length}; it must return how many actions "
        "lie in the sequence, which is no less than it was given and no more than its limit"
    )


def wrote_outside(domain: Domain, what: str, kernel: str) -> DomainError:
    return DomainError(
        f"a kernel of {type(domain).__name__}, most likely {kernel}, wrote outside {what}; 'mcsgrammar check' looks "
        "for the place, and with NUMBA_BOUNDSCHECK=1 in the environment the kernel stops there"
    )


def initial_state(domain: Domain, number: int, split: Split, stream: int) -> Any:
    """The initial state of a problem."""
    return guarded(domain, drawing(domain), lambda: problem(domain, number, split, stream))


def drawing(domain: Domain) -> str:
    """The method that draws a problem, for the message of what goes wrong in it."""
    return "sample" if domain.instances is None else "load"

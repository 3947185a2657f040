"""A game behind a guard: what it does wrong becomes a `DomainError` that says what and where."""

import math
from collections.abc import Sequence
from numbers import Integral
from typing import Any

from domains.errors import DomainError
from domains.protocol import Domain, advance_all
from domains.saying import in_order, no_list, number, shown
from mcsgrammar.engines.guarding import Guarded, guarded


class GuardedGame(Guarded):
    """The methods that a player calls."""

    def __init__(self, game: Domain) -> None:
        super().__init__(game)
        self.roles = len(game.roles)

    def mover(self, state: Any) -> int | None:
        mover: Any = guarded(self.domain, "mover", lambda: self.domain.mover(state))
        if mover is None:
            return None
        number = int(mover) if isinstance(mover, Integral) else -1  # it may be one of NumPy's
        if 0 <= number < self.roles:
            return number
        raise bad_mover(self.domain, mover)

    def actions_of(self, state: Any, role: int) -> Sequence[Any]:
        """The actions of a role in a state that is not final: at least one."""
        actions = guarded(self.domain, "actions_of", lambda: self.domain.actions_of(state, role))
        if not isinstance(actions, (list, tuple)) and (wrong := no_list(actions)):
            raise DomainError(f"{self.name}.actions_of must return a list; it returned {wrong}")
        if len(actions) == 0:
            raise no_actions_of(self.domain, role)
        return actions

    def play_all(self, state: Any, joint: Sequence[Any], steps: int) -> Any:
        """`steps` are those that led to the state from where the match began."""
        if steps >= self.length_bound:
            raise too_many_steps(self.domain)
        return guarded(self.domain, "play_all", lambda: advance_all(self.domain, state, joint))

    def rewards(self, state: Any) -> tuple[float, ...]:
        given: Any = guarded(self.domain, "rewards", lambda: self.domain.rewards(state))
        listed = guarded(self.domain, "rewards", lambda: list(given)) if in_order(given) else []
        if len(listed) != self.roles:
            raise DomainError(
                f"{self.name}.rewards returned {shown(given)}; return a number for each of "
                f"{', '.join(self.domain.roles)}"
            )
        rewards = tuple(number(one) for one in listed)
        if not all(map(math.isfinite, rewards)):
            raise bad_rewards(self.domain, rewards)
        return rewards


def bad_mover(game: Domain, mover: Any) -> DomainError:
    return DomainError(
        f"{type(game).__name__}.mover returned {shown(mover)}; it must return a role, from 0 to {len(game.roles) - 1}, "
        "or None (-1 in kernels) where several have a choice"
    )


def no_actions_of(game: Domain, role: int) -> DomainError:
    return DomainError(
        f"{type(game).__name__} has a state without legal actions of {game.roles[role]} that is not final; there every "
        "role has at least one, if only NOOP, and is_final must be true exactly where none has any"
    )


def too_many_steps(game: Domain) -> DomainError:
    return DomainError(
        f"{type(game).__name__} goes on after {game.length_bound} steps, the most it declares; {game.too_long()}"
    )


def many_joints(game: Domain) -> DomainError:
    return DomainError(
        f"{type(game).__name__} has a state with more than 2^32 joint moves, too many for the compiled engine to "
        "number; use --engine reference"
    )


def bad_rewards(game: Domain, rewards: Sequence[float]) -> DomainError:
    return DomainError(f"{type(game).__name__}.rewards returned {shown(tuple(rewards))}; rewards are finite numbers")

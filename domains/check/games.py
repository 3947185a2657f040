"""Games under examination: what a state says of each role.

What is played in one step is a joint move, a tuple, and stands where the action of a problem for one stands.
"""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from domains.check.probing import Broken, Findings, Look, Place, Probe, Said
from domains.protocol import NOOP, Domain
from domains.randomness import Random
from domains.saying import in_order, shown

FEW_MATCHES = 10


def is_game(domain: Domain) -> bool:
    roles = domain.roles
    return isinstance(roles, (tuple, list)) and len(roles) > 1


def probe_of(domain: Domain, doing: Callable[[object, str], None] | None = None) -> Probe:
    return (GameProbe if is_game(domain) else Probe)(domain, doing)


@dataclass(frozen=True)
class GameLook(Look):
    """`actions` has a list for each role, and `reward` a number for each."""

    mover: int | None
    """None in final states, too, where nobody asks"""
    roles: tuple[str, ...]

    def said(self) -> list[Said]:
        lists = [
            Said("actions_of", f" for {role}", list(own)) for role, own in zip(self.roles, self.actions, strict=True)
        ]
        return [
            Said("is_final", "", self.final),
            Said("mover", "", self.mover),
            *lists,
            Said("rewards", "", self.reward),
        ]


class GameProbe(Probe):
    looks = ("mover", "actions_of", "is_final", "rewards", "action_name")
    says = ("mover", "actions_of", "is_final")
    why_moves = "every role has an action until the game ends, NOOP if nothing else"

    def actions(self, where: Place, state: Any) -> list[Any]:
        return [
            self._checked_actions(where, "actions_of", self.ask(where, "actions_of", state, role))
            for role in range(len(self.domain.roles))
        ]

    def mover(self, where: Place, state: Any) -> int | None:
        mover: int | None = self.ask(where, "mover", state)
        return mover

    def play(self, where: Place, state: Any, action: Any, random: Random | None = None) -> Any:
        return self._step(where, "play_all", state, action)

    def reward(self, where: Place, state: Any) -> Any:
        given = self.ask(where, "rewards", state)
        roles = self.domain.roles
        listed = self.guard(where, "rewards", list, given) if in_order(given) else []
        if len(listed) != len(roles):
            raise Broken(
                "rewards-count",
                f"{where}: rewards returned {shown(given)}; return a number for each of {', '.join(roles)}",
            )
        return tuple(self._number(where, "rewards", reward) for reward in listed)

    def valued(self, final: bool) -> bool:
        return final

    def look_at(self, where: Place, state: Callable[[], Any]) -> GameLook:
        final = self.is_final(where, state())
        return GameLook(
            final,
            self.actions(where, state()),
            self.reward(where, state()) if final else None,
            None if final else self.mover(where, state()),
            tuple(self.domain.roles),
        )

    def call_look(self, where: Place, method: str, state: Any) -> None:
        if method == "actions_of":
            self.actions(where, state)
        else:
            self.ask(where, method, state)

    def call_on_action(self, where: Place, method: str, state: Any, action: Any) -> None:
        for own in action:
            if own != NOOP:
                self.ask(where, method, state, own)

    def can_play(self, actions: list[Any]) -> bool:
        return all(actions)

    def choose(self, actions: list[Any], random: Random) -> Any:
        return tuple(own[random.below(len(own))] for own in actions)


# What a game declares.


def check_roles(probe: Probe) -> None:
    roles = probe.guard(probe.name, "roles", getattr, probe.domain, "roles")
    is_sound = isinstance(roles, (tuple, list)) and roles and all(isinstance(role, str) and role for role in roles)
    if not is_sound:
        raise Broken("roles", f'{probe.name}.roles is {shown(roles)}; write a tuple of names, as in ("white", "black")')
    for i, role in enumerate(roles):
        if role in roles[:i]:
            raise Broken("roles", f"{probe.name}.roles has '{role}' twice; give every role a name of its own")
    if is_game(probe.domain) and probe.ask(probe.name, "kernels") is not None:
        raise Broken(
            "game-kernels",
            f"{probe.name} has several roles and hands over kernels(); those of a game are game_kernels()",
        )


# What its states say.


def check_mover(probe: Probe, place: Place, state: Any) -> None:
    look = probe.look(place, state)
    assert isinstance(look, GameLook)
    mover, roles = look.mover, look.roles
    if mover is None:
        return
    if isinstance(mover, bool) or not isinstance(mover, Integral) or mover not in range(len(roles)):
        places = ", ".join(f"{i} for {role}" for i, role in enumerate(roles))
        raise Broken(
            "mover",
            f"{place}: mover returned {shown(mover)}; return the role that alone has a choice, {places}, or None if "
            "several have one",
        )
    for role, actions in enumerate(look.actions):
        if role != mover and actions and actions != [NOOP]:
            raise Broken(
                "others-choose",
                f"{place}: mover says that {roles[mover]} alone has a choice, but actions_of lists {shown(actions)} "
                f"for {roles[role]}; return [NOOP] for the others, or None as the mover",
            )


def check_rewards(probe: Probe, place: Place, state: Any) -> None:
    if not probe.is_final(place, state):
        return
    for role, reward in zip(probe.domain.roles, probe.reward(place, state), strict=True):
        if not 0 <= reward <= 1:
            raise Broken(
                "reward-range",
                f"{place}: rewards gives {reward:g} to {role}; scale what the roles get so that all lies in [0, 1]",
            )


def check_spans(probe: Probe, found: Findings, rewards: list[tuple[float, ...]]) -> None:
    """Warn of a role that gets the same in all random matches, if these are not few."""
    if found.errors() or len(rewards) < FEW_MATCHES:
        return
    for role, own in zip(probe.domain.roles, zip(*rewards, strict=True), strict=True):
        if min(own) == max(own):
            found.warn(
                "small-span",
                f"{probe.name}: {role} gets {own[0]:g} in all of {len(own)} random matches; is that so, or does "
                "rewards mix up the roles?",
            )

"""A glance at a domain that a search is about to begin with: for what makes all its figures worthless and no search
notices by itself. Problems that are not the same each time, copies that share their state or lose some of it.

Actions are their places in the list here, so that whatever else is wrong with them keeps nobody from looking.
"""

from collections.abc import Callable
from contextlib import suppress
from operator import index
from time import monotonic
from typing import Any

from domains.check.games import GameProbe, check_rewards, is_game, probe_of
from domains.check.probing import MISLEADING, Broken, Finding, Findings, Misled, OutOfSteps, Place, Probe
from domains.check.rules import Seen, check_reward, check_sampling, check_walks, play_on_copies, played_out
from domains.protocol import Domain
from domains.randomness import Random, seed_of

SECONDS = 1.0
"""What it may take where playouts are slow; it plays some thirty."""
SECONDS_FOR_WORDS = 5.0
"""What may be spent on saying what is wrong, and where."""


def misleading(domain: Domain) -> Finding | None:
    """The mistake; None where there is none, and where time is up. What the domain raises, the search will say."""
    probe = (_GameGlance if is_game(domain) else _Glance)(domain, _until(monotonic() + SECONDS))
    random = Random(seed_of("glance"))
    try:
        probe.guard(probe.name, "horizon", lambda: index(domain.length_bound))
        check_sampling(probe, 2, random)
        play_on_copies(probe, played_out(probe, Place(0), probe.initial(0), random)[0], random)
    except Broken as broken:
        return _in_words(domain, broken.finding) if broken.finding.name in MISLEADING else None
    except OutOfSteps:
        pass
    return None


def out_of_range(domain: Domain) -> Finding | None:
    """What `check` says of a reward outside the range that the domain declares, where three playouts come to one."""
    glance, check = (_GameGlance, check_rewards) if is_game(domain) else (_Glance, check_reward)
    probe, random = glance(domain, _until(monotonic() + SECONDS)), Random(seed_of("range"))
    try:
        for k in range(3):
            check(probe, *played_out(probe, Place(k), probe.initial(k), random))
    except Broken as broken:
        return broken.finding if broken.finding.name in ("cost-range", "reward-range") else None
    except OutOfSteps:
        pass
    return None


def _in_words(domain: Domain, seen: Finding) -> Finding:
    """What `check` says of it, which names actions and tells causes apart; else what was seen."""
    probe, found, random = probe_of(domain, _until(monotonic() + SECONDS_FOR_WORDS)), Findings(), Random(0)
    with suppress(Misled, OutOfSteps):
        with found.noting():
            check_sampling(probe, 2, random)
        check_walks(probe, found, Seen(), 2, 3, random, lambda playout: None)
    return next((finding for finding in found.all() if finding.name in MISLEADING), seen)


def _until(end: float) -> Callable[[object, str], None]:
    def doing(where: object, method: str) -> None:
        if monotonic() > end:
            raise OutOfSteps

    return doing


class _Glance(Probe):
    def initial(self, k: int) -> Any:
        """A copy, as engines begin with: a domain may hand out what it keeps, which a glance must leave as it is."""
        return self.copy(Place(k), super().initial(k))

    def actions(self, where: Place, state: Any) -> list[Any]:
        return list(range(len(self._listed(where, state))))

    def play(self, where: Place, state: Any, action: Any, random: Random | None = None) -> Any:
        return super().play(where, state, self._listed(where, state)[action], random)

    def _listed(self, where: Place, state: Any) -> list[Any]:
        return self.comparable(where, self.guard(where, "actions", lambda: list(self.domain.actions(state))))


class _GameGlance(_Glance, GameProbe):
    """The same of a game, for each role."""

    def actions(self, where: Place, state: Any) -> list[Any]:
        return [list(range(len(own))) for own in self._lists(where, state)]

    def play(self, where: Place, state: Any, action: Any, random: Random | None = None) -> Any:
        joint = tuple(own[place] for own, place in zip(self._lists(where, state), action, strict=True))
        return GameProbe.play(self, where, state, joint, random)

    def _lists(self, where: Place, state: Any) -> list[list[Any]]:
        return [
            self.comparable(
                where, self.guard(where, "actions_of", lambda role=role: list(self.domain.actions_of(state, role)))
            )
            for role in range(len(self.domain.roles))
        ]

"""The pulls of a campaign over agents: pull t of a candidate is block t of the training stream against number t of the
pool, going round, and its reward is the candidate's share of the points, from 0 to 1.

Every candidate meets the same opponents from the same starts. The players' seeds derive from who sits where, so a
result depends on neither order, worker, engine nor machine.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from discovery.arena.agents import AgentSettings, Opposition
from discovery.arena.playing import Arena
from discovery.arena.timing import seconds_of_simulation
from discovery.pool.pulls import LONGEST_FAILURE, PullResult
from domains.errors import DomainError
from domains.protocol import Domain
from domains.registry import find_domain
from domains.saying import text_of
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.choosing import arena_of
from mcsgrammar.engines.arena.matching import Seat, start_of
from mcsgrammar.engines.searching import EngineName, Limits

TIMED_SECONDS = 0.7
"""After so long no further candidate is timed."""
LATER = 0.5
"""What a search takes on average, beside one at the start of a match, whose playouts are the longest."""


@dataclass(frozen=True)
class AgainstSetup:
    """What every pull has in common. Which engine it is has been decided: not 'auto'."""

    token: str
    domain: str | Domain
    seed: int
    limits: Limits
    """of each search of a candidate"""
    against: Opposition
    engine: EngineName

    @property
    def stopped(self) -> str:
        return "the campaign stopped before this batch"

    def world(self) -> "AgainstWorld":
        return AgainstWorld(self)

    def spoken(self, text: str, t: int) -> str:
        opponent = self.against.pool[self.against.opponent(t)]
        return f"{text} against {opponent.called(True)} in training block {t}"

    def seconds_of_pulls(self, world: Any, texts: Sequence[str]) -> float | None:
        """By short searches at the start of a match."""
        began, known = time.monotonic(), []
        for text in texts:
            seconds = world.seconds_of_pull(text)
            if seconds is None:
                return None
            known.append(seconds)
            if time.monotonic() - began > TIMED_SECONDS:
                break
        return fmean(known) if known else None


class AgainstWorld:
    """What a worker keeps between pulls: the game, the pool, and every candidate met."""

    def __init__(self, setup: AgainstSetup) -> None:
        self.setup = setup
        game = find_domain(setup.domain) if isinstance(setup.domain, str) else setup.domain
        self.arena = Arena(game, arena_of(game, setup.engine), setup.seed, setup.against.start, setup.against.think)
        self.pool = [self.seat_of_member(member) for member in setup.against.pool]
        self.seats: dict[str, Seat] = {}
        try:
            self.arena.engine.warm_up(self.arena.engine.ready(start_of(game, 0)))
        except DomainError:
            return  # the pulls will say so

    def seat_of_member(self, member: AgentSettings) -> Seat:
        limits = Limits(member.budget, member.seconds, self.setup.limits.max_nodes)
        return Seat(agent_of(member.expression, self.arena.game), limits)

    def seat(self, text: str) -> Seat:
        if text not in self.seats:
            self.seats[text] = Seat(agent_of(text, self.arena.game), self.setup.limits)
        return self.seats[text]

    def pull(self, text: str, t: int) -> PullResult:
        own, opponent = self.seat(text), self.pool[self.setup.against.opponent(t)]
        alike = Seat(opponent.agent, opponent.limits, int(opponent.agent == own.agent))
        started = time.thread_time()
        try:
            block = self.arena.score(own, alike, t, self.setup.against.points, stream="train")
        except DomainError as error:
            return PullResult(0.0, text_of(error, LONGEST_FAILURE), 0, time.thread_time() - started)
        return PullResult(block.points, None, block.simulations, block.seconds)

    def seconds_of_pull(self, text: str) -> float | None:
        """About how long one takes; None if the game does something wrong."""
        against, game = self.setup.against, self.arena.game
        seats = (self.seat(text), *self.pool)
        try:
            per_search = [
                seat.limits.seconds or (seat.limits.evaluations or 0) * seconds_of_simulation(self.arena, seat)
                for seat in seats
            ]
        except DomainError:
            return None
        searches = (game.horizon + against.start) * len(game.roles) * against.matches_in_block
        return LATER * searches * (per_search[0] + fmean(per_search[1:])) / 2

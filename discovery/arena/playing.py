"""Matches as workers play them: a pull is a match, named by its seating and the number of its block."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from discovery.arena.blocks import PointsRule, Seating, points, seatings
from discovery.arena.records import MatchRecord
from discovery.arena.settings import MatchSettings
from domains.errors import DomainError
from domains.protocol import Domain
from domains.registry import find_domain
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.choosing import arena_of
from mcsgrammar.engines.arena.matching import Match, Seat, Stream, Think, play_match, start_of
from mcsgrammar.engines.arena.players import ArenaEngine
from mcsgrammar.engines.arena.reference import ReferenceArena
from mcsgrammar.engines.compiled.vetting import vet
from mcsgrammar.engines.searching import EngineName, Limits
from mcsgrammar.language.expressions import Step


@dataclass(frozen=True)
class Arena:
    """A game with what all matches there have in common."""

    game: Domain
    engine: ArenaEngine
    seed: int = 0
    start: int = 1
    think: Think = "always"

    def match(self, seats: Sequence[Seat], block: int, stream: Stream = "test") -> Match:
        """One match, with a seat for each role."""
        return play_match(
            self.game, self.engine, seats, block, self.seed, start=self.start, think=self.think, stream=stream
        )

    def score(
        self, agent: Seat, opponent: Seat, block: int, rule: PointsRule = "agents", stream: Stream = "test"
    ) -> "BlockScore":
        """One block of an agent against one opponent, in every seating."""
        both = (agent, opponent)
        order = seatings(len(self.game.roles), (0, 1))
        played = [self.match([both[one] for one in seating], block, stream) for seating in order]
        shares = [points(one.goals, seating, rule)[0] for one, seating in zip(played, order, strict=True)]
        return BlockScore(
            fmean(shares), sum(sum(one.simulations) for one in played), sum(one.seconds for one in played)
        )


@dataclass(frozen=True)
class BlockScore:
    """What came of a block of two agents."""

    points: float
    """W, the first agent's mean points"""
    simulations: int
    seconds: float
    """CPU time of all searches"""


def chosen_engine(game: Domain, name: EngineName) -> EngineName:
    """Not 'auto': the one that will run. Raises `DomainError` for kernels that would take it down."""
    vet(game, name)
    return "reference" if isinstance(arena_of(game, name), ReferenceArena) else "compiled"


def arena_for(settings: MatchSettings, game: Domain, engine: EngineName) -> Arena:
    return Arena(game, arena_of(game, engine), settings.seed, settings.start, settings.think)


def seats_for(settings: MatchSettings, game: Domain) -> list[Seat]:
    """One for each agent, wherever it sits."""
    met: Counter[Step] = Counter()
    seats = []
    for given in settings.agents:
        agent = agent_of(given.expression, game)
        seats.append(Seat(agent, Limits(given.budget, given.seconds, settings.max_nodes), met[agent]))
        met[agent] += 1
    return seats


@dataclass(frozen=True)
class MatchResult:
    """What came of one match."""

    record: MatchRecord | None
    failed: str | None
    """what the game did wrong; there is no record then"""
    seconds: float
    tree_full: bool = False


@dataclass(frozen=True)
class MatchSetup:
    """What all matches have in common. Which engine it is has been decided: not 'auto'."""

    token: str
    domain: str | Domain
    settings: MatchSettings
    engine: EngineName

    @property
    def stopped(self) -> str:
        return "the match stopped before this block"

    def world(self) -> "MatchWorld":
        return MatchWorld(self)

    def spoken(self, text: str, t: int) -> str:
        return f"{self.settings.canonical_domain}, {seating_text(self.settings, seating_of(text))}, in block {t}"

    def seconds_of_pulls(self, world: Any, texts: Sequence[str]) -> float | None:
        return None


class MatchWorld:
    """What a worker keeps between matches."""

    def __init__(self, setup: MatchSetup) -> None:
        game = find_domain(setup.domain) if isinstance(setup.domain, str) else setup.domain
        self.arena = arena_for(setup.settings, game, setup.engine)
        self.seats = seats_for(setup.settings, game)
        try:
            self.arena.engine.warm_up(self.arena.engine.ready(start_of(game, 0)))
        except DomainError:
            return  # the matches will say so

    def pull(self, text: str, t: int) -> MatchResult:
        seating = seating_of(text)
        try:
            match = self.arena.match([self.seats[agent] for agent in seating], t)
        except DomainError as error:
            return MatchResult(None, str(error), 0.0)
        record = MatchRecord(t, seating, match.goals, match.steps, match.simulations, match.choices)
        return MatchResult(record, None, match.seconds, match.tree_full)


def text_of_seating(seating: Seating) -> str:
    return " ".join(map(str, seating))


def seating_of(text: str) -> Seating:
    return tuple(map(int, text.split()))


def seating_text(settings: MatchSettings, seating: Seating) -> str:
    """Who sits where, for people."""
    return ", ".join(f"{role}: {settings.labels[agent]}" for role, agent in zip(settings.roles, seating, strict=True))

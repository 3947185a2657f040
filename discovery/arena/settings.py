"""The settings of matches: all that decides what their journal will say.

`settings.json` in their folder holds them. How the points are shared (`points`) is kept with them and changes nothing
in the journal, nor does the number of blocks: more of them go on with the same journal.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from discovery.arena.agents import AgentSettings, agent_settings, check_ways
from discovery.arena.blocks import PointsRule, Seating, blocks_for, check_agents, pairings_of, seatings
from discovery.keeping.folder import SETTINGS_FILE
from discovery.keeping.settings import (
    FORMAT,
    AcceptedDomain,
    checked_document,
    differences_between,
    read_document_of,
    settings_digest,
    versions_now,
)
from domains.protocol import Domain
from domains.registry import canonical_text, domain_of, typed_text
from domains.sources import source_hash
from mcsgrammar.arguments import check_choice, whole
from mcsgrammar.defaults import DEFAULT_MAX_NODES, GAMES_OF_A_MATCH
from mcsgrammar.engines.arena.choosing import arena_of
from mcsgrammar.engines.arena.matching import Think
from mcsgrammar.engines.searching import ENGINES, EngineName
from mcsgrammar.language.expressions import Component
from mcsgrammar.writing import write_text

MOST_GAMES = 1_000_000


@dataclass(frozen=True)
class MatchSettings:
    """Everything needed to play matches again."""

    work: ClassVar[str] = "match"
    domain: str
    """as it was typed; how to find the game"""
    canonical_domain: str
    domain_source: str | None
    """the hash of the file of a game of one's own"""
    roles: tuple[str, ...]
    agents: tuple[AgentSettings, ...]
    tournament: bool
    """whether every pair plays; else all agents play each match"""
    blocks: int
    start: int
    think: Think
    points: PointsRule
    engine: EngineName
    max_nodes: int
    seed: int
    versions: dict[str, str] = field(default_factory=dict)
    accepted_versions: tuple[dict[str, str], ...] = ()
    accepted_domains: tuple[AcceptedDomain, ...] = ()

    @property
    def typed_domains(self) -> tuple[str, ...]:
        return (self.domain,)

    def digest(self) -> str:
        """The name of these settings in the journal; versions are compared apart."""
        return settings_digest(self, NOT_IDENTITY)

    def differences(self, other: "MatchSettings") -> list[str]:
        """One line for each setting that differs, as 'name: this one, other one'."""
        found = differences_between(self, other, (*NOT_IDENTITY, "agents"))
        ours, theirs = ([agent.called(with_budget=True) for agent in one.agents] for one in (self, other))
        return found if ours == theirs else [f"agents: {', '.join(ours)}, now {', '.join(theirs)}", *found]

    @property
    def pairings(self) -> list[tuple[int, ...]]:
        """Who meets whom."""
        return pairings_of(len(self.agents), self.tournament)

    @property
    def seatings(self) -> list[Seating]:
        """The matches of a block."""
        return [one for agents in self.pairings for one in seatings(len(self.roles), agents)]

    @property
    def games(self) -> int:
        """Matches in all."""
        return self.blocks * len(self.seatings)

    @property
    def reproducible(self) -> bool:
        return all(agent.seconds is None for agent in self.agents)

    @property
    def labels(self) -> list[str]:
        """What the agents are called: by their texts, with the budgets where these differ, and with numbers where they
        are the same."""
        one_budget = len({agent.budget_text for agent in self.agents}) == 1
        names = [agent.called(not one_budget) for agent in self.agents]
        times, met = Counter(names), Counter[str]()
        for i, name in enumerate(names):
            if times[name] > 1:
                met[name] += 1
                names[i] = f"{name} ({met[name]})"
        return names


NOT_IDENTITY = (
    *("domain", "roles", "blocks", "points"),
    *("versions", "accepted_versions", "accepted_domains"),
)


def plan(
    domain: Domain | str,
    agents: Sequence[tuple[Component | str, int | None, float | None]],
    *,
    tournament: bool = False,
    games: int = GAMES_OF_A_MATCH,
    start: int = 1,
    think: Think = "always",
    points: PointsRule = "agents",
    seed: int = 0,
    engine: EngineName = "auto",
    max_nodes: int = DEFAULT_MAX_NODES,
) -> MatchSettings:
    """The settings of matches between agents, each with the budget of its searches in simulations or in seconds; all
    checked before anything is run. `games` is of each pairing, and is rounded up to whole blocks."""
    game = domain_of(domain)
    check_agents(game, len(agents), tournament)
    check_choice("the engine", engine, ENGINES)
    check_ways(start, think, points)
    games = whole("the number of games", games, 1, MOST_GAMES)
    seed = whole("the seed", seed)
    checked = [agent_settings(given, budget, seconds, max_nodes, game) for given, budget, seconds in agents]
    if engine == "compiled":
        arena_of(game, engine)  # which says so if there is none
    in_block = len(seatings(len(game.roles), tuple(range(2 if tournament else len(agents)))))
    return MatchSettings(
        domain=typed_text(game),
        canonical_domain=canonical_text(game),
        domain_source=source_hash(game),
        roles=tuple(game.roles),
        agents=tuple(checked),
        tournament=tournament,
        blocks=blocks_for(int(games), in_block),
        start=int(start),
        think=think,
        points=points,
        engine=engine,
        max_nodes=max_nodes,
        seed=int(seed),
        versions=versions_now(),
    )


def write_match_settings(folder: Path, settings: MatchSettings) -> None:
    document = {"format": FORMAT, **asdict(settings)}
    write_text(folder / SETTINGS_FILE, json.dumps(document, indent=1, ensure_ascii=False) + "\n", durably=True)


def read_match_settings(folder: Path) -> MatchSettings:
    """Those in `folder`; `UserError` if there are none that this version can read."""
    return read_document_of(folder, "match", _settings_of)


def _settings_of(path: Path, document: Any) -> MatchSettings:
    """Raises `ValueError` with what is wrong."""
    return MatchSettings(**checked_document(path, document, MatchSettings, {}))

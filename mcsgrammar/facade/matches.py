"""Matches and tournaments from Python."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, overload

from discovery.arena.agents import agent_and_budget
from discovery.arena.blocks import PointsRule
from discovery.arena.keeping import begin
from discovery.arena.records import MatchRecord
from discovery.arena.remarks import remarks
from discovery.arena.running import play, play_in_folder
from discovery.arena.settings import MatchSettings, plan
from discovery.arena.showing import end_drawn, joints, picture, players_line
from discovery.arena.standings import Standings, standings
from discovery.arena.tables import as_lines, headline, interval_text, match_document, percent_text
from discovery.pool.workers import check_workers
from domains.errors import UserError
from domains.protocol import Domain
from domains.registry import domain_of
from mcsgrammar.defaults import DEFAULT_BUDGET, DEFAULT_MAX_NODES, GAMES_OF_A_MATCH
from mcsgrammar.display import data_frame, html_picture, html_table
from mcsgrammar.engines.arena.matching import Think
from mcsgrammar.engines.searching import EngineName
from mcsgrammar.facade.progress import match_progress
from mcsgrammar.language.expressions import Component
from mcsgrammar.wording import note


@dataclass(frozen=True)
class PlayedAgent:
    """An agent, and its points per game, from 0 to 1."""

    name: str
    """its expression, with its budget where agents have different ones"""
    expression: str
    budget: int | None
    seconds: float | None
    rank: int
    points: float
    stderr: float | None
    ci95: tuple[float, float] | None
    """what does not exist, as after one block, is None"""


@dataclass(frozen=True, repr=False)
class PlayedMatch:
    """One game that was played."""

    domain: Domain
    settings: MatchSettings
    record: MatchRecord

    @property
    def agents(self) -> tuple[str, ...]:
        """Who sat in each role."""
        return tuple(self.settings.labels[agent] for agent in self.record.seating)

    @property
    def goals(self) -> tuple[float, ...]:
        """What the end is worth to each role."""
        return self.record.goals

    @property
    def actions(self) -> tuple[tuple[Any, ...], ...]:
        """The joint moves: an action of each role at every step."""
        return tuple(joints(self.domain, self.record)[1])

    def draw(self) -> str:
        """The end of the game as text."""
        return end_drawn(self.domain, self.record)

    def svg(self) -> str | None:
        """The game as an SVG document, a strip of boards if it has one; None if the domain draws none."""
        return picture(self.domain, self.record)

    def __repr__(self) -> str:
        return f"<Match of {self._said}: {self.record.steps} steps, goals {', '.join(f'{g:g}' for g in self.goals)}>"

    def _repr_html_(self) -> str:
        return html_picture(self._said, self.svg(), self.draw())

    @property
    def _said(self) -> str:
        return f"{self.settings.canonical_domain}, {players_line(self.settings, self.record)}"


@dataclass(frozen=True, repr=False)
class Matches(Sequence[PlayedAgent]):
    """What `match` and `tournament` give. As a sequence: the agents, the best first."""

    domain: Domain
    settings: MatchSettings
    records: Sequence[MatchRecord]
    """of whole blocks, which are what counts"""

    @cached_property
    def standings(self) -> Standings | None:
        """All that is said of the agents; None before the first block is whole."""
        return standings(self.records, self.settings.pairings, self.settings.points)

    @property
    def complete(self) -> bool:
        return len(self.records) >= self.settings.games

    @cached_property
    def games(self) -> list[PlayedMatch]:
        return [PlayedMatch(self.domain, self.settings, record) for record in self.records]

    def __len__(self) -> int:
        return 0 if self.standings is None else len(self.settings.agents)

    def __iter__(self) -> Iterator[PlayedAgent]:
        return iter(self._agents)

    @overload
    def __getitem__(self, place: int) -> PlayedAgent: ...
    @overload
    def __getitem__(self, place: slice) -> list[PlayedAgent]: ...
    def __getitem__(self, place: int | slice) -> PlayedAgent | list[PlayedAgent]:
        return self._agents[place]

    @cached_property
    def _agents(self) -> list[PlayedAgent]:
        said = self.standings
        return [] if said is None else [_agent(self.settings, one) for one in said.overall]

    def document(self) -> dict[str, Any]:
        """What `mcsgrammar match --json` prints."""
        return match_document(self.settings, self.records, self.standings)

    def to_dataframe(self) -> Any:
        """A `pandas.DataFrame`, one line for each agent; needs pandas."""
        return data_frame([asdict(one) for one in self])

    def __repr__(self) -> str:
        played = f"{len(self.records):,} of {self.settings.games:,} games of {self.settings.canonical_domain}"
        first = self._agents[:1]
        leader = f"; {first[0].name} has {percent_text(first[0].points)} %" if first else ""
        return f"<Matches: {played}{leader}>"

    def __str__(self) -> str:
        said = self.standings
        blocks = len(self.records) // len(self.settings.seatings)
        return "\n".join(
            [headline(self.settings, blocks), *([] if said is None else ["", *as_lines(self.settings, said)])]
        )

    def _repr_html_(self) -> str:
        said = self.standings
        rows = (
            []
            if said is None
            else [
                [
                    str(one.rank),
                    self.settings.labels[one.agent],
                    percent_text(one.points.mean),
                    interval_text(one.points),
                ]
                for one in said.overall
            ]
        )
        blocks = len(self.records) // len(self.settings.seatings)
        return html_table(headline(self.settings, blocks), ["rank", "agent", "points %", "95 % interval"], rows)


def _agent(settings: MatchSettings, one: Any) -> PlayedAgent:
    agent, points = settings.agents[one.agent], one.points
    known = points.n > 1
    return PlayedAgent(
        name=settings.labels[one.agent],
        expression=agent.expression,
        budget=agent.budget,
        seconds=agent.seconds,
        rank=one.rank,
        points=points.mean,
        stderr=points.stderr if known else None,
        ci95=(points.low, points.high) if known else None,
    )


def match(
    game: Domain | str,
    agents: Sequence[Component | str],
    out: Path | str | None = None,
    *,
    games: int = GAMES_OF_A_MATCH,
    budget: int | None = None,
    seconds: float | None = None,
    start: int = 1,
    think: Think = "always",
    points: PointsRule = "agents",
    seed: int = 0,
    engine: EngineName = "auto",
    max_nodes: int = DEFAULT_MAX_NODES,
    jobs: int | None = 1,
    progress: bool | None = None,
) -> Matches:
    """Let agents play a game against each other, in all seatings equally often: `games` rounded up to whole blocks.

    Agents are expressions or their texts, 'AGENT@5000' with a budget of its own. A search has a `budget` of simulations
    (1000 if neither is given) or CPU `seconds`; before the first step there are `start` searches more. Agents `think`
    at every step, or at their 'own', where they have a choice. The point of a game is shared by the 'agents' or by the
    'roles' that hold a highest goal. In the folder `out` every game is kept, and the same call goes on after anything.
    After a Ctrl-C, what was finished is returned. `jobs`: None for as many workers as pay. `progress`: None shows it in
    a notebook and on a terminal.
    """
    how = {"start": start, "think": think, "points": points, "seed": seed, "engine": engine, "max_nodes": max_nodes}
    return _play(game, agents, out, False, games, budget, seconds, jobs, progress, how)


def tournament(
    game: Domain | str,
    agents: Sequence[Component | str],
    out: Path | str | None = None,
    *,
    games: int = GAMES_OF_A_MATCH,
    budget: int | None = None,
    seconds: float | None = None,
    start: int = 1,
    think: Think = "always",
    points: PointsRule = "agents",
    seed: int = 0,
    engine: EngineName = "auto",
    max_nodes: int = DEFAULT_MAX_NODES,
    jobs: int | None = 1,
    progress: bool | None = None,
) -> Matches:
    """Let every two of the agents play `games` games; the rest is as for `match`."""
    how = {"start": start, "think": think, "points": points, "seed": seed, "engine": engine, "max_nodes": max_nodes}
    return _play(game, agents, out, True, games, budget, seconds, jobs, progress, how)


def _play(
    game: Domain | str,
    agents: Sequence[Component | str],
    out: Path | str | None,
    is_tournament: bool,
    games: int,
    budget: int | None,
    seconds: float | None,
    jobs: int | None,
    progress: bool | None,
    how: dict[str, Any],
) -> Matches:
    if isinstance(agents, str | Component):
        raise UserError("give the agents as a list, such as ['select(sim, 0.4)', 'select(sim, 1)']")
    if budget is None and seconds is None:
        budget = DEFAULT_BUDGET
    check_workers(1 if jobs is None else jobs)
    found = domain_of(game)
    own = game if isinstance(game, Domain) else None
    read = [
        agent_and_budget(agent, budget, seconds) if isinstance(agent, str) else (agent, budget, seconds)
        for agent in agents
    ]
    settings = plan(found, read, tournament=is_tournament, games=games, **how)
    for sentence in remarks(settings, found, games):
        note(sentence)
    with match_progress(progress) as display:
        if out is None:
            played = play(settings, game=own, jobs=jobs, on_progress=display)
        else:
            folder = Path(out)
            begin(folder, settings)
            played = play_in_folder(folder, game=own, jobs=jobs, on_progress=display)
    return Matches(found, played.settings, played.records)

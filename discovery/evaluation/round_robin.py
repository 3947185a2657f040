"""The end of a campaign over agents: its best, the pool and the yardstick play each other on test blocks.

The cross table says who wins against whom. What agents are ranked by is what they were trained for, the share of the
points against the pool; a member of the pool has half of the points against itself. Discovered agents are compared with
what the pool has against itself, 50 %: where the pool is one agent, that is the test of their own matches.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from discovery.arena.agents import AgentSettings, Opposition
from discovery.arena.keeping import begin, read_kept
from discovery.arena.records import MatchRecord
from discovery.arena.running import OnMatches, PlayedMatches, play_in_folder
from discovery.arena.settings import MatchSettings, plan
from discovery.arena.standings import Standings, block_points, standings
from discovery.campaign.ranking import Ranked
from discovery.campaign.settings import Settings
from discovery.evaluation.comparison import Verdicts, judge
from discovery.evaluation.kept import TestRow, TestScores
from discovery.keeping.folder import ROUND_ROBIN_FOLDER, SETTINGS_FILE
from discovery.numbers import POINTS_SCALE, plural
from discovery.statistics import Floats, Summary, effect_size, summary, winners_curse
from domains.protocol import Domain

THE_POOL = "the pool"


@dataclass(frozen=True)
class RoundRobin:
    """What came of it, or of the part that is played."""

    best: tuple[Ranked, ...]
    """of the campaign, in the order of its ranking: the first agents of the matches"""
    against: Opposition
    settings: MatchSettings
    records: Sequence[MatchRecord]
    """of whole blocks"""

    @property
    def blocks(self) -> int:
        return len(self.records) // len(self.settings.seatings)

    @cached_property
    def standings(self) -> Standings | None:
        return standings(self.records, self.settings.pairings, self.settings.points)

    @cached_property
    def pool(self) -> list[int]:
        """The places of its members among the agents."""
        return [self.settings.agents.index(member) for member in self.against.pool]

    @cached_property
    def found(self) -> list[int]:
        """The places of those that the campaign has discovered: neither in the pool nor the yardstick."""
        others = self.against.others(self.settings.agents[0].budget, self.settings.agents[0].seconds)
        return [place for place, agent in enumerate(self.settings.agents) if agent not in others]

    @cached_property
    def short_names(self) -> list[str]:
        """Dis#1, …; pool, or pool 1, …; plain."""
        names = []
        for place in range(len(self.settings.agents)):
            number = f" {self.pool.index(place) + 1}" if place in self.pool and len(self.pool) > 1 else ""
            known = [] if place in self.found else [f"pool{number}" if place in self.pool else "plain"]
            names.append(" = ".join([*known, *([f"Dis#{place + 1}"] if place < len(self.best) else [])]))
        return names

    @cached_property
    def against_pool(self) -> Floats:
        """[agent, block]: the mean points against the members of the pool."""
        agents = range(len(self.settings.agents))
        return np.array([np.mean([self._points(agent, one) for one in self.pool], axis=0) for agent in agents])

    def _points(self, agent: int, other: int) -> Floats:
        if agent == other:
            return np.full(self.blocks, 0.5)
        met = [record for record in self.records if set(record.seating) == {agent, other}]
        return block_points(met, agent, self.settings.points)

    def scores(self, kept: bool) -> TestScores | None:
        """The agents by their points against the pool; None before the first block is whole."""
        if not self.records:
            return None
        values = self.against_pool
        half = np.full(self.blocks, 0.5)
        verdicts = judge(values[self.found], half) if self.found else None
        effects: Any = effect_size(values[self.found], half) if self.found else ()
        rows = []
        for place, own in enumerate(values):
            row = self._row(place, own, values)
            if verdicts is not None and place in self.found:
                i = self.found.index(place)
                row = _compared(row, own, verdicts, i, float(effects[i]))
            rows.append(row)
        if len(self.pool) > 1:
            rows.append(self._row_of_pool(values))
        reference = next(row for row in rows if row.reference)
        return TestScores(
            rows=tuple(sorted(rows, key=lambda row: row.rank)),
            problems=self.blocks,
            about=self.about,
            unit=POINTS_SCALE.unit,
            less_is_better=False,
            reference=reference.name,
            reference_is="the agent that all were trained against"
            if len(self.pool) == 1
            else "which has half of the points against itself",
            excess=self._excess(values),
            kept=kept,
            of_matches=True,
        )

    @property
    def about(self) -> str:
        games = plural(self.against.matches_in_block, "game")
        return (
            f"points against the pool, in a round robin of {len(self.settings.agents)} agents: "
            f"{plural(self.blocks, 'block')} of {games} for each pair, none of them seen in training"
        )

    def _row(self, place: int, own: Floats, values: Floats) -> TestRow:
        score, agent = summary(100 * own), self.settings.agents[place]
        text = agent.called(agent.budget_text != self.settings.agents[0].budget_text)
        own_number = f"Dis#{place + 1}" if place < len(self.best) else None
        is_found, is_reference = place in self.found, self.pool == [place]
        measured = self.blocks > 1 and not is_reference
        return TestRow(
            name=f"Dis#{place + 1}" if is_found else self.settings.labels[place],
            alias=None if is_found else own_number,
            expression=text,
            runs_as=text,
            generic=not is_found,
            reference=is_reference,
            rank=self._rank(float(own.mean()), values),
            mean=score.mean,
            stderr=score.stderr if measured else None,
            ci95=_cut(score, 0.0, 100.0) if measured else None,
            mean_reward=float(own.mean()),
            difference=None,
            p_vs_best_generic=None,
            p_holm=None,
            effect_size=None,
            star=False,
        )

    def _rank(self, mean: float, values: Floats) -> int:
        """Among the agents, and a pool of several, which has half of the points."""
        pool = len(self.pool) > 1 and mean < 0.5
        return 1 + int(np.sum(values.mean(axis=1) > mean)) + int(pool)

    def _row_of_pool(self, values: Floats) -> TestRow:
        nothing: dict[str, Any] = dict.fromkeys(
            ("alias", "stderr", "ci95", "difference", "p_vs_best_generic", "p_holm", "effect_size")
        )
        return TestRow(
            name=THE_POOL,
            expression=THE_POOL,
            runs_as=THE_POOL,
            generic=True,
            reference=True,
            rank=self._rank(0.5, values),
            mean=50.0,
            mean_reward=0.5,
            star=False,
            **nothing,
        )

    def _excess(self, values: Floats) -> tuple[float, float, float, float | None] | None:
        if not self.best:
            return None
        trained = np.array([one.mean for one in self.best])
        curse = winners_curse(trained, np.array([one.pulls for one in self.best]), values[: len(self.best)])
        return curse.training, curse.test, curse.excess, _known(curse.stderr)


def _compared(row: TestRow, own: Floats, verdicts: Verdicts, i: int, effect: float) -> TestRow:
    """The row with what the tests say of the agent and the pool."""
    difference = summary(100 * (own - 0.5))
    return replace(
        row,
        difference=difference.mean,
        difference_ci95=_cut(difference, -50.0, 50.0) if difference.n > 1 else None,
        p_vs_best_generic=_known(float(verdicts.p_welch[i])),
        p_holm=_known(float(verdicts.p_holm[i])),
        effect_size=_known(effect),
        star=bool(verdicts.star[i]),
    )


def _cut(score: Summary, least: float, most: float) -> tuple[float, float]:
    """The interval, no wider than what there can be, of which Student's t knows nothing."""
    return max(least, score.low), min(most, score.high)


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def everybody(settings: Settings, best: Sequence[Ranked]) -> tuple[AgentSettings, ...]:
    """The best of a campaign, the pool and the yardstick, each agent once."""
    assert settings.against is not None
    own = [AgentSettings(one.expression_text, settings.budget, settings.seconds) for one in best]
    return tuple(dict.fromkeys([*own, *settings.against.others(settings.budget, settings.seconds)]))


def is_worth_playing(settings: Settings, best: Sequence[Ranked]) -> bool:
    """Not if the best is the one agent that it was against."""
    return len(everybody(settings, best)) > 1


def plan_round_robin(settings: Settings, game: Domain, best: Sequence[Ranked], blocks: int) -> MatchSettings:
    """The matches of everybody with everybody."""
    against = settings.against
    assert against is not None
    return plan(
        game,
        [(one.expression, one.budget, one.seconds) for one in everybody(settings, best)],
        tournament=True,
        games=blocks * against.matches_in_block,
        start=against.start,
        think=against.think,
        points=against.points,
        seed=settings.seed,
        engine=settings.engine,
        max_nodes=settings.max_nodes,
    )


def play_round_robin(
    folder: Path,
    settings: Settings,
    best: Sequence[Ranked],
    top: int,
    blocks: int,
    game: Domain,
    *,
    given: Domain | None = None,
    jobs: int | None = 1,
    on_progress: OnMatches | None = None,
    **accepted: bool,
) -> PlayedMatches:
    """Play it, or on from where it was stopped, in a folder within the campaign's. `given`: the game, if it was handed
    over as an object; `accepted`: what else `play_in_folder` is to go on with."""
    own = folder / ROUND_ROBIN_FOLDER.format(top=top)
    begin(own, plan_round_robin(settings, game, best, blocks))
    accepted["trust"] = True  # whoever came here has run the campaign
    return play_in_folder(own, game=given, jobs=jobs, on_progress=on_progress, **accepted)


def kept_tops(folder: Path) -> list[int]:
    """How many of the best each round robin has that the campaign has kept, in order."""
    start, end = ROUND_ROBIN_FOLDER.split("{top}")
    numbers = [path.name.removeprefix(start).removesuffix(end) for path in folder.glob(f"{start}*{end}")]
    return sorted(int(number) for number in numbers if number.isdigit())


def kept_round_robin(
    folder: Path, settings: Settings, ranking: Sequence[Ranked], top: int
) -> tuple[RoundRobin | None, list[str]]:
    """The smallest that the campaign has kept with its `top` best, and what to say of it."""
    against = settings.against
    assert against is not None
    sound = [one for one in ranking if not one.all_failed]
    for number in (one for one in kept_tops(folder) if one >= min(top, len(sound))):
        own = folder / ROUND_ROBIN_FOLDER.format(top=number)
        if not (own / SETTINGS_FILE).exists():
            continue
        matches, records, _ = read_kept(own)
        best = sound[:number]
        if matches.agents != everybody(settings, best) or matches.canonical_domain != settings.canonical_domain:
            return None, [f"{own.name} is left out: its agents are not the best of this campaign with its pool"]
        robin = RoundRobin(tuple(best), against, matches, records)
        whole = len(records) >= matches.games
        games = f"{own.name} is not complete: {len(records):,} of {matches.games:,} games"
        return (robin if records else None), [] if whole else [games]
    return None, []

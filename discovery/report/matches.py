"""What a report on agents has that others have not: the round robin of the best, and matches to look at."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from discovery.arena.running import MatchProgress, play
from discovery.arena.showing import end_drawn, picture, players_line
from discovery.arena.tables import cross_table, headline
from discovery.campaign.ranking import Ranked
from discovery.campaign.settings import Settings
from discovery.evaluation.round_robin import RoundRobin, plan_round_robin
from discovery.report.measuring import sound_picture
from discovery.tables import Table
from domains.protocol import Domain

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class DrawnMatch:
    """A match of the recommended agent, as the game draws it."""

    about: str
    """who sat where, and how it ended"""
    text: str
    svg: str | None


def played_matches(
    settings: Settings,
    best: Sequence[Ranked],
    blocks: int,
    game: Domain,
    jobs: int | None,
    on_progress: OnProgress | None,
) -> RoundRobin:
    """A round robin that nothing is kept of."""

    def told(progress: MatchProgress) -> None:
        if on_progress is not None:
            on_progress(progress.played, progress.settings.games)

    planned = plan_round_robin(settings, game, best, blocks)
    by_name = game.registered_as is not None
    played = play(planned, game=None if by_name else game, jobs=jobs, on_progress=told)
    if played.ended != "complete":
        raise KeyboardInterrupt
    assert settings.against is not None
    return RoundRobin(tuple(best), settings.against, played.settings, played.records)


def drawn_matches(robin: RoundRobin, game: Domain) -> list[DrawnMatch]:
    """The first block of the recommended agent with another, of the pool if it is not alone there."""
    others = [place for place in [*robin.pool, *range(len(robin.settings.agents))] if place != 0]
    drawn = []
    for record in robin.records:
        if record.block == 0 and set(record.seating) == {0, others[0]}:
            goals = ", ".join(f"{role} {100 * goal:g}" for role, goal in zip(game.roles, record.goals, strict=True))
            about = f"{players_line(robin.settings, record)}: {goals}"
            drawn.append(DrawnMatch(about, end_drawn(game, record), sound_picture(picture(game, record))))
    return drawn


def robin_table(robin: RoundRobin) -> Table:
    """Everybody against everybody."""
    assert robin.standings is not None
    table = cross_table(robin.standings, robin.short_names)
    return Table(table.headings, table.rows, headline(robin.settings, robin.blocks))


def robin_names(robin: RoundRobin) -> list[str]:
    """Who those are that are no discovered ones."""
    names = enumerate(zip(robin.short_names, robin.settings.labels, strict=True))
    return [f"{short}: {label}" for place, (short, label) in names if place not in robin.found]

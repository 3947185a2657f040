"""Matches under way, on standard error."""

from typing import TYPE_CHECKING, Any

from mcsgrammar.cli.campaign_display import LiveDisplay, bar_of, rate_text
from mcsgrammar.cli.progress import about

if TYPE_CHECKING:
    from discovery.arena.running import MatchProgress

SHOWN = 10
"""Agents of a tournament."""


class MatchDisplay(LiveDisplay):
    """Who leads, by how much; a line now and then where there is no terminal."""

    def picture(self, progress: "MatchProgress") -> Any:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        from discovery.arena.tables import half_width, percent_text
        from mcsgrammar.wording import printable

        told: list[Any] = [bar_of(progress.played, progress.settings.games), Text(headline_of(progress))]
        standings = progress.standings()
        if standings is not None:  # nothing is known before the first block is whole
            table = Table(box=None, pad_edge=False)
            table.add_column("agent", overflow="fold")
            for heading in ("points %", "± 95 %"):
                table.add_column(heading, justify="right", no_wrap=True)
            for one in standings.overall[:SHOWN]:
                name = Text(printable(progress.settings.labels[one.agent]))
                table.add_row(name, percent_text(one.points.mean), percent_text(half_width(one.points)))
            told.append(table)
        return Group(*told)

    def line(self, progress: "MatchProgress") -> str:
        from discovery.arena.tables import with_interval
        from mcsgrammar.wording import printable

        standings = progress.standings()
        if standings is None:
            return headline_of(progress)
        leader = standings.overall[0]
        name = printable(progress.settings.labels[leader.agent])
        return f"{headline_of(progress)}; {name} {with_interval(leader.points)} %"


def headline_of(progress: "MatchProgress") -> str:
    games = progress.settings.games
    text = f"{progress.played / games:.0%}  {progress.played:,} of {games:,} games"
    if not progress.pace.is_known:
        return text
    return f"{text}, {rate_text(progress.pace.per_second)}, {about(progress.pace.seconds_left(games))} left"

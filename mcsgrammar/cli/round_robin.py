"""The end of a campaign over agents: its best, the pool and the yardstick play each other, and the tables of that."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcsgrammar.cli.output import folded, terminal_width

if TYPE_CHECKING:
    from discovery.campaign.ranking import Standing
    from discovery.evaluation.kept import TestScores
    from discovery.evaluation.round_robin import RoundRobin


def measure_agents(
    folder: Path, standing: "Standing", top: int, blocks: int, jobs: int, **accepted: Any
) -> "TestScores | None":
    """Play the round robin, or on from where it was stopped, and print its tables. Raises KeyboardInterrupt after a
    Ctrl-C; whatever was played is kept."""
    from discovery.campaign.ranking import top_of_campaign
    from discovery.evaluation.round_robin import RoundRobin, is_worth_playing, play_round_robin
    from domains.registry import find_domain
    from mcsgrammar.cli.match_display import MatchDisplay
    from mcsgrammar.wording import note

    settings = standing.settings
    assert settings.against is not None
    best = top_of_campaign(folder, top)
    if not is_worth_playing(settings, best):
        click.echo("the best is the agent that it played against, so there is nobody to compare it with")
        return None
    others = len(settings.against.others(settings.budget, settings.seconds))
    click.echo(
        f"a round robin of {len(best)} found and {others} to compare with, {blocks:,} test blocks of each pair",
        err=True,
    )
    with MatchDisplay() as display:
        played = play_round_robin(
            folder,
            settings,
            best,
            top,
            blocks,
            find_domain(settings.domain),
            jobs=jobs,
            on_progress=display,
            **accepted,
        )
    if played.ended != "complete":
        raise KeyboardInterrupt
    if played.tree_full:
        note("memory was full in some searches, whose trees could not grow; see --max-nodes")
    robin = RoundRobin(tuple(best), settings.against, played.settings, played.records)
    print_round_robin(robin)
    return robin.scores(kept=True)


def print_round_robin(robin: "RoundRobin") -> None:
    from discovery.arena.tables import Sentence, as_lines, headline

    assert robin.standings is not None
    direct = replace(robin.standings, same_opponents=())  # whom the verdict compares it compares with the pool
    click.echo(folded(headline(robin.settings, robin.blocks)))
    click.echo()
    for line in as_lines(robin.settings, direct, terminal_width(), robin.short_names):
        click.echo(folded(line) if isinstance(line, Sentence) else line)

"""What `match`, `tournament`, `resume` and `status` share: the options, the work, the tables."""

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from mcsgrammar.cli.options import (
    COUNT,
    Decorator,
    engine_option,
    force_option,
    max_nodes_option,
    together,
    wrong_usage,
)
from mcsgrammar.cli.output import echo_json, folded, terminal_width
from mcsgrammar.defaults import DEFAULT_BUDGET, GAMES_OF_A_MATCH

if TYPE_CHECKING:
    from discovery.arena.records import MatchRecord
    from discovery.arena.running import PlayedMatches
    from discovery.arena.settings import MatchSettings
    from domains.protocol import Domain


def games_option(about: str) -> Decorator:
    return click.option("--games", type=COUNT, default=GAMES_OF_A_MATCH, show_default=True, metavar="N", help=about)


ways_options = together(
    click.option(
        "--start",
        type=COUNT,
        default=1,
        show_default=True,
        metavar="N",
        help="So many searches more before the first step.",
    ),
    click.option(
        "--think",
        type=click.Choice(["always", "own"]),
        default="always",
        show_default=True,
        help="Agents search at every step, or only where they have a choice.",
    ),
    click.option(
        "--points",
        type=click.Choice(["agents", "roles"]),
        default="agents",
        show_default=True,
        help="Who shares a game's point: the agents, or the roles, that hold a highest goal.",
    ),
)
"""--start, --think, --points: how matches are played and counted."""
match_options = together(
    click.option(
        "--budget",
        type=COUNT,
        metavar="N",
        help="Simulations of each search; 'AGENT@N' has its own.  [default: 1000]",
    ),
    click.option("--seconds", type=float, metavar="S", help="CPU seconds of each search, instead of simulations."),
    ways_options,
    click.option("--seed", type=COUNT, default=0, show_default=True, metavar="S", help="Other matches."),
    engine_option,
    max_nodes_option,
    click.option(
        "--jobs", type=COUNT, metavar="J", help="Worker processes; the games are the same.  [default: as pays]"
    ),
    click.option(
        "--out", type=click.Path(path_type=Path), metavar="DIR", help="Keep every game there; resume goes on."
    ),
    click.option("--show", type=COUNT, default=0, metavar="N", help="Show the first N games move by move."),
    click.option("--svg", type=click.Path(path_type=Path), metavar="FILE", help="Save the first game as a picture."),
    force_option,
)
"""All options but how many games there are, and --json."""


def run_matches(
    game: str,
    agents: Sequence[str],
    *,
    tournament: bool,
    games: int,
    budget: int | None,
    seconds: float | None,
    jobs: int | None,
    out: Path | None,
    show: int,
    svg: Path | None,
    force: bool,
    as_json: bool,
    **settings: Any,
) -> int:
    """Play what was asked for, and print what came of it."""
    from discovery.arena.agents import agent_and_budget
    from discovery.arena.keeping import begin
    from discovery.arena.remarks import remarks
    from discovery.arena.settings import plan
    from domains.errors import UserError
    from domains.protocol import Domain
    from domains.registry import find_domain
    from mcsgrammar.arguments import at_least
    from mcsgrammar.wording import note
    from mcsgrammar.writing import check_writable

    if budget is not None and seconds is not None:
        raise UserError("give a budget in simulations or in seconds, one of the two")
    if budget is None and seconds is None:
        budget = DEFAULT_BUDGET
    at_least(0, "--show", show)
    check_jobs(jobs)
    found = find_domain(game)
    read = [agent_and_budget(text, budget, seconds) for text in agents]
    planned = plan(found, read, tournament=tournament, games=games, **settings)
    if svg is not None:
        if type(found).svg is Domain.svg:
            raise wrong_usage(f"{game} draws no pictures; leave --svg out")
        check_writable(svg, force)
    if out is not None:
        planned = begin(out, planned)
    for sentence in remarks(planned, found, games):
        note(sentence)
    return play_and_print(planned, out, jobs=jobs, show=show, svg=svg, as_json=as_json)


def check_jobs(jobs: int | None) -> None:
    from discovery.pool.workers import check_workers

    if jobs is not None:
        check_workers(jobs, "loky", None, 1.0)


def play_and_print(
    settings: "MatchSettings",
    folder: Path | None,
    *,
    jobs: int | None,
    show: int = 0,
    svg: Path | None = None,
    as_json: bool = False,
    **accepted: Any,
) -> int:
    """Play on, in a folder or in memory, and print what there is then. `accepted`: what else `play_in_folder` is to go
    on with."""
    from discovery.arena.running import play, play_in_folder
    from discovery.pool.workers import CampaignStopped
    from mcsgrammar.cli import EXIT_FAILED, EXIT_INTERRUPTED, complain
    from mcsgrammar.cli.match_display import MatchDisplay
    from mcsgrammar.cli.progress import duration
    from mcsgrammar.wording import note

    try:
        with MatchDisplay() as display:
            if folder is None:
                played = play(settings, jobs=jobs, on_progress=display)
            else:
                played = play_in_folder(folder, jobs=jobs, on_progress=display, **accepted)
    except CampaignStopped as error:
        return complain(str(error), EXIT_FAILED)
    if played.cut is not None:
        note(played.cut)
    if played.tree_full:
        note("memory was full in some searches, whose trees could not grow; see --max-nodes")
    click.echo(
        f"{'' if folder is None else f'{folder}: '}{played.played_now:,} games in {duration(played.seconds)}", err=True
    )
    if as_json:
        print_matches(played.settings, played.records, as_json=True)
    else:
        print_games(played, show)
        print_matches(played.settings, played.records)
    if svg is not None:
        save_first(played, svg)
    if played.ended == "complete":
        return 0
    left = played.settings.games - len(played.records) - played.finished
    goes_on = (
        "nothing of them is kept; --out DIR keeps them" if folder is None else f"mcsgrammar resume {quote(str(folder))}"
    )
    goes_on = goes_on if folder is None else f"go on with: {goes_on}"
    click.echo(f"{left:,} games are left; {goes_on}", err=as_json)
    return EXIT_INTERRUPTED


def print_matches(settings: "MatchSettings", records: "Sequence[MatchRecord]", *, as_json: bool = False) -> None:
    """The tables, or all of it as one document."""
    from discovery.arena.standings import standings
    from discovery.arena.tables import Sentence, as_lines, headline, match_document

    said = standings(records, settings.pairings, settings.points)
    if as_json:
        echo_json(match_document(settings, records, said))
        return
    blocks = len(records) // len(settings.seatings)
    click.echo(folded(headline(settings, blocks)))
    if said is None:
        click.echo("no block of games is whole yet")
        return
    click.echo()
    for line in as_lines(settings, said, terminal_width()):
        click.echo(folded(line) if isinstance(line, Sentence) else line)


def print_kept(folder: Path, *, as_json: bool) -> None:
    """What the folder of matches says now."""
    from discovery.arena.keeping import read_kept

    settings, records, cut = read_kept(folder)
    if not as_json:
        if cut is not None:
            click.echo(f"note: when it is resumed: {cut}")
        for changed in settings.accepted_domains:
            click.echo(f"note: the game has changed after {changed.pulls:,} games (resumed with --accept-domain)")
        click.echo(f"{len(records):,} of {settings.games:,} games are played")
    print_matches(settings, records, as_json=as_json)


def refuse_options(folder: Path, names: Sequence[str]) -> None:
    """Those that mean something of campaigns only."""
    context = click.get_current_context()
    for parameter in context.command.params:
        given = context.get_parameter_source(parameter.name or "") is not click.core.ParameterSource.DEFAULT
        if parameter.name in names and given:
            raise wrong_usage(f"{parameter.opts[0]} is for campaigns, and {folder} holds matches; leave it out")


def print_games(played: "PlayedMatches", wanted: int) -> None:
    """The first games, move by move, as the game draws them."""
    from discovery.arena.showing import move_by_move

    game = _game_of(played)
    for record in played.records[:wanted]:
        for line in move_by_move(played.settings, game, record):
            click.echo(line)
        click.echo()


def save_first(played: "PlayedMatches", path: Path) -> None:
    from discovery.arena.showing import picture
    from mcsgrammar.writing import write_text

    if not played.records:
        return
    svg = picture(_game_of(played), played.records[0])
    if svg is None:
        raise wrong_usage(f"{played.settings.canonical_domain} draws no pictures")
    write_text(path, svg)
    click.echo(f"picture: {path}", err=True)


def _game_of(played: "PlayedMatches") -> "Domain":
    from domains.registry import find_domain

    return find_domain(played.settings.domain)

"""`mcsgrammar tournament`."""

from typing import Any

import click

from mcsgrammar.cli.matches import games_option, match_options
from mcsgrammar.cli.output import json_option


@click.command("tournament")
@click.argument("game")
@click.argument("agents", nargs=-1, metavar="AGENT AGENT [AGENT]...")
@games_option("Of every pair; rounded up, so that every seating is played equally often.")
@match_options
@json_option
def command(game: str, agents: tuple[str, ...], **options: Any) -> int:
    """Let every two of several agents play a game against each other: who has how many points against whom, with 95 %
    intervals, and tests with Holm's correction. In a game of three roles the two share the roles, in every seating but
    those of one alone; for three different agents in one game there is 'mcsgrammar match'.

    With --out DIR every game is kept as it comes, as by 'mcsgrammar match'.

    \b
    Examples:
      mcsgrammar tournament tictactoe 'select(sim, 0)' 'select(sim, 0.4)' 'select(sim, 1)' --games 20 --budget 100
      mcsgrammar tournament tictactoe 'select(sim, 0.4)@50' 'select(sim, 0.4)@100' 'select(sim, 0.4)@200' --games 20
    """
    from mcsgrammar.cli.matches import run_matches

    return run_matches(game, agents, tournament=True, **options)

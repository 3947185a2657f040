"""`mcsgrammar match`."""

from typing import Any

import click

from mcsgrammar.cli.matches import games_option, match_options
from mcsgrammar.cli.output import json_option


@click.command("match")
@click.argument("game")
@click.argument("agents", nargs=-1, metavar="AGENT AGENT [AGENT]...")
@games_option("Rounded up, so that every seating is played equally often.")
@match_options
@json_option
def command(game: str, agents: tuple[str, ...], **options: Any) -> int:
    """Let agents play a game against each other, in all seatings equally often, and say who has how many points, with
    95 % intervals. An agent is an expression such as 'select(sim, 0.4)': a tree around playouts.

    A game of two roles is for two agents; one of three is for two, who share the roles, or for three.

    With --out DIR every game is kept as it comes. Stopped by Ctrl-C, kill -9 or a power cut, the same command goes on,
    and so it does with more --games.

    \b
    Examples:
      mcsgrammar match tictactoe 'select(sim, 0.4)' 'select(sim(mast(eps=0.4)), 0.4)' --games 100 --budget 200
      mcsgrammar match tictactoe 'select(sim, 0.4)@50' 'select(sim, 0.4)@500' --games 20
      mcsgrammar match tictactoe 'select(sim, 0.4)' 'select(sim, grave(ref=50))' --games 2 --budget 100 --show 1
      mcsgrammar match gdl:path/to/game.kif 'select(sim, 0.4)' 'select(sim(mast), 0.4)' --budget 500
    """
    from mcsgrammar.cli.matches import run_matches

    return run_matches(game, agents, tournament=False, **options)

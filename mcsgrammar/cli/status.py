"""`mcsgrammar status`."""

from pathlib import Path

import click

from mcsgrammar.cli.options import COUNT
from mcsgrammar.cli.output import echo_json, json_option


@click.command("status")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--top", type=COUNT, default=10, show_default=True, metavar="K", help="How many leaders are shown.")
@json_option
def command(folder: Path, top: int, as_json: bool) -> None:
    """Show how far a campaign is and who leads, or what a folder of matches says. It may be running; nothing is
    touched.

    \b
    Examples:
      mcsgrammar status my-campaign
      mcsgrammar status my-campaign --top 3 --json
    """
    from discovery.arena.keeping import holds_matches
    from discovery.campaign.ranking import read_standing
    from discovery.campaign.status import status_of
    from domains.errors import UserError
    from mcsgrammar.cli.campaigning import print_leaders
    from mcsgrammar.cli.matches import print_kept, refuse_options

    if top < 1:
        raise UserError(f"--top cannot be {top}; it is at least 1")
    if holds_matches(folder):
        refuse_options(folder, ["top"])
        print_kept(folder, as_json=as_json)
        return
    standing = read_standing(folder)
    if not as_json:
        if standing.contents.cut is not None:
            click.echo(f"note: when it is resumed: {standing.contents.cut}")
        for changed in standing.settings.accepted_domains:
            click.echo(f"note: the domain has changed after {changed.pulls:,} pulls (resumed with --accept-domain)")
        print_leaders(standing, top)
        return
    echo_json(status_of(standing, top))

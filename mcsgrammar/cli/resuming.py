"""`mcsgrammar resume`."""

from pathlib import Path
from typing import Any

import click

from mcsgrammar.cli.campaigning import worker_options


@click.command("resume")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--accept-versions", is_flag=True, help="Go on although versions have changed; this is recorded.")
@click.option("--accept-domain", is_flag=True, help="Go on although the domain has changed; this is recorded.")
@click.option("--trust", is_flag=True, help="Run the domain's code although it lies in the campaign's folder.")
@worker_options
def command(folder: Path, accept_versions: bool, accept_domain: bool, trust: bool, **worker_values: Any) -> int:
    """Go on with the campaign in a folder from where its journal ends; a finished one is measured again. Matches and
    tournaments go on in the same way; they know only --jobs of the options for workers.

    \b
    Examples:
      mcsgrammar resume campaigns/sudoku-4-B1000-depth4-0a1b2c3d
      mcsgrammar resume my-campaign --jobs 8 --for 30m
    """
    from discovery.arena.keeping import holds_matches
    from mcsgrammar.cli.campaigning import read_worker_options, run_and_measure

    if holds_matches(folder):
        from discovery.arena.settings import read_match_settings
        from mcsgrammar.cli.matches import check_jobs, play_and_print, refuse_options

        refuse_options(folder, [name for name in worker_values if name != "jobs"])
        check_jobs(worker_values["jobs"])
        return play_and_print(
            read_match_settings(folder),
            folder,
            jobs=worker_values["jobs"],
            accept_versions=accept_versions,
            accept_domain=accept_domain,
            trust=trust,
        )
    options = read_worker_options(**worker_values)
    return run_and_measure(folder, options, accept_versions=accept_versions, accept_domain=accept_domain, trust=trust)

"""Campaigns over several domains at the command line: which ones, and what is printed at the end."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcsgrammar.cli.options import wrong_usage
from mcsgrammar.cli.output import folded

if TYPE_CHECKING:
    from discovery.campaign.ranking import Standing
    from discovery.evaluation.kept import TestScores


def read_domains(domain: str | None, on: Sequence[str], play: int | None, against: Sequence[str]) -> str | list[str]:
    """The domain of a campaign, or the members of its family."""
    if domain is None and not on:
        raise wrong_usage("say what for: name a DOMAIN, such as sudoku:4, or several by --on DOMAIN --on DOMAIN")
    if not on:
        assert domain is not None
        return domain
    if domain is not None:
        raise wrong_usage(
            f"give one DOMAIN or several by --on; for one algorithm for all of them write --on {domain}, too"
        )
    if against:
        raise wrong_usage("--on is for domains with one role, and --against for games of several; leave one out")
    if play is not None:
        raise wrong_usage("--on finds an algorithm for several domains by runs, --play by games; leave one out")
    return list(on)


def measure_best_of_family(folder: Path, standing: "Standing", top: int, problems: int, jobs: int) -> "TestScores":
    """The end of a campaign over a family: its best on test problems of every domain, and what is chosen where one is
    left out, printed and kept in the folder."""
    from discovery.campaign.ranking import top_of_campaign
    from discovery.evaluation.families import keep_family, measure_family
    from discovery.evaluation.family_tables import family_text
    from mcsgrammar.cli.progress import ProgressLine, WorkProgress

    best = top_of_campaign(folder, top)
    who = f"the {len(best)} best" if len(best) > 1 else "the best"
    domains = len(standing.settings.typed_domains)
    click.echo(
        f"measuring {who}, the choices where a domain is left out, and the generic algorithms on {problems:,} test "
        f"problems of each of {domains} domains",
        err=True,
    )
    with ProgressLine() as line:
        measured = measure_family(standing, best, problems, jobs, WorkProgress(line).show)
    scores = keep_family(folder, measured)
    for number, (title, about, table) in enumerate(family_text(scores)):
        lines = table.as_text()
        click.echo(f"{'' if number == 0 else chr(10)}{title}")
        click.echo("\n".join(lines))
        click.echo()
        click.echo(folded(about, indent="  "))
    click.echo(f"\nkept in {folder}: evaluation.md, .csv and .json beside the journal")
    return scores

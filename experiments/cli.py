"""The commands of `python -m experiments`."""

import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from experiments.adaptive.commands import adaptive
from experiments.arena.commands import arena
from experiments.budgets.commands import budgets
from experiments.campaigns import CAMPAIGNS
from experiments.checking import PROBLEMS
from experiments.columns import COLUMNS
from experiments.learning.commands import learning
from experiments.options import jobs_option, progress_line, results_option, scale_option, work_option
from experiments.play.commands import play
from experiments.records.commands import records
from experiments.scales import SCALES
from experiments.sheets.commands import sheets

if TYPE_CHECKING:
    from collections.abc import Callable

    from discovery.campaign.running import Progress
    from mcsgrammar.engines.searching import SemanticsName


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """The experiments behind results/: what was run, measured and drawn.

    \b
    python -m experiments small                campaigns and tables at small scale, in minutes
    python -m experiments campaigns            the discoveries; hours; stop and go on at will
    python -m experiments tables               the columns of the tables; hours; the same
    python -m experiments summarise            what of it is kept in results/
    python -m experiments render               every table and picture from that; seconds
    python -m experiments adaptive             tuners, playout policies and decay; an hour, stop at will
    python -m experiments learning             policy adaptation beside the old language; half an hour
    python -m experiments sheets               algorithms on games they were not chosen on; needs a folder of sheets
    python -m experiments play                 tuned parameters in games against chance; minutes
    python -m experiments play --games FOLDER  the same in the papers' own video games; stop at will
    python -m experiments arena                agents against each other on eight games; hours, stop at will
    python -m experiments budgets              which algorithm for which budget; half an hour, stop at will
    python -m experiments records              the longest games of Morpion Solitaire; as many hours as you like
    """


@main.command()
@work_option
@click.option("--only", multiple=True, type=click.Choice(list(CAMPAIGNS)), help="These campaigns.  [default: all]")
@scale_option
@jobs_option
def campaigns(work: Path, only: tuple[str, ...], scale: str, jobs: int) -> None:
    """Start the campaigns, or go on with those that are not finished."""
    from experiments.campaigns import finished, run_campaign, standing_of

    for name in only or CAMPAIGNS:
        standing = standing_of(name, work)
        if standing is None or not finished(standing):
            with progress_line() as show:
                standing = run_campaign(
                    CAMPAIGNS[name],
                    work,
                    SCALES[scale],
                    jobs,
                    partial(_show_pulls, show, name),
                )
        if not finished(standing):
            raise SystemExit(f"{name}: stopped after {standing.pulls_done:,} pulls; the same command goes on")
        click.echo(f"{name}: {standing.pulls_done:,} pulls; first: {standing.ranking(1)[0].expression_text}")


@main.command()
@work_option
@click.option("--only", multiple=True, type=click.Choice(list(COLUMNS)), help="These columns.  [default: all]")
@click.option("--problems", type=float, default=1.0, show_default=True, metavar="F", help="Times the full number.")
@jobs_option
def tables(work: Path, only: tuple[str, ...], problems: float, jobs: int) -> None:
    """Measure the columns of the tables on test problems. What is measured already is kept and added to."""
    from experiments.measuring import measure_tables

    with progress_line() as show:
        measure_tables(work, [COLUMNS[key] for key in only or COLUMNS], problems, jobs, show)


@main.command()
@work_option
@results_option
def summarise(work: Path, results: Path) -> None:
    """Write what is kept of campaigns and measurements: small files, without the journals."""
    from experiments.summarising import summarise

    summarise(work, results)


@main.command()
@results_option
def render(results: Path) -> None:
    """Write every table (Markdown and CSV), picture (SVG) and what of the papers holds from what is kept. Nothing is
    searched."""
    from experiments.rendering import render

    for path in render(results):
        click.echo(path)


def _show_runs(show: "Callable[[str], None]", key: str, done: int, total: int) -> None:
    show(f"{key}: {done:,} of {total:,} runs")


def _show_pulls(show: "Callable[[str], None]", name: str, progress: "Progress") -> None:
    show(f"{name}: {progress.pulls:,} of {progress.pulls_in_all:,} pulls")


@main.command()
@click.option("--column", "columns", multiple=True, type=click.Choice(list(PROBLEMS)), help="Which; default: all.")
@click.option("--problems", type=click.IntRange(2), metavar="N", help="Problems a column; default: 1500, 800 and 300.")
@click.option("--semantics", type=click.Choice(["standard", "maes2013"]), default="standard", show_default=True)
@jobs_option
def check(columns: tuple[str, ...], problems: int | None, semantics: "SemanticsName", jobs: int) -> None:
    """Print the main columns of tables II, VIII and IX beside our own results, in minutes and without a work folder.
    Exit status 1 if a row differs from the paper, and from what is known to come out instead."""
    from experiments.checking import check

    all_as_expected = True
    for key in columns or PROBLEMS:
        with progress_line() as show:
            text, as_expected = check(
                COLUMNS[key],
                semantics,
                problems or PROBLEMS[key],
                jobs,
                partial(_show_runs, show, key),
            )
        click.echo(text)
        all_as_expected &= as_expected
    sys.exit(0 if all_as_expected else 1)


@main.command()
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="Where to.  [default: a temporary folder]")
@jobs_option
def small(out: Path | None, jobs: int) -> None:
    """The whole at small scale, in minutes: smaller campaigns of fewer candidates, every column on a hundredth of its
    problems, and every table and picture of that. Stopped, the same command with the same --out goes on."""
    from experiments.small import run_small

    folder = out if out is not None else Path(tempfile.mkdtemp(prefix="experiments-"))
    with progress_line() as show:
        for path in run_small(folder, jobs, show):
            click.echo(path)


main.add_command(adaptive)
main.add_command(arena)
main.add_command(budgets)
main.add_command(learning)
main.add_command(records)
main.add_command(sheets)
main.add_command(play)

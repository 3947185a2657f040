"""`python -m experiments play`."""

from pathlib import Path

import click

from experiments.options import RESULTS, jobs_option, progress_line, work_option
from experiments.play import SCALES


@click.command()
@click.argument("scale", type=click.Choice(list(SCALES)), default="full")
@work_option
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where what is kept goes.  [default: results/ of this copy; with small, results/ in the work folder]",
)
@jobs_option
@click.option("--render", is_flag=True, help="Only the page, from the table that is kept. Nothing is played.")
def play(scale: str, work: Path, results: Path | None, jobs: int, render: bool) -> None:
    """Games where chance has a say: fixed parameters beside tuned ones, and results/play.md. Takes some minutes;
    stopped, the same command goes on."""
    from experiments.papers.rendering import render_papers
    from experiments.play import measure, write_table
    from experiments.play_rendering import render_play

    work = work / scale if scale == "small" else work
    results = results or (work / "results" if scale == "small" else RESULTS)
    if not render:
        with progress_line() as show:
            write_table(results, measure(work, SCALES[scale], show, jobs=jobs))
    click.echo(render_play(results))
    click.echo(render_papers(results))

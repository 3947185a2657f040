"""`python -m experiments sheets`."""

from pathlib import Path

import click

from experiments.options import progress_line, results_option, work_option
from experiments.sheets.question import SIZES


@click.command()
@click.argument("size", type=click.Choice(list(SIZES)), default="small")
@click.option(
    "--folder",
    envvar="MCSGRAMMAR_SHEETS",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="Of rule sheets, such as those of github.com/ggp-org/ggp-repository.  [default: $MCSGRAMMAR_SHEETS]",
)
@work_option
@results_option
@click.option("--render", is_flag=True, help="Only the page, from the tables that are kept. Nothing is searched.")
def sheets(size: str, folder: Path | None, work: Path, results: Path, render: bool) -> None:
    """Which algorithm is best on a game it has never seen: all candidates on all one-player rule sheets of a folder,
    each sheet left out in turn, and results/sheets.md. Stopped, the same command goes on; small takes some ten
    minutes, full some hours."""
    from experiments.papers.rendering import render_papers
    from experiments.sheets.rendering import render_sheets

    if not render:
        from experiments.sheets.running import measure, write_tables

        if folder is None:
            raise click.UsageError("say where the sheets are: --folder DIR, or MCSGRAMMAR_SHEETS")
        with progress_line() as show:
            measure(folder, work, SIZES[size], show)
        write_tables(work, results, SIZES[size])
    click.echo(render_sheets(results))
    click.echo(render_papers(results))

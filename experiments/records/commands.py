"""`python -m experiments records`."""

from pathlib import Path

import click

from experiments.options import jobs_option, progress_line, results_option
from experiments.records.question import ATTEMPTS


@click.command()
@results_option
@click.option("--only", multiple=True, type=click.Choice(list(ATTEMPTS)), help="These attempts.  [default: all]")
@click.option("--hours", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True, help="For each.")
@jobs_option
@click.option("--render", is_flag=True, help="Only page and pictures, from the journals. Nothing is searched.")
def records(results: Path, only: tuple[str, ...], hours: float, jobs: int, render: bool) -> None:
    """The longest games of Morpion Solitaire that the language finds, and results/records.md. The runs are kept in
    results/records/, and the same command makes more of them."""
    from experiments.records.rendering import render_records

    if not render:
        from experiments.records.running import run_attempt

        with progress_line() as show:
            try:
                for name in only or ATTEMPTS:
                    run_attempt(ATTEMPTS[name], results, hours, jobs, show)
            except KeyboardInterrupt:
                click.echo("stopped; the same command goes on", err=True)
    for path in render_records(results):
        click.echo(path)

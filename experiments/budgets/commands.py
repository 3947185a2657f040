"""`python -m experiments budgets`."""

from pathlib import Path

import click

from experiments.budgets.curves import PROBLEMS, SIZES
from experiments.options import folders_of_size, progress_line, results_of_size_option, work_option


@click.command()
@click.argument("size", type=click.Choice(list(SIZES)), default="full")
@work_option
@results_of_size_option
@click.option("--only", multiple=True, type=click.Choice(list(PROBLEMS)), help="These problems.  [default: all]")
@click.option("--render", is_flag=True, help="Only page and pictures, from the tables that are kept. Nothing is run.")
def budgets(size: str, work: Path, results: Path | None, only: tuple[str, ...], render: bool) -> None:
    """Which algorithm for which budget: discovered and known ones from 10 to 1 000 000 evaluations, and
    results/budgets.md. All is run a little first, then more: stop it at any time, the same command goes on. `full`
    takes half an hour of CPU, `small` a minute or two."""
    from experiments.budgets.rendering import render_budgets
    from experiments.papers.rendering import render_papers

    chosen = SIZES[size]
    work, results = folders_of_size(chosen.name, work, results)
    if not render:
        from experiments.budgets.running import all_problems, run_trials
        from experiments.budgets.tables import write_tables

        with progress_line() as show:
            try:
                run_trials(work, chosen, show, all_problems(only))
            except KeyboardInterrupt:
                click.echo("stopped; the same command goes on", err=True)
            finally:
                write_tables(work, results)
    for path in (*render_budgets(results), render_papers(results)):
        click.echo(path)

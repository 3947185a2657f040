"""`python -m experiments adaptive`."""

from pathlib import Path

import click

from experiments.adaptive.questions import QUESTIONS, QuestionName
from experiments.options import progress_line, results_option, work_option


@click.command()
@work_option
@results_option
@click.option("--only", multiple=True, type=click.Choice(list(QUESTIONS)), help="These questions.  [default: all]")
@click.option("--runs", type=click.IntRange(2), metavar="N", help="Of every algorithm.  [default: 100 or 200]")
@click.option("--render", is_flag=True, help="Only the page, from the tables that are kept. Nothing is searched.")
def adaptive(work: Path, results: Path, only: tuple[QuestionName, ...], runs: int | None, render: bool) -> None:
    """Tuners, playout policies and decay: run what is missing, and write results/adaptive/ and results/adaptive.md.
    Takes half an hour; stopped, the same command goes on."""
    from experiments.adaptive.rendering import render_adaptive
    from experiments.papers.rendering import render_papers

    if not render:
        from experiments.adaptive.running import measure
        from experiments.adaptive.tables import write_tables

        with progress_line() as show:
            try:
                measure(work, [QUESTIONS[name] for name in only or QUESTIONS], runs, show)
            finally:
                write_tables(work, results)
    click.echo(render_adaptive(results))
    click.echo(render_papers(results))

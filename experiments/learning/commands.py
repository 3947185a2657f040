"""`python -m experiments learning`."""

from pathlib import Path

import click

from experiments.learning.question import ARENAS
from experiments.options import RESULTS, progress_line, work_option
from experiments.scales import FULL, SMALL


@click.command()
@work_option
@click.option(
    "--results",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where what is kept goes.  [default: results/ of this copy; with --small, results/ in the work folder]",
)
@click.option("--small", is_flag=True, help="Smaller campaigns, budgets and samples: every step, in minutes.")
@click.option("--only", multiple=True, type=click.Choice([*ARENAS, "long"]), help="These problems.  [default: all]")
@click.option("--render", is_flag=True, help="Only the page, from the tables that are kept. Nothing is searched.")
def learning(work: Path, results: Path | None, small: bool, only: tuple[str, ...], render: bool) -> None:
    """Policy adaptation: campaigns over the language with adapt, what they find beside NRPA and the old best, and
    results/learning.md. Takes half an hour of CPU; stopped, the same command goes on."""
    from experiments.learning.rendering import render_learning
    from experiments.papers.rendering import render_papers

    work = work / "small" if small else work
    results = results or (work / "results" if small else RESULTS)
    if not render:
        from experiments.learning.question import LONG
        from experiments.learning.running import run_arenas, run_long

        scale = SMALL if small else FULL
        with progress_line() as show:
            run_arenas(work, results, [arena for key, arena in ARENAS.items() if not only or key in only], scale, show)
            if not only or "long" in only:
                run_long(work, results, LONG, scale, show)
    click.echo(render_learning(results))
    click.echo(render_papers(results))

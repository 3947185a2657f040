"""`python -m experiments arena`."""

from pathlib import Path

import click

from experiments.arena.cells import ARENA_SCALES
from experiments.options import folders_of_size, jobs_option, progress_line, results_of_size_option, work_option


@click.command()
@click.argument("scale", type=click.Choice(list(ARENA_SCALES)), default="full")
@work_option
@results_of_size_option
@click.option("--only", multiple=True, metavar="TABLE", help="These tables, such as S-IV.  [default: all]")
@click.option(
    "--budget", type=click.IntRange(1), metavar="N", help="Cells with so many simulations alone.  [default: all]"
)
@jobs_option
@click.option("--render", is_flag=True, help="Only the page, from the table that is kept. Nothing is played.")
def arena(
    scale: str, work: Path, results: Path | None, only: tuple[str, ...], budget: int | None, jobs: int, render: bool
) -> None:
    """Agents against each other: the papers' tables on eight games, and results/arena.md. All cells are played a little
    first, then more and more; in the end (`--only found`) campaigns look for agents that beat the papers'. Stop it at
    any time, the same command goes on. `small` takes minutes."""
    from experiments.arena.rendering import render_arena
    from experiments.papers.rendering import render_papers

    chosen = ARENA_SCALES[scale]
    work, results = folders_of_size(chosen.name, work, results)
    if not render:
        from experiments.arena.cells import cells
        from experiments.arena.finding import found_cells, run_finding
        from experiments.arena.running import run_cells, write_cells

        tables = {"found", *(cell.table for cell in cells(chosen))}
        if unknown := [name for name in only if name not in tables]:
            raise click.BadParameter(f"there is no table {unknown[0]}; there are {', '.join(sorted(tables))}")
        if budget not in (None, chosen.budget, chosen.second):
            raise click.BadParameter(f"cells have {chosen.budget} or {chosen.second} simulations, not {budget}")
        wanted = [cell for cell in cells(chosen) if (not only or cell.table in only) and budget in (None, cell.budget)]
        with progress_line() as show:
            try:
                run_cells(work, chosen, jobs, show, wanted)
                if (not only and budget is None) or "found" in only:
                    run_finding(work, chosen, jobs, show)
                    run_cells(work, chosen, jobs, show, list(found_cells(work, chosen)))
            except KeyboardInterrupt:
                click.echo("stopped; the same command goes on", err=True)
            finally:
                write_cells(work, results, chosen)
    click.echo(render_arena(results))
    click.echo(render_papers(results))

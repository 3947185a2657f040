"""`python -m experiments play`."""

from pathlib import Path

import click

from experiments.options import folders_of_size, jobs_option, progress_line, results_of_size_option, work_option
from experiments.play.question import SCALES

VIDEO_RUNS = {"small": 1, "full": 100}
"""Of every agent on every level of a video game; the papers have 100."""


@click.command()
@click.argument("scale", type=click.Choice(list(SCALES)), default="full")
@click.option(
    "--games",
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="FOLDER",
    help="Play the papers' own games instead, which are in examples/gridphysics of github.com/GAIGResearch/GVGAI.",
)
@click.option(
    "--runs",
    type=click.IntRange(1),
    metavar="N",
    help="With --games: of every agent on each of the five levels.  [default: 100; with small, 1]",
)
@click.option("--only", multiple=True, metavar="GAME", help="With --games: these, such as chase.  [default: all]")
@work_option
@results_of_size_option
@jobs_option
@click.option("--render", is_flag=True, help="Only the page, from the tables that are kept. Nothing is played.")
def play(
    scale: str,
    folder: Path | None,
    runs: int | None,
    only: tuple[str, ...],
    work: Path,
    results: Path | None,
    jobs: int,
    render: bool,
) -> None:
    """Games where chance has a say: fixed parameters beside tuned ones, and results/play.md. Takes some minutes;
    stopped, the same command goes on.

    With --games the same is asked of the papers' own games. A run of all of them on all levels takes some ten CPU
    minutes, all 100 most of a day; the table is kept after every level, so stop it when you have seen enough."""
    from experiments.papers.rendering import render_papers
    from experiments.play.question import measure, write_table
    from experiments.play.rendering import render_play

    for option, given in (("--runs", runs), ("--only", only)):
        if given and folder is None:
            raise click.UsageError(f"{option} is of the papers' games: say where they are, --games FOLDER")
    work, results = folders_of_size(scale, work, results)
    if folder is not None and not render:
        _play_video_games(folder, only, work, results, runs or VIDEO_RUNS[scale], jobs)
    elif not render:
        with progress_line() as show:
            write_table(results, measure(work, SCALES[scale], show, jobs=jobs))
    click.echo(render_play(results))
    click.echo(render_papers(results))


def _play_video_games(folder: Path, only: tuple[str, ...], work: Path, results: Path, runs: int, jobs: int) -> None:
    """The table grows pass by pass, and the page with it."""
    from experiments.markdown import duration
    from experiments.play.rendering import render_play
    from experiments.play.video import AGENTS, LEVELS, SECONDS, measure_passes, playable, published, write_video

    for game in only:
        if game not in published():
            raise click.UsageError(f"the papers have no game {game}; they have {', '.join(published())}")
    games = playable(folder, lambda text: click.echo(text, err=True), list(dict.fromkeys(only)))
    number = len(games) * len(LEVELS) * len(AGENTS) * runs
    click.echo(
        f"{number:,} games, some {duration(SECONDS * number)} of CPU in all; what is in {work} is not played again",
        err=True,
    )
    larger: list[str] = []
    with progress_line() as show:
        for rows in measure_passes(folder, games, work, runs, show, jobs):
            larger = write_video(results, rows)
            render_play(results)
    if larger:
        click.echo(f"the table in {results} has more runs of {', '.join(larger)}; these stay as they are", err=True)

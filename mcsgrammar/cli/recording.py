"""`mcsgrammar record`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcsgrammar.cli.options import (
    COUNT,
    candidate_options,
    file_of_candidates,
    force_option,
    play_option,
    search_options,
    tree_option,
)
from mcsgrammar.defaults import DEFAULT_BUDGET, PULLS_PER_CANDIDATE

if TYPE_CHECKING:
    from mcsgrammar.engines.searching import EngineName, SemanticsName

SHOWN = 5


@click.command("record")
@click.argument("domain")
@click.option("--budget", type=COUNT, metavar="N", help="Evaluations a run may spend.  [default: 1000]")
@candidate_options
@file_of_candidates
@click.option(
    "--pulls-per-candidate",
    type=COUNT,
    default=PULLS_PER_CANDIDATE,
    show_default=True,
    metavar="N",
    help="Runs of each.",
)
@play_option
@tree_option
@click.option("--seed", type=COUNT, default=0, show_default=True, metavar="S", help="Other problems, other runs.")
@search_options
@click.option("--jobs", type=COUNT, default=1, show_default=True, metavar="J", help="Processes; the same file for any.")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="FILE.npy and FILE.json.")
@force_option
def command(
    domain: str,
    budget: int | None,
    candidates: Path | None,
    pulls_per_candidate: int,
    play: int | None,
    trees: str,
    seed: int,
    engine: "EngineName",
    semantics: "SemanticsName",
    max_nodes: int,
    jobs: int,
    out: Path,
    force: bool,
    **described: Any,
) -> None:
    """Run every candidate on the same training problems and keep all rewards, so that bandit policies can be compared
    at no further cost with 'mcsgrammar replay'. The pulls are those of a campaign with the same seed. With --play a run
    is a whole game, as 'mcsgrammar play' plays it.

    \b
    Examples:
      mcsgrammar record sudoku:4 --depth 4 --pulls-per-candidate 200 --jobs 2 --out sudoku4
      mcsgrammar record morpion:5D --budget 200 --depth 3 --out morpion
      mcsgrammar record regression --candidates mine.txt --out mine
      mcsgrammar record cliff --play 50 --depth 3 --out cliff
    """
    from discovery.bandits.recording import record, record_paths
    from mcsgrammar.cli.discovering import read_expressions
    from mcsgrammar.cli.options import read_candidates, read_play, refuse_described
    from mcsgrammar.cli.progress import ProgressLine, WorkProgress
    from mcsgrammar.writing import check_writable

    budget, kind = read_play(play, trees, budget, None)
    paths = record_paths(out)
    for path in (paths.rewards, paths.settings, paths.seconds):
        check_writable(path, force)
    if candidates is not None:
        refuse_described()
    expressions = list(read_candidates(**described)) if candidates is None else read_expressions(candidates)
    with ProgressLine() as line:
        made = record(
            domain,
            DEFAULT_BUDGET if budget is None else budget,
            expressions,
            pulls_per_candidate,
            seed,
            jobs,
            out,
            WorkProgress(line, "pulls").show,
            engine=engine,
            semantics=semantics,
            max_nodes=max_nodes,
            play=kind,
        )
    assert made.seconds is not None
    click.echo(
        f"{made.title}: {made.arms:,} candidates × {made.columns:,} pulls, {made.seconds.sum():.3g} s CPU of search"
    )
    means = made.rewards.mean(axis=1)
    errors = made.rewards.std(axis=1) / max(1, made.columns - 1) ** 0.5
    for arm in (-means).argsort(kind="stable")[:SHOWN]:
        error = f" ± {errors[arm]:.4f}" if made.columns > 1 else ""
        click.echo(f"  {means[arm]:.4f}{error}  {made.expressions[arm]}")
    if made.failed:
        click.echo(f"failed pulls, which count as reward 0: {made.failed:,}; the first: {made.first_failure}")
    click.echo(f"record: {paths.rewards} and {paths.settings}")

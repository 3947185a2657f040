"""`mcsgrammar record`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcsgrammar.cli.options import COUNT, candidate_options, file_of_candidates, force_option, search_options

if TYPE_CHECKING:
    from mcsgrammar.engines.searching import EngineName, SemanticsName

SHOWN = 5


@click.command("record")
@click.argument("domain")
@click.option("--budget", type=COUNT, default=1000, show_default=True, metavar="N", help="Evaluations a run may spend.")
@candidate_options
@file_of_candidates
@click.option("--pulls-per-candidate", type=COUNT, default=100, show_default=True, metavar="N", help="Runs of each.")
@click.option("--seed", type=COUNT, default=0, show_default=True, metavar="S", help="Other problems, other runs.")
@search_options
@click.option("--jobs", type=COUNT, default=1, show_default=True, metavar="J", help="Processes; the same file for any.")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="FILE.npy and FILE.json.")
@force_option
def command(
    domain: str,
    budget: int,
    candidates: Path | None,
    pulls_per_candidate: int,
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
    at no further cost with 'mcsgrammar replay'. The pulls are those of a campaign with the same seed.

    \b
    Examples:
      mcsgrammar record sudoku:4 --depth 4 --pulls-per-candidate 200 --jobs 2 --out sudoku4
      mcsgrammar record morpion:5D --budget 200 --depth 3 --out morpion
      mcsgrammar record regression --candidates mine.txt --out mine
    """
    from discovery.bandits.recording import record, record_paths
    from mcsgrammar.cli.discovering import read_expressions
    from mcsgrammar.cli.options import read_candidates
    from mcsgrammar.cli.progress import ProgressLine, WorkProgress
    from mcsgrammar.writing import check_writable

    paths = record_paths(out)
    for path in (paths.rewards, paths.settings, paths.seconds):
        check_writable(path, force)
    expressions = list(read_candidates(**described)) if candidates is None else read_expressions(candidates)
    with ProgressLine() as line:
        made = record(
            domain,
            budget,
            expressions,
            pulls_per_candidate,
            seed,
            jobs,
            out,
            WorkProgress(line, "pulls").show,
            engine=engine,
            semantics=semantics,
            max_nodes=max_nodes,
        )
    assert made.seconds is not None
    click.echo(
        f"{made.domain}, budget {made.budget}: {made.arms:,} candidates × {made.columns:,} pulls, "
        f"{made.seconds.sum():.3g} s CPU of search"
    )
    means = made.rewards.mean(axis=1)
    errors = made.rewards.std(axis=1) / max(1, made.columns - 1) ** 0.5
    for arm in (-means).argsort(kind="stable")[:SHOWN]:
        click.echo(f"  {means[arm]:.4f} ± {errors[arm]:.4f}  {made.expressions[arm]}")
    if made.failed:
        click.echo(f"failed pulls, which count as reward 0: {made.failed:,}; the first: {made.first_failure}")
    click.echo(f"record: {paths.rewards} and {paths.settings}")

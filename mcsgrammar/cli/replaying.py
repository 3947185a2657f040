"""`mcsgrammar replay`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from discovery.bandits.names import NAMES
from mcsgrammar.cli.options import COUNT
from mcsgrammar.cli.output import echo_json, json_option
from mcsgrammar.defaults import BATCH_OF_PULLS, PULLS_PER_CANDIDATE

if TYPE_CHECKING:
    from discovery.bandits.recording import Record
    from discovery.bandits.replaying import ReplayRow


@click.command("replay")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--policy", "policies", multiple=True, metavar="P", help="Such as 'ucb1(c=0.3)'; again for more.  [all]")
@click.option("--pulls", type=COUNT, metavar="N", help="Pulls in all.  [default: 100 per candidate]")
@click.option("--at", metavar="N,…", help="Pulls per candidate to look at.  [default: 1,2,5,10,20,50,…]")
@click.option("--at-pulls", metavar="N,…", help="The same as numbers of pulls in all.")
@click.option("--hold-out", is_flag=True, help="Judge by pulls that were not replayed.")
@click.option("--repetitions", type=COUNT, default=20, show_default=True, metavar="R", help="Replays of each policy.")
@click.option(
    "--batch", type=COUNT, default=BATCH_OF_PULLS, show_default=True, metavar="N", help="Pulls asked for together."
)
@click.option(
    "--seed", type=COUNT, default=0, show_default=True, metavar="S", help="Other orders of the recorded pulls."
)
@json_option
def command(
    file: Path,
    policies: tuple[str, ...],
    pulls: int | None,
    at: str | None,
    at_pulls: str | None,
    hold_out: bool,
    repetitions: int,
    batch: int,
    seed: int,
    as_json: bool,
) -> None:
    """Replay bandit policies over what 'mcsgrammar record' recorded, and print how far the candidate they would
    recommend falls short of the best (simple regret, ± its standard error over the repetitions), and the same for the
    ten ranked first.

    Each repetition takes the recorded pulls in a random order of its own, the same for all policies, and starts over
    where they run out. The record's means are the truth; with --hold-out, half of the pulls are replayed in each
    repetition and the means of the other half are the truth, so that no luck is taken for merit.

    \b
    Examples:
      mcsgrammar replay sudoku4
      mcsgrammar replay sudoku4 --policy 'ucb1(c=0.1)' --policy halving --at 10,25,50,100
      mcsgrammar replay sudoku4 --policy uniform --repetitions 100 --json
      mcsgrammar replay sudoku4 --at-pulls 300,1000,3000 --hold-out --repetitions 60
    """
    from discovery.bandits.recording import load
    from discovery.bandits.replaying import looks, replay
    from domains.errors import UserError
    from mcsgrammar.cli.progress import ProgressLine

    record = load(file)
    if not record.has_checksum:
        click.echo("note: this record is of an older version and has no checksum, so it was not checked", err=True)
    if at is not None and at_pulls is not None:
        raise UserError("give --at or --at-pulls, one of the two")
    arms = 1 if at_pulls is not None else record.arms
    multiples = _read_multiples("--at", at) if at_pulls is None else _read_multiples("--at-pulls", at_pulls)
    if pulls is None:
        pulls = round(max(multiples, default=PULLS_PER_CANDIDATE) * arms)
    if pulls < 1:
        raise UserError(f"the number of pulls cannot be {pulls}; it is at least 1")
    looked_at = looks(arms, pulls, multiples) if multiples else looks(arms, pulls)
    rows: list[ReplayRow] = []
    with ProgressLine() as line:

        def progress(policy: str, done: int) -> None:
            if line.due():
                line.show(f"{policy}: {done} of {repetitions} repetitions")

        for policy in policies or NAMES:
            rows += replay(record, policy, pulls, batch, repetitions, seed, looked_at, progress, hold_out)
    if as_json:
        echo_json(_document(record, rows, batch, repetitions, seed, hold_out))
    else:
        _print(record, rows, looked_at, repetitions, batch, hold_out, at_pulls is not None)


def _read_multiples(option: str, text: str | None) -> list[float]:
    from mcsgrammar.language.errors import UserError

    multiples = []
    for item in text.split(",") if text else []:
        try:
            multiples.append(float(item))
        except ValueError:
            multiples.append(0.0)
        if not 0 < multiples[-1] < float("inf"):
            raise UserError(f"{option}: '{item.strip()[:40]}' is not a number above 0; write a list such as 10,25,50")
    return multiples


def _document(
    record: "Record", rows: "list[ReplayRow]", batch: int, repetitions: int, seed: int, hold_out: bool
) -> dict[str, Any]:
    return {
        "domain": record.domain,
        "budget": record.budget,
        "play": record.play,
        "semantics": record.semantics,
        "arms": record.arms,
        "pulls_per_arm": record.columns,
        "batch": batch,
        "repetitions": repetitions,
        "seed": seed,
        "hold_out": hold_out,
        "rows": [
            {
                "policy": row.policy,
                "pulls": row.pulls,
                "pulls_per_candidate": row.pulls / record.arms,
                "regret": row.regret,
                "regret_stderr": row.regret_error,
                "top10_regret": row.top_regret,
                "top10_regret_stderr": row.top_regret_error,
            }
            for row in rows
        ],
    }


def _print(
    record: "Record",
    rows: "list[ReplayRow]",
    looked_at: list[int],
    repetitions: int,
    batch: int,
    hold_out: bool,
    in_all: bool,
) -> None:
    truth = record.rewards.mean(axis=1)
    click.echo(
        f"{record.title}: {record.arms:,} candidates × {record.columns:,} recorded pulls; "
        f"{repetitions} repetitions, batches of {batch}"
        + ("; half of the pulls are held out and judge" if hold_out else "")
    )
    click.echo(f"means from {truth.min():.4f} to {truth.max():.4f}; the best is {record.expressions[truth.argmax()]}")
    cells = {(row.policy, row.pulls): row for row in rows}
    names = list(dict.fromkeys(row.policy for row in rows))
    head = "pulls in all" if in_all else "pulls per candidate"
    width = max([len(head), *map(len, names)])
    for title in ("simple regret", "top-10 regret"):
        click.echo(f"\n{title}")
        heads = "".join(
            f"{number if in_all else number / record.arms:>19{',' if in_all else '.4g'}}" for number in looked_at
        )
        click.echo(f"{head:<{width}}{heads}")
        for name in names:
            line = ""
            for number in looked_at:
                row = cells.get((name, number))
                line += f"{'—' if row is None else _cell(row, title):>19}"
            click.echo(f"{name:<{width}}{line}")


def _cell(row: "ReplayRow", title: str) -> str:
    value, error = (
        (row.regret, row.regret_error) if title == "simple regret" else (row.top_regret, row.top_regret_error)
    )
    return f"{value:.5f}" if error != error else f"{value:.5f} ± {error:.5f}"

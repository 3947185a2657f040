"""What `discover` and `resume` share: run the campaign on, then measure what it found."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from mcsgrammar.cli.options import COUNT, together
from mcsgrammar.cli.output import folded, terminal_width
from mcsgrammar.defaults import SECONDS_OF_A_PULL

if TYPE_CHECKING:
    from discovery.campaign.ranking import Standing
    from discovery.campaign.settings import Settings
    from discovery.evaluation.kept import TestScores


worker_options = together(
    click.option("--jobs", type=COUNT, default=None, metavar="J", help="Worker processes.  [default: all cores]"),
    click.option("--backend", type=click.Choice(["loky", "threading", "dask"]), default="loky", show_default=True),
    click.option("--address", metavar="A", help="The dask scheduler, such as tcp://host:8786."),
    click.option(
        "--timeout",
        type=float,
        default=SECONDS_OF_A_PULL,
        show_default=True,
        metavar="S",
        help="Most for one pull, if --jobs > 1.",
    ),
    click.option("--for", "stop_after", metavar="TIME", help="Stop after 90s, 10m or 1h; resume goes on."),
    click.option(
        "--top",
        type=COUNT,
        metavar="K",
        help="How many are measured at the end.  [default: 10; 5 agents, who all play each other]",
    ),
    click.option(
        "--test-problems",
        type=COUNT,
        metavar="N",
        help="Problems they are measured on at the end, or blocks of matches of every two agents; 0: not at all.  "
        "[default: 10 to 1000, so that measuring takes no more runs than the campaign]",
    ),
)
"""--jobs, --backend, --address, --timeout, --for, --test-problems: how a campaign is run, not what it does."""


@dataclass(frozen=True)
class WorkerOptions:
    """The values of `worker_options`."""

    workers: dict[str, Any]
    """and for how long, as `discovery.campaign.running.run` takes them"""
    top: int | None
    """None: as many as is usual"""
    test_problems: int | None
    """None: as many as fit the campaign"""


def read_worker_options(
    *, jobs: int | None, stop_after: str | None, top: int | None, test_problems: int | None, **workers: Any
) -> WorkerOptions:
    """The values of `worker_options`, checked before anything is written."""
    import loky

    from discovery.pool.workers import check_workers
    from domains.errors import UserError

    if jobs is None:
        jobs = loky.cpu_count()  # those that this process may use, by affinity and by quota
    check_workers(jobs, **workers)
    if top is not None and top < 1:
        raise UserError(f"--top cannot be {top}; it is at least 1")
    if test_problems is not None and test_problems < 0:
        raise UserError(f"--test-problems cannot be {test_problems}; it is at least 0")
    return WorkerOptions({"jobs": jobs, **workers, "stop_after": read_duration(stop_after)}, top, test_problems)


def read_duration(text: str | None) -> float | None:
    """'90s', '10m', '1.5h' or plain seconds."""
    from domains.errors import UserError

    if text is None:
        return None
    units = {"s": 1, "m": 60, "h": 3600, "d": 86400}
    number, unit = (text[:-1], text[-1]) if text[-1:] in units else (text, "s")
    try:
        seconds = float(number) * units[unit]
    except ValueError:
        seconds = -1.0
    if not 0 < seconds < float("inf"):
        raise UserError(f"--for cannot be '{text}'; write a time such as 90s, 10m or 1h")
    return seconds


def run_and_measure(
    folder: Path,
    options: WorkerOptions,
    candidates_by_depth: Sequence[tuple[int | None, int]] = (),
    **accepted: Any,
) -> int:
    """Run the campaign in `folder` to its end, say what it costs and what it found, and measure the best.

    `candidates_by_depth`: what the command that was typed could be made smaller by
    (`discovery.campaign.foretelling.smaller`). `accepted`: what else `run` is to go on with.
    """
    from discovery.campaign.foretelling import usual_top
    from discovery.campaign.ranking import read_standing
    from discovery.campaign.running import CampaignStopped, run
    from discovery.campaign.settings import read_settings
    from discovery.evaluation.kept import refuse_to_replace_by_less
    from discovery.keeping.locking import FolderLock
    from domains.errors import DomainError
    from mcsgrammar.cli import EXIT_FAILED, EXIT_INTERRUPTED, complain
    from mcsgrammar.cli.campaign_display import CampaignDisplay, outcome_line
    from mcsgrammar.cli.families import measure_best_of_family
    from mcsgrammar.cli.foretelling import Foreteller
    from mcsgrammar.cli.round_robin import measure_agents

    settings = read_settings(folder)  # else the folder is no campaign, which is to be said first
    top = options.top if options.top is not None else usual_top(settings)
    problems = _test_problems(folder, settings, options, top)
    if problems > 0 and settings.against is None:
        refuse_to_replace_by_less(folder, problems, top)
    foreteller = Foreteller(top, problems, candidates_by_depth)
    again = _as_typed(options, accepted.get("trust", False))
    try:
        with CampaignDisplay(foreteller) as display:
            outcome = run(folder, **options.workers, **accepted, on_start=display.begin, on_progress=display)
    except CampaignStopped as error:
        return complain(str(error), EXIT_FAILED)
    if outcome.cut is not None:
        click.echo(f"note: {outcome.cut}", err=True)
    click.echo(f"{folder}: {outcome_line(outcome)}", err=True)
    standing = read_standing(folder)
    if outcome.ended != "complete":
        print_leaders(standing, top)
        left = standing.settings.pulls - outcome.pulls - outcome.finished
        click.echo(f"{left:,} pulls are left; go on with: mcsgrammar resume {quote(str(folder))}{again}")
        return EXIT_INTERRUPTED if outcome.ended == "interrupted" else 0
    if problems == 0:
        print_leaders(standing, top)
        _print_verdict(folder, standing, None)
        return 0
    try:
        test: TestScores | None
        if settings.against is not None:
            test = measure_agents(folder, standing, top, problems, options.workers["jobs"], **accepted)
        else:
            with FolderLock(folder):
                refuse_to_replace_by_less(folder, problems, top)  # another process may have measured meanwhile
                measure = _measure_best if settings.family is None else measure_best_of_family
                test = measure(folder, standing, top, problems, options.workers["jobs"])
    except CampaignStopped as error:
        return complain(str(error), EXIT_FAILED)
    except DomainError as error:
        print_leaders(standing, top)
        return complain(
            f"{error}\nthe {standing.pulls_done:,} pulls are kept, the best are not measured: mend the domain, then "
            f"mcsgrammar resume {quote(str(folder))} --accept-domain{again}; without measuring, "
            f"mcsgrammar report {quote(str(folder))} "
            "--test-problems 0"
        )
    except KeyboardInterrupt:
        print_leaders(standing, top)
        click.echo(
            "the campaign is complete, its best are not measured; do so with: "
            f"mcsgrammar resume {quote(str(folder))}{again}"
        )
        return EXIT_INTERRUPTED
    _print_verdict(folder, standing, test)
    return 0


def _as_typed(options: WorkerOptions, trust: bool = False) -> str:
    """What is to be typed again, since it is no setting that the folder keeps."""
    backend, address = options.workers.get("backend"), options.workers.get("address")
    typed = {
        "--backend": None if backend == "loky" else backend,
        "--address": None if address is None else quote(address),
        "--top": options.top,
        "--test-problems": options.test_problems,
    }
    words = [f" {option} {value}" for option, value in typed.items() if value is not None]
    return "".join([" --trust"] * trust + words)


def _test_problems(folder: Path, settings: "Settings", options: WorkerOptions, top: int) -> int:
    """As many as were asked for; else as many as fit the campaign, or as it was measured on before."""
    from discovery.campaign.foretelling import default_test_problems
    from discovery.evaluation.kept import read_kept

    if options.test_problems is not None:
        return options.test_problems
    kept = read_kept(folder)
    fitting = default_test_problems(settings, settings.pulls, min(top, settings.candidates))
    return fitting if kept is None else max(fitting, kept.problems)


def _measure_best(folder: Path, standing: Any, top: int, problems: int, jobs: int) -> "TestScores":
    """A campaign's end: its best on test problems beside the generic algorithms, printed and kept in the folder."""
    from discovery.evaluation.kept import test_scores
    from discovery.evaluation.measuring import best_of_campaign, keep_evaluation, measure_selected
    from discovery.evaluation.tables import as_text, document
    from mcsgrammar.cli.progress import ProgressLine, WorkProgress

    selection = best_of_campaign(folder, top)
    best = f"the {len(selection.trained)} best" if len(selection.trained) > 1 else "the best"
    click.echo(f"measuring {best} and the generic algorithms on {problems:,} test problems", err=True)
    with ProgressLine() as line:
        columns = measure_selected(selection, standing.settings, problems, jobs, WorkProgress(line).show)
    keep_evaluation(folder, columns)
    click.echo(as_text(columns, terminal_width()), nl=False)
    click.echo(f"\nkept in {folder}: evaluation.md, .csv and .json beside the journal")
    return test_scores(document(columns), kept=True)


def _print_verdict(folder: Path, standing: "Standing", test: "TestScores | None") -> None:
    """What was found, and what to type next."""
    from discovery.campaign.next_steps import next_steps
    from discovery.evaluation.verdict import verdict

    (first,) = standing.ranking(1)
    click.echo()
    for sentence in [*verdict(first, test, standing.settings.thing), *standing.warnings()]:
        click.echo(folded(sentence.replace("`", "'")))
    if not first.all_failed:
        click.echo("\nNext:")
        for line in next_steps(folder, standing.settings, first.expression_text):
            click.echo(f"  {line}")


def print_leaders(standing: Any, top: int) -> None:
    """The ranking on the training problems."""
    from discovery.keeping.folder import FAILURES_FILE
    from mcsgrammar.cli.campaign_display import interval_text
    from mcsgrammar.wording import printable

    ranking = standing.ranking(top)
    failed = int(standing.statistics.failures.sum())
    settings = standing.settings
    pool = "" if settings.against is None else f" against {', '.join(settings.pool_labels)}"
    click.echo(
        f"{printable(settings.subject)}{pool}, {settings.candidates:,} candidates, {settings.policy}: "
        f"{standing.pulls_done:,} of {settings.pulls:,} pulls"
    )
    if standing.speed is not None:
        click.echo(folded(f"the machine: {standing.speed}"))
    if failed:
        click.echo(f"{failed:,} pulls failed and counted as reward 0; {FAILURES_FILE} says why")
    if not ranking:
        return
    if ranking[0].all_failed:
        click.echo("every pull failed, so nothing is recommended")
    width = max(len(ranked.expression_text) for ranked in ranking)
    click.echo(f"{'rank':>4}  {'expression':<{width}}  {'pulls':>9}  {'mean reward':>11}  ± 95 %")
    for ranked in ranking:
        click.echo(
            f"{ranked.rank:>4}  {printable(ranked.expression_text):<{width}}  {ranked.pulls:>9,}  "
            f"{ranked.mean:>11.4f}  {interval_text(ranked)}"
        )
    if any(below.mean > above.mean for above, below in pairwise(ranking) if not below.all_failed):
        click.echo(
            folded("Ordered by the round of halving that they came to: the means of few pulls are of few problems.")
        )

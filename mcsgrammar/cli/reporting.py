"""`mcsgrammar report`."""

from pathlib import Path

import click

from mcsgrammar.cli.options import COUNT, wrong_usage
from mcsgrammar.cli.output import echo_document, json_option, terminal_width


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path), metavar="DIR")
@click.option("--html", type=click.Path(path_type=Path), metavar="FILE", help="One page with everything, pictures too.")
@click.option("--md", type=click.Path(path_type=Path), metavar="FILE", help="The tables in Markdown.")
@click.option("--csv", type=click.Path(path_type=Path), metavar="FILE", help="One line for each candidate.")
@click.option(
    "--top",
    type=COUNT,
    metavar="K",
    help="How many are shown and tested.  [default: 10, or 5 agents; fewer if the campaign has tested fewer]",
)
@click.option(
    "--test-problems",
    type=COUNT,
    default=None,
    metavar="N",
    help="Problems, or blocks of matches, they are tested on; 0: run nothing.  [default: as the campaign has kept, or "
    "200]",
)
@click.option("--jobs", type=COUNT, metavar="J", help="Worker processes; the results are the same.  [default: as pays]")
@click.option("--trust", is_flag=True, help="Run the domain's code although it lies in the campaign's folder.")
@click.option("--force", is_flag=True, help="Overwrite files.")
@json_option
def command(
    folder: Path,
    html: Path | None,
    md: Path | None,
    csv: Path | None,
    top: int | None,
    test_problems: int | None,
    jobs: int | None,
    trust: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Show what the campaign in a folder came to: ranking, scores on test problems with intervals and tests, anytime
    curves, which components help and at which depth, how the bandit spent its pulls, the best solutions, and how to
    repeat it. The campaign may be running; its folder is only read.

    Without FILE the tables go to the terminal. The page of --html is one file that loads nothing from anywhere.

    \b
    Examples:
      mcsgrammar report my-campaign
      mcsgrammar report my-campaign --html report.html --csv candidates.csv
      mcsgrammar report my-campaign --md report.md --test-problems 1000 --top 5
      mcsgrammar report my-campaign --test-problems 0 --json
    """
    from discovery.report.writers import as_csv, as_html, as_json_text, as_markdown, as_text, make_report
    from mcsgrammar.cli.progress import ProgressLine, WorkProgress
    from mcsgrammar.wording import printable
    from mcsgrammar.writing import check_writable, write_text

    wanted = [(path, write) for path, write in ((html, as_html), (md, as_markdown), (csv, as_csv)) if path is not None]
    for path, _ in wanted:
        check_writable(path, force)
    if len({path.resolve() for path, _ in wanted}) < len(wanted):
        raise wrong_usage("two of the files are the same; give each its own name")
    with ProgressLine() as line:
        report = make_report(
            folder,
            top=top,
            problems=test_problems,
            curves=html is not None or md is not None,
            jobs=jobs,
            trust=trust,
            on_start=lambda text: click.echo(text, err=True),
            on_progress=WorkProgress(line).show,
        )
    for note in report.notes:
        click.echo(f"note: {printable(note)}", err=True)
    written = [(path, write(report)) for path, write in wanted]  # all of them, before any is on disk
    for path, text in written:
        write_text(path, text)
    if as_json:
        echo_document(as_json_text(report))
    elif not written:
        click.echo(as_text(report, terminal_width()), nl=False)
    else:
        for path, text in written:
            click.echo(f"{path}: {max(1, len(text.encode()) // 1000):,} kB")

"""`mcsgrammar check`."""

import dataclasses

import click

from mcsgrammar.cli.options import CountFrom
from mcsgrammar.cli.output import echo_json, json_option

PLAYOUTS = 20
"""Random playouts on each problem."""


@click.command("check")
@click.argument("anything", metavar="DOMAIN")
@click.option(
    "--problems",
    type=CountFrom(min=1),
    default=5,
    show_default=True,
    metavar="N",
    help=f"How many problems to play {PLAYOUTS} random playouts on.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    metavar="S",
    help="Stop after so many seconds, and name the method that does not return.",
)
@json_option
@click.pass_context
def command(ctx: click.Context, anything: str, problems: int, seconds: float, as_json: bool) -> None:
    """Look for the usual mistakes in a domain, and name them: a copy that shares, a final state with moves, a reward
    that is not a number or that varies, a state that changes when it is looked at, …

    The domain runs in a process of its own, which it may crash or keep for ever: that is said, with the method that
    did it. Kernels are compiled with bounds checking there, and compared with the Python methods in every state. One
    playout on each problem is repeated in a second process, to see whether it depends on the process.

    Of a game all that is asked role by role, and how many sequences of joint moves it has is shown, to be compared with
    what others have counted.

    Exit status 1 if there is an error, 0 otherwise; warnings are advice. Problems are numbered as by --problem of
    solve.

    \b
    Examples:
      mcsgrammar check sudoku:4
      mcsgrammar check path/to/file.py:ClassName
      mcsgrammar check connect4
      mcsgrammar check path/to/file.py:ClassName:size=5 --problems 50
    """
    from domains.check.checking import check_domain, joint_counts
    from domains.registry import find_domain

    found = find_domain(anything)
    findings = check_domain(found, problems, PLAYOUTS, seconds=seconds)
    is_sound = not any(finding.kind == "error" for finding in findings)
    counts = joint_counts(found) if is_sound and len(found.roles) > 1 else []
    if as_json:
        document = {
            "domain": anything,
            "problems": problems,
            "playouts": problems * PLAYOUTS,
            "findings": [dataclasses.asdict(finding) for finding in findings],
        }
        if counts:
            document["joint_moves"] = counts
        echo_json(document)
    else:
        for finding in findings:
            click.echo(f"{finding.kind}: {finding.name}: {finding.message}")
        kinds = [finding.kind for finding in findings]
        wrong = [_counted(kinds.count(kind), kind) for kind in ("error", "warning") if kind in kinds]
        extent = f"{_counted(problems, 'problem')}, {problems * PLAYOUTS} playouts"
        click.echo(f"{anything}: {', '.join(wrong) or 'nothing wrong found'} ({extent})")
        if counts:
            written = ", ".join(f"{count:,}".replace(",", " ") for count in counts)
            click.echo(f"sequences of 1, 2, 3, … joint moves: {written}")
    if not is_sound:
        ctx.exit(1)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

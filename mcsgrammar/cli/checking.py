"""`mcsgrammar check`."""

import contextlib
import dataclasses
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mcsgrammar.cli.options import CountFrom
from mcsgrammar.cli.output import echo_json, json_option

if TYPE_CHECKING:
    from domains.gdl.describing import Sheetful

PROBLEMS, PLAYOUTS = 5, 20
"""Problems, and random playouts on each."""
SHEET_SECONDS, FOLDER_SECONDS = 1.0, 0.2
"""What random games of a rule sheet take, one by itself or one of a folder."""


@click.command("check")
@click.argument("anything", metavar="DOMAIN")
@click.option(
    "--problems",
    type=CountFrom(min=1),
    metavar="N",
    help=f"How many problems to play {PLAYOUTS} random playouts on.  [default: 5; of a rule sheet 1, which is all]",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=60.0,
    show_default=True,
    metavar="S",
    help="Stop after so many seconds, and say what was left out, or which method does not return.",
)
@json_option
@click.pass_context
def command(ctx: click.Context, anything: str, problems: int | None, seconds: float, as_json: bool) -> None:
    """Look for the usual mistakes in a domain, and name them: a copy that shares, a final state with moves, a reward
    that is not a number or that varies, a state that changes when it is looked at, …

    The domain runs in a process of its own, which it may crash or keep for ever: that is said, with the method that
    did it. Kernels are compiled with bounds checking there, and compared with the Python methods in every state. One
    playout on each problem is repeated in a second process, to see whether it depends on the process.

    Of a game all that is asked role by role, and how many sequences of joint moves it has is shown, to be compared with
    what others have counted. Of a rule sheet it says what it is: roles, whether they move in turns or at once, facts,
    moves, sizes, speed, and whether random games end; of a folder of sheets it makes a table.

    Exit status 1 if there is an error, 0 otherwise; warnings are advice. Problems are numbered as by --problem of
    solve.

    \b
    Examples:
      mcsgrammar check sudoku:4
      mcsgrammar check path/to/file.py:ClassName
      mcsgrammar check connect4
      mcsgrammar check path/to/file.py:ClassName:size=5 --problems 50
      mcsgrammar check gdl:path/to/game.kif
      mcsgrammar check vgdl:path/to/game.txt,level=1 --seconds 300
    """
    from domains.check.checking import check_domain, joint_counts
    from domains.registry import find_domain
    from mcsgrammar.cli.progress import ProgressLine

    sheet = None
    if anything.startswith("gdl:"):
        path = Path(anything.removeprefix("gdl:").partition(",")[0].strip().removeprefix("path="))
        if path.is_dir():
            _check_folder(path, as_json)
            return
        sheet = _looked_at(path, as_json)
    with _ended_after(seconds, f"{anything} is not made after {seconds:g} s; its file, or its __init__, does not end"):
        found = find_domain(anything)
    problems = problems or (PROBLEMS if sheet is None else 1)
    with ProgressLine() as line:

        def show(text: str) -> None:
            if line.due():
                line.show(f"checking: {text}")

        findings = check_domain(found, problems, PLAYOUTS, seconds=seconds, on_progress=show)
    is_sound = not any(finding.kind == "error" for finding in findings)
    counts = joint_counts(found) if is_sound and len(found.roles) > 1 else []
    if as_json:
        document: dict[str, Any] = {
            "domain": anything,
            "problems": problems,
            "playouts": problems * PLAYOUTS,
            "findings": [dataclasses.asdict(finding) for finding in findings],
        }
        if counts:
            document["joint_moves"] = counts
        if sheet is not None:
            document["sheet"] = sheet.numbers()
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


class _TooLong(BaseException):
    """No `Exception`, which the domain might catch."""


@contextlib.contextmanager
def _ended_after(seconds: float, message: str) -> Iterator[None]:
    """What runs in this process and does not end is ended, where the system has alarms."""
    from domains.errors import DomainError
    from domains.saying import no_seconds

    def end(*_: object) -> None:
        raise _TooLong

    if not hasattr(signal, "setitimer") or no_seconds(seconds):
        yield
        return
    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    except _TooLong:
        raise DomainError(message) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def _looked_at(path: Path, as_json: bool) -> "Sheetful":
    """What a rule sheet is; said, unless it is to be JSON."""
    from domains.gdl.describing import look_at

    sheet = look_at(path, SHEET_SECONDS)
    if not as_json:
        for line in sheet.lines():
            click.echo(line)
    return sheet


def _check_folder(folder: Path, as_json: bool) -> None:
    """A table of all rule sheets in a folder."""
    from domains.gdl.describing import COLUMNS, sheets_in, try_each

    played, found = 0, []
    if not as_json:
        click.echo(f"| sheet | {' | '.join(COLUMNS)} |\n|{'---|' * (len(COLUMNS) + 1)}")
    for path, sheet, refusal in try_each(sheets_in(folder), FOLDER_SECONDS):
        name = path.relative_to(folder).as_posix()
        played += sheet is not None
        if as_json:
            found.append({"path": name, **({"refused": refusal} if sheet is None else sheet.numbers())})
        else:
            said = f"refused: {refusal.splitlines()[0]}" if sheet is None else " | ".join(sheet.row())
            click.echo(f"| {name} | {said} |")
    if as_json:
        echo_json({"folder": str(folder), "sheets": found})
    else:
        click.echo(f"\n{_counted(len(sheets_in(folder)), 'sheet')}, of which {played} can be played")

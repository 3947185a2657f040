"""The command `mcsgrammar`. Each subcommand has a file of its own here, imported when it is called."""

import contextlib
import os
import sys
from importlib import import_module
from typing import Any, NoReturn

import click

from domains.errors import UserError
from mcsgrammar.cli.abrupt_ends import raise_where_code_leaves
from mcsgrammar.cli.interrupting import end_if_kernels_do_not
from mcsgrammar.cli.output import OutputError, watch_standard_output
from mcsgrammar.cli.signals import end_as_by_ctrl_c, ignore_ctrl_c
from mcsgrammar.wording import printable, printable_lines, quoted, shortened, suggestion

EXIT_FAILED = 1
EXIT_WRONG_INPUT = 2
EXIT_INTERRUPTED = 130

COMMANDS = {
    "enumerate": ("enumerating", "List or count the candidate algorithms up to a depth."),
    "show": ("showing", "Explain an expression: canonical text, depth, what it does."),
    "domains": ("listing", "List the problems there are, with their options."),
    "check": ("checking", "Find what is wrong with a domain of your own."),
    "solve": ("solving", "Run an algorithm on a problem and draw the best solution."),
    "play": ("playing", "Play a world of chance, with a search before every action."),
    "export": ("exporting", "Write an algorithm as one Python file that needs nothing else."),
    "discover": ("discovering", "Find the algorithm that suits a domain: a campaign over all candidates."),
    "resume": ("resuming", "Go on with a campaign after anything."),
    "status": ("status", "How far a campaign is and who leads; touches nothing."),
    "evaluate": ("evaluating", "Compare algorithms on test problems, with intervals and tests."),
    "match": ("matching", "Let agents play a game against each other."),
    "tournament": ("tournament", "Let every two of several agents play a game: a cross table."),
    "report": ("reporting", "A campaign as tables and pictures."),
    "null-check": ("null_checking", "How often the pipeline cries wolf when all algorithms are the same."),
    "record": ("recording", "Record all pulls of all candidates, to replay bandit policies over."),
    "replay": ("replaying", "Compare bandit policies over a record."),
    "bench": ("benching", "Playouts and evaluations per second on this machine."),
    "doctor": ("doctoring", "What is installed, whether the cache works, what speed to expect."),
    "completion": ("completing", "Let the Tab key complete commands, domains and algorithms."),
}
"""Each subcommand: its module in this folder, and its line in `mcsgrammar --help`."""


class LazyGroup(click.Group):
    """Knows its subcommands by name and one line, so that `--help` imports none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = import_module(f"mcsgrammar.cli.{COMMANDS[cmd_name][0]}").command
        assert isinstance(command, click.Command)
        if "_MCSGRAMMAR_COMPLETE" in os.environ:
            from mcsgrammar.cli.completing import add_offers

            return add_offers(command)
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            hint = suggestion(name, COMMANDS, "'mcsgrammar --help' lists the commands")
            raise click.UsageError(f"there is no command {quoted(name)}{hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every command explains itself with an example: mcsgrammar COMMAND --help",
)
@click.version_option(package_name="mcsgrammar")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Automatic discovery of Monte-Carlo search algorithms.

    An algorithm is an expression such as step(repeat(select(sim, 0.5), 10)), composed from six components: sim,
    repeat, lookahead, step, select, adapt.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(EXIT_WRONG_INPUT)


def main() -> NoReturn:
    """Run the command line and exit: 0 done, 1 failed, 2 wrong input, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # whatever was typed can be shown again
            stream.reconfigure(errors="backslashreplace")
    end_if_kernels_do_not()
    output = watch_standard_output()
    end_as_by_ctrl_c()
    raise_where_code_leaves()
    try:
        status = cli(standalone_mode=False)
        output.flush()
    except UserError as error:
        status = complain(str(error))
    except click.exceptions.Exit as error:
        status = error.exit_code
    except click.UsageError as error:
        where = f" (see '{error.ctx.command_path} --help')" if error.ctx else ""
        status = complain(_brief(error).rstrip(".") + where)
    except click.ClickException as error:
        status = complain(_brief(error))
    except (KeyboardInterrupt, click.Abort):
        ignore_ctrl_c()
        click.echo("interrupted", err=True)
        status = EXIT_INTERRUPTED
    except OutputError as error:
        output.abandon()
        status = 0 if error.reader_left else complain(f"the output cannot be written: {error}", EXIT_FAILED)
    except MemoryError:
        status = complain("there is not enough memory; what was finished is kept where it is kept at all", EXIT_FAILED)
    except OSError as error:
        if error.filename is None:
            raise
        status = complain(f"{quoted(str(error.filename))} cannot be used: {error.strerror}")
    if status == EXIT_INTERRUPTED:
        ignore_ctrl_c()
    sys.exit(status if isinstance(status, int) else 0)


def complain(message: str, status: int = EXIT_WRONG_INPUT) -> int:
    with contextlib.suppress(OSError):  # nowhere to complain about that
        click.echo(f"mcsgrammar: {printable_lines(message)}", err=True)
    return status


def _brief(error: click.ClickException) -> str:
    """What click says, in one line; it may repeat all that was typed."""
    return shortened(printable(" ".join(error.format_message().split())), 300)

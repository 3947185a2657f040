"""commands.md: every command as its own help describes it."""

import inspect

import click

from docs.markdown import anchor, block, code, page, table
from mcsgrammar.cli import COMMANDS, cli

ABOUT = """\
`mcsgrammar COMMAND --help` (or `-h`) says the same in the terminal. `python -m mcsgrammar` is the command, too."""

FOR_ALL = """\
## What all commands have in common

**Exit status.** 0: done. 1: it ran, and something failed. 2: the command or an input was wrong; a message of a line or
two says what, with a caret under the place where an expression goes wrong. 130: interrupted; what was finished is shown
by `solve`, `play` and `match`, and kept where there is a folder or a journal.

**Output.** Results go to standard output, progress and notes to standard error; with `--json` standard output is one
JSON document and nothing else. Progress renews itself on a terminal and is a plain line now and then elsewhere. Colours
and cursor movements are used on terminals only. A reader that has seen enough, such as `head`, is no failure.

**Files.** A file that you name is not overwritten unless `--force` is given. It is written whole or not at all.

**Environment.**

| variable | does |
| --- | --- |
| `MCSGRAMMAR_CACHE` | the [folder of compiled machines](files.md#the-cache), instead of the user's cache folder |
| `NO_COLOR` | set to anything: no colours |
| `COLUMNS` | the width that help and tables are made for, instead of the terminal's |
| `NUMBA_DISABLE_JIT` | set to 1: nothing is compiled; for debugging kernels, hundreds of times slower |"""


def commands_page() -> str:
    context = click.Context(cli, info_name="mcsgrammar")
    commands = {name: cli.get_command(context, name) for name in COMMANDS}
    overview = table(
        ("command", "does"), [(f"[`{name}`](#{anchor(name)})", line) for name, (_, line) in COMMANDS.items()]
    )
    described = [_described(name, command, context) for name, command in commands.items() if command is not None]
    return page("Commands", ABOUT, overview, FOR_ALL, *described)


def _described(name: str, command: click.Command, parent: click.Context) -> str:
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join(["mcsgrammar", name, *command.collect_usage_pieces(context)])
    options = [
        record
        for parameter in command.params  # all but --help
        if isinstance(parameter, click.Option) and (record := parameter.get_help_record(context)) is not None
    ]
    rows = [(code(names), " ".join(about.split())) for names, about in options]
    described = [table(("option", "does"), rows)] if rows else []
    return "\n\n".join([f"## {name}", block(usage), *_paragraphs(command.help or ""), *described])


def _paragraphs(text: str) -> list[str]:
    """What click calls help: paragraphs, and blocks that open with a backspace and stay as they are."""
    paragraphs = []
    for part in inspect.cleandoc(text).split("\n\n"):
        if not part.startswith("\b\n"):
            paragraphs.append(part)
            continue
        lines = part.removeprefix("\b\n")
        label, colon, rest = lines.partition(":\n")
        if colon and "\n" not in label:
            paragraphs += [f"{label}:", block(inspect.cleandoc("\n" + rest))]
        else:
            paragraphs.append(block(inspect.cleandoc("\n" + lines)))
    return paragraphs

"""`mcsgrammar completion`, and what the shell is offered for domains, expressions and bandit policies.

Click asks through the environment variable `_MCSGRAMMAR_COMPLETE`; the offers are added to a command's arguments by
their names, and only when they are asked for.
"""

import os
import shlex
from collections.abc import Callable

import click
from click.shell_completion import CompletionItem

VARIABLE = "_MCSGRAMMAR_COMPLETE"
SHELLS = ("bash", "zsh", "fish")

Offers = list[CompletionItem]


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS), metavar="bash|zsh|fish")
def command(shell: str) -> None:
    """Write the script that teaches a shell to complete mcsgrammar's commands, options, domains and named algorithms.
    The shell reads it when it starts:

    \b
      bash   echo 'eval "$(mcsgrammar completion bash)"' >> ~/.bashrc
      zsh    echo 'eval "$(mcsgrammar completion zsh)"' >> ~/.zshrc      after the line with compinit
      fish   mcsgrammar completion fish > ~/.config/fish/completions/mcsgrammar.fish

    \b
    Examples:
      mcsgrammar completion bash
      mcsgrammar completion fish
    """
    from click.shell_completion import get_completion_class

    from mcsgrammar.cli import cli

    maker = get_completion_class(shell)
    assert maker is not None
    click.echo(maker(cli, {}, "mcsgrammar", VARIABLE).source())


def add_offers(command: click.Command) -> click.Command:
    """The command, with something to offer for each of its arguments that is not a file or one of a few words."""
    for parameter in command.params:
        if parameter.name in OFFERS:
            parameter._custom_shell_complete = _offering(OFFERS[parameter.name])
    return command


def _offering(offers: Callable[[], list[str]]) -> Callable[[click.Context, click.Parameter, str], Offers]:
    def offer(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> Offers:
        found = [CompletionItem(_typed(text)) for text in offers() if text.startswith(incomplete)]
        names_a_file = parameter.name in ("domain", "domains", "game", "anything") and not found
        return [CompletionItem(incomplete, type="file")] if names_a_file else found

    return offer


def _typed(text: str) -> str:
    """As it must be typed. zsh and fish add the quotes that brackets need; bash inserts what it is given."""
    if not os.environ.get(VARIABLE, "").startswith("bash"):
        return text
    words = os.environ.get("COMP_WORDS", "").split("\n")
    is_quoted = words[-1][:1] in ("'", '"')
    return text if is_quoted else shlex.quote(text)


def _problems() -> list[str]:
    from domains.registry import problem_names

    return problem_names()


def _games() -> list[str]:
    from domains.registry import GAMES

    return list(GAMES)


def _anything() -> list[str]:
    return [*_problems(), *_games()]


def _expressions() -> list[str]:
    """The named algorithms, and a few expressions without a comma, which fish would split at."""
    from mcsgrammar.language.named import GENERIC

    return [*GENERIC, "sim", "step(sim)", "step(lookahead(sim))"]


def _policies() -> list[str]:
    from discovery.bandits.names import NAMES

    return list(NAMES)


OFFERS: dict[str | None, Callable[[], list[str]]] = {
    "domain": _problems,
    "domains": _problems,
    "on": _problems,
    "game": _games,
    "anything": _anything,
    "expression": _expressions,
    "expressions": _expressions,
    "policy": _policies,
}
"""By the name of the argument or option: what can stand there."""

"""Options that several commands share, and how their values are read."""

from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mcsgrammar.defaults import BUDGET_OF_A_TICK, DEFAULT_MAX_NODES
from mcsgrammar.enumeration.candidates import Candidates, Constants, fixed_policy
from mcsgrammar.language.errors import ExpressionError, InvalidExpression
from mcsgrammar.language.parsing import parse_playout, parse_repetitions, parse_selection, parse_tuner
from mcsgrammar.language.policies import PlayoutPolicy, SelectionPolicy
from mcsgrammar.wording import quoted

if TYPE_CHECKING:
    from domains.protocol import Domain
    from mcsgrammar.enumeration.agents import AgentCandidates

Item = TypeVar("Item")
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

LONGEST_COUNT = 40
"""Digits of a count; no option takes as many."""


def read_count(text: str) -> int:
    """The whole number in `text`, which may have an exponent: 250, 1e6. Raises ValueError."""
    try:
        exact = Decimal(text) if "e" in text.lower() else Decimal(int(text))
    except InvalidOperation:
        exact = Decimal("nan")
    if not exact.is_finite() or exact.adjusted() > LONGEST_COUNT or exact != exact.to_integral_value():
        raise ValueError(text)
    return int(exact)


class CountOption(click.types.IntParamType):
    """A whole number as an option's value."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return super().convert(read_count(str(value)), param, ctx)
        except ValueError:
            self.fail(f"{quoted(str(value))} is not a whole number such as 250 or 1e6", param, ctx)


class CountFrom(CountOption, click.IntRange):
    """The same, within bounds."""


COUNT = CountOption()

CLOSING = {"(": ")", "[": "]", "{": "}"}


def split_list(text: str) -> list[str]:
    """The items of a comma-separated list; commas inside brackets do not separate."""
    items, depth, start = [], 0, 0
    for i, character in enumerate(text):
        if character in CLOSING:
            depth += 1
        elif character in CLOSING.values():
            depth -= 1
        elif character == "," and depth == 0:
            items.append(text[start:i].strip())
            start = i + 1
    items.append(text[start:].strip())
    return [] if items == [""] else items


def together(*options: Decorator) -> Decorator:
    """Several options as one decorator; help shows them in this order."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return add


candidate_options = together(
    click.option(
        "--depth",
        type=COUNT,
        default=5,
        show_default=True,
        metavar="D",
        help="Most components nested in one another.",
    ),
    click.option("--repeat", default="2,5,10,100", show_default=True, metavar="N,…", help="The N of repeat."),
    click.option(
        "--select",
        default="0,0.3,0.5,1",
        show_default=True,
        metavar="C,…",
        help="The C of select, or policies such as 'grave(c=0.2, ref=50)'.",
    ),
    click.option(
        "--sim",
        default="random",
        show_default=True,
        metavar="P,…",
        help="Playout policies, as in 'random, mast(eps=0.4)'.",
    ),
    click.option(
        "--adapt",
        default="",
        metavar="N,…",
        help="The N of adapt, as in '10,100'; none: candidates without it.",
    ),
    click.option(
        "--tuner",
        default="",
        metavar="T,…",
        help="Also with the policies' parameters tuned online, as in 'ntbea, nmc'.",
    ),
)
"""--depth, --repeat, --select, --sim, --adapt, --tuner: which candidates there are."""
file_of_candidates = click.option(
    "--candidates", type=click.Path(path_type=Path), metavar="FILE", help="Expressions, one a line, instead of all."
)
split_option = click.option(
    "--split",
    type=click.Choice(["test", "train", "both"]),
    default="test",
    show_default=True,
    help="both: of a domain with instances.",
)
tree_option = click.option(
    "--tree",
    "trees",
    type=click.Choice(["new", "kept"]),
    default="new",
    show_default=True,
    help="In games: after an action trees are new, or what stood below it is kept.",
)
AS_BUDGET = -1
"""What --play is without a number."""


class TicksOption(CountOption):
    """The number that may follow --play."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return read_count(str(value))
        except ValueError:
            self.fail(
                f"{quoted(str(value))} is not a number of evaluations; what follows --play is one, so name the domain "
                "and the algorithms before it",
                param,
                ctx,
            )


play_option = click.option(
    "--play",
    is_flag=False,
    flag_value=str(AS_BUDGET),
    type=TicksOption(),
    metavar="[N]",
    help="Each run is a whole game: before every action a search of N evaluations, or as --budget says.  [N: 200]",
)


def read_play(
    play: int | None, trees: str, budget: int | None, seconds: float | None, several: bool = False
) -> tuple[int | None, Any]:
    """The budget of a search, and what becomes of trees where runs are games. `several`: there are other budgets."""
    if play is None:
        if trees != "new":
            raise wrong_usage("--tree says what becomes of trees in games; add --play")
        return budget, None
    if play != AS_BUDGET:
        if several or budget is not None or seconds is not None:
            raise wrong_usage("give the budget of a search by --play or by another option, one of the two")
        return play, trees
    return (BUDGET_OF_A_TICK if budget is None and seconds is None and not several else budget), trees


force_option = click.option("--force", is_flag=True, help="Overwrite FILE.")
semantics_option = click.option(
    "--semantics",
    type=click.Choice(["standard", "maes2013"]),
    default="standard",
    show_default=True,
    help="maes2013: the rules of the paper's program, to compare with its tables.",
)
engine_option = click.option(
    "--engine",
    type=click.Choice(["auto", "compiled", "reference"]),
    default="auto",
    show_default=True,
    help="auto: compiled where the domain has kernels.",
)
max_nodes_option = click.option(
    "--max-nodes",
    type=COUNT,
    default=DEFAULT_MAX_NODES,
    show_default=True,
    metavar="N",
    help="Nodes of trees and entries of statistics a run may hold; some 70 to 150 bytes each.",
)
search_options = together(engine_option, semantics_option, max_nodes_option)
"""--engine, --semantics, --max-nodes: how expressions are run."""


def read_candidates(depth: int, repeat: str, select: str, sim: str, adapt: str = "", tuner: str = "") -> Candidates:
    """The candidates that the options of `candidate_options` describe."""
    return Candidates(
        depth,
        Constants(
            repeat=_items("--repeat", repeat, parse_repetitions),
            select=_items("--select", select, lambda item: fixed_policy(parse_selection(item), SelectionPolicy)),
            sim=_items("--sim", sim, lambda item: fixed_policy(parse_playout(item), PlayoutPolicy)),
            adapt=_items("--adapt", adapt, parse_repetitions),
        ),
        _items("--tuner", tuner, parse_tuner),
    )


def refuse_described() -> None:
    """Raises for options that describe candidates, where --candidates names them all."""
    for name in ("depth", "repeat", "select", "sim", "adapt", "tuner"):
        if is_typed(name):
            raise wrong_usage(f"--candidates names all candidates; leave --{name} out")


def enumerated_agents(
    game: "Domain", described: dict[str, Any], budget: int | None
) -> "tuple[Candidates, AgentCandidates]":
    """What the same options describe where agents are asked for, with the constants that those have where none is
    typed, and the agents among it. What is left out is noted."""
    from mcsgrammar.enumeration.agents import CONSTANTS_OF_AGENTS, agents_up_to
    from mcsgrammar.wording import note

    if described["adapt"]:
        raise wrong_usage(
            "adapt learns from the best of what it tries, which other roles can refuse; leave --adapt out"
        )
    usual = {name: text for name, text in CONSTANTS_OF_AGENTS.items() if not is_typed(name)}
    enumerated = read_candidates(**{**described, **usual})
    found = agents_up_to(enumerated.depth, enumerated, game, budget)
    for sentence in found.notes():
        note(sentence)
    return enumerated, found


def is_typed(name: str) -> bool:
    """Whether somebody has given an option, by its name in the command."""
    return click.get_current_context().get_parameter_source(name) is not click.core.ParameterSource.DEFAULT


def _items(option: str, text: str, read: Callable[[str], Item]) -> tuple[Item, ...]:
    """What the items of a list stand for; a complaint names the option."""
    items = split_list(text)
    if "" in items:
        raise InvalidExpression(f"{option}: item {items.index('') + 1} of {quoted(text)} is empty")
    try:
        return tuple(read(item) for item in items)
    except ExpressionError as error:
        raise type(error)(f"{option}: {error.problem}", error.text, error.span) from None


def wrong_usage(message: str) -> click.UsageError:
    """To be raised; what is said ends with where help is."""
    return click.UsageError(message, click.get_current_context())

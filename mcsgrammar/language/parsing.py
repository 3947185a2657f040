"""Text to expression. The syntax is in `grammar.lark`; here it becomes dataclasses, and errors become sentences."""

import math
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal, InvalidOperation
from functools import cache
from importlib.resources import files
from typing import Any

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from domains.saying import shown as shown_value
from mcsgrammar.arguments import as_list
from mcsgrammar.language.components import SUB_COMPONENT, Component, not_closed
from mcsgrammar.language.errors import InvalidExpression, UserError
from mcsgrammar.language.expressions import COMPONENTS, REPETITIONS, Repeat, Select
from mcsgrammar.language.named import NAMED, expand_named
from mcsgrammar.language.parameters import (
    Choice,
    Interval,
    Number,
    OpenParameter,
    Value,
    checked,
    parameters_of,
    shown,
    value_text,
    written_name,
)
from mcsgrammar.language.policies import (
    PLAYOUT_POLICIES,
    SELECTION_POLICIES,
    Guided,
    Mast,
    PlayoutPolicy,
    SelectionPolicy,
)
from mcsgrammar.language.syntax_errors import Readable, syntax_error
from mcsgrammar.language.tuners import TUNER_ALIASES, TUNERS, Tuner
from mcsgrammar.wording import quoted, suggestion

TEXT_LIMIT = 100_000
"""Texts longer than this are refused unread; the deepest expression with the longest policies stays far below."""
AT_MOST = f"at most {TEXT_LIMIT} are read"
DIGIT_LIMIT = 4000
"""Numbers longer than this are refused unread."""

EXPRESSION = Readable("start", "expression", "step(repeat(select(sim, 0.5), 10))")
SELECTION = Readable("selection_alone", "selection policy", "0.5 or grave(c=0.2)")
PLAYOUT = Readable("playout_alone", "playout policy", "mast(eps=0.4)")
TUNER = Readable("tuner_alone", "tuner", "ntbea or nmc(eps0=0.5)")
REPETITION = Readable("repetitions_alone", "number", "10")


def parse(text: str) -> Component:
    """The expression written in `text`; `parse(str(e)) == e` for every expression.

    Raises `ExpressionSyntaxError` (with a caret and what was expected) or `InvalidExpression` (with what is allowed).
    """
    expression = _read(text, EXPRESSION)
    assert isinstance(expression, Component)
    return expression


def read_expression(given: Component | str) -> Component:
    """What was handed over as an expression: as it is, or as text."""
    return given if isinstance(given, Component) else parse(given)


def parse_all(given: Component | str | Iterable[Component | str]) -> list[Component]:
    """What was handed over as expressions: one or several, as they are or as texts."""
    return [read_expression(one) for one in as_list(given)]


def parse_selection(text: str) -> SelectionPolicy:
    """The selection policy in `text`, which may be the C of select alone: `0.5`, `grave(c=0.2, ref=50)`."""
    policy = _read(text, SELECTION)
    assert isinstance(policy, SelectionPolicy)
    return policy


def parse_playout(text: str) -> PlayoutPolicy:
    """The playout policy in `text`: `random`, `mast(eps=0.4)`."""
    policy = _read(text, PLAYOUT)
    assert isinstance(policy, PlayoutPolicy)
    return policy


def parse_tuner(text: str) -> Tuner:
    """The tuner in `text`: `ntbea`, `nmc(eps0=0.5)`."""
    tuner = _read(text, TUNER)
    assert isinstance(tuner, Tuner)
    return tuner


def parse_repetitions(text: str) -> int:
    """The N of repeat in `text`: `10`, `1e3`."""
    count = _read(text, REPETITION)
    assert isinstance(count, int)
    return count


def _read(text: str, readable: Readable) -> Any:
    """What `text` means, read from a rule of the grammar."""
    if not isinstance(text, str):
        raise UserError(f"the {readable.what} cannot be {shown_value(text)}; it is a text such as {readable.example}")
    if len(text) > TEXT_LIMIT:
        raise InvalidExpression(f"the {readable.what} is {len(text)} characters long; {AT_MOST}")
    try:
        built = _build(_parser().parse(text, start=readable.rule))
    except UnexpectedInput as stumble:
        raise syntax_error(stumble, text, readable) from None
    except InvalidExpression as error:
        raise InvalidExpression(error.problem, text, error.span, error.argument) from None
    if len(text) > TEXT_LIMIT // 2 and (written := len(str(built))) > TEXT_LIMIT:  # which nobody could read again
        raise InvalidExpression(f"the {readable.what} is {written} characters long, spaces in their places; {AT_MOST}")
    return built


@cache
def _parser() -> Lark:
    grammar = files("mcsgrammar.language").joinpath("grammar.lark").read_text(encoding="utf-8")
    starts = [readable.rule for readable in (EXPRESSION, SELECTION, PLAYOUT, TUNER, REPETITION)]
    return Lark(grammar, start=starts, parser="lalr", propagate_positions=True, maybe_placeholders=False)


# From the tree to what it stands for, with a place in the text for every error.

COMPONENT_RULES = {component.__name__.lower(): component for component in COMPONENTS}
"""The components by their rules in the grammar; the keyword of each is the same in capitals."""
KEYWORDS = {rule.upper() for rule in COMPONENT_RULES}
POLICIES: dict[str, dict[str, Any]] = {
    "playout": PLAYOUT_POLICIES,
    "selector": SELECTION_POLICIES,
    "tuner": TUNERS | TUNER_ALIASES,
}
"""What the names in a rule of the grammar stand for."""


def _build(tree: Tree[Token]) -> Any:
    """What a parse tree stands for, innermost rule first and without recursion: the nesting is anybody's."""
    built: dict[int, Any] = {}
    for subtree in tree.iter_subtrees():
        children = [
            built[id(child)] if isinstance(child, Tree) else child
            for child in subtree.children
            if not (isinstance(child, Token) and child.type in KEYWORDS)
        ]
        try:
            built[id(subtree)] = _RULES[subtree.data](*children)
        except InvalidExpression as error:
            _point(error, dict(_arguments(subtree)).get(error.argument or "", subtree))
            raise
    if isinstance(built[id(tree)], Component):
        _require_closed(tree, built)
    return built[id(tree)]


def _point(error: InvalidExpression, place: Tree[Token]) -> None:
    error.span = place.meta.start_pos, place.meta.end_pos


def _arguments(subtree: Tree[Token]) -> Iterator[tuple[str, Tree[Token]]]:
    """The arguments of a component, policy or named algorithm: what each is called, and where it stands."""
    trees = [child for child in subtree.children if isinstance(child, Tree)]
    if subtree.data == "named":
        yield from zip((a.name for a in NAMED[_owner(subtree)].arguments), trees, strict=False)
    elif subtree.data in POLICIES:
        yield from ((_argument_name(subtree, argument), argument.children[-1]) for argument in trees)  # type: ignore[misc]
    elif subtree.data in COMPONENT_RULES and COMPONENT_RULES[subtree.data].argument:
        names = iter(COMPONENT_RULES[subtree.data].argument.split(", "))
        for child in trees:
            is_sub_component = child.data in COMPONENT_RULES or child.data == "named"
            yield (SUB_COMPONENT if is_sub_component else next(names)), child


def _owner(subtree: Tree[Token]) -> str:
    """Whose arguments these are, as it is written."""
    return str(subtree.children[0])


def _argument_name(policy: Tree[Token], argument: Tree[Token]) -> str:
    if argument.data == "first":
        known = POLICIES[policy.data]
        return next(iter(_parameter_names(known[_owner(policy)]))) if _owner(policy) in known else "?"
    return str(argument.children[0])


def _require_closed(tree: Tree[Token], built: dict[int, Any]) -> None:
    """`InvalidExpression` at the first open parameter outside any `tune`, in the words of the text."""
    expression = built[id(tree)]
    unseen = [tree] if expression.unbound else []
    while unseen:
        subtree = unseen.pop()
        for name, place in _arguments(subtree):
            if isinstance(built[id(place)], Choice | Interval):
                error = not_closed(expression, OpenParameter(_owner(subtree), name, built[id(place)]))
                _point(error, place)
                raise error
        unseen += [child for child in reversed(subtree.children) if isinstance(child, Tree) and child.data != "tune"]


# What each rule of the grammar stands for.


def _repetitions(written: Value) -> Value:
    return checked(Repeat.name, Repeat.argument, REPETITIONS, written)


def _named(name: Token, *values: Value) -> Component:
    return expand_named(str(name), values)


def _policy(what: str, known: dict[str, Any]) -> Callable[..., Any]:
    """How a policy or tuner is built from its name and arguments."""

    def build(name: Token, *arguments: tuple[str, Value]) -> Any:
        if name not in known:
            raise InvalidExpression(f"there is no {what} called {quoted(name)}" + suggestion(name, known))
        make = known[name]
        if make is Guided:
            return Guided.read(arguments)
        fields = _parameter_names(make)
        values: dict[str, Value] = {}
        for given, value in arguments:
            argument = given or next(iter(fields))
            if not given and make is Mast:
                text = value_text(value)
                raise InvalidExpression(f"mast takes tau or eps: write mast(tau={text}) or mast(eps={text})")
            if argument not in fields:
                raise InvalidExpression(f"{name} has no parameter {quoted(argument)}" + suggestion(argument, fields))
            if fields[argument] in values:
                raise InvalidExpression(f"{name} is given {argument} twice")
            values[fields[argument]] = value
        return make(**values)

    return build


def _parameter_names(make: Any) -> dict[str, str]:
    """The names of a policy's or tuner's parameters in the text, and in Python."""
    return {written_name(f): f.name for f in parameters_of(make if isinstance(make, type) else TUNERS["nmc"])}


def _number(token: Token) -> Number:
    """An int where the text is a whole number, else the nearest float."""
    if token.lstrip("+-").lower() in ("inf", "nan"):
        return float(token)
    if len(token) > DIGIT_LIMIT:
        raise InvalidExpression(f"this number has {len(token)} characters; at most {DIGIT_LIMIT} are read")
    whole = _whole(str(token))
    nearest = float(token)
    if whole is None and math.isinf(nearest):
        raise InvalidExpression(f"the number {shown(str(token))} is beyond the range of a 64-bit float")
    return nearest if whole is None else whole


def _whole(text: str) -> int | None:
    """The whole number that is written in `text`, if it is one and not longer than numbers may be."""
    try:
        exact = Decimal(text)
    except InvalidOperation:  # an exponent of twenty digits or so
        return None
    return int(exact) if exact.adjusted() < DIGIT_LIMIT and exact == exact.to_integral_value() else None


def _choice(*values: Number | str) -> Choice:
    return Choice(values)


def _interval(low: Number, high: Number) -> Interval:
    try:
        return Interval(float(low), float(high))
    except OverflowError:
        raise InvalidExpression(f"[{shown(low)}..{shown(high)}] is beyond the range of numbers") from None


_RULES: dict[str, Callable[..., Any]] = {
    "start": lambda component: component,
    "selection_alone": Select.read_policy,
    "playout_alone": lambda policy: policy,
    "tuner_alone": lambda policy: policy,
    "repetitions_alone": _repetitions,
    **{rule: component.read for rule, component in COMPONENT_RULES.items()},
    "named": _named,
    "playout": _policy("playout policy", POLICIES["playout"]),
    "selector": _policy("selection policy", POLICIES["selector"]),
    "tuner": _policy("tuner", POLICIES["tuner"]),
    "argument": lambda name, value: (str(name), value),
    "first": lambda value: ("", value),
    "number": _number,
    "choice": _choice,
    "interval": _interval,
    "word": str,
}

"""Text to expression. The syntax is in `grammar.lark`; here it becomes dataclasses, and errors become sentences."""

import difflib
import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any, NoReturn

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedToken

from mcsgrammar.errors import ExpressionSyntaxError, InvalidExpression
from mcsgrammar.expressions import (
    Component,
    Lookahead,
    Repeat,
    Select,
    Simulate,
    Step,
    Tune,
    require_closed,
)
from mcsgrammar.named import NAMED, expand_named
from mcsgrammar.parameters import Choice, Interval, Number, Value, parameters_of, value_text, written_name
from mcsgrammar.policies import (
    PLAYOUT_POLICIES,
    SELECTION_POLICIES,
    TUNER_ALIASES,
    TUNERS,
    PlayoutPolicy,
    SelectionPolicy,
    Tuner,
    Ucb1,
)

TEXT_LIMIT = 100_000
"""Texts longer than this are refused unread; the deepest expression with the longest policies stays far below."""
DIGIT_LIMIT = 4000
"""Numbers longer than this are refused unread."""

COMPONENT_NAMES = ("sim", "simulate", "repeat", "lookahead", "step", "select", "tune", *NAMED)

PolicyText = tuple[str, dict[str, Value]]


def parse(text: str) -> Component:
    """The expression written in `text`; `parse(str(e)) == e` for every expression.

    Raises `ExpressionSyntaxError` (with a caret and what was expected) or `InvalidExpression` (with what is allowed).
    """
    return require_closed(_read(text, "start"))


def parse_selection(text: str) -> SelectionPolicy:
    """The selection policy in `text`, which may be the C of ucb1 alone: `0.5`, `grave(c=0.2, ref=50)`."""
    selection = _read(text, "selection")
    return Select(Simulate(), Ucb1(selection)).policy if not isinstance(selection, tuple) else _selection(selection)


def parse_playout(text: str) -> PlayoutPolicy:
    """The playout policy in `text`: `random`, `mast(eps=0.4)`."""
    return _playout(_read(text, "policy"))


def _read(text: str, rule: str) -> Any:
    """What `text` means, read from a rule of the grammar."""
    if not isinstance(text, str):
        raise TypeError(f"an expression is a str, not {type(text).__name__}")
    if len(text) > TEXT_LIMIT:
        raise InvalidExpression(f"the expression is {len(text)} characters long; at most {TEXT_LIMIT} are read")
    try:
        return _build(_parser().parse(text, start=rule))
    except UnexpectedToken as error:
        position = len(text) if error.token.type == "$END" else error.token.start_pos
        length = 1 if error.token.type == "$END" else len(error.token)
        _raise_syntax_error(text, position, length, error.accepts or error.expected, error.token.type)
    except UnexpectedCharacters as error:
        _raise_syntax_error(text, error.pos_in_stream or 0, 1, error.allowed or (), None)
    except UnexpectedEOF as error:
        _raise_syntax_error(text, len(text), 1, error.expected, "$END")
    except InvalidExpression as error:
        if error.span is None:
            raise
        raise InvalidExpression(error.problem, text, error.span) from None


@cache
def _parser() -> Lark:
    grammar = files("mcsgrammar").joinpath("grammar.lark").read_text(encoding="utf-8")
    starts = ["start", "selection", "policy"]
    return Lark(grammar, start=starts, parser="lalr", propagate_positions=True, maybe_placeholders=False)


def _raise_syntax_error(text: str, position: int, length: int, expected: Iterable[str], found: str | None) -> NoReturn:
    word = text[position : position + length]
    if not text.strip():
        problem = "the expression is empty; write one such as step(repeat(select(sim, 0.5), 10))"
    elif found == "NAME" and "SIMULATE" in expected:
        problem = f"there is no component called '{_shortened(word)}'" + _suggestion(word, COMPONENT_NAMES)
    elif found == "$END":
        problem = f"the expression ends too early; expected {_expectation(expected)}"
    elif set(expected) == {"$END"}:
        problem = "the expression is complete before this"
    else:
        problem = f"unexpected '{_shortened(word)}'; expected {_expectation(expected)}"
    raise ExpressionSyntaxError(problem, text, (position, position + length)) from None


def _shortened(word: str) -> str:
    printable = "".join(c if c.isprintable() else "?" for c in word[:31])
    return printable if len(word) <= 30 else printable[:29] + "…"


def _suggestion(word: str, known: Iterable[str]) -> str:
    known = list(known)
    close = difflib.get_close_matches(word[:30], known, n=1)
    return f"; did you mean '{close[0]}'?" if close else "; there are " + ", ".join(known)


SPOKEN = {
    "SIMULATE": "a component (sim, repeat, lookahead, step, select, or a named algorithm)",
    "$END": "the end",
    "NUMBER": "a number",
    "COMMIT": "a commit rule (best, mean, visits, max)",
    "NAME": "a name",
    "LPAR": "'('",
    "RPAR": "')'",
    "COMMA": "','",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "LSQB": "'['",
    "RSQB": "']'",
    "EQUAL": "'='",
    "__ANON_0": "'..'",
}
SAID_BY_SIMULATE = {"ITERATIVE_SAMPLING", "REPEAT", "LOOKAHEAD", "STEP", "SELECT", "TUNE", "NAMED"}


def _expectation(expected: Iterable[str]) -> str:
    terminals = set(expected)
    if "SIMULATE" in terminals:
        terminals -= SAID_BY_SIMULATE
    spoken = [SPOKEN[terminal] for terminal in SPOKEN if terminal in terminals]
    if "NAMED" in terminals and "NAME" not in terminals:
        spoken.append("a named algorithm")
    return " or ".join([", ".join(spoken[:-1]), spoken[-1]] if len(spoken) > 1 else spoken)


KEYWORDS = {"SIMULATE", "REPEAT", "LOOKAHEAD", "STEP", "SELECT", "TUNE"}


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
            error.span = _span(_culprit(subtree, built))
            raise
    return built[id(tree)]


def _culprit(subtree: Tree[Token], built: dict[int, Any]) -> Tree[Token]:
    """Where to point: at the value or policy beside a component, else at the whole."""
    beside = [
        child for child in subtree.children if isinstance(child, Tree) and not isinstance(built[id(child)], Component)
    ]
    return beside[0] if len(beside) == 1 else subtree


def _span(subtree: Tree[Token]) -> tuple[int, int]:
    return subtree.meta.start_pos, subtree.meta.end_pos


def _component_first(first: Any, second: Any) -> tuple[Any, Any]:
    return (first, second) if isinstance(first, Component) else (second, first)


def _start(component: Component) -> Component:
    return component


def _simulate(policy: PolicyText | None = None) -> Component:
    return Simulate() if policy is None else Simulate(_playout(policy))


def _repeat(first: Any, second: Any) -> Component:
    return Repeat(*_component_first(first, second))


def _lookahead(component: Component) -> Component:
    return Lookahead(component)


def _step(first: Any, second: Any = "best") -> Component:
    return Step(*_component_first(first, second))


def _select(first: Any, second: Any = None) -> Component:
    component, selection = _component_first(first, second)
    if selection is None:
        return Select(component)
    if not isinstance(selection, tuple):
        try:
            return Select(component, Ucb1(c=selection))
        except InvalidExpression as error:
            raise InvalidExpression(error.problem.replace("c of ucb1", "C of select")) from None
    return Select(component, _selection(selection))


def _tune(first: Any, second: Any) -> Component:
    component, tuner = _component_first(first, second)
    built = _policy("tuner", TUNERS | TUNER_ALIASES, tuner)
    assert isinstance(built, Tuner)
    return Tune(component, built)


def _named(name: Token, *arguments: Value) -> Component:
    return expand_named(str(name), list(arguments))


def _policy_text(name: str, *arguments: tuple[str, Value]) -> PolicyText:
    named: dict[str, Value] = {}
    for argument, value in arguments:
        if argument in named:
            raise InvalidExpression(f"{name} is given {argument} twice")
        named[argument] = value
    return str(name), named


def _playout(policy: PolicyText) -> PlayoutPolicy:
    built = _policy("playout policy", PLAYOUT_POLICIES, policy)
    assert isinstance(built, PlayoutPolicy)
    return built


def _selection(policy: PolicyText) -> SelectionPolicy:
    built = _policy("selection policy", SELECTION_POLICIES, policy)
    assert isinstance(built, SelectionPolicy)
    return built


def _policy(what: str, known: dict[str, Any], text: PolicyText) -> Any:
    name, arguments = text
    if name not in known:
        raise InvalidExpression(f"there is no {what} called '{_shortened(name)}'" + _suggestion(name, known))
    make = known[name]
    parameters = {written_name(f): f.name for f in parameters_of(make if isinstance(make, type) else TUNERS["nmc"])}
    for argument in arguments:
        if argument not in parameters:
            raise InvalidExpression(
                f"{name} has no parameter '{_shortened(argument)}'" + _suggestion(argument, parameters)
            )
    return make(**{parameters[argument]: value for argument, value in arguments.items()})


def _number(token: Token) -> Number:
    """An int where the text is a whole number, else the nearest float."""
    if token.lstrip("+-").lower() in ("inf", "nan"):
        return float(token)
    if len(token) > DIGIT_LIMIT:
        raise InvalidExpression(f"this number has {len(token)} characters; at most {DIGIT_LIMIT} are read")
    exact = Decimal(str(token))
    if exact.adjusted() < DIGIT_LIMIT and exact == exact.to_integral_value():
        return int(exact)
    nearest = float(token)
    if math.isinf(nearest):
        raise InvalidExpression(f"the number {_shortened(token)} is beyond the range of a 64-bit float")
    return nearest


def _choice(*values: Number | str) -> Choice:
    return Choice(values)


def _interval(low: Number, high: Number) -> Interval:
    try:
        return Interval(float(low), float(high))
    except OverflowError:
        raise InvalidExpression(f"[{value_text(low)}..{value_text(high)}] is beyond the range of numbers") from None


_RULES: dict[str, Callable[..., Any]] = {
    "start": _start,
    "simulate": _simulate,
    "repeat": _repeat,
    "lookahead": _lookahead,
    "step": _step,
    "select": _select,
    "tune": _tune,
    "named": _named,
    "policy": _policy_text,
    "argument": lambda name, value: (str(name), value),
    "number": _number,
    "choice": _choice,
    "interval": _interval,
    "word": str,
}

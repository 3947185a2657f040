"""Whatever is typed, the parser answers with an expression or with an error that can be shown."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsgrammar import Component, parse
from mcsgrammar.language.errors import CARET_WINDOW, ExpressionError
from mcsgrammar.language.parameters import parameters_of, written_name
from mcsgrammar.language.parsing import parse_playout, parse_selection
from mcsgrammar.language.policies import PLAYOUT_POLICIES, SELECTION_POLICIES
from mcsgrammar.language.tuners import TUNERS
from tests.language.strategies import deterministic, expressions

WORDS = (
    *("sim", "simulate", "repeat", "lookahead", "step", "select", "tune", "is", "la", "nmc", "rmc", "mcts", "uct"),
    *("metamcts", "best", "mean", "visits", "max", "random", "mast", "nst", "ucb1", "grave", "history", "ntbea"),
    *("mab", "cmaes", "local", "eps", "tau", "c", "k", "bias", "ref", "depth", "foo", "_", "simulates", "is3"),
    *("adapt", "nrpa", "guided", "puct", "distance", "alpha"),
)
SIGNS = ("(", ")", "{", "}", "[", "]", ",", "=", "..", ".", "-", "+", " ", "\n", "\t", "\x00", "é", "\udcff", "\u2028")
NUMBERS = ("0", "1", "-1", "0.5", ".5", "5.", "10", "1e3", "1e-7", "1e400", "inf", "-inf", "nan", "1e", "007", "1.2.3")
TOKENS = st.sampled_from(WORDS + SIGNS + NUMBERS)
ANY_CHARACTER = st.characters(exclude_categories=())

TOKEN = re.compile(r"[A-Za-z_]\w*|[0-9.e+-]+|\S|\s+")


def check(text: str, read: Callable[[str], Any] = parse) -> None:
    """Either an expression that reads back as itself, or an error of ours that points at the right place."""
    try:
        result = read(text)
    except ExpressionError as error:
        check_message(error, text)
    else:
        assert read is not parse or parse(str(result)) == result


def check_message(error: ExpressionError, text: str) -> None:
    str(error).encode("ascii", errors="backslashreplace")
    assert all(line.isprintable() for line in str(error).split("\n"))
    if error.span is None:
        assert str(error) == error.problem
        return
    start, end = error.span
    assert 0 <= start <= end <= len(text) + 1
    problem, line, carets = str(error).split("\n")
    assert problem == error.problem
    assert len(line) <= 2 + CARET_WINDOW + 2
    assert re.fullmatch(r"   *\^+", carets)
    assert len(carets) <= len(line) + 1
    place = carets.index("^")
    if start < len(text) and text[start].isprintable():
        assert line[place] == text[start]
    else:
        assert line[place : place + 1] in ("", " ", "?")


@deterministic(max_examples=500)
@given(st.text(ANY_CHARACTER))
def test_any_text(text: str) -> None:
    check(text)


@deterministic(max_examples=200)
@given(st.binary(max_size=50))
def test_any_bytes(raw: bytes) -> None:
    check(raw.decode("latin-1"))
    check(raw.decode("utf-8", errors="surrogateescape"))


@deterministic(max_examples=1000)
@given(st.lists(TOKENS, max_size=15).map("".join))
def test_any_tokens(text: str) -> None:
    check(text)


@deterministic(max_examples=300)
@given(st.lists(TOKENS, max_size=8).map("".join))
def test_any_tokens_as_a_policy(text: str) -> None:
    check(text, parse_playout)
    check(text, parse_selection)


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """The text of an expression with a few tokens deleted, inserted, doubled or swapped."""
    tokens = TOKEN.findall(str(draw(expressions(max_layers=4))))
    for _ in range(draw(st.integers(1, 3))):
        here, there = (draw(st.integers(0, max(0, len(tokens) - 1))) for _ in range(2))
        match draw(st.sampled_from(("renumber", "delete", "insert", "double", "swap", "cut"))):
            case "renumber":
                new = draw(st.sampled_from(NUMBERS))
                tokens = [new if token[0].isdigit() and draw(st.booleans()) else token for token in tokens]
            case "delete":
                del tokens[here : here + 1]
            case "insert":
                tokens.insert(here, draw(TOKENS))
            case "double":
                tokens[here:here] = tokens[here : here + 1]
            case "swap" if tokens:
                tokens[here], tokens[there] = tokens[there], tokens[here]
            case "cut":
                del tokens[here:]
    return "".join(tokens)


@deterministic(max_examples=600)
@given(damaged())
def test_damaged_expressions(text: str) -> None:
    check(text)


@deterministic(max_examples=300)
@given(expressions(max_layers=4), st.data())
def test_one_character_changed(expression: Component, data: st.DataObject) -> None:
    text = str(expression)
    place = data.draw(st.integers(0, len(text) - 1))
    check(text[:place] + data.draw(st.sampled_from("(){}[],=.-+e015 \n\tsx_é\udc80")) + text[place + 1 :])


NUMBER_TEXT = st.from_regex(r"[+-]?[0-9]{0,30}\.?[0-9]{0,30}(e[+-]?[0-9]{1,3})?", fullmatch=True)


@deterministic(max_examples=500)
@given(NUMBER_TEXT)
def test_any_number(number: str) -> None:
    for text in (f"select(sim, {number})", f"repeat(sim, {number})", f"tune(select(sim, [0..{number}]), cmaes)"):
        check(text)


@deterministic(max_examples=200)
@given(st.from_regex(r"[1-9]\.[0-9]e[+-]?[0-9]{4,30}", fullmatch=True))
def test_any_exponent(number: str) -> None:
    for text in (f"select(sim, {number})", f"repeat(sim, {number})", f"tune(select(sim, [0..{number}]), cmaes)"):
        check(text)


EVERY_PARAMETER = [
    *(
        "repeat(sim, {})",
        "select(sim, {})",
        "uct({})",
        "uct(0.5, {})",
        "rmc({}, 3)",
        "nmc({})",
        "la({})",
        "step(sim, {})",
        "adapt(sim, {})",
        "adapt(sim, 3, {})",
        "adapt({}, 0.5, sim)",
        "nrpa({}, 5)",
        "nrpa(2, {})",
        "nrpa(1, 2, {})",
        "sim(guided(distance={}))",
        "sim(guided(distance=1, depth={}))",
        "sim(guided({}))",
    ),
    *(
        f"{around}{policy.name}({written_name(parameter)}={{}}))"
        for around, policies in (
            ("sim(", PLAYOUT_POLICIES),
            ("select(sim, ", SELECTION_POLICIES),
            ("tune(select(sim, {{0, 1}}), ", TUNERS),
        )
        for policy in policies.values()
        for parameter in parameters_of(policy)
    ),
]


@pytest.mark.parametrize(
    "number",
    [
        *("0", "-0", "0.5", "-1", "1e3", "1.5e-300", "1e400", "1e-400", "inf", "nan", "-nan", str(2**63), "9" * 4000),
        *("-inf", "1e99999999999999999999", "1e-99999999999999999999"),
    ],
    ids=lambda number: number[:20],
)
def test_every_parameter_with_every_strange_number(number: str) -> None:
    for template in EVERY_PARAMETER:
        for value in (number, f"{{{number}}}", f"{{1, {number}}}", f"[{number}..1]", f"[0..{number}]"):
            check(template.format(value))


@pytest.mark.parametrize("token", [*WORDS, *SIGNS, *NUMBERS])
def test_long_repetitions(token: str) -> None:
    """Thousands of the same: no recursion, no catastrophic matching."""
    check(token * 5000)
    check(f"step({token * 5000})")
    check(f"select(sim, {{{', '.join([token] * 3000)}}})")

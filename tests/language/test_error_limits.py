"""Too long, too deep, too large: refused in a few words, without a traceback and without a wait."""

import pytest

from mcsgrammar import ExpressionSyntaxError, InvalidExpression, parse
from tests.language.complaints import complaint, printed

TOO_DEEP = "the expression nests too deep; at most 64 components are allowed"


@pytest.mark.parametrize("text", ["", "   ", "\n\n", "\t\r\n\f"])
def test_empty_text(text: str) -> None:
    error = complaint(text)
    assert type(error) is ExpressionSyntaxError
    assert str(error) == "the expression is empty; write one such as step(repeat(select(sim, 0.5), 10))"


@pytest.mark.parametrize("opening", ["(", "sim(", "step(", "repeat(3, ", "tune(ntbea, ", "select(sim, {"])
def test_a_million_nested_brackets_are_refused_unread(opening: str) -> None:
    text = opening * 1_000_000
    error = complaint(text)
    assert type(error) is InvalidExpression
    assert str(error) == f"the expression is {len(text)} characters long; at most 100000 are read"


def test_the_longest_text_that_is_read() -> None:
    assert str(parse("sim" + " " * 99_997)) == "sim"
    assert complaint("sim" + " " * 99_998).problem == (
        "the expression is 100001 characters long; at most 100000 are read"
    )


def test_one_component_too_many() -> None:
    text = "step(" * 64 + "sim" + ")" * 64
    error = complaint(text)
    assert type(error) is InvalidExpression
    assert error.problem == TOO_DEEP
    assert error.span == (0, len(text))
    assert parse(text.removeprefix("step(").removesuffix(")")).depth == 64


def test_thousands_of_components_within_the_text_limit() -> None:
    assert complaint("lookahead(" * 9000 + "sim" + ")" * 9000).problem == TOO_DEEP
    assert complaint("step(" * 19_000 + "sim").problem == "the expression ends too early; expected ')' or ','"


def test_named_algorithms_count_as_what_they_stand_for() -> None:
    assert parse("lookahead(nmc(31))").depth == 64
    assert complaint("lookahead(lookahead(nmc(31)))").problem == TOO_DEEP
    assert parse("step(" * 60 + "uct(1)" + ")" * 60).depth == 64
    assert complaint("step(" * 61 + "uct(1)" + ")" * 61).problem == TOO_DEEP


def test_nests_of_adapt_are_as_deep_as_any() -> None:
    assert parse("nrpa(63, 2)").depth == 64
    assert complaint("step(nrpa(63, 2))").problem == TOO_DEEP
    assert complaint("adapt(" * 64 + "sim" + ", 2)" * 64).problem == TOO_DEEP


def test_a_number_of_thousands_of_digits() -> None:
    assert str(complaint(f"repeat(sim, {'9' * 4001})")) == printed(
        "this number has 4001 characters; at most 4000 are read",
        "repeat(sim, " + "9" * 60 + "…",
        "            " + "^" * 60,
    )
    assert complaint(f"repeat(sim, {'9' * 4000})").problem == (
        f"N of repeat cannot be {'9' * 39}…; it takes a whole number from 1 to 2^63 - 1"
    )


@pytest.mark.parametrize("text", ["repeat(sim, -inf)", "nmc(-inf)", "sim(random(depth=-inf))"])
def test_minus_infinity_is_no_count(text: str) -> None:
    assert " cannot be -inf; it takes a whole number from " in complaint(text).problem


@pytest.mark.parametrize("number", ["1e-99999999999999999999", "0e99999999999999999999"])
def test_a_negligible_number_is_zero(number: str) -> None:
    assert str(parse(f"select(sim, {number})")) == "select(sim, 0)"


def test_an_exponent_of_twenty_digits() -> None:
    assert complaint("select(sim, 1e99999999999999999999)").problem == (
        "the number 1e99999999999999999999 is beyond the range of a 64-bit float"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (f"select(sim, {{{', '.join(['1'] * 5000)}}})", "C of select lists 1 twice"),
        (
            f"select(sim, {{{', '.join(map(str, range(5000)))}}})",
            "C of select is open, but no tune(…) around it chooses its value from "
            "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, …; write tune(…, ntbea) around it, or give it a fixed value",
        ),
        (
            "step(" * 20 + "select(sim, [0..1])" + ")" * 20,
            "C of select is open, but no tune(…) around it chooses its value from [0..1]; "
            "write tune(…, cmaes) around it, or give it a fixed value",
        ),
        (
            f"tune(select(sim, [0..1{'0' * 3000}]), cmaes)",
            f"[0..1{'0' * 38}…] is beyond the range of numbers",
        ),
        (
            f"tune({'step(' * 20}sim{')' * 20}, mab)",
            f"tune has nothing to choose in {'step(' * 7}step…; "
            "write an open parameter such as {0.1, 0.5} in place of a number inside it",
        ),
        (
            f"sim({'must' * 20})",
            f"there is no playout policy called '{'must' * 9}mus…'; there are random, mast, nst, guided",
        ),
    ],
    ids=["a value twice", "a list without tune", "deep without tune", "interval", "nothing to choose", "a name"],
)
def test_messages_stay_short(text: str, problem: str) -> None:
    assert complaint(text).problem == problem


def test_a_text_that_nobody_could_read_again() -> None:
    """Canonical texts have a space behind every comma."""
    text = f"tune(repeat(sim,{{{','.join(map(str, range(1, 18_000)))}}}),mab)"
    assert len(text) < 100_000
    with pytest.raises(InvalidExpression) as error:
        parse(text)
    assert "characters long, spaces in their places; at most 100000 are read" in str(error.value)

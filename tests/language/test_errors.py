"""What people type wrong, and the whole message they get: what, where, and what to do."""

import pickle
import re
from collections.abc import Callable

import pytest

from mcsgrammar import (
    Component,
    ExpressionSyntaxError,
    InvalidExpression,
    Lookahead,
    Repeat,
    Select,
    Simulate,
    Step,
    Tune,
    UserError,
    parse,
)
from mcsgrammar.parameters import Choice
from mcsgrammar.parsing import parse_playout, parse_selection
from mcsgrammar.policies import Ucb1
from tests.language.complaints import COUNT, FINITE, complaint, examples

SYNTAX = examples("syntax_messages.txt")
INVALID = examples("invalid_messages.txt")


@pytest.mark.parametrize(("text", "message"), SYNTAX, ids=[text for text, _ in SYNTAX])
def test_syntax_error(text: str, message: str) -> None:
    error = complaint(text)
    assert str(error) == message
    assert type(error) is ExpressionSyntaxError


@pytest.mark.parametrize(("text", "message"), INVALID, ids=[text for text, _ in INVALID])
def test_invalid_expression(text: str, message: str) -> None:
    error = complaint(text)
    assert str(error) == message
    assert type(error) is InvalidExpression


@pytest.mark.parametrize(
    ("text", "parameter", "advice"),
    [
        ("select(sim, {0.1, 0.2})", "c={0.1, 0.2}", "tune(select(sim, {0.1, 0.2}), ntbea)"),
        ("repeat(sim, {2, 5})", "N={2, 5}", "tune(repeat(sim, {2, 5}), ntbea)"),
        ("sim(mast(eps={0, 1}))", "eps={0, 1}", "tune(sim(mast(eps={0, 1})), ntbea)"),
        ("step(select(sim), {best, max})", "commit={best, max}", "tune(step(select(sim, 0.5), {best, max}), ntbea)"),
        ("uct({0, 1})", "c={0, 1}", "tune(uct({0, 1}), ntbea)"),
        (
            "repeat(tune(select(sim, {0, 1}), mab), {2, 4})",
            "N={2, 4}",
            "tune(repeat(tune(select(sim, {0, 1}), mab), {2, 4}), ntbea)",
        ),
    ],
)
def test_open_parameter_without_tune(text: str, parameter: str, advice: str) -> None:
    """The message says how to close it, and what it says is a valid expression."""
    error = complaint(text)
    assert type(error) is InvalidExpression
    assert error.problem == (
        f"{parameter} is open, but no tune(…) around it chooses its value; write {advice}, or give it a fixed value"
    )
    assert str(parse(advice)) == advice


@pytest.mark.xfail(strict=True, reason="the message proposes ntbea, which does not take intervals")
def test_open_interval_without_tune_gets_advice_that_works() -> None:
    advice = re.search(r"write (tune\(.*\)), or give", complaint("select(sim, [0..1])").problem)
    assert advice is not None
    assert str(parse(advice[1])) == "tune(select(sim, [0..1]), cmaes)"


@pytest.mark.parametrize("inner", ["sim", "select(sim, 0.5)", "tune(select(sim, {0, 1}), mab)"])
def test_tune_without_open_parameter(inner: str) -> None:
    error = complaint(f"tune({inner}, ntbea)")
    assert type(error) is InvalidExpression
    assert error.problem == (
        f"tune has nothing to choose in {inner}; "
        "write an open parameter such as {0.1, 0.5} in place of a number inside it"
    )


@pytest.mark.xfail(strict=True, reason="the caret points at the tuner, which is not at fault")
def test_tune_without_open_parameter_points_at_what_is_tuned() -> None:
    assert complaint("tune(select(sim, 1), mab)").span in [(0, 25), (5, 19)]


@pytest.mark.xfail(strict=True, reason="it speaks of the c of ucb1, which nobody wrote")
@pytest.mark.parametrize("text", ["uct(-1, 5)", "mcts(-1, 5)", "metamcts(-1, 2, 3)"])
def test_negative_c_of_a_named_algorithm(text: str) -> None:
    assert "ucb1" not in complaint(text).problem


def test_what_only_looks_like_a_number() -> None:
    for number in ("5e", "0x10", "1_000", "1.5.", "5f"):
        error = complaint(f"select(sim, {number})")
        assert type(error) is ExpressionSyntaxError
        assert error.span is not None
        assert error.span[0] >= len("select(sim, ")


@pytest.mark.xfail(strict=True, reason="it says: unexpected '5'; expected a number")
@pytest.mark.parametrize("number", ["5e", "0x10", "1_000"])
def test_half_a_number_is_named_whole(number: str) -> None:
    assert f"'{number}'" in complaint(f"select(sim, {number})").problem


@pytest.mark.xfail(strict=True, reason="what may follow is taken from the parser's table, not from its stack")
def test_unreadable_character_after_a_complete_expression() -> None:
    assert complaint("sim;").problem in (
        "unexpected ';'; expected the end or '('",
        "the expression is complete before this",
    )


def test_policies_are_read_alone_with_the_same_messages() -> None:
    """The command line reads them from its lists."""
    with pytest.raises(InvalidExpression) as selection:
        parse_selection("grve")
    assert selection.value.problem == "there is no selection policy called 'grve'; did you mean 'grave'?"
    with pytest.raises(ExpressionSyntaxError) as playout:
        parse_playout("mast(eps=)")
    assert str(playout.value) == "unexpected ')'; expected a number, '{' or '['\n  mast(eps=)\n           ^"


@pytest.mark.xfail(strict=True, reason="it ends with 'expected' and nothing")
@pytest.mark.parametrize("text", ["0.5)", "grave(c=1))"])
def test_trailing_garbage_after_a_policy(text: str) -> None:
    with pytest.raises(ExpressionSyntaxError) as error:
        parse_selection(text)
    assert not error.value.problem.rstrip().endswith("expected")


@pytest.mark.parametrize("text", [None, b"sim", 3, Simulate()])
def test_only_text_is_parsed(text: object) -> None:
    with pytest.raises(TypeError, match=f"^an expression is a str, not {type(text).__name__}$"):
        parse(text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Repeat(Simulate(), 0), f"N of repeat cannot be 0; {COUNT}"),
        (lambda: Repeat(Simulate(), True), f"N of repeat cannot be True; {COUNT}"),
        (lambda: Repeat(Simulate(), "many"), f"N of repeat cannot be many; {COUNT}"),
        (lambda: Repeat(Simulate(), Choice(())), "N of repeat is an empty set; list at least one value"),
        (lambda: Select(Simulate(), Ucb1(float("nan"))), f"c of ucb1 cannot be nan; {FINITE}"),
        (lambda: Select(Simulate(), Ucb1(True)), f"c of ucb1 cannot be True; {FINITE}"),
        (lambda: Lookahead("sim"), "lookahead needs a component inside, not 'sim'"),  # type: ignore[arg-type]
        (lambda: Select(Simulate(), 0.5), "select needs a selection policy, not 0.5"),  # type: ignore[arg-type]
        (lambda: Simulate("mast"), "sim needs a playout policy, not 'mast'"),  # type: ignore[arg-type]
        (lambda: Tune(Simulate(), "ntbea"), "tune needs a tuner, not 'ntbea'"),  # type: ignore[arg-type]
        (
            lambda: Step(Simulate(), "worst"),
            "the commit rule of step cannot be worst; it takes one of best, mean, visits, max",
        ),
    ],
)
def test_expressions_built_in_python_are_checked_too(build: Callable[[], Component], message: str) -> None:
    with pytest.raises(InvalidExpression) as error:
        build()
    assert str(error.value) == message


@pytest.mark.xfail(strict=True, reason="an int of more than 4300 digits cannot be printed")
def test_number_of_repetitions_that_python_does_not_print() -> None:
    with pytest.raises(InvalidExpression):
        Repeat(Simulate(), 10**5000)


def test_errors_are_user_errors_and_travel_between_processes() -> None:
    error = complaint("repeat(sim, 0)")
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(error, UserError)
    assert (type(again), str(again), again.span) == (type(error), str(error), error.span)

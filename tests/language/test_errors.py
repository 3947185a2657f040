"""What people type wrong, and the whole message they get: what, where, and what to do."""

import pickle
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
from mcsgrammar.language.errors import ExpressionError
from mcsgrammar.language.expressions import Adapt, require_closed
from mcsgrammar.language.parameters import Choice
from mcsgrammar.language.parsing import parse_playout, parse_repetitions, parse_selection
from mcsgrammar.language.policies import Guided, Mast, Nst, Puct, Ucb1
from tests.language.complaints import COUNT, FINITE, complaint, examples, printed

SYNTAX = examples("syntax_messages.txt")
INVALID = examples("invalid_messages.txt")
LETTERS = "a name is made of letters from a to z, digits and _, and does not begin with a digit"
ELSE = "that means something else in guided(…); find another name"
STEP = "it takes a number above 0, at most 1000"
WEIGHT = "it takes a number from -1000000 to 1000000"
TEACHES = "adapt teaches its playouts itself, and {} has a policy of its own; write sim or sim(guided(…)) inside adapt"
NO_ODDS = (
    "puct goes by how probable the playout policy finds an action, and sim(nst) does not say; "
    "write sim(guided(…)), sim(mast(tau=…)) or, inside adapt, sim"
)


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
    ("text", "parameter", "values", "advice"),
    [
        ("select(sim, {0.1, 0.2})", "C of select", "{0.1, 0.2}", "tune(select(sim, {0.1, 0.2}), ntbea)"),
        ("select(sim, [0..1])", "C of select", "[0..1]", "tune(select(sim, [0..1]), cmaes)"),
        ("select(sim, ucb1(c={0, 1}))", "c of ucb1", "{0, 1}", "tune(select(sim, {0, 1}), ntbea)"),
        ("repeat(sim, {2, 5})", "N of repeat", "{2, 5}", "tune(repeat(sim, {2, 5}), ntbea)"),
        ("sim(mast(eps={0, 1}))", "eps of mast", "{0, 1}", "tune(sim(mast(eps={0, 1})), ntbea)"),
        ("step(sim(mast(eps=[0..1])))", "eps of mast", "[0..1]", "tune(step(sim(mast(eps=[0..1]))), cmaes)"),
        (
            "step(select(sim), {best, max})",
            "the commit rule of step",
            "{best, max}",
            "tune(step(select(sim, 0.5), {best, max}), ntbea)",
        ),
        ("adapt(sim, {2, 5})", "N of adapt", "{2, 5}", "tune(adapt(sim, {2, 5}), ntbea)"),
        ("adapt(2, [0.5..1], sim)", "alpha of adapt", "[0.5..1]", "tune(adapt(sim, 2, [0.5..1]), cmaes)"),
        ("nrpa(1, 3, {1, 2})", "alpha of nrpa", "{1, 2}", "tune(adapt(sim, 3, {1, 2}), ntbea)"),
        ("sim(guided(y=1, x={0, 1}))", "x of guided", "{0, 1}", "tune(sim(guided(x={0, 1}, y=1)), ntbea)"),
        ("select(sim, puct(fpu={0, 1}))", "fpu of puct", "{0, 1}", "tune(select(sim, puct(fpu={0, 1})), ntbea)"),
        ("uct({0, 1})", "C of uct", "{0, 1}", "tune(uct({0, 1}), ntbea)"),
        ("mcts(1, {2, 5})", "N of mcts", "{2, 5}", "tune(step(repeat(select(sim, 1), {2, 5})), ntbea)"),
        (
            "repeat(tune(select(sim, {0, 1}), mab), {2, 4})",
            "N of repeat",
            "{2, 4}",
            "tune(repeat(tune(select(sim, {0, 1}), mab), {2, 4}), ntbea)",
        ),
    ],
)
def test_open_parameter_without_tune(text: str, parameter: str, values: str, advice: str) -> None:
    """The message says how to close it, and what it says is a valid expression; the caret is under the open value."""
    error = complaint(text)
    assert type(error) is InvalidExpression
    assert error.problem == (
        f"{parameter} is open, but no tune(…) around it chooses its value from {values}; "
        f"write {advice}, or give it a fixed value"
    )
    assert error.span is not None
    assert text[slice(*error.span)] == values
    assert str(parse(advice)) == advice


def test_lists_and_intervals_without_tune() -> None:
    assert str(complaint("select(sim(mast(eps={0, 1})), [0..1])")) == printed(
        "C of select is open, but no tune(…) around it chooses its value from [0..1]; no tuner takes both lists and "
        "intervals, so write only lists {…, …} inside tune(…, ntbea), or give it a fixed value",
        "select(sim(mast(eps={0, 1})), [0..1])",
        " " * 30 + "^^^^^^",
    )


def test_an_expression_built_in_python_is_called_by_its_canonical_names() -> None:
    with pytest.raises(InvalidExpression) as error:
        require_closed(Step(Select(Simulate(), Ucb1(Choice((0, 1))))))
    assert str(error.value) == (
        "C of select is open, but no tune(…) around it chooses its value from {0, 1}; "
        "write tune(step(select(sim, {0, 1})), ntbea), or give it a fixed value"
    )


@pytest.mark.parametrize("inner", ["sim", "select(sim, 0.5)", "tune(select(sim, {0, 1}), mab)"])
def test_tune_without_open_parameter(inner: str) -> None:
    error = complaint(f"tune({inner}, ntbea)")
    assert type(error) is InvalidExpression
    assert error.problem == (
        f"tune has nothing to choose in {inner}; "
        "write an open parameter such as {0.1, 0.5} in place of a number inside it"
    )


@pytest.mark.parametrize("text", ["tune(select(sim, 1), mab)", "tune(mab, select(sim, 1))"])
def test_tune_without_open_parameter_points_at_what_is_tuned(text: str) -> None:
    span = complaint(text).span
    assert span is not None
    assert text[slice(*span)] == "select(sim, 1)"


@pytest.mark.parametrize("number", ["5e", "0x10", "1_000", "1e-3x", "5f", "-5x"])
def test_what_only_looks_like_a_number(number: str) -> None:
    assert str(complaint(f"select(sim, {number})")) == printed(
        f"'{number}' is not a number; write one such as 10, 0.5 or 1e-3",
        f"select(sim, {number})",
        " " * 12 + "^" * len(number),
    )


def test_policies_are_read_alone_with_the_same_messages() -> None:
    """The command line reads them from its lists."""
    with pytest.raises(InvalidExpression) as selection:
        parse_selection("grve")
    assert selection.value.problem == "there is no selection policy called 'grve'; did you mean 'grave'?"
    with pytest.raises(ExpressionSyntaxError) as playout:
        parse_playout("mast(eps=)")
    assert str(playout.value) == "unexpected ')'; expected a number, '{' or '['\n  mast(eps=)\n           ^"


@pytest.mark.parametrize(
    ("read", "text", "problem"),
    [
        (parse_selection, "0.5)", "the selection policy is complete before this"),
        (parse_selection, "grave(c=1))", "the selection policy is complete before this"),
        (parse_playout, "nst(n=2))", "the playout policy is complete before this"),
        (parse_repetitions, "2,5", "the number is complete before this"),
        (parse_repetitions, "many", "unexpected 'many'; expected a number"),
        (parse_repetitions, "0", f"N of repeat cannot be 0; {COUNT}"),
        (parse_selection, "-1", f"C of select cannot be -1; {FINITE}"),
        (parse_selection, " ", "the selection policy is empty; write one such as 0.5 or grave(c=0.2)"),
    ],
)
def test_what_is_read_alone_is_called_by_its_name(read: Callable[[str], object], text: str, problem: str) -> None:
    with pytest.raises(ExpressionError) as error:
        read(text)
    assert error.value.problem == problem


@pytest.mark.parametrize(("text", "count"), [("10", 10), ("1e3", 1000), (" 2.0 ", 2), (str(2**63 - 1), 2**63 - 1)])
def test_repetitions_are_read_as_in_an_expression(text: str, count: int) -> None:
    assert parse_repetitions(text) == count


@pytest.mark.parametrize("text", [None, b"sim", 3, Simulate()])
def test_only_text_is_parsed(text: object) -> None:
    with pytest.raises(
        UserError,
        match=r"^the expression cannot be .*; it is a text such as step\(repeat\(select\(sim, 0\.5\), 10\)\)$",
    ):
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
        (lambda: Adapt(Simulate(), 0), f"N of adapt cannot be 0; {COUNT}"),
        (lambda: Adapt(Simulate(), True), f"N of adapt cannot be True; {COUNT}"),
        (lambda: Adapt(Simulate(), 2, 0), f"alpha of adapt cannot be 0; {STEP}"),
        (lambda: Adapt(Simulate(), 2, False), f"alpha of adapt cannot be False; {STEP}"),
        (lambda: Adapt(Simulate(), 2, "all"), f"alpha of adapt cannot be all; {STEP}"),
        (lambda: Adapt("sim", 2), "adapt needs a component inside, not 'sim'"),  # type: ignore[arg-type]
        (lambda: Adapt(Simulate(Nst()), 2), f"{TEACHES.format('sim(nst)')}"),
        (lambda: Adapt(Step(Adapt(Lookahead(Simulate(Mast())), 2)), 2), f"{TEACHES.format('sim(mast(eps=0.4))')}"),
        (lambda: Select(Simulate(Nst()), Puct()), NO_ODDS),
        (lambda: Guided(), "guided needs a feature and its weight, as in guided(distance=-4)"),
        (lambda: Guided((("depth", 1),)), f"guided cannot name a feature 'depth'; {ELSE}"),
        (lambda: Guided((("x", 1), ("inf", 1))), f"guided cannot name a feature 'inf'; {ELSE}"),
        (lambda: Guided((("nan", 1),)), f"guided cannot name a feature 'nan'; {ELSE}"),
        (lambda: Guided((("a b", 1),)), f"guided cannot name a feature 'a b'; {LETTERS}"),
        (lambda: Guided((("", 1),)), f"guided cannot name a feature ''; {LETTERS}"),
        (lambda: Guided((("2x", 1),)), f"guided cannot name a feature '2x'; {LETTERS}"),
        (lambda: Guided((("x\n", 1),)), f"guided cannot name a feature 'x\\n'; {LETTERS}"),
        (lambda: Guided(((3, 1),)), f"guided cannot name a feature 3; {LETTERS}"),  # type: ignore[arg-type]
        (lambda: Guided((("x", 1), ("x", 2))), "guided is given a feature twice"),
        (lambda: Guided((("x", True),)), f"x of guided cannot be True; {WEIGHT}"),
        (lambda: Guided((("x", "far"),)), f"x of guided cannot be far; {WEIGHT}"),
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


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Repeat(Simulate(), 10**5000), f"N of repeat cannot be a number of thousands of digits; {COUNT}"),
        (
            lambda: Select(Simulate(), Ucb1(-(10**5000))),
            f"c of ucb1 cannot be a number of thousands of digits; {FINITE}",
        ),
        (lambda: Repeat(Simulate(), "many" * 10**6), f"N of repeat cannot be {'many' * 9}man…; {COUNT}"),
        (lambda: Lookahead("sim" * 10**6), f"lookahead needs a component inside, not '{'sim' * 12}si…"),  # type: ignore[arg-type]
        (lambda: Repeat(Simulate(), "\x1b[2J"), f"N of repeat cannot be \\x1b[2J; {COUNT}"),
    ],
)
def test_what_python_hands_over_is_shown_short_and_printable(build: Callable[[], object], message: str) -> None:
    with pytest.raises(InvalidExpression) as error:
        build()
    assert str(error.value) == message


def test_errors_are_user_errors_and_travel_between_processes() -> None:
    error = complaint("repeat(sim, 0)")
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(error, UserError)
    assert (type(again), str(again), again.span) == (type(error), str(error), error.span)

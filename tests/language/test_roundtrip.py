"""The canonical text is the identity of an expression: it reads back as the same, however it was typed."""

import copy
import pickle
import random
import re
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsgrammar import (
    Candidates,
    Component,
    InvalidExpression,
    Lookahead,
    Repeat,
    Select,
    Simulate,
    Step,
    Tune,
    Uct,
    parse,
)
from mcsgrammar.language import parsing as grammar
from mcsgrammar.language.expressions import Adapt
from mcsgrammar.language.parameters import COUNT_LIMIT, Parametrised, number_text
from mcsgrammar.language.policies import PLAYOUT_POLICIES, SELECTION_POLICIES, Guided, Ucb1
from mcsgrammar.language.tuners import TUNERS
from tests.language.spelling import respelled
from tests.language.strategies import can_be_adapted, deterministic, expressions

COMPONENT_WORD = re.compile(r"\b(sim|repeat|lookahead|step|select|adapt)\b")


def in_full(expression: Component) -> str:
    """All it is made of, written out: 0.0 beside -0.0, 1 beside 1.0."""
    return repr([(type(part), [getattr(part, field.name) for field in fields(part)]) for part in expression.walk()])


@deterministic(max_examples=400)
@given(expressions())
def test_text_reads_back_as_the_same_expression(expression: Component) -> None:
    again = parse(str(expression))
    assert again == expression
    assert hash(again) == hash(expression)
    assert type(again) is type(expression)
    assert in_full(again) == in_full(expression)


@deterministic(max_examples=200)
@given(expressions())
def test_text_is_canonical(expression: Component) -> None:
    assert str(parse(str(expression))) == str(expression)
    assert "\n" not in str(expression)
    assert re.search(r"\s\s|\s[),}\]]|[({\[]\s", str(expression)) is None


@deterministic(max_examples=300)
@given(expressions(), st.randoms())
def test_every_spelling_reads_the_same(expression: Component, rng: random.Random) -> None:
    """White space, order of arguments, `simulate`, explicit defaults and long numbers make no difference."""
    assert parse(respelled(expression, rng)) == expression


@deterministic(max_examples=100)
@given(st.lists(expressions(max_layers=2), min_size=2, max_size=5))
def test_expressions_are_equal_if_and_only_if_their_texts_are(several: list[Component]) -> None:
    for one in several:
        for other in several:
            assert (one == other) == (str(one) == str(other))


def test_different_candidates_are_different() -> None:
    candidates = list(Candidates(4))
    assert len(set(candidates)) == len({str(c) for c in candidates}) == len(candidates)


def test_equality_knows_the_kind_of_component() -> None:
    over_sim: list[object] = [Lookahead(Simulate()), Step(Simulate()), Simulate(), "sim"]
    assert all((one == other) == (one is other) for one in over_sim for other in over_sim)


def test_numbers_given_as_int_or_float_are_the_same() -> None:
    assert Repeat(Simulate(), 10.0) == Repeat(Simulate(), 10)
    assert str(Repeat(Simulate(), 10.0)) == "repeat(sim, 10)"
    assert Select(Simulate(), Ucb1(1)) == Select(Simulate(), Ucb1(1.0))


def test_there_is_one_zero() -> None:
    """So that both engines compute with the same bits."""
    assert repr(Ucb1(-0.0)) == repr(Ucb1(0))
    assert number_text(-0.0) == "0"


@deterministic(max_examples=100)
@given(expressions())
def test_depth_and_size_count_the_components_in_the_text(expression: Component) -> None:
    text = str(expression)
    nested = len(COMPONENT_WORD.findall(text)) + 4 * len(re.findall(r"\buct\b", text))
    assert expression.depth == nested
    assert expression.size == nested + len(re.findall(r"\btune\b", text))


@deterministic(max_examples=100)
@given(expressions())
def test_depth_and_size_of_what_stands_around(expression: Component) -> None:
    adapted = [Adapt(expression, 2)] if can_be_adapted(expression) else []
    for outer in (Repeat(expression, 2), Lookahead(expression), Step(expression), Select(expression), *adapted):
        assert outer.depth == expression.depth + 1
        assert outer.size == expression.size + 1
        assert outer.children == (expression,)
        assert list(outer.walk()) == [outer, *expression.walk()]
        assert outer.unbound == expression.unbound == ()


@deterministic(max_examples=100)
@given(expressions())
def test_copies_are_equal(expression: Component) -> None:
    """Workers get expressions by pickle."""
    assert pickle.loads(pickle.dumps(expression)) == expression
    assert copy.deepcopy(expression) == expression


@deterministic(max_examples=300)
@given(st.floats(min_value=0, allow_nan=False, allow_infinity=False))
def test_every_float_survives(c: float) -> None:
    select = parse(f"select(sim, {c!r})")
    assert isinstance(select, Select)
    assert isinstance(select.policy, Ucb1)
    assert select.policy.c == c
    assert parse(str(select)) == select


@deterministic(max_examples=200)
@given(st.floats(allow_nan=False))
def test_numbers_are_written_no_longer_than_python_does(number: float) -> None:
    assert float(number_text(number)) == number
    assert len(number_text(number)) <= len(repr(number))


@deterministic(max_examples=200)
@given(st.integers(1, COUNT_LIMIT - 1))
def test_every_count_survives(count: int) -> None:
    """Counts are whole numbers all the way; a float on the way would lose the last digits of large ones."""
    repeat = parse(f"repeat(sim, {count})")
    assert isinstance(repeat, Repeat)
    assert repeat.count == count
    assert str(repeat) == f"repeat(sim, {count})"
    assert parse(f"repeat(sim, {count}.000)") == repeat


def wrapped(component: str, times: int) -> str:
    return f"{component}(" * times + "sim" + ")" * times


def test_the_deepest_expression_reads_back() -> None:
    text = wrapped("lookahead", 63)
    assert str(parse(text)) == text
    assert parse(text).depth == 64


@pytest.mark.parametrize("kind", [*PLAYOUT_POLICIES.values(), *SELECTION_POLICIES.values(), *TUNERS.values()])
def test_policies_know_themselves_by_name(kind: type[Parametrised]) -> None:
    """`mast` alone says which of its two forms it is; every other policy is its name when nothing is given, but for
    `guided`, which is nothing without a feature."""
    policy = Guided((("distance", -4),)) if kind is Guided else kind()
    expected = {"mast": "mast(eps=0.4)", "guided": "guided(distance=-4)"}
    assert str(policy) == expected.get(kind.name, kind.name)


GRAMMAR = Path(grammar.__file__).with_name("grammar.lark").read_text(encoding="utf-8")
WORDS = sorted(
    {*re.findall("[A-Za-z_0-9]+", GRAMMAR), "guided", "random", "depth", "eps", "NaN", "Inf", "infinity", "_"}
)
NAMES = st.text("abinfdeptN_0 9.=é\n-", max_size=6) | st.text(max_size=3) | st.sampled_from(WORDS)


@deterministic(max_examples=400)
@given(NAMES, st.none() | NAMES)
def test_a_feature_is_refused_or_reads_back(name: str, other: str | None) -> None:
    """Whatever its name: a keyword, a number, the parameter of guided, or no name at all."""
    assert_refused_or_read_back([name] if other in (None, name) else [name, other])


@pytest.mark.parametrize("word", WORDS)
def test_the_words_of_the_grammar_are_names_of_features_or_refused(word: str) -> None:
    refused = [assert_refused_or_read_back(names) for names in ([word], ["AA", word], [word, "zz"])]
    assert refused == [word in ("depth", "inf", "nan") or word[0].isdigit()] * 3


def assert_refused_or_read_back(names: list[str]) -> bool:
    try:
        expression = Simulate(Guided(tuple((name, -0.5) for name in names)))
    except InvalidExpression:
        return True
    assert parse(str(expression)) == expression
    return False


def test_expressions_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Repeat(Simulate(), 10).count = 5  # type: ignore[misc]


def test_open_parameters_belong_to_the_nearest_tune() -> None:
    inner = parse("tune(select(sim, {0, 1}), mab)")
    outer = parse("tune(repeat(tune(select(sim, {0, 1}), mab), {2, 4}), ntbea)")
    assert isinstance(inner, Tune)
    assert isinstance(outer, Tune)
    assert [str(parameter) for parameter in inner.bound] == ["C of select"]
    assert [str(parameter) for parameter in outer.bound] == ["N of repeat"]


def test_uct_stands_for_four_components() -> None:
    uct = Uct(0.5)
    assert (str(uct), uct.depth, uct.size, uct.children) == ("uct(0.5)", 4, 4, ())
    assert str(uct.expand(100)) == "step(repeat(select(sim, 0.5), 100))"

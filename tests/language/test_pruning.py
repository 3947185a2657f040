"""The pruning rules: each prunes what its reason covers, and nothing else.

What a rule claims about runs is shown on the engines; here is what it does to expressions.
"""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsgrammar import Component, InvalidExpression, Repeat, Simulate, candidates, parse
from mcsgrammar.enumeration.pruning import RULES, PruningRule, checked_product, collapse_repeats
from tests.language.strategies import deterministic, expressions

BY_NAME = {rule.name: rule for rule in RULES}
RULE_IDS = [rule.name for rule in RULES]


def pruned_by(expression: Component) -> list[str]:
    return [rule.name for rule in RULES if rule.applies(expression)]


def nesting(expression: Component) -> str:
    """The names of the components, from the outside in, each followed by a space."""
    return "".join(part.name + " " for part in expression.walk())


def test_the_rules_are_the_papers_three() -> None:
    assert RULE_IDS == ["repeat-at-root", "select-in-select", "repeat-in-repeat"]


@pytest.mark.parametrize("rule", RULES, ids=RULE_IDS)
def test_examples_are_canonical(rule: PruningRule) -> None:
    assert str(parse(rule.kept)) == rule.kept
    assert str(parse(rule.pruned)) == rule.pruned


@pytest.mark.parametrize("rule", RULES, ids=RULE_IDS)
def test_the_pruned_example_is_pruned_by_this_rule_alone(rule: PruningRule) -> None:
    assert pruned_by(parse(rule.pruned)) == [rule.name]


@pytest.mark.parametrize("rule", RULES, ids=RULE_IDS)
def test_the_kept_example_is_a_candidate_and_the_pruned_one_is_not(rule: PruningRule) -> None:
    listed = set(candidates(4, repeat=(2, 5, 10), select=(0.5, 1)))
    assert parse(rule.kept) in listed
    assert parse(rule.pruned) not in listed
    assert pruned_by(parse(rule.kept)) == []


def test_the_rules_say_why() -> None:
    for rule in RULES:
        assert rule.reason
        assert rule.claim
    assert len({rule.reason for rule in RULES}) == len(RULES)


def test_no_rule_applies_to_any_candidate() -> None:
    assert all(pruned_by(expression) == [] for expression in candidates(4))


@deterministic(max_examples=300)
@given(expressions())
def test_each_rule_sees_exactly_its_pattern(expression: Component) -> None:
    """Whatever the parameters; and `tune` between two components keeps them apart."""
    names, innermost = nesting(expression), expression.innermost
    is_cut = isinstance(innermost, Simulate) and innermost.settings()["depth"] != math.inf
    expected = {
        "repeat-at-root": names.startswith("repeat "),
        "select-in-select": "select select " in names and not is_cut,
        "repeat-in-repeat": "repeat repeat " in names,
    }
    assert pruned_by(expression) == [name for name, applies in expected.items() if applies]


@pytest.mark.parametrize(
    ("nested", "collapsed"),
    [
        ("sim", "sim"),
        ("step(repeat(sim, 10))", "step(repeat(sim, 10))"),
        ("step(repeat(repeat(sim, 5), 2))", "step(repeat(sim, 10))"),
        ("step(repeat(repeat(sim, 2), 5))", "step(repeat(sim, 10))"),
        ("repeat(repeat(repeat(sim, 2), 3), 7)", "repeat(sim, 42)"),
        ("repeat(step(repeat(repeat(sim, 2), 3)), 7)", "repeat(step(repeat(sim, 6)), 7)"),
        (
            "select(repeat(repeat(step(select(sim, 1), max), 2), 3), grave)",
            "select(repeat(step(select(sim, 1), max), 6), grave)",
        ),
        ("repeat(tune(repeat(sim, {2, 4}), mab), 3)", "repeat(tune(repeat(sim, {2, 4}), mab), 3)"),
        ("tune(repeat(repeat(sim, {2, 4}), 3), mab)", "tune(repeat(repeat(sim, {2, 4}), 3), mab)"),
        ("repeat(uct(0.5), 3)", "repeat(uct(0.5), 3)"),
    ],
)
def test_nested_repeats_become_their_product(nested: str, collapsed: str) -> None:
    assert str(collapse_repeats(parse(nested))) == collapsed


@deterministic(max_examples=100)
@given(st.lists(st.integers(1, 1000), min_size=1, max_size=6))
def test_the_product_of_any_chain(counts: list[int]) -> None:
    expression: Component = Simulate()
    product = 1
    for count in counts:
        expression = Repeat(expression, count)
        product *= count
    assert collapse_repeats(expression) == Repeat(Simulate(), product)


@deterministic(max_examples=200)
@given(expressions())
def test_collapsing_changes_nothing_but_repeats(expression: Component) -> None:
    try:
        collapsed = collapse_repeats(expression)
    except InvalidExpression as error:
        assert "does not fit 64 bits" in str(error)
        return
    assert collapse_repeats(collapsed) == collapsed
    assert nesting(collapsed).replace("repeat ", "") == nesting(expression).replace("repeat ", "")
    if not re.search("repeat repeat ", nesting(expression)):
        assert collapsed == expression


def test_products_beyond_64_bits() -> None:
    assert checked_product(2**31, 2**31) == 2**62
    with pytest.raises(InvalidExpression) as error:
        checked_product(2**32, 2**31)
    assert str(error.value) == (
        "nested repeats multiply to 4294967296 * 2147483648, which does not fit 64 bits; "
        "use smaller numbers of repetitions or a smaller depth"
    )

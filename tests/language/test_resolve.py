"""`uct(C)` becomes `uct(C, N)` with N = max(1, round(B / T)) once the domain's T and the budget B are known."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcsgrammar import Component, InvalidExpression, Repeat, Simulate, Step, Uct, parse
from mcsgrammar.language.expressions import resolve
from tests.language.strategies import deterministic, expressions


@pytest.mark.parametrize(
    ("budget", "horizon", "count"),
    [
        (1000, 256, 4),
        (1000, 10, 100),
        (10_000, 21, 476),
        (999, 2, 500),  # 499.5
        (5, 2, 3),  # 2.5, where Python's own round says 2
        (3, 2, 2),
        (1, 2, 1),
        (7, 5, 1),
        (8, 5, 2),
        (1, 1000, 1),
        (0, 10, 1),
        (2**62 + 1, 1, 2**62 + 1),
        (2**63 - 1, 2, 2**62),
    ],
)
def test_simulations_per_step(budget: int, horizon: int, count: int) -> None:
    resolved = resolve(Uct(0.5), horizon, budget)
    assert str(resolved) == f"step(repeat(select(sim, 0.5), {count}))"


@deterministic(max_examples=300)
@given(st.integers(0, 10**6), st.integers(1, 10**4))
def test_halves_are_rounded_up(budget: int, horizon: int) -> None:
    resolved = resolve(Uct(0.3), horizon, budget)
    assert isinstance(resolved, Step)
    assert isinstance(resolved.component, Repeat)
    assert resolved.component.count == max(1, (Fraction(budget, horizon) + Fraction(1, 2)).__floor__())


@pytest.mark.parametrize(
    ("text", "resolved"),
    [
        ("uct(0.5)", "step(repeat(select(sim, 0.5), 20))"),
        ("uct(0)", "step(repeat(select(sim, 0), 20))"),
        ("lookahead(uct(1))", "lookahead(step(repeat(select(sim, 1), 20)))"),
        ("select(uct(1), grave)", "select(step(repeat(select(sim, 1), 20)), grave)"),
        ("step(select(uct(1), 0.3), max)", "step(select(step(repeat(select(sim, 1), 20)), 0.3), max)"),
        ("repeat(step(uct(1)), 7)", "repeat(step(step(repeat(select(sim, 1), 20))), 7)"),
        ("tune(uct({0, 1}), mab)", "tune(step(repeat(select(sim, {0, 1}), 20)), mab)"),
        (
            "step(tune(repeat(uct([0..1]), 3), cmaes(alpha=2)))",
            "step(tune(repeat(step(repeat(select(sim, [0..1]), 20)), 3), cmaes(alpha=2)))",
        ),
    ],
)
def test_wherever_it_stands(text: str, resolved: str) -> None:
    assert str(resolve(parse(text), 50, 1000)) == resolved


@pytest.mark.parametrize("text", ["uct(0.5)", "lookahead(uct(0.5))", "select(repeat(uct(0.5), 2), 1)"])
def test_a_budget_in_seconds_is_refused(text: str) -> None:
    with pytest.raises(InvalidExpression) as error:
        resolve(parse(text), 50, None)
    assert str(error.value) == (
        "uct(0.5) needs a budget in evaluations to know its N; with a budget in seconds write uct(0.5, N)"
    )


@pytest.mark.parametrize(("horizon", "budget"), [(0, 5), (-3, 5), (10, -1)])
def test_a_horizon_or_budget_that_cannot_be(horizon: int, budget: int) -> None:
    with pytest.raises(InvalidExpression) as error:
        resolve(Uct(0.5), horizon, budget)
    assert str(error.value) == (
        f"uct(0.5) needs a horizon of at least 1 and a budget of at least 0 to know its N, not {horizon} and {budget}"
    )
    assert resolve(Simulate(), horizon, budget) == Simulate()


def test_more_simulations_than_64_bits_hold() -> None:
    with pytest.raises(InvalidExpression) as error:
        resolve(Uct(0.5), 1, 2**63)
    assert str(error.value) == ("N of repeat cannot be 9223372036854775808; it takes a whole number from 1 to 2^63 - 1")


@deterministic(max_examples=150)
@given(expressions(), st.integers(1, 500), st.integers(0, 10**5))
def test_nothing_else_changes(expression: Component, horizon: int, budget: int) -> None:
    resolved = resolve(expression, horizon, budget)
    parts = list(resolved.walk())
    assert not any(isinstance(part, Uct) for part in parts)
    assert (resolved.depth, resolved.size) == (expression.depth, expression.size)
    assert resolve(resolved, horizon, None) is resolved
    if not any(isinstance(part, Uct) for part in expression.walk()):
        assert resolved is expression


def test_the_same_text_as_uct_with_its_n() -> None:
    assert resolve(parse("uct(0.5)"), 256, 1000) == parse("uct(0.5, 4)")

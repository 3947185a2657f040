"""What a domain can do wrong where playouts learn or are guided: `code` and `feature`, and what its author is told."""

import math
from typing import Any

import pytest

from domains.errors import DomainError, UserError
from domains.kernels import Kernels
from domains.protocol import Domain
from mcsgrammar.engines.searching import EngineName, Limits, prepare
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.parsing import parse
from tests.engines.running import run
from tests.engines.test_domain_errors import PLACE, Sound, fail
from tests.engines.toys import KERNELS, CodedTreeGame

GUIDED = ("sim(guided(far=1))", "adapt(sim(guided(near=-1)), 3)", "select(sim(guided(far=1)), puct)")
LEARNING = (
    "adapt(sim, 3)",
    "step(adapt(adapt(sim, 2), 2))",
    "adapt(select(sim, puct), 5)",
    "adapt(sim(guided(far=1)), 2)",
)
each_guided = pytest.mark.parametrize("expression", GUIDED)
each_learning = pytest.mark.parametrize("expression", LEARNING)
NOT_FINITE = (
    "Broken.feature gives an action a number, or a weighted sum of numbers, that is not finite; "
    "features are finite numbers of about the size of one"
)


class Featured(Sound):
    """Three coins in a row, which are near or far."""

    features = ("near", "far")

    def feature(self, state: list[int], action: int) -> Any:
        return [len(state), action]


def broken(**methods: Any) -> Domain:
    domain = type("Broken", (Featured,), methods)()
    assert isinstance(domain, Domain)
    return domain


def complaint(domain: Domain, expression: str) -> str:
    with pytest.raises(DomainError) as caught:
        run(domain, [], expression, 50)
    return str(caught.value)


def test_what_is_sound_runs() -> None:
    for expression in GUIDED + LEARNING:
        assert run(broken(), [], expression, 50).reward == 1.0


@pytest.mark.parametrize("numbers", [(1.0, 2), (True, 0.5), iter((1, 2)), {3: 4, 5: 6}.values()])
def test_any_numbers_will_do(numbers: Any) -> None:
    numbers = list(numbers)
    assert run(broken(feature=lambda self, state, action: iter(numbers)), [], GUIDED[0], 50).reward == 1.0


@each_guided
@pytest.mark.parametrize("returned", [[], [1.0], [1.0, 2.0, 3.0]], ids=len)
def test_the_wrong_number_of_features(returned: list[float], expression: str) -> None:
    assert complaint(broken(feature=lambda self, state, action: returned), expression) == (
        f"Broken.feature returned {len(returned)} numbers for 2 features; it must return one for each of near, far"
    )


@each_guided
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, None, "far", 10**400], ids=lambda bad: str(bad)[:9])
@pytest.mark.parametrize("place", [0, 1])
def test_a_feature_that_is_no_finite_number(place: int, bad: Any, expression: str) -> None:
    """Named or not: it is wrong in any case."""
    numbers = [1.0, 1.0]
    numbers[place] = bad
    assert complaint(broken(feature=lambda self, state, action: numbers), expression) == NOT_FINITE


def test_a_weighted_sum_that_is_not_finite() -> None:
    def large(self: Any, state: Any, action: int) -> list[float]:
        return [1e306, 1e306]

    assert complaint(broken(feature=large), "sim(guided(near=1000000))") == NOT_FINITE
    assert complaint(broken(feature=large), "sim(guided(near=100, far=100))") == NOT_FINITE
    assert run(broken(feature=large), [], "sim(guided(near=50, far=50))", 50).reward == 1.0


@each_guided
def test_a_feature_that_raises(expression: str) -> None:
    domain = broken(feature=lambda self, state, action: fail())
    assert complaint(domain, expression) == f"Broken.feature raised ValueError: no such move {PLACE}"


@each_guided
def test_a_feature_that_is_no_list(expression: str) -> None:
    assert complaint(broken(feature=lambda self, state, action: 3), expression) == (
        "Broken.feature raised TypeError: 'int' object is not iterable"
    )


@each_guided
def test_features_that_are_named_and_not_given(expression: str) -> None:
    domain = type("Broken", (Sound,), {"features": ("near", "far")})()
    assert complaint(domain, expression).startswith(
        "Broken.feature raised NotImplementedError: Broken names features but has no feature(self, state, action)"
    )


@each_learning
def test_a_code_that_raises(expression: str) -> None:
    domain = broken(code=lambda self, state, action: fail())
    assert complaint(domain, expression) == f"Broken.code raised ValueError: no such move {PLACE}"


@each_learning
@pytest.mark.parametrize(
    ("code", "shown"), [([1, 2], "[1, 2]"), ({}, "{}"), ((1, [2]), "(1, [2])"), (bytearray(b"a"), "bytearray(b'a')")]
)
def test_a_code_that_cannot_be_hashed(code: Any, shown: str, expression: str) -> None:
    domain = broken(code=lambda self, state, action: code)
    assert complaint(domain, expression) == f"Broken.code returned {shown}; a code can be hashed"


@pytest.mark.parametrize("code", [None, 0.5, "left", (1, "left"), 2**70, -1, math.nan])
def test_a_code_is_anything_that_can_be_hashed(code: Any) -> None:
    domain = broken(code=lambda self, state, action: (code, action))
    assert run(domain, [], "adapt(sim, 20)", 50).reward == 1.0


def test_without_adapt_nobody_asks_for_codes_and_without_guided_for_features() -> None:
    domain = broken(code=lambda self, state, action: fail(), feature=lambda self, state, action: fail())
    assert run(domain, [], "step(select(sim, puct))", 50).reward == 1.0
    assert run(broken(code=lambda self, *arguments: fail()), [], GUIDED[0], 50).reward == 1.0
    assert run(broken(feature=lambda self, *arguments: fail()), [], "adapt(sim, 3)", 50).reward == 1.0


def test_actions_that_change_their_minds_while_they_are_learnt() -> None:
    calls = iter(range(1000))
    domain = broken(actions=lambda self, state: [2 * next(calls), 1 + 2 * next(calls)])
    said = complaint(domain, "adapt(sim, 3)")
    assert said.startswith("Broken.actions does not list ")
    assert said.endswith(
        " when the state is reached again, as it did before; it must list the same actions in the same order every time"
    )


# What is asked of features and kernels, before anything runs.


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("sim(guided(near=1))", None),
        ("sim(guided(near=1, far=2))", None),
        ("sim(guided(neer=1))", "Broken has no feature 'neer'; did you mean 'near'?"),
        ("adapt(sim(guided(near=1, x=2)), 3)", "Broken has no feature 'x'; there are near, far"),
        ("tune(sim(guided(price={1, 2})), mab)", "Broken has no feature 'price'; there are near, far"),
    ],
)
def test_a_feature_that_there_is_not(expression: str, said: str | None) -> None:
    if said is None:
        prepare(parse(expression), broken(), Limits(10))
        return
    with pytest.raises(InvalidExpression) as caught:
        prepare(parse(expression), broken(), Limits(10))
    assert str(caught.value) == said


def test_a_domain_without_features() -> None:
    with pytest.raises(InvalidExpression) as caught:
        prepare(parse("step(sim(guided(near=1)))"), Sound(), Limits(10))
    assert str(caught.value) == (
        "sim(guided(near=1)) goes by features of actions, and Sound names none; give it features and a "
        "feature(state, action) method (see docs/tutorial.md), or use another playout policy"
    )


class Mute(CodedTreeGame):
    """Its methods say something of actions, its kernels do not."""

    def kernels(self) -> Kernels:
        return KERNELS


class Uncoded(Mute):
    code = Domain.code


@pytest.mark.parametrize(
    ("kind", "expression", "missing"),
    [
        (Mute, "adapt(sim, 3)", "code"),
        (Mute, "step(adapt(select(sim, 0.5), 3))", "code"),
        (Mute, "sim(guided(slack=1))", "feature"),
        (Mute, "adapt(sim(guided(slack=1)), 3)", "code"),
        (Uncoded, "adapt(sim(guided(slack=1)), 3)", "feature"),
        (Uncoded, "adapt(sim, 3)", None),
        (Mute, "select(sim, puct)", None),
    ],
)
def test_kernels_that_do_not_say_what_is_asked(kind: type[Mute], expression: str, missing: str | None) -> None:
    game = kind({1: 0.5, 2: {3: 0.2, 4: 0.9}})

    def by(engine: EngineName) -> Any:
        return run(game, game.sample(None), expression, 20, engine=engine)

    if missing is None:
        assert by("compiled") == by("reference")
        return
    with pytest.raises(UserError) as caught:
        by("compiled")
    assert str(caught.value) == (
        f"{expression} asks for the {missing} of an action, and the kernels of {kind.__name__} have no {missing}; give "
        "them one (see docs/kernels.md), or use --engine reference"
    )
    assert by("reference").reward == 0.9

"""What is handed over from Python: NumPy's numbers and floats that are whole are taken, the rest is refused in words,
before anything is run or written."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mcsgrammar as mg
from mcsgrammar.arguments import at_least, numbered_from_0, real, whole

DOMAIN = "sudoku:2"
BUDGET = "; it is a whole number from 0 to 2^63 - 1"


@pytest.mark.parametrize("given", [7, 7.0, np.int64(7), np.float32(7), np.uint8(7)])
def test_numbers_of_all_kinds_are_taken(given: Any) -> None:
    for taken in (whole("it", given), at_least(1, "it", given), numbered_from_0("it", given)):
        assert taken == 7 and type(taken) is int
    assert real(given) == 7 and type(real(given)) is float


@pytest.mark.parametrize("given", [7.5, "7", None, True, float("nan"), float("inf"), 7j, [7], np.arange(2)])
def test_what_is_no_whole_number_is_refused(given: Any) -> None:
    with pytest.raises(mg.UserError, match=r"it cannot be .*; it is a whole number from 0 to 2"):
        whole("it", given)
    with pytest.raises(mg.UserError, match=r"it cannot be .*; it is a whole number of at least 1"):
        at_least(1, "it", given)


def test_the_same_runs_by_numbers_of_any_kind() -> None:
    def rewards(budget: Any, problem: Any, seed: Any) -> list[Any]:
        return [one.reward for one in mg.solve(DOMAIN, "sim", budget, problem=problem, seed=seed, runs=3)]

    assert rewards(20, 2, 5) == rewards(2e1, np.int64(2), np.uint64(5)) == rewards(np.int32(20), 2.0, 5)


loose: Any = mg
"""As seen by those who have no type checker."""

REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: loose.solve(DOMAIN, "sim", 1000 / 3), f"the budget cannot be 333.3333333333333{BUDGET}"),
    (lambda: loose.solve(DOMAIN, "sim", "10"), f"the budget cannot be '10'{BUDGET}"),
    (
        lambda: loose.solve(DOMAIN, "sim", seconds="1"),
        "the budget cannot be '1' seconds; it is a finite number above 0",
    ),
    (lambda: loose.solve(DOMAIN, "sim", 9, problem=1.5), "the problem cannot be 1.5; problems are numbered from 0"),
    (lambda: loose.solve(DOMAIN, "sim", 9, seed="a"), f"the seed cannot be 'a'{BUDGET}"),
    (
        lambda: loose.solve(DOMAIN, "sim", 9, runs=1.5),
        "the number of runs cannot be 1.5; it is a whole number of at least 1",
    ),
    (lambda: loose.play("cliff", "sim", 5.5), f"the budget cannot be 5.5{BUDGET}"),
    (
        lambda: loose.play("cliff", "sim", 0),
        "the budget of a tick cannot be 0; a search needs at least 1 evaluation to choose an action",
    ),
    (lambda: loose.match("tictactoe", ["sim", "select(sim, 1)"], budget=5.5), f"the budget cannot be 5.5{BUDGET}"),
    (lambda: loose.evaluate(DOMAIN, "sim", budgets=10.5), f"the budget cannot be 10.5{BUDGET}"),
    (lambda: loose.evaluate(DOMAIN, "sim", budgets=[5, 5.5]), f"the budget cannot be 5.5{BUDGET}"),
    (
        lambda: loose.evaluate("cliff", "sim", budgets=5, play="old"),
        "what becomes of trees cannot be 'old'; it is one of new, kept",
    ),
    (lambda: loose.compare(DOMAIN, ["sim", "la(1)"], budgets=[5.5]), f"the budget cannot be 5.5{BUDGET}"),
    (
        lambda: loose.domain(None),
        "an object of the class NoneType is no domain; pass the name of one, such as 'sudoku:4', or an object of a "
        "class that derives from mcsgrammar.Domain",
    ),
]


@pytest.mark.parametrize(("call", "message"), REFUSED, ids=[message[:60] for _, message in REFUSED])
def test_wrong_arguments_are_the_callers_fault(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(mg.UserError) as error:
        call()
    assert str(error.value) == message


@pytest.mark.parametrize(
    "wrong",
    [
        {"budget": 10.5},
        {"pulls": 5.5},
        {"batch": "a"},
        {"seed": -1},
        {"play": "old"},
        {"test_problems": 0.5},
        {"pulls": None, "pulls_per_candidate": "x"},
    ],
)
def test_a_campaign_is_begun_by_right_ones_only(wrong: dict[str, Any], tmp_path: Path) -> None:
    given = {"budget": 1e1, "candidates": ["sim"], "pulls": np.int64(5)}
    with pytest.raises(mg.UserError, match="cannot be"):
        loose.discover(DOMAIN, tmp_path / "campaign", **(given | wrong))
    assert not (tmp_path / "campaign").exists()
    assert loose.discover(DOMAIN, tmp_path / "campaign", **given).complete


def test_one_of_what_may_be_several() -> None:
    assert list(mg.candidates(3, adapt=10)) == list(mg.candidates(3, adapt=[10]))
    assert list(mg.candidates(2, select=0.5, repeat=2)) == list(mg.candidates(2, select=[0.5], repeat=[2]))
    one = mg.candidates(2, sim="mast(eps=0.4)", tuner="ntbea")
    assert list(one) == list(mg.candidates(2, sim=["mast(eps=0.4)"], tuner=["ntbea"]))


def test_a_domain_is_checked_by_its_name() -> None:
    assert mg.check_domain(DOMAIN) == mg.check_domain(mg.domain(DOMAIN)) == []
    with pytest.raises(mg.UnknownDomain):
        mg.check_domain("sudokku")

"""What a notebook and a prompt show of results: short, and never more than text."""

import re
import sys
from types import ModuleType
from typing import Any

import pytest

import mcsgrammar as mg
from domains.errors import DomainError
from domains.protocol import Domain
from mcsgrammar.engines.results import Tuning
from tests.domains.mistaken_domains import Sum

SOLVER = "step(repeat(select(sim, 0.5), 3))"


class Word(mg.Domain):
    """Three letters; the more of them are b, the better."""

    horizon = 3
    unit = "<b>"

    def sample(self, random: mg.Domain) -> list[str]:
        return []

    def actions(self, state: list[str]) -> list[str]:
        return ["a", "b"] if len(state) < 3 else []

    def play(self, state: list[str], action: str) -> None:
        state.append(action)

    def reward(self, state: list[str]) -> float:
        return state.count("b") / 3


class Drawn(Word):
    def svg(self, initial: Any, actions: Any) -> str:
        return "<svg xmlns='http://www.w3.org/2000/svg'/>"


class Frame(list[Any]):
    """As much of a `pandas.DataFrame` as we ask for."""


@pytest.fixture
def pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("pandas")
    module.DataFrame = Frame  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pandas", module)


@pytest.fixture(scope="module")
def solved() -> mg.Solutions:
    """Two thirds of what can be had, then all of it."""
    return mg.solve(Word(), "uct(0.5)", 9, runs=2)


@pytest.fixture(scope="module")
def evaluation() -> Any:
    return mg.evaluate(Word(), ["sim", SOLVER], budgets=[1, 9], problems=4)


def test_reprs_are_short_and_say_what_it_is(solved: mg.Solutions, evaluation: Any) -> None:
    assert repr(solved[1]) == f"<Solution of Word, problem 0, by {SOLVER}: reward 1.0 after 9 evaluations, 3 actions>"
    assert repr(solved[1].result) == "<RunResult: reward 1.0 after 9 evaluations, 3 actions, stopped by evaluations>"
    assert repr(evaluation) == (
        "<Evaluation on Word: 2 expressions, 4 runs of each, problems drawn from the test stream (1 different one: "
        "only the seeds are fresh); 1 evaluation, 9 evaluations>"
    )
    assert repr(evaluation.settings[0]) == "<Setting of 1 evaluation: 2 expressions on 4 problems>"
    assert repr(mg.candidates(4)) == "<Candidates up to depth 4>"
    assert repr(mg.domain("sudoku:4")) == "<domain sudoku:4>"
    assert repr(Word()) == "<domain Word>"
    many = tuple(((i,), 1, 0.5) for i in range(1000))
    assert repr(Tuning(("c of ucb1",), 3, (0.3,), many)) == "<Tuning of c of ucb1: 3 choices, best (0.3,)>"


def test_an_evaluation_is_printed_as_a_table(evaluation: Any) -> None:
    head, *lines, empty, about = str(evaluation).split("\n")
    columns = ["expression", "budget", "mean <b>", "stderr", "95 % interval", "mean reward", "CPU s a run"]
    assert re.split("  +", head) == columns
    assert [re.split("  +", line)[:-1] for line in lines[:2]] == [
        ["sim", "1 evaluation", "0.5", "0.166667", "[-0.0304077, 1.03041]", "0.5"],
        [SOLVER, "1 evaluation", "0.5", "0.215166", "[-0.184753, 1.18475]", "0.5"],
    ]
    assert len(lines) == 4 and lines[2].startswith("sim  ")
    assert (empty, about) == ("", f"Word: {evaluation.about}")


def test_an_expression_is_shown_as_what_reads_back() -> None:
    expression = mg.parse(SOLVER)
    assert repr(expression) == f"parse('{SOLVER}')"
    assert eval(repr(expression), {"parse": mg.parse}) == expression


def test_solutions_are_a_list_with_a_best(solved: mg.Solutions) -> None:
    assert isinstance(solved, list) and len(solved) == 2
    assert [one.reward for one in solved] == [2 / 3, 1.0]
    assert solved.best is solved[1]
    nothing, again = mg.solve(Word(), "sim", 0), mg.solve(Word(), "uct(0.5)", 9, runs=2)
    assert mg.Solutions([*nothing, *solved, *again]).best is solved[1]
    assert mg.Solutions(nothing).best is nothing[0]


@pytest.mark.parametrize("given", ["nan", "inf"])
def test_a_score_that_is_no_number_is_the_domains_mistake(given: str) -> None:
    class Tour(Sum):
        def score(self, state: Any) -> float:
            return float(given)

    (solution,) = mg.solve(Tour(), "sim", budget=1)
    with pytest.raises(DomainError, match=rf"^Tour\.score returned {given}; a score is a finite number$"):
        _ = solution.score


@pytest.mark.parametrize(
    "declared, unit",
    [
        ({}, "reward"),
        ({"cost": lambda self, state: 1}, "reward"),  # Sum has a reward of its own, and that is what counts
        ({"cost": lambda self, state: 1, "minimise": (0, 1)}, "cost"),
        ({"cost": lambda self, state: 1, "reward": Domain.reward}, "cost"),
        ({"cost": lambda self, state: 1, "minimise": (0, 1), "unit": "km"}, "km"),
    ],
)
def test_what_a_domain_counts_in_unless_it_says(declared: dict[str, Any], unit: str) -> None:
    tour = type("Tour", (Sum,), declared)
    assert tour.unit == type("Longer", (tour,), {}).unit == tour().unit == unit
    assert Domain.unit == "reward"


def test_evaluation_is_a_sequence_of_lines(evaluation: Any) -> None:
    assert [(line.expression, line.budget) for line in evaluation] == [("sim", 1), (SOLVER, 1), ("sim", 9), (SOLVER, 9)]
    last = evaluation[-1]
    assert last.mean == evaluation.settings[1].scores[1].mean() and last.problems == 4
    assert evaluation[1:3] == [evaluation[1], evaluation[2]]
    assert last.low <= last.mean <= last.high


def test_a_solution_draws_itself(solved: mg.Solutions) -> None:
    [drawn] = mg.solve(Drawn(), "sim", 1)
    assert drawn._repr_svg_() == drawn.svg()
    assert '<img src="data:image/svg+xml;base64,' in drawn._repr_html_()
    assert "<svg" not in drawn._repr_html_()  # whose styles would be the page's
    text = solved[0]
    assert text._repr_svg_() is None
    assert "<pre>a, b, b</pre>" in text._repr_html_()
    assert "2 runs" in solved._repr_html_() and solved._repr_html_().endswith(solved[1]._repr_html_())


def test_nothing_gets_into_the_page_but_text(solved: mg.Solutions, evaluation: Any) -> None:
    """The unit of this domain is `<b>`."""
    for shown in (solved, solved[0], evaluation):
        assert "&lt;b&gt;" in shown._repr_html_()
        assert "<b>" not in shown._repr_html_()


def test_data_frames(solved: mg.Solutions, evaluation: Any, pandas: None) -> None:
    frame = solved.to_dataframe()
    assert type(frame) is Frame and len(frame) == 2
    assert frame[1]["score"] == 1.0 and frame[1]["actions"] == ("b", "b", "b") and frame[1]["unit"] == "<b>"
    assert [line["mean"] for line in evaluation.to_dataframe()] == [line.mean for line in evaluation]


def test_data_frames_without_pandas(solved: mg.Solutions, evaluation: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    for result in (solved, evaluation):
        with pytest.raises(mg.UserError) as error:
            result.to_dataframe()
        assert str(error.value) == "to_dataframe() needs pandas, which is not installed: pip install pandas"


def test_version() -> None:
    from importlib.metadata import version

    assert mg.__version__ == version("mcsgrammar")

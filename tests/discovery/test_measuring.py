"""The best of a campaign are measured as they were trained, on problems of their own."""

from typing import Any

import pytest

from discovery.campaign.planning import plan
from discovery.evaluation import evaluating, measuring
from discovery.evaluation.comparison import contestants
from discovery.evaluation.measuring import Selection, Wanted, measure, measure_selected
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.parsing import parse

TRAINED = (("step(sim)", 0.9, 20), ("repeat(sim, 2)", 0.8, 10))


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What every evaluation is asked for; two problems do for the tables."""
    asked: list[dict[str, Any]] = []

    def noting(domain: Any, texts: Any, **how: Any) -> Any:
        asked.append({"domain": domain, "algorithms": len(texts), **how})
        return evaluating.evaluate(domain, texts, **{**how, "problems": 2, "on_progress": None})

    monkeypatch.setattr(measuring, "evaluate", noting)
    return asked


def test_as_the_campaign_ran_them(evaluated: list[dict[str, Any]]) -> None:
    settings, _ = plan(
        "sudoku:2",
        [parse(text) for text, _, _ in TRAINED],
        limits=Limits(20, None, 1_000),
        policy="uniform",
        pulls=30,
        seed=5,
        semantics="maes2013",
        engine="reference",
    )
    selection = Selection(TRAINED, "sudoku:2", "maes2013", 20, None, None)
    (column,) = measure_selected(selection, settings, 1_500, 1)
    alike = {"budgets": [20], "seconds": None, "seed": 5, "semantics": "maes2013", "engine": "reference"}
    alike |= {"max_nodes": 1_000, "jobs": 1, "play": None, "first_problem": 0}
    test, training = evaluated
    assert {key: test[key] for key in alike} == {key: training[key] for key in alike} == alike
    assert [test[key] for key in ("split", "stream", "problems", "algorithms")] == ["test", 0, 1_500, 16]
    assert [training[key] for key in ("split", "stream", "problems", "algorithms")] == ["train", 5, 1_000, 14]
    assert column.winners_curse is not None


def test_training_begins_with_the_first_problem(evaluated: list[dict[str, Any]]) -> None:
    measure([Wanted("sudoku:2", 20)], contestants(["step(sim)"], True), problems=30, first_problem=7, seed=3, jobs=1)
    assert [(one["split"], one["first_problem"], one["problems"]) for one in evaluated] == [
        ("test", 7, 30),
        ("train", 0, 30),
    ]


@pytest.mark.parametrize(
    "other",
    [{"semantics": "standard"}, {"budget": 10}, {"domain": "sudoku:3"}, {"play": "new"}],
    ids=lambda other: next(iter(other)),
)
def test_trained_otherwise_there_is_no_curse_to_speak_of(
    other: dict[str, Any], evaluated: list[dict[str, Any]]
) -> None:
    """Training means are compared with test means of the same question alone."""
    trained_for = {"domain": "sudoku:2", "semantics": "maes2013", "budget": 20, "seconds": None, "play": None}
    field = contestants((), True, TRAINED)
    how: dict[str, Any] = {"problems": 30, "semantics": "maes2013", "jobs": 1}
    same, another = (Selection(TRAINED, **{**trained_for, **change}) for change in ({}, other))
    (column,) = measure([Wanted("sudoku:2", 20)], field, selection=same, **how)
    assert column.winners_curse is not None
    (column,) = measure([Wanted("sudoku:2", 20)], field, selection=another, **how)
    assert column.winners_curse is None


def test_problems_of_the_training_are_no_test(evaluated: list[dict[str, Any]]) -> None:
    """They are those that the best were selected on, so that no luck has to leave them."""
    selection = Selection(TRAINED, "sudoku:2", "standard", 20, None, None)
    field = contestants((), True, TRAINED)
    for split, said in (("test", True), ("train", False)):
        (column,) = measure([Wanted("sudoku:2", 20)], field, selection=selection, problems=30, split=split, jobs=1)  # type: ignore[arg-type]
        assert (column.winners_curse is not None) == said

"""The list of campaigns, and who their winners are."""

from pathlib import Path

from domains.problems import problem
from domains.protocol import advance
from domains.randomness import Random
from domains.registry import find_domain
from experiments.campaigns import CAMPAIGNS, EVERYWHERE, best_of, finished, run_campaign, standing_of, winners
from experiments.columns import COLUMNS
from experiments.fields import campaigns_of, field_of, run_by
from experiments.files import write_csv
from experiments.scales import Scale
from experiments.summarising import with_other_campaigns


def test_the_list_is_that_of_the_issue() -> None:
    assert {
        problem: sum(c.problem == problem for c in CAMPAIGNS.values()) for problem in ("sudoku4", "regression")
    } == {
        "sudoku4": 14,
        "regression": 5,
    }
    full_size = [c for c in CAMPAIGNS.values() if c.depth == 5 and c.pulls_per_candidate == 100 and c.seed == 1]
    assert [(c.domain, c.budget, c.policy, c.by_time) for c in full_size] == [
        ("sudoku:4", 1_000, "ucb1", False),
        ("sudoku:4", 1_000, "halving", False),
        ("sudoku:4", 1_000, "ucb1", True),
        ("regression", 10_000, "ucb1", False),
        ("regression", 10_000, "halving", False),
        ("morpion:5T", 10_000, "ucb1", False),
        ("morpion:5T", 10_000, "halving", False),
    ]


def test_the_winners_are_the_first_of_each_and_those_that_are_good_everywhere() -> None:
    rankings = {
        "sudoku4-halving": ["a", "b", "c", "d"],
        "regression-halving": ["d", "c", "b", "a"],
        "morpion5T-halving": ["b", "c", "a"],
        "sudoku4-ucb1": ["d"],
    }
    assert best_of(rankings, 2) == {
        "sudoku4-halving": ["a", "b"],
        "regression-halving": ["d", "c"],
        "morpion5T-halving": ["b", "c"],
        "sudoku4-ucb1": ["d"],
        EVERYWHERE: ["b", "c"],  # worst ranks: a 3, b 2, c 2; d was not pulled by one of the three
    }


def test_only_finished_campaigns_have_winners(tmp_path: Path) -> None:
    def stop(_: object) -> None:
        raise KeyboardInterrupt

    campaign, scale = CAMPAIGNS["sudoku4-ucb1"], Scale("tiny", pulls=0.2, budget=0.01, depth=-2)
    assert not finished(run_campaign(campaign, tmp_path, scale, jobs=1, on_batch=stop))
    assert winners(["sudoku4-ucb1"], tmp_path, 10) == {}
    assert finished(run_campaign(campaign, tmp_path, scale, jobs=1))
    ten = winners(["sudoku4-ucb1", "sudoku4-halving"], tmp_path, 10)
    assert list(ten) == ["sudoku4-ucb1"]
    standing = standing_of("sudoku4-ucb1", tmp_path)
    assert standing is not None
    assert ten["sudoku4-ucb1"] == [one.expression_text for one in standing.ranking(10)]


def test_a_field_has_the_generic_the_papers_and_ours() -> None:
    found = {"sudoku4-ucb1": ["sim", "step(sim)"], "sudoku4-halving-5": ["step(step(sim))"]}
    column = COLUMNS["sudoku4"]
    field = field_of(column, found)
    assert [entry.name for entry in field if entry.kind not in ("generic", "paper")] == [
        "ucb1#1",
        "ucb1#2",
        "halving-5#1",
    ]
    assert sum(entry.kind == "generic" for entry in field) == 14
    assert sum(entry.kind == "paper" for entry in field) == 10
    assert {entry.run_as for entry in field if entry.name == "uct(0.5)"} == {"step(repeat(select(sim, 0.5), 4))"}
    assert len(field_of(column, found, wide=False)) == len(field) - 1


def test_who_was_told_the_budget_of_a_column_is_in_it() -> None:
    of_both = ["morpion5T-ucb1", "morpion5T-halving"]
    assert campaigns_of(COLUMNS["5T-B1e5"], wide=True) == [*of_both, "morpion5T-longer"]
    assert campaigns_of(COLUMNS["5D"], wide=True) == campaigns_of(COLUMNS["5T"], wide=False) == of_both


def test_by_time_uct_is_told_its_repetitions() -> None:
    column = COLUMNS["sudoku4-seconds"]
    field = field_of(column, {"sudoku4-seconds": ["step(sim)"], "sudoku4-ucb1": ["sim"]})
    assert [entry.name for entry in field if entry.kind not in ("generic", "paper")] == ["seconds#1"]
    assert {entry.text for entry in field if entry.name == "uct(1)"} == {"step(repeat(select(sim, 1), 4))"}
    assert campaigns_of(column, wide=True) == ["sudoku4-seconds"]


def test_the_rules_of_the_papers_program_are_measured_where_they_matter() -> None:
    column = COLUMNS["T11"]
    field = field_of(column, {})
    assert {entry.name for entry in field if run_by(entry.run_as, "maes2013", column) == "maes2013"} == {
        "uct(0)",
        "uct(0.3)",
        "uct(0.5)",
        "uct(1)",
        *(f"Dis#{k}" for k in (4, 6, 7, 9, 10)),
    }
    assert {run_by(entry.run_as, "standard", column) for entry in field} == {"standard"}
    column = COLUMNS["sudoku5"]
    same = {entry.name for entry in field_of(column, {}) if run_by(entry.run_as, "maes2013", column) == "standard"}
    assert same == {"is"}  # all others have a step, and a grid has forced moves


def test_no_move_of_a_formula_is_forced() -> None:
    """So that the third rule, which changes every step, changes nothing in the columns of regression."""
    for column in COLUMNS.values():
        if column.problem == "regression":
            domain, random = find_domain(column.domain), Random(1)
            for k in range(100):
                state = problem(domain, k)
                while not domain.is_final(state):
                    actions = domain.actions(state)
                    assert len(actions) > 1
                    state = advance(domain, state, actions[random.below(len(actions))])


def test_a_work_folder_without_all_campaigns_keeps_the_others(tmp_path: Path) -> None:
    path = tmp_path / "finding.csv"
    write_csv(
        path, ("campaign", "n"), [{"campaign": "morpion5T-ucb1", "n": "5"}, {"campaign": "sudoku4-ucb1", "n": "6"}]
    )
    new = [{"campaign": "sudoku4-ucb1", "n": "7"}, {"campaign": "sudoku4-halving", "n": "8"}]
    kept = [(line["campaign"], line["n"]) for line in with_other_campaigns(path, new)]
    assert kept == [("sudoku4-ucb1", "7"), ("sudoku4-halving", "8"), ("morpion5T-ucb1", "5")]
    assert with_other_campaigns(tmp_path / "none.csv", new[:1]) == new[:1]

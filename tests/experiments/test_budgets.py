"""The page on budgets is what its tables say; runs go on after a kill, a little of everything first; differences have
the right sign."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from experiments.budgets import running as budgets_running
from experiments.budgets.curves import (
    BUDGETS,
    BY_HAND,
    PROBLEMS,
    SECONDS,
    SIZES,
    BudgetProblem,
    Contestant,
    Size,
    contestants,
)
from experiments.budgets.pictures import Curve, picture
from experiments.budgets.rendering import NAME, READING, Points, budgets_text, for_all_three, render_budgets
from experiments.budgets.running import FOLDER, SHARES, Measured, Trial, in_order, read_trials, run_trial
from experiments.budgets.tables import (
    EVALUATIONS_FILE,
    SECONDS_FILE,
    compare,
    corrected,
    corrections_of,
    rows_at,
    rows_within,
    score_within,
    write_tables,
)
from experiments.campaigns import CAMPAIGNS
from experiments.cli import main
from experiments.files import read_csv, write_json
from experiments.markdown import NOT_YET
from experiments.options import RESULTS
from experiments.pieces import domain_of
from mcsgrammar.engines.searching import Limits, prepare
from mcsgrammar.language.parsing import parse

SUDOKU = PROBLEMS["sudoku4"]
HOMES = {"sudoku4": {1_000}, "regression": {10_000}, "morpion5T": {10_000, 100_000}}
"""The budgets that campaigns on each were told."""


def test_rendering_the_kept_tables_changes_nothing(tmp_path: Path) -> None:
    shutil.copytree(RESULTS / FOLDER, tmp_path / FOLDER)
    done = CliRunner().invoke(main, ["budgets", "--render", "--results", str(tmp_path)])
    assert done.exit_code == 0, done.output
    for name in (NAME, *(f"pictures/budgets-{problem}.svg" for problem in PROBLEMS)):
        assert (tmp_path / name).read_bytes() == (RESULTS / name).read_bytes()


def test_a_page_without_any_table(tmp_path: Path) -> None:
    assert [path.name for path in render_budgets(tmp_path)] == [NAME]
    text = (tmp_path / NAME).read_text("utf-8")
    assert text.lower().count(NOT_YET) == 3 + len(PROBLEMS)
    assert READING.read_text("utf-8")[:40] not in text


@pytest.mark.parametrize("problem", PROBLEMS.values(), ids=list(PROBLEMS))
def test_every_contestant_runs_within_every_budget(problem: BudgetProblem) -> None:
    who = contestants(problem)
    assert len({one.name for one in who}) == len(who) <= 26  # a letter for each
    for one in who:
        for budget in BUDGETS:
            prepare(parse(one.at(budget)), domain_of(problem.domain), Limits(budget))
    assert {"generic", "NRPA", "old language", "larger language", "by hand"} == {one.kind for one in who}
    homes = {one.home for one in who if one.source.startswith(problem.key)}
    assert homes - {None} == HOMES[problem.key]


def test_nrpa_is_told_the_budget() -> None:
    square, fifth = Contestant("NRPA", "nrpa(2, B^(1/2))", levels=2), Contestant("NRPA", "nrpa(5, B^(1/5))", levels=5)
    assert square.at(10_000) == "adapt(adapt(sim, 100), 100)"
    assert square.at(1_000) == "adapt(adapt(sim, 32), 32)"
    assert fifth.at(10) == "adapt(adapt(adapt(adapt(adapt(sim, 2), 2), 2), 2), 2)"


def test_a_little_of_everything_first() -> None:
    full, problems = SIZES["full"], list(PROBLEMS.values())
    trials = list(in_order(full, problems))
    assert len(trials) == len(set(trials)) == sum(sum(problem.runs) for problem in problems)
    first = trials[: sum(max(2, round(SHARES[0] * n)) for problem in problems for n in problem.runs)]
    assert {(trial.problem, trial.budget) for trial in first} == {(p, b) for p in problems for b in BUDGETS}
    assert [trial.budget for trial in first] == sorted(trial.budget for trial in first)
    small = list(in_order(SIZES["small"], problems))
    assert {trial.budget for trial in small} == {10, 100, 1_000, 10_000}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int]]:
    """What is run, instead of running it: two CPU seconds each, scores that grow with the budget."""
    done = []

    def run(domain: str, text: str, budget: int, k: int) -> list[float]:
        done.append((text, budget, k))
        if len(done) == 5:
            raise KeyboardInterrupt
        return [float(len(text) + k + np.log10(budget)), 1.5 * budget]

    monkeypatch.setattr(budgets_running, "run", run)
    monkeypatch.setattr(budgets_running, "warm_up", lambda _: None)
    return done


def test_what_is_there_is_not_run_again(tmp_path: Path, runs: list[tuple[str, int, int]]) -> None:
    trial, texts = Trial(SUDOKU, 10, 3), ["sim", "la(1)", "la(1)", "nmc(2)"]
    run_trial(tmp_path, trial, texts)
    run_trial(tmp_path, trial, texts)
    assert runs == [("sim", 10, 3), ("la(1)", 10, 3), ("nmc(2)", 10, 3)]
    run_trial(tmp_path, trial, [*texts, "la(2)"])
    assert runs[3:] == [("la(2)", 10, 3)]
    with pytest.raises(KeyboardInterrupt):
        run_trial(tmp_path, trial, ["uct(0)", "sim"])
    assert list(json.loads(trial.path(tmp_path).read_text("utf-8"))) == ["sim", "la(1)", "nmc(2)", "la(2)"]


def test_long_runs_are_kept_one_by_one(tmp_path: Path, runs: list[tuple[str, int, int]]) -> None:
    trial = Trial(SUDOKU, 10, 0)
    with pytest.raises(KeyboardInterrupt):
        run_trial(tmp_path, trial, ["a", "b", "c", "d", "e", "f"])
    assert list(trial.kept(tmp_path)) == ["a", "b", "c", "d"]


def test_what_somebody_has_not_run_does_not_count(tmp_path: Path) -> None:
    who = [Contestant("generic", "is"), Contestant("generic", "la(1)")]
    for k in range(4):
        kept = {one.name: [float(k), 1.0] for one in who[: 1 if k == 3 else 2]}
        write_json(Trial(SUDOKU, 100, k).path(tmp_path), kept)
    write_json(Trial(SUDOKU, 10, 0).path(tmp_path), {one.name: [1.0, 1.0] for one in who})
    measured = read_trials(tmp_path, SUDOKU, who)
    assert list(measured) == [100] and measured[100].n == 3


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_gains_are_below_0_where_it_is_worse(sign: float) -> None:
    best = np.array([5.0, 6.0, 7.0, 6.0, 5.0, 7.0])
    tied = best + np.array([1.0, -1.0, 1.0, -1.5, 1.0, -1.0])
    worse = best - np.array([2.0, 2.1, 1.9, 2.0, 2.0, 2.1])
    rows = compare(sign * np.array([worse, best, tied]), sign < 0)
    assert [row["verdict"] for row in rows] == ["worse", "best", "tied"]
    assert float(rows[0]["gain"]) == pytest.approx(-2.01667)
    assert float(rows[0]["gain_stderr"]) == pytest.approx(
        worse.std(ddof=1) and np.std(worse - best, ddof=1) / 6**0.5, 1e-4
    )
    assert rows[1]["gain"] == rows[1]["p_holm"] == ""
    assert float(rows[1]["mean"]) == pytest.approx(sign * 6.0)


def test_p_is_corrected_for_as_many_as_are_compared() -> None:
    """Of two that are compared with the best one, by t-tests of n = 5: Holm doubles the smaller p."""
    best = np.array([5.0, 6.0, 7.0, 6.0, 5.0])
    others = best - np.array([[1.0, 0.0, 0.5, 0.5, 0.0], [1.0, -1.0, 0.5, 0.5, -0.5]])
    rows = compare(np.array([best, *others]), False)
    p = [float(stats.ttest_rel(other, best).pvalue) for other in others]
    assert p[0] < p[1] and [row["p_holm"] for row in rows] == ["", f"{2 * p[0]:.2g}", f"{max(2 * p[0], p[1]):.2g}"]


@pytest.mark.parametrize("key, best", [("regression", 0), ("sudoku4", 2)])
def test_how_much_is_gained_over_the_best_generic_one(key: str, best: int) -> None:
    """Above 0 where it is better: less on regression, more on Sudoku."""
    who = [Contestant("generic", "is"), Contestant("by hand", "sim"), Contestant("generic", "la(1)")]
    scores = np.array([[1.0, 2.0], [0.0, 9.0], [3.0, 4.0]])
    rows = list(rows_at(PROBLEMS[key], who, 100, Measured(scores, np.ones((3, 2))), None))
    assert {row["best_generic"] for row in rows} == {who[best].name}
    signed = (scores - scores[best]).mean(axis=1) * (-1 if key == "regression" else 1)
    assert [float(row["over_generic"]) for row in rows] == signed.tolist()


def test_within_a_time_means_are_corrected_as_those_of_the_budgets() -> None:
    first = np.array([[0.0, 0.0, 20.0, 20.0], [2.0, 2.0, 22.0, 22.0]])
    measured = {10: Measured(first, np.full((2, 4), 0.01)), 100: Measured(first[:, :2] + 3, np.full((2, 2), 1.0))}
    who = [Contestant("generic", "is"), Contestant("generic", "la(1)")]
    rows = list(rows_within(SUDOKU, who, 0.1, measured, corrections_of(SUDOKU, measured)))
    assert [float(row["mean"]) for row in rows] == pytest.approx([11.5, 13.5])  # half the gain of 3, and 10
    assert [float(row["plain_mean"]) for row in rows] == pytest.approx([1.5, 3.5])


def test_means_are_corrected_by_the_ease_of_problems() -> None:
    """The two problems that the large budgets have are 10 harder than the other two; each budget gains 3 or 5."""
    first = np.array([[0.0, 0.0, 20.0, 20.0], [2.0, 2.0, 22.0, 22.0]])
    measured = {10: Measured(first, first)}
    for budget, gain in ((100, 3.0), (1_000, np.array([4.0, 6.0]))):
        scores = measured[budget // 10].scores[:, :2] + gain
        measured[budget] = Measured(scores, scores)
    found = corrections_of(SUDOKU, measured)
    assert list(found) == [100, 1_000]
    assert [one.shift for one in found.values()] == pytest.approx([10.0, 10.0])
    mean, stderr = corrected(measured[1_000].scores[1], found[1_000])
    assert mean == pytest.approx(2.0 + 10.0 + 3.0 + 5.0)
    spread = first.mean(axis=0).std(ddof=1) / 2  # a gain of 3 everywhere adds nothing
    assert stderr == pytest.approx(np.hypot(1.0, spread))
    assert corrected(first[0], None) == (10.0, pytest.approx(first[0].std(ddof=1) / 2))
    assert corrections_of(PROBLEMS["morpion5T"], measured) == {}


def test_scores_within_a_time_lie_between_two_budgets() -> None:
    measured = {
        10: Measured(np.array([[1.0, 3.0, 9.0]]), np.array([[0.01, 0.01, 0.01]])),
        100: Measured(np.array([[5.0, 7.0]]), np.array([[0.5, 1.5]])),
    }
    between = score_within(0, 0.1, measured)
    assert between is not None
    evaluations, scores = between
    assert evaluations == pytest.approx(10**1.5)
    assert scores == pytest.approx([3.0, 5.0])
    assert score_within(0, 0.001, measured) is None and score_within(0, 2.0, measured) is None


def test_pictures_have_up_for_better() -> None:
    for less in (False, True):
        curves = [
            Curve("a", "is", "generic", ((10.0, 1e-4, 0.5), (100.0, 1e-3, 0.4))),
            Curve("b", "la(1)", "generic", ((10.0, 1e-4, 0.5), (100.0, 1e-3, 0.1))),
        ]
        text = picture("Any", "mae", less, curves)
        ends = [float(y) for y in re.findall(r'class="known" d="M[\d. ]+L[\d.]+ ([\d.]+)">', text)]
        assert len(ends) == 4
        assert (ends[1] < ends[0]) == less


def test_tables_of_what_was_run_and_their_page(tmp_path: Path) -> None:
    size = Size("tiny", 0.01, 100)
    who = {key: contestants(problem) for key, problem in PROBLEMS.items()}
    for problem in PROBLEMS.values():
        for trial in in_order(size, [problem]):
            kept = {
                one.at(trial.budget): [i + trial.k + np.log10(trial.budget), 1e-5 * trial.budget]
                for i, one in enumerate(who[problem.key])
            }
            write_json(trial.path(tmp_path), kept)
    write_tables(tmp_path, tmp_path)
    rows = read_csv(tmp_path / FOLDER / EVALUATIONS_FILE)
    assert {row["budget"] for row in rows} == {"10", "100"}
    best = [row for row in rows if row["verdict"] == "best"]
    assert {row["problem"]: row["name"] for row in best} == {
        key: some[0 if key == "regression" else -1].name for key, some in who.items()
    }
    assert {float(row["seconds"]) for row in read_csv(tmp_path / FOLDER / SECONDS_FILE)} == {SECONDS[0], SECONDS[1]}
    text = budgets_text(
        Points(tmp_path / FOLDER / EVALUATIONS_FILE, "budget"), Points(tmp_path / FOLDER / SECONDS_FILE, "seconds")
    )
    assert "| B = 10 | `adapt(adapt(step(sim), 20), 23)`; 0 of 20 tied, 4 runs | `is`;" in text
    assert READING.read_text("utf-8")[:40] not in text  # which is for the full size


def test_problems_that_were_not_run_here_stay_what_they_are(tmp_path: Path) -> None:
    shutil.copytree(RESULTS / FOLDER, tmp_path / "results" / FOLDER)
    problem = PROBLEMS["regression"]
    who = contestants(problem)
    for trial in in_order(Size("tiny", 0.01, 10), [problem]):
        write_json(trial.path(tmp_path), {one.at(10): [float(i + trial.k), 1e-5] for i, one in enumerate(who)})
    write_tables(tmp_path, tmp_path / "results")
    for name in (EVALUATIONS_FILE, SECONDS_FILE):
        before, after = (read_csv(folder / FOLDER / name) for folder in (RESULTS, tmp_path / "results"))
        others = [[row for row in rows if row["problem"] != problem.key] for rows in (before, after)]
        assert others[0] and others[0] == others[1]
    rows = read_csv(tmp_path / "results" / FOLDER / EVALUATIONS_FILE)
    assert [row["n"] for row in rows if row["problem"] == problem.key] == ["4"] * len(who)


def test_the_reading_has_no_figure_of_its_own() -> None:
    assert not re.search(r"\d", re.sub(r"`[^`]*`", "", READING.read_text("utf-8")))


def test_what_the_reading_says_is_so() -> None:
    evaluations, seconds = (
        Points(RESULTS / FOLDER / EVALUATIONS_FILE, "budget"),
        Points(RESULTS / FOLDER / SECONDS_FILE, "seconds"),
    )

    def means(points: Points, problem: str, at: float) -> dict[str, float]:
        """Above 0 is more, and better."""
        return {one.name: -one.mean if one.less else one.mean for one in points.of(problem, at)}

    def best(points: Points, problem: str, at: float) -> str:
        return next(one.name for one in points.of(problem, at) if one.verdict == "best")

    for problem in ("sudoku4", "morpion5T"):
        few = evaluations.of(problem, 10)
        assert sum(one.good for one in few) > 0.8 * len(few)
    assert all(best(evaluations, "regression", at).count("lookahead(") == 2 for at in (10, 100, 1_000))
    for at in (10_000, 100_000):
        assert all(re.search("adapt|nrpa", best(evaluations, problem, at)) for problem in PROBLEMS)
    for at in (1_000, 10_000, 100_000, 1_000_000):
        assert for_all_three(evaluations, at).startswith(f"`{BY_HAND}`")
        own = means(evaluations, "regression", at)
        assert own["nrpa(2, B^(1/2))"] < own["is"] < own["nrpa(5, B^(1/5))"]
    for at in (0.001, 0.01):
        assert best(seconds, "sudoku4", at).count("step(") > 1
        assert best(seconds, "regression", at).count("lookahead(") > 1
        assert best(seconds, "morpion5T", at) == BY_HAND
    for problem in PROBLEMS:
        own = means(evaluations, problem, 100_000)
        assert max(own["uct(0.3)"], own["uct(0.5)"]) < own["nmc(2)"]
        own = means(evaluations, problem, 100)
        assert max(own["uct(0.3)"], own["uct(0.5)"]) > own["nmc(2)"]
    for row in read_csv(RESULTS / FOLDER / EVALUATIONS_FILE):
        if row["budget"] == row["home"] and not row["source"].startswith("table"):
            assert (row["verdict"] == "worse") == (row["source"] in CAMPAIGNS)
        if not row["home"] or int(row["budget"]) != 10 * int(row["home"]):
            continue
        ahead = float(row["over_generic"]) > 0
        if row["source"] in CAMPAIGNS:
            assert ahead == (row["problem"] == "regression")
        elif row["source"].startswith("learning"):
            assert ahead and row["verdict"] != "best"

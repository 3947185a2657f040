"""Evaluations: every run is one that `solve` repeats, and nothing depends on workers or on the other budgets."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discovery.evaluation.evaluated import Evaluation
from discovery.evaluation.evaluating import BLOCK_SECONDS, cut, evaluate, less_is_better
from discovery.evaluation.runs import Bench
from domains.errors import DomainError, UserError
from domains.problems import problem
from domains.protocol import Domain
from domains.randomness import Random
from domains.registry import find_domain
from mcsgrammar.solving import solve
from tests.discovery.evaluation_toys import (
    COSTS,
    COUNTDOWN,
    INTERRUPTED,
    RAISES_ABOVE_80,
    WITH_A_SCORE_OF_ITS_OWN,
    write,
)

EXPRESSIONS = ["la(1)", "sim", "uct(0.5)", "step(repeat(sim, 3))"]


def same(a: Evaluation, b: Evaluation) -> bool:
    """But for the time it took."""
    return (a.expressions, a.about, len(a.settings)) == (b.expressions, b.about, len(b.settings)) and all(
        (one.budget, one.runs_as) == (other.budget, other.runs_as)
        and np.array_equal(one.rewards, other.rewards)
        and np.array_equal(one.scores, other.scores)
        for one, other in zip(a.settings, b.settings, strict=True)
    )


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int, int]]:
    """(expression, budget, problem) of all runs from now on, but for those that only estimate the time."""
    seen: list[tuple[str, int, int]] = []
    original: Callable[..., Any] = Bench.search

    def spy(self: Bench, expression: Any, limits: Any, k: int, *rest: Any) -> Any:
        seen.append((str(expression), limits.evaluations, k))
        return original(self, expression, limits, k, *rest)

    monkeypatch.setattr("discovery.evaluation.evaluating._estimate", lambda bench: (0.001, 0.001))
    monkeypatch.setattr(Bench, "search", spy)
    return seen


@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_solve_repeats_any_single_run(engine: Any) -> None:
    evaluation = evaluate("sudoku:2", EXPRESSIONS, budgets=[3, 20], problems=4, seed=5, engine=engine)
    assert evaluation.expressions == ("step(lookahead(sim))", "sim", "uct(0.5)", "step(repeat(sim, 3))")
    for setting in evaluation.settings:
        for row, text in enumerate(EXPRESSIONS):
            for k in range(4):
                (solution,) = solve("sudoku:2", text, setting.budget, problem=k, seed=5, engine=engine)
                assert setting.rewards[row, k] == solution.reward
                assert setting.scores[row, k] == solution.score
                assert setting.runs_as[row] == str(solution.expression)


def test_training_problems_come_from_their_stream() -> None:
    here, there = (
        evaluate("sudoku:3", ["sim"], budgets=5, problems=6, split="train", stream=stream).settings[0].rewards[0]
        for stream in (0, 7)
    )
    assert here.tolist() == [
        solve("sudoku:3", "sim", 5, problem=k, split="train")[0].reward for k in range(6)
    ]  # solve knows stream 0
    assert here.tolist() != there.tolist()


def test_any_number_of_jobs_gives_the_same() -> None:
    one, two, three = (
        evaluate("sudoku:2", EXPRESSIONS, budgets=[1, 3, 10], problems=30, jobs=jobs) for jobs in (1, 2, 3)
    )
    assert same(one, two)
    assert same(one, three)
    assert not same(one, evaluate("sudoku:2", EXPRESSIONS, budgets=[1, 3, 10], problems=30, seed=1))


def test_workers_find_a_domain_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = write(tmp_path)
    here = evaluate(name, ["sim", "la(1)"], budgets=5, problems=10)
    monkeypatch.chdir(tmp_path)
    assert same(here, evaluate(Path(name).name, ["sim", "la(1)"], budgets=5, problems=10, jobs=2))
    assert same(here, evaluate(find_domain(name), ["sim", "la(1)"], budgets=5, problems=10, jobs=2))


def test_one_run_serves_all_budgets_on_its_curve(searches: list[tuple[str, int, int]]) -> None:
    evaluation = evaluate("sudoku:2", ["la(1)"], budgets=[10, 100, 1], problems=3)
    assert searches == [("step(lookahead(sim))", 100, k) for k in range(3)]
    assert [setting.budget for setting in evaluation.settings] == [10, 100, 1]
    known = [not np.isnan(setting.seconds_per_run).any() for setting in evaluation.settings]
    assert known == [False, True, False]


def test_budgets_beside_the_curve_and_those_of_uct_have_runs_of_their_own(
    searches: list[tuple[str, int, int]],
) -> None:
    evaluate("sudoku:2", ["la(1)", "uct(1)"], budgets=[64, 7, 20, 10], problems=1)
    assert [(text, budget) for text, budget, _ in searches] == [
        ("step(lookahead(sim))", 64),  # and 20 and 10
        ("step(lookahead(sim))", 7),
        ("step(repeat(select(sim, 1), 4))", 64),  # sudoku:2 has horizon 16
        ("step(repeat(select(sim, 1), 1))", 20),  # and 10
        ("step(repeat(select(sim, 1), 1))", 7),
    ]


def test_where_a_tuner_plans_for_its_budget_each_budget_has_a_run_of_its_own(
    searches: list[tuple[str, int, int]],
) -> None:
    planning, other = (f"tune(select(sim, {{0, 0.5}}), {tuner})" for tuner in ("lsi", "mab"))
    evaluation = evaluate("sudoku:2", [planning, other], budgets=[10, 100], problems=2)
    assert searches == [
        (text, budget, k) for k in range(2) for text, budget in ((planning, 100), (planning, 10), (other, 100))
    ]
    for k in range(2):
        (solution,) = solve("sudoku:2", planning, 10, problem=k)
        assert evaluation.settings[0].rewards[0, k] == solution.reward


@pytest.mark.parametrize("expression", ["la(1)", "uct(0.3)", "step(select(step(sim), 0.5))"])
def test_many_budgets_say_what_single_ones_say(expression: str) -> None:
    budgets = [1, 2, 7, 10, 33, 50, 100]
    together = evaluate("sudoku:3", [expression], budgets=budgets, problems=5)
    for budget, setting in zip(budgets, together.settings, strict=True):
        alone = evaluate("sudoku:3", [expression], budgets=budget, problems=5)
        assert np.array_equal(setting.rewards, alone.settings[0].rewards)


def test_a_score_that_the_reward_does_not_tell_is_that_of_the_actions(tmp_path: Path) -> None:
    name = write(tmp_path, WITH_A_SCORE_OF_ITS_OWN)
    evaluation = evaluate(name, ["la(1)"], budgets=[5, 50], problems=5)
    assert evaluation.less_is_better is None
    for setting in evaluation.settings:
        expected = [solve(name, "la(1)", setting.budget, problem=k)[0].score for k in range(5)]
        assert setting.scores[0].tolist() == expected
        assert (setting.scores[0] >= 1000 * 6 * setting.rewards[0] - 1e-9).all()


def test_a_failure_names_the_expression_and_the_problem(tmp_path: Path) -> None:
    name = write(tmp_path, RAISES_ABOVE_80)
    domain = find_domain(name)
    k = next(k for k in range(100) if problem(domain, k)[0] > 80)
    for jobs in (1, 2):
        with pytest.raises(DomainError) as error:
            evaluate(name, ["step(sim)", "sim"], budgets=5, problems=k + 10, jobs=jobs)
        said = str(error.value)
        assert said.startswith(f"step(sim) on test problem {k} of countdown.py:Countdown: Countdown.reward raised ")
        assert "ValueError: no such sum" in said


class Words(Domain):
    """Guess a letter of a word from a file."""

    horizon = 1

    def __init__(self, folder: Path) -> None:
        self.instances = sorted(folder.iterdir())

    def load(self, path: Path) -> list[str]:
        return [path.read_text()]

    def actions(self, state: list[str]) -> str:
        return "ab" if len(state) == 1 else ""

    def play(self, state: list[str], action: str) -> None:
        state.append(action)

    def reward(self, state: list[str]) -> float:
        return float(state[-1] in state[0])


@pytest.mark.parametrize(("files", "own"), [(20, True), (1, False)])
def test_it_is_known_whether_training_has_other_instances(files: int, own: bool, tmp_path: Path) -> None:
    for number in range(files):
        (tmp_path / f"{number}.txt").write_text("a" * number)
    assert evaluate(Words(tmp_path), ["sim"], budgets=1, problems=2).own_instances is own
    assert not evaluate("sudoku:2", ["sim"], budgets=1, problems=2).own_instances


def test_ctrl_c_passes_through(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        evaluate(write(tmp_path, INTERRUPTED), ["sim"], budgets=5, problems=5)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"expressions": []}, "there is nothing to evaluate: name one expression or more"),
    ({"problems": 0}, "the number of problems cannot be 0; it is at least 1"),
    ({"jobs": 0}, "the number of jobs cannot be 0; it is at least 1"),
    ({"budgets": [10, 0]}, "an evaluation needs a budget of at least 1 evaluation"),
    ({"budgets": []}, "an evaluation needs a budget of at least 1 evaluation"),
    ({"budgets": 5, "seconds": 1.0}, "give budgets in evaluations or in seconds, one of the two"),
    ({"split": "both"}, "sudoku:2 draws its problems; --split both is for domains with instances"),
    ({"first_problem": -1}, "the first problem cannot be -1; problems are numbered from 0"),
    ({"split": "exam"}, "the split cannot be 'exam'; it is one of train, test, both"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_wrong_input(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as error:
        evaluate("sudoku:2", **{"expressions": ["sim"], **wrong})
    assert str(error.value) == message


def test_uct_without_a_budget_in_evaluations_is_refused_before_anything_runs(
    searches: list[tuple[str, int, int]],
) -> None:
    with pytest.raises(UserError, match="needs a budget in evaluations"):
        evaluate("sudoku:2", ["sim", "uct(1)"], seconds=0.001)
    assert not searches


def test_equal_canonical_texts_are_one() -> None:
    evaluation = evaluate("sudoku:2", ["la(1)", "step(lookahead(simulate))", "sim"], budgets=2, problems=2)
    assert evaluation.expressions == ("step(lookahead(sim))", "sim")


def test_progress_ends_with_all_runs() -> None:
    seen: list[tuple[int, int]] = []
    evaluate("sudoku:2", ["sim", "la(1)"], budgets=2, problems=7, on_progress=lambda *now: seen.append(now))
    assert seen == sorted(seen)
    assert seen[-1] == (14, 14)


def test_a_table_says_when_only_the_seeds_are_fresh() -> None:
    few = evaluate("regression", ["sim"], budgets=1, problems=200).about
    assert few == "200 runs of each, problems drawn from the test stream (8 different ones: only the seeds are fresh)"
    half = evaluate("morpion:4D", ["sim"], budgets=1, problems=2).about
    assert half.endswith("(1 different one: only the seeds are fresh)")
    single = evaluate("morpion:4D", ["sim"], budgets=1, problems=3).about
    assert single == "3 runs of each, problems drawn from the test stream (1 different one: only the seeds are fresh)"
    assert (
        evaluate("sudoku:3", ["sim"], budgets=1, problems=1).about
        == "1 run of each, problems drawn from the test stream"
    )


@given(
    st.integers(1, 30),
    st.integers(1, 200),
    st.floats(0, 2),
    st.floats(0, 0.5),
    st.integers(1, 4),
)
def test_blocks_cover_every_run_once(
    expressions: int, problems: int, per_cell: float, per_problem: float, jobs: int
) -> None:
    blocks = cut(expressions, problems, per_cell, per_problem, jobs)
    cells = [(e, k) for block in blocks for e in block.expressions for k in block.problems]
    assert len(cells) == expressions * problems == len(set(cells))
    for block in blocks:
        seconds = len(block.problems) * (len(block.expressions) * per_cell + per_problem)
        assert seconds <= BLOCK_SECONDS + 1e-6 or len(block.problems) == 1
        assert len(block.expressions) * per_cell <= BLOCK_SECONDS + 1e-6 or len(block.expressions) == 1


class Bare(Domain):
    horizon = 1


class ScoreOfItsOwn(Domain):
    horizon = 1

    def score(self, state: Any) -> float:
        return 1.0


class Costly(Domain):
    horizon = 1
    minimise = (2.0, 10.0)


class CostlyWithItsOwnReward(Costly):
    def reward(self, state: Any) -> float:
        return 0.5


def test_what_the_reward_tells_of_the_score() -> None:
    assert Bare().score_of_reward(0.25) == 0.25
    assert ScoreOfItsOwn().score_of_reward(0.25) is None
    assert Costly().score_of_reward(0.25) == 8.0
    assert CostlyWithItsOwnReward().score_of_reward(0.25) is None
    domains = (Bare(), ScoreOfItsOwn(), Costly(), CostlyWithItsOwnReward())
    assert [less_is_better(domain) for domain in domains] == [False, None, True, None]


def test_a_score_that_not_every_reward_has(tmp_path: Path) -> None:
    """As the logarithm has none of 0: nothing says which scores are better, and that is all."""
    text = COUNTDOWN + "\n    def score_of_reward(self, reward):\n        return -__import__('math').log(reward)\n"
    name = write(tmp_path, text.replace("sum(state) % 7 / 6", "(1 + sum(state) % 6) / 6"))
    assert less_is_better(find_domain(name)) is None
    evaluation = evaluate(name, ["sim"], budgets=5, problems=4)
    assert evaluation.less_is_better is None and (evaluation.settings[0].scores >= 0).all()


def test_games_that_are_over_when_they_begin(tmp_path: Path) -> None:
    """Of problem 0 no evaluation says how long one takes."""
    text = COUNTDOWN.replace("random.below(100)", "0").replace("len(state) < 6", "state[0] > 0")
    evaluation = evaluate(write(tmp_path, text), ["sim"], budgets=5, problems=3, play="new")
    assert evaluation.settings[0].rewards.tolist() == [[0.0, 0.0, 0.0]]


def test_costs_are_scores(tmp_path: Path) -> None:
    name = write(tmp_path, COSTS)
    evaluation = evaluate(name, ["la(1)"], budgets=[1, 10], problems=5)
    for setting in evaluation.settings:
        expected = [solve(name, "la(1)", setting.budget, problem=k)[0].score for k in range(5)]
        assert setting.scores[0] == pytest.approx(expected)


@pytest.mark.parametrize("name", ["sudoku:3", "regression", "morpion:5D"])
def test_scores_of_random_games_are_told_by_their_rewards(name: str) -> None:
    domain, random = find_domain(name), Random(1)
    for k in range(20):
        state = domain.copy(problem(domain, k))
        while not domain.is_final(state):
            domain.play(state, random.choice(domain.actions(state)))
        told = domain.score_of_reward(domain.reward(state))
        assert told == pytest.approx(domain.score(state), rel=1e-12)
        assert told == domain.score(state) or name == "regression"


def test_the_first_problem_may_be_another(tmp_path: Path) -> None:
    """Problem k is the same one wherever an evaluation begins, and for every seed; in workers' blocks too."""
    name = write(tmp_path)
    whole = evaluate(name, ["sim", "step(sim)"], budgets=[3, 6], problems=9)
    part = evaluate(name, ["sim", "step(sim)"], budgets=[3, 6], problems=4, first_problem=5)
    for one, other in zip(whole.settings, part.settings, strict=True):
        assert one.rewards[:, 5:].tolist() == other.rewards.tolist()
    assert part.about == "4 runs of each from problem 5 on, problems drawn from the test stream"
    assert (whole.first_problem, part.first_problem) == (0, 5)


def test_fewer_runs_than_instances_are_said(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text(name)
    found = evaluate(Words(tmp_path), ["sim"], budgets=1, problems=2, split="both", engine="reference")
    assert found.about.startswith("2 runs of each, all 3 instances") and found.about.endswith("(2 of them used)")
    found = evaluate(Words(tmp_path), ["sim"], budgets=1, problems=3, split="both", engine="reference")
    assert found.about == "3 runs of each, all 3 instances, 2 for training and 1 for test"

"""What a campaign, or an evaluation, came to in words, and what to type next."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from discovery.campaign.next_steps import next_steps
from discovery.campaign.settings import Settings, read_settings
from discovery.evaluation import kept
from discovery.evaluation.tables import document
from discovery.evaluation.verdict import comparison
from discovery.keeping.folder import CANDIDATES_FILE
from mcsgrammar.cli import cli
from tests.discovery.campaigns import Tiny, made, tiny
from tests.discovery.test_tables import FIELD, columns


def row(name: str, mean: float, generic: bool, **more: Any) -> kept.TestRow:
    unknown: dict[str, Any] = dict.fromkeys(
        ("p_vs_best_generic", "p_holm", "effect_size", "difference", "ci95", "alias")
    )
    known: dict[str, Any] = {"rank": 1, "stderr": 0.5, "reference": False, "star": False, "mean_reward": mean}
    return kept.TestRow(name=name, expression=name, runs_as=name, mean=mean, generic=generic, **unknown | known | more)


LA = row("la(1)", 50.0, True, reference=True)
UCT = row("uct(1)", 51.0, True)
FOUND = row("Dis#1", 53.0, False, difference=3.0, difference_ci95=(1.0, 5.0), p_holm=0.01)
OTHER = row("Dis#2", 49.5, False, difference=-0.5, difference_ci95=(-2.5, 1.5), p_holm=0.6)


def scores(*rows: kept.TestRow, problems: int = 100, less_is_better: bool | None = False) -> kept.TestScores:
    about = f"{problems} runs of each"
    chosen = f"the best generic algorithm on {problems} training problems"
    return kept.TestScores(rows, problems, about, "points", less_is_better, "la(1)", chosen, None, False)


REFERENCE = "la(1), the best generic algorithm on 100 training problems"


@pytest.mark.parametrize(
    ("test", "said"),
    [
        (
            scores(FOUND, UCT, LA, OTHER),
            f"1 of the 2 discovered algorithms is better than {REFERENCE} (paired test, p < 0.05, Holm's correction "
            "for 2). The best of them, Dis#1, is 3.0 points better than la(1) (95 % interval of the difference: +1.0 "
            "to +5.0).",
        ),
        (
            scores(UCT, LA, OTHER),
            f"The discovered algorithm is not better than {REFERENCE}, beyond what chance explains (paired test, "
            "p < 0.05). It is 0.5 points worse than la(1) (95 % interval of the difference: -2.5 to +1.5).",
        ),
        (
            scores(UCT, LA, OTHER, less_is_better=True),
            f"The discovered algorithm is not better than {REFERENCE}, beyond what chance explains (paired test, "
            "p < 0.05). It is 0.5 points better than la(1) (95 % interval of the difference: -2.5 to +1.5).",
        ),
        (
            scores(UCT, LA, OTHER, less_is_better=None),
            f"The discovered algorithm is not better than {REFERENCE}, beyond what chance explains (paired test, "
            "p < 0.05). It differs from la(1) by 0.5 points (95 % interval of the difference: -2.5 to +1.5).",
        ),
        (
            scores(UCT, LA, replace(OTHER, difference=0.0)),
            f"The discovered algorithm is not better than {REFERENCE}, beyond what chance explains (paired test, "
            "p < 0.05). It is level with la(1) (95 % interval of the difference: -2.5 to +1.5).",
        ),
        (
            scores(UCT, LA, replace(OTHER, difference_ci95=None)),  # measured before these were kept
            f"The discovered algorithm is not better than {REFERENCE}, beyond what chance explains (paired test, "
            "p < 0.05).",
        ),
    ],
)
def test_who_is_better_and_by_how_much(test: kept.TestScores, said: str) -> None:
    assert comparison(test) == [said]


def test_with_few_problems_it_says_what_the_reference_is_worth() -> None:
    said = comparison(scores(FOUND, UCT, LA, problems=49))
    assert said[1:] == [
        "On so few problems, chance has a large part in the choice of la(1): here it is number 2 of the 2 generic "
        "algorithms. More problems tell more (--test-problems; --problems of evaluate)."
    ]
    best = comparison(scores(FOUND, LA, replace(UCT, mean=40.0, mean_reward=40.0), problems=10))
    assert "here it is the best of the 2 generic algorithms" in best[1]
    assert len(comparison(scores(FOUND, LA, problems=10))) == 1  # there was nothing to choose
    assert len(comparison(scores(FOUND, UCT, LA, problems=50))) == 1


def test_the_interval_is_that_of_the_paired_differences() -> None:
    (column, _) = columns()
    values = dict(zip([one.name for one in FIELD], column.evaluation.settings[0].scores, strict=True))
    differences = values["Dis#1"] - values["uct(0.5)"]
    half = stats.t.ppf(0.975, 7) * np.std(differences, ddof=1) / np.sqrt(8)
    test = kept.test_scores(document([column]), kept=False)
    found = test.discovered[0]
    assert found.difference_ci95 == pytest.approx((differences.mean() - half, differences.mean() + half))
    assert next(one for one in test.rows if one.generic).difference_ci95 is None


# What to type next.


@pytest.fixture
def domain(tmp_path: Path) -> Tiny:
    return tiny(tmp_path)


@pytest.fixture
def settings(domain: Tiny, tmp_path: Path) -> Settings:
    return read_settings(made(tmp_path / "my campaign", domain))


def commands(settings: Settings, expression: str, **changes: Any) -> list[list[str]]:
    changed = replace(settings, domain="sudoku:4", **changes)
    return [shlex.split(line)[1:] for line in next_steps(Path("my campaign"), changed, expression)]


def test_the_commands_are_quoted_for_the_shell(settings: Settings) -> None:
    assert next_steps(Path("my campaign"), replace(settings, domain="sudoku:4"), "step(sim)") == [
        "mcsgrammar solve sudoku:4 'step(sim)' --budget 6",
        "mcsgrammar report 'my campaign' --html 'my campaign.html'",
        "mcsgrammar export 'step(sim)' -o solver.py",
    ]


def test_the_commands_search_as_the_campaign_did(settings: Settings) -> None:
    assert commands(settings, "uct(0.5)", semantics="maes2013", engine="reference", max_nodes=9) == [
        [
            "solve",
            "sudoku:4",
            "uct(0.5)",
            "--budget",
            "6",
            "--semantics",
            "maes2013",
            "--engine",
            "reference",
            "--max-nodes",
            "9",
        ],
        ["report", "my campaign", "--html", "my campaign.html"],
        ["export", "uct(0.5)", "--domain", "sudoku:4", "--budget", "6", "--semantics", "maes2013", "-o", "solver.py"],
    ]
    assert commands(settings, "sim", budget=None, seconds=0.5)[0] == ["solve", "sudoku:4", "sim", "--seconds", "0.5"]


def test_what_cannot_be_exported_is_not_proposed(settings: Settings) -> None:
    proposed = commands(settings, "tune(select(sim, {0, 1}), ntbea)")
    assert [words[0] for words in proposed] == ["solve", "report"]


@pytest.mark.parametrize(
    ("candidates", "text", "proposed"),
    [(51, "sim\nstep(sim)\n", True), (50, "sim\nstep(sim)\n", False), (51, "sim\nadapt(sim, 10)\n", False)],
)
def test_the_larger_language_is_proposed_where_it_was_not_tried(
    settings: Settings, tmp_path: Path, candidates: int, text: str, proposed: bool
) -> None:
    (tmp_path / CANDIDATES_FILE).write_text(text)
    changed = replace(settings, domain="sudoku:4", candidates=candidates, pulls=700)
    line = "mcsgrammar discover sudoku:4 --budget 6 --adapt 10,100 --pulls 700"
    assert (line in next_steps(tmp_path, changed, "step(sim)")) == proposed


def test_the_commands_can_be_typed(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in next_steps(Path("my campaign"), settings, "step(select(sim, 0.5))"):
        words = shlex.split(line)[1:]
        if words[0] != "report":  # which has its own tests, and takes longer
            assert not cli.main(words, standalone_mode=False)
    assert "best: " in capsys.readouterr().out
    assert (tmp_path / "solver.py").is_file()

"""What a campaign over a family comes to: choices where a domain is left out, tables by hand, what is kept."""

import csv
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discovery.campaign.ranking import read_standing
from discovery.campaign.running import run
from discovery.evaluation import families
from discovery.evaluation import kept as keeping
from discovery.evaluation.evaluating import evaluate
from discovery.evaluation.families import keep_family, measure_family
from discovery.evaluation.family_scores import (
    AlgorithmByDomain,
    ChosenCandidate,
    FamilyScores,
    LeftOut,
    best_of_others,
    choices,
)
from discovery.evaluation.family_tables import about_domains, family_text, left_out_sentences
from discovery.evaluation.kept import read_kept, refuse_to_replace_by_less
from discovery.report.writers import as_html, as_json_text, as_markdown, as_text, make_report
from domains.errors import UserError
from tests.discovery.campaigns import made
from tests.language.command import run as mcsgrammar

FAMILY = ["queens", "knights", "sudoku:2"]
CANDIDATES = ("sim", "step(sim)", "select(sim, 0.5)", "step(repeat(sim, 2))", "step(lookahead(sim))")


def journal(pulls: dict[int, list[float]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rewards by arm, in the order of t."""
    rows = [(arm, t, reward) for arm, rewards in pulls.items() for t, reward in enumerate(rewards)]
    arms, ts, rewards = (np.array(column) for column in zip(*rows, strict=True))
    return arms, ts, rewards


def test_choices_by_hand() -> None:
    """Three domains. Two pulls on each for everybody, who all have the same spread, so that only means count."""
    pulls = {
        0: [0.9, 0.1, 0.5, 0.9, 0.1, 0.5],  # best on the first domain
        1: [0.2, 0.8, 0.5, 0.2, 0.8, 0.5],  # on the second
        2: [0.4, 0.5, 0.6, 0.4, 0.5, 0.6],  # nowhere the worst
    }
    found = choices(*journal(pulls), 4, 3)  # arm 3 was never pulled
    means = {
        0: [0.30, 0.70, 0.50],
        1: [0.65, 0.35, 0.50],
        2: [0.55, 0.50, 0.45],
    }
    assert [choice and choice.arm for choice in found] == [1, 0, 0]  # on the third 0 and 1 are equal: the first
    for out, choice in enumerate(found):
        assert choice is not None and choice.pulls == 4
        assert choice.mean == pytest.approx(means[choice.arm][out])


def test_luck_in_few_pulls_is_not_chosen() -> None:
    """Domains 0 and 1; the means on the other one are 0.75 of one pull and 0.6 of 16."""
    pulls = {0: [0.75, 0.75], 1: [0.1, 0.1, 1.1, 1.1] * 8}
    found = choices(*journal(pulls), 2, 2)
    # Within candidates a domain's variance is 16 * 0.25 / 15 = 0.2667, so that a standard error is 0.516 of one pull
    # and 0.129 of 16: 0.75 - 0.516 < 0.6 - 0.129.
    assert [choice and (choice.arm, choice.pulls) for choice in found] == [(1, 16), (1, 16)]
    level = {0: [0.75, 0.75], 1: [0.6, 0.6] * 16}
    assert [choice and choice.arm for choice in choices(*journal(level), 2, 2)] == [0, 0]  # nothing varies


@pytest.mark.parametrize("mean, arm", [(0.97, 1), (1.0, 0)])
def test_how_much_luck_is_allowed_for(mean: float, arm: int) -> None:
    """Of one pull beside 16, as above: chosen where 0.6 is exceeded by 0.516 - 0.129 = 0.387."""
    found = choices(*journal({0: [mean, mean], 1: [0.1, 0.1, 1.1, 1.1] * 8}), 2, 2)
    assert [choice and choice.arm for choice in found] == [arm, arm]


@pytest.mark.parametrize("mean, arm", [(0.86, 1), (0.89, 0)])
def test_the_error_of_a_mean_of_means(mean: float, arm: int) -> None:
    """Of two other domains: sqrt(2) / 2 of the error on one, so that 0.6 is to be exceeded by 0.274."""
    found = choices(*journal({0: [mean] * 3, 1: [0.1, 0.1, 0.1, 1.1, 1.1, 1.1] * 8}), 2, 3)
    assert [choice and choice.arm for choice in found] == [arm, arm, arm]


def test_choices_need_pulls_on_all_other_domains() -> None:
    found = choices(*journal({0: [0.1, 0.2], 1: [0.3]}), 2, 3)
    assert found == [None, None, ChosenCandidate(0, pytest.approx(0.15), 2)]  # type: ignore[arg-type, comparison-overlap]
    far_off = choices(*journal({0: [-1e200, 0.5], 1: [0.0, 0.6]}), 2, 2)  # regression knows such rewards
    assert [choice and (choice.arm, choice.mean) for choice in far_off] == [(1, 0.6), (0, 0.0)]


def test_the_best_of_the_others_by_hand() -> None:
    trained = np.array([[0.9, 0.1, 0.5], [0.2, 0.8, 0.5], [0.4, 0.5, 0.6]])
    assert best_of_others(trained) == [1, 0, 0]
    assert best_of_others(np.array([[0.1 + 0.2, 0.0], [0.3, 0.0]])) == [0, 0]  # equal but for rounding


def scores(family: FamilyScores, less_is_better: bool = False) -> keeping.TestScores:
    row = keeping.TestRow(
        "Dis#1", None, "sim", "sim", False, False, 1, 5.0, 1.0, None, 0.5, None, None, None, None, False
    )
    return keeping.TestScores((row,), 3, "about", "points", less_is_better, None, None, None, True, family=family)


LINES = (LeftOut("sim", 4.0, 8, 6.0, "la(1)", 5.0), LeftOut("sim", 4.0, 8, 4.0, "la(1)", 4.0))
ALGORITHM = AlgorithmByDomain("Dis#1", "sim", False, (6.0, 4.0, 5.0), (1, -1, 0))


def test_what_is_said_of_domains_left_out() -> None:
    lines = (*LINES, LeftOut("step(sim)", 4.0, 8, 1.0, "is", 3.0))
    family = FamilyScores(("a", "b", "c"), 20, False, (ALGORITHM,), lines)
    said = (
        "On a domain it was not chosen on, each left out in turn, the candidate chosen on the others comes to "
        "3.67 points, the generic algorithm chosen so to 4.00: -0.33 (95 % interval over domains: -4.13 to +3.46), "
        "better on {} of 3 and worse on {}. The choice is `sim` for 2 of them, and la(1) of the generic ones for 2."
    )
    assert left_out_sentences(scores(family)) == [said.format(1, 1)]
    assert left_out_sentences(scores(FamilyScores(("a", "b"), 20, False, (ALGORITHM,), ()))) == [
        "With so few pulls no candidate was tried on all domains but one, for each that is left out, so nothing is "
        "said of domains never seen; more pulls for each candidate help (--pulls-per-candidate)."
    ]


def test_tables_by_hand() -> None:
    lines = (*LINES, LeftOut("step(sim)", 4.0, 8, 1.0, "is", 3.0))
    (_, about, table), (_, about_left, left) = family_text(
        scores(FamilyScores(("a", "b", "c"), 20, False, (ALGORITHM,), lines))
    )
    assert table.as_text() == [
        "name   expression  rank  mean  95 % interval  difference  p Holm     a     b     c",
        "Dis#1  sim            1   5.0              –           –       –  6.0+  4.0-  5.0",
    ]
    assert about == "points, more is better; about; intervals and tests are over domains"
    assert left.as_text() == [
        "left out  chosen on the others  mean here  generic, chosen so  mean here  difference",
        "a         sim                         6.0  la(1)                     5.0        +1.0",
        "b         sim                         4.0  la(1)                     4.0        +0.0",
        "c         step(sim)                   1.0  is                        3.0        -2.0",
        "mean                                  3.7                            4.0        -0.3",
    ]
    assert about_left.endswith("was decided on all domains, the one left out, too (--policy uniform does without)")
    blind = scores(FamilyScores(("a", "b", "c"), 20, True, (ALGORITHM,), lines))
    assert family_text(blind)[1][1].endswith("that is best in training on the others, on its 20 test problems")


def test_long_names_and_many_domains() -> None:
    names = tuple(f"a domain with a long name, {i}" for i in range(3))
    numbered = scores(FamilyScores(names, 20, True, (ALGORITHM,), ()))
    assert [heading.text for heading in family_text(numbered)[0][2].headings][-3:] == ["1", "2", "3"]
    assert about_domains(numbered).endswith("; 1: {}, 2: {}, 3: {}".format(*names))
    many = AlgorithmByDomain("Dis#1", "sim", False, (6.0,) * 20, (0,) * 20)
    wide = scores(FamilyScores(tuple("abcdefghijklmnopqrst"), 20, True, (many,), ()))
    assert len(family_text(wide)[0][2].headings) == 7
    assert about_domains(wide).endswith("; evaluation.csv has all domains")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign whose pulls are spent blindly, measured."""
    folder = tmp_path_factory.mktemp("family") / "c"
    made(folder, FAMILY, CANDIDATES, engine="reference", seed=5, policy="uniform", pulls=90)
    run(folder)
    standing = read_standing(folder)
    keep_family(folder, measure_family(standing, standing.ranking(2), 8, 1))
    return folder


def test_every_mean_is_that_of_an_evaluation(folder: Path) -> None:
    kept = read_kept(folder)
    assert kept is not None and kept.has_checksum and kept.problems == 8 and kept.scores.problems == 3
    family = kept.scores.domains
    assert family.domains == tuple(FAMILY) and family.spread_blindly
    texts = [one.expression for one in family.algorithms]
    generic = [one for one in family.algorithms if one.generic]
    trained = []
    for place, name in enumerate(FAMILY):
        how = {"budgets": 6, "problems": 8, "seed": 5, "engine": "reference"}
        tested = evaluate(name, texts, **how).settings[0].rewards.mean(axis=1)  # type: ignore[arg-type]
        assert [one.means[place] for one in family.algorithms] == pytest.approx(tested.tolist())
        names = [one.expression for one in generic]
        training = evaluate(name, names, split="train", stream=5, **how)  # type: ignore[arg-type]
        trained.append(training.settings[0].rewards.mean(axis=1))
    over_all = {one.expression: np.mean(one.means) for one in family.algorithms}
    for row in kept.scores.rows:
        assert row.mean == pytest.approx(over_all[row.expression])
    reference = next(row for row in kept.scores.rows if row.reference)
    assert reference.name == generic[int(np.mean(trained, axis=0).argmax())].name
    assert [one.generic for one in family.left_out] == [generic[i].name for i in best_of_others(np.array(trained).T)]


def test_choices_are_those_of_the_journal(folder: Path) -> None:
    standing, kept = read_standing(folder), read_kept(folder)
    assert kept is not None
    found = choices(standing.contents.arms, standing.contents.t, standing.contents.rewards, 5, 3)
    for place, (choice, line) in enumerate(zip(found, kept.scores.domains.left_out, strict=True)):
        assert choice is not None and line.choice == standing.expressions[choice.arm]
        own = next(one for one in kept.scores.domains.algorithms if one.expression == line.choice)
        assert line.mean == own.means[place] and line.chosen_mean == choice.mean
        usual = next(one for one in kept.scores.domains.algorithms if one.generic and one.name == line.generic)
        assert line.generic_mean == usual.means[place]


def test_measured_as_the_campaign_ran_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    standing, asked = read_standing(folder), []

    def noting(domain: object, texts: list[str], **how: Any) -> Any:
        asked.append({key: how[key] for key in ("budgets", "semantics", "engine", "max_nodes", "seed", "stream")})
        return evaluate(domain, texts, **{**how, "problems": 2})  # type: ignore[arg-type]

    monkeypatch.setattr(families, "evaluate", noting)
    settings = replace(standing.settings, semantics="maes2013", max_nodes=999)
    measured = measure_family(replace(standing, settings=settings), standing.ranking(1), 2, 1)
    alike = {"budgets": 6, "semantics": "maes2013", "engine": "reference", "max_nodes": 999, "seed": 5}
    assert asked == [{**alike, "stream": stream} for _ in FAMILY for stream in (0, 5)]
    assert len(measured.family.left_out) == 3


def test_nothing_is_said_of_domains_left_out_where_one_has_no_choice(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standing = read_standing(folder)
    monkeypatch.setattr(families, "choices", lambda *pulls: [None, *choices(*pulls)[1:]])
    assert measure_family(standing, standing.ranking(1), 2, 1).family.left_out == ()


def test_what_is_kept_can_be_read_as_tables(folder: Path) -> None:
    rows = list(csv.DictReader((folder / "evaluation.csv").read_text(encoding="utf-8").splitlines()))
    algorithms = {row["expression"] for row in rows}
    assert len(rows) == 3 * len(algorithms) and {row["domain"] for row in rows} == set(FAMILY)
    table = (folder / "evaluation.md").read_text(encoding="utf-8")
    assert table.startswith("## Scores over all domains\n") and "\n## On a domain it was not chosen on\n" in table
    with pytest.raises(UserError) as error:
        refuse_to_replace_by_less(folder, 5, 2)
    assert "has the 2 best on 8 test problems, more than the 2 best on 5 that would replace it" in str(error.value)


def test_a_report_shows_a_family(folder: Path) -> None:
    report = make_report(folder, top=2)
    text = as_text(report)
    assert text.startswith("3 domains: queens, knights, sudoku:2, 6 evaluations\n")
    for title in ("Scores over all domains\n", "On a domain it was not chosen on\n"):
        assert text.count(title) == 1 and f"## {title}" in as_markdown(report)
    assert "Over 3 domains, 8 test problems of each, it comes to " in text
    assert re.search(r"\ndomain 2 +knights\n", text)
    page = as_html(report)
    assert 'id="left-out"' in page and 'id="curves"' not in page and 'id="solutions"' not in page
    told = json.loads(as_json_text(report))
    assert told["test"]["family"]["domains"] == FAMILY and len(told["settings"]["family"]) == 3
    on = "--on queens --on knights --on sudoku:2"
    commands = [command for _, command in report.commands]
    assert commands[0].startswith(f"mcsgrammar discover {on} --budget 6 --candidates candidates.txt --policy uniform ")
    assert commands[1] == f"mcsgrammar evaluate {on} --from again --generic --seed 5 --engine reference"
    assert commands[2].startswith("mcsgrammar solve queens ")


def test_a_report_can_measure_a_family(folder: Path) -> None:
    before = (folder / "evaluation.json").read_bytes()
    started: list[str] = []
    report = make_report(folder, top=1, problems=3, curves=True, jobs=1, on_start=started.append)
    assert started == ["measuring the best and the generic algorithms on 3 test problems of each domain"]
    assert report.test is not None and report.test.domains.problems == 3 and not report.test.kept
    assert (folder / "evaluation.json").read_bytes() == before
    assert make_report(folder, problems=0, top=5).test is None
    kept = make_report(folder, problems=0).test  # of fewer, as the campaign measured
    assert kept is not None and kept.kept


def test_the_installed_command(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    words = ["--on", "queens", "--on", "knights", "--engine", "reference", "--budget", "4", "--depth", "2"]
    pulls = ["--repeat", "2", "--select", "0.5", "--pulls", "60", "--test-problems", "4", "--top", "2", "--jobs", "1"]
    done = mcsgrammar("discover", *words, *pulls, "--out", str(folder))
    assert done.returncode == 0, done.stderr
    planned, _, measuring = done.stderr.splitlines()
    assert "; then measuring the best on 4 test problems of each of 2 domains, about " in planned
    assert measuring == (
        "measuring the 2 best, the choices where a domain is left out, and the generic algorithms on 4 test problems "
        "of each of 2 domains"
    )
    assert done.stdout.startswith("Scores over all domains\nname ")
    assert f"\nkept in {folder}: evaluation.md, .csv and .json beside the journal\n" in done.stdout
    assert "\n  mcsgrammar solve queens " in done.stdout
    shown = mcsgrammar("status", str(folder))
    assert shown.stdout.startswith(
        "2 domains: queens, knights, 4 candidates, sampled-halving(each=8): 60 of 60 pulls\n"
    )
    again = mcsgrammar("resume", str(folder), "--jobs", "1", "--top", "2", "--test-problems", "4")
    assert again.returncode == 0 and again.stdout == done.stdout
    beside = mcsgrammar("evaluate", "sudoku:2", "--from", str(folder), "--problems", "2", "--engine", "reference")
    assert beside.returncode == 0 and "Dis#1" in beside.stdout

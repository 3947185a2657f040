"""What a campaign has measured at its end, as a report reads it: never silently something else."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from discovery.documents import with_checksum
from discovery.evaluation.comparison import contestants
from discovery.evaluation.measuring import Wanted, best_of_campaign, measure
from discovery.evaluation.tables import as_json_text as evaluation_text
from discovery.report.report import Report, make_report
from discovery.report.text import as_json_text
from domains.errors import UserError
from tests.discovery.campaigns import on_disk, refused
from tests.discovery.reports import Pull, written

PULLS: list[Pull] = [(0, 0.25), (1, 0.5), (2, 0.0), (0, 0.5), (1, 1.0), (2, 0.0)]
"""The third candidate has mean 0."""


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A campaign with the evaluation that `discover` leaves."""
    folder = written(tmp_path_factory.mktemp("kept") / "c", "sudoku:2", ("sim", "step(sim)", "lookahead(sim)"), PULLS)
    best = best_of_campaign(folder, 10)
    columns = measure([Wanted("sudoku:2", 20)], contestants((), True, best.trained), problems=4, seed=3, selection=best)
    (folder / "evaluation.json").write_text(evaluation_text(columns))
    return folder


@pytest.fixture
def campaign(complete: Path, tmp_path: Path) -> Path:
    return shutil.copytree(complete, tmp_path / "c")


def report(folder: Path) -> Report:
    return make_report(folder, problems=0)


def without_mean_0(content: dict[str, Any]) -> None:
    for row in content["rows"]:
        row["training_mean"] = row["training_mean"] or None


def change(folder: Path, alter: Callable[[dict[str, Any]], object], sign: bool = False) -> None:
    """Alter the evaluation, with a new checksum or with the one that is there."""
    path = folder / "evaluation.json"
    content = json.loads(path.read_text())
    alter(content)
    path.write_text(json.dumps(with_checksum(content) if sign else content))


def test_a_mean_of_zero_is_a_mean(campaign: Path) -> None:
    """Not what is missing: the scores were measured again, for minutes."""
    found = report(campaign)
    assert found.ranking[-1].mean == 0.0
    assert found.test is not None and found.test.kept and found.notes == ()


def test_a_bit_that_flips_changes_nothing_that_is_said(campaign: Path) -> None:
    path, random = campaign / "evaluation.json", Random(1)
    sound, said = path.read_bytes(), as_json_text(report(campaign))
    refusals = 0
    for _ in range(150):
        flipped = bytearray(sound)
        flipped[random.randrange(len(flipped))] ^= 1 << random.randrange(8)
        path.write_bytes(flipped)
        try:
            found = report(campaign)
            assert as_json_text(found) == said or found.notes
        except UserError as error:
            assert str(error).startswith(f"{path} is damaged: ")
            refusals += 1
    assert refusals > 140


def test_a_forged_mean(campaign: Path, tmp_path: Path) -> None:
    change(campaign, lambda content: content["rows"][0].update(mean=16.5))
    assert refused(tmp_path, "report", campaign) == (
        "c/evaluation.json is damaged: it does not match its checksum; delete it, and measure again with: "
        "mcsgrammar resume c"
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[" * 100_000, "its brackets are nested too deep"),
        ("[]", "it is no evaluation"),
        ("{}", "it is no evaluation"),
        ('{"rows": [], "mean": NaN}', "NaN is no number of JSON"),
    ],
    ids=["deep", "list", "empty", "nan"],
)
def test_what_is_no_evaluation(text: str, why: str, campaign: Path) -> None:
    (campaign / "evaluation.json").write_text(text)
    with pytest.raises(UserError) as error:
        report(campaign)
    assert f"evaluation.json is damaged: {why}; delete it" in str(error.value)


@pytest.mark.parametrize(
    "alter",
    [
        lambda content: content.update(problems="x"),
        lambda content: content.update(rows=[]),
        lambda content: content["rows"][0].pop("star"),
        lambda content: [row.update(reference=False) for row in content["rows"]],
    ],
)
def test_what_has_a_checksum_may_be_no_evaluation(alter: Callable[[Any], object], campaign: Path) -> None:
    change(campaign, alter, sign=True)
    with pytest.raises(UserError, match=r"evaluation\.json is damaged: "):
        report(campaign)


@pytest.mark.parametrize(
    ("key", "value", "own"),
    [
        ("domain", "sudoku:3", "sudoku:2"),
        ("budget", 6, 20),
        ("seed", 1, 3),
        ("split", "train", "test"),
        ("semantics", "maes2013", "standard"),
    ],
)
def test_an_evaluation_of_something_else_is_left_out(key: str, value: object, own: object, campaign: Path) -> None:
    change(campaign, lambda content: content.update({key: value}), sign=True)
    found = report(campaign)
    assert found.test is None
    assert found.notes == (f"evaluation.json is left out: its {key} is {value}, the campaign's {own}",)


def test_an_evaluation_without_one_of_the_best_is_left_out(campaign: Path) -> None:
    change(campaign, without_mean_0, sign=True)
    found = make_report(campaign, problems=0, top=3)
    one = found.ranking[-1]
    assert found.test is None and found.notes == (
        f"evaluation.json is left out: it has not number 3 of the ranking, {one.expression_text} with the "
        "training mean 0",
    )


def test_of_fewer_than_usual_that_were_measured_the_report_is(campaign: Path) -> None:
    """After `discover --top 2`, a report without a number shows these, and measures nothing anew."""
    change(campaign, without_mean_0, sign=True)
    for problems in (None, 0):
        found = make_report(campaign, problems=problems)
        assert found.top == 2 and found.test is not None and found.test.kept and found.notes == ()
    assert make_report(campaign, problems=0, top=10).test is None


def test_older_ones_have_no_checksum(campaign: Path) -> None:
    change(campaign, lambda content: content.pop("checksum"))
    found = report(campaign)
    assert found.test is not None
    assert found.notes == (
        "evaluation.json is of an older version and has no checksum; nobody can tell whether it was changed",
    )


def test_less_does_not_replace_more(campaign: Path, tmp_path: Path) -> None:
    """It is refused before anything is run."""
    there = "c/evaluation.json has the 3 best on 4 test problems, more than the"
    ways = f"or more, --test-problems 0 to measure nothing, or only look with: mcsgrammar report {campaign}"
    before = on_disk(campaign)
    assert refused(tmp_path, "resume", campaign, "--test-problems", "3") == (
        f"{there} 10 best on 3 that would replace it; write --test-problems 4 --top 10 {ways} "
        "--test-problems 3 --top 10"
    ).replace(f"{campaign}", "c")
    assert refused(tmp_path, "resume", campaign, "--test-problems", "50", "--top", "2") == (
        f"{there} 2 best on 50 that would replace it; write --test-problems 50 --top 3 {ways} "
        "--test-problems 50 --top 2"
    ).replace(f"{campaign}", "c")
    assert on_disk(campaign) == before

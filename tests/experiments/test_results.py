"""What is kept in results/ is what the commands here make, of the campaigns listed here."""

import json
import shutil
from pathlib import Path

import pytest

from experiments.campaigns import CAMPAIGNS
from experiments.options import RESULTS
from experiments.reading import QUESTION, READING, UNKNOWN, Answers, reading
from experiments.rendering import markdown_of, render
from experiments.stored import read_stored

CSVS = sorted((RESULTS / "tables").glob("*.csv"))
KEPT = sorted(path.parent.name for path in RESULTS.glob("campaigns/*/settings.json"))


@pytest.mark.parametrize("path", CSVS, ids=[path.stem for path in CSVS])
def test_a_table_regenerates_from_its_csv(path: Path) -> None:
    assert markdown_of(f"tables/{path.name}", path.read_text("utf-8")) == path.with_suffix(".md").read_text("utf-8")


def test_rendering_the_kept_results_changes_nothing(tmp_path: Path) -> None:
    copy = tmp_path / "results"
    shutil.copytree(RESULTS, copy)
    for path in render(copy):
        assert path.read_bytes() == (RESULTS / path.relative_to(copy)).read_bytes(), path.name


@pytest.mark.parametrize("name", KEPT)
def test_a_kept_campaign_is_the_one_in_the_list(name: str) -> None:
    campaign = CAMPAIGNS[name]
    settings = json.loads((RESULTS / "campaigns" / name / "settings.json").read_text("utf-8"))
    assert settings["domain"] == campaign.domain
    assert settings["budget"] == (None if campaign.by_time else campaign.budget)
    assert (settings["seconds"] is not None) == campaign.by_time
    assert settings["candidates"] == {5: 3_155, 6: 24_691}[campaign.depth]
    assert settings["pulls"] == round(campaign.pulls_per_candidate * settings["candidates"])
    assert settings["policy"].partition("(")[0] == campaign.policy
    assert settings["seed"] == campaign.seed


def test_every_question_of_the_reading_has_an_answer() -> None:
    answers = Answers(read_stored(RESULTS))
    questions = QUESTION.findall(READING.read_text("utf-8"))
    assert questions
    for question in questions:
        assert answers.answer(question) not in ("", UNKNOWN), question


def test_a_question_without_an_answer_says_so() -> None:
    stored = read_stored(RESULTS)
    assert reading(stored, "{{score sudoku4 no such algorithm}}") == UNKNOWN
    with pytest.raises(ValueError, match=r"\{\{weather today\}\}: there is no such question"):
        reading(stored, "{{weather today}}")

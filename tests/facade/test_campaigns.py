"""Campaigns from Python: what is returned, where it is kept, what is said."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import mcsgrammar as mg
from discovery.campaign.ranking import Ranked
from discovery.evaluation.measuring import measure_selected
from discovery.keeping.locking import FolderLock
from mcsgrammar.cli import cli
from tests.facade.words import Words

FEW = ["sim", "step(sim)", "step(lookahead(sim))", "select(sim, 0.5)"]


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> mg.Campaign:
    folder = tmp_path_factory.mktemp("campaign") / "c"
    return mg.discover(Words(), folder, budget=3, candidates=FEW, pulls=40, batch=10, test_problems=5, top=2)


def test_a_campaign_is_a_sequence_of_its_candidates(campaign: mg.Campaign) -> None:
    assert [one.rank for one in campaign] == [1, 2, 3, 4] and len(campaign) == 4
    assert isinstance(campaign[0], Ranked) and campaign[1:3] == campaign.ranking()[1:3]
    assert str(campaign.best) == campaign[0].expression_text
    assert campaign.complete and campaign.pulls_done == 40
    assert repr(campaign) == f"<Campaign {campaign.folder}: Words, 40 of 40 pulls; best {campaign.best}>"


def test_what_callbacks_and_attributes_give_is_shown_in_a_line(tmp_path: Path) -> None:
    told: list[str] = []
    how = {"policy": "uniform", "batch": 4, "progress": False}
    campaign = mg.discover(
        Words(), tmp_path, budget=2, candidates=FEW, pulls=4, on_batch=lambda p: told.append(repr(p)), **how
    )  # type: ignore[arg-type]
    assert told == ["<Progress: 4 of 4 pulls>"]
    assert repr(campaign.contents) == "<Contents of a journal: 4 pulls in 1 batches>"


def test_its_best_are_measured_where_that_is_asked_for(campaign: mg.Campaign) -> None:
    assert {path.name for path in campaign.folder.iterdir()} > {"evaluation.json", "evaluation.md", "evaluation.csv"}
    document = json.loads((campaign.folder / "evaluation.json").read_text(encoding="utf-8"))
    assert document["problems"] == 5
    assert [row.expression for row in campaign.tested] == [row["expression"] for row in document["rows"]]
    assert sum(row["training_mean"] is not None for row in document["rows"]) == 2


def test_what_was_measured_is_not_replaced_by_less(campaign: mg.Campaign) -> None:
    before = (campaign.folder / "evaluation.json").read_bytes()
    with pytest.raises(mg.UserError) as error:
        mg.discover(*(Words(), campaign.folder), budget=3, candidates=FEW, pulls=40, batch=10, test_problems=3, top=2)
    assert "--test-problems 5" in str(error.value)
    assert (campaign.folder / "evaluation.json").read_bytes() == before


def test_load_reads_what_discover_returned(campaign: mg.Campaign) -> None:
    again = mg.load(str(campaign.folder))
    assert again.ranking() == campaign.ranking() and again.folder == campaign.folder and again.best == campaign.best


def test_status_is_the_document_of_the_command(campaign: mg.Campaign) -> None:
    status = mg.status(campaign.folder, top=2.0)  # type: ignore[arg-type]
    assert status == json.loads(
        CliRunner().invoke(cli, ["status", str(campaign.folder), "--top", "2", "--json"]).stdout
    )
    assert status["complete"] and len(status["leaders"]) == 2


def test_report_is_text_a_page_and_files(campaign: mg.Campaign, tmp_path: Path) -> None:
    page, tables = tmp_path / "report.html", tmp_path / "candidates.csv"
    report = mg.report(campaign.folder, csv=tables, top=2)
    assert tables.read_text(encoding="utf-8").count("\n") == 5 and not page.exists()
    assert (
        repr(report)
        == "<Report on Words, 3 evaluations: Complete: 40 pulls on 4 candidates by sampled-halving(each=4)>"
    )
    assert str(report).startswith("Words, 3 evaluations\n") and str(campaign.best) in str(report)
    shown = report._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "<html" not in shown
    with pytest.raises(mg.UserError) as error:
        mg.report(campaign.folder, csv=tables, top=2)
    assert str(error.value) == f"{tables} exists; choose another name, or add --force to overwrite it"
    mg.report(campaign.folder, csv=tables, top=2, force=True)


def test_report_says_its_notes(campaign: mg.Campaign, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = shutil.copytree(campaign.folder, tmp_path / "c")
    kept = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))
    del kept["checksum"]
    (folder / "evaluation.json").write_text(json.dumps(kept), encoding="utf-8")
    [note] = mg.report(folder, top=2).notes
    assert capsys.readouterr().err == f"note: {note}\n"


def test_report_on_a_domain_that_only_this_process_knows(campaign: mg.Campaign, tmp_path: Path) -> None:
    with pytest.raises(mg.UserError) as error:
        mg.report(campaign.folder, md=tmp_path / "report.md", top=2)
    assert str(error.value).endswith("\n--test-problems 0 reports without running anything")
    mg.report(campaign.folder, md=tmp_path / "report.md", top=2, domain=Words())
    assert "## The best solution" in (tmp_path / "report.md").read_text(encoding="utf-8")
    with pytest.raises(mg.UserError) as error:
        mg.report(campaign.folder, html=tmp_path / "report.html", top=2, domain=mg.domain("queens"))
    assert "has changed since the campaign began" in str(error.value)


def test_what_was_begun_with_an_object_goes_on_with_it(campaign: mg.Campaign) -> None:
    with pytest.raises(mg.UserError) as error:
        mg.report(campaign.folder, top=2, test_problems=5)
    assert str(error.value).startswith(
        "there is no domain 'Words' here: if it is the class of an object that was handed over in Python, go on there "
        "(mg.discover or mg.match with that object and the same folder, mg.report with it as domain); if a package "
        "brought it, install that\n"
    )


def test_two_do_not_measure_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither by the command nor from Python: the one that is done first is not overwritten by less."""
    folder, measured = tmp_path / "c", []

    def measuring(*arguments: Any) -> Any:
        with pytest.raises(mg.UserError, match="is working on this campaign"), FolderLock(folder):
            pass
        measured.append(arguments[2])
        return measure_selected(*arguments)

    for module in ("discovery.evaluation.measuring", "mcsgrammar.facade.campaigns"):
        monkeypatch.setattr(f"{module}.measure_selected", measuring)
    mg.discover("queens", folder, budget=3, candidates=FEW, pulls=8, top=2, test_problems=2)
    done = CliRunner().invoke(cli, ["resume", str(folder), "--top", "2", "--test-problems", "3", "--jobs", "1"])
    assert done.exit_code == 0 and measured == [2, 3]


def test_a_table_of_the_leaders_as_html(campaign: mg.Campaign) -> None:
    page = campaign._repr_html_()
    assert page.count("<tr>") == 5 and f"<td>{campaign.best}</td>" in page


def test_without_a_folder_it_is_a_temporary_one_which_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    campaign = mg.discover(Words(), budget=2, candidates="sim", pulls=2)
    assert campaign.folder.parent == tmp_path and campaign.folder.name.startswith("mcsgrammar-")
    said = f"the campaign is kept in {campaign.folder}; name a folder (out=…) to keep it for good\n"
    assert said in capsys.readouterr().err
    assert mg.load(campaign.folder).complete


def test_a_campaign_that_is_stopped_is_returned_and_not_measured(tmp_path: Path) -> None:
    def stop(progress: object) -> None:
        raise KeyboardInterrupt

    how = {"policy": "uniform", "batch": 10, "test_problems": 5}
    campaign = mg.discover(Words(), tmp_path / "c", budget=2, candidates=FEW, pulls=20, on_batch=stop, **how)  # type: ignore[arg-type]
    assert (campaign.pulls_done, campaign.complete, campaign.tested) == (10, False, [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test_problems": -1}, "test_problems cannot be -1; it is at least 0"),
        ({"top": 0}, "top cannot be 0; it is at least 1"),
        ({"jobs": 0}, "the number of jobs cannot be 0; it is at least 1"),
    ],
)
def test_what_is_refused_before_anything_is_written(options: dict[str, int], message: str, tmp_path: Path) -> None:
    with pytest.raises(mg.UserError) as error:
        mg.discover(Words(), tmp_path / "c", candidates="sim", **options)  # type: ignore[arg-type]
    assert str(error.value) == message
    assert not (tmp_path / "c").exists()

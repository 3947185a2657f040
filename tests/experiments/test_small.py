"""The whole, smaller still than `small`: campaigns, measurements, what is kept, tables and pictures."""

import shutil
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from experiments.files import read_csv
from experiments.rendering import markdown_of, render
from experiments.scales import Scale
from experiments.small import run_small

pytestmark = pytest.mark.slow

TINY = Scale("tiny", pulls=0.04, budget=0.01, depth=-2, problems=0.0005)
CAMPAIGNS = ("sudoku4-ucb1", "sudoku4-halving", "sudoku4-seconds", "regression-ucb1", "regression-halving-10")
COLUMNS = ("sudoku4", "T11", "robustness", "sudoku4-seconds")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tiny")
    run_small(folder, 1, lambda _: None, TINY, CAMPAIGNS, COLUMNS)
    return folder


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_everything_is_there(folder: Path) -> None:
    names = set(files_of(folder / "results"))
    tables = ("II", "IV", "VIII", "VIII-maes2013", "III", "V", "campaigns", "finding")
    assert {f"tables/{name}.{kind}" for name in tables for kind in ("csv", "md")} <= names
    assert {f"pictures/{name}.svg" for name in ("scores-II", "scores-VIII", "finding", "components")} <= names
    assert {
        f"campaigns/{c}/{f}" for c in CAMPAIGNS for f in ("settings.json", "candidates.csv", "summary.json")
    } <= names
    assert {"README.md", "measurements.csv", "finding.csv", "machine.json"} <= names


def test_rendering_again_gives_the_same_bytes_and_searches_nothing(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_search(*_: object, **__: object) -> None:
        raise AssertionError("render must not search")

    for name in (
        "mcsgrammar.engines.compiled.driver.CompiledEngine.run",
        "mcsgrammar.engines.reference.engine.ReferenceEngine.run",
    ):
        monkeypatch.setattr(name, no_search)
    before = files_of(folder / "results")
    shutil.copytree(folder / "results", tmp_path / "copy")
    for made in ("tables", "pictures"):
        shutil.rmtree(tmp_path / "copy" / made)
    (tmp_path / "copy" / "README.md").unlink()
    render(tmp_path / "copy")
    assert files_of(tmp_path / "copy") == before


def test_every_table_is_made_from_its_csv_alone(folder: Path) -> None:
    results = folder / "results"
    for path in sorted((results / "tables").glob("*.csv")):
        name = str(path.relative_to(results))
        assert markdown_of(name, path.read_text("utf-8")) == path.with_suffix(".md").read_text("utf-8")


def test_a_finding_differs_from_the_one_it_is_beside(folder: Path) -> None:
    rows = {row["campaign"]: row for row in read_csv(folder / "results" / "finding.csv")}
    besides = [(row, rows[row["beside"]]) for row in rows.values() if row["beside"] != row["campaign"]]
    assert any(row["first"] != beside["first"] for row, beside in besides)
    for row, beside in besides:
        for what in ("first", "ten"):
            difference = float(row[f"{what}_mean"]) - float(beside[f"{what}_mean"])
            assert float(row[f"{what}_difference"]) == pytest.approx(difference, abs=1e-4)


def test_pictures_are_svg(folder: Path) -> None:
    for path in (folder / "results" / "pictures").iterdir():
        assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"


def test_candidates_have_a_line_each(folder: Path) -> None:
    lines = (folder / "results/campaigns/sudoku4-ucb1/candidates.csv").read_text("utf-8").splitlines()
    assert lines[0] == "expression,rank,pulls,mean,sd,best"
    assert len(lines) == 1 + 51
    assert sum(int(line.rsplit(",", 4)[1]) for line in lines[1:]) == 4 * 51
    assert sorted(int(line.rsplit(",", 5)[1]) for line in lines[1:]) == list(range(1, 52))


def test_finished_work_is_left_alone(folder: Path) -> None:
    before = {name: data for name, data in files_of(folder / "work").items() if not name.endswith("lock")}
    run_small(folder, 1, lambda _: None, TINY, CAMPAIGNS, COLUMNS)
    assert {name: data for name, data in files_of(folder / "work").items() if not name.endswith("lock")} == before

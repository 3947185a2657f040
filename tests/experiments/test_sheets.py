"""The page on rule sheets is what its tables say; a choice is made without the sheet; runs go on after a kill."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from experiments.cli import main
from experiments.files import read_csv
from experiments.options import RESULTS
from experiments.sheets import running as sheets_running
from experiments.sheets.question import SIZES, TWINS, Size, algorithms, canonical_generics
from experiments.sheets.rendering import NAME, Tried, read_tried, sheets_text
from experiments.sheets.running import FOLDER, measure, sheets_for_one, write_tables
from mcsgrammar.language.named import GENERIC
from mcsgrammar.language.parsing import parse
from tests.domains.gdl.games import FOR_ONE, SHEETS

TINY = Size("tiny", budget=20, depth=2, runs=2, slowest=100.0)


def test_rendering_the_kept_tables_changes_nothing(tmp_path: Path) -> None:
    shutil.copytree(RESULTS / FOLDER, tmp_path / FOLDER)
    done = CliRunner().invoke(main, ["sheets", "--render", "--results", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert (tmp_path / NAME).read_bytes() == (RESULTS / NAME).read_bytes()


def test_a_page_without_any_table(tmp_path: Path) -> None:
    assert sheets_text(tmp_path).endswith("\nnot measured yet\n")


def test_no_algorithm_is_tried_twice() -> None:
    for size in SIZES.values():
        names = algorithms(size)
        assert len({str(parse(name)) for name in names}) == len(names) and names[-len(GENERIC) :] == list(GENERIC)
        assert not canonical_generics() & set(names[: -len(GENERIC)])


def test_enough_sheets_are_kept() -> None:
    sheets, own = read_tried(RESULTS / FOLDER)
    assert len(sheets.games) >= 40 and own.games == sorted(TWINS)
    assert (sheets.points >= 0).all() and (sheets.points <= 100).all()


def test_what_is_chosen_on_one_half_is_measured_on_the_other() -> None:
    """A candidate that is best by far everywhere gains what it is better by; one that is best on one sheet alone is
    chosen where this is in the half that chooses, and disappoints on the other."""
    names = ["step(sim)", "lookahead(repeat(sim, 2))", "la(1)", "nmc(2)", "uct(0)"]
    always = np.array([[30.0] * 4, [0] * 4, [10] * 4, [5] * 4, [20] * 4])
    halves = Tried(names, list("wxyz"), always).by_halves()
    assert (halves.mean, halves.low, halves.high, halves.reached) == (10, 10, 10, 30)
    assert set(halves.chosen) == {0} and set(halves.usual) == {4}
    assert Tried(names, [], always).candidates == [0, 1, 2], "nmc(2) is deeper, and uct goes by the budget"
    once = np.array([[80.0, 0, 0, 0], [0] * 4, [10] * 4, [0] * 4, [0] * 4])
    halves = Tried(names, list("wxyz"), once).by_halves()
    assert set(halves.chosen) == {0, 2} and halves.high <= 0 and halves.low == -10


def test_whose_sheets_are_taken(tmp_path: Path) -> None:
    for name in ("hanoi", "tictactoe"):
        for folder in (name, f"{name}/v1", f"disabled_games/{name}"):
            (tmp_path / folder).mkdir(parents=True)
            shutil.copy(SHEETS / f"{name}.kif", tmp_path / folder)
    (tmp_path / "wrong.kif").write_text("(role a")
    assert list(sheets_for_one(tmp_path)) == [tmp_path / "hanoi" / "hanoi.kif"]


@pytest.mark.slow
def test_from_sheets_to_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, work, results = tmp_path / "sheets", tmp_path / "work", tmp_path / "results"
    monkeypatch.setitem(SIZES, "tiny", TINY)
    for name in FOR_ONE:
        (folder / name).mkdir(parents=True)
        shutil.copy(SHEETS / f"{name}.kif", folder / name)
    (folder / "again").mkdir()
    (folder / "again" / "b.kif").write_text("; again\n" + (SHEETS / "bridge.kif").read_text())
    measured = sheets_running._measured
    done: list[str] = []

    def interrupted(column: str, name: str, size: Size) -> dict[str, object]:
        if column == "hanoi/hanoi.kif" and "hanoi/hanoi.kif" not in done:
            done.append(column)
            raise KeyboardInterrupt
        done.append(column)
        return measured(column, name, size)

    monkeypatch.setattr(sheets_running, "_measured", interrupted)
    with pytest.raises(KeyboardInterrupt):
        measure(folder, work, TINY)
    measure(folder, work, TINY)
    assert len(done) == len(set(done)) + 1, "what was kept is not run again"
    write_tables(work, results, TINY)
    games = {line["game"]: line["left_out"] for line in read_csv(results / FOLDER / "games.csv")}
    assert games == {
        "again/b.kif": "",
        "bridge/bridge.kif": "the rules of another sheet",
        "eight/eight.kif": "",
        "hanoi/hanoi.kif": "",
        **dict.fromkeys(sorted(TWINS), ""),
    }
    sheets, own = read_tried(results / FOLDER)
    assert sheets.games == ["again/b.kif", "eight/eight.kif", "hanoi/hanoi.kif"] and own.games == sorted(TWINS)
    kept = next(path for path in (work / FOLDER / "tiny").iterdir() if "eight" in path.read_text())
    rewards = json.loads(kept.read_text())["rewards"]
    assert 100 * rewards["is"] == pytest.approx(sheets.points[sheets.names.index("is"), 1], rel=1e-3)
    text = sheets_text(results / FOLDER)
    assert "On 3 sheets, 20 evaluations a run and 2 runs each" in text
    assert "- bridge/bridge.kif: the rules of another sheet" in text and not re.search(r"\bnan\b", text)


def test_it_must_be_said_where_the_sheets_are(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["sheets", "--work", str(tmp_path)], env={"MCSGRAMMAR_SHEETS": ""})
    assert done.exit_code == 2 and "say where the sheets are: --folder DIR, or MCSGRAMMAR_SHEETS" in done.output

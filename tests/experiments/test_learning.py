"""The page on policy adaptation is what its tables say; runs go on after a kill; gains have the right sign."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from experiments.cli import main
from experiments.files import read_csv
from experiments.learning import running as learning_running
from experiments.learning.question import ARENAS, LONG, Arena, LongRun, nrpa
from experiments.learning.rendering import CLEAR, NAME, READING, Table, errors, learning_text, render_learning
from experiments.learning.running import FOLDER, MEASURES, run_arenas, run_long, stored_best, table_of
from experiments.options import RESULTS
from experiments.pieces import domain_of
from experiments.scales import Scale
from mcsgrammar.engines.searching import Limits, prepare
from mcsgrammar.language.parsing import parse

TINY = Scale("tiny", pulls=0.01, budget=0.05, depth=-2, problems=0.01)


def test_rendering_the_kept_tables_changes_nothing(tmp_path: Path) -> None:
    shutil.copytree(RESULTS / FOLDER, tmp_path / FOLDER)
    done = CliRunner().invoke(main, ["learning", "--render", "--results", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert (tmp_path / NAME).read_bytes() == (RESULTS / NAME).read_bytes()


def test_a_page_without_any_table(tmp_path: Path) -> None:
    assert learning_text(tmp_path).count("not measured yet") == 2 * len(ARENAS) + 2


def test_every_contestant_runs_where_it_is_asked_to() -> None:
    wanted = [(arena.domain, text) for arena in ARENAS.values() for _, text in arena.fixed()]
    wanted += [(arena.domain, stored_best(column)) for arena in ARENAS.values() for column in arena.columns]
    wanted += [(ARENAS[run.arena].domain, run.expression) for run in LONG]
    for domain, text in wanted:
        prepare(parse(text), domain_of(domain), Limits(1_000))


def test_the_reading_has_no_figure_of_its_own() -> None:
    prose = re.sub(r"`[^`]*`|\b5[TD]\b", "", READING.read_text("utf-8"))
    assert not re.search(r"\d", prose)


NO_USE_OF_LESSONS = ("statespace", "pancakes", "frogs")
OLD_IS_AS_GOOD_IN_TIME = (*NO_USE_OF_LESSONS, "sudoku4", "sudoku4-longer", "knights")
NRPA_AS_GOOD = ("morpion5T", "morpion5D", "sudoku4", "sudoku4-longer", "regression")


def test_what_the_reading_says_is_so() -> None:
    tables = {key: Table(arena, RESULTS / FOLDER) for key, arena in ARENAS.items()}
    for key, table in tables.items():
        by_evaluations, by_seconds = (table.first_found(measure) for measure in MEASURES)
        assert ("adapt(" in by_evaluations["expression"]) == (key not in ("pancakes", "frogs")), key
        assert (errors(by_evaluations, "old") > CLEAR) == (key not in NO_USE_OF_LESSONS), key
        if key in NRPA_AS_GOOD:
            assert abs(errors(by_evaluations, "nrpa")) < CLEAR
        elif key != "pancakes":
            assert errors(by_evaluations, "nrpa") > CLEAR
        assert (errors(by_seconds, "nrpa") > CLEAR) == (key != "tsptw"), key
        assert (errors(by_seconds, "old") > CLEAR) == (key not in OLD_IS_AS_GOOD_IN_TIME), key
        learns = key not in (*OLD_IS_AS_GOOD_IN_TIME, "tsptw")
        assert ("adapt(" in by_seconds["expression"]) == learns, key
        if table.arena.guided:
            assert "guided" in by_evaluations["expression"] and "guided" in by_seconds["expression"]
            assert (errors(by_evaluations, "guided") > CLEAR) == (key == "tsptw")
            assert errors(by_seconds, "guided") < CLEAR
    for key in NO_USE_OF_LESSONS:
        rows = tables[key].of("seconds")
        nrpa = max(float(row["mean"]) for row in rows if row["kind"] == "NRPA")
        assert all(float(row["mean"]) > nrpa + 10 for row in rows if row["kind"].startswith("old best"))


def test_what_the_reading_says_of_the_one_made_by_hand() -> None:
    """It beats the old best in the same time on Morpion, the simple Sudoku and queens; on knights the old best does."""
    knights = {
        row["expression"]: float(row["mean"]) for row in Table(ARENAS["knights"], RESULTS / FOLDER).of("seconds")
    }
    assert knights["step(lookahead(sim))"] > knights["adapt(adapt(step(sim), 20), 23)"]
    for key in ("morpion5T", "morpion5D", "sudoku_simple", "queens"):
        rows = {row["kind"]: float(row["mean"]) for row in Table(ARENAS[key], RESULTS / FOLDER).of("seconds")}
        assert rows["by hand"] > max(mean for kind, mean in rows.items() if kind.startswith("old best"))


def test_nrpa_as_it_is_called() -> None:
    assert nrpa(2, 100) == "adapt(adapt(sim, 100), 100)"
    assert str(parse(nrpa(3, 7, "step(sim)"))) == "adapt(adapt(adapt(step(sim), 7), 7), 7)"


@pytest.mark.parametrize(("domain", "sign"), [("sudoku:4", 1.0), ("regression", -1.0)])
def test_gains_are_above_0_where_it_is_better(domain: str, sign: float) -> None:
    arena = Arena("any", domain, "Any", 10, 0.01, 1, 3, ())
    contestants = [("found by seconds #1", "a"), ("NRPA", "b"), ("NRPA", "c"), ("old best", "d")]
    good = np.array([[4.0, 5.0, 6.0], [1.0, 2.0, 3.0], [2.0, 3.0, 4.5], [4.0, 5.5, 7.0]])
    scores = np.stack([sign * good, sign * good[::-1]])
    rows = table_of(arena, 10, contestants, scores, np.ones_like(scores))
    assert len(rows) == 8
    found = rows[0]
    assert (found["beside_nrpa"], found["beside_old"]) == ("c", "d")
    assert float(found["gain_nrpa"]) == pytest.approx(11 / 6, rel=1e-4)
    assert float(found["gain_old"]) == pytest.approx(-0.5)
    assert float(found["gain_old_stderr"]) == pytest.approx(0.5 / 3**0.5, rel=1e-4)
    assert found["beside_guided"] == found["gain_guided"] == ""
    assert rows[2]["gain_nrpa"] == "" and rows[3]["gain_old"] == ""
    assert rows[4]["beside_nrpa"] == "b" and found["better"] == ("more" if sign > 0 else "less")


@pytest.mark.slow
def test_what_is_there_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arena = Arena("sudoku4", "sudoku:4", "Sudoku(4)", 1_000, 0.002, 5_000, 3, ((2, 10),), old=True)
    long = [LongRun("sudoku4", "adapt(sim, 10)", 1_000, 3)]

    def whole() -> list[str]:
        run_arenas(tmp_path / "work", tmp_path / "results", [arena], TINY, lambda _: None)
        run_long(tmp_path / "work", tmp_path / "results", long, TINY, lambda _: None)
        render_learning(tmp_path / "results")
        return [path.read_text("utf-8") for path in sorted((tmp_path / "results").rglob("*.*")) if path.is_file()]

    first = whole()

    def no_run(*_: object) -> None:
        raise AssertionError("there is nothing left to run")

    monkeypatch.setattr(learning_running, "_run", no_run)
    assert whole() == first
    rows = read_csv(tmp_path / "results" / FOLDER / "sudoku4.csv")
    kinds = {row["kind"] for row in rows}
    assert {"found by evaluations #1", "found by seconds #1", "NRPA"} <= kinds
    assert any(kind.startswith("old best, by") for kind in kinds)
    assert len(read_csv(tmp_path / "results" / FOLDER / "sudoku4-campaigns.csv")) == 4
    monkeypatch.setattr(learning_running, "FIRST_PROBLEM", 7)
    with pytest.raises(AssertionError, match="nothing left"):
        whole()  # those are other problems

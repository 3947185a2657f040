"""A killed `tables` run goes on and comes to the same; its scores are those of `mcsgrammar evaluate`."""

from pathlib import Path

import numpy as np
import pytest

from discovery.evaluation.evaluating import evaluate
from experiments.columns import COLUMNS
from experiments.pieces import Piece, run_tasks, tasks_for

TEXTS = ("sim", "step(lookahead(sim))", "step(repeat(select(sim, 0.5), 4))")
PIECES = [Piece("sudoku4", "standard", text) for text in TEXTS]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(COLUMNS["sudoku4"]), "chunk", 3)


def measure(work: Path, problems: int) -> None:
    run_tasks(tasks_for(PIECES, work, {"sudoku4": problems}), work, jobs=1)


def test_a_killed_run_goes_on_where_it_was(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    measure(whole, 8)
    done = []

    def kill(_: str) -> None:
        done.append(1)
        if len(done) == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_tasks(tasks_for(PIECES, killed, {"sudoku4": 8}), killed, 1, kill)
    (killed / "tables/sudoku4/standard/.4711.tmp").write_bytes(b"half a piece")
    assert [piece.read(killed).shape[1] for piece in PIECES] == [8, 3, 0]
    left = tasks_for(PIECES, killed, {"sudoku4": 8})
    assert [(task.piece.expression, task.problems) for task in left] == [
        (TEXTS[1], range(3, 6)),
        (TEXTS[1], range(6, 8)),
        (TEXTS[2], range(3)),
        (TEXTS[2], range(3, 6)),
        (TEXTS[2], range(6, 8)),
    ]
    measure(killed, 8)
    for piece in PIECES:
        assert piece.read(killed)[0].tolist() == piece.read(whole)[0].tolist()
    assert tasks_for(PIECES, killed, {"sudoku4": 8}) == []


def test_more_problems_are_added_to_those_that_are_there(tmp_path: Path) -> None:
    measure(tmp_path, 4)
    before = PIECES[0].read(tmp_path)
    measure(tmp_path, 7)
    assert PIECES[0].read(tmp_path)[:, :4].tolist() == before.tolist()
    assert PIECES[0].read(tmp_path).shape == (2, 7)


def test_by_time_all_algorithms_take_turns(tmp_path: Path) -> None:
    """So that a machine that is busy for a while is not the bad luck of one of them."""
    pieces = [Piece("sudoku4-seconds", "standard", text, seconds=0.001) for text in TEXTS[:2]]
    tasks = tasks_for(pieces, tmp_path, {"sudoku4-seconds": 5})
    assert [(task.problems.start, task.piece.expression) for task in tasks] == [
        (0, TEXTS[0]),
        (0, TEXTS[1]),
        (3, TEXTS[0]),
        (3, TEXTS[1]),
    ]


def test_the_scores_are_those_of_evaluate(tmp_path: Path) -> None:
    measure(tmp_path, 5)
    evaluated = evaluate("sudoku:4", TEXTS, budgets=1_000, problems=5).settings[0].scores
    assert np.array_equal(evaluated, np.stack([piece.read(tmp_path)[0] for piece in PIECES]))


def test_a_chunk_that_does_not_follow_is_not_added(tmp_path: Path) -> None:
    PIECES[0].append(tmp_path, 0, np.ones((2, 3)))
    PIECES[0].append(tmp_path, 2, np.zeros((2, 3)))
    assert PIECES[0].read(tmp_path).tolist() == [[1.0] * 3] * 2

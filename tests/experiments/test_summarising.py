"""What is kept of campaigns and measurements, by hand."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest

from discovery.keeping.folder import TIMINGS_FILE
from experiments.columns import COLUMNS
from experiments.summarising import _seconds, best_generic, paired, with_those_kept


def test_paired_by_hand() -> None:
    """On the problems that both have: differences 1, 2 and 3."""
    apart = paired(np.array([3.0, 5.0, 7.0, 100.0]), np.array([2.0, 3.0, 4.0]))
    assert (apart.n, apart.mean) == (3, 2.0)
    assert apart.standard_error == pytest.approx(1 / math.sqrt(3))
    assert math.isnan(paired(np.array([3.0]), np.array([2.0])).standard_error)


ONCE, TWICE = "step(lookahead(sim))", "step(lookahead(lookahead(sim)))"


@pytest.mark.parametrize("column, best", [("sudoku4", ONCE), ("T11", TWICE)])
def test_the_best_generic_algorithm(column: str, best: str) -> None:
    """The most filled cells or the smallest error; what is not generic, or was not measured, does not count."""
    means = {ONCE: 0.9, TWICE: 0.5, "step(step(sim))": 2.0, "lookahead(sim)": 0.1}
    assert best_generic(COLUMNS[column], means) == best
    assert best_generic(COLUMNS[column], {"step(step(sim))": 2.0}) is None


def test_what_is_known_on_more_problems_stays(tmp_path: Path) -> None:
    def line(expression: str, n: int, mean: str, column: str = "T11") -> dict[str, str]:
        return {"column": column, "semantics": "standard", "expression": expression, "n": str(n), "mean": mean}

    path = tmp_path / "measurements.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(line("", 0, "")))
        writer.writeheader()
        writer.writerows(
            [line("sim", 100, "old"), line("la(1)", 10, "old"), line("is", 50, "old"), line("x", 9, "old")]
        )
    new = [line("sim", 50, "new"), line("la(1)", 20, "new"), line("is", 50, "new"), line("sim", 5, "new", "sudoku4")]
    kept = with_those_kept(path, new)
    assert [(one["column"], one["expression"], one["n"], one["mean"]) for one in kept] == [
        ("sudoku4", "sim", "5", "new"),
        ("T11", "sim", "100", "old"),
        ("T11", "la(1)", "20", "new"),
        ("T11", "is", "50", "new"),
        ("T11", "x", "9", "old"),
    ]
    assert with_those_kept(tmp_path / "none", new[:1]) == new[:1]


def test_batches_that_were_run_again_or_are_not_in_the_journal(tmp_path: Path) -> None:
    rows = ["10,1.0,0.5", "20,9.0,8.0", "20,2.0,1.5", "30,4.0,3.0"]
    (tmp_path / TIMINGS_FILE).write_text("\n".join(rows) + "\n", encoding="utf-8")
    assert _seconds(tmp_path, 20) == (3.0, 2.0)

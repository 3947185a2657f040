"""Why a published score differs from ours: the order of reasons, and the figures in them by hand."""

import pytest

from experiments.columns import COLUMNS
from experiments.every_cell import Beside, OtherBudget, Scatter, beside_ours, other_budget, rows_of, scatter, why
from experiments.options import RESULTS
from experiments.published import Published, Sample, published
from experiments.stored import read_stored

PROGRAM = "program: it agrees by the rules of the paper's program"
LINES = COLUMNS["5T-B1e5"]  # printed to 0.01, B = 100 000


def cell(printed: float, mean: float, program: float | None = None, key: str = "5T-B1e5", **row: object) -> Beside:
    line = Published("IX", "", "x", "sim", printed, row.get("known", {}), str(row.get("note", "")))  # type: ignore[arg-type]
    samples = [None if one is None else Sample(400, one, 2.0) for one in (mean, program)]  # standard error 0.1
    return Beside(line, COLUMNS[key], *samples)


@pytest.mark.parametrize(
    ("beside", "less", "expected"),
    [
        (cell(90.0, 90.3), None, ""),
        (cell(90.0, 91.0, 90.1), None, PROGRAM),
        (cell(90.0, 91.0, 90.1, known={"standard": 91.0}), None, PROGRAM),
        (cell(90.0, 91.0, known={"standard": 91.1}), None, "known: 91.10 comes out in all our programs"),
        (cell(90.0, 91.0, known={"standard": 95.0}), None, "not explained"),
        (cell(90.0, 91.0, key="sudoku4-seconds"), None, "time: what a second buys is a matter of the program"),
        # From 88 with 10 000 evaluations to 92 with 100 000: 90 is half way, with the root of ten times 10 000.
        (cell(90.0, 92.0), 88.0, "budget: ours is there with about 32 000 evaluations, as suits the column best"),
        (cell(91.0, 92.0), 88.0, "not explained"),  # with as many as suit the others it would be 90
    ],
)  # fmt: skip
def test_why_a_cell_differs(beside: Beside, less: float | None, expected: str) -> None:
    half_way = OtherBudget(0.5, 32_000)
    assert why(beside, None if less is None else Sample(400, less, 2.0), half_way, None) == expected


def test_the_budget_that_suits_a_column() -> None:
    """Of those that differ the shares of the way from 88 to 92 are 1/4, 1/2, 1/2, 3/4 and 2; the one of 92 agrees."""
    cells = [cell(value, 92.0) for value in (89.0, 90.0, 90.0, 91.0, 96.0, 92.0)]
    found = other_budget(cells, {"x": Sample(400, 88.0, 2.0)})
    assert found == OtherBudget(0.5, 32_000)
    assert found.shift(Sample(400, 88.0, 2.0), Sample(400, 92.0, 2.0)) == -2.0
    assert other_budget(cells[:4], {"x": Sample(400, 88.0, 2.0)}) is None and other_budget(cells, {}) is None


def test_a_column_that_scatters() -> None:
    """Printed less ours is 0.4, 0.5, 0.5, 0.6, 0.7 and once 9: the median is 0.55, the median distance from it 0.1."""
    cells = [cell(90.0 + d, 90.0) for d in (0.4, 0.5, 0.5, 0.6, 0.7, 9.0)]
    found = scatter(cells)
    assert found is not None
    assert (found.offset, found.spread) == (pytest.approx(0.55), pytest.approx(1.4826 * 0.1))
    assert found.runs == round(4 / (0.14826**2 - 0.01 - 0.0001 / 12)) == 334
    few = "few runs: the column scatters as means of about 334 runs would"
    assert [why(one, None, None, found) for one in cells] == [few] * 5 + ["not explained"]
    assert scatter(cells[:4]) is None  # too few of them differ
    assert why(cells[0], None, None, Scatter(0.9, 0.1, 40)) == "not explained"
    wild = [cell(90.0 + d, 90.0) for d in (-2.0, -1.0, 0.0, 1.0, 2.0, 20.0)]
    assert scatter(wild) is None  # as means of a single run would


def test_all_published_cells_are_there() -> None:
    rows = rows_of(read_stored(RESULTS))
    scores = [line for table in ("II", "VIII", "IX", "IV") for line in published(table)]
    assert len(rows) == len(scores) == 24 * 2 + 24 * 4 + 25 * 3 + 24
    assert [row["why"] for row in rows if not row["n"]] == ["not run: printed without its parameters"] * 3
    assert all((row["why"] == "") == (abs(float(row["apart"].replace("−", "-"))) < 3) for row in rows if row["n"])


def test_a_column_knows_the_same_algorithms_as_the_main_one() -> None:
    names = [one.row.name for one in beside_ours(COLUMNS["5T"], read_stored(RESULTS))]
    assert [one.row.name for one in beside_ours(LINES, read_stored(RESULTS))] == names

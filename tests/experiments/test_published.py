"""What the paper has printed is read as it is printed, and differences from it are measured as they say."""

import math
import re
from collections import Counter

import pytest

from experiments.columns import COLUMNS, columns_of
from experiments.other_tables import COMPONENTS, structure
from experiments.published import Published, Sample, published, verdict
from mcsgrammar.language.named import GENERIC
from mcsgrammar.language.parsing import parse

SUMS = {
    "II": (4601.8, 10942.5),
    "VIII": (2.247, 2.453, 1.525, 2.916),
    "IX": (2233.63, 1575.85, 2347.67),
    "IV": (4532.1,),
}
"""Of the columns from the left to the right, added up from the paper itself."""


@pytest.mark.parametrize("table", SUMS)
def test_a_table_of_scores_is_whole(table: str) -> None:
    names = [*GENERIC, *(["mcts"] if table == "IX" else []), *(f"Dis#{rank}" for rank in range(1, 11))]
    for column, of_sum in zip(columns_of(table), SUMS[table], strict=True):
        lines = [line for line in published(table) if line.column == column.title]
        assert [line.name for line in lines] == names
        assert sum(line.value for line in lines) == pytest.approx(of_sum, abs=1e-6)


def test_table_ix_has_a_row_that_is_not_defined() -> None:
    unknown = {(line.name, line.note) for line in published("IX") if not line.expression}
    assert unknown == {("mcts", "printed without its parameters")}


@pytest.mark.parametrize("table", ["II", "IV", "VIII", "IX"])
def test_every_expression_is_canonical_and_its_column_is_known(table: str) -> None:
    for line in published(table):
        assert line.column in {column.title for column in COLUMNS.values() if column.table == table}
        if line.name.startswith("Dis#"):
            assert str(parse(line.expression)) == line.expression


@pytest.mark.parametrize(("table", "column"), [("II", "Evaluations-based Budget"), ("IV", "Time-based Budget")])
def test_table_v_counts_the_components_of_tables_ii_and_iv(table: str, column: str) -> None:
    """So what we read in place of the misprints, a constant in II and three in IV, is what the authors ran."""
    main = columns_of(table)[0].title
    ten = [line.expression for line in published(table) if line.column == main and line.name.startswith("Dis#")]
    printed = {line.name: line.value for line in published("V") if line.column == column}
    for title, own in COMPONENTS.items():
        assert sum(len(re.findall(rf"\b{own}\b", text)) for text in ten) == printed[title]


def test_table_iii_adds_up_to_five_top_tens() -> None:
    counts: Counter[str] = Counter()
    for line in published("III"):
        counts[line.expression] += round(line.value)
    assert counts.total() == 50
    assert sum(count for text, count in counts.items() if "step(repeat(select(sim)))" in text) == 24


def test_a_structure_is_an_expression_without_its_constants() -> None:
    assert structure("select(step(repeat(select(sim, 0.3), 5)), 1)") == "select(step(repeat(select(sim))))"


def test_a_difference_takes_in_their_error_ours_and_the_rounding() -> None:
    sample = Sample(n=2_500, mean=90.0, deviation=5.0)
    error = math.sqrt(0.1**2 + 0.05**2 + (0.6 / math.sqrt(12)) ** 2)
    assert sample.apart(90.5, last_digit=0.6) == pytest.approx(-0.5 / error)


@pytest.mark.parametrize(
    ("mean", "known", "text", "agrees", "expected"),
    [
        (100.2, {}, "agrees", True, True),
        (103.0, {}, "**differs**", False, False),
        (103.0, {"standard": 103.1}, "differs, as is known: 103.1 is expected", False, True),
        (103.0, {"standard": 98.0}, "**differs**, also from the 98 that is expected", False, False),
        (103.0, {"maes2013": 103.0}, "**differs**", False, False),
    ],
)
def test_what_is_said_of_a_cell(mean: float, known: dict, text: str, agrees: bool, expected: bool) -> None:
    row = Published("II", "Sudoku(4)", "x", "sim", 100.0, known, "")
    said = verdict(row, Sample(10_000, mean, 10.0), 0.1, "standard")
    assert (said.text, said.agrees, said.expected) == (text, agrees, expected)

"""The columns of the paper's tables: what is measured on which problems."""

import math
from dataclasses import dataclass

from mcsgrammar.engines.searching import SemanticsName

EVALUATIONS_PER_TASK = 2_000_000


@dataclass(frozen=True)
class Column:
    """A domain and a budget."""

    key: str
    table: str
    title: str
    """as the paper heads it"""
    problem: str
    """whose campaigns' winners are measured on it"""
    domain: str
    budget: int
    """in evaluations; `by_time`: of as many random playouts, in CPU seconds"""
    unit: str
    less_is_better: bool
    last_digit: float
    """what the published values are rounded to"""
    problems: int
    """at full scale"""
    rules: tuple[SemanticsName, ...] = ("standard",)
    by_time: bool = False

    @property
    def main(self) -> bool:
        """Whether this is what the campaigns trained for."""
        return self.key in MAIN.values()

    def number(self, value: float, more: int = 0) -> str:
        """A score with `more` digits than the paper prints."""
        return f"{value:.{-math.floor(math.log10(self.last_digit)) + more}f}"

    @property
    def chunk(self) -> int:
        """Problems that are run as one task: seconds, or a tenth of one in a column by time."""
        return max(1, EVALUATIONS_PER_TASK // self.budget // (20 if self.by_time else 1))


BOTH: tuple[SemanticsName, ...] = ("standard", "maes2013")

COLUMNS: dict[str, Column] = {
    column.key: column
    for column in (
        Column("sudoku4", "II", "Sudoku(4)", "sudoku4", "sudoku:4", 1_000, "filled cells", False, 0.1, 10_000),
        Column("T11", "VIII", "T = 11", "regression", "regression", 10_000, "mae", True, 0.001, 10_000, BOTH),
        Column("5T", "IX", "5T", "morpion5T", "morpion:5T", 10_000, "lines", False, 0.01, 2_500),
        Column("sudoku5", "II", "Sudoku(5)", "sudoku4", "sudoku:5", 1_000, "filled cells", False, 0.1, 10_000, BOTH),
        Column("T21", "VIII", "T = 21", "regression", "regression:length=21", 10_000, "mae", True, 0.001, 10_000, BOTH),
        Column(
            "T11-B1e5", "VIII", "T = 11, B = 10^5", "regression", "regression", 100_000, "mae", True, 0.001, 500, BOTH
        ),
        Column(
            "robustness",
            "VIII",
            "the robustness set",
            "regression",
            "regression:set=robustness",
            10_000,
            "mae",
            True,
            0.001,
            10_000,
            BOTH,
        ),
        Column("5D", "IX", "5D", "morpion5T", "morpion:5D", 10_000, "lines", False, 0.01, 2_500),
        Column("5T-B1e5", "IX", "5T, B = 10^5", "morpion5T", "morpion:5T", 100_000, "lines", False, 0.01, 500),
        Column(
            "sudoku4-seconds",
            "IV",
            "Sudoku(4), CPU time",
            "sudoku4",
            "sudoku:4",
            1_000,
            "filled cells",
            False,
            0.1,
            10_000,
            by_time=True,
        ),
    )
}
"""The main ones first: what is measured first."""

MAIN = {"sudoku4": "sudoku4", "regression": "T11", "morpion5T": "5T"}
"""The column of each problem that its campaigns trained for."""

TABLES = ("II", "VIII", "IX", "IV")


def columns_of(table: str) -> list[Column]:
    """The columns of a table, the main one first."""
    return [column for column in COLUMNS.values() if column.table == table]

"""What the paper has printed, and how far we are from it: the one place that knows.

How a difference is measured. It is given in standard errors of the difference, which has three parts:
    ours          s / √n, where s is the standard deviation of our n scores
    theirs        s / √10 000: they print none, but a mean of 10 000 runs on problems of the same kind; so s is ours
    the rounding  d / √12, where d is the last digit they print: an error spread evenly over one unit of that digit
A cell differs from LIMIT standard errors on. One cell in 370 does so by chance, and so does about one column of 24 rows
in 16. The rows of a column are not independent: all algorithms meet the same problems, so that a hard set of grids
lowers a whole column.
"""

import csv
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import get_args

from scipy import stats

from mcsgrammar.engines.searching import SemanticsName

PUBLISHED = Path(__file__).with_name("published.csv")
PUBLISHED_RUNS = 10_000
LIMIT = 3.0


@dataclass(frozen=True)
class Published:
    """A line of published.csv."""

    table: str
    column: str
    name: str
    expression: str
    """empty where it cannot be known"""
    value: float
    known: dict[SemanticsName, float]
    """what is known to come out instead of the value"""
    note: str


@cache
def published(table: str) -> tuple[Published, ...]:
    """The lines of a table, in their order there: the generic algorithms, then the discovered ones."""
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        return tuple(
            Published(
                row["table"],
                row["column"],
                row["name"],
                row["expression"],
                float(row["value"]),
                {semantics: float(row[semantics]) for semantics in get_args(SemanticsName) if row[semantics]},
                row["note"],
            )
            for row in csv.DictReader(lines)
            if row["table"] == table
        )


@dataclass(frozen=True)
class Sample:
    """What we measured: a mean over n runs."""

    n: int
    mean: float
    deviation: float
    """the standard deviation of the scores; NaN for a single one"""

    @property
    def standard_error(self) -> float:
        """Of the mean."""
        return self.deviation / math.sqrt(self.n)

    def p_beside(self, other: "Sample") -> float:
        """The paper's unpaired t-test, as Welch's: do the means differ?"""
        own, others = ((one.mean, one.deviation, one.n) for one in (self, other))
        return float(stats.ttest_ind_from_stats(*own, *others, equal_var=False).pvalue)

    def apart(self, value: float, last_digit: float) -> float:
        """The difference from somebody's rounded mean over PUBLISHED_RUNS runs, in standard errors."""
        theirs = self.deviation / math.sqrt(PUBLISHED_RUNS)
        rounding = last_digit / math.sqrt(12.0)
        return (self.mean - value) / math.hypot(self.standard_error, theirs, rounding)


@dataclass(frozen=True)
class Verdict:
    """How a measured cell stands beside the published one."""

    agrees: bool
    """within LIMIT standard errors"""
    expected: bool
    """it agrees, or comes out as is known to come out instead"""
    text: str


def verdict(row: Published, sample: Sample, last_digit: float, semantics: SemanticsName) -> Verdict:
    """What to say of a cell."""
    if abs(sample.apart(row.value, last_digit)) < LIMIT:
        return Verdict(True, True, "agrees")
    known = row.known.get(semantics)
    if known is None:
        return Verdict(False, False, "**differs**")
    if abs(sample.apart(known, last_digit)) < LIMIT:
        return Verdict(False, True, f"differs, as is known: {known:g} is expected")
    return Verdict(False, False, f"**differs**, also from the {known:g} that is expected")

"""Do the published tables come out? Our means beside those of Maes, Lupien St-Pierre and Ernst (2013).

    python benchmarks/paper.py                                              all three tables
    python benchmarks/paper.py --domain regression --semantics maes2013     one of them, by the rules of their program

Runs the generic algorithms and the ten discovered ones on test problems 0, 1, 2, … and prints a Markdown table for each
domain. Exit status 1 if a row differs from the paper, and from what is known to come out instead (published.csv).

How a difference is measured. It is given in standard errors of the difference, which has three parts:
    ours          s / √n, where s is the standard deviation of our n scores
    theirs        s / √10 000: they print none, but a mean of 10 000 runs on problems of the same kind; so s is ours
    the rounding  d / √12, where d is the last digit they print: an error spread evenly over one unit of that digit
A row differs from LIMIT standard errors on. One row in 370 does so by chance, and so does about one table of 24 rows in
16. The rows of a table are not independent: all algorithms meet the same problems, so that a hard set of grids lowers a
whole column.
"""

import csv
import math
import statistics
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import click
import joblib

from domains.problems import problem
from domains.registry import find_domain
from mcsgrammar.cli.progress import ProgressLine
from mcsgrammar.parsing import parse
from mcsgrammar.searching import Limits, SemanticsName, compiled_domain, prepare, search
from mcsgrammar.solving import run_seed

PUBLISHED = Path(__file__).with_name("published.csv")
PUBLISHED_RUNS = 10_000
LIMIT = 3.0
PROBLEMS_PER_TASK = 10


@dataclass(frozen=True)
class Setting:
    """How one table was made, in its main column."""

    table: str
    domain: str
    budget: int
    unit: str
    last_digit: float
    """what the printed values are rounded to"""
    problems: int
    """by default"""


SETTINGS = {
    setting.domain: setting
    for setting in (
        Setting("II", "sudoku:4", 1_000, "filled cells", 0.1, 1_500),
        Setting("VIII", "regression", 10_000, "mae", 0.001, 800),
        Setting("IX", "morpion:5T", 10_000, "lines", 0.01, 300),
    )
}


@dataclass(frozen=True)
class Published:
    """A row of published.csv."""

    name: str
    expression: str
    value: float
    known: dict[SemanticsName, float]
    """what is known to come out instead of the value"""
    note: str


def published(table: str) -> list[Published]:
    """The rows of a table: the generic algorithms, then the discovered ones."""
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        rows = [row for row in csv.DictReader(lines) if row["table"] == table]
    return [
        Published(
            row["name"],
            row["expression"],
            float(row["value"]),
            {semantics: float(row[semantics]) for semantics in get_args(SemanticsName) if row[semantics]},
            row["note"],
        )
        for row in rows
    ]


@dataclass(frozen=True)
class Scores:
    """Our scores of one algorithm."""

    values: list[float]

    @property
    def mean(self) -> float:
        return statistics.fmean(self.values)

    @property
    def standard_error(self) -> float:
        """Of the mean."""
        return statistics.stdev(self.values) / math.sqrt(len(self.values))

    def apart(self, mean: float, last_digit: float) -> float:
        """The difference from somebody's rounded mean over PUBLISHED_RUNS runs, in standard errors."""
        theirs = statistics.stdev(self.values) / math.sqrt(PUBLISHED_RUNS)
        rounding = last_digit / math.sqrt(12.0)
        return (self.mean - mean) / math.hypot(self.standard_error, theirs, rounding)


def scores_on(
    setting: Setting, expressions: Iterable[str], semantics: SemanticsName, numbers: Iterable[int]
) -> dict[str, list[float]]:
    """The score of every expression on the test problems with these numbers, one run each, seeded as `solve` does."""
    domain, limits = find_domain(setting.domain), Limits(setting.budget)
    prepared = {text: prepare(parse(text), domain, limits) for text in expressions}
    scores: dict[str, list[float]] = {text: [] for text in prepared}
    for k in numbers:
        initial = problem(domain, k)
        for text, expression in prepared.items():
            seed = run_seed(domain, expression, semantics, "test", k, 0, 0)
            result = search(domain, initial, expression, seed, limits, semantics)
            if result.stop_reason == "interrupted":
                raise KeyboardInterrupt
            assert result.reward is not None
            score = domain.score_of_reward(result.reward)
            assert score is not None
            scores[text].append(score)
    return scores


def all_scores(
    setting: Setting, expressions: list[str], semantics: SemanticsName, problems: int, jobs: int
) -> dict[str, list[float]]:
    """The same for problems 0 … problems - 1, spread over processes."""
    compile_once(setting)
    starts = range(0, problems, PROBLEMS_PER_TASK)
    tasks: Iterator[Any] = (
        joblib.delayed(scores_on)(
            setting, expressions, semantics, range(start, min(start + PROBLEMS_PER_TASK, problems))
        )
        for start in starts
    )
    scores: dict[str, list[float]] = {text: [] for text in expressions}
    with ProgressLine() as line:
        for done, part in enumerate(joblib.Parallel(n_jobs=jobs, return_as="generator")(tasks), 1):
            for text, some in part.items():
                scores[text] += some
            if line.due():
                line.show(f"{setting.domain}, {semantics}: {done * PROBLEMS_PER_TASK:,} of {problems:,} problems")
    return scores


def compile_once(setting: Setting) -> None:
    """So that the processes find the compiled machine in the cache."""
    domain = find_domain(setting.domain)
    compiled = compiled_domain(domain)
    compiled.warm_up(compiled.encode(problem(domain, 0)))


def verdict(row: Published, scores: Scores, setting: Setting, semantics: SemanticsName) -> tuple[str, bool]:
    """What to say of a row, and whether it is as expected."""
    if abs(scores.apart(row.value, setting.last_digit)) < LIMIT:
        return "agrees", True
    known = row.known.get(semantics)
    if known is None:
        return "**differs**", False
    if abs(scores.apart(known, setting.last_digit)) < LIMIT:
        return f"differs, as is known: {known:g} is expected", True
    return f"**differs**, also from the {known:g} that is expected", False


def report(setting: Setting, semantics: SemanticsName, problems: int, jobs: int) -> bool:
    """Print the table of one domain; whether all its rows are as expected."""
    rows = published(setting.table)
    texts = list(dict.fromkeys(row.expression for row in rows if row.expression))
    scores = all_scores(setting, texts, semantics, problems, jobs)
    digits = -math.floor(math.log10(setting.last_digit))
    click.echo(
        f"### Table {setting.table}: {setting.domain}, B = {setting.budget:,}, {semantics} ({setting.unit}; "
        f"{problems:,} problems)\n"
    )
    click.echo("| algorithm | ours ± 95 % | paper | apart, in standard errors | |")
    click.echo("|---|---|---|---|---|")
    all_as_expected = True
    for row in rows:
        name = row.name if row.expression in ("", row.name) else f"{row.name} `{row.expression}`"
        value = f"{row.value:.{digits}f}"
        if not row.expression:
            click.echo(f"| {name} | | {value} | | not run; {row.note} |")
            continue
        ours = Scores(scores[row.expression])
        said, as_expected = verdict(row, ours, setting, semantics)
        all_as_expected &= as_expected
        note = f"; {row.note}" if row.note else ""
        click.echo(
            f"| {name} | {ours.mean:.{digits + 1}f} ± {1.96 * ours.standard_error:.{digits + 1}f} | {value} | "
            f"{ours.apart(row.value, setting.last_digit):+.1f} | {said}{note} |"
        )
    click.echo()
    return all_as_expected


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--domain", "domains", type=click.Choice(list(SETTINGS)), multiple=True, help="Which tables; default: all."
)
@click.option("--problems", type=click.IntRange(2), metavar="N", help="Problems a table; default: 1500, 800 and 300.")
@click.option("--jobs", type=click.IntRange(1), default=2, show_default=True, metavar="J", help="Processes.")
@click.option("--semantics", type=click.Choice(["standard", "maes2013"]), default="standard", show_default=True)
def main(domains: tuple[str, ...], problems: int | None, jobs: int, semantics: SemanticsName) -> None:
    """Print the published tables' main columns beside our own results."""
    settings = [SETTINGS[domain] for domain in domains or SETTINGS]
    as_expected = [report(setting, semantics, problems or setting.problems, jobs) for setting in settings]
    click.echo(
        f"A row differs from {LIMIT:g} standard errors of the difference on; these take in our sampling error, that of "
        f"{PUBLISHED_RUNS:,} published runs with\nour standard deviation (none is published), and the rounding of the "
        "published value. About one row in 370 does so by chance."
    )
    sys.exit(0 if all(as_expected) else 1)


if __name__ == "__main__":
    main()

"""results/budgets/*.csv from the runs: who is best within which budget, in evaluations and in CPU time.

A score within a CPU time lies between those of the two budgets whose mean CPU times enclose it, on a straight line over
the logarithm of time, test problem by test problem.

Large budgets are run on fewer test problems, and these may be easier or harder than all. So means are corrected by what
is known of all of them: the mean over all contestants is that of the next smaller budget, plus what it gains on the
problems that both have. The same amount is added to all contestants, so that it changes no difference. A problem with
one start needs none.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from discovery.statistics import SIGNIFICANT, holm, paired_test, summary
from experiments.budgets.curves import PROBLEMS, SECONDS, BudgetProblem, Contestant, contestants
from experiments.budgets.running import FOLDER, Measured, is_less_better, read_trials
from experiments.files import figure, read_csv, write_csv

EVALUATIONS_FILE, SECONDS_FILE = "evaluations.csv", "seconds.csv"

Row = dict[str, Any]


def write_tables(work: Path, results: Path) -> None:
    """A line for each contestant and budget. A problem that the work folder has nothing of stays what it is."""
    paths = (results / FOLDER / EVALUATIONS_FILE, results / FOLDER / SECONDS_FILE)
    before = [read_csv(path) if path.exists() else [] for path in paths]
    by_evaluations: list[Row] = []
    by_seconds: list[Row] = []
    for problem in PROBLEMS.values():
        who = contestants(problem)
        measured = read_trials(work, problem, who)
        if not measured:
            for rows, there in zip((by_evaluations, by_seconds), before, strict=True):
                rows += [row for row in there if row["problem"] == problem.key]
            continue
        corrections = corrections_of(problem, measured)
        for budget, one in measured.items():
            by_evaluations += rows_at(problem, who, budget, one, corrections.get(budget))
        for seconds in SECONDS:
            by_seconds += rows_within(problem, who, seconds, measured, corrections)
    for path, rows in zip(paths, (by_evaluations, by_seconds), strict=True):
        if rows:
            write_csv(path, list(rows[0]), rows)


@dataclass(frozen=True)
class Correction:
    """Of the means on the first problems, to those on all."""

    shift: float
    """what is added"""
    base: np.ndarray
    """the mean over contestants with the next smaller budget, on these problems"""
    error: float
    """the standard error of its mean over all problems"""


def corrections_of(problem: BudgetProblem, measured: dict[int, Measured]) -> dict[int, Correction]:
    """By budget, where there are fewer problems than with the budget before."""
    found: dict[int, Correction] = {}
    budgets = sorted(measured)
    if problem.one_start or not budgets:
        return found
    before = measured[budgets[0]].scores.mean(axis=0)
    mean, error = float(before.mean()), summary(before).stderr
    for budget in budgets[1:]:
        own = measured[budget].scores.mean(axis=0)
        n = len(own)
        if n < measured[budgets[0]].n and n <= len(before):
            base = before[:n]
            found[budget] = Correction(mean - float(base.mean()), base, error)
            mean, error = mean + float((own - base).mean()), math.hypot(summary(own - base).stderr, error)
        else:
            mean, error = float(own.mean()), summary(own).stderr
        before = own
    return found


def rows_at(
    problem: BudgetProblem, who: Sequence[Contestant], budget: int, measured: Measured, correction: Correction | None
) -> Iterator[Row]:
    less = is_less_better(problem)
    compared = compare(measured.scores, less, correction)
    sign = -1.0 if less else 1.0
    generic = [i for i, one in enumerate(who) if one.kind == "generic"]
    best = max(generic, key=lambda i: float(sign * measured.scores[i].mean()))
    gains = sign * (measured.scores - measured.scores[best])
    for i, one in enumerate(who):
        row = {**_who(problem, one), "budget": budget, "run_as": one.at(budget), "n": measured.n}
        over = {"best_generic": who[best].name, "over_generic": figure(gains[i].mean())}
        over["over_generic_stderr"] = figure(summary(gains[i]).stderr)
        yield {**row, **compared[i], **over, "cpu_seconds": figure(measured.seconds[i].mean())}


def rows_within(
    problem: BudgetProblem,
    who: Sequence[Contestant],
    seconds: float,
    measured: dict[int, Measured],
    corrections: dict[int, Correction],
) -> Iterator[Row]:
    """Of those whose budgets enclose the time."""
    found = [(one, *between) for i, one in enumerate(who) if (between := score_within(i, seconds, measured))]
    if len(found) < 2:
        return
    n = min(len(scores) for _, _, scores in found)
    of_budget = next(budget for budget in sorted(measured) if measured[budget].n == n)
    scores = np.array([scores[:n] for _, _, scores in found])
    compared = compare(scores, is_less_better(problem), corrections.get(of_budget))
    for (one, evaluations, _), told in zip(found, compared, strict=True):
        yield {**_who(problem, one), "seconds": seconds, "evaluations": figure(evaluations), "n": n, **told}


def score_within(i: int, seconds: float, measured: dict[int, Measured]) -> tuple[float, np.ndarray] | None:
    """About how many evaluations that is, and the score on each problem; None where no two budgets enclose it."""
    budgets = sorted(measured)
    for low, high in pairwise(budgets):
        a, b = (float(measured[budget].seconds[i].mean()) for budget in (low, high))
        if a <= seconds <= b and a < b:
            share = math.log(seconds / a) / math.log(b / a)
            n = min(measured[low].n, measured[high].n)
            first, last = (measured[budget].scores[i, :n] for budget in (low, high))
            return low * (high / low) ** share, first + share * (last - first)
    return None


def compare(scores: np.ndarray, less: bool, correction: Correction | None = None) -> list[Row]:
    """Mean and standard error of each [contestant, problem], corrected; its difference from the best, below 0 where it
    is worse, and whether the paired test, after Holm's correction, shows that it is."""
    sign = -1.0 if less else 1.0
    best = int((sign * scores.mean(axis=1)).argmax())
    others = [i for i in range(len(scores)) if i != best]
    adjusted = dict(zip(others, holm(paired_test(scores[others], scores[best])), strict=True))
    rows: list[Row] = []
    for i, own in enumerate(scores):
        gains = sign * (own - scores[best])
        mean, stderr = corrected(own, correction)
        row: Row = {"mean": figure(mean), "stderr": figure(stderr), "plain_mean": figure(own.mean())}
        if i == best:
            row |= {"verdict": "best", "gain": "", "gain_stderr": "", "p_holm": ""}
        else:
            verdict = "worse" if adjusted[i] < SIGNIFICANT else "tied"
            row |= {"verdict": verdict, "gain": figure(gains.mean()), "gain_stderr": figure(summary(gains).stderr)}
            row["p_holm"] = f"{adjusted[i]:.2g}"
        rows.append(row)
    return rows


def corrected(own: np.ndarray, correction: Correction | None) -> tuple[float, float]:
    """Mean over all problems, and its standard error."""
    if correction is None:
        return float(own.mean()), summary(own).stderr
    stderr = math.hypot(summary(own - correction.base).stderr, correction.error)
    return float(own.mean()) + correction.shift, stderr


def _who(problem: BudgetProblem, one: Contestant) -> Row:
    return {
        "problem": problem.key,
        "better": "less" if is_less_better(problem) else "more",
        "kind": one.kind,
        "name": one.name,
        "source": one.source,
        "home": one.home or "",
    }

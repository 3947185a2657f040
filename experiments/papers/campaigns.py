"""Maes and others (2013), continued: what our campaigns recommend, where they made the choice and elsewhere."""

import json
from collections.abc import Iterable

from discovery.statistics import SIGNIFICANT
from experiments.budgets.running import FOLDER as BUDGETS_FOLDER
from experiments.budgets.tables import EVALUATIONS_FILE
from experiments.campaigns import CAMPAIGNS, with_more_seeds
from experiments.columns import COLUMNS, MAIN, Column
from experiments.fields import run_as
from experiments.files import read_csv
from experiments.learning.question import ARENAS
from experiments.learning.rendering import CLEAR, Table, errors
from experiments.learning.running import FOLDER as LEARNING_FOLDER
from experiments.markdown import signed
from experiments.other_tables import SEEDS
from experiments.papers.claims import Evidence, Finding, either, weighed
from experiments.published import LIMIT
from experiments.sheets.rendering import read_tried
from experiments.sheets.running import FOLDER as SHEETS_FOLDER
from experiments.stored import Measured

ELSEWHERE = ("sudoku5", "T21", "robustness", "5D")
"""Columns of other problems than those of the training, with its budget."""


def recommended_by_us(evidence: Evidence) -> Finding:
    cases, told = _beside_generic(evidence, [(f"{problem}-halving", key) for problem, key in MAIN.items()])
    text = (
        "What our campaigns recommend beside the best generic algorithm, on the same problems, in standard errors, "
        f"above 0 where it is better: {told}"
    )
    return Finding(weighed(cases), text + ".")


def recommended_elsewhere(evidence: Evidence) -> Finding:
    """On problems that are not like those of the training; and, beside that, on games of rule sheets."""
    cases, told = _beside_generic(
        evidence, [(f"{COLUMNS[key].problem}-{policy}", key) for key in ELSEWHERE for policy in ("ucb1", "halving")]
    )
    text = (
        "What our two largest campaigns for each problem recommend beside the generic algorithm that is best "
        f"elsewhere, in standard errors: {told}."
    )
    return Finding(weighed(cases), f"{text}{_on_sheets(evidence)}")


def _beside_generic(evidence: Evidence, where: Iterable[tuple[str, str]]) -> tuple[list[int], str]:
    """What campaigns recommend, each in a column, beside the best generic algorithm there: the cases, and in words."""
    cases, parts = [], []
    for campaign, key in where:
        first, one = _recommended(evidence, campaign, key)
        errors_better = _errors_better(one, COLUMNS[key])
        cases.append(side(errors_better))
        parts.append(f"{COLUMNS[key].title} `{first}` {signed(errors_better)}")
    return cases, "; ".join(parts)


def with_other_seeds(evidence: Evidence) -> Finding:
    parts, cases = [], {}
    for who, words in (("sudoku4-ucb1", "`ucb1`"), ("sudoku4-halving-5", "halving with a twentieth of the pulls")):
        found = [_recommended(evidence, name, "sudoku4")[1] for name in with_more_seeds(who)]
        best = evidence.stored.measured["sudoku4", "standard", found[0].best_generic].sample
        cases[who] = [
            either(one.sample.mean >= best.mean or not one.sample.p_beside(best) < SIGNIFICANT) for one in found
        ]
        means = [one.sample.mean for one in found]
        worse = f"{cases[who].count(-1)} of {len(found)} worse by the paper's test"
        parts.append(f"{words} {min(means):.1f} to {max(means):.1f} cells, {worse}")
    text = (
        f"What is recommended on Sudoku(4), with {len(SEEDS)} seeds, beside the best generic algorithm, "
        f"{best.mean:.1f}: "
        f"{'; '.join(parts)}. With `ucb1` much is chance: all candidates meet the same problems in the same order"
    )
    return Finding(weighed(cases["sudoku4-ucb1"]), text + ".")


def _recommended(evidence: Evidence, campaign: str, key: str) -> tuple[str, Measured]:
    """What a campaign puts first, and what it has in a column."""
    first = first_of_campaigns(evidence)[campaign]
    return first, evidence.stored.measured[key, "standard", run_as(first, COLUMNS[key])]


def first_of_campaigns(evidence: Evidence) -> dict[str, str]:
    """What each campaign puts first."""
    return {row["campaign"]: row["first"] for row in evidence.stored.finding}


def _errors_better(one: Measured, column: Column) -> float:
    """How many standard errors it is better than the best generic algorithm, on the same problems; 0 where it is that
    itself."""
    if not one.paired_stderr:
        return 0.0
    return (-1 if column.less_is_better else 1) * one.paired_difference / one.paired_stderr


def side(errors_better: float) -> int:
    return int(errors_better > LIMIT) - int(errors_better < -LIMIT)


def _on_sheets(evidence: Evidence) -> str:
    folder = evidence.results / SHEETS_FOLDER
    if not (folder / "rewards.csv").exists():
        return ""
    sheets, _ = read_tried(folder)
    size = json.loads((folder / "size.json").read_text("utf-8"))
    halves = sheets.by_halves()
    return (
        f" On {len(sheets.games)} [rule sheets](sheets.md) of games that nobody chose, {size['runs']} runs each: of "
        f"the candidates of depth {size['depth']} and less that with the best mean on one half, measured on the other, "
        f"beside the generic algorithm chosen so, {signed(halves.mean)} points of 100 in the mean over ways to halve "
        f"them, from {signed(halves.low)} to {signed(halves.high)} in nine of ten."
    )


def with_other_budgets(evidence: Evidence) -> Finding:
    """What campaigns over the paper's language recommend, with ten times the budget they were told."""
    path = evidence.results / BUDGETS_FOLDER / EVALUATIONS_FILE
    rows = [row for row in (read_csv(path) if path.exists() else []) if row["source"] in CAMPAIGNS and row["home"]]
    rows = [row for row in rows if int(row["budget"]) == 10 * int(row["home"])]
    ratios = {row["source"]: float(row["over_generic"]) / float(row["over_generic_stderr"]) for row in rows}
    theirs = {name: ratio for name, ratio in ratios.items() if not name.startswith("sudoku4")}
    if not theirs:
        raise LookupError
    cases = [side(ratio) for ratio in theirs.values()]
    told, others = (
        ", ".join(f"{name} {signed(ratio)}" for name, ratio in ratios.items() if (name in theirs) == is_theirs)
        for is_theirs in (True, False)
    )
    text = (
        "What our campaigns recommend, with ten times the budget they were told, beside the generic algorithm that is "
        f"best there: {cases.count(1)} of {len(cases)} clearly better, {cases.count(-1)} clearly worse (in standard "
        f"errors: {told}). On Sudoku, whose budget the paper does not change: {others or 'nothing is measured'}"
    )
    return Finding(weighed(cases), text + ".")


def with_a_richer_language(evidence: Evidence) -> Finding:
    tables = [Table(arena, evidence.results / LEARNING_FOLDER) for arena in ARENAS.values()]
    rows = [(table, table.first_found("evaluations")) for table in tables if table.rows]
    if not rows:
        raise LookupError
    fair = [(table, row) for table, row in rows if not table.arena.guided]
    taught = [(table, errors(row, "old"), "adapt" in row["expression"]) for table, row in fair]
    parts = [f"{table.arena.title} {signed(error)}" for table, error, with_adapt in taught if with_adapt]
    without = [table.arena.title for table, _, with_adapt in taught if not with_adapt]
    by_time = [table.first_found("seconds") for table, _ in fair]
    in_time = sum(errors(row, "old") >= CLEAR and "adapt" in row["expression"] for row in by_time)
    cases = [
        int(with_adapt and error >= CLEAR) - int(with_adapt and error <= -CLEAR) for _, error, with_adapt in taught
    ]
    text = (
        "With `adapt`, playouts that are learnt during the search, what campaigns find beside the best of the paper's "
        f"language, at equal evaluations, in standard errors: {'; '.join(parts)}; without `adapt` after all: "
        f"{', '.join(without) or 'none'}. At equal CPU time {in_time} of {len(fair)} have it and are clearly better. "
        "Problems on which campaigns have guided playouts, too, are left out"
    )
    return Finding(weighed(cases), text + ".")

"""The runs behind results/learning/, kept trial by trial.

WORK/learning/ARENA has a folder for each campaign and `trials/`, a JSON file for each test problem; a file counts only
if its contestants are those of now. `long/` has a file for each long run. Stopped, the same command goes on.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

import mcsgrammar
from discovery.campaign.ranking import Standing
from discovery.evaluation.evaluating import less_is_better
from discovery.evaluation.runs import Bench, Block, Plan
from discovery.statistics import summary
from domains.errors import DomainError
from experiments.columns import COLUMNS
from experiments.files import figure, read_csv, write_csv, write_json
from experiments.learning.question import ADAPT, ARENAS, FIRST_PROBLEM, SHOWN, Arena, LongRun
from experiments.options import RESULTS
from experiments.pieces import domain_of
from experiments.scales import Scale
from mcsgrammar.engines.searching import Limits, choose_engine
from mcsgrammar.enumeration.pruning import SPENT_INSIDE
from mcsgrammar.language.parsing import parse

FOLDER = "learning"
MEASURES = ("evaluations", "seconds")
FEWEST_RUNS = 3

Show = Callable[[str], None]
Contestant = tuple[str, str]
"""kind, expression"""
Row = dict[str, Any]


def run_arenas(work: Path, results: Path, arenas: Iterable[Arena], scale: Scale, show: Show) -> None:
    """Campaigns, trials and tables; an arena's tables are written as soon as it is done."""
    for arena in arenas:
        folder = work / FOLDER / arena.key
        budget = max(10, round(arena.budget * scale.budget))
        contestants, campaigns = _found(arena, budget, folder, scale, show)
        contestants += arena.fixed()
        if arena.columns:
            contestants += [("old best", text) for text in dict.fromkeys(map(stored_best, arena.columns))]
        distinct = {text: (kind, text) for kind, text in reversed(contestants)}  # what proposes it first names it
        contestants = list(reversed(distinct.values()))
        runs = max(FEWEST_RUNS, round(arena.runs * scale.problems))
        scores, spent = _trials(arena, budget, contestants, range(runs), folder / "trials", show)
        rows = table_of(arena, budget, contestants, scores, spent)
        write_csv(results / FOLDER / f"{arena.key}.csv", list(rows[0]), rows)
        write_csv(results / FOLDER / f"{arena.key}-campaigns.csv", list(campaigns[0]), campaigns)


def stored_best(column: str) -> str:
    """The best of a stored column."""
    rows = [row for row in read_csv(RESULTS / "measurements.csv") if row["column"] == column]
    rows = [row for row in rows if row["semantics"] == "standard"]
    sign = -1 if COLUMNS[column].less_is_better else 1
    return max(rows, key=lambda row: sign * float(row["mean"]))["expression"]


def _found(arena: Arena, budget: int, folder: Path, scale: Scale, show: Show) -> tuple[list[Contestant], list[Row]]:
    """What campaigns find, each its first ones, and a line for each campaign."""
    contestants, rows = [], []
    for language, choice in arena.languages(5 + scale.depth).items():
        for measure in MEASURES:
            name = f"{language}by {measure}"
            show(f"{arena.title}: campaign {name}")
            by_seconds = measure == "seconds"
            texts = [e for e in choice if by_seconds or not SPENT_INSIDE.applies(e, budget)]
            standing: Standing = mcsgrammar.discover(
                arena.domain,
                folder / name.replace(" ", "-"),
                budget=None if by_seconds else budget,
                seconds=arena.seconds if by_seconds else None,
                candidates=texts,
                pulls=max(40, round(arena.pulls * scale.pulls)),
                seed=1,
                progress=False,
            )
            first = standing.ranking(SHOWN)
            kind = f"old best, {name.removeprefix('old ')}" if language else f"found {name}"
            contestants += [(f"{kind} #{one.rank}", one.expression_text) for one in first]
            rows.append(
                {
                    "campaign": name,
                    "adapt": "" if language else " ".join(map(str, ADAPT)),
                    "guided": "" if language else "; ".join(arena.guided),
                    "candidates": len(standing.expressions),
                    "tried": len(standing.order),
                    "pulls": standing.pulls_done,
                    "first": first[0].expression_text,
                    "pulls_of_first": first[0].pulls,
                }
            )
    return contestants, rows


def _trials(
    arena: Arena, budget: int, contestants: list[Contestant], problems: range, folder: Path, show: Show
) -> tuple[np.ndarray, np.ndarray]:
    """Scores and CPU seconds: [measure, contestant, problem]. On each problem all contestants run in turn, so that
    whatever else the machine does slows all of them alike."""
    texts = [text for _, text in contestants]
    benches = [
        bench_of(arena.domain, texts, limits, FIRST_PROBLEM) for limits in (Limits(budget), Limits(None, arena.seconds))
    ]
    trials: list[tuple[Any, Any]] = []
    for k in problems:
        path = folder / f"{k:05}.json"
        head = {"contestants": texts, "budget": budget, "seconds": arena.seconds, "problem": FIRST_PROBLEM + k}
        kept = json.loads(path.read_text("utf-8")) if path.exists() else {}
        if kept.get("head") != head:
            if not trials:  # no measured time is one of compiling, or of growing tables
                _run(benches[0], problems[-1] + 1)
            show(f"{arena.title}: trial {k + 1} of {len(problems)}")
            pairs = [_run(bench, k) for bench in benches]
            kept = {"head": head, "scores": [pair[0] for pair in pairs], "spent": [pair[1] for pair in pairs]}
            write_json(path, kept)
        trials.append((kept["scores"], kept["spent"]))
    both = np.array(trials).transpose(1, 2, 3, 0)
    return both[0], both[1]


def bench_of(domain: str, texts: list[str], limits: Limits, first_problem: int) -> Bench:
    found = domain_of(domain)
    canonical = tuple(str(parse(text)) for text in texts)
    plan = Plan(canonical, (limits,), "test", 0, 0, "standard", choose_engine(found, "auto"), first_problem)
    return Bench(found, plan)


def _run(bench: Bench, k: int) -> tuple[list[float], list[float]]:
    """Scores and CPU seconds of all expressions on one problem."""
    outcome = bench.measure(Block(range(len(bench.plan.expressions)), range(k, k + 1)))
    if outcome.failure is not None:
        raise DomainError(outcome.failure)
    return outcome.scores[0, :, 0].tolist(), outcome.seconds[0, :, 0].tolist()


def table_of(
    arena: Arena, budget: int, contestants: list[Contestant], scores: np.ndarray, spent: np.ndarray
) -> list[Row]:
    """A line for each contestant and measure. `gain`: the mean difference on the same problems, above 0 where it is
    better, beside the best NRPA, of the old ones and with guided playouts: whose mean is best, which flatters them."""
    found = domain_of(arena.domain)
    sign = -1.0 if less_is_better(found) else 1.0
    rows = []
    for m, measure in enumerate(MEASURES):
        means = sign * scores[m].mean(axis=1)
        best: dict[str, int | None] = {}
        for group, kinds in (("nrpa", "NRPA"), ("old", "old best"), ("guided", "guided NRPA")):
            others = [i for i, (kind, _) in enumerate(contestants) if kind.startswith(kinds)]
            best[group] = max(others, key=means.__getitem__, default=None)
        for i, (kind, text) in enumerate(contestants):
            row: Row = {"kind": kind, "expression": text, "measure": measure}
            row |= {"limit": budget if measure == "evaluations" else arena.seconds}
            row |= {"unit": found.unit, "better": "less" if sign < 0 else "more"}
            row |= {
                "n": scores.shape[2],
                "mean": figure(scores[m, i].mean()),
                "stderr": figure(summary(scores[m, i]).stderr),
            }
            row["cpu_seconds_per_run"] = figure(spent[m, i].mean())
            for group, other in best.items():
                same = other is None or i == other
                gain = sign * (scores[m, i] - scores[m, i if other is None else other])
                row[f"beside_{group}"] = "" if other is None else contestants[other][1]
                row[f"gain_{group}"] = "" if same else figure(gain.mean())
                row[f"gain_{group}_stderr"] = "" if same else figure(summary(gain).stderr)
            rows.append(row)
    return rows


def run_long(work: Path, results: Path, runs: Iterable[LongRun], scale: Scale, show: Show) -> None:
    """The long runs, in turn; what there is of them is in the table even if they are stopped."""
    runs = list(runs)
    wanted = [max(FEWEST_RUNS, round(run.runs * scale.problems)) for run in runs]
    paths: dict[LongRun, list[Path]] = {run: [] for run in runs}
    try:
        for k in range(max(wanted)):
            for number, run in enumerate(runs):
                if k < wanted[number]:
                    show(f"long runs: round {k + 1} of {max(wanted)}, {run.arena}, {run.expression}")
                    paths[run].append(_long_run(work, run, max(10, round(run.budget * scale.budget)), k))
    finally:
        rows = [_long_row(run, found) for run, found in paths.items() if len(found) > 1]
        if rows:
            write_csv(results / FOLDER / "long.csv", list(rows[0]), rows)


def _long_run(work: Path, run: LongRun, budget: int, k: int) -> Path:
    """The file of one run."""
    path = work / FOLDER / "long" / f"{run.arena}-{budget}-{parse(run.expression)}-{k}.json"
    if not path.exists():
        bench = bench_of(ARENAS[run.arena].domain, [run.expression], Limits(budget), FIRST_PROBLEM)
        (score,), (spent,) = _run(bench, k)
        write_json(path, {"budget": budget, "score": score, "spent": spent})
    return path


def _long_row(run: LongRun, paths: list[Path]) -> Row:
    kept = [json.loads(path.read_text("utf-8")) for path in paths]
    scores, spent = (np.array([one[what] for one in kept]) for what in ("score", "spent"))
    row: Row = {"arena": run.arena, "expression": run.expression, "budget": kept[0]["budget"], "n": len(kept)}
    said = summary(scores)
    row |= {"mean": figure(said.mean), "stderr": figure(said.stderr), "best": figure(scores.max())}
    row["best_on_problem"] = FIRST_PROBLEM + int(scores.argmax())
    return row | {"cpu_seconds_per_run": figure(spent.mean())}

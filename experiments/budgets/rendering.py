"""results/budgets.md and its pictures from results/budgets/*.csv alone. Nothing is run."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from experiments.adaptive.lines import decimals
from experiments.budgets.curves import BUDGETS, PROBLEMS, SECONDS, SIZES, BudgetProblem
from experiments.budgets.pictures import Curve, picture
from experiments.budgets.running import FOLDER
from experiments.budgets.tables import EVALUATIONS_FILE, SECONDS_FILE
from experiments.files import read_csv, write
from experiments.markdown import NOT_YET, NOT_YET_SENTENCE, signed, table_lines, thousands

NAME = "budgets.md"
READING = Path(__file__).parent / "reading.md"
HOW = Path(__file__).parent / "how.md"
MARKS = {"best": " ▲", "tied": " =", "worse": ""}
CARRIED = {-1: "with a tenth of that", 0: "with that budget", 1: "with ten times", 2: "with a hundred times"}
"""By powers of ten."""
FEWEST_DRAWN = 5
"""Runs: curves end where there are fewer."""
FEW = 20
"""Runs: where there are fewer, the tables say so."""


@dataclass(frozen=True)
class Point:
    """A contestant within a budget, or within a CPU time."""

    problem: str
    less: bool
    kind: str
    name: str
    source: str
    home: int | None
    at: float
    """evaluations or seconds"""
    n: int
    mean: float
    stderr: float
    verdict: str
    gain: float
    gain_stderr: float
    cpu_seconds: float
    """0 within a CPU time"""

    @property
    def good(self) -> bool:
        """The best, or not shown worse."""
        return self.verdict != "worse"

    @property
    def score(self) -> str:
        return self.score_alone + MARKS[self.verdict]

    @property
    def score_alone(self) -> str:
        digits = decimals(self.stderr)
        return f"{self.mean:.{digits}f} ± {self.stderr:.{digits}f}"

    @property
    def beside(self) -> str:
        """Its difference from the best."""
        if self.verdict == "best":
            return "the best"
        digits = decimals(self.gain_stderr)
        return f"{signed(self.gain, digits)} ± {self.gain_stderr:.{digits}f}{MARKS[self.verdict]}"


class Points:
    """What is measured of all problems, by evaluations or by CPU time."""

    def __init__(self, path: Path, at: str) -> None:
        rows = read_csv(path) if path.exists() else []
        self.all = [
            Point(
                row["problem"],
                row["better"] == "less",
                row["kind"],
                row["name"],
                row["source"],
                int(row["home"]) if row["home"] else None,
                float(row[at]),
                int(row["n"]),
                float(row["mean"]),
                float(row["stderr"]),
                row["verdict"],
                float(row["gain"] or 0),
                float(row["gain_stderr"] or 0),
                float(row.get("cpu_seconds") or 0),
            )
            for row in rows
        ]

    def of(self, problem: str, at: float) -> list[Point]:
        return [one for one in self.all if (one.problem, one.at) == (problem, at)]

    def curve(self, problem: str, name: str) -> dict[float, Point]:
        return {one.at: one for one in self.all if (one.problem, one.name) == (problem, name)}

    def names(self, problem: str) -> list[str]:
        return list(dict.fromkeys(one.name for one in self.all if one.problem == problem))


def render_budgets(results: Path) -> list[Path]:
    """Write page and pictures; the files written."""
    by_evaluations = Points(results / FOLDER / EVALUATIONS_FILE, "budget")
    by_seconds = Points(results / FOLDER / SECONDS_FILE, "seconds")
    files = {f"pictures/budgets-{problem.key}.svg": drawn(problem, by_evaluations) for problem in PROBLEMS.values()}
    files = {name: text for name, text in files.items() if text}
    files[NAME] = budgets_text(by_evaluations, by_seconds)
    for name, text in files.items():
        write(results / name, text)
    return [results / name for name in files]


def budgets_text(by_evaluations: Points, by_seconds: Points) -> str:
    lines = ["# Which algorithm for which budget", ""]
    if is_full(by_evaluations):
        lines += [READING.read_text("utf-8").rstrip(), ""]
    lines += ["## What to use when told the budget", "", *_best_lines(by_evaluations, BUDGETS, evaluations_text)]
    lines += ["In CPU time:", "", *_best_lines(by_seconds, SECONDS, seconds_text)]
    lines += ["## What a campaign recommends when told the budget", "", *_campaign_lines(by_evaluations)]
    lines += ["## How to read this", "", HOW.read_text("utf-8").rstrip(), ""]
    for problem in PROBLEMS.values():
        lines += [f"## {problem.title}", "", *_problem_lines(problem, by_evaluations, by_seconds)]
    return "\n".join(lines).rstrip() + "\n"


def is_full(points: Points) -> bool:
    """Whether every problem has all budgets of the full size, so that what was read off them is worth saying."""
    largest = SIZES["full"].largest
    return all(points.of(problem, largest) for problem in PROBLEMS)


def evaluations_text(budget: float) -> str:
    return f"B = {thousands(budget)}"


def seconds_text(seconds: float) -> str:
    return f"{1000 * seconds:g} ms" if seconds < 1 else f"{seconds:g} s"


def _best_lines(points: Points, limits: Sequence[float], named: Callable[[float], str]) -> list[str]:
    rows = []
    for limit in limits:
        cells = [_best_cell(points.of(problem, limit)) for problem in PROBLEMS]
        if any(cells):
            rows.append([named(limit), *(cell or NOT_YET for cell in cells), for_all_three(points, limit)])
    if not rows:
        return [NOT_YET_SENTENCE, ""]
    return [*table_lines(["", *(problem.title for problem in PROBLEMS.values()), "for all three"], rows), ""]


def _best_cell(own: Sequence[Point]) -> str:
    if not own:
        return ""
    best = next(one for one in own if one.verdict == "best")
    tied = sum(one.verdict == "tied" for one in own)
    few = f", {best.n} runs" if best.n < FEW else ""
    return f"`{best.name}`; {tied} of {len(own) - 1} tied{few}"


def for_all_three(points: Points, limit: float) -> str:
    """Of the algorithms that are measured on every problem, the one that is best where it is worst: by the share of the
    way from plain sampling to the best."""
    worst: dict[str, float] = {}
    for problem in PROBLEMS:
        own = {one.name: one for one in points.of(problem, limit)}
        plain = own.get("is")
        if plain is None or plain.verdict == "best":
            return NOT_YET
        best = next(one for one in own.values() if one.verdict == "best")
        shares = {name: (one.mean - plain.mean) / (best.mean - plain.mean) for name, one in own.items()}
        known = shares.keys() if not worst else worst.keys() & shares.keys()
        worst = {name: min(worst.get(name, 1.0), shares[name]) for name in shares if name in known}
    name = max(worst, key=lambda name: worst[name])
    return f"`{name}`, {100 * worst[name]:.0f} %" if worst[name] > 0 else "none"


def _campaign_lines(points: Points) -> list[str]:
    rows: list[list[str]] = []
    counts: dict[int, list[bool]] = {power: [] for power in CARRIED}
    for problem in PROBLEMS.values():
        for name in points.names(problem.key):
            curve = points.curve(problem.key, name)
            one = next(iter(curve.values()))
            if one.home not in BUDGETS:
                continue
            there = [curve.get(one.home * 10.0**power) for power in CARRIED]
            for power, point in zip(CARRIED, there, strict=True):
                counts[power] += [point.good] if point else []
            cells = [point.beside if point else NOT_YET for point in there]
            rows.append([problem.title, one.source, f"`{name}`", evaluations_text(one.home), *cells])
    if not rows:
        return [NOT_YET_SENTENCE, ""]
    said = "; ".join(f"{CARRIED[power]} {sum(good)} of {len(good)}" for power, good in counts.items() if good)
    told = "; ".join(f"{problem.title} {_homes(points, problem)}" for problem in PROBLEMS.values())
    text = (
        f"The stored campaigns, as they are, were told: {told}. A difference is from the best of all on this page "
        f"within that budget, below 0 where it is worse. The best, or not shown to be worse than it, are {said}; "
        "the fewer runs, the more is not shown."
    )
    return [text, "", *table_lines(["", "found by", "expression", "told", *CARRIED.values()], rows), ""]


def _homes(points: Points, problem: BudgetProblem) -> str:
    homes = {one.home for one in points.all if one.problem == problem.key and not one.source.startswith("table")}
    return " and ".join(evaluations_text(home) for home in sorted(home for home in homes if home)) or "none"


def _problem_lines(problem: BudgetProblem, by_evaluations: Points, by_seconds: Points) -> Iterator[str]:
    names = by_evaluations.names(problem.key)
    if not names:
        yield from (NOT_YET_SENTENCE, "")
        return
    curves = [by_evaluations.curve(problem.key, name) for name in names]
    budgets = sorted({at for curve in curves for at in curve})
    some = [next(iter(curve.values())) for curve in curves]
    runs = ", ".join(f"{curves[0][budget].n} of {wanted_runs(problem, budget)}" for budget in budgets)
    better = "less" if some[0].less else "more"
    letters = letters_of(names)
    yield from (
        f"![Scores over evaluations and over CPU time](pictures/budgets-{problem.key}.svg)",
        "",
        f"Mean {problem.unit}, {better} is better. Runs of each, of those wanted in the end: {runs}.",
        "",
    )
    header = ["", "", "expression", "found by", *map(evaluations_text, budgets)]
    yield from table_lines(
        header,
        [
            [letters[name], one.kind, f"`{name}`", one.source, *(curve[budget].score for budget in budgets)]
            for name, one, curve in zip(names, some, curves, strict=True)
        ],
    )
    yield from ("", "CPU time of a run, and the score within a CPU time:", "")
    times = [seconds for seconds in SECONDS if by_seconds.of(problem.key, seconds)]
    header = ["", "expression", *map(evaluations_text, budgets), *map(seconds_text, times)]
    rows = []
    for name, curve in zip(names, curves, strict=True):
        within = by_seconds.curve(problem.key, name)
        cells = [cpu_text(curve[budget].cpu_seconds) for budget in budgets]
        cells += [within[seconds].score if seconds in within else "" for seconds in times]
        rows.append([letters[name], f"`{name}`", *cells])
    yield from (*table_lines(header, rows), "")


def wanted_runs(problem: BudgetProblem, budget: float) -> int:
    return SIZES["full"].runs(problem, round(budget))


def cpu_text(seconds: float) -> str:
    return f"{1000 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def letters_of(names: Sequence[str]) -> dict[str, str]:
    return {name: chr(ord("a") + number) for number, name in enumerate(names)}


def drawn(problem: BudgetProblem, points: Points) -> str:
    """The picture of a problem; empty where too little is measured."""
    names = points.names(problem.key)
    letters = letters_of(names)
    curves = []
    for name in names:
        own = [one for _, one in sorted(points.curve(problem.key, name).items()) if one.n >= FEWEST_DRAWN]
        if len(own) > 1:
            places = tuple((one.at, one.cpu_seconds, one.mean) for one in own)
            curves.append(Curve(letters[name], name, own[0].kind, places))
    if not curves:
        return ""
    less = next(one.less for one in points.all if one.problem == problem.key)
    return picture(problem.title, problem.unit, less, curves)

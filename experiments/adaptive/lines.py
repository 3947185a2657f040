"""The lines of results/adaptive/*.csv, as the rendering reads them, and how it speaks of them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from discovery.statistics import SIGNIFICANT
from experiments.adaptive.questions import QUESTIONS, QuestionName
from experiments.files import read_csv
from experiments.markdown import NOT_YET, signed, thousands

Verdict = Literal["better", "open", "worse"]
VERDICTS: dict[Verdict, str] = {"better": "better", "open": "no difference shown", "worse": "worse"}


@dataclass(frozen=True)
class Gain:
    """What one algorithm gains over another on the same problems of a domain."""

    domain: str
    unit: str
    runs: int
    mean: float
    low: float
    high: float
    p_holm: float

    @property
    def verdict(self) -> Verdict:
        if not self.p_holm < SIGNIFICANT:
            return "open"
        return "better" if self.mean > 0 else "worse"

    @property
    def clarity(self) -> float:
        """The size of the gain in halves of its interval."""
        half = (self.high - self.low) / 2
        return abs(self.mean) / half if half > 0 else math.inf

    def turned(self) -> "Gain":
        """The other's over the one."""
        return Gain(self.domain, self.unit, self.runs, -self.mean, -self.high, -self.low, self.p_holm)

    @property
    def figure(self) -> str:
        """+1.2 [0.4, 2.0]"""
        places = decimals((self.high - self.low) / 2)
        low, high = (f"{'−' if round(end, places) < 0 else ''}{abs(end):.{places}f}" for end in (self.low, self.high))
        return f"{signed(self.mean, places)} [{low}, {high}]"

    def __str__(self) -> str:
        return f"`{self.domain}` {self.figure} {self.unit}"


@dataclass(frozen=True)
class Line:
    """An algorithm on a domain within a budget."""

    domain: str
    unit: str
    contest: str
    budget: int
    label: str
    expression: str
    runs: int
    mean: float
    stderr: float
    cpu_seconds: float
    gain: Gain | None
    """over the baseline; None for the baseline itself"""

    @property
    def score(self) -> str:
        places = decimals(self.stderr)
        return f"{self.mean:.{places}f} ± {self.stderr:.{places}f}"


SAME_TIME = 1.5
"""Times that lie no further apart are called the same."""


@dataclass(frozen=True)
class TimeLine:
    """An adaptive algorithm within a budget beside a plain one in the same CPU time."""

    label: str
    budget: int
    cpu_seconds: float
    beside: str
    beside_budget: int
    beside_cpu_seconds: float
    gain: Gain


class Results:
    """All tables of a folder; those that are not there are empty."""

    def __init__(self, folder: Path) -> None:
        self.lines = {name: _read_lines(folder / f"{name}.csv") for name in QUESTIONS}
        self.time = _read_time(folder / "time.csv")

    def in_the_same_time(self, label: str, beside: str) -> list[TimeLine]:
        """For each domain that of the largest budget whose time the other was given, or nearly so: budgets are few, and
        it is given no more."""
        fair = [one for one in self.time if (one.label, one.beside) == (label, beside)]
        fair = [one for one in fair if one.cpu_seconds <= SAME_TIME * one.beside_cpu_seconds]
        largest = {one.gain.domain: one for one in sorted(fair, key=lambda one: one.budget)}
        return [largest[domain] for domain in dict.fromkeys(one.gain.domain for one in self.time) if domain in largest]

    def gains(self, question: QuestionName, contest: str, budget: int, label: str) -> list[Gain]:
        """Of an algorithm over the baseline of a contest, on each domain that has been measured."""
        return [
            line.gain
            for line in self.lines[question]
            if (line.contest, line.budget, line.label) == (contest, budget, label) and line.gain is not None
        ]

    def complete(self) -> bool:
        """Whether everything has been run at full scale."""
        return all(
            len({(line.contest, line.domain) for line in self.lines[name]}) == len(question.contests)
            and all(line.runs >= question.runs for line in self.lines[name])
            for name, question in QUESTIONS.items()
        )

    def recoverable(self, budget: int) -> set[tuple[str, str]]:
        """The contest and domain of each place where good values are better than bad ones."""
        return {
            (line.contest, line.domain)
            for line in self.lines["recovery"]
            if line.label == "good" and line.budget == budget
            if line.gain is not None and line.gain.verdict == "better"
        }

    def gain(self, question: QuestionName, contest: str, budget: int, label: str, domain: str) -> Gain | None:
        return next((gain for gain in self.gains(question, contest, budget, label) if gain.domain == domain), None)


def _read_lines(path: Path) -> list[Line]:
    return [
        Line(
            row["domain"],
            row["unit"],
            row["contest"],
            int(row["budget"]),
            row["label"],
            row["expression"],
            int(row["runs"]),
            float(row["mean"]),
            float(row["stderr"]),
            float(row["cpu_seconds"]),
            _gain(row) if row["gain"] else None,
        )
        for row in (read_csv(path) if path.exists() else [])
    ]


def _read_time(path: Path) -> list[TimeLine]:
    return [
        TimeLine(
            row["label"],
            int(row["budget"]),
            float(row["cpu_seconds"]),
            row["beside"],
            int(row["beside_budget"]),
            float(row["beside_cpu_seconds"]),
            _gain(row),
        )
        for row in (read_csv(path) if path.exists() else [])
    ]


def _gain(row: dict[str, str]) -> Gain:
    low, mean, high, p = (float(row[name]) for name in ("low", "gain", "high", "p_holm"))
    return Gain(row["domain"], row["unit"], int(row["paired_runs"]), mean, low, high, p)


def decimals(error: float) -> int:
    """As many as show two digits of an error."""
    if not (math.isfinite(error) and error > 0):
        return 2
    return max(0, min(6, 1 - math.floor(math.log10(error))))


def tally(gains: Sequence[Gain]) -> str:
    """better on 3 of 5, worse on 1"""
    counts = {verdict: sum(one.verdict == verdict for one in gains) for verdict in VERDICTS}
    parts = [f"{VERDICTS[verdict]} on {count}" for verdict, count in counts.items() if count]
    if not parts:
        return NOT_YET
    if len(parts) == 1 and len(gains) > 1:
        return f"{parts[0]} of {len(gains)}"
    first, *rest = parts
    return ", ".join([f"{first} of {len(gains)}", *rest])


def in_full(gains: Sequence[Gain]) -> str:
    """The tally with every figure, the clear ones first."""
    if not gains:
        return f"{NOT_YET}."
    parts = []
    for verdict, words in VERDICTS.items():
        some = [one for one in gains if one.verdict == verdict]
        if some:
            parts.append(f"{words} on {len(some)} of {len(gains)}: {'; '.join(map(str, some))}")
    return ". ".join(part[0].upper() + part[1:] for part in parts) + f" ({runs_of(gains)})."


def in_brief(gains: Sequence[Gain]) -> str:
    """The tally with the clearest figure of each kind."""
    if not gains:
        return NOT_YET
    clearest = []
    for verdict in ("better", "worse"):
        some = [one for one in gains if one.verdict == verdict]
        if some:
            clearest.append(str(max(some, key=lambda one: one.clarity)))
    return f"{tally(gains)} ({'; '.join([*clearest, runs_of(gains)])})"


def runs_of(gains: "Iterable[Gain | Line]") -> str:
    """n = 200, or n = 50 to 200"""
    counts = [one.runs for one in gains]
    low, high = min(counts), max(counts)
    return f"n = {thousands(low)}" if low == high else f"n = {thousands(low)} to {thousands(high)}"

"""What the five papers claim, and what of it holds here: the parts that all claims have in common.

Glossary
    paper      one of the five, by its key: `M`, `S`, `G`, `V`, `A`
    claim      what a paper says in one place, short
    finding    what was measured of a claim: a verdict, and the figures with the reason
    case       one of the things that a claim comes to: 1 bears it out, -1 speaks against it, 0 leaves it open
    verdict    what the cases come to: `holds`, `holds in part`, `open`, `does not hold`, or `not measured yet`, as of
               every claim without a finding
    limits     said after a verdict: `so far` where some of what it rests on is not measured yet, `by few runs` where
               much of it may be chance, or on what it was measured where that is not what the paper has
    evidence   what is stored in a folder of results: all figures of findings are looked up there
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from experiments.adaptive.lines import Gain, Results
from experiments.adaptive.running import FOLDER as ADAPTIVE_FOLDER
from experiments.arena.played import Played, read_played
from experiments.arena.running import FOLDER as ARENA_FOLDER
from experiments.columns import COLUMNS
from experiments.files import read_csv
from experiments.play.question import FOLDER as PLAY_FOLDER
from experiments.play.question import TABLE as PLAY_TABLE
from experiments.play.video_rendering import Rows, video_rows
from experiments.reading import Answers
from experiments.score_tables import Cell, cells_of
from experiments.stored import Stored, read_stored
from mcsgrammar.engines.searching import SemanticsName

PaperKey = Literal["M", "S", "G", "V", "A"]
Verdict = Literal["holds", "holds in part", "open", "does not hold", "not measured yet"]
SO_FAR, FEW_RUNS = "so far", "by few runs"
ONE_PLAYER, OTHER_GAMES, TWO_PARAMETERS = "with one player", "on other games", "with two parameters"
MARGIN = 5.0
"""Points of 100. What is no worse than something is shown where a loss of more than that is ruled out."""


@dataclass(frozen=True)
class Finding:
    """What was measured of a claim."""

    verdict: Verdict
    text: str
    limits: str = ""


class Evidence:
    """What is stored. What is not there raises `LookupError`, or is not found, when it is asked for."""

    def __init__(self, results: Path) -> None:
        self.results = results
        self._cells: dict[tuple[str, SemanticsName], list[Cell]] = {}

    @cached_property
    def stored(self) -> Stored:
        if not (self.results / "measurements.csv").exists():
            raise LookupError
        return read_stored(self.results)

    @cached_property
    def answers(self) -> Answers:
        return Answers(self.stored)

    @cached_property
    def adaptive(self) -> Results:
        return Results(self.results / ADAPTIVE_FOLDER)

    @cached_property
    def _played(self) -> list[Played]:
        return read_played(self.results / ARENA_FOLDER)

    def played(self, table: str, budget: int | None = None) -> list[Played]:
        """The cells of a table of agents, at this budget or its largest."""
        own = [one for one in self._played if one.table == table and budget in (None, one.budget)]
        if not own:
            raise LookupError
        return [one for one in own if one.budget == max(other.budget for other in own)]

    def budgets(self, table: str) -> list[int]:
        """Those that cells of a table of agents have, the least first."""
        return sorted({one.budget for one in self._played if one.table == table})

    @cached_property
    def games(self) -> list[dict[str, str]]:
        path = self.results / PLAY_FOLDER / PLAY_TABLE
        return read_csv(path) if path.exists() else []

    @cached_property
    def video(self) -> Rows:
        """What was played of the papers' video games, by game and agent."""
        rows = video_rows(self.results)
        if not rows:
            raise LookupError
        return rows

    def column(self, key: str, semantics: SemanticsName = "standard") -> list[Cell]:
        """What is measured in a column of the first paper's tables."""
        column = COLUMNS[key]
        if (column.table, semantics) not in self._cells:
            self._cells[column.table, semantics] = cells_of(column.table, semantics, self.stored)
        own = [cell for cell in self._cells[column.table, semantics] if cell.column == column.title and cell.n]
        if not own:
            raise LookupError
        return own


@dataclass(frozen=True)
class Claim:
    """What a paper says."""

    place: str
    """its table, figure or section"""
    says: str
    page: str
    """where it is measured, a link from results/; empty where nothing is"""
    judge: Callable[[Evidence], Finding] | None = None
    """None where nobody measures it"""
    why_not: str = ""
    """then: what is missing"""

    def finding(self, evidence: Evidence) -> Finding | None:
        """None where it is not measured yet."""
        if self.judge is None:
            return None
        try:
            return self.judge(evidence)
        except (LookupError, StopIteration):
            return None


@dataclass(frozen=True)
class Paper:
    """One of the five."""

    key: PaperKey
    title: str
    by: str
    claims: tuple[Claim, ...]


def judged(good: int, bad: int, total: int) -> Verdict:
    """Of so many cases: good ones bear a claim out, bad ones speak against it, the others leave it open."""
    if good == total:
        return "holds"
    if bad and (good == 0 or good < bad >= total / 2):
        return "does not hold"
    return "holds in part" if good else "open"


def weighed(cases: Iterable[int]) -> Verdict:
    """The same of cases one by one."""
    own = list(cases)
    return judged(own.count(1), own.count(-1), len(own))


def either(is_so: bool) -> int:
    """A case that nothing leaves open."""
    return 1 if is_so else -1


def no_worse(low: float, high: float) -> int:
    """The case of one that is said to be no worse than another, from the interval of what it gains, in points."""
    if high < 0:
        return -1
    return 1 if low > -MARGIN else 0


def some(gains: Sequence[Gain]) -> Sequence[Gain]:
    """The same; where there is none, nothing is measured."""
    if not gains:
        raise LookupError
    return gains


def counted(gains: Sequence[Gain]) -> tuple[int, int, int]:
    """How many are better, open and worse."""
    better, worse = (sum(one.verdict == verdict for one in some(gains)) for verdict in ("better", "worse"))
    return better, len(gains) - better - worse, worse

"""The runs behind results/records/, in journals that are kept whole: on any machine they go on where they end."""

from collections.abc import Callable
from pathlib import Path

from discovery.keeping.line_journal import LineJournal
from discovery.many.runs import RUNS, ManyRuns
from domains.registry import find_domain
from experiments.records.question import Attempt
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.parsing import parse
from mcsgrammar.solving import Solution

FOLDER = "records"
Show = Callable[[str], None]


def journal_of(attempt: Attempt, results: Path) -> Path:
    return results / FOLDER / f"{attempt.name}.jsonl"


def run_attempt(attempt: Attempt, results: Path, hours: float, jobs: int, show: Show) -> None:
    """Begin new runs for so many hours by the wall's clock; each is in the journal as soon as it is finished."""
    path = journal_of(attempt, results)
    path.parent.mkdir(parents=True, exist_ok=True)
    best = 0.0
    for number, solution in enumerate(_runs(attempt).solutions(None, hours, jobs, attempt.domain, path), 1):
        best = max(best, solution.score or 0.0)
        show(f"{attempt.name}: {number} runs, best {best:.0f} lines")


def kept_runs(attempt: Attempt, results: Path) -> list[Solution]:
    """Those of the journal, in their order, also while another command adds to it."""
    path = journal_of(attempt, results)
    if not path.exists():
        return []
    runs = _runs(attempt)
    kept = LineJournal(RUNS, path, runs.header()).read()
    return [runs.solution(number, result) for number, result in enumerate(kept)]


def _runs(attempt: Attempt) -> ManyRuns:
    return ManyRuns(find_domain(attempt.domain), parse(attempt.expression), Limits(attempt.budget))

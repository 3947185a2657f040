"""results/records.md and its pictures from the journals alone. Nothing is searched."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from discovery.many.runs import improvements
from discovery.statistics import summary
from experiments.files import write
from experiments.markdown import NOT_YET, NOT_YET_SENTENCE, duration, table_lines, thousands
from experiments.records.question import ATTEMPTS, MARKS, Attempt
from experiments.records.running import FOLDER, journal_of, kept_runs
from mcsgrammar.solving import Solution

NAME = "records.md"


class Found:
    """What there is of an attempt."""

    def __init__(self, attempt: Attempt, runs: Sequence[Solution]) -> None:
        self.attempt = attempt
        self.lines = [len(run.actions) for run in runs]
        self.spent = list(accumulate(run.result.seconds for run in runs))
        self.better = improvements(list(runs))
        """the runs that were better than all before them, with their numbers"""

    @property
    def best(self) -> Solution:
        return self.better[-1][1]

    def best_within(self, seconds: float) -> int | None:
        """Lines of the longest game after so much CPU time; None where the runs do not last so long."""
        if not self.spent or self.spent[-1] < seconds:
            return None
        there = [lines for lines, spent in zip(self.lines, self.spent, strict=True) if spent <= seconds]
        return max(there, default=None)


def render_records(results: Path) -> list[Path]:
    """Write them."""
    found = [Found(attempt, runs) for attempt in ATTEMPTS.values() if (runs := kept_runs(attempt, results))]
    written = []
    for one in found:
        picture = one.best.svg()
        assert picture is not None
        written.append(results / FOLDER / f"{one.attempt.name}.svg")
        write(written[-1], picture)
    written.append(results / NAME)
    write(written[-1], "\n".join(_page(found)).rstrip() + "\n")
    return written


def _page(found: Sequence[Found]) -> Iterator[str]:
    yield from (
        "# The longest games of Morpion Solitaire",
        "",
        "How long are the games that the language finds on two cores? Runs of one algorithm, one after the other, of "
        "which the longest game counts; `python -m experiments records --hours 1` makes more of them, on any machine, "
        f"from where [the journals]({FOLDER}) end, and `--render` makes this page from them alone. The same by the "
        "command line, for instance:",
        "",
        f"    {_command(next(iter(ATTEMPTS.values())))}",
        "",
    )
    header = ["", "algorithm", "evaluations a run", "CPU of a run", "runs", "lines of a run", "longest", "known"]
    rows = [_row(one) for one in found]
    yield from (*table_lines(header, rows), "") if rows else (NOT_YET_SENTENCE, "")
    yield from (
        "± is a standard error; *known* is the longest game that has been published, by hand or by program: both were "
        "found by Rosin's NRPA, which is `nrpa` here.",
        "",
    )
    if rows:
        yield from ("The longest after so much CPU time:", "")
        times = [
            [
                one.attempt.name,
                *(NOT_YET if (n := one.best_within(mark)) is None else f"{n}" for mark in MARKS.values()),
            ]
            for one in found
        ]
        yield from (*table_lines(["", *MARKS], times), "")
    for one in found:
        yield from _section(one)


def _command(attempt: Attempt) -> str:
    journal = f"results/{FOLDER}/{attempt.name}.jsonl"
    return (
        f"mcsgrammar solve {attempt.domain} '{attempt.expression}' --budget {attempt.budget} --hours 1 --jobs 2 "
        f"--journal {journal}"
    )


def _row(one: Found) -> list[str]:
    lines = summary([float(n) for n in one.lines])
    return [
        one.attempt.name,
        f"`{one.attempt.expression}`",
        thousands(one.attempt.budget),
        duration(one.spent[-1] / len(one.lines)),
        f"{len(one.lines)}",
        f"{lines.mean:.2f} ± {lines.stderr:.2f}",
        f"{max(one.lines)}",
        f"{one.attempt.known}",
    ]


def _section(one: Found) -> Iterator[str]:
    steps = [f"{len(run.actions)} (run {number + 1}, {duration(one.spent[number])})" for number, run in one.better]
    yield from (
        f"## {one.attempt.name}: {max(one.lines)} lines",
        "",
        f"Longer and longer, after so much CPU time: {', '.join(steps)}; {duration(one.spent[-1])} in all.",
        "",
        f"![The longest game]({FOLDER}/{one.attempt.name}.svg)",
        "",
        f"Found by `{one.attempt.expression}` with {thousands(one.attempt.budget)} evaluations, in its run "
        f"{one.better[-1][0] + 1}. [All runs]({FOLDER}/{journal_of(one.attempt, Path()).name}), with their actions.",
        "",
    )

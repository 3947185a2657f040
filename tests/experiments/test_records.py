"""The page of records says what is in its journals, which go on where they end."""

from pathlib import Path

import pytest

from discovery.keeping.line_journal import LineJournal
from discovery.many.runs import RUNS, ManyRuns
from domains.registry import find_domain
from experiments.options import RESULTS
from experiments.records import rendering
from experiments.records.question import MARKS, Attempt
from experiments.records.rendering import Found, render_records
from experiments.records.running import journal_of, kept_runs, run_attempt
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.parsing import parse
from mcsgrammar.solving import Solution

SHORT = Attempt("short", "5D", "adapt(sim, 20)", 100, 82)


@pytest.fixture
def runs(tmp_path: Path) -> list[Solution]:
    run_attempt(SHORT, tmp_path, 1e-9, 1, lambda text: None)
    run_attempt(SHORT, tmp_path, 1e-9, 1, lambda text: None)
    return kept_runs(SHORT, tmp_path)


def test_what_is_kept_is_gone_on_with(runs: list[Solution]) -> None:
    assert len(runs) == 2
    assert runs[0].seed != runs[1].seed
    assert all(run.score == len(run.actions) >= 40 for run in runs)


def test_a_journal_is_read_while_another_command_writes_it(tmp_path: Path, runs: list[Solution]) -> None:
    path = journal_of(SHORT, tmp_path)
    many = ManyRuns(find_domain(SHORT.domain), parse(SHORT.expression), Limits(SHORT.budget))
    with LineJournal(RUNS, path, many.header()):
        with path.open("ab") as file:
            file.write(b'{"reward": 7')
        assert [run.seed for run in kept_runs(SHORT, tmp_path)] == [run.seed for run in runs]
    assert path.read_bytes().endswith(b'{"reward": 7'), "who only reads cuts nothing off"


def test_the_longest_within_a_time(runs: list[Solution]) -> None:
    found = Found(SHORT, runs)
    found.lines, found.spent = [60, 75, 70], [400.0, 700.0, 1100.0]
    assert [found.best_within(seconds) for seconds in (100, 600, 700, 1100, 1101)] == [None, 60, 75, 75, None]


def test_the_page(tmp_path: Path, runs: list[Solution], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "ATTEMPTS", {"short": SHORT})
    picture, page = render_records(tmp_path)
    assert picture.read_text("utf-8") == max(runs, key=lambda run: len(run.actions)).svg()
    text = page.read_text("utf-8")
    longest = max(len(run.actions) for run in runs)
    assert f"## short: {longest} lines\n" in text
    assert f" | 2 | {sum(len(run.actions) for run in runs) / 2:.2f} ± " in text
    assert f" | {longest} | 82 |\n" in text
    assert f"| short{' | not measured yet' * len(MARKS)} |\n" in text


def test_without_journals_nothing_is_claimed(tmp_path: Path) -> None:
    (page,) = render_records(tmp_path)
    assert "\nNot measured yet.\n" in page.read_text("utf-8")
    assert not journal_of(SHORT, tmp_path).exists()


def test_the_kept_page_is_what_is_rendered(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    for journal in (RESULTS / "records").glob("*.jsonl"):
        (tmp_path / "records" / journal.name).write_bytes(journal.read_bytes())
    for path in render_records(tmp_path):
        assert path.read_bytes() == (RESULTS / path.relative_to(tmp_path)).read_bytes(), path.name

"""Many runs of `mcsgrammar solve`: the same in workers, in a journal, and stopped in between."""

import errno
import json
import math
import os
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import discovery.keeping.line_journal as line_journal
import discovery.many.runs as solving
from discovery.evaluation.runs import parcel
from discovery.many.runs import ManyRuns, chunks, improvements
from domains.errors import DomainError, UserError
from domains.registry import find_domain
from domains.sudoku import Sudoku
from mcsgrammar.cli.solving import _Progress, command
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.parsing import parse
from mcsgrammar.solving import Solution, solve

DOMAIN, EXPRESSION, BUDGET = "sudoku:3", "select(sim, 0.5)", 20


def many(seed: int = 0, expression: str = EXPRESSION) -> ManyRuns:
    return ManyRuns(find_domain(DOMAIN), parse(expression), Limits(BUDGET, None), seed=seed)


def told(solutions: Any) -> list[Any]:
    """All but the time it took."""
    return [(s.seed, s.score, s.actions, s.result.curve, s.result.evaluations, s.result.tree_nodes) for s in solutions]


ALONE = told(solve(DOMAIN, EXPRESSION, BUDGET, runs=7))


@pytest.mark.parametrize("jobs", [1, 2])
def test_they_are_the_runs_of_solve(jobs: int, tmp_path: Path) -> None:
    assert told(many().solutions(7, jobs=jobs, typed=DOMAIN)) == ALONE
    path = tmp_path / "runs.jsonl"
    assert told(many().solutions(3, jobs=jobs, typed=DOMAIN, journal=path)) == ALONE[:3]
    assert told(many().solutions(7, jobs=jobs, typed=DOMAIN, journal=path)) == ALONE
    assert told(many().solutions(2, jobs=jobs, typed=DOMAIN, journal=path)) == ALONE[:2]
    assert len(path.read_text().splitlines()) == 8
    assert told(many().solutions(None, hours=1e-9, jobs=jobs, typed=DOMAIN, journal=path))[:7] == ALONE


def test_runs_are_on_disk_when_they_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, real_fsync, on_disk = tmp_path / "runs.jsonl", os.fsync, []

    def fsync(descriptor: int) -> None:
        on_disk.append(path.read_bytes())
        real_fsync(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    for _ in many().solutions(3, journal=path):
        assert on_disk[-1] == path.read_bytes()


def test_what_was_kept_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "runs.jsonl"
    kept = list(many().solutions(3, journal=path))
    monkeypatch.setattr(solving, "runs_on", lambda *_: pytest.fail("a run that was kept"))
    again = list(many().solutions(3, journal=path))
    assert [one.result for one in again] == [one.result for one in kept]


def test_stopped_in_the_middle_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    list(many().solutions(5, journal=path))
    whole = path.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert told(many().solutions(7, journal=path)) == ALONE


def test_runs_that_were_handed_out_too_early_are_not_begun() -> None:
    one = many()
    what = parcel(one.domain, None, one.plan, "token")
    assert solving.runs_in_worker(what, time.time() - 1, range(3)).results == ()
    assert len(solving.runs_in_worker(what, time.time() + 60, range(3)).results) == 3


def test_after_the_time_no_run_is_numbered_as_another(monkeypatch: pytest.MonkeyPatch) -> None:
    one, ends = many(), []
    late = [solving.FinishedRuns(()), solving.runs_on(one.bench, range(4, 5))]

    def handed_out(work: Any, tasks: Any, jobs: int) -> Any:
        ends.append(work.args[1])
        return iter(late)

    monkeypatch.setattr(solving, "in_workers", handed_out)
    assert told(one.solutions(7, hours=1, jobs=2)) == ALONE[:1]
    assert ends == [pytest.approx(time.time() + 3600, abs=60)]


def test_a_journal_of_other_runs(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    list(many().solutions(2, journal=path))
    before = path.read_bytes()
    with pytest.raises(UserError) as error:
        list(many(seed=1).solutions(2, journal=path))
    assert str(error.value) == (
        f"{path} holds runs with seed 0, and these have 1; give --journal another name, or the command that it was "
        "begun with"
    )
    lines = before.splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1].replace(b'"evaluations":20', b'"evaluations":21') + lines[2])
    with pytest.raises(UserError) as error:
        list(many().solutions(2, journal=path))
    assert str(error.value) == (
        f"{path}, line 2 is damaged: it does not match its checksum; restore the file, or begin anew"
    )
    (tmp_path / "other").write_text("{}\n")
    with pytest.raises(UserError) as error:
        list(many().solutions(2, journal=tmp_path / "other"))
    assert str(error.value) == f"{tmp_path / 'other'} is no journal of runs; give --journal another name"


@pytest.mark.parametrize(
    "other, said",
    [
        ({"semantics": "maes2013"}, "semantics standard, and these have maes2013"),
        ({"limits": Limits(BUDGET, None, 77)}, "max_nodes 10000000, and these have 77"),
        ({"limits": Limits(21)}, "budget 20, and these have 21"),
        ({"number": 4}, "problem 0, and these have 4"),
        ({"split": "train"}, "split test, and these have train"),
    ],
)
def test_a_journal_of_runs_of_another_kind(other: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    list(many().solutions(1, journal=path))
    how: dict[str, Any] = {"limits": Limits(BUDGET, None), **other}
    with pytest.raises(UserError) as error:
        list(ManyRuns(find_domain(DOMAIN), parse(EXPRESSION), **how).solutions(1, journal=path))
    assert f"holds runs with {said};" in str(error.value)


def test_versions_that_a_journal_was_not_begun_with_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, now = tmp_path / "runs.jsonl", line_journal.versions_now()
    with monkeypatch.context() as older:
        older.setattr(line_journal, "versions_now", lambda: now | {"numba": "0.1"})
        list(many().solutions(2, journal=path))
    assert capsys.readouterr().err == ""
    assert told(many().solutions(3, journal=path)) == ALONE[:3]
    assert capsys.readouterr().err == (
        f"note: {path} was begun with other versions (numba 0.1, now {now['numba']}), which may give other runs\n"
    )
    header = json.loads(path.read_text().splitlines()[0])
    del header["versions"], header["checksum"]  # as journals had none before
    path.write_bytes(line_journal._line(header))
    assert told(many().solutions(1, journal=path)) == ALONE[:1] and capsys.readouterr().err == ""


FOREIGN = [
    b"PRECIOUS",
    b"a\nb\nc-without-feed",
    b'{"mine": 1}',
    b'{"format": "mcsgrammar games 1"}\n{"mi',
    b"\n",
    b"\0",
]


@pytest.mark.parametrize("content", FOREIGN)
def test_what_is_no_journal_is_left_as_it_is(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "precious"
    path.write_bytes(content)
    with pytest.raises(UserError) as error:
        list(many().solutions(2, journal=path))
    assert str(error.value) == f"{path} is no journal of runs; give --journal another name"
    assert path.read_bytes() == content


OWN = """
from domains.protocol import Domain

class Own(Domain):
    horizon = 3
    def sample(self, random): return [random.below(5)]
    def actions(self, state): return [{actions}] if len(state) < 4 else []
    def play(self, state, action): state.append(action)
    def reward(self, state): return {reward}
"""


def own(tmp_path: Path, actions: str, reward: str = "len(state) / 9") -> ManyRuns:
    (tmp_path / "own.py").write_text(OWN.format(actions=actions, reward=reward))
    return ManyRuns(find_domain(f"{tmp_path / 'own.py'}:Own"), parse("nmc(2)"), Limits(20, None))


def test_a_journal_is_of_the_rules_that_its_runs_had(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    list(own(tmp_path, "1, 2").solutions(2, journal=path))
    before = path.read_bytes()
    changed = own(tmp_path, "1, 2", "1 - len(state) / 9")
    with pytest.raises(UserError) as error:
        list(changed.solutions(4, journal=path))
    assert str(error.value) == (
        f"{path} holds runs of {changed.header()['domain']} as its file was before it was changed; give --journal "
        "another name, or change the file back"
    )
    assert path.read_bytes() == before
    assert len(list(own(tmp_path, "1, 2").solutions(4, journal=path))) == 4


@pytest.mark.parametrize(
    "actions", ["(0, 1), (1, 1)", "('a', (1, 2.5)), ('b', None)", "*__import__('numpy').arange(2)"]
)
def test_actions_of_any_such_kind_come_back(actions: str, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    first = list(own(tmp_path, actions).solutions(2, journal=path))
    again = list(own(tmp_path, actions).solutions(3, journal=path))
    assert [run.actions for run in again[:2]] == [run.actions for run in first]
    assert again[0].draw() == first[0].draw()
    assert told(again) == told(own(tmp_path, actions).solutions(3))


def test_actions_that_do_not_come_back_are_refused_before_anything_is_run(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    runs = own(tmp_path, "frozenset({1}), 2")
    with pytest.raises(UserError) as error:
        list(runs.solutions(2, journal=path))
    assert str(error.value) == (
        "the action frozenset({1}), a frozenset, cannot be given back by a journal; let actions be finite numbers, "
        "texts, or tuples of these, or leave --journal out"
    )
    assert not path.exists()
    assert len(list(runs.solutions(2))) == 2
    with pytest.raises(UserError, match="the action inf, which is no number of JSON, cannot be given back"):
        list(own(tmp_path, "float('inf'), 2").solutions(2, journal=path))


def test_actions_of_later_states_that_do_not_come_back_are_not_kept(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    with pytest.raises(UserError) as error:
        list(own(tmp_path, "1 if len(state) < 2 else float('inf')").solutions(2, journal=path))
    said = f"{path}: inf, which is no number of JSON, cannot be given back, so this run is not kept"
    assert str(error.value) == said
    assert list(own(tmp_path, "1 if len(state) < 2 else float('inf')").solutions(2))


def test_a_full_disk_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "runs.jsonl"
    list(many().solutions(2, journal=path))
    before = path.read_bytes()

    def full(descriptor: int, data: bytes) -> None:
        os.write(descriptor, data[:7])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(line_journal, "write_all", full)
    with pytest.raises(UserError) as error:
        list(many().solutions(3, journal=path))
    assert str(error.value) == (
        f"{path} cannot be written: No space left on device; what is in it is whole, and the same command goes on"
    )
    monkeypatch.undo()
    assert len(list(many().solutions(3, journal=path))) == 3
    assert path.read_bytes().startswith(before)


def test_runs_are_handed_out_until_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(chunks(1, 8, 3, None)) == [range(1, 4), range(4, 7), range(7, 8)]
    assert list(chunks(3, 3, 3, None)) == []
    clock = iter([0.0, 1.0, 2.0, 3.0])
    monkeypatch.setattr(solving.time, "monotonic", lambda: next(clock))
    assert list(chunks(1, None, 2, 2.0)) == [range(1, 3), range(3, 5)]


def test_better_and_better() -> None:
    solutions = list(many().solutions(1))
    rewards = [None, -0.5, -0.5, 0.25, 0.0, 0.5]

    def with_reward(reward: float | None) -> Solution:
        return Solution(**{**vars(solutions[0]), "result": type("R", (), {"reward": reward})()})

    assert [run for run, _ in improvements([with_reward(reward) for reward in rewards])] == [1, 3, 5]


def test_a_failing_domain_names_its_mistake(tmp_path: Path) -> None:
    class Breaking(Sudoku):
        def play(self, state: Any, action: Any) -> None:
            raise ValueError("out of order")

    with pytest.raises(DomainError, match="out of order"):
        list(ManyRuns(Breaking(2), parse("sim"), Limits(3, None), engine="reference").solutions(2))


def run(*words: str) -> Result:
    return CliRunner().invoke(command, [DOMAIN, EXPRESSION, "--budget", str(BUDGET), *words], catch_exceptions=False)


def test_what_is_said_of_many_runs(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    lines = run("--runs", "7", "--jobs", "2", "--journal", str(path)).stdout.splitlines()
    scores = [score for _, score, *_ in ALONE]
    best, better = -math.inf, []
    for number, score in enumerate(scores, 1):
        if score > best:
            best = score
            better.append(f"{score:g} (run {number})")
    assert f"better and better: {', '.join(better)}" in lines
    assert lines[-1] == f"all runs: {path}; the same command goes on with more of them"
    document = json.loads(run("--runs", "7", "--journal", str(path), "--json").stdout)
    assert [row["score"] for row in document["runs"]] == scores


def test_ctrl_c_keeps_what_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, runs_on = tmp_path / "runs.jsonl", solving.runs_on

    def stopped_at_the_third(bench: Any, numbers: range) -> Any:
        if 2 in numbers:
            raise KeyboardInterrupt
        return runs_on(bench, numbers)

    monkeypatch.setattr(solving, "CHUNK_SECONDS", 0)
    with monkeypatch.context() as patched:
        patched.setattr(solving, "runs_on", stopped_at_the_third)
        result = run("--runs", "7", "--journal", str(path))
    assert result.stderr.splitlines()[-1] == "interrupted after 2 of 7 runs; this is the best so far"
    assert told(many().solutions(7, journal=path)) == ALONE


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--runs", "0", "--jobs", "1"], "the number of runs cannot be 0; it is at least 1"),
        (["--jobs", "0"], "the number of jobs cannot be 0; it is at least 1"),
        (["--hours", "0"], "--hours cannot be 0; it is a finite number above 0"),
        (["--hours", "nan"], "--hours cannot be nan; it is a finite number above 0"),
        (["--runs", "0"], "the number of runs cannot be 0; it is at least 1"),
    ],
)
def test_what_cannot_be(words: list[str], message: str) -> None:
    result = CliRunner().invoke(command, [DOMAIN, EXPRESSION, *words])
    assert result.exit_code != 0
    assert message in (result.stderr or str(result.exception))


def test_runs_without_an_evaluation_can_be_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    done = list(ManyRuns(find_domain(DOMAIN), parse("sim"), Limits(0)).solutions(2))
    progress = _Progress(0, None, 2)
    told: list[str] = []
    monkeypatch.setattr(progress.line, "due", lambda: True)
    monkeypatch.setattr(progress.line, "show", told.append)
    progress.show_many(done)
    assert told == ["2 runs, nothing evaluated"]

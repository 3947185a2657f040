"""`mcsgrammar report` as it is typed: what it prints, writes and refuses."""

import json
import os
from pathlib import Path

import pytest

from tests.discovery.campaigns import on_disk, refusal, tiny
from tests.discovery.reports import VERSIONS, Pull, written
from tests.language.command import run as mcsgrammar

CANDIDATES = ("sim", "lookahead(sim)", "step(sim)")
PULLS: list[Pull] = [(0, 0.25), (1, 0.5), (2, 0.75)] * 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    assert VERSIONS
    return written(tmp_path / "c", "sudoku:2", CANDIDATES, PULLS)


def test_a_summary(folder: Path) -> None:
    done = mcsgrammar("report", str(folder), "--test-problems", "5", "--jobs", "1")
    assert done.returncode == 0
    assert done.stderr == "measuring the 3 best and the generic algorithms on 5 test problems\n"
    lines = done.stdout.splitlines()
    assert lines[0] == "sudoku:2, 20 evaluations"
    titles = ("Ranking on training problems", "Scores on test problems", "Structures", "Settings")
    assert all(title in lines for title in titles)
    assert "\x1b" not in done.stdout
    assert not list(folder.glob("evaluation*"))


def test_files(folder: Path, tmp_path: Path) -> None:
    out = [tmp_path / f"out.{ending}" for ending in ("html", "md", "csv")]
    arguments = ["--html", str(out[0]), "--md", str(out[1]), "--csv", str(out[2])]
    done = mcsgrammar("report", str(folder), *arguments, "--test-problems", "4", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{path}: {path.stat().st_size // 1000 or 1} kB" for path in out]
    assert out[0].read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "## Score against evaluations" in out[1].read_text(encoding="utf-8")
    assert len(out[2].read_text(encoding="utf-8").splitlines()) == 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c", "out.csv", "out.html", "out.md"]


def test_json(folder: Path) -> None:
    done = mcsgrammar("report", str(folder), "--test-problems", "0", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert [one["expression"] for one in document["ranking"]] == ["step(sim)", "lookahead(sim)", "sim"]
    assert (document["test"], document["curves"], document["complete"]) == (None, None, True)
    assert {effect["component"] for effect in document["structure"]["effects"]} == {"lookahead", "step"}


def test_nothing_is_overwritten_unasked(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    out.write_text("mine")
    assert (
        refusal("report", folder, "--csv", out) == f"{out} exists; choose another name, or add --force to overwrite it"
    )
    assert out.read_text() == "mine"
    done = mcsgrammar("report", str(folder), "--csv", str(out), "--force", "--test-problems", "0")
    assert done.returncode == 0 and out.read_text().startswith("rank,expression")


def test_refusals(folder: Path, tmp_path: Path) -> None:
    before = on_disk(tmp_path)
    nowhere = tmp_path / "nowhere" / "x.html"
    for arguments, message in (
        ((tmp_path / "d",), f"{tmp_path / 'd'} is no campaign: there is no such folder"),
        ((tmp_path,), f"{tmp_path} is no campaign: it has no settings.json"),
        ((folder / "settings.json",), f"{folder / 'settings.json'} is no campaign: it is not a folder"),
        ((folder, "--html", nowhere), f"there is no folder {nowhere.parent} to write x.html into"),
        ((folder, "--html", tmp_path), f"{tmp_path} is a folder; name a file"),
        ((folder, "--top", "0"), "--top cannot be 0; it is at least 1"),
        ((folder, "--test-problems", "-1"), "--test-problems cannot be -1; it is at least 0"),
        ((folder, "--jobs", "0"), "--jobs cannot be 0; it is at least 1"),
        (
            (folder, "--md", tmp_path / "x", "--csv", tmp_path / "x"),
            "two of the files are the same; give each its own name",
        ),
    ):
        assert refusal("report", *arguments) == message
    assert on_disk(tmp_path) == before


@pytest.mark.skipif(os.name == "nt" or os.getuid() == 0, reason="whoever runs this may write anywhere")
def test_a_folder_that_may_not_be_written(folder: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    out = locked / "x.html"
    assert refusal("report", folder, "--html", out) == f"{out} cannot be written: permission denied"


def test_one_line_and_status_2(tmp_path: Path) -> None:
    done = mcsgrammar("report", str(tmp_path), "--html", str(tmp_path / "x.html"))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"mcsgrammar: {tmp_path} is no campaign: it has no settings.json\n"
    assert list(tmp_path.iterdir()) == []


def test_a_domain_that_has_changed_or_is_gone(tmp_path: Path) -> None:
    domain = tiny(tmp_path)
    folder = written(tmp_path / "c", domain.name, CANDIDATES, PULLS)
    out = tmp_path / "x.html"
    (tmp_path / "tiny.py").write_text((tmp_path / "tiny.py").read_text() + "\n# another\n")
    said = "--test-problems 0 reports without running anything"
    changed = refusal("report", folder, "--html", out)
    assert changed.startswith(f"{folder}: the domain has changed since the campaign began\n  domain_source: '")
    assert changed.endswith(f"(which is recorded; what was learned of the domain as it was still counts)\n{said}")
    (tmp_path / "tiny.py").unlink()
    message = refusal("report", folder, "--html", out)
    assert message == f"there is no file {tmp_path / 'tiny.py'}\n{said}"
    assert not out.exists()


def test_a_domain_that_fails_in_a_test_problem(tmp_path: Path) -> None:
    """The complaint is that of `evaluate`, and nothing is written."""
    (tmp_path / "t.py").write_text(
        "class T:\n    horizon = 1\n    def sample(self, random): return []\n"
        "    def actions(self, state): return [] if state else [1]\n"
        "    def play(self, state, action): state.append(action)\n"
        "    def reward(self, state): raise ValueError('no such thing')\n"
    )
    folder = written(tmp_path / "c", f"{tmp_path / 't.py'}:T", CANDIDATES, PULLS)
    out = tmp_path / "x.html"
    message = refusal("report", folder, "--html", out, "--test-problems", "2", "--jobs", "1")
    assert "on test problem 0 of t.py:T: T.reward" in message and "no such thing" in message
    assert not out.exists()


def test_help() -> None:
    done = mcsgrammar("report", "--help")
    assert done.returncode == 0 and "mcsgrammar report my-campaign --html report.html" in done.stdout
    assert "  report " in mcsgrammar("--help").stdout

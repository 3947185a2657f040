"""A disk that is full or may only be read: the campaign ends cleanly, with what was finished."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from discovery.campaign.running import run
from domains.errors import UserError
from tests.discovery.campaigns import (
    SETTINGS,
    Tiny,
    finished,
    journal_of,
    made,
    pulls_in,
    refused,
    step,
    tiny,
)
from tests.language.command import ENVIRONMENT


@pytest.fixture
def domain(tmp_path: Path) -> Tiny:
    return tiny(tmp_path)


@pytest.fixture
def begun(domain: Tiny, tmp_path: Path) -> Path:
    folder = made(tmp_path / "c", domain)
    step(folder)
    return folder


OPTIONS = ["--depth", "2", "--repeat", "2", "--select", "0.5", "--budget", "6", "--pulls", "20"]
LIMITED = """
import resource, sys
from mcsgrammar.cli import main

limit = int(sys.argv.pop(1))
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
main()
"""


def discover_on_a_small_disk(limit: int, domain: Tiny, folder: Path) -> "subprocess.CompletedProcess[str]":
    arguments = ["discover", domain.name, *OPTIONS, "--pulls", "300", "--batch", "20", "--jobs", "1"]
    return subprocess.run(
        [sys.executable, "-c", LIMITED, str(limit), *arguments, "--test-problems", "0", "--out", str(folder)],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
        cwd=Path(__file__).parents[2],
    )


def test_a_full_disk_keeps_what_was_finished(domain: Tiny, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    full = discover_on_a_small_disk(2500, domain, folder)
    kept = len(pulls_in(folder))
    assert full.returncode == 1 and 0 < kept < 300 and kept % 20 == 0
    assert full.stderr.splitlines()[-1] == (
        f"mcsgrammar: {folder}/journal.jsonl cannot be written: File too large; "
        f"the {kept} pulls before are kept: resume the campaign when that is mended"
    )
    assert "Traceback" not in full.stderr
    again = discover_on_a_small_disk(10**9, domain, folder)
    assert again.returncode == 0 and "note:" in again.stderr.splitlines()[0]
    assert journal_of(folder) == finished_elsewhere(folder, tmp_path / "other")


def finished_elsewhere(folder: Path, other: Path) -> bytes:
    """The journal of the same campaign, run in one piece."""
    other.mkdir()
    for name in (SETTINGS, "candidates.txt"):
        (other / name).write_bytes((folder / name).read_bytes())
    return finished(other)


@pytest.mark.parametrize("limit", [0, 100])
def test_a_disk_that_is_full_from_the_start(limit: int, domain: Tiny, tmp_path: Path) -> None:
    full = discover_on_a_small_disk(limit, domain, tmp_path / "c")
    assert full.returncode == 2
    name = "candidates.txt" if limit == 0 else SETTINGS
    assert full.stderr.splitlines()[-1] == f"mcsgrammar: {tmp_path}/c/{name} cannot be written: File too large"
    assert "Traceback" not in full.stderr
    assert discover_on_a_small_disk(10**9, domain, tmp_path / "c").returncode == 0


@pytest.mark.parametrize("name", ["timings.csv", "failures.jsonl"])
def test_notes_that_cannot_be_written(name: str, domain: Tiny, begun: Path) -> None:
    domain.trouble("raise", 2)
    (begun / name).unlink(missing_ok=True)
    (begun / name).mkdir()
    before = journal_of(begun)
    with pytest.raises(UserError) as caught:
        run(begun)
    kept = len(pulls_in(begun))
    assert journal_of(begun).startswith(before)
    assert str(caught.value) == (
        f"{begun}/{name} cannot be written: Is a directory; "
        f"the {kept} pulls before are kept: resume the campaign when that is mended"
    )
    (begun / name).rmdir()
    finished(begun)


def test_a_folder_that_may_only_be_read(begun: Path, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    begun.chmod(0o500)
    (begun / "lock").chmod(0o400)
    assert refused(tmp_path, "resume", begun) == "c/lock cannot be written: Permission denied"
    assert refused(tmp_path, "discover", "sudoku:2", "--out", begun / "d").startswith("c/d cannot be written: ")

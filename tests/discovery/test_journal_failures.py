"""Journals on disks that do not take what is written, and in processes that are killed."""

import errno
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from discovery.campaign.journal import Journal, read_journal
from discovery.campaign.running import create, plan
from discovery.keeping.journal_reading import JournalError
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.parsing import parse
from tests.discovery.journals import DIGEST, GOLDEN, GOLDEN_BATCHES, append, batch, is_said_by, written


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def failing_with(number: int) -> Callable[..., Any]:
    def fails(*arguments: Any) -> Any:
        raise OSError(number, os.strerror(number))

    return fails


def half_written_then(number: int, taken: int) -> Callable[[int, bytes], int]:
    real_write, left = os.write, [taken]

    def write(descriptor: int, data: bytes) -> int:
        if not left[0]:
            raise OSError(number, os.strerror(number))
        done = real_write(descriptor, bytes(data)[: left[0]])
        left[0] -= done
        return done

    return write


@pytest.fixture
def before_the_last(path: Path) -> bytes:
    return written(path, GOLDEN_BATCHES[:2])


@pytest.mark.parametrize("truncation_fails", [False, True])
def test_disk_full_after_any_number_of_bytes(
    path: Path, before_the_last: bytes, monkeypatch: pytest.MonkeyPatch, truncation_fails: bool
) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    for taken in range(len(GOLDEN) - len(before_the_last)):
        journal, _ = Journal.open(path)
        with monkeypatch.context() as broken:
            broken.setattr(os, "write", half_written_then(errno.ENOSPC, taken))
            if truncation_fails:
                broken.setattr(os, "ftruncate", failing_with(errno.EIO))
            with pytest.raises(JournalError) as error:
                append(journal, GOLDEN_BATCHES[2])
        assert str(error.value) == (
            f"{path} cannot be written: No space left on device; "
            "the 4 pulls before are kept: resume the campaign when that is mended"
        )
        assert path.read_bytes() == GOLDEN[: len(before_the_last) + taken * truncation_fails]
        assert is_said_by(read_journal(path), GOLDEN_BATCHES[:2])
        with pytest.raises(JournalError) as error:
            append(journal, GOLDEN_BATCHES[2])
        assert str(error.value) == f"{path} is closed, or a write to it has failed; resume the campaign"
    journal, _ = Journal.open(path)
    with journal:
        append(journal, GOLDEN_BATCHES[2])
    assert path.read_bytes() == GOLDEN


def test_a_write_in_several_parts_is_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real_write = os.write
    with monkeypatch.context() as slow:
        slow.setattr(os, "write", lambda descriptor, data: real_write(descriptor, bytes(data)[:7]))
        written(path, GOLDEN_BATCHES)
    assert path.read_bytes() == GOLDEN


def test_fsync_fails(path: Path, before_the_last: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    journal, _ = Journal.open(path)
    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", failing_with(errno.EIO))
        with pytest.raises(JournalError) as error:
            append(journal, GOLDEN_BATCHES[2])
    assert str(error.value) == (
        f"{path} cannot be written: Input/output error; "
        "the 4 pulls before are kept: resume the campaign when that is mended"
    )
    assert path.read_bytes() == before_the_last


def test_what_is_taken_back_is_off_the_disk(
    path: Path, before_the_last: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_fsync, on_disk = os.fsync, []

    def fsync(descriptor: int) -> None:
        on_disk.append(path.read_bytes())
        real_fsync(descriptor)

    journal, _ = Journal.open(path)
    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "write", half_written_then(errno.ENOSPC, 5))
    with pytest.raises(JournalError):
        append(journal, GOLDEN_BATCHES[2])
    assert on_disk == [before_the_last]


def test_every_batch_is_on_disk_when_append_returns(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    real_write, real_fsync = os.write, os.fsync

    def write(descriptor: int, data: bytes) -> int:
        calls.append("write")
        return real_write(descriptor, data)

    def fsync(descriptor: int) -> None:
        calls.append("sync folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "sync")
        real_fsync(descriptor)

    monkeypatch.setattr(os, "write", write)
    monkeypatch.setattr(os, "fsync", fsync)
    with Journal.create(path, DIGEST) as journal:
        assert calls == ["write", "sync", *(["sync folder"] if os.name != "nt" else []), "sync"]
        calls.clear()
        append(journal, GOLDEN_BATCHES[0])
        assert calls == ["write", "sync"]
        calls.clear()
    with Journal.open(path)[0]:
        assert calls == ["sync"]


def test_settings_and_journals_are_on_disk_before_they_have_their_names(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    synced: set[int] = set()
    real_replace, real_fsync = os.replace, os.fsync

    def fsync(descriptor: int) -> None:
        synced.add(os.fstat(descriptor).st_ino)
        real_fsync(descriptor)

    def replace(source: Path, target: Path) -> None:
        calls.append(f"{Path(target).name} {'on disk' if os.stat(source).st_ino in synced else 'lost by a crash'}")
        real_replace(source, target)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    written(path, [])
    campaign_settings, texts = plan("sudoku:2", [parse("sim")], limits=Limits(5), pulls=1, policy="ucb1")
    create(path.parent / "campaign", campaign_settings, texts)
    assert calls == ["journal.jsonl on disk", "candidates.txt on disk", "settings.json on disk"]


def test_an_interrupted_append_is_taken_back(
    path: Path, before_the_last: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(descriptor: int) -> None:
        raise KeyboardInterrupt

    journal, _ = Journal.open(path)
    with monkeypatch.context() as pressed:
        pressed.setattr(os, "fsync", interrupted)
        with pytest.raises(KeyboardInterrupt):
            append(journal, GOLDEN_BATCHES[2])
    assert path.read_bytes() == before_the_last
    with pytest.raises(JournalError, match="is closed, or a write to it has failed; resume the campaign"):
        append(journal, GOLDEN_BATCHES[2])


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES])
def test_a_folder_that_cannot_be_written(path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    with monkeypatch.context() as read_only, pytest.raises(JournalError) as error:
        read_only.setattr(os, "open", failing_with(number))
        Journal.create(path, DIGEST)
    assert str(error.value) == f"{path} cannot be created: {os.strerror(number)}"
    written(path, GOLDEN_BATCHES)
    with monkeypatch.context() as read_only, pytest.raises(JournalError) as error:
        read_only.setattr(os, "open", failing_with(number))
        Journal.open(path)
    assert str(error.value) == f"{path} cannot be written: {os.strerror(number)}"
    assert path.read_bytes() == GOLDEN


def test_a_header_that_does_not_fit_leaves_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as full, pytest.raises(JournalError) as error:
        full.setattr(os, "write", half_written_then(errno.ENOSPC, 10))
        Journal.create(path, DIGEST)
    assert str(error.value) == f"{path} cannot be created: No space left on device"
    assert list(path.parent.iterdir()) == []


# ---------------------------------------------------------------------------------------------------------------------
# Processes that end


def appending(path: Path, *more: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.discovery.journals", str(path), *(str(number) for number in more)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])


@pytest.mark.skipif(os.name == "nt", reason="POSIX signals")
def test_kill_9_at_any_moment(path: Path, tmp_path: Path) -> None:
    last = 150
    random = Random(9)
    for _ in range(5):
        process = appending(path, last)
        with process:
            assert process.stdout and process.stdout.readline() == "ready\n"
            time.sleep(random.uniform(0, 0.02))
            process.send_signal(signal.SIGKILL)
        contents = read_journal(path)
        assert is_said_by(contents, [batch(number) for number in range(len(contents.batch_ends))])
    with appending(path, last) as process:
        assert process.wait() == 0
    (tmp_path / "uninterrupted").mkdir()
    uninterrupted = written(tmp_path / "uninterrupted" / path.name, [batch(number) for number in range(last)])
    assert path.read_bytes() == uninterrupted


@pytest.mark.skipif(os.name == "nt", reason="POSIX resource limits")
@pytest.mark.parametrize("limit", [500, 1003, 2500])
def test_a_disk_that_is_really_full(path: Path, tmp_path: Path, limit: int) -> None:
    with appending(path, 20, limit) as process:
        output = process.communicate()[0]
    contents = read_journal(path)
    assert output == (
        f"ready\nJournalError: {path} cannot be written: File too large; "
        f"the {len(contents.arms)} pulls before are kept: resume the campaign when that is mended\n"
    )
    assert process.returncode == 1
    assert contents.valid_bytes == path.stat().st_size <= limit
    with appending(path, 20) as process:
        assert process.wait() == 0
    (tmp_path / "uninterrupted").mkdir()
    uninterrupted = written(tmp_path / "uninterrupted" / path.name, [batch(number) for number in range(20)])
    assert path.read_bytes() == uninterrupted

"""Somebody else at work in a campaign's folder: whoever comes second is refused, the first one loses nothing, and no
link is written through."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from discovery.campaign.journal import Journal
from discovery.campaign.running import CampaignStopped, Progress, run
from discovery.keeping.locking import FolderLock
from domains.errors import UserError
from mcsgrammar.writing import write_text
from tests.discovery.campaigns import JOURNAL, Tiny, finished, journal_of, made, on_disk, refused, step, tiny


@pytest.fixture
def domain(tmp_path: Path) -> Tiny:
    return tiny(tmp_path)


@pytest.fixture
def whole(domain: Tiny, tmp_path: Path) -> bytes:
    return finished(made(tmp_path / "whole", domain))


def after_the_first_batch(act: Callable[[], None]) -> Callable[[Progress], None]:
    def on_batch(progress: Progress) -> None:
        if progress.pulls == 7:
            act()

    return on_batch


def test_the_journal_is_locked_even_where_the_lock_was_deleted(domain: Tiny, tmp_path: Path, whole: bytes) -> None:
    folder = made(tmp_path / "c", domain)
    said: list[str] = []

    def intrude() -> None:
        (folder / "lock").unlink()
        with pytest.raises(UserError) as caught:
            run(folder)
        said.append(str(caught.value))

    assert finished(folder, on_batch=after_the_first_batch(intrude)) == whole
    assert said == [f"{folder}: another process is working on this campaign; wait for it or stop it"]


def replaced(path: Path) -> None:
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content)


def changed(path: Path) -> None:
    content = path.read_bytes()
    with path.open("r+b") as file:
        file.write(content[:-4] + bytes([content[-4] ^ 1]) + content[-3:])


def appended(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"more\n")


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


@pytest.mark.parametrize("intrusion", [Path.unlink, replaced, changed, appended, cut])
def test_a_journal_that_somebody_else_changes_is_left_as_it_is(
    intrusion: Callable[[Path], None], domain: Tiny, tmp_path: Path, whole: bytes
) -> None:
    folder = made(tmp_path / "c", domain)
    path = folder / JOURNAL
    kept: list[bytes] = []
    left: list[bytes | None] = []

    def intrude() -> None:
        kept.append(path.read_bytes())
        intrusion(path)
        left.append(path.read_bytes() if path.exists() else None)

    with pytest.raises(CampaignStopped) as caught:
        run(folder, on_batch=after_the_first_batch(intrude))
    assert str(caught.value) == (
        f"{path} was changed, replaced or removed by somebody else after 7 pulls; nothing was written over it: "
        "see who works on it, or restore it from a copy, then resume the campaign"
    )
    assert [path.read_bytes() if path.exists() else None] == left
    path.write_bytes(kept[0])
    assert finished(folder) == whole


def test_a_journal_that_is_gone(domain: Tiny, tmp_path: Path, whole: bytes) -> None:
    folder = made(tmp_path / "c", domain)
    step(folder)
    kept = journal_of(folder)
    (folder / JOURNAL).unlink()
    for command in ("resume", "status"):
        assert refused(tmp_path, command, folder) == (
            "c: journal.jsonl is gone, although timings.csv says that pulls were made; "
            "restore it from a copy, or delete timings.csv to begin anew"
        )
    (folder / JOURNAL).write_bytes(kept)
    assert finished(folder) == whole
    (folder / JOURNAL).unlink()
    (folder / "timings.csv").unlink()
    assert finished(folder) == whole


# Links.


@pytest.mark.parametrize("name", ["lock", JOURNAL, "timings.csv", "failures.jsonl"])
@pytest.mark.parametrize("target_exists", [True, False])
def test_nothing_is_written_through_a_link(
    name: str, target_exists: bool, domain: Tiny, tmp_path: Path, whole: bytes
) -> None:
    domain.trouble("raise", 1)
    folder = made(tmp_path / "c", domain)
    step(folder)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    kept = (folder / name).read_bytes() if (folder / name).exists() else b""
    if target_exists:
        (elsewhere / name).write_bytes(kept)
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(elsewhere / name)
    with pytest.raises(UserError) as caught:
        run(folder)
    if name == JOURNAL and not target_exists:
        assert str(caught.value).startswith(f"{folder}: journal.jsonl is gone, although ")
    else:
        said = f"{folder / name} cannot be written: it is a symbolic link to {elsewhere / name}; remove the link"
        assert str(caught.value).startswith(said)
    assert on_disk(elsewhere) == ({name: kept} if target_exists else {})


def test_a_pipe_is_no_file(domain: Tiny, tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("POSIX")
    os.mkfifo(tmp_path / "lock")
    with pytest.raises(UserError) as caught, FolderLock(tmp_path):
        pass
    assert str(caught.value) == f"{tmp_path / 'lock'} cannot be written: it is not a regular file; remove it"


def test_a_new_journal_goes_through_no_link(tmp_path: Path) -> None:
    (tmp_path / ".journal.jsonl.new").symlink_to(tmp_path / "elsewhere")
    Journal.create(tmp_path / JOURNAL, "5f0c").close()
    assert not (tmp_path / "elsewhere").exists()


def test_a_whole_file_takes_the_place_of_a_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("mine")
    (tmp_path / "table.md").symlink_to(tmp_path / "elsewhere")
    (tmp_path / f".table.md.{os.getpid()}.tmp").symlink_to(tmp_path / "elsewhere")
    write_text(tmp_path / "table.md", "one\n")
    assert (tmp_path / "elsewhere").read_text() == "mine"
    assert (tmp_path / "table.md").read_text() == "one\n" and not (tmp_path / "table.md").is_symlink()


def test_settings_go_through_no_link(domain: Tiny, tmp_path: Path) -> None:
    folder = tmp_path / "c"
    folder.mkdir()
    made(folder, domain)
    for name in ("settings.json", "candidates.txt"):
        (folder / name).unlink()
        (folder / f"{name}.tmp").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match=r"holds something else \(candidates.txt.tmp\)"):
        made(folder, domain)
    assert not (tmp_path / "elsewhere").exists()

"""Progress within a batch, and what becomes of its finished pulls when it is stopped: they are kept, not run again, and
the journal says what it would have said."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from discovery.campaign.running import CampaignStopped, Progress, run
from discovery.keeping.folder import UNFINISHED_FILE
from discovery.keeping.unfinished import _line
from tests.discovery.campaigns import Tiny, finished, made, on_disk, pulls_in, tiny


@pytest.fixture
def domain(tmp_path: Path) -> Tiny:
    return tiny(tmp_path)


def stop_at(pulls: int, seen: list[Progress] | None = None) -> Callable[[Progress], None]:
    """Ctrl-C as soon as so many pulls are finished."""

    def on_progress(progress: Progress) -> None:
        if seen is not None:
            seen.append(progress)
        if progress.pulls >= pulls:
            raise KeyboardInterrupt

    return on_progress


def stopped(folder: Path, domain: Tiny, pulls: int = 12, **how: Any) -> Path:
    """A campaign of batches of 7, stopped in its second one."""
    made(folder, domain, policy="uniform", pulls=21)
    outcome = run(folder, on_progress=stop_at(pulls), **how)
    assert (outcome.ended, outcome.pulls, len(pulls_in(folder))) == ("interrupted", 7, 7)
    assert outcome.finished >= pulls - 7
    return folder


@pytest.fixture
def whole(domain: Tiny, tmp_path: Path) -> bytes:
    """The journal of the campaign that nobody stopped. With 5 candidates, pulls 7 to 9 are on problem 1."""
    return finished(made(tmp_path / "whole", domain, policy="uniform", pulls=21))


def notes(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [line for line in capsys.readouterr().err.splitlines() if "no kernels" not in line]


@pytest.mark.parametrize(("jobs", "backend"), [(1, "loky"), (2, "threading"), (2, "loky"), (2, "multiprocessing")])
def test_progress_is_told_within_a_batch(jobs: int, backend: str, domain: Tiny, tmp_path: Path) -> None:
    seen: list[Progress] = []
    batches: list[Progress] = []
    folder = made(tmp_path / "c", domain, pulls=150, batch=100)
    run(folder, jobs=jobs, backend=backend, on_progress=seen.append, on_batch=batches.append)
    assert seen[0].pulls == seen[0].finished == 1
    assert len([progress for progress in seen if progress.pulls < 100]) >= 2
    assert [progress.pulls for progress in seen] == sorted(progress.pulls for progress in seen)
    assert [(progress.pulls, progress.finished) for progress in batches] == [(100, 0), (150, 0)]
    assert all(progress.pulls - progress.finished in (0, 100, 150) for progress in seen)
    assert seen[-1] == batches[-1] and seen[-1].seconds_left == 0


@pytest.mark.parametrize(("jobs", "backend"), [(1, "loky"), (2, "threading"), (2, "loky")])
def test_finished_pulls_are_not_run_again(
    jobs: int, backend: str, domain: Tiny, tmp_path: Path, whole: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    """Workers finish them in any order, so there all of the batch are."""
    folder = stopped(tmp_path / "c", domain, 12 if jobs == 1 else 14, jobs=jobs, backend=backend)
    domain.trouble("raise", 1)
    assert finished(folder, jobs=jobs, backend=backend) == whole
    assert "failures.jsonl" not in on_disk(folder) and UNFINISHED_FILE not in on_disk(folder)
    assert notes(capsys) == []


def test_an_interrupt_in_a_pull_keeps_those_before_it(domain: Tiny, tmp_path: Path, whole: bytes) -> None:
    folder = made(tmp_path / "c", domain, policy="uniform", pulls=21)
    domain.trouble("interrupt", 2)
    assert run(folder).finished == 3
    domain.trouble("raise", 1)
    assert finished(folder) == whole


def test_they_are_written_while_the_batch_runs(domain: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discovery.campaign.unfinished.WORTH_KEEPING", 0.0)
    folder = made(tmp_path / "c", domain, pulls=14)
    lines: list[int] = []

    def look(progress: Progress) -> None:
        path = folder / UNFINISHED_FILE
        lines.append(path.read_bytes().count(b"\n") - 1 if path.exists() else 0)
        assert lines[-1] == progress.finished

    run(folder, on_progress=look)
    assert max(lines) == 7


def test_a_pull_that_failed_keeps_its_reason(domain: Tiny, tmp_path: Path) -> None:
    domain.trouble("raise", 1)
    apart = finished(made(tmp_path / "whole", domain, policy="uniform", pulls=21))
    folder = stopped(tmp_path / "c", domain)
    domain.mend()
    assert finished(folder) == apart
    notes = [json.loads(line) for line in (folder / "failures.jsonl").read_text().splitlines()]
    reason = f"Tiny.reward raised ValueError: no such thing (line 31 of {domain.folder / 'tiny.py'})"
    assert [(note["t"], note["failed"]) for note in notes] == [(1, reason)] * 5


def test_a_disk_that_is_full_keeps_them_too(
    domain: Tiny, tmp_path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = made(tmp_path / "c", domain, policy="uniform", pulls=21)
    (folder / "timings.csv").mkdir()
    with pytest.raises(CampaignStopped):
        run(folder)
    (folder / "timings.csv").rmdir()
    domain.trouble("raise", 0)
    assert finished(folder) == whole


def torn(lines: list[bytes]) -> bytes:
    return b"".join(lines)[:-5]


def flipped(lines: list[bytes]) -> bytes:
    return b"".join(lines[:2]) + lines[2].replace(b",1,", b",0,") + b"".join(lines[3:])


DAMAGES: dict[str, tuple[Callable[[list[bytes]], bytes], str | None]] = {
    "torn": (torn, None),
    "flipped": (flipped, "it is damaged"),
    "empty": (lambda lines: b"", "it is of another batch, version or domain"),
    "half a header": (lambda lines: lines[0][:20], "it is of another batch, version or domain"),
    "no header": (lambda lines: b"".join(lines[1:]), "it is of another batch, version or domain"),
    "not pulls": (
        lambda lines: lines[0] + _line([0, 1, "1.0", 0.0, None]),
        "it is damaged",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_one_is_not_used(
    damage: str, domain: Tiny, tmp_path: Path, whole: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = stopped(tmp_path / "c", domain)
    path = folder / UNFINISHED_FILE
    spoil, why = DAMAGES[damage]
    path.write_bytes(spoil(path.read_bytes().splitlines(keepends=True)))
    outcome = run(folder, on_progress=stop_at(13))
    assert outcome.finished >= 6
    assert notes(capsys) == ([f"note: {path} is not used: {why}"] if why else [])
    assert finished(folder) == whole
    assert notes(capsys) == []


def test_one_of_another_batch_or_version_is_not_used(
    domain: Tiny, tmp_path: Path, whole: bytes, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = stopped(tmp_path / "c", domain)
    path = folder / UNFINISHED_FILE
    kept = path.read_bytes()
    monkeypatch.setattr("discovery.campaign.running.versions_now", lambda: {"mcsgrammar": "another"})
    with pytest.MonkeyPatch.context() as accepted:
        accepted.setattr(
            "discovery.campaign.running.check_versions", lambda folder, settings, accept: settings.accepted_versions
        )
        assert finished(folder) == whole
    monkeypatch.undo()
    assert notes(capsys) == [f"note: {path} is not used: it is of another batch, version or domain"]
    again = made(tmp_path / "again", domain, policy="uniform", pulls=28)
    (again / UNFINISHED_FILE).write_bytes(kept)
    finished(again)
    assert notes(capsys) == [f"note: {again / UNFINISHED_FILE} is not used: it is of another batch, version or domain"]
    assert UNFINISHED_FILE not in on_disk(again)


def test_one_of_other_files_of_the_domain_is_not_used(
    domain: Tiny, tmp_path: Path, whole: bytes, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = stopped(tmp_path / "c", domain)
    monkeypatch.setattr("discovery.campaign.running.joint_source", lambda found: "changed, and accepted")
    assert finished(folder) == whole
    assert notes(capsys) == [f"note: {folder / UNFINISHED_FILE} is not used: it is of another batch, version or domain"]


def test_a_link_is_not_followed(domain: Tiny, tmp_path: Path, whole: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    folder = stopped(tmp_path / "c", domain)
    (folder / UNFINISHED_FILE).rename(tmp_path / "elsewhere")
    before = (tmp_path / "elsewhere").read_bytes()
    (folder / UNFINISHED_FILE).symlink_to(tmp_path / "elsewhere")
    run(folder, on_progress=stop_at(12))
    assert notes(capsys) == [
        f"note: {folder / UNFINISHED_FILE} is not used: it is a symbolic link to {tmp_path / 'elsewhere'}; "
        "remove the link"
    ]
    assert finished(folder) == whole
    assert (tmp_path / "elsewhere").read_bytes() == before


def test_where_it_cannot_be_written_the_campaign_goes_on(
    domain: Tiny, tmp_path: Path, whole: bytes, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("discovery.campaign.unfinished.WORTH_KEEPING", 0.0)
    folder = made(tmp_path / "c", domain, policy="uniform", pulls=21)
    (folder / UNFINISHED_FILE).mkdir()
    assert finished(folder) == whole
    said = notes(capsys)
    assert said == [
        f"note: {folder / UNFINISHED_FILE} is not used: Is a directory",
        f"note: {folder / UNFINISHED_FILE} cannot be written: Is a directory; if stopped, a batch is begun anew",
    ]

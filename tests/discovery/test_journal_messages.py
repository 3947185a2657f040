"""What is said of a journal that was cut, and of one that is refused: the whole texts."""

import os
from pathlib import Path

import pytest

from discovery.campaign.journal import Journal, read_journal
from discovery.keeping.journal_format import checksum, header_hash, marker_line
from discovery.keeping.journal_reading import JournalError
from tests.discovery.journals import GOLDEN, GOLDEN_BATCHES, HEADER, LINES, SIZES, keep, put, reading, written

RESTORE = "restore the file from a copy"
NOT_A_JOURNAL = (
    ", line 1: this is not the header of a journal, or a damaged one; "
    "name another file, or restore this one from a copy"
)
NULS = "holds NUL bytes"
CRLF = "ends in a carriage return, as after an editor or a transfer in text mode"
TOO_MUCH = "the last 4096 bytes are no complete batch, and more than one batch can be"
CHECKSUM = "does not match its checksum"
NOT_ITS_LINES = "this marker was not written for the {} lines before it: some were moved, added or removed"
EMPTY = marker_line(header_hash(HEADER), b"", 1, 0)[0]
EMPTY_AFTER_GOLDEN = marker_line(b"af18d48e0c9b29fca033077d25d0afa2", b"", 4, 6)[0]
"""Right in everything, but of batches without pulls."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def cut_sentence(path: Path, data: bytes) -> str | None:
    put(path, data)
    return read_journal(path).cut


def hole(data: bytes, start: int, stop: int) -> bytes:
    return data[:start] + bytes(stop - start) + data[stop:]


def cut(pulls: str, size: int, why: str = "") -> str:
    return f"cut {pulls} ({size} bytes) after the last complete batch (torn write{why})"


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (GOLDEN, None),
        (GOLDEN[:-1], cut("2 pulls", 105)),  # no final line feed
        (b"".join(LINES[:9]), cut("2 pulls", 46)),
        (b"".join(LINES[:8]), cut("1 pull", 22)),
        (b"".join(LINES[:8])[:-1], cut("0 pulls", 21)),
        (GOLDEN + bytes(512), cut("0 pulls", 512)),
        (GOLDEN + b"\n", cut("0 pulls", 1, f": line 11 {CHECKSUM}")),
        (GOLDEN + b"some note\n", cut("0 pulls", 10, f": line 11 {CHECKSUM}")),
        (GOLDEN + bytes(512) + b"\n", cut("0 pulls", 513, f": line 11 {NULS}")),
        (GOLDEN[:-2] + b"[\n", cut("2 pulls", 106, f": line 10 {CHECKSUM}")),
        (hole(GOLDEN, SIZES[2], len(GOLDEN)), cut("0 pulls", 106)),
        (hole(GOLDEN, SIZES[2] + 3, SIZES[2] + 9), cut("1 pull", 106, f": line 8 {NULS}")),
        (hole(GOLDEN, SIZES[2] + 30, len(GOLDEN) - 20), cut("1 pull", 106, f": line 9 {NULS}")),
        (b"".join(LINES[:7]) + hole(LINES[7], 3, 5) + LINES[8], cut("1 pull", 46, f": line 8 {NULS}")),
    ],
)
def test_a_torn_tail_is_cut_and_said(path: Path, data: bytes, sentence: str | None) -> None:
    assert cut_sentence(path, data) == sentence
    Journal.open(path)[0].close()
    assert cut_sentence(path, path.read_bytes()) is None


def test_a_tail_may_be_as_long_as_four_of_the_longest_batch_before(path: Path) -> None:
    longest = len(b"".join(LINES[1:5]))
    assert longest > len(b"".join(LINES[7:10])) > len(b"".join(LINES[5:7]))
    assert cut_sentence(path, GOLDEN + bytes(4 * longest)) == cut("0 pulls", 4 * longest)
    too_much = TOO_MUCH.replace("4096", str(4 * longest + 1))
    assert reading(path, GOLDEN + bytes(4 * longest + 1)) == f", line 11: {too_much}; {keep(10)}"
    assert cut_sentence(path, HEADER + bytes(100_000)) == cut("0 pulls", 100_000)  # of the first nothing is known


def flipped(line: int) -> bytes:
    """The golden journal with one comma of this line (from 1) changed."""
    changed = [*LINES]
    changed[line - 1] = changed[line - 1].replace(b",", b";", 1)
    return b"".join(changed)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (flipped(1), NOT_A_JOURNAL),
        (HEADER.replace(b"0c", b"0d") + LINES[1], f", line 1: {CHECKSUM}; {RESTORE}"),
        (flipped(3), f", line 3: {CHECKSUM}; {keep(1)}"),
        (flipped(5), f", line 5: {CHECKSUM}; {keep(1)}"),
        (flipped(6), f", line 6: {CHECKSUM}; {keep(5)}"),
        (flipped(8), f", line 8: {CHECKSUM}; {keep(7)}"),  # of the last batch, but its marker says that it was finished
        (hole(GOLDEN, SIZES[1] + 3, SIZES[1] + 9), f", line 6: {NULS}; {keep(5)}"),
        (hole(GOLDEN, SIZES[1] + 3, SIZES[2] + 9), f", line 6: {NULS}; {keep(5)}"),
        (hole(GOLDEN, SIZES[2] + 3, SIZES[2] + 9) + LINES[1], f", line 8: {NULS}; {keep(7)}"),
        (hole(GOLDEN, SIZES[2] + 3, SIZES[2] + 9) + b"[", f", line 8: {NULS}; {keep(7)}"),
        (GOLDEN + bytes(4096), f", line 11: {TOO_MUCH}; {keep(10)}"),
        (GOLDEN + bytes(2000) + b"\n" + bytes(2095), f", line 11: {TOO_MUCH}; {keep(10)}"),
        (GOLDEN + 186 * LINES[7] + b"[5,1", f", line 11: {TOO_MUCH}; {keep(10)}"),
        (HEADER + EMPTY, f", line 2: {NOT_ITS_LINES.format(0)}; {keep(1)}"),
        (GOLDEN + EMPTY_AFTER_GOLDEN, f", line 11: {NOT_ITS_LINES.format(0)}; {keep(10)}"),
        (b"".join(LINES[:7]) + 2 * (LINES[7] + LINES[9].replace(b"3", b"4")), f", line 9: {CHECKSUM}; {keep(7)}"),
        (GOLDEN.replace(b"\n", b"\r\n"), f", line 1: {CRLF}; {RESTORE}"),
        (HEADER + GOLDEN[len(HEADER) :].replace(b"\n", b"\r\n"), f", line 2: {CRLF}; {keep(1)}"),
        (GOLDEN.replace(LINES[1], LINES[1][:-1] + b"\r\n"), f", line 2: {CRLF}; {keep(1)}"),
        (GOLDEN.replace(b"24690", b"2469\xff"), f", line 6: holds bytes that are not text; {keep(5)}"),
        (GOLDEN.replace(b"failed", "fäiled".encode()), f", line 3: holds bytes that are not text; {keep(1)}"),
        (GOLDEN.replace(b"59b98232", b"59B98232"), f", line 2: {CHECKSUM}; {keep(1)}"),
        (GOLDEN.replace(b"[17,", b"[ 17,"), f", line 2: {CHECKSUM}; {keep(1)}"),
    ],
)
def test_damage_is_refused_with_the_line_named(path: Path, data: bytes, message: str) -> None:
    assert reading(path, data) == message
    with pytest.raises(JournalError) as error:
        Journal.open(path)
    assert str(error.value) == f"{path}{message}"
    assert path.read_bytes() == data


def sealed(body: bytes) -> bytes:
    return body + checksum(body) + b"\n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", ", line 1: the header is incomplete; delete the file, nothing is recorded in it"),
        (HEADER[:-1], ", line 1: the header is incomplete; delete the file, nothing is recorded in it"),
        (b"\n", NOT_A_JOURNAL),
        (bytes(4096), NOT_A_JOURNAL),
        (b"expression,mean\nsim,0.5\n", NOT_A_JOURNAL),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), NOT_A_JOURNAL),
        (b"\xef\xbb\xbf" + GOLDEN, NOT_A_JOURNAL),
        (GOLDEN.decode().encode("utf-16"), NOT_A_JOURNAL),
        (b"".join(LINES[1:]), NOT_A_JOURNAL),
        (HEADER[:-1] + b" " * 5000, f", line 1: {CHECKSUM}; {RESTORE}"),
        (
            sealed(b'["mcsgrammar journal",2,{"anything":"else"}') + b"and more\n",
            ": written by a newer mcsgrammar (format 2); this one reads format 1; upgrade",
        ),
        (
            sealed(b'["mcsgrammar journal",10,"5f0c"'),
            ": written by a newer mcsgrammar (format 10); this one reads format 1; upgrade",
        ),
        (HEADER.replace(b",1,", b",2,"), f", line 1: {CHECKSUM}; {RESTORE}"),
        (sealed(b'["mcsgrammar journal",0,"5f0c"'), f", line 1: this header is of no known format; {RESTORE}"),
        (sealed(b'["mcsgrammar journal",1'), f", line 1: this header is of no known format; {RESTORE}"),
        (sealed('["mcsgrammar journal",1,"é"'.encode()), f", line 1: this header is of no known format; {RESTORE}"),
    ],
)
def test_other_files_are_refused(path: Path, data: bytes, message: str) -> None:
    assert reading(path, data) == message


def test_there_is_no_journal(path: Path) -> None:
    for look in (read_journal, Journal.open):
        with pytest.raises(JournalError) as error:
            look(path)
        assert str(error.value) == f"there is no journal {path}"


def test_a_folder_is_no_journal(path: Path) -> None:
    path.mkdir()
    with pytest.raises(JournalError) as error:
        read_journal(path)
    assert str(error.value) == f"{path} is a folder; name a journal"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="POSIX")
def test_a_pipe_is_no_journal(path: Path) -> None:
    os.mkfifo(path)
    with pytest.raises(JournalError) as error:
        read_journal(path)
    assert str(error.value) == f"{path} is not a regular file; name a journal"


@pytest.mark.parametrize("failure", [PermissionError(13, "Permission denied"), OSError(5, "Input/output error")])
def test_a_journal_that_cannot_be_read(path: Path, monkeypatch: pytest.MonkeyPatch, failure: OSError) -> None:
    written(path, GOLDEN_BATCHES)

    def fails(*arguments: object) -> None:
        raise failure

    with monkeypatch.context() as unreadable, pytest.raises(JournalError) as error:
        unreadable.setattr(Path, "open", fails)
        read_journal(path)
    assert str(error.value) == f"{path} cannot be read: {failure.strerror}"

"""Reading a journal: what is whole, what a crash has torn off, and what is damaged. See `journal_format`."""

import json
import re
import stat
from array import array
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np
import numpy.typing as npt

from discovery.keeping.journal_format import (
    CHECKSUM_LENGTH,
    FORMAT,
    MARKER_START,
    JournalKind,
    header_hash,
    is_intact,
    marker_line,
)
from domains.errors import UserError

LONGEST_HEADER = 4096
BATCHES_DIFFER = 4  # batches are of one size in pulls, but not quite in bytes


class JournalError(UserError):
    """The journal cannot be read or written, or is damaged."""


@dataclass(frozen=True)
class Chain:
    """The batches of a journal, whatever they are of."""

    settings_digest: str
    batch_ends: npt.NDArray[np.int64]  # lines after each batch, markers not counted
    valid_bytes: int
    cut: str | None  # what stands behind the last complete batch, as a sentence for people
    last_hash: bytes

    @property
    def count(self) -> int:
        return int(self.batch_ends[-1]) if len(self.batch_ends) else 0


Take = Callable[[list[Any]], None]
"""Is given the lines of one batch, each as the list that it is, checksum included. Raises `ValueError`, `TypeError`,
`LookupError` or `OverflowError` for lines that are none of its kind."""


def read_chain(path: Path, kind: JournalKind, take: Take) -> Chain:
    """Everything up to the last complete batch goes to `take`. Raises `JournalError` for damage."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise JournalError(f"{path} is a folder; name a journal")
        if not stat.S_ISREG(mode):
            raise JournalError(f"{path} is not a regular file; name a journal")
        with path.open("rb") as file:
            return _read_file(path, file, kind, take)
    except FileNotFoundError:
        raise JournalError(f"there is no journal {path}") from None
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error.strerror}") from error


def _read_file(path: Path, file: BinaryIO, kind: JournalKind, take: Take) -> Chain:
    header = file.readline(LONGEST_HEADER)
    settings_digest = _check_header(path, header, kind)
    last_hash = header_hash(header)
    valid_bytes, valid_lines, longest, count = len(header), 1, 0, 0
    batch_ends = array("q")
    batch: list[bytes] = []
    behind = b""
    for line in file:
        if not line.startswith(MARKER_START):
            batch.append(line)
            continue
        lines = b"".join(batch)
        expected, own_hash = marker_line(last_hash, lines, len(batch_ends) + 1, count + len(batch))
        if line != expected or not batch:
            behind = line
            break
        try:
            take(json.loads(b"[" + b",".join(batch) + b"]"))
        except (ValueError, TypeError, LookupError, OverflowError):
            _refuse(path, valid_lines + 1, f"the lines of this batch are not {kind.lines}", valid_lines, kind)
        count += len(batch)
        batch_ends.append(count)
        last_hash = own_hash
        valid_bytes += len(lines) + len(line)
        longest = max(longest, len(lines) + len(line))
        valid_lines += len(batch) + 1
        batch.clear()
    behind = b"".join(batch) + behind + file.read()
    cut = _judge(path, behind, valid_lines, len(batch_ends) + 1, longest, kind) if behind else None
    return Chain(settings_digest, np.frombuffer(batch_ends, np.int64), valid_bytes, cut, last_hash)


def _check_header(path: Path, line: bytes, kind: JournalKind) -> str:
    """The digest of the settings."""
    start = kind.header_start
    begins_well = line.startswith(start) or start.startswith(line)
    if begins_well and not line.endswith(b"\n") and len(line) < LONGEST_HEADER:
        raise JournalError(f"{path}, line 1: the header is incomplete; delete the file, nothing is recorded in it")
    if not begins_well:
        raise JournalError(
            f"{path}, line 1: this is not the header of a journal, or a damaged one; "
            "name another file, or restore this one from a copy"
        )
    body = line[: -CHECKSUM_LENGTH - 1]
    if not is_intact(line[:-1]):
        raise JournalError(f"{path}, line 1: {_what_is_wrong(line[:-1])}; restore the file from a copy")
    version = re.match(rb"[0-9]{1,9}(?=,)", body[len(start) :])
    if version and int(version[0]) > FORMAT:
        raise JournalError(
            f"{path}: written by a newer mcsgrammar (format {int(version[0])}); this one reads format {FORMAT}; upgrade"
        )
    digest = re.fullmatch(rb'1,"([!#-~]+)"', body[len(start) :])
    if not digest:
        raise JournalError(f"{path}, line 1: this header is of no known format; restore the file from a copy")
    return digest[1].decode("ascii")


def _judge(path: Path, behind: bytes, valid_lines: int, number: int, longest: int, kind: JournalKind) -> str:
    """Says what is cut, if a crash while batch `number` was written explains the bytes `behind`; else raises.

    `longest` is the longest batch before, in bytes.
    """
    *lines, piece = behind.split(b"\n")
    intact = [is_intact(line) for line in lines]
    markers = [i for i, line in enumerate(lines) if line.startswith(MARKER_START)]
    first = next((i for i in range(len(lines)) if lines[i].startswith(MARKER_START) or not intact[i]), len(lines))
    place = valid_lines + 1 + first
    why = "torn write"
    if first < len(lines):
        if intact[first]:
            wrong = f"this marker was not written for the {first} lines before it: some were moved, added or removed"
            _refuse(path, place, wrong, valid_lines, kind)
        wrong = _what_is_wrong(lines[first])
        if any(intact[first:]):
            # Pages may reach the disk in any order, and one that did not is read as NULs. But a batch is on disk as a
            # whole before the next one is begun, so only its own marker, at the very end, can stand behind such a hole.
            own_marker = b"%b%d," % (MARKER_START, number)
            ends_in_own_marker = markers == [len(lines) - 1] and lines[-1].startswith(own_marker) and not piece
            is_torn = b"\0" in lines[first] and (not markers or ends_in_own_marker)
        else:
            is_torn = len(markers) <= 1
        if not is_torn:
            _refuse(path, place, wrong, valid_lines, kind)
        why = f"torn write: line {place} {wrong}"
    if number > 1 and len(behind) > BATCHES_DIFFER * longest:
        wrong = f"the last {len(behind)} bytes are no complete batch, and more than one batch can be"
        _refuse(path, valid_lines + 1, wrong, valid_lines, kind)
    lines_cut = sum(intact) - sum(intact[i] for i in markers)
    return f"cut {kind.counted(lines_cut)} ({len(behind)} bytes) after the last complete batch ({why})"


def _what_is_wrong(line: bytes) -> str:
    if b"\0" in line:
        return "holds NUL bytes"
    if line.endswith(b"\r"):
        return "ends in a carriage return, as after an editor or a transfer in text mode"
    if not line.isascii():
        return "holds bytes that are not text"
    return "does not match its checksum"


def _refuse(path: Path, line: int, wrong: str, valid_lines: int, kind: JournalKind) -> NoReturn:
    raise JournalError(
        f"{path}, line {line}: {wrong}; restore the file from a copy, "
        f"or keep its first {valid_lines} lines only (the {kind.lines} behind them are then run again)"
    )

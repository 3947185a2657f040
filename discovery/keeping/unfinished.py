"""What is finished of a batch that is not: `unfinished.jsonl` beside the journal keeps it until the batch is whole.

It is a cache and nothing more: work that is resumed does not do it again, and its journal is the same, byte for byte,
with the file and without it. It is not forced to the disk and is removed when its batch is in the journal;
one that is damaged, or not of the batch that comes next, is not used.

    ["mcsgrammar unfinished",1,"5f0c…","36aee22e"]        format, and the key: a hash of all that it depends on
    [17,0,0.4375,0.0021,null,"59b98232"]                  a line each, here of a campaign

The checksums are those of the journal's lines.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from discovery.keeping.folder import UNFINISHED_FILE
from discovery.keeping.journal_format import CHECKSUM_LENGTH, checksum, is_intact
from mcsgrammar.wording import note
from mcsgrammar.writing import open_in_place, write_all, write_whole

Key = TypeVar("Key")
Result = TypeVar("Result")


class KeptBeside(Generic[Key, Result]):
    """What is finished and not yet in the journal, by its key. `identity` says, beside the journal, what it depends on:
    versions, the domain's files."""

    format: ClassVar[str]
    begun_anew: ClassVar[str]
    """what happens, if stopped, where nothing can be kept"""

    @property
    def worth_keeping(self) -> float:
        """So many seconds of work are written down at once."""
        return 0.0

    def fields(self, key: Key, result: Result) -> list[Any]:
        """Of a line."""
        raise NotImplementedError

    def read(self, fields: list[Any]) -> tuple[Key, Result]:
        """Raises `ValueError` for fields that are none."""
        raise NotImplementedError

    def __init__(self, folder: Path, identity: Any) -> None:
        self.path = folder / UNFINISHED_FILE
        self._identity = json.dumps(identity, sort_keys=True)
        self._key = ""
        self._buffer: list[tuple[Key, Result]] = []
        self._seconds = 0.0
        """what the buffer was worth"""
        self._is_begun = False
        """the file is there, and of this batch"""
        self._is_first = True
        self._given_up = False

    def begin(self, last_hash: bytes) -> dict[Key, Result]:
        """The batch that comes after the one with this hash is begun. What a process before this one has kept of it."""
        self._key = blake2b(last_hash + self._identity.encode(), digest_size=16).hexdigest()
        is_first, self._is_first = self._is_first, False
        try:
            return self._take_up() if is_first and os.path.lexists(self.path) else {}
        except (OSError, ValueError) as error:
            why = (error.strerror if isinstance(error, OSError) else None) or str(error)
            note(f"{self.path} is not used: {why}")
            return {}

    def _take_up(self) -> dict[Key, Result]:
        with open(open_in_place(self.path, os.O_RDWR), "r+b") as file:
            header, *lines = file.read().splitlines(keepends=True) or [b""]
            if header != self._header():
                raise ValueError("it is of another batch, version or domain")
            if lines and not lines[-1].endswith(b"\n"):
                file.truncate(file.tell() - len(lines.pop()))  # torn by a kill
        known = dict(self._read_line(line) for line in lines)
        self._is_begun = True
        return known

    def _header(self) -> bytes:
        return _line([self.format, 1, self._key])

    def add(self, keys: Sequence[Key], results: Sequence[Result], seconds: float) -> None:
        """What is finished and took so many seconds together."""
        self._buffer += zip(keys, results, strict=True)
        self._seconds += seconds
        if self._seconds >= self.worth_keeping:
            self.write()

    def write(self) -> None:
        """All that was added is in the file; where it cannot be written, the work goes on without it."""
        if self._buffer and not self._given_up:
            lines = self._lines(self._buffer)
            try:
                if self._is_begun:
                    descriptor = open_in_place(self.path, os.O_WRONLY | os.O_APPEND)
                else:
                    self.path.unlink(missing_ok=True)  # of another batch, damaged, or a link
                    descriptor = open_in_place(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
                    lines = self._header() + lines
                self._is_begun = True
                try:
                    write_all(descriptor, lines)
                finally:
                    os.close(descriptor)
            except OSError as error:
                self._give_up(error)
        self._buffer, self._seconds = [], 0.0

    def _lines(self, kept: Iterable[tuple[Key, Result]]) -> bytes:
        return b"".join(_line(self.fields(key, result)) for key, result in kept)

    def _read_line(self, line: bytes) -> tuple[Key, Result]:
        """Raises `ValueError` for a line that is not whole."""
        if not is_intact(line[:-1]):
            raise ValueError("it is damaged")
        return self.read(json.loads(line[: -CHECKSUM_LENGTH - 1] + b"]"))

    def keep_only(self, kept: Mapping[Key, Result]) -> None:
        """These and no others are in the file, which is replaced at once."""
        self._buffer, self._seconds = [], 0.0
        if not kept:
            self.end()
        elif not self._given_up:
            try:
                write_whole(self.path, self._header() + self._lines(kept.items()))
                self._is_begun = True
            except OSError as error:
                self._give_up(error)

    def _give_up(self, error: OSError) -> None:
        self._given_up = True
        note(f"{self.path} cannot be written: {error.strerror}; if stopped, {self.begun_anew}")

    def end(self) -> None:
        """The batch is in the journal, or none of it shall be kept."""
        self._buffer, self._seconds = [], 0.0
        self._is_begun = False
        with contextlib.suppress(OSError):
            self.path.unlink()


def _line(fields: list[Any]) -> bytes:
    body = json.dumps(fields, separators=(",", ":"))[:-1].encode("ascii")
    return body + checksum(body) + b"\n"

"""A journal, which is the state of what it is of: written a batch at a time, read to resume.

`discovery.keeping.journal_format` says what stands in the file, and what is repaired and what refused after a crash.
"""

import contextlib
import os
import re
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Generic, Self, TypeVar

from discovery.keeping.journal_format import JournalKind, header_line, marker_line
from discovery.keeping.journal_reading import Chain, JournalError
from discovery.keeping.locking import hold, let_go
from mcsgrammar.writing import open_in_place, write_all, write_whole

END = 64
"""So many bytes at its end tell a journal from others."""


Kept = TypeVar("Kept")


class BatchJournal(Generic[Kept]):
    """A journal open for writing, of whatever its `kind` says. Whoever holds it holds the lock of its folder
    (`discovery.keeping.locking`). `Kept` is what reading gives."""

    kind: ClassVar[JournalKind]

    def __init__(self, path: Path, descriptor: int, chain: Chain) -> None:
        """Not to be called: use `create` or `open`."""
        self.path = path
        self.batches = len(chain.batch_ends)
        self.count = chain.count
        """lines, markers not among them"""
        self._descriptor: int | None = descriptor
        self.last_hash = chain.last_hash
        self._size = chain.valid_bytes
        self._end = self._read_end()

    @classmethod
    def read(cls, path: Path) -> tuple[Kept, Chain]:
        """Everything up to the last complete batch. Raises `JournalError` for damage."""
        raise NotImplementedError

    @classmethod
    def create(cls, path: Path, settings_digest: str) -> Self:
        """A new journal, on disk with its header or not there at all."""
        if not re.fullmatch(r"[0-9A-Za-z._:-]{1,256}", settings_digest):
            raise ValueError(f"not a digest: {settings_digest!r}")
        if os.path.lexists(path):
            raise JournalError(f"{path} exists; resume its {cls.kind.work}, or choose another folder")
        try:
            write_whole(path, header_line(settings_digest, cls.kind), durably=True)
            _sync_folder(path.parent)
        except OSError as error:
            raise JournalError(f"{path} cannot be created: {error.strerror}") from error
        return cls.open(path)[0]

    @classmethod
    def open(cls, path: Path) -> tuple[Self, Kept]:
        """Continue after the last complete batch; what stands behind it is cut off."""
        try:
            descriptor = open_in_place(path, os.O_RDWR | os.O_APPEND)
        except OSError as error:
            cls.read(path)  # which knows better what is wrong
            raise JournalError(f"{path} cannot be written: {error.strerror}") from error
        hold(descriptor, path, cls.kind.doing)
        try:
            kept, chain = cls.read(path)
            os.ftruncate(descriptor, chain.valid_bytes)
            os.fsync(descriptor)  # the last batch, too, may have been read from memory only
            return cls(path, descriptor, chain), kept
        except BaseException as error:
            let_go(descriptor)
            if not isinstance(error, OSError):
                raise
            raise JournalError(f"{path} cannot be written: {error.strerror}") from error

    def append_lines(self, lines: bytes) -> None:
        """One batch, on disk when this returns. After an error the journal ends with the batch before."""
        if not lines:
            raise ValueError(f"a batch without {self.kind.lines}")
        if self._descriptor is None:
            raise JournalError(f"{self.path} is closed, or a write to it has failed; resume the {self.kind.work}")
        self._check_untouched()
        batches, count = self.batches + 1, self.count + lines.count(b"\n")
        marker, own_hash = marker_line(self.last_hash, lines, batches, count)
        try:
            write_all(self._descriptor, lines + marker)
            os.fsync(self._descriptor)
            self.batches, self.count, self.last_hash = batches, count, own_hash
            self._size += len(lines) + len(marker)
            self._end = (self._end + lines + marker)[-END:]
        except BaseException as error:  # an interrupt, too, may leave half a batch
            self._take_back()
            if not isinstance(error, OSError):
                raise
            raise JournalError(
                f"{self.path} cannot be written: {error.strerror}; the {self.count} {self.kind.lines} before are kept: "
                f"resume the {self.kind.work} when that is mended"
            ) from error

    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            with contextlib.suppress(OSError):  # every batch is on disk already
                let_go(descriptor)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def _check_untouched(self) -> None:
        """Nobody else has written to the file, or put another one in its place, since this journal was last written.
        The lock keeps other processes of ours out, but neither editors nor programs that copy files."""
        assert self._descriptor is not None
        try:
            own, there = os.fstat(self._descriptor), os.stat(self.path)
            is_untouched = os.path.samestat(own, there) and own.st_size == self._size and self._read_end() == self._end
        except OSError:  # such as that there is none
            is_untouched = False
        if not is_untouched:
            self.close()
            raise JournalError(
                f"{self.path} was changed, replaced or removed by somebody else after {self.count} {self.kind.lines}; "
                "nothing was written over it: see who works on it, or restore it from a copy, then resume the "
                f"{self.kind.work}"
            )

    def _read_end(self) -> bytes:
        """The last bytes, with the last batch's hash among them."""
        assert self._descriptor is not None
        os.lseek(self._descriptor, -min(END, self._size), os.SEEK_END)
        return os.read(self._descriptor, END)

    def _take_back(self) -> None:
        """Cut off what a failed write left. Where even this fails, the next `open` cuts it off."""
        assert self._descriptor is not None
        try:
            os.ftruncate(self._descriptor, self._size)
            os.fsync(self._descriptor)
        except OSError:
            pass
        finally:
            self.close()


def _sync_folder(folder: Path) -> None:
    """The file's name is on disk as well. Windows has no such call."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

"""One process at a time works on a campaign, or on matches.

The lock is the operating system's, on the file `lock` in their folder: however its holder ends, kill -9
included, the kernel lets go of it. The file stays and means nothing by itself; it names the holder's process, to be
shown to others. Looking (`status`) takes no lock.

Whoever writes the journal holds a lock on that as well: `lock` may have been deleted.

By hand and not by filelock, which on Windows locks the first byte, so that nobody could read a journal under way, does
not let go of a descriptor of ours in a forked child, and takes 30 ms to import.
"""

import contextlib
import os
import sys
from pathlib import Path
from types import TracebackType

from discovery.keeping.folder import LOCK_FILE
from domains.errors import UserError
from mcsgrammar.writing import open_in_place

if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 1 << 30  # far behind the process id, since nobody else can read a locked byte

    def _lock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    _HELD_BY_ANOTHER: type[OSError] = PermissionError
else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    _HELD_BY_ANOTHER: type[OSError] = BlockingIOError

_held: set[int] = set()  # descriptors


ON_CAMPAIGN = "working on this campaign"


def hold(descriptor: int, path: Path, doing: str = ON_CAMPAIGN, busy: str = "") -> None:
    """Lock the open file `path` of a folder, until `let_go`. Closes it and raises `UserError` if somebody else holds
    it, who is `doing` something there; `busy` says so of a file that stands alone."""
    _held.add(descriptor)
    try:
        _lock(descriptor)
    except OSError as error:
        taken = isinstance(error, _HELD_BY_ANOTHER)
        holder = _holder(descriptor) if taken and path.name == LOCK_FILE else "another process"
        let_go(descriptor)
        if not taken:
            why = f"{path} cannot be locked: {error.strerror}; keep it on a disk of this machine"
            raise UserError(why) from error
        raise UserError(busy or f"{path.parent}: {holder} is {doing}; wait for it or stop it") from None


def let_go(descriptor: int) -> None:
    """Close the file, which unlocks it; a forked child has done so already."""
    if descriptor in _held:
        _held.discard(descriptor)
        os.close(descriptor)


class FolderLock:
    """Within `with FolderLock(folder)`, nobody else works on what is in `folder`. `doing`: what is said of whoever
    does."""

    def __init__(self, folder: Path, doing: str = ON_CAMPAIGN) -> None:
        self.path = folder / LOCK_FILE
        self._doing = doing
        self._descriptor: int | None = None

    def __enter__(self) -> "FolderLock":
        try:
            descriptor = open_in_place(self.path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise UserError(f"{self.path} cannot be written: {error.strerror}") from error
        hold(descriptor, self.path, self._doing)
        self._descriptor = descriptor
        _name_holder(descriptor, f"{os.getpid()}\n")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None and descriptor in _held:
            _name_holder(descriptor, "")
            let_go(descriptor)


def _holder(descriptor: int) -> str:
    os.lseek(descriptor, 0, os.SEEK_SET)
    process_id = os.read(descriptor, 32).strip()
    return f"another process (pid {int(process_id)})" if process_id.isdigit() else "another process"


def _name_holder(descriptor: int, text: str) -> None:
    """For people only: a full disk must neither keep work from its lock nor from letting go of it."""
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, text.encode("ascii"))


def _let_go_after_fork() -> None:
    """A forked child shares its parent's lock, and would keep it when the parent is killed."""
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_after_fork)

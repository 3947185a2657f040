"""Files are written whole or not at all, and never through a symbolic link.

Whoever can write into a folder may have put a link there, under the name of a file that is about to be written; what it
points to is not to be touched.
"""

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

from domains.errors import UserError

TEMPORARY = ".mcsgrammar-"
"""How the names of files begin that become others when they are whole. What a kill leaves of them may be deleted."""

_BINARY: int = getattr(os, "O_BINARY", 0)  # Windows would write CR LF
_NO_LINK: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # nor wait for the reader of a pipe


def check_writable(path: Path, force: bool) -> None:
    """Before the work for it starts: raises `UserError` if `path` cannot be written, or exists and may not be
    overwritten."""
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a file")
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is no regular file, and would be replaced by one; name another")
    if path.exists() and not force:
        raise UserError(f"{path} exists; choose another name, or add --force to overwrite it")
    folder = path.parent
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder} to write {path.name} into")
    if not os.access(folder, os.W_OK | os.X_OK):  # files are replaced, so their own permissions do not matter
        raise UserError(f"{path} cannot be written: permission denied")


def write_text(path: Path, text: str, *, durably: bool = False) -> None:
    write_file(path, text.encode("utf-8", "surrogatepass"), durably=durably)


def write_file(path: Path, data: bytes, *, durably: bool = False) -> None:
    """Write the whole file or none of it. Raises `UserError`."""
    try:
        write_whole(path, data, durably=durably)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}") from error


def write_whole(path: Path, data: bytes, *, durably: bool = False) -> None:
    """All of the file, or what was there before, even if the program or, `durably`, the machine stops meanwhile.
    A link in its place is replaced. Raises `OSError`."""
    temporary = path.with_name(f"{TEMPORARY}{secrets.token_hex(8)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    try:
        try:
            write_all(descriptor, data)
            if durably:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def write_all(descriptor: int, data: bytes) -> None:
    """One write, unless the disk takes only a part of it: the next one then tells the reason."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def open_in_place(path: Path, flags: int) -> int:
    """A descriptor of the regular file itself that `path` names, as by `os.open`. Raises `OSError`, whose text says
    what else it is."""
    if path.is_symlink():
        raise OSError(errno.ELOOP, f"it is a symbolic link to {os.readlink(path)}; remove the link", str(path))
    descriptor = os.open(path, flags | _NO_LINK | _BINARY, 0o666)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(errno.EINVAL, "it is not a regular file; remove it", str(path))
    return descriptor

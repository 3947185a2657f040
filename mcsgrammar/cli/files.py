"""Output files: checked before the work starts, written whole when it is done, never overwritten unasked."""

import os
from pathlib import Path

from domains.errors import UserError


def check_writable(path: Path, force: bool) -> None:
    """Raises `UserError` if `path` cannot be written, or exists and may not be overwritten."""
    if path.is_dir():
        raise UserError(f"{path} is a folder; name a file")
    if path.exists() and not force:
        raise UserError(f"{path} exists; choose another name, or add --force to overwrite it")
    folder = path.parent
    if not folder.is_dir():
        raise UserError(f"there is no folder {folder} to write {path.name} into")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise UserError(f"{path} cannot be written: permission denied")


def write_text(path: Path, text: str) -> None:
    """Write the whole file or none of it."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise UserError(f"{path} cannot be written: {error.strerror}") from error

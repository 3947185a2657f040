"""Output files: checked before the work starts, written whole when it is done, never overwritten unasked."""

import os
from pathlib import Path

from domains.errors import UserError
from mcsgrammar.writing import write_text

__all__ = ["check_writable", "write_text"]


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

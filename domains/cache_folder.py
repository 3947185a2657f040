"""The user's cache folder, which must be the user's alone: what lies in it is used as if it came with the program.

A folder that somebody else owns or can write to may hold anything. Windows has no such modes; there the user's own
folder is trusted as it is.
"""

import os
import stat
import sys
import tempfile
from pathlib import Path

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path:
    """Where compiled machines and games from rule sheets are kept: MCSGRAMMAR_CACHE, or the user's cache folder."""
    chosen = os.environ.get("MCSGRAMMAR_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or tempfile.gettempdir()
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if base.startswith("~"):  # a user without a home folder
        base = tempfile.gettempdir()
    return Path(base) / "mcsgrammar"


def distrust(folder: Path) -> str | None:
    """Why a folder is not used; None if it is the user's alone, or not there."""
    if not hasattr(os, "geteuid"):
        return None
    try:
        found = folder.stat()
    except OSError:
        return None
    if found.st_uid != os.geteuid():
        return "it belongs to another user"
    return "others can write to it" if found.st_mode & OTHERS_WRITE else None


def make_own(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for the user alone."""
    if not folder.is_dir():
        make_own(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)

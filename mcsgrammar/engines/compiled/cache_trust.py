"""Where compiled machines are kept, and which folders are used: what lies in them is run, so they must be the user's.

A folder that somebody else owns or can write to may hold anything. Windows has no such modes; there the user's own
folder is trusted as it is.
"""

import multiprocessing
import os
import stat
import sys
import tempfile
from pathlib import Path

WORKER = "LokyProcess"
"""How loky calls its processes; whoever starts them has said what there is to say."""
OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
OTHERS = stat.S_IRWXG | stat.S_IRWXO

_noted: set[str] = set()


def cache_folder() -> Path:
    """Where compiled machines are kept: MCSGRAMMAR_CACHE, or the user's cache folder."""
    chosen = os.environ.get("MCSGRAMMAR_CACHE")
    if chosen:
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or tempfile.gettempdir()
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "mcsgrammar"


def trusted_cache() -> Path | None:
    """The cache folder; None, and a note, if it is not the user's alone."""
    folder = cache_folder()
    reason = distrust(folder)
    if reason is None:
        return folder
    if not multiprocessing.current_process().name.startswith(WORKER):
        note(
            f"the cache folder {folder} is not used, because {reason}, so every process compiles anew; {remedy(folder)}"
        )
    return None


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


def distrust_machine(folder: Path) -> str | None:
    """The same of a machine's folder and all that lies in it."""
    if folder.is_symlink():
        return "it is a link"
    reason = distrust(folder)
    if reason is not None or not hasattr(os, "geteuid") or not folder.is_dir():
        return reason
    closed = not folder.stat().st_mode & OTHERS
    for path in folder.rglob("*"):
        try:
            found = path.lstat()
        except OSError:  # gone in the meantime
            continue
        if found.st_uid != os.geteuid():
            return f"{path.name} in it belongs to another user"
        if found.st_mode & OTHERS_WRITE and not closed:
            return f"others can write to {path.name} in it"
    return None


def remedy(folder: Path) -> str:
    return f"make it yours alone (chmod go-w {folder}), or set MCSGRAMMAR_CACHE to a folder of your own"


def make_own(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for the user alone."""
    if not folder.is_dir():
        make_own(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def note(text: str) -> None:
    """Once a process."""
    if text not in _noted:
        _noted.add(text)
        print(f"note: {text}", file=sys.stderr)

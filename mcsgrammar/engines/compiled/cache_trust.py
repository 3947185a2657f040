"""Where compiled machines are kept, and which folders are used: what lies in them is run, so they must be the user's.

A folder that somebody else owns or can write to may hold anything. Windows has no such modes; there the user's own
folder is trusted as it is.
"""

import os
import stat
from pathlib import Path

from domains.cache_folder import OTHERS_WRITE, cache_folder, distrust, make_own
from mcsgrammar.wording import is_worker, note_once

__all__ = ["cache_folder", "distrust", "distrust_machine", "make_own", "remedy", "trusted_cache"]

OTHERS = stat.S_IRWXG | stat.S_IRWXO


def trusted_cache() -> Path | None:
    """The cache folder; None, and a note, if it is not the user's alone."""
    folder = cache_folder()
    reason = distrust(folder)
    if reason is None:
        return folder
    if not is_worker():
        note_once(
            f"the cache folder {folder} is not used, because {reason}, so every process compiles anew; {remedy(folder)}"
        )
    return None


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

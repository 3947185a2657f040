"""The folder of compiled machines, as `mcsgrammar doctor` sees it: what is there, and what nobody will use again.

A machine is stale for certain where its copy of the engine differs from the one that is installed, or where everything
in it was compiled by another Numba or for another Python; or if it is not the user's alone. Deleting one costs whoever
needs it a compilation.
"""

import os
import pickle
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mcsgrammar.engines.compiled.cache_trust import distrust_machine

MACHINE = re.compile(r"mcsgrammar_(machine|learning|adaptive|arena|arena_tuning)_[0-9a-f]{16}")


@dataclass(frozen=True)
class Machine:
    folder: Path
    size: int
    stale: bool
    distrust: str | None
    """why it is not used and nothing in it is read"""


def machines(folder: Path) -> list[Machine]:
    """Those in the cache folder; whatever else lies there is none of ours."""
    try:
        found = sorted(path for path in folder.iterdir() if MACHINE.fullmatch(path.name) and path.is_dir())
    except OSError:
        return []
    return [_machine(path) for path in found]


def _machine(folder: Path) -> Machine:
    reason = distrust_machine(folder)
    return Machine(folder, _size(folder), reason is not None or _is_stale(folder), reason)


def delete(stale: Sequence[Machine]) -> int:
    """How many of them are gone now."""
    for machine in stale:
        if machine.folder.is_symlink():
            machine.folder.unlink(missing_ok=True)
        shutil.rmtree(machine.folder, ignore_errors=True)
    return sum(not machine.folder.exists() for machine in stale)


def is_writable(folder: Path) -> bool:
    """Whether machines can be kept there; the folder itself is made when the first is."""
    while not os.path.exists(folder) and folder.parent != folder:  # which asks in vain where nobody may look
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _size(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size if path.is_file() else 0
        except OSError:  # gone in the meantime
            continue
    return total


def _is_stale(folder: Path) -> bool:
    from mcsgrammar.engines.compiled.compiling import template_of

    named = MACHINE.fullmatch(folder.name)
    template = template_of(named[1] if named else "machine")
    try:
        if (folder / f"{folder.name}.py").read_bytes() != template.read_bytes():
            return True
    except OSError:
        return True  # nothing was ever compiled from it, or it was half deleted
    indexes = list((folder / "__pycache__").glob("*.nbi"))
    return bool(indexes) and not any(_is_of_this_numba(index) for index in indexes)


def _is_of_this_numba(index: Path) -> bool:
    """Numba's index of what it has compiled: its name says for which Python, its first pickle by which Numba."""
    import numba

    if f".py{sys.version_info.major}{sys.version_info.minor}." not in index.name:
        return False
    try:
        with index.open("rb") as file:
            return bool(pickle.load(file) == numba.__version__)
    except Exception:  # cut off, or of a Numba that begins otherwise
        return False

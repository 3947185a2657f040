"""How a folder is begun that long work is kept in: by one process, and never over something else."""

from collections.abc import Callable, Mapping
from pathlib import Path

from discovery.keeping.folder import LOCK_FILE, is_begun
from discovery.keeping.locking import FolderLock
from domains.errors import UserError
from mcsgrammar.writing import TEMPORARY


def begin_folder(
    folder: Path, begun: Mapping[str, bytes], take_up: Callable[[], None], write: Callable[[], None], doing: str
) -> None:
    """Make the folder and have it written, or have it taken up if it has settings. `begun`: what files a creation that
    was killed may have left; `doing`: what whoever holds it does there. A folder that holds anything else is left as it
    is."""
    try:
        if is_begun(folder):
            take_up()
            return
        _refuse_strangers(folder, begun)
        folder.mkdir(parents=True, exist_ok=True)
        with FolderLock(folder, doing):
            if not is_begun(folder):  # another process may have been faster
                write()
                return
        take_up()
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror}") from error


def _refuse_strangers(folder: Path, begun: Mapping[str, bytes]) -> None:
    """What a creation that was killed may have left is no stranger."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path.name == LOCK_FILE or path.name.startswith(TEMPORARY):
            continue
        if path.name in begun and path.read_bytes() == begun[path.name]:
            continue
        raise UserError(f"{folder} holds something else ({path.name}); choose an empty or new folder as --out")

"""What lies beside a domain's file: it can be imported by it, and takes nobody's place."""

import hashlib
import importlib
import importlib.util
import sys
import types
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)
from pathlib import Path

from domains.errors import DomainError
from domains.sources import files_imported

_folders: list[Path] = []
"""Those that domains in files have put on the path."""
_contents: dict[Path, bytes] = {}
"""Of each sibling that a domain imports a hash of what was in it when it was asked for last. What else lies below such
a folder, perhaps a whole virtual environment, is left alone."""


def make_room_for_siblings(file: Path) -> None:
    """What lies beside a file can be imported by it, but comes last: a `queue.py` there is not what the library imports
    by that name. Raises `DomainError` where another module than the one beside would be imported."""
    folder, files = file.parent, files_imported(file, file.parent)
    siblings = sorted({path.relative_to(folder).parts[0].removesuffix(".py") for path in files})
    contents = {path: hashlib.blake2b(path.read_bytes()).digest() for path in files}
    if any(_contents.get(path, now) != now for path, now in contents.items()) and folder in _folders:
        _forget(folder)  # one of them was changed, and is imported anew
    _contents.update(contents)
    for other in [other for other in _folders if other != folder and any(_is_in(other, _where(n)) for n in siblings)]:
        _forget(other)
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
        _folders.append(folder)
    if folder in _folders:
        _read_from_source()
    importlib.invalidate_caches()  # for files that are as young as this process
    for name in siblings:
        if (met := _where(name)) is not None and not _is_in(folder, met):
            beside = next(path for path in (folder / name, folder / f"{name}.py") if path.exists())
            raise DomainError(
                f"{file} imports {name}, and {beside} lies beside it, but Python knows another module of that name "
                f"({met}); rename the one beside it"
            )


class FromSource(SourceFileLoader):
    """Runs the text that lies there, which is what is hashed and what people read, and no bytecode kept beside it."""

    def get_code(self, fullname: str) -> types.CodeType | None:
        path = self.get_filename(fullname)
        code: types.CodeType = self.source_to_code(self.get_data(path), path)
        return code


class _SiblingsFromSource(FromSource):
    """The same of siblings; other modules in their folders are read as ever."""

    def get_code(self, fullname: str) -> types.CodeType | None:
        known = Path(self.get_filename(fullname)).resolve() in _contents
        return super().get_code(fullname) if known else SourceFileLoader.get_code(self, fullname)


def _read_from_source() -> None:
    if _finder_of_ours not in sys.path_hooks:
        sys.path_hooks.insert(0, _finder_of_ours)
    places = {*_folders, *(path.parent for path in _contents)}
    for path, finder in list(sys.path_importer_cache.items()):
        if not isinstance(finder, _Finder) and Path(path) in places:
            del sys.path_importer_cache[path]


class _Finder(FileFinder):
    pass


def _finder_of_ours(path: str) -> _Finder:
    """As Python asks for it: of the folders that domains and their siblings are in."""
    place = Path(path)
    if place not in _folders and all(sibling.parent != place for sibling in _contents):
        raise ImportError(path)
    return _Finder(
        path,
        (ExtensionFileLoader, EXTENSION_SUFFIXES),
        (_SiblingsFromSource, SOURCE_SUFFIXES),
        (SourcelessFileLoader, BYTECODE_SUFFIXES),
    )


def _where(name: str) -> Path | None:
    """Where Python has a module from, or would have it; None if it has none."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):  # it was made by hand
        return None
    if spec is None:
        return None
    if spec.origin is None:  # a folder without __init__.py
        return Path(next(iter(spec.submodule_search_locations or ()), "")).resolve()
    return Path(spec.origin).resolve() if spec.has_location else Path(spec.origin)


def _is_in(folder: Path, path: Path | None) -> bool:
    return path is not None and folder in path.parents


def _forget(folder: Path) -> None:
    """Another domain's siblings, of the same names as those of the one to be imported."""
    _folders.remove(folder)
    if str(folder) in sys.path:
        sys.path.remove(str(folder))
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        path = Path(file).resolve() if file else None
        if path in _contents and _is_in(folder, path) and not name.startswith("mcsgrammar_file_"):
            del sys.modules[name]

"""Which files a domain is made of, so that a change in any of them is noticed."""

import ast
import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

from domains.protocol import Domain

INSTALLED = ("site-packages", "dist-packages")


def source_hash(domain: Domain) -> str | None:
    """16 hexadecimal digits over the file that defines a domain which is not built in, and over the files of its own
    that this one imports; None where there is no file, or no need."""
    name, file = type(domain).__module__, file_of_class(domain)
    if name.split(".")[0] == "domains" or file is None or not file.is_file():
        return None
    return _hash_of(file.resolve(), name)


def file_of_class(domain: Domain) -> Path | None:
    """The file that a domain's class is in. Two files of one's own may have one name: what was found by its path says
    where, what was not is in the module that goes by the name now."""
    if domain.registered_file is not None:
        return domain.registered_file
    file: str | None = getattr(sys.modules.get(type(domain).__module__), "__file__", None)
    return Path(file) if file else None


def hash_of_file(file: Path) -> str:
    """The `source_hash` of a domain in this file, of which nothing is run."""
    return _hash_of(file.resolve(), module_name(file))


def module_name(file: Path) -> str:
    """What the module in a file of one's own is called: the same in every process, as cached kernels look their module
    up by it."""
    return f"mcsgrammar_file_{file.stem.replace('.', '_')}"


def _hash_of(first: Path, name: str) -> str:
    package = name.split(".")[0] if "." in name or first.name == "__init__.py" else None
    base = first.parents[max(0, name.count(".") - (first.name != "__init__.py"))]
    digest = hashlib.blake2b(first.read_bytes(), digest_size=8)
    # Beside a module that was installed without a package lies what everybody else installed.
    others = files_imported(first, base, package) if base.name not in INSTALLED else []
    for other in others:
        digest.update(b"\0" + other.relative_to(base).as_posix().encode() + b"\0" + other.read_bytes())
    return digest.hexdigest()


def files_imported(first: Path, base: Path, package: str | None = None) -> list[Path]:
    """The files in the folder `base` that `first` imports, and those that they import, by name. `base` is what is
    imported from as the name `package`, or without a name if that is None. Nothing is run: the files are read."""
    found = {first}
    to_read = [first]
    while to_read:
        file = to_read.pop()
        for parts, folder in _imports(file, base, package):
            new = [path for path in _files_of(parts, folder) if path not in found and base in path.parents]
            found.update(new)
            to_read += new
    return sorted(found - {first}, key=lambda file: file.parts)  # paths themselves sort without case on Windows


def _imports(file: Path, base: Path, package: str | None) -> Iterator[tuple[tuple[str, ...], Path]]:
    """What a file may import from its own folder or package: dotted names, and the folders they begin in."""
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError):  # it will be said when it is imported
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            absolute = [tuple(alias.name.split(".")) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            module = tuple(node.module.split(".")) if node.module else ()
            names = [(*module, alias.name) for alias in node.names]
            if node.level:
                if node.level > len(file.parents):
                    continue
                yield from ((name, file.parents[node.level - 1]) for name in names)
                continue
            absolute = names
        else:
            continue
        for name in absolute:
            if package is None:
                yield name, base
            elif name[0] == package:
                yield name[1:], base


def _files_of(parts: tuple[str, ...], folder: Path) -> Iterator[Path]:
    """The files that importing a dotted name from a folder runs: of a package `a` and its module `b`, both. The last
    part may be a name within the module."""
    for part in parts:
        yield from (path for path in (folder / "__init__.py", folder / f"{part}.py") if path.is_file())
        folder = folder / part
    if (folder / "__init__.py").is_file():
        yield folder / "__init__.py"

"""The house stays as it is laid out: rooms have one door and import one way, files and functions are short, no name
means two things.
"""

import ast
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.language.test_facade import ROOT, SOURCES, imported_modules

ROOMS = ("discovery.report", "mcsgrammar.exporting", "domains.check", "domains.gdl")
ROOM_ORDER = {
    "domains": ("domains", "domains.check", "domains.games", "domains.vgdl", "domains.gdl"),
    "discovery": (
        "discovery",
        "discovery.pool",
        "discovery.keeping",
        "discovery.bandits",
        "discovery.arena",
        "discovery.campaign",
        "discovery.evaluation",
        "discovery.many",
        "discovery.report",
    ),
}
"""Each room stands on those before it."""
LONGEST_FILE, LONGEST_FUNCTION = 450, 100


def is_kernel(path: Path) -> bool:
    """What Numba compiles in one piece stands in one function."""
    return path.name.startswith("machine") or path.name.endswith("kernels.py")


def definitions(path: Path) -> Iterator[ast.AST]:
    yield from ast.walk(ast.parse(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("room", ROOMS)
def test_who_is_outside_knows_one_module_of_a_room(room: str) -> None:
    inside = ROOT.joinpath(*room.split("."))
    parts = room.count(".") + 2
    known = {
        str(path.relative_to(ROOT)): sorted(
            {".".join(name.split(".")[:parts]) for name in imported_modules(path) if name.startswith(f"{room}.")}
        )
        for path in SOURCES
        if not path.is_relative_to(inside)
    }
    assert any(known.values())
    assert not {path: modules for path, modules in known.items() if len(modules) > 1}


def room_of(name: str) -> str:
    """The package of a module, or of what is imported from one."""
    parts = name.split(".")
    while not ROOT.joinpath(*parts).is_dir():
        parts.pop()
    return ".".join(parts)


@pytest.mark.parametrize("package", ["domains", "discovery"])
def test_rooms_import_one_way(package: str) -> None:
    known: dict[str, set[str]] = {}
    for path in SOURCES:
        if path.is_relative_to(ROOT / package):
            room = room_of(".".join(path.relative_to(ROOT).with_suffix("").parts))
            ours = {room_of(name) for name in imported_modules(path) if name.startswith(f"{package}.")}
            known.setdefault(room, set()).update(ours - {room})
    order = ROOM_ORDER[package]
    assert sorted(known) == sorted(order)
    assert all(order.index(below) < order.index(room) for room, others in known.items() for below in others)


def test_no_two_public_classes_share_a_name() -> None:
    places = defaultdict(list)
    for path in SOURCES:
        for node in definitions(path):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    shared = {name: where for name, where in places.items() if len(where) > 1}
    assert len(places) > 100 and not shared


def test_files_and_functions_are_short() -> None:
    long = []
    for path in SOURCES:
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST_FILE:
            long.append(f"{path.relative_to(ROOT)}: {lines} lines")
        for node in definitions(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_kernel(path):
                lines = (node.end_lineno or 0) - node.lineno + 1
                long += [f"{path.relative_to(ROOT)}: {node.name}: {lines} lines"] * (lines > LONGEST_FUNCTION)
    assert not long


def test_what_is_read_beside_the_code_is_in_the_package() -> None:
    packaged = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"][
        "package-data"
    ]
    for package, patterns in packaged.items():
        files = [path for path in (ROOT / package).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        beside = {path for path in files if path.suffix != ".py"}
        assert beside and beside == {path for pattern in patterns for path in (ROOT / package).glob(pattern)}

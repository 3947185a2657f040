"""`import mcsgrammar` is the short way in: cheap, complete, and imported by nothing below it."""

import ast
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mcsgrammar
from mcsgrammar import Domain, UserError

ROOT = Path(mcsgrammar.__file__).parents[1]
MAY_IMPORT = {
    "domains": {"domains"},
    "mcsgrammar": {"domains", "mcsgrammar"},
    "discovery": {"domains", "mcsgrammar", "discovery"},
}
SOURCES = sorted(path for package in MAY_IMPORT for path in (ROOT / package).rglob("*.py"))


def is_door(path: Path) -> bool:
    """The command line and the facade stand above the three packages."""
    return path.relative_to(ROOT).parts[:2] in (
        ("mcsgrammar", "__init__.py"),
        ("mcsgrammar", "__main__.py"),
        ("mcsgrammar", "cli"),
        ("mcsgrammar", "facade"),
    )


def imported_modules(path: Path) -> set[str]:
    """Absolute names, `from a import b` as a.b."""
    here = path.relative_to(ROOT).parts[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = [*here[: len(here) - node.level + 1]] if node.level else []
            found |= {".".join([*base, *([node.module] if node.module else []), alias.name]) for alias in node.names}
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_one_way(path: Path) -> None:
    """domains ← mcsgrammar ← discovery, and nothing imports the doors."""
    package = path.relative_to(ROOT).parts[0]
    ours = {name for name in imported_modules(path) if name.partition(".")[0] in MAY_IMPORT}
    if is_door(path):
        return
    assert {name.partition(".")[0] for name in ours} <= MAY_IMPORT[package]
    assert not any(name.startswith(("mcsgrammar.cli", "mcsgrammar.facade")) for name in ours)
    facade = {f"mcsgrammar.{name}" for name in mcsgrammar.__all__} | {"mcsgrammar"}
    assert not ours & facade


DEFINITION = [path for path in SOURCES if "reference" in path.parts or path.name == "rules.py"]


@pytest.mark.parametrize("path", DEFINITION, ids=lambda path: path.name)
def test_the_definition_imports_nothing_of_the_compiled_engine(path: Path) -> None:
    assert not [name for name in imported_modules(path) if name.startswith("mcsgrammar.engines.compiled")]


def test_there_are_sources_to_look_at() -> None:
    assert len(DEFINITION) >= 5
    assert {path.relative_to(ROOT).parts[0] for path in SOURCES} == set(MAY_IMPORT)


def test_import_costs_nothing() -> None:
    """Nothing but the facade itself, until a name is used."""
    script = "import sys; before = set(sys.modules); import mcsgrammar; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    ours_or_heavy = {
        "mcsgrammar",
        "domains",
        "discovery",
        "lark",
        "numpy",
        "numba",
        "scipy",
        "joblib",
        "loky",
        "click",
        "rich",
    }
    loaded = [name for name in done.stdout.split() if name.partition(".")[0] in ours_or_heavy]
    assert loaded == ["mcsgrammar"]


ELSEWHERE = {"domain": "domain_of"}
"""What goes by another name where it is defined."""


@pytest.mark.parametrize("name", mcsgrammar.__all__)
def test_every_name_resolves(name: str) -> None:
    assert getattr(mcsgrammar, name).__name__ == ELSEWHERE.get(name, name)


def test_names_are_sorted_and_listed() -> None:
    assert list(mcsgrammar.__all__) == sorted(set(mcsgrammar.__all__))
    assert dir(mcsgrammar) == sorted(mcsgrammar.__all__)


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(mcsgrammar.__file__).read_text(encoding="utf-8"))
    guarded, hidden = [node for node in tree.body if isinstance(node, ast.If)]
    assert ast.unparse(hidden.test) == "not TYPE_CHECKING"  # so that they see no others
    seen = {
        alias.asname or alias.name for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert seen - {"domain_of"} | {"domain"} == set(mcsgrammar.__all__)  # the one that is called otherwise there


def test_unknown_name() -> None:
    with pytest.raises(AttributeError) as error:
        _ = mcsgrammar.simulate
    assert str(error.value) == "module 'mcsgrammar' has no attribute 'simulate'"
    assert not hasattr(mcsgrammar, "_parser")


@pytest.mark.parametrize("given", [["sim"], None, 3, mcsgrammar.Simulate])
def test_what_is_no_expression(given: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: mcsgrammar.parse(given),
        lambda: mcsgrammar.solve("queens", given),
        lambda: mcsgrammar.play("cliff", given),
        lambda: mcsgrammar.export(given),
        lambda: mcsgrammar.evaluate("queens", [given]),
        lambda: mcsgrammar.discover("queens", candidates=[given]),
    ]
    said = r"^the expression cannot be .*; it is a text such as step\(repeat\(select\(sim, 0\.5\), 10\)\)$"
    for call in calls:
        with pytest.raises(mcsgrammar.UserError, match=said):
            call()


class Tour(Domain):
    """Never played: only handed over in ways that are refused."""

    def __init__(self, cities: int, closed: bool = True) -> None: ...


TAKERS: dict[str, Callable[[Any], object]] = {
    "solve": lambda domain: mcsgrammar.solve(domain, "sim"),
    "evaluate": lambda domain: mcsgrammar.evaluate(domain, ["sim"]),
    "discover": lambda domain: mcsgrammar.discover(domain, "never-written", candidates=["sim"]),
    "export": lambda domain: mcsgrammar.export("sim", domain),
}
"""Whatever takes a domain."""


@pytest.mark.parametrize("name", TAKERS)
def test_a_class_is_not_an_object_of_it(name: str) -> None:
    with pytest.raises(UserError) as error:
        TAKERS[name](Tour)
    assert str(error.value) == "Tour is a class; pass Tour(cities)"


@pytest.mark.parametrize("name", TAKERS)
def test_what_is_no_domain_at_all(name: str) -> None:
    with pytest.raises(UserError) as error:
        TAKERS[name](3)
    assert str(error.value) == (
        "an object of the class int is no domain; pass the name of one, such as 'sudoku:4', or an object of a class "
        "that derives from mcsgrammar.Domain"
    )

"""The tutorial is done from beginning to end: its commands, its files, its picture, its package."""

import shutil
import sys
from pathlib import Path

import pytest

from tests.documents import ROOT, Document, assert_as_shown, excerpts, run, run_process

pytestmark = pytest.mark.slow

TUTORIAL = Document("docs/tutorial.md")
FILES = ROOT / "docs" / "tutorial"
COMMANDS = TUTORIAL.console_lines()
INSTALLED = [shown for shown in COMMANDS if " jobshop:" in shown[0] or shown[0] == "mcsgrammar domains"]
BEFORE = [shown for shown in COMMANDS if shown not in INSTALLED]
SHORT = "--depth 2 --budget 50 --pulls-per-candidate 1 --test-problems 3 --jobs 1"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tutorial's files, and those that its blocks hold."""
    made = tmp_path_factory.mktemp("tutorial") / "tutorial"
    shutil.copytree(FILES, made, ignore=shutil.ignore_patterns("__pycache__"))
    TUTORIAL.write_files(made)
    return made


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the package is installed, by the tutorial's command but for the place."""
    target = tmp_path_factory.mktemp("installed")
    source = target / "source"
    shutil.copytree(FILES, source, ignore=shutil.ignore_patterns("__pycache__"))
    finished = run_process([sys.executable, "-m", "pip", "install", "--no-deps", "--target", str(target), "."], source)
    if "No matching distribution found for setuptools" in finished.stderr:
        pytest.skip("pip finds no package index to get setuptools from")
    assert finished.returncode == 0, finished.stderr
    return target


@pytest.mark.parametrize(("line", "output"), BEFORE, ids=[line for line, _ in BEFORE])
def test_command_by_file_prints_what_is_shown(line: str, output: str, folder: Path) -> None:
    assert_as_shown(run(line, folder), output)


@pytest.mark.parametrize(("line", "output"), INSTALLED, ids=[line for line, _ in INSTALLED])
def test_command_by_name_prints_what_is_shown(
    line: str, output: str, folder: Path, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder where only the installed package can be found, beside the instances."""
    monkeypatch.setenv("PYTHONPATH", str(installed))
    assert_as_shown(run(line, elsewhere(folder)), output)


def elsewhere(folder: Path) -> Path:
    made = folder.parent / "elsewhere"
    if not made.exists():
        shutil.copytree(folder / "instances", made / "instances")
    return made


def test_package_is_installed_by_the_command_that_is_shown() -> None:
    assert "pip install .\n" in TUTORIAL.blocks("sh")


def test_campaign_on_fewer_pulls(folder: Path) -> None:
    """The campaign whose table is shown, as it is started there but for what makes it long."""
    (line,) = [block.strip() for block in TUTORIAL.blocks("sh") if block.startswith("mcsgrammar discover ")]
    finished = run(f"{line} {SHORT}", folder)
    assert finished.returncode == 0, finished.stderr
    assert "Dis#1" in finished.stdout


def test_file_is_as_shown() -> None:
    """A block that opens with the name of a file holds pieces of it, in their order."""
    shown = [(name, text) for name, text in TUTORIAL.files() if (FILES / name).exists()]
    assert {name for name, _ in shown} == {"jobshop.py", "jobshop_fast.py", "pyproject.toml"}
    for name, text in shown:
        whole, after = (FILES / name).read_text(encoding="utf-8"), 0
        for piece in excerpts(text):
            assert piece in whole[after:], f"{name} has no such piece, or not there:\n{piece}"
            after = whole.index(piece, after) + len(piece)


def test_scripts_run(folder: Path) -> None:
    for text in TUTORIAL.scripts():
        finished = run_process([sys.executable, "-c", text], folder)
        assert finished.returncode == 0, finished.stderr


def test_picture_is_the_one_that_is_shown(folder: Path) -> None:
    """docs/pictures/gantt.svg is what the tutorial's command saves."""
    picture = folder / "gantt.svg"
    if not picture.exists():  # it does where all tests run
        (line,) = [line for line, _ in COMMANDS if "--svg" in line]
        run(line, folder)
    assert picture.read_text(encoding="utf-8") == (ROOT / "docs/pictures/gantt.svg").read_text(encoding="utf-8")


def test_what_is_linked_exists() -> None:
    assert TUTORIAL.broken_links() == []

"""The README is run: every console line by the installed command, every Python block as it stands."""

import sys
from pathlib import Path

import pytest

from tests.documents import Document, assert_as_shown, run, run_process

README = Document("README.md")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the README's files in it: a Python block that opens with `# name.py` is one."""
    made = tmp_path_factory.mktemp("readme")
    README.write_files(made)
    return made


@pytest.mark.parametrize(("line", "output"), README.console_lines())
def test_console_line_works_and_prints_what_is_shown(line: str, output: str, folder: Path) -> None:
    assert_as_shown(run(line, folder), output)


def test_python_block_runs(folder: Path) -> None:
    scripts = README.scripts()
    assert scripts
    for text in scripts:
        finished = run_process([sys.executable, "-c", text], folder)
        assert finished.returncode == 0, finished.stderr
        assert "3155" in finished.stdout


def test_two_commands_come_first_and_are_one_line_each() -> None:
    first, second = README.blocks("sh")
    for block in (first, second):
        assert block.count("\n") == 1
        assert block.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert second.rstrip().endswith("&& .venv/bin/pytest")


def test_first_command_on_fewer_pulls(folder: Path) -> None:
    """The main job as the README starts it, but for the number of pulls and test problems."""
    job = README.blocks("sh")[0].split("&& .venv/bin/")[-1].strip()
    job = job.replace("--pulls 20000", "--pulls 300")
    finished = run(f"{job} --test-problems 10 --jobs 1", folder)
    assert finished.returncode == 0, finished.stderr
    assert "uct(0.3)" in finished.stdout
    assert (folder / "first-campaign" / "evaluation.md").exists()


def test_first_result_is_about_the_first_command() -> None:
    """The table that is shown has the columns of the real one; its figures come from the README's first command."""
    (shown,) = README.blocks("text")
    columns = "name search component rank score stderr 95 % interval vs uct(0.5) p p Holm d"
    assert " ".join(shown.splitlines()[0].split()) == columns


def test_what_is_linked_exists() -> None:
    assert README.broken_links() == []

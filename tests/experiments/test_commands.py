"""The commands, as they are typed."""

import shutil
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from experiments.cli import main
from experiments.options import RESULTS


def test_help_names_the_way_from_campaigns_to_pages() -> None:
    text = CliRunner().invoke(main, ["--help"]).output
    for command in ("small", "campaigns", "tables", "summarise", "render", "check"):
        assert f"\n  {command}" in text


def test_render_says_what_it_wrote(tmp_path: Path) -> None:
    shutil.copytree(RESULTS, tmp_path / "results")
    result = CliRunner().invoke(main, ["render", "--results", str(tmp_path / "results")], catch_exceptions=False)
    assert result.exit_code == 0
    assert str(tmp_path / "results" / "README.md") in result.output.splitlines()


def test_a_mistake_is_said_in_a_line(tmp_path: Path) -> None:
    """A folder that holds something else is left alone."""
    (tmp_path / "sudoku4-ucb1").mkdir()
    (tmp_path / "sudoku4-ucb1" / "mine.txt").write_text("mine")
    command = [sys.executable, "-m", "experiments", "campaigns", "--only", "sudoku4-ucb1", "--work", str(tmp_path)]
    done = subprocess.run(command, cwd=RESULTS.parent, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == (
        f"error: {tmp_path / 'sudoku4-ucb1'} holds something else (mine.txt); choose an empty or new folder as --out"
    )

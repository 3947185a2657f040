"""The README is run: every console line by the installed command, every Python block as it stands."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
COMMAND = Path(sys.executable).with_name("mcsgrammar")


def blocks(kind: str) -> list[str]:
    return [text for language, text in BLOCKS if language == kind]


def console_lines() -> list[tuple[str, str]]:
    """Each command after a prompt, with the output shown below it."""
    commands = []
    for block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, _, output = part.partition("\n")
            commands.append((line, output))
    return commands


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words = shlex.split(line)
    assert words[0] == "mcsgrammar"
    return subprocess.run(
        [str(COMMAND), *words[1:]], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the README's files in it: a Python block that opens with `# name.py` is one."""
    made = tmp_path_factory.mktemp("readme")
    for text in blocks("python"):
        name = re.match(r"# (\w+\.py)\n", text)
        if name:
            (made / name[1]).write_text(text, encoding="utf-8")
    return made


@pytest.mark.parametrize(("line", "output"), console_lines())
def test_console_line_works_and_prints_what_is_shown(line: str, output: str, folder: Path) -> None:
    finished = run(line, folder)
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout, f"{line} printed nothing"
    if output:
        assert finished.stdout == output


def test_python_block_runs(folder: Path) -> None:
    scripts = [text for text in blocks("python") if not text.startswith("# ")]
    assert scripts
    for text in scripts:
        finished = subprocess.run(
            [sys.executable, "-c", text], cwd=folder, capture_output=True, text=True, timeout=300, check=False
        )
        assert finished.returncode == 0, finished.stderr
        assert "3155" in finished.stdout


def test_two_commands_come_first_and_are_one_line_each() -> None:
    first, second = blocks("sh")
    for block in (first, second):
        assert block.count("\n") == 1
        assert block.startswith("python3 -m venv .venv && .venv/bin/pip install ")
    assert second.rstrip().endswith("&& .venv/bin/pytest")


def test_first_command_on_fewer_pulls(folder: Path) -> None:
    """The main job as the README starts it, but for the number of pulls and test problems."""
    job = blocks("sh")[0].split("&& .venv/bin/")[-1].strip()
    finished = run(f"{job} --pulls-per-candidate 1 --test-problems 10 --jobs 1", folder)
    assert finished.returncode == 0, finished.stderr
    assert "uct(0.3)" in finished.stdout
    assert (folder / "first-campaign" / "evaluation.md").exists()


def test_first_result_is_about_the_first_command() -> None:
    """The table that is shown has the columns of the real one; its figures come from the README's first command."""
    (shown,) = blocks("text")
    columns = "name search component rank score stderr 95 % interval difference p p Holm d"
    assert " ".join(shown.splitlines()[0].split()) == columns


def test_what_is_linked_exists() -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#([^)]+))?\)", README)
    assert links
    for target, anchor in links:
        path = ROOT / target
        assert path.exists(), f"README links to {target}"
        if anchor:
            headings = [
                re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).strip().replace(" ", "-")
                for line in path.read_text(encoding="utf-8").splitlines()
                if line.startswith("#")
            ]
            assert anchor in headings, f"README links to {target}#{anchor}"

"""The help teaches, and costs nothing."""

import re
import shlex
import subprocess
import sys

import pytest

from mcsgrammar.cli import COMMANDS
from mcsgrammar.language.expressions import COMPONENTS, Tune
from tests.language.command import ENVIRONMENT, run

HEAVY = {"lark", "numpy", "numba", "scipy", "joblib", "loky", "rich", "jinja2"}


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_lists_every_command_with_its_line(option: str) -> None:
    done = run(option)
    assert (done.returncode, done.stderr) == (0, "")
    for name, (_, line) in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(line)}$", done.stdout, re.MULTILINE)


def test_help_names_the_components() -> None:
    names = [component.name for component in COMPONENTS if component is not Tune]
    assert len(names) == 6
    assert f"composed from six components: {', '.join(names)}." in " ".join(run("--help").stdout.split())


def examples_of(command: str) -> list[str]:
    """The command lines in its help, without the remarks that stand to the right of some."""
    done = run(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    return re.findall(rf"^ +mcsgrammar ({command}\b.*?)(?:   .*)?$", done.stdout, re.MULTILINE)


@pytest.mark.parametrize("command", list(COMMANDS))
def test_help_of_every_command_shows_an_example(command: str) -> None:
    assert examples_of(command)


@pytest.mark.parametrize("command", ["enumerate", "show"])
def test_the_examples_work(command: str) -> None:
    for example in examples_of(command):
        assert run(*shlex.split(example)).returncode == 0


def test_help_imports_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "mcsgrammar", "--help"],
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        timeout=60,
    )
    imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "click" in imported
    assert not imported & HEAVY


def test_help_is_plain_text_when_piped() -> None:
    assert "\x1b" not in run("--help").stdout + run("show", "nmc(2)").stdout + run("shw").stderr


def test_without_a_command_the_help_is_shown() -> None:
    done = run()
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == run("--help").stdout

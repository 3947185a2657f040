"""What the Tab key offers, asked for as the shells ask."""

import shutil
import subprocess

import pytest

from domains.registry import domain_names, problem_names
from mcsgrammar.cli import COMMANDS
from tests.language.command import ENVIRONMENT, MCSGRAMMAR, run


def bash(*words: str) -> list[str]:
    """What bash is offered for the last of the words."""
    done = run(
        _MCSGRAMMAR_COMPLETE="bash_complete",
        COMP_WORDS="\n".join(["mcsgrammar", *words]),
        COMP_CWORD=str(len(words)),
    )
    assert done.returncode == 0
    return done.stdout.splitlines()


def test_commands() -> None:
    assert bash("") == [f"plain,{name}" for name in COMMANDS]
    assert bash("re") == ["plain,resume", "plain,report", "plain,record", "plain,replay"]


def test_options() -> None:
    assert "plain,--budget" in bash("solve", "--")
    assert bash("solve", "--engine", "c") == ["plain,compiled"]


def test_domains() -> None:
    assert bash("solve", "") == [f"plain,{name}" for name in problem_names()]
    assert bash("check", "") == [f"plain,{name}" for name in domain_names()]
    assert bash("bench", "morpion", "su") == ["plain,sudoku", "plain,sudoku_simple"]
    assert bash("solve", "./my_dom") == ["file,./my_dom"]


def test_expressions_are_quoted_for_bash() -> None:
    """It takes brackets for its own."""
    assert bash("solve", "sudoku", "nmc") == [f"plain,'nmc({level})'" for level in range(2, 6)]
    assert bash("solve", "sudoku", "'nmc(2") == ["plain,nmc(2)"]
    assert bash("show", "i") == ["plain,is"]


def test_bandit_policies() -> None:
    assert bash("discover", "sudoku", "--policy", "u") == ["plain,ucb1", "plain,uniform"]


def test_files() -> None:
    assert bash("status", "camp") == ["file,camp"]


def test_zsh_and_fish_quote_themselves() -> None:
    zsh = run(_MCSGRAMMAR_COMPLETE="zsh_complete", COMP_WORDS="mcsgrammar solve sudoku la(1", COMP_CWORD="3")
    fish = run(_MCSGRAMMAR_COMPLETE="fish_complete", COMP_WORDS="mcsgrammar solve sudoku la(1", COMP_CWORD="la(1")
    assert (zsh.returncode, zsh.stdout) == (0, "plain\nla(1)\n_\n")
    assert fish.returncode == 0
    assert fish.stdout.splitlines()[0].split("\t")[0].split(",")[:2] == ["plain", "la(1)"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_script_of_each_shell(shell: str) -> None:
    done = run("completion", shell)
    assert done.returncode == 0
    assert f"_MCSGRAMMAR_COMPLETE={shell}_complete" in done.stdout
    assert "_mcsgrammar_completion" in done.stdout


@pytest.mark.skipif(shutil.which("bash") is None, reason="asks bash")
def test_bash_reads_its_script() -> None:
    line = 'eval "$("$0" completion bash)" && complete -p mcsgrammar'
    done = subprocess.run(
        ["bash", "-c", line, MCSGRAMMAR], capture_output=True, encoding="utf-8", env=ENVIRONMENT, timeout=60
    )
    assert done.stdout == "complete -o nosort -F _mcsgrammar_completion mcsgrammar\n"

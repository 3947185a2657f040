"""`--json` of a domain that prints: standard output holds one document, standard error what the domain said."""

import contextlib
import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from mcsgrammar.cli import cli
from mcsgrammar.cli.output import echo_json
from tests.discovery.campaigns import made
from tests.language.command import run

LOUD = """
import os

print("imported")


class Loud:
    horizon = 3

    def sample(self, random):
        os.write(1, b"written\\n")
        return [random.below(5)]

    def actions(self, state):
        return [0, 1] if len(state) <= 3 else []

    def play(self, state, action):
        state.append(action)

    def copy(self, state):
        return state[:]

    def reward(self, state):
        print("rewarded")
        return sum(state[1:]) / 3
"""


@pytest.fixture
def loud(tmp_path: Path) -> str:
    (tmp_path / "loud.py").write_text(LOUD)
    return f"{tmp_path / 'loud.py'}:Loud"


@pytest.mark.parametrize(
    "line",
    [
        "solve LOUD sim --budget 3",
        "evaluate LOUD sim --budget 3 --problems 2 --jobs 1",
        "bench LOUD --seconds 0.001",
        "null-check LOUD sim --budget 1 --arms 2 --top 1 --generics 2 --problems 2 --trials 2 --pulls-per-candidate 2",
        "report CAMPAIGN --test-problems 2 --jobs 1",
    ],
)
def test_one_document(line: str, loud: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if "CAMPAIGN" in line:
        folder = made(tmp_path / "c", loud, ["sim", "step(sim)"], pulls=4)
        cli.main(["resume", str(folder), "--jobs", "1", "--test-problems", "0"], standalone_mode=False)
        capsys.readouterr()
    words = line.replace("LOUD", loud).replace("CAMPAIGN", str(tmp_path / "c")).split()
    before = sys.stdout
    cli.main([*words, "--json"], standalone_mode=False)
    assert sys.stdout is before
    said = capsys.readouterr()
    assert isinstance(json.loads(said.out), dict)
    assert "rewarded" in said.err


@pytest.mark.parametrize("how", ["solve LOUD sim --budget 3", "evaluate LOUD sim --budget 3 --problems 4 --jobs 2"])
def test_what_does_not_go_through_python_and_what_workers_print(how: str, loud: str) -> None:
    done = run(*how.replace("LOUD", loud).split(), "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["domain"] == "loud.py:Loud"
    assert {"imported", "written", "rewarded"} <= set(done.stderr.split("\n"))


def test_without_json_it_is_left_alone(loud: str, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["solve", loud, "sim", "--budget", "3"], standalone_mode=False)
    assert "rewarded" in capsys.readouterr().out


def test_a_complaint_leaves_standard_output_as_it_was(loud: str) -> None:
    before = sys.stdout
    with pytest.raises(Exception, match="nothing"):
        cli.main(["evaluate", loud, "--json"], standalone_mode=False)
    assert sys.stdout is before


def test_check(loud: str, capsys: pytest.CaptureFixture[str]) -> None:
    with contextlib.suppress(SystemExit):  # it may have findings
        cli.main(["check", loud, "--problems", "1", "--json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out)["domain"] == loud


def test_numbers_that_json_does_not_know(capsys: pytest.CaptureFixture[str]) -> None:
    echo_json({"rate": math.inf, "rows": [(math.nan, -math.inf, 0.5)], "actions": [np.int64(3), np.arange(2), {4}]})
    assert capsys.readouterr().out == ('{"rate": null, "rows": [[null, null, 0.5]], "actions": [3, [0, 1], "{4}"]}\n')

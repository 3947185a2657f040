"""`mcsgrammar solve`, as installed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from domains.problems import problem
from domains.protocol import replay
from domains.registry import find_domain
from mcsgrammar.solving import solve
from tests.language.command import ENVIRONMENT, MCSGRAMMAR, run

ERRAND = f"{Path(__file__).with_name('toys.py')}:Errand"

SHAPE = {
    "domain": str,
    "expression": str,
    "runs_as": str,
    "budget": int | None,
    "seconds": float | None,
    "split": str,
    "semantics": str,
    "unit": str,
    "runs": list,
}
ROW = {
    "problem": int,
    "seed": int,
    "reward": float | None,
    "score": float | None,
    "evaluations": int,
    "seconds": float,
    "stop_reason": str,
    "actions": list,
    "curve": list,
    "tree_nodes": int,
    "tree_full": bool,
}


def solved(*arguments: str) -> dict[str, Any]:
    """The JSON document of a run, which must be all there is on standard output."""
    done = run("solve", *arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return document(done.stdout)


def document(output: str) -> dict[str, Any]:
    assert output.endswith("\n")
    read: dict[str, Any] = json.loads(output)
    for keys, thing in [(SHAPE, read), *((ROW, row) for row in read["runs"])]:
        assert list(thing) == list(keys)
        for key, kind in keys.items():
            assert isinstance(thing[key], kind)
    return read


@pytest.mark.parametrize(
    ("name", "budget", "unit"),
    [("sudoku:3", 300, "filled cells"), ("regression", 500, "mae"), ("morpion:4D", 100, "lines")],
)
def test_the_solution_is_drawn_and_described(name: str, budget: int, unit: str, tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    done = run("solve", name, "nmc(2)", "--budget", str(budget), "--svg", str(picture))
    assert (done.returncode, done.stderr) == (0, "")

    (solution,) = solve(name, "nmc(2)", budget)
    lines = done.stdout.split("\n")
    assert lines[0].endswith(", problem 0: step(lookahead(step(lookahead(sim))))")
    assert solution.draw() in done.stdout
    assert f"\nbest: {solution.score:.6g} {unit}" in done.stdout
    assert f"{budget:,} evaluations in " in done.stdout
    assert lines[-2:] == [f"picture: {picture}", ""]

    assert picture.read_text(encoding="utf-8") == solution.svg()
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    assert list(tmp_path.iterdir()) == [picture]


def test_json_says_what_was_run_and_what_came_of_it() -> None:
    read = solved("sudoku:3", "la(1)", "--budget", "200", "--runs", "2", "--problem", "4", "--seed", "9")
    assert {key: read[key] for key in SHAPE if key != "runs"} == {
        "domain": "sudoku:3",
        "expression": "step(lookahead(sim))",
        "runs_as": "step(lookahead(sim))",
        "budget": 200,
        "seconds": None,
        "split": "test",
        "semantics": "standard",
        "unit": "filled cells",
    }
    for row, solution in zip(read["runs"], solve("sudoku:3", "la(1)", 200, problem=4, seed=9, runs=2), strict=True):
        result = solution.result
        assert (row["problem"], row["seed"], row["stop_reason"]) == (4, solution.seed, "evaluations")
        assert (row["reward"], row["score"]) == (result.reward, solution.score)
        assert (row["actions"], row["evaluations"]) == (list(result.actions), 200)
        assert [tuple(point) for point in row["curve"]] == list(result.curve)
        domain = find_domain("sudoku:3")
        assert domain.reward(replay(domain, problem(domain, 4), row["actions"])) == row["reward"]


def test_uct_says_what_it_ran_as() -> None:
    read = solved("sudoku:2", "uct(0.5)", "--budget", "100")
    assert (read["expression"], read["runs_as"]) == ("uct(0.5)", "step(repeat(select(sim, 0.5), 6))")


@pytest.mark.parametrize("semantics", ["standard", "maes2013"])
def test_the_engines_give_the_same(semantics: str) -> None:
    reads = []
    for engine in ("reference", "compiled", "auto"):
        read = solved(
            "regression:length=5", "step(repeat(select(sim, 0.3), 9))", "--budget", "700", "--engine", engine,
            "--semantics", semantics, "--max-nodes", "300",
        )  # fmt: skip
        for row in read["runs"]:
            row["seconds"] = None
        reads.append(read)
    assert reads[0] == reads[1] == reads[2]
    assert reads[0]["runs"][0]["tree_full"] is True


def test_a_full_tree_is_said() -> None:
    done = run("solve", "sudoku:2", "select(sim, 0.5)", "--max-nodes", "40")
    assert done.returncode == 0
    (note,) = (line for line in done.stdout.split("\n") if line.startswith("note: "))
    nodes = solve("sudoku:2", "select(sim, 0.5)", max_nodes=40)[0].result.tree_nodes
    assert note == f"note: memory was full, with {nodes} nodes in the tree; see --max-nodes"


def test_several_runs_are_summed_up() -> None:
    done = run("solve", "sudoku:3", "sim", "--budget", "50", "--runs", "4")
    scores = [solution.score or 0.0 for solution in solve("sudoku:3", "sim", 50, runs=4)]
    assert f"\n4 runs: mean {sum(scores) / 4:.6g} ± " in done.stdout
    assert f"\nbest: {max(scores):.6g} filled cells" in done.stdout


def test_a_budget_of_nothing() -> None:
    done = run("solve", "sudoku:2", "sim", "--budget", "0")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "sudoku:2, problem 0: sim\nnothing was evaluated: the budget is 0\n"
    (row,) = solved("sudoku:2", "sim", "--budget", "0")["runs"]
    assert (row["reward"], row["score"], row["actions"], row["curve"], row["evaluations"]) == (None, None, [], [], 0)


def test_seconds() -> None:
    read = solved("sudoku:2", "uct(0.5, 10)", "--seconds", "0.05")
    assert (read["budget"], read["seconds"]) == (None, 0.05)
    assert read["runs"][0]["stop_reason"] == "seconds"
    assert read["runs"][0]["evaluations"] > 1


def test_a_domain_of_ones_own_runs_with_a_notice() -> None:
    done = run("solve", ERRAND, "nmc(1)", "--budget", "200", "--json", "--runs", "3")
    assert done.returncode == 0
    assert done.stderr == "note: Errand has no kernels, so it runs on the reference engine, which is slower\n"
    read = document(done.stdout)
    assert (read["domain"], read["unit"]) == ("toys.py:Errand", "metres")
    assert [(row["reward"], row["score"]) for row in read["runs"]] == [(1.0, 0.0)] * 3


# Pictures.


def test_an_existing_picture_is_kept(tmp_path: Path) -> None:
    picture = tmp_path / "picture.svg"
    picture.write_text("mine")
    refused = run("solve", "sudoku:2", "sim", "--svg", str(picture))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == (f"mcsgrammar: {picture} exists; choose another name, or add --force to overwrite it\n")
    assert picture.read_text() == "mine"

    forced = run("solve", "sudoku:2", "sim", "--svg", str(picture), "--force")
    assert forced.returncode == 0
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    assert list(tmp_path.iterdir()) == [picture]


def test_pictures_that_cannot_be(tmp_path: Path) -> None:
    for arguments, message in [
        (("sudoku:2", str(tmp_path)), f"{tmp_path} is a folder; name a file"),
        (("sudoku:2", str(tmp_path / "no" / "x.svg")), f"there is no folder {tmp_path / 'no'} to write x.svg into"),
    ]:
        done = run("solve", arguments[0], "sim", "--svg", arguments[1])
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"mcsgrammar: {message}\n")
    done = run("solve", ERRAND, "sim", "--svg", str(tmp_path / "x.svg"))
    assert (done.returncode, done.stdout) == (2, "")
    message = f"mcsgrammar: {ERRAND} draws no pictures; leave --svg out (see 'mcsgrammar solve --help')\n"
    assert done.stderr.endswith(message)
    assert list(tmp_path.iterdir()) == []


# Wrong input.

HELP = " (see 'mcsgrammar solve --help')"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sudoku:2"], f"Missing argument 'EXPRESSION'{HELP}"),
        (
            ["sudoko", "sim"],
            "there is no domain 'sudoko'; did you mean 'sudoku'? One of your own is path/to/file.py:ClassName",
        ),
        (
            ["sudoku:9", "sim"],
            "there is no sudoku of order 9: the order is the side of a box and may be 2, 3, 4 or 5 "
            "(sudoku:4 is a grid of 16 × 16)",
        ),
        (
            ["sudoku:2", "uct(0.5)", "--seconds", "1"],
            "uct(0.5) needs a budget in evaluations to know its N; with a budget in seconds write uct(0.5, N)",
        ),
        (
            ["regression", "sim(random(depth=5))"],
            "sim(random(depth=5)) cuts playouts off, and Regression does not value unfinished states; leave depth out, "
            "or set values_unfinished in the domain if its reward means something before the end",
        ),
        (["sudoku:2", "sim", "--budget", "-1"], "the budget cannot be -1; it is a whole number from 0 to 2^63 - 1"),
        (
            ["sudoku:2", "sim", "--budget", "1", "--seconds", "1"],
            "give a budget in evaluations or in seconds, one of the two",
        ),
        (["sudoku:2", "sim", "--seconds", "0"], "the budget cannot be 0.0 seconds; it is a finite number above 0"),
        (
            ["sudoku:2", "sim", "--max-nodes", "0"],
            "max_nodes cannot be 0; it is a whole number from 1 to 2,147,483,647",
        ),
        (["sudoku:2", "sim", "--runs", "0"], "the number of runs cannot be 0; it is at least 1"),
        (["sudoku:2", "sim", "--problem", "-1"], "the problem cannot be -1; problems are numbered from 0"),
        (
            ["sudoku:2", "sim", "--engine", "fast"],
            f"Invalid value for '--engine': 'fast' is not one of 'auto', 'compiled', 'reference'{HELP}",
        ),
        (
            [ERRAND, "sim", "--engine", "compiled"],
            "the compiled engine needs Numba kernels, and Errand has none; give it a kernels() method "
            "(see CONTRIBUTING.md), or use --engine reference",
        ),
    ],
)
def test_wrong_input(arguments: list[str], message: str) -> None:
    done = run("solve", *arguments, "--json")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"mcsgrammar: {message}\n")


def test_a_wrong_expression_is_shown_with_its_place() -> None:
    done = run("solve", "sudoku:2", "step(si)")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("\n  step(si)\n       ^^\n")


def test_a_domain_that_fails_during_the_search_is_its_authors(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "class Mine:\n"
        "    horizon = 2\n"
        "    def sample(self, random): return []\n"
        "    def actions(self, state): return [0, 1] if len(state) < 2 else []\n"
        "    def play(self, state, action): state.append(action)\n"
        "    def reward(self, state): return 1 / sum(state)\n"
    )
    done = run("solve", f"{tmp_path / 'mine.py'}:Mine", "sim", "--json", "--engine", "reference")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"mcsgrammar: Mine.reward raised ZeroDivisionError: division by zero (line 6 of {tmp_path / 'mine.py'})\n"
    )


WORDS = """
from pathlib import Path


class Words:
    \"\"\"Spell the word of a file.\"\"\"

    horizon = 3

    def __init__(self, first: Path, second: Path):
        self.first, self.second = first, second
        self.instances = [first, second]

    def load(self, path):
        return [path.read_text(), ""]

    def actions(self, state):
        return ["a", "b"] if len(state[1]) < 3 else []

    def play(self, state, action):
        state[1] += action

    def reward(self, state):
        return sum(x == y for x, y in zip(*state)) / 3
"""


def test_the_file_of_a_problem_is_named(tmp_path: Path) -> None:
    (tmp_path / "words.py").write_text(WORDS)
    texts = {"one.txt": "aba", "two.txt": "bab"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    domain = f"{tmp_path / 'words.py'}:Words:first={tmp_path / 'one.txt'},second={tmp_path / 'two.txt'}"
    read = json.loads(run("solve", domain, "step(lookahead(sim))", "--json").stdout)
    (row,) = read["runs"]
    assert "".join(row["actions"]) == texts[row["instance"]]
    assert list(row)[:2] == ["problem", "instance"]
    shown = run("solve", domain, "step(lookahead(sim))").stdout.splitlines()[0]
    assert shown.startswith("words.py:Words")
    assert shown.endswith(f", problem 0 ({row['instance']}): step(lookahead(sim))")


# Ctrl-C.


@pytest.mark.skipif(sys.platform == "win32", reason="sends SIGINT")
@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_ctrl_c_gives_the_best_so_far(engine: str) -> None:
    command = [
        MCSGRAMMAR, "solve", "sudoku:2", "step(lookahead(sim))", "--seconds", "60", "--runs", "3", "--engine", engine,
        "--json",
    ]  # fmt: skip
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", env=os.environ | ENVIRONMENT
    ) as process:
        assert process.stderr is not None
        progress = process.stderr.readline()  # the search is under way
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    assert progress.startswith("run 1 of 3, ")
    assert " evaluations, " in progress and ", best reward " in progress
    assert process.returncode == 130
    assert errors == "interrupted in run 1 of 3; this is the best so far\n"
    (row,) = document(output)["runs"]
    assert row["stop_reason"] == "interrupted"
    assert row["evaluations"] > 1000
    assert row["reward"] is not None

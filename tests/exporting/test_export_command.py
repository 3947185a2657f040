"""`mcsgrammar export` writes a file or says why not."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent
from typing import Any, ClassVar

import pytest

import mcsgrammar
from domains.errors import UserError
from mcsgrammar.exporting.standalone import export
from mcsgrammar.language.components import Nest
from mcsgrammar.language.expressions import Repeat, Select, Simulate, Step
from mcsgrammar.language.parameters import Choice
from mcsgrammar.language.parsing import parse
from mcsgrammar.language.policies import SelectionPolicy
from tests.language.command import ENVIRONMENT, run


def test_the_command_writes_what_solve_would_find(tmp_path: Path) -> None:
    file = tmp_path / "uct.py"
    done = run("export", "uct(0.5)", "--domain", "sudoku:2", "--budget", "100", "-o", str(file))
    assert (done.returncode, done.stdout, done.stderr) == (0, f"saved in {file}\n", "")
    text = file.read_text(encoding="utf-8")
    assert text == mcsgrammar.export("uct(0.5)", "sudoku:2", budget=100, module="uct")
    assert run("export", "uct(0.5)", "--domain", "sudoku:2", "--budget", "100").stdout == text.replace(
        "from uct import", "from solver import"
    ).replace("-o uct.py", "-o solver.py")

    solved = run("solve", "sudoku:2", "uct(0.5)", "--budget", "100", "--engine", "reference", "--json")
    (row,) = json.loads(solved.stdout)["runs"]
    shown = text[text.index("    import mcsgrammar") : text.index("The file needs")].replace("seed=0", "seed=SEED")
    script = dedent(shown).replace("SEED", str(row["seed"])) + "print(json.dumps(best[:3]))\n"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import json\n{script}"],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
        env=ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(["", os.environ.get("PYTHONPATH", "")])},
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout.splitlines()[-1]) == [row["reward"], row["actions"], 100]


ROUND = """
from mcsgrammar import Domain

class Round(Domain):
    horizon = 6
    features = ("far",)

    def sample(self, random):
        return [random.below(7)]

    def actions(self, state):
        return [place for place in range(7) if place not in state]

    def play(self, state, action):
        state.append(action)

    def reward(self, state):
        return 1 - sum((a - b) ** 2 for a, b in zip(state, state[1:])) / 150

    def code(self, state, action):
        return state[-1], action

    def feature(self, state, action):
        return [abs(state[-1] - action)]
"""


def test_a_domain_with_features_and_codes(tmp_path: Path) -> None:
    domain = tmp_path / "round.py"
    domain.write_text(ROUND)
    expression, name = "adapt(select(sim(guided(far=-0.4)), puct), 20, 0.5)", f"{domain}:Round"
    file = tmp_path / "learner.py"
    done = run("export", expression, "--domain", name, "--budget", "70", "-o", str(file))
    assert (done.returncode, done.stderr) == (0, "")
    shown = file.read_text().partition("With mcsgrammar installed")[2].partition("The file needs")[0]
    solved = run("solve", name, expression, "--budget", "70", "--engine", "reference", "--json")
    (row,) = json.loads(solved.stdout)["runs"]
    script = (
        dedent(shown.partition(":\n")[2]).replace("seed=0", f"seed={row['seed']}") + "print(json.dumps(best[:3]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", f"import json\n{script}"],
        capture_output=True,
        encoding="utf-8",
        cwd=tmp_path,
        env=ENVIRONMENT | {"PYTHONPATH": os.pathsep.join(["", os.environ.get("PYTHONPATH", "")])},
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout.splitlines()[-1]) == [row["reward"], row["actions"], 70]


def test_the_command_works_with_any_name_and_leaves_nothing_else(tmp_path: Path) -> None:
    for name in ("my-solver.py", "class.py", "solver"):
        assert run("export", "sim", "-o", str(tmp_path / name)).returncode == 0
        assert "    from solver import solve\n" in (tmp_path / name).read_text()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["class.py", "my-solver.py", "solver"]


def test_semantics_reach_the_file() -> None:
    done = run("export", "select(sim, 0.3)", "--semantics", "maes2013")
    assert done.stdout == export("select(sim, 0.3)", semantics="maes2013")
    assert done.stdout != export("select(sim, 0.3)")


# What cannot be exported.

REFUSED = (
    "export cannot write the tuner ntbea in tune(select(sim, {0.1, 0.5}), ntbea); write the expression without tune, "
    "with the values that 'mcsgrammar solve' says it would choose"
)


@pytest.mark.parametrize("of", [str, parse])
def test_a_tuner_cannot_be_exported(of: Any) -> None:
    with pytest.raises(UserError) as error:
        export(of("step(repeat(tune(select(sim, {0.1, 0.5}), ntbea), 3))"))
    assert str(error.value) == REFUSED


@dataclass(frozen=True)
class Decisive(SelectionPolicy):
    """A policy that there is no piece for."""

    name: ClassVar[str] = "decisive"


def test_a_policy_without_a_piece_of_its_own_is_refused() -> None:
    with pytest.raises(UserError) as error:
        export(Step(Select(Simulate(), Decisive())))
    assert str(error.value) == "export cannot write decisive in select(sim, decisive)"


@dataclass(frozen=True, repr=False)
class Backtrack(Nest):
    """A component that there is no piece for."""

    name: ClassVar[str] = "backtrack"

    def _write(self) -> str:
        return f"backtrack({self.component})"


def test_a_component_without_a_piece_of_its_own_is_refused() -> None:
    with pytest.raises(UserError) as error:
        export(Step(Backtrack(Simulate())))
    assert str(error.value) == "export cannot write backtrack in backtrack(sim)"


NEEDS = "needs a domain and a budget of evaluations to know its N; give both, or write"


@pytest.mark.parametrize(
    ("expression", "how", "message"),
    [
        ("uct(0.5)", {}, f"uct(0.5) {NEEDS} uct(0.5, N)"),
        ("uct(0.5)", {"budget": 100}, f"uct(0.5) {NEEDS} uct(0.5, N)"),
        ("step(uct(0.3))", {"domain": "sudoku:2"}, f"uct(0.3) {NEEDS} uct(0.3, N)"),
        (
            Repeat(Simulate(), Choice((2, 3))),
            {},
            "N of repeat is open, but no tune(…) around it chooses its value from {2, 3}; "
            "write tune(repeat(sim, {2, 3}), ntbea), or give it a fixed value",
        ),
        ("sim", {"budget": -1}, "the budget cannot be -1; it is a whole number from 0 to 2^63 - 1"),
        (
            "sim(guided(nosuch=1))",
            {"domain": "sudoku:2"},
            "sim(guided(nosuch=1)) goes by features of actions, and Sudoku names none; give it features and a "
            "feature(state, action) method (see docs/tutorial.md), or use another playout policy",
        ),
        (
            "sim(random(depth=3))",
            {"domain": "pancakes"},
            "sim(random(depth=3)) cuts playouts off, and Pancakes does not value unfinished states; leave depth out, "
            "or set values_unfinished in the domain if its reward means something before the end",
        ),
        ("sim", {"semantics": "old"}, "the semantics cannot be 'old'; it is one of standard, maes2013"),
    ],
)
def test_what_is_missing_or_wrong_is_said(expression: Any, how: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as error:
        export(expression, **how)
    assert str(error.value) == message


HELP = " (see 'mcsgrammar export --help')"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tune(select(sim, {0.1, 0.5}), ntbea)"], REFUSED),
        (["uct(0.5)", "--budget", "9"], f"uct(0.5) {NEEDS} uct(0.5, N)"),
        (
            ["sim", "--domain", "sudoko"],
            "there is no domain 'sudoko'; did you mean 'sudoku'? One of your own is path/to/file.py:ClassName",
        ),
        (
            ["sim", "--semantics", "old"],
            f"Invalid value for '--semantics': 'old' is not one of 'standard', 'maes2013'{HELP}",
        ),
        ([], f"Missing argument 'EXPRESSION'{HELP}"),
    ],
)
def test_the_command_says_what_is_wrong_and_writes_nothing(arguments: list[str], message: str, tmp_path: Path) -> None:
    done = run("export", *arguments, "-o", str(tmp_path / "solver.py"))
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"mcsgrammar: {message}\n")
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_expression_is_shown_with_its_place() -> None:
    done = run("export", "step(si)")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("\n  step(si)\n       ^^\n")


def test_an_existing_file_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "solver.py"
    file.write_text("mine")
    refused = run("export", "sim", "-o", str(file))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == f"mcsgrammar: {file} exists; choose another name, or add --force to overwrite it\n"
    assert run("export", "uct(0.5)", "-o", str(file), "--force").returncode == 2
    assert file.read_text() == "mine"
    assert run("export", "sim", "-o", str(file), "--force").returncode == 0
    assert file.read_text() == export("sim")
    assert list(tmp_path.iterdir()) == [file]

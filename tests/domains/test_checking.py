"""What `check_domain` says of little domains with one mistake each, and `mcsgrammar check` with it."""

import json
import linecache
import re
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import domains.protocol
from domains.check import probing
from domains.check.checking import Finding, check_domain, examine
from domains.check.probing import Findings, Probe
from domains.errors import DomainError, UnknownDomain
from domains.protocol import Domain
from domains.registry import find_domain
from mcsgrammar.cli import progress
from mcsgrammar.cli.checking import command
from mcsgrammar.solving import solve
from tests.domains import mistaken_domains
from tests.domains.mistaken_domains import MISTAKES, Arrays, Cards, Cost, Nothing, Sum, Tuples

WARNINGS = {"action-names", "duplicate-actions", "nothing-to-play", "reward-cost", "small-span"}
HERE = Path(__file__).with_name("mistaken_domains.py")


def findings(domain: Any, problems: int = 2, playouts: int = 4, seed: int = 0) -> list[Finding]:
    """What the checks find that need no other process, as all but those at the end of this file do not."""
    found = Findings()
    examine(Probe(domain), found, problems, playouts, seed)
    return found.all()


def with_marked_lines(message: str) -> str:
    """The message with HERE for a line of the file with the domains that is marked so."""

    def mark(match: "re.Match[str]") -> str:
        line = linecache.getline(str(HERE), int(match[1]))
        return "HERE" if line.rstrip().endswith("# HERE") else match[0]

    return re.sub(re.escape(str(HERE)) + r":(\d+)", mark, message)


@pytest.mark.parametrize("cls", MISTAKES, ids=lambda cls: str(cls.__name__))
def test_every_mistake_is_named(cls: type[Domain]) -> None:
    name, _, message = " ".join((cls.__doc__ or "").split()).partition(": ")
    expected = Finding("warning" if name in WARNINGS else "error", name, message)
    assert [Finding(f.kind, f.name, with_marked_lines(f.message)) for f in findings(cls())] == [expected]


@pytest.mark.parametrize("cls", [Sum, Tuples, Cost, Cards, Arrays])
def test_nothing_is_wrong_with_sound_domains(cls: type[Domain]) -> None:
    assert findings(cls()) == []


# SplitMix64 wraps around on purpose; only with NUMBA_DISABLE_JIT=1 is that NumPy's business, which warns.
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("text", ["sudoku:2", "sudoku:4", "regression", "morpion:5T"])
def test_nothing_is_wrong_with_ours(text: str) -> None:
    assert findings(find_domain(text), 5, 20) == []


def test_the_same_seed_the_same_findings() -> None:
    cls = mistaken_domains.Thrice
    assert findings(cls(), 5, 20, 1) == findings(cls(), 5, 20, 1) != findings(cls(), 5, 20, 2)


def test_several_mistakes_are_all_named() -> None:
    assert [found.name for found in findings(mistaken_domains.Several())] == [
        "reward-range",
        "drawing",
        "duplicate-actions",
        "small-span",
    ]


def test_a_check_of_solutions_without_end_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "MOST_STEPS", 20_000)
    message = (
        "Endless: the check ended after playing 20000 actions, before it was through; if its solutions never end, mend "
        "is_final, else check fewer problems or a smaller version of the domain"
    )
    assert findings(mistaken_domains.Endless()) == [Finding("warning", "not-all-checked", message)]


def test_what_is_no_domain() -> None:
    text = "write class Nothing(Domain), with Domain from domains.protocol"
    assert check_domain(Nothing()) == [Finding("error", "not-a-domain", f"nothing is no Domain; {text}")]
    text = "check one of its instances, as in check_domain(Sum())"
    assert check_domain(Sum) == [Finding("error", "not-a-domain", f"Sum is a class; {text}")]


def test_the_example_of_the_protocol_is_sound_and_runs() -> None:
    documentation = domains.protocol.__doc__ or ""
    lines = documentation[documentation.index("    class Countdown(Domain):") :].partition("\n\n")[0]
    namespace: dict[str, Any] = {"Domain": Domain}
    exec(textwrap.dedent(lines), namespace)
    countdown = namespace["Countdown"]()
    assert findings(countdown) == []
    (solution,) = solve(countdown, "step(sim)", 50, engine="reference")
    assert solution.reward == 1.0


def test_states_that_never_change_run_on_the_reference_engine() -> None:
    (solution,) = solve(Tuples(), "step(lookahead(sim))", 300, engine="reference")
    assert solution.reward == 1.0
    assert (solution.initial[0] + sum(solution.actions)) % 11 == 0


def test_a_cost_runs_on_the_reference_engine() -> None:
    (solution,) = solve(Cost(), "step(repeat(sim, 3))", 30, engine="reference")
    assert solution.reward is not None and solution.score is not None
    assert solution.reward == (10 - solution.score) / 10


# Instances.


def folder_of_instances(folder: Path, *texts: str) -> Domain:
    for number, text in enumerate(texts):
        (folder / f"{number}.txt").write_text(text)
    return mistaken_domains.Folder(folder)


def test_instances_that_are_sound(tmp_path: Path) -> None:
    assert findings(folder_of_instances(tmp_path, "3", "5", "8")) == []


def test_instances_for_training_and_for_test(tmp_path: Path) -> None:
    domain = folder_of_instances(tmp_path, "3", "5", "8")
    assert not isinstance(domain.instances, Mapping) and domain.instances is not None
    first, *others = domain.instances
    domain.instances = {"train": [first], "test": others}
    assert findings(domain) == []
    domain.instances = {"train": [first], "test": [tmp_path / "none.txt"]}
    (found,) = findings(domain)
    assert found.message == f"Folder: the instance {tmp_path}/none.txt cannot be read: No such file or directory"


def test_an_instance_that_does_not_load(tmp_path: Path) -> None:
    (found,) = findings(folder_of_instances(tmp_path, "three"))
    assert (found.kind, found.name) == ("error", "exception")
    assert with_marked_lines(found.message) == (
        "problem 0: load raised ValueError: invalid literal for int() with base 10: 'three' (HERE)"
    )


# The command.


def run(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


def test_the_command_finds_nothing_wrong() -> None:
    result = run(f"{HERE}:Sum", "--problems", "1")
    assert result.stdout == f"{HERE}:Sum: nothing wrong found (1 problem, 20 playouts)\n"
    assert result.exit_code == 0


def test_the_command_says_what_it_is_doing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FIRST_PLAIN_LINE_AFTER", "PLAIN_LINE_EVERY"):
        monkeypatch.setattr(progress, name, 0.0)
    result = run(f"{HERE}:Sum", "--problems", "1")
    assert result.stderr.startswith("checking: problems asked for twice\n")
    assert set(result.stderr.split("\n")[-2:]) == {"checking: what another process does", ""}


def test_the_command_names_errors_and_fails() -> None:
    result = run(f"{HERE}:Several")
    assert [line.partition(": ")[0] for line in result.stdout.splitlines()[:-1]] == [
        "error",
        "error",
        "warning",
        "warning",
    ]
    assert result.stdout.splitlines()[1] == (
        "error: drawing: problem 0, initial state: draw returned None; return a text"
    )
    assert result.stdout.splitlines()[-1] == f"{HERE}:Several: 2 errors, 2 warnings (5 problems, 100 playouts)"
    assert result.exit_code == 1


def test_warnings_alone_are_no_failure() -> None:
    result = run(f"{HERE}:Moves", "--problems", "2")
    assert result.stdout.splitlines()[-1] == f"{HERE}:Moves: 1 warning (2 problems, 40 playouts)"
    assert result.exit_code == 0


def test_the_command_writes_json() -> None:
    result = run(f"{HERE}:NoHorizon", "--json")
    assert json.loads(result.stdout) == {
        "domain": f"{HERE}:NoHorizon",
        "problems": 5,
        "playouts": 100,
        "findings": [
            {
                "kind": "error",
                "name": "horizon",
                "message": "NoHorizon.horizon is missing; set it to the usual number of actions in a solution, "
                "a whole number of at least 1",
            }
        ],
    }
    assert result.exit_code == 1


def test_a_file_that_does_not_end(tmp_path: Path) -> None:
    for name, text in (
        ("loops", "while True: pass\n"),
        ("made", "class X:\n    def __init__(self):\n        while 1: 0\n"),
    ):
        (tmp_path / f"{name}.py").write_text(text)
        result = run(f"{tmp_path}/{name}.py:X", "--seconds", "0.2")
        assert isinstance(result.exception, DomainError)
        assert str(result.exception) == (
            f"{tmp_path}/{name}.py:X is not made after 0.2 s; its file, or its __init__, does not end"
        )


def test_a_domain_that_is_not_there() -> None:
    result = run("sudku")
    assert isinstance(result.exception, UnknownDomain)

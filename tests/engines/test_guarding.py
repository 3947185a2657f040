"""Ordinary mistakes in a domain have a name: none ends the program, shows a traceback, or floods a file."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mcsgrammar as mg
from discovery.pool.pulls import run_pull
from domains.errors import DomainError
from domains.registry import find_domain
from mcsgrammar.engines.searching import Limits, prepare
from mcsgrammar.language.parsing import parse
from mcsgrammar.solving import Solution, solve
from tests.domains.mistaken_domains import BackwardCost, BeyondNumbers, KeysForActions, SetOfActions, Speechless, Sum
from tests.language.command import run

LIMITS = Limits(5)


def complaint(cause: Callable[[], object]) -> str:
    with pytest.raises(DomainError) as caught:
        cause()
    return str(caught.value)


def solving(domain: Any) -> str:
    return complaint(lambda: solve(domain, "step(sim)", 5, engine="reference"))


def made(**methods: Any) -> Any:
    """The sound domain with some methods replaced, under the name Broken."""
    return type("Broken", (Sum,), methods)()


def fail(error: BaseException) -> Any:
    raise error


PLACE = f"(line {fail.__code__.co_firstlineno + 1} of {fail.__code__.co_filename})"


def raising(error: BaseException) -> Any:
    return made(reward=lambda self, state: fail(error))


def test_a_set_of_actions() -> None:
    assert solving(SetOfActions()) == (
        "SetOfActions.actions must return a list; it returned a set, which has no order of its own; return sorted(…)"
    )


def test_the_keys_of_a_dict_as_actions() -> None:
    assert solving(KeysForActions()) == (
        "KeysForActions.actions must return a list; it returned a dict_keys; return list(…)"
    )


def test_a_number_of_actions_for_actions() -> None:
    assert solving(made(actions=lambda self, state: 3)) == (
        "Broken.actions must return a list; it returned a int; return a list or a tuple"
    )


def test_an_exception_whose_text_raises() -> None:
    assert solving(Speechless()).startswith("Speechless.reward raised Unspeakable: its text cannot be read (line ")


def test_a_reward_too_large_for_a_number() -> None:
    assert solving(BeyondNumbers()) == (
        f"BeyondNumbers.reward returned {10**77} … after the actions 1, 2, 1, 1; a reward is a finite number"
    )


def test_a_reward_that_is_no_number() -> None:
    assert solving(made(reward=lambda self, state: "much")) == (
        "Broken.reward returned 'much' after the actions 1, 3, 1, 3; a reward is a finite number"
    )


@pytest.mark.parametrize("method", ["sample", "play", "is_final", "reward", "copy"])
def test_a_method_that_ends_the_program(method: str) -> None:
    domain = made(**{method: lambda self, *arguments: sys.exit(0)})
    text = solving(domain) if method != "copy" else complaint(lambda: solve(domain, "lookahead(sim)", 5))
    assert text.startswith(f"Broken.{method} raised SystemExit: 0 (line ")
    assert text.endswith("); raise another exception, this one ends the program")


@pytest.mark.parametrize("method", ["score", "draw", "svg"])
def test_showing_what_was_found_ends_the_program(method: str) -> None:
    domain = made(**{method: lambda self, *arguments: sys.exit(0)})
    (solution,) = solve(domain, "sim", 1, engine="reference")
    shown: dict[str, Callable[[], object]] = {
        "score": lambda: solution.score,
        "draw": solution.draw,
        "svg": solution.svg,
    }
    assert isinstance(solution, Solution)
    assert complaint(shown[method]).startswith(f"Broken.{method} raised SystemExit: 0 (line ")


def test_a_domain_that_ends_the_program_when_it_is_made(tmp_path: Any) -> None:
    file = tmp_path / "leaving.py"
    file.write_text("class Leaving:\n    def __init__(self):\n        raise SystemExit(0)\n")
    assert complaint(lambda: find_domain(f"{file}:Leaving")) == "leaving.py:Leaving cannot be made: SystemExit: 0"


def test_a_long_text_is_cut() -> None:
    assert solving(raising(ValueError("much ado " * 1_000_000))) == (
        f"Broken.reward raised ValueError: {('much ado ' * 34)[:298]} … {PLACE}"
    )


def test_what_cannot_be_shown_is_escaped() -> None:
    assert solving(raising(ValueError("\x1b[2J \ud800"))) == (
        rf"Broken.reward raised ValueError: \x1b[2J \ud800 {PLACE}"
    )


def test_a_long_error_of_the_domains_own_is_cut_in_what_a_campaign_writes_down() -> None:
    domain = raising(DomainError("x" * 1_000_000))
    result = run_pull(domain, prepare(parse("sim"), domain, LIMITS), 0, 0, LIMITS, engine="reference")
    assert result.failed == "x" * 1998 + " …"


def test_bounds_of_a_cost_the_wrong_way_round(tmp_path: Path) -> None:
    refused = "BackwardCost.minimise is (10, 0); write two finite numbers, (lowest cost, highest cost)"
    assert solving(BackwardCost()) == refused
    assert complaint(lambda: mg.evaluate(BackwardCost(), ["sim"], budgets=5, problems=1)) == refused
    assert complaint(lambda: mg.discover(BackwardCost(), tmp_path / "out", candidates=["sim"], pulls=1)) == refused
    assert not (tmp_path / "out").exists()


LEAVER = """
import os

from mcsgrammar import Domain


class Leaver(Domain):
    horizon = 2

    def sample(self, random):
        return []

    def actions(self, state):
        return [] if state else [0, 1]

    def play(self, state, action):
        state.append(action)

    def reward(self, state):
        os._exit(0)
"""


def test_a_domain_that_leaves_is_named_by_the_command(tmp_path: Path) -> None:
    file = tmp_path / "leaver.py"
    file.write_text(LEAVER)
    finished = run("solve", f"{file}:Leaver", "sim")
    assert (finished.returncode, finished.stdout) == (2, "")
    assert finished.stderr.splitlines()[-1] == (
        f"mcsgrammar: Leaver.reward raised SystemExit: os._exit(0) (line 20 of {file}); "
        "raise another exception, this one ends the program"
    )


def test_a_lack_of_memory_is_told_as_anything_else_a_domain_raises() -> None:
    class Greedy(Sum):
        def reward(self, state: Any) -> float:
            raise MemoryError

    with pytest.raises(DomainError, match=r"^Greedy\.reward raised MemoryError \(line \d+ of "):
        mg.solve(Greedy(), "sim", budget=1)

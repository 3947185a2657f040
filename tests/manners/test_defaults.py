"""What holds where nothing is said is the same in commands and in Python, but for what is named here."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import click
import pytest

import mcsgrammar as mg
from discovery.evaluation.null_check import Design, null_check
from mcsgrammar.cli import cli

SAID_OTHERWISE = {
    ("play", "games"): (100, 1),
    ("evaluate", "problems"): (10_000, 1_000),
    ("solve", "max_nodes"): (10_000_000, None),  # which means the same
    ("discover", "jobs"): (None, 1),  # a command takes as many as pay
}
"""By command and parameter: what the command has, and what Python has."""
UNSET = click.Option(["--anything"]).default
"""Of options without a default."""


def of_command(name: str) -> dict[str, Any]:
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    return {str(one.name): one.default for one in command.params if one.default is not UNSET}


def of_function(function: Callable[..., Any]) -> dict[str, Any]:
    return {name: one.default for name, one in inspect.signature(function).parameters.items()}


@pytest.mark.parametrize("name", ["solve", "discover", "match", "tournament", "play", "evaluate", "status"])
def test_commands_and_python_do_the_same_unless_told(name: str) -> None:
    command = of_command(name)
    python = of_function(mg.compare if name == "evaluate" else getattr(mg, name))
    shared = command.keys() & python.keys()
    assert len(shared) > (0 if name == "status" else 3)
    differ = {(name, one): (command[one], python[one]) for one in shared if command[one] != python[one]}
    assert differ == {place: both for place, both in SAID_OTHERWISE.items() if place[0] == name}


def test_the_null_check_too() -> None:
    python = {one.name: one.default for one in fields(Design)} | of_function(null_check)
    python["pulls_per_candidate"] = python.pop("pulls_per_arm")
    command = of_command("null-check")
    assert command == {name: python[name] for name in command}
    assert {"domain", "expression", "budget", "seed", "arms", "trials"} < command.keys()

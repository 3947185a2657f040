"""The case files of `conformance/` on both engines, and again after printing and reading the expression."""

import json
from functools import cache
from typing import Any

import pytest

from domains.registry import find_domain
from mcsgrammar.engines.searching import EngineName
from mcsgrammar.language.parsing import parse
from tests.engines.conformance_cases import DOMAINS, FOLDER, LEARNING_DOMAINS, cases, file_of, outcome_of
from tests.engines.running import ENGINES

found = cache(find_domain)


def all_cases() -> list[Any]:
    listed = []
    for file in sorted(FOLDER.glob("*.json")):
        document = json.loads(file.read_text(encoding="utf-8"))
        for case in document["cases"]:
            name = f"{document['domain']} {case['expression']}"
            listed.append(pytest.param(document["domain"], case, id=name))
    return listed


def on_both_engines() -> list[Any]:
    """Those that need a machine compiled that nothing else among the quick tests needs are slow."""
    listed = []
    for engine in ENGINES:
        for case in all_cases():
            name, row = case.values
            compiles = name in COMPILED_FOR_THIS or (name in LEARNING_DOMAINS and needs_more(row["expression"]))
            marks = [pytest.mark.slow] if engine == "compiled" and compiles else []
            listed.append(pytest.param(*case.values, engine, id=f"{case.id} {engine}", marks=marks))
    return listed


COMPILED_FOR_THIS = {"tsptw:cities=8"}


def needs_more(expression: str) -> bool:
    """Whether the plain machine cannot run it."""
    return any(word in expression for word in ("adapt", "puct", "guided"))


@pytest.mark.parametrize(("name", "case", "engine"), on_both_engines())
def test_the_outcome_is_the_recorded_one(name: str, case: dict[str, Any], engine: EngineName) -> None:
    expression = parse(case["expression"])
    assert outcome_of(found(name), expression, case, engine) == case["outcome"]
    if engine == "compiled":
        printed = parse(str(expression))
        assert printed == expression
        assert outcome_of(found(name), printed, case, engine) == case["outcome"]


def test_the_files_hold_the_cases_that_are_listed() -> None:
    assert sorted(FOLDER.glob("*.json")) == sorted(file_of(name) for name in DOMAINS)
    for name, budget in DOMAINS.items():
        document = json.loads(file_of(name).read_text(encoding="utf-8"))
        assert document["domain"] == name
        listed = [{k: v for k, v in case.items() if k != "outcome"} for case in document["cases"]]
        assert listed == list(cases(name, budget))


def test_the_cases_cover_what_they_should() -> None:
    outcomes = [case.values[1]["outcome"] for case in all_cases()]
    assert len(outcomes) >= 60
    assert {outcome["tree_full"] for outcome in outcomes} == {True, False}
    # A domain of which the search sees only the first reward would show nothing.
    assert sum(outcome["curve"][0][1] != outcome["reward"] for outcome in outcomes) > 50

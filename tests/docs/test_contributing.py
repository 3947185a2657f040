"""What CONTRIBUTING says of the code is so: the files it names are there, and its examples fit today's classes."""

import re
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from discovery.bandits.policies import UntriedFirst
from domains.protocol import Domain
from domains.randomness import Random
from mcsgrammar.language.components import Nest
from mcsgrammar.language.expressions import Simulate
from mcsgrammar.language.parameters import Choice, Count, OpenParameter, Value, checked, parameter, value_text
from mcsgrammar.language.policies import EXPLORATION, SelectionPolicy
from mcsgrammar.language.tuners import Tuner
from mcsgrammar.tuning.protocol import OnlineTuner
from mcsgrammar.tuning.space import Combination, Space
from tests.docs.pages import ROOT, blocks

PAGE = ROOT / "CONTRIBUTING.md"
FILE = re.compile(r"`((?:tests|mcsgrammar|domains|discovery|docs|benchmarks|experiments)/[\w/.*]+)`")
KNOWN: dict[str, Any] = {
    thing.__name__: thing
    for thing in (
        *(Choice, Count, OpenParameter, checked, parameter, value_text, Nest, SelectionPolicy, OnlineTuner, Space),
        *(Random, UntriedFirst, Domain, dataclass),
    )
} | {
    "Any": Any,
    "ClassVar": ClassVar,
    "Combination": Combination,
    "EXPLORATION": EXPLORATION,
    "Greedy": Tuner,
    "Value": Value,
    "np": np,
}


def test_named_files_are_there() -> None:
    named = [name for name in FILE.findall(PAGE.read_text(encoding="utf-8")) if "NAME" not in name]
    assert len(named) > 50
    assert [name for name in named if not list(ROOT.glob(name))] == []


def test_named_things_are_in_the_code() -> None:
    """Names such as `_RULES` and `playout_code`: they are looked for as words."""
    text = PAGE.read_text(encoding="utf-8").partition("## Add a component")[2].partition("## Why a machine")[0]
    text = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    names = set(re.findall(r"`(_?[A-Za-z]\w*_\w+|_[A-Za-z]\w*|[A-Z]{3,}\w*)(?:\([^`]*\))?`", text))
    folders = ("mcsgrammar", "domains", "discovery", "docs", "tests")
    code = "\n".join(p.read_text(encoding="utf-8") for folder in folders for p in (ROOT / folder).rglob("*.py"))
    files = {path.name for folder in folders for path in (ROOT / folder).rglob("*")}
    assert len(names) > 25
    assert [name for name in names if not re.search(rf"\b{name}\b", code) and name not in files] == []


def test_shapes_of_code_fit_the_classes() -> None:
    found = dict(KNOWN)
    for text in blocks(PAGE, "py"):
        exec(compile(text, "CONTRIBUTING.md", "exec"), found)
    made = found["Backtrack"](Simulate(), 2)
    assert str(made) == "backtrack(sim, 2)"
    assert str(found["Decisive"](half=5)) == "decisive(half=5)"
    assert issubclass(found["Pursuit"], UntriedFirst)
    assert issubclass(found["Tour"], Domain)
    assert issubclass(found["GreedyTuner"], OnlineTuner)

"""Kernels that would take the process down are refused before the first search, and tried once for every version."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numba
import pytest

import mcsgrammar as mg
from discovery.bandits.recording import record
from discovery.campaign.planning import plan
from domains.errors import DomainError
from domains.protocol import Domain
from domains.queens import Queens
from mcsgrammar.benching import bench
from mcsgrammar.engines.compiled import vetting
from mcsgrammar.engines.compiled.vetting import vetted_engine
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.parsing import parse
from mcsgrammar.solving import solve
from tests.domains import compiled_mistakes
from tests.domains.compiled_mistakes import Narrow, Numbers, NumbersInTurns, PastTheEnd, PastTheEndInTurns

pytestmark = pytest.mark.skipif(
    bool(vars(numba.config)["BOUNDSCHECK"] or vars(numba.config)["DISABLE_JIT"]),
    reason="kernels are not tried where bounds are checked anyway",
)
ADVICE = f"(mcsgrammar check {compiled_mistakes.__file__}:%s; or run it with --engine reference)"


@pytest.fixture(autouse=True)
def nothing_is_vetted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MCSGRAMMAR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(vetting, "_vetted", set())
    monkeypatch.setattr(vetting, "_vetted_classes", WeakKeyDictionary())


@pytest.mark.parametrize(
    ("domain", "wrong"),
    [
        (
            Narrow(),
            "kernel-bounds: problem 0, initial state: kernels.actions reads or writes outside an array (state has 6 "
            "cells, out has 2 cells); mend it, or raise max_actions or max_length if that is what is too small",
        ),
        (
            PastTheEnd(),
            "kernel-bounds: problem 0, initial state: kernels.play reads or writes outside an array (state has 6 "
            "cells); mend it, or raise max_actions or max_length if that is what is too small",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_would_crash_is_refused(domain: Domain, wrong: str) -> None:
    with pytest.raises(DomainError) as caught:
        solve(domain, "select(sim, 0.5)", 100)
    name = type(domain).__name__
    assert str(caught.value) == f"{name} would crash the compiled engine, or keep it for ever: {wrong} {ADVICE % name}"


def test_the_reference_engine_needs_no_kernels() -> None:
    (solution,) = solve(PastTheEnd(), "sim", 10, engine="reference")
    assert solution.reward is not None


def test_sound_kernels_pass() -> None:
    assert vetting._what_is_wrong(Numbers()) == ""
    assert vetting._what_is_wrong(NumbersInTurns()) == ""


def test_a_game_that_would_crash_is_refused() -> None:
    with pytest.raises(DomainError) as caught:
        mg.match(PastTheEndInTurns(), ["select(sim, 0.5)", "select(sim, 1)"], games=2, budget=20)
    assert str(caught.value) == (
        "PastTheEndInTurns would crash the compiled engine, or keep it for ever: kernel-bounds: problem 0, initial "
        "state: kernels.play reads or writes outside an array (state has 6 cells); mend it, or raise max_actions or "
        f"max_length if that is what is too small {ADVICE % 'PastTheEndInTurns'}"
    )


def refusing(domain: Domain) -> str:
    return "so it was said"


FRONTS: dict[str, Callable[[Any, Path], object]] = {
    "solve": lambda domain, out: solve(domain, "sim", 5),
    "evaluate": lambda domain, out: mg.evaluate(domain, ["sim"], budgets=5, problems=1),
    "discover": lambda domain, out: mg.discover(domain, out, candidates=["sim"], pulls=1),
    "plan": lambda domain, out: plan(domain, [parse("sim")], limits=Limits(5), policy="uniform", pulls=1),
    "bench": lambda domain, out: list(bench(domain, 0.001)),
    "record": lambda domain, out: record(f"{compiled_mistakes.__file__}:PastTheEnd", 5, ["sim"], 1, out=out),
}


@pytest.mark.parametrize("front", FRONTS)
def test_every_way_to_search_refuses(front: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vetting, "_what_is_wrong", refusing)
    with pytest.raises(DomainError, match="would crash the compiled engine, or keep it for ever: so it was said"):
        FRONTS[front](PastTheEnd(), tmp_path / "out")
    assert not (tmp_path / "out").exists()


class Counter:
    """Finds nothing wrong, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, domain: Domain) -> str:
        self.asked += 1
        return ""


@pytest.fixture
def counter(monkeypatch: pytest.MonkeyPatch) -> Counter:
    made = Counter()
    monkeypatch.setattr(vetting, "_what_is_wrong", made)
    return made


def in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vetting, "_vetted", set())
    monkeypatch.setattr(vetting, "_vetted_classes", WeakKeyDictionary())


def test_a_version_is_tried_once(counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        assert vetted_engine(Numbers(), "auto") == "compiled"
    in_another_process(monkeypatch)
    assert vetted_engine(Numbers(), "compiled") == "compiled"
    assert counter.asked == 1


@pytest.mark.parametrize("what", ["source_hash", "canonical_text", "version"])
def test_another_version_is_tried_again(what: str, counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    vetted_engine(Numbers(), "auto")
    monkeypatch.setattr(vetting, what, lambda _: "another")
    vetted_engine(Numbers(), "auto")
    assert counter.asked == 2


def test_what_is_in_no_file_is_tried_in_every_process(counter: Counter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vetting, "source_hash", lambda _: None)
    vetted_engine(Numbers(), "auto")
    vetted_engine(Numbers(), "auto")
    assert counter.asked == 1
    in_another_process(monkeypatch)
    vetted_engine(Numbers(), "auto")
    assert counter.asked == 2


def test_a_cache_that_cannot_be_written_is_no_obstacle(
    counter: Counter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MCSGRAMMAR_CACHE", str(tmp_path / "file" / "cache"))
    assert vetted_engine(Numbers(), "auto") == "compiled"
    assert counter.asked == 1


def test_what_is_refused_is_tried_again(monkeypatch: pytest.MonkeyPatch, counter: Counter) -> None:
    monkeypatch.setattr(vetting, "_what_is_wrong", refusing)
    with pytest.raises(DomainError):
        vetted_engine(Numbers(), "auto")
    monkeypatch.setattr(vetting, "_what_is_wrong", counter)
    vetted_engine(Numbers(), "auto")
    assert counter.asked == 1


@pytest.mark.parametrize("switch", ["BOUNDSCHECK", "DISABLE_JIT"])
def test_where_bounds_are_checked_anyway_nothing_is_tried(
    switch: str, counter: Counter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(numba.config, switch, 1)
    vetted_engine(Numbers(), "auto")
    assert counter.asked == 0


def test_what_is_built_in_is_not_tried(counter: Counter) -> None:
    assert vetted_engine(Queens(), "auto") == "compiled"
    assert vetted_engine(Numbers(), "reference") == "reference"
    assert counter.asked == 0


def test_kernels_of_a_notebook_are_tried_again_when_they_were_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No file tells them apart, and their names are one."""
    asked: list[type[Domain]] = []

    def asking(domain: Domain) -> str:
        asked.append(type(domain))
        return ""

    monkeypatch.setattr(vetting, "source_hash", lambda domain: None)
    monkeypatch.setattr(vetting, "_what_is_wrong", asking)
    classes = [type("Own", (Numbers,), {}) for _ in range(2)]
    for cls in (*classes, *classes):
        vetting.vet(cls(), "compiled")
    assert asked == classes

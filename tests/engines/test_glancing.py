"""Rules that would make every figure of a search worthless are refused before it, in words; sound ones pass."""

from pathlib import Path
from typing import Any

import pytest

import mcsgrammar as mg
from domains.check.checking import misleading
from domains.check.probing import MISLEADING
from domains.errors import DomainError
from domains.protocol import Domain
from domains.registry import find_domain
from mcsgrammar.engines import glancing
from mcsgrammar.engines.compiled import vetting
from tests.domains.mistaken_domains import MISTAKES, Arrays, Cards, Cost, Sum, Tuples
from tests.language.test_facade import ROOT

OUTSIDE_SEARCHES = {"DrawnOn"}
"""What they do wrong they do where nothing is searched."""


def named(cls: type[Domain]) -> str:
    return (cls.__doc__ or "").partition(":")[0]


@pytest.fixture(autouse=True)
def nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(glancing, "_sound", set())


MISLED = [cls for cls in MISTAKES if named(cls) in MISLEADING and cls.__name__ not in OUTSIDE_SEARCHES]


@pytest.mark.parametrize("cls", MISLED, ids=lambda cls: str(cls.__name__))
def test_a_glance_finds_what_misleads(cls: type[Domain]) -> None:
    finding = misleading(cls())
    assert finding is not None and finding.name == named(cls)


@pytest.mark.parametrize("cls", [cls for cls in MISTAKES if cls not in MISLED], ids=lambda cls: str(cls.__name__))
def test_what_a_search_says_itself_is_left_to_it(cls: type[Domain]) -> None:
    assert misleading(cls()) is None


@pytest.mark.parametrize(
    "domain", [Sum(), Tuples(), Cost(), Cards(), Arrays()], ids=lambda domain: type(domain).__name__
)
def test_sound_ones_pass(domain: Domain) -> None:
    assert misleading(domain) is None


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")  # of SplitMix64, with NUMBA_DISABLE_JIT=1
@pytest.mark.parametrize("text", ["sudoku:2", "morpion:5D", "tictactoe", "cliff", "vgdl:orchard"])
def test_so_do_ours_which_nobody_looks_at(text: str) -> None:
    assert misleading(find_domain(text)) is None


TOUR = (ROOT / "README.md").read_text(encoding="utf-8").partition("# tour.py\n")[2].partition("```")[0]
KEPT, SHARED = "return state[0], state[1][:]", "return state"


@pytest.fixture
def shared(tmp_path: Path) -> str:
    """The README's problem with a `copy` that is none."""
    assert KEPT in TOUR
    path = tmp_path / "tour.py"
    path.write_text(TOUR.replace(KEPT, SHARED), encoding="utf-8")
    return f"{path}:Tour:cities=4"


def searches(domain: str, folder: Path) -> dict[str, Any]:
    return {
        "solve": lambda: mg.solve(domain, "step(lookahead(sim))", budget=10),
        "evaluate": lambda: mg.evaluate(domain, ["sim"], budgets=10, problems=2),
        "discover": lambda: mg.discover(domain, candidates=["sim"], budget=10, pulls=2, out=folder),
        "play": lambda: mg.play(domain, "sim", budget=10),
    }


@pytest.mark.parametrize("how", ["solve", "evaluate", "discover", "play"])
def test_no_search_begins_with_one(how: str, shared: str, tmp_path: Path) -> None:
    with pytest.raises(DomainError) as caught:
        searches(shared, tmp_path / "c")[how]()
    assert str(caught.value) == (
        "no search of Tour would mean anything: copy-shares: problem 0, initial state: playing 2, 3, 1 on a copy "
        "changes the original (is_final from False to True; actions from [1, 2, 3] to []; reward from None to "
        "0.8817304678765422); copy the lists inside the state too, or leave out the method copy: the one you inherit "
        f"copies all (mcsgrammar check {shared} looks further)"
    )
    assert not (tmp_path / "c").exists()


def test_a_class_that_was_changed_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a notebook, where both go by one name and have no file."""
    monkeypatch.setattr(vetting, "source_hash", lambda domain: None)
    before = type("Tour", (Sum,), {})
    after = type("Tour", (Sum,), {"copy": lambda self, state: state})
    mg.solve(before(), "sim", budget=1)
    with pytest.raises(DomainError, match=r"copy-shares.*\(mg.check_domain\(domain\) looks further\)$"):
        mg.solve(after(), "sim", budget=1)


def test_one_glance_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Domain] = []
    monkeypatch.setattr("domains.check.checking.misleading", looks.append)
    domain = Sum()
    for _ in range(3):
        mg.solve(domain, "sim", budget=1)
    assert looks == [domain]

"""`gdl:PATH` as a problem: its name, its length, what it refuses, its pictures, and what searches make of it."""

from pathlib import Path

import numpy as np
import pytest

import mcsgrammar as mg
from domains.check.checking import check_domain
from domains.errors import DomainError, UnknownDomain
from domains.gdl.domain import Gdl
from domains.gdl.reading import SheetError
from domains.problems import problem
from domains.protocol import replay
from domains.randomness import Random
from domains.registry import canonical_text, find_domain
from tests.domains.gdl.games import FOR_ONE, SHEETS, SMALL
from tests.engines.running import agreed


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "small.kif"
    path.write_text(SMALL)
    return path


def changed(sheet: Path, *replacements: tuple[str, str]) -> Path:
    text = SMALL
    for old, new in replacements:
        assert old in text
        text = text.replace(old, new)
    sheet.write_text(text)
    return sheet


def test_the_name_is_that_of_the_rules_and_the_length(sheet: Path) -> None:
    name = canonical_text(find_domain(f"gdl:{sheet}"))
    assert name.startswith("gdl:path=") and name.endswith(",length=1000")
    elsewhere = sheet.rename(sheet.parent / "other.kif")
    elsewhere.write_text("; a comment\n" + SMALL.upper())
    assert canonical_text(find_domain(f"gdl:{elsewhere}")) == canonical_text(Gdl(elsewhere)) == name
    assert canonical_text(find_domain(f"gdl:{elsewhere},length=7")) == name.replace("length=1000", "length=7")
    changed(elsewhere, ("100", "90"))
    assert canonical_text(find_domain(f"gdl:{elsewhere}")) != name


def test_a_step_counter_bounds_the_length() -> None:
    assert [Gdl(SHEETS / f"{name}.kif").max_length for name in FOR_ONE] == [9, 12, 10]


def test_without_one_the_length_is_said(sheet: Path) -> None:
    walking = changed(sheet, ("(succ 2 3)", "(succ 2 3) (succ 2 0)"))
    assert Gdl(walking).max_length == 1000
    domain = find_domain(f"gdl:{walking},length=2")
    with pytest.raises(DomainError) as error:
        mg.solve(domain, "sim", 5, engine="reference")
    assert str(error.value) == (
        f"Gdl goes on after 2 actions, the most it declares; say how long a game can be: gdl:{walking},length=20"
    )


@pytest.mark.parametrize("length", [0, 1_000_001])
def test_lengths_that_are_none(sheet: Path, length: int) -> None:
    with pytest.raises(UnknownDomain) as error:
        find_domain(f"gdl:{sheet},length={length}")
    assert str(error.value) == f"gdl: length is {length}; it must be from 1 to 1000000"


def test_a_role_without_moves_is_refused(sheet: Path) -> None:
    with pytest.raises(SheetError) as error:
        Gdl(changed(sheet, ("(true (at ?n)) (succ ?n ?m))\n(<= (next", "(true (at 9)) (succ 1 ?m))\n(<= (next")))
    assert str(error.value) == "small.kif: p never has a legal move"


def test_an_error_in_the_sheet_keeps_its_lines(sheet: Path) -> None:
    with pytest.raises(UnknownDomain) as error:
        find_domain(f"gdl:{changed(sheet, ('(role p)', '(role p'))}")
    assert str(error.value).endswith("\n  (role p\n  ^")


def test_a_state_without_moves_before_the_end(sheet: Path) -> None:
    domain = Gdl(changed(sheet, (" (succ 2 3)", "")), length=5)
    with pytest.raises(DomainError) as error:
        mg.solve(domain, "sim", 3, engine="reference")
    assert "small.kif: the rules leave no legal move before the game is over" in str(error.value)
    with pytest.raises(DomainError) as error:
        mg.solve(domain, "sim", 3, engine="compiled")
    assert "the rules leave no legal move before the game is over" in str(error.value)


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ("(<= (goal p 100) (true (at 9)))", "none"),
        ("(<= (goal p 100) (true (at 3))) (<= (goal p 50) (true (at 3)))", "50 and 100"),
        ("(worth 200) (<= (goal p ?n) (worth ?n))", "what is no number from 0 to 100"),
    ],
)
def test_goals_that_are_none_or_several(sheet: Path, goal: str, said: str) -> None:
    domain = Gdl(changed(sheet, ("(<= (goal p 100) (true (at 3)))", goal)))
    with pytest.raises(DomainError) as error:
        domain.score(replay(domain, domain.sample(Random(0)), [0, 1, 2]))
    assert str(error.value) == (
        f"small.kif: a game is over, and its goal is {said}; a sheet says one goal of each role for each final state"
    )
    with pytest.raises(DomainError) as compiled:
        mg.solve(domain, "sim", 3, engine="compiled")
    assert "the rules give no goal, or several, when the game is over" in str(compiled.value)


@pytest.mark.slow
@pytest.mark.parametrize("name", FOR_ONE)
def test_nothing_is_wrong_with_ours(name: str) -> None:
    assert check_domain(find_domain(f"gdl:{SHEETS / name}.kif"), problems=1, playouts=10) == []


@pytest.mark.parametrize("name", FOR_ONE)
@pytest.mark.parametrize("expression", ["step(lookahead(sim))", "adapt(select(sim, 0.5), 10)", "uct(0.5, 5)"])
def test_the_engines_agree(name: str, expression: str) -> None:
    domain = find_domain(f"gdl:{SHEETS / name}.kif")
    agreed(domain, problem(domain, 0), mg.parse(expression), 150, seed=4)


def test_a_second_game_needs_no_other_machine() -> None:
    kernels = [Gdl(SHEETS / f"{name}.kif").kernels() for name in FOR_ONE]
    assert kernels[0] is kernels[1] is kernels[2]


def test_hanoi_is_solved() -> None:
    best = mg.solve(f"gdl:{SHEETS / 'hanoi.kif'}", "uct(0.5, 50)", 3000, engine="compiled").best
    assert (best.score, best.reward, best.domain.unit) == (100.0, 1.0, "points")


def test_pictures() -> None:
    domain = Gdl(SHEETS / "eight.kif")
    initial = domain.sample(Random(0))
    assert domain.draw(initial, []) == "no moves\n\n2 4 .\n1 3 5\ntime 0"
    assert domain.draw(initial, [2]) == "slide 2 1\n\n2 . 4\n1 3 5\ntime 1"
    assert domain.facts(initial)[-1] == "time 0"
    assert "slide 2 1" in domain.svg(initial, [2])
    hanoi = Gdl(SHEETS / "hanoi.kif")
    assert hanoi.draw(hanoi.sample(Random(0)), [0]) == "move 1 a b\n\non 1 b, on 2 a, on 3 a, step 1"


def test_what_is_encoded_is_read_only_where_it_stays() -> None:
    domain = Gdl(SHEETS / "hanoi.kif")
    state = domain.sample(Random(0))
    (problem, first), (same, second) = domain.encode(state), domain.encode(state)
    assert problem is same and not problem.flags.writeable
    assert first is not second and np.array_equal(first, second)
    assert (problem.dtype, first.dtype) == (np.int32, np.uint64)

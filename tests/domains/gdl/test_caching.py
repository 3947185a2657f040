"""Games are kept: what is found again is the same, and what is not whole or not of this version is made again."""

import os
from pathlib import Path

import numpy as np
import pytest

import domains.gdl.caching as caching
import domains.gdl.grounding as grounding
from domains.gdl.caching import load_game
from domains.gdl.network import Network
from domains.gdl.reading import SheetError
from domains.gdl.terms import Rules
from tests.domains.gdl.games import NAMES, SHEETS, SMALL


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Network]:
    """The networks that are made, not found again."""
    monkeypatch.setenv("MCSGRAMMAR_CACHE", str(tmp_path / "cache"))
    found: list[Network] = []
    build = caching.build_network

    def building(game: object) -> Network:
        found.append(build(game))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(caching, "build_network", building)
    return found


def kept(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "sheets").iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_what_is_kept_is_what_was_made(name: str, made: list[Network]) -> None:
    first, second = load_game(SHEETS / f"{name}.kif"), load_game(SHEETS / f"{name}.kif")
    assert len(made) == 1 and first == second and second[1] is not first[1]
    assert (second[1].blocks != []) == (name == "bridge")


def test_a_comment_is_no_other_game_but_warnings_are_of_the_sheet(made: list[Network], tmp_path: Path) -> None:
    path = tmp_path / "a.kif"
    path.write_text(SMALL + "(<= (goal p 10) nothing)")
    first = load_game(path)
    path.write_text("; new\n" + SMALL + "(<= (goal p 10) nothing)")
    second = load_game(path)
    assert len(made) == 1 and first[0] == second[0]
    assert first[1].warnings == ["line 10: no rule is about 'nothing'; it never holds"]
    assert second[1].warnings == ["line 11: no rule is about 'nothing'; it never holds"]


@pytest.mark.parametrize("damage", ["cut", "turned", "empty", "words"])
def test_a_damaged_file_is_made_again(damage: str, made: list[Network], tmp_path: Path) -> None:
    before = load_game(SHEETS / "hanoi.kif")
    (file,) = kept(tmp_path)
    whole = file.read_bytes()
    file.write_bytes(
        {
            "cut": whole[:-20],
            "turned": whole[:100] + bytes([whole[100] ^ 1]) + whole[101:],
            "empty": b"",
            "words": b"not a game at all, and shorter than one",
        }[damage]
    )
    assert load_game(SHEETS / "hanoi.kif") == before and len(made) == 2
    assert kept(tmp_path) == [file]
    assert load_game(SHEETS / "hanoi.kif") == before and len(made) == 2


def test_other_programs_make_other_files(made: list[Network], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_game(SHEETS / "hanoi.kif")
    monkeypatch.setattr(caching, "version", lambda: "0" * 16)
    load_game(SHEETS / "hanoi.kif")
    assert len(made) == 2 and len(kept(tmp_path)) == 2


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="folders have no such modes here")
def test_a_folder_that_others_write_to_is_not_used(made: list[Network], tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o777)
    load_game(SHEETS / "hanoi.kif")
    assert list((tmp_path / "cache").iterdir()) == []
    assert load_game(SHEETS / "hanoi.kif")[1].roles == ["player"] and len(made) == 2


def test_where_nothing_can_be_kept_it_is_made_each_time(
    made: list[Network], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MCSGRAMMAR_CACHE", str(tmp_path / "file" / "below"))
    assert load_game(SHEETS / "hanoi.kif") == load_game(SHEETS / "hanoi.kif") and len(made) == 2


def test_what_kernels_need_is_kept_as_well(made: list[Network]) -> None:
    (_, first), (_, second) = load_game(SHEETS / "eight.kif"), load_game(SHEETS / "eight.kif")
    assert first.problem is not None and second.problem is not None and first.problem is not second.problem
    assert np.array_equal(first.problem, second.problem) and second.problem.dtype == first.problem.dtype
    assert not second.problem.flags.writeable


@pytest.fixture
def grounded(monkeypatch: pytest.MonkeyPatch, made: list[Network]) -> list[object]:
    """What is grounded, where hardly anything can be."""
    monkeypatch.setattr(grounding, "MOST_STATEMENTS", 3)
    found: list[object] = []

    def grounding_it(rules: Rules) -> object:
        found.append(rules)
        return grounding.ground(rules)

    monkeypatch.setattr(caching, "ground", grounding_it)
    return found


def test_why_a_sheet_is_refused_is_kept(grounded: list[object], tmp_path: Path) -> None:
    path = tmp_path / "a.kif"
    path.write_text(SMALL)

    def refusal() -> str:
        with pytest.raises(SheetError) as error:
            load_game(path)
        return str(error.value)

    first = refusal()
    assert first.startswith("a.kif:") and "more than 3 statements can hold" in first
    assert refusal() == first and len(grounded) == 1
    path.write_text("\n" + SMALL)
    assert refusal() != first and len(grounded) == 2, "the line is another"
    path = path.rename(tmp_path / "b.kif")
    assert refusal().startswith("b.kif:") and len(grounded) == 3


def test_what_took_too_long_is_tried_again(
    grounded: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another time the machine may be faster."""
    path = tmp_path / "a.kif"
    path.write_text(SMALL)
    monkeypatch.setattr(grounding, "MOST_STATEMENTS", 10_000)
    with monkeypatch.context() as slow:
        slow.setattr(grounding, "MOST_SECONDS", 0.0)
        for _ in range(2):
            with pytest.raises(SheetError, match="grounding takes more than 0 s"):
                load_game(path)
    assert len(grounded) == 2
    assert load_game(path)[1].roles


@pytest.mark.parametrize("error", [RecursionError("maximum recursion depth exceeded"), IndentationError("too many")])
def test_rules_that_python_cannot_compile(error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(rules: Rules) -> object:
        raise error

    path = tmp_path / "a.kif"
    path.write_text(SMALL)
    monkeypatch.setenv("MCSGRAMMAR_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(caching, "ground", failing)
    with pytest.raises(SheetError) as refused:
        load_game(path)
    assert str(refused.value) == (
        f"a.kif: a rule of it has too many conditions to be compiled ({type(error).__name__}: {error})"
    )

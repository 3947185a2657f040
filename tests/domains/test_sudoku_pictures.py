"""Sudoku drawn as text and as a picture."""

import xml.etree.ElementTree as ElementTree

import pytest

from domains.randomness import Random
from domains.sudoku import Grid, Sudoku
from tests.domains.sudoku_twin import grid_of, random_playout


def dead_end() -> tuple[Sudoku, Grid]:
    """Order 2: r1 holds 1, 2 and 3, and a 4 in r4c4 would leave r1c4 without a candidate; so 4 goes there first."""
    domain = Sudoku(2)
    return domain, grid_of(domain, {0: 1, 1: 2, 2: 3, 10: 2})


def test_drawing_tells_given_and_found_numbers_apart() -> None:
    domain, initial = dead_end()
    assert domain.draw(initial, [3 * 4 + 3]) == (
        "┌──────┬──────┐\n"
        "│[1][2]│[3] 4 │\n"
        "│ ·  · │ ·  · │\n"
        "├──────┼──────┤\n"
        "│ ·  · │[2] · │\n"
        "│ ·  · │ ·  · │\n"
        "└──────┴──────┘\n"
        "[1] given, 1 found, · empty, × empty with no candidate left\n"
        "5 of 16 cells filled"
    )


def test_drawing_marks_dead_cells() -> None:
    domain, initial = dead_end()
    domain.play(initial, 15 * 4 + 3)
    lines = domain.draw(initial, []).splitlines()
    assert lines[1] == "│[1][2]│[3] × │"
    assert lines[-1] == "5 of 16 cells filled, 1 of the empty ones has no candidate left"
    twice = grid_of(domain, {0: 1, 1: 2, 2: 3, 8: 2, 9: 3, 15: 4})
    assert domain.draw(twice, []).endswith("\n6 of 16 cells filled, 2 of the empty ones have no candidate left")


@pytest.mark.parametrize(("order", "width"), [(3, 31), (4, 69), (5, 106)])
def test_drawing_is_straight(order: int, width: int) -> None:
    domain, random = Sudoku(order), Random(6)
    initial = domain.sample(random)
    actions = random_playout(domain, domain.copy(initial), random, limit=30)
    *rows, _, _ = domain.draw(initial, actions).splitlines()
    assert {len(row) for row in rows} == {width}
    assert len(rows) == order**2 + order + 1
    assert "".join(rows).count("[") == initial.filled


def test_svg_tells_given_found_and_dead_cells_apart() -> None:
    domain, initial = dead_end()
    domain.play(initial, 15 * 4 + 3)
    final = grid_of(domain, {0: 1, 1: 2})
    actions = domain.actions(final)[:1]

    def classes(picture: str) -> list[str]:
        return [element.get("class", "") for element in ElementTree.fromstring(picture).iter()]

    dead = classes(domain.svg(initial, []))
    assert (dead.count("given"), dead.count("number"), dead.count("found number"), dead.count("dead")) == (5, 5, 0, 1)
    found = classes(domain.svg(final, actions))
    assert (found.count("given"), found.count("number"), found.count("found number")) == (2, 2, 1)
    assert found[-5:] == ["thin", "thin", "thick", "thick", "thick"]
    title = ElementTree.fromstring(domain.svg(initial, [])).find("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert title.text == "Sudoku 4 × 4: 5 of 16 cells filled, 1 of the empty ones has no candidate left"

"""How the six small games are drawn, in a terminal and as SVG."""

from xml.etree import ElementTree

import pytest

from domains.protocol import replay
from domains.registry import find_domain
from domains.statespace import StateSpace
from domains.sudoku_simple import GIVEN, SudokuSimple
from tests.domains.test_small_games import every_game, random_game, solving, start


@every_game
def test_pictures_say_the_score(name: str) -> None:
    domain = find_domain(name)
    played = random_game(domain, 3)
    final = replay(domain, start(domain), played)
    picture = ElementTree.fromstring(domain.svg(start(domain), played) or "")
    title = picture.findtext("{http://www.w3.org/2000/svg}title") or ""
    said = domain.draw(start(domain), played).splitlines()[-1]
    assert said in title
    score = domain.score(final)
    assert f"{score:g} points" in said or f"{score:.1f} points" in said


DRAWINGS = {
    "pancakes": (
        [6, 3],
        "start   6 1 7 5 3 8 4 2\nflip 6  [8 3 5 7 1 6] 4 2\nflip 3  [5 3 8] 7 1 6 4 2\n"
        "from the top down; [6 1] was just turned over\nnot sorted after 2 flips: 0 points",
    ),
    "knights": (
        [0, 63, 17],
        "8 ♘ · · · · · · ·\n7 · · · · · · · ·\n6 · × · · · · · ·\n5 · · · · · · · ·\n4 · · · · · · · ·\n"
        "3 · · · · · · · ·\n2 · · · · · · · ·\n1 · · · · · · · ♞\n  a b c d e f g h\n"
        "♞ a knight, × the one that ended the game, ♘ one that it attacks\n2 safe knights: 2 points",
    ),
    "frogs": (
        [26, 25, 23, 22, 24],
        "t t t t\nt t t t\nt t t t\nt F t · T f f\n      f f f f\n      f f f f\n      f f f f\n"
        "F frog, T toad, · empty; small letters where they should not end\n"
        "2 of 30 placed correctly after 5 moves: 6.7 points (assumed to be 100 × placed / 30)",
    ),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_the_drawing(name: str) -> None:
    domain = find_domain(name)
    played, text = DRAWINGS[name]
    assert domain.draw(start(domain), played) == text


def test_the_drawing_of_the_state_space() -> None:
    lines = StateSpace().draw([], [int(way) for way in "41311423331142"]).splitlines()
    assert lines[0] == "path  41311423331142"
    assert lines[2] == "   14 [41]              2 of 2"
    assert lines[11] == "→  77 [41311423331]    11 of 11"
    assert lines[-1] == "77 points for 41311423331"


def test_the_drawing_of_the_solved_sudoku() -> None:
    lines = SudokuSimple().draw(GIVEN[:], solving()).splitlines()
    assert lines[1] == "│ 8 [1][4]│[3][5][9]│[2][6] 7 │ ✓"
    assert lines[4] == "├─────────┼─────────┼─────────┤ ✓✓✓"
    assert lines[13] == "  ✓  ✓  ✓   ✓  ✓  ✓   ✓  ✓  ✓"
    assert lines[-1] == "27 of 27 rows, columns and boxes complete: 100 points"

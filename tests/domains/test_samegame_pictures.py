"""SameGame drawn as text and as a picture."""

from xml.etree import ElementTree

import pytest

from domains.protocol import replay
from domains.samegame import SameGame
from domains.samegame_board import Board
from tests.domains.samegame_twin import board_of, domain_for

ROWS = ("112", "212", "221")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize(
    ("actions", "end", "said"),
    [
        ([], ["1 1 2", "2 1 2", "2 2 1"], "0 points after 0 moves, and the game is not over"),
        ([2], ["· · 2", "2 · 2", "2 2 1"], "1 point after 1 move, and the game is not over"),
        (
            [2, 0, 1],
            ["· · ·", "· · ·", "1 · ·"],
            "1 point after 3 moves: 2 for groups, less 1 for 1 cell left over",
        ),
        (
            [7, 0, 0],
            ["· · ·", "· · ·", "· · ·"],
            "1005 points after 3 moves: 5 for groups and 1000 for the cleared board",
        ),
    ],
)
def test_the_drawing(actions: list[int], end: list[str], said: str) -> None:
    start = ["1 1 2", "2 1 2", "2 2 1"]
    lines = ["start   end", *(f"{one}   {other}" for one, other in zip(start, end, strict=True)), said]
    assert domain_for(*ROWS).draw(board_of(*ROWS), actions).splitlines() == lines
    title = ElementTree.fromstring(domain_for(*ROWS).svg(board_of(*ROWS), actions)).findtext(f"{SVG}title")
    assert title == f"SameGame: {said}"


def test_the_cost_of_more_than_one_cell_is_said() -> None:
    assert SameGame(3, 2, 2).draw(board_of("121", "212"), []).splitlines()[-1] == (
        "-2 points after 0 moves: 0 for groups, less 2 for 6 cells left over"
    )


def marks(initial: Board, domain: SameGame, actions: list[int]) -> dict[tuple[int, int], str]:
    """The numbers in the picture by column and row from the lower left."""
    drawn = ElementTree.fromstring(domain.svg(initial, actions)).iter(f"{SVG}text")
    texts = [(float(t.get("x", "")), float(t.get("y", "")), t.text or "") for t in drawn if t.get("class") == "mark"]
    return {(int((x - 12) // 28), domain.height - 1 - int((y - 32) // 28)): text for x, y, text in texts}


def test_the_picture_says_which_move_removes_what() -> None:
    domain, initial = domain_for(*ROWS), board_of(*ROWS)
    assert marks(initial, domain, [2, 0, 1]) == {
        **dict.fromkeys(((0, 2), (1, 2), (1, 1)), "1"),
        **dict.fromkeys(((0, 0), (0, 1), (1, 0)), "2"),
        **dict.fromkeys(((2, 1), (2, 2)), "3"),
    }
    assert marks(initial, domain, [7, 0, 0])[2, 0] == "3"  # fell nowhere, but its column moved


def test_the_picture_has_the_cells_of_the_start_and_of_the_end() -> None:
    domain, initial = domain_for(*ROWS), board_of(*ROWS)
    for actions in ([], [2], [2, 0, 1], [7, 0, 0]):
        left = replay(domain, initial, actions).left
        root = ElementTree.fromstring(domain.svg(initial, actions))
        cells = [rect.get("fill") for rect in root.iter(f"{SVG}rect") if rect.get("class") == "cell"]
        assert len(cells) == 9 + left
        assert len(set(cells[:9])) == 2

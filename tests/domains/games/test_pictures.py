"""How games are drawn, in a terminal and as SVG, and matches as strips of small boards."""

from xml.etree import ElementTree

import pytest

from domains.errors import DomainError
from domains.games.chinesecheckers import CELLS, NAMES
from domains.games.drawing import BOARDS, WIDTH_OF_A_LETTER, BoardGame, match_strip
from domains.protocol import NOOP, replay_all
from domains.registry import GAMES, find_domain
from tests.domains.games.test_rare_ends import move
from tests.domains.games.walking import Joint, random_match, start

SVG = "{http://www.w3.org/2000/svg}"

every_game = pytest.mark.parametrize("name", GAMES)


def board_game(name: str) -> BoardGame:
    game = find_domain(name)
    assert isinstance(game, BoardGame)
    return game


def drawn(name: str, joints: list[Joint]) -> list[str]:
    game = board_game(name)
    return game.draw(start(game), joints).splitlines()


def turns(*actions: int) -> list[Joint]:
    """Joint moves of two roles that take turns."""
    return [(action, NOOP) if i % 2 == 0 else (NOOP, action) for i, action in enumerate(actions)]


def star(text: str) -> int:
    return CELLS * NAMES.index(text[:2]) + NAMES.index(text[2:])


DRAWINGS: dict[str, tuple[list[Joint], list[str]]] = {
    "tictactoe": (
        turns(4, 0, 8, 6),
        ["3[○]· ×", "2 · × ·", "1 ○ · ·", "  a b c", "4. a3 · crosses to move"],
    ),
    "connect4": (
        turns(3, 3, 4),
        [
            *(f"{row} · · · · · · ·" for row in (6, 5, 4, 3)),
            "2 · · · ○ · · ·",
            "1 · · · ×[×]· ·",
            "  a b c d e f g",
            "3. e · o to move",
        ],
    ),
    "tictactoe3d": (
        turns(0, 63, 21),
        [
            "  layer 1   layer 2   layer 3   layer 4",
            "4 · · · ·   · · · ·   · · · ·   · · · ○",
            "3 · · · ·   · · · ·   · · · ·   · · · ·",
            "2 · · · ·   ·[×]· ·   · · · ·   · · · ·",
            "1 × · · ·   · · · ·   · · · ·   · · · ·",
            "  a b c d   a b c d   a b c d   a b c d",
            "3. 2b2 · oplayer to move",
        ],
    ),
    "quad": (
        [(49 + 1, NOOP), (24, NOOP)],
        [
            "7   · · · · ·",
            "6 · · · · · · ·",
            "5 · · · · · · ·",
            "4 · · ·[×]· · ·",
            "3 · · · · · · ·",
            "2 · · · · · · ·",
            "1   ■ · · · ·",
            "  a b c d e f g",
            "2. d4 · o to move",
        ],
    ),
    "breakthrough": (
        turns(move("c2d3"), move("e7e6")),
        [
            "8 ● ● ● ● ● ● ● ●",
            "7 ● ● ● ● · ● ● ●",
            "6 · · · ·[●]· · ·",
            *(f"{row} · · · · · · · ·" for row in (5, 4)),
            "3 · · · ○ · · · ·",
            "2 ○ ○ · ○ ○ ○ ○ ○",
            "1 ○ ○ ○ ○ ○ ○ ○ ○",
            "  a b c d e f g h",
            "2. e7–e6 · white to move",
        ],
    ),
    "knightthrough": (
        turns(move("c2d4"), move("b7c5"), move("d4c6"), move("d8c6")),
        [
            "8 ♞ ♞ ♞ · ♞ ♞ ♞ ♞",
            "7 ♞ · ♞ ♞ ♞ ♞ ♞ ♞",
            "6 · ·[♞]· · · · ·",
            "5 · · ♞ · · · · ·",
            *(f"{row} · · · · · · · ·" for row in (4, 3)),
            "2 ♘ ♘ · ♘ ♘ ♘ ♘ ♘",
            "1 ♘ ♘ ♘ ♘ ♘ ♘ ♘ ♘",
            "  a b c d e f g h",
            "4. d8×c6 · white to move",
        ],
    ),
    "chinook": (
        [(move("b2c3"), move("f7e6"))],
        [
            "8 ● ● ● ● ● ● ● ●",
            "7 · ● ● ● ● · ● ·",
            "6 · · · ·[●]· · ·",
            *(f"{row} · · · · · · · ·" for row in (5, 4)),
            "3 · ·[○]· · · · ·",
            "2 · · ○ ○ ○ ○ ○ ·",
            "1 ○ ○ ○ ○ ○ ○ ○ ○",
            "  a b c d e f g h",
            "1. white b2–c3 black f7–e6 · all move",
        ],
    ),
    "battle": (
        [(move("f7f6"), move("b3"))],
        [
            "8 · n N N N N n ·",
            "7 s · n n n · · n",
            "6 S s · · ·[n]n N",
            *(f"{row} S s · · · · n N" for row in (5, 4)),
            "3 S[s]· · · · n N",
            "2 s · s s s s · n",
            "1 · s S S S S s ·",
            "  a b c d e f g h",
            "1. north f7–f6 south b3 defended · all move",
        ],
    ),
    "chinesecheckers": (
        [(star("a1c3"), NOOP, NOOP)],
        [
            "a       ·",
            "b      R R",
            "c · ·[R]· · · ·",
            "d  · · · · · ·",
            "e   · · · · ·",
            "f  B · · · · G",
            "g B B · · · G G",
            "h      · ·",
            "i       ·",
            "1. a1–c3 · green to move",
        ],
    ),
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_the_drawing(name: str) -> None:
    joints, lines = DRAWINGS[name]
    assert drawn(name, joints) == lines


def test_all_but_one_are_drawn_here() -> None:
    assert set(GAMES) - set(DRAWINGS) == {"connect5"}


def test_the_drawing_of_a_match_that_is_over() -> None:
    joints = turns(0, 8, 1, 16, 2, 24, 3, 32, 4)
    assert drawn("connect5", joints)[-3:] == ["1 × × × ×[×]· · ·", "  a b c d e f g h", "9. e1 · x 100, o 0"]
    assert drawn("connect5", [])[-1] == "x to move"


def test_nobody_moves_where_all_pass() -> None:
    joints: list[Joint] = [(NOOP, NOOP)]
    assert drawn("chinook", joints)[-1] == "1. white – black – · all move"
    assert not [line for line in drawn("chinook", joints) if "[" in line]


@pytest.mark.parametrize("joints", [[(9, NOOP)], [(0, NOOP), (NOOP, 0)]])
def test_illegal_moves_are_not_drawn(joints: list[Joint]) -> None:
    with pytest.raises(DomainError, match=r"step (1|2) of the match: [09] is not legal there for (crosses|noughts)$"):
        drawn("tictactoe", joints)


# Pictures.


def classes(picture: str) -> list[str]:
    """Those of all shapes, in the order of drawing."""
    root = ElementTree.fromstring(picture)
    assert root.tag == f"{SVG}svg"
    return [node.get("class", "") for node in root.iter() if node.tag != f"{SVG}text"]


def title(picture: str) -> str | None:
    return ElementTree.fromstring(picture).findtext(f"{SVG}title")


@every_game
def test_the_picture_has_all_pieces_and_what_moved(name: str) -> None:
    game = board_game(name)
    joints = random_match(game, 5)
    for length in (0, 1, len(joints) // 2, len(joints)):
        picture = game.svg(start(game), joints[:length])
        assert title(picture) == drawn(name, joints[:length])[-1]
        state = replay_all(game, start(game), joints[:length])
        found, colours = classes(picture), {piece.colour for piece in game.pieces_of(state).values()}
        assert sum(kind in colours for kind in found) == len(game.pieces_of(state))
        assert found.count("grid") == len(game.plan.on_board())
        assert ("moved" in found) == any(game.scene(start(game), joints[:length]).moves)
        inside(picture)


def inside(picture: str) -> None:
    """Every cell lies in the picture, and no two at one place."""
    root = ElementTree.fromstring(picture)
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    corners = []
    for node in root.iter():
        if node.get("class") == "grid":
            x, y = (float(node.get(key) or node.get("c" + key) or "nan") for key in "xy")
            corners.append((x, y))
            assert 0 <= x < width and 0 <= y < height
    assert len(set(corners)) == len(corners) > 8


def test_what_has_won_is_drawn_through() -> None:
    game = board_game("connect5")
    over = game.svg(start(game), turns(0, 8, 9, 16, 18, 24, 27, 32, 36))
    assert classes(over).count("won") == 1
    assert 'class="won" d="M' in over
    assert "won" not in classes(game.svg(start(game), turns(0, 8, 9)))


def test_a_square_is_drawn_around() -> None:
    """Side by side and not crosswise: every side of it is as long as the others."""
    game = board_game("quad")
    joints = turns(4, 1, 14, 3, 34, 5, 44)
    corners = [game.plan.places[cell] for cell in game.scene(start(game), joints).won]
    sides = [(a - c) ** 2 + (b - d) ** 2 for (a, b), (c, d) in zip(corners, corners[1:] + corners[:1], strict=True)]
    assert sides == [20.0] * 4


@every_game
def test_a_strip_of_small_boards(name: str) -> None:
    game = board_game(name)
    joints = random_match(game, 6)
    strip = match_strip(game, start(game), joints)
    boards = classes(strip).count("grid") / len(game.plan.on_board())
    assert boards == min(BOARDS, len(joints))
    said = drawn(name, joints)[-1]
    assert title(strip) == f"a match of {len(joints)} steps: {said}"
    texts = [node.text for node in ElementTree.fromstring(strip).iter(f"{SVG}text") if node.get("class") == "caption"]
    assert len(texts) == boards and texts[-1] == said.rpartition(" · ")[2]


@pytest.mark.parametrize("name, seed", [("battle", 1), ("battle", 2), ("tictactoe", 1), ("chinesecheckers", 1)])
def test_captions_have_room(name: str, seed: int) -> None:
    game = board_game(name)
    strip = ElementTree.fromstring(match_strip(game, start(game), random_match(game, seed)))
    captions = [node for node in strip.iter(f"{SVG}text") if node.get("class") == "caption"]
    places = [(float(node.get("x", "")), float(node.get("y", ""))) for node in captions]
    for node, (x, y) in zip(captions, places, strict=True):
        right = min([left for left, row in places if row == y and left > x], default=float(strip.get("width", "")))
        assert x + WIDTH_OF_A_LETTER * len(node.text or "") <= right


def test_a_short_strip() -> None:
    game = board_game("tictactoe")
    assert classes(match_strip(game, start(game), turns(4, 0))).count("grid") == 18
    assert classes(match_strip(game, start(game), [])).count("grid") == 9
    assert classes(match_strip(game, start(game), turns(4, 0, 1, 2), most=3)).count("grid") == 27

"""Morpion Solitaire in plain Python against a naive twin; the kernels are checked in `test_morpion_kernels.py`."""

from itertools import product
from xml.etree import ElementTree

import pytest

from domains.errors import DomainError, UnknownDomain
from domains.morpion import VARIANTS, Morpion, Point, Position, unpack
from domains.protocol import replay
from domains.randomness import Random

LONGEST_GAME_OF_4T = [
    *(406925, 536075, 1587696, 2212371, 470475, 1524334, 3061360, 473551, 1521134, 539151, 2145842, 4108844, 4044144),
    *(1652146, 2142572, 3127889, 603725, 1583440, 3261940, 4174444, 4178323, 1455532, 3124619, 3058090, 1590928),
    *(3975658, 2991561, 4041258, 3908072, 1458764, 2994831, 3195347, 2278801, 476628, 410002, 4111730, 542228, 3259054),
    *(1717684, 2344273, 3192461, 669326, 2928203, 1527502, 600650, 1392138, 2925065, 533000, 1648978, 343375, 2275630),
    *(3910989, 2209134, 1516878, 340300, 1452428, 403850, 1389002, 3978544, 467400, 1325608, 3972679),
]
"""62 lines: no game of 4T is longer, as is known from the enumeration of all of them."""


# The naive twin: no list of moves, no claims; every line is compared with every line drawn before.

Line = frozenset[Point]
STEPS = [(1, 0), (0, 1), (1, 1), (1, -1)]


def naive_legal(domain: Morpion, points: set[Point], drawn: list[tuple[int, Line]]) -> dict[tuple[Point, Line], int]:
    """Every (new point, line) that can be played, with its direction."""
    n, shared = domain.line_length, 1 if domain.touching else 0
    columns = range(min(x for x, _ in points) - n, max(x for x, _ in points) + n + 1)
    rows = range(min(y for _, y in points) - n, max(y for _, y in points) + n + 1)
    legal = {}
    for x, y, direction in product(columns, rows, range(4)):
        dx, dy = STEPS[direction]
        line = frozenset((x + i * dx, y + i * dy) for i in range(n))
        missing = list(line - points)
        if len(missing) == 1 and all(len(line & other) <= shared for d, other in drawn if d == direction):
            legal[missing[0], line] = direction
    return legal


def naive_perft(domain: Morpion, points: set[Point], drawn: list[tuple[int, Line]], depth: int) -> int:
    legal = naive_legal(domain, points, drawn)
    if depth == 1:
        return len(legal)
    return sum(
        naive_perft(domain, points | {point}, [*drawn, (direction, line)], depth - 1)
        for (point, line), direction in legal.items()
    )


def start(variant: str) -> tuple[Morpion, Position]:
    domain = Morpion(variant)
    return domain, domain.sample(Random(0))


def random_game(domain: Morpion, seed: int) -> list[int]:
    random, position = Random(seed), domain.sample(Random(0))
    actions: list[int] = []
    while not domain.is_final(position):
        legal = domain.actions(position)
        actions.append(legal[random.below(len(legal))])
        domain.play(position, actions[-1])
    return actions


every_variant = pytest.mark.parametrize("variant", VARIANTS)


@every_variant
def test_the_legal_moves_are_those_of_the_naive_twin(variant: str) -> None:
    for seed in range(3):
        domain, position = start(variant)
        points: set[Point] = set(position.points)
        drawn: list[tuple[int, Line]] = []
        for action in [*random_game(domain, seed), None]:
            moves = [unpack(legal, domain.line_length) for legal in domain.actions(position)]
            views = [(move.point, frozenset(move.line)) for move in moves]
            assert len(views) == len(set(views))
            assert set(views) == naive_legal(domain, points, drawn).keys()
            if action is not None:
                domain.play(position, action)
                point, direction, line = unpack(action, domain.line_length)
                points.add(point)
                drawn.append((direction, frozenset(line)))
        assert domain.is_final(position)
        assert (domain.score(position), domain.reward(position)) == (len(drawn), len(drawn) / 100)


@every_variant
def test_the_order_of_the_moves(variant: str) -> None:
    """By direction, number and start; then what is left of it, and behind that the moves through the new point."""
    domain, position = start(variant)
    before = list(domain.actions(position))
    assert [action >> 10 for action in before] == sorted(action >> 10 for action in before)
    for action in random_game(domain, 7):
        domain.play(position, action)
        after = list(domain.actions(position))
        point = unpack(action, domain.line_length).point
        new = [move for move in after if move not in before]
        assert after == [move for move in before if move in after] + new
        assert all(point in unpack(move, domain.line_length).line for move in new)
        by_direction_and_start = [(move >> 20, unpack(move, domain.line_length).line[0]) for move in new]
        assert by_direction_and_start == sorted(by_direction_and_start)
        before = after


PERFT = {
    "5T": [28, 748, 18_992, 456_520],
    "5D": [28, 740, 18_416],
    "4T": [40, 1_496, 52_352],
    "4D": [40, 1_480, 50_648],
}
"""How many sequences of 1, 2, 3, … moves there are."""


@every_variant
def test_perft(variant: str) -> None:
    domain, initial = start(variant)

    def perft(position: Position, depth: int) -> int:
        if depth == 1:
            return len(domain.actions(position))
        total = 0
        for action in domain.actions(position):
            after = domain.copy(position)
            domain.play(after, action)
            total += perft(after, depth - 1)
        return total

    assert [perft(initial, depth) for depth in (1, 2, 3)] == PERFT[variant][:3]
    depths = (1, 2, 3) if variant == "5T" else (1, 2)  # depth 3 of the others was counted once, it takes seconds
    assert [naive_perft(domain, initial.points, [], depth) for depth in depths] == PERFT[variant][: len(depths)]


def test_a_longest_game() -> None:
    domain, initial = start("4T")
    final = replay(domain, initial, LONGEST_GAME_OF_4T)
    assert (domain.is_final(final), domain.score(final), domain.reward(final)) == (True, 62, 0.62)


def test_a_random_game_is_always_the_same() -> None:
    domain, initial = start("5T")
    actions = random_game(domain, 1)
    position = domain.copy(initial)
    names = []
    for action in actions[:6]:
        names.append(domain.action_name(position, action))
        domain.play(position, action)
    assert names == [
        "(3,4) ↑ from (3,0)",
        "(9,2) ↑ from (9,2)",
        "(3,5) ↑ from (3,4)",
        "(10,6) → from (6,6)",
        "(7,9) → from (3,9)",
        "(7,2) ↗ from (5,0)",
    ]
    assert (len(actions), sum(actions)) == (64, 134_824_272)


def test_a_copy_does_not_change_with_its_original() -> None:
    domain, position = start("5D")
    copy, legal = domain.copy(position), list(domain.actions(position))
    domain.play(position, legal[0])
    assert copy == domain.sample(Random(5))
    assert domain.actions(copy) == legal
    assert position != copy


def test_too_many_moves_are_refused() -> None:
    domain, position = start("5T")
    domain.max_actions = 26
    with pytest.raises(DomainError) as failure:
        domain.play(position, domain.actions(position)[-1])
    assert str(failure.value) == (
        "27 legal moves after 1 line of Morpion 5T, more than its max_actions, 26: raise it, and MOST_MOVES in "
        "morpion_kernels.py"
    )


BOARD_OF_4D = """\
 ·  ·  ·  ·  8  ·  ·  ·  ·  ·
 ·  ·  ·  9  ·  6  ·  ·  ·  ·
 · 20 21  ●  ●  ●  5  ·  ·  ·
 · 19  ·  ●  ·  ●  ·  2  · 10
 4  ●  ●  ● 12  ●  ●  ●  7  ·
 ·  ●  · 14  ·  3  ·  ●  ·  ·
 ·  ●  ●  ●  1  ●  ●  ● 17 23
 · 16  ·  ●  ·  ●  · 22  ·  ·
 ·  · 11  ●  ●  ● 18  ·  ·  ·
 ·  ·  ·  ·  · 13  ·  ·  ·  ·
 ·  ·  ·  ·  · 15  ·  ·  ·  ·
23 lines"""


def test_the_drawing() -> None:
    domain, initial = start("4D")
    assert domain.draw(initial, random_game(domain, 3)) == BOARD_OF_4D
    assert domain.draw(initial, []).splitlines() == [
        "· · ● ● ● · ·",
        "· · ● · ● · ·",
        "● ● ● · ● ● ●",
        "● · · · · · ●",
        "● ● ● · ● ● ●",
        "· · ● · ● · ·",
        "· · ● ● ● · ·",
        "0 lines",
    ]
    assert domain.draw(initial, random_game(domain, 3)[:1]).endswith("\n1 line")
    assert len(initial.points) == 24 and initial.lines == 0


@every_variant
def test_the_picture(variant: str) -> None:
    domain, initial = start(variant)
    actions = random_game(domain, 3)
    picture = ElementTree.fromstring(domain.svg(initial, actions))
    svg = "{http://www.w3.org/2000/svg}"
    assert picture.findtext(f"{svg}title") == f"Morpion Solitaire {variant}, {len(actions)} lines"
    shapes = [(shape.tag.removeprefix(svg), shape.get("class")) for shape in picture.iter()]
    assert shapes.count(("circle", "cross")) == (36 if variant[0] == "5" else 24)
    assert shapes.count(("circle", "move")) == len(actions) - 1
    assert shapes.count(("circle", "move last")) == 1
    assert shapes.count(("path", "line")) == len(actions)
    assert [text.text for text in picture.iter(f"{svg}text")] == [str(i + 1) for i in range(len(actions))]
    lengths = set()
    for line in picture.iter(f"{svg}path"):
        if line.get("class") == "line":
            x, y, to_x, to_y = map(int, line.get("d", "").replace("L", " ").removeprefix("M").split())
            assert min(x, y, to_x, to_y) > 0 and max(x, to_x) < int(picture.get("width", 0))
            lengths.add(max(abs(to_x - x), abs(to_y - y)))
    assert lengths == {26 * (domain.line_length - 1)}


def test_the_variant_may_be_typed_in_small_letters() -> None:
    assert Morpion("5d").variant == "5D"
    assert Morpion().variant == "5T"


@pytest.mark.parametrize("variant", ["6T", "5", "", 5])
def test_an_unknown_variant(variant: str) -> None:
    with pytest.raises(UnknownDomain) as failure:
        Morpion(variant)
    assert str(failure.value) == f"no variant {variant!r} of Morpion Solitaire; write one of 5T, 5D, 4T, 4D"

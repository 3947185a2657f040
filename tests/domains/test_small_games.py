"""The six small games in plain Python against naive twins; the kernels are checked in `test_small_games_kernels.py`."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from domains.chessboard import square_name
from domains.frogs import MOVES, Frogs
from domains.knights import SCORES, SQUARES, Knights
from domains.pancakes import SORTED, START, Pancakes, Pile
from domains.protocol import Domain, replay
from domains.queens import Queens, sharing
from domains.randomness import Random
from domains.registry import canonical_text, find_domain
from domains.statespace import StateSpace
from domains.sudoku_simple import GIVEN, SOLUTION, UNITS, SudokuSimple, grid_of
from tests.domains.small_games_twins import TWINS, Twin

OPTIMUM = [3, 5, 7, 6, 5, 8, 5, 6]
"""The only eight flips that sort the pancakes."""

PERFT = {
    "sudoku_simple": [189, 34_020, 5_817_420],
    "statespace": [4, 16, 64, 256, 1_024],
    "queens": [100, 9_900, 970_200],
    "pancakes": [8, 64, 512, 4_096, 32_768],
    "knights": [64, 4_032, 229_152],
    "frogs": [8, 44, 260, 1_448, 8_132],
}
"""How many sequences of 1, 2, 3, … actions there are."""
COUNTED_IN_PYTHON = {"sudoku_simple": 2}
"""How many of those numbers, where all would take seconds."""

every_game = pytest.mark.parametrize("name", TWINS)


def start(domain: Domain) -> Any:
    return domain.sample(Random(0))


def random_game(domain: Domain, seed: int) -> list[int]:
    random, state = Random(seed), start(domain)
    played: list[int] = []
    while not domain.is_final(state):
        legal = domain.actions(state)
        played.append(legal[random.below(len(legal))])
        domain.play(state, played[-1])
    return played


def score(domain: Domain, played: list[int]) -> float:
    return domain.score(replay(domain, start(domain), played))


def square(name: str, side: int) -> int:
    return (side - int(name[1:])) * side + "abcdefghij".index(name[0])


@every_game
def test_every_state_is_what_its_twin_says(name: str) -> None:
    domain, twin = find_domain(name), TWINS[name]
    for seed in range(10):
        state, played = start(domain), random_game(domain, seed)
        for length in range(len(played) + 1):
            legal = twin.legal(played[:length])
            assert list(domain.actions(state)) == legal
            assert domain.is_final(state) == (not legal)
            if domain.values_unfinished or not legal:
                points = twin.points(played[:length])
                assert domain.score(state) == points
                assert domain.reward(state) == pytest.approx(points / 100, abs=1e-15)
                assert domain.score_of_reward(domain.reward(state)) == points
            if legal:
                domain.play(state, played[length])


@every_game
def test_perft(name: str) -> None:
    domain, twin = find_domain(name), TWINS[name]

    def perft(state: Any, depth: int) -> int:
        actions = domain.actions(state)
        if depth == 1:
            return len(actions)
        return sum(perft(replay(domain, state, [action]), depth - 1) for action in actions)

    def naive_perft(twin: Twin, played: list[int], depth: int) -> int:
        legal = twin.legal(played)
        return len(legal) if depth == 1 else sum(naive_perft(twin, [*played, a], depth - 1) for a in legal)

    counts = PERFT[name][: COUNTED_IN_PYTHON.get(name)]
    depths = range(1, len(counts) + 1)
    assert [perft(start(domain), depth) for depth in depths] == counts
    assert [naive_perft(twin, [], depth) for depth in depths] == counts


@every_game
def test_one_problem_whatever_is_drawn(name: str) -> None:
    domain = find_domain(name)
    assert domain.sample(Random(1)) == domain.sample(Random(2))
    assert canonical_text(domain) == canonical_text(type(domain)()) == name
    assert (domain.unit, domain.reward_range, domain.values_unfinished) == (
        "points",
        (0.0, 1.0),
        name in ("queens", "knights"),
    )


def test_what_they_declare() -> None:
    sizes = {name: (d.max_actions, d.horizon, d.length_bound) for name in TWINS if (d := find_domain(name))}
    assert sizes == {
        "sudoku_simple": (189, 21, 21),
        "statespace": (4, 14, 14),
        "queens": (100, 10, 10),
        "pancakes": (8, 40, 40),
        "knights": (64, 33, 33),
        "frogs": (8, 116, 116),
    }


# Sudoku.


def solving() -> list[int]:
    return [cell * 9 + digit - 1 for cell, digit in enumerate(grid_of(SOLUTION)) if not GIVEN[cell]]


def test_the_solution_of_the_sudoku() -> None:
    assert score(SudokuSimple(), solving()) == 100
    for wrong in range(21):  # one wrong digit spoils a row, a column and a box
        played = solving()
        played[wrong] += 1 if played[wrong] % 9 < 8 else -1
        assert score(SudokuSimple(), played) == 3 * 24


def test_the_sudoku_has_one_solution() -> None:
    def solutions(grid: list[int]) -> Iterator[list[int]]:
        if 0 not in grid:
            yield grid
            return
        cell = grid.index(0)
        taken = {grid[other] for unit in UNITS if cell in unit for other in unit}
        for digit in set(range(1, 10)) - taken:
            yield from solutions([*grid[:cell], digit, *grid[cell + 1 :]])

    assert list(solutions(GIVEN)) == [grid_of(SOLUTION)]


# State space.


@pytest.mark.parametrize(
    ("path", "points"),
    [
        ("31111111111111", 7),
        ("41444444444444", 14),
        ("33211111111111", 21),
        ("31341111111111", 28),
        ("22234111111111", 35),
        ("44141211111111", 42),
        ("21213114444444", 49),
        ("21213124444444", 0),
        ("31431232444444", 56),
        ("21444324344444", 63),
        ("43341423341111", 70),
        ("41311423331444", 77),
        ("41311423332444", 14),  # left the path of 77 with its last way: only 41 is begun
        ("12221313242344", 84),
        ("44434331121144", 91),
        ("11232443311424", 100),
        ("11232443311423", 0),
        ("14111111111111", 0),  # 41 is in it, but not at its beginning
        ("13333333333333", 0),
    ],
)
def test_the_longest_path_begun_counts(path: str, points: int) -> None:
    assert score(StateSpace(), [int(way) for way in path]) == points == TWINS["statespace"].points([*map(int, path)])


# Queens.

BOARDS = {
    0: ("b10 d9 f8 h7 j6 a5 c4 e3 g2 i1", 100),
    2: ("b9 d9 f8 h7 j6 a5 c4 e3 g2 i1", 90),
    3: ("b10 d9 f8 h7 j6 a5 c4 d1 g2 i1", 80),
    4: ("b10 h2 f8 h7 j6 a5 c4 e3 g2 i1", 70),
    5: ("b10 d9 f8 h7 a4 a5 c4 e3 g2 b5", 60),
    6: ("i9 d9 f8 h7 j6 a5 c4 d8 g2 i1", 50),
    7: ("b10 d9 f8 h7 i4 a5 c4 e3 b7 c6", 40),
    8: ("i7 d9 f8 h7 h6 a5 c4 b8 g2 e9", 0),
    10: ("a1 b1 c1 d1 e1 f1 g1 h1 i1 j1", 0),
}


@pytest.mark.parametrize("number", BOARDS)
def test_queens_in_line_with_another(number: int) -> None:
    names, points = BOARDS[number]
    board = [square(name, 10) for name in names.split()]
    assert [square_name(queen, 10) for queen in board] == names.split()
    assert (sharing(board), score(Queens(), board)) == (number, points)


def test_unfinished_boards_of_queens() -> None:
    board = [square(name, 10) for name in BOARDS[0][0].split()]
    assert [score(Queens(), board[:n]) for n in range(11)] == [10 * n for n in range(11)]
    assert score(Queens(), [0, 1]) == 18  # two tenths of 90
    assert score(Queens(), [0, 11, 22, 33]) == 28  # four tenths of 70


# Pancakes.


def turned(stack: tuple[int, ...], k: int) -> tuple[int, ...]:
    return stack[:k][::-1] + stack[k:]


def test_eight_flips_by_one_sequence_only_is_the_best() -> None:
    def sequences(stack: tuple[int, ...], flips: int) -> Counter[tuple[int, ...]]:
        """By how many sequences of so many flips each stack is reached."""
        reached = Counter({stack: 1})
        for _ in range(flips):
            following: Counter[tuple[int, ...]] = Counter()
            for before, count in reached.items():
                for k in range(1, 9):
                    following[turned(before, k)] += count
            reached = following
        return reached

    # A flip undoes itself, so that sequences can be followed from both ends to the middle.
    ways = []
    for flips in range(9):
        forth, back = sequences(START, flips // 2), sequences(SORTED, flips - flips // 2)
        ways.append(sum(count * back[stack] for stack, count in forth.items()))
    assert ways == [0] * 8 + [1]
    assert score(Pancakes(), OPTIMUM) == 80


def test_the_score_of_sorting_the_pancakes_by_the_number_of_flips() -> None:
    domain = Pancakes()
    for flips in range(1, 41):
        pile = Pile(turned(SORTED, 8), flips - 1)
        domain.play(pile, 8)
        late = 50 if flips < 20 else 45 if flips < 30 else 40 if flips < 40 else 0
        early = {6: 90, 7: 85, 8: 80, 9: 75, 10: 70, 11: 65, 12: 60}.get(flips, 100)
        assert domain.is_final(pile) and domain.score(pile) == (early if flips < 13 else late)
    assert score(domain, [1] * 5 + OPTIMUM) == 50  # flip 1 changes nothing but counts
    assert score(domain, [1] * 31 + OPTIMUM) == 40
    assert score(domain, [1] * 32 + OPTIMUM) == 0
    assert score(domain, [1] * 40) == 0


# Knights.


def test_the_score_of_safe_knights() -> None:
    points = [*range(11), *range(12, 32, 2), *range(35, 85, 5), 90, 100]
    assert list(SCORES) == points
    of_one_colour = [place for place in range(SQUARES) if (place // 8 + place % 8) % 2 == 0]
    assert [score(Knights(), of_one_colour[:n]) for n in range(33)] == points
    for last in set(range(SQUARES)) - set(of_one_colour):  # there is no 33rd
        final = replay(Knights(), [], [*of_one_colour, last])
        assert (Knights().is_final(final), Knights().score(final)) == (True, 100)


def test_two_knights_that_attack_each_other_end_the_game() -> None:
    for names, final, points in (("a1", False, 1), ("a1 b2", False, 2), ("a1 b3", True, 1), ("h8 a1 c2", True, 2)):
        board = replay(Knights(), [], [square(name, 8) for name in names.split()])
        assert (Knights().is_final(board), Knights().score(board)) == (final, points)


# Frogs and toads.


def test_the_moves_of_frogs_and_toads() -> None:
    domain, pond = Frogs(), start(Frogs())
    assert [domain.action_name(pond, action) for action in domain.actions(pond)] == [
        *("toad r2c4 ↓↓", "toad r3c4 ↓", "toad r4c2 →→", "toad r4c3 →"),
        *("frog r4c5 ←", "frog r4c6 ←←", "frog r5c4 ↑", "frog r6c4 ↑↑"),
    ]
    domain.play(pond, 22)  # the toad jumps to the middle, and the empty cell is on the edge of its board
    assert [domain.action_name(pond, action) for action in domain.actions(pond)] == [
        *("toad r2c2 ↓↓", "toad r3c2 ↓", "toad r4c1 →", "toad r4c3 ←", "toad r4c4 ←←"),
    ]
    pond = start(domain)
    for moves, action in enumerate((26, 25, 23, 22, 24)):
        assert (pond.moves, pond.placed) == (moves, int(moves > 2))
        domain.play(pond, action)
    # The toad that jumped third over a frog in the middle is where it should be, and now that frog is, too.
    assert (pond.moves, pond.placed, pond.empty) == (5, 2, 24)


def test_all_frogs_and_toads_placed() -> None:
    pond = start(Frogs())
    pond.marks, pond.moves = pond.marks[::-1], MOVES
    assert (Frogs().reward(pond), Frogs().score(pond)) == (1.0, 100.0)

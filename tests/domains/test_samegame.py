"""SameGame by the rules, against a naive twin and games by hand; the kernels are in `test_samegame_kernels.py`."""

import pytest

from domains.errors import UnknownDomain
from domains.protocol import replay
from domains.randomness import Random
from domains.registry import canonical_text, find_domain
from domains.samegame import SameGame, cell_codes
from domains.samegame_board import Board, penalty
from tests.domains.samegame_twin import HOOKS, Twin, board_of, domain_for, random_game, rows_of

PERFT = {
    ("112", "212", "221"): [3, 6, 6, 0],
    ("1212", "1122", "2211"): [4, 8, 8, 0],
    ("12312", "11233", "23321", "21132"): [5, 22, 76, 195, 391],
}
"""How many sequences of 1, 2, 3, … moves there are."""


@pytest.mark.parametrize(("width", "height", "colours", "games"), [(15, 15, 5, 1), (6, 5, 3, 10), (4, 7, 2, 10)])
def test_every_state_is_what_its_twin_says(width: int, height: int, colours: int, games: int) -> None:
    domain = SameGame(width, height, colours)
    for seed in range(games):
        state = domain.sample(Random(seed))
        twin = Twin(rows_of(state, domain))
        for action in random_game(domain, state, seed):
            assert domain.actions(state) == twin.actions()
            assert not domain.is_final(state)
            domain.play(state, action)
            twin.play(action)
            assert rows_of(state, domain) == ["".join(row) for row in twin.rows]
        assert domain.is_final(state) and twin.actions() == []
        assert domain.score(state) == twin.score()
        assert domain.reward(state) == twin.score() / 5000
        assert domain.score_of_reward(domain.reward(state)) == twin.score()


@pytest.mark.parametrize("rows", PERFT)
def test_perft(rows: tuple[str, ...]) -> None:
    domain = domain_for(*rows)

    def perft(state: Board, depth: int) -> int:
        actions = domain.actions(state)
        return len(actions) if depth == 1 else sum(perft(replay(domain, state, [a]), depth - 1) for a in actions)

    def naive_perft(played: list[int], depth: int) -> int:
        twin = Twin(list(rows))
        for action in played:
            twin.play(action)
        return len(twin.actions()) if depth == 1 else sum(naive_perft([*played, a], depth - 1) for a in twin.actions())

    depths = range(1, len(PERFT[rows]) + 1)
    assert [perft(board_of(*rows), depth) for depth in depths] == PERFT[rows]
    assert [naive_perft([], depth) for depth in depths] == PERFT[rows]


@pytest.mark.parametrize("name", HOOKS)
def test_groups_of_all_shapes(name: str) -> None:
    rows, actions = HOOKS[name]
    assert domain_for(*rows).actions(board_of(*rows)) == Twin(rows).actions() == actions


def test_a_game_by_hand() -> None:
    domain, state = domain_for("112", "212", "221"), board_of("112", "212", "221")
    assert state.columns == [[2, 2, 1], [2, 1, 1], [1, 2, 2]]
    assert [domain.action_name(state, action) for action in domain.actions(state)] == [
        *("3 of colour 2 at c1r1", "3 of colour 1 at c1r3", "2 of colour 2 at c3r2"),
    ]
    domain.play(state, 2)
    assert (state.columns, state.points) == ([[2, 2], [2], [1, 2, 2]], 1)
    domain.play(state, 0)  # the two columns on the left are empty: the third moves there
    assert (state.columns, state.points) == ([[1, 2, 2]], 2)
    domain.play(state, 1)
    assert (state.columns, state.points, domain.actions(state)) == ([[1]], 2, [])
    assert (domain.score(state), domain.reward(state)) == (1.0, 1 / 5000)


def test_a_cleared_board_is_worth_1000_more() -> None:
    domain = domain_for("112", "212", "221")
    state = replay(domain, board_of("112", "212", "221"), [7, 0, 0])
    assert (state.columns, state.points, domain.is_final(state)) == ([], 0 + 1 + 4, True)
    assert (domain.score(state), domain.reward(state)) == (1005.0, 0.201)


def test_what_is_left_over_costs_as_if_it_were_one_group_for_each_colour() -> None:
    domain = domain_for("121", "212", "131")
    assert domain.is_final(board_of("121", "212", "131"))
    assert domain.score(board_of("121", "212", "131")) == -((5 - 2) ** 2 + (3 - 2) ** 2 + (1 - 2) ** 2)
    assert [penalty([count, 0]) for count in range(5)] == [0, 1, 0, 1, 4]


def test_columns_close_up_over_several_gaps() -> None:
    domain = domain_for("1122334", "2121212")
    state = board_of("       ", "1133224")
    domain.play(state, 0)
    assert state.columns == [[3], [3], [2], [2], [4]]
    domain.play(state, 4)
    assert state.columns == [[3], [3], [4]]
    state = board_of(" 2  2  ", "2122134")
    domain.play(state, 4)
    assert state.columns == [[2], [1, 2], [1, 2], [3], [4]]
    domain.play(state, 2)  # the ones: twos fall beside the two on their left
    assert (state.columns, domain.actions(state)) == ([[2], [2], [2], [3], [4]], [0])


def test_all_colours_of_all_cells_are_drawn_alike() -> None:
    domain = SameGame(3, 2, 4)
    counts = [[0] * 5 for _ in range(6)]
    random = Random(1)
    for _ in range(4000):
        columns = domain.sample(random).columns
        assert [len(column) for column in columns] == [2, 2, 2]
        for cell, colour in enumerate(colour for column in columns for colour in column):
            counts[cell][colour] += 1
    assert all(count[0] == 0 and max(abs(n - 1000) for n in count[1:]) < 5 * 27.4 for count in counts)


def test_what_it_declares() -> None:
    domain = SameGame()
    assert (domain.horizon, domain.max_length, domain.max_actions) == (64, 112, 112)
    assert domain.reward_range == (-10.125, 10.325)
    assert (domain.unit, domain.features) == ("points", ("size", "commonest", "height"))
    assert (SameGame(2, 2).horizon, SameGame(2, 2).length_bound) == (1, 2)
    assert canonical_text(domain) == canonical_text(find_domain("samegame")) == "samegame:width=15,height=15,colours=5"


def test_random_games_are_about_as_long_as_the_horizon() -> None:
    domain = SameGame()
    lengths = [len(random_game(domain, domain.sample(Random(seed)), seed)) for seed in range(30)]
    assert abs(sum(lengths) / len(lengths) - domain.horizon) < 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("width=1", "samegame: width is 1; it must be from 2 to 50"),
        ("height=51", "samegame: height is 51; it must be from 2 to 50"),
        ("colours=10", "samegame: colours is 10; it must be from 2 to 9"),
        ("colours=1", "samegame: colours is 1; it must be from 2 to 9"),
    ],
)
def test_what_is_wrong_with_an_option(options: str, message: str) -> None:
    with pytest.raises(UnknownDomain) as error:
        find_domain(f"samegame:{options}")
    assert str(error.value) == message


# What is said of an action.


def test_a_code_is_made_of_the_colour_and_the_cells() -> None:
    domain = domain_for("112", "212", "221")
    ones, twos = cell_codes(3, 3, 2)
    state = board_of("112", "212", "221")
    assert [domain.code(state, action) for action in domain.actions(state)] == [
        *(twos[0] ^ twos[1] ^ twos[3], ones[2] ^ ones[4] ^ ones[5], twos[7] ^ twos[8]),
    ]
    # The same cells, whatever else has changed; and the same cells in another colour.
    assert domain.code(board_of("   ", "222", "211"), 1) != domain.code(board_of("   ", "111", "122"), 1)
    assert domain.code(board_of("   ", "  1", "221"), 0) == domain.code(board_of("112", "111", "221"), 0)


def test_codes_are_whole_numbers_below_2_to_the_62nd_and_differ() -> None:
    every = [code for codes in cell_codes(15, 15, 5) for code in codes]
    assert len(set(every)) == 5 * 225
    assert 0 <= min(every) < 2**53 and 2**61 < max(every) < 2**62
    assert all(any(code >> bit & 1 for code in every) for bit in range(62))
    assert cell_codes(15, 15, 5)[4][224] == every[-1] == GOLDEN_CODE


GOLDEN_CODE = 693241814656302539
"""Policies that were learnt with one set of codes are of no use with another."""


def test_features() -> None:
    domain, state = domain_for("112", "212", "223"), board_of("112", "212", "223")
    assert [domain.feature(state, action) for action in domain.actions(state)] == [
        (1 - 2 / 3, 1.0, 0.0),  # five twos, three ones, a three
        (1 - 2 / 3, 0.0, 2 / 3),
        (0.0, 1.0, 1 / 3),
    ]


def test_the_commonest_colour_may_be_removed_where_that_is_all_of_it() -> None:
    domain = domain_for("11123", "23232")
    assert domain.feature(board_of("     ", "11132"), 0) == (1 - 2 / 3, 0.0, 0.0)
    assert domain.feature(board_of("1    ", "21131"), 2)[1] == 1.0
    # Of equal ones the lowest: one of the ones is left besides.
    assert [domain.feature(board_of("12   ", "12121"), action)[1] for action in (0, 2)] == [1.0, 0.0]

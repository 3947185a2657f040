"""Blocks, points and what is said of them, by hand."""

import math
from pathlib import Path

import numpy as np
import pytest

from discovery.arena.agents import oppose
from discovery.arena.blocks import PointsRule, blocks_for, check_agents, is_draw, pairings_of, points, seatings
from discovery.arena.records import MatchRecord, record_of, text_of_record
from discovery.arena.standings import Standings, block_points, standings, summary_of_points, whole_blocks
from discovery.arena.tables import half_width
from discovery.campaign.family import family_of
from discovery.statistics import holm
from domains.errors import UserError
from domains.games.tictactoe import TicTacToe
from domains.registry import find_domain
from domains.sudoku import Sudoku
from mcsgrammar.engines.searching import Limits
from tests.engines.arena.random_players import Ring


def test_two_roles_have_two_seatings() -> None:
    assert seatings(2, (0, 1)) == [(0, 1), (1, 0)]


def test_three_roles_have_six_of_two_agents() -> None:
    assert seatings(3, (0, 1)) == [(0, 0, 1), (0, 1, 0), (0, 1, 1), (1, 0, 0), (1, 0, 1), (1, 1, 0)]


def test_three_roles_have_six_of_three_agents() -> None:
    assert seatings(3, (0, 1, 2)) == [(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)]


def test_agents_of_a_tournament_keep_their_numbers() -> None:
    assert seatings(2, (2, 5)) == [(2, 5), (5, 2)]
    assert pairings_of(3, True) == [(0, 1), (0, 2), (1, 2)]
    assert pairings_of(3, False) == [(0, 1, 2)]


@pytest.mark.parametrize(("games", "size", "blocks"), [(200, 2, 100), (201, 2, 101), (1, 6, 1), (7, 6, 2), (6, 6, 1)])
def test_games_are_rounded_up(games: int, size: int, blocks: int) -> None:
    assert blocks_for(games, size) == blocks


NUMBERS = [
    (TicTacToe(), 3, False, "tictactoe has 2 roles: give 2 agents, not 3"),
    (TicTacToe(), 1, False, "tictactoe has 2 roles: give 2 agents, not 1"),
    (Ring(), 4, False, "Ring has 3 roles: give 2 or 3 agents, not 4"),
    (TicTacToe(), 1, True, "a tournament is of 2 agents or more, not 1"),
    (Sudoku(2), 2, False, "sudoku:2 has one role; solve it: mcsgrammar solve sudoku:2 EXPR"),
    (Sudoku(2), 2, True, "sudoku:2 has one role; solve it: mcsgrammar solve sudoku:2 EXPR"),
]


@pytest.mark.parametrize(("game", "agents", "tournament", "text"), NUMBERS)
def test_the_number_of_agents(game: TicTacToe, agents: int, tournament: bool, text: str) -> None:
    with pytest.raises(UserError) as error:
        check_agents(game, agents, tournament)
    assert str(error.value) == text


def test_numbers_that_are_right() -> None:
    check_agents(TicTacToe(), 2)
    check_agents(Ring(), 2)
    check_agents(Ring(), 3)
    check_agents(TicTacToe(), 5, tournament=True)


POINTS: list[tuple[tuple[float, ...], tuple[int, ...], PointsRule, dict[int, float]]] = [
    ((1.0, 0.0), (0, 1), "agents", {0: 1.0, 1: 0.0}),
    ((1.0, 0.0), (1, 0), "agents", {0: 0.0, 1: 1.0}),
    ((0.5, 0.5), (0, 1), "agents", {0: 0.5, 1: 0.5}),
    ((0.0, 0.0), (0, 1), "roles", {0: 0.5, 1: 0.5}),  # goals decide, not 1: chinook's 0 and 0 is a draw
    ((0.4, 0.3), (0, 1), "roles", {0: 1.0, 1: 0.0}),
    # Three roles, agent 0 in two of them: all three alike, two highest of one agent, two highest of two.
    ((0.5, 0.5, 0.5), (0, 0, 1), "agents", {0: 0.5, 1: 0.5}),
    ((0.5, 0.5, 0.5), (0, 0, 1), "roles", {0: 2 / 3, 1: 1 / 3}),
    ((1.0, 1.0, 0.0), (0, 0, 1), "agents", {0: 1.0, 1: 0.0}),
    ((1.0, 1.0, 0.0), (0, 0, 1), "roles", {0: 1.0, 1: 0.0}),
    ((1.0, 0.0, 1.0), (0, 0, 1), "agents", {0: 0.5, 1: 0.5}),
    ((1.0, 0.0, 1.0), (0, 0, 1), "roles", {0: 0.5, 1: 0.5}),
    ((0.0, 0.2, 0.0), (0, 0, 1), "agents", {0: 1.0, 1: 0.0}),
    # Three agents.
    ((0.5, 0.5, 0.5), (2, 0, 1), "agents", {0: 1 / 3, 1: 1 / 3, 2: 1 / 3}),
    ((0.5, 0.5, 0.0), (2, 0, 1), "roles", {0: 0.5, 1: 0.0, 2: 0.5}),
]


@pytest.mark.parametrize(("goals", "seating", "rule", "expected"), POINTS)
def test_points(
    goals: tuple[float, ...], seating: tuple[int, ...], rule: PointsRule, expected: dict[int, float]
) -> None:
    assert points(goals, seating, rule) == expected
    assert math.isclose(sum(expected.values()), 1.0)


def test_draws_are_between_agents() -> None:
    assert is_draw((0.0, 0.0), (0, 1))
    assert not is_draw((1.0, 1.0, 0.0), (0, 0, 1))
    assert is_draw((1.0, 0.0, 1.0), (0, 0, 1))


def record(block: int, seating: tuple[int, ...], *goals: float, steps: int = 4) -> MatchRecord:
    return MatchRecord(block, seating, goals, steps, (10,) * len(goals), (0, 1))


BLOCKS = [
    # Agent 0 has 1 and 1, then 1 and 0.5, then 0 and 0: block means 1, 0.75, 0.
    *(record(0, (0, 1), 1.0, 0.0), record(0, (1, 0), 0.0, 1.0, steps=6)),
    *(record(1, (0, 1), 1.0, 0.0), record(1, (1, 0), 0.5, 0.5)),
    *(record(2, (0, 1), 0.2, 0.6), record(2, (1, 0), 1.0, 0.0)),
]


def of_two() -> Standings:
    said = standings(BLOCKS, [(0, 1)])
    assert said is not None
    return said


def test_block_means_and_interval_by_hand() -> None:
    """Mean 7/12; standard deviation √(13/48) of 1, 3/4, 0; Student's t with 2 degrees is 4.302653."""
    assert block_points(BLOCKS, 0).tolist() == [1.0, 0.75, 0.0]
    scored = of_two().pairings[0][0].points
    deviation = math.sqrt(((1 - 7 / 12) ** 2 + (0.75 - 7 / 12) ** 2 + (7 / 12) ** 2) / 2)
    half = 4.302652729911275 * deviation / math.sqrt(3)
    assert (scored.n, scored.mean) == (3, pytest.approx(7 / 12))
    assert (scored.low, scored.high) == (pytest.approx(7 / 12 - half), pytest.approx(7 / 12 + half))


@pytest.mark.parametrize(("values", "least", "low", "high"), [
    ([1.0] * 2, 0.0, 0.1581139, 1.0),  # the root of 0.025: as two coins of which both fall so
    ([0.0] * 3, 0.0, 0.0, 0.7075982),  # 1 less the third root
    ([1.0] * 2, -1.0, -0.6837722, 1.0),
    ([0.5] * 4, 0.0, 0.5, 0.5),  # even, as agents are with themselves
    ([0.0] * 4, -1.0, 0.0, 0.0),
])  # fmt: skip
def test_the_interval_of_blocks_that_are_all_alike(values: list[float], least: float, low: float, high: float) -> None:
    said = summary_of_points(np.array(values), least)
    assert (said.mean, said.low, said.high) == pytest.approx((values[0], low, high), abs=1e-6)
    assert half_width(said) == pytest.approx(max(high - values[0], values[0] - low), abs=1e-6)


@pytest.mark.parametrize(("blocks", "p"), [(2, 0.5), (3, 0.25), (6, 1 / 32)])
def test_blocks_that_all_differ_by_the_same(blocks: int, p: float) -> None:
    """The t-test has no spread to judge by there, and calls any difference certain."""
    same = [
        record(k, seating, *goals) for k in range(blocks) for seating, goals in (((0, 1), (1, 0)), ((1, 0), (0, 0)))
    ]
    said = standings(same, [(0, 1)])
    assert said is not None
    assert (said.direct[0].difference.mean, said.direct[0].p) == (0.5, p)
    drawn = standings([record(k, seating, 0, 0) for k in range(blocks) for seating in ((0, 1), (1, 0))], [(0, 1)])
    assert drawn is not None
    assert drawn.direct[0].p == 1.0


def test_what_stands_beside_it() -> None:
    (pairing,) = of_two().pairings
    first, second = pairing.scored
    assert first.as_role == (pytest.approx(2 / 3), pytest.approx(0.5))
    assert second.as_role == (pytest.approx(0.5), pytest.approx(1 / 3))
    assert first.mean_goal == pytest.approx((1 + 1 + 1 + 0.5 + 0.2 + 0) / 6)
    assert second.mean_goal == pytest.approx((0 + 0 + 0 + 0.5 + 0.6 + 1) / 6)
    assert pairing.draws == pytest.approx(1 / 6)
    assert pairing.mean_steps == pytest.approx(26 / 6)
    assert pairing.mean_simulations == 10
    assert (pairing.blocks, pairing.matches) == (3, 6)


def test_the_paired_test_by_hand() -> None:
    """Differences 1, 0.5, -1: mean 1/6, t = 1/6 / (s / √3), s² = 13/12; two-sided with 2 degrees."""
    (one,) = of_two().direct
    t = (1 / 6) / math.sqrt(13 / 12 / 3)
    p = 1 - t / math.sqrt(2 + t * t)  # the distribution function with two degrees is algebraic
    assert one.agents == (0, 1)
    assert one.difference.mean == pytest.approx(1 / 6)
    assert (one.p, one.p_holm) == (pytest.approx(p), pytest.approx(p))


def test_one_block_has_no_test() -> None:
    said = standings(BLOCKS[:2], [(0, 1)])
    assert said is not None
    assert (said.direct[0].p, said.direct[0].p_holm) == (None, None)
    assert standings([], [(0, 1)]) is None


def test_only_whole_blocks_count() -> None:
    assert whole_blocks([BLOCKS[2], BLOCKS[0], BLOCKS[1]], 2) == BLOCKS[:2]


def test_an_agent_on_two_of_three_roles() -> None:
    """One block by hand: agent 0 wins alone where it has a second seat with goal 0, too."""
    block = [
        record(0, (0, 0, 1), 1.0, 0.0, 0.0),
        record(0, (0, 1, 0), 1 / 3, 1 / 3, 1 / 3),
        record(0, (0, 1, 1), 0.0, 1.0, 1.0),
        record(0, (1, 0, 0), 0.0, 0.0, 1.0),
        record(0, (1, 0, 1), 0.0, 1.0, 1.0),
        record(0, (1, 1, 0), 0.0, 0.0, 1.0),
    ]
    assert block_points(block, 0).tolist() == [pytest.approx((1 + 0.5 + 0 + 1 + 0.5 + 1) / 6)]
    assert block_points(block, 0, "roles").tolist() == [pytest.approx((1 + 2 / 3 + 0 + 1 + 0.5 + 1) / 6)]
    said = standings(block, [(0, 1)])
    assert said is not None
    assert said.pairings[0][0].as_role == (pytest.approx(0.5), pytest.approx(2.5 / 3), pytest.approx(2.5 / 3))
    assert said.pairings[0].draws == pytest.approx(2 / 6)


def round_robin() -> list[MatchRecord]:
    """Three agents, three blocks: 0 beats 1 in all but one game, 0 and 2 draw, 1 and 2 draw but for one game."""
    played = []
    for block in range(3):
        odd = block == 2
        played += [record(block, (0, 1), 1.0, 0.0), record(block, (1, 0), float(odd), float(not odd))]
        played += [record(block, (0, 2), 0.5, 0.5), record(block, (2, 0), 0.5, 0.5)]
        played += [record(block, (1, 2), 0.5, 0.5), record(block, (2, 1), 0.5 + odd / 2, 0.5 - odd / 2)]
    return played


def test_a_tournament_by_hand() -> None:
    said = standings(round_robin(), pairings_of(3, True))
    assert said is not None
    # Block means: 0 v 1 is 1, 1, ½; 0 v 2 ½; 1 v 2 is ½, ½, ¼.
    assert [(one.agent, one.rank) for one in said.overall] == [(0, 1), (2, 2), (1, 3)]
    assert said.overall[0].points.mean == pytest.approx((0.75 + 0.75 + 0.5) / 3)
    assert said.overall[1].points.mean == pytest.approx((0.5 + 0.5 + 0.625) / 3)
    assert said.overall[2].points.mean == pytest.approx((0.25 + 0.25 + 0.375) / 3)
    assert said.pairing((1, 0))[0].points.mean == pytest.approx(2.5 / 3)


def test_tests_of_a_tournament() -> None:
    said = standings(round_robin(), pairings_of(3, True))
    assert said is not None
    assert [one.agents for one in said.direct] == [(0, 1), (0, 2), (1, 2)]
    assert [one.difference.mean for one in said.direct] == [pytest.approx(2 / 3), 0.0, pytest.approx(-1 / 6)]
    for family in (said.direct, said.same_opponents):
        assert [one.p_holm for one in family] == pytest.approx(holm([one.p or 0.0 for one in family]).tolist())
    # 0 and 1 against 2, 0 and 2 against 1, 1 and 2 against 0.
    assert [one.agents for one in said.same_opponents] == [(0, 1), (0, 2), (1, 2)]
    differences = [(0.5 - 0.5, 0.0, 0.5 - 0.25), (1 - 0.5, 0.5, 0.5 - 0.75), (0 - 0.5, -0.5, 0.5 - 0.5)]
    assert [one.difference.mean for one in said.same_opponents] == [pytest.approx(np.mean(one)) for one in differences]


def test_ties_in_rank() -> None:
    said = standings([record(0, (0, 1), 0.5, 0.5), record(0, (1, 0), 0.5, 0.5)], [(0, 1)])
    assert said is not None
    assert [(one.agent, one.rank) for one in said.overall] == [(0, 1), (1, 1)]


def test_a_record_is_what_it_was_written_as() -> None:
    one = MatchRecord(3, (1, 0), (0.1, 1 / 3), 5, (20, 30), (0, 2, 1))
    assert text_of_record(one) == b"[3,[1,0],[0.1,0.3333333333333333],5,[20,30],[0,2,1]"
    assert record_of([3, [1, 0], [0.1, 1 / 3], 5, [20, 30], [0, 2, 1]]) == one


NO_RECORDS: list[list[object]] = [
    [3, [1, 0], [0.1, 0.2], 5, [20, 30]],
    [-1, [1, 0], [0.1, 0.2], 5, [20, 30], []],
    [3, [True, 0], [0.1, 0.2], 5, [20, 30], []],
    [3, [1, 0], [1, 0], 5, [20, 30], []],
    [3, [1, 0], [math.inf, 0.2], 5, [20, 30], []],
    [3, [1, 0], [0.1, 0.2], 5, 20, []],
]


@pytest.mark.parametrize("fields", NO_RECORDS)
def test_what_is_no_record(fields: list[object]) -> None:
    with pytest.raises(ValueError, match="this is no match"):
        record_of(fields)


def test_paths_in_proposed_commands_are_quoted(tmp_path: Path) -> None:
    (tmp_path / "my games").mkdir()
    file = tmp_path / "my games" / "solo.py"
    rules = "\n".join(f"    def {name}: ..." for name in ("sample(self, random)", "actions(self, state)"))
    file.write_text(f"from domains.protocol import Domain\nclass Solo(Domain):\n    horizon = 1\n{rules}\n")
    solo = find_domain(f"{file}:Solo")
    quoted = f"'{file}:Solo'"
    for refused, said in (
        (lambda: check_agents(solo, 2), f"{file}:Solo has one role; solve it: mcsgrammar solve {quoted} EXPR"),
        (lambda: oppose(solo, [], Limits(2)), f"leave --against out: mcsgrammar discover {quoted}"),
        (lambda: family_of([solo]), f"or name the one without it: mcsgrammar discover {quoted}"),
    ):
        with pytest.raises(UserError) as error:
            refused()
        assert str(error.value).endswith(said)

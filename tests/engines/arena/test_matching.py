"""A match: who searches when, what it is a function of, and what a game can do wrong."""

from dataclasses import replace
from typing import Any

import pytest

from domains.errors import DomainError
from domains.games.tictactoe import TicTacToe
from domains.protocol import Domain
from domains.randomness import seed_of
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.choosing import arena_of
from mcsgrammar.engines.arena.matching import Match, Seat, Stream, Think, joints_of, play_match, seat_seed, start_of
from mcsgrammar.engines.arena.reference import ReferenceArena
from mcsgrammar.engines.searching import Limits
from tests.engines.arena.random_players import (
    DrawnByLength,
    Endless,
    Mute,
    OneReward,
    Pennies,
    RandomArena,
    RandomPlayer,
    Ring,
    Rounds,
    TooFewRewards,
    Unordered,
)

FIRST, SECOND = "select(sim, 0.4)", "select(sim, 1)"


def seats(game: Domain, *texts: str, budget: int = 5) -> list[Seat]:
    return [Seat(agent_of(text, game), Limits(budget)) for text in texts]


def played(game: Domain, block: int = 0, budget: int = 5, **how: Any) -> tuple[Match, RandomArena]:
    arena = RandomArena(game)
    names = [FIRST, SECOND, FIRST][: len(game.roles)]
    return play_match(game, arena, seats(game, *names, budget=budget), block, **how), arena


def test_everybody_searches_at_every_step_and_once_before_the_first() -> None:
    match, arena = played(Rounds())
    joints = joints_of(Rounds(), [], match.choices)
    expected: list[tuple[Any, ...]] = [("search", 0), ("search", 1)]
    for joint in joints:
        expected += [("search", 0), ("search", 1), ("commit", 0), ("commit", 1)]
        expected += [("advance", 0, joint), ("advance", 1, joint)]
    assert arena.notes.asked == expected
    assert match.steps == len(joints) == 3
    assert match.simulations == (4 * 5, 4 * 5)
    assert match.seconds == 8 * 0.25


@pytest.mark.parametrize(
    ("start", "think", "simulations"),
    [(0, "always", (15, 15)), (2, "always", (25, 25)), (0, "own", (10, 5)), (1, "own", (15, 10))],
)
def test_when_agents_search(start: int, think: Think, simulations: tuple[int, int]) -> None:
    """x has a choice at two of the three steps, o at one."""
    assert played(Rounds(), start=start, think=think)[0].simulations == simulations


def test_a_forced_role_does_not_search_at_its_own_steps() -> None:
    """At the first step both choose, at the second only odd."""
    match, _ = played(Pennies(), start=0, think="own")
    assert match.simulations == (5, 10)
    assert len(match.choices) == 3
    assert joints_of(Pennies(), [], match.choices)[1][0] == -1


def test_the_seed_of_a_seat() -> None:
    seats = [Seat(agent_of(text, Rounds()), Limits(1)) for text in (FIRST, SECOND)]
    texts = ["step(select(sim, 0.4), mean)", "step(select(sim, 1), mean)"]
    assert seat_seed(9, Rounds(), seats, 1, 4) == seed_of("seat", 9, "Rounds", *texts, 1, 4)
    assert seat_seed(9, Rounds(), seats, 1, 4, "train") == seed_of("training seat", 9, "Rounds", *texts, 1, 4)


def test_agents_alike_have_seeds_of_their_own() -> None:
    seat = Seat(agent_of(FIRST, Rounds()), Limits(1))
    other = replace(seat, alike=1)
    text = "step(select(sim, 0.4), mean)"
    assert seat_seed(9, Rounds(), [seat, other], 0, 4) == seed_of("seat", 9, "Rounds", text, f"{text}#2", 0, 4)
    assert seat_seed(9, Rounds(), [other, seat], 0, 4) == seed_of("seat", 9, "Rounds", f"{text}#2", text, 0, 4)


@pytest.mark.parametrize("stream", ["test", "train"])
def test_the_seeds_that_the_players_get(stream: Stream) -> None:
    seats = [Seat(agent_of(text, Rounds()), Limits(1)) for text in (FIRST, SECOND)]
    _, arena = played(Rounds(), block=3, seed=8, stream=stream)
    assert arena.seeds == [seat_seed(8, Rounds(), seats, role, 3, stream) for role in (0, 1)]


def test_a_match_is_a_pure_function() -> None:
    """Of block and seed; the budget decides nothing where the players do not look at it."""
    same, other = played(TicTacToe())[0], played(TicTacToe(), budget=7)[0]
    assert played(TicTacToe())[0] == same
    assert (other.choices, other.goals) == (same.choices, same.goals)
    assert len({played(TicTacToe(), block=block)[0].choices for block in range(10)}) > 5
    assert len({played(TicTacToe(), seed=seed)[0].choices for seed in range(10)}) > 5


def test_choices_are_places_among_the_legal_actions() -> None:
    """By hand: crosses take the left column from the top, noughts c1, the last of eight that are left, and b3."""
    joints = joints_of(TicTacToe(), start_of(TicTacToe(), 0), [0, 7, 2, 0, 3])
    assert joints == [(0, -1), (-1, 8), (3, -1), (-1, 1), (6, -1)]


def test_choices_of_another_game() -> None:
    with pytest.raises(DomainError) as error:
        joints_of(TicTacToe(), start_of(TicTacToe(), 0), [0, 8])
    assert str(error.value) == (
        "step 2 of the match that was kept is none of TicTacToe as it is now; the game has changed"
    )


@pytest.mark.parametrize("choices", [[], [0, 1]])
def test_choices_that_end_too_soon(choices: list[int]) -> None:
    with pytest.raises(DomainError, match="is none of Rounds as it is now"):
        joints_of(Rounds(), [], choices)


def test_three_roles() -> None:
    match, _ = played(Ring())
    assert len(match.goals) == len(match.simulations) == 3


def test_a_draw_by_length_is_a_draw() -> None:
    match, _ = played(DrawnByLength())
    assert (match.steps, match.goals) == (7, (0.5, 0.5))


WRONG: list[tuple[Domain, str]] = [
    (
        Endless(),
        "Endless goes on after 3 steps, the most it declares; raise its max_length, or make is_final true earlier",
    ),
    (
        Unordered(),
        "Unordered.actions_of must return a list; it returned a set, which has no order of its own; return sorted(…)",
    ),
    (
        Mute(),
        "Mute has a state without legal actions of o that is not final; there every role has at least one, if only "
        "NOOP, and is_final must be true exactly where none has any",
    ),
    (OneReward(), "OneReward.rewards returned 0.5; return a number for each of x, o"),
    (TooFewRewards(), "TooFewRewards.rewards returned (0.5,); return a number for each of x, o"),
]


@pytest.mark.parametrize(("game", "text"), WRONG, ids=[type(game).__name__ for game, _ in WRONG])
def test_what_a_game_does_wrong(game: Domain, text: str) -> None:
    with pytest.raises(DomainError) as error:
        played(game)
    assert str(error.value) == text


def test_kernels_without_a_bound_of_actions() -> None:
    class Unbounded(TicTacToe):
        max_actions = 0

    with pytest.raises(DomainError) as error:
        arena_of(Unbounded(), "compiled")
    assert str(error.value) == ("Unbounded has kernels but no max_actions; set it to the most actions a role can have")


def test_a_commit_that_is_not_legal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judged by the game, before anybody hears of it."""
    monkeypatch.setattr(RandomPlayer, "commit", lambda player: 7)
    arena = RandomArena(Rounds())
    with pytest.raises(DomainError) as error:
        play_match(Rounds(), arena, seats(Rounds(), FIRST, SECOND), 0)
    assert str(error.value) == (
        "Rounds.actions_of does not list 7 for x where the match stands, as it did in the search; it must list the "
        "same actions in the same order every time"
    )
    assert not [asked for asked in arena.notes.asked if asked[0] == "advance"]


@pytest.mark.parametrize("budget", [1, 3])
def test_a_budget_too_small_to_try_every_move(budget: int) -> None:
    """Of nine moves; the match comes to a lawful end all the same."""
    game = TicTacToe()
    match = play_match(game, ReferenceArena(game), seats(game, FIRST, SECOND, budget=budget), 0)
    assert len(joints_of(game, start_of(game, 0), match.choices)) == match.steps
    assert match.simulations == (budget * (match.steps + 1),) * 2


def test_more_simulations_win() -> None:
    """Of an agent beside itself with two, in every seating."""
    game, total = TicTacToe(), 0.0
    strong, weak = (Seat(agent_of(FIRST, game), Limits(budget)) for budget in (60, 2))
    for block in range(5):
        total += play_match(game, ReferenceArena(game), [strong, weak], block).goals[0]
        total += play_match(game, ReferenceArena(game), [weak, strong], block).goals[1]
    assert total >= 7.5

"""The trickier rules against naive twins that were written for the purpose."""

from itertools import combinations
from typing import Any

import pytest

from domains.games.battle import Battle
from domains.games.chinesecheckers import CELLS, EDGES, NAMES, ROWS, ChineseCheckers3
from domains.games.chinook import Chinook
from domains.games.quad import CORNERS, ON_BOARD, SIDE, SQUARES
from domains.protocol import NOOP
from domains.randomness import Random
from tests.domains.games import twins
from tests.domains.games.walking import Joint, random_joint, start

MATCHES = 20


def test_the_squares_of_quad() -> None:
    places = {cell: (cell % SIDE, cell // SIDE) for cell in range(SIDE**2)}
    found = {four for four in combinations(ON_BOARD, 4) if twins.is_square(tuple(places[cell] for cell in four))}
    assert {tuple(sorted(square)) for square in SQUARES} == found
    assert len(SQUARES) == len(found)


def test_the_squares_of_the_whole_board_are_196() -> None:
    through_corners = sum(
        twins.is_square(tuple((cell % SIDE, cell // SIDE) for cell in four))
        for four in combinations(range(SIDE**2), 4)
        if set(four) & set(CORNERS)
    )
    assert len(SQUARES) + through_corners == 196


def test_chinook() -> None:
    game, jumps = Chinook(), 0
    for seed in range(MATCHES):
        random, state, twin = Random(seed), start(game), twins.chinook_start()
        while not game.is_final(state):
            for role, name in enumerate(game.roles):
                assert game.actions_of(state, role) == twins.chinook_actions(twin, name)
            joint = random_joint(game, state, random)
            game.play_all(state, joint)
            before = len(twin[0])
            twin = twins.chinook_play(twin, joint)
            jumps += before - len(twin[0])
            men = {(cell % 8, cell // 8): game.roles[man] for cell, man in enumerate(state.board) if man >= 0}
            assert men == twin[0]
        assert twins.chinook_over(twin)
        assert game.rewards(state) == twins.chinook_rewards(twin)
    assert jumps > 50


def contact(game: Battle, state: Any, random: Random) -> Joint:
    """A joint move whose actions have to do with each other, if there is one among a few."""
    lists = [game.actions_of(state, role) for role in (0, 1)]
    joints = [tuple(actions[random.below(len(actions))] for actions in lists) for _ in range(30)]
    cells = [{cell for action in joint for cell in divmod(action, 64)} for joint in joints]
    enough = [joint for joint, touched in zip(joints, cells, strict=True) if len(touched) < 4 - has_defence(joint)]
    return enough[0] if enough else joints[0]


def has_defence(joint: Joint) -> bool:
    return any(action % 65 == 0 for action in joint)


@pytest.mark.parametrize("choose", [random_joint, contact])
def test_battle(choose: Any) -> None:
    game = Battle()
    for seed in range(MATCHES):
        random, state, twin = Random(seed), start(game), twins.battle_start()
        while not game.is_final(state):
            for role, name in enumerate(game.roles):
                assert game.actions_of(state, role) == twins.battle_actions(twin, name)
            joint = choose(game, state, random)
            game.play_all(state, joint)
            twin = twins.battle_play(twin, joint)
            armies = {
                name: {
                    (cell % 8, cell // 8): "king" if piece >= 2 else "pawn"
                    for cell, piece in enumerate(state.board)
                    if piece >= 0 and piece % 2 == role
                }
                for role, name in enumerate(game.roles)
            }
            assert (armies, dict(zip(game.roles, state.captures, strict=True)), state.step) == twin
        assert all(twins.battle_actions(twin, name) == [] for name in game.roles)


def test_chinese_checkers() -> None:
    game, pairs = ChineseCheckers3(), [[], [], []]  # type: ignore[var-annotated]
    for role, ways in enumerate(EDGES):
        for way in ways:
            pairs[role].append(dict(edge.split() for edge in way.split(",")))
    jumps = 0
    for seed in range(MATCHES):
        random, state = Random(seed), start(game)
        while not game.is_final(state):
            role = game.mover(state)
            occupied = {NAMES[cell] for cell, piece in enumerate(state.board) if piece >= 0}
            own = [NAMES[cell] for cell, piece in enumerate(state.board) if piece == role]
            expected = []
            for cell in own:
                targets = twins.checkers_moves(occupied, tuple(pairs[role]), cell)  # type: ignore[arg-type]
                expected += [CELLS * NAMES.index(cell) + NAMES.index(target) for target in targets]
                jumps += len(targets) > 2
            assert game.actions_of(state, role) == [*expected, NOOP]
            game.play_all(state, random_joint(game, state, random))
    assert jumps > 20


def test_edges_of_chinese_checkers_go_straight() -> None:
    """Each direction of each role is one direction on the star, and two roles' are never the same."""
    places = {
        f"{row}{column + 1}": (2 * column - width + 1, 2 * y)
        for y, (row, width) in enumerate(ROWS.items())
        for column in range(width)
    }
    directions = []
    for ways in EDGES:
        for way in ways:
            steps = {
                (places[to][0] - places[cell][0], places[to][1] - places[cell][1])
                for cell, to in (edge.split() for edge in way.split(","))
            }
            assert len(steps) == 1 and way.count(",") == 19
            directions.append(steps.pop())
    down_left, down_right, up_left, left, right, up_right = directions
    assert (down_left, down_right) == ((-1, 2), (1, 2))
    assert {up_left, left} == {(-1, -2), (-2, 0)}
    assert {right, up_right} == {(2, 0), (1, -2)}

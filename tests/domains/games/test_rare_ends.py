"""Positions written by hand: what random play hardly ever comes to."""

import numpy as np
import pytest

from domains.games.battle import LETTERS, Battle, BattlePosition
from domains.games.boards import EMPTY, Board, BoardPosition, set_of
from domains.games.breakthrough import Breakthrough
from domains.games.chinesecheckers import NAMES, TARGETS, ChineseCheckers3
from domains.games.chinook import Chinook
from domains.games.connect4 import Connect4
from domains.games.connect5 import Connect5
from domains.games.lines import LineGame
from domains.games.quad import SQUARES, Quad, QuadPosition, almost_has_square
from domains.games.tictactoe import TicTacToe
from domains.games.tictactoe3d import TicTacToe3D
from domains.protocol import NOOP, Domain, replay_all
from tests.domains.games.walking import look, look_compiled, play_compiled, start


def board_of(picture: str, letters: str) -> Board:
    """The board whose lowest row is the last line of the picture; a piece is the place of its letter."""
    rows = [row.split() for row in picture.strip().splitlines()]
    return [letters.find(letter) for row in reversed(rows) for letter in row]


def cell(name: str) -> int:
    return "abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1)


def move(text: str) -> int:
    """Such as a1b2; a1 alone defends; nothing passes."""
    names = [text[i : i + 2] for i in range(0, len(text), 2)]
    return 64 * cell(names[0]) + cell(names[-1]) if names else NOOP


def goals(name: str, game: Domain, state: object) -> tuple[int, ...]:
    """What the roles get in hundredths in a final state, as plain rules and kernels say."""
    seen = look(game, state)
    assert seen.final and seen.rewards is not None
    assert look_compiled(name, np.array(seen.words, np.uint64)) == seen
    return tuple(round(100 * reward) for reward in seen.rewards)


# Lines.


@pytest.mark.parametrize(("game", "lines"), [(TicTacToe, 8), (Connect4, 69), (TicTacToe3D, 76), (Connect5, 96)])
def test_how_many_lines_there_are(game: type[LineGame], lines: int) -> None:
    assert len(game.lines) == len({set_of(line) for line in game.lines}) == lines


def test_lines_in_space() -> None:
    """48 along the axes, 24 diagonals of layers and 4 of the cube, by how many coordinates change."""
    changing = [
        sum(len({cell // 4**axis % 4 for cell in line}) == 4 for axis in range(3)) for line in TicTacToe3D.lines
    ]
    assert [changing.count(number) for number in (1, 2, 3)] == [48, 24, 4]


def marks_in_turn(board: Board) -> list[tuple[int, int]]:
    """Joint moves that fill the board so."""
    both = zip(*([cell for cell, mark in enumerate(board) if mark == role] for role in (0, 1)), strict=True)
    return [joint for x, o in both for joint in ((x, NOOP), (NOOP, o))]


def test_connect_five_is_drawn_on_a_full_board() -> None:
    game = Connect5()
    board = [(x + 2 * y) // 2 % 2 for y in range(8) for x in range(8)]
    final = replay_all(game, start(game), marks_in_turn(board))
    assert final == board and EMPTY not in final
    assert goals("connect5", game, final) == (50, 50)


@pytest.mark.parametrize("cells", [range(5), range(2, 8), range(0, 37, 9), range(7, 40, 7)])
def test_connect_five_is_won_by_five_or_more(cells: range) -> None:
    game = Connect5()
    board = [0 if cell in cells else EMPTY for cell in range(64)]
    assert goals("connect5", game, board) == (100, 0)
    board = [1 if mark == 0 else mark for mark in board]
    assert goals("connect5", game, board) == (0, 100)


@pytest.mark.parametrize("cells", [range(4), range(4, 9), range(4, 37, 9), [0, 1, 2, 3, 5, 6, 7]])
def test_connect_five_goes_on_without(cells: list[int]) -> None:
    board = [0 if cell in cells else EMPTY for cell in range(64)]
    assert not look(Connect5(), board).final


# Quad: the picture is a whole board of 12 quads each. Random play meets two of these once in thousands of matches.

QUADS = {
    (50, 50): (
        """
        . o w o x . .
        x . . . . w x
        w x . . . x o
        x w o . . o o
        o . w w . w w
        o o x x x o .
        . o x o x x .
        """,
        [1, 1],
    ),
    (90, 10): (
        """
        . x o w o o .
        x . o . . x o
        o x . x o w .
        . . x . x x x
        . w w o w x o
        . . o x o o .
        . . . w x w .
        """,
        [2, 1],
    ),
    (10, 90): (
        """
        . x w o . o .
        x x w . o . x
        . w . x o o .
        x o . x x o o
        x . w . . w x
        o . o o o x x
        . w . . . w .
        """,
        [0, 3],
    ),
    (95, 5): (
        """
        . x . o o x .
        w x . . o o .
        . o . o . w o
        w x . x . . w
        x . w o o o x
        x o . x w x .
        . x o . . x .
        """,
        [1, 3],
    ),
}


@pytest.mark.parametrize("expected", QUADS)
def test_quad_without_a_square(expected: tuple[int, int]) -> None:
    picture, whites = QUADS[expected]
    board = board_of(picture, "xow")
    assert [board.count(piece) for piece in (0, 1, 2)] == [12, 12, 10 - sum(whites)]
    assert goals("quad", Quad(), QuadPosition(board, whites, 0)) == expected


def test_quad_counts_three_corners_for_x_alone() -> None:
    """Roles exchanged, it is o that has three corners of a square and an empty one, and x that has none."""
    picture, _ = QUADS[(95, 5)]
    board = board_of(picture, "oxw")
    assert not almost_has_square(board_of(QUADS[(50, 50)][0], "xow"), 0)
    assert almost_has_square(board, 1)
    for square in SQUARES:  # and now a white where x would have three
        corners = [board[cell] for cell in square]
        if corners.count(0) == 3 and EMPTY in corners:
            board[square[corners.index(EMPTY)]] = 2
    assert almost_has_square(board, 1)
    assert goals("quad", Quad(), QuadPosition(board, [2, 3], 0)) == (10, 90)


def test_quad_is_won_by_a_square_that_stands_askew() -> None:
    game = Quad()
    joints = []
    for x, o in zip((4, 14, 34), (1, 3, 5), strict=True):
        joints += [(x, NOOP), (NOOP, o)]
    final = replay_all(game, start(game), [*joints, (44, NOOP)])
    assert goals("quad", game, final) == (100, 0)


def test_quad_blocks_and_moves_again() -> None:
    game = Quad()
    state = replay_all(game, start(game), [(49 + cell, NOOP) for cell in (1, 2, 3, 4, 5)])
    assert (game.mover(state), state.whites) == (0, [0, 5])
    assert game.actions_of(state, 0) == [cell for cell in range(7, 48) if cell not in (42, 48)]


# Chinook.


def arriving(step: int) -> BoardPosition:
    """White is about to arrive from c7, black from e2."""
    board = [EMPTY] * 64
    board[cell("c7")], board[cell("e2")] = 0, 1
    return BoardPosition(board, step)


def test_chinook_is_won_by_both_at_once() -> None:
    game = Chinook()
    state = replay_all(game, arriving(4), [(move("c7d8"), move("e2d1"))])
    assert goals("chinook", game, state) == (100, 100)


def test_chinook_is_won_by_nobody_after_forty_steps() -> None:
    game = Chinook()
    state = replay_all(game, arriving(39), [(NOOP, NOOP)])
    assert goals("chinook", game, state) == (0, 0)


def test_chinook_goes_round_the_board() -> None:
    game, board = Chinook(), [EMPTY] * 64
    for name, piece in (("h2", 0), ("b2", 0), ("a3", 1), ("h4", 1), ("e6", 1)):
        board[cell(name)] = piece
    state = BoardPosition(board)
    assert [game.action_name(state, action) for action in game.actions_of(state, 0)] == [
        "b2–c3",
        "h2×b4",
        "h2–g3",
        "pass",
    ]
    assert game.actions_of(state, 1) == [move("e6f5"), move("e6d5"), NOOP]
    after = replay_all(game, state, [(move("h2b4"), NOOP)])
    assert (after.board[cell("a3")], after.board[cell("b4")], after.board[cell("h2")]) == (EMPTY, 0, EMPTY)


# Battle.


def fought(pieces: str, north: str, south: str, captures: tuple[int, int] = (0, 0), step: int = 0) -> tuple[str, ...]:
    """The pieces after one step, and the captures; a piece is its letter and its cell."""
    game, board = Battle(), [EMPTY] * 64
    for piece in [*pieces.split(), "na8", "sh1"]:
        board[cell(piece[1:])] = LETTERS.index(piece[0])
    state = BattlePosition(board, list(captures), step)
    joint = (move(north), move(south))
    for role in (0, 1):
        assert joint[role] in game.actions_of(state, role)
    _, encoded = game.encode(state)
    game.play_all(state, joint)
    play_compiled("battle", encoded, joint)
    assert look_compiled("battle", encoded) == look(game, state)
    left = [f"{LETTERS[piece]}{'abcdefgh'[i % 8]}{i // 8 + 1}" for i, piece in enumerate(state.board) if piece >= 0]
    left = [piece for piece in left if piece not in ("na8", "sh1")]
    return (*left, "{}:{}".format(*state.captures))


@pytest.mark.parametrize(
    ("pieces", "north", "south", "after"),
    [
        ("nd4 Sd5", "d4d3", "d5e6", ("nd3", "Se6", "0:0")),
        ("nd4 sd5", "d4d5", "d5d4", ("sd4", "nd5", "0:0")),  # they swap
        ("Nd4 sd5", "d4d5", "d5d4", ("sd4", "Nd5", "0:0")),  # a king and a pawn do
        ("nd4 sd6", "d4d5", "d6d5", ("0:0",)),  # both come to one cell
        ("nd4 Sd5", "d4d5", "d5", ("Sd5", "0:1")),  # into a defence
        ("Nd4 sd5", "d4", "d5d4", ("Nd4", "1:0")),
        ("nd4 sd5 se5", "d4d5", "d5d6", ("nd5", "se5", "sd6", "0:0")),  # to a cell that is left
        ("nd4 sd5 se5", "d4d5", "e5e6", ("nd5", "se6", "1:0")),  # to a piece that stays
        ("nd4 Sd5 se5", "d4d5", "e5", ("nd5", "se5", "1:0")),  # and another cell is defended
        ("nd4 nc5 sd5 se4", "c5d5", "e4d4", ("sd4", "nd5", "1:1")),  # both capture
    ],
)
def test_battle(pieces: str, north: str, south: str, after: tuple[str, ...]) -> None:
    assert fought(pieces, north, south) == after


def test_battle_ends_with_the_tenth_capture() -> None:
    game, board = Battle(), [EMPTY] * 64
    for name, piece in (("d4", 0), ("a8", 0), ("d5", 1), ("h1", 1)):
        board[cell(name)] = piece
    state = replay_all(game, BattlePosition(board, [9, 4], 7), [(move("d4d5"), move("h1"))])
    assert goals("battle", game, state) == (100, 40)


def test_battle_ends_without_pieces() -> None:
    game, board = Battle(), [EMPTY] * 64
    board[cell("d4")], board[cell("d5")] = 0, 1
    state = replay_all(game, BattlePosition(board, [2, 1], 7), [(move("d4d5"), move("d5"))])
    assert goals("battle", game, state) == (20, 20)
    state = replay_all(game, BattlePosition(board, [2, 1], 29), [(move("d4c4"), move("d5d6"))])
    assert goals("battle", game, state) == (20, 10)


# The others.


def test_breakthrough_is_won_by_the_last_piece() -> None:
    game, board = Breakthrough(), [EMPTY] * 64
    board[cell("d4")], board[cell("e5")] = 0, 1
    state = BoardPosition(board, 10)
    assert [game.action_name(state, action) for action in game.actions_of(state, 0)] == ["d4–d5", "d4×e5", "d4–c5"]
    assert goals("breakthrough", game, replay_all(game, state, [(move("d4e5"), NOOP)])) == (100, 0)
    assert goals("breakthrough", game, replay_all(game, BoardPosition(board, 11), [(NOOP, move("e5d4"))])) == (0, 100)


def test_chinese_checkers_values_what_everybody_reached() -> None:
    game, board = ChineseCheckers3(), [EMPTY] * 37
    for role, number in enumerate((2, 1, 3)):
        for target in TARGETS[role][:number]:
            board[target] = role
    board[NAMES.index("e3")] = 0
    assert goals("chinesecheckers", game, BoardPosition(board, 20)) == (50, 25, 100)
    board[TARGETS[2][0]] = EMPTY
    assert not game.is_final(BoardPosition(board, 20))
    assert goals("chinesecheckers", game, BoardPosition(board, 59)) == (50, 25, 50)

"""How many sequences of joint moves the games have, and what random play comes to."""

from math import sqrt

import numpy as np
import pytest
from numba.core import config

from domains.games.boards import EMPTY
from domains.games.tictactoe import TicTacToe
from domains.kernels import below, njit
from domains.protocol import NOOP, advance_all
from tests.domains.games.walking import game_and_kernels, perft, perft_compiled, start

# SplitMix64 wraps around on purpose; only with NUMBA_DISABLE_JIT=1 is that NumPy's business, which warns.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
INTERPRETED = bool(getattr(config, "DISABLE_JIT", False))

PERFT = {
    "tictactoe": [9, 72, 504, 3_024, 15_120, 54_720],
    "connect4": [7, 49, 343, 2_401, 16_807, 117_649, 823_536],
    "tictactoe3d": [64, 4_032, 249_984],
    "connect5": [64, 4_032, 249_984],
    "quad": [90, 7_920, 681_120],
    "breakthrough": [22, 484, 11_132],
    "knightthrough": [40, 1_600, 63_520],
    "chinook": [81, 6_561, 641_601],
    "battle": [1_936],
    "chinesecheckers": [7, 49, 343],
}
"""How many sequences of 1, 2, 3, … joint moves there are: of the first two games as in books; those of the others were
counted twice, by a program of its own beside one that read the rules as they are published."""
COUNTED_IN_PYTHON = 20_000
"""The largest count for which the plain rules are asked, too, and the kernels where they are interpreted."""

RANDOM_PLAY = {
    "tictactoe3d": (35.4, 45.7),
    "connect5": (45.9, 40.6),
    "quad": (30.2, 52.1),
    "breakthrough": (63.9, 25.7),
    "knightthrough": (33.7, 37.3),
    "chinook": (29.3, 10.2),
    "battle": (30.0, 52.9),
    "chinesecheckers": (54.3, 5.5),
}
"""The mean length of 10 000 random matches of that program, and the mean number of actions of a role with a choice."""
MATCHES = 10_000
ROUNDED = 0.05
"""How far off what is known may be because it is rounded."""


@pytest.mark.parametrize("name", PERFT)
def test_perft_of_the_kernels(name: str) -> None:
    game, _ = game_and_kernels(name)
    counts = [count for count in PERFT[name] if not INTERPRETED or count <= COUNTED_IN_PYTHON]
    _, state = game.encode(start(game))
    assert [perft_compiled(name, state, depth + 1) for depth in range(len(counts))] == counts


@pytest.mark.parametrize("name", PERFT)
def test_perft_of_the_plain_rules(name: str) -> None:
    game, _ = game_and_kernels(name)
    counts = [count for count in PERFT[name] if count <= COUNTED_IN_PYTHON]
    assert [perft(game, start(game), depth + 1) for depth in range(len(counts))] == counts


def random_play(name: str, matches: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of so many random matches the lengths, the choices there were, and the actions among which."""
    game, kernels = game_and_kernels(name)
    mover_of, actions_of, play, is_final = kernels.mover, kernels.actions, kernels.play, kernels.is_final
    roles, max_actions = len(game.roles), game.max_actions
    problem, initial = game.encode(start(game))

    @njit
    def run(random, lengths, choices, actions):  # type: ignore[no-untyped-def]
        out, joint, state = np.zeros(max_actions, np.int32), np.zeros(roles, np.int32), initial.copy()
        for i in range(len(lengths)):
            state[:] = initial
            while not is_final(state, problem):
                mover = mover_of(state, problem)
                for role in range(roles):
                    joint[role] = NOOP
                    if mover in (-1, role):
                        n = actions_of(state, problem, role, out)
                        joint[role] = out[below(random, n)]
                        choices[i] += n > 1
                        actions[i] += n if n > 1 else 0
                play(state, problem, joint)
                lengths[i] += 1

    lengths, choices, actions = np.zeros(matches), np.zeros(matches), np.zeros(matches)
    run(np.array([2024], np.uint64), lengths, choices, actions)
    return lengths, choices, actions


@pytest.mark.skipif(INTERPRETED, reason="10 000 matches take minutes uncompiled")
@pytest.mark.parametrize("name", RANDOM_PLAY)
def test_random_play(name: str) -> None:
    """Within the 95 % interval of the difference, and the rounding of what is known. The seed is fixed; with others up
    to one mean in 20 would be further off by chance."""
    known_length, known_actions = RANDOM_PLAY[name]
    lengths, choices, actions = random_play(name, MATCHES)
    error = float(np.std(lengths)) / sqrt(MATCHES)
    assert abs(float(np.mean(lengths)) - known_length) <= 1.96 * sqrt(2) * error + ROUNDED
    mean = float(np.sum(actions) / np.sum(choices))  # a ratio of two means over matches
    error = float(np.std(actions - mean * choices)) / sqrt(MATCHES) / float(np.mean(choices))
    assert abs(mean - known_actions) <= 1.96 * sqrt(2) * error + ROUNDED


def test_tic_tac_toe_is_a_draw() -> None:
    """By all lines of play, with what they come to written down once for each board."""
    game, known = TicTacToe(), {}

    def value(board: list[int]) -> float:
        """What crosses get with best play on both sides."""
        if game.is_final(board):
            return game.rewards(board)[0]
        if tuple(board) not in known:
            role = game.mover(board)
            joints = [(action, NOOP) if role == 0 else (NOOP, action) for action in game.actions_of(board, role)]
            values = [value(advance_all(game, game.copy(board), joint)) for joint in joints]
            known[tuple(board)] = max(values) if role == 0 else min(values)
        return known[tuple(board)]

    assert value([EMPTY] * 9) == 0.5
    assert len(known) == 4_520  # the boards that are not over, of 5 478 that can be reached

"""The compiled rules of SameGame against the Python ones, which `test_samegame.py` checks."""

from typing import Any

import numpy as np
import pytest
from numba.core import config

from domains.kernels import Kernels
from domains.randomness import Random
from domains.samegame import SameGame
from domains.samegame_board import Board
from tests.domains.samegame_twin import HOOKS, board_of, random_game
from tests.domains.test_checking import findings
from tests.domains.test_samegame import PERFT

# SplitMix64 wraps around on purpose; only with NUMBA_DISABLE_JIT=1 is that NumPy's business, which warns.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

SIZES = [
    (15, 15, 5),
    (7, 9, 3),  # six columns to a word, and four bits that are none
    pytest.param((5, 40, 2), marks=pytest.mark.slow),  # a column to a word
    pytest.param((31, 2, 2), marks=pytest.mark.slow),  # 21 columns to a word
    pytest.param((2, 2, 2), marks=pytest.mark.slow),
    pytest.param((20, 31, 9), marks=pytest.mark.slow),  # two columns fill a word; four planes
]


def kernels_of(domain: SameGame) -> Kernels:
    kernels = domain.kernels()
    assert kernels is domain.kernels()
    return kernels


def step_by_step(domain: SameGame, plain: Board, played: list[int]) -> None:
    kernels = kernels_of(domain)
    legal, numbers = np.zeros(domain.max_actions, np.int32), np.zeros(3)
    problem, state = domain.encode(plain)
    for action in [*played, None]:
        n = kernels.actions(state, problem, legal)
        assert legal[:n].tolist() == domain.actions(plain)
        assert state.tolist() == domain.encode(plain)[1].tolist()
        assert kernels.is_final(state, problem) == domain.is_final(plain)
        assert kernels.reward(state, problem) == domain.reward(plain)
        for one in legal[:n]:
            assert_said_alike(domain, kernels, plain, problem, state, one, numbers)
        assert_all_codes(domain, kernels, plain, problem, state, legal[:n])
        if action is not None:
            domain.play(plain, action)
            kernels.play(state, problem, np.int32(action))


def assert_said_alike(
    domain: SameGame, kernels: Kernels, plain: Board, problem: Any, state: Any, action: Any, numbers: Any
) -> None:
    """The code and the features; finding them changes nothing."""
    assert kernels.code is not None and kernels.feature is not None
    before = state.copy()
    assert kernels.code(state, problem, action) == domain.code(plain, int(action))
    numbers[:] = -1.0
    assert kernels.feature(state, problem, action, numbers) is None
    assert tuple(numbers.tolist()) == domain.feature(plain, int(action))
    assert (state == before).all()


def assert_all_codes(domain: SameGame, kernels: Kernels, plain: Board, problem: Any, state: Any, legal: Any) -> None:
    """All at once, and of some of them."""
    assert kernels.codes is not None
    before, codes = state.copy(), np.full(domain.max_actions, -1, np.int64)
    for listed in (legal, legal[::-2].copy()):
        kernels.codes(state, problem, listed, len(listed), codes)
        assert codes[: len(listed)].tolist() == [domain.code(plain, int(action)) for action in listed]
    assert (state == before).all()


@pytest.mark.parametrize("size", SIZES)
def test_the_kernels_agree_step_by_step(size: tuple[int, int, int]) -> None:
    domain = SameGame(*size)
    for seed in range(2 if size == (15, 15, 5) else 4):
        initial = domain.sample(Random(seed))
        step_by_step(domain, initial, random_game(domain, initial, seed))


def test_groups_of_all_shapes() -> None:
    """All on one size of board, moved to every place where they cross from one word to the next or do not."""
    domain = SameGame(15, 15, 5)
    for rows, _ in HOOKS.values():
        for columns_before in range(15 - len(rows[0]) + 1):
            filling = [[4, 5][:: 1 if x % 2 else -1] for x in range(columns_before)]
            for raised in (0, 15 - len(rows)):
                columns = [[3, 4][(x + y) % 2] for x in range(len(rows[0])) for y in range(raised)]
                below = [columns[x * raised :][:raised] for x in range(len(rows[0]))]
                placed = [one + other for one, other in zip(below, board_of(*rows).columns, strict=True)]
                initial = Board(filling + placed, 0)
                for action in domain.actions(initial):
                    step_by_step(domain, domain.copy(initial), [action])


@pytest.mark.parametrize("rows", PERFT)
def test_perft_of_the_kernels(rows: tuple[str, ...]) -> None:
    domain = SameGame(7, 9, 3)  # with room beside and above
    kernels = kernels_of(domain)
    problem, initial = domain.encode(board_of(*rows))

    def perft(state: np.ndarray, depth: int) -> int:
        legal = np.zeros(domain.max_actions, np.int32)
        n = int(kernels.actions(state, problem, legal))
        if depth == 1:
            return n
        total = 0
        for action in legal[:n]:
            after = state.copy()
            kernels.play(after, problem, action)
            total += perft(after, depth - 1)
        return total

    assert [perft(initial, depth + 1) for depth in range(len(PERFT[rows]))] == PERFT[rows]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("length", "limit"), [(0, 0), (0, 1), (0, 7), (2, 2), (2, 9), (0, None), (3, None)])
def test_the_playout_is_the_plain_loop_draw_for_draw(
    size: tuple[int, int, int], length: int, limit: int | None
) -> None:
    domain = SameGame(*size)
    playout = kernels_of(domain).playout
    assert playout is not None
    limit = domain.max_length + length if limit is None else limit
    for seed in range(5):
        plain, random, words = domain.sample(Random(seed)), Random(seed + 100), np.array([seed + 100], np.uint64)
        problem, state = domain.encode(plain)
        expected: list[int] = []
        while length + len(expected) < limit and (legal := domain.actions(plain)):
            expected.append(legal[random.below(len(legal))])
            domain.play(plain, expected[-1])
        sequence = np.full(domain.max_length + length, -1, np.int32)
        assert playout(state, problem, words, sequence, length, limit) == length + len(expected)
        assert sequence[:length].tolist() == [-1] * length
        assert sequence[length:][: len(expected)].tolist() == expected
        assert set(sequence[length + len(expected) :].tolist()) <= {-1}
        assert int(words[0]) == random.state
        assert state.tolist() == domain.encode(plain)[1].tolist()


def test_a_cleared_board_and_one_of_one_colour() -> None:
    domain = SameGame(7, 9, 3)
    kernels = kernels_of(domain)
    problem, state = domain.encode(Board([[3] * 9 for _ in range(7)], 0))
    legal = np.zeros(domain.max_actions, np.int32)
    assert kernels.actions(state, problem, legal) == 1 and legal[0] == 0
    kernels.play(state, problem, legal[0])
    assert kernels.is_final(state, problem) and kernels.reward(state, problem) == (61**2 + 1000) / 5000


@pytest.mark.skipif(bool(getattr(config, "DISABLE_JIT", False)), reason="10 000 playouts take minutes uncompiled")
def test_random_play() -> None:
    """Schadd et al. count 64.4 moves in an average game. Here, over 100 000 playouts on 1 000 boards: 64.2 moves and
    115 points; the boards' means are 2.8 and 95 apart, so those of 200 boards 0.2 and 7 (standard deviations)."""
    domain, words = SameGame(), np.array([1], np.uint64)
    kernels, sequence, random = kernels_of(domain), np.zeros(domain.max_length, np.int32), Random(2)
    assert kernels.playout is not None
    lengths, scores = [], []
    for _ in range(200):
        problem, initial = domain.encode(domain.sample(random))
        for _ in range(50):
            state = initial.copy()
            lengths.append(kernels.playout(state, problem, words, sequence, 0, domain.max_length))
            scores.append(5000 * kernels.reward(state, problem))
    assert abs(np.mean(lengths) - 64.2) < 0.8
    assert abs(np.mean(scores) - 115) < 28


def test_nothing_is_wrong_with_it() -> None:
    assert findings(SameGame(7, 9, 3), 5, 10) == []

"""The compiled symbolic regression against the plain one: every legal move, every draw, every bit of a reward."""

import math
from pathlib import Path

import numpy as np
import pytest

from domains.kernels import Kernels, below
from domains.portable_math import bits_of
from domains.randomness import Random
from domains.regression import OPERANDS, OPERATORS, STOP, Regression, State, Target
from domains.regression_kernels import BLOCK, EXPANDABLE, PADDED, SYMBOLS, problem_array
from tests.domains.test_regression import PERFT, actions_of, random_sequence, start

LENGTHS = [1, 2, 3, 4, 7, 11, 21]


def points(count: int) -> Target:
    random = Random(count)
    xs = [random.uniform(-3.0, 3.0) for _ in range(count)]
    return Target(f"{count} points", tuple(xs), tuple(random.uniform(-2.0, 2.0) for _ in range(count)))


def reward_of(domain: Regression, kernels: Kernels, state: State) -> float:
    problem, encoded = domain.encode(state)
    with np.errstate(all="ignore"):
        return float(kernels.reward(encoded, problem))


def assert_same_reward(domain: Regression, state: State) -> None:
    plain, compiled = domain.reward(state), reward_of(domain, domain.kernels(), state)
    assert bits_of(plain) == bits_of(compiled), (plain, compiled, state.symbols, state.target.name)


@pytest.mark.parametrize("length", LENGTHS)
def test_the_same_moves_step_by_step(length: int) -> None:
    domain, random = Regression(length), Random(length)
    kernels = domain.kernels()
    out = np.zeros(domain.max_actions, np.int32)
    for _ in range(100):
        state = start(domain)
        problem, encoded = domain.encode(state)
        while True:
            legal = domain.actions(state)
            assert out[: kernels.actions(encoded, problem, out)].tolist() == legal
            assert kernels.is_final(encoded, problem) == domain.is_final(state) == (not legal)
            assert encoded.tolist() == domain.encode(state)[1].tolist()
            if not legal:
                break
            action = legal[random.below(len(legal))]
            domain.play(state, action)
            kernels.play(encoded, problem, action)


@pytest.mark.parametrize("length", PERFT)
def test_perft_of_the_kernels(length: int) -> None:
    domain = Regression(length)
    kernels = domain.kernels()
    problem, initial = domain.encode(start(domain))

    def perft(state: np.ndarray) -> int:
        legal = np.zeros(domain.max_actions, np.int32)
        n = kernels.actions(state, problem, legal)
        count = 0
        for action in legal[:n]:
            following = state.copy()
            kernels.play(following, problem, action)
            count += perft(following)
        return count or 1

    assert perft(initial) == PERFT[length]


@pytest.mark.parametrize("targets", ["train", "robustness"])
@pytest.mark.parametrize("length", LENGTHS)
def test_the_same_rewards(length: int, targets: str) -> None:
    domain, random = Regression(length, set=targets), Random(100 + length)
    for i in range(40 if length <= 2 else 300):
        assert_same_reward(domain, random_sequence(domain, random, i % 8))


@pytest.mark.parametrize("count", [1, 2, 7, 8, 9, 24, 63, 64, 65, 130, 1100])
def test_the_same_rewards_on_any_number_of_points(count: int) -> None:
    domain, random = Regression(21), Random(count)
    domain.targets = (points(count),)
    for _ in range(max(3, 3000 // (count + 20))):
        assert_same_reward(domain, random_sequence(domain, random))


def test_blocks_and_leaf_rows_follow_the_number_of_points_and_the_length() -> None:
    shapes = {}
    for count, length in [(20, 11), (64, 11), (65, 11), (1100, 11), (20, 511), (1, 1)]:
        problem = problem_array(points(count), length)
        shapes[count, length] = tuple(problem[[PADDED, BLOCK, EXPANDABLE]].astype(int).tolist())
    assert shapes == {
        (20, 11): (24, 24, 10),
        (64, 11): (64, 64, 10),
        (65, 11): (128, 64, 10),
        (1100, 11): (1152, 64, 2),
        (20, 511): (24, 8, 10),
        (1, 1): (8, 8, 10),
    }


def test_the_deepest_stack_of_the_longest_sequence() -> None:
    domain = Regression(511)
    domain.targets = (points(20),)
    state = start(domain)
    for symbol in [OPERANDS[0]] * 256 + [OPERATORS[i % 3] for i in range(255)]:
        assert symbol in domain.actions(state)
        domain.play(state, symbol)
    assert_same_reward(domain, state)


@pytest.mark.parametrize(
    "sequence",
    [
        "x exp exp exp sin stop",  # arguments up to 4 million, beyond the reduction with three constants
        "x exp exp exp 1 + cos stop",
        "1 exp exp exp x + sin stop",
        "x x - 1 exp exp exp + sin stop",  # a constant row of huge arguments
        "x 1 + exp exp exp x - cos stop",
        "1 x x - / sin stop",  # infinite
        "x x - x x - / cos exp stop",  # nan
        "1 1 - 1 - x x - * 1 / log stop",  # the logarithm of -0
        "1 1 1 1 - 1 - x x - * / - stop",  # 1 / -0
        "x sin cos log exp stop",
        "1 sin cos log exp stop",
        "x log log log log x * stop",
        "x 1 sin cos / 1 log x exp exp * - stop",
        "x x sin exp + x cos log - x log sin * stop",
    ],
)
def test_the_same_rewards_in_strange_places(sequence: str) -> None:
    for count in (3, 20, 130):
        domain = Regression(21)
        domain.targets = (points(count), Regression().targets[6])
        for target in (0, 1):
            state = start(domain, target)
            for action in actions_of(sequence):
                domain.play(state, action)
            assert_same_reward(domain, state)


def test_a_row_with_huge_arguments_among_all_others() -> None:
    """Such a row is gone through point by point: infinities, zeros of both signs, equal neighbours."""
    domain = Regression()
    xs = (0.0, -0.0, 0.0, 1e300, 1e300, -1e300, 5.0, -0.0)
    domain.targets = (Target("row", xs, (0.25,) * 8), Target("infinite first", (0.0, 0.0, 1e-300), (0.25,) * 3))
    for target, sequence in [
        (0, "x 1 * sin 1 exp - stop"),
        (0, "1 x 1 * sin / exp 1 - stop"),
        (1, "1 x / cos 1 + stop"),
    ]:
        state = start(domain, target)
        for action in actions_of(sequence):
            domain.play(state, action)
        assert_same_reward(domain, state)
    assert domain.score(state) == pytest.approx((0.25 + 0.25 + abs(math.cos(1.0 / 1e-300) + 0.75)) / 3)


def test_0_and_minus_0_have_leaf_rows_of_their_own() -> None:
    domain = Regression()
    domain.targets = (Target("zeros", (0.0, -0.0), (1.0, 1.0)),)
    state = start(domain)
    for action in actions_of("1 x sin / exp stop"):  # exp(inf) and exp(-inf): the second is finite
        domain.play(state, action)
    assert domain.score(state) == 1.0
    assert_same_reward(domain, state)
    for action in actions_of("1 -"):
        domain.play(state, action)
    assert_same_reward(domain, state)


def generic_playout(
    kernels: Kernels, state: np.ndarray, problem: np.ndarray, random: np.ndarray, length: int, limit: int
) -> list[int]:
    out = np.zeros(11, np.int32)
    played: list[int] = []
    while length + len(played) < limit and (n := kernels.actions(state, problem, out)):
        action = int(out[below(random, n)])
        kernels.play(state, problem, action)
        played.append(action)
    return played


@pytest.mark.parametrize("length", LENGTHS)
def test_a_playout_is_the_generic_loop_draw_for_draw(length: int) -> None:
    domain = Regression(length)
    kernels = domain.kernels()
    assert kernels.playout is not None
    problem, initial = domain.encode(start(domain))
    fast_random, slow_random = np.array([7], np.uint64), np.array([7], np.uint64)
    sequence = np.zeros(length, np.int32)
    cut = 0
    for i in range(400):
        state, twin = initial.copy(), initial.copy()
        with np.errstate(over="ignore"):
            prefix = generic_playout(kernels, state, problem, fast_random, 0, i % (length + 1))
            assert generic_playout(kernels, twin, problem, slow_random, 0, i % (length + 1)) == prefix
            limit = max(len(prefix), length - i % 3)
            played = kernels.playout(state, problem, fast_random, sequence, len(prefix), limit)
            expected = generic_playout(kernels, twin, problem, slow_random, len(prefix), limit)
        assert sequence[len(prefix) : played].tolist() == expected
        assert played == len(prefix) + len(expected)
        assert state.tolist() == twin.tolist()
        assert fast_random[0] == slow_random[0]
        cut += not kernels.is_final(state, problem)
    assert length == 1 or cut > 0


def test_an_encoded_state_may_be_under_way() -> None:
    domain = Regression(5)
    state = start(domain)
    for action in actions_of("x x sin"):
        domain.play(state, action)
    problem, encoded = domain.encode(state)
    assert encoded.dtype == np.int32 and encoded.tolist() == [2, 2, 3, 0, 0, 6, 0, 0]
    assert encoded.shape == (SYMBOLS + 5,)
    assert domain.encode(start(domain))[0] is problem


def test_playing_stop_keeps_the_symbols(tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text("1,1\n2,2\n3,3\n")
    domain = Regression(data=str(tmp_path / "points.csv"))
    kernels = domain.kernels()
    problem, encoded = domain.encode(domain.sample(Random(1)))
    kernels.play(encoded, problem, OPERANDS[0])
    kernels.play(encoded, problem, STOP)
    assert encoded.tolist()[:4] == [0, 1, 1, 0]
    assert kernels.reward(encoded, problem) == 1.0

"""The compiled small games against the plain ones, which `test_small_games.py` checks."""

from fractions import Fraction
from itertools import product
from math import factorial, sqrt

import numpy as np
import pytest
from numba.core import config

from domains.randomness import Random
from domains.registry import find_domain
from domains.statespace import VALUES
from domains.sudoku_simple import GIVEN, UNITS
from tests.domains.small_games_twins import TWINS
from tests.domains.test_checking import findings
from tests.domains.test_small_games import OPTIMUM, PERFT, random_game, solving, start

# SplitMix64 wraps around on purpose; only with NUMBA_DISABLE_JIT=1 is that NumPy's business, which warns.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
INTERPRETED = bool(getattr(config, "DISABLE_JIT", False))

every_game = pytest.mark.parametrize("name", TWINS)

SPECIAL_GAMES = {
    "sudoku_simple": [solving()],
    "statespace": [[int(way) for way in listed.ljust(14, "4")] for listed in VALUES],
    "queens": [[19, 3, 25, 37, 49, 50, 62, 74, 86, 98]],
    "pancakes": [OPTIMUM, [1] * 31 + OPTIMUM, [1] * 32 + OPTIMUM],
    "knights": [[place for place in range(64) if (place // 8 + place % 8) % 2] + [0]],
    "frogs": [],
}
"""Games as random play does not find them."""


@every_game
def test_perft_of_the_kernels(name: str) -> None:
    domain = find_domain(name)
    rules = domain.kernels()
    assert rules is not None
    problem, initial = domain.encode(start(domain))

    def perft(state: np.ndarray, depth: int) -> int:
        legal = np.zeros(domain.max_actions, np.int32)
        n = int(rules.actions(state, problem, legal))
        if depth == 1:
            return n
        total = 0
        for action in legal[:n]:
            after = state.copy()
            rules.play(after, problem, action)
            total += perft(after, depth - 1)
        return total

    counts = PERFT[name][: 2 if INTERPRETED else None]
    assert [perft(initial, depth + 1) for depth in range(len(counts))] == counts


@every_game
def test_the_kernels_agree_step_by_step(name: str) -> None:
    domain = find_domain(name)
    rules = domain.kernels()
    assert rules is not None
    legal = np.zeros(domain.max_actions, np.int32)
    for played in [*SPECIAL_GAMES[name], *(random_game(domain, seed) for seed in range(10))]:
        plain = start(domain)
        problem, state = domain.encode(plain)
        for action in [*played, None]:
            n = rules.actions(state, problem, legal)
            assert legal[:n].tolist() == domain.actions(plain)
            assert rules.is_final(state, problem) == domain.is_final(plain)
            assert state.tolist() == domain.encode(plain)[1].tolist()
            if domain.values_unfinished or n == 0:
                assert rules.reward(state, problem) == domain.reward(plain)
            if action is not None:
                domain.play(plain, action)
                rules.play(state, problem, action)
        assert n == 0


@every_game
def test_the_playout_is_the_plain_loop_draw_for_draw(name: str) -> None:
    domain = find_domain(name)
    rules = domain.kernels()
    assert rules is not None and rules.playout is not None
    for seed, limit in product(range(20), (0, 1, 7, domain.max_length)):
        random, plain = Random(seed), start(domain)
        problem, state = domain.encode(plain)
        fused_random = np.array([seed], np.uint64)
        actions: list[int] = []
        sequence, length = np.full(domain.max_length, -1, np.int32), 0
        for stop in (limit // 2, limit):  # the second playout continues the first
            while not domain.is_final(plain) and len(actions) < stop:
                legal = domain.actions(plain)
                actions.append(legal[random.below(len(legal))])
                domain.play(plain, actions[-1])
            length = rules.playout(state, problem, fused_random, sequence, length, stop)
            assert sequence[:length].tolist() == actions
            assert (sequence[length:] == -1).all()
            assert fused_random[0] == random.state
            assert state.tolist() == domain.encode(plain)[1].tolist()


def random_play(name: str, playouts: int) -> tuple[np.ndarray, np.ndarray]:
    """The scores and the lengths of so many random playouts."""
    domain = find_domain(name)
    rules = domain.kernels()
    assert rules is not None and rules.playout is not None
    problem, initial = domain.encode(start(domain))
    random, sequence = np.array([2014], np.uint64), np.zeros(domain.max_length, np.int32)
    state = initial.copy()
    scores, lengths = np.zeros(playouts), np.zeros(playouts)
    for i in range(playouts):
        state[:] = initial
        lengths[i] = rules.playout(state, problem, random, sequence, 0, domain.max_length)
        scores[i] = 100 * rules.reward(state, problem)
    return scores, lengths


def error_of_mean(values: np.ndarray) -> float:
    return float(np.std(values)) / sqrt(len(values))


@pytest.mark.skipif(INTERPRETED, reason="100 000 playouts take minutes uncompiled")
@pytest.mark.parametrize(
    ("name", "known", "error", "known_length"),
    [
        ("sudoku_simple", 2.47, 0.01, 21),
        ("statespace", 2.974, 0.0005, 14),
        ("queens", 0.25, 0.005, 10),
        ("pancakes", 0.016, 0.0005, None),
        ("knights", 4.30, 0.005, 5.3),
        ("frogs", 6.4365, 0.0046, 116),  # measured here, over a million playouts
    ],
)
def test_the_mean_score_of_random_play(name: str, known: float, error: float, known_length: float | None) -> None:
    """Within 4 standard errors and the error of what is known: one seed in 16 000 would fail by chance."""
    scores, lengths = random_play(name, 100_000)
    assert abs(np.mean(scores) - known) < 4 * error_of_mean(scores) + error
    if known_length is not None:
        assert abs(np.mean(lengths) - known_length) <= 4 * error_of_mean(lengths) + 0.05


@pytest.mark.skipif(INTERPRETED, reason="100 000 playouts take minutes uncompiled")
def test_the_mean_score_of_random_play_where_it_can_be_computed() -> None:
    """A unit with k blanks is completed by k! of 9**k; a listed path is begun by one in 4**length, and counts unless a
    longer one is begun too. That all units are complete is left out: one in 9**21."""
    blanks = [sum(not GIVEN[cell] for cell in unit) for unit in UNITS]
    sudoku = sum(Fraction(3 * factorial(k), 9**k) for k in blanks)
    paths = Fraction(0)
    for listed, value in VALUES.items():
        shorter = [other for other in VALUES if other != listed and listed.startswith(other)]
        gained = value - VALUES[max(shorter, key=len)] if shorter else value
        paths += Fraction(gained, 4 ** len(listed))
    assert (round(float(sudoku), 4), round(float(paths), 4)) == (2.4752, 2.9743)
    for name, exact in (("sudoku_simple", sudoku), ("statespace", paths)):
        scores, _ = random_play(name, 100_000)
        assert abs(np.mean(scores) - float(exact)) < 4 * error_of_mean(scores)


@every_game
def test_nothing_is_wrong_with_them(name: str) -> None:
    """Random play hardly ever sorts the pancakes, so that the check may find their rewards all alike, at 0."""
    allowed = {"small-span"} if name == "pancakes" else set()
    assert {finding.name for finding in findings(find_domain(name), 5, 20)} <= allowed

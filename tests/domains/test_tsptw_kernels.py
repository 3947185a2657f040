"""The travelling salesman with time windows, compiled, against the plain one, which `test_tsptw.py` checks."""

from pathlib import Path

import numpy as np
import pytest

from domains.problems import problem
from domains.randomness import Random
from domains.tsptw import Trip, Tsptw, start
from domains.tsptw_problems import Customers

# SplitMix64 wraps around on purpose; only with NUMBA_DISABLE_JIT=1 is that NumPy's business, which warns.
pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

DOMAINS = [
    Tsptw(cities=1),
    Tsptw(cities=7, width=10),
    Tsptw(cities=20),
    Tsptw(cities=20, prune=False, penalty=3.7),
    Tsptw(cities=70, width=40, penalty=1e6),
]


def fractions(seed: int, nodes: int = 12) -> Customers:
    """A problem with ways that do not add up exactly, and detours that are shorter than the way straight on."""
    random = Random(seed)
    travel = [[random.uniform01() * 30 for _ in range(nodes)] for _ in range(nodes)]
    for a in range(nodes):
        travel[a][a] = 0.0
    opens = [random.uniform01() * 200 for _ in range(nodes)]
    closes = [early + random.uniform01() * 40 for early in opens]
    return Customers(tuple(map(tuple, travel)), (1.1, *opens[1:]), (250.0, *closes[1:]))


def assert_agrees(domain: Tsptw, plain: Trip, seed: int) -> None:
    """Along a random tour: actions, states, codes and features, and the reward in the end."""
    rules, random = domain.kernels(), Random(seed)
    assert rules.code is not None and rules.feature is not None
    legal = np.zeros(plain.customers.nodes - 1, np.int32)
    numbers = np.zeros(len(domain.features))
    given, state = domain.encode(plain)
    assert given.dtype == state.dtype == np.float64
    given.setflags(write=False)
    while True:
        n = rules.actions(state, given, legal)
        assert legal[:n].tolist() == domain.actions(plain)
        assert rules.is_final(state, given) == domain.is_final(plain) == (n == 0)
        assert state.tobytes() == domain.encode(plain)[1].tobytes()
        before = state.copy()
        for action in legal[:n]:
            numbers.fill(-7.0)
            rules.feature(state, given, action, numbers)
            assert tuple(numbers) == domain.feature(plain, int(action))
            assert rules.code(state, given, action) == domain.code(plain, int(action))
        assert (state == before).all()
        if n == 0:
            break
        action = legal[random.below(int(n))]
        domain.play(plain, int(action))
        rules.play(state, given, action)
    assert rules.reward(state, given) == domain.reward(plain)


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
def test_the_kernels_agree_step_by_step(domain: Tsptw) -> None:
    for k in range(4):
        assert_agrees(domain, problem(domain, k), k)


@pytest.mark.parametrize("prune", [True, False])
def test_they_agree_where_numbers_have_fractions(prune: bool) -> None:
    domain = Tsptw(cities=11, penalty=12.3, prune=prune)
    for seed in range(20):
        assert_agrees(domain, start(fractions(seed)), seed)


def test_they_agree_on_an_instance(tmp_path: Path) -> None:
    file = tmp_path / "instance.txt"
    file.write_text("4\n0 4 9 5\n6 0 3 8.25\n7 2 0 1\n5 10 4 0\n2 24\n10 12\n0 13\n0 13.5\n")
    domain = Tsptw(path=file)
    for seed in range(10):
        assert_agrees(domain, domain.load(file), seed)


def test_a_problem_in_the_middle_can_be_encoded() -> None:
    """A tour can be continued by the kernels from wherever it stands."""
    domain = Tsptw(cities=9)
    trip = problem(domain, 3)
    for _ in range(4):
        domain.play(trip, domain.actions(trip)[-1])
    assert_agrees(domain, trip, 5)

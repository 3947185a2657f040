"""adapt, guided and puct: the definition beside the naive search and beside Rosin's pseudo-code."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.problems import problem
from domains.registry import find_domain
from mcsgrammar.engines.searching import SemanticsName
from mcsgrammar.language.expressions import Component
from tests.engines.naive import NaiveSearch
from tests.engines.rosin import Rosin
from tests.engines.running import internals_of_reference, untimed
from tests.engines.strategies import MEMORY, SEEDS, SEMANTICS, learning
from tests.engines.toys import (
    CODES,
    FEATURES,
    CodedTreeGame,
    Errand,
    grown,
    tree_code,
    tree_feature,
    tree_play,
)
from tests.engines.unfinished import look
from tests.language.strategies import deterministic

found = cache(find_domain)


def assert_naive(
    domain: Any, initial: Any, expression: Component, budget: int, seed: int, semantics: SemanticsName, max_nodes: int
) -> None:
    """The definition and the naive search come to the same result, and hold the same in the end."""
    looked = look(domain, str(expression), budget, seed=seed, max_nodes=max_nodes, semantics=semantics, initial=initial)
    naive = NaiveSearch(domain, initial, seed, semantics == "maes2013", max_nodes)
    assert naive.result(expression, budget) == untimed(looked.result)
    assert naive.random.state == looked.search.random.state
    assert naive.codes == looked.search.playouts.teaching.known
    counted = [{path: node[:2] for path, node in tree.items()} for tree in internals_of_reference(looked.search).trees]
    assert [{path: (n.visits, n.total) for path, n in tree.items()} for tree in naive.trees.values()] == counted


@pytest.mark.parametrize("coded", CODES)
def test_the_naive_search_agrees_on_toys(coded: str) -> None:
    @deterministic(300)
    @given(learning(FEATURES), st.integers(0, 30), SEEDS, st.integers(0, 60), MEMORY, SEMANTICS)
    def check(
        expression: Component, tree: int, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
    ) -> None:
        game = CodedTreeGame(grown(tree), coded=coded)
        assert_naive(game, game.sample(None), expression, budget, seed, semantics, max_nodes)

    check()


@pytest.mark.parametrize("name", ["errand", "sudoku:2", "regression:length=3"])
def test_the_naive_search_agrees(name: str) -> None:
    domain = Errand() if name == "errand" else found(name)

    @deterministic(60)
    @given(learning(), st.integers(0, 50), SEEDS, st.integers(0, 25), MEMORY, SEMANTICS)
    def check(
        expression: Component, number: int, seed: int, budget: int, max_nodes: int, semantics: SemanticsName
    ) -> None:
        assert_naive(domain, problem(domain, number), expression, budget, seed, semantics, max_nodes)

    check()


# Rosin's pseudo-code.


@pytest.mark.parametrize(("level", "iterations"), [(1, 1), (1, 40), (2, 2), (2, 7), (3, 2), (3, 4)])
@pytest.mark.parametrize("alpha", [1.0, 0.5])
@pytest.mark.parametrize("name", ["merging", "hashed", "errand", "sudoku:2", "regression"])
def test_nrpa_is_rosins(name: str, alpha: float, level: int, iterations: int) -> None:
    game = name in CODES
    for seed in range(6 if game else 2):
        domain = CodedTreeGame(grown(seed, 6), coded=name) if game else Errand() if name == "errand" else found(name)
        initial = domain.sample(None) if isinstance(domain, CodedTreeGame) else problem(domain, seed)
        budget = iterations**level
        looked = look(domain, f"nrpa({level}, {iterations}, {alpha})", budget, seed=seed, initial=initial)
        rosin = Rosin(domain, initial, seed, iterations, alpha)
        reward, sequence = rosin.nrpa(level, {})
        assert (reward, tuple(sequence)) == (looked.result.reward, looked.result.actions)
        assert (len(rosin.evaluated), rosin.random.state) == (budget, looked.search.random.state)
        # And a second time, from zero weights on; nothing but the best is kept.
        again, _ = rosin.nrpa(level, {})
        twice = look(domain, f"nrpa({level}, {iterations}, {alpha})", 2 * budget, seed=seed, initial=initial)
        assert twice.result.reward == max(reward, again)
        assert rosin.random.state == twice.search.random.state
        assert all(twice.result.best_at(n) in (None, max(rosin.evaluated[:n])) for n in range(1, 2 * budget + 1))


# The toy itself.


@pytest.mark.parametrize("coded", CODES)
def test_the_kernels_of_the_toy_say_what_its_methods_say(coded: str) -> None:
    codes = set()
    for seed in range(12):
        game = CodedTreeGame(grown(seed, 4), coded=coded)
        place = game.sample(None)
        numbers, state = game.encode(place)
        left = [(place, state)]
        while left:
            place, state = left.pop()
            for action in game.actions(place):
                codes.add(game.code(place, action))
                assert tree_code(state, numbers, action) == game.code(place, action)
                given_features = np.zeros(len(FEATURES))
                tree_feature(state, numbers, action, given_features)
                assert list(given_features) == game.feature(place, action)
                following = state.copy()
                tree_play(following, numbers, action)
                left.append((game.play(place, action), following))
    assert max(codes) > {"high": 2**41, "hashed": 2**62}.get(coded, 0)
    assert min(codes) < -(2**62) or coded != "hashed"

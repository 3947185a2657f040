"""Every discrete tuner against its naive twin, draw for draw."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domains.randomness import Random
from mcsgrammar.language.tuners import (
    EvolutionaryAlgorithm,
    LinearSideInformation,
    Mab,
    NaiveMonteCarlo,
    Ntbea,
    RandomTuner,
    Tuner,
)
from mcsgrammar.tuning.space import Space
from tests.language.strategies import deterministic
from tests.tuning import naive_tuners
from tests.tuning.naive_tuners import Tuning
from tests.tuning.scripted import made
from tests.tuning.strategies import spaces

Pair = tuple[Tuner, Callable[[Space, Random], Tuning]]

STEPS = 60

ROUNDED = st.sampled_from((0.0, 0.25, 0.5, 1.0))
"""Few different rewards, so that there are ties."""
REWARDS = st.lists(ROUNDED | st.floats(0, 1), min_size=STEPS, max_size=STEPS) | st.just([0.0] * STEPS)
CONSTANTS = st.sampled_from((0.0, 0.2, 0.7, 1.0, 5.0))
CHANCES = st.sampled_from((0.0, 0.3, 0.75, 1.0))


def uniform(data: st.DataObject, total: int) -> Pair:
    return RandomTuner(), naive_tuners.uniform


def mab(data: st.DataObject, total: int) -> Pair:
    c, fpu = data.draw(CONSTANTS), data.draw(st.sampled_from((0.0, 0.5, 1.0, float("inf"))))
    return Mab(c=c, fpu=fpu), lambda space, random: naive_tuners.mab(space, random, c, fpu)


def nmc(data: st.DataObject, total: int) -> Pair:
    eps0, c_l, c_g = data.draw(CHANCES), data.draw(CONSTANTS), data.draw(CONSTANTS)
    return NaiveMonteCarlo(eps0, c_l, c_g), lambda space, random: naive_tuners.nmc(space, random, eps0, c_l, c_g)


def lsi(data: st.DataObject, total: int) -> Pair:
    share, k = data.draw(CHANCES), data.draw(st.integers(1, 8))
    return LinearSideInformation(share, k), lambda space, random: naive_tuners.lsi(space, random, share, k, total)


def ea(data: st.DataObject, total: int) -> Pair:
    lambda_ = data.draw(st.integers(1, 8))
    mu, p_cross = data.draw(st.integers(1, lambda_)), data.draw(CHANCES)
    return EvolutionaryAlgorithm(lambda_, mu, p_cross), lambda s, r: naive_tuners.ea(s, r, lambda_, mu, p_cross)


def ntbea(data: st.DataObject, total: int) -> Pair:
    x, c = data.draw(st.integers(1, 6)), data.draw(CONSTANTS)
    return Ntbea(x, c), lambda space, random: naive_tuners.ntbea(space, random, x, c)


@pytest.mark.parametrize("pair", [uniform, mab, nmc, lsi, ea, ntbea])
def test_a_tuner_makes_the_choices_and_draws_of_its_naive_twin(pair: Any) -> None:
    @given(space=spaces(), seed=st.integers(0, 2**64 - 1), rewards=REWARDS, total=st.integers(1, 80), data=st.data())
    @deterministic(max_examples=40)
    def same(space: Space, seed: int, rewards: list[float], total: int, data: st.DataObject) -> None:
        settings, naive = pair(data, total)
        random, naive_random = Random(seed), Random(seed)
        tuner, twin = made(settings, space, random), naive(space, naive_random)
        if isinstance(settings, LinearSideInformation):
            tuner.hint(total)
        expected = next(twin)
        for reward in rewards:
            assert tuner.choose() == expected
            assert random.state == naive_random.state
            tuner.update(expected, reward)
            expected = twin.send(reward)

    same()

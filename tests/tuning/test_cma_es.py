"""`cmaes`: the frame around the library's strategy."""

import builtins
import math
from typing import Any

import numpy as np
import pytest

from domains.errors import UserError
from domains.randomness import Random
from mcsgrammar.language.parameters import Interval
from mcsgrammar.language.tuners import Cmaes
from mcsgrammar.tuning.cma_es import CmaesTuner
from mcsgrammar.tuning.space import Parameter, Space


def tuner_over(*intervals: tuple[float, float], seed: int = 1, **settings: float) -> CmaesTuner:
    parameters = [Parameter(0, f"p{i}", "toy", interval=Interval(*one)) for i, one in enumerate(intervals)]
    tuner = CmaesTuner(Space(parameters), Random(seed), Cmaes(**settings))
    tuner.choose()  # now it has a generation
    return tuner


def placed(tuner: CmaesTuner, *points: tuple[float, ...]) -> None:
    """As if the generation had been sampled like this."""
    tuner.sampled, tuner.fitness = [np.array(point) for point in points], []


def test_an_individual_outside_the_cube_runs_at_its_nearest_point() -> None:
    tuner = tuner_over((0.0, 2000.0), (-1.0, 1.0), (0.0, 0.025))
    placed(tuner, (0.5, 0.5, 0.2), (-0.3, 1.4, 1.0), (0.25, 0.0, 3.0))
    assert tuner.choose() == pytest.approx((1000.0, 0.0, 0.005))
    tuner.update(tuner.choose(), 0.0)
    assert tuner.choose() == (0.0, 1.0, 0.025)
    tuner.update(tuner.choose(), 0.0)
    assert tuner.choose() == pytest.approx((500.0, -1.0, 0.025))


def test_it_pays_alpha_times_the_square_of_the_way() -> None:
    tuner = tuner_over((0.0, 9.0), (0.0, 9.0), alpha=2.0)
    placed(tuner, (0.5, 0.5), (-0.3, 1.4), (0.5, 1.5), (0.1, 0.2), (0.0, 1.0), (0.5, 0.5))
    for reward in (0.75, 0.75, 1.0, 0.0):
        tuner.update(tuner.choose(), reward)
    # 1 - 0.75; 0.25 + 2 (0.3² + 0.4²) = 0.75; 0 + 2 * 0.5² = 0.5; 1
    assert tuner.fitness == pytest.approx([0.25, 0.75, 0.5, 1.0])


def test_alpha_is_1_which_is_100_where_rewards_reach_100() -> None:
    assert (Cmaes().alpha, Cmaes().sigma0) == (1.0, 0.3)
    tuner = tuner_over((0.0, 1.0))
    placed(tuner, (1.5,), (0.0,), (0.0,), (0.0,))
    tuner.update(tuner.choose(), 0.5)
    assert tuner.fitness == [0.5 + 0.25]


@pytest.mark.parametrize(("d", "lambda_"), [(1, 4), (2, 6), (3, 7), (6, 9)])
def test_a_generation_has_4_and_floor_3_ln_d_individuals(d: int, lambda_: int) -> None:
    assert lambda_ == 4 + math.floor(3 * math.log(d))
    assert len(tuner_over(*[(0.0, 1.0)] * d).sampled) == lambda_


def test_it_starts_anywhere_with_sigma0() -> None:
    # x0 is uniform on the cube: of 200 seeds the means lie on both sides, about 0.5 (standard error 0.29 / 14 = 0.02).
    starts = [tuner_over((0.0, 1.0), seed=seed, sigma0=1e-9).choose()[0] for seed in range(200)]
    assert abs(float(np.mean(starts)) - 0.5) < 0.1
    assert min(starts) < 0.05 and max(starts) > 0.95
    # and sigma0 is the spread about it: 200 first individuals, of variance 1 / 12 + 0.3².
    tuners = [tuner_over((0.0, 1.0), seed=seed) for seed in range(200)]
    spread = np.std([one.sampled[0][0] - one.cma.mean[0] for one in tuners])
    assert abs(float(spread) - 0.3) < 0.06


@pytest.mark.parametrize("d", [1, 2, 4])
def test_the_mean_approaches_a_smooth_optimum(d: int) -> None:
    # 1 - the squared distance to 0.7 in each, in the scale of [10, 20]: 17. Five seeds, fixed.
    for seed in range(5):
        tuner = tuner_over(*[(10.0, 20.0)] * d, seed=seed)
        for _ in range(150 * d):
            values = tuner.choose()
            tuner.update(values, 1 - sum(((v - 17) / 10) ** 2 for v in values) / d)
        best = tuner.best()
        assert best is not None
        assert best == pytest.approx([17.0] * d, abs=0.3)


def test_an_optimum_at_the_edge_is_reached_from_outside_the_cube_too() -> None:
    for seed in range(5):
        tuner = tuner_over((0.0, 1.0), (0.0, 1.0), seed=seed)
        for _ in range(400):
            a, b = tuner.choose()
            tuner.update((a, b), (a + 1 - b) / 2)
        assert tuner.best() == pytest.approx((1.0, 0.0), abs=0.1)


def distribution(tuner: CmaesTuner) -> tuple[Any, ...]:
    return (tuner.cma.mean.tolist(), tuner.cma._sigma, tuner.cma._C.tolist(), tuner.cma.generation)


def test_a_generation_of_equal_rewards_teaches_nothing() -> None:
    tuner = tuner_over((0.0, 1.0), (0.0, 1.0))
    for tenth in range(50):
        before, seen = distribution(tuner), [one.tolist() for one in tuner.sampled]
        inside = [tuple(map(float, one)) for one in np.random.RandomState(tenth).uniform(size=(6, 2))]
        placed(tuner, *inside)  # none of them pays for its way
        for _ in range(6):
            tuner.update(tuner.choose(), 0.25)
        assert distribution(tuner) == before
        tuner.choose()
        assert [one.tolist() for one in tuner.sampled] != seen  # but the next is drawn anew


def test_one_other_reward_teaches_something() -> None:
    tuner = tuner_over((0.0, 1.0), (0.0, 1.0))
    before = distribution(tuner)
    placed(tuner, *[(0.1 * i, 0.5) for i in range(1, 7)])
    for i in range(6):
        tuner.update(tuner.choose(), 1.0 if i == 2 else 0.25)
    assert distribution(tuner) != before
    assert tuner.cma.generation == 1


def test_a_distribution_that_is_a_point_stays_what_it_is() -> None:
    tuner = tuner_over((0.0, 10.0), sigma0=1e-14)
    assert tuner.frozen
    state, mean = tuner.random.state, 10 * float(tuner.cma.mean[0])
    for reward in (0.0, 1.0, 0.5):
        assert tuner.choose() == (mean,)
        tuner.update(tuner.choose(), reward)
    assert tuner.random.state == state
    assert (tuner.best(), tuner.told_count) == ((mean,), 3)


def test_a_distribution_out_of_all_bounds_stays_what_it_is() -> None:
    tuner = tuner_over((0.0, 10.0), sigma0=1e6)
    assert tuner.frozen
    assert tuner.choose() == (10 * float(tuner.cma.mean[0]),)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_distribution_that_is_a_line_stays_what_it_is() -> None:
    """By rewards of chance alone it gets there after some thousand of them; the next numbers would be none."""
    tuner = tuner_over((0.0, 1.0), (0.0, 1.0))
    tuner.cma._C, tuner.cma._B, tuner.cma._D = np.diag([1.0, 0.0]), None, None
    for i in range(3 * len(tuner.sampled)):
        assert all(0.0 <= value <= 1.0 for value in tuner.choose())
        tuner.update(tuner.choose(), i % 7 / 7)
    assert tuner.frozen
    assert tuner.choose() == tuner.best()


def test_the_best_is_the_mean_brought_into_the_cube_and_nothing_before_the_first_reward() -> None:
    tuner = tuner_over((0.0, 10.0))
    assert tuner.best() is None
    tuner.update(tuner.choose(), 0.5)
    assert tuner.best() == (10 * float(tuner.cma.mean[0]),)
    tuner.mean = np.array([1.7])
    assert tuner.best() == (10.0,)


def test_the_same_seed_gives_the_same_choices_whatever_numpy_was_asked_before() -> None:
    sequences = []
    for noise in (1, 2):
        np.random.seed(noise)
        tuner = tuner_over((0.0, 1.0), (0.0, 1.0), seed=5)
        chosen = []
        for i in range(40):
            chosen.append(tuner.choose())
            tuner.update(chosen[-1], i % 7 / 7)
            np.random.uniform()
        sequences.append(chosen)
    assert sequences[0] == sequences[1]


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "cmaes":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UserError) as refusal:
        tuner_over((0.0, 1.0))
    assert str(refusal.value) == (
        "the tuner cmaes needs the library of that name: pip install 'mcsgrammar[tune]'; "
        "or list values {…, …} and use another tuner, such as ntbea"
    )

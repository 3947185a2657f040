"""What every tuner promises: only legal combinations, a best one, and a state that can be put back."""

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from domains.randomness import Random
from mcsgrammar.language.parsing import parse
from mcsgrammar.language.tuners import TUNERS, Tuner
from mcsgrammar.tuning.making import AnyTuner, make
from mcsgrammar.tuning.space import space_of
from tests.tuning.scripted import first_tune

LISTS = "tune(select(sim(mast(eps={{0, 0.5, 1}})), grave(ref={{0, 50, 100}}, k={{0, 10}})), {})"
INTERVALS = "tune(select(sim(mast(eps=[0..1])), [0..2]), {})"
DISCRETE = ["random", "mab", "nmc", "local", "lsi(k=5)", "lsi(share=0.25, k=40)", "ea(lambda=6, mu=3)", "ntbea"]
ALL = [*DISCRETE, "cmaes"]

TOTAL = 120


def new(name: str, seed: int = 3) -> AnyTuner:
    expression = parse((INTERVALS if name == "cmaes" else LISTS).format(name))
    tune = first_tune(expression)
    tuner = make(tune.tuner, space_of(expression, tune), Random(seed))
    tuner.hint(TOTAL)
    return tuner


def reward_of(combination: tuple[Any, ...]) -> float:
    """Something that depends on all values, with ties."""
    return int(1000 * sum((i + 1) * value for i, value in enumerate(combination))) % 7 / 6


def go_on(tuner: Any, steps: int) -> list[Any]:
    chosen = []
    for _ in range(steps):
        chosen.append(tuner.choose())
        tuner.update(chosen[-1], reward_of(chosen[-1]))
    return chosen


def as_it_is(saved: dict[str, Any]) -> dict[str, Any]:
    return saved


def pickled(saved: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = pickle.loads(pickle.dumps(saved))
    return kept


def test_every_tuner_is_tested() -> None:
    assert {name.partition("(")[0] for name in ALL} == {*TUNERS, "local"}


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("kept", [as_it_is, pickled])
@pytest.mark.parametrize("steps", [0, 1, 7, 50, 100])
def test_a_tuner_put_back_goes_on_as_it_did(name: str, kept: Callable[[Any], Any], steps: int) -> None:
    tuner = new(name)
    go_on(tuner, steps)
    saved = kept(tuner.saved())
    expected = go_on(tuner, 60), tuner.random.state, tuner.best()

    # The same tuner, put back; and again: what it does then must not reach into what was saved.
    generator = tuner.random
    for _ in range(2):
        tuner.restore(saved)
        assert tuner.random is generator  # the run's
        assert (go_on(tuner, 60), tuner.random.state, tuner.best()) == expected

    # Another one, wherever it is.
    other = new(name, seed=99)
    go_on(other, 11)
    other.restore(saved)
    assert (go_on(other, 60), other.random.state, other.best()) == expected


@pytest.mark.parametrize("name", ALL)
def test_what_was_saved_stays_as_it_was_while_the_tuner_goes_on(name: str) -> None:
    tuner = new(name)
    go_on(tuner, 20)
    saved = tuner.saved()
    before = pickle.dumps(pickle.loads(pickle.dumps(saved)))
    go_on(tuner, 40)
    assert pickle.dumps(pickle.loads(pickle.dumps(saved))) == before


@pytest.mark.parametrize("name", ALL)
def test_the_same_seed_gives_the_same_choices_and_another_others(name: str) -> None:
    assert go_on(new(name), 60) == go_on(new(name), 60)
    assert go_on(new(name), 60) != go_on(new(name, seed=4), 60)


@pytest.mark.parametrize("name", DISCRETE)
def test_only_legal_combinations_are_chosen(name: str) -> None:
    tuner = new(name)
    assert all(tuner.space.is_legal(c) for c in go_on(tuner, 300))


@pytest.mark.parametrize("name", [name for name in DISCRETE if not name.startswith("lsi")])
def test_the_best_has_the_best_mean_of_all_it_was_told(name: str) -> None:
    tuner: Any = new(name)
    assert tuner.best() is None
    told: dict[Any, list[float]] = {}
    random = Random(17)
    for _ in range(100):
        chosen = tuner.choose()
        told.setdefault(chosen, []).append(random.below(3) / 2)
        tuner.update(chosen, told[chosen][-1])
        means = {c: sum(rewards) / len(rewards) for c, rewards in told.items()}
        highest = max(means.values())
        assert tuner.best() == next(c for c, mean in means.items() if mean == highest)  # of several the first told of
        visits = {c: len(rewards) for c, rewards in told.items()}
        assert {c: n for c, (n, _) in tuner.told.items()} == visits


@pytest.mark.parametrize("name", [name for name in DISCRETE if not name.startswith("lsi")])
def test_only_lsi_cares_how_often_it_will_be_asked(name: str) -> None:
    tuner = new(name)
    other = new(name)
    other.hint(5)
    assert go_on(tuner, 40) == go_on(other, 40)


@pytest.mark.parametrize("name", ALL)
def test_a_tuner_draws_from_its_own_generator_alone(name: str) -> None:
    expression = parse((INTERVALS if name == "cmaes" else LISTS).format(name))
    tune = first_tune(expression)
    settings: Tuner = tune.tuner
    random = Random(8)
    assert make(settings, space_of(expression, tune), random).random is random

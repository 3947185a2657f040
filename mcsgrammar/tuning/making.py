"""From the name of a tuner to the tuner."""

import math
from collections.abc import Callable
from typing import Any

from domains.randomness import Random
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Component, Tune
from mcsgrammar.language.tuners import (
    Cmaes,
    EvolutionaryAlgorithm,
    LinearSideInformation,
    Mab,
    NaiveMonteCarlo,
    Ntbea,
    RandomTuner,
    Tuner,
)
from mcsgrammar.tuning.cma_es import CmaesTuner
from mcsgrammar.tuning.ea import EvolutionaryTuner
from mcsgrammar.tuning.lsi import LinearSideInformationTuner
from mcsgrammar.tuning.mab import MabTuner
from mcsgrammar.tuning.nmc import NaiveMonteCarloTuner
from mcsgrammar.tuning.ntbea import NtbeaTuner
from mcsgrammar.tuning.protocol import OnlineTuner
from mcsgrammar.tuning.space import Space, space_of
from mcsgrammar.tuning.uniform import UniformTuner
from mcsgrammar.wording import shortened

AnyTuner = OnlineTuner | CmaesTuner

MOST_ARMS = 1_000_000
"""`mab` keeps an arm for every combination."""

FIRST_INVOCATIONS = 10
"""Where the evaluations of an invocation are not fixed, the mean of so many is taken for all."""

_MAKERS: dict[type[Tuner], Callable[..., AnyTuner]] = {
    RandomTuner: lambda space, random, _: UniformTuner(space, random),
    Mab: MabTuner,
    NaiveMonteCarlo: NaiveMonteCarloTuner,
    LinearSideInformation: LinearSideInformationTuner,
    EvolutionaryAlgorithm: EvolutionaryTuner,
    Ntbea: NtbeaTuner,
    Cmaes: CmaesTuner,
}


def make(settings: Tuner, space: Space, random: Random) -> AnyTuner:
    """A new tuner with these settings over this space; it draws from `random` alone."""
    return _MAKERS[type(settings)](space, random, settings)


def check_tune(expression: Component, tune: Tune, budget_in_seconds: bool) -> None:
    """`InvalidExpression` if its tuner cannot work here."""
    space = space_of(expression, tune)
    if isinstance(tune.tuner, Mab) and space.legal_count > MOST_ARMS:
        raise InvalidExpression(
            f"mab keeps an arm for each of the {space.legal_count:,} combinations of {shortened(str(tune))}, and can "
            f"keep {MOST_ARMS:,}; list fewer values, or use ntbea"
        )
    if isinstance(tune.tuner, LinearSideInformation) and budget_in_seconds:
        raise InvalidExpression(
            "lsi must know how many combinations it can try, which a budget in seconds does not say; "
            "give a budget in evaluations, or use another tuner, such as ntbea"
        )


def expected_choices(budget: int, evaluations: float, kept_for: int) -> int:
    """How many combinations a budget allows, each kept for so many invocations."""
    return max(1, math.floor(budget / (evaluations * kept_for)))


def tuner_state(tuner: AnyTuner) -> dict[str, Any]:
    """What it knows, for tests and for looking at it."""
    return tuner.saved()

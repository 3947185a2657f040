"""From the name of a tuner to the tuner."""

import math

from domains.randomness import Random
from mcsgrammar.language.expressions import Component, Tune
from mcsgrammar.language.tuners import Tuner
from mcsgrammar.tuning.cma_es import CmaesTuner
from mcsgrammar.tuning.ea import EvolutionaryTuner
from mcsgrammar.tuning.lsi import LinearSideInformationTuner
from mcsgrammar.tuning.mab import MabTuner
from mcsgrammar.tuning.nmc import NaiveMonteCarloTuner
from mcsgrammar.tuning.ntbea import NtbeaTuner
from mcsgrammar.tuning.protocol import AnyTuner
from mcsgrammar.tuning.space import Space, space_of
from mcsgrammar.tuning.uniform import UniformTuner

FIRST_INVOCATIONS = 10
"""Where the evaluations of an invocation are not fixed, the mean of so many is taken for all."""

DEFINITIONS: dict[type[Tuner], type[AnyTuner]] = {
    definition.settings_class: definition
    for definition in (
        UniformTuner,
        MabTuner,
        NaiveMonteCarloTuner,
        LinearSideInformationTuner,
        EvolutionaryTuner,
        NtbeaTuner,
        CmaesTuner,
    )
}


def make(settings: Tuner, space: Space, random: Random) -> AnyTuner:
    """A new tuner with these settings over this space; it draws from `random` alone."""
    return DEFINITIONS[type(settings)](space, random, settings)


def check_tune(expression: Component, tune: Tune, budget_in_seconds: bool) -> None:
    """`InvalidExpression` if its tuner cannot work here."""
    DEFINITIONS[type(tune.tuner)].check(space_of(expression, tune), tune, budget_in_seconds)


def expected_choices(budget: float, evaluations: float, kept_for: int) -> int:
    """How many combinations a budget allows, each kept for so many invocations."""
    return max(1, math.floor(budget / (evaluations * kept_for)))

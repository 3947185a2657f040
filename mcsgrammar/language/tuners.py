"""The tuners of `tune`, which choose the open parameters inside it.

One frozen dataclass each, with its settings; what it does is in `mcsgrammar/tuning`.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.parameters import Count, Parametrised, Real, Value, parameter
from mcsgrammar.language.policies import PROBABILITY

MOST_INDIVIDUALS = 1_000_000
"""Of the population of ea, and candidates of lsi."""

B = partial(parameter, Count(1), 1, meaning="keeps a combination for that many invocations")
C = partial(parameter, Real(), meaning="exploration constant")


@dataclass(frozen=True)
class Tuner(Parametrised):
    """How `tune` chooses the open parameters; `b` keeps one combination for that many invocations."""

    may_be_open: ClassVar[bool] = False
    takes_intervals: ClassVar[bool] = False


@dataclass(frozen=True)
class RandomTuner(Tuner):
    name: ClassVar[str] = "random"
    b: Value = B()


@dataclass(frozen=True)
class Mab(Tuner):
    name: ClassVar[str] = "mab"
    c: Value = C(0.7)
    fpu: Value = parameter(Real(infinite=True), 1.0, meaning="what an untried action is worth; inf: these come first")
    b: Value = B()


@dataclass(frozen=True)
class NaiveMonteCarlo(Tuner):
    name: ClassVar[str] = "nmc"
    eps0: Value = parameter(PROBABILITY, 0.75, meaning="probability of exploring")
    c_l: Value = parameter(Real(), 1.0, meaning="exploration constant of the parameters' own bandits")
    c_g: Value = parameter(Real(), 1.0, meaning="exploration constant of the bandit over combinations")
    b: Value = B()


@dataclass(frozen=True)
class LinearSideInformation(Tuner):
    """`k` is the number of draws that fill the candidate list; none means 20 for two parameters, 2000 for more."""

    name: ClassVar[str] = "lsi"
    share: Value = parameter(
        PROBABILITY, 0.75, meaning="share of all invocations that goes to the generation of candidates"
    )
    k: Value | None = parameter(
        Count(1, MOST_INDIVIDUALS),
        None,
        meaning="draws that fill the candidate list; 20 for two parameters, 2000 for more",
    )
    b: Value = B()


@dataclass(frozen=True)
class EvolutionaryAlgorithm(Tuner):
    name: ClassVar[str] = "ea"
    lambda_: Value = parameter(Count(1, MOST_INDIVIDUALS), 50, called="lambda", meaning="size of the population")
    mu: Value = parameter(Count(1, MOST_INDIVIDUALS), 25, meaning="how many of it survive a generation")
    p_cross: Value = parameter(
        PROBABILITY, 0.5, meaning="probability that offspring comes from two of them, not from one by mutation"
    )
    b: Value = B()

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mu > self.lambda_:  # type: ignore[operator]
            raise InvalidExpression(
                f"mu of ea cannot be {self.mu}: it keeps mu of its lambda={self.lambda_} individuals"
            )


@dataclass(frozen=True)
class Ntbea(Tuner):
    name: ClassVar[str] = "ntbea"
    x: Value = parameter(Count(1), 5, meaning="neighbours looked at for each choice")
    c: Value = C(0.2)
    b: Value = B()


@dataclass(frozen=True)
class Cmaes(Tuner):
    name: ClassVar[str] = "cmaes"
    takes_intervals: ClassVar[bool] = True
    alpha: Value = parameter(Real(), 1.0, meaning="weight of the distance by which an individual leaves its intervals")
    sigma0: Value = parameter(Real(positive=True), 0.3, meaning="step size at the start; the intervals have length 1")
    b: Value = B()


def _local(**parameters: Any) -> NaiveMonteCarlo:
    return NaiveMonteCarlo(**{"eps0": 1.0} | parameters)


TUNERS: dict[str, type[Tuner]] = {
    t.name: t for t in (RandomTuner, Mab, NaiveMonteCarlo, LinearSideInformation, EvolutionaryAlgorithm, Ntbea, Cmaes)
}
TUNER_ALIASES = {"local": _local}
"""`local` is `nmc` that always explores: local bandits alone."""

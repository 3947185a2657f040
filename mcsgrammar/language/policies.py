"""The policies of `simulate` and `select`, and the tuners of `tune`.

Playout policies choose the actions of a playout, selection policies those inside the tree of `select`:

    random                  every legal action alike                                    sim
    mast(tau=0.1)           by the mean reward of the runs an action occurred in, Gibbs  sim(mast(tau=0.1))
    mast(eps=0.4)           the same, epsilon-greedy                                     sim(mast(eps=0.4))
    nst(eps=0.2, n=3)       the same over the last n actions                             sim(nst)
    ucb1(c=0.5)             mean + c sqrt(ln n(x) / n(x,u))                              select(sim, 0.5)
    grave(c=0.2, ref=50)    blended with all-moves-as-first means (RAVE: ref=0)          select(sim, grave(c=0.2))
    history(c=0.6, w=1)     plus the action's mean over the whole run (progressive)      select(sim, history(c=0.6))

Tuners choose the open parameters inside a `tune`: `random`, `mab`, `nmc`, `lsi`, `ea`, `ntbea`, `cmaes`.

One frozen dataclass each. Parameters are declared in the order in which the canonical text prints them.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.parameters import Count, Parametrised, Real, Value, parameter, value_text

PROBABILITY = Real(0.0, 1.0)
MOST_INDIVIDUALS = 1_000_000
"""Of the population of ea, and candidates of lsi."""
EXPLORATION = Real()
"""The C of select."""


@dataclass(frozen=True)
class PlayoutPolicy(Parametrised):
    """How `simulate` draws its actions."""


@dataclass(frozen=True)
class RandomPlayout(PlayoutPolicy):
    name: ClassVar[str] = "random"
    depth: Value = parameter(Count(1, infinite=True), math.inf)


@dataclass(frozen=True)
class Mast(PlayoutPolicy):
    """Move-average sampling: Gibbs with `tau`, epsilon-greedy with `eps`; neither means eps=0.4."""

    name: ClassVar[str] = "mast"
    tau: Value | None = parameter(Real(positive=True), None)
    eps: Value | None = parameter(PROBABILITY, None)
    move_decay: Value = parameter(PROBABILITY, 1.0)
    batch_decay: Value = parameter(PROBABILITY, 1.0)
    batch: Value = parameter(Count(1), 50)
    sim_decay: Value = parameter(PROBABILITY, 1.0)
    depth: Value = parameter(Count(1, infinite=True), math.inf)

    def __post_init__(self) -> None:
        if self.tau is not None and self.eps is not None:
            raise InvalidExpression("mast takes tau (Gibbs) or eps (epsilon-greedy), not both")
        if self.tau is None and self.eps is None:
            object.__setattr__(self, "eps", 0.4)
        super().__post_init__()


@dataclass(frozen=True)
class Nst(PlayoutPolicy):
    """N-gram selection: epsilon-greedy on the means of the last 1 … n actions."""

    name: ClassVar[str] = "nst"
    eps: Value = parameter(PROBABILITY, 0.2)
    n: Value = parameter(Count(1, 8), 3)
    kmin: Value = parameter(Count(0), 7)
    move_decay: Value = parameter(PROBABILITY, 1.0)
    batch_decay: Value = parameter(PROBABILITY, 1.0)
    batch: Value = parameter(Count(1), 50)
    sim_decay: Value = parameter(PROBABILITY, 1.0)
    depth: Value = parameter(Count(1, infinite=True), math.inf)


@dataclass(frozen=True)
class SelectionPolicy(Parametrised):
    """How `select` walks down its tree."""

    def brief(self) -> str:
        """How it is written inside a `select`."""
        return str(self)


@dataclass(frozen=True)
class Ucb1(SelectionPolicy):
    name: ClassVar[str] = "ucb1"
    c: Value = parameter(EXPLORATION, 0.5)
    vo: Value = parameter(Real(), 0.0)
    t: Value = parameter(Real(infinite=True), 0.0)
    fpu: Value = parameter(Real(low=-math.inf, infinite=True), math.inf)

    def is_only_c(self) -> bool:
        """Whether `select(S, C)` says it all."""
        return self == Ucb1(c=self.c)

    def brief(self) -> str:
        return value_text(self.c) if self.is_only_c() else str(self)


@dataclass(frozen=True)
class Grave(SelectionPolicy):
    """`k` or `bias` says how the two means are blended; neither means k=250."""

    name: ClassVar[str] = "grave"
    c: Value = parameter(EXPLORATION, 0.5)
    vo: Value = parameter(Real(), 0.0)
    t: Value = parameter(Real(infinite=True), 0.0)
    fpu: Value = parameter(Real(low=-math.inf, infinite=True), math.inf)
    ref: Value = parameter(Real(infinite=True), 50.0)
    k: Value | None = parameter(Real(infinite=True), None)
    bias: Value | None = parameter(Real(), None)

    def __post_init__(self) -> None:
        if self.k is not None and self.bias is not None:
            raise InvalidExpression("grave takes k or bias, not both")
        if self.k is None and self.bias is None:
            object.__setattr__(self, "k", 250.0)
        super().__post_init__()

    def written(self) -> list[tuple[str, Value]]:
        return [pair for pair in super().written() if pair != ("k", 250.0)]


@dataclass(frozen=True)
class History(SelectionPolicy):
    name: ClassVar[str] = "history"
    c: Value = parameter(EXPLORATION, 0.5)
    vo: Value = parameter(Real(), 0.0)
    t: Value = parameter(Real(infinite=True), 0.0)
    fpu: Value = parameter(Real(low=-math.inf, infinite=True), math.inf)
    w: Value = parameter(Real(), 1.0)


@dataclass(frozen=True)
class Tuner(Parametrised):
    """How `tune` chooses the open parameters; `b` keeps one combination for that many invocations."""

    may_be_open: ClassVar[bool] = False
    takes_intervals: ClassVar[bool] = False


@dataclass(frozen=True)
class RandomTuner(Tuner):
    name: ClassVar[str] = "random"
    b: Value = parameter(Count(1), 1)


@dataclass(frozen=True)
class Mab(Tuner):
    name: ClassVar[str] = "mab"
    c: Value = parameter(Real(), 0.7)
    fpu: Value = parameter(Real(infinite=True), 1.0)
    b: Value = parameter(Count(1), 1)


@dataclass(frozen=True)
class NaiveMonteCarlo(Tuner):
    name: ClassVar[str] = "nmc"
    eps0: Value = parameter(PROBABILITY, 0.75)
    c_l: Value = parameter(Real(), 1.0)
    c_g: Value = parameter(Real(), 1.0)
    b: Value = parameter(Count(1), 1)


@dataclass(frozen=True)
class LinearSideInformation(Tuner):
    """`k` is the number of draws that fill the candidate list; none means 20 for two parameters, 2000 for more."""

    name: ClassVar[str] = "lsi"
    share: Value = parameter(PROBABILITY, 0.75)
    k: Value | None = parameter(Count(1, MOST_INDIVIDUALS), None)
    b: Value = parameter(Count(1), 1)


@dataclass(frozen=True)
class EvolutionaryAlgorithm(Tuner):
    name: ClassVar[str] = "ea"
    lambda_: Value = parameter(Count(1, MOST_INDIVIDUALS), 50)
    mu: Value = parameter(Count(1, MOST_INDIVIDUALS), 25)
    p_cross: Value = parameter(PROBABILITY, 0.5)
    b: Value = parameter(Count(1), 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mu > self.lambda_:  # type: ignore[operator]
            raise InvalidExpression(
                f"mu of ea cannot be {self.mu}: it keeps mu of its lambda={self.lambda_} individuals"
            )


@dataclass(frozen=True)
class Ntbea(Tuner):
    name: ClassVar[str] = "ntbea"
    x: Value = parameter(Count(1), 5)
    c: Value = parameter(Real(), 0.2)
    b: Value = parameter(Count(1), 1)


@dataclass(frozen=True)
class Cmaes(Tuner):
    name: ClassVar[str] = "cmaes"
    takes_intervals: ClassVar[bool] = True
    alpha: Value = parameter(Real(), 1.0)
    sigma0: Value = parameter(Real(positive=True), 0.3)
    b: Value = parameter(Count(1), 1)


def _local(**parameters: Any) -> NaiveMonteCarlo:
    return NaiveMonteCarlo(**{"eps0": 1.0} | parameters)


PLAYOUT_POLICIES: dict[str, type[PlayoutPolicy]] = {p.name: p for p in (RandomPlayout, Mast, Nst)}
SELECTION_POLICIES: dict[str, type[SelectionPolicy]] = {p.name: p for p in (Ucb1, Grave, History)}
TUNERS: dict[str, type[Tuner]] = {
    t.name: t for t in (RandomTuner, Mab, NaiveMonteCarlo, LinearSideInformation, EvolutionaryAlgorithm, Ntbea, Cmaes)
}
TUNER_ALIASES = {"local": _local}
"""`local` is `nmc` that always explores: local bandits alone."""

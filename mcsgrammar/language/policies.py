"""The policies of `simulate` and `select`.

Playout policies choose the actions of a playout, selection policies those inside the tree of `select`:

    random                  every legal action alike                                    sim
    mast(tau=0.1)           by the mean reward of the runs an action occurred in, Gibbs  sim(mast(tau=0.1))
    mast(eps=0.4)           the same, epsilon-greedy                                     sim(mast(eps=0.4))
    nst(eps=0.2, n=3)       the same over the last n actions                             sim(nst)
    guided(distance=-4)     by features of the problem's actions                         sim(guided(distance=-4))
    ucb1(c=0.5)             mean + c sqrt(ln n(x) / n(x,u))                              select(sim, 0.5)
    grave(c=0.2, ref=50)    blended with all-moves-as-first means (RAVE: ref=0)          select(sim, grave(c=0.2))
    history(c=0.6, w=1)     plus the action's mean over the whole run (progressive)      select(sim, history(c=0.6))
    puct(c=1)               plus the playout policy's probability of the action          select(sim, puct(c=1))

One frozen dataclass each. Parameters are declared in the order in which the canonical text prints them. The lists and
intervals that they are tuned over are those of the papers on self-adaptive search (Sironi, Liu and Winands, 2020; for
w, n and kmin Sironi and Winands, 2018), where these have any; history has the c of the others. The tuners are in
`tuners.py`.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from domains.saying import wrong_feature_name
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.parameters import (
    Choice,
    Count,
    Parametrised,
    Real,
    Value,
    checked,
    parameter,
    replaced,
    value_text,
)
from mcsgrammar.wording import shown_object

INF = math.inf
PROBABILITY = Real(0.0, 1.0)
EXPLORATION = Real()
"""The C of select."""
WEIGHT = Real(low=-1e6, high=1e6)
"""Of a feature."""
TENTHS = tuple(i / 10 for i in range(11))


# Parameters that several policies have.

DEPTH = partial(
    parameter,
    Count(1, infinite=True),
    INF,
    meaning="most actions of a playout, after which it is cut off; counted from where the `select` began that it "
    "stands in (but for `repeat` and `tune` between), whose walk down the tree it bounds, too; "
    "needs a domain that values unfinished states",
    values=tuple(range(1, 16)),
)
EPS = partial(
    parameter,
    PROBABILITY,
    meaning="probability of a random action instead of one with the best mean",
    values=TENTHS,
    interval=(0.0, 1.0),
    always_tuned=True,
)
MOVE_DECAY = partial(parameter, PROBABILITY, 1.0, meaning="counts × this when the outermost `step` commits; 1: off")
BATCH_DECAY = partial(parameter, PROBABILITY, 1.0, meaning="counts × this after every `batch` final states; 1: off")
BATCH = partial(parameter, Count(1), 50, meaning="how many final states that is")
SIM_DECAY = partial(
    parameter,
    PROBABILITY,
    1.0,
    meaning="counts of the grams that occurred × this after each final state; 1: off",
)
NORM = partial(
    parameter,
    Count(0, 1),
    0,
    meaning="1: means count as they lie between the least and the greatest result at the node; 0: as they are",
    values=(0, 1),
)


@dataclass(frozen=True)
class PlayoutPolicy(Parametrised):
    """How `simulate` draws its actions."""

    ways: ClassVar[tuple[str, ...]]
    """the ways of drawing that it knows, depending on its parameters"""

    can_be_adapted: ClassVar[bool] = False
    """whether `adapt` may stand around it"""

    @property
    def way(self) -> str:
        return self.ways[0]

    @property
    def has_odds(self) -> bool:
        """Whether it gives every action a probability of its own."""
        return self.way != "greedy"

    @property
    def longest_gram(self) -> int:
        """The number of actions in the longest gram that it may look at; 0 if it learns nothing."""
        return 0

    @property
    def to_the_end(self) -> str:
        """How people are told that its playouts are not cut off."""
        return " to the end" if self.parameters()["depth"] == INF else ""


@dataclass(frozen=True)
class RandomPlayout(PlayoutPolicy):
    name: ClassVar[str] = "random"
    ways: ClassVar[tuple[str, ...]] = ("random",)
    can_be_adapted: ClassVar[bool] = True
    depth: Value = DEPTH()


@dataclass(frozen=True)
class Mast(PlayoutPolicy):
    """Move-average sampling: Gibbs with `tau`, epsilon-greedy with `eps`; neither means eps=0.4."""

    name: ClassVar[str] = "mast"
    ways: ClassVar[tuple[str, ...]] = ("gibbs", "greedy")
    tau: Value | None = parameter(
        Real(positive=True),
        None,
        meaning="temperature of Gibbs sampling: P(a) ∝ exp(Q(a) / tau)",
        values=(0.02, 0.05, 0.1, 0.2, 0.5, 1.0),  # ours: the papers tune no Gibbs playouts
        interval=(0.02, 1.0),
        always_tuned=True,
    )
    eps: Value | None = EPS(None, unsaid="0.4")
    move_decay: Value = MOVE_DECAY()
    batch_decay: Value = BATCH_DECAY()
    batch: Value = BATCH()
    sim_decay: Value = SIM_DECAY()
    depth: Value = DEPTH()

    def __post_init__(self) -> None:
        if self.tau is not None and self.eps is not None:
            raise InvalidExpression("mast takes tau (Gibbs) or eps (epsilon-greedy), not both")
        if self.tau is None and self.eps is None:
            object.__setattr__(self, "eps", 0.4)
        super().__post_init__()

    @property
    def way(self) -> str:
        return "greedy" if self.tau is None else "gibbs"

    @property
    def longest_gram(self) -> int:
        return 1


@dataclass(frozen=True)
class Nst(PlayoutPolicy):
    """N-gram selection: epsilon-greedy on the means of the last 1 … n actions."""

    name: ClassVar[str] = "nst"
    ways: ClassVar[tuple[str, ...]] = ("greedy",)
    eps: Value = EPS(0.2)
    n: Value = parameter(
        Count(1, 8),
        3,
        meaning="the longest gram: means over the last 1 … n actions",
        values=(1, 2, 3, 4, 5),
        always_tuned=True,
    )
    kmin: Value = parameter(
        Count(0),
        7,
        meaning="how often a gram longer than 1 must have occurred to count",
        values=(1, 3, 5, 7, 10, 15, 20, 30, 50),
        always_tuned=True,
    )
    move_decay: Value = MOVE_DECAY()
    batch_decay: Value = BATCH_DECAY()
    batch: Value = BATCH()
    sim_decay: Value = SIM_DECAY()
    depth: Value = DEPTH()

    @property
    def longest_gram(self) -> int:
        n = self.n
        return max(int(value) for value in n.values) if isinstance(n, Choice) else int(n)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Guided(PlayoutPolicy):
    """By what the problem knows of its actions: P(a) ∝ exp(the sum of weight × feature), its features named and
    weighted one by one, `guided(distance=-4, slack=-0.5)`. Which features there are, the problem says
    (`mcsgrammar domains`). Inside `adapt` what is learnt adds to that sum."""

    name: ClassVar[str] = "guided"
    ways: ClassVar[tuple[str, ...]] = ("guided",)
    can_be_adapted: ClassVar[bool] = True
    weights: tuple[tuple[str, Value], ...] = ()
    """of the features that are named, by name"""
    depth: Value = DEPTH()

    def __post_init__(self) -> None:
        if not self.weights:
            raise InvalidExpression("guided needs a feature and its weight, as in guided(distance=-4)")
        for name, _ in self.weights:
            if wrong := wrong_feature_name(name):
                raise InvalidExpression(f"guided cannot name a feature {shown_object(name)}; {wrong}")
        held = {name: checked(self.name, name, WEIGHT, weight) for name, weight in self.weights}
        if len(held) < len(self.weights):
            raise InvalidExpression("guided is given a feature twice")
        object.__setattr__(self, "weights", tuple(sorted(held.items())))
        super().__post_init__()

    @classmethod
    def read(cls, arguments: Sequence[tuple[str, Value]]) -> "Guided":
        """From the arguments in a text."""
        given: dict[str, Value] = {}
        for name, value in arguments:
            if not name:
                text = value_text(value)
                raise InvalidExpression(f"guided takes features by their names: write guided(NAME={text})")
            if name in given:
                raise InvalidExpression(f"guided is given {name} twice")
            given[name] = value
        depth = {"depth": given.pop("depth")} if "depth" in given else {}
        return cls(tuple(given.items()), **depth)

    def parameters(self) -> dict[str, Any]:
        return dict(self.weights) | super().parameters()

    def written(self) -> list[tuple[str, Value]]:
        return [*self.weights, *super().written()]


@dataclass(frozen=True)
class SelectionPolicy(Parametrised):
    """How `select` walks down its tree."""

    needs_odds: ClassVar[bool] = False
    """whether it asks the playout policy how probable an action is"""

    c: Value = parameter(
        EXPLORATION,
        0.5,
        meaning="exploration constant",
        values=TENTHS[1:10],
        interval=(0.0, 1.0),
        always_tuned=True,
    )
    vo: Value = parameter(
        Real(),
        0.0,
        meaning="any action worth at least the highest value less `vo` may be chosen",
        values=(0.001, 0.005, 0.01, 0.015, 0.02, 0.025),
        interval=(0.0, 0.025),
    )
    t: Value = parameter(
        Real(infinite=True),
        0.0,
        meaning="in a node with fewer visits the playout policy chooses",
        values=(0.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 100.0, 200.0, INF),
        interval=(0.0, 200.0),
    )
    fpu: Value = parameter(
        Real(low=-INF, infinite=True), INF, meaning="what an untried action is worth; inf: these come first"
    )

    def brief(self) -> str:
        """How it is written inside a `select`."""
        return str(self)

    def is_only_c(self) -> bool:
        """Whether `select(S, C)` says it all."""
        return False


@dataclass(frozen=True)
class Ucb1(SelectionPolicy):
    name: ClassVar[str] = "ucb1"
    norm: Value = NORM()

    def brief(self) -> str:
        return value_text(self.c) if self.is_only_c() else str(self)

    def is_only_c(self) -> bool:
        return self == Ucb1(c=self.c)


@dataclass(frozen=True)
class Grave(SelectionPolicy):
    """`k` or `bias` says how the two means are blended; neither means k=250."""

    name: ClassVar[str] = "grave"
    ref: Value = parameter(
        Real(infinite=True),
        50.0,
        meaning="visits a node needs for its AMAF means to be used; 0 is RAVE, inf the root's alone",
        values=(0.0, 50.0, 100.0, 250.0, 500.0, 1000.0, 10000.0, INF),
        interval=(0.0, 10000.0),
        always_tuned=True,
    )
    k: Value | None = parameter(
        Real(infinite=True),
        None,
        meaning="weight of the AMAF mean: β = sqrt(k / (3 N + k))",
        unsaid="250",
        values=(0.0, 10.0, 50.0, 100.0, 250.0, 500.0, 750.0, 1000.0, 2000.0, INF),
        interval=(0.0, 2000.0),
        always_tuned=True,
    )
    bias: Value | None = parameter(Real(), None, meaning="another weight: β = m / (m + n + bias m n)")
    norm: Value = NORM()

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
    w: Value = parameter(
        Real(),
        1.0,
        meaning="weight of the action's history; 0: none",
        values=(0.1, 0.25, 0.5, 1.0, 3.0, 5.0, 7.5, 10.0, 20.0, 50.0),
        interval=(0.1, 50.0),
        always_tuned=True,
    )
    norm: Value = NORM()


@dataclass(frozen=True)
class Puct(SelectionPolicy):
    """Prior probabilities are those of the playout policy, as it is when the node is passed."""

    name: ClassVar[str] = "puct"
    needs_odds: ClassVar[bool] = True
    c: Value = replaced(SelectionPolicy, "c", 1.0, values=(0.1, 0.2, 0.5, 1.0, 2.0, 5.0), interval=(0.0, 5.0))
    fpu: Value = replaced(SelectionPolicy, "fpu", 0.0)


PLAYOUT_POLICIES: dict[str, type[PlayoutPolicy]] = {p.name: p for p in (RandomPlayout, Mast, Nst, Guided)}
SELECTION_POLICIES: dict[str, type[SelectionPolicy]] = {p.name: p for p in (Ucb1, Grave, History, Puct)}

"""Hypothesis strategies for expressions that the engines run, and for how they are run."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from mcsgrammar.language.expressions import (
    COMMIT_RULES,
    Adapt,
    Component,
    Lookahead,
    Repeat,
    Select,
    Simulate,
    Step,
    Tune,
)
from mcsgrammar.language.parameters import Choice, Interval, Value
from mcsgrammar.language.policies import Grave, Guided, History, Mast, Nst, PlayoutPolicy, Puct, RandomPlayout, Ucb1
from mcsgrammar.language.tuners import (
    Cmaes,
    EvolutionaryAlgorithm,
    LinearSideInformation,
    Mab,
    NaiveMonteCarlo,
    Ntbea,
    RandomTuner,
)
from tests.language.strategies import can_be_adapted, has_odds, stands_over_select

COUNTS = st.sampled_from((1, 2, 3, 5, 10, 100, 2**63 - 1))
CONSTANTS = st.sampled_from((0.0, 0.3, 0.5, 1.0, 25.0, 1e-9, 1e9))
LAYERS = ("repeat", "lookahead", "step", "select", "select", "adapt")
BUDGETS = st.sampled_from((1, 2, 3, 7, 30, 100, 100, 300))
MEMORY = st.sampled_from((1, 3, 10, 40, 10_000_000, 10_000_000))
SEEDS = st.integers(0, 2**64 - 1)
ITERATIONS = st.sampled_from((1, 2, 3, 10))
ALPHAS = st.sampled_from((1.0, 1.0, 0.5, 2.0, 100.0))
SEMANTICS = st.sampled_from(("standard", "maes2013"))


@st.composite
def runnable(draw: st.DrawFn, deepest: int = 7) -> Component:
    """Any expression the engines run: nested selects, nested repeats, and a repeat at the root included."""
    expression: Component = Simulate()
    for layer in draw(st.lists(st.sampled_from(LAYERS), max_size=deepest - 1)):
        match layer:
            case "repeat":
                expression = Repeat(expression, draw(COUNTS))
            case "lookahead":
                expression = Lookahead(expression)
            case "step":
                expression = Step(expression)
            case "adapt":
                expression = Adapt(expression, draw(ITERATIONS), draw(ALPHAS))
            case _:
                expression = Select(expression, Ucb1(draw(CONSTANTS)))
    return expression


@st.composite
def learning(draw: st.DrawFn, features: Sequence[str] = (), deepest: int = 5) -> Component:
    """Expressions with adapt, commit rules, puct and, where there are features, guided: what the naive search knows."""
    policy: PlayoutPolicy = RandomPlayout()
    if features and draw(st.booleans()):
        policy = draw(guided_by(features))
    expression: Component = Simulate(policy)
    for layer in draw(st.lists(st.sampled_from((*LAYERS, "adapt", "adapt")), max_size=deepest - 1)):
        match layer:
            case "repeat":
                expression = Repeat(expression, draw(st.sampled_from((1, 2, 3, 10))))
            case "lookahead":
                expression = Lookahead(expression)
            case "step":
                rules = ("best", "visits", "mean", "max") if stands_over_select(expression) else ("best",)
                expression = Step(expression, draw(st.sampled_from(rules)))
            case "adapt":
                expression = Adapt(expression, draw(ITERATIONS), draw(ALPHAS))
            case _:
                c, fpu = draw(CONSTANTS), draw(st.sampled_from((None, INFINITE, 0.5)))
                kind = draw(st.sampled_from((Ucb1, Puct)))
                expression = Select(expression, kind(c) if fpu is None else kind(c, fpu=fpu))
    return expression


@st.composite
def guided_by(draw: st.DrawFn, features: Sequence[str], opens: bool = False) -> Guided:
    weights: st.SearchStrategy[Value] = st.sampled_from((0.0, 1.0, -4.0, 0.3, 50.0, -1e6))
    if opens:
        weights |= st.sampled_from((Choice((0.0, 4.0)), Choice((-1.0, 1.0, 0.3))))
    named = draw(st.lists(st.sampled_from(tuple(features)), min_size=1, unique=True))
    return Guided(tuple((name, draw(weights)) for name in named))


# Adaptive expressions: policies, commit rules, tuners.

DECAYS = {
    "move_decay": (1.0, 1.0, 0.6, 0.0),
    "batch_decay": (1.0, 1.0, 0.9, 0.0),
    "batch": (50, 1, 3),
    "sim_decay": (1.0, 1.0, 0.5, 0.0),
}
SELECTION = {"c": (0.0, 0.2, 0.5, 1e9), "vo": (0.0, 0.0, 0.02), "t": (0.0, 0.0, 3.0, float("inf"))}
SELECTION |= {"fpu": (float("inf"), float("inf"), 1.0, 0.3, -5.0)}
NORM = {"norm": (0, 1)}
INFINITE = float("inf")
PLAYOUTS: tuple[tuple[Any, dict[str, tuple[Any, ...]]], ...] = (
    (RandomPlayout, {}),
    (Mast, {"eps": (0.0, 0.4, 1.0)} | DECAYS),
    (Mast, {"tau": (0.1, 1e-6, 50.0)} | DECAYS),
    (Nst, {"eps": (0.0, 0.2), "n": (1, 2, 3, 5), "kmin": (0, 1, 2, 7)} | DECAYS),
)
SELECTIONS: tuple[tuple[Any, dict[str, tuple[Any, ...]]], ...] = (
    (Ucb1, SELECTION | NORM),
    (Grave, SELECTION | {"ref": (0.0, 2.0, 50.0, INFINITE), "k": (0.0, 10.0, 250.0, INFINITE)} | NORM),
    (Grave, SELECTION | {"ref": (0.0, 2.0, INFINITE), "bias": (0.0, 0.1, 1.0)} | NORM),
    (History, SELECTION | {"w": (0.0, 1.0, 5.0)} | NORM),
    (Puct, SELECTION),
)
EXPORTABLE = tuple((kind, {k: v for k, v in parameters.items() if k not in NORM}) for kind, parameters in SELECTIONS)
TUNERS: tuple[tuple[Any, dict[str, tuple[Any, ...]]], ...] = (
    (RandomTuner, {}),
    (Mab, {"c": (0.7, 0.0, 0.1), "fpu": (1.0, 0.5, INFINITE)}),
    (NaiveMonteCarlo, {"eps0": (0.75, 0.3, 1.0, 0.0), "c_l": (1.0, 0.1)}),
    (LinearSideInformation, {"share": (0.75, 0.3, 0.0, 1.0), "k": (None, 1, 3)}),
    (EvolutionaryAlgorithm, {"lambda_": (4, 7), "mu": (1, 2, 4), "p_cross": (0.5, 0.0, 1.0)}),
    (Ntbea, {"x": (5, 1), "c": (0.2, 0.0)}),
)


@st.composite
def with_parameters(
    draw: st.DrawFn, kinds: tuple[tuple[Any, dict[str, tuple[Any, ...]]], ...], opens: bool = False
) -> Any:
    """A policy or tuner with some parameters given, some of those open."""
    kind, parameters = draw(st.sampled_from(kinds))
    given: dict[str, Any] = {}
    for name, values in parameters.items():
        if name in ("tau", "bias", "lambda_", "mu") or draw(st.booleans()):
            distinct = tuple(dict.fromkeys(values))
            if opens and draw(st.booleans()):
                given[name] = Choice(tuple(draw(st.lists(st.sampled_from(distinct), min_size=1, unique=True))))
            else:
                given[name] = draw(st.sampled_from(values))
    return kind(**given)


@st.composite
def adaptive(
    draw: st.DrawFn, cuts: bool, deepest: int = 6, tunes: bool = True, features: Sequence[str] = ()
) -> Component:
    """Any expression with policies, commit rules and, if it `tunes`, tuners over lists, else one that can be exported;
    `cuts`: the domain values unfinished states; `features`: those of the domain. Greedy playouts give no action a
    probability of its own, which puct asks for."""

    def one_of(fixed: tuple[Any, ...], *opened: Choice) -> Any:
        return draw(st.sampled_from((*fixed, *opened) if tunes else fixed))

    policy = draw(with_parameters(PLAYOUTS, opens=tunes))
    if features and draw(st.booleans()):
        policy = draw(guided_by(features, opens=tunes))
    if cuts and draw(st.booleans()):
        policy = replace(policy, depth=one_of((1, 2, 5), Choice((2, 1)), Choice((3, INFINITE))))
    expression: Component = Simulate(policy)
    layers = (*LAYERS, "tune", "tune") if tunes else LAYERS
    for layer in draw(st.lists(st.sampled_from(layers), max_size=deepest - 1)):
        match layer:
            case "repeat":
                expression = Repeat(expression, one_of((1, 2, 3, 10), Choice((2, 5, 1))))
            case "lookahead":
                expression = Lookahead(expression)
            case "step":
                rule = (
                    one_of(tuple(COMMIT_RULES), Choice(tuple(COMMIT_RULES)))
                    if stands_over_select(expression)
                    else "best"
                )
                expression = Step(expression, rule)
            case "adapt":
                if can_be_adapted(expression):
                    n, alpha = one_of((1, 2, 3, 10), Choice((3, 1))), one_of((1.0, 0.5, 2.0, 100.0), Choice((1.0, 2.0)))
                    expression = Adapt(expression, n, alpha)
            case "tune":
                if expression.unbound:
                    expression = Tune(expression, draw(tuned()))
            case _:
                kinds = SELECTIONS if tunes else EXPORTABLE
                if not has_odds(expression):
                    kinds = tuple(one for one in kinds if one[0] is not Puct)
                expression = Select(expression, draw(with_parameters(kinds, opens=tunes)))
    return Tune(expression, draw(tuned())) if expression.unbound else expression


@st.composite
def tuned(draw: st.DrawFn) -> Any:
    tuner = draw(with_parameters(TUNERS))
    return replace(tuner, b=draw(st.sampled_from((1, 1, 1, 3))))


@st.composite
def over_intervals(draw: st.DrawFn, features: Sequence[str] = ()) -> Component:
    """An expression tuned by cmaes; with `features`, playouts are guided by them, most weights open."""
    policy: PlayoutPolicy = draw(st.sampled_from((RandomPlayout(), Mast(eps=Interval(0.0, 1.0)))))
    if features:
        weights = st.sampled_from((Interval(-5.0, 5.0), Interval(0.0, 100.0), -2.0))
        named = draw(st.lists(st.sampled_from(tuple(features)), min_size=1, unique=True))
        policy = Guided(tuple((name, draw(weights)) for name in named))
    inside: Component = Simulate(policy)
    selections = [Ucb1(c=Interval(0.0, 1.0)), Grave(c=Interval(0.1, 2.0), ref=5.0)]
    selections += [Puct(c=Interval(0.0, 5.0))] * bool(features)
    inside = Select(inside, draw(st.sampled_from(selections)))
    if draw(st.booleans()) and can_be_adapted(inside):
        inside = Adapt(inside, 3, Interval(0.5, 2.0))
    if not inside.unbound:
        return inside
    inside = Tune(inside, Cmaes(b=draw(st.sampled_from((1, 2)))))
    return Step(Repeat(inside, 5)) if draw(st.booleans()) else inside

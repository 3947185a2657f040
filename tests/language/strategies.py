"""Hypothesis strategies for every expression of the language, valid by construction.

Expressions grow from the inside out, because what may stand around a component depends on what is in it: a commit
rule needs a select below, and a `tune` needs open parameters of the kind that its tuner takes.
"""

import math
from typing import Any

from hypothesis import settings
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
    Uct,
)
from mcsgrammar.language.parameters import (
    Choice,
    Count,
    Interval,
    Kind,
    Number,
    Parametrised,
    Real,
    Value,
    Word,
    declaration,
    parameters_of,
)
from mcsgrammar.language.policies import (
    PLAYOUT_POLICIES,
    SELECTION_POLICIES,
    Guided,
    Mast,
    Nst,
    PlayoutPolicy,
    Puct,
    Ucb1,
)
from mcsgrammar.language.tuners import TUNERS

Openness = type[Choice] | type[Interval] | None
"""How the parameters around here may be open: as a list, as an interval, or not at all."""

OPENNESS: st.SearchStrategy[Openness] = st.sampled_from((None, Choice, Interval))
LAYERS = (Repeat, Lookahead, Step, Select, Adapt, Tune)
FEATURES = st.sampled_from(("distance", "slack", "x", "_", "Eps", "c", "tau", "max", "best", "ucb1"))
FEATURES |= st.from_regex("[A-Za-z_][A-Za-z0-9_]{5,9}", fullmatch=True)
"""Names that no component has: what counts these in a text looks for words."""


def deterministic(max_examples: int) -> settings:
    """The same examples in every run, on every machine."""
    return settings(derandomize=True, deadline=None, database=None, max_examples=max_examples)


def reals(kind: Real) -> st.SearchStrategy[float]:
    return st.floats(
        None if kind.low == -math.inf else kind.low,
        None if kind.high == math.inf else kind.high,
        exclude_min=kind.positive,
        allow_nan=False,
        allow_infinity=False,
    )


def fixed(kind: Kind) -> st.SearchStrategy[Any]:
    """A value that a parameter of this kind takes."""
    match kind:
        case Word():
            return st.sampled_from(kind.words)
        case Count():
            values: st.SearchStrategy[Number] = st.integers(kind.low, min(kind.high, 1000))
            values |= st.integers(kind.low, kind.high)
        case Real():
            handy = (v for v in (0, 1, 10, 1000, -1, 0.0, 0.1, 0.25, 0.5, 1.0) if kind.check(v) is not None)
            values = st.sampled_from(tuple(handy)) | reals(kind)
    return values | st.just(math.inf) if kind.infinite else values


def choices(kind: Kind) -> st.SearchStrategy[Choice]:
    return st.lists(fixed(kind), min_size=1, max_size=4, unique_by=kind.check).map(lambda vs: Choice(tuple(vs)))


def intervals(kind: Real) -> st.SearchStrategy[Interval]:
    return st.lists(reals(kind), min_size=2, max_size=2, unique=True).map(lambda ends: Interval(min(ends), max(ends)))


def values(kind: Kind, openness: Openness = None) -> st.SearchStrategy[Value]:
    """A fixed value, or an open one where that is possible."""
    if openness is Choice:
        return fixed(kind) | choices(kind)
    if openness is Interval and isinstance(kind, Real):
        return fixed(kind) | intervals(kind)
    return fixed(kind)


def parametrised(kind: type[Parametrised], openness: Openness = None) -> st.SearchStrategy[Any]:
    """A policy or tuner with any of its parameters given."""
    optional = {f.name: values(declaration(f).kind, openness) for f in parameters_of(kind)}
    given = st.fixed_dictionaries({}, optional=optional)
    return given.map(without_contradictions).map(lambda parameters: kind(**parameters))


def without_contradictions(parameters: dict[str, Any]) -> dict[str, Any]:
    for one, other in (("tau", "eps"), ("bias", "k")):
        if one in parameters:
            parameters.pop(other, None)
    if "mu" in parameters or "lambda_" in parameters:
        mu, population = parameters.get("mu", 25), parameters.get("lambda_", 50)
        parameters |= {"mu": min(mu, population), "lambda_": max(mu, population)}
    return parameters


def guided(openness: Openness = None) -> st.SearchStrategy[Guided]:
    weights = st.dictionaries(FEATURES, values(Real(-1e6, 1e6), openness), min_size=1, max_size=3)
    depth = st.fixed_dictionaries({}, optional={"depth": values(Count(1, infinite=True), openness)})
    return st.builds(lambda ws, rest: Guided(tuple(ws.items()), **rest), weights, depth)


def playout_policies(openness: Openness = None) -> st.SearchStrategy[Any]:
    plain = [parametrised(kind, openness) for kind in PLAYOUT_POLICIES.values() if kind is not Guided]
    return st.one_of([*plain, guided(openness)])


def selection_policies(openness: Openness = None, over: Component | None = None) -> st.SearchStrategy[Any]:
    """Those that may stand over a component; any, without one."""
    plain = values(Real(), openness).map(Ucb1)
    kinds = [kind for kind in SELECTION_POLICIES.values() if kind is not Puct or over is None or has_odds(over)]
    return st.one_of([plain, *(parametrised(kind, openness) for kind in kinds)])


def tuners(openness: Openness) -> st.SearchStrategy[Any]:
    fitting = [kind for kind in TUNERS.values() if kind.takes_intervals == (openness is Interval)]
    return st.one_of([parametrised(kind) for kind in fitting])


def stands_over_select(component: Component) -> bool:
    while isinstance(component, Repeat | Tune):
        component = component.component
    return isinstance(component, Select)


def playout_policy_of(component: Component) -> PlayoutPolicy | None:
    """None: it is `uct(C)`, which stands for random playouts."""
    innermost = list(component.walk())[-1]
    return innermost.policy if isinstance(innermost, Simulate) else None


def can_be_adapted(component: Component) -> bool:
    """Its playouts are not those of mast and nst, which learn in a way of their own."""
    return not isinstance(playout_policy_of(component), Mast | Nst)


def has_odds(component: Component) -> bool:
    """Its playouts give every action a probability: all but the greedy ones do."""
    policy = playout_policy_of(component)
    return not (isinstance(policy, Nst) or (isinstance(policy, Mast) and policy.tau is None))


def around(layer: type[Component], inner: Component, openness: Openness) -> st.SearchStrategy[Component]:
    """A component of the kind `layer` with `inner` in it."""
    if layer is Repeat:
        return st.builds(Repeat, st.just(inner), values(Count(1), openness))
    if layer is Select:
        return st.builds(Select, st.just(inner), selection_policies(openness, inner))
    if layer is Adapt:
        alphas = st.just(1.0) | values(Real(0.0, 1000.0, positive=True), openness)
        return st.builds(Adapt, st.just(inner), values(Count(1), openness), alphas)
    if layer is Step and stands_over_select(inner):
        return st.builds(Step, st.just(inner), values(Word(tuple(COMMIT_RULES)), openness))
    return st.just(Step(inner) if layer is Step else Lookahead(inner))


@st.composite
def expressions(draw: st.DrawFn, max_layers: int = 6) -> Component:
    """Any expression without open parameters left over: all components, policies, tuners, and `uct(C)`."""
    openness = draw(OPENNESS)
    expression: Component
    if draw(st.booleans()):
        expression = Simulate(draw(playout_policies(openness)))
    else:
        expression = draw(st.just(Simulate()) | values(Real(), openness).map(Uct))
    for layer in draw(st.lists(st.sampled_from(LAYERS), max_size=max_layers)):
        if layer is Adapt and not can_be_adapted(expression):
            continue
        if layer is not Tune:
            expression = draw(around(layer, expression, openness))
        else:
            if expression.unbound:
                expression = Tune(expression, draw(tuners(openness)))
            openness = draw(OPENNESS)
    return Tune(expression, draw(tuners(openness))) if expression.unbound else expression

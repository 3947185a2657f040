"""Hypothesis strategies for expressions that the engines run, and for how they are run."""

from hypothesis import strategies as st

from mcsgrammar.expressions import Component, Lookahead, Repeat, Select, Simulate, Step
from mcsgrammar.policies import Ucb1

COUNTS = st.sampled_from((1, 2, 3, 5, 10, 100, 2**63 - 1))
CONSTANTS = st.sampled_from((0.0, 0.3, 0.5, 1.0, 25.0, 1e-9, 1e9))
LAYERS = ("repeat", "lookahead", "step", "select", "select")
BUDGETS = st.sampled_from((1, 2, 3, 7, 30, 100, 100, 300))
MEMORY = st.sampled_from((1, 3, 10, 40, 10_000_000, 10_000_000))
SEEDS = st.integers(0, 2**64 - 1)
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
            case _:
                expression = Select(expression, Ucb1(draw(CONSTANTS)))
    return expression

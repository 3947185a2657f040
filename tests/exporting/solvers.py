"""Exported files, imported."""

from collections.abc import Callable
from functools import cache
from typing import Any

from mcsgrammar.engines.searching import SemanticsName
from mcsgrammar.enumeration.candidates import candidates
from mcsgrammar.exporting.standalone import export
from mcsgrammar.language.expressions import Component

BOTH: tuple[SemanticsName, ...] = ("standard", "maes2013")
CANDIDATES = list(candidates(4))
SHALLOW = list(candidates(3))
MORE = (
    "select(select(sim, 0.3), 1)",
    "select(step(select(step(select(sim, 0.3)), 0.7)), 0)",
    "lookahead(lookahead(select(select(repeat(repeat(sim, 2), 3), 0.3), 1e308)))",
    "lookahead(step(select(step(select(sim, 0.3)), 0.7)))",
    "repeat(select(lookahead(sim), 1), 3)",
    "nmc(3)",
    "metamcts(0.3, 3, 4)",
)
"""What the candidates up to depth 4 leave out: nested selects and repeats, constants that differ, depth."""


POLICIES = (
    "sim(mast(eps=0.2))",
    "sim(mast(tau=0.1, batch_decay=0.9, batch=3))",
    "step(sim(mast(eps=1, move_decay=0.5)))",
    "step(step(sim(mast(eps=0.1, move_decay=0))))",
    "lookahead(sim(nst(eps=0, n=2, kmin=0, sim_decay=0.5)))",
    "lookahead(sim(mast(tau=0.1, sim_decay=0.5)))",
    "step(repeat(sim(nst(n=1, kmin=1, move_decay=0.6, batch_decay=0.5)), 3))",
    "select(sim(mast), 0)",
    "select(sim(nst), 0.5)",
    "select(repeat(sim, 2), ucb1(c=0.3, vo=0.02, t=3, fpu=1))",
    "select(sim, ucb1(c=0, vo=0.25, fpu=0.5))",
    "step(select(sim, ucb1(c=1e308, fpu=-5)))",
    "select(sim(mast(tau=1)), ucb1(t=inf))",
    "step(repeat(select(sim, 0.5), 4), visits)",
    "step(repeat(select(sim, 0.5), 4), mean)",
    "step(select(step(select(sim, 0.5), max), 0.3), visits)",
    "select(sim, grave(c=0.2, ref=2))",
    "select(sim, grave(c=0, ref=0, bias=0.1))",
    "select(sim(mast), grave(ref=inf, k=inf, fpu=0.3))",
    "select(step(sim), grave(k=0, c=0.1))",
    "select(sim, history(c=0.6))",
    "step(select(lookahead(sim(nst)), history(c=0, w=5, fpu=0.3, vo=0.1)))",
    "lookahead(select(select(sim, history), grave(bias=1)))",
)
"""Every policy, in each of its forms."""
CUT = (
    "sim(random(depth=2))",
    "step(sim(random(depth=1)))",
    "step(step(repeat(sim(mast(depth=2)), 2)))",
    "select(sim(random(depth=2)), 0.5)",
    "select(step(sim(random(depth=2))), 0.5)",
    "step(select(select(repeat(sim(nst(depth=2)), 2), 0.5), 0.3), max)",
    "lookahead(step(repeat(select(sim(random(depth=1)), grave(ref=1)), 3)))",
)
"""Playouts that end in unfinished states, which the domain must value."""


def imported(text: str) -> dict[str, Any]:
    """What an exported file defines."""
    names: dict[str, Any] = {"__name__": "solver"}
    exec(compile(text, "solver.py", "exec"), names)
    return names


@cache
def solver(expression: Component | str, semantics: SemanticsName = "standard") -> Callable[..., Any]:
    """The function of the exported file."""
    return imported(export(expression, semantics=semantics))["solve"]  # type: ignore[no-any-return]


PLAIN = '''
class Plain:
    """Words over a, b and c; five methods and no base class. `play` leaves a state alone."""

    horizon = 6

    def sample(self, random):
        return ""

    def actions(self, state):
        return "abc" if state.count("c") < 2 else "ab"

    def play(self, state, action):
        return state + action

    def copy(self, state):
        return state

    def is_final(self, state):
        return len(state) >= 6

    def reward(self, state):
        return sum(a != b for a, b in zip(state, state[1:])) / 5 - state.count("a") / 7
'''

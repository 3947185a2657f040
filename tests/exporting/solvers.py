"""Exported files, imported."""

from collections.abc import Callable
from functools import cache
from typing import Any

from mcsgrammar.enumeration import candidates
from mcsgrammar.exporting import export
from mcsgrammar.expressions import Component
from mcsgrammar.searching import SemanticsName

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

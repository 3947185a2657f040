"""Exported files, imported, and compared with what the reference engine finds."""

from collections.abc import Callable
from functools import cache
from textwrap import dedent
from typing import Any

from domains.protocol import Domain
from mcsgrammar.defaults import DEFAULT_MAX_NODES
from mcsgrammar.engines.searching import Limits, SemanticsName, search
from mcsgrammar.enumeration.candidates import candidates
from mcsgrammar.exporting.standalone import export
from mcsgrammar.language.expressions import Adapt, Component, Select, Simulate
from mcsgrammar.language.parsing import parse
from mcsgrammar.language.policies import Mast, Nst
from tests.engines.toys import TreeGame

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
ODDS = (
    "adapt(sim, 10)",
    "adapt(adapt(step(sim), 4), 3, 0.3)",
    "step(adapt(repeat(adapt(sim, 2, 0.01), 2), 5, 7))",
    "repeat(adapt(lookahead(sim), 4, 1000), 2)",
    "adapt(select(sim, 0.5), 12)",
    "select(adapt(sim, 3), 0.5)",
    "select(adapt(select(sim, grave(ref=1)), 3), history(t=3))",
    "adapt(step(repeat(select(sim, 0.5), 3), visits), 4)",
    "adapt(repeat(step(select(sim, 0.5), max), 2), 4)",
    "adapt(step(select(adapt(step(select(sim, 0.3), mean), 2), 0.5), max), 3)",
    "sim(guided(y=0.5))",
    "lookahead(step(sim(guided(x=-2, y=1))))",
    "adapt(sim(guided(x=-1)), 10)",
    "select(adapt(step(sim(guided(x=1, y=-0.7))), 3), ucb1(c=0.2, t=2))",
    "select(sim, puct)",
    "select(sim(mast(tau=0.1, batch_decay=0.9, batch=3)), puct(c=0.4))",
    "select(lookahead(sim(guided(x=-1))), puct(c=0, fpu=0.5))",
    "step(repeat(select(sim(guided(x=3)), puct(c=1e308, vo=0.01)), 3), visits)",
    "adapt(select(sim, puct(c=2, fpu=inf)), 9)",
    "select(adapt(select(sim, puct(t=2)), 3), puct(c=0.3, fpu=-5))",
    "adapt(lookahead(select(sim(guided(x=1)), puct(c=0.3, fpu=0.3, t=inf))), 3)",
)
"""Where actions have odds: adapt, guided and puct in each of their forms."""
CUT_ODDS = (
    "adapt(step(sim(random(depth=1))), 5)",
    "adapt(step(step(repeat(sim(guided(x=1, depth=2)), 2))), 3)",
    "step(adapt(adapt(step(sim(random(depth=2))), 2), 4))",
    "adapt(step(adapt(select(sim(random(depth=2)), puct), 3)), 2)",
)
"""The same with playouts that end in unfinished states."""


def imported(text: str) -> dict[str, Any]:
    """What an exported file defines."""
    names: dict[str, Any] = {"__name__": "solver"}
    exec(compile(text, "solver.py", "exec"), names)
    return names


@cache
def solver(expression: Component | str, semantics: SemanticsName = "standard") -> Callable[..., Any]:
    """The function of the exported file."""
    return imported(export(expression, semantics=semantics))["solve"]  # type: ignore[no-any-return]


def class_body(text: str, first: str, last: str) -> str:
    """The methods of `Search` from one to another."""
    start, end = text.index(f"    def {first}("), text.index(f"    def {last}(")
    return dedent(text[start:end])


def found_by_file(
    solve: Callable[..., Any], domain: Any, initial: Any, budget: float, seed: int, **how: Any
) -> tuple[Any, ...]:
    result = solve(domain, initial, budget, seed=seed, **how)
    return *result[:4], getattr(result, "tree_full", False)


def grows(expression: Component) -> bool:
    """Whether it has a tree."""
    return any(isinstance(part, Select) for part in expression.walk())


def remembers(expression: Component) -> bool:
    """Whether its memory has a limit."""
    return any(
        isinstance(part, Select | Adapt) or (isinstance(part, Simulate) and isinstance(part.policy, Mast | Nst))
        for part in expression.walk()
    )


def assert_same(
    expression: Component | str,
    domain: Domain,
    initial: Any,
    budget: int,
    seed: int,
    semantics: SemanticsName = "standard",
    max_nodes: int = DEFAULT_MAX_NODES,
) -> None:
    """The file comes to what the reference engine comes to."""
    parsed = parse(expression) if isinstance(expression, str) else expression
    solve = solver(parsed, semantics)
    how = {"max_nodes": max_nodes} if remembers(parsed) else {}
    expected = search(domain, initial, parsed, seed, Limits(budget, max_nodes=max_nodes), semantics, "reference")
    assert found_by_file(solve, domain, initial, budget, seed, **how) == (
        expected.reward,
        list(expected.actions),
        expected.evaluations,
        expected.stop_reason,
        expected.tree_full,
    )


class Valuing(TreeGame):
    """A tree game whose unfinished states are worth something, too; some rewards are below 0 or above 1. In every other
    game they are quarters, so that many are equal."""

    values_unfinished = True

    def reward(self, state: Any) -> float:
        mixed = sum((7 * place + 5) * action * action for place, action in enumerate(state.path, 1))
        return mixed % 9 / 4 - 0.5 if self.horizon % 2 else mixed % 107 / 60 - 0.3


class Telling(Valuing):
    """One whose actions have features, and codes that several share."""

    features = ("z", "y", "x")

    def code(self, state: Any, action: int) -> Any:
        return len(state.path) % 2, action

    def feature(self, state: Any, action: int) -> list[float]:
        return [action * 100 / 3, len(state.path) * 0.3 - action % 3, action / 10 - 0.7]


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

"""How the tests run expressions, and how they compare what comes out."""

from dataclasses import dataclass, replace
from typing import Any

from domains.protocol import Domain
from mcsgrammar.expressions import Component
from mcsgrammar.parsing import parse
from mcsgrammar.reference import BudgetSpent, ReferenceSearch
from mcsgrammar.results import RunResult
from mcsgrammar.searching import DEFAULT_MAX_NODES, EngineName, Limits, SemanticsName, compiled_domain, search
from tests.engines.toys import TreeGame, draws_between, seed_for

ENGINES: tuple[EngineName, ...] = ("reference", "compiled")


def untimed(result: RunResult) -> RunResult:
    """What must be the same in both engines: everything but the time."""
    return replace(result, seconds=0.0)


def run(
    domain: Domain,
    initial: Any,
    expression: Component | str,
    budget: int,
    *,
    seed: int = 0,
    semantics: SemanticsName = "standard",
    engine: EngineName = "reference",
    max_nodes: int = DEFAULT_MAX_NODES,
) -> RunResult:
    parsed = parse(expression) if isinstance(expression, str) else expression
    return untimed(search(domain, initial, parsed, seed, Limits(budget, max_nodes=max_nodes), semantics, engine))


def agreed(domain: Domain, initial: Any, expression: Component | str, budget: int, **how: Any) -> RunResult:
    """The result that both engines give."""
    reference = run(domain, initial, expression, budget, engine="reference", **how)
    assert run(domain, initial, expression, budget, engine="compiled", **how) == reference
    return reference


@dataclass(frozen=True)
class Played:
    """A run on a toy, with every final state it came to."""

    yields: list[tuple[int, ...]]
    draws: int
    result: RunResult


def play(
    tree: Any,
    expression: str,
    *draws: tuple[int, int],
    budget: int,
    semantics: SemanticsName = "standard",
    max_nodes: int = DEFAULT_MAX_NODES,
) -> Played:
    """Run on the game `tree` with a seed whose draws are `(value, n)`; the engines agree at every smaller budget."""
    seed, parsed = seed_for(*draws), parse(expression)
    domain = TreeGame(tree)
    initial = domain.sample(None)  # type: ignore[arg-type]

    def stop(evaluations: int) -> None:
        if evaluations == budget:
            raise BudgetSpent

    definition = ReferenceSearch(domain, initial, parsed, seed, semantics == "maes2013", max_nodes, stop)
    definition.run()
    yields = list(domain.seen)
    how: dict[str, Any] = {"seed": seed, "semantics": semantics, "max_nodes": max_nodes}
    results = [agreed(domain, initial, parsed, smaller, **how) for smaller in range(1, budget + 1)]
    drawn = draws_between(seed, definition.random.state)
    assert draws_between(seed, compiled_random_state(domain, initial, parsed)) == drawn
    return Played(yields, drawn, results[-1])


def compiled_random_state(domain: Domain, initial: Any, expression: Component) -> int:
    """Where the generator of the compiled engine stands after a run."""
    compiled = compiled_domain(domain)
    _, state = compiled.encode(initial)
    workspace = compiled._workspace(expression.depth + 1, state.dtype, state.shape[0])
    return int(workspace.run.random[0])

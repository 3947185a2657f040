"""How the tests run expressions, and how they compare what comes out.

Results alone would hide much: on a small game the best is soon found, however the search goes on. So the engines are
also compared on what they hold in the end: the state of the generator, and every node of every tree.
"""

from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import numpy as np

from domains.protocol import Domain
from mcsgrammar.expressions import Component
from mcsgrammar.parsing import parse
from mcsgrammar.reference import Node, ReferenceSearch
from mcsgrammar.results import RunResult
from mcsgrammar.searching import DEFAULT_MAX_NODES, EngineName, Limits, SemanticsName, compiled_domain, search
from tests.engines.toys import TreeGame, draws_between, seed_for

ENGINES: tuple[EngineName, ...] = ("reference", "compiled")

Sequence = tuple[Any, ...]


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
    return both(domain, initial, expression, budget, **how)[0]


def both(
    domain: Domain, initial: Any, expression: Component | str, budget: int, **how: Any
) -> "tuple[RunResult, Internals]":
    """The result that both engines give, and what both hold in the end."""
    parsed = parse(expression) if isinstance(expression, str) else expression
    searches = []

    class Watched(ReferenceSearch):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            searches.append(self)

    with mock.patch("mcsgrammar.reference.ReferenceSearch", Watched):
        result = run(domain, initial, parsed, budget, engine="reference", **how)
    assert run(domain, initial, parsed, budget, engine="compiled", **how) == result
    (definition,) = searches
    internals = internals_of_reference(definition)
    assert internals_of_compiled(domain, initial, parsed) == internals
    return result, internals


@dataclass(frozen=True)
class Internals:
    """What an engine holds at the end of a run."""

    random_state: int
    trees: list[dict[Sequence, tuple[int, float, bool]]]
    """for each select, from the outside in: visits, total and whether it is exhausted, by the actions to the node"""


def internals_of_reference(search: ReferenceSearch) -> Internals:
    def nodes(node: Node, path: Sequence) -> dict[Sequence, tuple[int, float, bool]]:
        found = {path: (node.visits, node.total, node.exhausted)}
        for child in node.children:
            found |= nodes(child, (*path, child.action))
        return found

    return Internals(search.random.state, [nodes(root, ()) for root in search.trees.values()])


def internals_of_compiled(domain: Domain, initial: Any, expression: Component) -> Internals:
    """Of the last run of an expression of this length in this thread."""
    compiled = compiled_domain(domain)
    _, state = compiled.encode(initial)
    workspace = compiled._workspace(expression.depth + 1, state.dtype, state.shape[0])
    tree = workspace.tree

    def nodes(node: int, path: Sequence) -> dict[Sequence, tuple[int, float, bool]]:
        found = {path: (int(tree.visits[node]), float(tree.total[node]), bool(tree.mean[node] == -np.inf))}
        first = int(tree.first_child[node])
        for child in range(first, first + int(tree.children[node])):
            found |= nodes(child, (*path, int(tree.action[child])))
        return found

    selects = sum(part.name == "select" for part in expression.walk())
    return Internals(int(workspace.run.random[0]), [nodes(root, ()) for root in range(selects)])


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
    seed = seed_for(*draws)
    domain = TreeGame(tree)
    for smaller in range(1, budget + 1):
        domain.seen.clear()
        result, internals = both(
            domain, domain.sample(None), expression, smaller, seed=seed, semantics=semantics, max_nodes=max_nodes
        )  # fmt: skip
    return Played(list(domain.seen), draws_between(seed, internals.random_state), result)

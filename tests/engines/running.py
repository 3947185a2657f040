"""How the tests run expressions, and how they compare what comes out.

Results alone would hide much: on a small game the best is soon found, however the search goes on. So the engines are
also compared on what they hold in the end: the state of the generator, and every node of every tree.
"""

from dataclasses import dataclass, field, replace
from typing import Any
from unittest import mock

import numpy as np

from domains.protocol import Domain
from mcsgrammar.defaults import DEFAULT_MAX_NODES
from mcsgrammar.engines.compiled.layout import with_memory
from mcsgrammar.engines.compiled.learning_layout import DIRECT, LEARNT, UNSEEN, Learning
from mcsgrammar.engines.compiled.means_kernels import MeansTable
from mcsgrammar.engines.compiled.waiting_layout import BEFORE, END, FIRST, Waiting
from mcsgrammar.engines.reference.interpreter import Node, ReferenceSearch
from mcsgrammar.engines.reference.means import Means, Room
from mcsgrammar.engines.results import RunResult
from mcsgrammar.engines.searching import EngineName, Limits, SemanticsName, compiled_engine, search
from mcsgrammar.language.expressions import Component
from mcsgrammar.language.parsing import parse
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

    with mock.patch("mcsgrammar.engines.reference.engine.ReferenceSearch", Watched):
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
    grams: dict[Sequence, tuple[float, float]] = field(default_factory=dict)
    """count and mean"""
    history: dict[Sequence, tuple[float, float]] = field(default_factory=dict)
    amaf: list[dict[Sequence, dict[int, tuple[float, float]]]] = field(default_factory=list)
    """for each select: count and mean by action, by the actions to the node; nodes without any are left out"""
    known: frozenset[Any] = frozenset()
    """the codes that were learnt about; the weights themselves are forgotten when their adapt ends"""


def internals_of_reference(search: ReferenceSearch) -> Internals:
    amaf: list[dict[Sequence, dict[int, tuple[float, float]]]] = []

    def nodes(node: Node, path: Sequence) -> dict[Sequence, tuple[int, float, bool]]:
        found = {path: (node.visits, node.total, node.exhausted)}
        if node.amaf is not None and node.amaf.entries:
            amaf[-1][path] = {action: (count, mean) for action, (count, mean) in node.amaf.entries.items()}
        for child in node.children:
            found |= nodes(child, (*path, child.action))
        return found

    trees = []
    for root in search.trees.values():
        amaf.append({})
        trees.append(nodes(root, ()))
    grams = {gram: (count, mean) for gram, (count, mean) in search.playouts.grams.entries.items()}
    history = {(action,): (count, mean) for action, (count, mean) in search.history.entries.items()}
    known = frozenset(search.playouts.teaching.known)
    return Internals(search.random.state, trees, grams, history, amaf, known)


def internals_of_compiled(domain: Domain, initial: Any, expression: Component) -> Internals:
    """Of the last run of an expression of this length in this thread."""
    compiled = compiled_engine(domain)
    _, state = compiled.ready(initial)
    workspace = compiled._workspace(len([*with_memory(expression).walk()]) + 1, state.dtype, state.shape[0])
    tree = workspace.tree
    paths: dict[int, tuple[int, Sequence]] = {}

    def nodes(node: int, path: Sequence) -> dict[Sequence, tuple[int, float, bool]]:
        found = {path: (int(tree.visits[node]), float(tree.total[node]), bool(tree.mean[node] == -np.inf))}
        first = int(tree.first_child[node])
        for child in range(first, first + int(tree.children[node])):
            found |= nodes(child, (*path, int(tree.action[child])))
        return found

    selects = sum(part.name == "select" for part in expression.walk())
    trees = [nodes(root, ()) for root in range(selects)]
    random_state = int(workspace.run.random[0])
    known = codes_in(workspace.own.adapt) if workspace.own.adapt else frozenset()
    if all(part.is_plain for part in expression.walk()):
        return Internals(random_state, trees, amaf=[{} for _ in trees], known=known)
    statistics = compiled._statistics()

    def find_paths(number: int, node: int, path: Sequence) -> None:
        paths[node] = number, path
        first = int(tree.first_child[node])
        for child in range(first, first + int(tree.children[node])):
            find_paths(number, child, (*path, int(tree.action[child])))

    for root in range(selects):
        find_paths(root, root, ())
    grams: dict[int, Sequence] = {0: ()}
    for entry, (parent, action, _, _) in enumerate(rows_of(statistics.grams)):
        grams[entry + 1] = (*grams[parent], action)
    amaf: list[dict[Sequence, dict[int, tuple[float, float]]]] = [{} for _ in trees]
    for node, action, count, mean in rows_of(statistics.amaf):
        number, path = paths[node]
        amaf[number].setdefault(path, {})[action] = count, mean
    for node, (number, path) in paths.items():
        if tree.visits[node] and (means := waiting_at(statistics.waiting, node)):
            assert path not in amaf[number]
            amaf[number][path] = means
    return Internals(
        random_state,
        trees,
        {grams[entry + 1]: (count, mean) for entry, (_, _, count, mean) in enumerate(rows_of(statistics.grams))},
        {(action,): (count, mean) for _, action, count, mean in rows_of(statistics.history)},
        amaf,
        known,
    )


def waiting_at(waiting: Waiting, node: int) -> dict[int, tuple[float, float]]:
    """What AMAF would be at a node if nothing waited there."""
    lines, line = [], int(waiting.latest[node])
    while line > 0:
        lines.append(line - 1)
        line = int(waiting.lines[line - 1, BEFORE])
    means = Means(Room(DEFAULT_MAX_NODES))
    for line in reversed(lines):
        for action in waiting.actions[waiting.lines[line, FIRST] : waiting.lines[line, END]].tolist():
            means.add(action, float(waiting.results[line]))
    return {action: (count, mean) for action, (count, mean) in means.entries.items()}


def codes_in(learning: Learning) -> frozenset[int]:
    """Those that were learnt about."""
    places = learning.learnt[0, : learning.counts[0, LEARNT]].tolist()
    codes = [place if place < DIRECT else int(learning.codes[place - UNSEEN - 1]) for place in places]
    assert len(set(codes)) == len(codes)
    return frozenset(codes)


def rows_of(table: MeansTable) -> list[tuple[int, int, float, float]]:
    """Parent, action, count and mean of every entry."""
    used = int(table.used[0])
    keys = table.key[:used]
    actions = (keys & 0xFFFFFFFF).astype(np.uint32).astype(np.int32)
    return list(
        zip(
            (keys >> 32).tolist(),
            actions.tolist(),
            table.numbers[:used, 0].tolist(),
            table.numbers[:used, 1].tolist(),
            strict=True,
        )
    )


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

"""A toy whose unfinished states are worth something, and runs whose inside can be looked at."""

from dataclasses import dataclass
from typing import Any
from unittest import mock

import numpy as np

from domains.protocol import Domain
from domains.randomness import Random
from mcsgrammar.defaults import DEFAULT_MAX_NODES
from mcsgrammar.engines.reference.interpreter import ReferenceSearch
from mcsgrammar.engines.results import RunResult
from mcsgrammar.engines.searching import Limits, prepare, search
from mcsgrammar.language.parsing import parse
from tests.engines.toys import Place, TreeGame
from tests.tuning.scripted import Draw, Scripted

WORTH = 0
"""The key, in a tree, of what its unfinished state is worth."""


class ValuedTreeGame(TreeGame):
    """A game written down as a tree, `{0: 0.5, 1: …, 2: …}`: here the unfinished state is worth 0.5, without a 0 it is
    worth nothing."""

    values_unfinished = True

    def actions(self, state: Place) -> list[int]:
        return [action for action in super().actions(state) if action != WORTH]

    def reward(self, state: Place) -> float:
        self.seen.append(state.path)
        return float(state.tree.get(WORTH, 0.0) if isinstance(state.tree, dict) else state.tree)

    def encode(self, state: Place) -> tuple[np.ndarray, np.ndarray]:
        numbers: list[float] = []
        start = valued(state.tree, numbers)
        return np.array(numbers), np.array([start])


def valued(tree: Any, numbers: list[float]) -> int:
    """As `toys.written`, with the worth of unfinished states."""
    below = {action: child for action, child in tree.items() if action != WORTH} if isinstance(tree, dict) else {}
    starts = [(action, valued(child, numbers)) for action, child in below.items()]
    start = len(numbers)
    numbers += [0.0, float(tree.get(WORTH, 0.0))] if isinstance(tree, dict) else [1.0, float(tree)]
    numbers += [len(starts), *(number for pair in starts for number in pair)]
    return start


@dataclass(frozen=True)
class Looked:
    """A run of the reference engine, with what it came to and what it holds in the end."""

    result: RunResult
    yields: list[tuple[Any, ...]]
    search: ReferenceSearch

    def grams(self) -> dict[Any, tuple[float, float]]:
        """(count, mean) of every gram."""
        return {gram: (count, mean) for gram, (count, mean) in self.search.playouts.grams.entries.items()}

    def node(self, *path: Any, tree: int = 0) -> Any:
        node = list(self.search.trees.values())[tree]
        for action in path:
            node = next(child for child in node.children if child.action == action)
        return node


def look(
    game: Domain,
    expression: str,
    budget: int,
    *draws: Draw,
    seed: int = 0,
    semantics: Any = "standard",
    max_nodes: int = DEFAULT_MAX_NODES,
    initial: Any = None,
) -> Looked:
    """Run on the reference engine, with the draws listed (all of which must be made) or those of a seed."""
    searches: list[ReferenceSearch] = []

    class Watched(ReferenceSearch):
        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            searches.append(self)

    scripted = Scripted(*draws)
    limits = Limits(budget, max_nodes=max_nodes)
    ready = prepare(parse(expression), game, limits)
    with (
        mock.patch("mcsgrammar.engines.reference.engine.ReferenceSearch", Watched),
        mock.patch("mcsgrammar.engines.reference.interpreter.Random", lambda seed: scripted if draws else Random(seed)),
    ):
        start = game.sample(Random(0)) if initial is None else initial
        result = search(game, start, ready, seed, limits, semantics, "reference")
    if draws:
        scripted.expect()
    return Looked(result, list(getattr(game, "seen", [])), searches[0])

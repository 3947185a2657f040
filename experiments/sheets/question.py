"""The question that one-player sheets answer: which algorithm is best on a game that it was not chosen on?

Glossary
    sheet       the rules of a game for one, in the Game Description Language; people's own, in a folder of theirs
    column      a game: a sheet, by its path in the folder, or a domain of ours
    twin        a domain of ours with the sheet of the same game
    choice      of a set of algorithms, the one with the highest mean reward over all sheets but one
    left out    the sheet on which the choice is measured then; each is left out in turn
    candidate   an expression of the enumeration; what else is tried is a generic algorithm
"""

from dataclasses import dataclass

from mcsgrammar.enumeration.candidates import candidates
from mcsgrammar.language.named import GENERIC
from mcsgrammar.language.parsing import parse

TWINS = {
    "knights": "max_knights/max_knights.kif",
    "statespace": "stateSpaceLarge/stateSpaceLarge.kif",
    "queens": "queens/queens.kif",
    "pancakes": "pancakes88/pancakes88.kif",
    "sudoku_simple": "",
    "frogs": "",
}
"""The six games of the paper on decay, with their sheets in the public base repository, where it has them."""


@dataclass(frozen=True)
class Size:
    """How much is tried."""

    name: str
    budget: int
    """evaluations a run"""
    depth: int
    """of the candidates"""
    runs: int
    """of each algorithm on each game"""
    slowest: float
    """CPU seconds that the evaluations of a run may take; slower games are not tried"""


SIZES = {
    size.name: size
    for size in (
        Size("small", budget=1_000, depth=3, runs=10, slowest=0.03),
        Size("full", budget=1_000, depth=4, runs=50, slowest=3.0),
    )
}


def algorithms(size: Size) -> list[str]:
    """The candidates, then the generic algorithms."""
    found = dict.fromkeys(str(expression) for expression in candidates(size.depth))
    return [*(text for text in found if text not in canonical_generics()), *GENERIC]


def canonical_generics() -> set[str]:
    """Generic algorithms as candidates are written, so that none is tried twice."""
    return {str(parse(name)) for name in GENERIC}

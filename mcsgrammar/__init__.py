"""mcsgrammar: automatic discovery of Monte-Carlo search algorithms.

    import mcsgrammar as mg

    expression = mg.parse("step(repeat(select(sim, 0.5), 10))")
    for expression in mg.candidates(depth=3): ...

Names are imported when they are first used, so that `import mcsgrammar` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from domains.protocol import Domain
    from mcsgrammar.enumeration import Candidates, Constants, candidates
    from mcsgrammar.errors import DomainError, ExpressionSyntaxError, InvalidExpression, UnknownDomain, UserError
    from mcsgrammar.expressions import Component, Lookahead, Repeat, Select, Simulate, Step, Tune, Uct
    from mcsgrammar.parsing import parse

_WHERE = {
    "Candidates": "mcsgrammar.enumeration",
    "Component": "mcsgrammar.expressions",
    "Constants": "mcsgrammar.enumeration",
    "Domain": "domains.protocol",
    "DomainError": "mcsgrammar.errors",
    "ExpressionSyntaxError": "mcsgrammar.errors",
    "InvalidExpression": "mcsgrammar.errors",
    "Lookahead": "mcsgrammar.expressions",
    "Repeat": "mcsgrammar.expressions",
    "Select": "mcsgrammar.expressions",
    "Simulate": "mcsgrammar.expressions",
    "Step": "mcsgrammar.expressions",
    "Tune": "mcsgrammar.expressions",
    "Uct": "mcsgrammar.expressions",
    "UnknownDomain": "mcsgrammar.errors",
    "UserError": "mcsgrammar.errors",
    "candidates": "mcsgrammar.enumeration",
    "parse": "mcsgrammar.parsing",
}

__all__ = [
    "Candidates",
    "Component",
    "Constants",
    "Domain",
    "DomainError",
    "ExpressionSyntaxError",
    "InvalidExpression",
    "Lookahead",
    "Repeat",
    "Select",
    "Simulate",
    "Step",
    "Tune",
    "Uct",
    "UnknownDomain",
    "UserError",
    "candidates",
    "parse",
]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module 'mcsgrammar' has no attribute '{name}'")
    return getattr(import_module(_WHERE[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)

"""mcsgrammar: automatic discovery of Monte-Carlo search algorithms.

    import mcsgrammar as mg

    expression = mg.parse("step(repeat(select(sim, 0.5), 10))")
    for expression in mg.candidates(depth=3): ...
    best = mg.solve("sudoku:4", "uct(0.5)", budget=1000).best
    print(best.score, best.draw())
    found = mg.discover("sudoku:4", "my-campaign", candidates=mg.candidates(3), pulls_per_candidate=20)
    print(found.best, found[:10])
    print(mg.compare("sudoku:4", [found.best, "la(1)", "nmc(2)"], problems=100))

Names are imported when they are first used, so that `import mcsgrammar` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discovery.evaluation import evaluate
    from domains.checking import check_domain
    from domains.protocol import Domain
    from domains.registry import find_domain as domain
    from mcsgrammar.enumeration import Candidates, Constants, candidates
    from mcsgrammar.errors import DomainError, ExpressionSyntaxError, InvalidExpression, UnknownDomain, UserError
    from mcsgrammar.exporting import export
    from mcsgrammar.expressions import Component, Lookahead, Repeat, Select, Simulate, Step, Tune, Uct
    from mcsgrammar.facade.campaigns import Campaign, discover, load, report, status
    from mcsgrammar.facade.comparing import Comparison, compare
    from mcsgrammar.parsing import parse
    from mcsgrammar.results import RunResult
    from mcsgrammar.solving import Solution, Solutions, solve

    __version__: str

_WHERE = {
    "Campaign": "mcsgrammar.facade.campaigns",
    "Candidates": "mcsgrammar.enumeration",
    "Comparison": "mcsgrammar.facade.comparing",
    "Component": "mcsgrammar.expressions",
    "Constants": "mcsgrammar.enumeration",
    "Domain": "domains.protocol",
    "DomainError": "mcsgrammar.errors",
    "ExpressionSyntaxError": "mcsgrammar.errors",
    "InvalidExpression": "mcsgrammar.errors",
    "Lookahead": "mcsgrammar.expressions",
    "Repeat": "mcsgrammar.expressions",
    "RunResult": "mcsgrammar.results",
    "Select": "mcsgrammar.expressions",
    "Simulate": "mcsgrammar.expressions",
    "Solution": "mcsgrammar.solving",
    "Solutions": "mcsgrammar.solving",
    "Step": "mcsgrammar.expressions",
    "Tune": "mcsgrammar.expressions",
    "Uct": "mcsgrammar.expressions",
    "UnknownDomain": "mcsgrammar.errors",
    "UserError": "mcsgrammar.errors",
    "candidates": "mcsgrammar.enumeration",
    "check_domain": "domains.checking",
    "compare": "mcsgrammar.facade.comparing",
    "discover": "mcsgrammar.facade.campaigns",
    "domain": "domains.registry:find_domain",
    "evaluate": "discovery.evaluation",
    "export": "mcsgrammar.exporting",
    "load": "mcsgrammar.facade.campaigns",
    "parse": "mcsgrammar.parsing",
    "report": "mcsgrammar.facade.campaigns",
    "solve": "mcsgrammar.solving",
    "status": "mcsgrammar.facade.campaigns",
}
"""Each public name: its module, and its name there where it is another."""

__all__ = [
    "Campaign",
    "Candidates",
    "Comparison",
    "Component",
    "Constants",
    "Domain",
    "DomainError",
    "ExpressionSyntaxError",
    "InvalidExpression",
    "Lookahead",
    "Repeat",
    "RunResult",
    "Select",
    "Simulate",
    "Solution",
    "Solutions",
    "Step",
    "Tune",
    "Uct",
    "UnknownDomain",
    "UserError",
    "candidates",
    "check_domain",
    "compare",
    "discover",
    "domain",
    "evaluate",
    "export",
    "load",
    "parse",
    "report",
    "solve",
    "status",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("mcsgrammar")
    if name not in _WHERE:
        raise AttributeError(f"module 'mcsgrammar' has no attribute '{name}'")
    module, _, attribute = _WHERE[name].partition(":")
    return getattr(import_module(module), attribute or name)


def __dir__() -> list[str]:
    return sorted(__all__)

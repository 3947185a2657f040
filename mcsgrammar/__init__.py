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
    from discovery.evaluation.evaluating import evaluate
    from domains.check.checking import check_domain
    from domains.protocol import Domain
    from domains.registry import find_domain as domain
    from mcsgrammar.engines.results import RunResult
    from mcsgrammar.enumeration.candidates import Candidates, Constants, candidates
    from mcsgrammar.exporting.standalone import export
    from mcsgrammar.facade.campaigns import Campaign, discover, load, report, status
    from mcsgrammar.facade.comparing import Comparison, compare
    from mcsgrammar.language.errors import (
        DomainError,
        ExpressionSyntaxError,
        InvalidExpression,
        UnknownDomain,
        UserError,
    )
    from mcsgrammar.language.expressions import Component, Lookahead, Repeat, Select, Simulate, Step, Tune, Uct
    from mcsgrammar.language.parsing import parse
    from mcsgrammar.solving import Solution, Solutions, solve

    __version__: str

_WHERE = {
    "Campaign": "mcsgrammar.facade.campaigns",
    "Candidates": "mcsgrammar.enumeration.candidates",
    "Comparison": "mcsgrammar.facade.comparing",
    "Component": "mcsgrammar.language.expressions",
    "Constants": "mcsgrammar.enumeration.candidates",
    "Domain": "domains.protocol",
    "DomainError": "mcsgrammar.language.errors",
    "ExpressionSyntaxError": "mcsgrammar.language.errors",
    "InvalidExpression": "mcsgrammar.language.errors",
    "Lookahead": "mcsgrammar.language.expressions",
    "Repeat": "mcsgrammar.language.expressions",
    "RunResult": "mcsgrammar.engines.results",
    "Select": "mcsgrammar.language.expressions",
    "Simulate": "mcsgrammar.language.expressions",
    "Solution": "mcsgrammar.solving",
    "Solutions": "mcsgrammar.solving",
    "Step": "mcsgrammar.language.expressions",
    "Tune": "mcsgrammar.language.expressions",
    "Uct": "mcsgrammar.language.expressions",
    "UnknownDomain": "mcsgrammar.language.errors",
    "UserError": "mcsgrammar.language.errors",
    "candidates": "mcsgrammar.enumeration.candidates",
    "check_domain": "domains.check.checking",
    "compare": "mcsgrammar.facade.comparing",
    "discover": "mcsgrammar.facade.campaigns",
    "domain": "domains.registry:find_domain",
    "evaluate": "discovery.evaluation.evaluating",
    "export": "mcsgrammar.exporting.standalone",
    "load": "mcsgrammar.facade.campaigns",
    "parse": "mcsgrammar.language.parsing",
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

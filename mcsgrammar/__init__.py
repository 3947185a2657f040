"""mcsgrammar: automatic discovery of Monte-Carlo search algorithms.

    import mcsgrammar as mg

    expression = mg.parse("step(repeat(select(sim, 0.5), 10))")
    for expression in mg.candidates(depth=3): ...
    best = mg.solve("sudoku:4", "uct(0.5)", budget=1000).best
    print(best.score, best.draw())
    found = mg.discover("sudoku:4", "my-campaign", candidates=mg.candidates(3), pulls_per_candidate=20)
    print(found.best, found[:10])
    print(mg.compare("sudoku:4", [found.best, "la(1)", "nmc(2)"], problems=100))
    print(mg.match("tictactoe", ["select(sim, 0.4)", "select(sim, 1)"], games=100, budget=200))
    print(mg.discover("tictactoe", against=["select(sim, 0.4)"], budget=50, pulls=500, test_problems=50).tested)

Names are imported when they are first used, so that `import mcsgrammar` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discovery.campaign.ranking import Ranked as Ranked
    from discovery.campaign.ranking import Standing as Standing
    from discovery.evaluation.evaluated import Evaluation as Evaluation
    from discovery.evaluation.evaluated import Measured as Measured
    from discovery.evaluation.evaluated import Setting as Setting
    from discovery.evaluation.evaluating import evaluate as evaluate
    from domains.check.checking import Finding as Finding
    from domains.check.checking import check_domain as check_domain
    from domains.protocol import Domain as Domain
    from domains.randomness import Random as Random
    from domains.registry import domain_of
    from mcsgrammar.engines.results import RunResult as RunResult
    from mcsgrammar.engines.results import Tuning as Tuning
    from mcsgrammar.enumeration.candidates import Candidates as Candidates
    from mcsgrammar.enumeration.candidates import Constants as Constants
    from mcsgrammar.enumeration.candidates import candidates as candidates
    from mcsgrammar.exporting.standalone import export as export
    from mcsgrammar.facade.campaigns import Campaign as Campaign
    from mcsgrammar.facade.campaigns import discover as discover
    from mcsgrammar.facade.campaigns import load as load
    from mcsgrammar.facade.campaigns import report as report
    from mcsgrammar.facade.campaigns import status as status
    from mcsgrammar.facade.comparing import Compared as Compared
    from mcsgrammar.facade.comparing import Comparison as Comparison
    from mcsgrammar.facade.comparing import compare as compare
    from mcsgrammar.facade.matches import Matches as Matches
    from mcsgrammar.facade.matches import PlayedAgent as PlayedAgent
    from mcsgrammar.facade.matches import PlayedMatch as PlayedMatch
    from mcsgrammar.facade.matches import match as match
    from mcsgrammar.facade.matches import tournament as tournament
    from mcsgrammar.game_records import GameRecord as GameRecord
    from mcsgrammar.language.errors import DomainError as DomainError
    from mcsgrammar.language.errors import ExpressionSyntaxError as ExpressionSyntaxError
    from mcsgrammar.language.errors import InvalidExpression as InvalidExpression
    from mcsgrammar.language.errors import UnknownDomain as UnknownDomain
    from mcsgrammar.language.errors import UserError as UserError
    from mcsgrammar.language.expressions import Adapt as Adapt
    from mcsgrammar.language.expressions import Component as Component
    from mcsgrammar.language.expressions import Lookahead as Lookahead
    from mcsgrammar.language.expressions import Repeat as Repeat
    from mcsgrammar.language.expressions import Select as Select
    from mcsgrammar.language.expressions import Simulate as Simulate
    from mcsgrammar.language.expressions import Step as Step
    from mcsgrammar.language.expressions import Tune as Tune
    from mcsgrammar.language.expressions import Uct as Uct
    from mcsgrammar.language.parameters import Choice as Choice
    from mcsgrammar.language.parameters import Interval as Interval
    from mcsgrammar.language.parsing import parse as parse
    from mcsgrammar.playing import Agent as Agent
    from mcsgrammar.playing import Game as Game
    from mcsgrammar.playing import Games as Games
    from mcsgrammar.playing import play as play
    from mcsgrammar.solving import Solution as Solution
    from mcsgrammar.solving import Solutions as Solutions
    from mcsgrammar.solving import solve as solve

    domain = domain_of
    __version__: str

_WHERE = {
    "discovery.campaign.ranking": "Ranked Standing",
    "discovery.evaluation.evaluated": "Evaluation Measured Setting",
    "discovery.evaluation.evaluating": "evaluate",
    "domains.check.checking": "Finding check_domain",
    "domains.protocol": "Domain",
    "domains.randomness": "Random",
    "domains.registry": "domain=domain_of",
    "mcsgrammar.engines.results": "RunResult Tuning",
    "mcsgrammar.enumeration.candidates": "Candidates Constants candidates",
    "mcsgrammar.exporting.standalone": "export",
    "mcsgrammar.facade.campaigns": "Campaign discover load report status",
    "mcsgrammar.facade.comparing": "Compared Comparison compare",
    "mcsgrammar.facade.matches": "Matches PlayedAgent PlayedMatch match tournament",
    "mcsgrammar.game_records": "GameRecord",
    "mcsgrammar.language.errors": "DomainError ExpressionSyntaxError InvalidExpression UnknownDomain UserError",
    "mcsgrammar.language.expressions": "Adapt Component Lookahead Repeat Select Simulate Step Tune Uct",
    "mcsgrammar.language.parameters": "Choice Interval",
    "mcsgrammar.language.parsing": "parse",
    "mcsgrammar.playing": "Agent Game Games play",
    "mcsgrammar.solving": "Solution Solutions solve",
}
"""The public names in each module; one that is called otherwise there, as `name=its name there`."""

_PLACES = {
    name: (module, there or name)
    for module, names in _WHERE.items()
    for name, _, there in (word.partition("=") for word in names.split())
}
__all__ = sorted(_PLACES)


if not TYPE_CHECKING:  # which would take any name for one of ours

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import version

            return version("mcsgrammar")
        if name not in _PLACES:
            raise AttributeError(f"module 'mcsgrammar' has no attribute '{name}'")
        module, there = _PLACES[name]
        return getattr(import_module(module), there)


def __dir__() -> list[str]:
    return sorted(__all__)

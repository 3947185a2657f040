"""What a campaign is going to do and how long it will take, in one line before it begins."""

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from mcsgrammar.cli.options import AS_BUDGET
from mcsgrammar.cli.progress import about

if TYPE_CHECKING:
    from discovery.campaign.foretelling import Forecast
    from discovery.campaign.settings import Settings

LONG_SECONDS = 180.0
"""What takes longer is told with a smaller command, which takes a minute."""
A_MINUTE = 60.0
ROUND_ROBIN = "a round robin of the best on {:,} test blocks of each pair"
NOT_OF_A_SMALLER_ONE = ("pulls", "out", "test_problems", "stop_after")


class Foreteller:
    """To be called with the forecast. `candidates_by_depth`: see `discovery.campaign.foretelling.smaller`; empty where
    nobody has typed a command that could be a smaller one."""

    def __init__(self, best: int, problems: int, candidates_by_depth: Sequence[tuple[int | None, int]] = ()) -> None:
        self.best, self.problems, self.candidates_by_depth = best, problems, candidates_by_depth

    def line(self, forecast: "Forecast") -> str:
        from discovery.campaign.foretelling import runs_to_measure
        from discovery.numbers import plural

        settings = forecast.settings
        measuring = runs_to_measure(settings, self.problems, min(self.best, forecast.tried))
        drawn = f"{forecast.tried:,} of " if forecast.tried < settings.candidates else ""
        pulls = f"{forecast.pulls:,} pulls {_each(settings)} on {drawn}{plural(settings.candidates, 'candidate')}"
        if forecast.pulls < settings.pulls:
            pulls = f"the last {pulls}"
        measured = "measuring the best on {:,} test problems" if settings.against is None else ROUND_ROBIN
        if settings.family is not None:
            measured += f" of each of {len(settings.family)} domains"
        then = f"; then {measured.format(self.problems)}" if self.problems else ""
        if forecast.seconds_per_pull is None:
            return f"planned: {pulls}{then}; how long that takes is not known yet"
        search, test = forecast.of_pulls.seconds(forecast.pulls), forecast.seconds(measuring)
        then += f", {about(test)}" if self.problems else ""
        return f"planned: {pulls}, {about(search)}{then}{self._shorter(forecast, search + test)}"

    def _shorter(self, forecast: "Forecast", seconds: float) -> str:
        from discovery.campaign.foretelling import smaller

        if seconds < LONG_SECONDS or not self.candidates_by_depth:
            return ""
        found = smaller(forecast, self.candidates_by_depth, self.best, A_MINUTE)
        if found is None:
            return ""
        settings = forecast.settings
        changes: dict[str, Any] = {"pulls_per_candidate": found.pulls_per_candidate}
        if found.depth is not None:
            changes["depth"] = found.depth
        if found.budget_divisor > 1 and settings.budget is not None:
            in_play = click.get_current_context().params.get("play") not in (None, AS_BUDGET)
            changes["play" if in_play else "budget"] = max(1, settings.budget // found.budget_divisor)
        elif found.budget_divisor > 1 and settings.seconds is not None:
            changes["seconds"] = f"{settings.seconds / found.budget_divisor:g}"
        return f". A smaller one, of a minute: {as_typed(changes, NOT_OF_A_SMALLER_ONE)}"


def _each(settings: "Settings") -> str:
    """What a pull is."""
    from discovery.evaluation.tables import search_of

    seconds = "" if settings.seconds is None else f"{settings.seconds:g} CPU seconds"
    if settings.against is None:
        search = "" if settings.play is None else f" {search_of(settings.play)}"
        return f"of {seconds or f'{settings.budget:,} evaluations'}{search}"
    return f"of {settings.against.matches_in_block} games, {seconds or f'{settings.budget:,} simulations'} a search,"


def as_typed(changes: dict[str, Any], without: Sequence[str]) -> str:
    """The command that was typed, with some options changed and others left out."""
    context = click.get_current_context()
    words: list[str] = []
    for parameter in context.command.params:
        name = str(parameter.name)
        typed = context.get_parameter_source(name) == ParameterSource.COMMANDLINE
        if name in without or not (typed or name in changes):
            continue
        value = changes.get(name, context.params[name])
        if isinstance(parameter, click.Argument):
            words.append(str(value))
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(parameter, click.Option):
                is_bare = parameter.is_flag or (name == "play" and one == AS_BUDGET)
                words += [parameter.opts[0], *([] if is_bare else [str(one)])]
    return shlex.join(["mcsgrammar", str(context.command.name), *words])

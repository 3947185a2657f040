"""What to type after a campaign, as commands that can be copied."""

import shlex
from pathlib import Path

from discovery.campaign.settings import Settings
from mcsgrammar.engines.searching import DEFAULT_MAX_NODES
from mcsgrammar.exporting.program import require_exportable
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Uct
from mcsgrammar.language.parsing import parse


def limit_options(settings: Settings) -> list[str]:
    """The budget of a campaign's runs."""
    return ["--seconds", f"{settings.seconds:g}"] if settings.budget is None else ["--budget", str(settings.budget)]


def search_options(settings: Settings) -> list[str]:
    """How its runs search, where that is not the default."""
    return [
        *([] if settings.semantics == "standard" else ["--semantics", settings.semantics]),
        *([] if settings.engine == "auto" else ["--engine", settings.engine]),
        *([] if settings.max_nodes == DEFAULT_MAX_NODES else ["--max-nodes", str(settings.max_nodes)]),
    ]


def solve_words(settings: Settings, expression: str) -> list[str]:
    return ["solve", settings.domain, expression, *limit_options(settings), *search_options(settings)]


def next_steps(folder: Path, settings: Settings, expression: str) -> list[str]:
    """For the algorithm that was found: solve a problem, look at the whole campaign, take the algorithm away."""
    words = [
        solve_words(settings, expression),
        ["report", str(folder), "--html", f"{folder.resolve().name}.html"],
        *_export(settings, expression),
    ]
    return [shlex.join(["mcsgrammar", *each]) for each in words]


def _export(settings: Settings, expression: str) -> list[list[str]]:
    """Nothing for what cannot be exported."""
    try:
        parsed = require_exportable(parse(expression))
    except InvalidExpression:
        return []
    semantics = [] if settings.semantics == "standard" else ["--semantics", settings.semantics]
    has_uct = any(isinstance(part, Uct) for part in parsed.walk())  # its N follows from the domain and the budget
    known = ["--domain", settings.domain, *limit_options(settings)] if has_uct else []
    return [["export", expression, *known, *semantics, "-o", "solver.py"]]

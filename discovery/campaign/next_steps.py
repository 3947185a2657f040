"""What to type after a campaign, as commands that can be copied."""

import shlex
from pathlib import Path

from discovery.arena.agents import Opposition
from discovery.campaign.settings import Settings
from discovery.keeping.folder import CANDIDATES_FILE
from mcsgrammar.defaults import DEFAULT_MAX_NODES
from mcsgrammar.exporting.program import require_exportable
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Uct
from mcsgrammar.language.parsing import parse

FEWEST_ENUMERATED = 51
"""Candidates of a depth of at least 3, with the paper's constants."""


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


def play_options(settings: Settings) -> list[str]:
    """What makes its pulls games."""
    return [] if settings.play is None else ["--play", *_tree(settings)]


def _tree(settings: Settings) -> list[str]:
    return ["--tree", "kept"] if settings.play == "kept" else []


def domain_words(settings: Settings) -> list[str]:
    """The domain of a campaign, or those of its family."""
    if settings.family is None:
        return [settings.domain]
    return [word for member in settings.family for word in ("--on", member.domain)]


def solve_words(settings: Settings, expression: str) -> list[str]:
    """A run of what was found, or a game; of a family on its first domain."""
    if settings.play is not None:
        limits = limit_options(settings) if settings.seconds is None else ["--ms", f"{1000 * settings.seconds:g}"]
        return ["play", settings.domain, expression, *limits, *_tree(settings), *search_options(settings)]
    return ["solve", settings.typed_domains[0], expression, *limit_options(settings), *search_options(settings)]


def next_steps(folder: Path, settings: Settings, expression: str) -> list[str]:
    """For the algorithm that was found: solve a problem, look at the whole campaign, take the algorithm away; and the
    larger language, where it was not tried."""
    if settings.against is not None:
        return [
            shlex.join(["mcsgrammar", *each]) for each in _with_agents(folder, settings, settings.against, expression)
        ]
    words = [
        solve_words(settings, expression),
        _report(folder),
        *([] if settings.play is not None else [*_export(settings, expression), *_with_adapt(folder, settings)]),
    ]
    return [shlex.join(["mcsgrammar", *each]) for each in words]


def _report(folder: Path) -> list[str]:
    return ["report", str(folder), "--html", f"{folder.resolve().name}.html"]


def _with_agents(folder: Path, settings: Settings, against: Opposition, expression: str) -> list[list[str]]:
    """For the agent that was found: more matches, the whole campaign, and the next one against it."""
    how = [*limit_options(settings), *search_options(settings), *ways_options(against)]
    return [
        match_words(settings, expression),
        _report(folder),
        ["discover", settings.domain, "--against", expression, *how, "--pulls", str(settings.pulls)],
    ]


def match_words(settings: Settings, expression: str) -> list[str]:
    """An agent against the first of the pool."""
    assert settings.against is not None
    how = [*limit_options(settings), *search_options(settings), *ways_options(settings.against)]
    return ["match", settings.domain, expression, settings.pool_labels[0], "--games", "200", *how]


def ways_options(against: Opposition) -> list[str]:
    """How matches are played and counted, where that is not the default."""
    return [
        *([] if against.start == 1 else ["--start", str(against.start)]),
        *([] if against.think == "always" else ["--think", against.think]),
        *([] if against.points == "agents" else ["--points", against.points]),
    ]


def _with_adapt(folder: Path, settings: Settings) -> list[list[str]]:
    """The same with adapt among the components, for as many runs; nothing after a short list of somebody's own."""
    path = folder / CANDIDATES_FILE
    if settings.candidates < FEWEST_ENUMERATED or not path.exists() or "adapt(" in path.read_text(encoding="utf-8"):
        return []
    options = [*limit_options(settings), *search_options(settings), "--adapt", "10,100", "--pulls", str(settings.pulls)]
    return [["discover", *domain_words(settings), *options]]


def _export(settings: Settings, expression: str) -> list[list[str]]:
    """Nothing for what cannot be exported."""
    try:
        parsed = require_exportable(parse(expression))
    except InvalidExpression:
        return []
    semantics = [] if settings.semantics == "standard" else ["--semantics", settings.semantics]
    has_uct = any(isinstance(part, Uct) for part in parsed.walk())  # its N follows from the domain and the budget
    known = ["--domain", settings.typed_domains[0], *limit_options(settings)] if has_uct else []
    return [["export", expression, *known, *semantics, "-o", "solver.py"]]

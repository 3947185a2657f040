"""`mcsgrammar discover`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from discovery.bandits.names import DEFAULT_POLICY
from discovery.bandits.names import SHOWN as POLICIES
from mcsgrammar.cli.campaigning import worker_options
from mcsgrammar.cli.families import read_domains
from mcsgrammar.cli.matches import ways_options
from mcsgrammar.cli.options import (
    COUNT,
    candidate_options,
    enumerated_agents,
    file_of_candidates,
    is_typed,
    play_option,
    refuse_described,
    search_options,
    split_list,
    tree_option,
    wrong_usage,
)
from mcsgrammar.defaults import BATCH_OF_PULLS, DEFAULT_BUDGET, PULLS_PER_CANDIDATE, YARDSTICK

if TYPE_CHECKING:
    from discovery.arena.agents import Opposition
    from mcsgrammar.engines.searching import EngineName, Limits, SemanticsName
    from mcsgrammar.language.expressions import Component
    from mcsgrammar.playing import Trees


LONGEST_IN_A_NAME = 60
MOST_CHARACTERS = 100_000_000
"""Of a file of candidates; /dev/zero has no end."""
SMALLEST_DEPTH = 3
"""To be proposed where depth 5 takes too long: nested searches and trees inside them begin there."""


@click.command("discover")
@click.argument("domain", required=False)
@click.option(
    "--on", multiple=True, metavar="DOMAIN", help="Instead: one algorithm for several domains; give it for each."
)
@click.option("--budget", type=COUNT, metavar="N", help="Evaluations a run may spend.  [default: 1000]")
@click.option("--seconds", type=float, metavar="S", help="CPU seconds a run may spend; results differ each time.")
@play_option
@tree_option
@candidate_options
@file_of_candidates
@click.option(
    "--against",
    multiple=True,
    is_flag=False,
    flag_value=YARDSTICK,
    metavar="[AGENT]",
    help=f"In a game: whom the candidates play against, in turns; several times, or 'A, B@500'. Alone: {YARDSTICK}.",
)
@ways_options
@click.option(
    "--policy",
    default=DEFAULT_POLICY,
    show_default=True,
    metavar="P",
    help=f"{', '.join(POLICIES[:-1])} or {POLICIES[-1]}.",
)
@click.option("--pulls", type=COUNT, metavar="N", help="Runs in all …")
@click.option(
    "--pulls-per-candidate",
    type=float,
    metavar="N",
    help=f"… or for each, on average.  [default: {PULLS_PER_CANDIDATE}]",
)
@click.option(
    "--batch", type=COUNT, default=BATCH_OF_PULLS, show_default=True, metavar="N", help="Pulls asked for together."
)
@click.option("--seed", type=COUNT, default=0, show_default=True, metavar="S", help="Other problems, other runs.")
@search_options
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help="The campaign's folder.")
@worker_options
def command(
    domain: str | None,
    on: tuple[str, ...],
    budget: int | None,
    seconds: float | None,
    play: int | None,
    trees: "Trees",
    candidates: Path | None,
    policy: str,
    pulls: int | None,
    pulls_per_candidate: float | None,
    batch: int,
    seed: int,
    engine: "EngineName",
    semantics: "SemanticsName",
    max_nodes: int,
    out: Path | None,
    **others: Any,
) -> int:
    """Find the algorithm that suits a domain. A bandit spends a number of runs on all candidates; the best are then
    measured on problems the campaign has never seen, beside the generic algorithms.

    With fewer than four pulls for each candidate, the default policy tries a sample of them, drawn from all kinds.

    With --play a run is a whole game, as 'mcsgrammar play' plays it: before every action a search of N evaluations, or
    as --budget says. Candidates are worth the mean reward of their games.

    In a game of several roles the candidates are agents, which play --against others: --budget is of each search, in
    simulations, and a run is a block of matches, every seating once. In the end the best, those they were against and
    plain UCT all play each other. Unless typed, --sim, --select and --repeat then hold what the papers on games use.

    With --on, twice or more, it is one algorithm for several domains: runs go round them. In the end the best are
    measured on all of them, and it is told what a choice is worth on a domain never seen: each is left out once.

    Everything is kept in a folder as it comes. Stopped by Ctrl-C, kill -9 or a power cut, the same command goes on.

    \b
    Examples:
      mcsgrammar discover sudoku:4 --depth 4 --pulls-per-candidate 50
      mcsgrammar discover sudoku:4 --pulls 1000
      mcsgrammar discover regression --budget 10000 --policy halving --out my-campaign
      mcsgrammar discover morpion:5T --budget 10000 --for 1h
      mcsgrammar discover samegame --adapt 10,100 --pulls 5000
      mcsgrammar discover my_domain.py:Tour --candidates mine.txt
      mcsgrammar discover cliff --play 100 --depth 3 --pulls 2000
      mcsgrammar discover queens --depth 4 --sim 'random, mast(eps=0.4)' --select '0.5, grave(ref=50)' --tuner ntbea
      mcsgrammar discover connect4 --against 'select(sim, 0.4)' --budget 100 --pulls 3000
      mcsgrammar discover --on queens --on knights --on statespace --budget 100 --depth 3 --pulls 1500
    """
    from discovery.campaign.running import create, plan
    from domains.errors import UserError
    from mcsgrammar.cli.campaigning import read_worker_options, run_and_measure
    from mcsgrammar.cli.options import read_play
    from mcsgrammar.engines.searching import Limits

    if pulls is not None and pulls_per_candidate is not None:
        raise UserError("give --pulls or --pulls-per-candidate, one of the two")
    if pulls_per_candidate is None:
        pulls_per_candidate = PULLS_PER_CANDIDATE
    if not 0 < pulls_per_candidate < float("inf"):
        raise UserError(f"--pulls-per-candidate cannot be {pulls_per_candidate:g}; it is a number above 0")
    described = {name: others.pop(name) for name in ("depth", "repeat", "select", "sim", "adapt", "tuner")}
    ways = {name: others.pop(name) for name in ("start", "think", "points")}
    pool = others.pop("against")
    domains = read_domains(domain, on, play, pool)
    running = read_worker_options(**others)
    budget, kind = read_play(play, trees, budget, seconds)
    if budget is None and seconds is None:
        budget = DEFAULT_BUDGET
    limits = Limits(budget, seconds, max_nodes)
    against = read_against(domain, pool, limits, ways)
    if against is None or domain is None:
        field = read_field(candidates, described, budget)
    else:
        field = read_agents(domain, candidates, described, budget)
    total = pulls if pulls is not None else round(pulls_per_candidate * len(field.expressions))
    settings, texts = plan(
        domains,
        field.expressions,
        limits=limits,
        policy=policy,
        pulls=total,
        batch=batch,
        seed=seed,
        semantics=semantics,
        engine=engine,
        against=against,
        play=kind,
    )
    if against is not None and domain is not None:
        say_of_agents(domain, against, limits)
    folder = out if out is not None else Path("campaigns") / _folder_name(settings, field.name)
    create(folder, settings, texts)
    return run_and_measure(folder, running, candidates_by_depth=field.by_depth)


@dataclass(frozen=True)
class CandidateField:
    """The candidates of a campaign."""

    expressions: "Sequence[Component]"
    name: str
    by_depth: Sequence[tuple[int | None, int]]
    """for what could be a smaller campaign (`discovery.campaign.foretelling.smaller`)"""


def read_field(path: Path | None, described: dict[str, Any], budget: int | None) -> CandidateField:
    """Those in a file, or all that the options describe."""
    from mcsgrammar.cli.options import read_candidates

    if path is not None:
        refuse_described()
        listed = read_expressions(path)
        return CandidateField(listed, path.stem, [(None, len(listed))])
    enumerated = read_candidates(**described)
    expressions = list(enumerated)
    if described["adapt"] and budget is not None:
        expressions = without_spent(expressions, budget)
    up_to = enumerate(accumulate(enumerated.by_depth()), 1)
    by_depth = [one for one in up_to if one[0] >= min(enumerated.depth, SMALLEST_DEPTH)][::-1]
    return CandidateField(expressions, f"depth{enumerated.depth}", by_depth)


def read_agents(domain: str, path: Path | None, described: dict[str, Any], budget: int | None) -> CandidateField:
    """The same of agents: those in a file, or those among all that the options describe."""
    from domains.registry import find_domain
    from mcsgrammar.engines.arena.agents import agent_of
    from mcsgrammar.enumeration.agents import agents_up_to

    game = find_domain(domain)
    if path is not None:
        refuse_described()
        listed = read_expressions(path, lambda line: agent_of(line, game))
        return CandidateField(listed, path.stem, [(None, len(listed))])
    enumerated, found = enumerated_agents(game, described, budget)
    depths = range(enumerated.depth, min(enumerated.depth, SMALLEST_DEPTH) - 1, -1)
    by_depth = [(depth, len(agents_up_to(depth, enumerated, game, budget).agents)) for depth in depths]
    return CandidateField(found.agents, f"agents-depth{enumerated.depth}", by_depth)


def read_against(
    domain: str | None, typed: Sequence[str], limits: "Limits", ways: dict[str, Any]
) -> "Opposition | None":
    """Whom the candidates play against, if they do."""
    from discovery.arena.agents import oppose
    from domains.registry import find_domain

    if not typed or domain is None:
        for name in ways:
            if is_typed(name):
                raise wrong_usage(f"--{name} is for agents, which play against others; add --against")
        return None
    pool = [item for text in typed for item in split_list(text) or [""]]
    if "" in pool:
        raise wrong_usage(f"--against: item {pool.index('') + 1} is empty; name an agent such as '{YARDSTICK}'")
    return oppose(find_domain(domain), pool, limits, **ways)


def say_of_agents(domain: str, against: "Opposition", limits: "Limits") -> None:
    """What there is to know of their budgets."""
    from discovery.arena.remarks import remarks_on_pulls
    from domains.registry import find_domain
    from mcsgrammar.wording import note

    for sentence in remarks_on_pulls(against.pool, limits.evaluations, limits.seconds, find_domain(domain)):
        note(sentence)


def read_expressions(path: Path, read: "Callable[[str], Component] | None" = None) -> "list[Component]":
    """The expressions in a file, one a line, each once; empty lines and lines that start with # are skipped. `read`: if
    not as any expression."""
    from domains.errors import UserError
    from mcsgrammar.language.errors import ExpressionError
    from mcsgrammar.language.parsing import parse

    try:
        with path.open(encoding="utf-8-sig") as file:
            text = file.read(MOST_CHARACTERS + 1)
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not a text file (UTF-8)") from None
    if len(text) > MOST_CHARACTERS:
        raise UserError(f"{path} is longer than a list of expressions may be, {MOST_CHARACTERS:,} characters")
    expressions = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            expressions.append((read or parse)(line))
        except ExpressionError as error:
            raise type(error)(f"line {number} of {path}: {error.problem}", error.text, error.span) from None
    return list(dict.fromkeys(expressions))


def without_spent(expressions: "list[Component]", budget: int) -> "list[Component]":
    """Those that the budget lets do what they say; the others are counted aloud."""
    from mcsgrammar.enumeration.pruning import SPENT_INSIDE
    from mcsgrammar.wording import note

    kept = [expression for expression in expressions if not SPENT_INSIDE.applies(expression, budget)]
    if len(kept) < len(expressions):
        note(
            f"{len(expressions) - len(kept):,} of {len(expressions):,} candidates are left out by the rule "
            f"{SPENT_INSIDE.name}: {SPENT_INSIDE.reason}"
        )
    return kept


def _folder_name(settings: Any, candidates: str) -> str:
    """A name that other settings do not share: what a person would call it, and the settings' digest."""
    budget = f"B{settings.budget}" if settings.budget is not None else f"{settings.seconds:g}s"
    budget = budget if settings.play is None else f"play-{budget}"
    domain = settings.canonical_domain.replace(" + ", "-")
    spoken = f"{domain[:LONGEST_IN_A_NAME]}-{budget}-{candidates[:LONGEST_IN_A_NAME]}"
    safe = "".join(c if c.isalnum() or c in "-." else "-" for c in spoken)  # on any system
    return f"{safe}-{settings.digest()[:8]}"

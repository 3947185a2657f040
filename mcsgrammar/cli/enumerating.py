"""`mcsgrammar enumerate`."""

import json
from collections.abc import Iterable
from typing import Any

import click

from domains.errors import UserError
from mcsgrammar.cli.options import candidate_options, enumerated_agents, read_candidates, wrong_usage
from mcsgrammar.cli.output import json_flag
from mcsgrammar.enumeration.candidates import Candidates
from mcsgrammar.enumeration.pruning import RULES
from mcsgrammar.language.expressions import Component


@click.command("enumerate")
@candidate_options
@click.option(
    "--agents",
    metavar="GAME",
    help="What can play GAME in a campaign: agents, with the constants that discover has for them.",
)
@click.option("--count", is_flag=True, help="Only how many there are.")
@click.option("--by-depth", is_flag=True, help="How many there are of each depth.")
@click.option("--rules", is_flag=True, help="The pruning rules, and how often each fired.")
@json_flag
def command(agents: str | None, count: bool, by_depth: bool, rules: bool, as_json: bool, **described: Any) -> None:
    """List the candidate algorithms: all expressions up to a depth, pruned, in a fixed order, one a line.

    \b
    Examples:
      mcsgrammar enumerate --depth 3
      mcsgrammar enumerate --count                        the paper's 3155
      mcsgrammar enumerate --adapt 10,100 --count         with adapt
      mcsgrammar enumerate --depth 6 --by-depth
      mcsgrammar enumerate --rules
      mcsgrammar enumerate --repeat 2,10 --select '0.5, grave(c=0.2, ref=50)'
      mcsgrammar enumerate --depth 4 --sim 'random, mast(eps=0.4)' --tuner ntbea
      mcsgrammar enumerate --agents connect4 --count      for discover connect4 --against
    """
    if count + by_depth + rules > 1:
        raise wrong_usage("give one of --count, --by-depth, --rules")
    if agents is not None:
        if by_depth or rules:
            raise wrong_usage("--by-depth and --rules count expressions, and not the agents among them; leave one out")
        from domains.registry import find_domain

        game = find_domain(agents)
        if len(game.roles) == 1:
            raise UserError(f"{agents} has one role, so its candidates are no agents; leave --agents out")
        candidates, found = enumerated_agents(game, described, None)
        if count:
            _print_count(candidates.depth, len(found.agents), as_json)
        else:
            _print_candidates(found.agents, as_json)
        return
    candidates = read_candidates(**described)
    if count:
        _print_count(candidates.depth, sum(candidates.by_depth()), as_json)
    elif by_depth:
        _print_by_depth(candidates, as_json)
    elif rules:
        _print_rules(candidates, as_json)
    else:
        _print_candidates(candidates, as_json)


def _print_candidates(candidates: Iterable[Component], as_json: bool) -> None:
    if not as_json:
        for expression in candidates:
            click.echo(str(expression))
        return
    # Written piece by piece: a large depth must not fill the memory.
    click.echo("[", nl=False)
    for i, expression in enumerate(candidates):
        click.echo((",\n " if i else "") + json.dumps(str(expression)), nl=False)
    click.echo("]")


def _print_count(depth: int, count: int, as_json: bool) -> None:
    click.echo(json.dumps({"depth": depth, "count": count}) if as_json else str(count))


def _print_by_depth(candidates: Candidates, as_json: bool) -> None:
    rows, cumulative = [], 0
    for depth, count in enumerate(candidates.by_depth(), 1):
        cumulative += count
        rows.append({"depth": depth, "candidates": count, "cumulative": cumulative})
    if as_json:
        click.echo(json.dumps(rows))
        return
    width = max(len("cumulative"), len(str(cumulative)))
    click.echo(f"depth  {'candidates':>{width}}  {'cumulative':>{width}}")
    for row in rows:
        click.echo(f"{row['depth']:>5}  {row['candidates']:>{width}}  {row['cumulative']:>{width}}")


def _print_rules(candidates: Candidates, as_json: bool) -> None:
    pruned = candidates.pruned_by_rule()
    kept = sum(candidates.by_depth())
    tuned = kept - (candidates.unpruned - sum(pruned.values()))
    if as_json:
        rules = [
            {"rule": r.name, "pruned": pruned[r.name], "reason": r.reason, "kept": r.kept, "example": r.pruned}
            for r in RULES
        ]
        document = {"expressions": candidates.unpruned, "rules": rules, "tuned": tuned, "candidates": kept}
        click.echo(json.dumps(document))
        return
    width = max(len(rule.name) for rule in RULES)
    digits = len(str(candidates.unpruned))
    click.echo(f"{'all expressions':<{width}}  {candidates.unpruned:>{digits}}  up to depth {candidates.depth}")
    for rule in RULES:
        click.echo(f"{rule.name:<{width}}  {pruned[rule.name]:>{digits}}  {rule.reason}")
        click.echo(f"{'':<{width}}  {'':>{digits}}  kept {rule.kept}, pruned {rule.pruned}")
    if tuned:
        click.echo(
            f"{'tuned':<{width}}  {tuned:>{digits}}  added: the same with the parameters of policies tuned online"
        )
    click.echo(f"{'candidates':<{width}}  {kept:>{digits}}")

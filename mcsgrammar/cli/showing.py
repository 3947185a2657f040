"""`mcsgrammar show`."""

import click

from mcsgrammar.cli.options import CountFrom, wrong_usage
from mcsgrammar.cli.output import echo_json, json_option
from mcsgrammar.language.explaining import tree_lines
from mcsgrammar.language.expressions import Uct, resolve
from mcsgrammar.language.parsing import parse


@click.command("show")
@click.argument("expression")
@json_option
@click.option("--horizon", type=CountFrom(min=1), metavar="T", help="Resolve uct(C) for this horizon …")
@click.option("--budget", type=CountFrom(min=0), metavar="B", help="… and this budget of evaluations.")
def command(expression: str, as_json: bool, horizon: int | None, budget: int | None) -> None:
    """Show what an expression is: its canonical text, its depth, and its components from the outside in.

    \b
    Examples:
      mcsgrammar show 'uct(0.5, 100)'
      mcsgrammar show 'nmc(3)'
      mcsgrammar show 'uct(0.5)' --horizon 256 --budget 1000
      mcsgrammar show 'step(select(sim(mast(eps=0.4)), grave(c=0.2, ref=50)))'
    """
    if (horizon is None) != (budget is None):
        raise wrong_usage("--horizon and --budget go together")
    parsed = parse(expression)
    if horizon is not None:
        parsed = resolve(parsed, horizon, budget)
    if as_json:
        document = {
            "text": str(parsed),
            "depth": parsed.depth,
            "size": parsed.size,
            "components": [{"name": part.name, "meaning": part.in_words()} for part in parsed.walk()],
        }
        echo_json(document)
        return
    click.echo(str(parsed))
    click.echo(f"depth {parsed.depth}, size {parsed.size}")
    if any(isinstance(part, Uct) for part in parsed.walk()):
        click.echo("uct(C) is step(repeat(select(sim, C), N)) with N = max(1, round(budget / horizon))")
    click.echo()
    for line in tree_lines(parsed):
        click.echo(line)

"""`mcsgrammar bench`."""

from typing import TYPE_CHECKING

import click

from mcsgrammar.cli.output import echo_json, json_option

if TYPE_CHECKING:
    from mcsgrammar.benching import Speed


@click.command("bench")
@click.argument("domains", nargs=-1, metavar="[DOMAIN]...")
@click.option("--seconds", type=float, default=0.5, show_default=True, metavar="S", help="CPU seconds for each row.")
@json_option
def command(domains: tuple[str, ...], seconds: float, as_json: bool) -> None:
    """Measure how many random playouts (sim) and evaluations of a few algorithms this machine does per CPU second, on
    one core. The domains are sudoku:4, regression and morpion:5T unless others are named.

    \b
    Examples:
      mcsgrammar bench
      mcsgrammar bench sudoku:5 --seconds 2
      mcsgrammar bench path/to/file.py:ClassName
      mcsgrammar bench morpion:5D --json
    """
    from domains.registry import find_domain
    from mcsgrammar.benching import DOMAINS, bench, machine_description
    from mcsgrammar.cli.progress import ProgressLine

    found = [find_domain(text) for text in domains or DOMAINS]
    rows: list[Speed] = []
    with ProgressLine() as line:

        def show(domain: str, what: str) -> None:
            if what == "compiling":
                return  # the engine says so itself, if it has to
            if line.live or line.due():
                line.show(f"{domain}: {what}")

        for domain in found:
            rows += bench(domain, seconds, show)
    if as_json:
        echo_json({"rows": [_document(row) for row in rows]})
        return
    click.echo(machine_description())
    for name in dict.fromkeys(row.domain for row in rows):
        click.echo()
        _print(name, [row for row in rows if row.domain == name])


def _document(row: "Speed") -> dict[str, str | float]:
    return {
        "domain": row.domain,
        "what": row.what,
        "per_second": row.per_second,
        "unit": row.unit,
        "expression": row.expression,
        "engine": row.engine,
        "evaluations": row.evaluations,
        "seconds": row.seconds,
    }


def _print(name: str, rows: "list[Speed]") -> None:
    from mcsgrammar.cli.progress import per_second

    click.echo(name)
    width = max(len(row.what) for row in rows) + 2
    for row in rows:
        rate = per_second(row.per_second).removesuffix("/s").rstrip()
        click.echo(f"  {row.what:{width}}{rate:>6} {row.unit}/s")
    if all(row.engine == "reference" for row in rows):
        click.echo(
            "  it has no kernels, so only the reference engine runs it; with kernels it can be 100 times as fast"
        )

"""`mcsgrammar export`."""

from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mcsgrammar.cli.options import COUNT, force_option, semantics_option

if TYPE_CHECKING:
    from mcsgrammar.engines.searching import SemanticsName


@click.command("export")
@click.argument("expression")
@click.option("--domain", metavar="DOMAIN", help="Show the use on this domain; uct(C) needs its horizon.")
@click.option("--budget", type=COUNT, metavar="N", help="Evaluations the file spends by default; uct(C) needs them.")
@semantics_option
@click.option(
    "-o", "--out", type=click.Path(path_type=Path), metavar="FILE", help="The file.  [default: standard output]"
)
@force_option
def command(
    expression: str, domain: str | None, budget: int | None, semantics: "SemanticsName", out: Path | None, force: bool
) -> None:
    """Write an algorithm as a Python file that needs nothing but Python: the nested loops that it is, with a function
    `solve` that runs them on any problem. It finds what 'mcsgrammar solve' finds,
    given the seed of the run, which 'solve --json' says.

    \b
    Examples:
      mcsgrammar export 'step(select(step(sim), 0.5))' -o solver.py
      mcsgrammar export 'uct(0.5)' --domain sudoku:4 --budget 1000 -o uct.py
      mcsgrammar export 'nmc(2)' --domain morpion:5T
      mcsgrammar export 'step(repeat(select(sim(mast), grave(c=0.2)), 50))' -o grave.py
    """
    from mcsgrammar.exporting.standalone import export
    from mcsgrammar.writing import check_writable, write_text

    if out is not None:
        check_writable(out, force)
    name = "" if out is None else out.stem
    module = name if name.isidentifier() and not iskeyword(name) else "solver"
    text = export(expression, domain, budget=budget, semantics=semantics, module=module)
    if out is None:
        click.echo(text, nl=False)
    else:
        write_text(out, text)
        click.echo(f"saved in {out}")

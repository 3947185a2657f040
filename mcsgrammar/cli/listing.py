"""`mcsgrammar domains`."""

import inspect
import sys
from typing import Any

import click

from mcsgrammar.cli.output import echo_json, folded, json_option

OWN = """\
One of your own is a class in a file, path/to/file.py:ClassName, or an entry point in the group 'mcsgrammar.domains' of
an installed package. What it needs is at the top of domains/protocol.py; 'mcsgrammar check' finds what is wrong with
it. Options follow the name: sudoku:5, regression:length=21,set=robustness."""

KINDS = {True: "in turns", False: "at the same time", None: ""}


@click.command("domains")
@json_option
def command(as_json: bool) -> None:
    """List the problems that can be named: their options with defaults, horizon, unit, whether the compiled engine
    knows them, whether chance has a say in them, and the features that guided playouts can go by; then the games:
    their roles, and whether these take turns. Horizon and unit are those for the default options.

    \b
    Examples:
      mcsgrammar domains
      mcsgrammar domains --json
    """
    from domains.registry import domain_names

    rows = [_row(name) for name in domain_names()]
    problems = [row for row in rows if "roles" not in row]
    games = [row for row in rows if "roles" in row]
    if as_json:
        echo_json({"domains": problems, "games": games})
        return
    width = max(len(row["name"]) for row in rows) + 2
    _print(problems, width)
    click.echo("\nGames, which several play:\n")
    _print(games, width)
    click.echo()
    click.echo(folded(OWN) if sys.stdout.isatty() else OWN)


def _print(rows: list[dict[str, Any]], width: int) -> None:
    for row in rows:
        names = [row["name"], *[""] * (len(_lines(row)) - 1)]
        for name, line in zip(names, _lines(row), strict=True):
            click.echo(folded(line, name.ljust(width), " " * width))


def _row(name: str) -> dict[str, Any]:
    """What is said of one domain; of a broken one, its error. A game has roles, and whether it is played in turns."""
    from domains.problems import problem
    from domains.protocol import Domain
    from domains.registry import domain_class, find_domain, option_help

    row: dict[str, Any] = {
        "name": name,
        "description": None,
        "options": {},
        "horizon": None,
        "unit": None,
        "compiled": None,
        "stochastic": None,
        "features": [],
        "error": None,
    }
    try:
        cls = domain_class(name)
        options = option_help(cls)
        row["description"] = ((inspect.getdoc(cls) if cls.__doc__ else None) or "").partition("\n")[0]
        row["options"] = {key: _plain(value) for key, value in options.items()}
        row["compiled"] = cls.kernels is not Domain.kernels or cls.game_kernels is not Domain.game_kernels
        row["stochastic"] = bool(cls.stochastic)
        row["features"] = [str(name) for name in cls.features]
        if len(cls.roles) > 1:
            row |= {"roles": [str(role) for role in cls.roles], "turns": None}
        if inspect.Parameter.empty not in options.values():
            domain = find_domain(name)
            row["horizon"], row["unit"] = int(domain.horizon), str(domain.unit)
            if "roles" in row:
                row["turns"] = domain.mover(problem(domain, 0)) is not None
    except Exception as error:  # somebody else's package, which must not hide the other domains
        row["error"] = str(error) or type(error).__name__
    return row


def _plain(value: Any) -> Any:
    """A default as JSON can hold it; None for an option that must be given."""
    if value is None or value is inspect.Parameter.empty:
        return None
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def _lines(row: dict[str, Any]) -> list[str]:
    if row["error"] is not None:
        return [f"broken: {row['error']}"]
    options = ", ".join(f"{key}={'…' if value is None else value}" for key, value in row["options"].items())
    facts = [
        *([", ".join(row["roles"]), KINDS[row["turns"]], options] if "roles" in row else [options or "no options"]),
        "" if row["horizon"] is None else f"horizon {row['horizon']}",
        "" if row["unit"] is None or "roles" in row else f"unit: {row['unit']}",
        "compiled" if row["compiled"] else "reference engine only",
        "stochastic: to be played" if row["stochastic"] else "",
        f"features: {', '.join(row['features'])}" if row["features"] else "",
    ]
    return [" · ".join(fact for fact in facts if fact), *([row["description"]] if row["description"] else [])]

"""results/sheets.md from results/sheets/ alone: the answer first, then tables. Nothing is searched."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from experiments.files import read_csv, write
from experiments.markdown import NOT_YET, signed, table_lines, thousands
from experiments.sheets.question import TWINS
from experiments.sheets.running import FOLDER
from mcsgrammar.language.named import GENERIC
from mcsgrammar.language.parsing import parse

NAME = "sheets.md"
SHOWN = 10
"""Algorithms in the table of the best."""
POINTS = 100
"""Of a game at the most; a reward times this."""
HALVINGS = 400


@dataclass(frozen=True)
class Halves:
    """Over ways to halve the games."""

    mean: float
    low: float
    """nine of ten lie between this"""
    high: float
    reached: float
    """by candidates"""
    chosen: tuple[int, ...]
    """candidates"""
    usual: tuple[int, ...]
    """generic algorithms"""


@dataclass(frozen=True)
class Tried:
    """The mean points of algorithms on games."""

    names: list[str]
    games: list[str]
    points: np.ndarray
    """[algorithm, game]"""

    @cached_property
    def generic(self) -> list[int]:
        return [i for i, name in enumerate(self.names) if name in GENERIC]

    @cached_property
    def candidates(self) -> list[int]:
        """Generic algorithms among them, where they are no larger: a name is no reason to leave one out."""
        deepest = max(parse(name).depth for name in self.names if name not in GENERIC)
        return [
            i
            for i, name in enumerate(self.names)
            if name not in GENERIC or (not name.startswith("uct") and parse(name).depth <= deepest)
        ]

    def by_halves(self) -> "Halves":
        """What candidates gain over generic algorithms, both with the best mean on half of the games, on the other."""
        draw, half = np.random.Generator(np.random.PCG64(0)), len(self.games) // 2
        gains, reached, chosen, usual = [], [], [], []
        for _ in range(HALVINGS):
            order = draw.permutation(len(self.games))
            means = self.points[:, order[:half]].mean(axis=1)
            best = [max(among, key=means.__getitem__) for among in (self.candidates, self.generic)]
            found, generic = self.points[best][:, order[half:]].mean(axis=1)
            gains.append(found - generic)
            reached.append(found)
            chosen.append(best[0])
            usual.append(best[1])
        low, high = np.quantile(gains, (0.05, 0.95))
        return Halves(
            float(np.mean(gains)), float(low), float(high), float(np.mean(reached)), tuple(chosen), tuple(usual)
        )

    def only(self, games: Sequence[int]) -> "Tried":
        return Tried(self.names, [self.games[game] for game in games], self.points[:, games])


def read_tried(folder: Path) -> tuple[Tried, Tried]:
    """On the sheets, and on our own games."""
    lines = read_csv(folder / "rewards.csv")
    games = [name for name in lines[0] if name != "algorithm"]
    points = np.array([[POINTS * float(line[game]) for game in games] for line in lines])
    every = Tried([line["algorithm"] for line in lines], games, points)
    own = [i for i, game in enumerate(games) if game in TWINS]
    return every.only([i for i in range(len(games)) if i not in own]), every.only(own)


def render_sheets(results: Path) -> Path:
    """Write it."""
    path = results / NAME
    write(path, sheets_text(results / FOLDER))
    return path


def sheets_text(folder: Path) -> str:
    parts = [
        "# One algorithm for games that it has never seen",
        "",
        "Which algorithm should run on a game that nobody has tried it on? All candidates of the enumeration and the "
        "generic algorithms are run on all one-player rule sheets of the public base repository that can be played. "
        "The sheets are halved: the candidate with the highest mean over one half is measured on the **other**, "
        "beside the generic algorithm that is chosen the same way.",
        "",
    ]
    if not (folder / "rewards.csv").exists():
        return "\n".join([*parts, NOT_YET, ""])
    size: dict[str, Any] = json.loads((folder / "size.json").read_text("utf-8"))
    games = {line["game"]: line for line in read_csv(folder / "games.csv")}
    sheets, own = read_tried(folder)
    parts += [*_answer(sheets, size), *_best(sheets), *_twins(sheets, own, games), *_games(sheets, games)]
    return "\n".join([*parts, *_left_out(games, size)]).rstrip() + "\n"


def _answer(sheets: Tried, size: dict[str, Any]) -> Iterator[str]:
    halves = sheets.by_halves()
    plain = sheets.points[sheets.names.index("is")]
    favourite, times = Counter(halves.chosen).most_common(1)[0]
    usual, uses = Counter(halves.usual).most_common(1)[0]
    yield from (
        f"**In short.** On {len(sheets.games)} sheets, {thousands(size['budget'])} evaluations a run and "
        f"{size['runs']} runs each, the candidate chosen on half of them reaches {halves.reached:.1f} points of "
        f"{POINTS} on the other half, the generic algorithm chosen so {halves.reached - halves.mean:.1f}, the best of "
        f"random playouts {_mean(plain)} on all. Candidate less generic: {signed(halves.mean, 2)}, from "
        f"{signed(halves.low)} to {signed(halves.high)} in nine of ten of {HALVINGS} ways to halve them: choosing "
        f"among more {'helps' if halves.low > 0 else 'does not help'} here.",
        "",
        f"The choice is `{sheets.names[favourite]}` in {100 * times / HALVINGS:.0f} % of the ways, and "
        f"`{sheets.names[usual]}` of the generic ones in {100 * uses / HALVINGS:.0f} %. Had one known the best of "
        f"all {len(sheets.names)} algorithms for each sheet, {_mean(sheets.points.max(axis=0))} points would have been "
        "possible, an optimistic figure, as the best of many means is partly luck.",
        "",
        f"**How to read this.** Points are rewards times {POINTS}, as sheets give goals; means over runs with fresh "
        f"seeds on the one problem that a sheet is. Candidates: all of depth {size['depth']} and less, those with a "
        "name among them. The range is over ways to halve these sheets, and no interval for others. (Leaving out one "
        "sheet at a time would mislead: where many are nearly as good, the sheet on which the leader does well is the "
        "one without which it is no leader.)",
        "",
        f"**Repeat it.** `python -m experiments sheets {size['name']} --folder SHEETS`, with the "
        "[public sheets](https://github.com/ggp-org/ggp-repository); `--render` makes this page from "
        "[the tables](sheets) alone.",
        "",
    )


def _best(sheets: Tried) -> Iterator[str]:
    order = np.argsort(-sheets.points.mean(axis=1), kind="stable")
    firsts = Counter(int(i) for game in sheets.points.T for i in np.flatnonzero(game == game.max()))
    rows = []
    for place, i in enumerate(order[:SHOWN], 1):
        rows.append([str(place), f"`{sheets.names[i]}`", _mean(sheets.points[i]), str(firsts[int(i)])])
    generic = next(int(i) for i in order if i in sheets.generic)
    if generic not in order[:SHOWN]:
        place = int(np.flatnonzero(order == generic)[0]) + 1
        name = f"`{sheets.names[generic]}`, the first generic one"
        rows.append([str(place), name, _mean(sheets.points[generic]), str(firsts[generic])])
    yield from ("## The best over all sheets", "")
    yield from table_lines(["", "algorithm", "points", "first on"], rows)
    yield ""


def _twins(sheets: Tried, own: Tried, games: dict[str, dict[str, str]]) -> Iterator[str]:
    yield from (
        "## Our games beside their sheets",
        "",
        "Six games of the papers on simulation strategies are domains here, written by hand. Where the repository has "
        "the sheet, the same algorithms ran on it; correlation is over algorithms, of their points on the one and on "
        "the other. Rules and goals of two versions can differ.",
        "",
    )
    rows = []
    for domain, sheet in TWINS.items():
        if domain not in own.games:
            continue
        here = own.points[:, own.games.index(domain)]
        first = own.names[int(here.argmax())]
        cells = [f"`{domain}`", f"{here.max():.1f}", f"`{first}`"]
        if sheet in sheets.games:
            there = sheets.points[:, sheets.games.index(sheet)]
            with np.errstate(invalid="ignore"):
                alike = float(np.corrcoef(here, there)[0, 1])
            correlation = f"{alike:.2f}" if np.isfinite(alike) else "none: all equal"
            cells += [sheet, f"{there.max():.1f}", f"`{sheets.names[int(there.argmax())]}`", correlation]
        else:
            why = games.get(sheet, {}).get("left_out", "")
            cells += [f"{sheet}: {why}" if why else "no sheet", "", "", ""]
        rows.append(cells)
    yield from table_lines(["domain", "points", "best", "sheet", "points", "best", "correlation"], rows)
    yield ""


def _games(sheets: Tried, games: dict[str, dict[str, str]]) -> Iterator[str]:
    means = sheets.points.mean(axis=1)
    without_name = [i for i in range(len(sheets.names)) if i not in sheets.generic]
    found, generic = (max(among, key=means.__getitem__) for among in (without_name, sheets.generic))
    plain = sheets.points[sheets.names.index("is")]
    rows = [
        [
            name.rpartition("/")[0] or name,
            games[name]["moves"],
            games[name]["facts"],
            games[name]["length"],
            f"{plain[game]:.1f}",
            f"{sheets.points[generic, game]:.1f}",
            f"{sheets.points[found, game]:.1f}",
            signed(sheets.points[found, game] - sheets.points[generic, game]),
            f"{sheets.points[:, game].max():.1f}",
            f"`{sheets.names[int(sheets.points[:, game].argmax())]}`",
        ]
        for game, name in enumerate(sheets.games)
    ]
    yield from (
        "## Sheet by sheet",
        "",
        f"*Generic* is `{sheets.names[generic]}`, *candidate* `{sheets.names[found]}`, over all sheets the best with a "
        "name and without; *best* is the best of all on this one, the first of equal ones.",
        "",
    )
    header = ["sheet", "moves", "facts", "length", "random", "generic", "candidate", "difference", "best", "which"]
    yield from table_lines(header, rows)
    yield ""


def _left_out(games: dict[str, dict[str, str]], size: dict[str, Any]) -> Iterator[str]:
    left = {name: line["left_out"] for name, line in games.items() if line["left_out"]}
    if left:
        slow = (
            f"Slow is a sheet of which {thousands(size['budget'])} random games, as many as a run has, take more than "
            f"{size['slowest']:g} CPU seconds here."
        )
        yield from ("## Not tried", "", slow, "")
        yield from (f"- {name}: {why}" for name, why in left.items())


def _mean(values: np.ndarray) -> str:
    return f"{float(values.mean()):.1f}"

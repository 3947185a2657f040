"""results/sheets.md from results/sheets/ alone: the answer first, then tables. Nothing is searched."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from discovery.evaluation.family_scores import best_of_others
from discovery.statistics import Summary, summary
from experiments.files import read_csv, write
from experiments.markdown import NOT_YET, signed, table_lines, thousands
from experiments.sheets.question import TWINS
from experiments.sheets.running import FOLDER
from mcsgrammar.language.named import GENERIC

NAME = "sheets.md"
SHOWN = 10
"""Algorithms in the table of the best."""
POINTS = 100
"""Of a game at the most; a reward times this."""


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
        return [i for i, name in enumerate(self.names) if name not in GENERIC]

    def only(self, games: Sequence[int]) -> "Tried":
        return Tried(self.names, [self.games[game] for game in games], self.points[:, games])

    def choices(self, among: Sequence[int]) -> list[int]:
        """For each game, the one of some algorithms with the highest mean over all other games; of equal ones the
        first."""
        return [among[place] for place in best_of_others(self.points[list(among)])]

    def reached(self, choices: Sequence[int]) -> np.ndarray:
        """The points of an algorithm for each game."""
        return np.asarray(self.points[choices, range(len(self.games))])


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
        "Each sheet is left out in turn: the candidate with the highest mean over all **other** sheets is measured on "
        "it, beside the generic algorithm that is chosen the same way.",
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
    found, generic = sheets.choices(sheets.candidates), sheets.choices(sheets.generic)
    differences = sheets.reached(found) - sheets.reached(generic)
    plain = sheets.points[sheets.names.index("is")]
    better, worse = int((differences > 0).sum()), int((differences < 0).sum())
    (favourite, times), (usual, uses) = (Counter(chosen).most_common(1)[0] for chosen in (found, generic))
    yield from (
        f"**In short.** On {len(sheets.games)} sheets, {thousands(size['budget'])} evaluations a run and "
        f"{size['runs']} runs each, the candidate chosen on the others reaches {_mean(sheets.reached(found))} points "
        f"of {POINTS} in the mean over sheets; the generic algorithm chosen so {_mean(sheets.reached(generic))}, the "
        f"best of random playouts {_mean(plain)}. Candidate less generic: {_interval(summary(differences))}; it is "
        f"better on {better} sheets, worse on {worse}, and equal on the other {len(differences) - better - worse}.",
        "",
        f"The choice is `{sheets.names[favourite]}` for {times} of {len(found)} sheets, and "
        f"`{sheets.names[usual]}` of the generic ones for {uses}. Had one known the best of all {len(sheets.names)} "
        f"algorithms for each sheet, {_mean(sheets.points.max(axis=0))} points would have been possible, an optimistic "
        "figure, as the best of many means is partly luck.",
        "",
        f"**How to read this.** Points are rewards times {POINTS}, as sheets give goals; means over runs with fresh "
        f"seeds on the one problem that a sheet is. Candidates: all of depth {size['depth']} and less, "
        "but for those that are generic, such as `la(1)`. Intervals are "
        "Student's over sheets, as if they were drawn from all sheets that could be written; many are kin, so they are "
        "rather too narrow.",
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
    found, generic = sheets.choices(sheets.candidates), sheets.choices(sheets.generic)
    plain = sheets.points[sheets.names.index("is")]
    rows = [
        [
            name.rpartition("/")[0] or name,
            games[name]["moves"],
            games[name]["facts"],
            games[name]["length"],
            f"{plain[game]:.1f}",
            f"{sheets.points[generic[game], game]:.1f}",
            f"{sheets.points[found[game], game]:.1f}",
            signed(sheets.points[found[game], game] - sheets.points[generic[game], game]),
            f"{sheets.points[:, game].max():.1f}",
            f"`{sheets.names[int(sheets.points[:, game].argmax())]}`",
        ]
        for game, name in enumerate(sheets.games)
    ]
    yield from (
        "## Sheet by sheet",
        "",
        "*Generic* and *candidate* are chosen on the other sheets; *best* is the best of all on this one, the first of "
        "equal ones.",
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


def _interval(found: Summary) -> str:
    return f"{signed(found.mean)} [{signed(found.low)}, {signed(found.high)}]"

"""Published tables of agents that play each other, and the matches that repeat them.

Glossary
    S, G       the papers: Tak, Winands and Björnsson, *Decaying Simulation Strategies* (2014); Sironi, Liu and Winands,
               *Self-Adaptive Monte Carlo Tree Search in General Game Playing* (2020)
    table      one of theirs, such as `S-IV`; `control`: an agent against itself; `found`: what campaigns find against
               agents of theirs (`finding.py`)
    cell       a place in a table, and the matches that repeat it: a game, an agent, its opponent, a budget
    column     what a cell's agent is, as the table's header has it
    printed    the value in the paper, percent of the points, and half the width of its 95 % interval
    budget     simulations of each search; the papers have seconds
    decay      gamma: what the counts of playouts are multiplied by after every step of the match
    drawn      an opponent whose parameters are drawn anew for each block
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from discovery.arena.blocks import PointsRule
from experiments.adaptive.questions import LISTS, PAPERS, Family
from experiments.files import read_csv
from mcsgrammar.language.parameters import Number, value_text

TableName = Literal["control", "S-IV", "S-II", "S-III", "G-II", "G-V", "found"]
PUBLISHED = Path(__file__).with_name("published.csv")

GAMES = (
    *("tictactoe3d", "connect5", "quad", "breakthrough", "knightthrough"),
    *("chinook", "battle", "chinesecheckers"),
)
GAMES_OF_G = tuple(game for game in GAMES if game != "battle")
DECAYS = (0, 0.2, 0.4, 0.6, 0.8)
MAST = "select(sim(mast(tau=0.1{})), 0.4)"
NST = "select(sim(nst(eps=0.2, n=3, kmin=7{})), 0.4)"
INTERVALS = {"c": "[0..1]", "eps": "[0..1]"}
TUNERS = ("nmc", "lsi", "ea", "ntbea", "cmaes")
SELECTIONS = {
    "SP": "select(sim(mast(eps={eps}, move_decay=0.2)), ucb1(c={c}, vo={vo}, fpu=1))",
    "AP": "select(sim(mast(eps={eps}, move_decay=0.2)), grave(c={c}, vo={vo}, t={t}, fpu=1, ref={ref}, k={k}))",
}
OPEN = {
    "SP 2": ("c", "eps"),
    "AP 2": ("k", "ref"),
    "AP 4": ("k", "ref", "c", "eps"),
    "AP 6": ("k", "ref", "c", "eps", "t", "vo"),
}


@dataclass(frozen=True)
class Cell:
    """Matches of an agent and an opponent."""

    table: TableName
    game: str
    column: str
    budget: int
    agent: str
    opponent: str
    family: Family | None = None
    """where the opponent is drawn from one"""

    @property
    def rule(self) -> PointsRule:
        return "agents" if self.table.startswith("G") else "roles"

    @property
    def start(self) -> int:
        """Searches before the first step."""
        return 1 if self.table.startswith("G") else 2

    def opponent_in(self, block: int) -> str:
        return self.opponent if self.family is None else self.family.drawn("test", block)


@dataclass(frozen=True)
class ArenaScale:
    """How large everything is."""

    name: str
    games: int
    """of each cell of S's table IV, of the controls and of agents found, rounded up to whole blocks"""
    fewer: int
    """of each of the others"""
    budget: int
    """of all tables"""
    second: int
    """of S's table IV, which has both"""
    pulls: int
    """of each campaign"""

    def games_of(self, cell: Cell) -> int:
        return self.games if cell.table in ("control", "S-IV", "found") else self.fewer


ARENA_SCALES = {
    one.name: one
    for one in (
        ArenaScale("full", games=300, fewer=200, budget=300, second=1_000, pulls=3_000),
        ArenaScale("small", games=6, fewer=6, budget=30, second=60, pulls=60),
    )
}


@cache
def family(name: str) -> Family:
    """SP or AP with so many parameters open."""
    values = tuple((key, value) for key, value in PAPERS.items() if f"{{{key}}}" in SELECTIONS[name[:2]])
    return Family(SELECTIONS[name[:2]], values, tuple((key, LISTS[key]) for key in OPEN[name]), outer="{}")


def tuned(name: str, tuner: str) -> str:
    """As the papers have it: over their lists or, by CMA-ES, over their intervals."""
    if tuner != "cmaes":
        return family(name).tuned(tuner)
    opened = SELECTIONS[name[:2]].format(**{key: value_text(value) for key, value in PAPERS.items()} | INTERVALS)
    return f"tune({opened}, {tuner})"


def decayed(agent: str, decay: Number) -> str:
    return agent.format("" if decay == 1 else f", move_decay={value_text(decay)}")


def cells(scale: ArenaScale) -> list[Cell]:
    """All that is known beforehand, by table, game and column."""
    return [*_controls(scale), *_of_s(scale), *_of_g(scale)]


def _controls(scale: ArenaScale) -> Iterator[Cell]:
    for game in GAMES:
        yield Cell("control", game, "itself", scale.budget, decayed(MAST, 1), decayed(MAST, 1))


def _of_s(scale: ArenaScale) -> Iterator[Cell]:
    for budget in (scale.second, scale.budget):
        for game in GAMES:
            for decay in DECAYS:
                yield Cell("S-IV", game, value_text(decay), budget, decayed(MAST, decay), decayed(MAST, 1))
    for game in GAMES:
        for decay in DECAYS:
            yield Cell("S-II", game, value_text(decay), scale.budget, decayed(NST, decay), decayed(NST, 1))
    for game in GAMES:
        for decay in (1, 0.6):
            yield Cell("S-III", game, value_text(decay), scale.budget, decayed(NST, decay), decayed(MAST, 1))


def _of_g(scale: ArenaScale) -> Iterator[Cell]:
    for game in GAMES_OF_G:
        for tuner in TUNERS:
            yield Cell("G-II", game, tuner, scale.budget, tuned("SP 2", tuner), family("SP 2").fixed())
    for game in GAMES_OF_G:
        for name in OPEN:
            drawn = family(name)
            yield Cell("G-V", game, name, scale.budget, tuned(name, "ntbea"), drawn.opened, drawn)


@cache
def printed() -> dict[tuple[str, str, str], tuple[float, float]]:
    """Value and half interval by table, game and column."""
    rows = read_csv(PUBLISHED)
    return {(row["table"], row["game"], row["column"]): (float(row["value"]), float(row["half"])) for row in rows}

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
    decay      what the counts of playouts are multiplied by: gamma after every step of the match, lambda after every so
               many simulations, omega, of what occurred in it, after every one
    drawn      an opponent whose parameters are drawn anew for each block
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Literal

from discovery.arena.blocks import PointsRule
from experiments.adaptive.questions import LISTS, PAPERS, Family
from experiments.files import read_csv
from mcsgrammar.language.parameters import Number, value_text

TableName = Literal[
    "control", "S-IV", "S-II", "S-III", "S-V", "S-VII", "S-IX", "S-XI", "S-XIII", "G-II", "G-V", "found"
]
PUBLISHED = Path(__file__).with_name("published.csv")

GAMES = (
    *("tictactoe3d", "connect5", "quad", "breakthrough", "knightthrough"),
    *("chinook", "battle", "chinesecheckers"),
)
GAMES_OF_G = tuple(game for game in GAMES if game != "battle")
DECAYS = (0, 0.2, 0.4, 0.6, 0.8)
BATCH_DECAY = 0.9
BATCHES = (25, 50, 100, 150, 200)
GAMES_OF_BATCHES = ("tictactoe3d", "connect5", "quad", "battle", "chinook")
"""S's table IX; on the others it has one size, in table X."""
MOST_PRINTED_BATCH = 50
SIM_DECAYS = (0.85, 0.9, 0.94, 0.97, 0.99)
GAMES_OF_SIM_DECAYS = ("connect5", "quad", "chinook")
"""S's table XI; on the others it has one decay, in table XII."""
MOST_PRINTED_SIM_DECAY = 0.94
MIXED = ((0.6, 0.94), (0.8, 0.97))
"""Move decay and simulation decay together, S's table XIII."""
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


WITH_BOTH_BUDGETS = ("S-IV", "S-II", "S-III", "S-V", "S-VII", "G-II", "G-V")


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
    """of each of the others; half as many with the second budget"""
    budget: int
    """of all tables"""
    second: int
    """of those tables that have both"""
    pulls: int
    """of each campaign"""

    def games_of(self, cell: Cell) -> int:
        if cell.table in ("control", "S-IV", "found"):
            return self.games
        return self.fewer if cell.budget == self.budget else self.fewer // 2

    def budgets_of(self, table: TableName) -> tuple[int, ...]:
        return (self.budget, self.second) if table in WITH_BOTH_BUDGETS else (self.budget,)


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


def decayed(agent: str, move_decay: Number = 1, **others: Number) -> str:
    """With this of its playouts; a decay of 1 is none."""
    said = {name: value for name, value in ({"move_decay": move_decay} | others).items() if value != 1}
    return agent.format("".join(f", {name}={value_text(value)}" for name, value in said.items()))


def cells(scale: ArenaScale) -> list[Cell]:
    """All that is known beforehand, by table, budget, game and column."""
    pairs = [*_control(), *_of_s(), *_of_g()]
    return [
        replace(cell, budget=budget)
        for table in dict.fromkeys(cell.table for cell in pairs)
        for budget in scale.budgets_of(table)
        for cell in pairs
        if cell.table == table
    ]


def _control() -> Iterator[Cell]:
    for game in GAMES:
        yield Cell("control", game, "itself", 0, decayed(MAST), decayed(MAST))


def _of_s() -> Iterator[Cell]:
    """Without their budgets, as those of G."""
    for game, decay in product(GAMES, DECAYS):
        yield Cell("S-IV", game, value_text(decay), 0, decayed(MAST, decay), decayed(MAST))
    for game, decay in product(GAMES, DECAYS):
        yield Cell("S-II", game, value_text(decay), 0, decayed(NST, decay), decayed(NST))
    for game, decay in product(GAMES, (1, 0.6)):
        yield Cell("S-III", game, value_text(decay), 0, decayed(NST, decay), decayed(MAST))
    for game, decay in product(GAMES, (1, 0.4)):
        yield Cell("S-V", game, value_text(decay), 0, decayed(MAST, decay), decayed(NST))
    for game in GAMES:
        yield Cell("S-VII", game, "0.6", 0, decayed(NST, 0.6), decayed(MAST, 0.4))
    for game, batch in product(GAMES, BATCHES):
        if game in GAMES_OF_BATCHES or batch == MOST_PRINTED_BATCH:
            forgetful = decayed(NST, batch_decay=BATCH_DECAY, batch=batch)
            yield Cell("S-IX", game, f"{batch}", 0, forgetful, decayed(NST))
    for game, decay in product(GAMES, SIM_DECAYS):
        if game in GAMES_OF_SIM_DECAYS or decay == MOST_PRINTED_SIM_DECAY:
            yield Cell("S-XI", game, value_text(decay), 0, decayed(NST, sim_decay=decay), decayed(NST))
    for game, (move, sim) in product(GAMES, MIXED):
        yield Cell("S-XIII", game, f"{move} and {sim}", 0, decayed(NST, move, sim_decay=sim), decayed(NST))


def _of_g() -> Iterator[Cell]:
    for game, tuner in product(GAMES_OF_G, TUNERS):
        yield Cell("G-II", game, tuner, 0, tuned("SP 2", tuner), family("SP 2").fixed())
    for game, name in product(GAMES_OF_G, OPEN):
        drawn = family(name)
        yield Cell("G-V", game, name, 0, tuned(name, "ntbea"), drawn.opened, drawn)


@cache
def printed() -> dict[tuple[str, str, str], tuple[float, float]]:
    """Value and half interval by table, game and column."""
    rows = read_csv(PUBLISHED)
    return {(row["table"], row["game"], row["column"]): (float(row["value"]), float(row["half"])) for row in rows}

"""Agents that campaigns find, beside the best of the papers: for each game a campaign over agents, whose pool these
are, and then matches of what it puts first with each of them, on blocks that it has not seen.

A campaign's folder is WORK/found/GAME, made as by `mcsgrammar discover GAME --against …`; it goes on where it was
stopped.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import mcsgrammar
from experiments.arena.cells import GAMES, MAST, NST, ArenaScale, Cell, decayed, family
from experiments.campaigns import finished, standing_of
from mcsgrammar.enumeration.candidates import candidates

Show = Callable[[str], None]
FOLDER = "found"
POOL = {
    "S's MAST": decayed(MAST, 0.4),
    "S's NST": decayed(NST, 0.6),
    "G's SP": family("SP 2").fixed(),
    "G's AP": family("AP 6").fixed(),
}
"""The decays that S has most points with, and the values that G found by hand."""
PLAYOUTS = (
    "mast(tau=0.1)",
    "mast(tau=0.1, move_decay=0.4)",
    "mast(tau=0.1, move_decay=0.6)",
    "mast(tau=0.05, move_decay=0.4)",
    "mast(eps=0.4, move_decay=0.2)",
    "mast(eps=0.2, move_decay=0.4)",
    "nst(eps=0.2, n=3, kmin=7, move_decay=0.6)",
)
TREES = (
    "0.2",
    "0.4",
    "0.7",
    "ucb1(c=0.2, vo=0.01, fpu=1)",
    "grave(c=0, ref=50, k=250)",
    "grave(c=0.2, ref=50, k=250)",
    "grave(c=0.2, vo=0.01, fpu=1, ref=50, k=250)",
    "grave(c=0.4, ref=50, k=250)",
    "grave(c=0.2, ref=50, k=1000)",
    "history(c=0.4)",
    "history(c=0.4, w=5)",
)
REPETITIONS = (5,)
DEPTH = 5


def run_finding(work: Path, scale: ArenaScale, jobs: int, show: Show) -> None:
    """The campaigns that are not finished, game after game. A Ctrl-C goes on to the caller."""
    for game in GAMES:
        show(f"a campaign of {scale.pulls:,} pulls: {game}")
        campaign = mcsgrammar.discover(
            game,
            work / FOLDER / game,
            budget=scale.budget,
            candidates=candidates(DEPTH, REPETITIONS, TREES, PLAYOUTS),
            pulls=scale.pulls,
            jobs=jobs,
            progress=False,
            against=list(POOL.values()),
        )
        if not campaign.complete:
            raise KeyboardInterrupt


def found_cells(work: Path, scale: ArenaScale) -> Iterator[Cell]:
    """What each finished campaign puts first, against every member of its pool."""
    for game in GAMES:
        standing = standing_of(game, work / FOLDER)
        if standing is not None and finished(standing):
            found = standing.ranking()[0].expression_text
            for member, opponent in POOL.items():
                yield Cell("found", game, member, scale.budget, found, opponent)

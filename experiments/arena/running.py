"""The matches behind results/arena/, kept cell by cell.

WORK/arena/TABLE/HASH.csv has a line for each block of a cell, HASH.json beside it says which cell. Everything is played
a little first, cell after cell, then more and more, so that it can be stopped at any time: what is there are all tables
from fewer matches. The same command goes on. The matches are those that `mcsgrammar match` plays with these agents, but
for opponents that are drawn for each block.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from scipy import stats

from discovery.arena.blocks import blocks_for, is_draw, points, seatings
from discovery.arena.playing import Arena
from discovery.arena.standings import p_of_blocks
from discovery.pool.parallel import in_workers
from discovery.statistics import Summary, summary
from domains.registry import find_domain
from experiments.arena.cells import GAMES, ArenaScale, Cell, cells
from experiments.arena.finding import POOL, found_cells
from experiments.files import csv_text, figure, read_csv, write, write_csv
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.choosing import arena_of
from mcsgrammar.engines.arena.matching import Match, Seat
from mcsgrammar.engines.searching import Limits

FOLDER = "arena"
TABLE_FILE = "cells.csv"
ROUNDS = (0.1, 0.25, 0.5, 1.0)
"""Shares of the blocks."""
CHUNK_GAMES = 12
"""About as many matches can a kill lose."""
COLUMNS = ("block", "points", "draws", "steps", "simulations", "cpu_seconds")
"""Of a block: the agent's points, from 0 to 1, and the rest as means over its matches; the simulations are those of one
role."""

Row = dict[str, Any]
Show = Callable[[str], None]


@dataclass(frozen=True)
class Task:
    """Some blocks of a cell."""

    cell: Cell
    blocks: range


def run_cells(work: Path, scale: ArenaScale, jobs: int, show: Show, wanted: Sequence[Cell] | None = None) -> None:
    """Play what is missing."""
    some = cells(scale) if wanted is None else wanted
    tasks = list(missing(work, scale, some))
    games = sum(len(task.blocks) * len(seatings_of(task.cell)) for task in tasks)
    played = 0
    for task, rows in zip(tasks, in_workers(play_task, tasks, jobs), strict=False):
        append(work, task.cell, rows)
        played += len(rows) * len(seatings_of(task.cell))
        show(f"{played:,} of {games:,} matches; {task.cell.table}, {task.cell.game}, {task.cell.column}")


def missing(work: Path, scale: ArenaScale, some: Iterable[Cell]) -> Iterator[Task]:
    """What is to be played, in its order."""
    there = {cell: len(kept(work, cell)) for cell in some}
    for share in ROUNDS:
        for cell in there:
            matches = len(seatings_of(cell))
            aim = max(2, round(share * blocks_for(scale.games_of(cell), matches)))
            while there[cell] < aim:
                end = min(aim, there[cell] + max(1, CHUNK_GAMES // matches))
                yield Task(cell, range(there[cell], end))
                there[cell] = end


def seatings_of(cell: Cell) -> list[tuple[int, ...]]:
    return seatings(len(_arena(cell.game, cell.start).game.roles), (0, 1))


@lru_cache(maxsize=32)
def _arena(game: str, start: int) -> Arena:
    found = find_domain(game)
    return Arena(found, arena_of(found, "auto"), start=start)


def play_task(task: Task) -> list[Row]:
    return [play_block(task.cell, block) for block in task.blocks]


def play_block(cell: Cell, block: int) -> Row:
    arena, texts = _arena(cell.game, cell.start), (cell.agent, cell.opponent_in(block))
    agents = [agent_of(text, arena.game) for text in texts]
    seats = [Seat(agents[0], Limits(cell.budget)), Seat(agents[1], Limits(cell.budget), int(agents[0] == agents[1]))]
    played = [(seating, arena.match([seats[one] for one in seating], block)) for seating in seatings_of(cell)]
    matches: list[Match] = [match for _, match in played]
    return {
        "block": block,
        "points": figure(fmean(points(match.goals, seating, cell.rule)[0] for seating, match in played)),
        "draws": figure(fmean(is_draw(match.goals, seating) for seating, match in played)),
        "steps": figure(fmean(match.steps for match in matches)),
        "simulations": figure(fmean(fmean(match.simulations) for match in matches)),
        "cpu_seconds": figure(fmean(match.seconds for match in matches)),
    }


def identity(cell: Cell) -> dict[str, Any]:
    """All that decides what its matches are."""
    return {
        "game": cell.game,
        "agent": cell.agent,
        "opponent": cell.opponent,
        "drawn": cell.family is not None,
        "budget": cell.budget,
        "start": cell.start,
        "points": cell.rule,
    }


def path_of(work: Path, cell: Cell) -> Path:
    digest = hashlib.blake2b(json.dumps(identity(cell)).encode(), digest_size=8).hexdigest()
    return work / FOLDER / cell.table / f"{digest}.csv"


def kept(work: Path, cell: Cell) -> list[dict[str, str]]:
    path = path_of(work, cell)
    return read_csv(path) if path.exists() else []


def append(work: Path, cell: Cell, rows: list[Row]) -> None:
    """Add blocks that follow on those that are there: another command may have played the same meanwhile."""
    path, there = path_of(work, cell), kept(work, cell)
    write(path.with_suffix(".json"), json.dumps(identity(cell), indent=1) + "\n")
    new = [row for row in rows if int(row["block"]) >= len(there)]
    if new and int(new[0]["block"]) == len(there):
        write(path, csv_text(COLUMNS, [*there, *new]))


def write_cells(work: Path, results: Path, scale: ArenaScale) -> None:
    """A line for each cell of which there are two blocks or more, here or in the table as it was: the one with more."""
    path = results / FOLDER / TABLE_FILE
    rows = {_place(row): row for row in (read_csv(path) if path.exists() else [])}
    for cell in (*cells(scale), *found_cells(work, scale)):
        blocks = kept(work, cell)
        if len(blocks) > 1:
            row = row_of(cell, blocks)
            before = rows.get(_place(row))
            if before is None or before["agent"] != cell.agent or int(before["games"]) <= row["games"]:
                rows[_place(row)] = row
    places = [(cell.table, cell.game, cell.column, cell.budget) for cell in cells(scale)]
    places += [("found", game, member, scale.budget) for game in GAMES for member in POOL]
    ordered = [rows[place] for place in places if place in rows]
    if ordered:
        columns = dict.fromkeys(name for row in ordered for name in row)
        write_csv(path, list(columns), ordered)


def _place(row: Mapping[str, Any]) -> tuple[str, str, str, int]:
    return row["table"], row["game"], row["column"], int(row["budget"])


def row_of(cell: Cell, blocks: list[dict[str, str]]) -> Row:
    own = [float(block["points"]) for block in blocks]
    said = summary(own)
    means = {name: figure(fmean(float(block[name]) for block in blocks)) for name in COLUMNS[2:]}
    return {
        "table": cell.table,
        "game": cell.game,
        "column": cell.column,
        "budget": cell.budget,
        "games": len(blocks) * len(seatings_of(cell)),
        "points": figure(100 * said.mean),
        "half": figure(100 * half_of(said)),
        "p": figure(p_of_blocks(np.array(own), np.full(len(own), 0.5))),
        **means,
        "agent": cell.agent,
        "opponent": cell.opponent,
    }


def half_of(points: Summary) -> float:
    """Half the width of a 95 % interval of points from 0 to 1, over blocks. Where Student's t leaves that scale, as it
    does if nearly all blocks are won, and does not see that a next one might be lost, it is no less than the longer
    side of Wilson's, as if blocks were coins."""
    half = points.high - points.mean
    if half and points.mean - half >= 0 and points.mean + half <= 1:
        return half
    ends = stats.binomtest(round(points.mean * points.n), points.n).proportion_ci(0.95, method="wilson")
    return max(half, float(points.mean - ends.low), float(ends.high - points.mean))

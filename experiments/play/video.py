"""The games of the papers themselves: what they print beside what the same agents come to here.

Glossary
    folder     GVGAI's `examples/gridphysics`: the papers' games as NAME.txt and NAME_lvl0.txt to NAME_lvl4.txt
    first      the paper *Self-Adaptive MCTS for General Video Game Playing*
    later      the paper *Analysis of Self-Adaptive Monte Carlo Tree Search in General Video Game Playing*
    run        one game of one agent on one level; a level is one problem, and its runs differ by their seeds alone
    pass       one more run of every agent on one level of every game
    line       what the runs of an agent at a game have come to, all levels together

After every pass all games have as many runs of all agents, so the table is worth something wherever it is stopped.
The budget of a tick is in evaluations, the same for all; the papers' is 40 ms, in which their fixed agent comes to 14
to 97 of them. All games are played as though they had chance (`chance=yes`), as the papers' agent exhausts no node.
"""

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from discovery.many.games import play_games
from discovery.pool.parallel import in_workers
from domains.errors import UnknownDomain, UserError
from domains.vgdl.domain import Vgdl
from experiments.files import read_csv, write_csv
from experiments.play.question import BASELINE, FOLDER, agent, tuned
from mcsgrammar.engines.searching import Limits
from mcsgrammar.game_records import GameRecord
from mcsgrammar.playing import prepared_play

TABLE = "video.csv"
PUBLISHED = Path(__file__).with_name("published_video.csv")
PUBLISHED_RUNS = 500
LEVELS = range(5)
BUDGET = 40
SECONDS = 1.1
"""CPU seconds of a run, on average over games and agents: what results/play/video.csv took."""

SHALLOW = "C = 0, D = 1"
AGENTS = {
    BASELINE: agent("1.4", "10"),
    SHALLOW: agent("0", "1"),
    "random": tuned("random"),
    "mab": tuned("mab"),
    "nmc": tuned("nmc(c_l=0.7, c_g=0.7)"),
    "ea": tuned("ea"),
    "ntbea": tuned("ntbea(c=0.7)"),
}
"""The papers' values; those of ea and mab are the defaults."""
FIELDS = (
    *("game", "agent", "expression", "budget", "runs", "wins", "runs_by_level", "wins_by_level"),
    *("score_sum", "score_squares", "ticks", "chose_1", "chosen_depth"),
)

OnProgress = Callable[[str], None]
Row = dict[str, Any]


@cache
def published() -> dict[str, dict[str, float]]:
    """What is printed of each game, by the names of columns: wins in %, mean scores."""
    with PUBLISHED.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {row.pop("game"): {key: float(value) for key, value in row.items()} for row in rows}


@dataclass(frozen=True)
class Run:
    """What is kept of a game that was played."""

    level: int
    won: bool
    score: float
    ticks: int
    depth: str
    """that the tuner would choose in the end; empty without one"""


@dataclass(frozen=True)
class LevelTask:
    """For a worker: an agent is to have so many runs on a level."""

    folder: Path
    game: str
    level: int
    agent: str
    runs: int
    journal: Path


def level_of(folder: Path, game: str, level: int) -> Vgdl:
    return Vgdl(folder / f"{game}.txt", level, chance=True)


def playable(folder: Path, tell: Callable[[str], None], wanted: Sequence[str] = ()) -> list[str]:
    """The papers' games in a folder that can be read, all levels of them, or those that are wanted; why others are left
    out is told."""
    found = []
    for game in wanted or published():
        if not (folder / f"{game}.txt").is_file():
            tell(f"{game} is left out: there is no {game}.txt in {folder}")
            continue
        try:
            for level in LEVELS:
                level_of(folder, game, level)
        except UnknownDomain as refused:
            tell(f"{game} is left out: {str(refused).splitlines()[0]}")
            continue
        found.append(game)
    if not found:
        raise UserError(
            f"{folder} has none of the papers' games, or none that can be read; GVGAI has them in its folder "
            "examples/gridphysics: aliens.txt with aliens_lvl0.txt to aliens_lvl4.txt, and so on"
        )
    return found


def play_level(task: LevelTask) -> list[Run]:
    """The runs that a task asks for; what its journal holds is not played again."""
    domain = level_of(task.folder, task.game, task.level)
    how = prepared_play(domain, AGENTS[task.agent], Limits(BUDGET), None, "test", 0, "auto", "standard")
    task.journal.parent.mkdir(parents=True, exist_ok=True)
    return [_run(task.level, record) for record in play_games(how, task.runs, 0, 1, None, task.journal)]


def _run(level: int, record: GameRecord) -> Run:
    depth = dict(record.tuned).get("depth of random", "")
    return Run(level, bool(record.reached_goal), record.score, record.ticks, depth)


def measure_passes(
    folder: Path, games: Sequence[str], work: Path, runs: int, on_progress: OnProgress, jobs: int = 1
) -> Iterator[list[Row]]:
    """Play what is missing; the whole table after every pass."""
    done: dict[tuple[str, str, int], list[Run]] = {}
    for number in range(1, runs + 1):
        for level in LEVELS:
            tasks = [
                LevelTask(folder, game, level, name, number, journal_of(work, game, level, name))
                for game in games
                for name in AGENTS
            ]
            with closing(in_workers(play_level, tasks, jobs)) as outcomes:
                for place, (task, outcome) in enumerate(zip(tasks, outcomes, strict=True), 1):
                    done[task.game, task.agent, level] = outcome
                    on_progress(f"run {number} of {runs}, level {level}: {place} of {len(tasks)} games, {task.game}")
            yield [
                line_of(game, name, [run for own in LEVELS for run in done.get((game, name, own), [])])
                for game in games
                for name in AGENTS
            ]


def journal_of(work: Path, game: str, level: int, name: str) -> Path:
    return work / FOLDER / "video" / str(BUDGET) / f"{game}-{level}-{name.replace(' ', '')}.jsonl"


def line_of(game: str, name: str, runs: Sequence[Run]) -> Row:
    """What the runs of an agent at a game have come to."""
    depths = Counter(run.depth for run in runs if run.depth)
    return {
        "game": game,
        "agent": name,
        "expression": AGENTS[name],
        "budget": BUDGET,
        "runs": len(runs),
        "wins": sum(run.won for run in runs),
        "runs_by_level": " ".join(str(sum(run.level == level for run in runs)) for level in LEVELS),
        "wins_by_level": " ".join(str(sum(run.won for run in runs if run.level == level)) for level in LEVELS),
        "score_sum": f"{sum(run.score for run in runs):.10g}",
        "score_squares": f"{sum(run.score**2 for run in runs):.10g}",
        "ticks": f"{sum(run.ticks for run in runs) / len(runs):.4g}",
        "chose_1": depths["1"] if depths else "",
        "chosen_depth": depths.most_common(1)[0][0] if depths else "",
    }


def write_video(results: Path, rows: Sequence[Row]) -> list[str]:
    """Add lines to the table that is kept; games of which it has more runs stay as they are, and are returned."""
    path = results / FOLDER / TABLE
    kept, new = _by_game(read_csv(path) if path.exists() else []), _by_game(rows)
    larger = [game for game in new if _runs(kept.get(game, [])) > _runs(new[game])]
    table = {**kept, **{game: lines for game, lines in new.items() if game not in larger}}
    write_csv(path, FIELDS, [row for game in published() for row in table.get(game, [])])
    return larger


def _by_game(rows: Sequence[Row]) -> dict[str, list[Row]]:
    return {game: list(lines) for game, lines in groupby(rows, key=lambda row: str(row["game"]))}


def _runs(rows: Sequence[Row]) -> int:
    return sum(int(row["runs"]) for row in rows)

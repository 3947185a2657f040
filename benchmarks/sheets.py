"""What of a folder of rule sheets can be played, and how fast; whether the kernels agree with the reference on each.

    .venv/bin/python benchmarks/sheets.py FOLDER [--seconds 0.5] [--states 20] [--judge] [--from a] [--to b]
    .venv/bin/python benchmarks/sheets.py ggp-repository/war/root/games --study [--seconds 0.5]

The sheets of General Game Playing that people share are not ours and not here: get them with
`git clone https://github.com/ggp-org/ggp-repository`, and give that folder. A line a sheet: CPU seconds from the file
to the first state (with an empty cache, MCSGRAMMAR_CACHE), random games and steps per CPU second, and on how many
states of random games the kernels, the referee of matches and the reference said the same, and with --judge clingo as
well, which works from the sheet itself (`pip install clingo`; it takes a while).

With --study only games that a study of 2026 timed on one core of a shared machine: uniformly random playouts per CPU
second of its prototype, and of the propnet of Sancho, the champion of 2014, in Java; and the geometric means of ours
divided by theirs.

    .venv/bin/python benchmarks/sheets.py FOLDER --matches [--from a] [--to b]

Of each sheet with several roles, matches of plain UCT with ten simulations a search: CPU seconds of the whole command,
`mcsgrammar match … --games N --jobs 1` with one match of each seating of two agents (of two or three roles), after it
has run once; and of one more match in this process, milliseconds a step that the searches take, and that all else
takes, which is mostly the referee.

    .venv/bin/python benchmarks/sheets.py ggp-repository/war/root/games --beside [--seconds 0.5]

The games of the arena by their sheets beside the same games by hand: random games per CPU second, and the
simulations of a search from the start, of plain UCT and with MAST. Sheet and hand-written rules take turns, five times;
the medians are shown, and of their ratios.
"""

import argparse
import math
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from domains.gdl.describing import COLUMNS, look_at, sheets_in  # noqa: E402
from domains.gdl.domain import Gdl  # noqa: E402
from domains.gdl.kernels import is_over, legal_moves, play_together  # noqa: E402
from domains.gdl.layout import GOAL_WORD, goal_code, problem_array, state_array  # noqa: E402
from domains.gdl.network import Network  # noqa: E402
from domains.gdl.reading import SheetError, read_sheet  # noqa: E402
from domains.gdl.reference import Referee, State  # noqa: E402
from domains.gdl.stepping import SteppingReferee  # noqa: E402
from domains.kernels import below, njit  # noqa: E402
from domains.protocol import NOOP, Domain  # noqa: E402
from domains.randomness import Random  # noqa: E402
from domains.registry import find_domain  # noqa: E402
from mcsgrammar.engines.arena.agents import agent_of  # noqa: E402
from mcsgrammar.engines.arena.compiled import CompiledArena  # noqa: E402
from mcsgrammar.engines.arena.matching import Seat, play_match  # noqa: E402
from mcsgrammar.engines.searching import Limits  # noqa: E402

JUDGED_SECONDS = 20.0
"""Of a sheet; one state is judged in any case."""
STUDIED = {
    "ticTacToe": (467_937, 302_359),
    "connect4": (120_126, 85_732),
    "connectFour": (146_313, 165_382),
    "breakthrough": (39_127, 33_031),
    "knightThrough": (74_269, 60_722),
    "reversi": (1_307, 2_868),
    "pentago": (15_018, 16_251),
    "chineseCheckers2": (17_150, 48_037),
    "sheepAndWolf": (44_718, 9_146),
    "skirmish": (2_127, 2_056),
    "tron_10x10": (46_837, 338_140),
    "eightPuzzle": (17_865, 8_790),
    "3pConnectFour": (77_228, 66_441),
    "checkers": (3_201, None),
    "hex": (1_709, None),
    "othello-comp2007": (144, None),
    "pancakes88": (281, None),
    "queens31lg": (40_769, None),
    "knightsTour": (647_615, None),
    "lightsOn": (443_629, None),
    "chess_200": (557, None),
    "amazons_10x10": (1_181, None),
    "quad": (2_562, None),
}
"""Playouts per second by folder: the prototype, and Sancho where it was timed."""


def differences(network: Network, states: int, seed: int, judge: "object | None") -> tuple[int, str]:
    """On how many states all agreed, and what they differed in, if they did."""
    referee, stepping, random = Referee(network), SteppingReferee(network), Random(seed)
    problem = problem_array(network)
    first = state_array(referee, problem, referee.initial())
    out = np.zeros(max(map(len, network.moves)) + 1, np.int32)
    agreed, state, array = 0, referee.initial(), first.copy()
    started = time.process_time()
    while agreed < states:
        over, legal = referee.look(state)
        if stepping.look(state) != (over, legal) or stepping.goals(state) != referee.goals(state):
            return agreed, "what the stepping referee says"
        if bool(is_over(array, problem)) != over:
            return agreed, "terminal"
        if [list(out[: legal_moves(array, problem, role, out)]) for role in range(len(legal))] != legal:
            return agreed, "legal"
        goals = [goal_code(found) for found in referee.goals(state)]
        if over and goals != array[problem[GOAL_WORD] : problem[GOAL_WORD] + len(legal)].tolist():
            return agreed, "goal"
        moves = [own[random.below(len(own))] if own else -1 for own in legal]
        following = referee.following(state, moves)
        if stepping.following(state, moves) != following:
            return agreed, "where the stepping referee goes"
        if judge is not None and (what := misjudged(judge, referee, state, moves, following)):
            return agreed, f"the judge on {what}"
        agreed += 1
        if judge is not None and time.process_time() - started > JUDGED_SECONDS:
            break
        if over or -1 in moves:
            state, array = referee.initial(), first.copy()
            continue
        play_together(array, problem, np.array(moves))
        if tuple(bool(int(array[i >> 6]) >> (i & 63) & 1) for i in range(len(following))) != following:
            return agreed, "next"
        state = following
    return agreed, ""


def misjudged(judge: "object", referee: Referee, state: State, moves: list[int], following: State) -> str:
    """What the judge sees otherwise."""
    network = referee.network
    names = [
        (role, own[move]) for role, own, move in zip(network.roles, network.moves, moves, strict=True) if move >= 0
    ]
    seen = judge.look(facts(network, state), names)  # type: ignore[attr-defined]
    over, legal = referee.look(state)
    said = {
        "init": seen.initial == set(facts(network, referee.initial())),
        "terminal": seen.terminal == over,
        "legal": [seen.legal[role] for role in network.roles]
        == [{own[move] for move in moves} for own, moves in zip(network.moves, legal, strict=True)],
        "goal": [sorted(seen.goals[role]) for role in network.roles]
        == [sorted(map(str, goals)) for goals in referee.goals(state)],
        "next": len(names) < len(network.roles) or seen.following == set(facts(network, following)),
    }
    return next((what for what, same in said.items() if not same), "")


def facts(network: Network, state: State) -> list[str]:
    return [name for name, holds in zip(network.bases, state, strict=True) if holds]


def study(folder: Path, seconds: float) -> None:
    """The table of the games that were timed before."""
    if not any((folder / name).is_dir() for name in STUDIED):
        sys.exit(
            f"in {folder} is no folder of a game that was studied, such as connect4; give ggp-repository/war/root/games"
        )
    print("| sheet | playouts/s | the prototype | ratio | Sancho | ratio |\n|---|---|---|---|---|---|", flush=True)
    ratios: tuple[list[float], list[float]] = [], []
    for name, figures in STUDIED.items():
        found = sheets_in(folder / name) if (folder / name).is_dir() else []
        if not found:
            print(f"| {name} | no such folder |")
            continue
        sheet = look_at(found[0], seconds)
        rate = sheet.games / sheet.playing
        cells = []
        for figure, known in zip(figures, ratios, strict=True):
            cells += [f"{figure:,}", f"{rate / figure:.2f}"] if figure else ["", ""]
            known += [rate / figure] if figure else []
        print(f"| {name} | {rate:,.0f} |", " | ".join(cells), "|", flush=True)
    means = [f"{math.exp(sum(map(math.log, known)) / len(known)):.2f} ({len(known)})" for known in ratios if known]
    print(f"| geometric mean | | | {' | | '.join(means)} |")


AGENTS = ("select(sim, 0.4)", "select(sim(mast(eps=0.4)), 0.4)")
ROUNDS = 5
SEARCH, SHORT_SEARCH = 500, 10
"""Simulations of a search."""
MOST_SEATED = 3
"""Roles; with more, a match of each seating takes long."""


def random_games(game: Domain) -> Callable[[float], float]:
    """What plays random games for so many CPU seconds, and says how many a second."""
    kernels = game.game_kernels()
    assert kernels is not None
    mover_of, actions_of, play, is_final = kernels.mover, kernels.actions, kernels.play, kernels.is_final
    problem, first = game.encode(game.sample(Random(0)))
    roles, max_actions = len(game.roles), game.max_actions

    @njit
    def some(random: Any, state: Any, games: Any, problem: Any, first: Any) -> None:
        out, joint = np.zeros(max_actions, np.int32), np.zeros(roles, np.int32)
        for _ in range(games):
            for i in range(len(first)):
                state[i] = first[i]
            while not is_final(state, problem):
                mover = mover_of(state, problem)
                for role in range(roles):
                    joint[role] = NOOP
                    if mover == -1 or mover == role:
                        joint[role] = out[below(random, actions_of(state, problem, role, out))]
                play(state, problem, joint)

    random, state = np.array([1], np.uint64), first.copy()
    some(random, state, 1, problem, first)

    def rate(seconds: float) -> float:
        games, started = 0, time.process_time()
        while (taken := time.process_time() - started) < seconds or games == 0:
            some(random, state, 20, problem, first)
            games += 20
        return games / taken

    return rate


def searches(game: Domain, text: str) -> Callable[[float], float]:
    """What searches from the start for so many CPU seconds, and says how many simulations a second."""
    arena, agent, limits = CompiledArena(game), agent_of(text, game), Limits(SEARCH)
    ready = arena.ready(game.sample(Random(0)))
    arena.warm_up(ready)

    def rate(seconds: float) -> float:
        done, taken = 0, 0.0
        while taken < seconds:
            player = arena.player(ready, agent, 0, done, limits)
            started = time.process_time()
            done += player.search(limits).simulations
            taken += time.process_time() - started
        return done / taken

    return rate


def beside(folder: Path, seconds: float, first: str, last: str) -> None:
    """A table: each game by its sheet, by hand, and the ratio."""
    from tests.domains.gdl.test_same_games import THEIRS

    print("| game | random games/s | by hand | ratio | UCT sims/s | by hand | ratio | MAST sims/s | by hand | ratio |")
    print("|---|" + "---|" * 9, flush=True)
    ratios: list[list[float]] = [[], [], []]
    for name, (file, _) in THEIRS.items():
        if not first <= name < last:
            continue
        games = Gdl(folder / f"{file}.kif"), find_domain(name)
        cells = []
        for own, measured in zip(
            ratios, (random_games, *(lambda game, text=text: searches(game, text) for text in AGENTS)), strict=True
        ):
            rates = [measured(game) for game in games]
            rounds = [[rate(seconds / ROUNDS) for rate in rates] for _ in range(ROUNDS)]
            own.append(median(sheet / by_hand for sheet, by_hand in rounds))
            cells += [f"{median(column):,.0f}" for column in zip(*rounds, strict=True)] + [f"{own[-1]:.3f}"]
        print(f"| {name} |", " | ".join(cells), "|", flush=True)
    print("geometric means of the ratios:", ", ".join(f"{geometric_mean(own):.3f}" for own in ratios))


def named(folder: Path, path: Path) -> str:
    return path.relative_to(folder).parent.as_posix() if folder.is_dir() else path.name


def matches(folder: Path, first: str, last: str) -> None:
    """A table: what a short match takes, and how much of it is not searching."""
    print("| sheet | roles | command, s | steps | searches, ms/step | all else, ms/step |", flush=True)
    print("|---|" + "---|" * 5, flush=True)
    for path in sheets_in(folder):
        name = named(folder, path)
        if not first <= name.lower() < last:
            continue
        try:
            game = Gdl(path)
        except SheetError:
            continue
        roles = len(game.roles)
        if roles == 1:
            continue
        command = [sys.executable, "-m", "mcsgrammar", "match", f"gdl:{path.resolve()}", *AGENTS, "--jobs", "1"]
        command += ["--budget", str(SHORT_SEARCH), "--games", str(2**roles - 2)]
        seconds = f"{[cpu_of(command) for _ in range(2)][-1]:.2f}" if roles <= MOST_SEATED else ""
        arena = CompiledArena(game)
        seats = [Seat(agent_of(AGENTS[0], game), Limits(SHORT_SEARCH)) for _ in game.roles]
        play_match(game, arena, seats, 0)
        started = time.process_time()
        match = play_match(game, arena, seats, 1)
        rest = time.process_time() - started - match.seconds
        each = [f"{1000 * taken / match.steps:.2f}" for taken in (match.seconds, rest)]
        print(f"| {name} | {roles} | {seconds} | {match.steps} | {' | '.join(each)} |", flush=True)


def cpu_of(command: list[str]) -> float:
    """CPU seconds that it takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=0.5, help="of random games of each sheet")
    parser.add_argument("--states", type=int, default=20, help="to compare on")
    parser.add_argument("--judge", action="store_true", help="compare with clingo, too")
    parser.add_argument("--from", dest="first", default="", help="begin with this folder, or game")
    parser.add_argument("--to", dest="last", default="\uffff", help="end before this one")
    parser.add_argument("--beside", action="store_true", help="the games of the arena beside those by hand")
    parser.add_argument("--matches", action="store_true", help="what matches take beside searches")
    parser.add_argument("--study", action="store_true", help="only games that were timed before, beside these figures")
    chosen = parser.parse_args()
    if chosen.beside:
        beside(chosen.folder, chosen.seconds, chosen.first, chosen.last)
        return
    if chosen.matches:
        matches(chosen.folder, chosen.first, chosen.last)
        return
    if chosen.study:
        study(chosen.folder, chosen.seconds)
        return
    print("| sheet |", " | ".join(COLUMNS), "| agreed |\n|---|" + "---|" * (len(COLUMNS) + 1), flush=True)
    counts: Counter[str] = Counter()
    for path in sheets_in(chosen.folder):
        name = named(chosen.folder, path)
        if not chosen.first <= name.lower() < chosen.last:
            continue
        try:
            sheet = look_at(path, chosen.seconds)
        except SheetError as refused:
            counts["refused"] += 1
            print(f"| {name} | refused: {str(refused).splitlines()[0]} |", flush=True)
            continue
        judge = None
        if chosen.judge:
            from tests.domains.gdl.judge import Judge

            judge = Judge(read_sheet(path).text)
        agreed, wrong = differences(sheet.network, chosen.states, 1, judge)
        counts["play"] += 1
        counts["end"] += sheet.row()[-1] == "yes"
        counts["states agreed on"] += agreed
        counts["DIFFER"] += bool(wrong)
        print(f"| {name} |", " | ".join(sheet.row()), f"| {agreed} {wrong and 'DIFFERS: ' + wrong} |", flush=True)
    print(", ".join(f"{count} {what}" for what, count in counts.items()))


if __name__ == "__main__":
    main()

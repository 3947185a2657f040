"""What of a folder of rule sheets can be played, and how fast; whether the kernels agree with the reference on each.

    .venv/bin/python benchmarks/sheets.py FOLDER [--seconds 0.5] [--states 20] [--judge] [--from a] [--to b]

The sheets of General Game Playing that people share are not ours and not here: get them with
`git clone https://github.com/ggp-org/ggp-repository`, and give that folder. A line a sheet: CPU seconds from the file
to the first state (with an empty cache, MCSGRAMMAR_CACHE), random games and steps per CPU second, and on how many
states of random games the kernels and the reference said the same, and with --judge clingo as well, which works from
the sheet itself (`pip install clingo`; it takes a while).

    .venv/bin/python benchmarks/sheets.py ggp-repository/war/root/games --beside [--seconds 0.5]

Instead, the games of the arena by their sheets beside the same games by hand: random games per CPU second, and the
simulations of a search from the start, of plain UCT and with MAST. Sheet and hand-written rules take turns, five times;
the medians are shown, and of their ratios.
"""

import argparse
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
from domains.kernels import below, njit  # noqa: E402
from domains.protocol import NOOP, Domain  # noqa: E402
from domains.randomness import Random  # noqa: E402
from domains.registry import find_domain  # noqa: E402
from mcsgrammar.engines.arena.agents import agent_of  # noqa: E402
from mcsgrammar.engines.arena.compiled import CompiledArena  # noqa: E402
from mcsgrammar.engines.searching import Limits  # noqa: E402

JUDGED_SECONDS = 20.0
"""Of a sheet; one state is judged in any case."""


def differences(network: Network, states: int, seed: int, judge: "object | None") -> tuple[int, str]:
    """On how many states all agreed, and what they differed in, if they did."""
    referee, random = Referee(network), Random(seed)
    problem = problem_array(network)
    first = state_array(referee, problem, referee.initial())
    out = np.zeros(max(map(len, network.moves)) + 1, np.int32)
    agreed, state, array = 0, referee.initial(), first.copy()
    started = time.process_time()
    while agreed < states:
        over, legal = referee.look(state)
        if bool(is_over(array, problem)) != over:
            return agreed, "terminal"
        if [list(out[: legal_moves(array, problem, role, out)]) for role in range(len(legal))] != legal:
            return agreed, "legal"
        goals = [goal_code(found) for found in referee.goals(state)]
        if over and goals != array[problem[GOAL_WORD] : problem[GOAL_WORD] + len(legal)].tolist():
            return agreed, "goal"
        moves = [own[random.below(len(own))] if own else -1 for own in legal]
        following = referee.following(state, moves)
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


AGENTS = ("select(sim, 0.4)", "select(sim(mast(eps=0.4)), 0.4)")
ROUNDS = 5
SEARCH = 500
"""Simulations of a search."""


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=0.5, help="of random games of each sheet")
    parser.add_argument("--states", type=int, default=20, help="to compare on")
    parser.add_argument("--judge", action="store_true", help="compare with clingo, too")
    parser.add_argument("--from", dest="first", default="", help="begin with this folder, or game")
    parser.add_argument("--to", dest="last", default="\uffff", help="end before this one")
    parser.add_argument("--beside", action="store_true", help="the games of the arena beside those by hand")
    chosen = parser.parse_args()
    if chosen.beside:
        beside(chosen.folder, chosen.seconds, chosen.first, chosen.last)
        return
    print("| sheet |", " | ".join(COLUMNS), "| agreed |\n|---|" + "---|" * (len(COLUMNS) + 1), flush=True)
    counts: Counter[str] = Counter()
    for path in sheets_in(chosen.folder):
        name = path.relative_to(chosen.folder).parent.as_posix() if chosen.folder.is_dir() else path.name
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

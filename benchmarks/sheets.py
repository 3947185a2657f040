"""What of a folder of rule sheets can be played, and how fast; whether the kernels agree with the reference on each.

    .venv/bin/python benchmarks/sheets.py FOLDER [--seconds 0.5] [--states 20] [--judge] [--from a] [--to b]

The sheets of General Game Playing that people share are not ours and not here: get them with
`git clone https://github.com/ggp-org/ggp-repository`, and give that folder. A line a sheet: CPU seconds from the file
to the first state (with an empty cache, MCSGRAMMAR_CACHE), random games and steps per CPU second, and on how many
states of random games the kernels and the reference said the same, and with --judge clingo as well, which works from
the sheet itself (`pip install clingo`; it takes a while).
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from domains.gdl.describing import COLUMNS, look_at, sheets_in  # noqa: E402
from domains.gdl.kernels import is_over, legal_moves, play_together  # noqa: E402
from domains.gdl.layout import GOAL_WORD, goal_code, problem_array, state_array  # noqa: E402
from domains.gdl.network import Network  # noqa: E402
from domains.gdl.reading import SheetError, read_sheet  # noqa: E402
from domains.gdl.reference import Referee, State  # noqa: E402
from domains.randomness import Random  # noqa: E402

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seconds", type=float, default=0.5, help="of random games of each sheet")
    parser.add_argument("--states", type=int, default=20, help="to compare on")
    parser.add_argument("--judge", action="store_true", help="compare with clingo, too")
    parser.add_argument("--from", dest="first", default="", help="begin with this folder")
    parser.add_argument("--to", dest="last", default="\uffff", help="end before this folder")
    chosen = parser.parse_args()
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

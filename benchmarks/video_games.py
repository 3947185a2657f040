"""How fast video games play: ticks a second of CPU time, by the kernels and by the Python reference.

    .venv/bin/python benchmarks/video_games.py [GAME …] [--seconds 1]

A game is what `vgdl:` takes, or a folder of NAME.txt with NAME_lvl0.txt beside; without one, those that come with the
program. The kernels play from copies, as a search does: a copy of the state, ten random ticks or fewer if the game is
over, and again from a state that moves on by one tick each time. Actions are drawn, too.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from domains.errors import UnknownDomain
from domains.kernels import Function, njit
from domains.protocol import advance
from domains.randomness import Random
from domains.registry import find_domain
from domains.vgdl.domain import Vgdl
from domains.vgdl.kernels import is_final, play, playout

DEPTH = 10
OURS = [f"{name},level={level}" for name in ("orchard", "crates", "meteors") for level in (0, 1)]


@njit
def from_copies(first: np.ndarray, problem: np.ndarray, random: np.ndarray, copies: int) -> np.int64:
    """Ticks in all; the state at hand is played on by one after each copy, and begins anew when its game is over."""
    ticks = np.int64(0)
    sequence, copy, state = np.zeros(DEPTH, np.int32), first.copy(), first.copy()
    for _ in range(copies):
        copy[:] = state
        ticks += playout(copy, problem, random, sequence, 0, DEPTH)
        play(state, problem, sequence[0], random)
        ticks += 1
        if is_final(state, problem):
            state[:] = first
    return ticks


def kernel_speed(domain: Vgdl, seconds: float, function: Function = from_copies) -> float:
    problem, first = domain.encode(domain.sample(Random(0)))
    random = np.array([1], np.uint64)
    function(first, problem, random, 1)
    ticks, copies, started = 0, 100, time.process_time()
    while (taken := time.process_time() - started) < seconds:
        ticks += int(function(first, problem, random, copies))
    return ticks / taken


def reference_speed(domain: Vgdl, seconds: float) -> float:
    """Ticks of random games without copies."""
    actions, world, ticks, started = Random(1), Random(2), 0, time.process_time()
    while (taken := time.process_time() - started) < seconds:
        state = domain.sample(Random(0))
        while not domain.is_final(state) and time.process_time() - started < seconds:
            advance(domain, state, domain.listed[actions.below(len(domain.listed))], world)
            ticks += 1
    return ticks / taken


def games_in(name: str) -> list[str]:
    folder = Path(name)
    if not folder.is_dir():
        return [name]
    return [str(path) for path in sorted(folder.glob("*.txt")) if path.with_name(f"{path.stem}_lvl0.txt").is_file()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", default=OURS)
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time for each game and each of the two")
    parser.add_argument("--room", type=int, default=None, help="instead of what a game has by itself")
    given = parser.parse_args()
    print(f"| game | ticks/s, a copy for every {DEPTH} | reference, ticks/s | bytes a state |\n|---|---|---|---|")
    played, refused = 0, 0
    for name in (game for games in given.games for game in games_in(games)):
        shown = Path(name.partition(",")[0]).stem + name[len(name.partition(",")[0]) :]
        try:
            domain = find_domain(f"vgdl:{name}" + (f",room={given.room}" if given.room is not None else ""))
        except UnknownDomain as error:
            print(f"| {shown} | refused: {str(error).splitlines()[0]} | | |")
            refused += 1
            continue
        assert isinstance(domain, Vgdl)
        played += 1
        size = domain.encode(domain.sample(Random(0)))[1].nbytes
        fast, slow = kernel_speed(domain, given.seconds), reference_speed(domain, given.seconds)
        print(f"| {shown} | {fast:,.0f} | {slow:,.0f} | {size:,} |", flush=True)
    print(f"\n{played} games played, {refused} refused")


if __name__ == "__main__":
    main()

"""What a rule sheet is, and how fast it plays: what `mcsgrammar check gdl:PATH` says, of a file or of a folder."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from domains.errors import UnknownDomain
from domains.gdl.caching import load_game
from domains.gdl.domain import UNKNOWN_LENGTH, is_idle
from domains.gdl.layout import WORDS, problem_array, state_array
from domains.gdl.network import Network
from domains.gdl.reference import Referee

FAULTS = (
    "a role has no legal move before the game is over",
    "a role has no goal in a final state",
    "a role has several goals in a final state, or one that is none",
)
"""In the order in which kernels count them."""
MOST_AT_ONCE = 1024
"""Games between two looks at the clock."""
LOOKED_AT = 200
"""Steps of random games at the most in which it is seen who has a choice."""


@dataclass(frozen=True)
class Sheetful:
    """A sheet that can be played, and some random games of it."""

    path: Path
    network: Network
    seconds: float
    """From the file to the first state, CPU time."""
    state_bytes: int
    games: int
    steps: int
    """Of all games."""
    playing: float
    """CPU seconds of all games."""
    most: int
    """Steps that a game was allowed."""
    unfinished: int
    """Games that were not over after these."""
    stuck: int
    """Games that ended since a role had no legal move."""
    faults: tuple[str, ...]
    """What a sound sheet has none of."""
    in_turns: bool
    """No two roles had a choice at once."""
    idle: tuple[str, ...]
    """What the only move of a role was called where it waited."""

    def lines(self) -> list[str]:
        """In words."""
        network = self.network
        roles = network.roles
        names = f"{', '.join(roles[:-1])} and {roles[-1]}" if len(roles) > 1 else roles[0]
        how = "" if len(roles) == 1 else ", who move in turns" if self.in_turns else ", who move at once"
        how += f"; who waits has {' or '.join(self.idle)}" if self.idle else ""
        moves = " and ".join(f"{len(own):,}" for own in network.moves)
        longest = network.facts["longest"]
        bound = f"no game has more than {longest:,} steps" if longest else "no bound on the length of games is known"
        ended = [f"{self.unfinished:,} had not ended after {self.most:,} steps"] if self.unfinished else []
        ended += [f"{self.stuck:,} stopped where a role had no legal move"] if self.stuck else []
        return [
            f"{self.path.name}: {len(roles)} {'role' if len(roles) == 1 else 'roles'}, {names}{how}",
            f"{len(network.bases):,} facts, {moves} moves, {network.facts['rules']:,} ground rules; {bound}",
            f"{len(network.nodes):,} gates, {self.state_bytes:,} bytes a state; ready in {self.seconds:.2f} s CPU",
            f"{self.games:,} random games of {self.steps / self.games:.1f} steps, "
            f"{self.games / self.playing:,.0f} playouts/s; {', '.join(ended) or 'all ended'}",
            *[f"warning: {warning}" for warning in network.warnings],
            *[f"error: {fault}" for fault in self.faults],
        ]

    def numbers(self) -> dict[str, Any]:
        """For programs."""
        network = self.network
        return {
            "roles": network.roles,
            "in_turns": self.in_turns,
            "idle": list(self.idle),
            "facts": len(network.bases),
            "moves": [len(own) for own in network.moves],
            "rules": network.facts["rules"],
            "gates": len(network.nodes),
            "state_bytes": self.state_bytes,
            "longest": network.facts["longest"] or None,
            "ready_seconds": self.seconds,
            "games": self.games,
            "steps": self.steps,
            "games_per_second": self.games / self.playing,
            "unfinished": self.unfinished,
            "warnings": network.warnings,
            "faults": list(self.faults),
        }

    def row(self) -> tuple[str, ...]:
        """For a table, under `COLUMNS`."""
        network = self.network
        kind = "one" if len(network.roles) == 1 else "turns" if self.in_turns else "at once"
        return (
            str(len(network.roles)),
            kind,
            str(network.facts["rules"]),
            str(len(network.bases)),
            "/".join(str(len(own)) for own in network.moves),
            str(len(network.nodes)),
            str(self.state_bytes),
            f"{self.seconds:.2f}",
            f"{self.games / self.playing:.0f}",
            f"{self.steps / self.playing:.0f}",
            "; ".join(self.faults) or ("yes" if not self.unfinished else "not all"),
        )


COLUMNS = ("roles", "moving", "rules", "facts", "moves", "gates", "bytes", "s", "playouts/s", "steps/s", "ends")


def sheets_in(path: Path) -> list[Path]:
    """A file itself, or all sheets in a folder and those in it."""
    if not path.is_dir():
        return [path]
    found = sorted(file for file in path.rglob("*.kif") if not file.is_dir())
    if not found:
        raise UnknownDomain(f"there is no *.kif in {path}")
    return found


def look_at(path: Path, seconds: float, seed: int = 0) -> Sheetful:
    """Read a sheet and play random games for some CPU seconds. Raises `SheetError` if it cannot be played."""
    from domains.gdl.kernels import STEPS, STUCK, UNFINISHED, random_games

    started = time.process_time()
    network = load_game(path)[1]
    referee, problem = Referee(network), problem_array(network)
    first = state_array(referee, problem, referee.initial())
    ready = time.process_time() - started
    random, counts = np.array([seed], np.uint64), np.zeros(len(FAULTS) + 2, np.int64)
    most = network.facts["longest"] or UNKNOWN_LENGTH
    random_games(first, problem, random, most, 0, counts)  # compiled, or loaded
    games, at_once, playing = 0, 1, 0.0
    started = time.process_time()
    while playing < seconds or games == 0:
        random_games(first, problem, random, most, at_once, counts)
        games += at_once
        at_once = (
            min(2 * at_once, MOST_AT_ONCE) if (playing := time.process_time() - started) < seconds / 4 else at_once
        )
    playing = max(playing, 1e-9)
    steps, unfinished, stuck = (int(counts[number]) for number in (STEPS, UNFINISHED, STUCK))
    faults = [fault for fault, count in zip(FAULTS, counts[STUCK:].tolist(), strict=True) if count]
    in_turns, idle = _who_moves(network, problem, first, random)
    size = 8 * int(problem[WORDS])
    return Sheetful(
        path, network, ready, size, games, steps, playing, most, unfinished, stuck, tuple(faults), in_turns, idle
    )


def _who_moves(
    network: Network, problem: np.ndarray, first: np.ndarray, random: np.ndarray
) -> tuple[bool, tuple[str, ...]]:
    """Whether one role at the most has a choice in each state of some random games, and what those wait with that have
    nothing to do."""
    from domains.gdl.kernels import is_over, legal_moves, play_together
    from domains.kernels import below

    roles = len(network.roles)
    moves, out = np.zeros(roles, np.int64), np.zeros(max(map(len, network.moves)) + 1, np.int32)
    state, in_turns, idle = first.copy(), True, dict[str, None]()
    for _ in range(LOOKED_AT if roles > 1 else 0):
        if is_over(state, problem):
            state = first.copy()
            continue
        choices = 0
        for role in range(roles):
            n = int(legal_moves(state, problem, role, out))
            choices += n > 1
            moves[role] = out[below(random, n)] if n else -1
            name = network.moves[role][out[0]] if n == 1 else ""
            idle |= {name: None} if name and is_idle(name) else {}
        in_turns &= choices <= 1
        play_together(state, problem, moves)
    return in_turns, tuple(idle)


def try_each(paths: Sequence[Path], seconds: float) -> Iterator[tuple[Path, Sheetful | None, str]]:
    """One sheet after the other: what it is, or why it cannot be played."""
    for path in paths:
        try:
            yield path, look_at(path, seconds), ""
        except UnknownDomain as refused:
            yield path, None, str(refused)

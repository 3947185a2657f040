"""One match: agents sit in the roles of a game and play it to its end.

Glossary
    seat       a role in one match: the agent that sits there, and the budget of each of its searches
    block      every seating of some agents once; a match belongs to a block by its number, k
    think      when a player searches: `always`, at every step of the game, or at its `own`, where it has a choice
    start      so many searches more before the first step
    referee    the game itself: it says what is legal, when the match is over, and what it is worth to each role
    goals      what the final state is worth to each role, in [0, 1]
    choices    the match in whole numbers: for each step, of every role with a choice the place of its action in the
               list of those that it had

A match is a pure function of the game, the seats, `start`, `think`, the block and the seed, as long as budgets are in
simulations. The budgets are not part of the seeds, nor is the engine.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from domains.errors import DomainError
from domains.problems import stream_of
from domains.protocol import Domain
from domains.randomness import seed_of
from domains.registry import canonical_text
from domains.saying import shown
from mcsgrammar.engines.arena.guarded import GuardedGame
from mcsgrammar.engines.arena.players import ArenaEngine, Player
from mcsgrammar.engines.guarding import initial_state
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.expressions import Step

Think = Literal["always", "own"]
THINK: tuple[Think, ...] = ("always", "own")
Stream = Literal["test", "train"]
SEAT_SEEDS = {"test": "seat", "train": "training seat"}
"""What is learned of agents in blocks for training is measured on others."""


@dataclass(frozen=True)
class Seat:
    """Who sits in a role."""

    agent: Step
    """as `agents.agent_of` has checked it"""
    limits: Limits
    """of each search"""
    alike: int = 0
    """its number among agents of the same text, who are to play games of their own"""

    @property
    def name(self) -> str:
        """What it goes by in seeds."""
        return f"{self.agent}#{self.alike + 1}" if self.alike else str(self.agent)


@dataclass(frozen=True)
class Match:
    """What came of a match."""

    goals: tuple[float, ...]
    choices: tuple[int, ...]
    steps: int
    simulations: tuple[int, ...]
    """of each role, in all its searches"""
    seconds: float
    """CPU time of all searches"""
    tree_full: bool
    """whether max_nodes kept something out of a tree"""


def seat_seed(seed: int, game: Domain, seats: Sequence[Seat], role: int, block: int, stream: Stream = "test") -> int:
    """The seed of the player in a role; everybody's name is part of it."""
    return seed_of(SEAT_SEEDS[stream], seed, canonical_text(game), *(seat.name for seat in seats), role, block)


def start_of(game: Domain, block: int, stream: Stream = "test", seed: int = 0) -> Any:
    """The state that the matches of a block begin in. There is one stream of test blocks; training has one for every
    seed."""
    return initial_state(game, block, stream, stream_of(stream, seed))


def play_match(
    game: Domain,
    engine: ArenaEngine,
    seats: Sequence[Seat],
    block: int,
    seed: int = 0,
    *,
    start: int = 1,
    think: Think = "always",
    stream: Stream = "test",
) -> Match:
    """The match of these seats, one for each role in their order, in block number `block`.

    Raises `DomainError` for what the game does wrong; a Ctrl-C goes through as KeyboardInterrupt.
    """
    referee = GuardedGame(game)
    initial = start_of(game, block, stream, seed)
    seeds = [seat_seed(seed, game, seats, role, block, stream) for role in range(len(seats))]
    table = _Table(engine, seats, seeds, engine.ready(initial))
    for _ in range(start):
        table.search(range(len(seats)))
    state = referee.copy(initial)
    choices: list[int] = []
    steps = 0
    while not referee.is_final(state):
        legal = [referee.actions_of(state, role) for role in range(len(seats))]
        choosing = [role for role, actions in enumerate(legal) if len(actions) > 1]
        table.search(range(len(seats)) if think == "always" else choosing)
        joint = tuple(player.commit() for player in table.players)
        places = [place_of(action, legal[role], referee, role) for role, action in enumerate(joint)]
        choices += [places[role] for role in choosing]
        state = referee.play_all(state, joint, steps)
        steps += 1
        for player in table.players:
            player.advance(joint)
    goals = referee.rewards(state)
    return Match(goals, tuple(choices), steps, tuple(table.simulations), table.seconds, table.tree_full)


class _Table:
    """The players of one match, and what their searches came to."""

    def __init__(self, engine: ArenaEngine, seats: Sequence[Seat], seeds: Sequence[int], ready: Any) -> None:
        engine.warm_up(ready)
        self.seats = seats
        self.players: list[Player] = [
            engine.player(ready, seat.agent, role, seeds[role], seat.limits) for role, seat in enumerate(seats)
        ]
        self.simulations = [0] * len(seats)
        self.seconds = 0.0
        self.tree_full = False

    def search(self, roles: Sequence[int]) -> None:
        """One search of each of these."""
        for role in roles:
            searched = self.players[role].search(self.seats[role].limits)
            self.simulations[role] += searched.simulations
            self.seconds += searched.seconds
            self.tree_full |= searched.tree_full


def place_of(action: Any, legal: Sequence[Any], game: GuardedGame, role: int) -> int:
    """Of a committed action among those that are legal."""
    for place, one in enumerate(legal):
        if one == action:
            return place
    raise DomainError(
        f"{game.name}.actions_of does not list {shown(action)} for {game.domain.roles[role]} where the match stands, "
        "as it did in the search; it must list the same actions in the same order every time"
    )


def joints_of(game: Domain, initial: Any, choices: Sequence[int]) -> list[tuple[Any, ...]]:
    """The joint moves that the choices of a match stand for. Raises `DomainError` where they are of another game."""
    referee = GuardedGame(game)
    state = referee.copy(initial)
    left = iter(choices)
    joints: list[tuple[Any, ...]] = []
    while not referee.is_final(state):
        legal = [referee.actions_of(state, role) for role in range(len(game.roles))]
        places = [next(left, -1) if len(actions) > 1 else 0 for actions in legal]
        if not all(0 <= place < len(actions) for place, actions in zip(places, legal, strict=True)):
            raise DomainError(
                f"step {len(joints) + 1} of the match that was kept is none of {referee.name} as it is now; the game "
                "has changed"
            )
        joint = tuple(actions[place] for place, actions in zip(places, legal, strict=True))
        state = referee.play_all(state, joint, len(joints))
        joints.append(joint)
    return joints

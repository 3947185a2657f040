"""Who plays a game: what an engine of the arena promises.

Glossary
    game         a domain with several roles
    joint        an action of each role, in the order of roles: what one step plays
    agent        a search algorithm that plays: `step(S, RULE)`, see `agents.py`
    player       an agent in one role of one match; it remembers what it has seen until the match ends
    seat         a role, for who sits there: a match has as many seats as the game has roles
    search       invocations of S from the state at hand until its budget is spent
    simulation   a final state that was reached and valued: an evaluation of the other engines

In a match every player searches at every step, commits an action, and hears what was played.
"""

from dataclasses import dataclass
from typing import Any, Protocol

from mcsgrammar.engines.results import Tuning
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.expressions import Step


@dataclass(frozen=True)
class Searched:
    """One search of a player. Two engines give the same, bit for bit, but for `seconds`."""

    simulations: int
    seconds: float
    """CPU time of the thread, compilation excluded"""
    tree_nodes: int
    """that its tree holds now"""
    tree_full: bool
    """whether max_nodes kept something out"""


class Player(Protocol):
    def search(self, limits: Limits) -> Searched:
        """Search from the state at hand; nothing is done where the game is over. Raises `DomainError` for what the game
        does wrong, and KeyboardInterrupt."""

    def commit(self) -> Any:
        """The action of its role that the agent's rule takes now, drawing among ties. A forced role draws nothing."""

    def advance(self, joint: tuple[Any, ...]) -> None:
        """The joint move that was played: its child becomes the root, and what decays with moves decays."""

    def tunings(self) -> tuple[tuple[Tuning, ...], ...]:
        """For each role what its tuners did, from the outside in."""


class ArenaEngine(Protocol):
    """What makes players of one game."""

    def ready(self, initial: Any) -> Any:
        """The start of a match as this engine takes it: made once, for all its players."""

    def warm_up(self, ready: Any) -> None:
        """Compile what is to be compiled, so that it is not counted as search time."""

    def player(self, ready: Any, agent: Step, role: int, seed: int, limits: Limits) -> Player:
        """A checked agent in a role; `limits` are those of its usual search, for the tuners that plan ahead."""

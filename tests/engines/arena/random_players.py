"""Small games, and a player that draws at random and notes what it is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from domains.protocol import NOOP, Domain
from domains.randomness import Random
from mcsgrammar.engines.arena.players import Searched
from mcsgrammar.engines.results import Tuning
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.expressions import Step


class Rounds(Domain):
    """Two roles take turns and choose 0 or 1, three times in all; x gets the share of ones."""

    roles = ("x", "o")
    horizon = 3
    max_actions = 2

    def sample(self, random: Random) -> list[int]:
        return []

    def mover(self, state: list[int]) -> int:
        return len(state) % 2

    def actions(self, state: list[int]) -> list[int]:
        return [0, 1] if len(state) < 3 else []

    def play(self, state: list[int], action: int) -> None:
        state.append(action)

    def rewards(self, state: list[int]) -> tuple[float, float]:
        return sum(state) / 3, 1 - sum(state) / 3

    def draw(self, initial: list[int], actions: Sequence[Any]) -> str:
        return "board " + "".join(str(joint[place % 2]) for place, joint in enumerate(actions))


class Pennies(Domain):
    """Two roles show a coin at once, twice; the second step only the second role has a choice."""

    roles = ("even", "odd")
    horizon = 2
    max_actions = 2

    def sample(self, random: Random) -> list[tuple[int, int]]:
        return []

    def mover(self, state: list[tuple[int, int]]) -> int | None:
        return None if not state else 1

    def is_final(self, state: list[tuple[int, int]]) -> bool:
        return len(state) == 2

    def actions_of(self, state: list[tuple[int, int]], role: int) -> list[int]:
        if len(state) == 2:
            return []
        return [NOOP] if len(state) == 1 and role == 0 else [0, 1]

    def play_all(self, state: list[tuple[int, int]], joint: Sequence[int]) -> None:
        state.append((joint[0], joint[1]))

    def rewards(self, state: list[tuple[int, int]]) -> tuple[float, float]:
        same = state[0][0] == state[0][1]
        return float(same), float(not same)


class Ring(Domain):
    """Three roles choose 0 or 1 in turn; who chose as nobody else did has 1, or all have a third."""

    roles = ("a", "b", "c")
    horizon = 3
    max_actions = 2

    def sample(self, random: Random) -> list[int]:
        return []

    def mover(self, state: list[int]) -> int:
        return len(state) % 3

    def actions(self, state: list[int]) -> list[int]:
        return [0, 1] if len(state) < 3 else []

    def play(self, state: list[int], action: int) -> None:
        state.append(action)

    def rewards(self, state: list[int]) -> tuple[float, ...]:
        alone = [float(state.count(one) == 1) for one in state]
        return tuple(alone) if any(alone) else (1 / 3,) * 3


class Endless(Rounds):
    """Goes on after its three steps."""

    def actions(self, state: list[int]) -> list[int]:
        return [0, 1]


class Mute(Rounds):
    """o has nothing to play, not even NOOP."""

    def actions_of(self, state: list[int], role: int) -> Sequence[int]:
        return self.actions(state) if role == 0 else []


class Unordered(Rounds):
    """What may be played is a set."""

    def actions_of(self, state: list[int], role: int) -> Any:
        return set(super().actions_of(state, role))


class DrawnByLength(Rounds):
    """A draw after so many steps, whoever has what."""

    horizon = max_length = 7

    def actions(self, state: list[int]) -> list[int]:
        return [0, 1] if len(state) < 7 else []

    def rewards(self, state: list[int]) -> tuple[float, float]:
        return 0.5, 0.5


class OneReward(DrawnByLength):
    def rewards(self, state: list[int]) -> Any:
        return 0.5


class TooFewRewards(DrawnByLength):
    def rewards(self, state: list[int]) -> Any:
        return (0.5,)


@dataclass
class Notes:
    """What players were asked, in order: (what, role)."""

    asked: list[tuple[Any, ...]] = field(default_factory=list)


class RandomPlayer:
    """Draws among its legal actions by its seed, whatever it has searched."""

    def __init__(self, game: Domain, initial: Any, role: int, seed: int, notes: Notes) -> None:
        self.game, self.state, self.role, self.notes = game, game.copy(initial), role, notes
        self.random = Random(seed)

    def search(self, limits: Limits) -> Searched:
        self.notes.asked.append(("search", self.role))
        simulations = 0 if self.game.is_final(self.state) else limits.evaluations or 0
        return Searched(simulations, 0.25, 1, False)

    def commit(self) -> Any:
        self.notes.asked.append(("commit", self.role))
        actions = self.game.actions_of(self.state, self.role)
        return actions[0 if len(actions) == 1 else self.random.below(len(actions))]

    def advance(self, joint: tuple[Any, ...]) -> None:
        self.notes.asked.append(("advance", self.role, joint))
        following = self.game.play_all(self.state, joint)
        self.state = self.state if following is None else following

    def tunings(self) -> tuple[tuple[Tuning, ...], ...]:
        return ()


class RandomArena:
    """An engine of random players."""

    def __init__(self, game: Domain) -> None:
        self.game, self.notes, self.seeds = game, Notes(), list[int]()

    def ready(self, initial: Any) -> Any:
        return initial

    def warm_up(self, ready: Any) -> None:
        return

    def player(self, ready: Any, agent: Step, role: int, seed: int, limits: Limits) -> RandomPlayer:
        self.seeds.append(seed)
        return RandomPlayer(self.game, ready, role, seed, self.notes)

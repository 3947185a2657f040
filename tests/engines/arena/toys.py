"""Games small enough to follow by hand, and games turned round."""

from collections.abc import Callable, Sequence
from typing import Any

from domains.protocol import NOOP, Domain, advance_all
from domains.randomness import Random
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.players import Player
from mcsgrammar.engines.arena.reference import ReferencePlayer
from mcsgrammar.engines.searching import Limits

Joints = tuple[tuple[int, ...], ...]


class Rounds(Domain):
    """So many rounds, in each of which every role has its own number of actions, 0, 1, …; in the end `pay` says what
    that is worth. A state is what was played."""

    def __init__(self, choices: Sequence[Sequence[int]], pay: Callable[[Joints], Sequence[float]]) -> None:
        self.choices, self.pay = choices, pay
        self.roles = tuple("abc"[: len(choices[0])])
        self.horizon = len(choices)

    def sample(self, random: Random | None) -> Joints:
        return ()

    def is_final(self, state: Joints) -> bool:
        return len(state) == len(self.choices)

    def mover(self, state: Joints) -> int | None:
        free = [role for role, n in enumerate(self.choices[len(state)]) if n > 1]
        return free[0] if len(free) == 1 else None

    def actions(self, state: Joints) -> list[int]:
        mover = self.mover(state)
        assert mover is not None
        return self.actions_of(state, mover)

    def actions_of(self, state: Joints, role: int) -> list[int]:
        if self.is_final(state):
            return []
        n = self.choices[len(state)][role]
        return list(range(n)) if n else [NOOP]

    def play_all(self, state: Joints, joint: Sequence[int]) -> Joints:
        return (*state, tuple(joint))

    def copy(self, state: Joints) -> Joints:
        return state

    def rewards(self, state: Joints) -> Sequence[float]:
        return self.pay(state)


class TurnedRound(Domain):
    """The same game, its roles listed the other way round."""

    def __init__(self, game: Domain) -> None:
        self.game = game
        self.roles = tuple(reversed(game.roles))
        self.horizon, self.max_length = game.horizon, game.max_length

    def _other(self, role: int) -> int:
        return len(self.roles) - 1 - role

    def sample(self, random: Random) -> Any:
        return self.game.sample(random)

    def is_final(self, state: Any) -> bool:
        return self.game.is_final(state)

    def copy(self, state: Any) -> Any:
        return self.game.copy(state)

    def mover(self, state: Any) -> int | None:
        mover = self.game.mover(state)
        return None if mover is None else self._other(mover)

    def actions_of(self, state: Any, role: int) -> Sequence[Any]:
        return self.game.actions_of(state, self._other(role))

    def play_all(self, state: Any, joint: Sequence[Any]) -> Any:
        return self.game.play_all(state, joint[::-1])

    def rewards(self, state: Any) -> Sequence[float]:
        return self.game.rewards(state)[::-1]


def reference_player(
    game: Domain, agent: str, role: int = 0, seed: int = 0, budget: int = 100, **limits: Any
) -> ReferencePlayer:
    initial = game.sample(Random(1))
    return ReferencePlayer(game, initial, agent_of(agent, game), role, seed, Limits(budget, **limits))


def match(game: Domain, players: Sequence[Player], budget: int) -> tuple[list[tuple[Any, ...]], Sequence[float]]:
    """What was played, and how it ended."""
    state, joints = game.sample(Random(1)), []
    while not game.is_final(state):
        for player in players:
            player.search(Limits(budget))
        joints.append(tuple(player.commit() for player in players))
        for player in players:
            player.advance(joints[-1])
        state = advance_all(game, state, joints[-1])
    return joints, game.rewards(state)

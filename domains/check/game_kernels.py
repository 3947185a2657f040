"""The check for the kernels of games: what compiled rules say of each role must agree with the Python methods."""

from collections.abc import Callable
from typing import Any

import numpy as np

from domains.check.games import GameLook
from domains.check.handed_over import kernels_of
from domains.check.kernels import (
    Compiled,
    SpareArray,
    check_max_actions,
    check_walk_with,
    tell_crashes,
)
from domains.check.probing import Broken, Look, Place, Probe
from domains.kernels import GameKernels
from domains.protocol import NOOP, Domain
from domains.randomness import Random, seed_of


def check_game_kernels(probe: Probe, ends: list[Place]) -> None:
    """All along the walks to `ends`."""
    kernels = kernels_of(probe)
    if kernels is None:
        return
    check_max_actions(probe)
    compiled = CompiledGame(probe, kernels)
    for end in ends:
        check_walk_with(compiled, end, ())


class CompiledGame(Compiled):
    play_method = "play_all"

    def __init__(self, probe: Probe, kernels: GameKernels) -> None:
        super().__init__(probe, kernels)
        self.roles = tuple(probe.domain.roles)
        self.arrays["numbers"] = SpareArray(len(self.roles), np.float64)
        self.numbers = self.arrays["numbers"].array

    def python_look(self, place: Place, state: Any) -> Look:
        look = super().python_look(place, state)
        for _, who, actions in look.lists():
            for action in actions:
                if not NOOP <= action < self.kernels.codes:
                    raise Broken(
                        "codes",
                        f"{place}: the action {action}{who} is not one of 0 to {self.kernels.codes - 1} or NOOP; "
                        "GameKernels(…, codes=…) is one more than the largest",
                    )
        return look

    def look(self, place: Place, state: np.ndarray, problem: np.ndarray, like: Look) -> GameLook:
        """What the kernels say; of a state that is not final they are asked about those who have a choice."""
        final = bool(self.call(place, "is_final", state, problem))
        mover = None if final else int(self.call(place, "mover", state, problem))
        actions = [
            self.actions_of(place, state, problem, role) if mover in (None, -1, role) else [NOOP]
            for role in range(len(self.roles))
        ]
        rewards = None if like.reward is None else self.rewards(place, state, problem)
        return GameLook(final, actions, rewards, None if mover == -1 else mover, self.roles)

    def actions_of(self, place: Place, state: np.ndarray, problem: np.ndarray, role: int) -> list[int]:
        count = int(self.call(place, "actions", state, problem, role, self.out))
        if not 0 <= count <= self.probe.domain.max_actions:
            raise Broken(
                "max-actions",
                f"{place}: kernels.actions returned {count} for {self.roles[role]}, and max_actions is "
                f"{self.probe.domain.max_actions}",
            )
        listed: list[int] = self.out[:count].tolist()
        return listed

    def rewards(self, place: Place, state: np.ndarray, problem: np.ndarray) -> tuple[float, ...]:
        self.numbers[:] = np.nan
        self.call(place, "rewards", state, problem, self.numbers)
        return tuple(self.numbers.tolist())

    def play(self, place: Place, state: np.ndarray, problem: np.ndarray, action: Any) -> int:
        self.call(place, "play", state, problem, np.array(action, np.int32))
        return self.probe.chance(place).state  # which nobody draws from


def compiled_rules(game: Domain, initial: Any) -> tuple[Any, Callable[..., list[int]], Callable[..., Any]]:
    """An encoded state, what a role can do in such a one, and what follows it."""
    kernels = game.game_kernels()
    assert kernels is not None
    problem, first = game.encode(initial)
    out = np.zeros(game.max_actions, np.int32)

    def actions_of(state: np.ndarray, role: int) -> list[int]:
        if kernels.is_final(state, problem):
            return []
        if kernels.mover(state, problem) not in (-1, role):
            return [NOOP]
        n = kernels.actions(state, problem, role, out)
        listed: list[int] = out[:n].tolist()
        return listed

    def played(state: np.ndarray, joint: tuple[int, ...]) -> np.ndarray:
        following = state.copy()
        kernels.play(following, problem, np.array(joint, np.int32))
        return following

    return first, actions_of, played


def walk_game_alone(probe: Probe, tell: Callable[[Any], None]) -> None:
    """Play with the kernels alone, and tell of what the compiled engine does not survive."""
    kernels = probe.domain.game_kernels()
    random = Random(seed_of("vet"))
    if kernels is None or probe.domain.max_actions < 1:
        return
    compiled = CompiledGame(probe, kernels)
    tell_crashes(tell, lambda place: _walk_alone(compiled, place, random))


def _walk_alone(compiled: CompiledGame, place: Place, random: Random) -> None:
    problem, state = compiled.encode(place, compiled.probe.initial(place.problem))
    nothing = GameLook(False, [], None, None, ())
    while place.length < compiled.probe.domain.length_bound:
        look = compiled.look(place, state, problem, nothing)
        if look.final or not compiled.probe.can_play(look.actions):
            break
        joint = compiled.probe.choose(look.actions, random)
        compiled.play(place, state, problem, joint)
        place = place.after(joint)
    compiled.rewards(place, state, problem)

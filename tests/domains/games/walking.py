"""Random matches, positions and counts for the tests of games."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod
from typing import Any

import numpy as np

from domains.kernels import GameKernels
from domains.protocol import NOOP, Domain, advance_all
from domains.randomness import Random
from domains.registry import find_domain

Joint = tuple[int, ...]


@dataclass(frozen=True)
class Look:
    """All that a game says of a state."""

    final: bool
    mover: int | None
    actions: tuple[tuple[int, ...], ...]
    """for each role"""
    rewards: tuple[float, ...] | None
    words: tuple[int, ...]
    """the encoded state"""


@cache
def game_and_kernels(name: str) -> tuple[Domain, GameKernels]:
    game = find_domain(name)
    kernels = game.game_kernels()
    assert kernels is not None
    return game, kernels


def start(game: Domain) -> Any:
    return game.sample(Random(0))


def look(game: Domain, state: Any) -> Look:
    final = game.is_final(state)
    return Look(
        final,
        None if final else game.mover(state),
        tuple(tuple(game.actions_of(state, role)) for role in range(len(game.roles))),
        tuple(game.rewards(state)) if final else None,
        tuple(game.encode(state)[1].tolist()),
    )


def look_compiled(name: str, state: np.ndarray) -> Look:
    """The same of an encoded state, by the kernels."""
    game, kernels = game_and_kernels(name)
    problem, out = np.zeros(1, np.uint64), np.zeros(game.max_actions, np.int32)
    rewards = np.full(len(game.roles), np.nan)
    final = kernels.is_final(state, problem)
    mover = None if final else int(kernels.mover(state, problem))
    actions = []
    for role in range(len(game.roles)):
        if mover is not None and mover >= 0 and role != mover:
            actions.append((NOOP,))
        else:
            n = kernels.actions(state, problem, role, out)
            actions.append(tuple(out[:n].tolist()))
    if final:
        kernels.rewards(state, problem, rewards)
    return Look(
        bool(final),
        None if mover == -1 else mover,
        tuple(actions),
        tuple(rewards.tolist()) if final else None,
        tuple(state.tolist()),
    )


def play_compiled(name: str, state: np.ndarray, joint: Joint) -> None:
    game_and_kernels(name)[1].play(state, np.zeros(1, np.uint64), np.array(joint, np.int32))


def random_joint(game: Domain, state: Any, random: Random) -> Joint:
    lists = [game.actions_of(state, role) for role in range(len(game.roles))]
    return tuple(actions[random.below(len(actions))] for actions in lists)


def random_match(game: Domain, seed: int) -> list[Joint]:
    random, state = Random(seed), start(game)
    joints: list[Joint] = []
    while not game.is_final(state):
        joints.append(random_joint(game, state, random))
        state = advance_all(game, state, joints[-1])
    return joints


def joints_of(actions: tuple[tuple[int, ...], ...]) -> Iterator[Joint]:
    return product(*actions)


def perft(game: Domain, state: Any, depth: int) -> int:
    """How many sequences of so many joint moves there are, that pass no final state."""
    actions = look(game, state).actions
    if depth == 1:
        return prod(map(len, actions))
    return sum(perft(game, advance_all(game, game.copy(state), joint), depth - 1) for joint in joints_of(actions))


def perft_compiled(name: str, state: np.ndarray, depth: int) -> int:
    actions = look_compiled(name, state).actions
    if depth == 1:
        return prod(map(len, actions))
    total = 0
    for joint in joints_of(actions):
        following = state.copy()
        play_compiled(name, following, joint)
        total += perft_compiled(name, following, depth - 1)
    return total

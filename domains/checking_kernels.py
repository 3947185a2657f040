"""The check of `domains/checking.py` for kernels: compiled rules must agree with the Python methods in everything."""

import struct
from typing import Any

import numpy as np

from domains.kernels import Kernels
from domains.probing import Broken, Look, Place, Probe
from domains.randomness import Random
from domains.saying import shown

SPARE = 64
"""Room after max_actions, so that a kernel that writes a little too much does it where it can be seen."""
INT32 = range(-(2**31), 2**31)
PLAYOUTS = 3
MOST_SEEDS = 10_000


def check_kernels(probe: Probe, ends: list[Place], random: Random) -> None:
    """All along the walks to `ends`, and in random playouts from there and on the way."""
    kernels = probe.ask(probe.name, "kernels")
    if kernels is None:
        return
    if probe.domain.max_actions < 1:
        raise Broken(
            "max-actions",
            f"{probe.name} has kernels but no max_actions; set it to the most actions that a state can have",
        )
    # Draws wrap around, of which NumPy warns where Numba is switched off.
    with np.errstate(over="ignore"):
        for end in ends:
            _check_walk(Compiled(probe, kernels), end)
            for _ in range(PLAYOUTS):
                start = end.before(random.below(end.length + 1))
                for limit in (probe.domain.length_bound, (start.length + end.length) // 2):
                    _check_playout(Compiled(probe, kernels), start, limit, random.below(MOST_SEEDS))


class Compiled:
    """The kernels of a domain behind the same guard as its methods."""

    def __init__(self, probe: Probe, kernels: Kernels) -> None:
        self.probe = probe
        self.kernels = kernels
        self.out = np.zeros(probe.domain.max_actions + SPARE, np.int32)

    def encode(self, place: Place, state: Any) -> tuple[np.ndarray, np.ndarray]:
        given = self.probe.ask(place, "encode", state)
        if not isinstance(given, tuple) or len(given) != 2 or not all(map(_is_flat, given)):
            raise Broken(
                "encode",
                f"{place}: encode returned {shown(given)}; return (problem, state), two 1-D contiguous NumPy arrays",
            )
        problem, encoded = given
        problem.setflags(write=False)
        return problem, encoded

    def look(self, place: Place, state: np.ndarray, problem: np.ndarray, like: Look) -> Look:
        """What the kernels say; the reward only where the Python state has one."""
        final = bool(self.probe.guard(place, "kernels.is_final", self.kernels.is_final, state, problem))
        count = int(self.probe.guard(place, "kernels.actions", self.kernels.actions, state, problem, self.out))
        if not 0 <= count <= self.probe.domain.max_actions:
            raise Broken(
                "max-actions",
                f"{place}: kernels.actions returned {count}, and max_actions is {self.probe.domain.max_actions}",
            )
        reward = None
        if like.reward is not None:
            reward = float(self.probe.guard(place, "kernels.reward", self.kernels.reward, state, problem))
        return Look(final, self.out[:count].tolist(), reward)

    def play(self, place: Place, state: np.ndarray, problem: np.ndarray, action: int) -> None:
        self.probe.guard(place, "kernels.play", self.kernels.play, state, problem, np.int32(action))


def _is_flat(array: Any) -> bool:
    return isinstance(array, np.ndarray) and array.ndim == 1 and array.flags.c_contiguous


def _python_look(probe: Probe, place: Place, state: Any) -> Look:
    look = probe.look(place, state)
    if len(look.actions) > probe.domain.max_actions:
        raise Broken(
            "max-actions",
            f"{place}: there are {len(look.actions)} actions, more than max_actions, {probe.domain.max_actions}; "
            "raise it to the most that a state can have",
        )
    for action in look.actions:
        if not isinstance(action, (int, np.integer)) or action not in INT32:
            raise Broken(
                "action-not-int32",
                f"{place}: the action {shown(action)} is no whole number of 32 bits, as the kernels need",
            )
    return look


def _check_walk(compiled: Compiled, end: Place) -> None:
    """State by state along one walk."""
    probe = compiled.probe
    state = probe.initial(end.problem)
    problem, encoded = compiled.encode(end.before(0), state)
    for place, action in [*end.steps(), (end, None)]:
        look = _python_look(probe, place, state)
        method = _disagreement(look, compiled.look(place, encoded, problem, look))
        if method:
            problem, fresh = compiled.encode(place, state)
            if place.length and not _disagreement(look, compiled.look(place, fresh, problem, look)):
                raise Broken(
                    "kernel-play",
                    f"{place}: after kernels.play of the last action, {method} is not what it is after play",
                )
            raise _differs(method, place, look, compiled.look(place, fresh, problem, look))
        if action is not None:
            state = probe.play(place, state, action)
            compiled.play(place, encoded, problem, action)


def _differs(method: str, place: Place, python: Look, kernel: Look) -> Broken:
    said = dict(zip(("is_final", "actions", "reward"), zip(python, kernel, strict=True), strict=True))[method]
    return Broken(
        f"kernel-{method.removeprefix('is_')}",
        f"{place}: kernels.{method} gives {shown(said[1])}, and {method} gives {shown(said[0])}; "
        "they must agree bit for bit, the order of actions included",
    )


def _disagreement(python: Look, kernel: Look) -> str:
    """The first method that answers differently; empty if none does."""
    if python.final != kernel.final:
        return "is_final"
    if python.actions != kernel.actions:
        return "actions"
    return "" if _bits(python.reward) == _bits(kernel.reward) else "reward"


def _bits(reward: float | None) -> bytes:
    return b"" if reward is None else struct.pack("<d", reward)


def _check_playout(compiled: Compiled, start: Place, limit: int, seed: int) -> None:
    """The fused playout against the loop over the Python methods, draw for draw."""
    if compiled.kernels.playout is None:
        return
    probe, done = compiled.probe, start.length
    state = probe.at(start)
    problem, encoded = compiled.encode(start, state)
    random, place = Random(seed), start
    while place.length < limit and not probe.is_final(place, state):
        actions = probe.actions(place, state)
        action = actions[random.below(len(actions))]
        state = probe.play(place, state, action)
        place = place.after(action)
    words = np.array([seed], np.uint64)
    sequence = np.zeros(probe.domain.length_bound + SPARE, np.int32)
    sequence[:done] = start.actions
    length = probe.guard(
        start, "kernels.playout", compiled.kernels.playout, encoded, problem, words, sequence, done, limit
    )
    played, expected = sequence[: int(length)].tolist(), list(place.actions)
    if played != expected:
        raise Broken(
            "kernel-playout",
            f"{start}: kernels.playout with the seed {seed} and the limit {limit} plays {shown(played[done:])}, and "
            f"actions and play with the same draws give {shown(expected[done:])}; one draw an action, and no other",
        )
    if int(words[0]) != random.state:
        raise Broken(
            "kernel-playout",
            f"{start}: kernels.playout does not draw once for every action, forced ones included, and never else",
        )
    look = probe.look(place, state)
    method = _disagreement(look, compiled.look(place, encoded, problem, look))
    if method:
        raise Broken("kernel-playout", f"{place}: kernels.playout leaves a state whose {method} is another one")

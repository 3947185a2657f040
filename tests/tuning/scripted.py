"""A generator whose draws are written down in the test, and spaces to choose from."""

from collections.abc import Mapping, Sequence
from typing import Any

from domains.randomness import Random
from mcsgrammar.language.expressions import Component, Tune
from mcsgrammar.language.parsing import parse
from mcsgrammar.language.tuners import Tuner
from mcsgrammar.tuning.making import make
from mcsgrammar.tuning.protocol import OnlineTuner
from mcsgrammar.tuning.space import Combination, Parameter, Space, space_of

Draw = tuple[int, int] | float


class Scripted(Random):
    """Draws what it is told to: `(value, n)` for below(n) = value, a float for uniform01. Any other draw fails."""

    def __new__(cls, *draws: Draw) -> "Scripted":
        return super().__new__(cls, 0)  # type: ignore[return-value]

    def __init__(self, *draws: Draw) -> None:
        self.state = 0
        self.left: list[Draw] = list(draws)

    def expect(self, *draws: Draw) -> None:
        """What comes next, once all earlier draws were made."""
        assert self.left == [], f"not drawn: {self.left}"
        self.left = list(draws)

    def below(self, n: int) -> int:
        assert self.left, f"below({n}) was not expected"
        draw = self.left.pop(0)
        assert isinstance(draw, tuple) and draw[1] == n, f"below({n}) where {draw} was expected"
        return draw[0]

    def uniform01(self) -> float:
        assert self.left, "uniform01() was not expected"
        draw = self.left.pop(0)
        assert isinstance(draw, float), f"uniform01() where {draw} was expected"
        return draw

    def next(self) -> int:
        raise AssertionError("a draw of another kind")


def in_place(n: int) -> list[tuple[int, int]]:
    """The draws of a shuffle of n things that leaves them as they are."""
    return [(i, i + 1) for i in range(n - 1, 0, -1)]


def space(*sizes: int) -> Space:
    """Parameters a, b, c, … whose values are the numbers of the values."""
    return Space([Parameter(0, "abcdefgh"[i], "toy", values=tuple(range(size))) for i, size in enumerate(sizes)])


def space_in(expression: str) -> Space:
    """What the outermost tune of an expression chooses from."""
    parsed = parse(expression)
    return space_of(parsed, first_tune(parsed))


def first_tune(expression: Component) -> Tune:
    return next(part for part in expression.walk() if isinstance(part, Tune))


K_AND_REF = "tune(select(sim, grave(ref={0, 50, 100}, k={0, 10})), random)"
"""k comes first: its value 0 is k = 0, where ref can only be its value 0. Legal: (0, 0), (1, 0), (1, 1), (1, 2)."""


def made(settings: Tuner, over: Space, random: Random) -> OnlineTuner:
    tuner = make(settings, over, random)
    assert isinstance(tuner, OnlineTuner)
    return tuner


def asked_and_told(
    tuner: OnlineTuner, random: Scripted, table: Sequence[tuple[Sequence[Draw], Any, float, Sequence[Draw]]]
) -> None:
    """Each row of the table: the draws of choose, what it chooses, the reward, the draws of update."""
    for number, (to_choose, chosen, reward, to_update) in enumerate(table, 1):
        random.expect(*to_choose)
        assert tuner.choose() == chosen, f"choice {number}"
        random.expect(*to_update)
        tuner.update(chosen, reward)
    random.expect()


def choices_of(tuner: OnlineTuner, rewards: Mapping[Any, float], n: int, random: Random | None) -> list[Combination]:
    """n choices, each rewarded by the table: with its probability where there is a generator, else by the number."""
    choices = []
    for _ in range(n):
        combination = tuner.choose()
        choices.append(combination)
        mean = rewards[combination]
        tuner.update(combination, mean if random is None else float(random.uniform01() < mean))
    return choices

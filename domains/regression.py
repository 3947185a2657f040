"""Symbolic regression: find the formula behind a few points.

Glossary
    symbol      one step of a formula in reverse Polish notation: x, 1, + - * /, sin cos log exp, or 'stop'
    sequence    the symbols so far; `x 1 + log` stands for log(x + 1)
    depth       how many values the sequence leaves on the stack
    remaining   how many more symbols may follow, at most; 0 in a final state
    length      T, the most symbols a sequence may have
    target      the points to be met, and the formula they come from
    mae         the mean absolute error of a sequence over the points of the target; the reward is 1 - mae

A symbol is legal when the sequence can still be completed to one value within T symbols, and 'stop' when exactly one
value is on the stack. A state is final after 'stop' or T symbols. Predictions that are not finite count as 0.

The targets are those of tables VI and VII of Maes, St-Pierre and Ernst, "Monte Carlo Search Algorithm Discovery for
One Player Games", 2013; or the points of a CSV file.
"""

import operator
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import copysign, isfinite, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domains.errors import UnknownDomain
from domains.portable_math import INF, cos, exp, log, sin
from domains.protocol import Domain
from domains.randomness import Random
from domains.text_files import lines_of

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import Kernels

X, ONE, PLUS, MINUS, TIMES, DIVIDED_BY, SIN, COS, LOG, EXP, STOP = range(11)
NAMES = ("x", "1", "+", "-", "*", "/", "sin", "cos", "log", "exp", "stop")
OPERANDS = range(X, ONE + 1)
OPERATORS = range(PLUS, DIVIDED_BY + 1)
FUNCTIONS = range(SIN, EXP + 1)

SAMPLES = 20
LONGEST = 511
"""The compiled evaluation keeps half as many values on a stack of fixed size."""
LARGEST_MISS = 1e308
"""What one point can miss by, at most, so that the mean of the misses stays finite."""
LANES = 8
"""The misses are summed in eight lanes, point i in lane i modulo 8, as vector units do."""


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Target:
    """The points to be met."""

    name: str
    xs: tuple[float, ...]
    ys: tuple[float, ...]


@dataclass(slots=True)
class State:
    """A state: the symbols so far ('stop' is not kept) and what may follow."""

    target: Target
    remaining: int
    depth: int
    symbols: list[int]


def sampled(name: str, function: Callable[[float], float], low: float, high: float) -> Target:
    """The target of a formula, at points evenly spaced from `low` to `high`, both included."""
    xs = tuple(low + (high - low) * i / (SAMPLES - 1) for i in range(SAMPLES))
    return Target(name, xs, tuple(function(x) for x in xs))


# The formulas are written as a short sequence computes them, rounding for rounding, so that it can reach a mae of 0.
TABLE_VI = (
    sampled("x^3 + x^2 + x", lambda x: x * (x * (x + 1.0) + 1.0), -1.0, 1.0),
    sampled("x^4 + x^3 + x^2 + x", lambda x: x * (x * (x * (x + 1.0) + 1.0) + 1.0), -1.0, 1.0),
    sampled("x^5 + x^4 + x^3 + x^2 + x", lambda x: x * (x * (x * (x * (x + 1.0) + 1.0) + 1.0) + 1.0), -1.0, 1.0),
    sampled(
        "x^6 + x^5 + x^4 + x^3 + x^2 + x",
        lambda x: x * (x * (x * (x * (x * (x + 1.0) + 1.0) + 1.0) + 1.0) + 1.0),
        -1.0,
        1.0,
    ),
    sampled("sin(x^2) * cos(x) - 1", lambda x: sin(x * x) * cos(x) - 1.0, -1.0, 1.0),
    sampled("sin(x) + sin(x + x^2)", lambda x: sin(x) + sin(x + x * x), -1.0, 1.0),
    sampled("log(x + 1) + log(x^2 + 1)", lambda x: log(x + 1.0) + log(x * x + 1.0), 0.0, 2.0),
    sampled("sqrt(x)", sqrt, 0.0, 4.0),
)
TABLE_VII = (
    sampled("x^3 - x^2 - x", lambda x: x * (x * (x - 1.0) - 1.0), -1.0, 1.0),
    sampled("x^4 - x^3 - x^2 - x", lambda x: x * (x * (x * (x - 1.0) - 1.0) - 1.0), -1.0, 1.0),
    sampled("x^4 + sin(x)", lambda x: x * x * x * x + sin(x), -1.0, 1.0),
    sampled("cos(x^3) + sin(x + 1)", lambda x: cos(x * x * x) + sin(x + 1.0), -1.0, 1.0),
    sampled("sqrt(x) + x^2", lambda x: sqrt(x) + x * x, 0.0, 4.0),
    sampled("x^6 + 1", lambda x: (x * x * x) * (x * x * x) + 1.0, -1.0, 1.0),
    sampled("sin(x^3 + x^2)", lambda x: sin(x * x * (x + 1.0)), -1.0, 1.0),
    sampled("log(x^3 + 1) + x", lambda x: log(x * x * x + 1.0) + x, 0.0, 2.0),
)
SETS = {"train": TABLE_VI, "robustness": TABLE_VII}


class Regression(Domain):
    """Symbolic regression with sequences of at most `length` symbols, on a `set` of targets or the points of a file."""

    unit = "mae"
    reward_range = (-INF, 1.0)
    max_actions = len(NAMES)

    def __init__(self, length: int = 11, set: str = "train", data: Path | None = None) -> None:
        if not 1 <= length <= LONGEST:
            raise UnknownDomain(f"regression: length is {length}; it must be from 1 to {LONGEST}")
        if set not in SETS:
            raise UnknownDomain(f"regression: there is no set {set!r}; there are {' and '.join(SETS)}")
        self.length, self.set = length, set
        self.horizon = self.max_length = length
        self.targets: tuple[Target, ...] = SETS[set]
        self.data_digest: str | None = None
        if data is not None:
            if set != "train":
                raise UnknownDomain("regression: with data there is no other set; leave set out")
            data = Path(data)
            points = read_points(data)
            self.data_digest = digest(points)
            xs, ys = zip(*points, strict=True)
            self.targets = (Target(data.name, xs, ys),)

    def identity(self) -> dict[str, Any]:
        if self.data_digest is not None:
            return {"length": self.length, "data": self.data_digest}
        return {"length": self.length, "set": self.set}

    def sample(self, random: Random) -> State:
        target = self.targets[random.below(len(self.targets))]
        return State(target, self.horizon, 0, [])

    def actions(self, state: State) -> list[int]:
        legal: list[int] = []
        if state.remaining == 0:
            return legal
        # All but one of the values must still be taken off the stack, by one operator each.
        room = state.remaining - state.depth
        if room > 0:
            legal += OPERANDS
        if state.depth >= 2:
            legal += OPERATORS
        if state.depth >= 1 and room >= 0:
            legal += FUNCTIONS
        if state.depth == 1:
            legal.append(STOP)
        return legal

    def play(self, state: State, action: int) -> None:
        if action == STOP:
            state.remaining = 0
            return
        state.symbols.append(action)
        state.remaining -= 1
        if action in OPERANDS:
            state.depth += 1
        elif action in OPERATORS:
            state.depth -= 1

    def code(self, state: State, action: int) -> int:
        """The symbol and its place: the same symbol is something else elsewhere."""
        return len(state.symbols) << 4 | action

    def copy(self, state: State) -> State:
        return State(state.target, state.remaining, state.depth, state.symbols.copy())

    def is_final(self, state: State) -> bool:
        return state.remaining == 0

    def score(self, state: State) -> float:
        return mean_absolute_error(state.symbols, state.target)

    def reward(self, state: State) -> float:
        return 1.0 - self.score(state)

    def score_of_reward(self, reward: float) -> float:
        return 1.0 - reward

    def action_name(self, state: State, action: int) -> str:
        return NAMES[action]

    def draw(self, initial: State, actions: Sequence[int]) -> str:
        from domains.regression_drawing import text

        return text(initial.target, [action for action in (*initial.symbols, *actions) if action != STOP])

    def svg(self, initial: State, actions: Sequence[int]) -> str:
        from domains.regression_drawing import picture

        return picture(initial.target, [action for action in (*initial.symbols, *actions) if action != STOP])

    def kernels(self) -> "Kernels":
        from domains.regression_kernels import KERNELS

        return KERNELS

    def encode(self, state: State) -> "tuple[np.ndarray, np.ndarray]":
        from domains.regression_kernels import problem_array, state_array

        return (
            problem_array(state.target, self.horizon),
            state_array(state.remaining, state.depth, state.symbols, self.horizon),
        )


def mean_absolute_error(symbols: Sequence[int], target: Target) -> float:
    """How far a complete sequence is from the target, on average over the points."""
    weight = 1.0 / len(target.xs)
    lanes = [0.0] * LANES
    for i, (x, y) in enumerate(zip(target.xs, target.ys, strict=True)):
        lanes[i % LANES] += min(abs(prediction(symbols, x) - y), LARGEST_MISS) * weight
    return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))


def prediction(symbols: Sequence[int], x: float) -> float:
    """The value of a complete sequence at x; 0 where it is not finite."""
    value = evaluate(symbols, x)
    return value if abs(value) < INF else 0.0


def evaluate(symbols: Sequence[int], x: float) -> float:
    """The value of a complete sequence at x, which may be infinite or nan."""
    stack: list[float] = []
    for symbol in symbols:
        if symbol == X:
            stack.append(x)
        elif symbol == ONE:
            stack.append(1.0)
        elif symbol in FUNCTIONS:
            stack.append(FUNCTION_OF[symbol](stack.pop()))
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(OPERATION_OF[symbol](left, right))
    (value,) = stack
    return value


def divide(a: float, b: float) -> float:
    """a / b as IEEE 754 has it, where Python raises for b = 0."""
    if b == 0.0:
        # 1 / b is inf with the sign of b; a product with it is what a / b should be, nan for 0 / 0 included.
        return a * copysign(INF, b)
    return a / b


def read_points(path: Path) -> list[tuple[float, float]]:
    """The points of a CSV file with two columns, x and y; a first line without numbers is its header."""
    lines = lines_of(path, "regression")
    points: list[tuple[float, float]] = []
    header_may_come = True
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        cells = [number_in(cell) for cell in line.split(",")]
        if header_may_come and set(cells) == {None}:
            header_may_come = False
            continue
        header_may_come = False
        match cells:
            case [float(x), float(y)] if isfinite(x) and isfinite(y):
                points.append((x, y))
            case _:
                raise UnknownDomain(
                    f"regression: {path}, line {number}: expected two finite numbers 'x,y', found {line!r}"
                )
    if not points:
        raise UnknownDomain(f"regression: {path} has no points; write one 'x,y' a line")
    return points


def number_in(cell: str) -> float | None:
    """The number written in a cell, if it is one."""
    try:
        return float(cell)
    except ValueError:
        return None


def digest(points: list[tuple[float, float]]) -> str:
    """What a data set is known by: 16 hexadecimal digits."""
    numbers = [number for point in points for number in point]
    return blake2b(struct.pack(f"<{len(numbers)}d", *numbers)).hexdigest()[:16]


FUNCTION_OF = {SIN: sin, COS: cos, LOG: log, EXP: exp}
OPERATION_OF = {PLUS: operator.add, MINUS: operator.sub, TIMES: operator.mul, DIVIDED_BY: divide}

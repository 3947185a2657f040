"""The candidates once more, the slow and obvious way: list every expression, cross out what the rules say, sort.

It shares no code with the package. An expression is a tuple: ("sim", policy), ("lookahead", None, sub),
("step", None, sub), ("repeat", N, sub), ("select", C, sub) or ("adapt", N, sub), with constants as the position in
their list, except N.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

Expression = tuple[Any, ...]
ROOTS = ("sim", "repeat", "lookahead", "step", "select", "adapt")


@dataclass
class NaiveCandidates:
    """All expressions up to `depth`; `texts` are the candidates in order, `pruned` says how many each rule removed."""

    depth: int
    repeat: Sequence[int]
    select: Sequence[str]
    sim: Sequence[str] = ("random",)
    adapt: Sequence[int] = ()
    unpruned: int = 0
    pruned: dict[str, int] = field(default_factory=dict)
    depth_of: dict[Expression, int] = field(default_factory=dict)
    """of each candidate, counted before nested repeats collapse; the smallest, where there are several"""

    def __post_init__(self) -> None:
        self.pruned = {"repeat-at-root": 0, "select-in-select": 0, "repeat-in-repeat": 0}
        for depth in range(1, self.depth + 1):
            for expression in self.expressions(depth):
                self.unpruned += 1
                self.judge(expression, depth)

    def expressions(self, depth: int) -> Iterator[Expression]:
        """Every expression of exactly this depth that the grammar can write with these constants."""
        if depth == 1:
            yield from (("sim", policy) for policy in range(len(self.sim)))
            return
        for sub in self.expressions(depth - 1):
            yield from (("repeat", n, sub) for n in self.repeat)
            yield "lookahead", None, sub
            yield "step", None, sub
            yield from (("select", policy, sub) for policy in range(len(self.select)) if self.suits(policy, sub))
            if self.playouts_in(sub).startswith(("random", "guided")):  # who teaches itself is not taught by adapt
                yield from (("adapt", n, sub) for n in self.adapt)

    def playouts_in(self, expression: Expression) -> str:
        return self.sim[expression[1]] if expression[0] == "sim" else self.playouts_in(expression[2])

    def suits(self, selection: int, sub: Expression) -> bool:
        """puct wants to know how probable an action is, which the greedy playouts cannot say."""
        says = self.playouts_in(sub).startswith(("random", "guided", "mast(tau="))
        return says or not self.select[selection].startswith("puct")

    def judge(self, expression: Expression, depth: int) -> None:
        names = list(component_names(expression))
        if names[0] == "repeat":
            self.pruned["repeat-at-root"] += 1
        elif ("select", "select") in pairwise(names) and "depth=" not in self.playouts_in(expression):
            self.pruned["select-in-select"] += 1
        elif (collapsed := collapse(expression)) in self.depth_of:
            self.pruned["repeat-in-repeat"] += 1
        else:
            self.depth_of[collapsed] = depth

    @property
    def texts(self) -> list[str]:
        """By depth, then root component, then constant, then sub-expression."""
        return [self.text(e) for e in sorted(self.depth_of, key=lambda e: (self.depth_of[e], *inner_order(e)))]

    def by_depth(self) -> list[int]:
        return [list(self.depth_of.values()).count(depth) for depth in range(1, self.depth + 1)]

    def text(self, expression: Expression) -> str:
        match expression:
            case ("sim", policy):
                return "sim" if self.sim[policy] == "random" else f"sim({self.sim[policy]})"
            case ("repeat", n, sub):
                return f"repeat({self.text(sub)}, {n})"
            case ("select", policy, sub):
                return f"select({self.text(sub)}, {self.select[policy]})"
            case ("adapt", n, sub):
                return f"adapt({self.text(sub)}, {n})"
            case (name, None, sub):
                return f"{name}({self.text(sub)})"
            case _:
                raise NotImplementedError(expression)


def component_names(expression: Expression) -> Iterator[str]:
    yield expression[0]
    if len(expression) == 3:
        yield from component_names(expression[2])


def collapse(expression: Expression) -> Expression:
    if len(expression) == 2:
        return expression
    name, constant, sub = expression
    sub = collapse(sub)
    if name == sub[0] == "repeat":
        return ("repeat", constant * sub[1], sub[2])
    return (name, constant, sub)


def inner_order(expression: Expression) -> tuple[Any, ...]:
    """Root component, constant, sub-expression. Sub-expressions of the same root and constant have the same depth."""
    root = ROOTS.index(expression[0])
    constant = 0 if expression[1] is None else expression[1]
    return (root, constant, *(inner_order(expression[2]) if len(expression) == 3 else ()))


def cost(expression: Expression) -> int:
    """The evaluations that every invocation takes, if that is always the same number; else 0."""
    match expression:
        case ("sim", _):
            return 1
        case ("repeat" | "adapt", n, sub):
            return int(n) * cost(sub)
        case ("select", _, sub):
            return int(cost(sub) == 1)
        case _:
            return 0


def is_spent_inside(expression: Expression, budget: int) -> bool:
    """Whether some component but lookahead never sees its sub-component return before the budget is spent."""
    if expression[0] == "sim":
        return False
    name, _, sub = expression
    return (name != "lookahead" and cost(sub) >= budget) or is_spent_inside(sub, budget)

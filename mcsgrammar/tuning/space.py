"""What a tuner chooses from: the parameters that a `tune` binds, their values, and which combinations are legal."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from domains.randomness import Random
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Component, Select, Tune
from mcsgrammar.language.parameters import Choice, Interval, Number
from mcsgrammar.language.policies import Grave

Combination = tuple[int, ...]

LARGEST_SPACE = 2**62
"""Combinations are numbered with 64 bits."""


@dataclass(frozen=True)
class Parameter:
    """An open parameter, and where its value goes."""

    part: int
    """the number of its component, counted from the outside in"""
    name: str
    owner: str
    values: tuple[Number | str, ...] = ()
    interval: Interval | None = None
    master: int | None = None
    """the parameter of the same space that can make this one meaningless …"""
    off: int | None = None
    """… by taking its value of this number"""

    def __str__(self) -> str:
        return f"{self.name} of {self.owner}"


class Space:
    """The parameters of one `tune`."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self.parameters = tuple(parameters)
        self.sizes = tuple(len(p.values) for p in self.parameters)
        if math.prod(self.sizes) > LARGEST_SPACE:
            raise InvalidExpression("tune chooses among more than 2^62 combinations; list fewer values")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(str(parameter) for parameter in self.parameters)

    def feasible(self, chosen: Sequence[int | None], number: int) -> list[int]:
        """The values that parameter `number` can take beside those already chosen (None: not yet)."""
        parameter = self.parameters[number]
        values = list(range(self.sizes[number]))
        if parameter.master is not None and chosen[parameter.master] == parameter.off:
            return [0]
        for other, dependent in enumerate(self.parameters):
            if dependent.master == number and chosen[other] not in (None, 0):
                values = [value for value in values if value != dependent.off]
        return values

    def is_legal(self, combination: Combination) -> bool:
        return all(
            p.master is None or combination[p.master] != p.off or value == 0
            for p, value in zip(self.parameters, combination, strict=True)
        )

    def draw(self, random: Random, fixed: tuple[int, int] | None = None) -> Combination:
        """A legal combination, all alike; `fixed` = (parameter, value) holds one value. A draw for each of the others,
        and all again while the combination is not legal."""
        while True:
            combination = tuple(
                fixed[1] if fixed is not None and number == fixed[0] else random.below(size)
                for number, size in enumerate(self.sizes)
            )
            if self.is_legal(combination):
                return combination

    def mutated(self, combination: Combination, random: Random) -> Combination:
        """One parameter, drawn from all, takes a value drawn from all it has: that which it had is one of them. A
        master and its dependent take one of their legal pairs, whichever was drawn; one alone could not take the value
        that makes the other meaningless, but where this has its first already."""
        number = random.below(len(combination))
        master = self.parameters[number].master
        first = number if master is None else master
        dependent = next((q for q, p in enumerate(self.parameters) if p.master == first), None)
        if dependent is None:
            choices = [{first: value} for value in range(self.sizes[first])]
        else:
            off = self.parameters[dependent].off
            pairs = product(range(self.sizes[first]), range(self.sizes[dependent]))
            choices = [{first: value, dependent: other} for value, other in pairs if value != off or other == 0]
        changed = choices[random.below(len(choices))]
        return tuple(changed.get(place, value) for place, value in enumerate(combination))

    def legal(self) -> Iterator[Combination]:
        """All legal combinations, the last parameter changing fastest."""
        return (c for c in map(self.combination, range(math.prod(self.sizes))) if self.is_legal(c))

    @cached_property
    def legal_count(self) -> int:
        """Their number, counted without listing them."""
        return self._count([None] * len(self.sizes), 0)

    def _count(self, chosen: list[int | None], number: int) -> int:
        if number == len(chosen):
            return 1
        if not any(number in (p.master, q) and p.master is not None for q, p in enumerate(self.parameters)):
            return self.sizes[number] * self._count(chosen, number + 1)
        total = 0
        for value in self.feasible(chosen, number):
            chosen[number] = value
            total += self._count(chosen, number + 1)
        chosen[number] = None
        return total

    def key(self, combination: Combination) -> int:
        """The number of a combination among all, legal or not."""
        key = 0
        for value, size in zip(combination, self.sizes, strict=True):
            key = key * size + value
        return key

    def combination(self, key: int) -> Combination:
        values = []
        for size in reversed(self.sizes):
            key, value = divmod(key, size)
            values.append(value)
        return tuple(reversed(values))

    def values(self, combination: Combination) -> tuple[Number | str, ...]:
        """What the combination means."""
        return tuple(p.values[value] for p, value in zip(self.parameters, combination, strict=True))


def space_of(expression: Component, tune: Tune) -> Space:
    """The parameters that `tune`, a part of `expression`, binds; those that decide over others come before them."""
    parts = list(expression.walk())
    first = next(number for number, part in enumerate(parts) if part is tune) + 1
    parameters: list[Parameter] = []
    for number, part in enumerate(parts[first:], first):
        if isinstance(part, Tune):
            break
        parameters += _with_masters(part, _opened(number, part), len(parameters))
    return Space(parameters)


def _opened(number: int, part: Component) -> list[Parameter]:
    opened = []
    for name, value in part.settings().items():
        if isinstance(value, Choice):
            opened.append(Parameter(number, name, part.settings_owner, values=value.values))
        elif isinstance(value, Interval):
            opened.append(Parameter(number, name, part.settings_owner, interval=value))
    return opened


def _with_masters(part: Component, opened: list[Parameter], offset: int) -> list[Parameter]:
    """Without AMAF, which is what k = 0 says, ref means nothing: those combinations are one."""
    if not (isinstance(part, Select) and isinstance(part.policy, Grave)):
        return opened
    names = [p.name for p in opened]
    if "ref" not in names or opened[names.index("ref")].interval is not None:
        return opened
    ref = opened[names.index("ref")]
    if part.policy.k in (0, Choice((0.0,))):
        return [replace(p, values=p.values[:1]) if p is ref else p for p in opened]
    if "k" not in names or 0 not in opened[names.index("k")].values:
        return opened
    k = opened[names.index("k")]
    ordered = [p for p in opened if p not in (k, ref)]
    place = names.index("ref")
    master = offset + place
    dependent = replace(ref, master=master, off=k.values.index(0))
    return [*ordered[:place], k, dependent, *ordered[place:]]

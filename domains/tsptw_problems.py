"""A problem of the travelling salesman with time windows: what is given, and how one is drawn at random.

Glossary
    node      the depot, 0, or a customer, 1 to n
    travel    travel[a][b]: how long it takes from a to b, the service at a included where there is one
    window    when a customer may be served: from opens[c] until closes[c], both included
    place     a point in the plane

Random problems are made as Dumas, Desrosiers, Gélinas and Solomon made theirs ("An Optimal Algorithm for the Traveling
Salesman Problem with Time Windows", 1995): places with whole coordinates from 0 to 50, and windows around the times at
which a tour comes by that goes to the second nearest customer each time. So this tour is late nowhere. Each window
begins 0 to `width` before that time, not before 0, and ends 0 to `width` after it, all equally probable; so `width` is
about their mean width, as in the names of the published sets. The travel time is the distance, rounded up to a whole
number (rounded down, as there, a detour could be shorter than the way straight on).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import isqrt

from domains.randomness import Random

SIDE = 50
"""Of the square in which random places lie."""

Place2D = tuple[float, float]
Times = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, eq=False)
class Customers:
    """A problem. Nodes are counted with the depot."""

    travel: Times
    opens: tuple[float, ...]
    closes: tuple[float, ...]
    places: tuple[Place2D, ...] | None = None

    @property
    def nodes(self) -> int:
        return len(self.opens)

    @cached_property
    def by_closing(self) -> tuple[int, ...]:
        """The customers in the order in which their windows close."""
        return tuple(sorted(range(1, self.nodes), key=lambda customer: self.closes[customer]))

    @cached_property
    def mean_travel(self) -> float:
        """The mean travel time between two nodes; 1 if all are in one place."""
        ways = [time for a, row in enumerate(self.travel) for b, time in enumerate(row) if a != b]
        return added(ways) / len(ways) or 1.0

    @cached_property
    def longest_travel(self) -> float:
        return max(map(max, self.travel))

    def travel_bounds(self) -> tuple[float, float]:
        """No tour is shorter or longer: every node is left once, and reached once."""
        others = [[time for b, time in enumerate(row) if a != b] for a, row in enumerate(self.travel)]
        into = [[row[b] for a, row in enumerate(self.travel) if a != b] for b in range(self.nodes)]
        least = max(added(map(min, others)), added(map(min, into)))
        return least, min(added(map(max, others)), added(map(max, into)))


def added(numbers: Iterable[float]) -> float:
    """One after the other: `sum` does it more exactly from Python 3.12 on, and results are the same in all versions."""
    total = 0.0
    for number in numbers:
        total += number
    return total


def drawn(cities: int, width: int, random: Random) -> Customers:
    """A random problem with so many customers."""
    places = [(random.below(SIDE + 1), random.below(SIDE + 1)) for _ in range(cities + 1)]
    travel = tuple(tuple(float(root_rounded_up((x - u) ** 2 + (y - v) ** 2)) for u, v in places) for x, y in places)
    opens, closes = [0.0] * (cities + 1), [0.0] * (cities + 1)
    time, last = 0.0, 0
    for node in (*second_nearest_tour(travel), 0):
        time, last = time + travel[last][node], node
        if node:
            opens[node] = max(0.0, time - random.below(width + 1))
        closes[node] = time + random.below(width + 1)
    return Customers(travel, tuple(opens), tuple(closes), tuple(places))


def root_rounded_up(square: int) -> int:
    return isqrt(square - 1) + 1 if square else 0


LONGEST_IN_SQUARE = root_rounded_up(2 * SIDE**2)


def second_nearest_tour(travel: Times) -> list[int]:
    """From the depot always to the second nearest of the customers left, the first in number on ties."""
    tour: list[int] = []
    left, last = list(range(1, len(travel))), 0
    while left:
        near = sorted(left, key=lambda customer: travel[last][customer])
        last = near[min(1, len(near) - 1)]
        tour.append(last)
        left.remove(last)
    return tour

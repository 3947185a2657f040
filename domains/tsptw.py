"""The travelling salesman problem with time windows: visit all customers, none of them late, and travel little.

Glossary
    depot      node 0, where the tour starts, when its window opens, and where it ends
    customer   node 1 to n, visited once; in the order of the file where there is one
    window     when a customer may be served; who comes earlier waits until it opens, who comes later is late. Coming
               back to the depot has a window, too
    travel     the way that was travelled, as time; waiting does not count
    penalty    what a late visit costs; the literature has 10^6
    cost       travel + penalty × late visits; less is better
    lost       a customer who cannot be reached in time any more, not even straight from here
    action     the customer to visit next; after the last one the tour goes back to the depot by itself

The customers left are listed in the order in which their windows close. With `prune` (the default) those are left out
to whom the way makes somebody else lost who is not lost yet, unless that is so for all (Cazenave and Teytaud,
"Application of the Nested Rollout Policy Adaptation Algorithm to the Traveling Salesman Problem with Time Windows",
2012). No tour that is late nowhere goes by what is left out, if no detour is shorter than the way straight on.

A search learns about ways: the code of an action is here × (n + 1) + customer. Its features, for `guided`, are those of
Rimmel, Teytaud and Cazenave (2011) and two more; times are in mean travel times of the problem:

    distance   the travel time from here
    opens      how long it is until the window opens, counted from now; 0 if it is open
    closes     how long it is until the window closes, counted from now; 0 if it is closed
    wait       how long one waits there
    late       1 if one comes too late, otherwise 0

The reward goes from 1 at the cost `minimise[0]` to 0 at `minimise[1]`. No tour is longer than the sum of the longest
ways, and no more than all visits are late: those are the bounds. With a `penalty` much larger than a tour they leave
little of [0, 1] to travel, and a search sees the number of late visits and hardly anything else. The default is 100:
the longest way of a random problem takes 71 at most. A smaller one than what a detour costs can make it pay to be late.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from domains.errors import UnknownDomain
from domains.protocol import Domain
from domains.randomness import Random
from domains.tsptw_files import instances_in, read_customers
from domains.tsptw_problems import LONGEST_IN_SQUARE, Customers, drawn

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import Kernels

MOST_CITIES = 1000
LARGEST_PENALTY = 1e12


@dataclass(slots=True)
class Trip:
    """A state."""

    customers: Customers
    left: list[int]
    """Who is to be visited, in the order in which the windows close."""
    last: int = 0
    time: float = 0.0
    """When the service at `last` begins."""
    travel: float = 0.0
    late: int = 0


class Tsptw(Domain):
    """The travelling salesman with time windows: random problems, or a file or folder of instances as `path`."""

    unit = "cost"
    features = ("distance", "opens", "closes", "wait", "late")

    def __init__(
        self, cities: int = 20, width: int = 60, penalty: float = 100.0, prune: bool = True, path: Path | None = None
    ) -> None:
        if not 1 <= cities <= MOST_CITIES:
            raise UnknownDomain(f"tsptw: cities is {cities}; it must be from 1 to {MOST_CITIES}")
        if width < 0:
            raise UnknownDomain(f"tsptw: width is {width}; it must be 0 or more")
        if not 0.0 < penalty <= LARGEST_PENALTY:
            raise UnknownDomain(f"tsptw: penalty is {penalty:g}; it must be above 0, and at most {LARGEST_PENALTY:g}")
        self.cities, self.width, self.penalty, self.prune = cities, width, float(penalty), prune
        self.path = None if path is None else Path(path)
        if self.path is not None and (cities, width) != (20, 60):
            raise UnknownDomain("tsptw: cities and width are of random problems; with path leave them out")
        if self.path is None:
            travel = 0.0, float(LONGEST_IN_SQUARE * (cities + 1))
            self.minimise = bounds([(cities + 1, travel)], self.penalty)
        else:
            self.instances = instances_in(self.path)
            problems = [read_customers(file) for file in self.instances]
            cities = max(problem.nodes for problem in problems) - 1
            self.minimise = bounds([(problem.nodes, problem.travel_bounds()) for problem in problems], self.penalty)
        self.horizon = self.max_length = self.max_actions = cities

    def identity(self) -> dict[str, Any]:
        what = {"cities": self.cities, "width": self.width} if self.path is None else {"path": self.path}
        return {**what, "penalty": self.penalty, "prune": self.prune}

    def sample(self, random: Random) -> Trip:
        return start(drawn(self.cities, self.width, random))

    def load(self, path: Path) -> Trip:
        return start(read_customers(path))

    def actions(self, state: Trip) -> list[int]:
        if not self.prune:
            return state.left[:]
        return [customer for customer in state.left if not loses_another(state, customer)] or state.left[:]

    def play(self, state: Trip, action: int) -> None:
        state.left.remove(action)
        go_to(state, action)
        if not state.left:
            go_to(state, 0)

    def copy(self, state: Trip) -> Trip:
        return Trip(state.customers, state.left[:], state.last, state.time, state.travel, state.late)

    def is_final(self, state: Trip) -> bool:
        return not state.left

    def cost(self, state: Trip) -> float:
        return state.travel + self.penalty * state.late

    def code(self, state: Trip, action: int) -> int:
        return state.last * state.customers.nodes + action

    def feature(self, state: Trip, action: int) -> tuple[float, ...]:
        problem = state.customers
        way, unit = problem.travel[state.last][action], problem.mean_travel
        opens, closes = problem.opens[action], problem.closes[action]
        arrival = state.time + way
        return (
            way / unit,
            positive(opens - state.time) / unit,
            positive(closes - state.time) / unit,
            positive(opens - arrival) / unit,
            1.0 if arrival > closes else 0.0,
        )

    def action_name(self, state: Trip, action: int) -> str:
        return f"customer {action}"

    def draw(self, initial: Trip, actions: Sequence[int]) -> str:
        from domains.tsptw_drawing import text

        return text(self, initial, actions)

    def svg(self, initial: Trip, actions: Sequence[int]) -> str:
        from domains.tsptw_drawing import picture

        return picture(self, initial, actions)

    def kernels(self) -> "Kernels":
        from domains.tsptw_kernels import KERNELS

        return KERNELS

    def encode(self, state: Trip) -> "tuple[np.ndarray, np.ndarray]":
        from domains.tsptw_kernels import problem_array, state_array

        assert self.minimise is not None
        return problem_array(state.customers, self.prune, self.penalty, self.minimise), state_array(state)


def bounds(problems: Sequence[tuple[int, tuple[float, float]]], penalty: float) -> tuple[float, float]:
    """Whole numbers that hold all costs: of problems with so many nodes, and travel within such bounds."""
    lowest = min(travel[0] for _, travel in problems)
    highest = max(travel[1] + penalty * nodes for nodes, travel in problems)
    return float(floor(lowest)), float(ceil(highest))


def start(problem: Customers) -> Trip:
    return Trip(problem, list(problem.by_closing), time=problem.opens[0])


def go_to(state: Trip, node: int) -> None:
    """Travel to a node, wait there if it is early, and note if it is late."""
    problem = state.customers
    way = problem.travel[state.last][node]
    arrival = state.time + way
    state.travel += way
    state.late += arrival > problem.closes[node]
    state.time = max(arrival, problem.opens[node])
    state.last = node


def loses_another(state: Trip, customer: int) -> bool:
    """Whether on the way over `customer` somebody is lost who is not lost yet. That is never the customer: who comes
    before the window closes is in time."""
    problem = state.customers
    here, there = problem.travel[state.last], problem.travel[customer]
    begins = max(state.time + here[customer], problem.opens[customer])
    return any(
        begins + there[other] > problem.closes[other] and state.time + here[other] <= problem.closes[other]
        for other in state.left
    )


def positive(number: float) -> float:
    return number if number > 0.0 else 0.0

"""Tours with time windows: how much do they cost that take equal time? Rules, searches, and a routing solver.

    python benchmarks/tours.py                                   5 problems with 20 cities and 5 with 50; 0.5 s and 2 s
    python benchmarks/tours.py 'nmc(3)' 'nrpa(4, 10)' --seconds 20    these expressions instead
    python benchmarks/tours.py --path dumas/                     the instances of a file or folder

    above      the cost beside the least that any line of the table came to on the same problem, in any time; the mean
               over the problems. Cost is that of the domain: travel, and 100 (--penalty) for each late visit
    late       on how many problems somebody is visited late. Random problems have tours on which nobody is
    rules      one tour each, and no time to speak of: to whom the rule sends us next, of those whom the domain lists,
               which leaves out most ways that make others late
    OR-tools   its routing solver: cheapest arc first, then guided local search; one thread, the same CPU seconds, the
               making of the model in them. It comes with `pip install ortools`; without that its lines are left out.
               *late visits* has the domain's objective: every customer is there twice, in time and late, and the way to
               the late one costs the penalty besides. *lateness* has the objective for which the solver is made: the
               penalty for each unit of time; it costs as much where nobody is late, and more elsewhere. Coming back
               too late is charged by the unit in both. Shown is what the tours cost by the domain's rules

G in the tables is `guided` playouts; its weights were chosen on training problems; those here are test problems.
"""

import time
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import click
from equal_seconds import Contender, best_of_problems, played, searching

from domains.problems import instances_of, problem
from domains.registry import find_domain
from domains.tsptw import Trip, Tsptw
from mcsgrammar.benching import machine_description

GUIDED = "sim(guided(distance=-12, closes=-1, wait=-6))"
EXPRESSIONS = (
    "sim",
    "step(lookahead(sim))",
    "nrpa(2, 100)",
    "nrpa(3, 20)",
    GUIDED,
    f"step(lookahead({GUIDED}))",
    f"adapt(adapt({GUIDED}, 100), 100)",
    f"adapt(adapt(adapt({GUIDED}, 20), 20), 20)",
    f"adapt(adapt(step({GUIDED}), 10), 20)",
    f"select({GUIDED}, puct(c=1))",
)
RULES = ("nearest first", "first to close", "nearest, waiting included")
FOR_FRACTIONS = 1000
"""OR-tools counts in whole numbers: times that are not whole are multiplied by this."""


def by_rule(tours: Tsptw, rule: str) -> Contender:
    def solve(_number: int, initial: Trip, _seconds: float) -> Trip:
        trip, travel = tours.copy(initial), initial.customers.travel
        value: dict[str, Callable[[int], float]] = {
            "nearest first": lambda customer: travel[trip.last][customer],
            "first to close": lambda customer: initial.customers.closes[customer],
            "nearest, waiting included": lambda customer: max(
                trip.time + travel[trip.last][customer], initial.customers.opens[customer]
            ),
        }
        while not tours.is_final(trip):
            tours.play(trip, min(tours.actions(trip), key=value[rule]))
        return trip

    return Contender(rule, solve, False)


class RoutingModel:
    """A problem as OR-tools takes it. Nodes are the depot, the customers in time and, if `twice`, the late ones."""

    def __init__(self, tours: Tsptw, initial: Trip, twice: bool) -> None:
        from ortools.constraint_solver import pywrapcp  # type: ignore[import-not-found, unused-ignore]

        given, self.customers = initial.customers, initial.customers.nodes - 1
        every = [time for row in given.travel for time in row] + [*given.opens, *given.closes]
        unit = 1 if all(number == int(number) for number in every) else FOR_FRACTIONS
        real = [0, *range(1, given.nodes), *(range(1, given.nodes) if twice else ())]
        travel = [[round(unit * given.travel[a][b]) for b in real] for a in real]
        penalty = round(unit * tours.penalty)
        cost = [[way + penalty * (b > self.customers) for b, way in enumerate(row)] for row in travel]
        latest = round(unit * (max(given.closes) + max(given.opens) + sum(map(max, given.travel))))
        self.manager = pywrapcp.RoutingIndexManager(len(real), 1, 0)
        self.routing = pywrapcp.RoutingModel(self.manager)
        self.routing.SetArcCostEvaluatorOfAllVehicles(self.routing.RegisterTransitMatrix(cost))
        self.routing.AddDimension(self.routing.RegisterTransitMatrix(travel), latest, latest, False, "time")
        times = self.routing.GetDimensionOrDie("time")
        began = round(unit * given.opens[0])
        times.CumulVar(self.routing.Start(0)).SetRange(began, began)
        times.SetCumulVarSoftUpperBound(self.routing.End(0), round(unit * given.closes[0]), round(tours.penalty))
        for node in range(1, len(real)):
            index, customer = self.manager.NodeToIndex(node), real[node]
            opens, closes = (round(unit * when[customer]) for when in (given.opens, given.closes))
            in_time = twice and node <= self.customers
            times.CumulVar(index).SetRange(opens, closes if in_time else latest)
            if not twice:
                times.SetCumulVarSoftUpperBound(index, closes, round(tours.penalty))
            elif in_time:
                self.routing.AddDisjunction([index, self.manager.NodeToIndex(node + self.customers)])

    def tour(self, until: float) -> list[int] | None:
        """The customers in order; None if no tour was found before the process has used so much CPU time."""
        from ortools.constraint_solver import pywrapcp, routing_enums_pb2

        limit = self.routing.solver().CustomLimit(lambda: time.process_time() > until)
        self.routing.AddSearchMonitor(limit)
        parameters = pywrapcp.DefaultRoutingSearchParameters()
        parameters.first_solution_strategy = routing_enums_pb2.FirstSolutionStrategy.PATH_CHEAPEST_ARC
        parameters.local_search_metaheuristic = routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
        parameters.time_limit.seconds = 24 * 60 * 60
        found = self.routing.SolveWithParameters(parameters)
        if found is None:
            return None
        tour, index = [], found.Value(self.routing.NextVar(self.routing.Start(0)))
        while not self.routing.IsEnd(index):
            tour.append((self.manager.IndexToNode(index) - 1) % self.customers + 1)
            index = found.Value(self.routing.NextVar(index))
        return tour


def by_routing(tours: Tsptw, twice: bool) -> Contender:
    def solve(_number: int, initial: Trip, seconds: float) -> Trip | None:
        until = time.process_time() + seconds
        tour = RoutingModel(tours, initial, twice).tour(until)
        if tour is None:
            return None
        trip = tours.copy(initial)
        for customer in tour:  # which the domain need not list: it leaves some out
            tours.play(trip, customer)
        return trip

    return Contender(f"OR-tools, {'late visits' if twice else 'lateness'}", solve)


def made(path: Path | None, cities: int, width: int, penalty: float, problems: int) -> tuple[Tsptw, list[Any]]:
    where = f"cities={cities},width={width}" if path is None else f"path={path}"
    tours = find_domain(f"tsptw:{where},penalty={penalty:g}")
    assert isinstance(tours, Tsptw)
    if path is not None:
        return tours, [tours.load(file) for file in instances_of(tours, "both")]
    return tours, [problem(tours, k) for k in range(problems)]


def has_routing() -> bool:
    try:
        import ortools.constraint_solver.pywrapcp  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
    except ImportError:
        return False
    return True


def table(
    tours: Tsptw, initials: list[Any], expressions: tuple[str, ...], seconds: tuple[float, ...], seed: int
) -> None:
    contenders = [by_rule(tours, rule) for rule in RULES]
    contenders += [searching(tours, text, seed) for text in expressions or EXPRESSIONS]
    if has_routing():
        contenders += [by_routing(tours, twice) for twice in (True, False)]
    ends = played(tours, initials, contenders, seconds)
    scores = [[[inf if trip is None else tours.cost(trip) for trip in column] for column in own] for own in ends]
    best = best_of_problems(scores, min)
    click.echo(f"| | {' | '.join(f'{limit:g} s: above | late | costs' for limit in seconds)} |")
    click.echo(f"|---{'|---|---|---' * len(seconds)}|")
    for contender, own, states in zip(contenders, scores, ends, strict=True):
        cells = []
        for costs, trips in zip(own, states, strict=True):
            above = sum(cost / least - 1 for cost, least in zip(costs, best, strict=True)) / len(costs)
            late = sum(trip is None or trip.late > 0 for trip in trips)
            each = " ".join(f"{cost:.0f}" for cost in costs) if len(costs) <= 5 else ""
            cells.append(f"{100 * above:.1f} % | {late} | {each}")
        click.echo(f"| {contender.name.replace(GUIDED, 'G')} | {' | '.join(cells)} |")
    each = " ".join(f"{cost:.0f}" for cost in best) if len(best) <= 5 else ""
    click.echo(f"| the least of all lines | {' | '.join([f'0 % | | {each}'] * len(seconds))} |")


@click.command()
@click.argument("expressions", nargs=-1)
@click.option("--cities", multiple=True, default=(20, 50), show_default=True, help="Of random problems.")
@click.option("--width", default=60, show_default=True, help="Of the windows of random problems, in the mean.")
@click.option("--problems", default=5, show_default=True, help="Of each size.")
@click.option("--path", type=click.Path(exists=True, path_type=Path), help="A file or folder of instances instead.")
@click.option("--penalty", default=100.0, show_default=True, help="For a late visit.")
@click.option("--seconds", multiple=True, default=(0.5, 2.0), show_default=True, help="CPU seconds of a run.")
@click.option("--seed", default=0, show_default=True, help="Other draws.")
def main(
    expressions: tuple[str, ...],
    cities: tuple[int, ...],
    width: int,
    problems: int,
    path: Path | None,
    penalty: float,
    seconds: tuple[float, ...],
    seed: int,
) -> None:
    click.echo(machine_description())
    if not has_routing():
        click.echo("\nOR-tools is not there to compare with: pip install ortools")
    for size in cities if path is None else (0,):
        tours, initials = made(path, size, width, penalty, problems)
        what = (
            f"{len(initials)} problems with {size} cities, width {width}"
            if path is None
            else f"{len(initials)} instances"
        )
        click.echo(f"\n{what}, penalty {penalty:g}, seed {seed}; G is `{GUIDED}`\n")
        table(tours, initials, expressions, seconds, seed)


if __name__ == "__main__":
    main()

"""The travelling salesman with time windows once more, from the whole sequence each time: a naive twin, and the best of
all tours by dynamic programming.

Glossary
    played   the customers visited so far
    label    (travel, time, late) of a way over a set of customers to one of them; one label beats another if it is no
             worse in any of the three
"""

from collections.abc import Sequence
from itertools import pairwise

from domains.tsptw_problems import Customers

Label = tuple[float, float, int]


def journey(problem: Customers, played: Sequence[int]) -> Label:
    """After the customers `played`, and back at the depot after all of them."""
    nodes = [0, *played] + [0] * (len(played) == problem.nodes - 1)
    time, late, ways = problem.opens[0], 0, []
    for a, b in pairwise(nodes):
        ways.append(problem.travel[a][b])
        time += ways[-1]
        if time > problem.closes[b]:
            late += 1
        if time < problem.opens[b]:
            time = problem.opens[b]
    return sum(ways), time, late


def legal(problem: Customers, played: Sequence[int], prune: bool) -> list[int]:
    left = sorted(set(range(1, problem.nodes)) - set(played), key=lambda c: (problem.closes[c], c))

    def comes(*over: int) -> float:
        """When one comes to the last of these, one after the other from where `played` leads."""
        time = journey(problem, [*played, *over[:-1]])[1]
        return time + problem.travel[[0, *played, *over][-2]][over[-1]]

    def can(*over: int) -> bool:
        return comes(*over) <= problem.closes[over[-1]]

    hopeful = [c for c in left if all(can(c, other) or not can(other) for other in left if other != c)]
    return (hopeful if prune else left) or left


def features(problem: Customers, played: Sequence[int], action: int) -> list[float]:
    ways = [way for a, row in enumerate(problem.travel) for b, way in enumerate(row) if a != b]
    mean = sum(ways) / len(ways)
    here, now = (played[-1] if played else 0), journey(problem, played)[1]
    there = now + problem.travel[here][action]
    opens, closes = problem.opens[action], problem.closes[action]
    times = problem.travel[here][action], max(0, opens - now), max(0, closes - now), max(0, opens - there)
    return [*(time / mean for time in times), float(there > closes)]


def best_labels(problem: Customers) -> list[Label]:
    """All tours that no other tour beats."""
    customers = range(1, problem.nodes)
    labels: dict[tuple[frozenset[int], int], list[Label]] = {(frozenset(), 0): [(0.0, problem.opens[0], 0)]}
    for _ in customers:
        longer: dict[tuple[frozenset[int], int], list[Label]] = {}
        for (visited, last), held in labels.items():
            for c in set(customers) - visited:
                for label in held:
                    keep(longer.setdefault((visited | {c}, c), []), stepped(problem, label, last, c))
        labels = longer
    tours: list[Label] = []
    for (_, last), held in labels.items():
        for label in held:
            keep(tours, stepped(problem, label, last, 0))
    return tours


def stepped(problem: Customers, label: Label, last: int, node: int) -> Label:
    way = problem.travel[last][node]
    comes = label[1] + way
    return label[0] + way, max(comes, problem.opens[node]), label[2] + (comes > problem.closes[node])


def keep(held: list[Label], new: Label) -> None:
    def beats(one: Label, other: Label) -> bool:
        return all(a <= b for a, b in zip(one, other, strict=True))

    if not any(beats(label, new) for label in held):
        held[:] = [label for label in held if not beats(new, label)] + [new]

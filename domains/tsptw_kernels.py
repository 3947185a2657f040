"""The rules of `domains/tsptw.py`, compiled.

A problem is one float64 array: HEAD numbers, then opens and closes of all nodes, then the travel times, row by row. A
state is one float64 array, too: the time, the travel, the number of late visits, the last node, how many customers are
left, and these in the order in which their windows close.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from domains.kernels import Kernels, njit, njit_inline

if TYPE_CHECKING:
    from domains.tsptw import Trip
    from domains.tsptw_problems import Customers

NODES, PRUNE, PENALTY, LOWEST, HIGHEST, MEAN_TRAVEL, LONGEST_TRAVEL, HEAD = range(8)
TIME, TRAVEL, LATE, LAST, LEFT, FIRST = range(6)


def problem_array(problem: "Customers", prune: bool, penalty: float, minimise: tuple[float, float]) -> np.ndarray:
    head = problem.nodes, prune, penalty, *minimise, problem.mean_travel, problem.longest_travel
    return np.concatenate([head, problem.opens, problem.closes, np.ravel(problem.travel)]).astype(np.float64)


def state_array(trip: "Trip") -> np.ndarray:
    array = np.zeros(FIRST + trip.customers.nodes - 1)
    array[:FIRST] = trip.time, trip.travel, trip.late, trip.last, len(trip.left)
    array[FIRST : FIRST + len(trip.left)] = trip.left
    return array


@njit_inline
def closes_at(problem: Any, nodes: int, node: int) -> float:
    return float(problem[HEAD + nodes + node])


@njit
def loses_another(state: Any, problem: Any, nodes: int, first: int, end: int, customer: int) -> bool:
    """From `first` to `end` lie those whose windows are not closed yet. Nobody whose window closes late enough for the
    longest way of all is lost, and so are none after him."""
    time = state[TIME]
    here = HEAD + nodes * (2 + np.int64(state[LAST]))
    there = HEAD + nodes * (2 + customer)
    arrival, opens = time + problem[here + customer], problem[HEAD + customer]
    begins = arrival if arrival > opens else opens
    safe = begins + problem[LONGEST_TRAVEL]
    for i in range(first, end):
        other = np.int64(state[i])
        closes = closes_at(problem, nodes, other)
        if safe <= closes:
            return False
        if begins + problem[there + other] > closes and time + problem[here + other] <= closes:
            return True
    return False


@njit
def actions(state: Any, problem: Any, out: Any) -> Any:
    nodes = np.int64(problem[NODES])
    end = FIRST + np.int64(state[LEFT])
    n = np.int64(0)
    if problem[PRUNE] != 0.0:
        first = FIRST
        while first < end and closes_at(problem, nodes, np.int64(state[first])) < state[TIME]:
            first += 1
        for i in range(FIRST, end):
            customer = np.int64(state[i])
            if not loses_another(state, problem, nodes, first, end, customer):
                out[n] = np.int32(customer)
                n += 1
    if n == 0:
        for i in range(FIRST, end):
            out[i - FIRST] = np.int32(state[i])
        n = end - FIRST
    return n


@njit_inline
def go_to(state: Any, problem: Any, nodes: int, node: int) -> None:
    way = problem[HEAD + nodes * (2 + np.int64(state[LAST])) + node]
    arrival, opens = state[TIME] + way, problem[HEAD + node]
    state[TRAVEL] += way
    if arrival > closes_at(problem, nodes, node):
        state[LATE] += 1.0
    state[TIME] = arrival if arrival > opens else opens
    state[LAST] = node


@njit
def play(state: Any, problem: Any, action: Any) -> None:
    nodes = np.int64(problem[NODES])
    customer = np.int64(action)
    last = FIRST + np.int64(state[LEFT]) - 1
    i = FIRST
    while state[i] != customer:
        i += 1
    for j in range(i, last):
        state[j] = state[j + 1]
    state[last] = 0.0
    state[LEFT] -= 1.0
    go_to(state, problem, nodes, customer)
    if state[LEFT] == 0.0:
        go_to(state, problem, nodes, 0)


@njit
def is_final(state: Any, problem: Any) -> bool:
    return bool(state[LEFT] == 0.0)


@njit
def reward(state: Any, problem: Any) -> float:
    cost = state[TRAVEL] + problem[PENALTY] * state[LATE]
    return float((problem[HIGHEST] - cost) / (problem[HIGHEST] - problem[LOWEST]))


@njit
def code(state: Any, problem: Any, action: Any) -> Any:
    return np.int64(state[LAST]) * np.int64(problem[NODES]) + np.int64(action)


@njit_inline
def positive(number: float) -> float:
    return number if number > 0.0 else 0.0


@njit
def feature(state: Any, problem: Any, action: Any, out: Any) -> None:
    nodes = np.int64(problem[NODES])
    customer = np.int64(action)
    time, unit = state[TIME], problem[MEAN_TRAVEL]
    way = problem[HEAD + nodes * (2 + np.int64(state[LAST])) + customer]
    opens, closes = problem[HEAD + customer], closes_at(problem, nodes, customer)
    arrival = time + way
    out[0] = way / unit
    out[1] = positive(opens - time) / unit
    out[2] = positive(closes - time) / unit
    out[3] = positive(opens - arrival) / unit
    out[4] = 1.0 if arrival > closes else 0.0


KERNELS = Kernels(actions=actions, play=play, is_final=is_final, reward=reward, code=code, feature=feature)

"""The travelling salesman with time windows in plain Python, against a naive twin and tours computed by hand."""

from itertools import permutations, product
from math import hypot

import pytest

from domains.errors import UnknownDomain
from domains.problems import problem
from domains.protocol import replay
from domains.randomness import Random
from domains.registry import canonical_text, find_domain
from domains.tsptw import Trip, Tsptw, start
from domains.tsptw_problems import Customers, second_nearest_tour
from tests.domains.test_checking import findings
from tests.domains.tsptw_twin import best_labels, features, journey, legal

BY_HAND = Customers(
    travel=((0.0, 4.0, 9.0, 5.0), (6.0, 0.0, 3.0, 8.0), (7.0, 2.0, 0.0, 1.0), (5.0, 10.0, 4.0, 0.0)),
    opens=(2.0, 10.0, 0.0, 0.0),
    closes=(24.0, 12.0, 13.0, 13.0),
)
"""Four nodes, ways there and back different. The mean way is 64 / 12."""


def walked(domain: Tsptw, initial: Trip, seed: int) -> list[int]:
    """A random tour."""
    random, state, played = Random(seed), domain.copy(initial), []
    while actions := domain.actions(state):
        played.append(actions[random.below(len(actions))])
        domain.play(state, played[-1])
    return played


def best_of_all(domain: Tsptw, state: Trip) -> float:
    """The lowest cost of all sequences of actions."""
    if domain.is_final(state):
        return domain.cost(state)
    following = []
    for action in domain.actions(state):
        following.append(domain.copy(state))
        domain.play(following[-1], action)
    return min(best_of_all(domain, after) for after in following)


# By hand.


@pytest.mark.parametrize(
    ("tour", "travel", "time", "late"),
    [
        # 1 at 6, waits until 10; 2 at 13, in time; 3 at 14, late; back at 19
        ([1, 2, 3], 4 + 3 + 1 + 5, 19, 1),
        # 3 at 7; 2 at 11; 1 at 13, late; back at 19
        ([3, 2, 1], 5 + 4 + 2 + 6, 19, 1),
        # 2 at 11; 3 at 12; 1 at 22, late; back at 28, late
        ([2, 3, 1], 9 + 1 + 10 + 6, 28, 2),
        # 1 at 6, waits until 10; 3 at 18, late; 2 at 22, late; back at 29, late
        ([1, 3, 2], 4 + 8 + 4 + 7, 29, 3),
    ],
)
def test_tours_computed_by_hand(tour: list[int], travel: float, time: float, late: int) -> None:
    domain = Tsptw(prune=False)
    state = replay(domain, start(BY_HAND), tour)
    assert (state.travel, state.time, state.late, state.last) == (travel, time, late, 0)
    assert domain.cost(state) == travel + 100 * late
    assert Tsptw(penalty=7.5).cost(state) == travel + 7.5 * late
    assert journey(BY_HAND, tour) == (travel, time, late)


def test_actions_computed_by_hand() -> None:
    """At first: 1 loses 3 (10 + 8 > 13), 2 loses 1 (11 + 2 > 12), 3 loses 1 (7 + 10 > 12). So all are listed, as 1
    closes at 12 and 2 and 3 at 13. After 3, at 7, nobody reaches 1 in time any more: it cannot be lost again."""
    domain, state = Tsptw(), start(BY_HAND)
    assert domain.actions(state) == [1, 2, 3]
    domain.play(state, 3)
    assert domain.actions(state) == [2]  # with 1 first, 2 would be reached at 20
    domain.play(state, 2)
    assert domain.actions(state) == [1] and not domain.is_final(state)
    domain.play(state, 1)
    assert domain.actions(state) == [] and domain.is_final(state)


def test_features_and_code_computed_by_hand() -> None:
    domain, state = Tsptw(), start(BY_HAND)
    unit = 64 / 12
    assert domain.features == ("distance", "opens", "closes", "wait", "late")
    assert domain.feature(state, 1) == (4 / unit, 8 / unit, 10 / unit, 4 / unit, 0.0)
    assert domain.feature(state, 2) == (9 / unit, 0.0, 11 / unit, 0.0, 0.0)
    assert [domain.code(state, action) for action in (1, 2, 3)] == [1, 2, 3]
    domain.play(state, 1)
    assert domain.feature(state, 3) == (8 / unit, 0.0, 3 / unit, 0.0, 1.0)
    assert [domain.code(state, action) for action in (2, 3)] == [1 * 4 + 2, 1 * 4 + 3]
    domain.play(state, 3)
    assert domain.feature(state, 2) == (4 / unit, 0.0, 0.0, 0.0, 1.0)


def test_one_who_comes_as_the_window_opens_or_closes_is_in_time() -> None:
    exact = Customers(((0.0, 5.0), (5.0, 0.0)), (0.0, 5.0), (10.0, 5.0))
    state = replay(Tsptw(), start(exact), [1])
    assert (state.time, state.late) == (10.0, 0)


def test_customers_in_one_place() -> None:
    """All features are numbers though no way takes time."""
    together = Customers(((0.0, 0.0), (0.0, 0.0)), (0.0, 5.0), (10.0, 6.0))
    assert Tsptw().feature(start(together), 1) == (0.0, 5.0, 6.0, 5.0, 0.0)


def test_the_reward() -> None:
    """1 at no travel, 0 where all 21 ways take 71 and all 21 visits are late."""
    assert Tsptw().minimise == (0.0, 21 * (71 + 100))
    assert Tsptw(cities=4, penalty=0.25).minimise == (0.0, 357.0)
    domain = Tsptw()
    state = replay(domain, start(BY_HAND), [3, 2, 1])
    assert domain.reward(state) == (3591 - 117) / 3591


# Against the twin.


@pytest.mark.parametrize(("prune", "width"), [*product((True, False), (0, 15, 60))])
def test_it_plays_as_the_twin(prune: bool, width: int) -> None:
    domain, pruned = Tsptw(cities=9, width=width, prune=prune), 0
    for k in range(6):
        initial = problem(domain, k)
        played = walked(domain, initial, k)
        for length in range(len(played) + 1):
            state = replay(domain, initial, played[:length])
            assert (state.travel, state.time, state.late) == journey(initial.customers, played[:length])
            assert domain.actions(state) == legal(initial.customers, played[:length], prune)
            pruned += len(domain.actions(state)) < len(state.left)
            for action in domain.actions(state):
                assert list(domain.feature(state, action)) == features(initial.customers, played[:length], action)
                here = played[length - 1] if length else 0
                assert domain.code(state, action) == here * 10 + action
    assert (pruned > 0) == prune


@pytest.mark.parametrize("width", [5, 30, 100])
def test_the_best_of_all_sequences_is_the_best_tour(width: int) -> None:
    """All tours, all by dynamic programming, and those without what is left out as hopeless: the best is in it, as the
    problem has a tour that is late nowhere."""
    for k in range(4):
        every, some = Tsptw(cities=6, width=width, prune=False), Tsptw(cities=6, width=width)
        initial = problem(every, k)
        best = min(travel + 100 * late for travel, _, late in best_labels(initial.customers))
        in_time = min(travel for travel, _, late in best_labels(initial.customers) if not late)
        tours = (journey(initial.customers, tour) for tour in permutations(range(1, 7)))
        assert best_of_all(every, initial) == best == min(travel + 100 * late for travel, _, late in tours)
        assert best_of_all(some, initial) == best == in_time


# Random problems.


def test_a_random_problem() -> None:
    for k in range(20):
        domain = Tsptw(cities=12, width=30)
        customers = problem(domain, k).customers
        assert customers.nodes == 13 and customers.places is not None
        for (x, y), row in zip(customers.places, customers.travel, strict=True):
            assert 0 <= x <= 50 and 0 <= y <= 50 and x == int(x) and y == int(y)
            for (u, v), way in zip(customers.places, row, strict=True):
                assert 0 <= way - hypot(x - u, y - v) < 1 and way == int(way)
        for a, b, over in product(range(13), repeat=3):
            assert customers.travel[a][b] <= customers.travel[a][over] + customers.travel[over][b]
        tour = second_nearest_tour(customers.travel)
        state = replay(domain, start(customers), tour)
        assert state.late == 0 and state.time == state.travel  # it waits for nobody
        widths = [closes - opens for opens, closes in zip(customers.opens, customers.closes, strict=True)]
        assert customers.opens[0] == 0.0 and all(0 <= width <= 60 for width in widths[1:])


def test_windows_are_as_wide_as_is_said() -> None:
    domain = Tsptw(cities=40, width=20)
    widths: list[float] = []
    for k in range(60):
        customers = problem(domain, k).customers
        widths += [closes - opens for opens, closes in zip(customers.opens, customers.closes, strict=True)][1:]
    assert 19.0 < sum(widths) / len(widths) < 20.5  # some are cut off at 0
    assert set(widths) >= set(range(41))


def test_the_second_nearest() -> None:
    travel = ((0, 3, 1, 3, 9), (3, 0, 5, 5, 5), (1, 5, 0, 2, 7), (3, 5, 2, 0, 4), (9, 5, 7, 4, 0))
    assert second_nearest_tour(tuple(tuple(map(float, row)) for row in travel)) == [1, 3, 4, 2]


def test_problems_stay_what_they_are() -> None:
    customers = problem(Tsptw(cities=3), 0).customers
    assert customers.places == ((44, 14), (47, 23), (37, 35), (30, 20))
    assert (customers.opens, customers.closes) == ((0.0, 0.0, 8.0, 0.0), (122.0, 36.0, 62.0, 59.0))


# Options.


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("tsptw", "tsptw:cities=20,width=60,penalty=100,prune=True"),
        ("tsptw:30", "tsptw:cities=30,width=60,penalty=100,prune=True"),
        ("tsptw:penalty=2.5,prune=no", "tsptw:cities=20,width=60,penalty=2.5,prune=False"),
    ],
)
def test_names(text: str, canonical: str) -> None:
    domain = find_domain(text)
    assert canonical_text(domain) == canonical == canonical_text(find_domain(canonical))
    assert domain.horizon == domain.max_length == domain.max_actions == problem(domain, 0).customers.nodes - 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("cities=0", "tsptw: cities is 0; it must be from 1 to 1000"),
        ("cities=1001", "tsptw: cities is 1001; it must be from 1 to 1000"),
        ("width=-1", "tsptw: width is -1; it must be 0 or more"),
        ("penalty=0", "tsptw: penalty is 0; it must be above 0, and at most 1e+12"),
        ("penalty=nan", "tsptw: penalty is nan; it must be above 0, and at most 1e+12"),
        ("penalty=1e308", "tsptw: penalty is 1e+308; it must be above 0, and at most 1e+12"),
        ("penalty=inf", "tsptw: penalty is inf; it must be above 0, and at most 1e+12"),
    ],
)
def test_what_is_wrong_with_an_option(options: str, message: str) -> None:
    with pytest.raises(UnknownDomain) as error:
        find_domain(f"tsptw:{options}")
    assert str(error.value) == message


@pytest.mark.parametrize("text", ["tsptw", "tsptw:cities=1", "tsptw:cities=6,prune=no,penalty=1.5"])
def test_nothing_is_wrong_with_it(text: str) -> None:
    """A single customer leaves one tour only."""
    allowed = {"small-span"} if text == "tsptw:cities=1" else set()
    assert {finding.name for finding in findings(find_domain(text), 3, 20)} <= allowed

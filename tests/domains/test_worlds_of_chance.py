"""The cliff and the stock: their rules, their kernels, and what the best that anybody can do is worth."""

from collections.abc import Sequence
from functools import cache
from itertools import product

import pytest

from domains.cliff import LATEST_GOAL, OUT_OF_TIME, Cliff, Robot
from domains.errors import UnknownDomain
from domains.protocol import replay
from domains.randomness import Random
from domains.registry import find_domain
from domains.stock import HALF_DEMAND, KEEPING, LOSING, ORDERING, Stock, Store
from tests.domains.test_checking_chance import findings
from tests.engines.toys import seed_for

NORTH, EAST, SOUTH, WEST = range(4)


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("name", ["cliff", "cliff:width=3,height=2,slip=1,steps=5", "stock", "stock:weeks=3,most=30"])
def test_the_kernels_agree(name: str) -> None:
    assert findings(find_domain(name)) == []


# The cliff.


def walked(domain: Cliff, actions: Sequence[int], seed: int = 0) -> tuple[int, int, int]:
    robot = replay(domain, Robot(0, 0, 0), actions, Random(seed))
    return robot.x, robot.y, robot.steps


def test_without_slips_the_robot_goes_where_it_is_meant_to_go() -> None:
    cliff = Cliff(slip=0)
    assert walked(cliff, [NORTH, EAST, EAST, WEST, NORTH]) == (1, 2, 5)
    assert walked(cliff, [WEST, SOUTH, NORTH, NORTH, NORTH, NORTH]) == (0, 3, 6)  # walls
    assert walked(cliff, [EAST]) == (1, 0, 1)
    over_the_edge = [NORTH, *[EAST] * 5, SOUTH]
    assert walked(cliff, over_the_edge) == (5, 0, 7)


def test_the_reward_lies_in_bands() -> None:
    cliff = Cliff(slip=0, steps=10)
    goal = replay(cliff, Robot(0, 0, 0), [NORTH, *[EAST] * 5, SOUTH], Random(0))
    assert (cliff.reaches_goal(goal), cliff.reward(goal)) == (True, 1 - 0.5 * 7 / 10)
    fell = replay(cliff, Robot(0, 0, 0), [EAST], Random(0))
    assert (cliff.is_final(fell), cliff.reaches_goal(fell), cliff.reward(fell)) == (True, False, 0.0)
    late = replay(cliff, Robot(0, 0, 0), [NORTH] * 10, Random(0))
    assert (cliff.is_final(late), cliff.reaches_goal(late), cliff.reward(late)) == (True, False, OUT_OF_TIME)


@pytest.mark.parametrize(("sixteenth", "ends_at"), [(0, (0, 1)), (1, (0, 1)), (2, (0, 0)), (3, (0, 0)), (4, (1, 0))])
def test_a_slip_goes_a_quarter_turn_to_the_left_or_to_the_right(sixteenth: int, ends_at: tuple[int, int]) -> None:
    # slip = 1 / 4: below 2 / 16 to the left, north; below 4 / 16 to the right, south, into the wall; else east
    cliff = Cliff(slip=0.25)
    assert walked(cliff, [EAST], seed_for((sixteenth, 16)))[:2] == ends_at


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("width=2", "cliff: width is 2; it is a whole number from 3 to 100"),
        ("height=101", "cliff: height is 101; it is a whole number from 2 to 100"),
        ("steps=0", "cliff: steps is 0; it is a whole number from 1 to 10000"),
        ("slip=1.5", "cliff: slip is 1.5; it is a probability, from 0 to 1"),
    ],
)
def test_what_no_cliff_can_be(options: str, message: str) -> None:
    with pytest.raises(UnknownDomain) as error:
        find_domain(f"cliff:{options}")
    assert str(error.value) == message


def test_a_walk_is_drawn() -> None:
    cliff = Cliff(slip=0, width=4, height=2)
    assert cliff.draw(Robot(0, 0, 0), [NORTH, EAST, WEST, EAST, EAST], Random(0)).splitlines() == [
        "  3   4   5   .",
        "  0   ~   ~   .",
        "north east west east east",
        "on its way after 5 steps",
    ]


def best_on_cliff(cliff: Cliff) -> float:
    """The mean reward of the best that can be done, by dynamic programming: the rules again, as a table."""
    goal = cliff.width - 1

    def clamped(x: int, y: int) -> tuple[int, int]:
        return min(max(x, 0), goal), min(max(y, 0), cliff.height - 1)

    @cache
    def worth(x: int, y: int, left: int) -> float:
        if (x, y) == (goal, 0):
            return 1 - (1 - LATEST_GOAL) * (cliff.steps - left) / cliff.steps
        if y == 0 and x > 0:
            return 0.0
        if left == 0:
            return OUT_OF_TIME
        ways = [worth(*clamped(x + dx, y + dy), left - 1) for dx, dy in ((0, 1), (1, 0), (0, -1), (-1, 0))]
        side = cliff.slip / 2
        return max((1 - cliff.slip) * ways[a] + side * (ways[a - 1] + ways[(a + 1) % 4]) for a in range(4))

    return worth(0, 0, cliff.steps)


def test_the_best_on_the_cliff() -> None:
    assert best_on_cliff(Cliff(slip=0)) == pytest.approx(1 - 0.5 * 7 / 30)
    assert best_on_cliff(Cliff()) == pytest.approx(BEST_ON_CLIFF, abs=5e-5)


BEST_ON_CLIFF = 0.70137


# The stock.


def test_a_week_in_the_store() -> None:
    stock = Stock(capacity=10, most=9)
    # Demands are sums of two draws below 5.
    for store, order, draws, after in [
        (Store(3, 0, 0), 0, (1, 1), Store(1, 1, KEEPING)),
        (Store(3, 0, 7), 5, (4, 3), Store(1, 1, 7 + ORDERING + KEEPING)),
        (Store(3, 2, 0), 0, (4, 4), Store(0, 3, 5 * LOSING)),
        (Store(8, 0, 0), 9, (0, 0), Store(10, 1, ORDERING + 10 * KEEPING)),  # two fit
        (Store(10, 0, 0), 9, (2, 0), Store(8, 1, 8 * KEEPING)),  # nothing fits, nothing is paid
    ]:
        random = Random(seed_for(*((draw, HALF_DEMAND) for draw in draws)))
        assert stock.play(store, order, random) is None
        assert store == after


def test_what_no_stock_can_be() -> None:
    with pytest.raises(UnknownDomain) as error:
        find_domain("stock:weeks=0")
    assert str(error.value) == "stock: weeks is 0; it is a whole number from 1 to 1000"


def test_a_game_is_drawn() -> None:
    stock = Stock(weeks=2)
    seed = seed_for((2, 5), (3, 5), (4, 5), (4, 5))
    assert stock.draw(Store(1, 0, 0), [9, 0], Random(seed)).splitlines() == [
        "week  ordered  left  cost so far",
        "start             1            0",
        "   1        9     5           17",
        "   2        0     0           35",
    ]


DEMANDS = [one + other for one, other in product(range(HALF_DEMAND), repeat=2)]


def after_a_week(stock: Stock, left: int, order: int, demand: int) -> tuple[int, int]:
    """What is left then, and what the week has cost."""
    come = min(order, stock.capacity - left)
    rest = left + come - demand
    return max(rest, 0), ORDERING * (come > 0) + (KEEPING * rest if rest > 0 else -LOSING * rest)


def best_cost(stock: Stock, start: int) -> float:
    """The mean cost of the best that can be done, by dynamic programming."""

    @cache
    def cost(left: int, weeks: int) -> float:
        return min(cost_of(left, weeks, order) for order in range(stock.most + 1)) if weeks else 0.0

    def cost_of(left: int, weeks: int, order: int) -> float:
        weeks_costs = [after_a_week(stock, left, order, demand) for demand in DEMANDS]
        return sum(paid + cost(rest, weeks - 1) for rest, paid in weeks_costs) / len(DEMANDS)

    return cost(start, stock.weeks)


def cost_by_levels(stock: Stock, start: int, s: int, up_to: int) -> float:
    """The mean cost of the (s, S) policy: when s or less is left, order up to S."""

    @cache
    def cost(left: int, weeks: int) -> float:
        if not weeks:
            return 0.0
        order = up_to - left if left <= s else 0
        weeks_costs = [after_a_week(stock, left, order, demand) for demand in DEMANDS]
        return sum(paid + cost(rest, weeks - 1) for rest, paid in weeks_costs) / len(DEMANDS)

    return cost(start, stock.weeks)


def test_an_s_s_policy_is_nearly_the_best_for_the_stock() -> None:
    stock = Stock()
    best = best_cost(stock, 4)
    by_levels, s, up_to = min((cost_by_levels(stock, 4, s, up), s, up) for s in range(8) for up in range(s + 1, 17))
    assert best == pytest.approx(BEST_COST, abs=0.005)
    assert (s, up_to) == BEST_LEVELS
    assert best < by_levels < 1.03 * best


BEST_COST = 198.076
BEST_LEVELS = (2, 11)

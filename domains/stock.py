"""Keep a stock: order something every week, before it is known what will be sold.

Glossary
    week      an order arrives at once, then the demand comes: what is there is sold, the rest of the demand is lost
    order     0 to `most` units; of what does not fit into the store only a part comes, or nothing
    demand    the sum of two whole numbers from 0 to 4, each alike: 4 units on average
    cost      12 for an order of anything, 1 for each unit that is left at the end of a week, 6 for each unit of demand
              that was lost; smaller is better
    action    the number of units ordered

The textbook's answer is an (s, S) policy: when s or less is left, order up to S (Scarf, *The Optimality of (S, s)
Policies in the Dynamic Inventory Problem*, 1960). The tests compare with the best by dynamic programming.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from domains.errors import UnknownDomain
from domains.protocol import Domain, states_on_the_way
from domains.randomness import Random
from domains.svg import document

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import Kernels

ORDERING, KEEPING, LOSING = 12, 1, 6
HALF_DEMAND = 5
"""Each half of the demand is below this."""
MOST_DEMAND = 2 * (HALF_DEMAND - 1)


@dataclass(slots=True)
class Store:
    """A state."""

    stock: int
    week: int
    cost: int


class Stock(Domain):
    """Order every week for a demand not yet known; problems differ in the first stock."""

    stochastic = True
    values_unfinished = True
    unit = "cost"

    def __init__(self, weeks: int = 20, capacity: int = 24, most: int = 16) -> None:
        """The number of `weeks`, the `capacity` of the store, and the `most` units of an order."""
        for name, value in (("weeks", weeks), ("capacity", capacity), ("most", most)):
            if not 1 <= value <= 1000:
                raise UnknownDomain(f"stock: {name} is {value}; it is a whole number from 1 to 1000")
        self.weeks, self.capacity, self.most = weeks, capacity, most
        self.horizon, self.max_actions = weeks, most + 1
        worst = max(ORDERING + KEEPING * capacity, ORDERING + LOSING * MOST_DEMAND)
        self.minimise = (0.0, float(weeks * worst))

    def sample(self, random: Random) -> Store:
        return Store(random.below(min(MOST_DEMAND, self.capacity) + 1), 0, 0)

    def copy(self, state: Store) -> Store:
        return Store(state.stock, state.week, state.cost)

    def actions(self, state: Store) -> list[int]:
        return [] if self.is_final(state) else list(range(self.most + 1))

    def play(self, state: Store, action: int, random: Random) -> None:  # type: ignore[override]
        come = min(action, self.capacity - state.stock)
        demand = random.below(HALF_DEMAND) + random.below(HALF_DEMAND)
        left = state.stock + come - demand
        state.cost += ORDERING * (come > 0) + (KEEPING * left if left > 0 else -LOSING * left)
        state.stock = max(left, 0)
        state.week += 1

    def is_final(self, state: Store) -> bool:
        return state.week == self.weeks

    def cost(self, state: Store) -> float:
        return float(state.cost)

    def action_name(self, state: Store, action: int) -> str:
        return f"order {action}"

    def draw(self, initial: Store, actions: Sequence[int], random: Random) -> str:  # type: ignore[override]
        """A line for each week: what was ordered, what was left, and what all has cost so far."""
        way = states_on_the_way(self, initial, actions, random)
        lines = ["week  ordered  left  cost so far", f"start         {initial.stock:>5} {initial.cost:>12}"]
        for action, store in zip(actions, way[1:], strict=True):
            lines.append(f"{store.week:>4} {action:>8} {store.stock:>5} {store.cost:>12}")
        return "\n".join(lines)

    def svg(self, initial: Store, actions: Sequence[int], random: Random) -> str:  # type: ignore[override]
        """The stock after every week as bars, orders above them."""
        way = states_on_the_way(self, initial, actions, random)
        column, unit, margin = 26, 6, 14
        floor = margin + 24 + self.capacity * unit
        body = []
        for number, store in enumerate(way):
            x, height = margin + number * column, store.stock * unit
            body.append(f'<rect class="left" x="{x}" y="{floor - height}" width="{column - 6}" height="{height}"/>')
            if number and actions[number - 1]:
                body.append(f'<text class="order" x="{x + 10}" y="{margin + 10}">+{actions[number - 1]}</text>')
            body.append(f'<text x="{x + 10}" y="{floor + 14}">{store.week}</text>')
        width = max(len(way) * column, 160) + 2 * margin
        body.append(f'<path class="floor" d="M{margin} {floor}H{width - margin}"/>')
        body.append(f'<text class="sum" x="{margin}" y="{floor + 34}">cost {way[-1].cost}</text>')
        return document(width, floor + 44, f"Stock: cost {way[-1].cost} after {way[-1].week} weeks", body, STYLE)

    def kernels(self) -> "Kernels":
        from domains.stock_kernels import KERNELS

        return KERNELS

    def encode(self, state: Store) -> "tuple[np.ndarray, np.ndarray]":
        import numpy as np

        assert self.minimise is not None
        problem = np.array([self.weeks, self.capacity, self.most, int(self.minimise[1])], np.int64)
        return problem, np.array([state.stock, state.week, state.cost], np.int64)


STYLE = """
.left { fill: var(--found); } .floor { stroke: var(--ink); } .order { fill: var(--mark); }
text { font-size: 11px; text-anchor: middle; } .sum { font-size: 13px; text-anchor: start; }
"""

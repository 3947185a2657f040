"""What some sheets say, once more in Python: games for several whose actions are the moves' names."""

from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import Any

from domains.protocol import NOOP, Domain
from domains.randomness import Random


@dataclass
class Hands:
    hands: tuple[list[int], list[int]] = field(default_factory=lambda: ([1, 2, 3, 4], [1, 2, 3, 4]))
    won: list[int] = field(default_factory=lambda: [0, 0])


class Bids(Domain):
    """Of `bids.kif`."""

    roles = ("left", "right")
    horizon = 4

    def sample(self, random: Random) -> Hands:
        return Hands()

    def mover(self, state: Hands) -> None:
        return None

    def actions_of(self, state: Hands, role: int) -> list[Any]:
        return [f"bid {card}" for card in state.hands[role]]

    def play_all(self, state: Hands, joint: Any) -> None:
        bids = [int(bid.split()[1]) for bid in joint]
        prize = len(state.hands[0])
        for hand, bid in zip(state.hands, bids, strict=True):
            hand.remove(bid)
        if bids[0] != bids[1]:
            state.won[bids[0] < bids[1]] += prize

    def rewards(self, state: Hands) -> tuple[float, ...]:
        left, right = state.won
        return (0.5, 0.5) if left == right else (1.0, 0.0) if left > right else (0.0, 1.0)


@dataclass
class Heap:
    stones: int = 8
    role: int = 0
    last: int = 1
    hops: list[int] = field(default_factory=lambda: [2, 2])


class Hopping(Domain):
    """Of `hopping.kif`."""

    roles = ("first", "second")
    horizon = 8

    def sample(self, random: Random) -> Heap:
        return Heap()

    def mover(self, state: Heap) -> int:
        return state.role

    def actions(self, state: Heap) -> list[Any]:
        moves = ["take 1"] if state.stones else []
        return [*moves, "hop"] if state.stones > 1 and state.hops[state.role] else moves

    def play(self, state: Heap, action: Any) -> None:
        state.last = state.role
        state.stones -= 2 if action == "hop" else 1
        state.hops[state.role] -= action == "hop"
        state.role = state.role if action == "hop" else 1 - state.role

    def rewards(self, state: Heap) -> tuple[float, ...]:
        return (1.0, 0.0) if state.last == 0 else (0.0, 1.0)


@dataclass
class Cells:
    owners: list[int | None] = field(default_factory=lambda: [0, None, 1, None, 2, None, None])
    step: int = 0


class Ring(Domain):
    """Of `ring.kif`."""

    roles = ("red", "green", "blue")
    horizon = 9

    def sample(self, random: Random) -> Cells:
        return Cells()

    def mover(self, state: Cells) -> int:
        return state.step % 3

    def actions(self, state: Cells) -> list[Any]:
        if state.step == 9:
            return []
        around = list(islice(cycle(state.owners), 6, 15))  # that of cell 7, those of all, that of cell 1
        mine = state.step % 3
        free = [c + 1 for c, owner in enumerate(state.owners) if owner is None and mine in (around[c], around[c + 2])]
        return [*(f"claim {cell}" for cell in free), "pass"] if free else [NOOP]

    def play(self, state: Cells, action: Any) -> None:
        if action not in ("pass", NOOP):
            state.owners[int(action.split()[1]) - 1] = state.step % 3
        state.step += 1

    def rewards(self, state: Cells) -> tuple[float, ...]:
        return tuple((10, 25, 45, 70, 100)[state.owners.count(role) - 1] / 100.0 for role in range(3))

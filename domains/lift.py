"""Run the lift of a house: where to go, and when to open the door, before it is known who will come.

Glossary
    tick       one action: the lift goes up or down by one floor, or opens its door
    arrival    after the action, with the probability `arrivals`, a person comes to a floor, each alike
    waiting    how many stand on a floor; where they want to go is not known before they get in
    riding     how many of those inside go to a floor
    opening    first those get out who ride to this floor, then those who wait get in while there is room, and each
               chooses one of the other floors, each alike
    time       the number of people in the house, waiting or riding, summed over the ticks; smaller is better
    action     up, down, open, always all three; beyond the highest or lowest floor the lift stays where it is
    useful     the feature of an action: 1 if somebody gets in or out at once, or if the lift goes one floor nearer to
               the nearest floor where somebody would; else 0

The rule that lifts have gone by since they had buttons: go on in one direction while there is anybody to serve, then in
the other ("collective control"). The tests compare with it, and with the best that anybody can do in a small house.
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

UP, DOWN, OPEN = range(3)
NAMES = ("up", "down", "open")


@dataclass(slots=True)
class House:
    """A state; `waiting` and `riding` by floor."""

    floor: int
    tick: int
    time: int
    waiting: list[int]
    riding: list[int]

    def people(self) -> int:
        return sum(self.waiting) + sum(self.riding)


class Lift(Domain):
    """Run a lift for people who are not there yet; one problem."""

    stochastic = True
    values_unfinished = True
    max_actions = 3
    unit = "time"
    features = ("useful",)

    def __init__(self, floors: int = 6, ticks: int = 60, arrivals: float = 0.25, room: int = 4) -> None:
        """The number of `floors` and of `ticks`, the probability `arrivals` of a person in a tick, and the `room` for
        people in the lift."""
        for name, value, least in (("floors", floors, 2), ("ticks", ticks, 1), ("room", room, 1)):
            if not least <= value <= 1000:
                raise UnknownDomain(f"lift: {name} is {value}; it is a whole number from {least} to 1000")
        if not 0 <= arrivals <= 1:
            raise UnknownDomain(f"lift: arrivals is {arrivals}; it is a probability, from 0 to 1")
        self.floors, self.ticks, self.arrivals, self.room = floors, ticks, arrivals, room
        self.horizon = ticks
        self.minimise = (0.0, ticks * (ticks + 1) / 2)  # one more in every tick, and nobody served

    def sample(self, random: Random) -> House:
        return House(0, 0, 0, [0] * self.floors, [0] * self.floors)

    def copy(self, state: House) -> House:
        return House(state.floor, state.tick, state.time, state.waiting[:], state.riding[:])

    def actions(self, state: House) -> list[int]:
        return [] if self.is_final(state) else [UP, DOWN, OPEN]

    def play(self, state: House, action: int, random: Random) -> None:  # type: ignore[override]
        if action == UP:
            state.floor = min(state.floor + 1, self.floors - 1)
        elif action == DOWN:
            state.floor = max(state.floor - 1, 0)
        else:
            self._open(state, random)
        if random.uniform01() < self.arrivals:
            state.waiting[random.below(self.floors)] += 1
        state.time += state.people()
        state.tick += 1

    def _open(self, state: House, random: Random) -> None:
        here = state.floor
        state.riding[here] = 0
        for _ in range(min(state.waiting[here], self.room - sum(state.riding))):
            other = random.below(self.floors - 1)
            state.riding[other + (other >= here)] += 1
            state.waiting[here] -= 1

    def is_final(self, state: House) -> bool:
        return state.tick == self.ticks

    def cost(self, state: House) -> float:
        return float(state.time)

    def feature(self, state: House, action: int) -> tuple[float]:
        nearest = min((abs(floor - state.floor) for floor in range(self.floors) if self.calls(state, floor)), default=0)
        if action == OPEN:
            return (float(self.calls(state, state.floor)),)
        there = state.floor + (nearest if action == UP else -nearest)
        return (float(nearest > 0 and 0 <= there < self.floors and self.calls(state, there)),)

    def calls(self, state: House, floor: int) -> bool:
        """Whether somebody would get out or in if the lift opened there; nobody gets in while it is full."""
        return state.riding[floor] > 0 or (state.waiting[floor] > 0 and sum(state.riding) < self.room)

    def action_name(self, state: House, action: int) -> str:
        return NAMES[action]

    def draw(self, initial: House, actions: Sequence[int], random: Random) -> str:  # type: ignore[override]
        """A row for each floor and a column for each tick: # the lift, O where it has opened, else how many wait."""
        way = states_on_the_way(self, initial, actions, random)
        opened = [False, *(action == OPEN for action in actions)]
        lines = []
        for floor in reversed(range(self.floors)):
            row = ""
            for house, door in zip(way, opened, strict=True):
                waiting = house.waiting[floor]
                standing = "." if not waiting else str(waiting) if waiting < 10 else "+"
                row += ("O" if door else "#") if house.floor == floor else standing
            lines.append(f"{floor:>3} {row}")
        return "\n".join([*lines, self.summary(way[-1])])

    def svg(self, initial: House, actions: Sequence[int], random: Random) -> str:  # type: ignore[override]
        """The way of the lift from left to right, its openings as dots, and how many wait as grey boxes."""
        way = states_on_the_way(self, initial, actions, random)
        step, storey, margin = 12, 30, 26
        bottom = margin + (self.floors - 1) * storey

        def place(house: House, floor: int) -> tuple[int, int]:
            return margin + house.tick * step, bottom - floor * storey

        body = []
        for floor in range(self.floors):
            y = bottom - floor * storey
            body.append(f'<path class="floor" d="M{margin} {y}H{margin + len(actions) * step}"/>')
            body.append(f'<text x="8" y="{y + 4}">{floor}</text>')
        for house in way:
            for floor, waiting in enumerate(house.waiting):
                if waiting:
                    x, y = place(house, floor)
                    height = min(4 * waiting, storey - 4)
                    body.append(f'<rect class="waiting" x="{x - 5}" y="{y - height}" width="10" height="{height}"/>')
        points = " L".join("{} {}".format(*place(house, house.floor)) for house in way)
        body.append(f'<path class="way" d="M{points}"/>')
        for house, action in zip(way[1:], actions, strict=True):
            if action == OPEN:
                x, y = place(house, house.floor)
                body.append(f'<circle class="open" cx="{x}" cy="{y}" r="4"/>')
        body.append(f'<text x="{margin}" y="{bottom + 28}">{self.summary(way[-1])}</text>')
        width = max(len(actions) * step, 220) + 2 * margin
        return document(width, bottom + 40, f"Lift: {self.summary(way[-1])}", body, STYLE)

    def summary(self, house: House) -> str:
        ticks = "1 tick" if house.tick == 1 else f"{house.tick} ticks"
        return f"time {house.time} after {ticks}, {sum(house.waiting)} waiting, {sum(house.riding)} riding"

    def kernels(self) -> "Kernels":
        from domains.lift_kernels import KERNELS

        return KERNELS

    def encode(self, state: House) -> "tuple[np.ndarray, np.ndarray]":
        import numpy as np

        assert self.minimise is not None
        problem = np.array([self.floors, self.ticks, self.room, self.arrivals, self.minimise[1]], np.float64)
        head = [state.floor, state.tick, state.time, sum(state.waiting), sum(state.riding)]
        return problem, np.array([*head, *state.waiting, *state.riding], np.int64)


STYLE = """
.floor { stroke: var(--faint); } .waiting { fill: var(--given); stroke: var(--faint); } .open { fill: var(--mark); }
.way { fill: none; stroke: var(--found); stroke-width: 3; stroke-linejoin: round; } text { font-size: 12px; }
"""

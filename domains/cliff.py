"""A robot walks along a cliff to its goal, and slips.

Glossary
    cell       (x, y), from (0, 0) below left; the robot starts there, and its goal is below right
    cliff      the cells between the two, in the lowest row: it falls, and that is the end
    slip       with this probability a step goes a quarter turn to the left or to the right of where it was meant to go,
               either alike
    action     north, east, south, west, always all four; into a wall the robot stays where it is, which takes a step
    end        the goal, a fall, or no step left

Rewards in bands: 0 for a fall, 0.25 on the way and where no step is left, and from 1 down to 0.5 for the goal, the
later the less. As in Sutton and Barto, *Reinforcement Learning*, example 6.6, but there nothing slips and a fall goes
back to the start. Without slips the best way is along the edge; with them it keeps away.
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

DIRECTIONS = ((0, 1), (1, 0), (0, -1), (-1, 0))
NAMES = ("north", "east", "south", "west")
OUT_OF_TIME = 0.25
LATEST_GOAL = 0.5


@dataclass(slots=True)
class Robot:
    """A state."""

    x: int
    y: int
    steps: int


class Cliff(Domain):
    """Walk along a cliff with a robot that slips; one problem."""

    stochastic = True
    values_unfinished = True
    max_actions = 4

    def __init__(self, width: int = 6, height: int = 4, slip: float = 0.2, steps: int = 30) -> None:
        """`width` and `height` of the grid, the probability `slip`, and the most `steps`."""
        bounds = (("width", width, 3, 100), ("height", height, 2, 100), ("steps", steps, 1, 10_000))
        for name, value, least, most in bounds:
            if not least <= value <= most:
                raise UnknownDomain(f"cliff: {name} is {value}; it is a whole number from {least} to {most}")
        if not 0 <= slip <= 1:
            raise UnknownDomain(f"cliff: slip is {slip}; it is a probability, from 0 to 1")
        self.width, self.height, self.slip, self.steps = width, height, slip, steps
        self.horizon = steps

    def sample(self, random: Random) -> Robot:
        return Robot(0, 0, 0)

    def copy(self, state: Robot) -> Robot:
        return Robot(state.x, state.y, state.steps)

    def actions(self, state: Robot) -> list[int]:
        return [] if self.is_final(state) else [0, 1, 2, 3]

    def play(self, state: Robot, action: int, random: Random) -> None:  # type: ignore[override]
        luck = random.uniform01()
        if luck < self.slip:
            action = (action + (3 if luck < self.slip / 2 else 1)) % 4
        east, north = DIRECTIONS[action]
        state.x = min(max(state.x + east, 0), self.width - 1)
        state.y = min(max(state.y + north, 0), self.height - 1)
        state.steps += 1

    def is_final(self, state: Robot) -> bool:
        return state.steps == self.steps or (state.y == 0 and state.x > 0)

    def reaches_goal(self, state: Robot) -> bool:
        return state.y == 0 and state.x == self.width - 1

    def reward(self, state: Robot) -> float:
        if self.reaches_goal(state):
            return 1.0 - (1.0 - LATEST_GOAL) * state.steps / self.steps
        return 0.0 if state.y == 0 and state.x > 0 else OUT_OF_TIME

    def action_name(self, state: Robot, action: int) -> str:
        return NAMES[action]

    def draw(self, initial: Robot, actions: Sequence[int], random: Random) -> str:  # type: ignore[override]
        """The grid, in each cell the last step that was made there: 0 is the start."""
        way = states_on_the_way(self, initial, actions, random)
        cells = {(robot.x, robot.y): str(robot.steps) for robot in way}
        lines = []
        for y in reversed(range(self.height)):
            row = [cells.get((x, y), "." if y or x in (0, self.width - 1) else "~") for x in range(self.width)]
            lines.append(" ".join(f"{cell:>3}" for cell in row))
        names = " ".join(NAMES[action] for action in actions)
        return "\n".join([*lines, names, self.summary(way[-1])]).replace("\n\n", "\n")

    def svg(self, initial: Robot, actions: Sequence[int], random: Random) -> str:  # type: ignore[override]
        way = states_on_the_way(self, initial, actions, random)
        size, margin = 48, 12

        def middle(robot: Robot) -> str:
            return f"{margin + (robot.x + 0.5) * size:g} {margin + (self.height - robot.y - 0.5) * size:g}"

        body = []
        for y in range(self.height):
            for x in range(self.width):
                kind = "cliff" if y == 0 and 0 < x < self.width - 1 else "cell"
                place = f'x="{margin + x * size}" y="{margin + (self.height - 1 - y) * size}"'
                body.append(f'<rect class="{kind}" {place} width="{size}" height="{size}"/>')
        if len(way) > 1:
            body.append(f'<path class="way" d="M{" L".join(middle(robot) for robot in way)}"/>')
        for robot, name in ((way[0], "start"), (way[-1], "end")):
            across, down = middle(robot).split()
            body.append(f'<circle class="{name}" cx="{across}" cy="{down}" r="8"/>')
        width, height = self.width * size + 2 * margin, self.height * size + 2 * margin
        body.append(f'<text x="{margin}" y="{height + 10}">{self.summary(way[-1])}</text>')
        return document(width, height + 20, f"Cliff: {self.summary(way[-1])}", body, STYLE)

    def summary(self, robot: Robot) -> str:
        steps = "1 step" if robot.steps == 1 else f"{robot.steps} steps"
        if self.reaches_goal(robot):
            return f"at the goal after {steps}"
        return f"{'fell' if robot.y == 0 and robot.x > 0 else 'on its way'} after {steps}"

    def kernels(self) -> "Kernels":
        from domains.cliff_kernels import KERNELS

        return KERNELS

    def encode(self, state: Robot) -> "tuple[np.ndarray, np.ndarray]":
        import numpy as np

        problem = np.array([self.width, self.height, self.steps, self.slip], np.float64)
        return problem, np.array([state.x, state.y, state.steps], np.int64)


STYLE = """
.cell { fill: var(--paper); stroke: var(--faint); } .cliff { fill: var(--given); stroke: var(--faint); }
.way { fill: none; stroke: var(--found); stroke-width: 3; stroke-linejoin: round; }
.start { fill: var(--faint); } .end { fill: var(--mark); } text { font-size: 13px; }
"""

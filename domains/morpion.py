"""Morpion Solitaire: draw as many lines as you can on squared paper that starts with a Greek cross of points.

Glossary
    variant    5T, 5D, 4T or 4D: how many points make a line, and whether lines of one direction may touch
    line       n consecutive points in one of four directions, → ↑ ↗ ↘; n is 5 or 4
    move       one new point and one line through it whose other n - 1 points are there already
    claim      what a line takes for itself in its direction: its unit segments when lines may touch (T), so that
               two lines may share an end point; its points when they must be disjoint (D)
    board      31 × 31 places, with the cross in the middle and 10 or more around it; no line goes beyond. The rules of
               the game know no edge, but there is room for all that is known: the record game of 5T, 178 lines, goes 9
               places beyond the cross
    action     a move as one whole number; from the low bits, x (5 bits) and y (5) of the new point, start (5) and
               number (5) of the line, direction (2). The lines of the board are numbered, by direction, with their
               y, x, x - y or x + y modulo 32; start is the x of the line's first point (in direction ↑ the y)

The order of the legal moves is part of the problem: at first by direction, number and start; each move strikes out
those it spoils and appends the ones its point makes possible, by direction and start.

How long a game can be: 4T 62 lines and 4D 35 (both are solved), 5D at most 121 (Kawamura et al., 2013), 5T at most 485
(Michalewski et al., 2015). So a game of 5T beyond `max_length`, 256 lines, is not excluded; but the record is 178.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from domains.errors import DomainError, UnknownDomain
from domains.protocol import Domain
from domains.randomness import Random
from domains.svg import document

if TYPE_CHECKING:
    import numpy as np

    from domains.kernels import Kernels

VARIANTS = ("5T", "5D", "4T", "4D")
BOARD = 31
STEPS = ((1, 0), (0, 1), (1, 1), (1, -1))
ARROWS = "→↑↗↘"

CROSS_OF_LINES_OF_5 = (
    "   ####   ",
    "   #  #   ",
    "   #  #   ",
    "####  ####",
    "#        #",
    "#        #",
    "####  ####",
    "   #  #   ",
    "   #  #   ",
    "   ####   ",
)
CROSS_OF_LINES_OF_4 = (
    "  ###  ",
    "  # #  ",
    "### ###",
    "#     #",
    "### ###",
    "  # #  ",
    "  ###  ",
)
CROSSES = {5: (CROSS_OF_LINES_OF_5, 11), 4: (CROSS_OF_LINES_OF_4, 12)}
"""The cross, and the place on the board of its lower left corner: both coordinates of it."""

Point = tuple[int, int]


class Move(NamedTuple):
    """An action, unpacked."""

    point: Point
    direction: int
    line: tuple[Point, ...]


@dataclass
class Position:
    """Where a game stands."""

    points: set[Point]
    claimed: tuple[set[Point], set[Point], set[Point], set[Point]]
    """By direction: the points in its lines (D), or those where a drawn unit segment starts (T)."""
    moves: list[int]
    lines: int


def line_from(start: Point, direction: int, length: int) -> tuple[Point, ...]:
    (x, y), (dx, dy) = start, STEPS[direction]
    return tuple((x + i * dx, y + i * dy) for i in range(length))


def line_number(point: Point, direction: int) -> int:
    """The number, among all the lines of the board in this direction, of the one through `point`."""
    x, y = point
    return (y, x, x - y, x + y)[direction] % 32


def position_on_line(point: Point, direction: int) -> int:
    return point[1] if direction == 1 else point[0]


def pack(point: Point, direction: int, start: Point) -> int:
    x, y = point
    along = position_on_line(start, direction)
    return x | y << 5 | along << 10 | line_number(start, direction) << 15 | direction << 20


@cache
def unpack(action: int, length: int) -> Move:
    x, y, along, number = (action >> shift & 31 for shift in (0, 5, 10, 15))
    direction = action >> 20
    starts = (along, number), (number, along), (along, (along - number) % 32), (along, (number - along) % 32)
    return Move((x, y), direction, line_from(starts[direction], direction, length))


class Morpion(Domain):
    """Morpion Solitaire: draw as many lines of points as the rules allow; one problem."""

    horizon = 100
    max_length = 256
    max_actions = 80
    """Random games have up to 36, a search for as many as possible finds 53; a state with more than 80 is refused."""
    unit = "lines"
    values_unfinished = True

    def __init__(self, variant: str = "5T") -> None:
        self.variant = str(variant).upper()
        if self.variant not in VARIANTS:
            raise UnknownDomain(f"no variant {variant!r} of Morpion Solitaire; write one of {', '.join(VARIANTS)}")
        self.line_length = int(self.variant[0])
        self.touching = self.variant[1] == "T"
        cross, self.corner = CROSSES[self.line_length]
        points = {
            (self.corner + column, self.corner + row)
            for row, text in enumerate(reversed(cross))
            for column, mark in enumerate(text)
            if mark == "#"
        }
        self._initial = Position(points, (set(), set(), set(), set()), [], 0)
        starts = [(x, y) for x in range(BOARD) for y in range(BOARD)]
        moves = (self._move(self._initial, start, direction) for direction in range(4) for start in starts)
        self._initial.moves = sorted((move for move in moves if move is not None), key=lambda action: action >> 10)

    def sample(self, random: Random) -> Position:
        return self.copy(self._initial)

    def actions(self, state: Position) -> Sequence[int]:
        return state.moves

    def play(self, state: Position, action: int) -> None:
        point, direction, line = unpack(action, self.line_length)
        state.lines += 1
        state.points.add(point)
        state.claimed[direction].update(self.claim(line))
        # A new list each time: copies of the state share the old one.
        state.moves = [move for move in state.moves if self._still_legal(state, move)]
        state.moves += self._moves_through(state, point)
        if len(state.moves) > self.max_actions:
            raise DomainError(
                f"{len(state.moves)} legal moves after {_lines(state.lines)} of Morpion {self.variant}, "
                f"more than its max_actions, {self.max_actions}: raise it, and MOST_MOVES in morpion_kernels.py"
            )

    def code(self, state: Position, action: int) -> int:
        """The line, whichever of its points is new: whole games of 5T come to 105 lines where what is learnt goes by
        the line, and to 101 where it goes by line and point (level 2, 10 000 evaluations)."""
        return action >> 10

    def copy(self, state: Position) -> Position:
        right, up, rising, falling = state.claimed
        claimed = (set(right), set(up), set(rising), set(falling))
        return Position(set(state.points), claimed, state.moves, state.lines)

    def is_final(self, state: Position) -> bool:
        return not state.moves

    def reward(self, state: Position) -> float:
        return state.lines / 100

    def score(self, state: Position) -> float:
        return float(state.lines)

    def score_of_reward(self, reward: float) -> float:
        return float(round(reward * 100))

    def claim(self, line: tuple[Point, ...]) -> tuple[Point, ...]:
        """What a line takes for itself: all its points, or the starts of its segments (all of them but the last)."""
        return line[:-1] if self.touching else line

    def _still_legal(self, state: Position, action: int) -> bool:
        point, direction, line = unpack(action, self.line_length)
        return point not in state.points and state.claimed[direction].isdisjoint(self.claim(line))

    def _moves_through(self, state: Position, point: Point) -> Iterator[int]:
        """The legal moves whose line passes through `point`, by direction and start."""
        x, y = point
        for direction, (dx, dy) in enumerate(STEPS):
            for back in range(self.line_length - 1, -1, -1):
                move = self._move(state, (x - back * dx, y - back * dy), direction)
                if move is not None:
                    yield move

    def _move(self, state: Position, start: Point, direction: int) -> int | None:
        """The legal move with the line from `start`, if there is one."""
        line = line_from(start, direction, self.line_length)
        missing = [point for point in line if point not in state.points]
        on_board = all(0 <= x < BOARD and 0 <= y < BOARD for x, y in line)
        if len(missing) == 1 and on_board and state.claimed[direction].isdisjoint(self.claim(line)):
            return pack(missing[0], direction, start)
        return None

    def action_name(self, state: Position, action: int) -> str:
        """Such as "(3,10) ↑ from (3,6)"; the lower left corner of the square around the cross is (0,0)."""
        (x, y), direction, line = unpack(action, self.line_length)
        from_x, from_y = line[0]
        o = self.corner
        return f"({x - o},{y - o}) {ARROWS[direction]} from ({from_x - o},{from_y - o})"

    def draw(self, initial: Position, actions: Sequence[int]) -> str:
        marks = dict.fromkeys(initial.points, "●")
        for number, action in enumerate(actions, initial.lines + 1):
            marks[unpack(action, self.line_length).point] = str(number)
        width = max(len(mark) for mark in marks.values()) + 1
        columns, rows = _extent(set(marks))
        board = ["".join(f"{marks.get((x, y), '·'):>{width}}" for x in columns).removeprefix(" ") for y in rows]
        return "\n".join([*board, _lines(initial.lines + len(actions))])

    def svg(self, initial: Position, actions: Sequence[int]) -> str:
        moves = [unpack(action, self.line_length) for action in actions]
        columns, rows = _extent(initial.points | {move.point for move in moves})
        pitch = 26
        width, height = pitch * (len(columns) + 1), pitch * (len(rows) + 1)

        def place(point: Point) -> Point:
            return pitch * (point[0] - columns[0] + 1), pitch * (rows[0] - point[1] + 1)

        grid = [f"M{pitch * (i + 1)} 0V{height}" for i in range(len(columns))]
        grid += [f"M0 {pitch * (i + 1)}H{width}" for i in range(len(rows))]
        body = [f'<path class="grid" d="{"".join(grid)}"/>']
        for move in moves:
            (x, y), (to_x, to_y) = place(move.line[0]), place(move.line[-1])
            body.append(f'<path class="line" d="M{x} {y}L{to_x} {to_y}"/>')
        for point in sorted(initial.points):
            x, y = place(point)
            body.append(f'<circle class="cross" cx="{x}" cy="{y}" r="5"/>')
        for number, move in enumerate(moves, initial.lines + 1):
            x, y = place(move.point)
            last = " last" if number == initial.lines + len(moves) else ""
            body.append(f'<circle class="move{last}" cx="{x}" cy="{y}" r="9.5"/>')
            body.append(f'<text x="{x}" y="{y + 3.5}">{number}</text>')
        title = f"Morpion Solitaire {self.variant}, {_lines(initial.lines + len(moves))}"
        return document(width, height, title, body, STYLE)

    def kernels(self) -> "Kernels":
        from domains.morpion_kernels import kernels_for

        return kernels_for(self.variant)

    def encode(self, state: Position) -> "tuple[np.ndarray, np.ndarray]":
        from domains.morpion_kernels import encoded

        return encoded(state, self.touching)


STYLE = """
.grid { stroke: var(--faint); stroke-width: 0.6; fill: none; }
.line { stroke: var(--found); stroke-width: 2.2; stroke-linecap: round; }
.cross { fill: var(--ink); }
.move { fill: var(--paper); stroke: var(--found); stroke-width: 1.2; }
.last { stroke: var(--mark); stroke-width: 2.2; }
text { font-size: 9.5px; text-anchor: middle; font-variant-numeric: tabular-nums; }
"""


def _extent(points: set[Point]) -> tuple[range, range]:
    """The columns from left to right and the rows from top to bottom that hold all the points."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return range(min(xs), max(xs) + 1), range(max(ys), min(ys) - 1, -1)


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"

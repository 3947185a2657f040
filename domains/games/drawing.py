"""Boards of games, in a terminal and as pictures, and matches as strips of small boards.

Glossary
    plan      where the cells of a board lie, in squares to the right and down, and what is written beside them
    tile      what a cell looks like without a piece: a square of a grid or a checkerboard, or a point with a ring
    scene     what there is to see of one position: pieces, the moves that led to it, what has won
    caption   the last move, and whose turn it is or what everybody has got
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, NamedTuple

from domains.chessboard import SHAPES, SQUARE
from domains.protocol import NOOP, Domain, advance_all, joint_name, replay_all
from domains.svg import document

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LABELLED, EDGE = 0.6, 0.2
"""The room around the cells, in squares, with something written there and without."""
CAPTION, GAP = 30, 16
SMALL, BOARDS, PER_ROW, WIDEST = 0.5, 12, 4, 1000
"""Of a strip: the scale of its boards, how many there are at most, how many side by side, and how wide it may get."""
INDENT, WIDTH_OF_A_LETTER = 4, 6.5
"""Of a strip's captions; the width is about that."""

HALF = SQUARE // 2
PIECES = {
    "cross": "M12 8L22 18L32 8L36 12L26 22L36 32L32 36L22 26L12 36L8 32L18 22L8 12Z",
    "ring": "M22 6a16 16 0 1 0 .01 0ZM22 12a10 10 0 1 1 -.01 0Z",
    "disc": "M22 6a16 16 0 1 0 .01 0Z",
    "block": "M9 9H35V35H9Z",
    "pawn": "M22 7a6 6 0 1 0 .01 0ZM18.500 18H25.500C26 25 30 28 31 32H13C14 28 18 25 18.500 18ZM11 34H33V38H11Z",
    "knight": SHAPES["knight"],
    "crown": SHAPES["queen"],
}
STYLE = """
.dark { fill: var(--given); } .grid, .hole { fill: none; stroke: var(--faint); }
.first { fill: var(--found); } .second { fill: var(--mark); } .third { fill: #2b8a3e; } .nobody { fill: var(--faint); }
.white { fill: #ffffff; stroke: #1f2430; stroke-width: 1.5; } .black { fill: #1f2430; stroke: #aab1bf; }
.goal { opacity: 0.25; }
.moved { fill: var(--mark); opacity: 0.2; }
.way { stroke: var(--mark); stroke-width: 3; stroke-opacity: 0.6; stroke-linecap: round; }
.won { fill: none; stroke: var(--ink); stroke-width: 5; stroke-opacity: 0.5; stroke-linejoin: round; }
.name { font-size: 12px; text-anchor: middle; opacity: 0.7; } .caption { font-size: 13px; }
"""


class Piece(NamedTuple):
    letter: str
    shape: str
    colour: str
    """a class of the pictures' style"""


class Label(NamedTuple):
    text: str
    x: float
    y: float


@dataclass(frozen=True)
class BoardPlan:
    places: tuple[tuple[float, float], ...]
    """the middle of each cell"""
    labels: tuple[Label, ...] = ()
    tile: Literal["grid", "checkered", "point"] = "grid"
    cells: tuple[int, ...] | None = None
    """those that there are; None: all"""
    goals: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """where the pieces of a colour are to go"""

    def on_board(self) -> list[int]:
        return list(range(len(self.places)) if self.cells is None else self.cells)

    def extent(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom, with the room around."""
        sides: list[float] = []
        for outermost in (min, max):
            for axis in (0, 1):
                cells = outermost(self.places[cell][axis] for cell in self.on_board())
                labels = outermost((label[1 + axis] for label in self.labels), default=cells)
                room = 0.5 + (EDGE if outermost(labels, cells) == cells else LABELLED)
                sides.append(cells + (room if outermost is max else -room))
        left, top, right, bottom = sides
        return left, top, right, bottom


@dataclass(frozen=True)
class Scene:
    pieces: Mapping[int, Piece]
    moves: Sequence[tuple[int, ...]] = ()
    """of the last step, for each role that moved the cells from where it came to where it went"""
    won: tuple[int, ...] = ()
    """cells that make a line or a figure"""


def grid(
    columns: int, rows: int, tile: Literal["grid", "checkered"] = "grid", cells: Sequence[int] | None = None
) -> BoardPlan:
    """Cells row by row, the lowest first, with their names as in chess."""
    places = tuple((float(x), float(rows - 1 - y)) for y in range(rows) for x in range(columns))
    labels = [Label(str(y + 1), -1.0, float(rows - 1 - y)) for y in range(rows)]
    labels += [Label(LETTERS[x], float(x), float(rows)) for x in range(columns)]
    return BoardPlan(places, tuple(labels), tile, None if cells is None else tuple(cells))


class BoardGame(Domain):
    """The base of games that have a board: `plan`, and what to see there."""

    plan: BoardPlan

    def pieces_of(self, state: Any) -> dict[int, Piece]:
        """What stands where."""
        raise NotImplementedError(f"{type(self).__name__} has no pieces_of(self, state)")

    def cells_of_action(self, state: Any, action: Any) -> tuple[int, ...]:
        """The cell that is filled, or where a piece goes from and to."""
        return (action,)

    def won_by(self, state: Any) -> tuple[int, ...]:
        """Cells that make the line or figure that has won, in drawing order."""
        return ()

    def scene(self, initial: Any, joints: Sequence[Sequence[Any]]) -> Scene:
        if not joints:
            return Scene(self.pieces_of(initial))
        before = replay_all(self, initial, joints[:-1])
        moves = [
            self.cells_of_action(before, action)
            for role, action in enumerate(joints[-1])
            if action != NOOP and self.mover(before) in (None, role)
        ]
        after = replay_all(self, initial, joints)
        return Scene(self.pieces_of(after), moves, self.won_by(after))

    def draw(self, initial: Any, actions: Sequence[Any]) -> str:
        """The board; square brackets around where the last step led to."""
        return "\n".join([board_text(self.plan, self.scene(initial, actions)), caption(self, initial, actions)])

    def svg(self, initial: Any, actions: Sequence[Any]) -> str:
        width, height = board_size(self.plan)
        said = caption(self, initial, actions)
        body = [*board_body(self.plan, self.scene(initial, actions)), text_at(said, 10, height + 14)]
        return document(max(width, 8 * len(said)), height + CAPTION, said, body, STYLE)


def caption(game: Domain, initial: Any, joints: Sequence[Sequence[Any]]) -> str:
    """Such as "5. c3 · noughts to move"."""
    return caption_after(game, replay_all(game, initial, joints[:-1]), joints)


def caption_after(game: Domain, before: Any, joints: Sequence[Sequence[Any]]) -> str:
    """The same, given the state in which the last joint move was played."""
    state, said = game.copy(before), []
    for joint in joints[-1:]:
        said.append(f"{len(joints)}. {joint_name(game, state, joint)}")
        state = advance_all(game, state, joint)
    return " · ".join([*said, standing(game, state)])


def standing(game: Domain, state: Any) -> str:
    """Whose turn it is, or what everybody has got, in hundredths."""
    if game.is_final(state):
        return ", ".join(f"{role} {100 * goal:g}" for role, goal in zip(game.roles, game.rewards(state), strict=True))
    mover = game.mover(state)
    return "all move" if mover is None else f"{game.roles[mover]} to move"


# In a terminal: two characters for a square across, one down.


def board_text(plan: BoardPlan, scene: Scene) -> str:
    labels = [(label.x, label.y) for label in plan.labels]
    places = [*plan.places, *labels]
    left, top = min(x for x, _ in places), min(y for _, y in places)
    rows: dict[int, dict[int, str]] = {}

    def write(text: str, x: float, y: float, shift: int = 0) -> None:
        start = 1 + round(2 * (x - left)) + shift
        rows.setdefault(round(y - top), {}).update({start + i: letter for i, letter in enumerate(text)})

    for label in plan.labels:
        write(label.text, label.x, label.y, -(len(label.text) // 2))
    for cell in plan.on_board():
        x, y = plan.places[cell]
        write(scene.pieces[cell].letter if cell in scene.pieces else "·", x, y)
    for move in scene.moves:
        write("[", *plan.places[move[-1]], -1)
        write("]", *plan.places[move[-1]], 1)
    lines = [rows.get(y, {}) for y in range(max(rows) + 1)]
    texts = ["".join(line.get(x, " ") for x in range(max(line, default=-1) + 1)) for line in lines]
    first = min(len(text) - len(text.lstrip()) for text in texts if text)
    return "\n".join(text[first:] for text in texts)


# As a picture.


def board_size(plan: BoardPlan) -> tuple[float, float]:
    left, top, right, bottom = plan.extent()
    return (right - left) * SQUARE, (bottom - top) * SQUARE


def board_body(plan: BoardPlan, scene: Scene) -> list[str]:
    left, top, _, _ = plan.extent()

    def middle(x: float, y: float) -> tuple[float, float]:
        return (x - left) * SQUARE, (y - top) * SQUARE

    def square(cell: int, kind: str) -> str:
        x, y = middle(*plan.places[cell])
        if plan.tile == "point":
            return f'<circle class="{kind}" cx="{x:g}" cy="{y:g}" r="{HALF - 3}"/>'
        return f'<rect class="{kind}" x="{x - HALF:g}" y="{y - HALF:g}" width="{SQUARE}" height="{SQUARE}"/>'

    def path(cells: Sequence[int], kind: str, end: str = "") -> str:
        points = "L".join("{:g} {:g}".format(*middle(*plan.places[cell])) for cell in cells)
        return f'<path class="{kind}" d="M{points}{end}"/>'

    body = [square(cell, "dark") for cell in plan.on_board() if plan.tile == "checkered" and is_dark(plan, cell)]
    body += [square(cell, "grid") for cell in plan.on_board()]
    body += [square(cell, f"goal {colour}") for colour, cells in plan.goals for cell in cells]
    for label in plan.labels:
        x, y = middle(label.x, label.y)
        inward = 0.32 * SQUARE  # labels lie in the narrow room around the cells
        x += inward if label.x < 0 else 0
        y += (inward if label.y < 0 else -inward if label.x >= 0 else 0) + 4
        body.append(f'<text class="name" x="{x:g}" y="{y:g}">{label.text}</text>')
    body += [square(cell, "moved") for move in scene.moves for cell in move]
    body += [path(move, "way") for move in scene.moves if len(set(move)) > 1]
    for cell, piece in sorted(scene.pieces.items()):
        x, y = middle(*plan.places[cell])
        shape, place = PIECES[piece.shape], f"translate({x - HALF:g} {y - HALF:g})"
        body.append(f'<path class="{piece.colour}" fill-rule="evenodd" transform="{place}" d="{shape}"/>')
    return [*body, path(scene.won, "won", "Z")] if scene.won else body


def is_dark(plan: BoardPlan, cell: int) -> bool:
    """As a1 is on a chessboard."""
    x, y = plan.places[cell]
    return round(x + max(row for _, row in plan.places) - y) % 2 == 0


def text_at(text: str, x: float, y: float) -> str:
    return f'<text class="caption" x="{x:g}" y="{y:g}">{escape(text)}</text>'


def match_strip(game: BoardGame, initial: Any, joints: Sequence[Sequence[Any]], most: int = BOARDS) -> str:
    """A match as a strip of small boards, at most so many, evenly spread and the last one among them."""
    count = min(most, len(joints))
    lengths = [len(joints) * (i + 1) // count for i in range(count)] if count else [0]
    captions = [caption(game, initial, joints[:length]) for length in lengths]
    moves, result = [said.partition(" · ")[0] for said in captions[:-1]], captions[-1].rpartition(" · ")[2]
    width, height = (SMALL * side for side in board_size(game.plan))
    width = max([width, *map(caption_width, moves)])
    per_row = max(1, min(PER_ROW, len(lengths), int(WIDEST / (width + GAP))))
    body = []
    for i, (length, said) in enumerate(zip(lengths, [*moves, result], strict=True)):
        x, y = GAP + i % per_row * (width + GAP), GAP + i // per_row * (height + CAPTION + GAP)
        body.append(f'<g transform="translate({x:g} {y:g}) scale({SMALL:g})">')
        body += board_body(game.plan, game.scene(initial, joints[:length]))
        body.append("</g>")
        body.append(text_at(said, x + INDENT, y + height + 14))
    rows = -(-len(lengths) // per_row)
    return document(
        max(GAP + per_row * (width + GAP), x + caption_width(result)),
        GAP + rows * (height + CAPTION + GAP),
        f"a match of {len(joints)} steps: {captions[-1]}",
        body,
        STYLE + ".caption { font-size: 11px; }",
    )


def caption_width(text: str) -> float:
    return INDENT + WIDTH_OF_A_LETTER * len(text)

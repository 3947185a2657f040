"""Boards of squares with pieces on them, for the games that need some: names of squares, text and pictures.

Glossary
    square    a place on the board, counted row by row from 0, the top row first
    name      as in chess, columns by letters and rows by numbers from the bottom: square 0 of an 8 × 8 board is a8
    clash     two pieces that attack each other, or stand in each other's way
"""

from collections.abc import Collection, Mapping

from domains.svg import document

SQUARE, MARGIN = 44, 26
SHAPES = {
    "queen": "M9 17L13 31H31L35 17L28 24L22 11L16 24ZM13 33H31V37H13Z"
    "M9 11.5a2.5 2.5 0 1 0 .01 0ZM35 11.5a2.5 2.5 0 1 0 .01 0ZM22 5.5a2.5 2.5 0 1 0 .01 0Z",
    "knight": "M14 33C14 26 22 25 22 20C19 23 17 22 15 25L11 26L9 22L14 13L15 7L19 10C28 9 33 18 32 33Z"
    "M12 35H34V38H12Z",
}
STYLE = """
.dark { fill: var(--given); } .edge { fill: none; stroke: var(--faint); }
.piece { fill: var(--found); } .marked { fill: var(--mark); }
.clash { stroke: var(--mark); stroke-width: 2; stroke-opacity: 0.55; }
.name { font-size: 12px; text-anchor: middle; opacity: 0.7; }
"""


def square_name(square: int, side: int) -> str:
    row, column = divmod(square, side)
    return f"{'abcdefghijklmnopqrstuvwxyz'[column]}{side - row}"


def board_text(side: int, marks: Mapping[int, str]) -> str:
    """The board with a mark on some squares, a dot on the others, and the names of rows and columns."""
    width = len(str(side))
    rows = [
        " ".join([f"{side - row:>{width}}", *(marks.get(row * side + column, "·") for column in range(side))])
        for row in range(side)
    ]
    return "\n".join([*rows, " ".join([" " * width, *(square_name(column, side)[0] for column in range(side))])])


def board_picture(
    side: int, shape: str, pieces: Collection[int], clashes: Collection[tuple[int, int]], title: str
) -> str:
    """The board as SVG; pieces that clash are marked and joined by lines."""
    marked = {square for clash in clashes for square in clash}
    edge = side * SQUARE

    def corner(square: int) -> tuple[int, int]:
        return MARGIN + square % side * SQUARE, SQUARE // 4 + square // side * SQUARE

    body = []
    for square in range(side**2):
        x, y = corner(square)
        if (square // side + square % side) % 2:
            body.append(f'<rect class="dark" x="{x}" y="{y}" width="{SQUARE}" height="{SQUARE}"/>')
    x, y = corner(0)
    body.append(f'<rect class="edge" x="{x}" y="{y}" width="{edge}" height="{edge}"/>')
    for i in range(side):
        middle = i * SQUARE + SQUARE // 2
        body.append(f'<text class="name" x="{MARGIN // 2}" y="{y + middle + 4}">{side - i}</text>')
        body.append(f'<text class="name" x="{x + middle}" y="{y + edge + 17}">{square_name(i, side)[0]}</text>')
    for one, other in sorted(clashes):
        (x, y), (to_x, to_y) = corner(one), corner(other)
        half = SQUARE // 2
        body.append(f'<path class="clash" d="M{x + half} {y + half}L{to_x + half} {to_y + half}"/>')
    for square in sorted(pieces):
        x, y = corner(square)
        kind = "marked" if square in marked else "piece"
        body.append(f'<path class="{kind}" transform="translate({x} {y})" d="{SHAPES[shape]}"/>')
    return document(MARGIN + edge + SQUARE // 4, SQUARE // 4 + edge + MARGIN, title, body, STYLE)

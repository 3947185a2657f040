"""How games of SameGame are drawn: the board before and after, and in the picture also which move removed what.

Glossary
    mark    the number of the move that removed a cell of the board as it was at first; none for a cell left over
"""

from collections.abc import Sequence

from domains.samegame_board import BONUS, Board, counted, penalty
from domains.svg import document

EMPTY = "·"
LEGEND = "A number is the move that removes the cell; cells without one are left."
PITCH, MARGIN, BETWEEN = 28, 12, 26
COLOURS = ("#e69f00", "#56b4e9", "#3cb88f", "#f0e442", "#cc79a7", "#e8703a", "#9aa5ff", "#b5b5b5", "#c2a878")
INK = "#1f2430"


def _rows(board: Board, width: int, height: int) -> list[str]:
    """The board from the top row down."""
    return [
        " ".join(
            str(board.columns[x][y]) if x < len(board.columns) and y < len(board.columns[x]) else EMPTY
            for x in range(width)
        )
        for y in reversed(range(height))
    ]


def summary(final: Board, moves: int, over: bool) -> str:
    after, groups = f"after {counted(moves, 'move')}", f"{final.points} for groups"
    if not over:
        return f"{counted(final.points, 'point')} {after}, and the game is not over"
    if not final.left:
        return f"{final.points + BONUS} points {after}: {groups} and {BONUS} for the cleared board"
    cost = penalty(final.counts())
    points = counted(final.points - cost, "point")
    return f"{points} {after}: {groups}, less {cost} for {counted(final.left, 'cell')} left over"


def text(initial: Board, final: Board, width: int, height: int, said: str) -> str:
    before, after = _rows(initial, width, height), _rows(final, width, height)
    head = f"{'start':<{2 * width - 1}}   end"
    return "\n".join([head, *(f"{one}   {other}" for one, other in zip(before, after, strict=True)), said])


def marks_of(initial: Board, groups: Sequence[Sequence[tuple[int, int]]]) -> dict[tuple[int, int], int]:
    """The marks of the cells at first, given what each move removes by the places it has then."""
    at_first = [[(x, y) for y in range(len(column))] for x, column in enumerate(initial.columns)]
    marks = {}
    for number, group in enumerate(groups, 1):
        for x, y in sorted(group, reverse=True):
            marks[at_first[x].pop(y)] = number
        at_first = [column for column in at_first if column]
    return marks


def picture(
    initial: Board, final: Board, width: int, height: int, groups: Sequence[Sequence[tuple[int, int]]], said: str
) -> str:
    """The board at first, each cell with its mark, and beside it what is left in the end."""
    marks = marks_of(initial, groups)
    across, top = width * PITCH, MARGIN + 20
    body = []
    for left, caption, board in (
        (MARGIN, "start", initial),
        (MARGIN + across + BETWEEN, "end", final),
    ):
        body.append(f'<text class="caption" x="{left}" y="{top - 8}">{caption}</text>')
        body.append(f'<rect class="board" x="{left}" y="{top}" width="{across}" height="{height * PITCH}"/>')
        for x, column in enumerate(board.columns):
            for y, colour in enumerate(column):
                at_x, at_y = left + x * PITCH, top + (height - 1 - y) * PITCH
                shape = f'x="{at_x + 1}" y="{at_y + 1}" width="{PITCH - 2}" height="{PITCH - 2}" rx="4"'
                body.append(f'<rect class="cell" fill="{COLOURS[colour - 1]}" {shape}/>')
                if board is initial and (x, y) in marks:
                    body.append(f'<text class="mark" x="{at_x + PITCH // 2}" y="{at_y + 18}">{marks[x, y]}</text>')
    bottom = top + height * PITCH
    body.append(f'<text class="caption" x="{MARGIN}" y="{bottom + 20}">{LEGEND}</text>')
    body.append(f'<text class="said" x="{MARGIN}" y="{bottom + 42}">{said}</text>')
    wide = max(2 * across + BETWEEN, 8 * len(said), 7 * len(LEGEND)) + 2 * MARGIN
    return document(wide, bottom + 54, f"SameGame: {said}", body, STYLE)


STYLE = f"""
.board {{ fill: var(--given); }} .caption {{ font-size: 12px; }} .said {{ font-size: 14px; }}
.mark {{ font-size: 12px; text-anchor: middle; fill: {INK}; font-variant-numeric: tabular-nums; }}
"""

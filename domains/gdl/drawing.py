"""States as text: boards where there are facts `cell COLUMN ROW CONTENT`, and all other facts one after the other."""

import textwrap
from collections.abc import Sequence
from html import escape

from domains.svg import document

EMPTY = ("b", "blank", "empty")
MARGIN, HEIGHT, LETTER, WIDTH = 12, 20, 9, 80
STYLE = "text { font-family: ui-monospace, monospace; font-size: 14px; }"


def drawn(facts: Sequence[str]) -> str:
    """A board, if there is one, the first row on top; then the other facts, in their order."""
    cells: dict[tuple[str, str], str] = {}
    others = []
    for fact in facts:
        words = fact.split()
        if len(words) == 4 and words[0] == "cell" and "(" not in fact and (words[1], words[2]) not in cells:
            cells[words[1], words[2]] = "." if words[3] in EMPTY else words[3]
        else:
            others.append(fact)
    lines = _board(cells) if cells else []
    return "\n".join([*lines, *([", ".join(others)] if others else [])])


def picture(text: str, title: str) -> str:
    """The text as an SVG document."""
    lines = [part for line in text.splitlines() for part in textwrap.wrap(line, WIDTH, drop_whitespace=False) or [""]]
    rows = [
        f'<text x="{MARGIN}" y="{MARGIN + HEIGHT * (i + 1)}" xml:space="preserve">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
    width = 2 * MARGIN + LETTER * max(map(len, lines), default=0)
    return document(width, 3 * MARGIN + HEIGHT * len(lines), title, rows, STYLE)


def _board(cells: dict[tuple[str, str], str]) -> list[str]:
    """In the order of the facts, which is that of the numbers or words in them."""
    columns, rows = list(dict.fromkeys(x for x, _ in cells)), sorted(dict.fromkeys(y for _, y in cells), key=_in_order)
    width = max(map(len, cells.values()))
    return [" ".join(cells.get((x, y), "").ljust(width) for x in columns).rstrip() for y in rows]


def _in_order(word: str) -> tuple[int, int, str]:
    size = word.lstrip("0")
    return (0, len(size), size) if word.isascii() and word.isdigit() else (1, 0, word)

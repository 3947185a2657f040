"""Boards of SameGame in text files.

A row of the board is a line of colours, the top row first: `1 2 2 5 …`, `1,2,2,5,…` or `1225…`. Colours are numbered
from 1, or from 0; then all are one more here. A blank line ends a board, and what follows # is not read.

A folder is its *.txt, one board each. A file may have several boards, from which problems are then drawn.
"""

import re
from pathlib import Path
from typing import NamedTuple

from domains.errors import UnknownDomain
from domains.samegame_board import LONGEST_SIDE, MOST_COLOURS, Board, counted
from domains.saying import shown
from domains.text_files import lines_of


class Read(NamedTuple):
    """What a path has."""

    boards: list[Board]
    instances: list[Path] | None
    """The files of one board each; None where problems are drawn from several boards of one file."""


def read_all(path: Path) -> Read:
    """The boards of a file or of a folder. Raises `UnknownDomain` with what is wrong with it."""
    if not path.is_dir():
        boards = read_boards(path)
        return Read(boards, [path] if len(boards) == 1 else None)
    files = sorted(file for file in path.glob("*.txt") if not file.name.startswith("."))
    if not files:
        raise UnknownDomain(f"there is no *.txt in {path}; each board is a file of its own there, such as board1.txt")
    return Read([read_one(file) for file in files], files)


def read_one(file: Path) -> Board:
    """The board in a file that has no other."""
    board, *others = read_boards(file)
    if others:
        raise UnknownDomain(
            f"{file} has {1 + len(others)} boards; in a folder each is a file of its own; or name this file alone"
        )
    return board


def read_boards(file: Path) -> list[Board]:
    """The boards in a file, one at least."""
    lines = lines_of(file, "samegame")
    boards: list[Board] = []
    rows: list[list[int]] = []
    for number, line in enumerate([*lines, ""], 1):
        text = line.partition("#")[0].strip()
        if text:
            row = _row(f"line {number} of {file}", text)
            if rows and len(row) != len(rows[0]):
                raise UnknownDomain(
                    f"line {number} of {file} has {len(row)} cells, and the row above it {len(rows[0])}; all rows of a "
                    "board are equally long, and between two boards there is a blank line"
                )
            rows.append(row)
        elif rows and not line.strip():
            boards.append(_board(f"the board that ends in line {number - 1} of {file}", rows))
            rows = []
    if not boards:
        raise UnknownDomain(f"{file} has no board; write its rows as lines of colours, such as 1 2 2 5")
    return boards


def _row(where: str, text: str) -> list[int]:
    words = re.split(r"[\s,;]+", text.strip(",; \t"))
    if len(words) == 1:
        words = list(text)
    row = [int(word) if re.fullmatch("[0-9]{1,2}", word) else -1 for word in words]
    for word, colour in zip(words, row, strict=True):
        if not 0 <= colour <= MOST_COLOURS:
            raise UnknownDomain(
                f"{where}: {shown(word)} is no colour; colours are numbers from 1 to {MOST_COLOURS}, or from 0 to "
                f"{MOST_COLOURS - 1}"
            )
    return row


def _board(where: str, rows: list[list[int]]) -> Board:
    for name, side in (("column", len(rows[0])), ("row", len(rows))):
        if not 2 <= side <= LONGEST_SIDE:
            raise UnknownDomain(
                f"{where} has {counted(side, name)}; it may have 2 to {LONGEST_SIDE}, and a blank line ends a board"
            )
    colours = {colour for row in rows for colour in row}
    if {0, MOST_COLOURS} <= colours:
        raise UnknownDomain(
            f"{where} has the colours 0 and {MOST_COLOURS}; number them from 1 to {MOST_COLOURS}, or from 0 to "
            f"{MOST_COLOURS - 1}"
        )
    add = int(0 in colours)
    return Board([[row[x] + add for row in reversed(rows)] for x in range(len(rows[0]))], 0)

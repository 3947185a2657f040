"""One kind of table, and what it is written as: aligned text, Markdown, and HTML by `report/page.html`."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discovery.markdown import code, plain


class Code(str):
    """A cell that is an expression: code in Markdown and in HTML."""


@dataclass(frozen=True)
class Heading:
    """Of a column: of numbers, which stand to the right, or of texts. The minor ones have no place on a phone."""

    text: str
    number: bool
    minor: bool = False


def texts(*headings: str, minor: bool = False) -> list[Heading]:
    return [Heading(text, False, minor) for text in headings]


def numbers(*headings: str, minor: bool = False) -> list[Heading]:
    return [Heading(text, True, minor) for text in headings]


@dataclass(frozen=True)
class Table:
    headings: Sequence[Heading]
    rows: Sequence[Sequence[Any]]
    """cells are texts; those of a page may be more, if the page knows how to show them"""
    caption: str = ""
    """of a page"""
    kinds: Sequence[str] = ()
    """of the rows, for the page's colours"""

    def as_text(self) -> list[str]:
        """Lines with the columns below each other, two blanks between them."""
        lines = [[heading.text for heading in self.headings], *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return ["  ".join(map(_padded, line, widths, self.headings)).rstrip() for line in lines]

    def as_markdown(self, write: Callable[[str], str] = plain) -> list[str]:
        """`write` makes Markdown of all cells but code."""
        lines = [
            [write(heading.text) for heading in self.headings],
            ["--:" if heading.number else "---" for heading in self.headings],
            *([code(cell) if isinstance(cell, Code) else write(cell) for cell in row] for row in self.rows),
        ]
        return [f"| {' | '.join(line)} |" for line in lines]


def _padded(cell: str, width: int, heading: Heading) -> str:
    return cell.rjust(width) if heading.number else cell.ljust(width)


def csv_text(records: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """One line for each record; what is None is empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()

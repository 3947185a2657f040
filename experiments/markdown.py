"""Tables in Markdown, and what stands in them."""

from collections.abc import Sequence
from typing import Final

NOT_YET: Final = "not measured yet"
NOT_YET_SENTENCE = "Not measured yet."


def table_lines(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table, a line each."""
    return [_line(header), "|" + "---|" * len(header), *(_line(row) for row in rows)]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def signed(value: float, digits: int = 1) -> str:
    """+1.2 or −1.2."""
    return f"{'−' if value < 0 else '+'}{abs(value):.{digits}f}"


def thousands(number: float) -> str:
    """12 345 678, as the paper has it."""
    return f"{number:,.0f}".replace(",", " ")


def duration(seconds: float) -> str:
    """12 s, 3.4 min or 5.6 h."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"

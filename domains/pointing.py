"""Messages about a text that show the line, and carets under what is wrong."""

SHOWN_BEFORE, SHOWN_WIDTH = 60, 100
"""How much of a long line is shown with a message."""


def pointed_at(name: str, text: str, what: str, start: int, end: int) -> str:
    """A message with the line that it is about, and carets under the part from `start` to before `end`."""
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", start)
    line = text[first:] if last < 0 else text[first:last]
    line = "".join(c if c.isprintable() else " " for c in line)
    column = start - first
    width = max(1, min(end - start, len(line) - column))
    cut = max(0, column - SHOWN_BEFORE)
    shown = line[cut : cut + SHOWN_WIDTH].rstrip()
    width = min(width, max(1, len(shown) - (column - cut)))
    place = f"{name}:{text.count(chr(10), 0, start) + 1}:{column + 1}"
    return f"{place}: {what}\n  {shown}\n  {' ' * (column - cut)}{'^' * width}"

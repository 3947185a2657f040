"""How results show themselves in a notebook, and as data frames of pandas where that is installed."""

import base64
import math
from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any

from domains.errors import UserError
from mcsgrammar.wording import printable


def as_html(text: str) -> str:
    """Text that HTML shows as it is, in its lines."""
    return escape("\n".join(printable(line) for line in text.split("\n")))


def html_table(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], notes: Sequence[str] = ()) -> str:
    """A table of plain texts, numbers to the right as notebooks have it, with notes below."""
    heads = "".join(f"<th>{as_html(text)}</th>" for text in head)
    body = "".join("<tr>" + "".join(f"<td>{as_html(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    below = "".join(f"<br><small>{as_html(note)}</small>" for note in notes)
    above = f"<caption>{as_html(caption)}</caption>"
    return f"<table>{above}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{below}"


def html_picture(caption: str, svg: str | None, text: str) -> str:
    """A picture, or text in its place. As an image of its own, so that its styles do not get out into the page."""
    if svg is None:
        shown = f"<pre>{as_html(text)}</pre>"
    else:
        data = base64.b64encode(svg.encode()).decode()
        shown = f'<img src="data:image/svg+xml;base64,{data}" alt="{as_html(caption)}">'
    return f"<p>{as_html(caption)}</p>{shown}"


def data_frame(records: Sequence[Mapping[str, Any]]) -> Any:
    """A `pandas.DataFrame` with a line for each record."""
    try:
        pandas = import_module("pandas")
    except ImportError:
        raise UserError("to_dataframe() needs pandas, which is not installed: pip install pandas") from None
    return pandas.DataFrame(records)


def number(value: float | None) -> str:
    """For reprs and tables of a notebook; what does not exist is a dash."""
    return "-" if value is None or math.isnan(value) else f"{value:.6g}"

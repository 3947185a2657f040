"""Pieces of Markdown that the generated pages are made of."""

import inspect
import re
from collections.abc import Iterable, Sequence
from typing import Any

GENERATED = "<!-- Written by `python -m docs.generate`; change what it reads, not this file. -->"


def page(title: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", GENERATED, *(part.strip("\n") for part in parts if part)]) + "\n"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def code(text: str) -> str:
    return f"`{text}`" if text else ""


def block(text: str, language: str = "text") -> str:
    return f"```{language}\n{text.rstrip()}\n```"


def docstring(thing: Any) -> str:
    """A docstring as Markdown: what is indented in it is shown as it stands, dataclasses' own signatures are none."""
    text = inspect.cleandoc(thing if isinstance(thing, str) else thing.__doc__ or "")
    return "" if re.match(rf"{getattr(thing, '__name__', '')}\(", text) else fenced(text)


def fenced(text: str) -> str:
    """Indented parts as blocks of their own."""
    parts: list[str] = []
    for part in re.split(r"\n\n+", text):
        indented = all(line.startswith("    ") for line in part.split("\n"))
        glossary = re.match(r"Glossary\n(?=    )", part)
        if indented:
            parts.append(block(inspect.cleandoc("\n" + part)))
        elif glossary:
            parts.append(block(inspect.cleandoc("\n" + part[glossary.end() :])))
        else:
            parts.append(part)
    return "\n\n".join(parts)


def sections_of(text: str) -> tuple[str, str]:
    """The first paragraph of a docstring, and the rest."""
    first, _, rest = inspect.cleandoc(text).partition("\n\n")
    return " ".join(first.split()), rest


def anchor(heading: str) -> str:
    """Where GitHub puts a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")

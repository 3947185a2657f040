"""The HTML of a report, in small pieces: text, tables, figures. Whatever comes from outside goes through `e`."""

import html

PageSection = tuple[str, str, str]
"""Its name in links, its title, and its HTML, which is empty where there is nothing to say."""


def e(text: str) -> str:
    """Text that HTML shows as it is; what cannot be shown is written as an escape."""
    shown = "".join(
        c if c.isprintable() or c == "\n" else c.encode("unicode_escape", "backslashreplace").decode() for c in text
    )
    return html.escape(shown, quote=True)


def code(text: str) -> str:
    """An expression, which may be broken behind a bracket."""
    return f"<code>{e(text).replace('(', '(<wbr>')}</code>"


def number(text: str) -> str:
    """With a minus that is as wide as a plus."""
    return e(text.replace("-", "−") if text[:1] == "-" else text)


def section(name: str, title: str, body: str) -> str:
    heading = f'<h2 id="{name}-heading">{e(title)}</h2>'
    return f'<section id="{name}" aria-labelledby="{name}-heading">\n{heading}\n{body}\n</section>\n'


def figure(chart: str, caption: str = "") -> str:
    return f"<figure>{chart}{f'<figcaption>{caption}</figcaption>' if caption else ''}</figure>"


def about(text: str) -> str:
    return f'<p class="about">{text}</p>'


def table(caption: str, heads: list[tuple[str, str]], rows: list[tuple[str, list[str]]], row_head: int = 0) -> str:
    """A table; heads are (text, class), rows (class, cells as HTML). It scrolls sideways where it has to."""
    head = "".join(f'<th scope="col"{class_(kind)}>{e(text)}</th>' for text, kind in heads)
    lines = []
    for row_kind, cells in rows:
        line = "".join(
            f'<th scope="row"{class_(kind)}>{cell}</th>' if i == row_head else f"<td{class_(kind)}>{cell}</td>"
            for i, (cell, (_, kind)) in enumerate(zip(cells, heads, strict=True))
        )
        lines.append(f"<tr{class_(row_kind)}>{line}</tr>")
    body = "\n".join(lines)
    return scrolling(caption, head, body)


def scrolling(caption: str, head: str, body: str) -> str:
    """A table of these heads and lines, in a frame that scrolls, by the keyboard too."""
    frame = f'<div class="scroll" tabindex="0" role="region" aria-label="{e(caption)}">'
    lines = f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>"
    return f"{frame}<table><caption>{e(caption)}</caption>{lines}</table></div>"


def class_(kind: str) -> str:
    return f' class="{kind}"' if kind else ""


def details(summary: str, body: str) -> str:
    return f"<details><summary>{e(summary)}</summary>\n{body}\n</details>"

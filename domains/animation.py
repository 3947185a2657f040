"""Pictures that follow one another in one SVG document, which needs nothing else: CSS shows one frame at a time, over
and over again. What cannot move, or is asked not to, shows the last."""

import re
from html import escape
from xml.etree import ElementTree

from domains.svg import STYLE, document

SECONDS_A_FRAME, SECONDS_AT_THE_END = 0.5, 2.0
SVG = "http://www.w3.org/2000/svg"
CHARACTER, LINE, MARGIN = 8.2, 18, 12
"""The size of text, a little wider than most fonts."""

Element = ElementTree.Element


def text_frame(text: str) -> str:
    """A frame of plain text."""
    lines = text.expandtabs().splitlines() or [""]
    width = 2 * MARGIN + CHARACTER * max(map(len, lines))
    body = [
        f'<text class="line" x="{MARGIN}" y="{MARGIN + LINE * number}" xml:space="preserve">{escape(line)}</text>'
        for number, line in enumerate(lines, 1)
    ]
    return document(width, 2 * MARGIN + LINE * len(lines), "", body, TEXT_STYLE)


TEXT_STYLE = "\n.line { font: 13px ui-monospace, monospace; white-space: pre; }\n"


def animated(frames: list[str], title: str) -> str:
    """One document of several, each half a second. What all of them begin with is drawn once. Raises `ParseError` for
    what is no document."""
    roots = [ElementTree.fromstring(frame) for frame in frames]
    sizes = [_size(root) for root in roots]
    width, height = max(size[0] for size in sizes), max(size[1] for size in sizes)
    styles, drawings = zip(*map(_style_and_drawing, roots), strict=True)
    style = "\n".join(dict.fromkeys(one.replace(STYLE, "") for one in styles))
    shared = 0
    while all(len(drawing) > shared and drawing[shared] == drawings[0][shared] for drawing in drawings):
        shared += 1
    seconds = (len(frames) - 1) * SECONDS_A_FRAME + SECONDS_AT_THE_END
    body = list(drawings[0][:shared])
    for number, drawing in enumerate(drawings):
        last = " last" if number == len(drawings) - 1 else ""
        # A delay below zero: at the beginning every frame is already somewhere on its round.
        delay = f"{number * SECONDS_A_FRAME - seconds:g}s" if number else "0s"
        body += [f'<g class="frame{last}" style="animation-delay: {delay}">', *drawing[shared:], "</g>"]
    shown, shown_last = 100 * SECONDS_A_FRAME / seconds, 100 * SECONDS_AT_THE_END / seconds
    timing = (
        f"@keyframes frame {{ 0% {{ visibility: visible }} {shown:.4f}%, 100% {{ visibility: hidden }} }}\n"
        f"@keyframes last {{ 0% {{ visibility: visible }} {shown_last:.4f}%, 100% {{ visibility: hidden }} }}\n"
        f".frame {{ visibility: hidden; animation: frame {seconds:g}s step-end infinite }}\n"
        f".last {{ visibility: visible; animation-name: last }}\n"
        "@media (prefers-reduced-motion: reduce) { .frame { animation: none } }\n"
    )
    return document(width, height, title, body, f"{style}{timing}")


def _size(root: Element) -> tuple[float, float]:
    """Where the picture ends, right and below, in its own units."""
    box = [float(number) for number in re.split(r"[\s,]+", root.get("viewBox", "").strip()) if number]
    if len(box) == 4:
        return box[0] + box[2], box[1] + box[3]
    across, down = (float(re.sub(r"[^\d.].*", "", root.get(side, "")) or 100) for side in ("width", "height"))
    return across, down


def _style_and_drawing(root: Element) -> tuple[str, list[str]]:
    """The style sheets of a document, and all else that it draws, an element each."""
    styles, drawing = [], []
    for element in root:
        if element.tag == f"{{{SVG}}}style":
            styles.append(element.text or "")
        elif element.tag != f"{{{SVG}}}title":
            drawing.append(_written(element))
    return "\n".join(styles), drawing


def _written(element: Element) -> str:
    ElementTree.register_namespace("", SVG)
    element.tail = None
    return ElementTree.tostring(element, encoding="unicode").replace(f' xmlns="{SVG}"', "")

"""The Markdown files of the repository, and what stands in them."""

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

PAGES = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "results").rglob("*.md")],
    key=lambda path: path.as_posix(),
)
"""All that a reader may come across."""

FENCE = re.compile(r"^(`{3,})(\w*)[^\n]*\n(.*?)^\1$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    return [text for _, kind, text in FENCE.findall(page.read_text(encoding="utf-8")) if kind == language]


def prose(page: Path) -> str:
    """The text without code."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text(encoding="utf-8")))


def anchors(page: Path) -> set[str]:
    """Where GitHub puts the headings; a heading that occurs again gets a number."""
    found: dict[str, int] = {}
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for heading in re.findall(r"^#{1,6} +(.*?)\s*$", text, re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        found[name] = found.get(name, -1) + 1
        if found[name]:
            found[f"{name}-{found[name]}"] = 0
    return set(found)

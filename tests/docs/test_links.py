"""Every link inside the repository leads somewhere."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, anchors, prose

LINK = re.compile(r"\]\(<?([^)\s>]+)>?(?: \"[^\"]*\")?\)|<img [^>]*src=\"([^\"]+)\"")


def links(page: Path) -> list[str]:
    return [first or second for first, second in LINK.findall(prose(page))]


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        there = (page.parent / target).resolve() if target else page
        assert there.exists(), f"{page.relative_to(ROOT)} links to {link}, which is not there"
        assert there.is_relative_to(ROOT), f"{page.relative_to(ROOT)} links out of the repository: {link}"
        if anchor:
            assert there.suffix == ".md" and anchor in anchors(there), f"{page.name}: there is no {link}"


def test_links_are_found_at_all() -> None:
    found = {page.name: len(links(page)) for page in PAGES}
    assert found["README.md"] and found["commands.md"] > 15


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_fences_are_closed(page: Path) -> None:
    assert len(re.findall(r"^```", page.read_text(encoding="utf-8"), re.MULTILINE)) % 2 == 0


def test_every_page_of_the_manual_can_be_reached() -> None:
    """From the README, by links."""
    reached, ahead = set[Path](), [ROOT / "README.md"]
    while ahead:
        page = ahead.pop()
        if page in reached or page.suffix != ".md" or not page.is_file():
            continue
        reached.add(page)
        ahead += [(page.parent / link.partition("#")[0]).resolve() for link in links(page) if "://" not in link]
    unreached = [page.name for page in (ROOT / "docs").glob("*.md") if page.resolve() not in reached]
    assert not unreached, f"nothing links to {', '.join(unreached)}"

"""How a tour with time windows is drawn, in a terminal and as SVG."""

from xml.etree import ElementTree

import pytest

from domains.problems import problem
from domains.protocol import replay
from domains.tsptw import Tsptw, start
from domains.tsptw_drawing import MAP, MARGIN, TOP, on_map
from tests.domains.test_tsptw import BY_HAND, walked

SVG = "{http://www.w3.org/2000/svg}"
LEGEND = "5@30: customer 5 is reached at 30; +4: waits 4 until the window opens; !8: comes 8 too late"


@pytest.mark.parametrize(
    ("tour", "text"),
    [
        ([], f"depot@2\n{LEGEND}\n0 of 3 customers visited: travel 0, nobody late"),
        ([1], f"depot@2  1@6+4\n{LEGEND}\n1 of 3 customers visited: travel 4, nobody late"),
        ([1, 3], f"depot@2  1@6+4  3@18!5\n{LEGEND}\n2 of 3 customers visited: travel 12, 1 late"),
        ([2, 3, 1], f"depot@2  2@11  3@12  1@22!10  depot@28!4\n{LEGEND}\ncost 226: travel 26, 2 late × 100"),
    ],
)
def test_the_text(tour: list[int], text: str) -> None:
    assert Tsptw(prune=False).draw(start(BY_HAND), tour) == text


def test_a_tour_from_the_middle() -> None:
    domain = Tsptw(prune=False)
    middle = replay(domain, start(BY_HAND), [1])
    assert domain.draw(middle, [2, 3]).splitlines()[0] == "1@10  2@13  3@14!1  depot@19"


def test_long_tours_are_folded() -> None:
    domain = Tsptw(cities=60)
    initial = problem(domain, 1)
    *lines, _, _ = domain.draw(initial, walked(domain, initial, 1)).splitlines()
    assert len(lines) > 3 and max(map(len, lines)) <= 100
    words = "  ".join(lines).split("  ")
    assert len(words) == 62 and all("@" in word for word in words)


def classes(picture: ElementTree.Element, tag: str) -> list[str]:
    return [element.get("class") or "" for element in picture.iter(f"{SVG}{tag}")]


def test_the_picture() -> None:
    """The way through all nodes, what is late in another colour, and a row for each visit."""
    picture = ElementTree.fromstring(Tsptw(prune=False).svg(start(BY_HAND), [2, 3, 1]))
    title = "cost 226: travel 26, 2 late × 100"
    assert picture.findtext(f"{SVG}title") == f"Travelling salesman with time windows: {title}"
    assert title in [text.text for text in picture.iter(f"{SVG}text")]
    circles = classes(picture, "circle")
    assert circles == ["node", "node", "node late", "node late depot", "coming", "coming", "coming late", "coming late"]
    assert classes(picture, "rect") == ["paper", *["window"] * 4]
    assert classes(picture, "path") == ["way", "lateness", "lateness", "axis"]
    way = next(path.get("d") for path in picture.iter(f"{SVG}path") if path.get("class") == "way")
    assert way is not None and way.count("L") == 4
    names = [text.text for text in picture.iter(f"{SVG}text") if (text.get("class") or "").startswith("name")]
    assert names == ["2", "3", "1", "depot"]


def test_the_picture_of_a_part() -> None:
    picture = ElementTree.fromstring(Tsptw(prune=False).svg(start(BY_HAND), [1]))
    assert classes(picture, "circle") == ["node left", "node left", "node", "node depot", "coming"]
    assert classes(picture, "path") == ["way", "wait", "axis"]


@pytest.mark.parametrize("cities", [1, 20, 100, 300])
def test_all_nodes_are_on_the_map(cities: int) -> None:
    domain = Tsptw(cities=cities)
    customers = problem(domain, 0).customers
    places = on_map(customers)
    assert len(places) == cities + 1
    assert all(MARGIN <= x <= MARGIN + MAP and TOP <= y <= TOP + MAP for x, y in places)
    without = on_map(type(customers)(customers.travel, customers.opens, customers.closes))
    assert len({(round(x), round(y)) for x, y in without}) == cities + 1  # in a circle, all apart


def test_nodes_in_one_place_are_drawn() -> None:
    together = type(BY_HAND)(((0.0, 0.0), (0.0, 0.0)), (0.0, 0.0), (0.0, 0.0), ((3.0, 3.0), (3.0, 3.0)))
    ElementTree.fromstring(Tsptw().svg(start(together), [1]))

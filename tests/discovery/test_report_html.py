"""The page of a report as a document: well formed, closed to the network, and safe with whatever a domain says."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from discovery.arena.agents import oppose
from discovery.report.page import HERE, as_html
from discovery.report.page_tables import FIRST_ROWS, MOST_DATA, structure_tables
from discovery.report.report import make_report
from discovery.report.svg import cut, linear, logarithmic, nice_step, spread_out
from discovery.report.text import as_csv, as_markdown, as_text
from domains.registry import find_domain
from mcsgrammar.engines.searching import Limits
from tests.discovery.reports import Pull, many, written

VOID = {"meta", "link", "input", "br", "wbr", "img"}
EVIL = "<script>alert(1)</script>\"&'`|*_#\u202e\x00"
EVIL_DOMAIN = f"""
from domains.protocol import Domain
EVIL = {EVIL!r}


class Evil(Domain):
    horizon = 3
    unit = EVIL

    def sample(self, random):
        return [random.below(9)]

    def actions(self, state):
        return [1, 2] if len(state) < 3 else []

    def play(self, state, action):
        state.append(action)

    def reward(self, state):
        return sum(state) % 5 / 5

    def draw(self, initial, actions):
        return "</pre></code>``` " + EVIL
"""
EVIL_PICTURE = """
    def svg(self, initial, actions):
        return '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><title>"&amp;#</title></svg>'
"""


class Page(HTMLParser):
    """Checks the nesting of elements, and keeps them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert len(dict(attributes)) == len(attributes)
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    """With every section."""
    return Page(as_html(make_report(many(tmp_path_factory.mktemp("c") / "c"), problems=5, curves=True, jobs=1)))


def test_names_and_references(page: Page) -> None:
    names = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(names) == len(set(names))
    wanted = [
        name
        for _, attributes in page.elements
        for key in ("aria-labelledby", "aria-describedby", "for")
        for name in (attributes.get(key) or "").split()
    ]
    wanted += [(link["href"] or "")[1:] for link in page.all("a")]
    assert wanted and set(wanted) <= set(names)


def test_sections(page: Page) -> None:
    names = [attributes["id"] for attributes in page.all("section")]
    assert names == ["tests", "curves", "training", "components", "spending", "solutions", "ranking", "repeat"]
    assert [link["href"] for link in page.all("a")][1:] == [f"#{name}" for name in names]


def test_charts_have_names(page: Page) -> None:
    charts = page.all("svg")
    assert len(charts) == 14
    assert all(chart["role"] == "img" and chart["aria-labelledby"] for chart in charts)
    assert len(page.all("desc")) == 14
    assert [bool(image["alt"]) for image in page.all("img")] == [True] * 3
    assert all("scope" in head for head in page.all("th"))
    assert len(page.all("caption")) == len(page.all("table"))


def test_nothing_comes_from_elsewhere(page: Page) -> None:
    """The policy forbids it, and nothing asks for it."""
    policy = next(meta for meta in page.all("meta") if meta.get("http-equiv"))["content"] or ""
    assert policy.startswith("default-src 'none'; ") and "http" not in policy
    sources = [
        a[key] or "" for _, a in page.elements for key in ("src", "href", "srcset", "data", "action") if key in a
    ]
    assert all(source.startswith(("#", "data:")) for source in sources)
    assert all("url(" not in (attributes.get("style") or "") for _, attributes in page.elements)
    assert not [key for _, attributes in page.elements for key in attributes if key.startswith("on")]


def test_the_style_and_the_script_ask_for_nothing() -> None:
    style, script = ((HERE / f"report.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
    assert not re.search(r"url\(|@import|http|//", style)
    assert not re.search(r"fetch|XMLHttp|import|http|//|innerHTML|eval", script)


@pytest.mark.parametrize("picture", ["", EVIL_PICTURE])
def test_what_a_domain_says_is_only_shown(picture: str, tmp_path: Path) -> None:
    name = tmp_path / 'it\'s <b>&amp; "evil".py'
    name.write_text(EVIL_DOMAIN + picture, encoding="utf-8")
    texts = [f"repeat(sim, {n})" for n in range(2, 8)]
    folder = written(tmp_path / "c", f"{name}:Evil", texts, [(arm, 0.5) for arm in range(6)])
    report = make_report(folder, problems=3, curves=True, jobs=1)
    html = as_html(report)
    page = Page(html)
    assert len(page.all("script")) == 2 and page.all("b") == []
    assert "<script>alert" not in html and "&lt;script&gt;alert(1)" in html
    assert "\x00" not in html and "\u202e" not in html
    images = page.all("img")
    assert len(images) == (3 if picture else 0) and len(page.all("pre")) == (3 if not picture else 0) + 3
    assert all("<" not in (image["src"] or "") for image in images)
    markdown = as_markdown(report)
    assert "<script>" not in re.sub(r"(?s)````?text\n.*?\n````?(?=\n)", "", markdown)
    for table in re.findall(r"(?m)(?:^\|.*\n)+", markdown):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1
    assert as_csv(report) and as_text(report)


def test_the_first_rows_are_there_without_the_script(tmp_path: Path) -> None:
    html = as_html(make_report(many(tmp_path / "c"), problems=0))
    table = html.split('<table id="candidates">')[1].split("</table>")[0]
    assert table.count("<tr") == FIRST_ROWS + 1
    data = json.loads(html.split('id="candidates-data">')[1].split("</script>")[0])
    assert len(data["rows"]) == 411
    assert f"Without JavaScript the first {FIRST_ROWS} are shown." in html
    assert html.count("<form") == html.count('Candidates" hidden>') == 1


def test_a_page_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit is left to --csv, and the page says so."""
    monkeypatch.setattr("discovery.report.page_tables.MOST_DATA", 5000)
    html = as_html(make_report(many(tmp_path / "c"), problems=0))
    data = json.loads(html.split('id="candidates-data">')[1].split("</script>")[0])
    held = len(data["rows"])
    assert 50 < held < 200
    assert f"Here are the best {held} of 411; --csv writes all." in html
    assert MOST_DATA < 2_000_000


def test_a_huge_picture_is_drawn_as_text(tmp_path: Path) -> None:
    for i, svg in enumerate(
        ("'<svg xmlns=\"http://www.w3.org/2000/svg\">' + ' ' * 200_000 + '</svg>'", "'<svg'", "'<p/>'", "7")
    ):
        domain = tmp_path / f"d{i}.py"
        source = (
            EVIL_DOMAIN.replace(repr(EVIL), "'points'")
            + f"\n    def svg(self, initial, actions):\n        return {svg}\n"
        )
        domain.write_text(source, encoding="utf-8")
        pulls: list[Pull] = [(0, 0.5), (1, 0.25)]
        folder = written(tmp_path / f"c{i}", f"{domain}:Evil", ("sim", "step(sim)"), pulls)
        report = make_report(folder, problems=2, curves=True, jobs=1)
        assert [drawing.svg for drawing in report.drawings] == [None] * len(report.drawings)


# Axes.


def test_linear_axes() -> None:
    axis = linear(0, 10, 100, 200, 5)
    assert axis.ticks == [(0, "0"), (2, "2"), (4, "4"), (6, "6"), (8, "8"), (10, "10")]
    assert [axis.place(value) for value in (0, 5, 10, -1e300, 1e300)] == [100, 150, 200, 100, 200]
    assert [text for _, text in linear(0.0535, 0.2109, 0, 1, 4).ticks] == ["0.10", "0.15", "0.20"]
    assert [text for _, text in linear(0, 315_500, 0, 1, 4).ticks] == ["0", "100,000", "200,000", "300,000"]
    assert linear(16, 16, 0, 100, 4).place(16) == pytest.approx(50)
    assert max(len(text) for _, text in linear(0, 1e30, 0, 1, 5).ticks) <= 9


def test_logarithmic_axes() -> None:
    assert [text for _, text in logarithmic(1, 10_000, 0, 1).ticks] == ["1", "10", "100", "1,000", "10,000"]
    assert [text for _, text in logarithmic(1, 20, 0, 1).ticks] == ["1", "2", "5", "10", "20"]
    assert [text for _, text in logarithmic(1, 1300, 0, 1).ticks] == ["1", "10", "100", "1,300"]
    assert [text for _, text in logarithmic(1, 1, 0, 1).ticks] == ["1"]
    assert logarithmic(1, 100, 0, 80).place(10) == 40


def test_steps_and_labels() -> None:
    assert [nice_step(rough) for rough in (0.9, 1, 1.1, 3, 7, 0.03)] == pytest.approx([1, 1, 2, 5, 10, 0.05])
    assert spread_out([10, 50, 90], 5, 0, 100) == [10, 50, 90]
    assert spread_out([50, 50], 10, 0, 100) == pytest.approx([45, 55])
    assert spread_out([100, 99, 98], 10, 0, 100) == pytest.approx([100, 90, 80])
    assert spread_out([], 5, 0, 1) == []
    assert cut("step(repeat(sim, 10))", 300) == "step(repeat(sim, 10))"
    short = cut("step(repeat(select(step(sim), 0.3), 10))", 128)
    assert len(short) == 20 and short.startswith("step(repeat(") and short.endswith(", 10))")


@pytest.mark.parametrize(("policy", "said"), [("ucb1", False), ("halving", True), ("sampled-halving", True)])
def test_how_halving_ranks_is_said(policy: str, said: bool, tmp_path: Path) -> None:
    pulls: list[Pull] = [(0, 0.25), (1, 0.5), (0, 0.75), (1, 1.0)]
    folder = written(tmp_path / "c", "sudoku:2", ("sim", "step(sim)"), pulls, policy=policy)
    page = as_html(make_report(folder, problems=0))
    assert ("Halving ranks by the round a candidate reached" in page) is said


def test_every_colour_that_is_named_is_there(tmp_path: Path) -> None:
    """On light, on dark and on paper; names may be put together by the template."""
    text = as_html(make_report(many(tmp_path / "c"), problems=0))
    wanted = set(re.findall(r"var\(--([a-z0-9]+)\)", text))
    assert {"good", "bad", "found", "ink"} < wanted
    css = text[text.index("<style>") : text.index("</style>")]
    blocks = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
    assert len(blocks) == 3
    for block in blocks:
        assert wanted <= set(re.findall(r"--([a-z0-9]+):", block))


def test_more_structures_than_are_shown_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = make_report(many(tmp_path / "c"), problems=0)
    whole = [one.caption for one in structure_tables(report)]
    assert report.structure is not None
    number = len(report.structure.by_structure)
    assert whole[0].endswith(f": the first 12 of {number}") and whole[1].endswith(": the others")
    monkeypatch.setattr("discovery.report.page_tables.MOST_GROUPS", 20)
    assert [one.caption for one in structure_tables(report)][1].endswith(f": the next 8 of {number}")


def test_agents_that_have_nobody_to_meet(tmp_path: Path) -> None:
    pool = oppose(find_domain("tictactoe"), [], Limits(2))
    folder = written(tmp_path / "c", "tictactoe", ["select(sim, 0.4)"], [(0, 0.5)] * 4, budget=2, against=pool)
    text = as_html(make_report(folder))
    assert "What is best in training is whom the campaign played against, so there are no matches to play." in text
    assert "--test-problems 0" not in text

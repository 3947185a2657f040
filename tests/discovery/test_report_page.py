"""The page of a report in a real browser: it loads in silence and fetches nothing; its table can be searched, filtered
and sorted, by mouse and by keyboard; it fits a phone and paper, can be read without scripts and by screen readers."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from discovery.report.page import as_html
from discovery.report.page_tables import FIRST_ROWS
from discovery.report.report import make_report
from tests.discovery.browser import CHROMIUM, Browser, browser
from tests.discovery.reports import many, written

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here; apt-get install chromium")

ROWS = "[...document.querySelectorAll('#candidates tbody tr')].map(tr => [...tr.cells].map(td => td.textContent))"
COUNT = "document.getElementById('count').textContent"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    report = make_report(many(folder / "c"), problems=5, curves=True, jobs=1)
    (folder / "report.html").write_text(as_html(report), encoding="utf-8")
    return folder / "report.html"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as one:
        yield one


@pytest.fixture
def opened(running: Browser, page: Path) -> Iterator[Browser]:
    running.size(1280, 900)
    running.media()
    running.open(page)
    yield running
    assert running.complaints == []
    assert running.requests == [page.as_uri()]


def column(browser: Browser, index: int) -> list[str]:
    return [row[index] for row in browser.run(ROWS)]


def click_head(browser: Browser, text: str) -> str:
    """Click a column's heading; how it then says it is sorted."""
    script = f"""(() => {{
      const head = [...document.querySelectorAll('#candidates th[scope=col]')].find(th => th.textContent === '{text}');
      head.querySelector('button').click();
      return head.getAttribute('aria-sort') + ' ' + document.querySelectorAll('[aria-sort]').length;
    }})()"""
    found: str = browser.run(script)
    return found


def fill(browser: Browser, name: str, value: str) -> None:
    browser.run(f"""(() => {{
      const field = document.getElementById('filters').elements['{name}'];
      field.value = '{value}';
      field.dispatchEvent(new Event('input', {{bubbles: true}}));
    }})()""")


def test_it_loads(opened: Browser) -> None:
    assert opened.run("document.title") == "sudoku:2, 20 evaluations: campaign report"
    assert opened.run("document.querySelectorAll('main > section').length") == 8
    assert opened.run("performance.getEntriesByType('resource').filter(e => !e.name.startsWith('data:')).length") == 0
    assert opened.run("[...document.images].every(image => image.complete && image.naturalWidth > 50)")


def test_the_policy_holds(running: Browser, page: Path) -> None:
    """Even a script in the page cannot reach the network."""
    running.open(page)
    script = "fetch('http://localhost:9/').then(() => 'reached', error => error.name)"
    assert running.run(script) == "TypeError"
    running.run("document.body.append(Object.assign(new Image(), {src: 'http://localhost:9/x.png'}))")
    assert any("Content Security Policy" in complaint for complaint in running.complaints)


def test_the_script_shows_what_the_page_showed(opened: Browser, page: Path) -> None:
    """The first rows are the same with and without it, to the last character."""
    with_script = opened.run(ROWS)
    opened.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        opened.open(page)
        assert opened.run(ROWS) == with_script
        assert len(with_script) == FIRST_ROWS
        assert opened.run("getComputedStyle(document.getElementById('filters')).display") == "none"
        assert "Without JavaScript" in opened.run("document.querySelector('noscript').textContent")
    finally:
        opened.call("Emulation.setScriptExecutionDisabled", value=False)


def test_sorting(opened: Browser) -> None:
    assert click_head(opened, "pulls") == "descending 1"
    pulls = [int(text) for text in column(opened, 3)]
    assert pulls == sorted(pulls, reverse=True) and len(set(pulls)) > 1
    ranks = [int(row[0]) for row in opened.run(ROWS) if row[3] == str(pulls[0])]
    assert ranks == sorted(ranks)  # equals stay in the order of the ranking
    assert click_head(opened, "pulls") == "ascending 1"
    assert {int(text) for text in column(opened, 3)} == {2}
    assert click_head(opened, "expression") == "ascending 1"
    texts = column(opened, 1)
    assert texts == sorted(texts) and texts[0] == "lookahead(lookahead(lookahead(sim)))"
    assert click_head(opened, "mean filled cells") == "descending 1"
    means = [float(text) for text in column(opened, 4)]
    assert means == sorted(means, reverse=True)
    assert click_head(opened, "rank") == "ascending 1"
    assert column(opened, 0)[:3] == ["1", "2", "3"]


def test_filters(opened: Browser) -> None:
    assert opened.run(COUNT) == f"{FIRST_ROWS} of 411 candidates"
    fill(opened, "text", "Repeat(sim, 10)")
    matching = column(opened, 1)
    assert matching and all("repeat(sim, 10)" in text for text in matching)
    assert opened.run(COUNT) == f"{len(matching)} of {len(matching)} matching candidates, of 411 in all"
    fill(opened, "text", "repeat( sim,10 )")
    assert column(opened, 1) == matching  # white space does not matter
    fill(opened, "component", "select")
    with_select = [text for text in matching if text.startswith("select(") or "(select(" in text]
    assert with_select and column(opened, 1) == with_select
    fill(opened, "level", "1")
    at_root = [text for text in with_select if text.startswith("select(")]
    assert at_root and column(opened, 1) == at_root
    click_head(opened, "pulls")
    assert sorted(column(opened, 1)) == sorted(at_root)
    fill(opened, "text", "nothing like it")
    assert (opened.run(ROWS), opened.run(COUNT)) == ([], "0 of 0 matching candidates, of 411 in all")
    opened.run("document.querySelector('#filters button[type=reset]').click()")
    assert opened.run(f"new Promise(done => setTimeout(() => done({COUNT}), 50))") == f"{FIRST_ROWS} of 411 candidates"


def test_show_more(opened: Browser) -> None:
    label = "document.getElementById('more').textContent"
    assert opened.run(label) == "Show 200 more"
    opened.run("document.getElementById('more').click()")
    assert (len(opened.run(ROWS)), opened.run(label)) == (250, "Show 161 more")
    assert opened.run("document.activeElement.rowIndex") == FIRST_ROWS + 1  # a keyboard goes on from there
    opened.run("document.getElementById('more').click()")
    assert len(opened.run(ROWS)) == 411 and opened.run("document.getElementById('more').hidden")


def test_keyboard(opened: Browser) -> None:
    """A field is filled and a column sorted without a mouse; the first stop skips the navigation."""
    opened.press("Tab", 9)
    assert opened.run("document.activeElement.textContent") == "Skip to the content"
    opened.run("document.getElementById('filter-text').focus()")
    opened.type("step(sim)")
    typed = column(opened, 1)
    assert typed and all("step(sim)" in text for text in typed)
    opened.press("Enter", 13)
    assert column(opened, 1) == typed
    assert opened.run("location.search + document.activeElement.id") == "filter-text"  # it was not sent anywhere
    for _ in range(4):
        opened.press("Tab", 9)
    seen = [opened.run("document.activeElement.tagName + ' ' + document.activeElement.textContent.trim()")]
    for _ in range(3):
        opened.press("Tab", 9)
        seen.append(opened.run("document.activeElement.tagName + ' ' + document.activeElement.textContent.trim()"))
    assert "BUTTON rank" in seen
    opened.run("[...document.querySelectorAll('#candidates th button')][3].focus()")
    opened.press("Enter", 13)
    assert opened.run("document.querySelector('[aria-sort]').textContent") == "pulls"
    assert opened.run("getComputedStyle(document.activeElement).outlineStyle") == "solid"


@pytest.mark.parametrize("width", [320, 390, 640, 1280])
def test_it_fits(width: int, opened: Browser, page: Path) -> None:
    opened.size(width, 800, mobile=width < 700)
    opened.open(page)
    assert opened.run("document.documentElement.scrollWidth") == width
    shown = opened.run("['wide', 'narrow'].map(kind => document.querySelector('.chart.' + kind).clientWidth > 0)")
    assert shown == ([False, True] if width <= 640 else [True, False])
    smallest = opened.run(
        "Math.min(...[...document.querySelectorAll('svg.chart')].filter(c => c.clientWidth > 0)"
        ".map(c => 12 * c.clientWidth / c.viewBox.baseVal.width))"
    )
    assert smallest >= 9.5  # pixels of the letters in charts


def test_nothing_in_a_chart_is_cut_off(opened: Browser) -> None:
    outside = """[...document.querySelectorAll('svg.chart')].filter(chart => chart.clientWidth > 0).flatMap(chart =>
      [...chart.querySelectorAll('text')].filter(text => {
        const box = text.getBBox(), view = chart.viewBox.baseVal;
        return box.x < -1 || box.y < -1 || box.x + box.width > view.width + 1 || box.y + box.height > view.height + 1;
      }).map(text => text.textContent))"""
    assert opened.run(outside) == []
    opened.size(390, 800, mobile=True)
    assert opened.run(outside) == []


@pytest.mark.parametrize("dark", [False, True])
def test_contrast(dark: bool, opened: Browser) -> None:
    """All colours that letters have stand out from the page by 4.5 to 1, in light and in dark."""
    opened.media(dark=dark)
    ratios = opened.run("""(() => {
      const light = text => {
        const linear = c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4;
        const [r, g, b] = text.match(/[\\d.]+/g).map(n => linear(n / 255));
        return .2126 * r + .7152 * g + .0722 * b;
      };
      const paper = light(getComputedStyle(document.body).backgroundColor), found = {};
      for (const one of document.querySelectorAll('p, th, td, a, code, summary, caption, .chart text, button, label')) {
        const style = getComputedStyle(one), colour = one.closest('svg') ? style.fill : style.color;
        const [low, high] = [light(colour), paper].sort((a, b) => a - b);
        found[colour] = (high + .05) / (low + .05);
      }
      return {paper, found};
    })()""")
    assert (ratios["paper"] < 0.1) == dark
    assert len(ratios["found"]) > 4 and min(ratios["found"].values()) >= 4.5


def test_paper(opened: Browser) -> None:
    opened.media("print", dark=True)
    hidden = """['nav', '#filters', '#more', '.chart.narrow'].map(
      one => getComputedStyle(document.querySelector(one)).display)"""
    assert opened.run(hidden) == ["none"] * 4
    assert opened.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert opened.pdf().startswith(b"%PDF")


def test_screen_readers(opened: Browser) -> None:
    """What stands in the accessibility tree: charts, fields and tables have names, and each chart is there once."""
    nodes: list[dict[str, Any]] = opened.call("Accessibility.getFullAXTree")["nodes"]
    named = [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node.get("ignored") and "role" in node
    ]
    images = [name for role, name in named if role in ("image", "img", "graphics-document")]
    charts = ("Scores on test problems", "Score against evaluations", "Training against test scores")
    assert [images.count(name) for name in charts] == [1, 1, 1], named
    assert all(images)
    fields = {(role, name) for role, name in named if role in ("searchbox", "combobox")}
    assert fields == {("searchbox", "Expression contains"), ("combobox", "With component"), ("combobox", "at")}
    assert all(name for role, name in named if role in ("table", "region", "button", "link", "heading"))
    assert ("navigation", "Sections") in named and ("main", "") in named


def test_a_tune_is_found_at_the_level_of_what_it_wraps(running: Browser, tmp_path: Path) -> None:
    texts = ["tune(select(sim, {0, 1}), ntbea)", "step(tune(select(sim, {0, 1}), ntbea))", "step(select(sim, 1))"]
    folder = written(tmp_path / "c", "sudoku:2", texts, [(arm, arm / 4) for arm in range(3)])
    page = tmp_path / "report.html"
    page.write_text(as_html(make_report(folder, problems=0)), encoding="utf-8")
    running.open(page)
    fill(running, "component", "tune")
    assert sorted(column(running, 1)) == sorted(texts[:2])
    fill(running, "level", "2")
    assert column(running, 1) == texts[1:2]
    fill(running, "component", "select")
    assert sorted(column(running, 1)) == sorted(texts[1:])

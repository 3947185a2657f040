"""Formulas in the usual notation, and their curves as text and as SVG."""

import math
from pathlib import Path
from xml.etree import ElementTree

import pytest

from domains.regression import Regression
from domains.regression_drawing import infix, ticks
from tests.domains.test_regression import actions_of, start


@pytest.mark.parametrize(
    ("sequence", "formula"),
    [
        ("x", "x"),
        ("x 1 + x *", "(x + 1) * x"),
        ("x x 1 + *", "x * (x + 1)"),
        ("x 1 + x +", "x + 1 + x"),
        ("x 1 x + +", "x + 1 + x"),
        ("x 1 x - -", "x - (1 - x)"),
        ("x 1 - x -", "x - 1 - x"),
        ("x x / 1 /", "x / x / 1"),
        ("x x 1 / /", "x / (x / 1)"),
        ("x x 1 * *", "x * x * 1"),
        ("x x * sin x cos * 1 -", "sin(x * x) * cos(x) - 1"),
        ("x 1 + log exp 1 x - /", "exp(log(x + 1)) / (1 - x)"),
        ("x 1 sin", "x, sin(1)"),
        ("", ""),
    ],
)
def test_infix(sequence: str, formula: str) -> None:
    assert infix(actions_of(sequence)) == formula


def test_a_drawing_for_the_terminal() -> None:
    domain = Regression()
    drawing = domain.draw(start(domain, 4), actions_of("x x * sin x cos * 1 - stop"))
    lines = drawing.splitlines()
    assert lines[:4] == ["found   sin(x * x) * cos(x) - 1", "target  sin(x^2) * cos(x) - 1", "mae     0", ""]
    plot = lines[4:16]
    assert all(line[10] == "│" and len(line) <= 72 for line in plot)
    # The curve goes through the points: the braille of it touches every line between the highest and the lowest.
    assert all(any("\u2800" < character <= "\u28ff" or character == "o" for character in line) for line in plot)
    assert sum(line.count("o") for line in plot) == 20
    assert lines[4].startswith("   -0.523 │")
    assert lines[16:] == [" " * 10 + "└" + "─" * 60, " " * 11 + "-1" + " " * 57 + "1"]


def test_drawings_of_strange_formulas() -> None:
    domain = Regression()
    for sequence in ("x log stop", "1 x / stop", "1 1 - 1 1 - / stop", "x exp exp exp exp stop", "1 stop"):
        assert domain.draw(start(domain), actions_of(sequence)).count("o") >= 20
        ElementTree.fromstring(domain.svg(start(domain), actions_of(sequence)))
    assert domain.draw(start(domain), actions_of("x 1")) == "found   x, 1 (unfinished)\ntarget  x^3 + x^2 + x"
    assert "x, 1 (unfinished)" in domain.svg(start(domain), actions_of("x 1"))


def test_a_single_point_can_be_drawn(tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("2,0\n")
    domain = Regression(data=str(tmp_path / "one.csv"))
    assert domain.draw(start(domain), actions_of("x stop")).count("o") >= 1
    ElementTree.fromstring(domain.svg(start(domain), actions_of("x stop")))


def test_the_picture() -> None:
    domain = Regression()
    picture = domain.svg(start(domain, 4), actions_of("x x * sin x cos * 1 - stop"))
    root = ElementTree.fromstring(picture)
    space = {"svg": "http://www.w3.org/2000/svg"}
    texts = [element.text for element in root.iterfind(".//svg:text", space)]
    assert texts[:2] == ["sin(x * x) * cos(x) - 1", "target sin(x^2) * cos(x) - 1   ·   mae 0"]
    assert {"-1", "-0.5", "0", "0.5", "1", "-0.9", "-0.6"} <= set(texts)
    points = [(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in root.iterfind(".//svg:circle", space)]
    assert len(points) == 20
    (curve,) = (p for p in root.iterfind(".//svg:path", space) if p.attrib["class"] == "curve")
    on_curve = [tuple(map(float, pair.split())) for pair in curve.attrib["d"][1:].split("L")]
    for point in points:  # the formula is the target's: every dot lies on the line
        assert min(math.dist(point, other) for other in on_curve) < 1.5
    assert "<title>sin(x * x) * cos(x) - 1, over the points of sin(x^2) * cos(x) - 1</title>" in picture


def test_ticks() -> None:
    assert ticks(-1.0, 1.0) == [-1.0, -0.5, 0.0, 0.5, 1.0]
    assert ticks(0.0, 4.0) == [0.0, 1.0, 2.0, 3.0, 4.0]
    assert ticks(-0.023, 0.031) == [-0.02, -0.01, 0.0, 0.01, 0.02, 0.03]

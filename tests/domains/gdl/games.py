"""Our own sheets, ready to be played, and texts of small ones."""

from functools import cache
from pathlib import Path

from domains.gdl.checking import check_sheet
from domains.gdl.grounding import Grounding, ground
from domains.gdl.network import Network, build_network
from domains.gdl.reading import read_text

SHEETS = Path(__file__).parent / "sheets"
NAMES = sorted(path.stem for path in SHEETS.glob("*.kif"))
FOR_ONE = ["bridge", "eight", "hanoi"]
FOR_SEVERAL = [name for name in NAMES if name not in FOR_ONE]


def text_of(name: str) -> str:
    return (SHEETS / f"{name}.kif").read_text(encoding="utf-8")


@cache
def grounded(name: str) -> Grounding:
    return grounding_of(text_of(name), f"{name}.kif")


@cache
def network(name: str) -> Network:
    return build_network(grounded(name))


def grounding_of(text: str, name: str = "game.kif") -> Grounding:
    return ground(check_sheet(read_text(text, name)))


SMALL = """
(role p)
(init (at 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal p (go ?m)) (true (at ?n)) (succ ?n ?m))
(<= (next (at ?m)) (does p (go ?m)))
(<= terminal (true (at 3)))
(<= (goal p 100) (true (at 3)))
(<= (goal p 0) (not (true (at 3))))
"""
"""Three steps and it is over."""

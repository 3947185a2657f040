"""Every place in the code that complains to a user, and whether a test knows its words.

A place is a call such as `UserError(f"…")`. Its words are the constant pieces of the text. A test knows them if a
string of the tests holds one of the pieces that are long enough to be told from others.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent

COMPLAINTS = {
    "Broken",  # what `check` finds
    "CampaignStopped",
    "DomainError",
    "ExpressionSyntaxError",
    "GameError",  # a video game, with the line
    "InvalidExpression",
    "JournalError",
    "NoAgent",
    "SheetError",
    "TooLarge",  # of a rule sheet
    "Trouble",  # what `doctor` finds
    "UnknownDomain",
    "UsageError",
    "UserError",
    "_refusal",
    "_refuse",
    "_wrong",
    "refusal",  # a rule sheet, with the line and a caret
    "wrong_usage",
}
"""What is called with the text of a complaint."""

LONG_ENOUGH = 16


@dataclass(frozen=True)
class Site:
    """One place, and the constant pieces of what it says."""

    place: str
    pieces: tuple[str, ...]

    @property
    def telling(self) -> list[str]:
        """The pieces that can be told from others: the long ones, or the longest."""
        long = [piece for piece in self.pieces if len(piece) >= LONG_ENOUGH]
        return long or [max(self.pieces, key=len)]


def sites() -> list[Site]:
    """All of them; those that hand on a text made elsewhere have no words of their own and are left out."""
    found = []
    for folder in ("domains", "mcsgrammar", "discovery"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and _name(node.func) in COMPLAINTS:
                    pieces = tuple(
                        piece.strip(" ;:,.") for argument in node.args for piece in _pieces(argument) if len(piece) > 4
                    )
                    if pieces:
                        found.append(Site(f"{path.relative_to(ROOT).as_posix()}:{node.lineno}", pieces))
    return found


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _pieces(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=values):
            yield from (piece for value in values for piece in _pieces(value))
        case ast.BinOp(left=left, right=right):
            yield from _pieces(left)
            yield from _pieces(right)
        case ast.IfExp(body=body, orelse=orelse):
            yield from _pieces(body)
            yield from _pieces(orelse)


@cache
def words_of_the_tests() -> str:
    """All strings in the tests, and the files of messages beside them."""
    strings = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                strings.append(re.sub(r"\\([^\w\s])", r"\1", node.value))  # patterns escape what is special to them
    strings += [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests").rglob("*.txt"))]
    return " ".join("\0".join(strings).split())


def is_known(site: Site) -> bool:
    return any(" ".join(piece.split()) in words_of_the_tests() for piece in site.telling)

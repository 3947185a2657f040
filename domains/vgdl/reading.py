"""The text of a game to lines of words, and the text of a level to rows; and how to point at a place in them.

Glossary
    description  the rules of one game in the Video Game Description Language (Schaul, "A Video Game Description
                 Language for Model-based or Interactive Learning", 2013), a text file
    line         words, and the lines that are indented below it; a tab is one column, as a space is
    setting      a word NAME=VALUE
    level        another text file: a map with a character for every cell
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput
from lark.indenter import DedentError, Indenter

from domains.errors import UnknownDomain
from domains.pointing import pointed_at
from domains.text_files import rules_in

DEEPEST = 100
"""Lines below each other."""
LONGEST_TEXT = 1_000_000
"""Longer files are refused unread, in bytes; the longest public one has a hundredth of it."""


class GameError(UnknownDomain):
    """A game cannot be played. It says where, with the line and a caret below it."""


@dataclass(frozen=True, slots=True)
class GameWord:
    """From character `start` to before `end`."""

    text: str
    start: int
    end: int

    def setting(self) -> tuple[str, str]:
        """The name and the value; no name where it is no setting."""
        name, equals, value = self.text.partition("=")
        return (name, value) if equals and name else ("", self.text)


@dataclass(frozen=True)
class GameLine:
    """Words, and the lines below them."""

    words: tuple[GameWord, ...]
    below: tuple["GameLine", ...]

    @property
    def first(self) -> GameWord:
        return self.words[0]


@dataclass(frozen=True)
class Text:
    """A file that was read, with what it is called in messages."""

    name: str
    text: str

    def refusal(self, what: str, at: GameWord) -> GameError:
        return GameError(pointed_at(self.name, self.text, what, at.start, at.end))


@dataclass(frozen=True)
class Description(Text):
    """A game as lines; the first one says its class, and all others are below it."""

    top: GameLine

    def normal(self) -> str:
        """The words alone, the same for all ways to indent them and to comment on them."""
        return "\n".join(f"{' ' * depth}{' '.join(word.text for word in line.words)}" for depth, line in self._each())

    def _each(self) -> Iterator[tuple[int, GameLine]]:
        waiting = [(0, self.top)]
        while waiting:
            depth, line = waiting.pop()
            yield depth, line
            waiting += [(depth + 1, lower) for lower in reversed(line.below)]


class _Columns(Indenter):
    NL_type = "_NEWLINE"
    OPEN_PAREN_types: list[str] = []  # noqa: RUF012 - as the library has it
    CLOSE_PAREN_types: list[str] = []  # noqa: RUF012
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 1


@cache
def _parser() -> Lark:
    grammar = files(__package__).joinpath("vgdl.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", postlex=_Columns())


def file_text(path: Path, what: str) -> str:
    """What is in a file, with line feeds and plain spaces alone."""
    text = rules_in(path, what, LONGEST_TEXT).replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[^\S\n\t]", " ", text)  # pages on the web have others


def read_description(text: str, name: str) -> Description:
    """The lines of a game; messages call it by `name`."""
    try:
        tree = _parser().parse(text + "\n")
    except DedentError:
        raise GameError(_uneven(text, name)) from None
    except UnexpectedInput:
        start, end = next(_words(text))
        what = "this line is indented, and no line is above it; the first line begins at the margin"
        raise GameError(pointed_at(name, text, what, start, end)) from None
    lines = [_line(child, Text(name, text)) for child in tree.children if isinstance(child, Tree)]
    if not lines:
        raise GameError(f"{name}: there is nothing in it; a game begins with the line BasicGame")
    description = Description(name, text, lines[0])
    if len(lines) > 1:
        raise description.refusal("a game is one block; indent this line and those after it", lines[1].first)
    return description


def _words(text: str) -> Iterator[tuple[int, int]]:
    """Where the first word of each line begins, and where what the line says ends."""
    start = 0
    for line in text.split("\n"):
        said = line.partition("#")[0]
        if words := said.strip():
            begin = start + said.index(words[0])
            yield begin, begin + len(words)
        start += len(line) + 1


def _line(tree: Tree[Token], text: Text, depth: int = 1) -> GameLine:
    words = tuple(
        GameWord(str(part), int(part.start_pos or 0), int(part.end_pos or 0))
        for part in tree.children
        if isinstance(part, Token)
    )
    if depth > DEEPEST:
        raise text.refusal(f"this line stands below {depth - 1} others; {DEEPEST - 1} is the most", words[0])
    return GameLine(words, tuple(_line(part, text, depth + 1) for part in tree.children if isinstance(part, Tree)))


def _uneven(text: str, name: str) -> str:
    """What is wrong with the first line that goes back to a column at which no line above it begins."""
    columns = [0]
    for start, end in _words(text):
        column = start - text.rfind("\n", 0, start) - 1
        while columns[-1] > column:
            last = columns.pop()
            if columns[-1] < column:
                these = f"{columns[-1]} and {last}; make it one of these"
                return pointed_at(
                    name, text, f"this line is indented by {column}, those above it by {these}", start, end
                )
        if column > columns[-1]:
            columns.append(column)
    raise AssertionError("every dedent leads to a column")


def rows_of(text: str) -> Sequence[str]:
    """The rows of a level, without empty lines at the end."""
    return text.rstrip("\n").split("\n") if text.strip() else []

"""The text of a rule sheet to nested forms; and how to point at a place in it.

Glossary
    sheet      the rules of one game in the Game Description Language, written in KIF: `(<= (next (at ?y)) …)`
    form       a word, a variable such as `?x`, or a list of forms in parentheses
    folded     in small letters: a sheet may write `nextFile` here and `nextfile` there. Quoted words are left alone
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedInput

from domains.errors import UnknownDomain
from domains.pointing import pointed_at
from domains.saying import printable
from domains.text_files import rules_in

LONGEST_TEXT = 10_000_000
"""Longer sheets are refused unread, in bytes; the longest public one has a fiftieth of it."""
DEEPEST = 100
"""More parentheses inside each other are refused."""


class SheetError(UnknownDomain):
    """A rule sheet cannot be played. It says where, with the line and a caret below it."""


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """A word or a variable, folded, from character `start` to before `end`."""

    text: str
    start: int
    end: int

    @property
    def is_variable(self) -> bool:
        return self.text[0] == "?"


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """Forms in parentheses."""

    parts: tuple["Form", ...]
    start: int
    end: int
    depth: int


Form = Symbol | Listing


@dataclass(frozen=True)
class Sheet:
    """What was read."""

    name: str
    text: str
    forms: tuple[Form, ...]

    def refusal(self, what: str, at: Form) -> SheetError:
        return SheetError(pointed_at(self.name, self.text, what, at.start, at.end))


class _Building(Transformer[Token, tuple[Form, ...]]):
    """Tokens to forms while the parser runs."""

    def _folded(self, token: Token) -> Symbol:
        return Symbol(str(token).lower(), int(token.start_pos or 0), int(token.end_pos or 0))

    WORD = VARIABLE = _folded

    def _as_written(self, token: Token) -> Symbol:
        return Symbol(str(token), int(token.start_pos or 0), int(token.end_pos or 0))

    QUOTED = BARRED = _as_written

    def list(self, children: Sequence[object]) -> Listing:
        opened, *parts, closed = children
        forms = tuple(part for part in parts if isinstance(part, (Symbol, Listing)))
        depth = 1 + max((form.depth for form in forms if isinstance(form, Listing)), default=0)
        assert isinstance(opened, Token) and isinstance(closed, Token)
        return Listing(forms, int(opened.start_pos or 0), int(closed.end_pos or 0), depth)

    def start(self, children: Sequence[Form]) -> tuple[Form, ...]:
        return tuple(children)


@cache
def _parser() -> Lark:
    grammar = files(__package__).joinpath("kif.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", lexer="basic", transformer=_Building())


def read_sheet(path: Path) -> Sheet:
    """The forms in a file. Raises `SheetError`, or `UnknownDomain` for a file that cannot be read."""
    return read_text(text_in(path), path.name)


def text_in(path: Path) -> str:
    """What stands in a file, whatever it is."""
    return rules_in(path, "gdl:PATH names a rule sheet, a .kif file", LONGEST_TEXT)


def read_text(text: str, name: str) -> Sheet:
    """The forms in a text; messages call it by `name`."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        forms = _parser().parse(text)
    except UnexpectedCharacters as error:
        raise SheetError(_unpaired(name, text, error.pos_in_stream or 0)) from None
    except UnexpectedInput:
        raise SheetError(_unbalanced(name, text)) from None
    sheet = Sheet(name, text, forms)  # type: ignore[arg-type]
    for form in sheet.forms:
        if isinstance(form, Listing) and form.depth > DEEPEST:
            raise sheet.refusal(f"this is nested {form.depth} deep; {DEEPEST} is the most", form)
        if (variable := _nameless(form)) is not None:
            raise sheet.refusal("a variable has a name, such as ?x", variable)
    return sheet


def _nameless(form: Form) -> Symbol | None:
    """A `?` without a name somewhere in a form."""
    waiting = [form]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Listing):
            waiting += one.parts
        elif one.text == "?":
            return one
    return None


def _unpaired(name: str, text: str, at: int) -> str:
    mark = text[at : at + 1]
    what = f"this {printable(mark)} has no partner; it begins a word that ends with another"
    return pointed_at(name, text, what, at, at + 1)


def _unbalanced(name: str, text: str) -> str:
    """What is wrong with the parentheses. One that is not closed is blamed on the last form to begin before a line that
    begins with a parenthesis inside it: a sheet has each form at the beginning of a line, as a rule."""
    opened: list[Token] = []
    for token in _parser().lex(text):
        if token.type == "OPEN":
            if opened and token.column == 1:
                what = f"this parenthesis is not closed before line {token.line}, where another form begins; close it"
                return _at(name, text, what, opened[0])
            opened.append(token)
        elif token.type == "CLOSE":
            if not opened:
                return _at(name, text, "this parenthesis closes nothing; take it away, or open one before it", token)
            opened.pop()
    return _at(name, text, "this parenthesis is not closed; close it", opened[0])


def _at(name: str, text: str, what: str, token: Token) -> str:
    start = int(token.start_pos or 0)
    return pointed_at(name, text, what, start, start + 1)

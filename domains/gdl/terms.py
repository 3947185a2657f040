"""What rules are made of, once they are read.

Glossary
    term       a constant or a variable, as text, or a function with its arguments: `("cell", "1", "?y", "b")`
    atom       a relation with its arguments, written like a function; `terminal` is `("terminal",)`
    literal    an atom that must hold, one that must not, or two terms that must be different
    rule       the head holds if all literals of the body do
"""

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from domains.gdl.reading import Form, Sheet

Term = str | tuple["Term", ...]
Atom = tuple[Term, ...]


class Kind(enum.Enum):
    """What a literal says of its atom."""

    HOLDS = enum.auto()
    FAILS = enum.auto()
    DISTINCT = enum.auto()


@dataclass(frozen=True, slots=True)
class Literal:
    """One condition of a rule; of `DISTINCT` the atom is `("distinct", one, other)`."""

    kind: Kind
    atom: Atom
    form: Form


@dataclass(frozen=True, slots=True)
class Rule:
    """`form` is where the rule stands."""

    head: Atom
    body: tuple[Literal, ...]
    form: Form


@dataclass(frozen=True)
class Rules:
    """A sheet that is sound as far as can be seen without working it out."""

    sheet: Sheet
    rules: tuple[Rule, ...]
    warnings: tuple[str, ...]


def is_variable(term: Term) -> bool:
    return isinstance(term, str) and term[0] == "?"


def variables_of(term: Term) -> Iterator[str]:
    """Each as often as it occurs, in order."""
    if isinstance(term, tuple):
        for part in term[1:]:
            yield from variables_of(part)
    elif term[0] == "?":
        yield term


def variables_in(terms: Iterable[Term]) -> dict[str, None]:
    """Those of several terms, each once, in order."""
    return {variable: None for term in terms for variable in variables_of(term)}


def replaced(term: Term, by: Mapping[str, Term]) -> Term:
    """The term with variables replaced, to the end: what they stand for may have such variables itself."""
    if isinstance(term, tuple):
        return (term[0], *[replaced(part, by) for part in term[1:]])
    return replaced(by[term], by) if term in by else term


def replaced_atom(atom: Atom, by: Mapping[str, Term]) -> Atom:
    return (atom[0], *[replaced(part, by) for part in atom[1:]])


def unified(one: Term, other: Term, by: Mapping[str, Term]) -> dict[str, Term] | None:
    """`by` with what makes two terms equal; None if nothing does."""
    one, other = replaced(one, by), replaced(other, by)
    if one == other:
        return dict(by)
    if is_variable(other) and not is_variable(one):
        one, other = other, one
    if isinstance(one, str) and one[0] == "?":
        return None if one in variables_of(other) else {**by, one: other}
    if not isinstance(one, tuple) or not isinstance(other, tuple) or len(one) != len(other) or one[0] != other[0]:
        return None
    known: dict[str, Term] | None = dict(by)
    for first, second in zip(one[1:], other[1:], strict=True):
        if known is not None:
            known = unified(first, second, known)
    return known


def text_of(term: Term) -> str:
    """As a sheet has it."""
    return term if isinstance(term, str) else f"({' '.join(map(text_of, term))})"


NO_CHANCE = "the role 'random' belongs to GDL-II (games with chance), which is not supported; leave it out"


def spoken(term: Term) -> str:
    """For people: a move or a fact without the parentheses around all of it."""
    return term if isinstance(term, str) else " ".join(map(text_of, term))


def in_order(term: Term) -> tuple[object, ...]:
    """A key for sorting: numbers by their size, then words, then functions."""
    if isinstance(term, str):
        size = term.lstrip("0")  # compared without making a number of it, which Python refuses beyond 4 300 digits
        return (0, len(size), size, term) if term.isascii() and term.isdigit() else (1, term)
    return (2, term[0], len(term), *[in_order(part) for part in term[1:]])


def is_goal(value: str) -> bool:
    """Whether a word is a whole number from 0 to 100."""
    return value.isascii() and value.isdigit() and len(value.lstrip("0")) <= 3 and int(value) <= 100

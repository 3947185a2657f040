"""Texts of rule sheets to forms, and every complaint about them with the line and the caret."""

import random
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domains.errors import UnknownDomain
from domains.gdl.caching import hash_of
from domains.gdl.checking import check_sheet
from domains.gdl.reading import DEEPEST, Form, Listing, SheetError, read_sheet, read_text
from tests.domains.gdl.games import NAMES, SMALL, text_of


def shape(form: Form) -> object:
    return [shape(part) for part in form.parts] if isinstance(form, Listing) else form.text


def test_words_variables_and_lists() -> None:
    text = '; all\n(A b?c "A b" |C d| ?X-y (-1 (<= +)))  tail;end\r\n()'
    sheet = read_text(text, "x.kif")
    assert [shape(form) for form in sheet.forms] == [
        ["a", "b?c", '"A b"', "|C d|", "?x-y", ["-1", ["<=", "+"]]],
        "tail",
        [],
    ]
    assert [(form.start, form.end) for form in sheet.forms] == [(6, 42), (44, 48), (53, 55)]


COMPLAINTS = {
    "(role x)\n(<= (a ?x) (b ?x)\n(init y)\n": (
        "x.kif:2:1: this parenthesis is not closed before line 3, where another form begins; close it\n"
        "  (<= (a ?x) (b ?x)\n  ^"
    ),
    "(a (b)": "x.kif:1:1: this parenthesis is not closed; close it\n  (a (b)\n  ^",
    "(a)\n(b))": ("x.kif:2:4: this parenthesis closes nothing; take it away, or open one before it\n  (b))\n     ^"),
    '(a "b)': 'x.kif:1:4: this " has no partner; it begins a word that ends with another\n  (a "b)\n     ^',
    "(a |b)": "x.kif:1:4: this | has no partner; it begins a word that ends with another\n  (a |b)\n     ^",
    "(a ?)": "x.kif:1:4: a variable has a name, such as ?x\n  (a ?)\n     ^",
    "(" * 101 + ")" * 101: (f"x.kif:1:1: this is nested 101 deep; {DEEPEST} is the most\n  {'(' * 100}\n  {'^' * 100}"),
}


@pytest.mark.parametrize("text", COMPLAINTS)
def test_complaints(text: str) -> None:
    with pytest.raises(SheetError) as error:
        read_text(text, "x.kif")
    assert str(error.value) == COMPLAINTS[text]


def test_of_a_long_line_the_part_is_shown() -> None:
    with pytest.raises(SheetError) as error:
        read_text(f"{'(word) ' * 30}(a ?) {'(word) ' * 30}", "x.kif")
    first, line, carets = str(error.value).split("\n")
    assert first == "x.kif:1:214: a variable has a name, such as ?x"
    assert line[carets.index("^")] == "?" and len(line) <= 102 and carets.count("^") == 1


def test_files(tmp_path: Path) -> None:
    with pytest.raises(UnknownDomain) as error:
        read_sheet(tmp_path / "no.kif")
    assert str(error.value) == (
        f"cannot read {tmp_path}/no.kif: No such file or directory; gdl:PATH names a rule sheet, a .kif file"
    )
    odd = tmp_path / "odd.kif"
    odd.write_bytes(b"\xef\xbb\xbf(role a) ; caf\xe9")
    assert shape(read_sheet(odd).forms[-1]) == ["role", "a"]
    odd.write_bytes(b" " * 10_000_001)
    with pytest.raises(UnknownDomain) as error:
        read_sheet(odd)
    assert str(error.value) == f"{odd} has 10,000,001 bytes; 10,000,000 is the most"


def test_comments_spaces_and_case_do_not_matter() -> None:
    plain = read_text(SMALL, "a")
    other = read_text(SMALL.upper().replace("\n", " ; a comment\n  ") + "; end", "b")
    assert hash_of(plain) == hash_of(other) != hash_of(read_text(SMALL.replace("100", "99"), "a"))
    assert hash_of(read_text("(a (b) c)", "a")) != hash_of(read_text("(a (b c))", "a"))


LETTERS = '()?";| \n' + string.ascii_lowercase[:5] + "<=1"


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=LETTERS, max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        sheet = read_text(text, "x.kif")
    except SheetError as error:
        assert str(error).startswith("x.kif:") and "^" in str(error)
    else:
        assert all(form.start < form.end for form in sheet.forms)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(NAMES), st.integers(0, 2**32), st.integers(1, 3))
def test_sheets_with_slips_are_checked_or_refused(name: str, seed: int, slips: int) -> None:
    """Letters left out, doubled and exchanged, words put elsewhere."""
    chance, text = random.Random(seed), list(text_of(name))
    for _ in range(slips):
        at, other = chance.randrange(len(text)), chance.randrange(len(text))
        what = chance.randrange(4)
        if what == 0:
            del text[at]
        elif what == 1:
            text.insert(at, chance.choice(LETTERS))
        elif what == 2:
            text[at], text[other] = text[other], text[at]
        else:
            text[at : at + 8] = text[other : other + 8]
    try:
        check_sheet(read_text("".join(text), "x.kif"))
    except SheetError as error:
        assert str(error).startswith("x.kif:")

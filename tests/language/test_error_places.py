"""Where the caret stands, and what of the text is shown: several lines, long lines, strange characters."""

import pytest

from mcsgrammar import ExpressionSyntaxError
from tests.language.complaints import COUNT, complaint, printed


def test_the_right_line_of_several() -> None:
    assert str(complaint("step(\n  repeat(\n    sim, 0\n  )\n)")) == printed(
        f"N of repeat cannot be 0; {COUNT}",
        "    sim, 0",
        "         ^",
    )


def test_a_span_over_several_lines_is_marked_in_its_first() -> None:
    assert str(complaint("lookahead(\nuct(1, 2,\n3)\n)")) == printed(
        "uct takes other arguments: uct(C) or uct(C, N)",
        "uct(1, 2,",
        "^^^^^^^^^",
    )


def test_the_end_of_several_lines() -> None:
    assert str(complaint("step(\n  repeat(sim,\n   3")) == printed(
        "the expression ends too early; expected ')'",
        "   3",
        "    ^",
    )


def test_a_long_line_is_cut_to_a_window_around_the_caret() -> None:
    assert str(complaint("lookahead(" * 8 + "simm(" + "lookahead(" * 8)) == printed(
        "there is no component called 'simm'; did you mean 'sim'?",
        "…ahead(lookahead(lookahead(lookahead(simm(lookahead(lookahead(lookahead(l…",
        "                                     ^^^^",
    )


def test_a_long_line_at_its_beginning() -> None:
    assert str(complaint("repeat(sim, 0)" + " " * 100)) == printed(
        f"N of repeat cannot be 0; {COUNT}",
        "repeat(sim, 0)" + " " * 58 + "…",
        "            ^",
    )


def test_a_long_line_at_its_end() -> None:
    assert str(complaint("repeat" + " " * 100 + "(sim, 0)")) == printed(
        f"N of repeat cannot be 0; {COUNT}",
        "…" + " " * 30 + "(sim, 0)",
        " " * 37 + "^",
    )


def test_carets_stay_within_the_window() -> None:
    error = complaint("policy_" * 20)
    assert error.problem.startswith("there is no component called 'policy_policy_policy_policy_policy_poli…'; ")
    assert str(error) == printed(error.problem, "policy_" * 10 + "po…", "^" * 72)


@pytest.mark.parametrize(
    "text",
    [
        "\x1b[31msim",
        "\x00",
        "step(\x07)",
        "sim\u202e",
        "\ufeffsim",
        "\ud800",
        "step(\udcff)",
        "select(sim, \u2028)",
        "sim(\x85mast)",
    ],
)
def test_nothing_unprintable_is_shown(text: str) -> None:
    """Neither control characters nor lone surrogates reach the terminal, and the caret stays where it belongs."""
    error = complaint(text)
    assert type(error) is ExpressionSyntaxError
    assert error.span is not None
    problem, line, carets = str(error).split("\n")
    assert problem.isprintable()
    assert line.isprintable()
    assert len(line) == len(text) + 2
    assert carets == "  " + " " * error.span[0] + "^"


@pytest.mark.parametrize(
    ("text", "escape"),
    [
        ("\x00", "\\x00"),
        ("\ufeffsim", "\\ufeff"),
        ("step(\x07)", "\\x07"),
        ("\udcff", "\\udcff"),
        ("\u2028", "\\u2028"),
    ],
)
def test_the_message_says_which_character_cannot_be_shown(text: str, escape: str) -> None:
    assert complaint(text).problem.startswith(f"unexpected '{escape}'; expected ")


@pytest.mark.parametrize(
    ("text", "line", "carets"),
    [
        ("repeat(\tfoo, 3)", "repeat( foo, 3)", "        ^^^"),
        ("step(foo\r\n)", "step(foo ", "     ^^^"),
        ("step(\ffoo)", "step( foo)", "      ^^^"),
    ],
)
def test_white_space_is_shown_as_space(text: str, line: str, carets: str) -> None:
    error = complaint(text)
    assert str(error) == printed(error.problem, line, carets)


@pytest.mark.parametrize("end", ["", "\n", "\n\n  ", "\t", "\r\n"])
def test_a_text_ends_where_its_last_word_does(end: str) -> None:
    error = complaint("step(sim" + end)
    assert error.span == (8, 9)
    assert str(error).split("\n")[2] == "  " + " " * 8 + "^"

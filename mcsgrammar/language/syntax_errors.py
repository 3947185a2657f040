"""What the parser stumbled over, as a sentence: what stands there, and what may stand there."""

import re
from collections.abc import Set
from dataclasses import dataclass

from lark import Token
from lark.exceptions import UnexpectedInput, UnexpectedToken

from mcsgrammar.language.errors import WHITE_SPACE, ExpressionSyntaxError
from mcsgrammar.language.expressions import COMMIT_RULES, COMPONENTS, Tune
from mcsgrammar.language.named import NAMED
from mcsgrammar.wording import quoted, suggestion

COMPONENT_NAMES = ("sim", "simulate", *(component.name for component in COMPONENTS[1:]), *NAMED)
NUMBER_LIKE = re.compile(r"[+-]?\.?[0-9]([eE][+-]|\.(?!\.)|[A-Za-z0-9_])*")

SPOKEN = {
    "SIMULATE": f"a component ({', '.join(c.name for c in COMPONENTS if c is not Tune)}, or a named algorithm)",
    "$END": "the end",
    "NUMBER": "a number",
    "COMMIT": f"a commit rule ({', '.join(COMMIT_RULES)})",
    "NAME": "a name",
    "LPAR": "'('",
    "RPAR": "')'",
    "COMMA": "','",
    "LBRACE": "'{'",
    "RBRACE": "'}'",
    "LSQB": "'['",
    "RSQB": "']'",
    "EQUAL": "'='",
    "__ANON_0": "'..'",
}
"""The terminals of the grammar in words; `SIMULATE` and `NAME` speak for those that always come with them."""


@dataclass(frozen=True)
class Readable:
    """Something that can be read alone: its rule in the grammar, what it is called, and an example."""

    rule: str
    what: str
    example: str


def syntax_error(stumble: UnexpectedInput, text: str, readable: Readable) -> ExpressionSyntaxError:
    """The error to raise when the parser stumbled in `text`."""
    if not text.strip(WHITE_SPACE):
        return ExpressionSyntaxError(f"the {readable.what} is empty; write one such as {readable.example}")
    # by the parser as it stands, not by its table in general
    accepted: set[str] = stumble.interactive_parser.accepts()  # type: ignore[no-untyped-call]
    found = stumble.token.type if isinstance(stumble, UnexpectedToken) else None
    without_arguments = _named_before(stumble, accepted, found)
    if without_arguments is not None:
        start = without_arguments.start_pos or 0
        problem = f"{without_arguments} needs arguments; write {NAMED[without_arguments].example}"
        return ExpressionSyntaxError(problem, text, (start, start + len(without_arguments)))
    if found == "$END":
        end = len(text.rstrip(WHITE_SPACE))
        problem = f"the {readable.what} ends too early; expected {_expectation(accepted)}"
        return ExpressionSyntaxError(problem, text, (end, end + 1))
    start = stumble.pos_in_stream or 0
    if isinstance(stumble, UnexpectedToken):
        word = str(stumble.token)
    else:
        number = NUMBER_LIKE.match(text, start)
        word = number[0] if number else text[start]
    if found == "NAME" and "SIMULATE" in accepted:
        problem = f"there is no component called {quoted(word)}" + suggestion(word, COMPONENT_NAMES)
    elif found is None and len(word) > 1 and "NUMBER" in accepted:
        problem = f"{quoted(word)} is not a number; write one such as 10, 0.5 or 1e-3"
    elif accepted == {"$END"}:
        problem = f"the {readable.what} is complete before this"
    else:
        problem = f"unexpected {quoted(word)}; expected {_expectation(accepted)}"
    return ExpressionSyntaxError(problem, text, (start, start + len(word)))


def _named_before(stumble: UnexpectedInput, accepted: Set[str], found: str | None) -> Token | None:
    """The name of a named algorithm that needs arguments and is given none: `nmc`, `nmc()`."""
    read = stumble.interactive_parser.parser_state.value_stack
    if read and found == "RPAR" and "NUMBER" in accepted and isinstance(read[-1], Token) and read[-1].type == "LPAR":
        read, accepted = read[:-1], {"LPAR"}
    named = read and accepted == {"LPAR"} and isinstance(read[-1], Token) and read[-1].type == "NAMED"
    return read[-1] if named else None


def _expectation(accepted: Set[str]) -> str:
    spoken = [SPOKEN[terminal] for terminal in SPOKEN if terminal in accepted]
    return " or ".join([", ".join(spoken[:-1]), spoken[-1]] if len(spoken) > 1 else spoken)

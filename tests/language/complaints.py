"""How the tests get at what the parser complains about."""

from pathlib import Path

import pytest

from mcsgrammar import parse
from mcsgrammar.language.errors import ExpressionError

COUNT = "it takes a whole number from 1 to 2^63 - 1"
FINITE = "it takes a finite number of at least 0"


def complaint(text: str) -> ExpressionError:
    """The error that `text` is refused with."""
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    return caught.value


def printed(problem: str, line: str, carets: str) -> str:
    return f"{problem}\n  {line}\n  {carets}"


def examples(file: str) -> list[tuple[str, str]]:
    """(text, message) for each block of a file of messages; the second line of a message is the text itself."""
    blocks = Path(__file__).with_name(file).read_text(encoding="utf-8").strip().split("\n\n")
    messages = [block for block in blocks if not block.startswith("#")]
    return [(message.split("\n")[1].removeprefix("  "), message) for message in messages]

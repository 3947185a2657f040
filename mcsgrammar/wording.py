"""What somebody typed or handed over, as a message repeats it: short, and in characters that can be shown."""

import sys

from domains.saying import printable as printable
from domains.saying import suggestion as suggestion

LENGTH_LIMIT = 40


def note(text: str) -> None:
    """Tell somebody who did not ask: a line on standard error."""
    print(f"note: {text}", file=sys.stderr, flush=True)


def note_once(text: str) -> None:
    """The same, once a process."""
    if text not in _said:
        _said.add(text)
        note(text)


_said: set[str] = set()


def is_worker() -> bool:
    """Whether this is one of loky's processes: whoever starts them has said what there is to say."""
    import multiprocessing

    return multiprocessing.current_process().name.startswith("LokyProcess")


def shortened(text: str, limit: int = LENGTH_LIMIT) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def printable_lines(text: str) -> str:
    """The same of several lines; tabs stay."""
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))


def quoted(word: str) -> str:
    return f"'{shortened(printable(word[: LENGTH_LIMIT + 1]))}'"


def shown_object(thing: object) -> str:
    """What was handed over in place of something else."""
    try:
        text = repr(thing)
    except ValueError:  # Python refuses to write out a number of thousands of digits
        text = "a number of thousands of digits"
    return shortened(printable(text))

"""Standard output, when it fails: the disk is full, nobody reads any more, it was closed from the start."""

import contextlib
import errno
import functools
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, TextIO, cast

import click


class OutputError(Exception):
    """Standard output could not be written. No `OSError`, which click and the commands take for other things."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(cause.strerror or str(cause))
        self.reader_left = isinstance(cause, BrokenPipeError)
        """A reader, such as `head`, has seen enough."""


class ClosedOutput(io.TextIOBase):
    """Stands for a standard output that there is not."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, "it is closed")


class Output:
    """A text stream like the one it wraps, but for its failures, which are `OutputError`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        with _failing_as_output():
            return self._stream.write(text)

    def flush(self) -> None:
        with _failing_as_output():
            self._stream.flush()

    def abandon(self) -> None:
        """Give up what could not be written, so that the interpreter does not try once more at its exit."""
        with contextlib.suppress(OSError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())


@contextlib.contextmanager
def _failing_as_output() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(error) from error


class Document:
    """While a command runs that prints one document: whatever is printed meanwhile, by a domain, its workers or a
    library, goes to standard error."""

    running: "Document | None" = None

    def __enter__(self) -> None:
        Document.running = self
        self.stream, self.kept = sys.stdout, -1
        self.stream.flush()
        with contextlib.suppress(OSError, AttributeError):  # what stands for a stream may have no descriptor
            theirs = sys.stderr.fileno(), self.stream.fileno()
            self.kept = os.dup(theirs[1])
            os.dup2(*theirs)
        sys.stdout = sys.stderr

    def __exit__(self, *error: object) -> None:
        sys.stdout, Document.running = self.stream, None
        if self.kept >= 0:
            sys.stdout.flush()  # what was printed into the stream itself belongs to standard error, too
            os.dup2(self.kept, sys.stdout.fileno())
            os.close(self.kept)


json_flag = click.option("--json", "as_json", is_flag=True, help="One JSON document.")


def json_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """--json: `echo_json` and `echo_document` are all that gets to standard output."""

    @functools.wraps(command)
    def run(*arguments: Any, as_json: bool, **options: Any) -> Any:
        with Document() if as_json else contextlib.nullcontext():
            return command(*arguments, as_json=as_json, **options)

    return json_flag(run)


def echo_json(document: Any) -> None:
    """A document in ASCII, for terminals of any encoding, with null for numbers that JSON does not know, and text for
    what else it does not."""
    from discovery.documents import finite

    echo_document(json.dumps(finite(document), allow_nan=False, default=_plain))


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays as those of Python, as journals have them; text for anything else."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def echo_document(text: str) -> None:
    document = Document.running
    if document is not None:
        document.__exit__()
    click.echo(text, nl=not text.endswith("\n"))
    if document is not None:
        document.__enter__()


def terminal_width() -> int | None:
    """How many characters a line of the terminal holds; None where the output goes elsewhere."""
    import shutil

    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def folded(text: str, first: str = "", indent: str = "") -> str:
    """`first` and the text behind it, in lines that fit the terminal; in one line where there is none, or no room."""
    import textwrap

    width = terminal_width() or 0
    if width < len(indent) + 20:
        return first + text
    return textwrap.fill(
        text,
        width,
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def watch_standard_output() -> Output:
    """From here on, standard output fails with `OutputError`."""
    output = Output(sys.stdout or cast(TextIO, ClosedOutput()))
    sys.stdout = cast(TextIO, output)
    return output

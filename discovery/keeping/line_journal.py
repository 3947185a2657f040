"""Things in a file, a line each, so that the same command goes on where it was stopped.

The first line says what the things have in common, every other holds the next one, and each has a checksum. A line that
was not written to its end is cut off; anything else that does not fit is refused, with the line named, and left as it
is.
"""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, TypeVar

from discovery.documents import as_json, from_json, has_checksum, read_document, with_checksum
from discovery.keeping.locking import hold, let_go
from discovery.keeping.settings import other_versions, versions_now
from domains.errors import UserError
from domains.protocol import Domain
from domains.registry import canonical_text
from domains.sources import source_hash
from mcsgrammar.engines.guarding import Guarded
from mcsgrammar.wording import note
from mcsgrammar.writing import open_in_place, write_all

Thing = TypeVar("Thing")

SOURCE = "domain_source"
"""In the first line the hash of the file of a domain of one's own, whose rules are those of the things."""
VERSIONS = "versions"
"""In the first line those that it was begun with; older journals have none."""


@dataclass(frozen=True)
class LineKind(Generic[Thing]):
    """What a journal is of."""

    one: str
    """game, run"""
    format: str
    fields: Callable[[Thing], dict[str, Any]]
    read: Callable[[dict[str, Any]], Thing]
    """the thing that `fields` has made a document of"""


def about_domain(domain: Domain) -> dict[str, object]:
    """What a first line says of it."""
    source = source_hash(domain)
    return {"domain": canonical_text(domain), **({} if source is None else {SOURCE: source})}


def require_keepable(domain: Domain, initial: Any) -> None:
    """Refuse, before anything is run, actions that a journal cannot give back."""
    guard = Guarded(domain)
    for action in [] if guard.is_final(initial) else guard.actions(initial):
        try:
            as_json(action)
        except TypeError as error:
            raise UserError(
                f"the action {error} cannot be given back by a journal; let actions be finite numbers, texts, or "
                "tuples of these, or leave --journal out"
            ) from None


class LineJournal(Generic[Thing]):
    """The file, open, and in `things` what it held. Two processes must not write the same one."""

    def __init__(self, kind: LineKind[Thing], path: Path, header: dict[str, object]) -> None:
        self.kind, self.path = kind, path
        self.header = {"format": kind.format, **header, VERSIONS: versions_now()}
        self.things: list[Thing] = []

    def __enter__(self) -> "LineJournal[Thing]":
        try:
            self.descriptor = open_in_place(self.path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise UserError(f"{self.path} cannot be written: {error.strerror}") from error
        busy = f"{self.path}: another process is writing these {self.kind.one}s; wait for it or stop it"
        hold(self.descriptor, self.path, busy=busy)
        try:
            self._go_on()
        except BaseException:
            let_go(self.descriptor)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        let_go(self.descriptor)

    def keep(self, things: Sequence[Thing]) -> None:
        """Write them down, on the disk before anything else is done."""
        try:
            lines = b"".join(_line(as_json(self.kind.fields(thing))) for thing in things)
        except TypeError as error:
            raise UserError(f"{self.path}: {error} cannot be given back, so this {self.kind.one} is not kept") from None
        self._write(lines)

    def _write(self, lines: bytes) -> None:
        try:
            write_all(self.descriptor, lines)
            os.fsync(self.descriptor)
        except OSError as error:
            raise UserError(
                f"{self.path} cannot be written: {error.strerror}; what is in it is whole, and the same command goes on"
            ) from error

    def read(self) -> list[Thing]:
        """What the file holds in whole lines, whoever is writing it. Nothing is written."""
        try:
            lines = _whole(self.path.read_bytes()).splitlines()
        except OSError as error:
            raise UserError(f"{self.path} cannot be read: {error.strerror}") from error
        if not lines:
            return []
        self._compare(self._document(1, lines[0]))
        return [self._thing(number, line) for number, line in enumerate(lines[1:], 2)]

    def _go_on(self) -> None:
        content, header = self.path.read_bytes(), _line(self.header)
        whole = _whole(content)
        if not whole and not header.startswith(content):
            raise self._foreign()
        self.things = self.read()
        if len(whole) < len(content):
            note(f"{self.path}: the last line was not written to its end; it is cut off")
            os.ftruncate(self.descriptor, len(whole))
        os.lseek(self.descriptor, 0, os.SEEK_END)
        if not whole:
            self._write(header)

    def _compare(self, found: dict[str, Any]) -> None:
        if found.get("format") != self.kind.format:
            raise self._foreign()
        for key, wanted in self.header.items():
            if key == VERSIONS:
                continue
            if key == SOURCE and found.get(key, wanted) != wanted:
                raise UserError(
                    f"{self.path} holds {self.kind.one}s of {found.get('domain')} as its file was before it was "
                    "changed; give --journal another name, or change the file back"
                )
            if key != SOURCE and found.get(key) != wanted:
                raise UserError(
                    f"{self.path} holds {self.kind.one}s with {key} {found.get(key)}, and these have {wanted}; give "
                    "--journal another name, or the command that it was begun with"
                )
        before = found.get(VERSIONS)
        if isinstance(before, dict) and (different := other_versions(before)):
            note(f"{self.path} was begun with other versions ({different}), which may give other {self.kind.one}s")

    def _foreign(self) -> UserError:
        return UserError(f"{self.path} is no journal of {self.kind.one}s; give --journal another name")

    def _thing(self, number: int, line: bytes) -> Thing:
        document = self._document(number, line)
        try:
            return self.kind.read(from_json(document))
        except (LookupError, TypeError, ValueError):
            raise UserError(
                f"{self.path}, line {number}: it is no {self.kind.one}; restore the file, or begin anew"
            ) from None

    def _document(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            document = read_document(line)
            if not isinstance(document, dict) or not has_checksum(document):
                raise ValueError("it has no checksum")
        except ValueError as error:
            if number == 1:
                raise self._foreign() from None
            raise UserError(
                f"{self.path}, line {number} is damaged: {error}; restore the file, or begin anew"
            ) from None
        return document


def _whole(content: bytes) -> bytes:
    return content[: content.rfind(b"\n") + 1]


def _line(document: dict[str, Any]) -> bytes:
    return json.dumps(with_checksum(document), separators=(",", ":"), ensure_ascii=True).encode() + b"\n"

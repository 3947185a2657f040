"""The folder of matches: their journal, a batch for every block, and beside it what is finished of blocks under way."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

from discovery.arena.blocks import Seating
from discovery.arena.records import MatchRecord, record_of, text_of_record
from discovery.arena.settings import MatchSettings, read_match_settings, write_match_settings
from discovery.arena.standings import whole_blocks
from discovery.documents import read_document
from discovery.keeping.beginning import begin_folder
from discovery.keeping.folder import JOURNAL_FILE, SETTINGS_FILE
from discovery.keeping.journal import BatchJournal
from discovery.keeping.journal_format import JournalKind
from discovery.keeping.journal_reading import Chain, JournalError, read_chain
from discovery.keeping.locking import FolderLock
from discovery.keeping.settings import is_of_matches, refuse_differences
from discovery.keeping.unfinished import KeptBeside
from domains.errors import UserError

MATCHES = JournalKind(b'["mcsgrammar matches",', "match", "match", "matches", "playing these matches")


class MatchJournal(BatchJournal[list[MatchRecord]]):
    """One line a match (`discovery.arena.records`), one batch a block."""

    kind = MATCHES

    @classmethod
    def read(cls, path: Path) -> tuple[list[MatchRecord], Chain]:
        records: list[MatchRecord] = []

        def take(rows: list[Any]) -> None:
            records.extend(record_of(row[:-1]) for row in rows)

        chain = read_chain(path, MATCHES, take)
        return records, chain

    def append(self, records: list[MatchRecord]) -> None:
        """A block, on disk when this returns."""
        bodies = map(text_of_record, records)
        self.append_lines(b"".join(b'%b,"%08x"]\n' % (body, crc32(body)) for body in bodies))


Key = tuple[int, Seating]
"""Block and seating."""


class FinishedMatches(KeptBeside[Key, MatchRecord]):
    """Matches of blocks that are not whole, or come after one that is not."""

    format = "mcsgrammar matches unfinished"
    begun_anew = "blocks under way are played anew"

    def fields(self, key: Key, result: MatchRecord) -> list[Any]:
        return result.fields()

    def read(self, fields: list[Any]) -> tuple[Key, MatchRecord]:
        record = record_of(fields)
        return (record.block, record.seating), record


def holds_matches(folder: Path) -> bool:
    """Whether the folder is one of matches, and not of a campaign. What is wrong with it, whoever reads it says."""
    try:
        return is_of_matches(read_document((folder / SETTINGS_FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return False


def begin(folder: Path, settings: MatchSettings) -> MatchSettings:
    """Make the folder, or find it made: with the same settings it is taken up where it stands, with as many blocks as
    it was asked for at the most. The settings that are there then.

    A folder that holds anything else is left as it is.
    """
    write = partial(write_match_settings, folder, settings)
    begin_folder(folder, {}, lambda: _take_up(folder, settings), write, MATCHES.doing)
    return read_match_settings(folder)


def _take_up(folder: Path, settings: MatchSettings) -> None:
    if not holds_matches(folder):
        raise UserError(f"{folder} holds a campaign; choose another --out")
    there = read_match_settings(folder)
    refuse_differences(folder, there, settings, "matches")
    changed = replace(there, domain=settings.domain, blocks=max(there.blocks, settings.blocks), points=settings.points)
    if changed != there:
        with FolderLock(folder, MATCHES.doing):
            write_match_settings(folder, changed)


def open_journal(folder: Path, settings: MatchSettings) -> tuple[MatchJournal, list[MatchRecord], str | None]:
    """The journal, what it holds, and what was cut off its end, if anything."""
    path = folder / JOURNAL_FILE
    if not path.exists():
        MatchJournal.create(path, settings.digest()).close()
    _, chain = MatchJournal.read(path)
    check_chain(folder, settings, chain)
    journal, records = MatchJournal.open(path)
    try:
        return journal, checked_records(folder, settings, records), chain.cut
    except BaseException:
        journal.close()
        raise


def check_chain(folder: Path, settings: MatchSettings, chain: Chain) -> None:
    if chain.settings_digest != settings.digest():
        raise JournalError(
            f"{folder / JOURNAL_FILE} was not written with the settings beside it; restore both from one copy"
        )


def checked_records(folder: Path, settings: MatchSettings, records: list[MatchRecord]) -> list[MatchRecord]:
    """The records, if they are what these settings make: block after block, every seating once, in their order."""
    expected = settings.seatings
    for place, record in enumerate(records):
        block, seating = divmod(place, len(expected))
        roles = len(settings.roles)
        shape = (len(record.goals), len(record.simulations))
        if (record.block, record.seating) != (block, expected[seating]) or shape != (roles, roles):
            raise JournalError(
                f"{folder / JOURNAL_FILE}: match {place + 1} is not the one that its settings ask for there; restore "
                "the file from a copy"
            )
    return whole_blocks(records, len(expected))


def read_kept(folder: Path) -> tuple[MatchSettings, list[MatchRecord], str | None]:
    """The settings, the matches of whole blocks, and what a resumption would cut off; nothing is touched."""
    settings = read_match_settings(folder)
    path = folder / JOURNAL_FILE
    if not path.exists():
        return settings, [], None
    records, chain = MatchJournal.read(path)
    check_chain(folder, settings, chain)
    return settings, checked_records(folder, settings, records), chain.cut

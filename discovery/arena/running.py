"""Matches are played, block after block, and everything that comes of them is in their journal.

Any number of workers plays the matches; the journal has them in the order of blocks, and is the same byte for byte
however often the work is stopped. Whatever is finished is kept at once, in the journal or beside it.
"""

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from discovery.arena.blocks import Seating
from discovery.arena.keeping import MATCHES, FinishedMatches, Key, MatchJournal, open_journal
from discovery.arena.playing import MatchResult, MatchSetup, chosen_engine, seating_text, text_of_seating
from discovery.arena.records import MatchRecord
from discovery.arena.settings import MatchSettings, read_match_settings, write_match_settings
from discovery.arena.standings import Standings, standings
from discovery.arena.timing import seconds_of_match
from discovery.keeping.domain import check_before_import, check_domain
from discovery.keeping.journal_reading import JournalError
from discovery.keeping.locking import FolderLock
from discovery.keeping.settings import check_versions, versions_now
from discovery.pace import WorkPace
from discovery.pool.chunks import ChunkResult
from discovery.pool.parallel import jobs_that_pay
from discovery.pool.processes import workers_start_safely
from discovery.pool.workers import CampaignStopped, Workers, check_workers
from domains.errors import DomainError
from domains.protocol import Domain
from domains.registry import canonical_text, domain_of, find_domain
from domains.sources import source_hash

LONGEST_MATCH = 1e7
"""Seconds: nobody knows how long a match may take."""


@dataclass(frozen=True)
class MatchProgress:
    """Matches under way."""

    settings: MatchSettings
    played: int
    """matches that are finished"""
    records: Sequence[MatchRecord]
    """of whole blocks"""
    pace: WorkPace

    def standings(self) -> Standings | None:
        return standings(self.records, self.settings.pairings, self.settings.points)


@dataclass(frozen=True)
class PlayedMatches:
    """How matches, or the part of them that this process played, came to their end."""

    settings: MatchSettings
    records: Sequence[MatchRecord]
    """of whole blocks, in the order of the journal"""
    ended: Literal["complete", "interrupted"]
    played_now: int
    finished: int
    """matches of blocks that are not whole; in a folder they are kept"""
    seconds: float
    search_seconds: float
    tree_full: bool
    """whether max_nodes kept something out of a tree of this process's matches"""
    cut: str | None = None
    """what was cut off the journal's end when it was taken up, if anything"""

    def standings(self) -> Standings | None:
        return standings(self.records, self.settings.pairings, self.settings.points)


OnMatches = Callable[[MatchProgress], None]
"""Called whenever matches are finished."""


def play(
    settings: MatchSettings,
    *,
    game: Domain | None = None,
    jobs: int | None = 1,
    on_progress: OnMatches | None = None,
) -> PlayedMatches:
    """Play all matches, with as many workers as pay if `jobs` is None; nothing is kept but what is returned. After a
    Ctrl-C, that is what was finished."""
    found = domain_of(settings.domain if game is None else game)
    return _Loop(settings, on_progress).run(_workers(settings, found, game, jobs, settings.games))


def play_in_folder(
    folder: Path,
    *,
    game: Domain | None = None,
    jobs: int | None = 1,
    accept_versions: bool = False,
    accept_domain: bool = False,
    trust: bool = False,
    on_progress: OnMatches | None = None,
) -> PlayedMatches:
    """Play the matches of the folder on from where its journal ends. Ctrl-C stops at once; a match that is finished is
    never played again.

    `trust`: whether to run code that lies in the folder. `accept_versions`, `accept_domain`: go on although they have
    changed; that is recorded in the settings.
    """
    read_match_settings(folder)  # only a folder of matches is locked
    with FolderLock(folder, MATCHES.doing):
        settings = read_match_settings(folder)
        accepted = replace(settings, accepted_versions=check_versions(folder, settings, accept_versions))
        if game is None:
            check_before_import(folder, settings, trust=trust, accept_change=accept_domain)
        found = game if game is not None else find_domain(settings.domain)
        changed = check_domain(folder, settings, [found], accept_change=accept_domain)
        journal, records, cut = open_journal(folder, settings)
        with journal:
            workers = _workers(settings, found, game, jobs, settings.games - len(records))
            if changed is not None:
                changed = replace(changed, pulls=journal.count)
                accepted = replace(accepted, accepted_domains=(*accepted.accepted_domains, changed))
            if accepted != settings:
                write_match_settings(folder, accepted)
            kept = FinishedMatches(folder, [versions_now(), canonical_text(found), source_hash(found)])
            loop = _Loop(accepted, on_progress, records, journal, kept)
            return replace(loop.run(workers), cut=cut)


def _workers(
    settings: MatchSettings, found: Domain, given: Domain | None, jobs: int | None, games_left: int
) -> Workers:
    own = "" if given is None else uuid.uuid4().hex  # another object may be called the same
    engine = chosen_engine(found, settings.engine)
    if jobs is None:
        jobs = jobs_that_pay(seconds_of_match(settings, found, engine) * games_left)
    check_workers(jobs, "loky", None, LONGEST_MATCH)
    token = f"{settings.digest()} {source_hash(found)} {engine} {own}"
    setup = MatchSetup(token, settings.domain if given is None else given, settings, engine)
    return Workers(setup, jobs, timeout=LONGEST_MATCH)


class _Loop:
    """Hands out matches, and puts them into their order."""

    def __init__(
        self,
        settings: MatchSettings,
        on_progress: OnMatches | None,
        records: Sequence[MatchRecord] = (),
        journal: MatchJournal | None = None,
        kept: FinishedMatches | None = None,
    ) -> None:
        self.settings, self.on_progress = settings, on_progress
        self.records = list(records)
        """of whole blocks"""
        self.journal, self.kept = journal, kept
        self.finished: dict[Key, MatchRecord] = {}
        """of blocks that are not whole, or come after one that is not"""
        self.seatings = settings.seatings
        self.tree_full = False

    def run(self, workers: Workers) -> PlayedMatches:
        started = time.monotonic()
        ended: Literal["complete", "interrupted"] = "complete"
        if self.kept is not None:
            first = self.blocks_done
            known = self.kept.begin(self.settings.digest().encode())
            self.finished = {key: record for key, record in known.items() if key[0] >= first}
        before = self.played
        self.pace = WorkPace(before)
        try:
            self.write_whole_blocks()
            with workers_start_safely(), workers:
                self.play(workers)
        except KeyboardInterrupt:
            ended = "interrupted"
        except JournalError as error:
            raise CampaignStopped(str(error)) from error
        complete = self.blocks_done >= self.settings.blocks
        if complete and self.kept is not None:
            self.kept.end()  # a kill may have left there what is in the journal
        return PlayedMatches(
            self.settings,
            self.records,
            "complete" if complete else ended,
            self.played - before,
            len(self.finished),
            time.monotonic() - started,
            workers.search_seconds,
            self.tree_full,
        )

    @property
    def blocks_done(self) -> int:
        return len(self.records) // len(self.seatings)

    @property
    def played(self) -> int:
        return len(self.records) + len(self.finished)

    def play(self, workers: Workers) -> None:
        left = [
            (block, seating)
            for block in range(self.blocks_done, self.settings.blocks)
            for seating in self.seatings
            if (block, seating) not in self.finished
        ]
        texts = [text_of_seating(seating) for _, seating in left]

        def on_finished(places: Sequence[int], chunk: ChunkResult) -> None:
            for place, result in zip(places, chunk.results, strict=True):
                self.take(*left[place], result)
            self.write_whole_blocks()
            self.pace.tell(self.played)
            if self.on_progress is not None:
                self.on_progress(MatchProgress(self.settings, self.played, self.records, self.pace))

        try:
            workers.run(texts, [block for block, _ in left], on_finished)
        except DomainError as error:
            workers.give_up(error)
            raise

    def take(self, block: int, seating: Seating, result: MatchResult) -> None:
        """Keep a match that is finished. Raises `DomainError` for one that is not, which keeps no others from that."""
        if result.record is None:
            where = seating_text(self.settings, seating)
            raise DomainError(f"block {block} ({where}): {result.failed}")
        self.tree_full |= result.tree_full
        self.finished[block, seating] = result.record
        if self.kept is not None:
            self.kept.add([(block, seating)], [result.record], result.seconds)

    def write_whole_blocks(self) -> None:
        before = len(self.records)
        while all((self.blocks_done, seating) in self.finished for seating in self.seatings):
            block = [self.finished[self.blocks_done, seating] for seating in self.seatings]
            if self.journal is not None:
                self.journal.append(block)
            self.records += block
            for record in block:
                del self.finished[record.block, record.seating]
        if self.kept is not None and len(self.records) > before:
            self.kept.keep_only(self.finished)

"""Many games of one agent, here or in worker processes, kept in a journal as they are finished.

A game depends on nothing but its number and what all games have in common, so workers, journals and interruptions
change no result.
"""

import time
import uuid
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from discovery.evaluation.runs import Parcel, parcel, unpacked
from discovery.keeping.line_journal import LineJournal, LineKind, about_domain, require_keepable
from discovery.pool.parallel import in_workers, jobs_that_pay
from domains.errors import DomainError
from domains.registry import canonical_text, found_from_anywhere
from mcsgrammar.arguments import at_least
from mcsgrammar.game_records import GameRecord, read_record, record_fields
from mcsgrammar.playing import OnTick, Play, numbered

CHUNK_SECONDS = 0.3
"""About the size of a worker's task."""

GAMES = LineKind("game", "mcsgrammar games 1", record_fields, read_record)

Numbers = tuple[tuple[int, int], ...]
"""Games by problem and repetition."""


@dataclass(frozen=True)
class Played:
    """A worker's answer."""

    records: tuple[GameRecord, ...]
    failure: str | None = None
    """what the domain did wrong, and where"""


def play_games(
    play: Play,
    games: int,
    problem: int | None = None,
    jobs: int | None = 1,
    typed: str | None = None,
    journal: Path | None = None,
    on_game: Callable[[list[GameRecord]], None] | None = None,
    on_tick: OnTick | None = None,
) -> list[GameRecord]:
    """So many games, in their order; those that the journal holds are not played again. `typed` is the name by which
    workers find the domain; `jobs` None: as many as pay, and one where `on_tick` is told of every action. `on_game` is
    told of all that are done, now and then."""
    jobs = None if jobs is None else at_least(1, "the number of jobs", jobs)
    numbers = tuple(numbered(games, problem))
    done: list[GameRecord] = []
    with ExitStack() as stack:
        kept = None
        if journal is not None:
            require_keepable(play.domain, play.initial(numbers[0][0]))
            kept = stack.enter_context(LineJournal(GAMES, journal, header(play, problem)))
            done = kept.things[:games]
        if done and on_game is not None:
            on_game(done)
        left = numbers[len(done) :]
        outcomes = stack.enter_context(closing(_outcomes(play, left, jobs, typed, on_tick)))
        for outcome in outcomes:
            if kept is not None and outcome.records:
                kept.keep(outcome.records)
            done += outcome.records
            if outcome.failure is not None:
                raise DomainError(outcome.failure)
            if on_game is not None:
                on_game(done)
    return done


def header(play: Play, problem: int | None) -> dict[str, object]:
    """What the games of a journal have in common."""
    how = play.how
    return {
        **about_domain(play.domain),
        "agent": str(how.agent),
        "budget": how.limits.evaluations,
        "seconds": how.limits.seconds,
        "plays": how.limits.plays,
        "clock": "wall" if how.by_wall_clock else None,
        "trees": None if how.trees == "new" else how.trees,
        "max_nodes": how.limits.max_nodes,
        "split": how.split,
        "problem": problem,
        "seed": how.seed,
        "semantics": how.semantics,
    }


def _outcomes(
    play: Play, numbers: Numbers, jobs: int | None, typed: str | None, on_tick: OnTick | None
) -> Generator[Played, None, None]:
    if on_tick is not None:
        yield from (_played(play, (one,), on_tick) for one in numbers)
        return
    if not numbers:
        return
    play.warm_up()
    started, first = time.perf_counter(), _played(play, numbers[:1])
    yield first
    if first.failure is not None:
        return
    each, left = time.perf_counter() - started, numbers[1:]
    jobs = jobs or jobs_that_pay(each * len(left))
    size = max(1, min(int(CHUNK_SECONDS / max(each, 1e-9)), -(-len(left) // (4 * jobs))))
    chunks = [left[i : i + size] for i in range(0, len(left), size)]
    if jobs == 1:
        yield from (_played(play, chunk) for chunk in chunks)
        return
    what = parcel(play.domain, None if typed is None else found_from_anywhere(typed), play.how, uuid.uuid4().hex)
    yield from in_workers(partial(play_in_worker, what), chunks, jobs)


def play_in_worker(what: Parcel, numbers: Numbers) -> Played:
    return _played(_play(what), numbers)


@lru_cache(maxsize=4)
def _play(what: Parcel) -> Play:
    return Play(unpacked(what), what.plan)


def _played(play: Play, numbers: Sequence[tuple[int, int]], on_tick: OnTick | None = None) -> Played:
    records = []
    for k, repetition in numbers:
        try:
            records.append(play.play(k, repetition, on_tick))
        except DomainError as error:
            where = f"game on {play.how.split} problem {k} of {canonical_text(play.domain)}"
            return Played(tuple(records), f"{where}: {error}")
    return Played(tuple(records))

"""What a worker does: chunks of pulls, one pull after the other, with what it needs kept between them.

Glossary
    pull    a piece of work that is named by a text and a number: in a campaign a run of an expression on a training
            problem, or a game there, in the arena a match
    setup   what all pulls of a campaign have in common, as it is sent to the workers; it says what a pull is
    world   what a worker makes of it, once
"""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from discovery.pool.pulls import PullResult, Runners, run_pull, warm_up
from domains.protocol import Domain
from domains.registry import find_domain
from mcsgrammar.engines.searching import EngineName, Limits, SemanticsName, horizon_of
from mcsgrammar.language.expressions import Component
from mcsgrammar.language.parsing import parse
from mcsgrammar.playing import Trees, prepared

TIMED_SECONDS = 0.7
"""After so long no further candidate is timed …"""
LONG_ENOUGH_SECONDS = 0.03
"""… and after so long no longer run of one."""


class World(Protocol):
    def pull(self, text: str, t: int) -> Any:
        """Something with `seconds`, CPU time of its searches. What the domain does wrong is said in it, not raised."""


class Setup(Protocol):
    """What every pull has in common; `token` names it in the workers' caches."""

    @property
    def token(self) -> str: ...
    @property
    def domain(self) -> str | Domain: ...
    @property
    def stopped(self) -> str:
        """What happened, in messages, if no more pulls can be made."""

    def world(self) -> World:
        """What is kept between pulls, made in a worker."""

    def spoken(self, text: str, t: int) -> str:
        """A pull, in messages."""

    def seconds_of_pulls(self, world: Any, texts: Sequence[str]) -> float | None:
        """About how many seconds one of these takes; None where nobody knows."""


@dataclass(frozen=True)
class PullSetup:
    """What every pull of a campaign has in common."""

    token: str
    domain: str | Domain
    seed: int
    limits: Limits
    semantics: SemanticsName
    engine: EngineName
    play: Trees | None = None

    @property
    def stopped(self) -> str:
        return "the campaign stopped before this batch"

    def world(self) -> World:
        return CampaignWorld(self)

    def spoken(self, text: str, t: int) -> str:
        return f"{text} on training problem {t}"

    def seconds_of_pulls(self, world: Any, texts: Sequence[str]) -> float | None:
        if self.limits.seconds is not None and self.play is not None:
            return self.limits.seconds * horizon_of(world.domain)
        return seconds_of_runs(self, world, texts)


def seconds_of_runs(setup: PullSetup, world: Any, texts: Sequence[str]) -> float | None:
    """About how many seconds a run takes: the budget says it, or short runs."""
    if setup.limits.seconds is not None:
        return setup.limits.seconds
    assert setup.limits.evaluations is not None
    began, per_pull = time.monotonic(), []
    for t, text in enumerate(texts):
        seconds = world.seconds_of_pull(text, t, setup.limits.evaluations)
        per_pull += [] if seconds is None else [seconds]
        if time.monotonic() - began > TIMED_SECONDS:
            break
    return sum(per_pull) / len(per_pull) if per_pull else None


@dataclass
class ChunkResult:
    results: list[Any] = field(default_factory=list)
    """what the world's pulls came to"""
    cpu_seconds: float = 0.0
    seconds: float = 0.0
    """on the clock"""


class CampaignWorld:
    """What is kept between chunks: the domain, and every expression met."""

    def __init__(self, setup: PullSetup, runners: Runners | None = None) -> None:
        self.setup, self.runners = setup, runners
        self.domain = find_domain(setup.domain) if isinstance(setup.domain, str) else setup.domain
        self.expressions: dict[str, Component] = {}
        warm_up(self.domain, setup.seed, setup.engine, runners)

    def pull(self, text: str, t: int, evaluations: int | None = None) -> PullResult:
        """Pull t of a candidate, or so many evaluations of it."""
        if text not in self.expressions:
            self.expressions[text] = prepared(parse(text), self.domain, self.setup.limits, self.setup.play)
        setup = self.setup
        limits = setup.limits if evaluations is None else replace(setup.limits, evaluations=evaluations)
        expression = self.expressions[text]
        how = setup.semantics, setup.engine, setup.play, self.runners
        return run_pull(self.domain, expression, t, setup.seed, limits, *how)

    def seconds_of_pull(self, text: str, t: int, budget: int) -> float | None:
        """About how long pull t would take: runs within budgets that grow until one takes long enough, or is whole."""
        self.pull(text, t, 0)  # draws the problem
        evaluations = 1
        while True:
            started = time.monotonic()
            if self.pull(text, t, evaluations).failed is not None:
                return None
            spent = time.monotonic() - started
            if spent > LONG_ENOUGH_SECONDS or evaluations == budget:
                return spent / evaluations * budget
            evaluations = min(10 * evaluations, budget)


_worlds: dict[tuple[str, str], World] = {}
_worlds_lock = threading.Lock()


def make_ready(setup: Setup) -> None:
    """Find the domain and compile it, which otherwise the first chunk does."""
    _world(setup)


def _world(setup: Setup) -> World:
    """The world of a setup: made once in a process, whose threads share it."""
    with _worlds_lock:
        key = setup.token, setup.domain if isinstance(setup.domain, str) else ""
        if key not in _worlds:
            _worlds[key] = setup.world()
        return _worlds[key]


def run_chunk(setup: Setup, texts: Sequence[str], ts: Sequence[int]) -> ChunkResult:
    """Pulls run one after the other in one worker."""
    chunk = ChunkResult()
    fill_chunk(chunk, setup, texts, ts)
    return chunk


def fill_chunk(chunk: ChunkResult, setup: Setup, texts: Sequence[str], ts: Sequence[int]) -> None:
    """The same, pull by pull: after an interrupt, `chunk` holds those before it."""
    world = _world(setup)
    started, cpu_started = time.monotonic(), time.thread_time()  # compiling the domain, once a worker, is left out
    try:
        for text, t in zip(texts, ts, strict=True):
            chunk.results.append(world.pull(text, t))
    finally:
        chunk.cpu_seconds, chunk.seconds = time.thread_time() - cpu_started, time.monotonic() - started


def time_pulls(setup: Setup, texts: Sequence[str]) -> float | None:
    """About how many seconds a pull takes, by short runs of these candidates, each on another training problem; None
    if all of them failed. It takes a second at most, unless one evaluation does. On the clock, as people wait."""
    return setup.seconds_of_pulls(_world(setup), texts)

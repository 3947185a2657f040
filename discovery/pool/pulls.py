"""One pull of one candidate: the algorithm runs once on a training problem, or plays a game there. What campaigns and
records are made of.

Pull t of every candidate is on problem t of the training stream of the campaign's seed, and the run's own seed derives
from what identifies the pull, so a result depends on neither order, worker, engine nor machine.
"""

import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

from domains.errors import DomainError
from domains.protocol import Domain
from domains.randomness import seed_of
from domains.registry import canonical_text
from domains.saying import text_of
from mcsgrammar.engines.results import RunResult
from mcsgrammar.engines.searching import EngineName, Limits, SemanticsName, engine_of
from mcsgrammar.language.expressions import Component
from mcsgrammar.playing import HowToPlay, Play, Trees, agent_in

LONGEST_FAILURE = 2000
"""Of what is written down of a failed pull."""
KEPT_PROBLEMS = 1024
"""Per domain on the reference engine. Drawing a problem can take longer than a short search on it."""
KEPT_BYTES = 32 * 2**20
"""Per domain on the compiled engine, whose encoded problems are small: about 20 000 Sudoku grids of size 4."""


@dataclass(frozen=True)
class PullResult:
    reward: float
    """0 for a failed pull"""
    failed: str | None
    """what the domain did wrong"""
    evaluations: int
    seconds: float
    """CPU time of the search"""


def run_pull(
    domain: Domain,
    expression: Component,
    t: int,
    seed: int,
    limits: Limits,
    semantics: SemanticsName = "standard",
    engine: EngineName = "auto",
    play: Trees | None = None,
    runners: "Runners | None" = None,
) -> PullResult:
    """Pull number t, from 0, of a prepared expression (see `mcsgrammar.playing.prepared`) in the campaign of a seed:
    a run, or the game that `mcsgrammar play --split train --problem t` plays with this seed. `runners`: which keep the
    domain's, if not those of the process.

    What the domain does wrong makes a failed pull; a Ctrl-C during the search raises KeyboardInterrupt.
    """
    started = time.thread_time()
    try:
        if play is not None:
            how = HowToPlay(agent_in(expression), limits, "train", seed, engine, semantics, play)
            return _game(Play(domain, how), t)
        runner = _runner(domain, engine, runners)
        own_seed = seed_of("pull", seed, runner.domain_text, semantics, str(expression), t)
        result = runner.run(runner.problem(t, seed), expression, own_seed, limits, semantics)
    except DomainError as error:
        return PullResult(0.0, text_of(error, LONGEST_FAILURE), 0, time.thread_time() - started)
    if result.stop_reason == "interrupted":
        raise KeyboardInterrupt
    if result.reward is None:
        return PullResult(0.0, "nothing was evaluated: the budget is 0", 0, result.seconds)
    return PullResult(result.reward, None, result.evaluations, result.seconds)


def _game(play: Play, t: int) -> PullResult:
    if play.how.limits.evaluations == 0:
        play.initial(t)
        return PullResult(0.0, None, 0, 0.0)
    record = play.play(t)
    return PullResult(record.reward, None, record.evaluations, record.seconds)


def warm_up(domain: Domain, seed: int, engine: EngineName, runners: "Runners | None" = None) -> None:
    """Compile the domain, or load it compiled, if the engine is the compiled one."""
    try:
        runner = _runner(domain, engine, runners)
        runner.warm_up(runner.problem(0, seed))
    except DomainError:
        return  # the pulls will say so


class Runner:
    """A domain with an engine chosen, and the latest problems as that engine takes them."""

    def __init__(self, domain: Domain, engine: EngineName) -> None:
        self.domain = domain
        self.domain_text = canonical_text(domain)
        self._engine = engine_of(domain, engine)
        self._problems: OrderedDict[tuple[int, int], Any] = OrderedDict()
        self._kept_bytes = 0
        self._lock = threading.Lock()
        self._warm = False

    def problem(self, t: int, seed: int) -> Any:
        """Training problem t of a campaign, ready for the engine."""
        with self._lock:
            return self._problem(t, seed)

    def _problem(self, t: int, seed: int) -> Any:
        kept = self._problems.get((seed, t))
        if kept is not None:
            self._problems.move_to_end((seed, t))
            return kept
        made = self._engine.ready_number(t, "train", seed)
        self._problems[seed, t] = made
        self._kept_bytes += self._size(made)
        while self._kept_bytes > KEPT_BYTES and len(self._problems) > 1:
            self._kept_bytes -= self._size(self._problems.popitem(last=False)[1])
        return made

    def _size(self, made: Any) -> int:
        known = self._engine.size(made)
        return KEPT_BYTES // KEPT_PROBLEMS if known is None else known  # of what nobody knows, only so many are kept

    def run(
        self, made: Any, expression: Component, own_seed: int, limits: Limits, semantics: SemanticsName
    ) -> RunResult:
        self.warm_up(made)
        return self._engine.run(made, expression, own_seed, limits, semantics)

    def warm_up(self, made: Any) -> None:
        if not self._warm:
            self._engine.warm_up(made)
            self._warm = True


class Runners(OrderedDict[tuple[int, EngineName], Runner]):
    """The latest, by the id of their domain, which no other object can have while the runner holds it. A domain need
    not be hashable."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def of(self, domain: Domain, engine: EngineName) -> Runner:
        runner = self.get((id(domain), engine))
        if runner is None:
            runner = self[id(domain), engine] = Runner(domain, engine)
            if len(self) > self.most:
                self.popitem(last=False)
        return runner


KEPT_RUNNERS = 8
_runners = Runners(KEPT_RUNNERS)
"""Of this process."""


def _runner(domain: Domain, engine: EngineName, runners: Runners | None = None) -> Runner:
    return (_runners if runners is None else runners).of(domain, engine)

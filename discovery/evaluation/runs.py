"""The runs of an evaluation, as a worker does them: whole blocks of expressions × problems.

One run at the largest budget says what the smaller ones would have found, because neither the budget nor the engine is
part of the seed: a short run is the beginning of a long one. Where that does not hold (`uct(C)`, whose N depends on
the budget, and games, whose actions do), where the run's curve does not know the budget, or where the domain's score
cannot be told from the reward, the smaller budget has a run of its own.
"""

import hashlib
import pickle
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from itertools import takewhile
from typing import Any

import numpy as np

from domains.errors import DomainError
from domains.problems import Split
from domains.protocol import Domain, replay
from domains.registry import canonical_text, find_domain
from domains.sources import file_of_class
from mcsgrammar.engines.guarding import finite_score, guarded, initial_state
from mcsgrammar.engines.results import RunResult, curve_points
from mcsgrammar.engines.searching import Engine, EngineName, Limits, SemanticsName, engine_of, horizon_of
from mcsgrammar.game_records import GameRecord
from mcsgrammar.language.expressions import Component, Tune
from mcsgrammar.language.parsing import parse
from mcsgrammar.playing import HowToPlay, Play, Trees, agent_in, prepared
from mcsgrammar.solving import run_seed


@dataclass(frozen=True)
class Plan:
    """What all runs of an evaluation have in common. Which engine it is has been decided: not 'auto'."""

    expressions: tuple[str, ...]
    limits: tuple[Limits, ...]
    split: Split
    stream: int
    seed: int
    semantics: SemanticsName
    engine: EngineName
    first_problem: int = 0
    play: Trees | None = None
    """what becomes of trees between actions, where a run is a whole game"""


@dataclass(frozen=True)
class Block:
    """A task: these expressions, by number, on these problems, counted from the plan's first."""

    expressions: range
    problems: range

    @property
    def runs(self) -> int:
        return len(self.expressions) * len(self.problems)


@dataclass(frozen=True)
class BlockResult:
    """What a block came to. The arrays are [limits, expression, problem]."""

    rewards: np.ndarray
    scores: np.ndarray
    seconds: np.ndarray
    """NaN where there was no run of its own"""
    problem_digests: frozenset[bytes]
    """one for each different problem"""
    failure: str | None = None
    """what the domain did wrong, and where; the arrays are then worth nothing"""


@dataclass(frozen=True)
class SharedRun:
    """One run serves all the limits that have numbers `answers`; the last of them is the one it is run with."""

    expression: Component
    answers: tuple[int, ...]


class Bench:
    """A domain and the expressions of a plan, made ready."""

    def __init__(self, domain: Domain, plan: Plan) -> None:
        self.domain = domain
        self.plan = plan
        self._runs: dict[int, list[SharedRun]] = {}

    @cached_property
    def name(self) -> str:
        return canonical_text(self.domain)

    def runs(self, expression: int) -> list[SharedRun]:
        """The runs that one expression needs on every problem."""
        if expression not in self._runs:
            self._runs[expression] = runs_needed(parse(self.plan.expressions[expression]), self.domain, self.plan)
        return self._runs[expression]

    def runs_as(self, limits: int) -> tuple[str, ...]:
        """The expressions as they are run within these limits: `uct(C)` resolved."""
        numbers = range(len(self.plan.expressions))
        return tuple(str(run.expression) for e in numbers for run in self.runs(e) if limits in run.answers)

    def initial(self, k: int) -> Any:
        plan = self.plan
        return initial_state(self.domain, k, plan.split, plan.stream)

    def ready(self, initial: Any) -> Any:
        """The problem as the engine takes it."""
        return self._engine.ready(initial)

    @cached_property
    def _engine(self) -> Engine:
        return engine_of(self.domain, self.plan.engine)

    def search(self, expression: Component, limits: Limits, k: int, ready: Any, repetition: int = 0) -> RunResult:
        """The very run that `solve --problem k` does with the same seed. `KeyboardInterrupt` passes through."""
        plan = self.plan
        seed = run_seed(self.domain, expression, plan.semantics, plan.split, k, plan.seed, repetition)
        result = self._engine.run(ready, expression, seed, limits, plan.semantics)
        if result.stop_reason == "interrupted":
            raise KeyboardInterrupt
        return result

    def game(self, agent: Component, limits: Limits, k: int) -> GameRecord:
        """The very game that `play --problem k` plays with the same seed."""
        plan, trees = self.plan, self.plan.play or "new"
        how = HowToPlay(agent_in(agent), limits, plan.split, plan.seed, plan.engine, plan.semantics, trees)
        return Play(self.domain, how).play(k)

    def pilot(self, expression: Component, evaluations: int, k: int, ready: Any) -> int:
        """How many evaluations there are in a run with so small a budget, or in a game with such ticks."""
        if self.plan.play is not None:
            return self.game(expression, Limits(evaluations), k).evaluations
        return self.search(expression, Limits(evaluations), k, ready).evaluations

    @property
    def searches_a_run(self) -> int:
        """About how many."""
        return 1 if self.plan.play is None else horizon_of(self.domain)

    def measure(self, block: Block) -> BlockResult:
        """All runs of a block."""
        shape = (len(self.plan.limits), len(block.expressions), len(block.problems))
        rewards, scores, seconds = np.full(shape, np.nan), np.full(shape, np.nan), np.full(shape, np.nan)
        digests = set()
        for column, number in enumerate(block.problems):
            k = self.plan.first_problem + number
            try:
                initial = self.initial(k)
                ready = self.ready(initial)
            except DomainError as error:
                return self._failed(block.expressions[0], k, error)
            digests.add(_digest(ready))
            for row, expression in enumerate(block.expressions):
                try:
                    for i, reward, score, spent in self._answers(expression, k, initial, ready):
                        rewards[i, row, column] = reward
                        scores[i, row, column] = score
                        seconds[i, row, column] = spent
                except DomainError as error:
                    return self._failed(expression, k, error)
        return BlockResult(rewards, scores, seconds, frozenset(digests))

    def _answers(self, expression: int, k: int, initial: Any, ready: Any) -> Iterator[tuple[int, float, float, float]]:
        """(number of the limits, reward, score, CPU seconds) for all limits."""
        for run in self.runs(expression):
            longest = self.plan.limits[run.answers[-1]]
            if self.plan.play is not None:
                record = self.game(run.expression, longest, k)
                yield run.answers[-1], record.reward, record.score, record.seconds
                continue
            result = self.search(run.expression, longest, k, ready)
            for i in run.answers:
                limits, own = self.plan.limits[i], result if i == run.answers[-1] else None
                reward = result.reward if own else result.best_at(limits.evaluations or 0)
                score = self._score_of_reward(reward)
                if score is None:
                    own = own or self.search(run.expression, limits, k, ready)
                    reward, score = own.reward, self._score_of_actions(initial, own.actions)
                assert reward is not None
                yield i, reward, score, own.seconds if own else np.nan

    def _score_of_reward(self, reward: float | None) -> float | None:
        assert reward is not None, "every run evaluates something, and its curve knows the smaller budgets"
        score = guarded(self.domain, "score_of_reward", lambda: self.domain.score_of_reward(reward))
        return None if score is None else finite_score(self.domain, "score_of_reward", lambda: score)

    def _score_of_actions(self, initial: Any, actions: Sequence[Any]) -> float:
        return finite_score(self.domain, "score", lambda: self.domain.score(replay(self.domain, initial, actions)))

    def _failed(self, expression: int, k: int, error: DomainError) -> BlockResult:
        text = self.plan.expressions[expression]
        none = np.empty(0)
        return BlockResult(
            none, none, none, frozenset(), f"{text} on {self.plan.split} problem {k} of {self.name}: {error}"
        )


def runs_needed(expression: Component, domain: Domain, plan: Plan) -> list[SharedRun]:
    """As few runs as say what an expression finds within each of the plan's limits."""
    groups: dict[str, tuple[Component, list[int]]] = {}
    for i, limits in enumerate(plan.limits):
        run = prepared(expression, domain, limits, plan.play)
        groups.setdefault(str(run), (run, []))[1].append(i)
    runs = []
    for run, members in groups.values():
        longest = max(members, key=lambda i: plan.limits[i].evaluations or 0)
        alone = plan.play is not None or _knows_its_budget(run)
        served = [] if alone else [i for i in members if _on_curve(plan.limits[i])]
        runs.append(SharedRun(run, (*(i for i in served if i != longest), longest)))
        runs += [SharedRun(run, (i,)) for i in members if i != longest and i not in served]
    return runs


def _knows_its_budget(expression: Component) -> bool:
    """Whether a tuner plans ahead, so that a short run is not the beginning of a long one."""
    return any(isinstance(part, Tune) and part.tuner.name == "lsi" for part in expression.walk())


def _on_curve(limits: Limits) -> bool:
    budget = limits.evaluations or 0
    return budget in takewhile(lambda point: point <= budget, curve_points())


def _digest(what: Any) -> bytes:
    """The same for the same problem; where a state of one's own cannot be written down, different every time."""
    digest = hashlib.blake2b(digest_size=8)
    if isinstance(what, tuple) and all(isinstance(part, np.ndarray) for part in what):
        for part in what:
            digest.update(part.tobytes())
    else:
        try:
            digest.update(pickle.dumps(what))
        except Exception:
            digest.update(repr(what).encode("utf-8", "replace"))
    return digest.digest()


@dataclass(frozen=True)
class Parcel:
    """A domain and what is to be done with it as they are sent to a worker process. `token` is the parcel's own, so
    that a worker keeps what it has made ready."""

    token: str
    domain: str | bytes
    """as it was typed, or pickled"""
    module: tuple[str, str] | None
    """name and path of the file that a pickled domain's class is in, if it is one that `find_domain` has read"""
    plan: Any


def parcel(domain: Domain, typed: str | None, plan: Any, token: str) -> Parcel:
    """A bench for the post."""
    if typed is not None:
        return Parcel(token, typed, None, plan)
    import cloudpickle

    name = type(domain).__module__
    is_lost = name.startswith("mcsgrammar_file_") and domain.registered_file is None  # made by hand of a class found
    module = (name, str(file_of_class(domain))) if is_lost else None
    return Parcel(token, bytes(cloudpickle.dumps(domain)), module, plan)


def measure_in_worker(what: Parcel, block: Block) -> BlockResult:
    """All runs of a block, in a worker process."""
    return _bench(what).measure(block)


@lru_cache(maxsize=4)
def _bench(what: Parcel) -> Bench:
    return Bench(unpacked(what), what.plan)


def unpacked(what: Parcel) -> Domain:
    """The domain in a parcel."""
    if isinstance(what.domain, str):
        return find_domain(what.domain)
    if what.module is not None:
        name, file = what.module
        if getattr(sys.modules.get(name), "__file__", None) != file:
            spec = spec_from_file_location(name, file)
            assert spec is not None and spec.loader is not None
            sys.modules[name] = module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
    domain: Domain = pickle.loads(what.domain)
    return domain

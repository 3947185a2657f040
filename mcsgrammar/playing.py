"""Play problems tick by tick: what `mcsgrammar play` and `mcsgrammar.play` do.

Glossary
    tick     one action of a game: a search from the state it has come to, the action that it chooses, and what chance
             makes of it
    agent    what searches, and the rule by which the action is committed: an expression whose outermost step is the
             world's
    world    the generator that the game's own chance is drawn from; the search draws from another
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from domains.errors import DomainError, UserError
from domains.problems import SPLITS, Split, check_split, instance_of, problem
from domains.protocol import Domain, drawn, pictured, replay
from domains.randomness import Random, seed_of
from domains.registry import canonical_text, domain_of
from domains.saying import shown
from mcsgrammar.display import data_frame, html_picture, number
from mcsgrammar.engines.compiled.vetting import vetted_engine
from mcsgrammar.engines.guarding import Guarded, guarded
from mcsgrammar.engines.pacing import Pace
from mcsgrammar.engines.results import Tuning
from mcsgrammar.engines.rules import committing_select
from mcsgrammar.engines.searching import (
    DEFAULT_MAX_NODES,
    ENGINES,
    SEMANTICS,
    Engine,
    EngineName,
    Limits,
    SemanticsName,
    check_choice,
    engine_of,
    horizon_of,
    prepare_any,
)
from mcsgrammar.language.expressions import Component, Step
from mcsgrammar.language.parsing import parse
from mcsgrammar.wording import note

CommitRule = Literal["visits", "mean", "best"]
COMMITS = ("visits", "mean", "best")
"""The rules by which a game goes on."""
OVERRUN = 1.1
"""A tick that takes so many times what it may is counted."""


@dataclass(frozen=True)
class Agent:
    """What chooses the actions of a game."""

    component: Component
    """what searches, `uct(C)` resolved"""
    rule: CommitRule

    def __str__(self) -> str:
        return str(Step(self.component, self.rule))


def agent_of(expression: Component, domain: Domain, limits: Limits, commit: str | None = None) -> Agent:
    """The agent that an expression is: the outermost step becomes the world's, if there is one. Its rule is `commit`,
    else the one that step names, else visits, and without a select to look at, best."""
    require_some(limits)
    component, rule = prepare_any(expression, domain, limits), commit
    if isinstance(component, Step):
        if rule is None and not component.is_plain:
            rule = str(component.commit)
        component = component.component
    if rule is None:
        rule = "best" if committing_select(Step(component)) is None else "visits"
    check_choice("the commit rule", rule, COMMITS)
    Step(component, rule)  # says what is wrong with the two
    return Agent(component, rule)  # type: ignore[arg-type]


def require_some(limits: Limits) -> None:
    if limits.evaluations == 0:
        raise UserError("the budget of a tick cannot be 0; a search needs at least 1 evaluation to choose an action")


def warn_of_luck(domain: Domain, agent: Agent) -> None:
    if domain.stochastic and agent.rule == "best":
        why = "by visits or mean" if committing_select(Step(agent.component)) else "by visits or mean, with a select"
        note(
            f"{agent} commits the action with the luckiest result, which chance may not repeat; most games are played "
            f"better {why}: step(select(sim, 0.5), visits)"
        )


@dataclass(frozen=True)
class GameRecord:
    """A game as it went. `actions` and `seed` on the problem are all that it takes to see it again."""

    problem: int
    repetition: int
    seed: int
    """of the world"""
    actions: tuple[Any, ...]
    reward: float
    score: float
    reached_goal: bool | None
    evaluations: int
    seconds: float
    """of all searches together"""
    overruns: int = 0
    """ticks that took much longer than they might; only of games by the clock"""
    tuned: tuple[tuple[str, str], ...] = ()
    """what the tuners would choose in the end: parameters and values, as written"""

    @property
    def ticks(self) -> int:
        return len(self.actions)


@dataclass(frozen=True)
class Play:
    """How games are played: all that they have in common."""

    domain: Domain
    agent: Agent
    limits: Limits
    """of a tick"""
    split: Split = "test"
    seed: int = 0
    engine: EngineName = "auto"
    semantics: SemanticsName = "standard"
    by_wall_clock: bool = False
    """whether seconds are those on the wall, not of this thread's CPU time"""

    @cached_property
    def running(self) -> Engine:
        return engine_of(self.domain, vetted_engine(self.domain, self.engine))

    @property
    def stream(self) -> int:
        return self.seed if self.split == "train" else 0

    def initial(self, k: int) -> Any:
        return guarded(self.domain, "sample", lambda: problem(self.domain, k, self.split, self.stream))

    def world_seed(self, k: int, repetition: int) -> int:
        """The same for all agents, so that they meet the same chance as long as they do the same."""
        return seed_of("world", self.seed, canonical_text(self.domain), self.split, k, repetition)

    def search_seed(self, k: int, repetition: int) -> int:
        domain, agent = canonical_text(self.domain), str(self.agent)
        return seed_of("play", self.seed, domain, self.semantics, agent, self.split, k, repetition)

    def play(self, k: int, repetition: int = 0, on_tick: Callable[[int], None] | None = None) -> GameRecord:
        """One game on problem k. `on_tick` is told how many actions have been played. A Ctrl-C ends it without a
        record: what was played so far is no game."""
        guard, limits = Guarded(self.domain), self.limits
        ticks = horizon_of(self.domain)
        in_all = None if limits.evaluations is None else limits.evaluations * ticks
        search = self.running.game(
            self.agent.component, self.search_seed(k, repetition), limits.max_nodes, self.semantics, in_all
        )
        seed = self.world_seed(k, repetition)
        state, world = guard.copy(self.initial(k)), Random(seed)
        actions: list[Any] = []
        evaluations, seconds, overruns = 0, 0.0, 0
        tunings: tuple[Tuning, ...] = ()
        first: list[Any] | None = None
        while not guard.is_final(state):
            listed = list(guard.actions(state))
            first = listed if first is None else first
            if self.domain.stochastic and listed != first:
                raise other_actions(self.domain, listed, first, actions)
            pace = self._pace()
            result = search.tick(self.running.ready(state), pace)
            if result.stop_reason == "interrupted":
                raise KeyboardInterrupt
            evaluations, seconds = evaluations + result.evaluations, seconds + result.seconds
            overruns += limits.seconds is not None and result.seconds > OVERRUN * limits.seconds
            tunings = result.tunings
            action = search.commit(self.agent.rule)
            state = guard.play(state, action, actions, world)
            actions.append(action)
            if on_tick is not None:
                on_tick(len(actions))
        reward = guard.reward(state, actions)
        score = guarded(self.domain, "score", lambda: float(self.domain.score(state)))
        goal = guarded(self.domain, "reaches_goal", lambda: self.domain.reaches_goal(state))
        goal = None if goal is None else bool(goal)
        return GameRecord(
            k, repetition, seed, tuple(actions), reward, score, goal, evaluations, seconds, overruns, tuned(tunings)
        )

    def _pace(self) -> Pace:
        if self.by_wall_clock:
            return Pace(None, self.limits.seconds, clock=time.perf_counter)
        return Pace(self.limits.evaluations, self.limits.seconds)

    def shown(self, record: GameRecord) -> "Game":
        return Game(self.domain, self.agent, record, self.initial(record.problem), self.instance(record.problem))

    def instance(self, k: int) -> Path | None:
        return instance_of(self.domain, k, self.split, self.stream)


def tuned(tunings: tuple[Tuning, ...]) -> tuple[tuple[str, str], ...]:
    """Parameters and what their tuners would choose, of those that were told anything."""
    return tuple(
        (name, f"{value:.4g}" if isinstance(value, float) else str(value))
        for tuning in tunings
        for name, value in zip(tuning.parameters, tuning.best or (), strict=False)
    )


def other_actions(domain: Domain, listed: list[Any], first: list[Any], actions: list[Any]) -> DomainError:
    return DomainError(
        f"{type(domain).__name__}.actions lists {shown(listed)} after {len(actions)} actions, and {shown(first)} at "
        "the start; where chance has a say all unfinished states list the same actions (mcsgrammar check says more)"
    )


@dataclass(frozen=True)
class Game:
    """A game that was played, to be looked at."""

    domain: Domain
    agent: Agent
    record: GameRecord
    initial: Any
    instance: Path | None = None

    def final(self) -> Any:
        """The state in which it ended, played again from its record."""
        return replay(self.domain, self.initial, self.record.actions, Random(self.record.seed))

    def draw(self) -> str:
        """The game as text."""
        record = self.record
        return guarded(
            self.domain, "draw", lambda: drawn(self.domain, self.initial, record.actions, Random(record.seed))
        )

    def svg(self) -> str | None:
        """The game as an SVG document; None if the domain draws none."""
        record = self.record
        return guarded(
            self.domain, "svg", lambda: pictured(self.domain, self.initial, record.actions, Random(record.seed))
        )

    def __repr__(self) -> str:
        record = self.record
        return (
            f"<Game of {canonical_text(self.domain)}, problem {record.problem}, by {self.agent}: score {record.score}, "
            f"{record.ticks} actions>"
        )

    def _repr_html_(self) -> str:
        caption = (
            f"{canonical_text(self.domain)}, problem {self.record.problem}: {number(self.record.score)} "
            f"{self.domain.unit}, by {self.agent}"
        )
        return html_picture(caption, self.svg(), self.draw())


class Games(list[Game]):
    """A list of games, in their order."""

    @property
    def mean_score(self) -> float:
        return sum(game.record.score for game in self) / len(self) if self else math.nan

    @property
    def share_of_goals(self) -> float | None:
        """Of the games that reached what their domain calls the goal; None where there is none."""
        reached = [game.record.reached_goal for game in self if game.record.reached_goal is not None]
        return sum(reached) / len(reached) if reached else None

    def to_dataframe(self) -> Any:
        """A `pandas.DataFrame`, one line for each game; needs pandas."""
        return data_frame([record_of(game.domain, game.record) for game in self])


def record_of(domain: Domain, record: GameRecord) -> dict[str, Any]:
    """A game in JSON: with `domain`, `problem`, `seed` and `actions` it can be seen again."""
    return {"domain": canonical_text(domain), **record_fields(record)}


def record_fields(record: GameRecord) -> dict[str, Any]:
    return {
        "problem": record.problem,
        "repetition": record.repetition,
        "seed": record.seed,
        "actions": list(record.actions),
        "reward": record.reward,
        "score": record.score,
        "reached_goal": record.reached_goal,
        "ticks": record.ticks,
        "evaluations": record.evaluations,
        "seconds": record.seconds,
        "overruns": record.overruns,
        "tuned": [list(pair) for pair in record.tuned],
    }


def read_record(document: dict[str, Any]) -> GameRecord:
    """A game from what `record_fields` made of it."""
    return GameRecord(
        problem=document["problem"],
        repetition=document["repetition"],
        seed=document["seed"],
        actions=tuple(document["actions"]),
        reward=document["reward"],
        score=document["score"],
        reached_goal=document["reached_goal"],
        evaluations=document["evaluations"],
        seconds=document["seconds"],
        overruns=document["overruns"],
        tuned=tuple((str(name), str(value)) for name, value in document["tuned"]),
    )


def play(
    domain: Domain | str,
    expression: Component | str,
    budget: int = 200,
    *,
    games: int = 1,
    problem: int | None = None,
    commit: CommitRule | None = None,
    split: Split = "test",
    seed: int = 0,
    engine: EngineName = "auto",
    semantics: SemanticsName = "standard",
    max_nodes: int = DEFAULT_MAX_NODES,
) -> Games:
    """Play games of a domain, one on each of its problems 0, 1, …, or all on one `problem`; the same arguments, the
    same games. Before every action the agent searches anew from where the game stands, for `budget` evaluations.

    For domains in which chance has a say, and for others, where it is planning with a receding horizon. An agent is an
    expression: the outermost step, if there is one, is the world's, and its rule (or `commit`: visits, mean or best)
    says which action is played.
    """
    found = domain_of(domain)
    how = prepared_play(
        found, expression, Limits(budget, None, max_nodes), commit, split, seed, engine, semantics, by_wall_clock=False
    )
    return Games(how.shown(how.play(k, repetition)) for k, repetition in numbered(games, problem))


def prepared_play(
    domain: Domain,
    expression: Component | str,
    limits: Limits,
    commit: str | None,
    split: Split,
    seed: int,
    engine: EngineName,
    semantics: SemanticsName,
    by_wall_clock: bool,
) -> Play:
    """How games are to be played, checked."""
    check_choice("the engine", engine, ENGINES)
    check_choice("the semantics", semantics, SEMANTICS)
    check_choice("the split", split, SPLITS)
    check_split(domain, split)
    parsed = parse(expression) if isinstance(expression, str) else expression
    agent = agent_of(parsed, domain, limits, commit)
    warn_of_luck(domain, agent)
    return Play(domain, agent, limits, split, seed, vetted_engine(domain, engine), semantics, by_wall_clock)


def numbered(games: int, on: int | None) -> Iterator[tuple[int, int]]:
    """(problem, repetition) of so many games."""
    if games < 1:
        raise UserError(f"the number of games cannot be {games}; it is at least 1")
    if on is not None and on < 0:
        raise UserError(f"the problem cannot be {on}; problems are numbered from 0")
    return ((number, 0) if on is None else (on, number) for number in range(games))

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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from domains.errors import DomainError, UserError
from domains.problems import SPLITS, Split, check_split, instance_of, stream_of
from domains.protocol import Domain, drawn, pictured, replay
from domains.randomness import Random, seed_of
from domains.registry import canonical_text, domain_of
from domains.saying import shown
from mcsgrammar.arguments import at_least, check_choice, numbered_from_0, whole
from mcsgrammar.defaults import BUDGET_OF_A_TICK, DEFAULT_MAX_NODES
from mcsgrammar.display import data_frame, html_picture, number
from mcsgrammar.engines.compiled.vetting import vetted_engine
from mcsgrammar.engines.guarding import Guarded, finite_score, guarded, initial_state
from mcsgrammar.engines.pacing import Pace
from mcsgrammar.engines.results import Tuning
from mcsgrammar.engines.rules import FOR_EVER, committing_select
from mcsgrammar.engines.searching import (
    ENGINES,
    SEMANTICS,
    Engine,
    EngineName,
    GameSearch,
    Limits,
    SearchTask,
    SemanticsName,
    engine_of,
    horizon_of,
    prepare,
    prepare_any,
)
from mcsgrammar.game_records import GameRecord, record_of, tuned
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Component, Select, Step
from mcsgrammar.language.parameters import value_text
from mcsgrammar.language.parsing import read_expression
from mcsgrammar.language.policies import Grave, History, Ucb1
from mcsgrammar.wording import note

CommitRule = Literal["visits", "mean", "best"]
COMMITS = ("visits", "mean", "best")
"""The rules by which a game goes on."""
Trees = Literal["new", "kept"]
TREES = ("new", "kept")
"""What becomes of trees from one tick to the next: they are new, or what stood below the action that was played."""
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
    else the one that step names, else visits where chance has a say, and best where it has none, or where there is no
    select to look at. (Without chance an action that ends the game is looked at once, and not again.)"""
    require_some(limits)
    component, rule = prepare_any(expression, domain, limits), commit
    if isinstance(component, Step):
        if rule is None and not component.is_plain:
            rule = str(component.commit)
        component = component.component
    if rule is None:
        rule = "visits" if domain.stochastic and committing_select(Step(component)) is not None else "best"
    if rule not in COMMITS:
        raise InvalidExpression(f"the commit rule cannot be '{rule}'; it is one of {', '.join(COMMITS)}")
    Step(component, rule)  # says what is wrong with the two
    return Agent(component, rule)  # type: ignore[arg-type]


def prepared(expression: Component, domain: Domain, limits: Limits, trees: Trees | None) -> Component:
    """The expression as it is run: on a problem, or, where it is said what becomes of trees, as the agent of games."""
    if trees is None:
        return prepare(expression, domain, limits)
    agent = agent_of(expression, domain, limits)
    return Step(agent.component, agent.rule)


def agent_in(prepared: Component) -> Agent:
    """The agent that was prepared."""
    assert isinstance(prepared, Step)
    return Agent(prepared.component, str(prepared.commit))  # type: ignore[arg-type]


def require_some(limits: Limits) -> None:
    if limits.evaluations == 0:  # of actions there is at least 1
        raise UserError("the budget of a tick cannot be 0; a search needs at least 1 evaluation to choose an action")


def warn_of_luck(domain: Domain, agent: Agent) -> None:
    if domain.stochastic and agent.rule == "best":
        why = "by visits or mean" if committing_select(Step(agent.component)) else "by visits or mean, with a select"
        note(
            f"{agent} commits the action with the luckiest result, which chance may not repeat; most games are played "
            f"better {why}: step(select(sim, 0.5), visits)"
        )


def warn_of_scale(domain: Domain, agent: Agent) -> None:
    """Of a tree that looks at short playouts with a constant that is meant for results from 0 to 1."""
    select = next((one for one in agent.component.walk() if isinstance(one, Select)), None)
    if not domain.stochastic or select is None or agent.component.innermost.settings()["depth"] == math.inf:
        return
    policy = select.policy
    if isinstance(policy, Ucb1 | Grave | History) and policy.norm == 0 and policy.c != 0:
        note(
            "playouts of a few actions come to results that differ by little, beside which a constant of "
            f"{value_text(policy.c)} explores too much; to put them on one scale, write "
            f"select(…, {replace(policy, norm=1)})"
        )


OnTick = Callable[[int, int, Sequence[Any]], None]
"""Called after every tick with the problem, the world's seed and the actions that have been played."""


@dataclass(frozen=True)
class HowToPlay:
    """What games of one agent have in common, the domain apart, so that it can be sent to workers."""

    agent: Agent
    limits: Limits
    """of a tick"""
    split: Split = "test"
    seed: int = 0
    engine: EngineName = "auto"
    semantics: SemanticsName = "standard"
    trees: Trees = "new"
    by_wall_clock: bool = False
    """whether seconds are those on the wall, not of this thread's CPU time"""


@dataclass(frozen=True)
class Play:
    """Games of a domain, about to be played."""

    domain: Domain
    how: HowToPlay

    @cached_property
    def running(self) -> Engine:
        return engine_of(self.domain, vetted_engine(self.domain, self.how.engine))

    @property
    def stream(self) -> int:
        return stream_of(self.how.split, self.how.seed)

    def initial(self, k: int) -> Any:
        return initial_state(self.domain, k, self.how.split, self.stream)

    def world_seed(self, k: int, repetition: int) -> int:
        """The same for all agents, so that they meet the same chance as long as they do the same."""
        return seed_of("world", self.how.seed, canonical_text(self.domain), self.how.split, k, repetition)

    def search_seed(self, k: int, repetition: int) -> int:
        domain, agent = canonical_text(self.domain), str(self.how.agent)
        return seed_of("play", self.how.seed, domain, self.how.semantics, agent, self.how.split, k, repetition)

    @property
    def in_all(self) -> int | None:
        """About how many evaluations all searches of a game have."""
        of_a_tick = self.how.limits.evaluations
        return None if of_a_tick is None else of_a_tick * horizon_of(self.domain)

    def warm_up(self) -> None:
        """Compile what games need, or load it, so that it is not taken for the time of one."""
        try:
            search = self._search(0)
            result = search.tick(self.running.ready(self.initial(0)), Pace(1, None))
        except DomainError:
            return  # the games will say so
        if result.stop_reason == "interrupted":
            raise KeyboardInterrupt

    def play(self, k: int, repetition: int = 0, on_tick: OnTick | None = None) -> GameRecord:
        """One game on problem k. A Ctrl-C ends it without a record: what was played so far is no game."""
        guard, limits = Guarded(self.domain), self.how.limits
        search = self._search(self.search_seed(k, repetition))
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
            action = search.commit(self.how.agent.rule)
            state = guard.play(state, action, actions, world)
            actions.append(action)
            if on_tick is not None:
                on_tick(k, seed, actions)
        reward = guard.reward(state, actions)
        score = finite_score(self.domain, "score", lambda: self.domain.score(state))
        goal = guarded(self.domain, "reaches_goal", lambda: self.domain.reaches_goal(state))
        goal = None if goal is None else bool(goal)
        return GameRecord(
            k, repetition, seed, tuple(actions), reward, score, goal, evaluations, seconds, overruns, tuned(tunings)
        )

    def _search(self, seed: int) -> GameSearch:
        how, agent = self.how, self.how.agent.component
        task = SearchTask(agent, seed, how.limits.max_nodes, how.semantics, self.in_all)
        return self.running.game(task, how.trees == "kept")

    def _pace(self) -> Pace:
        limits = self.how.limits
        if self.how.by_wall_clock:
            return Pace(None, limits.seconds, clock=time.perf_counter)
        return Pace(limits.evaluations, limits.seconds, plays=FOR_EVER if limits.plays is None else limits.plays)

    def drawn(self, k: int, seed: int, actions: Sequence[Any]) -> str:
        """A game on problem k as far as it has come, as text."""
        initial = self.initial(k)
        return guarded(self.domain, "draw", lambda: drawn(self.domain, initial, actions, Random(seed)))

    def shown(self, record: GameRecord) -> "Game":
        return Game(self.domain, self.how.agent, record, self.initial(record.problem), self.instance(record.problem))

    def instance(self, k: int) -> Path | None:
        return instance_of(self.domain, k, self.how.split, self.stream)


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

    def animation(self) -> str:
        """The game as one SVG document that plays it, tick by tick and over again: in the pictures that the domain
        draws, else in its text."""
        from domains.animation import animated, text_frame

        def frame(tick: int) -> str:
            how = self.domain, self.initial, self.record.actions[:tick], Random(self.record.seed)
            picture = pictured(*how)
            return text_frame(drawn(*how)) if picture is None else picture

        frames = guarded(self.domain, "svg", lambda: [frame(tick) for tick in frames_of(self.record.ticks)])
        return animated(frames, self.caption)

    @property
    def caption(self) -> str:
        return (
            f"{canonical_text(self.domain)}, problem {self.record.problem}: {number(self.record.score)} "
            f"{self.domain.unit}, by {self.agent}"
        )

    def __repr__(self) -> str:
        record = self.record
        return (
            f"<Game of {canonical_text(self.domain)}, problem {record.problem}, by {self.agent}: score {record.score}, "
            f"{record.ticks} actions>"
        )

    def _repr_html_(self) -> str:
        return html_picture(self.caption, self.svg(), self.draw())


MOST_FRAMES = 400
"""Of an animation: a longer game skips some ticks."""


def frames_of(ticks: int) -> list[int]:
    """The ticks after which the frames of an animation stand, the beginning and the end among them."""
    frames = min(ticks, MOST_FRAMES - 1)
    return [0, *(round(frame * ticks / frames) for frame in range(1, frames + 1))]


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


def play(
    domain: Domain | str,
    expression: Component | str,
    budget: int | None = None,
    *,
    games: int = 1,
    problem: int | None = None,
    commit: CommitRule | None = None,
    split: Split = "test",
    seed: int = 0,
    engine: EngineName = "auto",
    semantics: SemanticsName = "standard",
    max_nodes: int = DEFAULT_MAX_NODES,
    plays: int | None = None,
    trees: Trees = "new",
) -> Games:
    """Play games of a domain, one on each of its problems 0, 1, …, or all on one `problem`; the same arguments, the
    same games. Before every action the agent searches anew from where the game stands, for `budget` evaluations (200),
    or until it has played as many actions in its model as `plays` says. `trees` are new every time, or kept: what stood
    below the action that was played.

    For domains in which chance has a say, and for others, where it is planning with a receding horizon. An agent is an
    expression: the outermost step, if there is one, is the world's, and its rule (or `commit`: visits, mean or best)
    says which action is played.
    """
    found = domain_of(domain)
    if budget is not None and plays is not None:
        raise UserError("give a budget in evaluations or in actions played, one of the two")
    limits = Limits(BUDGET_OF_A_TICK if budget is None and plays is None else budget, None, max_nodes, plays)
    games_of = prepared_play(found, expression, limits, commit, split, seed, engine, semantics, trees=trees)
    return Games(games_of.shown(games_of.play(k, repetition)) for k, repetition in numbered(games, problem))


def prepared_play(
    domain: Domain,
    expression: Component | str,
    limits: Limits,
    commit: str | None,
    split: Split,
    seed: int,
    engine: EngineName,
    semantics: SemanticsName,
    by_wall_clock: bool = False,
    trees: Trees = "new",
) -> Play:
    """How games are to be played, checked."""
    check_choice("the engine", engine, ENGINES)
    check_choice("the semantics", semantics, SEMANTICS)
    check_choice("the split", split, SPLITS)
    check_choice("what becomes of trees", trees, TREES)
    check_split(domain, split)
    seed = whole("the seed", seed)
    parsed = read_expression(expression)
    agent = agent_of(parsed, domain, limits, commit)
    warn_of_luck(domain, agent)
    warn_of_scale(domain, agent)
    engine = vetted_engine(domain, engine)
    return Play(domain, HowToPlay(agent, limits, split, seed, engine, semantics, trees, by_wall_clock))


def numbered(games: int, on: int | None) -> Iterator[tuple[int, int]]:
    """(problem, repetition) of so many games."""
    games = at_least(1, "the number of games", games)
    on = None if on is None else numbered_from_0("the problem", on)
    return ((number, 0) if on is None else (on, number) for number in range(games))

"""Agents as they are typed and written down, each with the budget of its searches; and those whom the candidates of a
campaign play against.

Glossary
    pool        the agents that candidates play against: block t of every candidate is against number t of them, going
                round
    yardstick   plain UCT, which plays in the end beside the pool, so that there is one agent that everybody knows
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote

from discovery.arena.blocks import POINTS, PointsRule, seatings
from domains.errors import UserError
from domains.protocol import Domain
from domains.registry import typed_text
from mcsgrammar.arguments import at_least, check_choice
from mcsgrammar.defaults import YARDSTICK
from mcsgrammar.engines.arena.agents import agent_of
from mcsgrammar.engines.arena.matching import THINK, Think
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.errors import ExpressionError
from mcsgrammar.language.expressions import Component
from mcsgrammar.wording import shortened

OWN_BUDGET = re.compile(r"(?P<count>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?P<unit>s?)")


@dataclass(frozen=True)
class AgentSettings:
    """An agent, and the budget of each of its searches: simulations or CPU seconds."""

    expression: str
    """its canonical text"""
    budget: int | None
    seconds: float | None

    @property
    def budget_text(self) -> str:
        return f"{self.seconds:g}s" if self.budget is None else str(self.budget)

    def called(self, with_budget: bool) -> str:
        return f"{self.expression}@{self.budget_text}" if with_budget else self.expression


@dataclass(frozen=True, repr=False)
class Opposition:
    """Whom the candidates of a campaign play against, and how."""

    pool: tuple[AgentSettings, ...]
    roles: tuple[str, ...]
    start: int
    think: Think
    points: PointsRule

    def __repr__(self) -> str:
        pool = ", ".join(agent.called(True) for agent in self.pool)
        return f"{pool} (start {self.start}, think {self.think}, points {self.points})"

    @property
    def matches_in_block(self) -> int:
        return len(seatings(len(self.roles), (0, 1)))

    def opponent(self, t: int) -> int:
        """The place in the pool of the opponent in block t."""
        return t % len(self.pool)

    def others(self, budget: int | None, seconds: float | None) -> tuple[AgentSettings, ...]:
        """The pool, and the yardstick with the candidates' own budget: whom the best meet in the end."""
        return tuple(dict.fromkeys([*self.pool, AgentSettings(f"step({YARDSTICK}, mean)", budget, seconds)]))

    def labels(self, budget: int | None, seconds: float | None) -> list[str]:
        """What the pool's members are called: by their texts, with their budgets if not all have that of the
        candidates."""
        own = any((agent.budget, agent.seconds) != (budget, seconds) for agent in self.pool)
        return [agent.called(own) for agent in self.pool]


def agent_and_budget(text: str, budget: int | None, seconds: float | None) -> tuple[str, int | None, float | None]:
    """An agent as it is typed, 'AGENT' or 'AGENT@5000' or 'AGENT@0.5s', with the budget of its searches."""
    agent, at, own = text.rpartition("@")
    if not at:
        return text, budget, seconds
    found = OWN_BUDGET.fullmatch(own.strip())
    count = float(found["count"]) if found else 0.5
    if found and found["unit"]:
        return agent, None, count
    if not found or not count.is_integer():
        raise UserError(
            f"'{own}' is no budget; write a number of simulations behind the agent, as in 'select(sim, 0.4)@5000', or "
            "of CPU seconds, as in 'select(sim, 0.4)@0.5s'"
        )
    return agent, int(count), None


def agent_settings(
    given: Component | str, budget: int | None, seconds: float | None, max_nodes: int, game: Domain
) -> AgentSettings:
    """An agent of the game, checked."""
    if not isinstance(given, Component | str):
        raise UserError(f"{given!r} is no agent; write an expression, such as 'select(sim, 0.4)'")
    limits = Limits(budget, seconds, max_nodes)
    if budget == 0:
        raise UserError("a search needs a budget of at least 1 simulation; give more")
    return AgentSettings(str(agent_of(given, game)), limits.evaluations, limits.seconds)


def check_ways(start: int, think: Think, points: PointsRule) -> None:
    """Raises `UserError` unless matches can be played and counted so."""
    check_choice("think", think, THINK)
    check_choice("the rule for points", points, POINTS)
    at_least(0, "the searches before the first step", start)


def oppose(
    game: Domain,
    agents: Sequence[Component | str],
    limits: Limits,
    *,
    start: int = 1,
    think: Think = "always",
    points: PointsRule = "agents",
) -> Opposition:
    """The opposition of these agents, the yardstick if there are none; texts may have a budget of their own, else it
    is the candidates' `limits`."""
    name = typed_text(game)
    if len(game.roles) == 1:
        raise UserError(
            f"{name} has one role, so there is nobody to play against; leave --against out: mcsgrammar discover "
            f"{quote(name)}"
        )
    check_ways(start, think, points)
    pool: list[AgentSettings] = []
    for number, given in enumerate(agents or [YARDSTICK], 1):
        place = f"agent {number} to play against"
        try:
            agent, budget, seconds = given, limits.evaluations, limits.seconds
            if isinstance(given, str):
                agent, budget, seconds = agent_and_budget(given, budget, seconds)
            member = agent_settings(agent, budget, seconds, limits.max_nodes, game)
        except ExpressionError as error:
            raise type(error)(f"{place}: {error.problem}", error.text, error.span) from None
        except UserError as error:
            raise UserError(f"{place}: {error}") from None
        if member in pool:
            raise UserError(f"{place}: {shortened(member.called(True))} is there already; name each once")
        pool.append(member)
    return Opposition(tuple(pool), tuple(game.roles), start, think, points)

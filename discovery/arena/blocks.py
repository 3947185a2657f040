"""Which matches a block holds, and how the point of a match is shared.

Glossary
    agent      here a number: its place in the list of those that play
    seating    who sits where: an agent for each role, in the order of roles
    block      every seating once; the unit of all statistics. One seating that suits an agent is made up for by others
    point      what a match is worth, 1 in all; a draw is shared
    agents     the rule that shares it among the *agents* that hold a highest goal, however many roles each has: that of
               Sironi, Liu and Winands, Self-Adaptive MCTS in General Game Playing
    roles      the rule that shares it among the *roles* that hold a highest goal: that of Tak, Winands and Björnsson,
               Decaying Simulation Strategies

The rules differ only where an agent sits in several roles.
"""

from collections.abc import Sequence
from itertools import combinations, permutations, product
from shlex import quote
from typing import Literal

from domains.errors import UserError
from domains.protocol import Domain
from domains.registry import typed_text

PointsRule = Literal["agents", "roles"]
POINTS: tuple[PointsRule, ...] = ("agents", "roles")

Seating = tuple[int, ...]


def seatings(roles: int, agents: Sequence[int]) -> list[Seating]:
    """All of these agents in so many roles: of two, but for the two seatings with one of them alone; of as many as
    there are roles, each in one."""
    if len(agents) == 2:
        return [seating for seating in product(agents, repeat=roles) if len(set(seating)) == 2]
    return list(permutations(agents, roles))


def check_agents(game: Domain, agents: int, tournament: bool = False) -> None:
    """Raises `UserError` unless so many agents can play a match of the game, or a tournament."""
    name, roles = typed_text(game), len(game.roles)
    if roles == 1:
        way = "play it: mcsgrammar play" if game.stochastic else "solve it: mcsgrammar solve"
        raise UserError(f"{name} has one role; {way} {quote(name)} EXPR")
    if tournament and agents < 2:
        raise UserError(f"a tournament is of 2 agents or more, not {agents}")
    if not tournament and agents not in (2, roles):
        wanted = "2 agents" if roles == 2 else f"2 or {roles} agents"
        raise UserError(f"{name} has {roles} roles: give {wanted}, not {agents}")


def pairings_of(agents: int, tournament: bool) -> list[tuple[int, ...]]:
    """Who meets whom: in a tournament every pair, who share the roles if there are more than two; else all of them."""
    return list(combinations(range(agents), 2)) if tournament else [tuple(range(agents))]


def points(goals: Sequence[float], seating: Seating, rule: PointsRule = "agents") -> dict[int, float]:
    """Each agent's share of the point of a match."""
    highest = max(goals)
    holders = [agent for goal, agent in zip(goals, seating, strict=True) if goal == highest]
    if rule == "agents":
        holders = list(dict.fromkeys(holders))
    return {agent: holders.count(agent) / len(holders) for agent in seating}


def is_draw(goals: Sequence[float], seating: Seating) -> bool:
    """Whether more than one agent holds a highest goal."""
    highest = max(goals)
    return len({agent for goal, agent in zip(goals, seating, strict=True) if goal == highest}) > 1


def blocks_for(games: int, matches_in_block: int) -> int:
    """So many whole blocks that no fewer than `games` matches are played."""
    return -(-games // matches_in_block)

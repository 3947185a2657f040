"""How long matches take."""

import time

from discovery.arena.playing import Arena, arena_for, seats_for
from discovery.arena.settings import MatchSettings
from domains.errors import DomainError
from domains.protocol import Domain
from mcsgrammar.engines.arena.matching import Seat, start_of
from mcsgrammar.engines.searching import EngineName, Limits

PILOT_SIMULATIONS, MOST_SIMULATIONS = 20, 100_000
LONG_ENOUGH_SECONDS = 0.01
"""After so long no longer search is timed."""


def seconds_of_match(settings: MatchSettings, game: Domain, engine: EngineName) -> float:
    """About how long a match takes, by a short search of its first agent."""
    try:
        arena = arena_for(settings, game, engine)
        per_simulation = seconds_of_simulation(arena, seats_for(settings, game)[0])
    except DomainError:
        return 0.0  # the matches will say so
    searches = game.horizon + settings.start
    budgets = [agent.seconds or (agent.budget or 0) * per_simulation for agent in settings.agents]
    return searches * len(game.roles) * sum(budgets) / len(budgets)


def seconds_of_simulation(arena: Arena, seat: Seat) -> float:
    """About how long one takes where matches start, by searches that grow until one takes long enough. Raises
    `DomainError`."""
    ready = arena.engine.ready(start_of(arena.game, 0))
    arena.engine.warm_up(ready)
    player = arena.engine.player(ready, seat.agent, 0, 0, seat.limits)
    pilot, most = PILOT_SIMULATIONS, seat.limits.evaluations or MOST_SIMULATIONS
    while True:
        started = time.perf_counter()
        searched = player.search(Limits(pilot, None, seat.limits.max_nodes))
        spent = time.perf_counter() - started
        if spent > LONG_ENOUGH_SECONDS or pilot >= most:
            return spent / max(1, searched.simulations)
        pilot = min(10 * pilot, max(most, PILOT_SIMULATIONS))

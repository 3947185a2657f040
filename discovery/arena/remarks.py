"""What somebody who asked for matches should know before they are played."""

from collections import Counter

from discovery.arena.settings import MatchSettings
from discovery.numbers import plural
from domains.errors import DomainError
from domains.protocol import Domain
from mcsgrammar.engines.arena.guarded import GuardedGame
from mcsgrammar.engines.arena.matching import start_of


def remarks(settings: MatchSettings, game: Domain, asked_games: int) -> list[str]:
    """Sentences, each a note."""
    found = []
    in_block = len(settings.seatings) // len(settings.pairings)
    if settings.blocks * in_block > asked_games and asked_games % in_block:
        found.append(
            f"{plural(asked_games, 'game')} are no whole number of blocks of {in_block} seatings; "
            f"{settings.blocks * in_block:,} are played"
        )
    found += _of_the_same(settings)
    if not settings.reproducible:
        found.append("budgets in CPU seconds make other matches every time; with --budget anybody can repeat them")
    return [*found, *_too_small(settings, game)]


def _of_the_same(settings: MatchSettings) -> list[str]:
    """Of agents that differ in nothing but their seeds."""
    same = [agent.expression for agent, times in Counter(settings.agents).items() if times > 1]
    if settings.tournament or len(set(settings.agents)) == 1:
        share = 100 / (2 if settings.tournament else len(settings.agents))
        return [f"{one} plays against itself: {share:.3g} % of the points are expected of each" for one in same]
    return [f"{one} plays twice: the same points are expected of both" for one in same]


def _too_small(settings: MatchSettings, game: Domain) -> list[str]:
    """Of a budget by which a search cannot try every move that there is at the start."""
    budgets = [agent.budget for agent in settings.agents if agent.budget is not None]
    if not budgets:
        return []
    try:
        referee = GuardedGame(game)
        state = start_of(game, 0)
        most, role = max((len(referee.actions_of(state, role)), role) for role in range(len(game.roles)))
    except DomainError:
        return []  # the matches will say so
    if most <= min(budgets):
        return []
    return [
        f"a search of {plural(min(budgets), 'simulation')} cannot try all {most} moves that {game.roles[role]} can "
        "begin with; chance says which it tries"
    ]

"""What somebody who asked for matches should know before they are played."""

from collections import Counter
from collections.abc import Sequence

from discovery.arena.agents import AgentSettings
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
        verb = "is" if asked_games == 1 else "are"
        found.append(
            f"{plural(asked_games, 'game')} {verb} no whole number of blocks of {in_block} seatings; "
            f"{settings.blocks * in_block:,} are played"
        )
    found += _of_the_same(settings)
    return [*found, *_of_budgets(settings.agents, game)]


def remarks_on_pulls(
    pool: Sequence[AgentSettings], budget: int | None, seconds: float | None, game: Domain
) -> list[str]:
    """The same for a campaign whose candidates have this budget and play against a pool."""
    return _of_budgets([AgentSettings("", budget, seconds), *pool], game)


def _of_the_same(settings: MatchSettings) -> list[str]:
    """Of agents that differ in nothing but their seeds."""
    same = [agent.expression for agent, times in Counter(settings.agents).items() if times > 1]
    if settings.tournament or len(set(settings.agents)) == 1:
        share = 100 / (2 if settings.tournament else len(settings.agents))
        return [f"{one} plays against itself: {share:.3g} % of the points are expected of each" for one in same]
    return [f"{one} plays twice: the same points are expected of both" for one in same]


def _of_budgets(agents: Sequence[AgentSettings], game: Domain) -> list[str]:
    """That nobody can repeat what is played, and that a search cannot try every move that there is at the start."""
    budgets = [agent.budget for agent in agents if agent.budget is not None]
    found = []
    if len(budgets) < len(agents):
        found.append("budgets in CPU seconds make other matches every time; with --budget anybody can repeat them")
    return [*found, *_too_small(budgets, game)] if budgets else found


def _too_small(budgets: Sequence[int], game: Domain) -> list[str]:
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

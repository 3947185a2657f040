"""What is said of the agents that campaigns find, from the table alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from discovery.statistics import SIGNIFICANT, holm
from experiments.arena.cells import ARENA_SCALES, GAMES
from experiments.arena.finding import POOL
from experiments.arena.played import Played
from experiments.markdown import NOT_YET, NOT_YET_SENTENCE, table_lines, thousands

WANTED = 5
"""Of the eight games."""


@dataclass(frozen=True)
class Found:
    """The first of a game's campaign, against everyone of its pool."""

    game: str
    against: tuple[Played, ...]
    p: float
    """of 50 % against the one where it is largest, corrected for the games"""

    @property
    def beats_all(self) -> bool:
        return self.p < SIGNIFICANT and all(one.value > 50 for one in self.against)


def found_agents(played: Sequence[Played]) -> list[Found]:
    """Of the games whose agent has met the whole pool."""
    by_place = {(one.game, one.column): one for one in played if one.table == "found"}
    whole = [game for game in GAMES if all((game, member) in by_place for member in POOL)]
    against = [tuple(by_place[game, member] for member in POOL) for game in whole]
    largest = holm([max(one.p for one in members) for members in against])
    return [Found(game, members, float(p)) for game, members, p in zip(whole, against, largest, strict=True)]


def found_in_short(played: Sequence[Played]) -> str:
    found = found_agents(played)
    if not found:
        return f"{NOT_YET}."
    won = [one.game for one in found if one.beats_all]
    verdict = "reached" if len(won) >= WANTED else "not reached" + " so far" * (len(found) < len(GAMES))
    named = f" ({', '.join(won)})" if won else ""
    return (
        f"on {len(won)} of {len(found)} games what the campaign puts first beats each of the papers' four{named}; "
        f"wanted on {WANTED} of {len(GAMES)}: {verdict}."
    )


def found_lines(played: Sequence[Played]) -> Iterator[str]:
    found = found_agents(played)
    yield from ("## Agents that campaigns find", "")
    if not found:
        yield from (NOT_YET_SENTENCE, "")
        return
    pulls = {scale.budget: scale.pulls for scale in ARENA_SCALES.values()}
    budget, games = found[0].against[0].budget, [one.games for one in played if one.table == "found"]
    yield from (
        "For each game a campaign over agents, against four of the papers: "
        + "; ".join(f"*{name}* is `{agent}`" for name, agent in POOL.items())
        + f". {thousands(pulls[budget])} pulls, {thousands(budget)} simulations. What it puts first has met each of "
        f"them in {min(games)} matches or more that it had not seen; here are its points. *p* is that of 50 % against "
        "the one of the four where it is largest, by the two-sided paired test over blocks, with Holm's correction "
        "for the games.",
        "",
    )
    rows = [
        [
            one.game,
            f"`{one.against[0].agent}`",
            *map(str, one.against),
            f"{one.p:.2g}",
            "yes" if one.beats_all else "no",
        ]
        for one in found
    ]
    yield from (*table_lines(["", "found", *POOL, "p", "beats all"], rows), "")

"""Matches and tournaments as texts and documents."""

from collections.abc import Sequence
from string import ascii_uppercase
from typing import Any

from discovery.arena.records import MatchRecord
from discovery.arena.settings import MatchSettings
from discovery.arena.standings import Difference, Pairing, Standings
from discovery.documents import finite
from discovery.numbers import p_text, plural
from discovery.statistics import SIGNIFICANT, Summary
from discovery.tables import Table, numbers, texts
from mcsgrammar.wording import printable

MISSING = "-"
ONE_BLOCK = "one block alone says nothing about chance; play more games"


class Sentence(str):
    """A line that may be folded."""


def percent_text(share: float | None) -> str:
    return MISSING if share is None else f"{100 * share:.1f}"


def half_width(points: Summary) -> float | None:
    """Half of the 95 % interval, or its longer side; one block gives none."""
    return max(points.high - points.mean, points.mean - points.low) if points.n > 1 else None


def with_interval(points: Summary) -> str:
    """51.2 ± 3.4, in percent."""
    return f"{percent_text(points.mean)} ± {percent_text(half_width(points))}"


def interval_text(points: Summary, least: float = 0.0) -> str:
    """No wider than what there can be, of which Student's t knows nothing. `least`: points are 0 or more, differences
    of points -1 or more."""
    if points.n < 2:
        return MISSING
    return f"{percent_text(max(least, points.low))} to {percent_text(min(1.0, points.high))}"


def headline(settings: MatchSettings, blocks: int | None = None) -> str:
    """What is, or was, played: '200 games of tictactoe, 100 of every seating; …'."""
    blocks = settings.blocks if blocks is None else blocks
    seatings = len(settings.seatings) // len(settings.pairings)
    each = " for every pair" if settings.tournament and len(settings.pairings) > 1 else ""
    budgets = sorted({_budget(agent.budget, agent.seconds) for agent in settings.agents})
    budget = f"{budgets[0]} a search" if len(budgets) == 1 else "each agent with a budget of its own"
    start = f", {plural(settings.start, 'search', 'searches')} more before the first step" if settings.start else ""
    own = ", every agent only where it has a choice" if settings.think == "own" else ""
    return (
        f"{printable(settings.canonical_domain)}: {plural(blocks * seatings, 'game')}{each}, {blocks:,} of each of "
        f"{seatings} seatings; {budget}{start}{own}; seed {settings.seed}"
    )


def _budget(simulations: int | None, seconds: float | None) -> str:
    return f"{seconds:g} s of CPU" if simulations is None else plural(simulations, "simulation")


def as_lines(
    settings: MatchSettings, standings: Standings, width: int | None = None, short: Sequence[str] | None = None
) -> list[str]:
    """The tables for a terminal, with what they mean. Agents are called by their `short` names, or by letters where
    the tables would be wider than `width`; these are explained below."""
    names = [printable(label) for label in settings.labels]
    lines = _lines(settings, standings, short or names)
    if width is not None and max(len(line) for line in lines if not isinstance(line, Sentence)) > width:
        short = short or [_letter(agent) for agent in range(len(names))]
    if short is not None:
        longest = max(map(len, short))
        explained = [Sentence(f"{name:<{longest}}  {label}") for name, label in zip(short, names, strict=True)]
        lines = [*_lines(settings, standings, short), "", *explained]
    rule = f"the {standings.rule} that hold a highest goal share it"
    return [
        *lines,
        Sentence(f"points: 1 a game, in percent; {rule}. Intervals: 95 %, by Student's t over blocks"),
    ]


def _letter(agent: int) -> str:
    """A, B, …, Z, AA, AB, …"""
    before, last = divmod(agent, len(ascii_uppercase))
    return (_letter(before - 1) if before else "") + ascii_uppercase[last]


def _lines(settings: MatchSettings, standings: Standings, names: Sequence[str]) -> list[str]:
    if len(standings.pairings) == 1:
        return _match_lines(settings, standings, names)
    return _cross_lines(standings, names)


def _match_lines(settings: MatchSettings, standings: Standings, names: Sequence[str]) -> list[str]:
    (pairing,) = standings.pairings
    rows = [
        [
            names[scored.agent],
            percent_text(scored.points.mean),
            interval_text(scored.points),
            *(percent_text(share) for share in scored.as_role),
            f"{scored.mean_goal:.3f}",
        ]
        for scored in pairing.scored
    ]
    roles = [f"as {printable(role)}" for role in settings.roles]
    table = Table([*texts("agent"), *numbers("points", "95 % interval", *roles, "mean goal")], rows)
    return [*table.as_text(), "", Sentence(_about(pairing)), *map(Sentence, _tests(standings, names))]


def _about(pairing: Pairing) -> str:
    return (
        f"draws: {percent_text(pairing.draws)} %; {pairing.mean_steps:.1f} steps and "
        f"{pairing.mean_simulations:,.0f} simulations of each role in a game"
    )


def _tests(standings: Standings, names: Sequence[str]) -> list[str]:
    """A sentence for every two agents of a match."""
    return list(dict.fromkeys(_verdict(names, one, len(standings.direct)) for one in standings.direct))


def _verdict(names: Sequence[str], one: Difference, family: int) -> str:
    p = one.p_holm
    if p is None:
        return ONE_BLOCK
    first, second = (names[agent] for agent in one.agents)
    corrected = f", Holm's correction for {family}" if family > 1 else ""
    test = f"(p = {p_text(p)}, paired t-test over {one.difference.n:,} blocks{corrected})".replace("= <", "< ")
    if p >= SIGNIFICANT:
        return f"no difference between {first} and {second} beyond what chance explains {test}"
    better, worse = (first, second) if one.difference.mean > 0 else (second, first)
    return f"{better} is better than {worse} {test}"


def cross_table(standings: Standings, names: Sequence[str]) -> Table:
    """Who has how many points against whom, the best first."""
    order = [one.agent for one in standings.overall]
    tested = {one.agents: one.p_holm for one in standings.direct}
    rows = []
    for one in standings.overall:
        cells = [MISSING if o == one.agent else _cell(standings, one.agent, o, tested) for o in order]
        rows.append([str(one.rank), names[one.agent], with_interval(one.points), *cells])
    columns = [f"v {place}" for place in range(1, len(order) + 1)]
    return Table([*numbers("rank"), *texts("agent"), *numbers("points", *columns)], rows)


def cross_legend(standings: Standings) -> str:
    return (
        "v 1, v 2, …: against the first, the second, … of the table; * better than that one by the paired t-test, "
        f"p < 0.05, Holm's correction for {plural(len(standings.direct), 'pair')}"
    )


def _cross_lines(standings: Standings, names: Sequence[str]) -> list[str]:
    """The cross table, then the tests."""
    lines = [*cross_table(standings, names).as_text(), "", Sentence(cross_legend(standings))]
    same = [
        [
            names[one.agents[0]],
            names[one.agents[1]],
            f"{100 * one.difference.mean:+.1f}",
            interval_text(one.difference, least=-1.0),
            *(p_text(p) if p is not None else MISSING for p in (one.p, one.p_holm)),
        ]
        for one in standings.same_opponents
    ]
    heads = [*texts("agent", "and"), *numbers("difference", "95 % interval", "p", "p Holm")]
    draws, steps = _mean_of(standings, "draws"), _mean_of(standings, "mean_steps")
    games = [Sentence(f"draws: {percent_text(draws)} %; {steps:.1f} steps a game")]
    if any(one.p is None for one in standings.direct):
        games.append(Sentence(ONE_BLOCK))
    if not same:
        return [*lines, *games]
    return [*lines, "", "against the same opponents:", *Table(heads, same).as_text(), "", *games]


def _cell(standings: Standings, agent: int, other: int, tested: dict[tuple[int, int], float | None]) -> str:
    points = standings.pairing((agent, other))[agent].points
    p = tested[min(agent, other), max(agent, other)]
    star = "*" if p is not None and p < SIGNIFICANT and points.mean > 0.5 else " "
    return f"{star}{with_interval(points)}"


def _mean_of(standings: Standings, name: str) -> float:
    values: list[float] = [getattr(pairing, name) for pairing in standings.pairings]
    return sum(values) / len(values)


def match_document(
    settings: MatchSettings, records: Sequence[MatchRecord], standings: Standings | None
) -> dict[str, Any]:
    """The content of `--json`; `docs/arena.md` says what is in it."""
    document: dict[str, Any] = finite(
        {
            "game": settings.canonical_domain,
            "roles": settings.roles,
            "tournament": settings.tournament,
            "agents": [
                {"name": name, "expression": agent.expression, "budget": agent.budget, "seconds": agent.seconds}
                for name, agent in zip(settings.labels, settings.agents, strict=True)
            ],
            "games": settings.games,
            "games_played": len(records),
            "blocks": settings.blocks,
            "complete": len(records) >= settings.games,
            "start": settings.start,
            "think": settings.think,
            "points": settings.points,
            "seed": settings.seed,
            "reproducible": settings.reproducible,
            "ranking": [] if standings is None else [_ranked(one) for one in standings.overall],
            "pairings": [] if standings is None else [_pairing(settings, one) for one in standings.pairings],
            "direct": [] if standings is None else [_difference(one) for one in standings.direct],
            "same_opponents": [] if standings is None else [_difference(one) for one in standings.same_opponents],
            "matches": [vars(record) for record in records],
        }
    )
    return document


def _summary(points: Summary) -> dict[str, Any]:
    return {"points": points.mean, "stderr": points.stderr, "ci95": _ci95(points)}


def _ci95(summary: Summary) -> list[float] | None:
    return [summary.low, summary.high] if summary.n > 1 else None


def _ranked(one: Any) -> dict[str, Any]:
    return {"agent": one.agent, "rank": one.rank, **_summary(one.points)}


def _pairing(settings: MatchSettings, one: Pairing) -> dict[str, Any]:
    return {
        "agents": one.agents,
        "blocks": one.blocks,
        "games": one.matches,
        "draws": one.draws,
        "mean_steps": one.mean_steps,
        "mean_simulations": one.mean_simulations,
        "scores": [
            {
                "agent": scored.agent,
                **_summary(scored.points),
                "as_role": dict(zip(settings.roles, scored.as_role, strict=True)),
                "mean_goal": scored.mean_goal,
            }
            for scored in one.scored
        ],
    }


def _difference(one: Difference) -> dict[str, Any]:
    return {
        "agents": one.agents,
        "difference": one.difference.mean,
        "ci95": _ci95(one.difference),
        "p": one.p,
        "p_holm": one.p_holm,
    }

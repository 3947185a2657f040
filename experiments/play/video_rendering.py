"""The section of results/play.md on the papers' own games, from results/play/video.csv and what the papers print."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from discovery.statistics import SIGNIFICANT, holm
from experiments.files import read_csv
from experiments.markdown import NOT_YET, signed, table_lines
from experiments.play.question import BASELINE, FOLDER
from experiments.play.shares import Difference, Pair, Share, difference, mean_difference, mean_share
from experiments.play.video import AGENTS, PUBLISHED_RUNS, SHALLOW, TABLE, published

TITLE = "## The papers' own games"
OTHERS = tuple(name for name in AGENTS if name != BASELINE)
PRINTED = {
    BASELINE: ("fixed",),
    SHALLOW: ("bad",),
    "random": ("random",),
    "mab": ("mab",),
    "nmc": ("nmc",),
    "ea": ("ea",),
    "ntbea": ("ntbea_first", "ntbea_later"),
}
"""The columns in which an agent's wins are printed."""
PRINTED_SCORES = {BASELINE: "score_fixed", "nmc": "score_nmc", "ea": "score_ea", "ntbea": "score_ntbea"}
BAD = 20.0
"""The fixed values are bad at a game that they win less of, in %, as printed."""
HEADLINES = {"escape": 1, "waitforbreakfast": 1, "aliens": -1, "chopper": -1}
"""Where C = 0, D = 1 gains or loses much, as printed."""
DISPUTED = ("escape", "waitforbreakfast", "chopper")
"""Where the two papers print different things of NTBEA."""

OPENING = """
`python -m experiments play --games FOLDER` asks the same of the games that the papers play, in GVGAI's own
descriptions: {games}, all five levels, {runs} runs of every agent at each game, {budget} evaluations a
tick. The papers give each 40 ms, in which the fixed agent comes to 14 to 97 iterations, by game; here all have as many.
"""
AGENTS_TEXT = """
**The agents** are those above, with the papers' settings of the tuners. *C = 0, D = 1* is the later paper's bad
choice; *nmc*, naive Monte-Carlo, and *ea*, an evolutionary algorithm, are the first paper's, *random* and *mab* the
later one's, *ntbea* is in both. All are told the reward of our video games, in three bands: lost, unfinished, won;
theirs the score, and ten million more or less at the end. All games are played with
[`chance=yes`](../docs/vgdl.md), as their agent exhausts no node.
"""
READ_WINS = """
**Games won**, in %, with Wilson's 95 % interval, and in brackets what is printed, of 500 games; of *ntbea* first what
the first paper prints, then the later one. Means are over the games here. **Bold**: the interval of the difference
between the printed value and ours leaves 0 out. Of {cells} printed values that is so of {apart}; chance alone makes it
one in 20.
"""
READ_GAINS = """
**Gains**: what is won more than with the fixed values, in points of %, with a 95 % interval (Newcombe), and in
brackets the printed gains. *Better* (▲) and *worse* (▼) as above; the test is Fisher's, and of means that of the
interval. *bad* are the games of which the papers' fixed agent wins less than {bad:g} %.
"""
READ_SCORES = """
**Mean scores**, ± the half of a 95 % interval, and in brackets the first paper's. They count less than wins: a game
lost with many points is lost.
"""
WHAT_WE_MAKE = """
**What we make of it.** These are the papers' agents: what they win and score here lies about what is printed. Nothing
that tunes is shown to win more than the fixed values over all games, as in the later paper's tables, and drawing at
random does no worse than tuning; D = 1 wins escape, as printed, and costs much where looking ahead pays. Where the
papers disagree on NTBEA, the later one's gains all lie within our intervals, of the first one's only one in three. So
few runs cannot tell gains of some points, which are all that the papers print of most games. What is kept was made with
`--runs 5`, which goes round the games again and again and was stopped in its fourth round.
"""

Rows = dict[tuple[str, str], dict[str, str]]


def video_rows(results: Path) -> Rows:
    """What is kept, by game and agent."""
    path = results / FOLDER / TABLE
    return {(row["game"], row["agent"]): row for row in read_csv(path)} if path.exists() else {}


def video_lines(results: Path) -> list[str]:
    rows = video_rows(results)
    if not rows:
        return [TITLE, "", NOT_YET]
    games = list(dict.fromkeys(game for game, _ in rows))
    numbers = sorted({int(row["runs"]) for row in rows.values()})
    runs = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]}"
    budget = " and ".join(sorted({row["budget"] for row in rows.values()}))
    apart, cells = _apart(rows, games)
    parts = [
        [_flowing(OPENING.format(games=how_many(games, "their"), runs=runs, budget=budget))],
        [_flowing(WHAT_WE_MAKE)],
        ["**In short.**", "", *_in_short(rows, games)],
        [_flowing(AGENTS_TEXT)],
        [_flowing(READ_WINS.format(cells=cells, apart=apart))],
        table_lines(["game", *AGENTS], _win_rows(rows, games)),
        [_flowing(READ_GAINS.format(bad=BAD))],
        table_lines(["games", *OTHERS], [*_mean_gain_rows(rows, games), *_gain_rows(rows, games)]),
        [_flowing(READ_SCORES)],
        table_lines(["game", *AGENTS], _score_rows(rows, games)),
    ]
    return [TITLE, *(line for part in parts for line in ("", *part))]


def how_many(games: Sequence[str], whose: str) -> str:
    all_games = len(published())
    return f"all {all_games}" if len(games) == all_games else f"{len(games)} of {whose} {all_games}"


def _flowing(text: str) -> str:
    return " ".join(text.split())


def share_of(rows: Rows, game: str, name: str) -> Share:
    return Share(int(rows[game, name]["wins"]), int(rows[game, name]["runs"]))


def printed_share(game: str, column: str) -> Share:
    return Share(round(published()[game][column] * PUBLISHED_RUNS / 100.0), PUBLISHED_RUNS)


def pairs_of(rows: Rows, games: Sequence[str], name: str, other: str = BASELINE) -> list[Pair]:
    return [(share_of(rows, game, name), share_of(rows, game, other)) for game in games]


def printed_gain(games: Sequence[str], column: str, other: str = "fixed") -> float:
    """The mean over games, in points of %."""
    return sum(published()[game][column] - published()[game][other] for game in games) / len(games)


def bad_games(games: Sequence[str]) -> list[str]:
    return [game for game in games if published()[game]["fixed"] < BAD]


# What is said.


def _in_short(rows: Rows, games: Sequence[str]) -> list[str]:
    bad = bad_games(games)
    good = [game for game in games if game not in bad]
    lines = []
    for own, claim in (
        (bad, f"NTBEA lifts the {len(bad)} games that the fixed values are bad at?"),
        (good, f"It leaves the {len(good)} others as they are?"),
    ):
        if own:
            gain = mean_difference(pairs_of(rows, own, "ntbea"))
            first, later = (printed_gain(own, column) for column in PRINTED["ntbea"])
            lines.append(
                f"- {claim} {_word(gain)}: {in_points(gain)} points; printed are {signed(first)} in the first paper "
                f"and {signed(later)} in the later one."
            )
    even = mean_difference(pairs_of(rows, games, "random", "ntbea"))
    printed = printed_gain(games, "random", "ntbea_later")
    lines.append(
        f"- Values drawn at random do as well as NTBEA? {_word(even)} over all games: {in_points(even)} points; the "
        f"later paper prints {signed(printed)}."
    )
    for name, what in (("nmc", "naive Monte-Carlo"), ("mab", "a bandit that knows combinations only")):
        gain = mean_difference(pairs_of(rows, games, name))
        lines.append(
            f"- What {what} gains over all games: {in_points(gain)} points; printed is "
            f"{signed(printed_gain(games, PRINTED[name][0]))}."
        )
    told = [_headline(rows, game, way) for game, way in HEADLINES.items() if (game, SHALLOW) in rows]
    if told:
        lines.append(
            f"- {SHALLOW} explains escape and waitforbreakfast, and ruins aliens and chopper? {'; '.join(told)}."
        )
    lines += [
        f"- Where the papers disagree, NTBEA at {game}: {_dispute(rows, game)}." for game in DISPUTED if game in games
    ]
    lines.append(f"- In the end tuners would choose D = 1 in {_shallow(rows, games)} of their games.")
    return lines


def _word(gain: Difference) -> str:
    return "No difference shown" if not gain.is_shown else "More is won" if gain.mean > 0 else "Less is won"


def _headline(rows: Rows, game: str, way: int) -> str:
    gain = difference(share_of(rows, game, SHALLOW), share_of(rows, game, BASELINE))
    holds = gain.is_shown and gain.mean * way > 0
    printed = printed_gain([game], "bad")
    return f"{game} {'yes' if holds else 'not shown'}, {in_points(gain)} (printed: {signed(printed)})"


def _dispute(rows: Rows, game: str) -> str:
    """By gains: a paper whose gain lies within our interval is like it."""
    gain = difference(share_of(rows, game, "ntbea"), share_of(rows, game, BASELINE))
    printed = {paper: printed_gain([game], f"ntbea_{paper}") for paper in ("first", "later")}
    like = [paper for paper, value in printed.items() if gain.low <= value / 100.0 <= gain.high]
    verdict = {0: "like neither", 1: f"like the {''.join(like)} paper", 2: "which fits both"}[len(like)]
    first, later = (signed(value) for value in printed.values())
    return f"{first} and {later} are printed; here it gains {in_points(gain)} points, {verdict}"


def _shallow(rows: Rows, games: Sequence[str]) -> str:
    told = []
    for name in AGENTS:
        own = [rows[game, name] for game in games if rows[game, name]["chose_1"]]
        if own and name != "random":
            share = sum(int(row["chose_1"]) for row in own) / sum(int(row["runs"]) for row in own)
            told.append(f"{_percent(share)} % ({name})")
    return ", ".join(told) or "none"


def _apart(rows: Rows, games: Sequence[str]) -> tuple[int, int]:
    """How many printed values differ from ours, of how many."""
    found = [_differs(rows, game, name, column) for game in games for name in AGENTS for column in PRINTED[name]]
    return sum(found), len(found)


def _differs(rows: Rows, game: str, name: str, column: str) -> bool:
    return difference(share_of(rows, game, name), printed_share(game, column)).is_shown


# Tables.


def _win_rows(rows: Rows, games: Sequence[str]) -> list[list[str]]:
    lines = [[game, *(_win_cell(rows, game, name) for name in AGENTS)] for game in games]
    means = []
    for name in AGENTS:
        found = mean_share([share_of(rows, game, name) for game in games])
        printed = (sum(published()[game][column] for game in games) / len(games) for column in PRINTED[name])
        means.append(f"{_percent(found.mean)} [{_percent(found.low)}, {_percent(found.high)}] ({_listed(printed)})")
    return [*lines, ["**mean**", *means]]


def _win_cell(rows: Rows, game: str, name: str) -> str:
    printed = [
        f"**{published()[game][column]:g}**" if _differs(rows, game, name, column) else f"{published()[game][column]:g}"
        for column in PRINTED[name]
    ]
    return f"{_with_interval(share_of(rows, game, name))} ({', '.join(printed)})"


def _mean_gain_rows(rows: Rows, games: Sequence[str]) -> list[list[str]]:
    bad = bad_games(games)
    groups = {"all": list(games), "bad": bad, "not bad": [game for game in games if game not in bad]}
    return [
        [f"**{title}, {len(own)} games**", *_gain_cells(own, [mean_difference(pairs_of(rows, own, n)) for n in OTHERS])]
        for title, own in groups.items()
        if own
    ]


def _gain_rows(rows: Rows, games: Sequence[str]) -> list[list[str]]:
    return [
        [
            game,
            *_gain_cells(
                [game], [difference(share_of(rows, game, name), share_of(rows, game, BASELINE)) for name in OTHERS]
            ),
        ]
        for game in games
    ]


def _gain_cells(games: Sequence[str], gains: Sequence[Difference]) -> list[str]:
    """The agents of a line are one family for Holm's correction."""
    cells = []
    for name, gain, p in zip(OTHERS, gains, holm([gain.p for gain in gains]), strict=True):
        mark = "" if not p < SIGNIFICANT else " ▲" if gain.mean > 0 else " ▼"
        printed = ", ".join(signed(printed_gain(games, column)) for column in PRINTED[name])
        cells.append(f"{in_points(gain)}{mark} ({printed})")
    return cells


def _score_rows(rows: Rows, games: Sequence[str]) -> list[list[str]]:
    return [[game, *(_score_cell(rows[game, name], game, name) for name in AGENTS)] for game in games]


def _score_cell(row: dict[str, str], game: str, name: str) -> str:
    n, total, squares = int(row["runs"]), float(row["score_sum"]), float(row["score_squares"])
    mean = total / n
    half = 1.96 * math.sqrt(max(0.0, squares / n - mean**2) / max(1, n - 1))
    printed = f" ({published()[game][PRINTED_SCORES[name]]:g})" if name in PRINTED_SCORES else ""
    return f"{_short(mean)} ± {_short(half)}{printed}".replace("-", "−")


def _short(value: float) -> str:
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.1f}"


def _with_interval(share: Share) -> str:
    low, high = share.interval
    return f"{_percent(share.mean)} [{_percent(low)}, {_percent(high)}]"


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f}"


def in_points(gain: Difference) -> str:
    return f"{signed(100 * gain.mean)} [{signed(100 * gain.low)}, {signed(100 * gain.high)}]"


def _listed(values: Iterable[float]) -> str:
    return ", ".join(f"{value:.1f}" for value in values)

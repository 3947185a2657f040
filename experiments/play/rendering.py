"""results/play.md from results/play/games.csv alone. Nothing is played."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from discovery.statistics import SIGNIFICANT
from experiments.files import read_csv, write
from experiments.markdown import NOT_YET, table_lines
from experiments.play.question import BASELINE, FOLDER, TABLE, C, D
from experiments.play.video_rendering import video_lines

NAME = "play.md"

Row = dict[str, str]

BEST_THERE_IS = {
    "cliff": "No policy comes to more than 0.701 on average, and none that plans blindly, anew at every tick, to more "
    "than 0.677 ([why](../docs/play.md#how-good-it-can-be)).",
    "stock": "No policy costs less than 198 on average.",
    "lift": "The rule that lifts go by comes to 140 on average.",
}
"""What is known from elsewhere (`tests/domains`)."""

OPENING = """
Sironi and Winands let agents for video games choose their own parameters, anew before every evaluation, at some
dozens of evaluations a tick. Their two papers do not agree with each other on what that is worth. Here is the same
agent with the same values, on problems that we have.
"""
READING = """
**What we make of it.** Here it does not pay to let the agents choose their D. What a tuner is told is the result of
one evaluation, and results of long and short playouts are not on one scale: costs run up with every action, and who
plays fewer of them looks cheaper; on the cliff who stops early has not fallen yet. So tuners come to short playouts
whether they are good or bad, and trees whose means mix both choose worse than with either. Where C alone is tuned and
playouts run to their end, tuning does no harm: *ntbea, C* beside *to the end*. In the papers' games the result is
mostly that of winning, which is the same after any number of actions, and still their tables disagree: what comes out
there stands [below](#the-papers-own-games).
"""
HOW_TO_READ = """
**How to read this.** Every agent has played the same {games} games of each problem, with the same evaluations a tick;
problem, world and search have seeds of their own. A *gain* is the mean difference to the fixed values, game by game,
in the problem's unit and **above 0 where it is better**, also where less is better, with its 95 % interval by
Student's t. *Better* (▲) and *worse* (▼) mean p < 0.05 in the paired test after Holm's correction over the agents
beside the fixed one; otherwise no difference was shown.
"""
REPEAT = """
**Repeat it.** `python -m experiments play` plays everything, `python -m experiments play small` 20 games of each;
stopped, the same command goes on. `--render` makes this page from [the table](play/games.csv) alone.
"""
THE_AGENTS = """
**The agents.** `select(sim(random(depth=D)), ucb1(c=C, norm=1))`, the most visited action committed, trees new at
every tick. *fixed*: C = 1.4, D = 10. *D = 1*: the same with D = 1. *to the end*: playouts are not cut. *random*,
*mab*, *ntbea*: C of {c} and D of {d}, {pairs} combinations, chosen by that tuner; *ntbea, C*: C alone, and playouts
are not cut.
"""

CLAIMS = (
    ("ntbea", "NTBEA", "lifts games where the fixed values are bad, and leaves the others as they are"),
    ("random", "Values drawn at random for every evaluation", "do about as well as any tuner"),
    ("mab", "A bandit that knows combinations only", "does no better than drawing"),
    ("D = 1", "D = 1", "explains what tuning gains where it gains most, and ruins other games"),
)
"""What the papers say, or leave open, of an agent."""


def render_play(results: Path) -> Path:
    path, page = results / FOLDER / TABLE, results / NAME
    rows = read_csv(path) if path.exists() else []
    write(page, "\n".join([*_page(rows), "", *video_lines(results)]) + "\n")
    return page


def _page(rows: Sequence[Row]) -> list[str]:
    lines = ["# Games against chance: are parameters better tuned while they are played?", ""]
    if not rows:
        return [*lines, NOT_YET]
    games = " to ".join(sorted({row["games"] for row in rows}, key=int))
    between = {"c": f"{C[0]} to {C[-1]}", "d": f"{D[0]} to {D[-1]}", "pairs": len(C) * len(D)}
    lines += [_flowing(OPENING), "", _flowing(READING), "", "**In short.**", "", *_in_short(rows), ""]
    for text in (HOW_TO_READ.format(games=games), REPEAT, THE_AGENTS.format(**between)):
        lines += [_flowing(text), ""]
    for domain, own in groupby(rows, key=lambda row: row["domain"]):
        lines += [f"## `{domain}`", "", *_of_domain(domain, list(own))]
    return lines[:-1]


def _flowing(text: str) -> str:
    return " ".join(text.split())


def _in_short(rows: Sequence[Row]) -> list[str]:
    lines = []
    for name, what, claim in CLAIMS:
        own = [row for row in rows if row["agent"] == name]
        counts = [(sum(_verdict(row) == word for row in own), word) for word in ("better", "worse")]
        told = [f"{word} in {count}" for count, word in counts if count]
        open_ones = len(own) - sum(count for count, _ in counts)
        told += [f"no difference shown in {open_ones}"] if open_ones else []
        best = max(own, key=_strength)
        worst = min(own, key=_strength)
        clearest = dict.fromkeys((own.index(best), own.index(worst)))
        examples = "; ".join(_figure(own[place]) for place in clearest)
        lines.append(
            f"- {what} {claim}? Of {len(own)} settings it is {', '.join(told)}, beside the fixed values ({examples})."
        )
    return lines


def _verdict(row: Row) -> str:
    if not row["p_holm"] or not float(row["p_holm"]) < SIGNIFICANT:
        return "open"
    return "better" if float(row["gain"]) > 0 else "worse"


def _strength(row: Row) -> float:
    """How far a gain lies from 0, in widths of its interval."""
    width = float(row["gain_high"]) - float(row["gain_low"])
    return float(row["gain"]) / width if width > 0 else 0.0


def _figure(row: Row) -> str:
    return f"`{row['domain']}`, {row['budget']} a tick: {_gain(row)} {row['unit']}"


def _gain(row: Row) -> str:
    return f"{_signed(row['gain'])} [{_signed(row['gain_low'])}, {_signed(row['gain_high'])}]"


def _signed(text: str) -> str:
    return f"{float(text):+.3g}".replace("-", "−")


def _of_domain(domain: str, rows: Sequence[Row]) -> list[str]:
    known = BEST_THERE_IS.get(domain)
    better = "less is better" if rows[0]["less_is_better"] == "True" else "more is better"
    lines = [f"Mean {rows[0]['unit']}, {better}. {known or ''}".rstrip(), ""]
    goals = any(row["goals"] for row in rows)
    for budget, own in groupby(rows, key=lambda row: row["budget"]):
        header = ["agent", f"mean {rows[0]['unit']}", "gain", *(["goal"] if goals else []), "ticks", "would choose"]
        lines += [f"{budget} evaluations a tick:", "", *table_lines(header, [_cells(row, goals) for row in own]), ""]
    return lines


def _cells(row: Row, goals: bool) -> list[str]:
    mark = {"better": " ▲", "worse": " ▼", "open": ""}[_verdict(row)]
    chosen = f"{row['chosen']} ({row['chosen_in']} of {row['games']} games)" if row["chosen"] else ""
    return [
        row["agent"],
        f"{float(row['mean']):.4g} [{float(row['low']):.4g}, {float(row['high']):.4g}]",
        "" if row["agent"] == BASELINE else _gain(row) + mark,
        *([f"{int(row['goals']) / int(row['games']):.1%}".replace("%", " %")] if goals else []),
        row["ticks"],
        chosen,
    ]

"""What Sironi and Winands ask of agents in real-time games, asked where chance has a say.

Glossary
    setting      a problem and the evaluations of a tick; theirs had 14 to 97 iterations, by game
    agent        the SampleMCTS that they tune: open-loop UCT whose means count as they lie between the least and the
                 greatest result at a node, with C and D, the number of actions after which tree and playout end
    fixed        C = 1.4, D = 10: the framework's values, found by hand
    D = 1        C = 1.4, D = 1: what explains two of the games that tuning won most at
    to the end   C = 1.4, and every playout to its end
    random, …    C and D chosen before every evaluation, by a tuner that lives one game
    ntbea, C     C alone chosen so, and every playout to its end
    gain         mean difference to `fixed` on the same games, in the problem's unit, above 0 where it is better

The papers are *Self-Adaptive Monte Carlo Tree Search in General Video Game Playing* and *Analysis of Self-Adaptive
Monte Carlo Tree Search in General Video Game Playing*.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discovery.many.games import play_games
from discovery.statistics import holm, paired_test, summary
from domains.protocol import Domain
from domains.registry import find_domain
from experiments.files import write_csv
from mcsgrammar.engines.searching import Limits
from mcsgrammar.game_records import GameRecord
from mcsgrammar.playing import prepared_play

FOLDER = "play"
TABLE = "games.csv"

C = (0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9, 2.0)
D = tuple(range(1, 16))
"""The papers' values: 225 combinations."""


def agent(c: str, depth: str | None) -> str:
    playout = "sim" if depth is None else f"sim(random(depth={depth}))"
    return f"select({playout}, ucb1(c={c}, norm=1))"


def listed(values: Sequence[float]) -> str:
    return f"{{{', '.join(map(str, values))}}}"


def tuned(tuner: str) -> str:
    return f"tune({agent(listed(C), listed(D))}, {tuner})"


BASELINE = "fixed"
AGENTS = {
    BASELINE: agent("1.4", "10"),
    "D = 1": agent("1.4", "1"),
    "to the end": agent("1.4", None),
    "random": tuned("random"),
    "mab": tuned("mab"),
    "ntbea": tuned("ntbea"),
    "ntbea, C": f"tune({agent(listed(C), None)}, ntbea)",
}


@dataclass(frozen=True)
class Setting:
    """A problem and the evaluations of a tick."""

    domain: str
    budget: int

    @property
    def key(self) -> str:
        return f"{self.domain.replace(':', '-')}-{self.budget}"


DOMAINS = ("cliff", "stock", "lift")
"""Any domain that values unfinished states can be added."""
BUDGETS = (50, 200)
SETTINGS = tuple(Setting(domain, budget) for domain in DOMAINS for budget in BUDGETS)
SCALES = {"small": 20, "full": 200}
"""Games of every agent in every setting."""

OnProgress = Callable[[str], None]
FIELDS = (
    *("domain", "budget", "unit", "less_is_better", "agent", "expression", "games", "mean", "low", "high"),
    *("goals", "ticks", "gain", "gain_low", "gain_high", "p_holm", "chosen", "chosen_in"),
)


def measure(
    work: Path, games: int, on_progress: OnProgress, settings: Sequence[Setting] = SETTINGS, jobs: int | None = 1
) -> list[dict[str, Any]]:
    """Play what is missing; a line for each agent in each setting."""
    rows = []
    for setting in settings:
        domain = find_domain(setting.domain)
        played = {}
        for name, expression in AGENTS.items():
            how = prepared_play(domain, expression, Limits(setting.budget), None, "test", 0, "auto", "standard")
            journal = work / FOLDER / setting.key / f"{name.replace(' ', '')}.jsonl"
            journal.parent.mkdir(parents=True, exist_ok=True)

            def show(done: list[GameRecord], label: str = f"{setting.key}, {name}") -> None:
                on_progress(f"{label}: {len(done)} of {games} games")

            played[name] = play_games(how, games, None, jobs, setting.domain, journal, show)
        rows += lines_of(setting, domain, played)
    return rows


def lines_of(setting: Setting, domain: Domain, played: dict[str, list[GameRecord]]) -> list[dict[str, Any]]:
    """A line for each agent; the agents beside the first are one family for Holm's correction."""
    sign = -1.0 if domain.minimise is not None else 1.0
    scores = {name: np.array([record.score for record in records]) for name, records in played.items()}
    others = [name for name in played if name != BASELINE]
    tests = paired_test(np.array([scores[name] for name in others]), scores[BASELINE])
    p_values = dict(zip(others, holm(tests).tolist(), strict=True))
    rows = []
    for name, records in played.items():
        goals = [record.reached_goal for record in records if record.reached_goal is not None]
        gains = _interval(sign * (scores[name] - scores[BASELINE])) if name != BASELINE else ("", "", "")
        tuned_to = Counter(", ".join(f"{key} = {value}" for key, value in record.tuned) for record in records)
        chosen, times = tuned_to.most_common(1)[0]
        rows.append(
            {
                "domain": setting.domain,
                "budget": setting.budget,
                "unit": domain.unit,
                "less_is_better": sign < 0,
                "agent": name,
                "expression": AGENTS[name],
                "games": len(records),
                **dict(zip(("mean", "low", "high"), _interval(scores[name]), strict=True)),
                "goals": sum(goals) if goals else "",
                "ticks": f"{sum(record.ticks for record in records) / len(records):.4g}",
                **dict(zip(("gain", "gain_low", "gain_high"), gains, strict=True)),
                "p_holm": "" if name == BASELINE else f"{p_values[name]:.3g}",
                "chosen": chosen,
                "chosen_in": times if chosen else "",
            }
        )
    return rows


def _interval(values: np.ndarray) -> tuple[str, str, str]:
    """A mean and its 95 % interval."""
    found = summary(values)
    return f"{found.mean:.6g}", f"{found.low:.6g}", f"{found.high:.6g}"


def write_table(results: Path, rows: Sequence[dict[str, Any]]) -> None:
    write_csv(results / FOLDER / TABLE, FIELDS, rows)

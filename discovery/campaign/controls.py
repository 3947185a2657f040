"""How fast the machine was while a campaign by CPU seconds ran, and what that did to a reward.

With a budget in seconds, whoever runs while the machine is slow evaluates less. So one expression that never changes,
the *control*, runs among the pulls, once before every 32nd of them, within the same seconds. It counts for nothing. Its
evaluations a CPU second are the machine's speed then; its rewards on the same few training problems, with the same seed
each time, differ by nothing else than the machine. `controls.jsonl` in the campaign's folder has a line for each:

    {"pull":32,"problem":1,"evaluations":16493,"seconds":0.00999611,"reward":0.8359375}

`pull` is how many pulls of the campaign come before it. The journal knows nothing of controls, and pulls are not made
longer or shorter by what they say: that would make seconds mean something else, and add their noise to what they are
to mend (`docs/statistics.md` has figures).
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from discovery.documents import read_document
from discovery.keeping.folder import CONTROLS_FILE, read_timings
from discovery.numbers import plural
from domains.errors import UserError

if TYPE_CHECKING:
    from discovery.pool.pulls import PullResult

CONTROL = "step(lookahead(sim))"
"""No domain refuses it, and it finds more the longer it runs, as those that lead do. `sim` is too dull: on sudoku:4 a
twentieth of all pulls had another reward when their campaign was repeated, and hardly any of those of `sim`."""
EVERY = 32
"""3 % of the time."""
PROBLEMS = 8
"""The control with number n is on training problem n % 8."""
TOLERANCE = 0.1
"""A batch whose speed is further from the campaign's was run on a machine that was not itself."""
OFTEN = 0.05
"""Of the batches, beyond which that is said."""
ENOUGH = 300
"""Repeats of runs, of which perhaps one in a hundred comes to another reward."""


class Control(NamedTuple):
    """One run of the control, to be made before the pull with this number, from 0."""

    pull: int

    @property
    def problem(self) -> int:
        return self.pull // EVERY % PROBLEMS


def control_before(pull: int) -> Control | None:
    return Control(pull) if pull % EVERY == 0 else None


def control_lines(controls: Sequence[tuple[Control, "PullResult"]]) -> str:
    """For CONTROLS_FILE. A control that failed tells nothing; pulls that fail are told anyway."""
    lines = [
        {
            "pull": control.pull,
            "problem": control.problem,
            "evaluations": result.evaluations,
            "seconds": result.seconds,
            "reward": result.reward,
        }
        for control, result in controls
        if result.failed is None and result.seconds > 0
    ]
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


FEWEST_OF_A_PROBLEM = 3
"""Controls whose median tells anything: one or two lie about it evenly, however slow the machine was."""


@dataclass(frozen=True)
class MachineSpeed:
    """What the controls of a campaign say. Speeds are their evaluations a CPU second."""

    controls: int
    per_second: float
    """the median"""
    low: float | None
    high: float | None
    """5 and 95 % of the controls are below; relative to the median on the same problem, as all that follows. None where
    no problem had controls enough"""
    drift: float | None
    """the last quarter of the campaign, relative to the first; None for less than four controls"""
    batches: int
    """that had controls"""
    batches_off: int
    """whose speed was more than 10 % from the campaign's"""
    reward_deviation: float | None
    """of the rewards of one and the same pull, run again and again: its standard deviation. None where none was"""
    repeats: int
    """of runs that were made before, by which that is known"""
    seconds_per_pull: float | None
    """mean over all pulls, which are to have the seconds of the budget; None where nobody wrote them down"""

    @property
    def is_steady(self) -> bool:
        return abs(self.drift or 0.0) <= TOLERANCE and self.batches_off <= OFTEN * self.batches

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            controls = plural(self.controls, "control")
            return f"{self.per_second:,.0f} evaluations a CPU second; {controls} are too few to tell how steady it was"
        drift = "" if self.drift is None else f", {self.drift:+.1%} from the first quarter of the campaign to the last"
        batches = "batch was" if self.batches == 1 else "batches were"
        return (
            f"{self.per_second:,.0f} evaluations a CPU second, nine of ten controls {self.low:+.1%} to "
            f"{self.high:+.1%} from that{drift}; {self.batches_off:,} of {self.batches:,} {batches} off by more than "
            f"{TOLERANCE:.0%}"
        )


def read_speed(folder: Path, batch_ends: np.ndarray) -> MachineSpeed | None:
    """The speed of a campaign whose journal has batches that end after so many pulls; None if no controls were run, as
    in campaigns by evaluations and in those of older versions. A line that is damaged is left out."""
    path = folder / CONTROLS_FILE
    if not path.exists():
        return None
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}") from None
    rows = [row for line in lines if (row := _row(line))]
    if not rows:
        return None
    by_pull = {row[0]: row for row in rows}  # the later one, of a batch that was run again
    pulls, problems, evaluations, seconds, rewards = (
        np.array(one) for one in zip(*sorted(by_pull.values()), strict=True)
    )
    speeds = evaluations / seconds
    relative, deviations, repeats = np.empty(len(speeds)), 0.0, 0
    for problem in np.unique(problems):
        own = problems == problem
        enough = own.sum() >= FEWEST_OF_A_PROBLEM
        relative[own] = speeds[own] / np.median(speeds[own]) - 1 if enough else np.nan
        deviations += float(((rewards[own] - rewards[own].mean()) ** 2).sum())
        repeats += int(own.sum()) - 1
    known = ~np.isnan(relative)
    relative, pulls = relative[known], pulls[known]
    quarter = len(relative) // 4
    ends = relative[:quarter], relative[len(relative) - quarter :]
    batches = np.searchsorted(batch_ends, pulls, side="right")
    off = [abs(float(np.median(relative[batches == batch]))) > TOLERANCE for batch in np.unique(batches)]
    low, high = np.quantile(relative, [0.05, 0.95]).tolist() if len(relative) else (None, None)
    return MachineSpeed(
        controls=len(speeds),
        per_second=float(np.median(speeds)),
        low=low,
        high=high,
        drift=float((1 + np.median(ends[1])) / (1 + np.median(ends[0])) - 1) if quarter else None,
        batches=len(off),
        batches_off=sum(off),
        reward_deviation=(deviations / repeats) ** 0.5 if repeats else None,
        repeats=repeats,
        seconds_per_pull=_seconds_per_pull(folder, batch_ends),
    )


def _row(line: str) -> tuple[float, ...] | None:
    """The fields of a line, if they are all there."""
    try:
        document = read_document(line)
        fields = [document[name] for name in ("pull", "problem", "evaluations", "seconds", "reward")]
        row = tuple(float(field) for field in fields if type(field) in (int, float))
    except (ValueError, TypeError, KeyError, OverflowError):
        return None
    whole = len(row) == len(fields) and all(map(math.isfinite, row)) and row[2] > 0 and row[3] > 0
    return row if whole and row[2] / row[3] < math.inf else None


def _seconds_per_pull(folder: Path, batch_ends: np.ndarray) -> float | None:
    try:
        spent = {end: cpu for end, _, cpu in read_timings(folder)}
    except ValueError:  # damaged; only this figure needs it
        return None
    sizes = dict(zip(batch_ends.tolist(), np.diff(batch_ends, prepend=0).tolist(), strict=True))
    timed = [end for end in sizes if end in spent]
    return sum(spent[end] for end in timed) / sum(sizes[end] for end in timed) if timed else None


def speed_warnings(speed: MachineSpeed | None, leaders: Sequence[tuple[float, int]]) -> list[str]:
    """What is to be said of the speed where a candidate is recommended; `leaders` are the mean training rewards of the
    best, and of how many pulls they are."""
    if speed is None:
        return []
    said = []
    if not speed.is_steady:
        said.append(
            f"The machine was not steady: {speed}. Candidates that ran while it was slow had less; repeat the campaign "
            "where nothing else runs, or by evaluations (--budget)."
        )
    if len(leaders) > 1 and not speed.reward_deviation and speed.repeats < ENOUGH:
        said.append(
            "The controls were too few to say whether the machine's speed alone could turn the order of the two that "
            f"lead ({plural(speed.repeats, 'repeat')}; {ENOUGH} would do). The same campaign again would show it."
        )
    if len(leaders) > 1 and speed.reward_deviation:
        (first, first_pulls), (second, second_pulls) = leaders[:2]
        apart, moved = abs(first - second), speed.reward_deviation * (1 / first_pulls + 1 / second_pulls) ** 0.5
        if apart < 2 * moved:
            said.append(
                f"The two that lead are {apart:.2g} of reward apart in training; the machine's speed alone moves such "
                f"a difference by {moved:.1g} (standard deviation, from {plural(speed.repeats, 'repeat')}). The same "
                "campaign may recommend the other next time."
            )
    return said

"""What a campaign's journal says of its candidates: a pure function of the journal.

The candidates stand in the order in which the campaign's policy recommends them: by mean reward, ties in the order of
enumeration; for halving, of a sample or of all, by the round they reached and by mean within it. An arm that halving
dropped early may have the higher mean, but of few problems, and easy ones; ranked by mean alone, halving's regret is
ten times what it is.
Candidates of which every pull failed come last whatever the rewards are: they have shown nothing.
"""

from dataclasses import dataclass
from pathlib import Path
from shlex import quote

import numpy as np

from discovery.bandits.policies import Policy, make_policy
from discovery.campaign.controls import MachineSpeed, read_speed, speed_warnings
from discovery.campaign.journal import Contents, read_journal
from discovery.campaign.settings import Settings, read_candidates, read_settings
from discovery.keeping.folder import FAILURES_FILE, JOURNAL_FILE, SETTINGS_FILE, has_journal
from domains.errors import UserError


@dataclass(frozen=True)
class Ranked:
    """One candidate with what was learned of it in training."""

    rank: int
    arm: int
    expression_text: str
    pulls: int
    mean: float
    stderr: float
    """of the mean; NaN with fewer than two pulls"""
    best: float
    failed: int
    """how many of the pulls failed and counted as reward 0"""

    @property
    def all_failed(self) -> bool:
        return self.failed == self.pulls

    @property
    def half_width(self) -> float:
        """Half of the 95 % interval, by the normal distribution."""
        return 1.96 * self.stderr


@dataclass(frozen=True)
class Standing:
    """A campaign as its folder shows it."""

    settings: Settings
    expressions: list[str]
    contents: Contents
    statistics: "ArmStatistics"
    order: np.ndarray
    """the arms that were pulled, as the policy recommends them, those that always failed last"""
    speed: MachineSpeed | None
    """of the machine, where the budget of a run is one of seconds"""

    def __repr__(self) -> str:
        return f"<Standing of a campaign on {self.settings.subject}: {self.pulls_done:,} pulls>"

    @property
    def pulls_done(self) -> int:
        return len(self.contents.arms)

    def ranking(self, top: int | None = None) -> list[Ranked]:
        """The candidates that were pulled, the best first."""
        return self.statistics.ranked(self.order[:top], self.expressions)

    def warnings(self) -> list[str]:
        """Why the ranking may be worth less than it seems, in sentences."""
        leaders = [(one.mean, one.pulls) for one in self.ranking(2) if not one.all_failed]
        clips = self.settings.semantics == "standard"
        rewards = self.contents.rewards[~self.contents.failed] if clips else np.zeros(0)
        failed = int(self.contents.failed.sum())
        ran = self.contents.rewards[~self.contents.failed]
        return [*speed_warnings(self.speed, leaders), *failure_warnings(failed, ran), *scale_warnings(rewards)]


def failure_warnings(failed: int, rewards: np.ndarray) -> list[str]:
    """Where it is better to fail than to run."""
    below = int((rewards < 0).sum())
    if not failed or not below:
        return []
    return [
        f"Failed pulls, of which there are {failed:,}, count as reward 0, and {below:,} of the {len(rewards):,} others "
        f"came to less: candidates that fail rank too high. {FAILURES_FILE} says why they do; scale the reward so that "
        "nothing is worth less than 0."
    ]


def scale_warnings(rewards: np.ndarray) -> list[str]:
    """Where most rewards lie on one side of what searches tell apart."""
    for where, count, end in (("below 0", int((rewards < 0).sum()), 0), ("above 1", int((rewards > 1).sum()), 1)):
        if 2 * count > len(rewards):
            return [
                f"Of {len(rewards):,} rewards {count:,} lie {where}. Trees and learnt means take them for {end}: "
                "select, mast, nst and tuners cannot tell them apart, and cannot show what they are worth. Scale the "
                "reward so that a poor solution is worth about 0 and a very good one about 1 (mcsgrammar check says "
                "how)."
            ]
    return []


class ArmStatistics:
    """Counts, means and spreads of all arms, kept up to date batch by batch."""

    def __init__(self, arms: int) -> None:
        self.counts = np.zeros(arms, np.int64)
        self.sums = np.zeros(arms)
        self.squares = np.zeros(arms)
        self.best = np.full(arms, -np.inf)
        self.failures = np.zeros(arms, np.int64)

    def add(self, arms: np.ndarray, rewards: np.ndarray, failed: np.ndarray) -> None:
        np.add.at(self.counts, arms, 1)
        np.add.at(self.sums, arms, rewards)
        with np.errstate(over="ignore"):  # regression knows rewards of -1e200; their spread counts as infinite
            np.add.at(self.squares, arms, rewards * rewards)
        np.maximum.at(self.best, arms, rewards)
        np.add.at(self.failures, arms, failed.astype(np.int64))

    def failed_last(self, order: np.ndarray) -> np.ndarray:
        """The same order of arms that were pulled, but those of which every pull failed come last."""
        all_failed = self.failures[order] == self.counts[order]
        return np.concatenate([order[~all_failed], order[all_failed]])

    def ranked(self, order: np.ndarray, expressions: list[str]) -> list[Ranked]:
        """What is known of the arms in `order`, all of them pulled."""
        return [self._ranked(rank, int(arm), expressions[arm]) for rank, arm in enumerate(order, 1)]

    def _ranked(self, rank: int, arm: int, expression: str) -> Ranked:
        n = int(self.counts[arm])
        mean = float(self.sums[arm]) / n
        variance = float("nan")
        if n > 1:
            squares = float(self.squares[arm])
            variance = max(0.0, squares / n - mean * mean) * n / (n - 1) if np.isfinite(squares) else float("inf")
        return Ranked(
            rank,
            arm,
            expression,
            n,
            mean,
            float(np.sqrt(variance / n)),
            float(self.best[arm]),
            int(self.failures[arm]),
        )


def read_standing(folder: Path) -> Standing:
    """The campaign in `folder`, read without touching it."""
    settings = read_settings(folder)
    expressions = read_candidates(folder, settings)
    contents = read_journal(folder / JOURNAL_FILE) if has_journal(folder) else nothing_yet(settings)
    check_digest(folder, settings, contents)
    statistics = ArmStatistics(len(expressions))
    statistics.add(contents.arms, contents.rewards, contents.failed)
    policy = make_policy(settings.policy, len(expressions), settings.pulls, settings.seed)
    tell_history(policy, contents)
    order = statistics.failed_last(policy.ranking())
    speed = read_speed(folder, contents.batch_ends) if settings.has_controls else None
    return Standing(settings, expressions, contents, statistics, order, speed)


def tell_history(policy: Policy, contents: Contents) -> None:
    """Bring a policy to where a journal ends."""
    begin = 0
    for end in contents.batch_ends.tolist():
        policy.tell(contents.arms[begin:end], contents.rewards[begin:end])
        begin = end


def nothing_yet(settings: Settings) -> Contents:
    """Of a campaign that was stopped before its journal was begun."""
    none = np.empty(0, np.int64)
    return Contents(settings.digest(), none, none, none.astype(np.float64), none.astype(np.bool_), none, 0, None)


def check_digest(folder: Path, settings: Settings, contents: Contents) -> None:
    if contents.settings_digest != settings.digest():
        raise UserError(
            f"{folder}: {SETTINGS_FILE} and {JOURNAL_FILE} do not belong together; one of them was changed by hand"
        )


def top_of_campaign(folder: Path | str, k: int) -> list[Ranked]:
    """The k best candidates of a campaign, by what it learned in training."""
    top = read_standing(Path(folder)).ranking(k)
    if not top:
        raise UserError(f"{folder} has no pulls yet; run 'mcsgrammar resume {quote(str(folder))}' first")
    if top[0].all_failed:
        raise UserError(f"every pull of {folder} failed, so that nothing is the best; its {FAILURES_FILE} says why")
    return [one for one in top if not one.all_failed]

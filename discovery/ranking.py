"""What a campaign's journal says of its candidates: a pure function of the journal."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from discovery.journal import Contents, read_journal
from discovery.settings import Settings, read_candidates, read_settings
from domains.errors import UserError

JOURNAL_FILE = "journal.jsonl"


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

    @property
    def pulls_done(self) -> int:
        return len(self.contents.arms)

    def ranking(self, top: int | None = None) -> list[Ranked]:
        """The candidates that were pulled, by mean reward, ties in the order of enumeration."""
        return self.statistics.ranking(self.expressions, top)


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
        np.add.at(self.squares, arms, rewards * rewards)
        np.maximum.at(self.best, arms, rewards)
        np.add.at(self.failures, arms, failed.astype(np.int64))

    @property
    def means(self) -> np.ndarray:
        """NaN where nothing was pulled."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return self.sums / self.counts

    def ranking(self, expressions: list[str], top: int | None = None) -> list[Ranked]:
        pulled = np.flatnonzero(self.counts)
        means = self.means
        order = pulled[np.argsort(-means[pulled], kind="stable")][:top]
        return [self._ranked(rank, int(arm), expressions[arm], float(means[arm])) for rank, arm in enumerate(order, 1)]

    def _ranked(self, rank: int, arm: int, expression: str, mean: float) -> Ranked:
        n = int(self.counts[arm])
        variance = max(0.0, float(self.squares[arm]) / n - mean * mean) * n / (n - 1) if n > 1 else float("nan")
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
    contents = read_journal(folder / JOURNAL_FILE)
    check_digest(folder, settings, contents)
    statistics = ArmStatistics(len(expressions))
    statistics.add(contents.arms, contents.rewards, contents.failed)
    return Standing(settings, expressions, contents, statistics)


def check_digest(folder: Path, settings: Settings, contents: Contents) -> None:
    if contents.settings_digest != settings.digest():
        raise UserError(
            f"{folder}: settings.json and journal.jsonl do not belong together; one of them was changed by hand"
        )


def top_of_campaign(folder: Path | str, k: int) -> list[Ranked]:
    """The k best candidates of a campaign by their training reward."""
    top = read_standing(Path(folder)).ranking(k)
    if not top:
        raise UserError(f"{folder} has no pulls yet; run 'mcsgrammar resume {folder}' first")
    return top

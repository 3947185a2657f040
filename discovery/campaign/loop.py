"""The loop of a campaign, whose words `discovery.campaign.running` explains."""

import json
import time
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NoReturn

import numpy as np

from discovery.bandits.policies import Policy, make_policy, pull_numbers
from discovery.campaign.controls import CONTROL, Control, control_before, control_lines
from discovery.campaign.foretelling import Forecast, OnStart, pilot
from discovery.campaign.journal import Contents, Journal
from discovery.campaign.ranking import ArmStatistics, Ranked, tell_history
from discovery.campaign.settings import Settings
from discovery.campaign.unfinished import Pull, Unfinished
from discovery.keeping.folder import CONTROLS_FILE, FAILURES_FILE, TIMINGS_FILE, add_to
from discovery.keeping.journal_reading import JournalError
from discovery.pace import WorkPace
from discovery.pool.chunks import ChunkResult
from discovery.pool.pulls import PullResult
from discovery.pool.workers import CampaignStopped, Workers

Ended = Literal["complete", "time", "interrupted"]


@dataclass(frozen=True)
class Progress:
    """A campaign under way."""

    pulls: int
    """that are finished"""
    pulls_in_all: int
    finished: int
    """how many of the pulls are of the batch under way: the journal and the leaders know nothing of these yet"""
    pace: WorkPace
    """of this process; what it finished first is left out, since the domain is compiled before"""
    policy: Policy
    statistics: ArmStatistics
    expressions: list[str]

    def __repr__(self) -> str:
        return f"<Progress: {self.pulls:,} of {self.pulls_in_all:,} pulls>"

    @property
    def per_second(self) -> float:
        return self.pace.per_second

    @property
    def seconds_left(self) -> float:
        return self.pace.seconds_left(self.pulls_in_all)

    def leaders(self, top: int) -> list[Ranked]:
        return self.statistics.ranked(self.statistics.failed_last(self.policy.ranking())[:top], self.expressions)

    def spending(self) -> str:
        """How the pulls are spread over the candidates, in a few words."""
        counts = np.sort(self.statistics.counts)[::-1]
        top = counts[: max(1, len(counts) // 100)].sum() / max(1, counts.sum())
        tried = f"{np.count_nonzero(counts):,} of {len(counts):,} candidates tried"
        return f"{tried}, {top:.0%} of the pulls on the top 1 %"


@dataclass(frozen=True)
class Outcome:
    """How a campaign, or the part of it that this process ran, came to its end."""

    ended: Ended
    pulls: int
    pulls_now: int
    seconds: float
    search_seconds: float
    """CPU spent inside the searches"""
    cpu_seconds: float
    """CPU in all: searches, problems, workers, policy, journal"""
    cut: str | None
    """what was cut off the journal's end when it was taken up, if anything"""
    finished: int
    """pulls of the batch under way that are finished; they are kept, and not run again when the campaign is resumed"""

    @property
    def overhead(self) -> float:
        """The share of CPU time spent outside the searches."""
        return 1 - self.search_seconds / self.cpu_seconds if self.cpu_seconds > 0 else 0.0


OnBatch = Callable[[Progress], None]
"""Called after every batch; as `on_progress`, whenever pulls are finished."""


class Loop:
    """The loop of a campaign: ask, run, write down, tell."""

    on_start: OnStart | None = None
    on_batch: OnBatch | None = None
    on_progress: OnBatch | None = None

    def __init__(
        self,
        folder: Path,
        settings: Settings,
        texts: list[str],
        workers: Workers,
        journal: Journal,
        contents: Contents,
        unfinished: Unfinished,
    ) -> None:
        self.folder, self.settings, self.texts = folder, settings, texts
        self.workers, self.journal, self.unfinished = workers, journal, unfinished
        self.cut = contents.cut
        self.finished = 0
        """pulls of the batch under way"""
        self.policy = make_policy(settings.policy, len(texts), settings.pulls, settings.seed)
        self.statistics = ArmStatistics(len(texts))
        tell_history(self.policy, contents)
        self.statistics.add(contents.arms, contents.rewards, contents.failed)

    def run(self, stop_after: float | None) -> Outcome:
        self.started, self.pulls_before = time.monotonic(), self.journal.pulls
        self.pace = WorkPace(self.pulls_before)
        cpu_before = time.process_time()
        ended: Ended = "complete"
        try:
            if self.on_start is not None and self.journal.pulls < self.settings.pulls:
                self.on_start(self._forecast())
            while len(arms := self.policy.ask(self.settings.batch)):
                self._run_batch(arms)
                if stop_after is not None and time.monotonic() - self.started >= stop_after:
                    ended = "time"
                    break
        except KeyboardInterrupt:
            ended = "interrupted"
        own_cpu = time.process_time() - cpu_before
        pulls = self.journal.pulls  # which knows of a batch that Ctrl-C kept from being told
        return Outcome(
            ended="complete" if pulls >= self.settings.pulls else ended,
            pulls=pulls,
            pulls_now=pulls - self.pulls_before,
            seconds=time.monotonic() - self.started,
            search_seconds=self.workers.search_seconds,
            cpu_seconds=own_cpu + self.workers.cpu_seconds_elsewhere,
            cut=self.cut,
            finished=self.finished,
        )

    def _forecast(self) -> Forecast:
        left = self.settings.pulls - self.journal.pulls
        seconds_per_pull = self.workers.time(pilot(self.texts))
        return Forecast(self.settings, left, self.workers.jobs, seconds_per_pull, self.policy.reach)

    def _run_batch(self, arms: np.ndarray) -> None:
        ts = pull_numbers(arms, self.statistics.counts)
        before, pulls_before = time.monotonic(), self.journal.pulls
        try:
            results, controls = self._results(arms, ts)
            rewards = np.array([result.reward for result in results])
            failed = np.array([result.failed is not None for result in results])
            self._note_failures(ts, arms, results)
            if failed.all() and pulls_before == 0 and self._fails_elsewhere(arms, ts):
                self._refuse_to_fail(arms, ts, results)
            if controls:
                self._add(CONTROLS_FILE, control_lines(controls))
            cpu = sum(result.seconds for result in results)
            self._add(TIMINGS_FILE, f"{pulls_before + len(arms)},{time.monotonic() - before:.6f},{cpu:.6f}\n")
            self.journal.append(arms, ts, rewards, failed)
        except BaseException as error:
            if self.journal.pulls == pulls_before:
                self.unfinished.write()
            if isinstance(error, JournalError):
                raise CampaignStopped(str(error)) from error
            raise
        self.finished = 0
        self.unfinished.end()
        self.policy.tell(arms, rewards)
        self.statistics.add(arms, rewards, failed)
        self.pace.tell(self.journal.pulls)
        for told in (self.on_progress, self.on_batch):
            if told is not None:
                told(self._progress())

    def _results(self, arms: np.ndarray, ts: np.ndarray) -> tuple[list[PullResult], list[tuple[Control, PullResult]]]:
        """What comes of the pulls of a batch, and of the controls among them; pulls that an earlier process has
        finished are not run again."""
        pulls = list(zip(arms.tolist(), ts.tolist(), strict=True))
        known = self.unfinished.begin(self.journal.last_hash)
        work = self._work(pulls, known)
        self.finished = sum(pull in known for pull in pulls)

        def on_finished(places: Sequence[int], chunk: ChunkResult) -> None:
            done = [(work[i], result) for i, result in zip(places, chunk.results, strict=True)]
            own = [(pull, result) for pull, result in done if not isinstance(pull, Control)]
            self.finished += len(own)
            self.unfinished.add([pull for pull, _ in own], [result for _, result in own], chunk.seconds)
            self.pace.tell(self.journal.pulls + self.finished)
            if self.on_progress is not None:
                self.on_progress(self._progress())

        texts = [CONTROL if isinstance(one, Control) else self.texts[one[0]] for one in work]
        problems = [one.problem if isinstance(one, Control) else one[1] for one in work]
        controls = []
        for one, result in zip(work, self.workers.run(texts, problems, on_finished), strict=True):
            if isinstance(one, Control):
                controls.append((one, result))
            else:
                known[one] = result
        return [known[pull] for pull in pulls], controls

    def _work(self, pulls: list[Pull], known: Container[Pull]) -> list[Pull | Control]:
        """What of a batch is still to be run; with budgets in seconds, controls among the pulls."""
        work: list[Pull | Control] = []
        for number, pull in enumerate(pulls, self.journal.pulls):
            if pull not in known:
                control = control_before(number) if self.settings.has_controls else None
                work += [pull] if control is None else [control, pull]
        return work

    def _progress(self) -> Progress:
        return Progress(
            self.journal.pulls + self.finished,
            self.settings.pulls,
            self.finished,
            self.pace,
            self.policy,
            self.statistics,
            self.texts,
        )

    def _note_failures(self, ts: np.ndarray, arms: np.ndarray, results: list[PullResult]) -> None:
        """Reasons of failures go beside the journal, as timings do: they are not the same on every machine. They are
        written first, so that no failure is without its reason; a batch that is run again is noted again."""
        lines = [
            json.dumps({"arm": int(arm), "t": int(t), "expression": self.texts[arm], "failed": result.failed})
            for arm, t, result in zip(arms, ts, results, strict=True)
            if result.failed is not None
        ]
        if lines:
            self._add(FAILURES_FILE, "\n".join(lines) + "\n")

    def _fails_elsewhere(self, arms: np.ndarray, ts: np.ndarray) -> bool:
        """Whether pulls fail on more than one problem, which else may be the one that is wrong. A try counts for
        nothing."""
        if len(set(ts.tolist())) > 1:
            return True
        (tried,) = self.workers.run([self.texts[arms[0]]], [int(ts[0]) + 1])
        return tried.failed is not None

    def _refuse_to_fail(self, arms: np.ndarray, ts: np.ndarray, results: list[PullResult]) -> NoReturn:
        """All of the first batch failed. Nothing of it is kept: journalled, it would tell the bandit for ever that
        every candidate is worth nothing."""
        self.unfinished.end()
        first = self.workers.spoken(self.texts[arms[0]], int(ts[0]))
        raise CampaignStopped(
            f"all {len(results)} pulls of the first batch failed, {first} with: {results[0].failed}\n"
            "nothing was journalled; resume the campaign when that is mended "
            "(with --accept-domain, if the domain's files were changed for it)"
        )

    def _add(self, name: str, text: str) -> None:
        path = self.folder / name
        try:
            add_to(path, text)
        except OSError as error:
            raise CampaignStopped(
                f"{path} cannot be written: {error.strerror}; "
                f"the {self.journal.pulls} pulls before are kept: resume the campaign when that is mended"
            ) from error

"""What `evaluate` gives: rewards of expressions on the same problems, as matrices and as a table."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np

from discovery.numbers import plural
from discovery.statistics import means, summary
from discovery.tables import Table, texts
from domains.problems import Split
from mcsgrammar.display import data_frame, html_table, number
from mcsgrammar.engines.searching import SemanticsName
from mcsgrammar.playing import Trees


@dataclass(frozen=True, eq=False)
class Setting:
    """What was measured within one budget. The matrices are [expression, problem]."""

    budget: int | None
    seconds: float | None
    """the budget in CPU seconds, where it is not one of evaluations"""
    rewards: np.ndarray
    scores: np.ndarray
    """the rewards in the domain's unit"""
    seconds_per_run: np.ndarray
    """[expression], CPU seconds; NaN where a longer run told what this budget finds"""
    runs_as: tuple[str, ...]
    """the expressions as they were run: `uct(C)` resolved"""

    @property
    def limit(self) -> str:
        return f"{self.seconds:g} CPU seconds" if self.budget is None else plural(self.budget, "evaluation")

    def __repr__(self) -> str:
        expressions, problems = self.rewards.shape
        return f"<Setting of {self.limit}: {expressions} expressions on {problems:,} problems>"


@dataclass(frozen=True)
class Measured:
    """What one expression came to within one budget, in the domain's unit; the interval is NaN for one problem."""

    expression: str
    runs_as: str
    budget: int | None
    seconds: float | None
    problems: int
    mean: float
    stderr: float
    low: float
    """of the 95 % interval"""
    high: float
    mean_reward: float
    seconds_per_run: float


@dataclass(frozen=True, eq=False)
class Evaluation(Sequence[Measured]):
    """Rewards of some expressions on the same problems of one domain; a `Setting` for each budget. As a sequence: a
    line for each expression, setting by setting, in the order given."""

    domain: str
    unit: str
    less_is_better: bool | None
    """whether a lower score is a higher reward; None where the domain cannot say"""
    expressions: tuple[str, ...]
    problems: int
    split: Split
    stream: int
    seed: int
    semantics: SemanticsName
    about: str
    """which problems these are, for people"""
    settings: tuple[Setting, ...]
    own_instances: bool = False
    """whether the problems of the other split are other files"""
    first_problem: int = 0
    play: Trees | None = None
    """what becomes of trees between actions, where a run is a whole game"""

    def __len__(self) -> int:
        return len(self.settings) * len(self.expressions)

    @overload
    def __getitem__(self, place: int) -> Measured: ...
    @overload
    def __getitem__(self, place: slice) -> list[Measured]: ...
    def __getitem__(self, place: int | slice) -> Measured | list[Measured]:
        return self._lines[place]

    @cached_property
    def _lines(self) -> list[Measured]:
        return [self._line(setting, i) for setting in self.settings for i in range(len(self.expressions))]

    def _line(self, setting: Setting, i: int) -> Measured:
        score = summary(setting.scores[i])
        return Measured(
            self.expressions[i],
            setting.runs_as[i],
            setting.budget,
            setting.seconds,
            self.problems,
            score.mean,
            score.stderr,
            score.low,
            score.high,
            float(means(setting.rewards[i])),
            float(setting.seconds_per_run[i]),
        )

    def to_dataframe(self) -> Any:
        """A `pandas.DataFrame`, one line for each expression and setting; needs pandas."""
        return data_frame([asdict(line) for line in self])

    def __repr__(self) -> str:
        limits = ", ".join(setting.limit for setting in self.settings)
        return f"<Evaluation on {self.domain}: {len(self.expressions)} expressions, {self.about}; {limits}>"

    def __str__(self) -> str:
        return "\n".join([*Table(texts(*self._head), self._cells).as_text(), "", f"{self.domain}: {self.about}"])

    def _repr_html_(self) -> str:
        return html_table(f"{self.domain}: {self.about}", self._head, self._cells)

    @property
    def _head(self) -> list[str]:
        return ["expression", "budget", f"mean {self.unit}", "stderr", "95 % interval", "mean reward", "CPU s a run"]

    @property
    def _cells(self) -> list[list[str]]:
        limits = [setting.limit for setting in self.settings for _ in self.expressions]
        return [
            [
                *(line.expression, limit, number(line.mean), number(line.stderr)),
                f"[{number(line.low)}, {number(line.high)}]",
                *(number(line.mean_reward), number(line.seconds_per_run)),
            ]
            for limit, line in zip(limits, self, strict=True)
        ]

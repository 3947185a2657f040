"""What an evaluation says of its algorithms: ranks, intervals and tests, one `Column` for each domain and budget.

Glossary
    discovered       any algorithm that is not one of the generic ones; `Dis#1`, `Dis#2`, … in tables
    generic          one of `mcsgrammar.language.named.GENERIC`, known by its name
    reference        the generic algorithm that the discovered ones are compared with: the best on *training* problems,
                     so that chance on the test problems has no part in choosing it
    star             better than the reference, by the unpaired t-test at p < 0.05 (the paper's)
    p (Holm)         the paired t-test on the same problems, corrected for the number of discovered algorithms
    the paper's way  the same star against the generic algorithm that is best on the test problems themselves
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

import numpy as np

from discovery.evaluation.evaluated import Evaluation
from discovery.statistics import (
    SIGNIFICANT,
    Floats,
    WinnersCurse,
    effect_size,
    holm,
    means,
    paired_test,
    summary,
    welch_test,
    winners_curse,
)
from mcsgrammar.display import number
from mcsgrammar.language.expressions import Component, Uct
from mcsgrammar.language.named import GENERIC
from mcsgrammar.language.parsing import parse, read_expression

SAME = ".12g"
"""Means that differ beyond these digits differ by rounding alone: they share a rank, and the first named leads."""


@dataclass(frozen=True)
class Contestant:
    """An algorithm in a table."""

    name: str
    expression: str
    generic: bool
    alias: str | None = None
    """`Dis#3` where the third of those discovered is a generic one"""
    training_mean: float | None = None
    """the mean reward it was selected for, if it comes from a campaign"""
    training_pulls: int | None = None

    @property
    def label(self) -> str:
        return self.name if self.alias is None else f"{self.name} = {self.alias}"


def contestants(
    expressions: Sequence[Component | str],
    generic: bool,
    trained: Sequence[tuple[str, float, int]] = (),
    without_uct: bool = False,
) -> list[Contestant]:
    """Those of a campaign, as (expression, training mean, pulls), then `expressions`, then the generic ones if asked
    for; `without_uct` leaves out of these the `uct(C)`, which need a budget in evaluations. Equal canonical texts
    once; a generic algorithm goes by its name wherever it comes from."""
    names = {str(parse(name)): name for name in GENERIC}
    seen: dict[str, Contestant] = {}
    number = 0
    for given, training_mean, pulls in [*trained, *((e, None, None) for e in expressions)]:
        text = str(read_expression(given))
        if text in seen:
            continue
        number += 0 if text in names and training_mean is None else 1
        own = f"Dis#{number}"
        if text in names:
            alias = None if training_mean is None else own
            seen[text] = Contestant(names[text], text, True, alias, training_mean, pulls)
        else:
            seen[text] = Contestant(own, text, False, None, training_mean, pulls)
    if generic:
        for text, name in names.items():
            if not (without_uct and isinstance(parse(name), Uct)):
                seen.setdefault(text, Contestant(name, text, True))
    return list(seen.values())


@dataclass(frozen=True)
class Verdicts:
    """Algorithms against one reference, on the same problems. The arrays have one value for each algorithm."""

    p_welch: Floats
    p_paired: Floats
    p_holm: Floats
    better: np.ndarray
    """whether the mean reward is higher than the reference's"""

    @property
    def star(self) -> np.ndarray:
        return np.asarray(self.better & (self.p_welch < SIGNIFICANT))

    @property
    def better_by_holm(self) -> np.ndarray:
        return np.asarray(self.better & (self.p_holm < SIGNIFICANT))


def judge(rewards: Floats, reference: Floats) -> Verdicts:
    """Both tests of each row of `rewards` [algorithm, problem]; the rows are one family for Holm's correction."""
    paired = paired_test(rewards, reference)
    return Verdicts(welch_test(rewards, reference), paired, holm(paired), means(rewards) > means(reference))


@dataclass(frozen=True)
class Versus:
    """A discovered algorithm beside the generic ones."""

    difference: float
    """mean score minus the reference's, in the domain's unit"""
    difference_ci95: tuple[float, float] | None
    p_vs_best_generic: float | None
    """the unpaired test against the reference"""
    star: bool
    p_paired: float | None
    p_holm: float | None
    effect_size: float | None
    """Cohen's d of the paired differences in reward: above 0 is better"""
    p_vs_best_generic_on_test: float | None
    star_on_test: bool
    """the paper's way"""
    beats_all_generics: bool
    """by mean reward, whatever the tests say"""


@dataclass(frozen=True)
class Row:
    """One algorithm in one column. What does not exist is None; scores are in the domain's unit."""

    contestant: Contestant
    runs_as: str
    rank: int
    """by mean reward; equals share a rank"""
    mean: float
    stderr: float | None
    ci95: tuple[float, float] | None
    mean_reward: float
    seconds_per_run: float | None
    reference: bool
    best_of_its_kind: bool
    """the best generic or the best discovered one"""
    versus: Versus | None
    """None for a generic one, or where there is no generic one"""

    def __repr__(self) -> str:
        return f"<Row {self.rank}: {self.contestant.name}, {self.contestant.expression}: mean {number(self.mean)}>"


@dataclass(frozen=True)
class Column(Sequence[Row]):
    """A table for one domain and budget. As a sequence: its rows, the best first."""

    evaluation: Evaluation
    budget: int | None
    seconds: float | None
    reference: str | None
    """its name; None if there is nothing to compare"""
    reference_chosen_on: str
    best_generic_on_test: str | None
    winners_curse: WinnersCurse | None
    """of those that came from a campaign on this domain with this budget"""
    rows: tuple[Row, ...]
    """in the order of the contestants"""

    @property
    def label(self) -> str:
        return f"{self.evaluation.domain}@{self.budget if self.seconds is None else f'{self.seconds:g}s'}"

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> list[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | list[Row]:
        return sorted(self.rows, key=lambda row: row.rank)[place]

    def __repr__(self) -> str:
        return f"<Column {self.label}: {len(self)} algorithms on {self.evaluation.problems:,} problems>"

    @property
    def discovered(self) -> list[Row]:
        return [row for row in self.rows if not row.contestant.generic]


def needs_training(field: Sequence[Contestant], split: str) -> bool:
    """Whether the reference has to be chosen by an evaluation of the generic algorithms on training problems."""
    generics = sum(c.generic for c in field)
    return split == "test" and 1 < generics < len(field)


def compare(
    evaluation: Evaluation,
    setting: int,
    field: Sequence[Contestant],
    training: Evaluation | None = None,
    selected: bool = False,
) -> Column:
    """The column of one budget. `training` has the generic algorithms on training problems within the same budgets;
    `selected`: the training means of the contestants were for this very domain and budget."""
    measured = evaluation.settings[setting]
    order = [evaluation.expressions.index(c.expression) for c in field]
    rewards, scores = measured.rewards[order], measured.scores[order]
    mean_rewards = means(rewards).tolist()
    level = [float(f"{mean:{SAME}}") for mean in mean_rewards]
    generic = [i for i, c in enumerate(field) if c.generic]
    discovered = [i for i, c in enumerate(field) if not c.generic]
    best_generic = max(generic, key=level.__getitem__, default=None)
    best_discovered = max(discovered, key=level.__getitem__, default=None)
    reference, versus = None, {}
    if best_generic is not None and discovered:
        reference = best_generic
        if training is not None and len(generic) > 1:
            trained = training.settings[setting].rewards
            trained_means = {i: means(trained[training.expressions.index(field[i].expression)]) for i in generic}
            chances = {i: float(f"{mean:{SAME}}") for i, mean in trained_means.items()}
            reference = max(chances, key=chances.__getitem__)
        versus = dict(zip(discovered, _versus(rewards, scores, discovered, reference, best_generic), strict=True))
    rows = []
    for i, contestant in enumerate(field):
        score = summary(scores[i])
        rows.append(
            Row(
                contestant=contestant,
                runs_as=measured.runs_as[order[i]],
                rank=1 + sum(mean > level[i] for mean in level),
                mean=score.mean,
                stderr=_number(score.stderr),
                ci95=_interval(scores[i]),
                mean_reward=mean_rewards[i],
                seconds_per_run=_number(measured.seconds_per_run[order[i]]),
                reference=i == reference,
                best_of_its_kind=i in (best_generic, best_discovered),
                versus=versus.get(i),
            )
        )
    return Column(
        evaluation=evaluation,
        budget=measured.budget,
        seconds=measured.seconds,
        reference=None if reference is None else field[reference].name,
        reference_chosen_on=_chosen_on(evaluation, len(generic), training),
        best_generic_on_test=None if reference is None or best_generic is None else field[best_generic].name,
        winners_curse=_curse(field, rewards) if selected else None,
        rows=tuple(rows),
    )


def _versus(rewards: Floats, scores: Floats, discovered: list[int], reference: int, best_generic: int) -> list[Versus]:
    verdicts = judge(rewards[discovered], rewards[reference])
    on_test = judge(rewards[discovered], rewards[best_generic])
    effects = effect_size(rewards[discovered], rewards[reference])
    mean_scores = means(scores)
    return [
        Versus(
            difference=float(mean_scores[i] - mean_scores[reference]),
            difference_ci95=_interval(scores[i] - scores[reference]),
            p_vs_best_generic=_number(verdicts.p_welch[j]),
            star=bool(verdicts.star[j]),
            p_paired=_number(verdicts.p_paired[j]),
            p_holm=_number(verdicts.p_holm[j]),
            effect_size=_number(effects[j]),
            p_vs_best_generic_on_test=_number(on_test.p_welch[j]),
            star_on_test=bool(on_test.star[j]),
            beats_all_generics=bool(on_test.better[j]),
        )
        for j, i in enumerate(discovered)
    ]


def _chosen_on(evaluation: Evaluation, generics: int, training: Evaluation | None) -> str:
    if generics == 1:
        return "the only generic algorithm here"
    if training is None:
        return f"the best generic algorithm on these very {evaluation.split} problems"
    return f"the best generic algorithm on {training.problems:,} training problems"


def _curse(field: Sequence[Contestant], rewards: Floats) -> WinnersCurse | None:
    chosen = [
        (i, c.training_mean, c.training_pulls)
        for i, c in enumerate(field)
        if c.training_mean is not None and c.training_pulls is not None
    ]
    if not chosen:
        return None
    rows, trained, pulls = (list(part) for part in zip(*chosen, strict=True))
    return winners_curse(np.array(trained), np.array(pulls), rewards[rows])


def _interval(values: Floats) -> tuple[float, float] | None:
    """Of the mean, 95 %."""
    found = summary(values)
    return (found.low, found.high) if math.isfinite(found.low) and math.isfinite(found.high) else None


def _number(value: float) -> float | None:
    """What exists and is finite; documents know no other numbers."""
    return float(value) if math.isfinite(value) else None

"""The measurement at the end of a campaign over a family: its best, the generic algorithms, and what is chosen where
each domain is left out, on test problems of every domain.

The table over all domains is that of an evaluation whose problems are the domains: an algorithm's reward on one is its
mean over the test problems there. So intervals and tests are over domains: the question is about games that nobody has
tried, and more problems of the same games do not make more games.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from discovery.campaign.family import labels_of
from discovery.campaign.ranking import Ranked, Standing
from discovery.evaluation.comparison import Column, Contestant, compare, contestants, judge
from discovery.evaluation.evaluated import Evaluation, Setting
from discovery.evaluation.evaluating import evaluate
from discovery.evaluation.family_scores import AlgorithmByDomain, FamilyScores, LeftOut, best_of_others, choices
from discovery.evaluation.family_tables import family_csv, family_document, family_markdown
from discovery.evaluation.kept import TestScores, test_scores
from discovery.evaluation.measuring import MOST_TRAINING_PROBLEMS
from discovery.evaluation.tables import document
from discovery.keeping.folder import EVALUATION_FILES
from discovery.numbers import plural, scale_in
from discovery.statistics import SIGNIFICANT, means
from domains.problems import Split, stream_of
from domains.protocol import Domain
from mcsgrammar.writing import write_text

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class MeasuredFamily:
    """Over all domains, and domain by domain."""

    column: Column
    family: FamilyScores

    @property
    def document(self) -> dict[str, Any]:
        return family_document(document([self.column]), asdict(self.family))

    def scores(self, kept: bool) -> TestScores:
        return test_scores(self.document, kept)


def keep_family(folder: Path, measured: MeasuredFamily) -> TestScores:
    """The measurement of a family's best, in the campaign's folder."""
    scores = measured.scores(kept=True)
    written = {
        "md": family_markdown(scores),
        "csv": family_csv(scores),
        "json": json.dumps(measured.document, allow_nan=False) + "\n",
    }
    for ending, text in written.items():
        write_text(folder / EVALUATION_FILES[ending], text)
    return scores


def measure_family(
    standing: Standing,
    best: Sequence[Ranked],
    problems: int,
    jobs: int | None,
    on_progress: OnProgress | None = None,
    domains: Sequence[Domain] | None = None,
) -> MeasuredFamily:
    """The `best` of a campaign over a family, and whoever is chosen where a domain is left out, beside the generic
    algorithms on so many test problems of each domain. The domains may be handed over."""
    settings, contents = standing.settings, standing.contents
    assert settings.family is not None and settings.units is not None
    members = len(settings.family)
    chosen = choices(contents.arms, contents.t, contents.rewards, settings.candidates, members)
    field = contestants(
        [standing.expressions[one.arm] for one in chosen if one is not None],
        True,
        [(one.expression_text, float(one.mean), int(one.pulls)) for one in best],
        without_uct=settings.seconds is not None,
    )
    generic = [one for one in field if one.generic]
    training_problems = min(problems, MOST_TRAINING_PROBLEMS)
    each = len(field) * problems + len(generic) * training_problems
    tested, trained = [], []
    given: Sequence[Domain | str] = domains if domains is not None else settings.typed_domains
    for place, domain in enumerate(given):
        measuring = _Measuring(standing, domain, on_progress, place * each, members * each, jobs)
        tested.append(measuring.run(field, problems, "test"))
        trained.append(measuring.run(generic, training_problems, "train"))
    rewards = [evaluation.settings[0].rewards for evaluation in tested]
    joint = _joint(standing, tested, f"{plural(members, 'domain')}, {plural(problems, 'test problem')} of each")
    column = compare(joint, 0, field, _joint(standing, trained, "training"))
    on = f"the best generic algorithm on {plural(training_problems, 'training problem')} of each domain"
    column = replace(column, reference_chosen_on=on, best_generic_on_test=None)
    scale = scale_in(settings.units)
    by_domain = scale.zero + scale.per_reward * np.array([means(one) for one in rewards]).T
    trained_means = np.array([means(one.settings[0].rewards) for one in trained]).T
    texts = [one.expression for one in field]
    left_out = []
    for out, row in enumerate(best_of_others(trained_means)):
        choice, usual = chosen[out], generic[row]
        if choice is not None:
            text = standing.expressions[choice.arm]
            reached = float(by_domain[texts.index(text), out])
            usually = float(by_domain[texts.index(usual.expression), out])
            left_out.append(LeftOut(text, scale.of(choice.mean), choice.pulls, reached, usual.name, usually))
    return MeasuredFamily(
        column,
        FamilyScores(
            tuple(labels_of(settings.family)),
            problems,
            settings.policy == "uniform",
            _by_domain(column, field, rewards, by_domain),
            tuple(left_out) if len(left_out) == members else (),
        ),
    )


@dataclass
class _Measuring:
    """Evaluations on one of the domains."""

    standing: Standing
    domain: Domain | str
    on_progress: OnProgress | None
    before: int
    """runs on other domains and for other evaluations"""
    in_all: int
    jobs: int | None

    def run(self, field: Sequence[Contestant], problems: int, split: Split) -> Evaluation:
        settings = self.standing.settings
        found = evaluate(
            self.domain,
            [one.expression for one in field],
            budgets=settings.budget,
            seconds=settings.seconds,
            problems=problems,
            split=split,
            stream=stream_of(split, settings.seed),
            seed=settings.seed,
            semantics=settings.semantics,
            engine=settings.engine,
            max_nodes=settings.max_nodes,
            jobs=self.jobs,
            on_progress=self._tell,
        )
        self.before += len(field) * problems
        return found

    def _tell(self, done: int, _: int) -> None:
        if self.on_progress is not None:
            self.on_progress(self.before + done, self.in_all)


def _joint(standing: Standing, evaluations: Sequence[Evaluation], about: str) -> Evaluation:
    """The evaluation whose problems are the domains."""
    settings, first = standing.settings, evaluations[0]
    scale = scale_in(settings.units or {})
    rewards = np.array([means(one.settings[0].rewards) for one in evaluations]).T
    seconds = np.array([one.settings[0].seconds_per_run for one in evaluations]).mean(axis=0)
    runs_as = [set(texts) for texts in zip(*(one.settings[0].runs_as for one in evaluations), strict=True)]
    named = tuple(runs.pop() if len(runs) == 1 else text for runs, text in zip(runs_as, first.expressions, strict=True))
    scores = scale.zero + scale.per_reward * rewards
    return replace(
        first,
        domain=settings.canonical_domain,
        unit=scale.unit,
        less_is_better=scale.less_is_better,
        problems=len(evaluations),
        about=about,
        own_instances=False,
        settings=(Setting(settings.budget, settings.seconds, rewards, scores, seconds, named),),
    )


def _by_domain(
    column: Column, field: Sequence[Contestant], rewards: Sequence[np.ndarray], by_domain: np.ndarray
) -> tuple[AlgorithmByDomain, ...]:
    reference = next((place for place, row in enumerate(column.rows) if row.reference), None)
    found = [place for place, one in enumerate(field) if not one.generic]
    beside = np.zeros((len(field), len(rewards)), np.int64)
    if reference is not None:
        for domain, own in enumerate(rewards):
            verdicts = judge(own[found], own[reference])
            differs = verdicts.p_holm < SIGNIFICANT
            beside[found, domain] = np.where(differs, np.where(verdicts.better, 1, -1), 0)
    order = sorted(range(len(field)), key=lambda place: column.rows[place].rank)
    return tuple(
        AlgorithmByDomain(
            field[place].name,
            field[place].expression,
            field[place].generic,
            tuple(by_domain[place].tolist()),
            tuple(beside[place].tolist()),
        )
        for place in order
    )

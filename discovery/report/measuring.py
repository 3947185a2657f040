"""What a report measures on test problems: scores, anytime curves, and solutions to draw.

One evaluation gives the scores and the curves: a run at the full budget says what a shorter one would have found.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from xml.etree import ElementTree

import numpy as np

from discovery.campaign.ranking import Ranked
from discovery.campaign.settings import Settings
from discovery.evaluation.comparison import Contestant, compare, contestants, needs_training
from discovery.evaluation.evaluated import Evaluation
from discovery.evaluation.evaluating import evaluate
from discovery.evaluation.kept import TestRow, TestScores, test_scores
from discovery.evaluation.measuring import MOST_TRAINING_PROBLEMS, Selection
from discovery.evaluation.tables import document
from discovery.numbers import direction_text
from discovery.statistics import means
from domains.errors import UserError
from domains.protocol import Domain
from mcsgrammar.engines.guarding import guarded
from mcsgrammar.engines.results import curve_points
from mcsgrammar.engines.searching import Limits
from mcsgrammar.language.parsing import parse
from mcsgrammar.playing import HowToPlay, Play, agent_in, prepared
from mcsgrammar.solving import solutions

LARGEST_PICTURE = 150_000
"""Characters of an SVG document; a larger one is drawn as text, if that is shorter."""
LARGEST_DRAWING = 20_000

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class Curve:
    label: str
    expression: str
    generic: bool
    scores: tuple[float, ...]
    """the mean of the best so far, at each of the points"""


@dataclass(frozen=True)
class Curves:
    points: tuple[int, ...]
    """numbers of evaluations"""
    curves: tuple[Curve, ...]
    """the best at the end first"""
    problems: int
    unit: str
    less_is_better: bool | None

    @property
    def direction(self) -> str:
        return direction_text(self.less_is_better)


@dataclass(frozen=True)
class Drawing:
    """The best solution that an algorithm has found on the test problems."""

    label: str
    expression: str
    problem: int
    score: float
    unit: str
    text: str
    svg: str | None


@dataclass(frozen=True)
class MeasuredTests:
    test: TestScores
    curves: Curves | None
    drawings: tuple[Drawing, ...]


def has_curves(settings: Settings) -> bool:
    """Runs by the clock differ in their evaluations, and games with a smaller budget would have gone elsewhere."""
    return settings.budget is not None and settings.play is None


def measure_tests(
    domain: Domain,
    settings: Settings,
    best: Sequence[Ranked],
    problems: int,
    *,
    kept: TestScores | None = None,
    drawn: int = 0,
    jobs: int | None = None,
    on_progress: OnProgress | None = None,
) -> MeasuredTests:
    """Run the best and the generic algorithms on the first test problems. `kept` scores are left as they are; curves
    and drawings come from these runs. Where there are no curves, only what is drawn is run beside them."""
    field = contestants(
        (),
        True,
        [(one.expression_text, one.mean, one.pulls) for one in best],
        without_uct=settings.seconds is not None,
    )
    return _Measuring(domain, settings, field, problems, jobs, on_progress).all(kept, drawn)


class _Measuring:
    def __init__(
        self,
        domain: Domain,
        settings: Settings,
        field: list[Contestant],
        problems: int,
        jobs: int | None,
        on_progress: OnProgress | None,
    ) -> None:
        self.domain, self.settings, self.field, self.problems = domain, settings, field, problems
        self.jobs, self.on_progress = jobs, on_progress
        self.limits = Limits(settings.budget, settings.seconds, settings.max_nodes)
        # As they run at the full budget: the curve of uct(C) is that of one run, whose N belongs to that budget.
        self.run_as = [str(prepared(parse(one.expression), domain, self.limits, settings.play)) for one in field]
        self.done_before = 0

    def all(self, kept: TestScores | None, drawn: int) -> MeasuredTests:
        if kept is not None and not has_curves(self.settings):
            return self._only_drawn(kept, drawn)
        needs_reference = kept is None and needs_training(self.field, "test")
        training_problems = min(self.problems, MOST_TRAINING_PROBLEMS) if needs_reference else 0
        generic = [text for text, one in zip(self.run_as, self.field, strict=True) if one.generic]
        self.total = len(set(self.run_as)) * self.problems + len(generic) * training_problems
        tested = self._evaluate(self.run_as, self._points(), self.problems)
        test = kept
        if test is None:
            last = self._points()[-1:]
            training = self._evaluate(generic, last, training_problems, True) if training_problems else None
            test = self._scores(tested, training)
        return MeasuredTests(test, self._curves(tested), tuple(self._drawings(test, tested, drawn)))

    def _only_drawn(self, kept: TestScores, drawn: int) -> MeasuredTests:
        shown = [self._run_as[row.expression] for row in self._found(kept)[:drawn]]
        self.total = len(set(shown)) * self.problems
        tested = self._evaluate(shown, self._points(), self.problems)
        return MeasuredTests(kept, None, tuple(self._drawings(kept, tested, drawn)))

    def _points(self) -> list[int]:
        budget = self.settings.budget
        if budget is not None and self.settings.play is not None:
            return [budget]
        return [] if budget is None else [*takewhile(lambda point: point < budget, curve_points()), budget]

    def _evaluate(self, texts: list[str], budgets: list[int], problems: int, training: bool = False) -> Evaluation:
        def progress(done: int, _: int) -> None:
            if self.on_progress is not None:
                self.on_progress(self.done_before + done, self.total)

        evaluation = evaluate(
            self.domain,
            texts,
            budgets=budgets or None,
            seconds=self.settings.seconds,
            problems=problems,
            split="train" if training else "test",
            stream=self.settings.seed if training else 0,
            seed=self.settings.seed,
            semantics=self.settings.semantics,
            engine=self.settings.engine,
            max_nodes=self.settings.max_nodes,
            jobs=self.jobs,
            on_progress=progress,
            play=self.settings.play,
        )
        self.done_before += len(evaluation.expressions) * problems
        return evaluation

    def _scores(self, tested: Evaluation, training: Evaluation | None) -> TestScores:
        field = self.field
        generic = [one for one in field if one.generic]
        settings = self.settings
        selection = Selection((), tested.domain, settings.semantics, settings.budget, settings.seconds, settings.play)
        column = compare(
            self._under_their_names(tested, field),
            0,
            field,
            None if training is None else self._under_their_names(training, generic),
            selection.was_on(tested, settings.budget, settings.seconds),
        )
        return test_scores(document([column]), kept=False)

    def _under_their_names(self, evaluation: Evaluation, field: list[Contestant]) -> Evaluation:
        """The last setting of an evaluation, with the expressions as they were asked for."""
        run_as = dict(zip((one.expression for one in self.field), self.run_as, strict=True))
        rows = [evaluation.expressions.index(run_as[one.expression]) for one in field]
        last = evaluation.settings[-1]
        setting = replace(
            last,
            rewards=last.rewards[rows],
            scores=last.scores[rows],
            seconds_per_run=last.seconds_per_run[rows],
            runs_as=tuple(last.runs_as[row] for row in rows),
        )
        return replace(evaluation, expressions=tuple(one.expression for one in field), settings=(setting,))

    def _curves(self, tested: Evaluation) -> Curves | None:
        if not has_curves(self.settings):
            return None
        mean_scores = np.array([means(setting.scores) for setting in tested.settings])
        rewards = means(tested.settings[-1].rewards)
        rows = [tested.expressions.index(text) for text in self.run_as]
        curves = [
            (float(rewards[row]), Curve(one.label, one.expression, one.generic, tuple(mean_scores[:, row].tolist())))
            for one, row in zip(self.field, rows, strict=True)
        ]
        curves.sort(key=lambda curve: -curve[0])
        return Curves(
            tuple(setting.budget or 0 for setting in tested.settings),
            tuple(curve for _, curve in curves),
            self.problems,
            tested.unit,
            tested.less_is_better,
        )

    def _drawings(self, test: TestScores, tested: Evaluation, drawn: int) -> list[Drawing]:
        """The best solution of each of the best algorithms that were discovered, on different problems where it can
        be."""
        rewards = tested.settings[-1].rewards
        drawings: list[Drawing] = []
        for row in self._found(test)[:drawn]:
            text = self._run_as[row.expression]
            own = rewards[tested.expressions.index(text)].copy()
            seen = [drawing.problem for drawing in drawings]
            if len(set(seen)) < len(own):
                own[seen] = -np.inf
            problem = int(own.argmax())
            drawings.append(self._draw(row, text, problem))
        return drawings

    @property
    def _run_as(self) -> dict[str, str]:
        return {one.expression: text for one, text in zip(self.field, self.run_as, strict=True)}

    def _found(self, test: TestScores) -> list[TestRow]:
        """The algorithms that were discovered, the best first."""
        return [row for row in test.rows if (not row.generic or row.alias) and row.expression in self._run_as]

    def _draw(self, row: TestRow, run_as: str, problem: int) -> Drawing:
        settings = self.settings
        if settings.play is not None:
            return self._draw_game(row, run_as, problem)
        solution = next(
            solutions(
                self.domain,
                run_as,
                self.limits,
                problem,
                "test",
                settings.seed,
                engine=settings.engine,
                semantics=settings.semantics,
            )
        )
        if solution.result.stop_reason == "interrupted":
            raise KeyboardInterrupt
        score = guarded(self.domain, "score", lambda: solution.score)
        if score is None:
            raise UserError("a budget of 0 finds no solution to draw")
        return self._drawing(row, problem, score, str(guarded(self.domain, "draw", solution.draw)), solution.svg)

    def _draw_game(self, row: TestRow, agent: str, problem: int) -> Drawing:
        settings = self.settings
        trees = settings.play or "new"
        how = HowToPlay(
            agent_in(parse(agent)), self.limits, "test", settings.seed, settings.engine, settings.semantics, trees
        )
        play = Play(self.domain, how)
        game = play.shown(play.play(problem))
        return self._drawing(row, problem, game.record.score, game.draw(), game.svg)

    def _drawing(self, row: TestRow, problem: int, score: float, text: str, svg: Callable[[], str | None]) -> Drawing:
        text = text if len(text) <= LARGEST_DRAWING else text[:LARGEST_DRAWING] + " …"
        picture = sound_picture(guarded(self.domain, "svg", svg))
        return Drawing(row.label, row.expression, problem, score, self.domain.unit, text, picture)


def sound_picture(picture: object) -> str | None:
    """The SVG document, if it is one that a browser will show."""
    if not isinstance(picture, str) or len(picture) > LARGEST_PICTURE:
        return None
    try:
        root = ElementTree.fromstring(picture.encode("utf-8", "replace"))
    except ElementTree.ParseError:
        return None
    return picture if root.tag == "{http://www.w3.org/2000/svg}svg" else None

"""A campaign as tables and pictures: everything a report says, gathered once. `text` and `page`
write it.

    ranking     what training says of the candidates                          `ranking.py`
    test        the best and the generic algorithms on test problems          `evaluation/kept.py`
    curves      the best score so far against evaluations                     `measuring.py`
    drawings    the best solutions                                            "
    structure   which components help, and where                              `components.py`
    spending    how the bandit spent its pulls                                `spending.py`
    commands    how to repeat it
    findings    what it came to, in sentences                                 `evaluation/verdict.py`

The same journal and options give the same report, byte for byte, where the budget is one of evaluations.
"""

import html
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from discovery.campaign.controls import MachineSpeed
from discovery.campaign.foretelling import default_test_problems, usual_top
from discovery.campaign.next_steps import (
    domain_words,
    limit_options,
    match_words,
    play_options,
    search_options,
    solve_words,
    ways_options,
)
from discovery.campaign.ranking import Ranked, Standing, read_standing
from discovery.campaign.settings import Settings, candidates_digest
from discovery.evaluation.families import measure_family
from discovery.evaluation.kept import TestRow, TestScores, how_many_kept, kept_scores
from discovery.evaluation.round_robin import RoundRobin, is_worth_playing, kept_round_robin, kept_tops
from discovery.evaluation.tables import search_of
from discovery.evaluation.verdict import verdict
from discovery.keeping.domain import domains_begun_with
from discovery.numbers import REWARDS, Scale, decimals_for, grouped, plural, scale_in, units_of
from discovery.report.components import Structure, analyse, depths_of
from discovery.report.matches import DrawnMatch, drawn_matches, played_matches
from discovery.report.measuring import Curves, Drawing, has_curves, measure_tests
from discovery.report.spending import Spending, spending
from domains.errors import UserError
from domains.protocol import Domain
from domains.registry import canonical_text, file_of, find_domain
from mcsgrammar.arguments import at_least
from mcsgrammar.enumeration.candidates import Candidates, Constants

DEFAULT_PROBLEMS = 200
DRAWN = 3
DEEPEST_RECOGNISED = 6
"""Candidates up to this depth are recognised as an enumeration."""

OnProgress = Callable[[int, int], None]


@dataclass(frozen=True)
class Report:
    settings: Settings
    ranking: list[Ranked]
    """all candidates that were tried, the best first"""
    depths: list[int]
    """of the candidates in the ranking"""
    pulls_done: int
    failed: int
    top: int
    scale: Scale
    structure: Structure | None
    spending: Spending | None
    test: TestScores | None
    curves: Curves | None
    drawings: tuple[Drawing, ...]
    commands: tuple[tuple[str, str], ...]
    """what each is for, and the command"""
    notes: tuple[str, ...]
    """for the person who asked for the report, not for its readers"""
    speed: MachineSpeed | None = None
    """of the machine, where the budget is one of seconds"""
    warnings: tuple[str, ...] = ()
    """why the ranking may be worth less than it seems"""
    own_instances: bool = False
    """whether training and test problems are different files"""
    nobody_to_meet: bool = False
    """of agents: whether the best is the one that it was against"""
    robin: RoundRobin | None = None
    """of agents: the best, the pool and the yardstick against each other; `test` is made of it"""
    matches: tuple[DrawnMatch, ...] = ()

    def __repr__(self) -> str:
        return f"<Report on {self.title}: {self.state}>"

    def __str__(self) -> str:
        from discovery.report.text import as_text  # which is written for reports

        return as_text(self)

    def _repr_html_(self) -> str:
        """The page, apart from the notebook's own."""
        from discovery.report.page import as_html

        page = html.escape(as_html(self))
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="width: 100%; height: 80vh; border: 0"></iframe>'

    @property
    def complete(self) -> bool:
        return self.pulls_done >= self.settings.pulls

    @property
    def leaders(self) -> list[Ranked]:
        return self.ranking[: self.top]

    @property
    def title(self) -> str:
        pool = self.settings.pool_labels
        against = "" if not pool else f" against {pool[0] if len(pool) == 1 else f'{len(pool)} agents'}"
        return f"{self.settings.subject}{against}, {self.budget}"

    @property
    def budget(self) -> str:
        settings = self.settings
        seconds = "" if settings.seconds is None else f"{settings.seconds:g} CPU seconds"
        if settings.against is not None:
            return f"{seconds or plural(settings.budget or 0, 'simulation')} a search"
        limit = seconds or plural(settings.budget or 0, "evaluation")
        return limit if settings.play is None else f"{limit} {search_of(settings.play)}"

    @property
    def state(self) -> str:
        """How far the campaign is."""
        settings = self.settings
        done, planned = grouped(self.pulls_done), plural(settings.pulls, "pull")
        spent = f"on {plural(settings.candidates, 'candidate')} by {settings.policy}"
        if self.complete:
            return f"Complete: {planned} {spent}"
        return f"Not complete: {done} of {planned} {spent}; it is still running, or was stopped early"

    @property
    def findings(self) -> list[str]:
        """What it came to, in sentences; expressions stand between backticks."""
        if not self.ranking:
            return ["The campaign has no pulls yet, so there is nothing to report."]
        return [*verdict(self.ranking[0], self.test, self.settings.thing), *self.warnings]

    @property
    def training_decimals(self) -> int:
        return decimals_for(self.scale.width(one.stderr) for one in self.leaders)

    @property
    def test_decimals(self) -> int:
        return decimals_for([]) if self.test is None else self.test.decimals

    @cached_property
    def _by_text(self) -> dict[str, Ranked]:
        return {one.expression_text: one for one in self.ranking}

    def trained(self, row: TestRow) -> Ranked | None:
        """What training says of an algorithm that was tested, if it is among the candidates."""
        return self._by_text.get(row.expression) or self._by_text.get(row.runs_as)


def make_report(
    folder: Path,
    *,
    top: int | None = None,
    problems: int | None = None,
    curves: bool = False,
    jobs: int | None = None,
    trust: bool = False,
    on_start: Callable[[str], None] | None = None,
    on_progress: OnProgress | None = None,
    domain: Domain | Sequence[Domain] | None = None,
) -> Report:
    """The report of the campaign in `folder`, which is only read. Its `domain` may be handed over, or those of its
    family.

    Test scores are the campaign's own where `problems` is None and it has measured its best; else they are measured on
    that many test problems (200 if None, none if 0). `curves` asks for anytime curves and drawings too, which always
    need runs. `trust`: whether to run code that lies in the folder; where nothing is run, none is imported. Raises
    `UserError`.
    """
    top = None if top is None else at_least(1, "--top", top)
    problems = None if problems is None else at_least(0, "--test-problems", problems)
    jobs = None if jobs is None else at_least(1, "--jobs", jobs)
    standing = read_standing(folder)
    settings, ranking = standing.settings, standing.ranking()
    top = top or _usual_top(folder, settings, ranking, problems)
    best = [one for one in ranking[:top] if not one.all_failed]
    units, notes = _units(settings)
    wanted = _Wanted(
        folder, standing, settings, best, top, problems, curves, jobs, trust, on_start, on_progress, domain
    )
    tested = wanted.tested()
    notes += tested.notes
    if standing.contents.cut is not None:
        notes.append(f"when it is resumed: {standing.contents.cut}")
    return Report(
        settings=settings,
        ranking=ranking,
        depths=depths_of(one.expression_text for one in ranking),
        pulls_done=standing.pulls_done,
        failed=int(standing.statistics.failures.sum()),
        top=top,
        scale=REWARDS if units is None else scale_in(units),
        structure=analyse(standing),
        spending=spending(standing, top),
        test=tested.test,
        curves=tested.curves,
        drawings=tested.drawings,
        commands=tuple(_commands(settings, standing.expressions, ranking)),
        notes=tuple(notes),
        speed=standing.speed,
        warnings=tuple(standing.warnings()),
        own_instances=units is not None and units["own_instances"],
        nobody_to_meet=settings.against is not None and bool(best) and not is_worth_playing(settings, best),
        robin=tested.robin,
        matches=tested.matches,
    )


@dataclass(frozen=True)
class _Tested:
    """What a report says of the best beyond their training."""

    notes: list[str]
    test: TestScores | None = None
    curves: Curves | None = None
    drawings: tuple[Drawing, ...] = ()
    robin: RoundRobin | None = None
    matches: tuple[DrawnMatch, ...] = ()


@dataclass(frozen=True)
class _Wanted:
    """What `make_report` was asked for."""

    folder: Path
    standing: Standing
    settings: Settings
    best: list[Ranked]
    top: int
    problems: int | None
    curves: bool
    jobs: int | None
    trust: bool
    on_start: Callable[[str], None] | None
    on_progress: OnProgress | None
    domain: Domain | Sequence[Domain] | None

    def tested(self) -> _Tested:
        if self.settings.against is not None:
            return self.of_agents()
        return self.of_problems() if self.settings.family is None else self.of_family()

    def of_problems(self) -> _Tested:
        test: TestScores | None = None
        notes: list[str] = []
        if self.best and not self.problems:
            test, notes = kept_scores(self.folder, self.settings, self.best)
        if not self.best or self.problems == 0 or (test is not None and not self.curves):
            return _Tested(notes, test)
        domain = self.domain_to_run()
        problems = self.problems or DEFAULT_PROBLEMS
        if test is not None and not has_curves(self.settings):
            drawn = _the_best(min(DRAWN, len(self.best)))
            self.begin(f"running {drawn} on {plural(problems, 'test problem')}, for the pictures")
        else:
            self.begin(_what_is_measured(len(self.best), problems, test))
        measured = measure_tests(
            domain,
            self.settings,
            self.best,
            problems,
            kept=test,
            drawn=DRAWN if self.curves else 0,
            jobs=self.jobs,
            on_progress=self.on_progress,
        )
        return _Tested(notes, measured.test, measured.curves, measured.drawings)

    def of_family(self) -> _Tested:
        test: TestScores | None = None
        notes: list[str] = []
        if self.best and not self.problems:
            test, notes = kept_scores(self.folder, self.settings, self.best)
        if not self.best or self.problems == 0 or test is not None:
            return _Tested(notes, test)
        domains = self.domains_to_run()
        problems = self.problems or DEFAULT_PROBLEMS
        self.begin(f"{_what_is_measured(len(self.best), problems, None)} of each domain")
        measured = measure_family(self.standing, self.best, problems, self.jobs, self.on_progress, domains)
        return _Tested(notes, measured.scores(kept=False))

    def of_agents(self) -> _Tested:
        robin: RoundRobin | None = None
        notes: list[str] = []
        if self.best and not self.problems:
            robin, notes = kept_round_robin(self.folder, self.settings, self.best, self.top)
        if not self.best or self.problems == 0 or not is_worth_playing(self.settings, self.best):
            return _Tested(notes, None if robin is None else robin.scores(kept=True), robin=robin)
        is_kept = robin is not None
        if robin is None:
            game = self.domain_to_run()
            blocks = self.problems or default_test_problems(self.settings, self.settings.pulls, len(self.best))
            about = f"a round robin of the {len(self.best)} best and those they were against"
            self.begin(f"{about}, {plural(blocks, 'test block')} of each pair")
            robin = played_matches(self.settings, self.best, blocks, game, self.jobs, self.on_progress)
        matches = tuple(drawn_matches(robin, self.domain_to_run())) if self.curves else ()
        return _Tested(notes, robin.scores(is_kept), robin=robin, matches=matches)

    def begin(self, text: str) -> None:
        if self.on_start is not None:
            self.on_start(text)

    def domain_to_run(self) -> Domain:
        return self.domains_to_run()[0]

    def domains_to_run(self) -> Sequence[Domain]:
        try:
            return domains_begun_with(self.folder, self.settings, trust=self.trust, given=self.domain)
        except UserError as error:
            raise UserError(f"{error}\n--test-problems 0 reports without running anything") from None


def _usual_top(folder: Path, settings: Settings, ranking: Sequence[Ranked], problems: int | None) -> int:
    """As many as are usual, or fewer if the campaign has kept the scores of fewer, and these are asked for."""
    usual = usual_top(settings)
    if problems:
        return usual
    kept = max(kept_tops(folder), default=0) if settings.against is not None else how_many_kept(folder, ranking)
    return min(usual, kept or usual)


def _units(settings: Settings) -> tuple[dict[str, Any] | None, list[str]]:
    """What there is to know of the domain without running code of anybody's, and what to say if there is nothing."""
    if settings.units is not None:
        return settings.units, []
    try:
        if file_of(settings.domain) is None and canonical_text(domain := find_domain(settings.domain)) == (
            settings.canonical_domain
        ):
            return units_of(domain), []
    except UserError:
        pass
    return None, ["an older version began this campaign and did not keep the unit; training scores are rewards"]


def _what_is_measured(best: int, problems: int, kept: TestScores | None) -> str:
    why = "" if kept is None else ", for the anytime curves; test scores are those that the campaign has kept"
    return f"measuring {_the_best(best)} and the generic algorithms on {plural(problems, 'test problem')}{why}"


def _the_best(number: int) -> str:
    return "the best" if number == 1 else f"the {number} best"


def _commands(settings: Settings, expressions: list[str], ranking: list[Ranked]) -> list[tuple[str, str]]:
    domain = domain_words(settings)
    limits, search = [*play_options(settings), *limit_options(settings)], search_options(settings)
    depth = _depth_of_enumeration(settings, expressions)
    which = ["--candidates", "candidates.txt"] if depth is None else ["--depth", str(depth)]
    spent = ["--policy", settings.policy, "--pulls", str(settings.pulls), "--batch", str(settings.batch)]
    seed = ["--seed", str(settings.seed)]
    by_time = settings.seconds is not None or any(
        agent.seconds is not None for agent in (() if settings.against is None else settings.against.pool)
    )
    what = "The same campaign; its results differ" if by_time else "The campaign again, pull for pull"
    if depth is None:
        what += " (candidates.txt is in its folder)"
    against = _against_options(settings)
    commands = [(what, ["discover", *domain, *against, *limits, *which, *spent, *seed, *search, "--out", "again"])]
    recommends = bool(ranking) and not ranking[0].all_failed
    if settings.against is not None:
        more = match_words(settings, ranking[0].expression_text) if recommends else []
        commands += [("More matches of the recommended agent", more)] if more else []
    else:
        commands.append(
            (
                "Its best, measured on more test problems",
                ["evaluate", *domain, "--from", "again", "--generic", *seed, *search],
            )
        )
    if recommends and settings.against is None:
        run = solve_words(settings, ranking[0].expression_text)
        commands.append(("The recommended algorithm on a test problem", run))
    return [(what, shlex.join(["mcsgrammar", *words])) for what, words in commands]


def _against_options(settings: Settings) -> list[str]:
    if settings.against is None:
        return []
    pool = [word for label in settings.pool_labels for word in ("--against", label)]
    return [*pool, *ways_options(settings.against)]


def _depth_of_enumeration(settings: Settings, expressions: list[str]) -> int | None:
    """The depth D for which the candidates are all that `--depth D` enumerates, if there is one."""
    deepest = max(depths_of([expressions[-1]]), default=0)
    if deepest > DEEPEST_RECOGNISED:
        return None
    texts = [str(one) for one in Candidates(deepest, Constants())]
    return deepest if candidates_digest(texts) == settings.candidates_digest else None

"""The whole measurement behind `mcsgrammar evaluate` and the end of `mcsgrammar discover`: several domains and budgets,
each algorithm on test problems, and the generic ones on training problems too, to choose the reference by."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from discovery.campaign.settings import Settings
from discovery.evaluation.comparison import Column, Contestant, compare, contestants, needs_training
from discovery.evaluation.evaluated import Evaluation
from discovery.evaluation.evaluating import evaluate
from discovery.evaluation.tables import WRITERS
from discovery.keeping.folder import EVALUATION_FILES
from domains.errors import UserError
from domains.problems import Split, stream_of
from domains.protocol import Domain
from domains.registry import canonical_text, domain_of, refuse_namesakes
from mcsgrammar.arguments import at_least
from mcsgrammar.defaults import DEFAULT_MAX_NODES
from mcsgrammar.engines.searching import EngineName, Limits, SemanticsName
from mcsgrammar.language.parsing import parse
from mcsgrammar.playing import Trees, prepared
from mcsgrammar.writing import write_text

MOST_TRAINING_PROBLEMS = 1000

OnProgress = Callable[[int, int], None]
"""Called now and then with (runs done, runs in all)."""


@dataclass(frozen=True)
class Wanted:
    """A column to be filled: a domain, by its name or as it is, and one budget."""

    domain: str | Domain
    budget: int | None
    seconds: float | None = None


@dataclass(frozen=True)
class Selection:
    """The best of a campaign, and what they were selected on."""

    trained: tuple[tuple[str, float, int], ...]
    """expression, mean training reward, pulls; the best first"""
    domain: str
    semantics: str
    budget: int | None
    seconds: float | None
    play: Trees | None = None

    def was_on(self, evaluation: Evaluation, budget: int | None, seconds: float | None) -> bool:
        """Whether training and evaluation differ in nothing but the problems, which are fresh ones."""
        here = (evaluation.domain, evaluation.semantics, budget, seconds, evaluation.play)
        trained = (self.domain, self.semantics, self.budget, self.seconds, self.play)
        return here == trained and evaluation.split == "test"


def best_of_campaign(folder: Path | str, top: int) -> Selection:
    """The `top` candidates of a campaign with the highest training mean."""
    from discovery.campaign.ranking import top_of_campaign
    from discovery.campaign.settings import read_settings

    top = at_least(1, "the number of candidates", top)
    settings = read_settings(Path(folder))
    if settings.against is not None:
        raise UserError(
            f"{folder} is a campaign over agents, which are measured by matches: "
            f"mcsgrammar resume {quote(str(folder))} lets its "
            f"best play, and mcsgrammar tournament {quote(settings.domain)} AGENT… any others"
        )
    trained = tuple(
        (one.expression_text, float(one.mean), int(one.pulls)) for one in top_of_campaign(Path(folder), top)
    )
    domain = settings.canonical_domain
    return Selection(trained, domain, settings.semantics, settings.budget, settings.seconds, settings.play)


def measure_selected(
    selection: Selection,
    settings: Settings,
    problems: int,
    jobs: int | None,
    on_progress: OnProgress | None = None,
    domain: Domain | None = None,
) -> list[Column]:
    """The best of a campaign with these settings beside the generic algorithms, on test problems of its domain, which
    may be handed over."""
    return measure(
        [Wanted(domain if domain is not None else settings.domain, settings.budget, settings.seconds)],
        contestants((), True, selection.trained, without_uct=settings.seconds is not None),
        problems=problems,
        seed=settings.seed,
        semantics=settings.semantics,
        engine=settings.engine,
        max_nodes=settings.max_nodes,
        jobs=jobs,
        selection=selection,
        on_progress=on_progress,
        play=settings.play,
    )


def keep_evaluation(folder: Path, columns: list[Column]) -> None:
    """The measurement of a campaign's best, in its folder."""
    for ending, name in EVALUATION_FILES.items():
        write_text(folder / name, WRITERS[ending](columns))


def measure(
    wanted: Sequence[Wanted],
    field: Sequence[Contestant],
    *,
    problems: int = 1000,
    first_problem: int = 0,
    split: Split = "test",
    seed: int = 0,
    semantics: SemanticsName = "standard",
    engine: EngineName = "auto",
    max_nodes: int = DEFAULT_MAX_NODES,
    jobs: int | None = None,
    selection: Selection | None = None,
    on_progress: OnProgress | None = None,
    play: Trees | None = None,
) -> list[Column]:
    """The columns in the order wanted, each once. Training problems are those of the campaign with this `seed`.

    What can be known to be wrong is found before anything is run.
    """
    groups: dict[tuple[str, float | None], _Group] = {}
    domains = [domain_of(one.domain) for one in wanted]
    refuse_namesakes(domains)
    for one, domain in zip(wanted, domains, strict=True):
        limits = Limits(one.budget, one.seconds, max_nodes)
        for contestant in field:
            prepared(parse(contestant.expression), domain, limits, play)
        group = groups.setdefault((canonical_text(domain), one.seconds), _Group(one.domain, []))
        if one.budget not in group.budgets:
            group.budgets.append(one.budget)
    everyone = [contestant.expression for contestant in field]
    generic = [contestant.expression for contestant in field if contestant.generic]
    training_problems = min(problems, MOST_TRAINING_PROBLEMS) if needs_training(field, split) else 0
    total = len(groups) * (len(everyone) * problems + len(generic) * training_problems)
    before = 0

    def run(
        group: _Group, seconds: float | None, texts: list[str], problems: int, first: int, split: Split
    ) -> Evaluation:
        nonlocal before

        def progress(done: int, _: int) -> None:
            if on_progress is not None:
                on_progress(before + done, total)

        evaluation = evaluate(
            group.domain,
            texts,
            budgets=None if seconds is not None else [budget for budget in group.budgets if budget is not None],
            seconds=seconds,
            problems=problems,
            first_problem=first,
            split=split,
            stream=stream_of(split, seed),
            seed=seed,
            semantics=semantics,
            engine=engine,
            max_nodes=max_nodes,
            jobs=jobs,
            on_progress=progress,
            play=play,
        )
        before += len(texts) * problems
        return evaluation

    columns: dict[tuple[str, int | None, float | None], Column] = {}
    for (name, seconds), group in groups.items():
        evaluation = run(group, seconds, everyone, problems, first_problem, split)
        training = run(group, seconds, generic, training_problems, 0, "train") if training_problems else None
        for i, budget in enumerate(group.budgets):
            selected = selection is not None and selection.was_on(evaluation, budget, seconds)
            columns[name, budget, seconds] = compare(evaluation, i, field, training, selected)
    names = map(canonical_text, domains)
    order = dict.fromkeys((name, one.budget, one.seconds) for name, one in zip(names, wanted, strict=True))
    return [columns[key] for key in order]


@dataclass
class _Group:
    """The budgets that are run together."""

    domain: str | Domain
    budgets: list[int | None]

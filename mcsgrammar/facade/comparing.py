"""Algorithms beside each other in one call: means, intervals and tests on the same problems."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, overload

from discovery.evaluation.comparison import Column, Contestant, Row, contestants
from discovery.evaluation.measuring import Wanted, measure
from discovery.numbers import p_text
from discovery.statistics import SIGNIFICANT
from discovery.tables import Table, texts
from domains.errors import UserError
from domains.protocol import Domain
from mcsgrammar.arguments import as_list
from mcsgrammar.defaults import DEFAULT_BUDGET, DEFAULT_MAX_NODES
from mcsgrammar.display import data_frame, html_table, number
from mcsgrammar.engines.searching import EngineName, SemanticsName
from mcsgrammar.facade.progress import work_progress
from mcsgrammar.language.expressions import Component
from mcsgrammar.language.parsing import parse_all
from mcsgrammar.playing import Trees

TESTED = ("difference", "p_paired", "p_holm", "effect_size")


@dataclass(frozen=True)
class Compared:
    """One algorithm within one budget, beside the reference. Scores are in the domain's unit; what does not exist is
    None."""

    name: str
    """its name in the literature, or the expression"""
    expression: str
    budget: int | None
    seconds: float | None
    rank: int
    mean: float
    stderr: float | None
    ci95: tuple[float, float] | None
    mean_reward: float
    reference: bool
    """whether it is the one that the others are compared with"""
    difference: float | None = None
    """mean score minus the reference's"""
    p_paired: float | None = None
    """the paired t-test on the same problems"""
    p_holm: float | None = None
    """the same, by Holm's correction for all that are compared within this budget"""
    effect_size: float | None = None
    """Cohen's d of the paired differences in reward: above 0 is better"""

    @property
    def better(self) -> bool:
        """Than the reference, beyond what chance explains."""
        return self.effect_size is not None and self.effect_size > 0 and self.significant

    @property
    def worse(self) -> bool:
        return self.effect_size is not None and self.effect_size < 0 and self.significant

    @property
    def significant(self) -> bool:
        return self.p_holm is not None and self.p_holm < SIGNIFICANT


@dataclass(frozen=True)
class Comparison(Sequence[Compared]):
    """What `compare` gives. As a sequence: a line for each algorithm, the best first, budget by budget."""

    columns: tuple[Column, ...]
    """as the tables of `evaluate` have them, one for each budget"""
    lines: tuple[Compared, ...]

    def __len__(self) -> int:
        return len(self.lines)

    @overload
    def __getitem__(self, place: int) -> Compared: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Compared]: ...
    def __getitem__(self, place: int | slice) -> Compared | Sequence[Compared]:
        return self.lines[place]

    @property
    def best(self) -> Compared:
        """The highest mean within the first budget."""
        return self.lines[0]

    def to_dataframe(self) -> Any:
        """A `pandas.DataFrame`, one line for each algorithm and budget; needs pandas."""
        return data_frame([asdict(line) for line in self.lines])

    @property
    def notes(self) -> list[str]:
        """What was run, and what the tests compare."""
        about = self.columns[0].evaluation
        against = dict.fromkeys(f"{one.reference}, {one.reference_chosen_on}" for one in self.columns if one.reference)
        direction = {None: "", True: "; less is better", False: "; more is better"}[about.less_is_better]
        family = len(self.columns[0].discovered)
        tests = (
            f"p: paired t-test on the same problems; p Holm: corrected for {family}; d: Cohen's d, above 0 is better"
        )
        return [
            f"{about.domain}: {about.about}; seed {about.seed}{direction}",
            *(f"compared with {one}" for one in against),
            *([tests] if against else []),
        ]

    def __repr__(self) -> str:
        limits = ", ".join(column.label for column in self.columns)
        return f"<Comparison of {len(self.columns[0])} algorithms: {limits}; best {self.best.name}>"

    def __str__(self) -> str:
        return "\n".join([*Table(texts(*self._head), self._cells).as_text(), "", *self.notes])

    def _repr_html_(self) -> str:
        return html_table("", self._head, self._cells, self.notes)

    @property
    def _head(self) -> list[str]:
        unit = self.columns[0].evaluation.unit
        return ["algorithm", "budget", f"mean {unit}", "95 % interval", "difference", "p", "p Holm", "d"]

    @property
    def _cells(self) -> list[list[str]]:
        return [
            [
                line.name,
                f"{line.seconds:g} s" if line.budget is None else f"{line.budget:,}",
                number(line.mean),
                "-" if line.ci95 is None else f"[{number(line.ci95[0])}, {number(line.ci95[1])}]",
                "-" if line.difference is None else f"{line.difference:+.6g}",
                *("-" if p is None else p_text(p) for p in (line.p_paired, line.p_holm)),
                "-" if line.effect_size is None else f"{line.effect_size:+.2f}",
            ]
            for line in self.lines
        ]


def compare(
    domain: Domain | str,
    expressions: Component | str | Sequence[Component | str],
    *,
    reference: Component | str | None = None,
    generic: bool = False,
    budgets: int | Sequence[int] | None = None,
    seconds: float | None = None,
    problems: int = 1000,
    seed: int = 0,
    semantics: SemanticsName = "standard",
    engine: EngineName = "auto",
    max_nodes: int = DEFAULT_MAX_NODES,
    jobs: int | None = None,
    progress: bool | None = None,
    play: Trees | None = None,
) -> Comparison:
    """Run algorithms once on each of the same test problems and test their differences from one of them.

    That one is `reference`; if none is named, the first of `expressions`. With `generic`, the generic algorithms are
    measured too, and if no `reference` is named it is the best of these on training problems, as with `mcsgrammar
    evaluate --generic`. The budgets are numbers of evaluations (1000 if none is given), or one of CPU `seconds`.
    `progress`: None shows it in a notebook and on a terminal. With `play`, "new" or "kept" as trees are to be, a run is
    a whole game, and the budgets are those of the search before every action.
    """
    if budgets is not None and seconds is not None:
        raise UserError("give budgets in evaluations or in seconds, one of the two")
    named = parse_all(expressions) if reference is None else [*parse_all(reference), *parse_all(expressions)]
    field = contestants(named, generic, without_uct=seconds is not None)
    if len(field) < 2:
        raise UserError("there is nothing to compare: name two expressions or more, or add generic=True")
    if reference is not None or not generic:
        field = _against(str(named[0]), field)
    limits: list[int | None] = [None]
    if seconds is None:
        limits = [*as_list(DEFAULT_BUDGET if budgets is None else budgets)]
        if not limits:
            raise UserError("budgets is an empty list; give one number of evaluations or more")
    with work_progress(progress) as on_progress:
        columns = measure(
            [Wanted(domain, budget, seconds) for budget in limits],
            field,
            problems=problems,
            seed=seed,
            semantics=semantics,
            engine=engine,
            max_nodes=max_nodes,
            jobs=jobs,
            on_progress=on_progress,
            play=play,
        )
    if sum(contestant.generic for contestant in field) == 1:
        why = "the first that is named" if reference is None else "as asked for"
        columns = [replace(column, reference_chosen_on=why) for column in columns]
    return Comparison(tuple(columns), tuple(_line(column, row) for column in columns for row in column))


def _against(reference: str, field: list[Contestant]) -> list[Contestant]:
    """The same, but all are compared with this one: in tables, the generic algorithms are what others meet."""
    return [replace(contestant, generic=contestant.expression == reference) for contestant in field]


def _line(column: Column, row: Row) -> Compared:
    versus, contestant = row.versus, row.contestant
    return Compared(
        name=contestant.expression if contestant.name.startswith("Dis#") else contestant.name,
        expression=contestant.expression,
        budget=column.budget,
        seconds=column.seconds,
        rank=row.rank,
        mean=row.mean,
        stderr=row.stderr,
        ci95=row.ci95,
        mean_reward=row.mean_reward,
        reference=row.reference,
        **({} if versus is None else {name: getattr(versus, name) for name in TESTED}),
    )

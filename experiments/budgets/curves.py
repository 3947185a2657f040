"""Which algorithm for which budget: what is asked, of whom, on which problems.

Glossary
    problem      one of the first paper's three: Sudoku(4), symbolic regression with T = 11, Morpion 5T
    contestant   an algorithm with the place it comes from; some are told the budget: `uct(C)`, and NRPA whose number of
                 iterations is a root of it
    found        a contestant that a stored campaign recommends, or that leads a stored table
    home         the budget that a found one was found at, in evaluations; none where that was in CPU time
    curve        the mean score of a contestant over budgets, each of its own runs
    tied         not shown worse than the one with the best mean, on the same problems
    size         how many runs, and up to which budget: `full` or `small`
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from experiments.campaigns import CAMPAIGNS, EVERYWHERE
from experiments.columns import COLUMNS, MAIN
from experiments.files import read_csv
from experiments.learning.question import ARENAS, nrpa
from experiments.learning.running import stored_best
from experiments.options import RESULTS
from experiments.stored import read_stored
from mcsgrammar.language.parsing import parse

FIRST_PROBLEM = 200_000
"""Of the test problems: none that a stored table or a page was made on."""
BUDGETS = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
SECONDS = (0.0001, 0.001, 0.01, 0.1, 1.0)
CAMPAIGN_NAMES = ("ucb1", "halving", "depth6", "seconds", "longer")
GENERIC = ("is", "la(1)", "la(2)", "nmc(2)", "nmc(3)", "uct(0.3)", "uct(0.5)")
BY_HAND = "adapt(adapt(step(sim), 20), 23)"


@dataclass(frozen=True)
class BudgetProblem:
    """A problem, and how many runs of each contestant with each of BUDGETS are wanted."""

    key: str
    domain: str
    title: str
    runs: tuple[int, ...]
    learning: tuple[str, ...]
    """its arenas of experiments/learning/question.py"""
    roots: tuple[int, ...] = (2,)
    """NRPA of so many levels whose iterations fit the budget"""
    one_start: bool = False
    """whether its test problems differ in the seed alone"""

    @property
    def unit(self) -> str:
        return COLUMNS[MAIN[self.key]].unit


PROBLEMS = {
    one.key: one
    for one in (
        BudgetProblem("sudoku4", "sudoku:4", "Sudoku(4)", (400, 400, 400, 200, 40, 8), ("sudoku4", "sudoku4-longer")),
        BudgetProblem(
            "regression",
            "regression",
            "Symbolic regression, T = 11",
            (400, 400, 400, 400, 150, 30),
            ("regression",),
            (2, 5),
        ),
        BudgetProblem(
            "morpion5T",
            "morpion:5T",
            "Morpion Solitaire 5T",
            (400, 400, 400, 200, 40, 8),
            ("morpion5T",),
            one_start=True,
        ),
    )
}


@dataclass(frozen=True)
class Size:
    """How large everything is."""

    name: str
    share: float
    """of the runs"""
    largest: int
    """the last of the budgets"""

    def budgets(self) -> tuple[int, ...]:
        return tuple(budget for budget in BUDGETS if budget <= self.largest)

    def runs(self, problem: BudgetProblem, budget: int) -> int:
        return max(2, round(self.share * problem.runs[BUDGETS.index(budget)]))


SIZES = {one.name: one for one in (Size("full", 1.0, 1_000_000), Size("small", 0.03, 10_000))}


@dataclass(frozen=True)
class Contestant:
    """An algorithm, and where it comes from."""

    kind: str
    """`generic`, `NRPA`, `old language`, `larger language` or `by hand`"""
    name: str
    """an expression, or where it is told the budget B what it is called"""
    source: str = ""
    """who found it"""
    home: int | None = None
    levels: int = 0
    """of NRPA that is told the budget"""

    def at(self, budget: int) -> str:
        """The expression with this budget; `uct(C)` resolves itself."""
        return nrpa(self.levels, max(2, round(budget ** (1 / self.levels)))) if self.levels else self.name


def contestants(problem: BudgetProblem, results: Path = RESULTS) -> list[Contestant]:
    """All of a problem, each expression once; whoever comes first names it."""
    found = [*_generic(problem), *_old(problem, results), *_larger(problem, results)]
    distinct: dict[str, Contestant] = {}
    for one in [*found, Contestant("by hand", BY_HAND)]:
        distinct.setdefault(one.name if one.levels else str(parse(one.name)), one)
    return list(distinct.values())


def _generic(problem: BudgetProblem) -> Iterator[Contestant]:
    for name in GENERIC:
        yield Contestant("generic", name)
    yield Contestant("NRPA", "nrpa(3, 100)")
    for levels in problem.roots:
        yield Contestant("NRPA", f"nrpa({levels}, B^(1/{levels}))", levels=levels)


def _old(problem: BudgetProblem, results: Path) -> Iterator[Contestant]:
    """What campaigns over the language of the paper recommend, and what leads the stored tables."""
    stored = read_stored(results)
    winners = stored.winners()
    for name in (f"{problem.key}-{what}" for what in CAMPAIGN_NAMES):
        if winners.get(name):
            campaign = CAMPAIGNS[name]
            home = None if campaign.by_time else campaign.budget
            yield Contestant("old language", winners[name][0], name, home)
    if winners.get(EVERYWHERE):
        yield Contestant("old language", winners[EVERYWHERE][0], "all three problems")
    for column in ARENAS[problem.key].columns:
        home = None if COLUMNS[column].by_time else COLUMNS[column].budget
        yield Contestant("old language", stored_best(column), f"table {COLUMNS[column].table}, {column}", home)


def _larger(problem: BudgetProblem, results: Path) -> Iterator[Contestant]:
    """What campaigns over the language with adapt recommend."""
    for key in problem.learning:
        for row in read_csv(results / "learning" / f"{key}-campaigns.csv"):
            if row["adapt"]:
                home = ARENAS[key].budget if row["campaign"] == "by evaluations" else None
                yield Contestant("larger language", row["first"], f"learning, {key} {row['campaign']}", home)

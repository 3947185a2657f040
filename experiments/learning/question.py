"""Policy adaptation beside the old language: what is asked, on which problems.

Glossary
    arena        a problem with a budget in evaluations and one in CPU seconds
    campaign     a discovery over the language with `adapt`, by one of the two budgets; `old`: over that of the paper
    contestant   an expression that is measured, and its kind
    kind         who proposes it: a campaign (its first two), the literature (`NRPA`; `guided NRPA` with playouts that
                 know the problem), `by hand`, or `old best`: the best of a stored table, or what an old campaign
                 found
    trial        all contestants of an arena on one test problem, one after the other, within both budgets
    long run     one expression with much more, for the scores that the literature reaches for
"""

from dataclasses import dataclass

from mcsgrammar.enumeration.candidates import Candidates, candidates

FIRST_PROBLEM = 100_000
"""Of the test problems: none that the stored tables, from which an old best is read, were measured on."""
SHOWN = 2
"""So many of each campaign are measured; what is said of a campaign is said of the first."""
ADAPT = (10, 100)


@dataclass(frozen=True)
class Arena:
    """A problem with its budgets."""

    key: str
    domain: str
    title: str
    budget: int
    seconds: float
    pulls: int
    """of each campaign"""
    runs: int
    """of each contestant, within each budget"""
    nrpa: tuple[tuple[int, int], ...]
    """(level, N): what fits the budget in evaluations first, then what fits the seconds"""
    columns: tuple[str, ...] = ()
    """of the stored tables, whose best are the old best"""
    old: bool = False
    """whether campaigns over the old language are run: where no table says what is best"""
    guided: tuple[str, ...] = ()
    """playouts that know the problem"""

    def languages(self, depth: int) -> dict[str, Candidates]:
        """What campaigns choose from, by the prefix of their names."""
        new = candidates(depth, sim=("random", *self.guided), adapt=ADAPT)
        return {"": new, "old ": Candidates(depth)} if self.old else {"": new}

    def fixed(self) -> list[tuple[str, str]]:
        """The contestants that no campaign finds: (kind, expression)."""
        levels = [("NRPA", nrpa(level, n)) for level, n in self.nrpa]
        levels += [("guided NRPA", nrpa(*self.nrpa[0], f"sim({playout})")) for playout in self.guided]
        return [*levels, ("by hand", nrpa(1, 23, nrpa(1, 20, "step(sim)")))]


def nrpa(level: int, n: int, inner: str = "sim") -> str:
    return "adapt(" * level + inner + f", {n})" * level


ARENAS = {
    arena.key: arena
    for arena in (
        Arena(
            "morpion5T",
            "morpion:5T",
            "Morpion Solitaire 5T",
            10_000,
            0.06,
            1_500,
            100,
            ((2, 100), (3, 22), (2, 85)),
            ("5T", "5T-B1e5"),
        ),
        Arena(
            "morpion5D",
            "morpion:5D",
            "Morpion Solitaire 5D",
            10_000,
            0.05,
            1_500,
            100,
            ((2, 100), (3, 22), (2, 85)),
            ("5D", "5T-B1e5"),
        ),
        Arena(
            "sudoku4",
            "sudoku:4",
            "Sudoku(4)",
            1_000,
            0.01,
            3_000,
            400,
            ((2, 32), (3, 10), (2, 40)),
            ("sudoku4", "sudoku4-seconds"),
        ),
        Arena(
            "samegame",
            "samegame",
            "SameGame",
            1_000,
            0.05,
            800,
            60,
            ((2, 32), (3, 10), (2, 16)),
            old=True,
            guided=("guided(commonest=-10)", "guided(commonest=-10, height=6)"),
        ),
        Arena(
            "tsptw",
            "tsptw",
            "TSPTW, 20 customers",
            1_000,
            0.005,
            3_000,
            400,
            ((2, 32), (3, 10), (2, 45)),
            old=True,
            guided=("guided(distance=-4)", "guided(distance=-10, closes=-2, wait=-2, late=-5)"),
        ),
        Arena(
            "regression",
            "regression",
            "Symbolic regression, T = 11",
            10_000,
            0.008,
            2_000,
            400,
            ((2, 100), (3, 22), (5, 6), (5, 5)),
            ("T11", "T11-B1e5"),
        ),
        Arena(
            "sudoku4-longer",
            "sudoku:4",
            "Sudoku(4), four times as long",
            4_000,
            0.04,
            800,
            100,
            ((2, 63), (3, 16), (2, 80)),
            ("sudoku4", "sudoku4-seconds"),
            old=True,
        ),
        *(
            Arena(name, name, title, 1_000, 0.005, 3_000, 200, ((2, 32), (3, 10), (2, 45)), old=True)
            for name, title in (
                ("sudoku_simple", "Simple Sudoku"),
                ("statespace", "Statespace"),
                ("queens", "Ten queens"),
                ("pancakes", "Pancakes"),
                ("knights", "Knights"),
                ("frogs", "Frogs and toads"),
            )
        ),
    )
}
"""The last six are the games of one player that the papers on agents have; each has one start."""


@dataclass(frozen=True)
class LongRun:
    """An expression with a large budget."""

    arena: str
    expression: str
    budget: int
    runs: int


STEPS = "adapt(adapt(adapt(step(sim), 10), 10), {})"
LONG = tuple(
    LongRun(arena, expression, budget, runs)
    for arena, expression, budget, runs in (
        ("morpion5T", nrpa(3, 100), 1_000_000, 5),
        ("morpion5T", "adapt(adapt(adapt(sim, 30), 30), 1111)", 1_000_000, 5),
        ("morpion5T", STEPS.format(100), 1_000_000, 10),
        ("morpion5T", STEPS.format(400), 4_000_000, 5),
        ("morpion5D", nrpa(3, 100), 1_000_000, 3),
        ("morpion5D", STEPS.format(400), 4_000_000, 3),
        ("morpion5D", nrpa(3, 100, "select(repeat(sim, 5), 0.5)"), 2_000_000, 3),
        ("morpion5D", nrpa(3, 100, "select(repeat(sim, 5), 0.5)"), 5_000_000, 12),
    )
)
"""Those with more evaluations than NRPA take about as much CPU time, but for the last. The last two are what a campaign
by seconds found on 5D, one level deeper."""
MOONSHOTS = {"morpion5T": (150, 1_000_000), "morpion5D": (82, 3600 * 2)}
"""On 5T a mean at a million evaluations, on 5D one game within so many CPU seconds: an hour of two cores."""

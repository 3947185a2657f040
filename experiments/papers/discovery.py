"""Maes, Lupien St-Pierre and Ernst (2013): algorithms discovered on three problems."""

import math
from collections.abc import Callable, Sequence
from statistics import fmean

from scipy import stats

from discovery.statistics import SIGNIFICANT
from experiments.columns import COLUMNS, MAIN
from experiments.markdown import signed
from experiments.other_tables import composition, repeatability, with_pattern
from experiments.papers.campaigns import (
    first_of_campaigns,
    recommended_by_us,
    recommended_elsewhere,
    side,
    with_a_richer_language,
    with_other_budgets,
    with_other_seeds,
)
from experiments.papers.claims import Claim, Evidence, Finding, Paper, either, judged, weighed
from experiments.published import LIMIT
from experiments.score_tables import Cell
from mcsgrammar.engines.searching import SemanticsName

TEN = 10
FIRST_ON_REGRESSION = "step(step(lookahead(lookahead(sim))))"
"""The paper's first on regression."""


def _kind(cells: Sequence[Cell], kind: str) -> list[Cell]:
    found = [cell for cell in cells if cell.kind == kind]
    if not found:
        raise LookupError
    return found


def _best_generic(cells: Sequence[Cell]) -> Cell:
    return next(cell for cell in _kind(cells, "generic") if cell.run_as == cell.best_generic)


def _shown(one: Cell, other: Cell, less: bool = False) -> int:
    """1 or -1 where one is better or worse than the other by the paper's unpaired test."""
    if not one.sample.p_beside(other.sample) < SIGNIFICANT:
        return 0
    return 1 if (one.mean < other.mean) == less else -1


def _stars(key: str, evidence: Evidence, semantics: SemanticsName = "standard") -> int:
    return sum(cell.star for cell in _kind(evidence.column(key, semantics), "paper"))


def _score(evidence: Evidence, key: str, name: str) -> str:
    return evidence.answers.score(key, name)


def _sudoku(evidence: Evidence) -> Finding:
    cells = evidence.column("sudoku4")
    best = _best_generic(cells)
    tests = [_shown(cell, best) for cell in _kind(cells, "paper")]
    text = (
        f"Best generic: `{best.name}`, {_score(evidence, 'sudoku4', best.name)}. By the paper's test {tests.count(1)} "
        f"of {len(tests)} are better and {tests.count(-1)} worse"
    )
    return Finding(weighed([either("uct" in best.name), *(either(test == 0) for test in tests)]), text + ".")


def _best_without_tree(generic: Sequence[Cell]) -> Cell:
    """The generic algorithm with the highest mean that is no `uct`."""
    return max((cell for cell in generic if not cell.name.startswith("uct")), key=lambda cell: cell.mean)


def _beside_no_uct(evidence: Evidence) -> Finding:
    cells = evidence.column("sudoku4")
    rival, papers = _best_without_tree(_kind(cells, "generic")), _kind(cells, "paper")
    tests = [_shown(cell, rival) for cell in papers]
    text = (
        f"{tests.count(1)} of {len(papers)} are clearly better than `{rival.name}`, "
        f"{_score(evidence, 'sudoku4', rival.name)}, {tests.count(-1)} worse"
    )
    return Finding(weighed(tests), text + ".")


def _sudoku5(evidence: Evidence) -> Finding:
    cells = evidence.column("sudoku5")
    generic, papers = _kind(cells, "generic"), _kind(cells, "paper")
    best = max(generic, key=lambda cell: cell.mean)
    greedy = next(cell for cell in generic if cell.name == "uct(0)")
    rival = _best_without_tree(generic)
    top = max(papers, key=lambda cell: cell.mean)
    good = [_shown(cell, rival) for cell in papers]
    text = (
        f"`{best.name}` has {best.mean:.1f}, `uct(0)` {greedy.mean:.1f}, the best of the ten, {top.name}, "
        f"{top.mean:.1f}; {good.count(1)} of {len(papers)} are clearly better than `{rival.name}`, {rival.mean:.1f}, "
        "the best generic one that is no `uct`"
    )
    first = 1 if best is greedy else min(0, _shown(greedy, best))
    above = 1 if best.mean > top.mean else min(0, _shown(best, top))
    return Finding(weighed([first, above, *good]), text + ".")


def _repeatability(evidence: Evidence) -> Finding:
    rows = repeatability(evidence.stored)
    ours, papers = with_pattern(rows, "ours"), with_pattern(rows, "paper")
    in_all, in_theirs = (sum(int(row[who]) for row in rows) for who in ("ours", "paper"))
    if not in_all:
        raise LookupError
    p = _p_of_shares((ours, in_all), (papers, in_theirs))
    structures = [row for row in rows if int(row["ours"])]
    most = max(int(row["ours"]) for row in structures)
    text = (
        f"Of our {in_all} winners {ours} contain the pattern, of the paper's {in_theirs} {papers}. Our winners have "
        f"{len(structures)} structures, none more than {most} times: which of them come first is chance, and a matter "
        "of the bandit, whose constant is not printed"
    )
    return Finding(weighed([either(len(structures) > in_all / 2), either(not p < SIGNIFICANT)]), text + ".")


def _p_of_shares(one: tuple[int, int], other: tuple[int, int]) -> float:
    """Fisher's exact test of so many of so many."""
    return float(stats.fisher_exact([[count, total - count] for count, total in (one, other)]).pvalue)


def _seconds(evidence: Evidence) -> Finding:
    cells = evidence.column("sudoku4-seconds")
    best = _best_generic(cells)
    papers = _kind(cells, "paper")
    above = sum(cell.mean > best.mean for cell in papers)
    generic = sorted(_kind(cells, "generic"), key=lambda cell: -cell.mean)
    place = 1 + next(i for i, cell in enumerate(generic) if cell.name.startswith("uct"))
    text = (
        f"Best generic: `{best.name}`, {_score(evidence, 'sudoku4-seconds', best.name)}; {above} of the paper's "
        f"{len(papers)} have a higher mean; the first `uct` is number {place} of {len(generic)} generic ones. The "
        "scores themselves differ: what a second buys is a matter of the program"
    )
    return Finding(weighed([either(best.name == "nmc(2)"), either(place > 1), either(above >= 8)]), text + ".")


def _components(evidence: Evidence) -> Finding:
    """Among all components but `sim`, of which every algorithm has one."""
    rows = {row["component"]: row for row in composition(evidence.stored) if row["component"] != "simulate"}
    by = ("Evaluations-based Budget, ours", "Time-based Budget, ours")
    if not all(row[budget] for row in rows.values() for budget in by):
        raise LookupError
    before, after = ({name: int(row[budget]) for name, row in rows.items()} for budget in by)
    of = sum(before.values()), sum(after.values())
    cases, parts = [], []
    for name, wanted in (("step", 1), ("select", -1)):
        p = _p_of_shares((before[name], of[0]), (after[name], of[1]))
        more = after[name] / of[1] - before[name] / of[0]
        cases.append(0 if not p < SIGNIFICANT else 1 if more * wanted > 0 else -1)
        parts.append(f"`{name}` {before[name]} → {after[name]} (p = {p:.2g})")
    others = ", ".join(f"`{name}` {before[name]} → {after[name]}" for name in rows if name not in ("step", "select"))
    text = f"In our top tens, by evaluations → by time, of {of[0]} and {of[1]}: {', '.join(parts)}, {others}"
    return Finding(weighed(cases), text + ".")


def _regression(evidence: Evidence) -> Finding:
    best = _best_generic(evidence.column("T11"))
    own, program = _stars("T11", evidence), _stars("T11", evidence, "maes2013")
    first = first_of_campaigns(evidence)["regression-ucb1"]
    text = (
        f"Best generic: `{best.name}`, {_score(evidence, 'T11', best.name)}. Better are {own} of {TEN} by the rules of "
        f"the text, {program} by those of the program. Our campaign like the paper's puts `{first}` first"
        f"{', too' if first == FIRST_ON_REGRESSION else ''}; the paper's Dis#1 has {_score(evidence, 'T11', 'Dis#1')}"
    )
    stars = 1 if own >= TEN / 2 else 0 if own else -1
    return Finding(weighed([either(best.name == "la(2)"), stars]), text + ".")


def _robust_regression(evidence: Evidence) -> Finding:
    printed = {"T21": 4, "T11-B1e5": 9, "robustness": 1}
    names = {"T21": "T = 21", "T11-B1e5": "ten times the budget", "robustness": "the robustness set"}
    parts, good, bad = [], 0, 0
    for key, value in printed.items():
        own, program = _stars(key, evidence), _stars(key, evidence, "maes2013")
        parts.append(f"{names[key]} {own} and {program} (printed: {value})")
        good += max(own, program) >= value
        bad += max(own, program) < value / 2
    text = (
        f"Better than the best generic one by the rules of the text and by those of the program: {'; '.join(parts)}. "
        f"With ten times the budget there are {evidence.answers.runs('T11-B1e5')} problems here, few for that test; "
        f"but Dis#9 has {_score(evidence, 'T11-B1e5', 'Dis#9')}, `la(2)` {_score(evidence, 'T11-B1e5', 'la(2)')}"
    )
    return Finding(judged(good, bad, len(printed)), text + ".")


def _printed(*keys: str) -> Callable[[Evidence], Finding]:
    """How many printed scores of the main columns agree."""

    def judge(evidence: Evidence) -> Finding:
        parts, agree, total = [], 0, 0
        for key in keys:
            text = evidence.answers.agree(key)
            first, _, second = text.partition(" of ")
            rules = " by the rules of the program" if key.endswith("maes2013") else ""
            parts.append(f"{text}{rules}")
            agree, total = max(agree, int(first)), int(second)
        text = f"Within {LIMIT:g} standard errors: {', '.join(parts)}. What does not is listed under the table"
        return Finding(judged(agree, total - agree, total), text + ".")

    return judge


def _uct_rows(evidence: Evidence) -> Finding:
    """Each `uct` beside the last generic algorithm that is none, by both rules."""
    answers, parts, cases = evidence.answers, [], []
    rules: dict[SemanticsName, str] = {"standard": "text", "maes2013": "program"}
    for semantics, where in rules.items():
        generic = _kind(evidence.column("T11", semantics), "generic")
        ours = [cell for cell in generic if cell.name.startswith("uct")]
        last = max((cell for cell in generic if cell not in ours), key=lambda cell: cell.mean)
        behind = [-_shown(cell, last, less=True) for cell in ours]
        parts.append(f"{behind.count(1)} of {len(ours)} by the rules of the {where}")
        cases += behind
    text = (
        f"Clearly behind the last generic algorithm that is no `uct`: {', '.join(parts)}. Printed for C = 0.5: "
        f"{answers.published('T11', 'uct(0.5)')}; by the definition in the text {_score(evidence, 'T11', 'uct(0.5)')}; "
        f"by two details of the authors' program {_score(evidence, 'T11/maes2013', 'uct(0.5)')}, "
        f"{answers.apart('T11/maes2013', 'uct(0.5)')} standard errors from it"
    )
    return Finding(weighed(cases), text + ".")


def _morpion(*keys: str) -> Callable[[Evidence], Finding]:
    def judge(evidence: Evidence) -> Finding:
        stars = [_stars(key, evidence) for key in keys]
        counts = [len(_kind(evidence.column(key), "paper")) for key in keys]
        parts = [f"{COLUMNS[key].title} {own} of {n}" for key, own, n in zip(keys, stars, counts, strict=True)]
        names = [_best_generic(evidence.column(key)).name for key in keys]
        best = [f"`{name}` {_score(evidence, key, name)}" for key, name in zip(keys, names, strict=True)]
        good = sum(own == n for own, n in zip(stars, counts, strict=True))
        text = f"Clearly better than the best generic one: {'; '.join(parts)}. The best generic: {'; '.join(best)}"
        return Finding(judged(good, sum(own == 0 for own in stars), len(keys)), text + ".")

    return judge


def _gap(evidence: Evidence) -> Finding:
    """How far the ten are above the best generic algorithm on 5T, with the budget of the training and ten times it."""
    gaps = []
    for key in ("5T", "5T-B1e5"):
        cells = evidence.column(key)
        best, papers = _best_generic(cells), _kind(cells, "paper")
        mean = fmean(cell.mean for cell in papers) - best.mean
        gaps.append((mean, math.hypot(best.stderr, *(cell.stderr / len(papers) for cell in papers))))
    wider, error = gaps[1][0] - gaps[0][0], math.hypot(gaps[0][1], gaps[1][1])
    text = (
        f"The ten are {gaps[0][0]:.2f} ± {gaps[0][1]:.2f} lines above the best generic algorithm in the mean, with ten "
        f"times the budget {gaps[1][0]:.2f} ± {gaps[1][1]:.2f}: {signed(wider, 2)} ± {error:.2f}"
    )
    return Finding(weighed([side(wider / error)]), text + ".")


def _by_problem(evidence: Evidence) -> Finding:
    """Which components the ten best of our campaigns like the paper's have, problem by problem."""
    winners = evidence.stored.winners()
    tens = {problem: winners[f"{problem}-ucb1"] for problem in MAIN}

    def having(problem: str, component: str) -> int:
        return sum(component in text for text in tens[problem])

    wanted = [("regression", "lookahead(lookahead(")]
    wanted += [(problem, f"{name}(") for problem in ("sudoku4", "morpion5T") for name in ("step", "select")]
    parts = [
        f"{COLUMNS[MAIN[problem]].title} two nested `lookahead` {having(problem, 'lookahead(lookahead(')}, `step` "
        f"{having(problem, 'step(')}, `select` {having(problem, 'select(')}"
        for problem in MAIN
    ]
    text = f"How many of the ten best have them: {'; '.join(parts)}"
    cases = [either(having(*one) > len(tens[one[0]]) / 2) for one in wanted]
    cases[0] = either(having(*wanted[0]) == len(tens["regression"]))  # of which it says all
    return Finding(weighed(cases), text + ".")


MAES = Paper(
    "M",
    "Monte Carlo Search Algorithm Discovery for One Player Games",
    "Maes, Lupien St-Pierre and Ernst, 2013",
    (
        Claim("Table II", "The scores on Sudoku(4).", "tables/II.md", _printed("II")),
        Claim(
            "Table II, V-B",
            "On Sudoku(4) `uct` is the best generic algorithm; none of the ten discovered is clearly better or worse.",
            "tables/II.md",
            _sudoku,
        ),
        Claim(
            "Table II, V-B",
            "All ten are clearly better there than every generic algorithm that is no `uct`.",
            "tables/II.md",
            _beside_no_uct,
        ),
        Claim(
            "Table II, V-B",
            "On Sudoku(5) `uct(0)` is best, slightly above the best of the ten, and all ten are clearly better than "
            "every generic algorithm that is no `uct`.",
            "tables/II.md",
            _sudoku5,
        ),
        Claim(
            "Table III",
            "Discoveries with other seeds find other algorithms that are nearly equal; 24 of 50 winners contain the "
            "`uct` pattern.",
            "tables/III.md",
            _repeatability,
        ),
        Claim(
            "Table IV",
            "With a budget in CPU time `nmc(2)` is the best generic algorithm, `uct` falls, and eight of the ten "
            "discovered for it are better.",
            "tables/IV.md",
            _seconds,
        ),
        Claim("Table V", "CPU time favours `step`, at the cost of `select`.", "tables/V.md", _components),
        Claim("Table VIII", "The scores on regression, T = 11.", "tables/VIII.md", _printed("VIII", "VIII/maes2013")),
        Claim(
            "Table VIII",
            "With T = 11 `uct` is far behind the rest on regression.",
            "tables/VIII-maes2013.md",
            _uct_rows,
        ),
        Claim(
            "Table VIII, V-C",
            "On regression `la(2)` is the best generic algorithm, and five of the ten are clearly better.",
            "tables/VIII.md",
            _regression,
        ),
        Claim(
            "Table VIII, V-C",
            "These are robust: clearly better are four with T = 21, nine with ten times the budget, one on other "
            "targets.",
            "tables/VIII.md",
            _robust_regression,
        ),
        Claim("Table IX", "The scores on Morpion 5T.", "tables/IX.md", _printed("IX")),
        Claim(
            "Table IX, V-D",
            "On 5T each of the ten is clearly better than every generic one.",
            "tables/IX.md",
            _morpion("5T"),
        ),
        Claim(
            "Table IX, V-D",
            "So it is on 5D, and on 5T with ten times the budget.",
            "tables/IX.md",
            _morpion("5D", "5T-B1e5"),
        ),
        Claim("V-D", "On 5T a larger budget seems to increase that gap.", "tables/IX.md", _gap),
        Claim(
            "V-A, V-B",
            "UCB1 with 100 pulls for each of 3 155 candidates on average finds what is no worse than the best generic.",
            "tables/finding.md",
            with_other_seeds,
        ),
        Claim(
            "VII",
            "Discovered algorithms often outperform generic ones such as UCT and NMC.",
            "tables/everywhere.md",
            recommended_by_us,
        ),
        Claim(
            "VII",
            "They are robust to a change of the budget for testing.",
            "budgets.md",
            with_other_budgets,
        ),
        Claim(
            "V-E",
            "They can outperform generic algorithms even on problems quite different from those of the training.",
            "tables/everywhere.md",
            recommended_elsewhere,
        ),
        Claim(
            "V-E",
            "Which components matter depends on the problem: on regression all ten have two nested `lookahead`, on "
            "Sudoku and Morpion most have `step` and `select`.",
            "tables/VIII.md",
            _by_problem,
        ),
        Claim(
            "VII, future work",
            "A grammar that generates simulation policies, too, could be interesting.",
            "learning.md",
            with_a_richer_language,
        ),
    ),
)

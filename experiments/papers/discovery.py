"""Maes, Lupien St-Pierre and Ernst (2013): algorithms discovered on three problems."""

from collections.abc import Callable, Sequence

from scipy import stats

from discovery.evaluation.statistics import summary
from experiments.budgets.running import FOLDER as BUDGETS_FOLDER
from experiments.budgets.tables import EVALUATIONS_FILE
from experiments.campaigns import CAMPAIGNS, with_more_seeds
from experiments.columns import COLUMNS, MAIN
from experiments.files import read_csv
from experiments.learning.question import ARENAS
from experiments.learning.rendering import CLEAR, Table, errors
from experiments.learning.running import FOLDER as LEARNING_FOLDER
from experiments.markdown import signed
from experiments.other_tables import composition, repeatability, with_pattern
from experiments.papers.claims import Claim, Evidence, Finding, Paper, Verdict, judged
from experiments.published import LIMIT
from experiments.score_tables import Cell
from experiments.sheets.rendering import read_tried
from experiments.sheets.running import FOLDER as SHEETS_FOLDER
from mcsgrammar.engines.searching import SemanticsName

SIGNIFICANT = 0.05
TEN = 10


def _kind(cells: Sequence[Cell], kind: str) -> list[Cell]:
    found = [cell for cell in cells if cell.kind == kind]
    if not found:
        raise LookupError
    return found


def _best_generic(cells: Sequence[Cell]) -> Cell:
    return next(cell for cell in _kind(cells, "generic") if cell.run_as == cell.best_generic)


def _shown(one: Cell, other: Cell, less: bool) -> int:
    """1 or -1 where one is better or worse than the other by the paper's unpaired test."""
    p = stats.ttest_ind_from_stats(one.mean, one.sd, one.n, other.mean, other.sd, other.n, equal_var=False).pvalue
    if not p < SIGNIFICANT:
        return 0
    return 1 if (one.mean < other.mean) == less else -1


def _stars(key: str, evidence: Evidence, semantics: SemanticsName = "standard") -> int:
    return sum(cell.star for cell in _kind(evidence.column(key, semantics), "paper"))


def _score(evidence: Evidence, key: str, name: str) -> str:
    return evidence.answers.score(key, name)


def _sudoku(evidence: Evidence) -> Finding:
    cells = evidence.column("sudoku4")
    best = _best_generic(cells)
    tests = [_shown(cell, best, False) for cell in _kind(cells, "paper")]
    better, worse = tests.count(1), tests.count(-1)
    text = (
        f"Best generic: `{best.name}`, {_score(evidence, 'sudoku4', best.name)}. By the paper's test {better} of "
        f"{len(tests)} are better and {worse} worse"
    )
    return Finding("holds" if better == worse == 0 and "uct" in best.name else "holds in part", text + ".")


def _sudoku5(evidence: Evidence) -> Finding:
    cells = evidence.column("sudoku5")
    generic, papers = _kind(cells, "generic"), _kind(cells, "paper")
    best = max(generic, key=lambda cell: cell.mean)
    others = [cell for cell in generic if not cell.name.startswith("uct")]
    rival = max(others, key=lambda cell: cell.mean)
    good = sum(_shown(cell, rival, False) == 1 for cell in papers)
    top = max(papers, key=lambda cell: cell.mean)
    text = (
        f"`{best.name}` has {best.mean:.1f}, the best of the ten, {top.name}, {top.mean:.1f}; {good} of {len(papers)} "
        f"are clearly better than `{rival.name}`, {rival.mean:.1f}, the best generic one that is no `uct`"
    )
    return Finding("holds" if good == len(papers) and best.mean >= top.mean else "holds in part", text + ".")


def _repeatability(evidence: Evidence) -> Finding:
    rows = repeatability(evidence.stored)
    ours, papers = with_pattern(rows, "ours"), with_pattern(rows, "paper")
    in_all, in_theirs = (sum(int(row[who]) for row in rows) for who in ("ours", "paper"))
    if not in_all:
        raise LookupError
    p = stats.fisher_exact([[ours, in_all - ours], [papers, in_theirs - papers]]).pvalue
    structures = sum(int(row["ours"]) > 0 for row in rows)
    text = (
        f"Of our {in_all} winners {ours} contain the pattern, of the paper's {in_theirs} {papers}. Our winners have "
        f"{structures} structures: that many are nearly equal holds; which of them come first is chance, and a matter "
        "of the bandit, whose constant is not printed"
    )
    return Finding("holds" if not p < SIGNIFICANT else "holds in part", text + ".")


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
    return Finding("holds" if best.name == "nmc(2)" and above >= 8 and place > 1 else "holds in part", text + ".")


def _components(evidence: Evidence) -> Finding:
    rows = {row["component"]: row for row in composition(evidence.stored)}
    counts = {}
    for name in ("step", "select"):
        row = rows[name]
        if not row["Time-based Budget, ours"] or not row["Evaluations-based Budget, ours"]:
            raise LookupError
        counts[name] = (int(row["Evaluations-based Budget, ours"]), int(row["Time-based Budget, ours"]))
    more, fewer = counts["step"][1] > counts["step"][0], counts["select"][1] < counts["select"][0]
    text = "; ".join(f"`{name}` {before} → {after}" for name, (before, after) in counts.items())
    return Finding(judged(more + fewer, 2 - more - fewer, 2), f"In our top tens, by evaluations → by time: {text}.")


def _regression(evidence: Evidence) -> Finding:
    best = _best_generic(evidence.column("T11"))
    own, program = _stars("T11", evidence), _stars("T11", evidence, "maes2013")
    text = (
        f"Best generic: `{best.name}`, {_score(evidence, 'T11', best.name)}. Better are {own} of {TEN} by the rules of "
        f"the text, {program} by those of the program. `step(step(lookahead(lookahead(sim))))` comes first here, too, "
        f"with {_score(evidence, 'T11', 'Dis#1')}"
    )
    return Finding("holds" if best.name == "la(2)" and own >= 5 else "holds in part", text + ".")


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
    answers = evidence.answers
    rules = [cell for cell in evidence.column("T11") if cell.name == "uct(0.5)"]
    program = [cell for cell in evidence.column("T11", "maes2013") if cell.name == "uct(0.5)"]
    if not rules or not program:
        raise LookupError
    agree = [abs(one[0].apart) < LIMIT for one in (rules, program)]
    explained = (program[0].mean - rules[0].mean) / (rules[0].published - rules[0].mean)
    text = (
        f"Printed for C = 0.5: {answers.published('T11', 'uct(0.5)')}; by the definition in the text "
        f"{_score(evidence, 'T11', 'uct(0.5)')}; by two details of the authors' program "
        f"{_score(evidence, 'T11/maes2013', 'uct(0.5)')}, {answers.apart('T11/maes2013', 'uct(0.5)')} standard errors "
        f"from it. These details make {100 * explained:.0f} % of what is printed beyond the definition"
    )
    return Finding("holds" if agree[0] else "holds in part" if agree[1] else "does not hold", text + ".")


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


def _our_campaigns(evidence: Evidence) -> Finding:
    finding = {row["campaign"]: row for row in evidence.stored.finding}
    parts, clear, against = [], 0, 0
    for problem, key in MAIN.items():
        text = finding[f"{problem}-halving"]["first"]
        cell = next(cell for cell in evidence.column(key) if cell.expression == text)
        sign = -1 if COLUMNS[key].less_is_better else 1
        errors = sign * cell.paired_difference / cell.paired_stderr
        clear, against = clear + (errors > LIMIT), against + (errors < -LIMIT)
        parts.append(f"{COLUMNS[key].title} `{text}` {signed(errors)}")
    text = (
        "What our campaigns recommend beside the best generic algorithm, on the same problems, in standard errors, "
        f"above 0 where it is better: {'; '.join(parts)}"
    )
    return Finding(judged(clear, against, len(parts)), text + ".")


def _seeds(evidence: Evidence) -> Finding:
    cells = {cell.expression: cell for cell in evidence.column("sudoku4")}
    finding = {row["campaign"]: row for row in evidence.stored.finding}
    parts, worse = [], {}
    for who, words in (("sudoku4-ucb1", "`ucb1`"), ("sudoku4-halving-5", "halving with a twentieth of the pulls")):
        rows = [finding[name] for name in with_more_seeds(who)]
        means = [float(row["first_mean"]) for row in rows]
        beside = [cells[row["first"]] for row in rows if row["first"] in cells]
        worse[who] = sum(cell.paired_difference < -LIMIT * cell.paired_stderr for cell in beside)
        parts.append(f"{words} {min(means):.1f} to {max(means):.1f} cells, {worse[who]} of {len(rows)} clearly worse")
    text = (
        f"What is recommended on Sudoku(4), with five seeds, beside the best generic algorithm: {'; '.join(parts)}. "
        "With `ucb1` much is chance: all candidates meet the same problems in the same order"
    )
    own = worse["sudoku4-ucb1"]
    return Finding("holds" if own == 0 else "holds in part", text + ".")


def _other_problems(evidence: Evidence) -> Finding:
    folder = evidence.results / SHEETS_FOLDER
    if not (folder / "rewards.csv").exists():
        raise LookupError
    sheets, _ = read_tried(folder)
    reached = [sheets.reached(sheets.choices(who)) for who in (sheets.candidates, sheets.generic)]
    said = summary(reached[0] - reached[1])
    text = (
        f"On {len(sheets.games)} rule sheets of games that nobody chose: the candidate with the best mean on all "
        f"others beside the generic algorithm chosen so, {signed(said.mean)} [{signed(said.low)}, {signed(said.high)}] "
        "points of 100"
    )
    verdict: Verdict = "holds" if said.low > 0 else "does not hold" if said.high < 0 else "holds in part"
    return Finding(verdict, text + ".", "on rule sheets")


def _other_budgets(evidence: Evidence) -> Finding:
    """What campaigns over the paper's language recommend, with ten times the budget they were told."""
    path = evidence.results / BUDGETS_FOLDER / EVALUATIONS_FILE
    rows = [row for row in (read_csv(path) if path.exists() else []) if row["source"] in CAMPAIGNS and row["home"]]
    rows = [row for row in rows if int(row["budget"]) == 10 * int(row["home"])]
    if not rows:
        raise LookupError
    ratios = [float(row["over_generic"]) / float(row["over_generic_stderr"]) for row in rows]
    better, worse = (sum(sign * ratio > LIMIT for ratio in ratios) for sign in (1, -1))
    parts = [f"{row['source']} {signed(ratio)}" for row, ratio in zip(rows, ratios, strict=True)]
    text = (
        "What our campaigns recommend, with ten times the budget they were told, beside the generic algorithm that is "
        f"best there: {better} of {len(rows)} clearly better, {worse} clearly worse (in standard errors: "
        f"{', '.join(parts)})"
    )
    return Finding(judged(better, worse, len(rows)), text + ".")


def _richer(evidence: Evidence) -> Finding:
    tables = [Table(arena, evidence.results / LEARNING_FOLDER) for arena in ARENAS.values()]
    rows = [(table, table.first_found("evaluations")) for table in tables if table.rows]
    if not rows:
        raise LookupError
    clear = [(table, errors(row, "old")) for table, row in rows]
    parts = [f"{table.arena.title} {signed(error)}" for table, error in clear]
    in_time = sum(errors(table.first_found("seconds"), "old") >= CLEAR for table, _ in rows)
    good, bad = (sum(sign * error >= CLEAR for _, error in clear) for sign in (1, -1))
    text = (
        "With `adapt`, playouts that are learnt during the search, what campaigns find beside the best of the paper's "
        f"language, at equal evaluations, in standard errors: {'; '.join(parts)}. At equal CPU time {in_time} of "
        f"{len(rows)} are clearly better"
    )
    return Finding(judged(good, bad, len(rows)), text + ".")


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
            "On Sudoku(5) `uct(0)` is best, slightly above the ten, and all ten are clearly better than every generic "
            "algorithm that is no `uct`.",
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
        Claim("Table VIII", "`uct` is far behind the rest on regression.", "tables/VIII-maes2013.md", _uct_rows),
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
        Claim(
            "V-A, V-B",
            "UCB1 with 100 pulls for each of 3 155 candidates on average finds what is no worse than the best generic.",
            "tables/finding.md",
            _seeds,
        ),
        Claim(
            "VII",
            "Discovered algorithms often outperform generic ones such as UCT and NMC.",
            "tables/everywhere.md",
            _our_campaigns,
        ),
        Claim(
            "VII",
            "They are robust: they outperform generic ones with another budget, too.",
            "budgets.md",
            _other_budgets,
        ),
        Claim(
            "V-E",
            "They can outperform generic algorithms even on problems quite different from those of the training.",
            "sheets.md",
            _other_problems,
        ),
        Claim(
            "VII, future work",
            "A grammar that generates simulation policies, too, would be worth having.",
            "learning.md",
            _richer,
        ),
    ),
)

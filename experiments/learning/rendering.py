"""results/learning.md from results/learning/*.csv alone. Nothing is searched."""

from collections.abc import Iterator
from pathlib import Path

from experiments.adaptive.lines import decimals
from experiments.files import read_csv, write
from experiments.learning.question import ADAPT, ARENAS, MOONSHOTS, SHOWN, Arena
from experiments.learning.running import FOLDER, MEASURES
from experiments.markdown import NOT_YET, signed, table_lines, thousands

NAME = "learning.md"
FEWEST = 60
"""Runs: with fewer, the tables are not read for the reader."""
CLEAR = 3.0
"""Standard errors."""
READING = Path(__file__).parent / "reading.md"
"""Our reading of the tables at full scale, without a figure: what has one is looked up here."""

GROUPS = {"nrpa": "the best NRPA", "old": "the old best"}
Row = dict[str, str]


class Table:
    """What was measured in an arena."""

    def __init__(self, arena: Arena, folder: Path) -> None:
        self.arena = arena
        path = folder / f"{arena.key}.csv"
        self.rows = read_csv(path) if path.exists() else []
        self.campaigns = read_csv(folder / f"{arena.key}-campaigns.csv") if self.rows else []

    def of(self, measure: str) -> list[Row]:
        return [row for row in self.rows if row["measure"] == measure]

    def first_found(self, measure: str) -> Row:
        """What the campaign by that budget puts first, within that budget: chosen before anything was measured."""
        return next(row for row in self.of(measure) if row["kind"] == f"found by {measure} #1")

    def clear_finds(self, measure: str) -> list[Row]:
        """All measured finds that are clearly better than both."""
        found = [row for row in self.of(measure) if row["kind"].startswith("found")]
        return [row for row in found if all(errors(row, group) >= CLEAR for group in GROUPS)]


def render_learning(results: Path) -> Path:
    """Write it."""
    path = results / NAME
    write(path, learning_text(results / FOLDER))
    return path


def learning_text(folder: Path) -> str:
    tables = [Table(arena, folder) for arena in ARENAS.values()]
    measured = [table for table in tables if table.rows]
    long = read_csv(folder / "long.csv") if (folder / "long.csv").exists() else []
    lines = ["# Policy adaptation: what it wins, where", ""]
    if len(measured) == len(tables) and all(int(row["n"]) >= FEWEST for table in tables for row in table.rows):
        lines += [READING.read_text("utf-8").rstrip(), ""]
    lines += [*_in_short(measured), *_moonshots(tables, long), *_how()]
    for table in tables:
        lines += [f"## {table.arena.title}", "", *(_arena_lines(table) if table.rows else [NOT_YET + ".", ""])]
    return "\n".join([*lines, *_long_lines(long)]).rstrip() + "\n"


def _in_short(tables: list[Table]) -> Iterator[str]:
    yield from ("## In short", "")
    for measure, title in (("evaluations", "At equal evaluations"), ("seconds", "At equal CPU time")):
        yield from (f"**{title}**, what the campaign by {measure} puts first:", "")
        for table in tables:
            row = table.first_found(measure)
            yield (
                f"- {table.arena.title}, {limit(row)}: `{row['expression']}` {score(row)} {row['unit']}; "
                + ", ".join(f"{beside(row, group)} `{row[f'beside_{group}']}`" for group in GROUPS)
                + "."
            )
        yield ""


def _moonshots(tables: list[Table], long: list[Row]) -> Iterator[str]:
    yield from (
        "## The moonshots",
        "",
        f"*On each problem a discovered algorithm that at equal CPU time is better than NRPA and than the old best, by "
        f"{CLEAR:g} standard errors.* Counted is what the campaign by seconds puts first.",
        "",
    )
    for table in tables:
        if not table.rows:
            yield f"- {table.arena.title}: {NOT_YET}."
            continue
        row, clear = table.first_found("seconds"), table.clear_finds("seconds")
        verdict = "**reached**" if row in clear else "**not reached**"
        others = [one["expression"] for one in clear if one is not row]
        also = f"; of the {2 * SHOWN} finds measured, these {'do, too' if row in clear else 'would'}: "
        yield (
            f"- {table.arena.title}: {verdict}, {signed(errors(row, 'nrpa'))} standard errors beside NRPA, "
            f"{signed(errors(row, 'old'))} beside the old best"
            + (also + ", ".join(f"`{text}`" for text in others) if others else "")
            + "."
        )
    yield ""
    yield from _aims(long)


def _aims(long: list[Row]) -> Iterator[str]:
    aim, evaluations = MOONSHOTS["morpion5T"]
    mine = [row for row in long if row["arena"] == "morpion5T" and int(row["budget"]) <= evaluations]
    start = f"- {ARENAS['morpion5T'].title}, {aim} lines as a mean at {thousands(evaluations)} evaluations"
    if mine:
        top = max(mine, key=lambda row: float(row["mean"]))
        reached = "**reached**" if float(top["mean"]) >= aim else "**not reached**"
        yield f"{start}: {reached}; `{top['expression']}` has {score(top)} (n = {top['n']})."
    else:
        yield f"{start}: {NOT_YET}."
    aim, seconds = MOONSHOTS["morpion5D"]
    mine = [row for row in long if row["arena"] == "morpion5D"]
    start = f"- {ARENAS['morpion5D'].title}, a game of {aim} lines within an hour of two cores"
    if mine:
        top = max(mine, key=lambda row: float(row["best"]))
        spent = sum(float(row["n"]) * float(row["cpu_seconds_per_run"]) for row in mine)
        assert spent <= seconds
        reached = "**reached**" if float(top["best"]) >= aim else "**not reached**"
        yield (
            f"{start}: {reached}; the best game of all long runs, {spent / 60:.1f} CPU minutes, has "
            f"{float(top['best']):.0f}, by `{top['expression']}` with {thousands(float(top['budget']))} evaluations, "
            f"{float(top['cpu_seconds_per_run']):.0f} s a run, which has {score(top)} (n = {top['n']}). "
            f"That game again: `mcsgrammar solve morpion:5D '{top['expression']}' --budget {top['budget']} "
            f"--problem {top['best_on_problem']}`."
        )
    else:
        yield f"{start}: {NOT_YET}."
    yield ""


def _how() -> list[str]:
    return [
        "## How to read this",
        "",
        "Every contestant runs once on each problem within both budgets, one after the other, so that whatever else "
        "the machine does slows all alike; the machine was shared. ± is a standard error. A difference is the mean "
        "over the same problems (Morpion has one start: other seeds), **above 0 where it is better**, with its "
        "standard error and in brackets how many of those it is. *The best NRPA* is that with the best mean within "
        "the budget, *the old best* likewise: chosen by these very runs, which flatters them. Guided NRPA is not among "
        "them. Campaigns saw training problems only; the test problems are none that the stored tables were measured "
        "on. *Found*: the first two of a campaign of depth 5 with adapt(S, "
        + " or ".join(map(str, ADAPT))
        + "), by evaluations or by seconds, with the default policy. *Old best*: the best of a stored "
        "[table](tables), or, marked so, what the same campaign finds among the paper's 3 155.",
        "",
        "`python -m experiments learning` repeats all of it (`--only`: one problem; `--small`: in minutes); stopped, "
        "the same command goes on. `--render` makes this page from [the tables](learning) alone.",
        "",
    ]


def _arena_lines(table: Table) -> list[str]:
    by = {measure: {row["expression"]: row for row in table.of(measure)} for measure in MEASURES}
    some = table.of("seconds")[0]
    heads = [limit(table.of(measure)[0]) for measure in MEASURES]
    header = ["", "expression", heads[0], "CPU", *("beside " + name for name in GROUPS.values())]
    header += [heads[1], *("beside " + name for name in GROUPS.values())]
    sign = 1 if some["better"] == "less" else -1
    texts = sorted(by["seconds"], key=lambda text: sign * float(by["seconds"][text]["mean"]))
    rows = []
    for text in texts:
        first, second = (by[measure][text] for measure in MEASURES)
        row = [first["kind"], f"`{text}`", score(first), f"{1000 * float(first['cpu_seconds_per_run']):.3g} ms"]
        row += [cell(first, group) for group in GROUPS]
        rows.append([*row, score(second), *(cell(second, group) for group in GROUPS)])
    asked = f" Playouts to choose from: random, {', '.join(table.arena.guided)}." if table.arena.guided else ""
    campaigns = "; ".join(
        f"{one['campaign']} {one['pulls']} pulls, {one['tried']} of {int(one['candidates']):,} candidates tried"
        for one in table.campaigns
    )
    unit = f"Mean {some['unit']}, n = {some['n']}; {some['better']} is better; the best at equal CPU time first."
    notes = []
    if some["beside_guided"]:
        parts = [
            f"{limit(row)} `{row['expression']}` {cell(row, 'guided')} beside `{row['beside_guided']}`"
            for row in map(table.first_found, MEASURES)
        ]
        notes = [f"What campaigns put first, beside the best guided NRPA: {'; '.join(parts)}.", ""]
    return [unit + asked, "", *table_lines(header, rows), "", *notes, f"Campaigns: {campaigns}.", ""]


def _long_lines(long: list[Row]) -> list[str]:
    if not long:
        return []
    rows = [
        [
            ARENAS[row["arena"]].title,
            f"`{row['expression']}`",
            thousands(float(row["budget"])),
            row["n"],
            score(row),
            f"{float(row['best']):.0f}",
            f"{float(row['cpu_seconds_per_run']):.3g} s",
        ]
        for row in long
    ]
    header = ["", "expression", "evaluations", "runs", "lines", "best", "CPU of a run"]
    return ["## Long runs", "", *table_lines(header, rows)]


def limit(row: Row) -> str:
    value = float(row["limit"])
    return f"{1000 * value:g} ms" if row["measure"] == "seconds" else f"B = {thousands(value)}"


def score(row: Row) -> str:
    digits = decimals(float(row["stderr"]))
    return f"{float(row['mean']):.{digits}f} ± {float(row['stderr']):.{digits}f}"


def errors(row: Row, group: str) -> float:
    """How many standard errors better it is; 0 where it is the best of them itself."""
    if not row[f"gain_{group}"]:
        return 0.0
    error = float(row[f"gain_{group}_stderr"])
    return float(row[f"gain_{group}"]) / error if error else 0.0


def cell(row: Row, group: str) -> str:
    """A difference, and how many standard errors it is."""
    if not row[f"gain_{group}"]:
        return "the best"
    gain, error = float(row[f"gain_{group}"]), float(row[f"gain_{group}_stderr"])
    digits = decimals(error)
    return f"{signed(gain, digits)} ± {error:.{digits}f} ({signed(errors(row, group))})"


def beside(row: Row, group: str) -> str:
    """The same in a sentence."""
    return f"{cell(row, group)} beside {GROUPS[group]}" if row[f"gain_{group}"] else f"itself {GROUPS[group]}"

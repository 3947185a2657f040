"""The reading, `results/README.md`: prose from `reading.md`, its figures looked up in the stored results.

In the prose a figure is a question in double braces. A NAME is that in a table, or the expression: one that the prose
spells out must be asked for by that, so that the figure is of no other when the results are made anew.
    {{score COLUMN NAME}}            our mean ± standard error; COLUMN/maes2013 for the other rules
    {{published COLUMN NAME}}        what the paper has
    {{apart COLUMN NAME}}            the difference, in standard errors
    {{paired COLUMN NAME}}           the difference from the best generic algorithm, on the same problems
    {{worst NAME}}, {{share_of COLUMN NAME}}   as in everywhere.md
    {{best COLUMN}}                  the best generic algorithm and its score
    {{stars COLUMN}}                 how many of the paper's discovered ones are better than it by the paper's test
    {{pattern ours|paper}}           how many of the winners of table III contain the `uct` pattern
    {{ms COLUMN NAME}}               CPU time of a run
    {{runs COLUMN}}                  runs of each algorithm
    {{agree TABLE}}                  how many published cells agree, and of how many
    {{first CAMPAIGN}}               the expression that a campaign recommends
    {{pulls CAMPAIGN}}, {{cpu CAMPAIGN}}, {{days CAMPAIGN}}
    {{most CAMPAIGN}}                the pulls of the candidate that was pulled most
    {{pulled CAMPAIGN}}              the pulls of the candidate that it recommends
    {{firsts CAMPAIGN}}              the scores of what it recommends, with every seed
    {{gain CAMPAIGN first|ten}}      its difference from the campaign beside it in finding.md
    {{share CAMPAIGN COMPONENT all|100|10}}   in per cent
    {{unfinished}}                   a sentence on what is missing until everything is as planned
A question without an answer yet becomes 'not measured yet'.
"""

import math
import re
from collections.abc import Callable
from pathlib import Path

from experiments.campaigns import CAMPAIGNS, with_more_seeds
from experiments.columns import COLUMNS, columns_of
from experiments.markdown import NOT_YET, duration, signed, thousands
from experiments.other_tables import costs, difference_text, everywhere, per_cent, repeatability, with_pattern
from experiments.pictures import PARTS, component_shares
from experiments.published import LIMIT
from experiments.score_tables import Cell, cells_of, paired_text, runs_text
from experiments.stored import Stored

READING = Path(__file__).with_name("reading.md")
UNKNOWN = f"*{NOT_YET}*"
QUESTION = re.compile(r"\{\{(.+?)\}\}")


def reading(stored: Stored, prose: str | None = None) -> str:
    """The prose with every question answered."""
    answers = Answers(stored)
    text = READING.read_text("utf-8") if prose is None else prose
    return QUESTION.sub(lambda match: answers.answer(match[1]), text)


class Answers:
    """Looks figures up."""

    def __init__(self, stored: Stored) -> None:
        self.stored = stored
        self._cells: dict[str, list[Cell]] = {}
        self._costs = {row["campaign"]: row for row in costs(stored)}
        self._everywhere = {row[key]: row for row in everywhere(stored) for key in ("expression", "name")}
        self._finding = {row["campaign"]: row for row in stored.finding}

    def answer(self, question: str) -> str:
        what, *words = question.split(maxsplit=2)
        kinds: dict[str, Callable[..., str]] = {
            "score": self.score,
            "ms": lambda place, name: f"{1e3 * self._cell(place, name).cpu_seconds_per_run:.2f} ms",
            "published": self.published,
            "apart": self.apart,
            "paired": self.paired,
            "best": self.best,
            "stars": self.stars,
            "pattern": lambda who: str(with_pattern(repeatability(self.stored), who)),
            "runs": self.runs,
            "worst": lambda name: per_cent(self._everywhere[name]["worst share"]),
            "share_of": lambda key, name: per_cent(self._everywhere[name][f"{key} share"]),
            "agree": self.agree,
            "first": lambda campaign: f"`{self._costs[campaign]['first']}`",
            "pulls": lambda campaign: thousands(float(self._costs[campaign]["pulls"])),
            "cpu": lambda campaign: duration(float(self._costs[campaign]["cpu_seconds"])),
            "days": lambda campaign: self._costs[campaign]["days_on_the_papers_machine"],
            "most": self.most,
            "pulled": lambda campaign: thousands(float(self._pulls(campaign)[0])),
            "firsts": self.firsts,
            "gain": self.gain,
            "share": self.share,
            "unfinished": self.unfinished,
        }
        try:
            return kinds[what](*words)
        except LookupError:
            if what not in kinds:
                raise ValueError(f"{{{{{question}}}}}: there is no such question") from None
            return UNKNOWN

    def _cell(self, place: str, name: str) -> Cell:
        key, _, semantics = place.partition("/")
        column = COLUMNS[key]
        of_table = f"{column.table}/{semantics or 'standard'}"
        if of_table not in self._cells:
            self._cells[of_table] = cells_of(column.table, semantics or "standard", self.stored)  # type: ignore[arg-type]
        matching = [
            c for c in self._cells[of_table] if c.column == column.title and name in (c.name, c.expression) and c.n
        ]
        return matching[0]

    def score(self, place: str, name: str) -> str:
        cell, column = self._cell(place, name), COLUMNS[place.partition("/")[0]]
        return f"{column.number(cell.mean, 1)} ± {column.number(cell.stderr, 1)}"

    def published(self, place: str, name: str) -> str:
        return COLUMNS[place.partition("/")[0]].number(self._cell(place, name).published)

    def apart(self, place: str, name: str) -> str:
        return signed(self._cell(place, name).apart)

    def best(self, place: str) -> str:
        known = self._cell(place, "la(1)")
        cells = self._cells[f"{known.table}/{known.semantics}"]
        best = next(
            c for c in cells if (c.column, c.kind, c.run_as) == (known.column, "generic", known.best_generic) and c.n
        )
        return f"`{best.name}`, {self.score(place, best.name)}"

    def stars(self, place: str) -> str:
        known = self._cell(place, "la(1)")
        cells = self._cells[f"{known.table}/{known.semantics}"]
        papers = [c for c in cells if c.column == known.column and c.kind == "paper" and c.n]
        if not papers:
            raise LookupError
        return f"{sum(c.star for c in papers)} of {len(papers)}"

    def paired(self, place: str, name: str) -> str:
        return paired_text(self._cell(place, name), COLUMNS[place.partition("/")[0]])

    def runs(self, place: str) -> str:
        key, _, semantics = place.partition("/")
        self._cell(place, "uct(0)")
        return runs_text(COLUMNS[key], self._cells[f"{COLUMNS[key].table}/{semantics or 'standard'}"])

    def agree(self, table: str) -> str:
        name, _, semantics = table.partition("/")
        cells = cells_of(name, semantics or "standard", self.stored)  # type: ignore[arg-type]
        main = next(column for column in columns_of(name) if any(cell.column == column.title for cell in cells))
        beside = [c for c in cells if c.n and c.column == main.title and not math.isnan(c.published)]
        if not beside:
            raise LookupError
        return f"{sum(abs(cell.apart) < LIMIT for cell in beside)} of {len(beside)}"

    def gain(self, campaign: str, what: str) -> str:
        row = self._finding[campaign]
        if not row[f"{what}_difference"]:
            raise LookupError
        column = COLUMNS[row["column"]]
        return difference_text(row[f"{what}_difference"], row[f"{what}_difference_stderr"], column)

    def most(self, campaign: str) -> str:
        return thousands(float(max(self._pulls(campaign))))

    def _pulls(self, campaign: str) -> list[int]:
        """Of the candidates of a campaign, by rank."""
        if campaign not in self.stored.summaries:
            raise LookupError
        return [int(row["pulls"]) for row in self.stored.candidates(campaign)]

    def firsts(self, campaign: str) -> str:
        rows = [self._finding[name] for name in with_more_seeds(campaign)]
        scores = [COLUMNS[row["column"]].number(float(row["first_mean"]), 1) for row in rows]
        return scores[0] if len(scores) == 1 else f"{', '.join(scores[:-1])} and {scores[-1]}"

    def unfinished(self) -> str:
        missing = [
            f"`{name}` ({self._progress(name)})"
            for name in CAMPAIGNS
            if name not in self.stored.summaries or not self.stored.summaries[name]["finished"]
        ]
        few = []
        for column in COLUMNS.values():
            for semantics in column.rules:
                cells = [c for c in cells_of(column.table, semantics, self.stored) if c.column == column.title and c.n]
                numbers = sorted({cell.n for cell in cells})
                if not numbers or numbers[0] < column.problems:
                    ends = (numbers[0], numbers[-1]) if numbers else (0,)
                    some = " to ".join(dict.fromkeys(thousands(n) for n in ends))
                    rules = "" if semantics == "standard" else f" by the rules {semantics}"
                    few.append(f"{column.title}{rules} {some} of {thousands(column.problems)}")
        parts = []
        if missing:
            parts.append(f"Campaigns: {', '.join(missing)}.")
        if few:
            parts.append(f"Runs of each algorithm fewer than planned: {'; '.join(few)}.")
        if not parts:
            return "All campaigns are finished, and every column has its full number of runs."
        return " ".join(["**Not finished yet** (the same commands go on).", *parts])

    def _progress(self, campaign: str) -> str:
        summary = self.stored.summaries.get(campaign)
        if summary is None:
            return "not begun"
        return f"{thousands(summary['pulls'])} of {thousands(summary['pulls_wanted'])} pulls"

    def share(self, campaign: str, words: str) -> str:
        component, part = words.split()
        place = [f"{name}" if name else "all" for name in PARTS].index(part)
        if campaign not in self.stored.summaries:
            raise LookupError
        return f"{100 * component_shares(self.stored, campaign)[component][place]:.0f} %"

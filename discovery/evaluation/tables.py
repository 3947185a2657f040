"""Evaluations as tables: for the terminal, Markdown, CSV and JSON.

The layout is the papers': name, search component (but not that of the generic algorithms, whose name says it), rank,
one score for each setting. One setting alone is shown with its intervals and tests as well. CSV and JSON have
everything, one row for each algorithm and setting.
"""

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from discovery.documents import finite, with_checksum
from discovery.evaluation.comparison import Column, Row
from discovery.markdown import plain
from discovery.numbers import MISSING, decimals_for, fixed, p_text, signed
from discovery.tables import Code, Table, csv_text, numbers, texts
from mcsgrammar.playing import Trees
from mcsgrammar.wording import printable

PLAIN_MISSING = "-"
LEGEND_WIDTH = 120


def as_text(columns: Sequence[Column], width: int | None = None) -> str:
    """For a terminal: plain characters in lines no wider than `width` where the numbers allow it, with a legend."""
    columns = _written_by(printable, columns)
    table = _table(columns, _marked_for_text)
    whole = table.as_text()
    notes = _folded(legend(columns), width or LEGEND_WIDTH)
    if width is None or max(map(len, whole)) <= width:
        return "\n".join([*whole, "", *notes]) + "\n"
    names = Table([table.headings[0], *table.headings[2:]], [[row[0], *row[2:]] for row in table.rows])
    longest = max(len(row[0]) for row in table.rows)
    listed = [f"{row[0]:<{longest}}  {row[1]}" for row in table.rows if row[1]]
    return "\n".join([*names.as_text(), "", *listed, *([""] if listed else []), *notes]) + "\n"


def as_markdown(columns: Sequence[Column]) -> str:
    """A table for a README, bold where a discovered algorithm beats all generic ones, and the legend as a list."""
    columns = _written_by(lambda text: plain(printable(text)), columns)
    rows = _table(columns, _marked_for_markdown).as_markdown(str)
    bold = _first_of(columns, lambda row: row.versus is not None and row.versus.beats_all_generics)
    said = [] if bold is None else [f"**{bold}** beats all the generic algorithms here, whatever the tests say"]
    notes = [*said, *(_escaped(note) for note in legend(columns, ("<u>{}</u>", "\\*{}\\*")))]
    return "\n".join([*rows, "", *(f"- {' '.join(note.split())}" for note in notes)]) + "\n"


def _written_by(write: Callable[[str], str], columns: Sequence[Column]) -> list[Column]:
    """The same with all that domains say of themselves as `write` writes it."""
    written = []
    for column in columns:
        one = column.evaluation
        own = replace(one, domain=write(one.domain), unit=write(one.unit), about=write(one.about))
        written.append(replace(column, evaluation=own))
    return written


def as_csv(columns: Sequence[Column]) -> str:
    """One line for each algorithm and setting; what is missing is empty."""
    records = [_flat(record) for record in _records(columns)]
    return csv_text(records, list(records[0]))


def as_json_text(columns: Sequence[Column]) -> str:
    return json.dumps(document(columns), allow_nan=False) + "\n"


def document(columns: Sequence[Column]) -> dict[str, Any]:
    """The content of `evaluate --json`. What the settings have in common stands at the top, null where they differ;
    each row says its own domain and budget. Numbers that JSON does not know are null."""
    settings = [_setting(column) for column in columns]
    shared = {
        key: value if all(setting[key] == value for setting in settings) else None for key, value in settings[0].items()
    }
    rest = {"settings": settings} if len(settings) > 1 else {}
    return with_checksum(finite({**shared, "rows": _records(columns), **rest}))


def search_of(play: Trees | None) -> str:
    """What a budget is that of."""
    if play is None:
        return "a run"
    return "before every action of a game" + (", trees kept" if play == "kept" else "")


def legend(columns: Sequence[Column], marks: tuple[str, str] = ("_{}_", "*{}*")) -> list[str]:
    """What the table shows and what its marks mean, a sentence a line; `marks` around a value of the table."""
    underlined, starred = marks
    notes = []
    labels = headings(columns)
    for column in columns:
        budget = f"{column.seconds:g} CPU seconds" if column.budget is None else f"{column.budget:,} evaluations"
        unit, less = column.evaluation.unit, column.evaluation.less_is_better
        better = "" if less is None else ", less is better" if less else ", more is better"
        semantics = "" if column.evaluation.semantics == "standard" else f"; semantics {column.evaluation.semantics}"
        notes.append(
            f"{labels[column.label]}: mean {unit}{better}; {column.evaluation.domain}, {budget} "
            f"{search_of(column.evaluation.play)}; "
            f"{column.evaluation.about}; seed {column.evaluation.seed}{semantics}"
        )
    kinds = {"generic" if row.contestant.generic else "discovered" for row in columns[0].rows}
    both = "the best generic and the best discovered algorithm"
    best = underlined.format(_first_of(columns, lambda row: row.best_of_its_kind))
    notes.append(f"{best}  {both if len(kinds) == 2 else f'the best {kinds.pop()} algorithm'}")
    compared = [column for column in columns if column.reference is not None]
    if not compared:
        return notes if not columns[0].discovered else [*notes, "no generic algorithm to compare with; add --generic"]
    for reference, chosen_on in dict.fromkeys((column.reference, column.reference_chosen_on) for column in compared):
        here = [
            column for column in compared if (column.reference, column.reference_chosen_on) == (reference, chosen_on)
        ]
        at = "" if here == compared else f" ({', '.join(labels[column.label] for column in here)})"
        star = _first_of(here, lambda row: row.versus is not None and row.versus.star)
        better = f"better than {reference}, {chosen_on}{at}"
        notes.append(
            f"no star: by the unpaired t-test, p < 0.05, nothing is {better}"
            if star is None
            else f"{starred.format(star)}  {better}: unpaired t-test, p < 0.05"
        )
    if len(columns) == 1:
        count = len(compared[0].discovered)
        family = "no correction for one algorithm" if count == 1 else f"Holm's correction for {count} algorithms"
        notes.append(f"p Holm: paired t-test on the same problems, {family}; d: Cohen's d of the paired differences")
    for column in compared:
        stars = [row.contestant.name for row in column.discovered if row.versus and row.versus.star_on_test]
        at = f" ({labels[column.label]})" if len(columns) > 1 else ""
        notes.append(
            f"the paper's way, against {column.best_generic_on_test}, the best generic one on these very problems{at}: "
            + (f"star for {', '.join(stars)}" if stars else "no star")
        )
    for column in columns:
        if (curse := column.winners_curse) is not None:
            at = f" ({labels[column.label]})" if len(columns) > 1 else ""
            error = "" if math.isnan(curse.stderr) else f" ± {curse.stderr:.2g} (standard error)"
            notes.append(
                f"winner's curse{at}: in training the selected had mean reward {curse.training:.5g}, here "
                f"{curse.test:.5g}; the excess is {curse.excess:.2g}{error}"
                + ("; part of it is that training has other instances" if column.evaluation.own_instances else "")
            )
    return notes


def _first_of(columns: Sequence[Column], is_marked: Callable[[Row], bool]) -> str | None:
    """The first number of the table that is marked so; every mark is explained beside one that is there."""
    for column in columns:
        for row in sorted(column.rows, key=lambda row: row.rank):
            if is_marked(row):
                return fixed(row.mean, _decimals(column))
    return None


def headings(columns: Sequence[Column]) -> dict[str, str]:
    """What each column is called, by its label: as little of it as tells the columns apart."""
    if len(columns) == 1:
        return {columns[0].label: "score"}
    budgets = {column.label.rpartition("@")[2] for column in columns}
    if len({column.evaluation.domain for column in columns}) == 1:
        return {column.label: "@" + column.label.rpartition("@")[2] for column in columns}
    return {column.label: column.evaluation.domain if len(budgets) == 1 else column.label for column in columns}


def _table(columns: Sequence[Column], marked: Callable[[Row, str], str]) -> Table:
    """Sorted by the first setting."""
    first, alone = columns[0], len(columns) == 1
    places = [_decimals(column) for column in columns]
    rows = []
    for i in sorted(range(len(first.rows)), key=lambda i: first.rows[i].rank):
        row, contestant = first.rows[i], first.rows[i].contestant
        cells = [contestant.label, "" if contestant.generic else Code(contestant.expression), str(row.rank)]
        for column, decimals in zip(columns, places, strict=True):
            cells.append(marked(column.rows[i], fixed(column.rows[i].mean, decimals)))
        rows.append([*cells, *(_details(row, places[0]) if alone else [])])
    difference = f"vs {first.reference}" if first.discovered and first.reference else "difference"
    scores = headings(columns).values()
    details = ["stderr", "95 % interval", difference, "p", "p Holm", "d"] if alone else []
    return Table([*texts("name", "search component"), *numbers("rank", *scores, *details)], rows)


def _details(row: Row, decimals: int) -> list[str]:
    interval = MISSING if row.ci95 is None else f"[{fixed(row.ci95[0], decimals)}, {fixed(row.ci95[1], decimals)}]"
    cells = [fixed(row.stderr, decimals), interval]
    if (versus := row.versus) is None:
        cells += [MISSING] * 4
    else:
        cells += [signed(versus.difference, decimals), p_text(versus.p_vs_best_generic), p_text(versus.p_holm)]
        cells.append(signed(versus.effect_size, 2))
    return [PLAIN_MISSING if cell == MISSING else cell for cell in cells]


def _marked_for_text(row: Row, number: str) -> str:
    star, line = "*" if row.versus and row.versus.star else "", "_" if row.best_of_its_kind else ""
    return f"{line}{star}{number}{(star + line).ljust(2)}"


def _marked_for_markdown(row: Row, number: str) -> str:
    star = "\\*" if row.versus and row.versus.star else ""
    text = f"{star}{number}{star}"
    text = f"<u>{text}</u>" if row.best_of_its_kind else text
    return f"**{text}**" if row.versus and row.versus.beats_all_generics else text


def _escaped(note: str) -> str:
    return note.replace("p < 0.05", "p &lt; 0.05")


def _folded(notes: list[str], width: int) -> list[str]:
    import textwrap

    return [line for note in notes for line in textwrap.wrap(note, max(20, width), subsequent_indent="  ")]


def _decimals(column: Column) -> int:
    return decimals_for(row.stderr for row in column.rows)


def _setting(column: Column) -> dict[str, Any]:
    evaluation, curse = column.evaluation, column.winners_curse
    return {
        "domain": evaluation.domain,
        "budget": column.budget,
        "seconds": column.seconds,
        "problems": evaluation.problems,
        "first_problem": evaluation.first_problem,
        "split": evaluation.split,
        "about": evaluation.about,
        "seed": evaluation.seed,
        "semantics": evaluation.semantics,
        **({} if evaluation.play is None else {"play": evaluation.play}),
        "unit": evaluation.unit,
        "less_is_better": evaluation.less_is_better,
        "reference": column.reference,
        "reference_is": column.reference_chosen_on if column.reference else None,
        "best_generic_on_test": column.best_generic_on_test,
        "winners_curse": curse
        and {
            "training": curse.training,
            "test": curse.test,
            "excess": curse.excess,
            "stderr": None if math.isnan(curse.stderr) else curse.stderr,
        },
    }


def _records(columns: Sequence[Column]) -> list[dict[str, Any]]:
    return [_record(column, row) for column in columns for row in sorted(column.rows, key=lambda row: row.rank)]


def _record(column: Column, row: Row) -> dict[str, Any]:
    contestant, versus = row.contestant, row.versus
    return {
        "domain": column.evaluation.domain,
        "budget": column.budget,
        "seconds": column.seconds,
        "name": contestant.name,
        "alias": contestant.alias,
        "expression": contestant.expression,
        "runs_as": row.runs_as,
        "generic": contestant.generic,
        "reference": row.reference,
        "rank": row.rank,
        "mean": row.mean,
        "stderr": row.stderr,
        "ci95": None if row.ci95 is None else list(row.ci95),
        "n": column.evaluation.problems,
        "unit": column.evaluation.unit,
        "mean_reward": row.mean_reward,
        "seconds_per_run": row.seconds_per_run,
        "difference": versus and versus.difference,
        "difference_ci95": versus and versus.difference_ci95 and list(versus.difference_ci95),
        "p_vs_best_generic": versus and versus.p_vs_best_generic,
        "star": None if versus is None else versus.star,
        "p_paired": versus and versus.p_paired,
        "p_holm": versus and versus.p_holm,
        "effect_size": versus and versus.effect_size,
        "p_vs_best_generic_on_test": versus and versus.p_vs_best_generic_on_test,
        "star_on_test": None if versus is None else versus.star_on_test,
        "beats_all_generics": None if versus is None else versus.beats_all_generics,
        "training_mean": contestant.training_mean,
        "training_pulls": contestant.training_pulls,
    }


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    """The same without lists, for CSV."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if key.endswith("ci95"):
            low, high = value or (None, None)
            flat |= {f"{key}_low": low, f"{key}_high": high}
        else:
            flat[key] = str(value).lower() if isinstance(value, bool) else value
    return flat


WRITERS: dict[str, Callable[[Sequence[Column]], str]] = {"md": as_markdown, "csv": as_csv, "json": as_json_text}
"""What files can hold, by the endings of their names."""

"""The tables that hold no scores of algorithms: III and V, the campaigns, and what less or more of a search finds.

Each is first a list of lines of text by column name, which its CSV holds, and then Markdown, made from that list alone.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from experiments.campaigns import CAMPAIGNS, EVERYWHERE, JUDGES, with_more_seeds
from experiments.columns import COLUMNS, MAIN, Column
from experiments.fields import field_of, run_as
from experiments.markdown import duration, signed, table_lines, thousands
from experiments.published import published
from experiments.stored import Stored

Row = dict[str, str]

COMPONENTS = {"repeat": "repeat", "simulate": "sim", "select": "select", "step": "step", "lookahead": "lookahead"}
"""Table V's names, and how we write them."""
SEEDS = tuple(with_more_seeds("sudoku4-ucb1"))
UCT_PATTERN = "step(repeat(select(sim)))"
PAPERS_SIMULATIONS_PER_SECOND = 350
"""Sudoku(4), random ones, on the paper's machine: its section on time-based budgets."""


def structure(expression: str) -> str:
    """The expression without its constants, as in table III."""
    return re.sub(r", [^(),]+(?=\))", "", expression)


def repeatability(stored: Stored) -> list[Row]:
    """Table III."""
    tens = {name: ten for name, ten in stored.winners().items() if name in SEEDS}
    ours = Counter(structure(text) for ten in tens.values() for text in ten)
    papers: Counter[str] = Counter()
    for line in published("III"):
        papers[line.expression] += round(line.value)
    order = sorted(ours.keys() | papers.keys(), key=lambda s: (-ours[s], -papers[s], s))
    return [
        {"structure": s, "ours": str(ours[s]), "paper": str(papers[s]), "discoveries": str(len(tens))} for s in order
    ]


def with_pattern(rows: Sequence[Row], who: str) -> int:
    """How many of the winners contain the `uct` pattern."""
    return sum(int(row[who]) for row in rows if UCT_PATTERN in row["structure"])


def repeatability_text(rows: Sequence[Row]) -> str:
    discoveries = rows[0]["discoveries"]
    in_all = sum(int(row["ours"]) for row in rows)
    with_uct = {who: with_pattern(rows, who) for who in ("ours", "paper")}
    is_uct = {who: sum(int(row[who]) for row in rows if row["structure"] == UCT_PATTERN) for who in ("ours", "paper")}
    common = sum(min(int(row["ours"]), int(row["paper"])) for row in rows)
    return _page(
        "Table III: the structures found by discoveries with different seeds",
        [
            f"Sudoku(4), B = 1 000, `ucb1`, 100 pulls for each candidate on average: the top tens of {discoveries} "
            "of our discoveries, which differ in nothing but the seed, by structure: the expression without its "
            "constants.",
            f"Of our {in_all}, {is_uct['ours']} are `uct` itself and {with_uct['ours']} contain the `uct` pattern "
            f"`{UCT_PATTERN}`; of the paper's 50, {is_uct['paper']} and {with_uct['paper']}. Drawn as pairs of equal "
            f"structure, {common} of ours have a partner among the paper's.",
        ],
        ["structure", "ours", "paper"],
        [[f"`{row['structure']}`", row["ours"], row["paper"]] for row in rows],
    )


def composition(stored: Stored) -> list[Row]:
    """Table V."""
    winners = stored.winners()
    campaigns = {"Evaluations-based Budget": "sudoku4-ucb1", "Time-based Budget": "sudoku4-seconds"}
    papers = {(line.column, line.name): f"{line.value:g}" for line in published("V")}
    rows = []
    for title, own in COMPONENTS.items():
        row = {"component": title}
        for budget, campaign in campaigns.items():
            ten = winners.get(campaign)
            counted = "" if ten is None else str(sum(len(re.findall(rf"\b{own}\b", text)) for text in ten))
            row[f"{budget}, ours"], row[f"{budget}, paper"] = counted, papers[budget, title]
        rows.append(row)
    return rows


def composition_text(rows: Sequence[Row]) -> str:
    names = list(rows[0])
    return _page(
        "Table V: the components of the ten best, by kind of budget",
        [
            "Sudoku(4), `ucb1`, 100 pulls for each candidate on average: how often each component occurs in the top "
            "ten of the discovery with B = 1 000 evaluations a run (`sudoku4-ucb1`) and of the one with as much CPU "
            "time a run as 1 000 random playouts take (`sudoku4-seconds`)."
        ],
        names,
        [[row[name] for name in names] for row in rows],
    )


def costs(stored: Stored) -> list[Row]:
    """What the campaigns have cost."""
    rows = []
    for name, summary in stored.summaries.items():
        settings, campaign = stored.settings[name], CAMPAIGNS[name]
        evaluations, searching = summary["evaluations"], summary["cpu_seconds_of_searches"]
        papers = ""
        if campaign.problem == "sudoku4" and evaluations:
            papers = f"{evaluations / PAPERS_SIMULATIONS_PER_SECOND / 86_400:.2g}"
        rows.append(
            {
                "campaign": name,
                "domain": settings["domain"],
                "budget": f"{settings['budget']}" if settings["budget"] else f"{settings['seconds']:g} s",
                "policy": settings["policy"],
                "seed": str(settings["seed"]),
                "candidates": str(settings["candidates"]),
                "pulls": str(summary["pulls"]),
                "pulls_wanted": str(summary["pulls_wanted"]),
                "failed_pulls": str(summary["failed_pulls"]),
                "cpu_seconds": f"{searching:.0f}",
                "wall_seconds": f"{summary['wall_seconds']:.0f}",
                "evaluations_per_cpu_second": f"{evaluations / searching:.3g}" if evaluations and searching else "",
                "days_on_the_papers_machine": papers,
                "first": summary["top"][0]["expression"],
                "training_mean": f"{summary['top'][0]['mean']:.4f}",
                "journal_blake2b_128": summary["journal_blake2b_128"],
            }
        )
    return rows


def costs_text(rows: Sequence[Row]) -> str:
    header = [
        "campaign",
        "B",
        "candidates",
        "pulls",
        "CPU",
        "wall clock",
        "M evaluations / CPU s",
        "paper's machine",
        "first",
    ]
    body = []
    for row in rows:
        pulls = thousands(float(row["pulls"]))
        if row["pulls"] != row["pulls_wanted"]:
            pulls += f" of {thousands(float(row['pulls_wanted']))}: **not finished**"
        speed, days = row["evaluations_per_cpu_second"], row["days_on_the_papers_machine"]
        body.append(
            [
                f"`{row['campaign']}`",
                row["budget"] if row["budget"].endswith("s") else thousands(float(row["budget"])),
                thousands(float(row["candidates"])),
                pulls,
                duration(float(row["cpu_seconds"])),
                duration(float(row["wall_seconds"])),
                f"{float(speed) / 1e6:.2f}" if speed else "",
                ("1 day" if float(days) == 1 else f"{float(days):g} days") if days else "",
                f"`{row['first']}`",
            ]
        )
    hashes = [f"- `{row['campaign']}`: `{row['journal_blake2b_128']}`" for row in rows]
    page = _page(
        "The campaigns",
        [
            "What was run, and what it cost: CPU time inside the searches, and wall clock on two cores that other work "
            "shared. *paper's machine*: the same number of evaluations of Sudoku(4) at the 350 random simulations a "
            "second that the paper reports of its own. *first*: the candidate that the campaign recommends. "
            "`campaigns/NAME/candidates.csv` has a line for each candidate: pulls, mean, standard deviation, best. "
            "Made by `python -m experiments campaigns`, then `summarise` and `render` ([machine](../machine.json)).",
        ],
        header,
        body,
    )
    return page + "\n".join(
        [
            "",
            "BLAKE2b-128 of the journals, which `python -m experiments campaigns` makes again byte for byte (but for "
            "`sudoku4-seconds`, whose runs end by the clock):",
            "",
            *hashes,
            "",
        ]
    )


def finding(stored: Stored) -> list[Row]:
    """What the winners of each campaign are worth on test problems, and what they have cost."""
    return [
        {
            **row,
            "pulls": str(stored.summaries[row["campaign"]]["pulls"]),
            "cpu_seconds": f"{stored.summaries[row['campaign']]['cpu_seconds_of_searches']:.0f}",
        }
        for row in stored.finding
        if row["campaign"] in stored.summaries
    ]


def finding_text(rows: Sequence[Row]) -> str:
    lines = [
        "# Finding with less, and deeper",
        "",
        "The candidate that a campaign recommends, and the mean of its ten best, on test problems; the difference is "
        "from the campaign named beside it, on the same problems, ± its standard error. `halving-10` and `halving-5` "
        "have a tenth and a twentieth of the pulls; `depth6` has all 24 691 candidates of one component more; `seedN` "
        "differs from the campaign before it in nothing but the seed.",
    ]
    for problem in dict.fromkeys(CAMPAIGNS[row["campaign"]].problem for row in rows):
        own = [row for row in rows if CAMPAIGNS[row["campaign"]].problem == problem]
        column = COLUMNS[own[0]["column"]]
        digits = _digits(column)
        better = "less" if column.less_is_better else "more"
        lines += [
            "",
            f"## {column.title}, B = {thousands(column.budget)}: {column.unit}, {better} is better "
            f"({thousands(float(own[0]['n']))} problems)",
            "",
        ]
        header = ["campaign", "pulls", "CPU", "first", "its score", "mean of ten", "beside", "first", "mean of ten"]
        lines += table_lines(
            header,
            [
                [
                    f"`{row['campaign'].removeprefix(problem + '-')}`",
                    thousands(float(row["pulls"])),
                    duration(float(row["cpu_seconds"])),
                    f"`{row['first']}`",
                    f"{float(row['first_mean']):.{digits}f} ± {float(row['first_stderr']):.{digits}f}",
                    f"{float(row['ten_mean']):.{digits}f} ± {float(row['ten_stderr']):.{digits}f}",
                    f"`{row['beside'].removeprefix(problem + '-')}`" if row["first_difference"] else "",
                    difference_text(row["first_difference"], row["first_difference_stderr"], column),
                    difference_text(row["ten_difference"], row["ten_difference_stderr"], column),
                ]
                for row in own
            ],
        )
    return "\n".join(lines) + "\n"


def difference_text(difference: str, stderr: str, column: Column) -> str:
    """With its standard error; empty where there is none."""
    return f"{signed(float(difference), _digits(column))} ± {float(stderr):.{_digits(column)}f}" if difference else ""


def _digits(column: Column) -> int:
    """One more than in the tables of scores: differences on the same problems are known better."""
    return {0.1: 2, 0.01: 3, 0.001: 4}[column.last_digit]


def everywhere(stored: Stored) -> list[Row]:
    """Algorithms that are measured on all three problems, each with the share of the way from `is` to the best."""
    columns = [COLUMNS[key] for key in MAIN.values()]
    measured = {
        column.key: {
            expression: one.sample
            for (key, semantics, expression), one in stored.measured.items()
            if key == column.key and semantics == "standard"
        }
        for column in columns
    }
    if not all(measured.values()):
        return []
    kinds = ("generic", EVERYWHERE)
    named = [entry for entry in field_of(columns[0], stored.winners()) if entry.kind in kinds]
    rows = []
    for entry in named:
        samples = {column.key: measured[column.key].get(run_as(entry.text, column)) for column in columns}
        row, shares = {"name": entry.name, "expression": entry.text}, []
        for column in columns:
            sample = samples[column.key]
            if sample is None:
                break
            means = [other.mean for other in measured[column.key].values()]
            best = min(means) if column.less_is_better else max(means)
            start = measured[column.key]["sim"].mean
            shares.append((sample.mean - start) / (best - start))
            row[f"{column.key} mean"] = f"{sample.mean:.6g}"
            row[f"{column.key} share"] = f"{shares[-1]:.4f}"
        else:
            rows.append({**row, "worst share": f"{min(shares):.4f}"})
    return sorted(rows, key=lambda row: -float(row["worst share"]))


def everywhere_text(rows: Sequence[Row]) -> str:
    columns = [COLUMNS[key] for key in MAIN.values()]
    body = []
    for row in rows:
        cells = [row["name"], "" if row["expression"] == row["name"] else f"`{row['expression']}`"]
        for column in columns:
            mean = column.number(float(row[f"{column.key} mean"]))
            cells.append(f"{mean} ({per_cent(row[f'{column.key} share'])})")
        body.append([*cells, per_cent(row["worst share"])])
    judges = ", ".join(f"`{judge}`" for judge in JUDGES)
    return _page(
        "One algorithm for all three problems",
        [
            "Mean score on test problems, and in brackets how far that is on the way from iterative sampling (`is`, "
            "0 %) to the best algorithm measured on that problem (100 %). Sorted by the worst of the three. Beside the "
            "generic algorithms stand the candidates that three campaigns agree on: those with the best worst rank in "
            f"the training of {judges}. They were chosen without these test problems."
        ],
        ["algorithm", "", *(f"{column.title} ({column.unit})" for column in columns), "worst"],
        body,
    )


def per_cent(share: str) -> str:
    """0.74 as 74 %."""
    rounded = round(100 * float(share))
    return f"{'−' if rounded < 0 else ''}{abs(rounded)} %"


def _page(title: str, paragraphs: Iterable[str], header: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    lines = [f"# {title}", ""]
    for paragraph in paragraphs:
        lines += [paragraph, ""]
    return "\n".join([*lines, *table_lines(header, body)]) + "\n"

"""The tables of a report that its text and its Markdown have in common."""

import itertools
from dataclasses import dataclass

from discovery.arena.tables import cross_legend
from discovery.campaign.controls import CONTROL, EVERY, TOLERANCE, MachineSpeed
from discovery.campaign.settings import Settings
from discovery.evaluation.family_tables import family_text
from discovery.evaluation.kept import TestRow, TestScores
from discovery.keeping.identity import sources_in
from discovery.numbers import MISSING, fixed, grouped, interval, p_text, percent, plural, signed
from discovery.report.components import Effect, Structure
from discovery.report.matches import robin_names, robin_table
from discovery.report.report import Report
from discovery.tables import Code, Table, numbers, texts

STRUCTURES = 10
SPENDING_QUARTERS = 4


@dataclass(frozen=True)
class Section:
    title: str
    about: str
    table: Table


def sections(report: Report) -> list[Section]:
    """The tables that text and Markdown have in common."""
    found = [_ranking(report), *_tests(report), _round_robin(report), _curves(report)]
    if report.structure is not None:
        found += [_effects(report, report.structure), _structures(report, report.structure)]
    return [
        section for section in [*found, _spending(report), _speed(report), _settings(report)] if section is not None
    ]


def _ranking(report: Report) -> Section | None:
    if not report.ranking:
        return None
    scale, leaders = report.scale, report.leaders
    decimals = report.training_decimals
    rows = [
        [
            str(one.rank),
            Code(one.expression_text),
            grouped(one.pulls),
            fixed(scale.of(one.mean), decimals),
            fixed(scale.width(one.half_width), decimals),
            fixed(scale.of(one.best), decimals),
            *([grouped(one.failed)] if report.failed else []),
        ]
        for one in leaders
    ]
    failed = ""
    if report.failed:
        failed = f"; {plural(report.failed, 'pull')} failed and counted as reward 0, failures.jsonl says why"
    about = f"{scale.unit}, {scale.direction}; {plural(len(report.ranking), 'candidate')} tried{failed}"
    scores = numbers("pulls", "mean", "± 95 %", "best", *(["failed"] if report.failed else []))
    return Section(
        f"Ranking on training {report.settings.thing}s", about, Table([*texts("rank", "expression"), *scores], rows)
    )


def _tests(report: Report) -> list[Section]:
    test = report.test
    if test is None:
        return []
    if test.family is not None:
        return [Section(*part) for part in family_text(test)]
    return [_test(test)]


def _test(test: TestScores) -> Section:
    rows = [
        [test.label(row), "" if row.generic else Code(row.expression), str(row.rank), *score_cells(test, row)]
        for row in test.rows
    ]
    against = "" if test.reference is None else f"; difference and tests: against {test.reference}, {test.reference_is}"
    where = f"{test.unit_and_direction}; {test.about}{against}"
    heads = [*texts("name", "expression"), *numbers("rank", "mean", "95 % interval", "difference", "p", "p Holm")]
    return Section(test.title, where, Table(heads, rows))


def _round_robin(report: Report) -> Section | None:
    if report.robin is None or report.robin.standings is None:
        return None
    table = robin_table(report.robin)
    about = f"{table.caption}; {cross_legend(report.robin.standings)}; {', '.join(robin_names(report.robin))}"
    return Section("Everybody against everybody", about, table)


def score_cells(test: TestScores, row: TestRow) -> list[str]:
    """Mean, interval, difference, p and p Holm."""
    spans = [fixed(row.mean, test.decimals), interval(row.ci95, test.decimals), signed(row.difference, test.decimals)]
    return [*spans, p_text(row.p_vs_best_generic), p_text(row.p_holm)]


def _curves(report: Report) -> Section | None:
    curves = report.curves
    if curves is None:
        return None
    last = len(curves.points) - 1
    decades = [i for i, point in enumerate(curves.points) if str(point).strip("0") == "1" or i == last]
    decimals = report.test_decimals
    rows = [
        [
            curve.label,
            "" if curve.generic else Code(curve.expression),
            *(fixed(curve.scores[i], decimals) for i in decades),
        ]
        for curve in curves.curves
    ]
    heads = [*texts("name", "expression"), *numbers(*(grouped(curves.points[i]) for i in decades))]
    problems = plural(curves.problems, "test problem")
    about = f"mean {curves.unit} of the best so far after so many evaluations; {problems}"
    return Section("Score against evaluations", about, Table(heads, rows))


def common_about(structure: Structure) -> str:
    problems = f"the one training {structure.thing}"
    if structure.common_problems > 1:
        problems = f"the {structure.common}"
    floored = ", rewards below 0 counted as 0" if structure.floored else ""
    return f"over {problems} that every tried candidate was run on{floored}"


def _effects(report: Report, structure: Structure) -> Section | None:
    if not structure.effects:
        return None
    scale, decimals = report.scale, structure.effect_decimals(report.scale)

    def cell(effect: Effect | None) -> str:
        if effect is None:
            return MISSING
        return f"{signed(scale.per_reward * effect.mean, decimals)} ({percent(effect.helps)})"

    rows = [[name, *map(cell, effects)] for name, effects in structure.effect_rows]
    about = (
        f"mean change in {scale.unit} ({scale.direction}) and how often it helps, over all pairs of candidates of "
        f"which one has the component and the other is the same without it; {common_about(structure)}"
    )
    table = Table([*texts(""), *numbers(*map(str, structure.effect_levels))], rows)
    return Section("What adding a component does, by level (1 is outermost)", about, table)


def _structures(report: Report, structure: Structure) -> Section:
    groups = structure.by_structure[:STRUCTURES]
    about = "expressions without their constants, by the rank of the best that has the structure"
    if len(groups) < len(structure.by_structure):
        about += f"; the first {len(groups)} of {len(structure.by_structure)}"
    scale = report.scale
    rows = [
        [
            Code(group.label),
            grouped(group.best_rank),
            grouped(group.candidates),
            grouped(group.in_top),
            fixed(scale.of(group.mean), scale.decimals),
        ]
        for group in groups
    ]
    counts = numbers("best rank", "candidates", f"in the top {structure.top}", f"mean {scale.unit}")
    table = Table([*texts("structure"), *counts], rows)
    return Section("Structures", f"{about}; means {common_about(structure)}", table)


def _spending(report: Report) -> Section | None:
    spent = report.spending
    if spent is None:
        return None
    quarters = min(SPENDING_QUARTERS, spent.windows)
    cuts = [spent.windows * i // quarters for i in range(quarters + 1)]
    rows = []
    for group in spent.groups:
        parts = [sum(group.pulls[a:b]) / (spent.edges[b] - spent.edges[a]) for a, b in itertools.pairwise(cuts)]
        each = group.total / group.candidates
        rows.append([group.label, grouped(group.total), f"{each:,.1f}", *map(percent, parts)])
    about = f"share of the pulls in each part of the campaign; {spent.spread}"
    if spent.untried:
        about += f"; {plural(spent.untried, 'candidate')} never tried"
    counts = numbers("pulls", "each", *(f"part {i + 1}" for i in range(quarters)))
    return Section("How the bandit spent its pulls", about, Table([*texts("candidates"), *counts], rows))


def _speed(report: Report) -> Section | None:
    if report.speed is None:
        return None
    return Section("How steady the machine was", speed_about(report.speed), speed_table(report.speed))


def speed_about(speed: MachineSpeed) -> str:
    return (
        f"by {plural(speed.controls, 'control')}: runs of {CONTROL} that count for nothing, one every {EVERY} pulls, "
        "on the same few problems"
    )


def speed_table(speed: MachineSpeed) -> Table:
    deviation, seconds, low, high = speed.reward_deviation, speed.seconds_per_pull, speed.low, speed.high
    rows = [
        ("evaluations a CPU second, median", f"{speed.per_second:,.0f}"),
        ("nine of ten controls, from that", MISSING if low is None else f"{low:+.1%} to {high:+.1%}"),
        ("last quarter of the campaign, from the first", MISSING if speed.drift is None else f"{speed.drift:+.1%}"),
        (
            f"batches off by more than {TOLERANCE:.0%}",
            MISSING if low is None else f"{speed.batches_off:,} of {speed.batches:,}",
        ),
        (
            "reward of one and the same run, standard deviation",
            MISSING if deviation is None else f"{deviation:.2g} in {plural(speed.repeats, 'repeat')}",
        ),
        ("CPU seconds of a pull, mean", MISSING if seconds is None else f"{seconds:.4g}"),
    ]
    return Table(texts("speed", "value"), rows, "How steady the machine was")


def _settings(report: Report) -> Section:
    return Section("Settings", "", settings_table(report))


def settings_table(report: Report) -> Table:
    settings = report.settings
    against = settings.against
    rows = [
        *_domain_rows(settings),
        *([] if against is None else [(f"against, {i}", one) for i, one in enumerate(settings.pool_labels, 1)]),
        ("budget of a run" if against is None else "budget", report.budget),
        ("candidates", grouped(settings.candidates)),
        ("bandit policy", settings.policy),
        ("pulls", grouped(settings.pulls)),
        ("batch", grouped(settings.batch)),
        ("seed", str(settings.seed)),
        *(
            [("semantics", settings.semantics)]
            if against is None
            else [
                ("searches before the first step", grouped(against.start)),
                ("agents think", f"at {'every' if against.think == 'always' else 'their own'} step"),
                ("who shares a point", f"the {against.points} that hold a highest goal"),
            ]
        ),
        ("engine", settings.engine),
        ("most tree nodes", grouped(settings.max_nodes)),
        ("candidates digest", settings.candidates_digest),
        ("versions", versions_text(settings.versions)),
    ]
    rows += [("went on with versions", versions_text(versions)) for versions in settings.accepted_versions]
    rows += [
        ("went on with another domain", f"after {grouped(changed.pulls)} pulls (hash {changed.domain_source})")
        for changed in settings.accepted_domains
    ]
    return Table(texts("setting", "value"), rows, "All that decides what the campaign's journal says")


def _domain_rows(settings: Settings) -> list[tuple[str, str]]:
    if settings.family is not None:
        sources = sources_in(settings.domain_source, len(settings.family))
        rows = []
        for number, (member, source) in enumerate(zip(settings.family, sources, strict=True), 1):
            found = "" if source is None else f" ({member.domain}, hash {source})"
            rows.append((f"domain {number}", f"{member.canonical_domain}{found}"))
        return rows
    rows = [("domain", settings.canonical_domain)]
    if settings.domain_source is not None:
        rows.append(("domain's file", f"{settings.domain} (hash {settings.domain_source})"))
    return rows


def versions_text(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())

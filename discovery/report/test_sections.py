"""The sections of the page that need test problems: scores, anytime curves, training against test, solutions."""

import html
import math
from urllib.parse import quote

from discovery.evaluation.kept import TestScores
from discovery.numbers import MISSING, decimals_for, fixed, grouped, p_text, plural, signed
from discovery.report.charts import Pair, anytime, dumbbells, forest
from discovery.report.markup import PageSection, about, code, details, e, figure, number, table
from discovery.report.measuring import Curves, Drawing
from discovery.report.report import Report


def tests(report: Report) -> PageSection:
    test = report.test
    if test is None:
        return "tests", "Scores on test problems", _untested(report)
    who = "measured at the campaign's end" if test.kept else "measured for this report"
    text = f"Problems that the campaign has not seen: {e(test.about)}; {who}. "
    text += "Dis#1, Dis#2, … are the discovered algorithms in the order of the training ranking. "
    if test.reference is not None:
        text += (
            f"Differences and tests are against {e(test.reference)}, {e(test.reference_is or '')}: p is the unpaired "
            "t-test, p Holm the paired one on the same problems, corrected for the number of discovered algorithms."
        )
    return "tests", "Scores on test problems", f"{about(text)}\n{figure(forest(test))}\n{_test_table(report, test)}"


def _untested(report: Report) -> str:
    if not report.ranking:
        return ""
    return about(
        "Nothing was run for this report (--test-problems 0), and the campaign has kept no scores of its own. "
        "What a campaign selects looks better in training than it is."
    )


def _test_table(report: Report, test: TestScores) -> str:
    decimals = decimals_for(row.stderr for row in test.rows)
    rows = []
    for row in test.rows:
        interval = MISSING if row.ci95 is None else f"{fixed(row.ci95[0], decimals)} to {fixed(row.ci95[1], decimals)}"
        star = "*" if row.star else ""
        cells = [
            f"{row.rank}",
            f'<span class="name nowrap">{e(test.label(row))}</span>'
            + ("" if row.generic else f" {code(row.expression)}"),
            number(fixed(row.mean, decimals)) + star,
            e(interval),
            number(signed(row.difference, decimals)),
            e(p_text(row.p_vs_best_generic)),
            e(p_text(row.p_holm)),
            MISSING if row.effect_size is None else number(signed(row.effect_size, 2)),
        ]
        rows.append(("generic" if row.generic else "found", cells))
    heads = [("rank", "n"), ("algorithm", ""), ("mean", "n"), ("95 % interval", "n aux"), ("difference", "n")]
    heads += [("p", "n aux"), ("p Holm", "n"), ("d", "n aux")]
    stars = "; *: better by the unpaired test, p < 0.05" if any(row.star for row in test.rows) else ""
    direction = f", {test.direction}" if test.direction else ""
    return table(f"{test.unit}{direction}{stars}", heads, rows, 1)


def anytime_curves(report: Report) -> PageSection:
    title, curves = "Score against evaluations", report.curves
    if curves is None:
        timed = report.settings.budget is None and report.test is not None
        body = about("The budget is in seconds, so runs differ in their evaluations and have no common curve.")
        return "curves", title, body if timed else ""
    reference = None if report.test is None else report.test.reference
    decimals = decimals_for(row.stderr for row in report.test.rows) if report.test else 4
    text = (
        f"The best so far in the course of a run, the mean over {plural(curves.problems, 'test problem')}: what a "
        "smaller budget would have found. Coloured are the best discovered algorithms and the generic one they are "
        "compared with; grey are the other generic ones."
    )
    if report.test is not None and report.test.problems != curves.problems:
        text += f" The scores above are over {plural(report.test.problems, 'problem')}, so they may differ a little."
    numbers = details("All numbers", _curve_table(curves, decimals))
    body = f"{about(text)}\n{figure(anytime(curves, reference))}\n{numbers}"
    return "curves", title, body


def _curve_table(curves: Curves, decimals: int) -> str:
    heads = [("algorithm", ""), *((grouped(point), "n") for point in curves.points)]
    rows = [
        (
            "generic" if curve.generic else "found",
            [
                f'<span class="name nowrap">{e(curve.label)}</span>',
                *(number(fixed(score, decimals)) for score in curve.scores),
            ],
        )
        for curve in curves.curves
    ]
    return table(f"Mean {curves.unit} after so many evaluations", heads, rows)


def training_and_test(report: Report) -> PageSection:
    title, test = "Training against test scores", report.test
    pairs = [] if test is None else training_pairs(report, test)
    if test is None or len(pairs) < 2:
        return "training", title, ""
    scale = report.scale
    text = "What is selected for doing well owes some of it to luck, so most do worse in the test than in training."
    if test.excess is not None:
        trained, tested, excess, stderr = test.excess
        errors = decimals_for([None if stderr is None else scale.width(stderr)])
        error = "" if stderr is None else f" ± {fixed(scale.width(stderr), errors)} (standard error)"
        here, there = fixed(scale.of(trained), errors), fixed(scale.of(tested), errors)
        difference = fixed(scale.width(abs(excess)), errors)
        text += (
            f" Those that the campaign selected came to {here} {scale.unit} in training and {there} in the test; "
            f"the difference is {difference}{error}."
        )
        if report.own_instances:
            text += " Part of it is that training has other instances, which may be easier or harder."
    text += " Generic algorithms stand below where they were candidates."
    return "training", title, f"{about(e(text))}\n{figure(dumbbells(scale.unit, scale.less_is_better, pairs))}"


def training_pairs(report: Report, test: TestScores) -> list[Pair]:
    """Those that were both trained and tested, by their rank in training; the generic ones last."""
    scale, pairs = report.scale, []
    in_unit = scale.unit == test.unit
    for row in test.rows:
        one = report.trained(row)
        if one is not None:
            half = scale.width(one.half_width) if math.isfinite(one.stderr) else 0.0
            tested = row.mean if in_unit else row.mean_reward
            interval = row.ci95 if row.ci95 is not None and in_unit else (tested, tested)
            pairs.append((row.generic, one.rank, Pair(row, scale.of(one.mean), half, tested, interval)))
    return [pair for _, _, pair in sorted(pairs, key=lambda item: item[:2])]


def solutions(report: Report) -> PageSection:
    title = "The best solutions"
    if not report.drawings:
        return "solutions", title, ""
    figures = "\n".join(_drawing(one) for one in report.drawings)
    text = "The best solution that each of the best discovered algorithms found on the test problems."
    return "solutions", title, f'{about(text)}\n<div class="drawings">\n{figures}\n</div>'


def _drawing(one: Drawing) -> str:
    score = f"{one.score:.5g} {one.unit}"
    caption = f"{e(one.label)} {code(one.expression)}<br>test problem {one.problem}: {e(score)}"
    if one.svg is None:
        picture = f'<pre tabindex="0">{e(one.text)}</pre>'
    else:
        data = quote(one.svg.encode("utf-8", "backslashreplace"), safe=" /:;=,()'!*-_.~@?+[]{}|^`$")
        alt = f"Solution of test problem {one.problem} by {one.expression}: {score}"
        picture = f'<img alt="{e(alt)}" src="data:image/svg+xml,{html.escape(data)}">'
    return f"<figure>{picture}<figcaption>{caption}</figcaption></figure>"

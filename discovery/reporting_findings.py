"""What a campaign came to, in sentences. Expressions stand between backticks."""

from discovery.reporting import Report
from discovery.reporting_numbers import decimals_for, fixed, plural
from discovery.reporting_scores import TestRow, TestScores


def findings(report: Report) -> list[str]:
    if not report.ranking:
        return ["The campaign has no pulls yet, so there is nothing to report."]
    first, test = report.ranking[0], report.test
    if first.all_failed:
        return ["Every pull failed and counted as reward 0, so nothing is recommended; failures.jsonl says why."]
    recommended = f"The campaign recommends `{first.expression_text}`"
    row = None if test is None else test.row_of(first.expression_text)
    if test is None or row is None:
        return [f"{recommended}, by its mean on {plural(first.pulls, 'training problem')}. It was not tested."]
    return [f"{recommended}. {_tested(test, row)}", *_compared(test), *_better_still(test, row)]


def _tested(test: TestScores, row: TestRow) -> str:
    decimals = decimals_for(one.stderr for one in test.rows)
    twin = test.disguised(row)
    known = f" Within this budget it is the generic algorithm `{twin}`." if twin is not None else ""
    if row.generic:
        known = f" This is the generic algorithm `{row.name}`."
    interval = ""
    if row.ci95 is not None:
        interval = f" (95 % interval {fixed(row.ci95[0], decimals)} to {fixed(row.ci95[1], decimals)})"
    direction = f"; {test.direction}" if test.direction else ""
    mean = fixed(row.mean, decimals)
    return f"On {plural(test.problems, 'test problem')} it comes to {mean} {test.unit}{interval}{direction}.{known}"


def _compared(test: TestScores) -> list[str]:
    """Whether anything discovered is better than the reference."""
    if not test.discovered or test.reference is None:
        return []
    better, several = [row for row in test.discovered if test.better_than_reference(row)], len(test.discovered) > 1
    reference = f"{test.reference}, {test.reference_is}"
    how = "(paired test, p < 0.05" + (f", Holm's correction for {len(test.discovered)})" if several else ")")
    if better:
        of_them = f"{len(better)} of the {len(test.discovered)} discovered algorithms"
        subject = of_them if several else "The discovered algorithm"
        verb = "is" if len(better) == 1 else "are"
        return [f"{subject} {verb} better than {reference} {how}."]
    subject = f"None of the {len(test.discovered)} discovered algorithms is" if several else "It is not"
    return [f"{subject} better than {reference}, beyond what chance explains {how}."]


def _better_still(test: TestScores, row: TestRow) -> list[str]:
    """Another algorithm that did better on the test problems, for what that is worth."""
    best = test.rows[0]
    if best.mean_reward <= row.mean_reward:
        return []
    name = best.name if best.generic else f"`{best.expression}`, {best.name}"
    return [f"The best mean on these test problems is that of {name}."]

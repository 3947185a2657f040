"""What a campaign came to, in sentences. Expressions stand between backticks."""

from discovery.campaign.ranking import Ranked
from discovery.evaluation.family_tables import left_out_sentences
from discovery.evaluation.kept import TestRow, TestScores
from discovery.numbers import decimals_for, fixed, interval, plural, signed

FEW_PROBLEMS = 50
"""With fewer, chance has a large part in which generic algorithm is chosen to compare with."""


def verdict(first: Ranked, test: TestScores | None, thing: str = "problem") -> list[str]:
    """What a campaign found whose ranking begins with `first`, and what the test says of that. `thing`: what a pull is
    run on."""
    if first.all_failed:
        return ["Every pull failed and counted as reward 0, so nothing is recommended; failures.jsonl says why."]
    recommended = f"The campaign recommends `{first.expression_text}`"
    row = None if test is None else test.row_of(first.expression_text)
    if test is None or row is None:
        return [f"{recommended}, by its mean on {plural(first.pulls, f'training {thing}')}. It was not tested."]
    return [
        f"{recommended}. {_tested(test, row)}",
        *comparison(test),
        *_better_still(test, row),
        *_beyond(test),
        *left_out_sentences(test),
    ]


def _tested(test: TestScores, row: TestRow) -> str:
    twin = test.disguised(row)
    known = f" Within this budget it is the generic algorithm `{twin}`." if twin is not None else ""
    if row.generic:
        known = f" This is the generic algorithm `{row.name}`."
    within = "" if row.ci95 is None else f" (95 % interval {interval(row.ci95, test.decimals)})"
    direction = f"; {test.direction}" if test.direction else ""
    mean = fixed(row.mean, test.decimals)
    if test.family is not None:
        each = plural(test.family.problems, "test problem")
        return f"Over {test.things}, {each} of each, it comes to {mean} {test.unit}{within}{direction}.{known}"
    if test.of_matches:
        return f"On {test.things} it comes to {mean} {test.unit} against the pool{within}."
    return f"On {test.things} it comes to {mean} {test.unit}{within}{direction}.{known}"


def comparison(test: TestScores) -> list[str]:
    """Whether anything discovered is better than the reference, by how much, and what the reference is worth."""
    if not test.discovered or test.reference is None:
        return []
    better, several = [row for row in test.discovered if test.better_than_reference(row)], len(test.discovered) > 1
    reference = f"{test.reference}, {test.reference_is}"
    test_is = "paired test" if test.family is None else "paired test over domains"
    how = f"({test_is}, p < 0.05" + (f", Holm's correction for {len(test.discovered)})" if several else ")")
    noun = "agent" if test.of_matches else "algorithm"
    if better:
        of_them = f"{len(better)} of the {len(test.discovered)} discovered {noun}s"
        subject = of_them if several else f"The discovered {noun}"
        verb = "is" if len(better) == 1 else "are"
        said = f"{subject} {verb} better than {reference} {how}."
    else:
        none = f"None of the {len(test.discovered)} discovered {noun}s is"
        subject = none if several else f"The discovered {noun} is not"
        said = f"{subject} better than {reference}, beyond what chance explains {how}."
    return [f"{said}{_difference(test, test.discovered[0])}", *_chosen_on_few(test)]


def _difference(test: TestScores, row: TestRow) -> str:
    """How far the best of those discovered is from the reference."""
    if row.difference is None or row.difference_ci95 is None:
        return ""
    low, high = row.difference_ci95
    decimals = decimals_for([(high - low) / 4])
    best = f"The best of them, {row.name}," if len(test.discovered) > 1 else "It"
    by = f"{fixed(abs(row.difference), decimals)} {test.unit}"
    if row.difference == 0:
        how = f"is level with {test.reference}"
    elif test.less_is_better is None:
        how = f"differs from {test.reference} by {by}"
    else:
        how = f"is {by} {'better' if (row.difference < 0) == test.less_is_better else 'worse'} than {test.reference}"
    return f" {best} {how} (95 % interval of the difference: {signed(low, decimals)} to {signed(high, decimals)})."


def _chosen_on_few(test: TestScores) -> list[str]:
    """The reference is chosen by training problems, as many as there are test problems."""
    generic = [row for row in test.rows if row.generic]
    if test.problems >= FEW_PROBLEMS or len(generic) < 2 or test.of_matches or test.family is not None:
        return []
    place = 1 + sum(row.mean_reward > one.mean_reward for row in generic for one in generic if one.reference)
    here = "the best" if place == 1 else f"number {place}"
    return [
        f"On so few problems, chance has a large part in the choice of {test.reference}: here it is {here} of the "
        f"{len(generic)} generic algorithms. More problems tell more (--test-problems; --problems of evaluate)."
    ]


def _better_still(test: TestScores, row: TestRow) -> list[str]:
    """Another algorithm that did better on the test problems, for what that is worth."""
    best = test.rows[0]
    if best.mean_reward <= row.mean_reward:
        return []
    name = best.name if best.generic else f"`{best.expression}`, {best.name}"
    on = "over these" if test.family is not None else "on these"
    return [f"The best mean {on} {test.things.partition(' ')[2]} is that of {name}."]


def _beyond(test: TestScores) -> list[str]:
    """What a share of the points does not say."""
    said = "All of this is against this pool; the round robin says how everybody does against everybody."
    return [said] if test.of_matches else []

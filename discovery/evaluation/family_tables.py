"""The tables and sentences of a family's scores, for the terminal, reports and files."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from discovery.documents import finite, with_checksum
from discovery.evaluation.family_scores import FamilyScores
from discovery.evaluation.kept import TestRow, TestScores
from discovery.markdown import plain, sentence
from discovery.numbers import decimals_for, fixed, interval, p_text, plural, signed
from discovery.tables import Code, Table, csv_text, numbers, texts

MOST_COLUMNS = 12
"""Of domains; evaluation.csv has all."""
WIDEST_HEADINGS = 48
"""Characters of all domains' names together; beyond, columns have their numbers."""
MARKS = {1: "+", 0: "", -1: "-"}


def over_domains(test: TestScores) -> Table:
    """Algorithms by their means over all domains, and their means on each."""
    family = test.domains
    by_expression = {one.expression: one for one in family.algorithms}
    columns = range(len(family.domains)) if len(family.domains) <= MOST_COLUMNS else range(0)
    rows = []
    for row in test.rows:
        own = by_expression[row.expression]
        cells = [fixed(own.means[i], test.decimals) + MARKS[own.beside[i]].ljust(1) for i in columns]
        rows.append([test.label(row), "" if row.generic else Code(row.expression), *_over_all(test, row), *cells])
    against = "difference" if test.reference is None else f"vs {test.reference}"
    headings = _headings(family) if columns else []
    heads = [*texts("name", "expression"), *numbers("rank", "mean", "95 % interval", against, "p Holm", *headings)]
    return Table(heads, rows, f"Means over {test.things}: {test.unit_and_direction}", kinds_of(test.rows))


def kinds_of(rows: Iterable[Any]) -> list[str]:
    return ["generic" if row.generic else "found" for row in rows]


def _over_all(test: TestScores, row: TestRow) -> list[str]:
    spans = [str(row.rank), fixed(row.mean, test.decimals), interval(row.ci95, test.decimals)]
    return [*spans, signed(row.difference, test.decimals), p_text(row.p_holm)]


def _headings(family: FamilyScores) -> list[str]:
    if _are_numbered(family):
        return [str(number) for number in range(1, len(family.domains) + 1)]
    return list(family.domains)


def _are_numbered(family: FamilyScores) -> bool:
    return sum(map(len, family.domains)) > WIDEST_HEADINGS


def about_domains(test: TestScores) -> str:
    """What the table says, in a sentence."""
    family = test.domains
    against = "" if test.reference is None else f"; difference and test: against {test.reference}, {test.reference_is}"
    said = f"{test.unit_and_direction}; {test.about}; intervals and tests are over domains{against}"
    if len(family.domains) > MOST_COLUMNS:
        return f"{said}; evaluation.csv has all domains"
    names = ""
    if _are_numbered(family):
        names = "; " + ", ".join(f"{number}: {name}" for number, name in enumerate(family.domains, 1))
    marks = (
        "" if test.reference is None else f"; +, -: better or worse than {test.reference} on that domain, p Holm < 0.05"
    )
    return f"{said}{marks}{names}"


def left_out_table(test: TestScores) -> Table:
    """A line for each domain: what is chosen on the others, and what that comes to here."""
    family = test.domains
    found, generic, _ = family.reached
    decimals = test.decimals
    rows = [
        [
            domain,
            Code(one.choice),
            fixed(one.mean, decimals),
            one.generic,
            fixed(one.generic_mean, decimals),
            signed(one.difference, decimals),
        ]
        for domain, one in zip(family.domains, family.left_out, strict=True)
    ]
    _, _, difference = family.reached
    rows.append(
        ["mean", "", fixed(found.mean, decimals), "", fixed(generic.mean, decimals), signed(difference.mean, decimals)]
    )
    heads = [*texts("left out", "chosen on the others"), *numbers("mean here"), *texts("generic, chosen so")]
    return Table([*heads, *numbers("mean here", "difference")], rows, f"{LEFT_OUT}: {test.unit_and_direction}")


LEFT_OUT = "On a domain it was not chosen on"


def about_left_out(test: TestScores) -> str:
    family = test.domains
    said = (
        f"{test.unit_and_direction}; each domain is left out in turn: the candidate that the campaign's pulls on the "
        "others recommend, and the generic algorithm that is best in training on the others, on its "
        f"{plural(family.problems, 'test problem')}"
    )
    return said if family.spread_blindly else f"{said}; {NOT_BLIND}"


NOT_BLIND = (
    "which candidates had many pulls was decided on all domains, the one left out, too (--policy uniform does without)"
)


def left_out_sentences(test: TestScores) -> list[str]:
    """What an algorithm is worth on a domain that it was not chosen on."""
    family = test.family
    if family is None:
        return []
    if not family.left_out:
        return [
            "With so few pulls no candidate was tried on all domains but one, for each that is left out, so nothing is "
            "said of domains never seen; more pulls for each candidate help (--pulls-per-candidate)."
        ]
    found, generic, difference = family.reached
    decimals = decimals_for([difference.stderr, found.stderr])
    (favourite, times) = Counter(one.choice for one in family.left_out).most_common(1)[0]
    (usual, uses) = Counter(one.generic for one in family.left_out).most_common(1)[0]
    sign = -1 if test.less_is_better else 1
    better = sum(sign * one.difference > 0 for one in family.left_out)
    worse = sum(sign * one.difference < 0 for one in family.left_out)
    low, high = signed(difference.low, decimals), signed(difference.high, decimals)
    return [
        f"On a domain it was not chosen on, each left out in turn, the candidate chosen on the others comes to "
        f"{fixed(found.mean, decimals)} {test.unit}, the generic algorithm chosen so to "
        f"{fixed(generic.mean, decimals)}: {signed(difference.mean, decimals)} (95 % interval over domains: {low} to "
        f"{high}), better on {better} of {len(family.left_out)} and worse on {worse}. The choice is `{favourite}` for "
        f"{times} of them, and {usual} of the generic ones for {uses}."
    ]


def family_document(document: dict[str, Any], family: dict[str, Any]) -> dict[str, Any]:
    """The content of evaluation.json: that of any campaign's, where problems are domains, and the family."""
    return with_checksum({**document, "family": finite(family)})


def family_csv(test: TestScores) -> str:
    """One line for each algorithm and domain."""
    family = test.domains
    records = [
        {
            "domain": domain,
            "name": one.name,
            "expression": one.expression,
            "generic": str(one.generic).lower(),
            "mean": one.means[place],
            "unit": test.unit,
            "n": family.problems,
            "beside_reference": one.beside[place],
        }
        for one in family.algorithms
        for place, domain in enumerate(family.domains)
    ]
    return csv_text(records, list(records[0]))


def family_text(test: TestScores) -> list[tuple[str, str, Table]]:
    """Titles, what is said of them, and tables."""
    parts = [(test.title, about_domains(test), over_domains(test))]
    if test.domains.left_out:
        parts.append((LEFT_OUT, about_left_out(test), left_out_table(test)))
    return parts


def family_markdown(test: TestScores) -> str:
    lines: list[str] = []
    for title, about, table in family_text(test):
        lines += [f"## {title}", "", *table.as_markdown(), "", f"- {plain(about)}", ""]
    return "\n".join([*lines, *(f"- {sentence(one)}" for one in left_out_sentences(test))]) + "\n"

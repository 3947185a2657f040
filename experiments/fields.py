"""Who is in a column: the generic algorithms, the paper's, and the winners of our campaigns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from domains.registry import find_domain
from experiments.campaigns import CAMPAIGNS, EVERYWHERE, with_more_seeds
from experiments.columns import Column, columns_of
from experiments.published import published
from mcsgrammar.engines.searching import Limits, SemanticsName, prepare
from mcsgrammar.language.expressions import Select, Step, Uct
from mcsgrammar.language.named import GENERIC
from mcsgrammar.language.parsing import parse

TOP = 10

Winners = Mapping[str, Sequence[str]]
"""The best expressions of campaigns, by the campaign's name."""


@dataclass(frozen=True)
class Entry:
    """An algorithm under one of its names; several names may stand for one algorithm."""

    kind: str
    """`generic`, `paper`, or the name of a campaign"""
    name: str
    """in tables, such as `uct(0.3)`, `Dis#4` or `ucb1#2`"""
    text: str
    """the expression as people know it"""
    run_as: str
    """the expression as it is run: `uct(C)` resolved. What seeds and pieces are named by"""


def field_of(column: Column, winners: Winners, wide: bool = True) -> list[Entry]:
    """Everyone in a column. Not `wide`: without the winners of the smaller and deeper campaigns, which are measured to
    know what less or more costs."""
    named = [*_generic(column), *_papers(column), *_ours(column, winners, wide)]
    return [Entry(kind, name, text, run_as(text, column)) for kind, name, text in named]


@cache
def run_as(text: str, column: Column) -> str:
    """The expression that is run in a column."""
    return str(prepare(parse(text), find_domain(column.domain), Limits(column.budget)))


@cache
def run_by(text: str, semantics: SemanticsName, column: Column) -> SemanticsName:
    """The rules that an expression is run by: those of the paper's program differ for a select, and for a step where a
    state has but one action, which no state of a formula has."""
    differing = (Select,) if column.problem == "regression" else (Select, Step)
    return semantics if any(isinstance(part, differing) for part in parse(text).walk()) else "standard"


def _generic(column: Column) -> list[tuple[str, str, str]]:
    entries = []
    for name in GENERIC:
        text = name
        if column.by_time and isinstance(parse(name), Uct):  # which needs to know its N
            text = run_as(name, column)
        entries.append(("generic", name, text))
    return entries


def _papers(column: Column) -> list[tuple[str, str, str]]:
    return [
        ("paper", row.name, row.expression)
        for row in published(column.table)
        if row.column == columns_of(column.table)[0].title and row.name.startswith("Dis#") and row.expression
    ]


def campaigns_of(column: Column, wide: bool) -> list[str]:
    """The campaigns whose winners are measured in a column, and EVERYWHERE."""
    if column.by_time:
        return [name for name, c in CAMPAIGNS.items() if c.problem == column.problem and c.by_time]
    kept = ["ucb1", "halving"]
    names = [f"{column.problem}-{what}" for what in kept]
    if not column.main:
        return [
            *names,
            *(name for name, c in CAMPAIGNS.items() if (c.domain, c.budget) == (column.domain, column.budget)),
        ]
    if not wide:
        return names
    kept += ["halving-10", "halving-5", "depth6"]
    return [*(name for what in kept for name in with_more_seeds(f"{column.problem}-{what}")), EVERYWHERE]


def _ours(column: Column, winners: Winners, wide: bool) -> list[tuple[str, str, str]]:
    return [
        (campaign, f"{campaign.removeprefix(column.problem + '-')}#{rank}", text)
        for campaign in campaigns_of(column, wide)
        for rank, text in enumerate(winners.get(campaign, ())[:TOP], 1)
    ]

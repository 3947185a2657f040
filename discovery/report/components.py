"""Which components help, and where: what a campaign's journal says of the parts that its candidates are made of.

Glossary
    part              a component with its constant, without what is inside it: `repeat … 10`
    level             how deep a part stands; 1 is the outermost. `tune` is no level of its own
    structure         an expression without its constants: step(repeat(select(sim)))
    common problems   the first training problems, as many as *every* tried candidate was run on. Only by these are
                      candidates compared here: a bandit gives good ones more problems than bad ones, and not the same.
                      Rewards below 0 count as 0, or a formula that misses its points by 1e30 would drown the others
    pair              two candidates that differ in one part, which the second does not have
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discovery.campaign.ranking import Standing
from discovery.numbers import Scale, decimals_of_largest, plural
from mcsgrammar.language.expressions import COMPONENTS, Component, Uct
from mcsgrammar.language.parsing import parse

ORDER = [*(component.name for component in COMPONENTS), Uct.name]
TOP_SHARE = 0.05


@dataclass(frozen=True)
class Part:
    name: str
    constant: str
    """as it is written; empty where there is none"""


def parts_of(expression: Component) -> tuple[Part, ...]:
    """The parts from the outside in."""
    parts = []
    for component in expression.walk():
        inside = str(component.children[0]) if component.children else ""
        rest = str(component).removeprefix(f"{component.name}").removeprefix("(").removesuffix(")")
        parts.append(Part(component.name, rest.removeprefix(inside).removeprefix(", ")))
    return tuple(parts)


def levels_of(parts: Sequence[Part]) -> list[int]:
    levels, level = [], 0
    for part in parts:
        levels.append(level + 1)
        level += part.name != "tune"
    return levels


@dataclass(frozen=True)
class Group:
    """Candidates that have something in common. Rewards are means over the common problems."""

    label: str
    candidates: int
    mean: float
    spread: tuple[float, float, float, float, float]
    """the quantiles at 5, 25, 50, 75 and 95 % of the candidates' rewards"""
    best_rank: int
    best_expression: str
    in_top: int
    """how many of them are among the best in the ranking"""


@dataclass(frozen=True)
class Effect:
    """What a component adds at a level: the difference that it makes in all pairs."""

    component: str
    level: int
    pairs: int
    mean: float
    """of the differences in reward, with it minus without it"""
    helps: float
    """the share of the pairs in which the one with it has the higher reward"""


@dataclass(frozen=True)
class Structure:
    common_problems: int
    floored: bool
    """whether there were rewards below 0, which count as 0"""
    top: int
    """so many of the ranking are `in_top`"""
    tried: int
    by_outermost: tuple[Group, ...]
    by_depth: tuple[Group, ...]
    by_constant: tuple[Group, ...]
    by_structure: tuple[Group, ...]
    """the one with the best candidate first"""
    by_component: dict[tuple[str, int], Group]
    """by component and level"""
    effects: dict[tuple[str, int], Effect]
    thing: str = "problem"
    """what a pull is run on"""

    @property
    def common(self) -> str:
        """The common problems, in words."""
        return plural(self.common_problems, f"training {self.thing}")

    @cached_property
    def components(self) -> list[str]:
        return _ordered({name for name, _ in self.by_component})

    @cached_property
    def effect_levels(self) -> list[int]:
        return sorted({level for _, level in self.effects})

    @cached_property
    def effect_rows(self) -> list[tuple[str, list[Effect | None]]]:
        """By component, its effect at each of these levels."""
        names = _ordered({name for name, _ in self.effects})
        return [(name, [self.effects.get((name, level)) for level in self.effect_levels]) for name in names]

    def effect_decimals(self, scale: Scale) -> int:
        return decimals_of_largest(scale.per_reward * effect.mean for effect in self.effects.values())

    @cached_property
    def levels(self) -> list[int]:
        return sorted({level for _, level in self.by_component})


def depths_of(expressions: Iterable[str]) -> list[int]:
    return [parse(text).depth for text in expressions]


def analyse(standing: Standing) -> Structure | None:
    """None for a campaign without pulls."""
    if standing.pulls_done == 0:
        return None
    return _Analysis(standing).structure()


class _Analysis:
    def __init__(self, standing: Standing) -> None:
        contents, counts = standing.contents, standing.statistics.counts
        self.arms = np.flatnonzero(counts)
        self.common = int(counts[self.arms].min())
        early = contents.t < self.common
        sums = np.zeros(len(counts))
        np.add.at(sums, contents.arms[early], np.maximum(contents.rewards[early], 0.0))
        self.floored = bool((contents.rewards[early] < 0).any())
        self.rewards = sums / self.common
        self.rank = np.zeros(len(counts), np.int64)
        self.rank[standing.order] = np.arange(1, len(standing.order) + 1)
        self.top = max(1, round(TOP_SHARE * len(self.arms)))
        self.texts = standing.expressions
        self.thing = standing.settings.thing
        expressions = {int(arm): parse(self.texts[arm]) for arm in self.arms}
        self.parts = {arm: parts_of(expression) for arm, expression in expressions.items()}
        self.depths = {arm: expression.depth for arm, expression in expressions.items()}

    def structure(self) -> Structure:
        outermost: dict[str, list[int]] = defaultdict(list)
        depths: dict[int, list[int]] = defaultdict(list)
        constants: dict[Part, list[int]] = defaultdict(list)
        structures: dict[str, list[int]] = defaultdict(list)
        components: dict[tuple[str, int], list[int]] = defaultdict(list)
        for arm, parts in self.parts.items():
            outermost[parts[0].name].append(arm)
            depths[self.depths[arm]].append(arm)
            structures[structure_text(parts)].append(arm)
            for part in dict.fromkeys(part for part in parts if part.constant):
                constants[part].append(arm)
            for key in dict.fromkeys((part.name, level) for part, level in zip(parts, levels_of(parts), strict=True)):
                components[key].append(arm)
        by_structure = [self._group(text, arms) for text, arms in structures.items()]
        known = sorted(constants, key=lambda part: (_place(part.name), _number(part.constant), part.constant))
        return Structure(
            self.common,
            self.floored,
            self.top,
            len(self.arms),
            tuple(self._group(name, outermost[name]) for name in _ordered(outermost)),
            tuple(self._group(str(depth), depths[depth]) for depth in sorted(depths)),
            tuple(self._group(self._with_constant(part, constants[part][0]), constants[part]) for part in known),
            tuple(sorted(by_structure, key=lambda group: group.best_rank)),
            {key: self._group(key[0], components[key]) for key in components},
            self._effects(),
            self.thing,
        )

    def _with_constant(self, part: Part, arm: int) -> str:
        """How a part of this arm is shown: with dots for what is inside it, if anything can be."""
        inside = "" if part == self.parts[arm][-1] else "…, "
        return f"{part.name}({inside}{part.constant})"

    def _group(self, label: str, arms: list[int]) -> Group:
        rewards, ranks = self.rewards[arms], self.rank[arms]
        best = arms[int(ranks.argmin())]
        quantiles = np.quantile(rewards, (0.05, 0.25, 0.5, 0.75, 0.95))
        return Group(
            label,
            len(arms),
            float(rewards.mean()),
            tuple(float(q) for q in quantiles),  # type: ignore[arg-type]
            int(ranks.min()),
            self.texts[best],
            int((ranks <= self.top).sum()),
        )

    def _effects(self) -> dict[tuple[str, int], Effect]:
        if self.common < 2:
            return {}  # which are those of one problem, not of the components
        known = {parts: arm for arm, parts in self.parts.items()}
        differences: dict[tuple[str, int], list[float]] = defaultdict(list)
        for arm, parts in self.parts.items():
            levels = levels_of(parts)
            for i in range(len(parts) - 1):
                without = known.get(parts[:i] + parts[i + 1 :])
                if without is not None:
                    differences[parts[i].name, levels[i]].append(float(self.rewards[arm] - self.rewards[without]))
        return {
            key: Effect(*key, len(found), float(np.mean(found)), float(np.mean(np.array(found) > 0)))
            for key, found in differences.items()
        }


def structure_text(parts: Sequence[Part]) -> str:
    return "(".join(part.name for part in parts) + ")" * (len(parts) - 1)


def _ordered(names: Iterable[str]) -> list[str]:
    return sorted(names, key=lambda name: (_place(name), name))


def _place(name: str) -> int:
    return ORDER.index(name) if name in ORDER else len(ORDER)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("inf")

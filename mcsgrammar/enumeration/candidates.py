"""All expressions up to a depth, pruned, in a fixed order, one at a time.

Glossary
    constants   the values a parameter may take in an enumeration: the N of repeat and adapt, the policies of select and
                sim
    depth       counted before nested repeats collapse: step(repeat(sim, 1000)) has depth 4 with N in {2, 5, 10, 100},
                because 1000 takes two repeats, 10 * 100
    level       the expressions of one depth
    order       by depth, then by root (simulate, repeat, lookahead, step, select, adapt), then by constant, then
                by sub-expression; so the candidates up to a depth are the first of those up to a larger one

Nothing is kept but the levels up to `REMEMBERED_DEPTH`, and counting needs no expressions at all.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, TypeVar

from mcsgrammar.arguments import as_list
from mcsgrammar.enumeration.adapting import tuned
from mcsgrammar.enumeration.pruning import RULES, checked_product, is_nested_in_vain
from mcsgrammar.language.components import DEPTH_LIMIT, Component
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import REPETITIONS, Adapt, Lookahead, Repeat, Select, Simulate, Step
from mcsgrammar.language.parameters import Count, checked, shown
from mcsgrammar.language.policies import PlayoutPolicy, RandomPlayout, SelectionPolicy, Ucb1
from mcsgrammar.language.tuners import Tuner
from mcsgrammar.wording import shortened, shown_object

Policy = TypeVar("Policy", PlayoutPolicy, SelectionPolicy)

REMEMBERED_DEPTH = 4
"""Levels up to here are built once and shared: a few hundred expressions with the paper's constants."""


@dataclass(frozen=True)
class Constants:
    """What an enumeration may write into its components. Listed smallest first, whatever the order given."""

    repeat: tuple[int, ...] = (2, 5, 10, 100)
    select: tuple[SelectionPolicy, ...] = (Ucb1(0.0), Ucb1(0.3), Ucb1(0.5), Ucb1(1.0))
    sim: tuple[PlayoutPolicy, ...] = (RandomPlayout(),)
    adapt: tuple[int, ...] = ()
    """none: the language of the paper"""

    def __post_init__(self) -> None:
        repeat = tuple(checked("repeat", "N", REPETITIONS, n, may_be_open=False) for n in self.repeat)
        select = tuple(fixed_policy(policy, SelectionPolicy) for policy in self.select)
        sim = tuple(fixed_policy(policy, PlayoutPolicy) for policy in self.sim)
        if not sim:
            raise InvalidExpression("no constant is listed for sim; list at least one playout policy, such as random")
        object.__setattr__(self, "repeat", tuple(sorted(repeat)))
        object.__setattr__(self, "select", tuple(sorted(select, key=_selection_order)))
        adapt = tuple(checked("adapt", "N", REPETITIONS, n, may_be_open=False) for n in self.adapt)
        if 1 in adapt:
            raise InvalidExpression("adapt(S, 1) is S; list numbers from 2 on for adapt")
        object.__setattr__(self, "adapt", tuple(sorted(adapt)))
        for what, texts in (
            ("repeat", [shown(n) for n in self.repeat]),
            ("select", [policy.brief() for policy in select]),
            ("sim", [str(policy) for policy in sim]),
            ("adapt", [shown(n) for n in self.adapt]),
        ):
            twice = next((text for text in texts if texts.count(text) > 1), None)
            if twice is not None:
                raise InvalidExpression(f"the constants of {what} list {shortened(twice)} twice")


def fixed_policy(policy: Policy, kind: type[Policy]) -> Policy:
    """The policy itself; `InvalidExpression` if it is none of this kind, or has an open parameter."""
    if not isinstance(policy, kind):
        raise InvalidExpression(
            f"{shown_object(policy)} is no {kind.__name__}; give one, or use candidates(…), which reads text"
        )
    if policy.open_parameters():
        text = policy.brief() if isinstance(policy, SelectionPolicy) else str(policy)
        raise InvalidExpression(f"{shortened(text)} has an open parameter; candidates take fixed values")
    return policy


def suits(selection: SelectionPolicy, playout: PlayoutPolicy) -> bool:
    """Whether a select by the one may stand around playouts by the other."""
    return playout.has_odds or not selection.needs_odds


def _selection_order(policy: SelectionPolicy) -> tuple[bool, float]:
    """Plain C by value, then everything else as it was listed (sorting is stable)."""
    if isinstance(policy, Ucb1) and policy.is_only_c() and isinstance(policy.c, float):
        return False, policy.c
    return True, 0.0


PAPER = Constants()
"""The constants of Maes, Lupien St-Pierre and Ernst (2013)."""


def playout_policy(expression: Component) -> PlayoutPolicy:
    """That of the playouts in a candidate."""
    simulate = expression.innermost
    assert isinstance(simulate, Simulate)
    return simulate.policy


@dataclass(frozen=True)
class Candidates:
    """The pruned expressions up to `depth`: iterate over them, or ask how many there are."""

    depth: int = 5
    constants: Constants = PAPER
    tuners: tuple[Tuner, ...] = ()
    """for each of these, after all others: every candidate whose policies have parameters, with these tuned online"""

    def __post_init__(self) -> None:
        for tuner in self.tuners:
            if not isinstance(tuner, Tuner):
                raise InvalidExpression(f"{shown_object(tuner)} is no tuner; give one, or use candidates(…)")
        if not isinstance(self.depth, int) or Count(1, DEPTH_LIMIT).check(self.depth) is None:
            depth = shown_object(self.depth)
            raise InvalidExpression(f"the depth cannot be {depth}; it is a whole number from 1 to {DEPTH_LIMIT}")
        product = 1
        for _ in range(self.depth - 2):
            product = checked_product(product, max(self.constants.repeat, default=1))

    def __repr__(self) -> str:
        tuned = f", tuned by {', '.join(str(tuner) for tuner in self.tuners)} too" if self.tuners else ""
        return f"<Candidates up to depth {self.depth}{tuned}>"

    def __iter__(self) -> Iterator[Component]:
        for depth in range(1, self.depth + 1):
            yield from self._level(depth)
        for _, expression in self._tuned():
            yield expression

    def _tuned(self) -> Iterator[tuple[int, Component]]:
        """With the depth of those they are made from, before repeats collapse, and in their order; two that differ in
        the values of tuned parameters alone come to one."""
        for tuner in dict.fromkeys(self.tuners):
            seen = set()
            for depth in range(1, self.depth + 1):
                for expression in self._level(depth):
                    twin = tuned(expression, tuner)
                    if twin is not None and twin.text not in seen:
                        seen.add(twin.text)
                        yield depth, twin

    def __len__(self) -> int:
        return sum(self.by_depth())

    def by_depth(self) -> list[int]:
        """How many candidates have depth 1, 2, …; `tune` does not count. Tuned ones are made to be counted."""
        counts = [self._counts(depth).candidates for depth in range(1, self.depth + 1)]
        for depth, _ in self._tuned():
            counts[depth - 1] += 1
        return counts

    def pruned_by_rule(self) -> dict[str, int]:
        """How many of all expressions each rule prunes, by its name; an expression counts for the first that applies.

        For repeat-in-repeat these are the expressions that say what an earlier one, or the collapsed form that takes
        their place, says already.
        """
        counts = [self._counts(depth) for depth in range(1, self.depth + 1)]
        total = sum(c.all for c in counts)
        repeat_roots = sum(c.repeat_roots for c in counts)
        without_nested_selects = sum(c.without_nested_selects for c in counts)
        pruned = {
            "repeat-at-root": repeat_roots,
            "select-in-select": total - repeat_roots - without_nested_selects,
            "repeat-in-repeat": without_nested_selects - sum(c.candidates for c in counts),
        }
        return {rule.name: pruned[rule.name] for rule in RULES}

    @property
    def unpruned(self) -> int:
        """How many expressions there are before pruning."""
        return sum(self._counts(depth).all for depth in range(1, self.depth + 1))

    # The expressions of one level. Sub-expressions may start with a repeat, candidates may not.

    def _level(self, depth: int) -> Iterator[Component]:
        if depth <= REMEMBERED_DEPTH:
            yield from self._remembered(depth)
        else:
            yield from self._build_level(depth)

    def _remembered(self, depth: int) -> tuple[Component, ...]:
        if depth not in self._levels:
            self._levels[depth] = tuple(self._build_level(depth))
        return self._levels[depth]

    @cached_property
    def _levels(self) -> dict[int, tuple[Component, ...]]:
        return {}

    def _build_level(self, depth: int) -> Iterator[Component]:
        if depth == 1:
            yield from (Simulate(policy) for policy in self.constants.sim)
            return
        yield from (Lookahead(sub) for sub in self._sub_level(depth - 1))
        yield from (Step(sub) for sub in self._sub_level(depth - 1))
        for policy in self.constants.select:
            for sub in self._sub_level(depth - 1):
                if not is_nested_in_vain(sub) and suits(policy, playout_policy(sub)):
                    yield Select(sub, policy)
        for n in self.constants.adapt:
            yield from (Adapt(sub, n) for sub in self._sub_level(depth - 1) if playout_policy(sub).can_be_adapted)

    def _sub_level(self, depth: int) -> Iterator[Component]:
        if depth == 1:
            yield from self._level(1)
        for product, factors in self._products(depth):
            yield from (Repeat(sub, product) for sub in self._level(depth - factors))
        if depth > 1:
            yield from self._level(depth)

    def _products(self, depth: int) -> list[tuple[int, int]]:
        """The numbers of repetitions that chains of fewer than `depth` repeats multiply to, in order, each with the
        length of its shortest chain."""
        return [(product, n) for product, n in sorted(self._shortest_chains.items()) if n < depth]

    @cached_property
    def _shortest_chains(self) -> dict[int, int]:
        shortest: dict[int, int] = {}
        chains = [1]
        for length in range(1, self.depth - 1):
            chains = sorted({chain * n for chain in chains for n in self.constants.repeat})
            for product in chains:
                shortest.setdefault(product, length)
        return shortest

    # The same by counting, for each playout policy, which says what may stand around it. Every method mirrors one
    # above, or the rules of `pruning.py`.

    def _counts(self, depth: int) -> "LevelCounts":
        """Of all playout policies together."""
        counts = [self._counts_over(policy, depth) for policy in self.constants.sim]
        return LevelCounts(*(sum(getattr(one, f.name) for one in counts) for f in fields(LevelCounts)))

    @cached_property
    def _levels_counted(self) -> "dict[PlayoutPolicy, list[LevelCounts]]":
        return {policy: [] for policy in self.constants.sim}

    def _counts_over(self, policy: PlayoutPolicy, depth: int) -> "LevelCounts":
        levels = self._levels_counted[policy]
        while len(levels) < depth:
            levels.append(self._count_level(policy, len(levels) + 1))
        return levels[depth - 1]

    def _count_level(self, policy: PlayoutPolicy, depth: int) -> "LevelCounts":
        repeats, selects = len(self.constants.repeat), sum(suits(one, policy) for one in self.constants.select)
        others = 2 + (len(self.constants.adapt) if policy.can_be_adapted else 0)  # lookahead, step, adapt
        if depth == 1:
            return LevelCounts(1, 0, 1, 0, 0, 1, 0)
        below = self._counts_over(policy, depth - 1)
        subs = below.candidates + sum(
            self._counts_over(policy, depth - 1 - factors).candidates for _, factors in self._products(depth - 1)
        )
        in_vain = 1 if policy.to_the_end else 0
        select_rooted = selects * (subs - in_vain * below.select_rooted)
        plain_subs = below.without_nested_selects + below.repeat_over_without
        plain_select_rooted = selects * (plain_subs - in_vain * below.plain_select_rooted)
        return LevelCounts(
            all=(others + repeats + selects) * below.all,
            repeat_roots=repeats * below.all,
            candidates=others * subs + select_rooted,
            select_rooted=select_rooted,
            plain_select_rooted=plain_select_rooted,
            without_nested_selects=others * plain_subs + plain_select_rooted,
            repeat_over_without=repeats * plain_subs,
        )


@dataclass(frozen=True)
class LevelCounts:
    """How many expressions of one depth there are."""

    all: int
    repeat_roots: int
    candidates: int
    select_rooted: int
    """candidates that start with select"""
    plain_select_rooted: int
    """the same before repeats collapse"""
    without_nested_selects: int
    """not starting with repeat, and no select in vain in a select; before repeats collapse"""
    repeat_over_without: int
    """starting with repeat, and no select in vain in a select; before repeats collapse"""


def candidates(
    depth: int = 5,
    repeat: int | Iterable[int] = PAPER.repeat,
    select: float | str | SelectionPolicy | Iterable[float | str | SelectionPolicy] = PAPER.select,
    sim: str | PlayoutPolicy | Iterable[str | PlayoutPolicy] = PAPER.sim,
    tuner: str | Tuner | Iterable[str | Tuner] = (),
    adapt: int | Iterable[int] = PAPER.adapt,
) -> Candidates:
    """The pruned expressions up to `depth`, to iterate over; `len` counts them without building them.

    With numbers for `adapt` that is among the components. Policies and tuners may be given as text:
    `candidates(4, select=[0.5, "grave(c=0.2)"], tuner="ntbea")`. For each tuner, what has parameters is a candidate
    once more with these tuned online.
    """
    from mcsgrammar.language.parsing import parse_playout, parse_selection, parse_tuner

    return Candidates(
        depth,
        Constants(
            _several(repeat),
            tuple(s if isinstance(s, SelectionPolicy) else parse_selection(str(s)) for s in _several(select)),
            tuple(s if isinstance(s, PlayoutPolicy) else parse_playout(s) for s in _several(sim)),
            _several(adapt),
        ),
        tuple(t if isinstance(t, Tuner) else parse_tuner(t) for t in _several(tuner)),
    )


def _several(given: Any) -> tuple[Any, ...]:
    """A single one will do."""
    return tuple(as_list(given))

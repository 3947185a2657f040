"""An expression as a Python program: the nesting of loops that it stands for, and no piece that it does not need.

All parameters have fixed values, and what a value makes unnecessary is left out. The text is in the folder `pieces`;
here is what it asks about the expression.

Glossary
    method    what a component becomes: a method of the class `Search`, which calls the one of its sub-component
    loop      what `repeat` becomes: a `for` around that call
    level     a method together with the loops around the call of it; an expression is a chain of levels
    plain     without policies, commit rules and playouts that are cut off: trees are all that it remembers, and one
              method `choose` serves them
    worth     what the playout policy has learnt of an action
    odds      how probable a playout finds each of some actions, beside the others
    order     what decides between equal rewards inside an adapt
    memory    the nodes of trees and the entries of tables, which have one limit in common
    cut       the end of a playout after so many actions; where nothing but repeat stands between it and a select, the
              actions of the walk down that tree are among them

The methods do what `interpreter.py`, the definition, says, but for one thing. There, every final state is shown to all
invocations around it; here a method returns the best that it found, and the one around it compares. Both keep the first
of equals, so it comes to the same. Where there is an adapt, what is found knows its place in the order in which the
definition prefers one of equals: the earlier, but from one turn of an adapt to the next the later. What learns is told
in `evaluate`, and a tree by its select.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from textwrap import fill as wrap
from typing import Any

from mcsgrammar.defaults import DEFAULT_MAX_NODES
from mcsgrammar.engines.rules import BELOW_LOCAL_ROOT_2013, BOUND_2013, HIGHEST_WEIGHT, LARGEST, LOWEST_ODDS
from mcsgrammar.exporting.filling import as_code, block, fill, has_block, has_piece, piece_of
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Adapt, Component, Repeat, Select, Simulate, Step, Tune, Uct
from mcsgrammar.language.policies import RandomPlayout, SelectionPolicy, Ucb1

SAFE_C = LARGEST / 2**33
"""Up to here C sqrt(n) is finite for every n of 64 bits, and C sqrt(ln n) all the more."""

LINE = 88
"""The width of what is written, where it can be chosen; black's."""


def require_exportable(expression: Component) -> Component:
    """The expression itself, if it can be written; `InvalidExpression` names the part that cannot."""
    for part in expression.walk():
        if isinstance(part, Simulate | Select) and not has_piece(part.policy):
            raise InvalidExpression(f"export cannot write {part.policy} in {part}")
        if isinstance(part, Select) and part.settings().get("norm", 0) == 1:
            raise InvalidExpression(f"export cannot write norm=1 of {part.policy.name} in {part}")
        if isinstance(part, Tune):
            raise InvalidExpression(
                f"export cannot write the tuner {part.tuner} in {part}; write the expression without tune, with the "
                "values that 'mcsgrammar solve' says it would choose"
            )
        if not isinstance(part, Uct) and not has_piece(part):  # uct(C) is resolved before it is written
            raise InvalidExpression(f"export cannot write {part.name} in {part}")
    return expression


@dataclass(frozen=True)
class Level:
    """A component with a method of its own, and the N of the repeats around it, from the outside in."""

    component: Component
    method: str
    times: tuple[int, ...]

    @property
    def tree(self) -> str:
        """The attribute of the search that holds the tree of a select."""
        return self.method.replace("select", "tree")

    @property
    def policy(self) -> Any:
        """The policy of a select."""
        return self.component.policy  # type: ignore[attr-defined]

    @property
    def choose(self) -> str:
        """The method that chooses a child in that tree."""
        return self.method.replace("select", "choose")

    @property
    def in_words(self) -> str:
        return f"`{self.method}` {self.count} times" if self.times else f"`{self.method}`"

    @property
    def count(self) -> str:
        """How many calls that makes: nested repeats are one loop."""
        return " * ".join(map(as_code, self.times))

    @property
    def is_playout(self) -> bool:
        """Whether a final state needs no case of its own: a playout from there is just its evaluation."""
        return isinstance(self.component, Simulate) and not self.times

    def called(self, prefix: str, state: str, best: str = "best") -> str:
        """The variable `best`, set to what the calls find."""
        if not self.times:
            return f"{best} = self.{self.method}({prefix}, {state})"
        return f"{best} = NOTHING\n" + self.compared(prefix, state, best)

    def compared(self, prefix: str, state: str, best: str = "best") -> str:
        """The variable `best`, compared with what the calls find."""
        return self.looped(f"{best} = better({best}, self.{self.method}({prefix}, {state}))")

    def looped(self, line: str) -> str:
        return f"for _ in range({self.count}):\n    {line}" if self.times else line


def levels_of(expression: Component) -> list[Level]:
    """From the outside in. Of several components of a kind, number 1 is the innermost, as in nested Monte Carlo."""
    components = list(expression.walk())
    left = Counter(type(component) for component in components)
    numbered = {kind for kind, count in left.items() if count > 1}
    levels: list[Level] = []
    times: tuple[int, ...] = ()
    for component in components:
        if isinstance(component, Repeat):
            assert isinstance(component.count, int)
            times = (*times, component.count)
            continue
        kind = type(component)
        method = kind.__name__.lower() + (f"_{left[kind]}" if kind in numbered else "")
        levels.append(Level(component, method, times))
        left[kind] -= 1
        times = ()
    return levels


class ExportedProgram:
    """The code of one file, from its imports on, and what the pieces ask. The expression is closed, resolved and
    exportable."""

    below_2013 = BELOW_LOCAL_ROOT_2013
    bound_2013 = BOUND_2013
    highest_weight = HIGHEST_WEIGHT
    lowest_odds = LOWEST_ODDS
    max_nodes = DEFAULT_MAX_NODES

    def __init__(self, expression: Component, maes2013: bool, budget: int) -> None:
        """`budget` is the one that `solve` has by default."""
        self.levels = levels_of(expression)
        self.maes2013 = maes2013
        self.budget = budget
        self.selects = [level for level in self.levels if isinstance(level.component, Select)]
        self.steps = [level for level in self.levels if isinstance(level.component, Step)]
        self.adapts = [level for level in self.levels if isinstance(level.component, Adapt)]
        rules = dict.fromkeys(str(level.component.commit) for level in self.steps)  # type: ignore[attr-defined]
        self.rules = [rule for rule in rules if rule != "best"]
        """by which steps commit their actions, other than by the best sequence"""
        self._note_playouts()
        self._note_trees()

    def _note_playouts(self) -> None:
        self.playout: Any = self.levels[-1].component.policy  # type: ignore[attr-defined]
        self.besides = self._of_playout("besides", self.levels[-1])
        """what `draw` takes besides the legal actions"""
        self.learns = has_block(self.playout, "learn")
        self.depth = self.playout.depth
        self.cuts = self.depth < math.inf
        above = self.levels[-2:-1] if self.cuts else []
        self.cutting = next((level for level in above if level in self.selects), None)
        """the select whose walk counts into the depth of playouts"""

    def _note_trees(self) -> None:
        policies = [level.policy for level in self.selects]
        self.policies = {policy.name: policy for policy in policies}
        """one of each kind"""
        learn = [has_block(policy, "learn_run") or has_block(policy, "learn_result") for policy in policies]
        self.keeps_tables = self.learns or bool(self.adapts) or any(learn)
        self.remembers = bool(self.selects) or self.keeps_tables
        """whether it has a limit on memory"""
        self.counts_visits = bool(self.rules) or any(policy.t < math.inf for policy in policies)
        by_c_alone = all(policy == Ucb1(c=policy.c) for policy in policies)
        self.plain = by_c_alone and not self.rules and not self.adapts and self.playout == RandomPlayout()
        # What the walk down a tree hands on to `choose`, if any of them needs it.
        self.needs_start = any(
            self.c_changes(policy) or block(policy, "looks_back", policy=policy) for policy in policies
        )
        self.constants = {policy.c for policy in policies} | ({BELOW_LOCAL_ROOT_2013} if self.maes2013 else set())
        self.c_varies = len(self.constants) > 1
        # Each component calls the one inside it at every prefix that it is called at, but for those whose piece says
        # otherwise. So below none of these, a select has been called one action earlier, and its tree has the node of
        # the prefix.
        above = self.levels[: self.levels.index(self.selects[-1])] if self.selects else []
        self.skips_nodes = any(block(level.component, "skips_a_prefix", program=self) for level in above)

    def written(self) -> str:
        """A helper is written if what stands before uses it."""
        search = fill("program.jinja", program=self)
        helpers = fill("helpers.jinja", program=self, uses=lambda name: re.search(rf"\b{name}\(", search))
        return f"{search}\n\n\n{helpers}\n"

    def components_in_words(self) -> str:
        names = [f"`{level.method}`" for level in self.levels]
        if len(names) == 1:
            which = f"Its component is {names[0]}. It"
        else:
            which = f"Its components are {', '.join(names[:-1])} and {names[-1]}. Each"
        text = (
            f"{which} is given a prefix, the actions played so far, and the state that they lead to; tries "
            "ways to go on from there; and returns the best that it found. What it is given stays as it is."
        )
        return wrap(text, LINE - 4)

    def methods(self) -> Iterator[str]:
        """The components, and what they call besides."""
        for level, below in zip_longest(self.levels, self.levels[1:]):
            yield block(level.component, "method", program=self, level=level, below=below)
        for rule in self.rules:
            yield block(self.steps[0].component, "favourite", rule=rule)
        if self.selects:
            yield block(self.selects[0].component, "machinery", program=self)
        if self.draws(self.levels[-1]):
            yield self._of_playout("draw", self.levels[-1])
        if self.learns:
            yield block(self.playout, "learn", policy=self.playout)
        if self.adapts:
            yield block(self.adapts[0].component, "machinery", program=self)

    def of_policies(self, name: str) -> list[str]:
        """A block of the selection policies, from those that have it."""
        return [text for policy in self.policies.values() if (text := block(policy, name))]

    # Playouts.

    def _of_playout(self, name: str, level: Level) -> str:
        """A block of the playout policy, as it is at this level."""
        adapted = bool(self.adapts) and level in self.levels[self.levels.index(self.adapts[0]) :]
        return block(self.playout, name, program=self, policy=self.playout, adapted=adapted)

    def playout_in_words(self) -> str:
        return self._of_playout("in_words", self.levels[-1])

    def memory_of_playouts(self) -> list[str]:
        return [text for text in [self._of_playout("memory", self.levels[-1])] if text]

    def draws(self, level: Level) -> bool:
        """Whether the playout policy, asked at this level, has a way of its own to draw actions."""
        return bool(self._of_playout("draw", level))

    def drawn(self, level: Level, items: str, actions: str) -> str:
        """The code of one of the items, as the playout policy chooses it."""
        return f"{items}[self.draw({actions}{self.besides})]" if self.draws(level) else f"self.random.choice({items})"

    def drawn_child(self, level: Level, children: str) -> str:
        return self.drawn(level, children, f"[child.action for child in {children}]")

    # Trees.

    def walk_down(self, level: Level, path: str) -> str:
        limit = "" if self.cutting is None else ", limit" if level is self.cutting else ", math.inf"
        choice = f"self.{level.choose}, "
        if self.plain:
            choice = f"{as_code(level.policy.c)}, " if self.c_varies else ""
        arguments = f"self.{level.tree}, {choice}prefix, state{limit}"
        line = f"{path}, actions, state = self.descend({arguments})"
        if self.plain or len(line) + 8 <= LINE:
            return line
        return f"{path}, actions, state = self.descend(\n    {arguments}\n)"

    def choosing(self) -> Iterator[str]:
        """The methods that choose a child."""
        if self.plain:
            yield fill("choose_by_c.jinja", program=self, highest=max(self.constants))
            return
        for level in self.selects:
            policy = level.policy
            yield fill(piece_of(policy), program=self, level=level, policy=policy, explores=self.explores(policy))

    def c_changes(self, policy: Any) -> bool:
        """Whether C is another one further down."""
        return self.maes2013 and policy.c != BELOW_LOCAL_ROOT_2013 and policy.t < math.inf

    def explores(self, policy: SelectionPolicy) -> bool:
        """Whether C is above 0 anywhere."""
        return policy.c != 0 or self.maes2013

    def scale(self, c: str | float, highest: float, number: str) -> str:
        """The code of C times the square root of a number, for a C up to `highest`."""
        product = f"{as_code(c)} * math.sqrt({number})"
        return f"min({product}, {as_code(LARGEST)})" if highest > SAFE_C else product

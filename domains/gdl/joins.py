"""Rules as Python loops, written and compiled while a sheet is grounded.

Glossary
    row        an atom: the numbers of its constants, and last its own number. Numbers of atoms grow with time
    relation   all atoms of a pattern
    round      what was new in the last round is joined with all that is known; what comes of it is new in the next
    delta      the rows that were new in the last round
    plan       the order in which the conditions of a rule are met, fewest rows first as far as that is known

A rule with conditions a and b is run once with the new rows of a and once with those of b. Conditions before the one
that is new must be older than the round, so that no combination is met twice. Rules of the same shape have the same
loops: tables and constants are handed over.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from domains.gdl.forms import FlatRule, Leaves, Pattern

Row = tuple[int, ...]
Index = dict[Any, list[Row]]

DEEPEST_LOOP = 15
"""Python nests 20 blocks in a function at the most; deeper ones go into a function of their own."""
LOOKS_BEFORE_CLOCK = 1_000_000


class Relation:
    """All atoms of a pattern; `fresh` are those of this round, which are not among the `rows` yet."""

    def __init__(self, pattern: Pattern, arity: int) -> None:
        self.pattern = pattern
        self.arity = arity
        self.known: dict[Row, Row] = {}
        self.rows: list[Row] = []
        self.fresh: list[Row] = []
        self.delta: list[Row] = []
        self._indexes: dict[tuple[int, ...], Index] = {}
        self._delta_indexes: dict[tuple[int, ...], Index] = {}
        self._spread: dict[int, tuple[int, int]] = {}

    def turn(self) -> None:
        """What was fresh is the delta of a new round."""
        self.delta, self.fresh = self.fresh, []
        self._delta_indexes = {}
        self.rows += self.delta
        for positions, index in self._indexes.items():
            _enter(index, positions, self.delta)

    def index(self, positions: tuple[int, ...]) -> Index:
        """Rows by the numbers in these positions, the oldest first."""
        if positions not in self._indexes:
            self._indexes[positions] = _enter({}, positions, self.rows)
        return self._indexes[positions]

    def new_rows(self, positions: tuple[int, ...], key: Any) -> Sequence[Row]:
        """Those of the delta with these numbers there."""
        if not positions:
            return self.delta
        if positions not in self._delta_indexes:
            self._delta_indexes[positions] = _enter({}, positions, self.delta)
        return self._delta_indexes[positions].get(key, ())

    def spread(self, position: int) -> int:
        """How many numbers stand in a position, or stood there not long ago."""
        at, count = self._spread.get(position, (0, 1))
        if len(self.rows) > 2 * at:
            count = max(1, len({row[position] for row in self.rows}))
            self._spread[position] = len(self.rows), count
        return count


def _enter(index: Index, positions: tuple[int, ...], rows: Sequence[Row]) -> Index:
    if len(positions) == 1:
        position = positions[0]
        for row in rows:
            index.setdefault(row[position], []).append(row)
    else:
        for row in rows:
            index.setdefault(tuple([row[position] for position in positions]), []).append(row)
    return index


class Join:
    """A rule, run with the new rows of one of its positive conditions; with all rows of all if `new` is None."""

    def __init__(
        self,
        rule: FlatRule,
        new: int | None,
        tables: dict[Pattern, Relation],
        numbers: dict[str, int],
        dynamic: set[Pattern],
        growing: set[Pattern],
        mention: Callable[[Pattern], Callable[[Row], int]],
    ) -> None:
        self.rule, self.new, self.numbers, self.dynamic, self.growing = rule, new, numbers, dynamic, growing
        self.tables = [tables[pattern] for pattern, _ in rule.positive]
        self.excluding = [tables[pattern] for pattern, _ in rule.negative]
        self.mention = mention
        self._planned_for: tuple[int, ...] | None = None
        self._function: Callable[..., None]
        self._given: tuple[Any, ...] = ()
        self._fixed: tuple[tuple[int, ...], Any] = ((), None)
        if new is not None:
            self._fixed = self._fixed_key(rule.positive[new][1])

    def _fixed_key(self, leaves: Leaves) -> tuple[tuple[int, ...], Any]:
        """Where the condition that is new has constants, and which."""
        positions = tuple(i for i, leaf in enumerate(leaves) if leaf[0] != "?")
        key = tuple(self.numbers[leaves[i]] for i in positions)
        return positions, key[0] if len(key) == 1 else key

    def run(self, start: int, end: int, emit: Callable[..., None], tick: Callable[[], int]) -> None:
        """All instances of the rule that are new in the round of the rows from `start` to before `end`."""
        rows: Sequence[Row] = ()
        if self.new is not None:
            rows = self.tables[self.new].new_rows(*self._fixed)
            if not rows:
                return
        sizes = tuple(len(table.rows).bit_length() // 2 for table in self.tables)
        if sizes != self._planned_for:
            self._planned_for = sizes
            writer = _Writer(self)
            self._function = _compiled(writer.source(self._order()))
            self._given = tuple(writer.given)
        self._function(rows, self._given, start, end, emit, tick)

    def _order(self) -> list[int]:
        """Conditions one after the other, that with the fewest rows to look at first."""
        left = list(range(len(self.tables)))
        bound: set[str] = set()
        order: list[int] = []
        if self.new is not None:
            order.append(self.new)
        while True:
            for i in order[-1:]:
                left.remove(i)
                bound.update(leaf for leaf in self.rule.positive[i][1] if leaf[0] == "?")
            if not left:
                return order
            order.append(min(left, key=lambda i: self._looks(i, bound)))

    def _looks(self, i: int, bound: set[str]) -> float:
        looks = float(len(self.tables[i].rows))
        for position, leaf in enumerate(self.rule.positive[i][1]):
            if leaf[0] != "?" or leaf in bound:
                looks /= self.tables[i].spread(position)
        return looks


@cache
def _compiled(source: str) -> Callable[..., None]:
    names: dict[str, Any] = {}
    exec(compile(source, "<join>", "exec"), names)
    function: Callable[..., None] = names["join"]
    return function


class _Writer:
    """The loops of a join as text; `given` is what the text calls g0, g1, …"""

    def __init__(self, join: Join) -> None:
        self.join = join
        self.given: list[Any] = []
        self.lines: list[str] = []
        self.names: dict[str, str] = {}
        self.indent = 1
        self.loops = 0
        self.skip = "return"
        self.opened = 0
        """Where the innermost loop begins."""
        self.tests: list[tuple[Leaves, Relation | None]] = [(pair, None) for pair in join.rule.distinct]
        for (pattern, leaves), table in zip(join.rule.negative, join.excluding, strict=True):
            if pattern not in join.dynamic:
                self.tests.append((leaves, table))

    def source(self, order: Sequence[int]) -> str:
        self.from_here(order, 0)
        head = ["def join(rows, given, start, end, emit, tick):", "    looks = 0"]
        if self.given:
            head.append(f"    {''.join(f'g{i}, ' for i in range(len(self.given)))}= given")
        return "\n".join([*head, *self.lines])

    def from_here(self, order: Sequence[int], place: int) -> None:
        """All from a place in the order on."""
        self.write_tests()
        if place == len(order):
            self.write_emit()
            return
        if self.loops < DEEPEST_LOOP:
            self.meet(order[place], place)
            self.from_here(order, place + 1)
            return
        self.write("def deeper(looks):")
        outside, self.loops, self.skip = self.indent, 0, "return"
        self.indent += 1
        self.meet(order[place], place)
        self.from_here(order, place + 1)
        self.indent = outside
        self.write("deeper(looks)")

    def write(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def give(self, thing: Any) -> str:
        self.given.append(thing)
        return f"g{len(self.given) - 1}"

    def value(self, leaf: str) -> str:
        """The number of a leaf that is known here."""
        return self.names[leaf] if leaf[0] == "?" else self.give(self.join.numbers[leaf])

    def key(self, leaves: Sequence[str]) -> str:
        return f"({''.join(f'{self.value(leaf)}, ' for leaf in leaves)})"

    def is_known(self, leaf: str) -> bool:
        return leaf[0] != "?" or leaf in self.names

    def meet(self, i: int, place: int) -> None:
        """A look at a condition, where all its leaves are known, or a loop."""
        table, (pattern, leaves) = self.join.tables[i], self.join.rule.positive[i]
        if place == 0 and self.join.new is not None:
            self.loop(i, "rows")
            return
        bound = "start" if self.join.new is not None and i < self.join.new else "end"
        if all(map(self.is_known, leaves)):
            self.write(f"r{i} = {self.give(table.known)}.get({self.key(leaves)})")
            too_new = f" or r{i}[-1] >= {bound}" if pattern in self.join.growing else ""
            self.write(f"if r{i} is None{too_new}: {self.skip}")
            return
        known = tuple(position for position, leaf in enumerate(leaves) if self.is_known(leaf))
        if known:
            key = self.key([leaves[position] for position in known])
            key = self.value(leaves[known[0]]) if len(known) == 1 else key
            self.write(f"l{i} = {self.give(table.index(known))}.get({key}, ())")
        else:
            self.write(f"l{i} = {self.give(table.rows)}")
        self.write(f"looks += len(l{i})")
        self.write(f"if looks > {LOOKS_BEFORE_CLOCK}: looks = tick()")
        self.loop(i, f"l{i}")
        if pattern in self.join.growing:
            self.lines.insert(self.opened, "    " * self.indent + f"if r{i}[-1] >= {bound}: break")

    def loop(self, i: int, rows: str) -> None:
        """A loop over rows; it begins by checking those of their numbers that are known."""
        self.write(f"for r{i} in {rows}:")
        self.indent += 1
        self.loops += 1
        self.skip = "continue"
        self.opened = len(self.lines)
        for position, leaf in enumerate(self.join.rule.positive[i][1]):
            if leaf[0] != "?":
                continue  # they are in the key
            if leaf in self.names:
                self.write(f"if r{i}[{position}] != {self.names[leaf]}: continue")
            else:
                self.names[leaf] = f"v{len(self.names)}"
                self.write(f"{self.names[leaf]} = r{i}[{position}]")

    def write_tests(self) -> None:
        """Those whose leaves are all known by now."""
        left = []
        for test in self.tests:
            leaves, table = test
            if not all(map(self.is_known, leaves)):
                left.append(test)
            elif table is None:
                self.write(f"if {self.value(leaves[0])} == {self.value(leaves[1])}: {self.skip}")
            else:
                self.write(f"if {self.key(leaves)} in {self.give(table.known)}: {self.skip}")
        self.tests = left

    def write_emit(self) -> None:
        """The head, and the numbers of those conditions that may change: negative ones as they are mentioned."""
        rule, dynamic = self.join.rule, self.join.dynamic
        body = [f"r{i}[-1]" for i, (pattern, _) in enumerate(rule.positive) if pattern in dynamic]
        body += [
            f"{self.give(self.join.mention(pattern))}({self.key(leaves)})"
            for pattern, leaves in rule.negative
            if pattern in dynamic
        ]
        self.write(f"emit({self.key(rule.head[1])}, ({''.join(f'{number}, ' for number in body)}))")

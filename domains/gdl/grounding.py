"""What can become true in a game, and by which instances of its rules.

Glossary
    statement   an atom without variables that can hold in some state, as far as is seen without looking at what fails
    static      holds in all states or in none; worked out for good, in strata, as what fails matters here
    dynamic     depends on the state, or is asked in one
    instance    a rule with constants for its variables; of its body only what is dynamic is left

(true F) is possible if (init F) holds or (next F) is possible, (does R M) if (legal R M) is possible and R is a role.
Everything is bounded: what grows without end is refused, with the rule that most of it comes from.
"""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from domains.gdl.forms import FOLLOWS, FlatRule, Pattern, changing, flat_rules, whole
from domains.gdl.graphs import components
from domains.gdl.joins import Join, Relation, Row
from domains.gdl.reading import SheetError
from domains.gdl.splitting import split_rules
from domains.gdl.terms import NO_CHANCE, Kind, Rule, Rules, Term, in_order

MOST_STATEMENTS = 1_000_000
MOST_INSTANCES = 4_000_000
MOST_SECONDS = 60.0
"""Of CPU time."""
SMALLER = "give it fewer variables, or let what it is about be done in several steps"


@dataclass
class Grounding:
    """The ground game. An atom is known by its number; a literal is twice that, and one more if the atom must fail."""

    roles: list[str]
    atoms: list[Term]
    """In the order in which they were found; dynamic ones alone."""
    initial: list[int]
    """The atoms (true …) that hold in the beginning."""
    bodies: list[list[tuple[int, ...]]]
    """For each atom, what makes it hold: one of these, all literals of it."""
    rules: Rules
    statements: int = 0
    """Static ones as well."""
    instances: int = 0
    by_name: dict[str, list[int]] = field(default_factory=dict)
    """The atoms of each relation."""

    def __post_init__(self) -> None:
        for number, atom in enumerate(self.atoms):
            self.by_name.setdefault(str(atom[0]), []).append(number)


def ground(rules: Rules) -> Grounding:
    """All that can matter in a game. Raises `SheetError` for what is too large, and for negation in a cycle."""
    flat = flat_rules(rules, _Clock(rules))
    try:
        return _Grounder(rules, flat, False).ground()
    except TooLarge as first:
        try:
            return _Grounder(rules, flat, True).ground()
        except TooLarge:
            raise first from None


class TooLarge(SheetError):
    """A limit is passed."""


class TooSlow(TooLarge):
    """It is that on the time, which another machine may keep."""


class _Clock:
    """Stops who takes too long, with the rule that it was called with last."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.until = time.thread_time() + MOST_SECONDS

    def __call__(self, rule: Rule) -> None:
        if time.thread_time() > self.until:
            what = f"grounding takes more than {MOST_SECONDS:g} s; it had come to this rule; {SMALLER}"
            raise TooSlow(str(self.rules.sheet.refusal(what, rule.form)))


class _Grounder:
    def __init__(self, rules: Rules, flat: Sequence[FlatRule], one_by_one: bool) -> None:
        self.rules = rules
        self.dynamic = changing(flat)
        self.flat = split_rules(flat, self.dynamic, one_by_one)
        self.numbers = _numbered(self.flat)
        self.tables: dict[Pattern, Relation] = {}
        for rule in self.flat:
            for pattern, leaves in (rule.head, *rule.body()):
                self.tables.setdefault(pattern, Relation(pattern, len(leaves)))
        for pattern in list(self.tables):
            if pattern[0] in FOLLOWS:
                following = (FOLLOWS[pattern[0]], *pattern[1:])
                self.tables.setdefault(following, Relation(following, self.tables[pattern].arity))
        self.count = 0
        """Of statements: the number of the next one."""
        self.instances = 0
        self.bodies: dict[int, dict[tuple[int, ...], None]] = {}
        self.mentioned: list[tuple[Pattern, Row]] = []
        self._mentions: dict[Pattern, dict[Row, int]] = {}
        self._blame: Counter[FlatRule] = Counter()
        self._current: FlatRule | None = None
        self._until = time.thread_time() + MOST_SECONDS

    # What is static, stratum by stratum.

    def ground(self) -> Grounding:
        static = [rule for rule in self.flat if rule.head[0] not in self.dynamic]
        patterns = list(dict.fromkeys(pattern for rule in static for pattern, _ in (rule.head, *rule.body())))
        places = {pattern: i for i, pattern in enumerate(patterns)}
        about: list[list[FlatRule]] = [[] for _ in patterns]
        for rule in static:
            about[places[rule.head[0]]].append(rule)
        needs = [[places[pattern] for rule in own for pattern, _ in rule.body()] for own in about]
        for group in components(needs):
            inside = {patterns[i] for i in group}
            own = [rule for i in group for rule in about[i]]
            for rule in own:
                for pattern, _ in rule.negative:
                    if pattern in inside:
                        raise self.cycle(rule, pattern)
            self._fixpoint(own, inside)
        roles = [row[0] for row in self.tables.get(("role", None), Relation(None, 1)).rows]
        self._check_roles(roles)
        self._dynamic_part(roles)
        return self._result(roles)

    def _check_roles(self, roles: list[int]) -> None:
        """What rules make a role of, too, is a word, and not chance."""
        about = {rule.head[0]: rule.rule.form for rule in self.flat if rule.head[0][0] == "role"}
        for pattern, form in about.items():
            if pattern != ("role", None) and self.tables[pattern].rows:
                raise self.rules.sheet.refusal("a role is a word; here it is a function of others", form)
        if self.numbers.get("random") in roles:
            raise self.rules.sheet.refusal(NO_CHANCE, about["role", None])
        if not roles:
            first = next(rule for rule in self.rules.rules if rule.head[0] == "role")
            raise self.rules.sheet.refusal("no role follows from the rules", first.form)

    def cycle(self, rule: FlatRule, pattern: Pattern) -> SheetError:
        return negation_in_a_cycle(self.rules, rule.rule.head[0], pattern[0])

    def _fixpoint(self, rules: list[FlatRule], growing: set[Pattern], follow: Callable[[], None] | None = None) -> None:
        """All instances of some rules, of which the `growing` patterns are the heads."""
        start = self.count
        joins: dict[Pattern, list[Join]] = {}
        for rule in rules:
            inside = [i for i, (pattern, _) in enumerate(rule.positive) if pattern in growing]
            for new in inside:
                joins.setdefault(rule.positive[new][0], []).append(self._join(rule, new, growing))
            if not inside:
                self._run(self._join(rule, None, growing), 0, 0)
        tables = [self.tables[pattern] for pattern in growing]
        tables.sort(key=lambda table: str(table.pattern))
        while True:
            if follow is not None:
                follow()
            end = self.count
            for table in tables:
                table.turn()
            if start == end:
                return
            for table in tables:
                if table.delta:
                    for join in joins.get(table.pattern, ()):
                        self._run(join, start, end)
            start = end

    def _join(self, rule: FlatRule, new: int | None, growing: set[Pattern]) -> Join:
        return Join(rule, new, self.tables, self.numbers, self.dynamic, growing, self._mentioning)

    def _run(self, join: Join, start: int, end: int) -> None:
        self._current = join.rule
        before = self.instances + self.count
        table = self.tables[join.rule.head[0]]
        emit = self._emit_dynamic(table) if table.pattern in self.dynamic else self._emit_static(table)
        try:
            join.run(start, end, emit, self._tick)
        except (SyntaxError, RecursionError):  # of Python, as which rules are run
            what = "this rule has too many conditions to be compiled; let some of them be a relation of its own"
            raise TooLarge(str(self.rules.sheet.refusal(what, join.rule.rule.form))) from None
        self._blame[join.rule] += self.instances + self.count - before
        self._tick()

    def _emit_static(self, table: Relation) -> Callable[[Row, tuple[int, ...]], None]:
        known = table.known

        def emit(head: Row, body: tuple[int, ...]) -> None:
            if head not in known:
                self._new(table, head)

        return emit

    def _emit_dynamic(self, table: Relation) -> Callable[[Row, tuple[int, ...]], None]:
        known, bodies = table.known, self.bodies

        def emit(head: Row, body: tuple[int, ...]) -> None:
            row = known.get(head)
            if row is None:
                row = self._new(table, head)
                bodies[row[-1]] = {}
            own = bodies[row[-1]]
            if body not in own:
                own[body] = None
                self.instances += 1
                if self.instances > MOST_INSTANCES:
                    raise self._explodes(f"rules have more than {MOST_INSTANCES:,} instances")

        return emit

    def _new(self, table: Relation, head: Row) -> Row:
        row = (*head, self.count)
        table.known[head] = row
        table.fresh.append(row)
        self.count += 1
        if self.count > MOST_STATEMENTS:
            raise self._explodes(f"more than {MOST_STATEMENTS:,} statements can hold")
        return row

    def _tick(self) -> int:
        if time.thread_time() > self._until:
            raise TooSlow(str(self._explodes(f"grounding takes more than {MOST_SECONDS:g} s")))
        return 0

    def _explodes(self, what: str) -> SheetError:
        assert self._current is not None
        blamed = self._current
        if self._blame and (most := self._blame.most_common(1)[0])[1] > (self.instances + self.count) / 2:
            blamed = most[0]
        of = f"{what}; most of it comes of this rule for '{blamed.rule.head[0]}'; {SMALLER}"
        return TooLarge(str(self.rules.sheet.refusal(of, blamed.rule.form)))

    def _mentioning(self, pattern: Pattern) -> Callable[[Row], int]:
        """Numbers, below 0, for atoms that must fail; whether they can hold at all is seen in the end."""
        known = self._mentions.setdefault(pattern, {})

        def number(leaves: Row) -> int:
            if leaves not in known:
                self.mentioned.append((pattern, leaves))
                known[leaves] = -len(self.mentioned)
            return known[leaves]

        return number

    # What is dynamic, all at once.

    def _dynamic_part(self, roles: list[int]) -> None:
        rules = [rule for rule in self.flat if rule.head[0] in self.dynamic]
        growing = {pattern for pattern in self.tables if pattern in self.dynamic or pattern[0] in ("true", "does")}
        self.dynamic |= growing
        players = set(roles)
        sources = [table for pattern, table in self.tables.items() if pattern[0] in FOLLOWS]
        first = True

        def follow() -> None:
            nonlocal first
            for table in sources:
                following = self.tables[(FOLLOWS[table.pattern[0]], *table.pattern[1:])]
                if following.pattern[0] == "does" and following.pattern[1] is not None:
                    continue  # no role is a function of others
                rows = table.rows if table.pattern[0] == "init" else table.fresh
                if table.pattern[0] == "init" and not first:
                    continue
                for row in rows:
                    if row[:-1] not in following.known and (following.pattern[0] == "true" or row[0] in players):
                        self._new(following, row[:-1])
            first = False

        self._fixpoint(rules, growing, follow)

    def _result(self, roles: list[int]) -> Grounding:
        """With terms again, and without literals about what never holds."""
        words = list(self.numbers)
        numbers: dict[int, int] = {}
        atoms: list[Term] = []
        found = [
            (row[-1], table.pattern, row)
            for pattern, table in self.tables.items()
            if pattern in self.dynamic
            for row in table.rows
        ]
        for number, pattern, row in sorted(found, key=lambda entry: entry[0]):
            numbers[number] = len(atoms)
            atoms.append(whole(pattern, (words[constant] for constant in row[:-1])))
        mentions = [self.tables[pattern].known.get(leaves) for pattern, leaves in self.mentioned]
        bodies: list[list[tuple[int, ...]]] = [[] for _ in atoms]
        for number, own in self.bodies.items():
            for body in own:
                literals = set()
                for literal in body:
                    if literal >= 0:
                        literals.add(2 * numbers[literal])
                    elif (row_ := mentions[-literal - 1]) is not None:
                        literals.add(2 * numbers[row_[-1]] + 1)
                bodies[numbers[number]].append(tuple(sorted(literals)))
        initial = [
            numbers[self.tables[("true", *pattern[1:])].known[row[:-1]][-1]]
            for pattern, table in self.tables.items()
            if pattern[0] == "init"
            for row in table.rows
        ]
        names = [words[role] for role in roles]
        return Grounding(names, atoms, sorted(initial), bodies, self.rules, self.count, self.instances)


def _numbered(rules: list[FlatRule]) -> dict[str, int]:
    """The constants of the rules by numbers, in their order."""
    words = {leaf for rule in rules for _, leaves in (rule.head, *rule.body()) for leaf in leaves}
    words |= {leaf for rule in rules for pair in rule.distinct for leaf in pair}
    constants = sorted((word for word in words if word[0] != "?"), key=in_order)
    return {word: i for i, word in enumerate(constants)}


def negation_in_a_cycle(rules: Rules, head: object, negated: object) -> SheetError:
    """Where something depends on its own failing; the head may be a part of a rule, which has no name of its own."""
    places = [
        (rule.head[0] != head, literal.form.start, rule, literal)
        for rule in rules.rules
        for literal in rule.body
        if literal.kind is Kind.FAILS and literal.atom[0] == negated
    ]
    _, _, rule, literal = min(places, key=lambda place: place[:2])
    name = rule.head[0]
    what = f"'{name}' depends on '{negated}' failing here, and '{negated}' on '{name}'; break the cycle"
    return rules.sheet.refusal(what, literal.form)

"""Rules whose variables stand for constants alone.

Glossary
    pattern    an atom or a term without its constants and variables: `("true", ("cell", None, None, None))`
    leaf       a constant or a variable in such a place
    flat       an atom as its pattern and its leaves; a flat rule has no functions any more, only more kinds of atoms

A variable of the sheet may stand for a function, as in `(<= (next ?fact) (true ?fact) …)`. Which functions a relation
can have in which place is worked out first, from the rules alone; then each rule is written once for all that its
variables can stand for.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, TypeVar

from domains.gdl.graphs import with_what_follows
from domains.gdl.terms import Atom, Kind, Rule, Rules, Term

Pattern = Any
"""None for a leaf, or a name with patterns, as a tuple."""
Leaves = tuple[str, ...]
FlatAtom = tuple[Pattern, Leaves]
OnLook = Callable[[Rule], None]
"""Called now and then with the rule that is looked at; it may raise `SheetError` when the time is up."""

DEEPEST = 12
One = TypeVar("One")
MOST_WAYS = 100_000
"""In which one rule can be meant."""
MOST_PATTERNS = 10_000
ROOTS = ("role", "init", "legal", "next", "goal", "terminal")
FOLLOWS = {"init": "true", "next": "true", "legal": "does"}
"""What is possible follows: (true F) from (init F) and (next F), (does R M) from (legal R M)."""


@dataclass(frozen=True, slots=True)
class FlatRule:
    """Of two leaves in `distinct`, at least one is a variable."""

    head: FlatAtom
    positive: tuple[FlatAtom, ...]
    negative: tuple[FlatAtom, ...]
    distinct: tuple[tuple[str, str], ...]
    rule: Rule
    """Where it comes from."""

    def body(self) -> tuple[FlatAtom, ...]:
        return self.positive + self.negative


def pattern_of(term: Term) -> Pattern:
    return None if isinstance(term, str) else (term[0], *map(pattern_of, term[1:]))


def leaves_of(term: Term) -> Iterator[str]:
    if isinstance(term, str):
        yield term
    else:
        for part in term[1:]:
            yield from leaves_of(part)


def flat(atom: Atom) -> FlatAtom:
    return pattern_of(atom), tuple(leaves_of(atom))


def whole(pattern: Pattern, leaves: Iterator[str]) -> Term:
    """The term again."""
    if pattern is None:
        return next(leaves)
    return (pattern[0], *[whole(part, leaves) for part in pattern[1:]])


def depth_of(pattern: Pattern) -> int:
    return 0 if pattern is None else 1 + max(map(depth_of, pattern[1:]), default=0)


def flat_rules(rules: Rules, on_look: OnLook = lambda rule: None) -> list[FlatRule]:
    """All that can matter to what a game is asked. Raises `SheetError` for terms without bound."""
    patterns = _patterns(rules, on_look)
    found: dict[FlatRule, None] = {}
    for rule in rules.rules:
        if rule.head[0] not in ("base", "input"):
            ways = (one for by in _meanings(rule, patterns, on_look) for one in _flattened(rule, by, patterns))
            found |= dict.fromkeys(_limited(ways, rules, rule))
    return needed(list(found))


def _limited(found: Iterator[One], rules: Rules, rule: Rule) -> Iterator[One]:
    """All that a rule stands for, unless there is no end of it."""
    for count, one in enumerate(found):
        if count == MOST_WAYS:
            raise rules.sheet.refusal(
                f"this rule stands for over {MOST_WAYS:,} rules about words alone; give it fewer conditions that fit "
                "anything, or fewer distinct",
                rule.form,
            )
        yield one


def needed(rules: Sequence[FlatRule]) -> list[FlatRule]:
    """Without rules about what nothing depends on."""
    about: dict[Pattern, list[FlatRule]] = {}
    for rule in rules:
        about.setdefault(rule.head[0], []).append(rule)
    waiting = [pattern for pattern in about if pattern[0] in ROOTS]
    reached = set(waiting)
    while waiting:
        for rule in about.get(waiting.pop(), ()):
            for pattern, _ in rule.body():
                if pattern not in reached:
                    reached.add(pattern)
                    waiting.append(pattern)
    return [rule for rule in rules if rule.head[0] in reached]


Patterns = dict[str, dict[Pattern, None]]
"""Of each relation, in the order in which they were found."""


def _patterns(rules: Rules, on_look: OnLook) -> Patterns:
    """All that atoms can look like, from the rules' heads, until no more come."""
    found: Patterns = {}
    changed = {str(rule.head[0]) for rule in rules.rules} | {"true", "does"}
    first = True
    while changed:
        before, changed = changed, set()
        for rule in rules.rules:
            asked = {literal.atom[0] for literal in rule.body if literal.kind is Kind.HOLDS}
            if not (asked & before or (first and not asked)):
                continue
            for by in _limited(_meanings(rule, found, on_look), rules, rule):
                pattern = pattern_of(_formed(rule.head, by))
                for name in (str(rule.head[0]), FOLLOWS.get(str(rule.head[0]), "")):
                    known = found.setdefault(name, {})
                    if name and (name, *pattern[1:]) not in known:
                        known[(name, *pattern[1:])] = None
                        changed.add(name)
                if depth_of(pattern) > DEEPEST + 1:
                    what = f"this rule nests terms over {DEEPEST} deep, and nothing says where it ends; add what does"
                    raise rules.sheet.refusal(what, rule.form)
        if sum(map(len, found.values())) > MOST_PATTERNS:
            first_rules = {str(rule.head[0]): rule for rule in reversed(rules.rules)}
            most = max(first_rules, key=lambda name: len(found.get(name, ())))
            what = (
                f"there are over {MOST_PATTERNS:,} kinds of statements, most of them by rules for '{most}', as this is"
            )
            raise rules.sheet.refusal(f"{what}; let terms be nested in fewer ways", first_rules[most].form)
        first = False
    return found


Meaning = dict[str, Term]
"""What each variable stands for: itself, or a function of variables that stand for themselves."""


def _meanings(rule: Rule, patterns: Patterns, on_look: OnLook) -> Iterator[Meaning]:
    """All that the variables of a rule can stand for, in the order of its conditions and of what they can look like.

    Conditions that can look like few things are met first: where 100 words fit anything and a few triples fit each
    other, three words alone would be a million tries.
    """
    asked = [literal.atom for literal in rule.body if literal.kind is Kind.HOLDS]
    known = [list(patterns.get(str(atom[0]), ())) for atom in asked]
    order = sorted(range(len(asked)), key=lambda i: len(known[i]))
    looks_like = [0] * len(asked)

    def from_here(place: int, by: Meaning) -> Iterator[tuple[list[int], Meaning]]:
        if place == len(order):
            yield looks_like.copy(), by
            return
        i = order[place]
        on_look(rule)
        for number, pattern in enumerate(known[i]):
            looks_like[i], more = number, dict(by)
            if all(_fits(term, part, more) for term, part in zip(asked[i][1:], pattern[1:], strict=True)):
                yield from from_here(place + 1, more)

    found = from_here(0, {})
    if order != sorted(order):
        found = iter(sorted(islice(found, MOST_WAYS + 1), key=lambda one: one[0]))
    return (by for _, by in found)


def _fits(term: Term, pattern: Pattern, by: Meaning) -> bool:
    """Whether a term can look like a pattern; `by` learns what its variables stand for then."""
    if isinstance(term, tuple):
        if pattern is None or len(pattern) != len(term) or pattern[0] != term[0]:
            return False
        return all(_fits(part, inner, by) for part, inner in zip(term[1:], pattern[1:], strict=True))
    if term[0] != "?":
        return pattern is None
    if term in by:
        return bool(pattern_of(by[term]) == pattern)
    count = 0

    def named(inner: Pattern) -> Term:
        nonlocal count
        if inner is None:
            count += 1
            return f"{term} {count}"  # which no variable of a sheet is called
        return (inner[0], *map(named, inner[1:]))

    by[term] = term if pattern is None else named(pattern)
    return True


def _formed(term: Any, by: Meaning) -> Any:
    if isinstance(term, tuple):
        return (term[0], *[_formed(part, by) for part in term[1:]])
    return by.get(term, term)


def _flattened(rule: Rule, by: Meaning, patterns: Patterns) -> Iterator[FlatRule]:
    """A rule for one meaning of its variables; several if there are several ways for functions to differ."""
    positive: dict[FlatAtom, None] = {}
    negative: dict[FlatAtom, None] = {}
    ways: list[list[tuple[str, str]]] = []
    for literal in rule.body:
        atom = _formed(literal.atom, by)
        if literal.kind is Kind.HOLDS:
            positive[flat(atom)] = None
        elif literal.kind is Kind.FAILS:
            if pattern_of(atom) in patterns.get(str(atom[0]), ()):
                negative[flat(atom)] = None
        elif (pairs := _differences(atom[1], atom[2])) is not None:
            ways.append(pairs)
    for distinct in product(*ways):
        unique = tuple(dict.fromkeys(distinct))
        yield FlatRule(flat(_formed(rule.head, by)), tuple(positive), tuple(negative), unique, rule)


def _differences(one: Term, other: Term) -> list[tuple[str, str]] | None:
    """The pairs of leaves one of which must differ; None if the terms do in any case."""
    if pattern_of(one) != pattern_of(other):
        return None
    pairs = [pair for pair in zip(leaves_of(one), leaves_of(other), strict=True) if pair[0] != pair[1]]
    if any(first[0] != "?" and second[0] != "?" for first, second in pairs):
        return None
    return pairs


def changing(rules: Sequence[FlatRule]) -> set[Pattern]:
    """The patterns of what depends on the state or on moves, and of all that a game is asked in a state."""
    found = {pattern for rule in rules for pattern, _ in rule.body() if pattern[0] in ("true", "does")}
    found |= {rule.head[0] for rule in rules if rule.head[0][0] in ("legal", "next", "goal", "terminal")}
    return with_what_follows(found, ((rule.head[0], [pattern for pattern, _ in rule.body()]) for rule in rules))

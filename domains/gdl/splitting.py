"""Rules in parts: what shares only variables of the head becomes a relation of its own.

In `(<= (goal white 100) (true (cell ?x ?y white)) (true (piece ?z)))` a place and a piece are looked for, one for
each. As one rule that is every place with every piece; in two parts, places and pieces. A part is a relation over those
of its variables that the head has, and rules that have the same part share it.

Where that does not suffice, variables are taken out of rules one by one: the conditions with a variable become a
relation over their other variables, those first that have few of them.
"""

from collections.abc import Sequence

from domains.gdl.forms import FlatAtom, FlatRule, Leaves, Pattern

Part = tuple[tuple[FlatAtom, ...], tuple[FlatAtom, ...], tuple[tuple[str, str], ...]]
"""Positive and negative conditions, and what must be distinct."""


def split_rules(rules: Sequence[FlatRule], dynamic: set[Pattern], one_by_one: bool = False) -> list[FlatRule]:
    """The same rules, in parts; `dynamic` learns which of the new relations depend on the state. With `one_by_one`,
    variables are taken out of them as well."""
    splitter = _Splitter(dynamic)
    for rule in rules:
        splitter.add(rule)
    if one_by_one:
        splitter.take_out_variables()
    return splitter.rules


class _Splitter:
    def __init__(self, dynamic: set[Pattern]) -> None:
        self.dynamic = dynamic
        self.rules: list[FlatRule] = []
        self.parts: dict[tuple[Part, Leaves], Pattern] = {}

    def add(self, rule: FlatRule) -> None:
        bound = {leaf for leaf in rule.head[1] if leaf[0] == "?"}
        groups, rest = _groups(rule, bound)
        if not groups or (len(groups) == 1 and not any(rest)):
            self.rules.append(rule)
            return
        positive, negative, distinct = list(rest[0]), list(rest[1]), list(rest[2])
        for group in groups:
            part = self._guarded(group, rest[0])
            if part is None:
                positive += group[0]
                negative += group[1]
                distinct += group[2]
            else:
                positive.append(self._relation(part, bound, rule))
        self.rules.append(FlatRule(rule.head, tuple(positive), tuple(negative), tuple(distinct), rule.rule))

    def take_out_variables(self) -> None:
        """From all rules, in their order, which that of the roles follows."""
        waiting, done = self.rules[::-1], []
        while waiting:
            rule, self.rules = waiting.pop(), []
            smaller = self.without_a_variable(rule)
            if smaller is None:
                done.append(rule)
            else:
                waiting += [*self.rules, smaller]
        self.rules = done

    def without_a_variable(self, rule: FlatRule) -> FlatRule | None:
        """The rule with a relation instead of the conditions that one of its variables is in; the relation's rule is
        added. None if there is no such variable, or it does not pay."""
        every: Part = rule.positive, rule.negative, rule.distinct
        most = max((len(set(leaves)) for _, leaves in rule.body()), default=0)
        found: tuple[int, Part, Part, set[str]] | None = None
        for variable in _variables(every):
            if variable in rule.head[1]:
                continue
            inside, outside = _with_and_without(every, variable)
            shown = set(_variables(inside)) - {variable}
            changes = any(pattern in self.dynamic for pattern, _ in inside[0] + inside[1])
            if changes and any(outside) and len(shown) <= max(2, most) and (found is None or len(shown) < found[0]):
                part = self._guarded(inside, outside[0])
                smaller = part is not None and sum(map(len, part)) < sum(map(len, every))
                if part is not None and smaller and set(_variables(part)) <= shown | {variable}:
                    found = len(shown), part, outside, shown
        if found is None:
            return None
        _, part, (positive, negative, distinct), shown = found
        return FlatRule(rule.head, (*positive, self._relation(part, shown, rule)), negative, distinct, rule.rule)

    def _guarded(self, group: Part, rest: Sequence[FlatAtom]) -> Part | None:
        """A part that knows the values of all its variables, by conditions taken from the rest where it must be."""
        positive, negative, distinct = group
        known = {leaf for _, leaves in positive for leaf in leaves}
        missing = [leaf for leaf in _variables(group) if leaf not in known]
        guards: list[FlatAtom] = []
        for variable in missing:
            if any(variable in leaves for _, leaves in guards):
                continue
            fitting = [atom for atom in rest if variable in atom[1]]
            if not fitting:
                return None
            guards.append(min(fitting, key=lambda atom: (atom[0] in self.dynamic, len(set(atom[1])))))
        return (*guards, *positive), negative, distinct

    def _relation(self, part: Part, bound: set[str], rule: FlatRule) -> FlatAtom:
        """The atom that stands for a part."""
        names = {leaf: f"?{i}" for i, leaf in enumerate(_variables(part))}
        shown = [leaf for leaf in names if leaf in bound]

        def renamed(leaves: Leaves) -> Leaves:
            return tuple(names.get(leaf, leaf) for leaf in leaves)

        positive, negative = (tuple((pattern, renamed(leaves)) for pattern, leaves in atoms) for atoms in part[:2])
        distinct = tuple((names.get(one, one), names.get(other, other)) for one, other in part[2])
        key = (positive, negative, distinct), renamed(tuple(shown))
        pattern = self.parts.get(key)
        if pattern is None:
            pattern = (f"part {len(self.parts) + 1}", *[None] * len(shown))
            self.parts[key] = pattern
            self.rules.append(FlatRule((pattern, key[1]), *key[0], rule.rule))
            if any(asked in self.dynamic for asked, _ in positive + negative):
                self.dynamic.add(pattern)
        return pattern, tuple(shown)


def _variables(part: Part) -> dict[str, None]:
    positive, negative, distinct = part
    every = [leaves for _, leaves in positive + negative] + list(distinct)
    return {leaf: None for leaves in every for leaf in leaves if leaf[0] == "?"}


def _with_and_without(part: Part, variable: str) -> tuple[Part, Part]:
    """The conditions that a variable is in, and the others."""
    positive, negative, distinct = part
    inside: Part = (
        tuple(atom for atom in positive if variable in atom[1]),
        tuple(atom for atom in negative if variable in atom[1]),
        tuple(pair for pair in distinct if variable in pair),
    )
    outside: Part = (
        tuple(atom for atom in positive if variable not in atom[1]),
        tuple(atom for atom in negative if variable not in atom[1]),
        tuple(pair for pair in distinct if variable not in pair),
    )
    return inside, outside


def _groups(rule: FlatRule, bound: set[str]) -> tuple[list[Part], Part]:
    """The conditions that hang together by variables which the head does not have; and the rest, which have none."""
    above: dict[str, str] = {}

    def root(variable: str) -> str:
        while above.setdefault(variable, variable) != variable:
            variable = above[variable]
        return variable

    def own(leaves: Sequence[str]) -> list[str]:
        return [leaf for leaf in leaves if leaf[0] == "?" and leaf not in bound]

    for leaves in [*[leaves for _, leaves in rule.body()], *rule.distinct]:
        local = own(leaves)
        for variable in local:
            above[root(variable)] = root(local[0])

    def group(leaves: Sequence[str]) -> str:
        return next((root(leaf) for leaf in own(leaves)), "")

    names = dict.fromkeys(["", *(group(leaves) for _, leaves in rule.body()), *map(group, rule.distinct)])
    parts = {
        name: (
            tuple(atom for atom in rule.positive if group(atom[1]) == name),
            tuple(atom for atom in rule.negative if group(atom[1]) == name),
            tuple(pair for pair in rule.distinct if group(pair) == name),
        )
        for name in names
    }
    rest = parts.pop("")
    return list(parts.values()), rest

"""Rules in parts: what shares only variables of the head becomes a relation of its own.

In `(<= (goal white 100) (true (cell ?x ?y white)) (true (piece ?z)))` a place and a piece are looked for, one for each.
As one rule that is every place with every piece; in two parts, places and pieces. A part is a relation over those of its
variables that the head has, and rules that have the same part share it.
"""

from collections.abc import Sequence

from domains.gdl.forms import FlatAtom, FlatRule, Leaves, Pattern

Part = tuple[tuple[FlatAtom, ...], tuple[FlatAtom, ...], tuple[tuple[str, str], ...]]
"""Positive and negative conditions, and what must be distinct."""


def split_rules(rules: Sequence[FlatRule], dynamic: set[Pattern]) -> list[FlatRule]:
    """The same rules, in parts; `dynamic` learns which of the new relations depend on the state."""
    splitter = _Splitter(dynamic)
    for rule in rules:
        splitter.add(rule)
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
            part = self._guarded(group, rest[0], bound)
            if part is None:
                for whole, more in zip((positive, negative, distinct), group, strict=True):
                    whole += more  # type: ignore[arg-type]
            else:
                positive.append(self._relation(part, bound, rule))
        self.rules.append(FlatRule(rule.head, tuple(positive), tuple(negative), tuple(distinct), rule.rule))

    def _guarded(self, group: Part, rest: Sequence[FlatAtom], bound: set[str]) -> Part | None:
        """A part that knows the values of all its variables, by conditions that it takes from the rest where it must."""
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
        key = ((positive, negative, tuple((names.get(a, a), names.get(b, b)) for a, b in part[2])), renamed(tuple(shown)))
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
    gathered: dict[str, tuple[list[FlatAtom], list[FlatAtom], list[tuple[str, str]]]] = {"": ([], [], [])}
    for i, atoms in enumerate((rule.positive, rule.negative)):
        for atom in atoms:
            local = own(atom[1])
            gathered.setdefault(root(local[0]) if local else "", ([], [], []))[i].append(atom)  # type: ignore[arg-type]
    for pair in rule.distinct:
        local = own(pair)
        gathered.setdefault(root(local[0]) if local else "", ([], [], []))[2].append(pair)
    parts = {name: (tuple(group[0]), tuple(group[1]), tuple(group[2])) for name, group in gathered.items()}
    rest = parts.pop("")
    return list(parts.values()), rest

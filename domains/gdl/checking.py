"""Forms to rules, and what the language demands of them."""

from collections.abc import Sequence
from itertools import product

from domains.gdl.graphs import with_what_follows
from domains.gdl.reading import Form, Listing, Sheet, SheetError, Symbol
from domains.gdl.terms import (
    NO_CHANCE,
    Atom,
    Kind,
    Literal,
    Rule,
    Rules,
    Term,
    is_goal,
    is_variable,
    replaced_atom,
    unified,
    variables_in,
    variables_of,
)
from domains.saying import cut, suggestion

ARITIES = {
    "role": 1,
    "init": 1,
    "true": 1,
    "does": 2,
    "next": 1,
    "legal": 2,
    "goal": 2,
    "terminal": 0,
    "base": 1,
    "input": 2,
    "distinct": 2,
    "sees": 2,
}
"""The words of the language."""
CONNECTIVES = {"not", "or", "and"}
NOT_IN_HEADS = {
    "true": "what is true follows from init and next",
    "does": "the players decide what they do",
    "distinct": "whether terms are distinct is a matter of how they are written",
    **dict.fromkeys(CONNECTIVES, "a head is one statement"),
}
NOT_IN_BODIES = {
    "init": "what holds in the beginning is asked by (true …) in the first state",
    "next": "what comes next is known only when it has come, by (true …)",
    "base": "it only says which facts there are",
    "input": "it only says which moves there are",
}
NEEDED = {
    "role": "write (role NAME)",
    "legal": "write (<= (legal ROLE MOVE) …)",
    "next": "write (<= (next FACT) …)",
    "goal": "write (<= (goal ROLE NUMBER) …)",
    "terminal": "write (<= terminal …)",
}
MOST_CASES = 4096
"""Of one rule, written out without `or`."""

Condition = tuple[Kind | None, Atom, Form]
"""A literal; None: the two terms of a `distinct` are the same."""


def check_sheet(sheet: Sheet) -> Rules:
    """The rules of a sheet. Raises `SheetError` with what is wrong, and where."""
    rules = [rule for form in sheet.forms for rule in _Reader(sheet).rules_of(form)]
    _check_arities(sheet, rules)
    heads = {rule.head[0] for rule in rules}
    for name, how in NEEDED.items():
        if name not in heads:
            raise SheetError(f"{sheet.name}: no rule is about '{name}', and a game has one; {how}")
    _check_dependence(sheet, rules)
    return Rules(sheet, tuple(rules), tuple(_warnings(sheet, rules)))


class _Reader:
    """One form of the sheet to rules."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet

    def rules_of(self, form: Form) -> list[Rule]:
        if not (isinstance(form, Listing) and form.parts and _word(form.parts[0]) in ("<=", "=>")):
            rule = Rule(self._head(form), (), form)
            self._check_safe(rule, form)
            return [rule]
        if _word(form.parts[0]) == "=>":
            raise self.sheet.refusal("a rule is written (<= HEAD CONDITION …), the other way round", form.parts[0])
        if len(form.parts) == 1:
            raise self.sheet.refusal("a rule has a head: (<= HEAD CONDITION …)", form)
        head = self._head(form.parts[1])
        cases: list[list[Condition]] = [[]]
        for part in form.parts[2:]:
            cases = self._both(cases, self._cases(part, True), form)
        rules = []
        for case in cases:
            solved = _solved(head, case, form)
            if solved is not None:
                self._check_safe(solved, form.parts[1])
                rules.append(solved)
        return rules

    def _head(self, form: Form) -> Atom:
        atom = self._atom(form)
        name = str(atom[0])
        if name in NOT_IN_HEADS:
            raise self.sheet.refusal(f"'{name}' cannot be the head of a rule: {NOT_IN_HEADS[name]}", form)
        if atom == ("role", "random"):
            raise self.sheet.refusal(NO_CHANCE, form)
        if name == "goal" and isinstance(atom[2], str) and not is_variable(atom[2]):
            value = atom[2]
            if not is_goal(value):
                raise self.sheet.refusal(f"a goal is a whole number from 0 to 100, not {cut(value, 20)}", form)
        return atom

    def _cases(self, form: Form, positive: bool) -> list[list[Condition]]:
        """The ways in which a condition can hold, or fail; each a list of literals."""
        name = _word(form.parts[0]) if isinstance(form, Listing) and form.parts else ""
        if isinstance(form, Symbol) or name not in CONNECTIVES:
            return [[self._condition(form, positive)]]
        inside = form.parts[1:]
        if name == "not":
            if len(inside) != 1:
                raise self.sheet.refusal(f"'not' stands before one condition; here are {len(inside)}", form)
            return self._cases(inside[0], not positive)
        if not inside:
            raise self.sheet.refusal(f"'{name}' has no conditions", form)
        ways = [self._cases(part, positive) for part in inside]
        if (name == "or") == positive:
            return [case for way in ways for case in way]
        cases: list[list[Condition]] = [[]]
        for way in ways:
            cases = self._both(cases, way, form)
        return cases

    def _both(self, some: list[list[Condition]], others: list[list[Condition]], form: Form) -> list[list[Condition]]:
        if len(some) * len(others) > MOST_CASES:
            raise self.sheet.refusal(
                f"without 'or' this is over {MOST_CASES} rules; write it as several relations", form
            )
        return [[*one, *other] for one, other in product(some, others)]

    def _condition(self, form: Form, positive: bool) -> Condition:
        atom = self._atom(form)
        name = str(atom[0])
        if name in NOT_IN_BODIES:
            raise self.sheet.refusal(f"'{name}' cannot be a condition: {NOT_IN_BODIES[name]}", form)
        if name == "distinct":
            return Kind.DISTINCT if positive else None, atom, form
        return Kind.HOLDS if positive else Kind.FAILS, atom, form

    def _atom(self, form: Form) -> Atom:
        term = self._term(form, "a statement")
        atom: Atom = term if isinstance(term, tuple) else (term,)
        name = str(atom[0])
        if name[0] == "?":
            raise self.sheet.refusal(f"{name} is a variable, where the name of a relation is expected", form)
        if name == "sees":
            what = "'sees' belongs to GDL-II (imperfect information), which is not supported; leave it out"
            raise self.sheet.refusal(what, form)
        if name == "<=":
            raise self.sheet.refusal("a rule cannot stand inside another; is a parenthesis missing before it?", form)
        if name in ARITIES and len(atom) - 1 != ARITIES[name]:
            raise self.sheet.refusal(f"'{name}' has {_arguments(ARITIES[name])}; here are {len(atom) - 1}", form)
        return atom

    def _term(self, form: Form, what: str = "a term") -> Term:
        if isinstance(form, Symbol):
            return form.text
        if not form.parts:
            raise self.sheet.refusal(f"() is empty, where {what} is expected", form)
        first = form.parts[0]
        if isinstance(first, Listing):
            raise self.sheet.refusal(f"{what} begins with a word, not with a parenthesis", first)
        if len(form.parts) == 1:
            return first.text
        if first.is_variable and what == "a term":
            raise self.sheet.refusal(f"{first.text} is a variable, where the name of a function is expected", first)
        return (first.text, *[self._term(part) for part in form.parts[1:]])

    def _check_safe(self, rule: Rule, head: Form) -> None:
        """Every variable must be in a positive condition."""
        known = variables_in(literal.atom for literal in rule.body if literal.kind is Kind.HOLDS)
        places = [(literal.atom, literal.form) for literal in rule.body if literal.kind is not Kind.HOLDS]
        for atom, form in [*places, (rule.head, head)]:
            for variable in variables_of(atom):
                if variable not in known:
                    what = f"{variable} is in no positive condition of this rule, so its values are not known here"
                    raise self.sheet.refusal(what, form)


def _word(form: Form) -> str:
    return form.text if isinstance(form, Symbol) else ""


def _arguments(n: int) -> str:
    return "no arguments" if n == 0 else "1 argument" if n == 1 else f"{n} arguments"


def _solved(head: Atom, case: Sequence[Condition], form: Form) -> Rule | None:
    """A rule whose equations are worked into the rest; None if they have no solution."""
    by: dict[str, Term] | None = {}
    for kind, atom, _ in case:
        if kind is None and by is not None:
            by = unified(atom[1], atom[2], by)
    if by is None:
        return None
    body = tuple(Literal(kind, replaced_atom(atom, by), at) for kind, atom, at in case if kind is not None)
    return Rule(replaced_atom(head, by), tuple(dict.fromkeys(body)), form)


def _check_arities(sheet: Sheet, rules: Sequence[Rule]) -> None:
    """A relation has the same number of arguments everywhere."""
    known: dict[str, int] = {}
    for rule in rules:
        for atom, form in [(rule.head, rule.form), *[(literal.atom, literal.form) for literal in rule.body]]:
            name, n = str(atom[0]), len(atom) - 1
            if known.setdefault(name, n) != n:
                raise sheet.refusal(f"'{name}' has {_arguments(known[name])} elsewhere; here are {n}", form)


def _check_dependence(sheet: Sheet, rules: Sequence[Rule]) -> None:
    """What holds in a state does not depend on the moves made there, and what holds in the beginning on no state."""
    on_moves = depending_on(rules, {"does"})
    on_states = depending_on(rules, {"does", "true"})
    of_states = depending_on(rules, {"legal", "goal", "terminal", "next"})
    for rule in rules:
        name = str(rule.head[0])
        if name in ("legal", "goal", "terminal"):
            wrong, why = on_moves, f"and '{name}' must be known before anybody moves"
        elif name in ("init", "role"):
            wrong, why = on_states, f"and '{name}' is the same in all games"
        else:
            continue
        for literal in rule.body:
            if wrong is on_states and literal.atom[0] in of_states - on_states:
                what = f"'{literal.atom[0]}' is asked in states, {why}"
                raise sheet.refusal(what, literal.form)
            if literal.atom[0] in wrong:
                what = f"'{literal.atom[0]}' depends on the {'moves' if wrong is on_moves else 'state'}, {why}"
                raise sheet.refusal(what, literal.form)


def depending_on(rules: Sequence[Rule], roots: set[str]) -> set[str]:
    """These relations, and those that follow from them by rules; not through `next`, which is of another state."""
    return with_what_follows(
        roots,
        (
            (str(rule.head[0]), [str(literal.atom[0]) for literal in rule.body])
            for rule in rules
            if rule.head[0] not in ("next", "init")
        ),
    )


def _warnings(sheet: Sheet, rules: Sequence[Rule]) -> list[str]:
    heads = {str(rule.head[0]) for rule in rules}
    found = [] if "init" in heads else ["nothing holds in the beginning: there is no 'init'"]
    told = set()
    for rule in rules:
        for literal in rule.body:
            name = str(literal.atom[0])
            if name not in heads and name not in ARITIES and name not in told:
                told.add(name)
                line = sheet.text.count("\n", 0, literal.form.start) + 1
                hint = suggestion(name, sorted(heads), "it never holds")
                found.append(f"line {line}: no rule is about '{name}'{hint}")
    return found

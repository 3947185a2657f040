"""An independent judge of rule sheets: clingo works out from the text of a sheet what holds in a state.

Nothing of `domains/gdl` is used, and nothing is grounded ahead or simplified: the rules become a logic program as they
stand, the state and the moves become facts, and the one stable model says what is legal, what comes next, what the
goals are, and whether the game is over.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any, NamedTuple

import clingo

Tree = Any
"""A word, or a list of trees."""
TOKEN = re.compile(r'"[^"]*"|\|[^|]*\||[()]|[^\s()";|]+|;[^\n]*')


class Judged(NamedTuple):
    """What holds in a state."""

    roles: list[str]
    initial: set[str]
    following: set[str]
    legal: dict[str, set[str]]
    goals: dict[str, set[str]]
    terminal: bool


class Judge:
    """The rules of one sheet."""

    def __init__(self, text: str) -> None:
        self.names: dict[tuple[str, int], str] = {}
        rules = [rule for tree in trees(text) for rule in self.rules_of(tree)]
        self.program = "\n".join(rules)

    def look(self, facts: Iterable[str], moves: Iterable[tuple[str, str]] = ()) -> Judged:
        """What holds where these facts are true and these moves are made, each `(role, move)`."""
        given = [f"{self.predicate('true', 1)}({term(tree_of(fact))})." for fact in facts]
        given += [f"{self.predicate('does', 2)}({term(role)},{term(tree_of(move))})." for role, move in moves]
        control = clingo.Control(["--warn=none"])
        control.add("base", [], self.program + "\n" + "\n".join(given))
        control.ground([("base", [])])
        atoms: list[tuple[str, list[str]]] = []
        names = {predicate: name for (name, _), predicate in self.names.items()}
        with control.solve(yield_=True) as models:
            (model,) = list(models)[:2]
            for symbol in model.symbols(atoms=True):
                name = names[symbol.name]
                if name in ("role", "init", "next", "legal", "goal", "terminal"):
                    atoms.append((name, [spoken(argument) for argument in symbol.arguments]))
        roles = [arguments[0] for name, arguments in atoms if name == "role"]
        pairs = {name: [arguments for other, arguments in atoms if other == name] for name in ("legal", "goal")}
        return Judged(
            roles,
            {arguments[0] for name, arguments in atoms if name == "init"},
            {arguments[0] for name, arguments in atoms if name == "next"},
            {role: {move for owner, move in pairs["legal"] if owner == role} for role in roles},
            {role: {value for owner, value in pairs["goal"] if owner == role} for role in roles},
            any(name == "terminal" for name, _ in atoms),
        )

    def predicate(self, name: str, arity: int) -> str:
        return self.names.setdefault((name, arity), f"p{len(self.names)}")

    def atom(self, tree: Tree) -> str:
        name, *arguments = [tree] if isinstance(tree, str) else tree
        inside = ",".join(map(term, arguments))
        return self.predicate(name, len(arguments)) + (f"({inside})" if arguments else "")

    def rules_of(self, tree: Tree) -> Iterator[str]:
        if isinstance(tree, str) or tree[0] != "<=":
            yield f"{self.atom(tree)}."
            return
        for conditions in product(*[list(self.ways(part, True)) for part in tree[2:]]):
            body = ", ".join(condition for way in conditions for condition in way)
            yield f"{self.atom(tree[1])} :- {body}." if body else f"{self.atom(tree[1])}."

    def ways(self, tree: Tree, positive: bool) -> Iterator[list[str]]:
        """All in which a condition can hold, or fail."""
        name = tree if isinstance(tree, str) else tree[0]
        if name == "not":
            yield from self.ways(tree[1], not positive)
        elif name in ("or", "and"):
            if (name == "or") == positive:
                for part in tree[1:]:
                    yield from self.ways(part, positive)
            else:
                for ways in product(*[list(self.ways(part, positive)) for part in tree[1:]]):
                    yield [condition for way in ways for condition in way]
        elif name == "distinct":
            yield [f"{term(tree[1])} {'!=' if positive else '='} {term(tree[2])}"]
        else:
            yield [self.atom(tree) if positive else f"not {self.atom(tree)}"]


def trees(text: str) -> list[Tree]:
    stack: list[list[Tree]] = [[]]
    for token in TOKEN.findall(text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        elif token[0] != ";":
            stack[-1].append(token if token[0] in '"|' else token.lower())
    (found,) = stack
    return found


def tree_of(text: str) -> Tree:
    """A fact or a move: a word, or the parts of a function without its parentheses."""
    found = trees(text)
    return found[0] if len(found) == 1 else found


def term(tree: Tree) -> str:
    if isinstance(tree, str):
        if tree[0] == "?":
            return "V" + "".join(c if c.isascii() and c.isalnum() else f"_{ord(c)}_" for c in tree[1:])
        return '"' + tree.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if len(tree) == 1:
        return term(tree[0])
    return f"({','.join(map(term, tree))})"


def spoken(symbol: Any, inside: bool = False) -> str:
    """As a sheet has it, without the outer parentheses."""
    if symbol.type == clingo.SymbolType.String:
        return str(symbol.string)
    text = " ".join(spoken(argument, True) for argument in symbol.arguments)
    return f"({text})" if inside else text

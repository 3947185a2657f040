"""An expression as a Python program: the nesting of loops that it stands for, and no piece that it does not need.

Glossary
    method     what a component becomes: a method of the class `Search`, which calls the one of its sub-component
    loop       what `repeat` becomes: a `for` around that call
    level      a method together with the loops around the call of it; an expression is a chain of levels
    machinery  what the methods call besides: to play and evaluate, and to walk down a tree

The methods do what `interpreter.py`, the definition, says, but for one thing. There, every final state is shown to all
invocations around it; here a method returns the best that it found, and the one around it compares. Both keep the first
of equals, so it comes to the same.

Policies, playouts that are cut off and commit rules are in `policies.py`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from textwrap import fill as wrap
from textwrap import indent

from mcsgrammar.engines.compiled.layout import BELOW_LOCAL_ROOT_2013, FLOOR_2013, LARGEST
from mcsgrammar.engines.searching import DEFAULT_MAX_NODES
from mcsgrammar.exporting import parts as parts
from mcsgrammar.exporting.parts import fill
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Component, Lookahead, Repeat, Select, Simulate, Step, Tune
from mcsgrammar.language.policies import Grave, History, Mast, Nst, RandomPlayout, Ucb1

METHODS: dict[type[Component], str] = {
    Simulate: "simulate",
    Lookahead: "lookahead",
    Step: "step",
    Select: "select",
}

WRITTEN = (RandomPlayout, Mast, Nst, Ucb1, Grave, History)
"""The policies that there are pieces for."""

SAFE_C = LARGEST / 8
"""Up to here C sqrt(ln n) is finite: sqrt(ln n) is below 7 for every n of 64 bits."""

LINE = 88
"""The width of what is written, where it can be chosen; black's."""


def require_exportable(expression: Component) -> Component:
    """The expression itself, if it can be written; `InvalidExpression` names the part that cannot."""
    for part in expression.walk():
        if isinstance(part, Simulate | Select) and not isinstance(part.policy, WRITTEN):
            raise InvalidExpression(f"export cannot write {part.policy} in {part}")
    tune = next((part for part in expression.walk() if isinstance(part, Tune)), None)
    if tune is not None:
        raise InvalidExpression(
            f"export cannot write the tuner {tune.tuner} in {tune}; write the expression without tune, with the values "
            "that 'mcsgrammar solve' says it would choose"
        )
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
    def c(self) -> float:
        """The C of a select."""
        assert isinstance(self.component, Select)
        c = self.component.policy.c  # type: ignore[attr-defined]
        assert isinstance(c, float)
        return c

    @property
    def in_words(self) -> str:
        return f"`{self.method}` {self.count} times" if self.times else f"`{self.method}`"

    @property
    def count(self) -> str:
        """How many calls that makes: nested repeats are one loop."""
        return " * ".join(whole(n) for n in self.times)

    def called(self, prefix: str, state: str, best: str = "best") -> str:
        """The variable `best`, set to what the calls find."""
        if not self.times:
            return f"{best} = self.{self.method}({prefix}, {state})\n"
        return f"{best} = NOTHING\n" + self.compared(prefix, state, best)

    def compared(self, prefix: str, state: str, best: str = "best") -> str:
        """The variable `best`, compared with what the calls find."""
        return self.looped(f"{best} = better({best}, self.{self.method}({prefix}, {state}))\n")

    def looped(self, block: str) -> str:
        if not self.times:
            return block
        return f"for _ in range({self.count}):\n" + indent(block, "    ")


def levels_of(expression: Component) -> list[Level]:
    """From the outside in. Of several components of a kind, number 1 is the innermost, as in nested Monte Carlo."""
    components = list(expression.walk())
    left = {kind: sum(type(component) is kind for component in components) for kind in METHODS}
    numbered = {kind for kind, count in left.items() if count > 1}
    levels: list[Level] = []
    times: tuple[int, ...] = ()
    for component in components:
        if isinstance(component, Repeat):
            assert isinstance(component.count, int)
            times = (*times, component.count)
            continue
        kind = type(component)
        method = f"{METHODS[kind]}_{left[kind]}" if kind in numbered else METHODS[kind]
        levels.append(Level(component, method, times))
        left[kind] -= 1
        times = ()
    return levels


def whole(n: int) -> str:
    """A whole number as Python code."""
    return f"{n:_}" if n >= 10_000 else str(n)


def literal(x: float) -> str:
    """A float as Python code."""
    return repr(x).replace("e+", "e")


class Program:
    """The code of one file, from its imports on. The expression is closed, resolved and exportable."""

    def __init__(self, expression: Component, maes2013: bool, budget: int) -> None:
        """`budget` is the one that `solve` has by default."""
        self.levels = levels_of(expression)
        self.maes2013 = maes2013
        self.budget = budget
        self.selects = [level for level in self.levels if isinstance(level.component, Select)]
        self.constants = {level.c for level in self.selects}
        if self.selects and maes2013:
            self.constants.add(BELOW_LOCAL_ROOT_2013)
        # Each component calls the one inside it at every prefix that it is called at, but for lookahead, and for a step
        # that plays on where a move is forced. So below none of these, a select has been called one action earlier, and
        # its tree has the node of the prefix.
        above = self.levels[: self.levels.index(self.selects[-1])] if self.selects else []
        skipping = (Lookahead, Step) if maes2013 else (Lookahead,)
        self.skips_nodes = any(isinstance(level.component, skipping) for level in above)

    def written(self) -> str:
        blocks = [parts.IMPORTS, self.result(), self.solve(), self.search(), parts.FOUND, *self.helpers()]
        return "\n\n".join(block.lstrip("\n") for block in blocks)

    def result(self) -> str:
        return fill(parts.RESULT, more=self.full_in_words())

    def solve(self) -> str:
        return fill(
            parts.SOLVE,
            budget=whole(self.budget),
            max_nodes_parameter=f"max_nodes={whole(DEFAULT_MAX_NODES)},\n" if self.remembers else "",
            memory=self.memory_in_words(),
            arguments=self.arguments,
            tree_full=self.memory_full(),
        )

    @property
    def arguments(self) -> str:
        return "problem, initial_state, budget, seed, seconds" + (", max_nodes" if self.remembers else "")

    @property
    def remembers(self) -> bool:
        """Whether it has a limit on memory."""
        return bool(self.selects)

    def memory_in_words(self) -> str:
        trees = "trees" if len(self.selects) > 1 else "tree"
        return f"The {trees} may grow to `max_nodes` nodes.\n" if self.selects else ""

    def full_in_words(self) -> str:
        return parts.TREE_FULL if self.selects else ""

    def memory_full(self) -> str:
        return "search.tree_full,\n" if self.selects else ""

    def memory(self) -> str:
        """What the search keeps for the whole run."""
        trees = [f"self.{level.tree} = Node()  # the initial state; kept for the whole run\n" for level in self.selects]
        if trees:
            trees += [f"self.nodes = {len(trees)}\n", "self.max_nodes = max_nodes\n", "self.tree_full = False\n"]
        return "".join(trees)

    def search(self) -> str:
        methods = [self.run(), *(self.component(i) for i in range(len(self.levels))), *self.machinery()]
        return fill(
            parts.SEARCH,
            components=self.components() + "\n",
            arguments=self.arguments,
            memory=self.memory(),
            methods="\n".join(methods),
        )

    def components(self) -> str:
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

    def run(self) -> str:
        first = self.levels[0]
        return fill(
            parts.RUN,
            first=first.in_words,
            when_final="" if isinstance(first.component, Simulate) else parts.WHEN_FINAL.lstrip("\n"),
            call=first.looped(f"self.{first.method}([], self.initial_state)\n"),
        )

    def component(self, i: int) -> str:
        """The method of level `i`."""
        level = self.levels[i]
        match level.component:
            case Simulate():
                return self.simulate(level)
            case Lookahead():
                return self.lookahead(level, self.levels[i + 1])
            case Step():
                return self.step(level, self.levels[i + 1])
            case Select():
                return self.select(level, self.levels[i + 1])
        raise AssertionError(f"{level.component} passed require_exportable")

    def simulate(self, level: Level) -> str:
        return fill(parts.SIMULATE, method=level.method)

    def lookahead(self, level: Level, below: Level) -> str:
        search = below.compared("longer", "following")
        if not is_playout(below):
            search = fill(parts.SEARCH_FOLLOWING, search=search)
        return fill(parts.LOOKAHEAD, method=level.method, below=below.in_words, search=search)

    def step(self, level: Level, below: Level) -> str:
        search = below.compared("prefix", "state")
        return fill(parts.STEP, method=level.method, below=below.in_words, search=search, **self.committed(level))

    def committed(self, level: Level) -> dict[str, str]:
        """What follows an action that a step plays: what it means to others, and the actions that must follow."""
        decay = self.decay_of_moves(level)
        return {"committed": decay, "forced": fill(parts.FORCED, committed=decay) if self.maes2013 else ""}

    def decay_of_moves(self, level: Level) -> str:
        return ""

    def select(self, level: Level, below: Level) -> str:
        search = below.called("actions", "state")
        if not is_playout(below):
            search = fill(parts.SEARCH_LEAF, search=search)
        return fill(
            parts.SELECT,
            method=level.method,
            below=below.in_words,
            tree=level.tree,
            c=f"{literal(level.c)}, " if self.c_varies else "",
            search=search,
            reward=f"max(best.reward, {literal(FLOOR_2013)})" if self.maes2013 else "min(max(best.reward, 0.0), 1.0)",
        )

    # Machinery.

    def machinery(self) -> Iterator[str]:
        if self.selects:
            yield self.descend()
            yield self.choose()
            yield fill(parts.GROW)
            if self.skips_nodes:
                yield fill(parts.REPLAY)
        yield fill(parts.PLAY)
        yield fill(parts.EVALUATE, which="a final state", learn="")

    @property
    def c_varies(self) -> bool:
        return len(self.constants) > 1

    def descend(self) -> str:
        c_below = f"c = {literal(BELOW_LOCAL_ROOT_2013)}  # further down\n" if self.maes2013 and self.c_varies else ""
        return fill(
            parts.DESCEND,
            c="c, " if self.c_varies else "",
            c_argument=", c" if self.c_varies else "",
            find=(parts.FIND_OR_GROW if self.skips_nodes else parts.FIND).lstrip("\n"),
            c_below=c_below,
        )

    def choose(self) -> str:
        if self.constants == {0.0}:
            promise, scale, values = parts.PROMISE_MEAN, "", parts.VALUES_MEAN
        else:
            c = "c" if self.c_varies else literal(max(self.constants))
            product = f"{c} * math.sqrt(log(visits))"
            if max(self.constants) > SAFE_C:
                product = f"min({product}, {literal(LARGEST)})"
            promise, scale, values = fill(parts.PROMISE_UCB1, c=c), fill(parts.SCALE, scale=product), parts.VALUES_UCB1
        return fill(
            parts.CHOOSE,
            c_argument=", c" if self.c_varies else "",
            promise=promise.lstrip("\n"),
            scale=scale,
            values=values.lstrip("\n"),
        )

    def helpers(self) -> Iterator[str]:
        if self.selects:
            yield node(parts.SLOTS, parts.MEAN_OF_NODE.lstrip("\n"))
        if self.constants - {0.0}:
            yield parts.LOG
        shuffles = any(isinstance(level.component, Lookahead) for level in self.levels)
        yield fill(parts.SPLITMIX, shuffle=parts.SHUFFLE if shuffles else "")


def node(slots: Iterable[str], more: str) -> str:
    """The class of the nodes of trees."""
    return fill(parts.NODE, slots=", ".join(f'"{slot}"' for slot in sorted(slots)), more=more)


def is_playout(level: Level) -> bool:
    """Whether a final state needs no case of its own: a playout from there is just its evaluation."""
    return isinstance(level.component, Simulate) and not level.times

"""Export an algorithm as one standalone Python file: what `mcsgrammar export` and `mcsgrammar.export` do.

The code of the file is written by `program.py`. Here are the checks, and the text that the file opens with:
what the algorithm does, how to use it and where it comes from.
"""

import json
import math
import re
import shlex
from dataclasses import dataclass
from importlib.metadata import version
from textwrap import fill as wrap
from textwrap import indent

from domains.protocol import Domain
from domains.registry import canonical_text, domain_names, domain_of
from mcsgrammar.engines.compiled.layout import is_plain
from mcsgrammar.engines.searching import SEMANTICS, Limits, SemanticsName, check_choice, horizon_of
from mcsgrammar.exporting.parts import fill
from mcsgrammar.exporting.policies import AdaptiveProgram
from mcsgrammar.exporting.program import LINE, Program, require_exportable
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import (
    Component,
    Lookahead,
    Repeat,
    Select,
    Simulate,
    Step,
    Uct,
    require_closed,
    resolve,
)
from mcsgrammar.language.named import NAMED
from mcsgrammar.language.parameters import value_text
from mcsgrammar.language.parsing import parse
from mcsgrammar.language.policies import Mast, PlayoutPolicy, RandomPlayout, SelectionPolicy, Ucb1
from mcsgrammar.wording import printable

DEFAULT_BUDGET = 1000
"""Evaluations that the file spends when it is told nothing."""


def export(
    expression: Component | str,
    domain: Domain | str | None = None,
    *,
    budget: int | None = None,
    semantics: SemanticsName = "standard",
    module: str = "solver",
) -> str:
    """The algorithm as the text of one Python file, which runs on any problem and needs nothing but Python.

    `domain` gives the file an example of its use. With it and `budget`, a number of evaluations, `uct(C)` knows its N;
    the budget becomes the one that the file spends by default. `module` is the name that the file will have.
    """
    parsed = parse(expression) if isinstance(expression, str) else expression
    found = None if domain is None else domain_of(domain)
    check_choice("the semantics", semantics, SEMANTICS)
    default_budget = DEFAULT_BUDGET if budget is None else budget
    Limits(default_budget)
    horizon = None if found is None else horizon_of(found)
    resolved = require_exportable(_resolved(require_closed(parsed), horizon, budget))
    opening = Opening(
        name=_name(expression if isinstance(expression, str) else str(parsed), parsed),
        resolved=resolved,
        computed=resolved != parsed,
        domain=domain if isinstance(domain, str) else _spoken(found),
        horizon=horizon,
        budget=budget,
        semantics=semantics,
        module=module,
    )
    program = Program if all(is_plain(part) for part in resolved.walk()) else AdaptiveProgram
    return opening.written() + "\n" + program(resolved, semantics == "maes2013", default_budget).written()


def _resolved(expression: Component, horizon: int | None, budget: int | None) -> Component:
    uct = next((part for part in expression.walk() if isinstance(part, Uct)), None)
    if uct is None:
        return expression
    if horizon is None or budget is None:
        raise InvalidExpression(
            f"{uct} needs a domain and a budget of evaluations to know its N; "
            f"give both, or write uct({value_text(uct.c)}, N)"
        )
    return resolve(expression, horizon, budget)


def _name(given: str, parsed: Component) -> str:
    """What the algorithm goes by: its name in the literature, if it was given by that, else its canonical text."""
    given = " ".join(given.split())
    return given if re.split(r"\W", given)[0] in NAMED else str(parsed)


def _spoken(domain: Domain | None) -> str | None:
    """The text that finds the domain; None if none does."""
    text = "" if domain is None else canonical_text(domain)
    return text if ".py:" in text or text.partition(":")[0] in domain_names() else None


OPENING = """
$name: a Monte-Carlo search algorithm.

$meaning
Again and again from the initial state, until the budget is spent:

$outline

The answer is the best sequence of all.

How to use it:

    from $module import solve

    best = solve(problem, initial_state, budget=$budget, seed=0)
    print(best.reward, best.actions)

A problem is any object with these five methods:

    actions(state)       the legal actions, always in the same order
    play(state, action)  changes the state, or leaves it alone and returns the next one
    copy(state)          a state that can be changed without changing this one
    is_final(state)      whether there is nothing left to play
    reward(state)        what a final state is worth, a number; more is better$unfinished

A class that derives from mcsgrammar.Domain inherits some of them. To stand alone, it needs
these, as far as it has none of its own:

    from copy import deepcopy  # above the class

    def copy(self, state):
        return deepcopy(state)

    def is_final(self, state):
        return not self.actions(state)

    def reward(self, state):  # of a class with minimise and cost
        lowest, highest = self.minimise
        return (highest - self.cost(state)) / (highest - lowest)

$example
The file needs Python 3.9 or newer and nothing else. It draws the random numbers that
mcsgrammar draws: the same problem, seed and budget, the same result.

Written by mcsgrammar $version:

    $command
"""

EXAMPLE = """
With mcsgrammar installed, for example on $domain:

    import mcsgrammar
    from domains.problems import problem
    from $module import solve

    domain = mcsgrammar.domain($quoted)
    initial_state = problem(domain, 0)
    best = solve(domain, initial_state, budget=$budget, seed=0)
    print(domain.draw(initial_state, best.actions))

"""

RULES_2013: dict[type[Component], str] = {
    Select: "C holds where a walk down the tree begins and 0.5 below it, and the tree learns rewards as they are",
    Step: "an action that is played brings along those that must follow, without a search",
}
"""What `maes2013` changes, by the component that it changes."""


UNFINISHED = "\n                         (asked of unfinished states, too, where a playout is cut off)"


UNBROKEN = "\xa0"
"""Stands for a space where no line may end."""


@dataclass(frozen=True)
class Opening:
    """The docstring of the file."""

    name: str
    resolved: Component
    computed: bool
    """whether there was a `uct(C)`, whose N is computed"""
    domain: str | None
    horizon: int | None
    budget: int | None
    semantics: SemanticsName
    module: str

    def written(self) -> str:
        budget = str(DEFAULT_BUDGET if self.budget is None else self.budget)
        example = ""
        if self.domain is not None:
            domain, quoted = printable(self.domain), printable(json.dumps(self.domain, ensure_ascii=False))
            example = fill(EXAMPLE, domain=domain, quoted=quoted, module=self.module, budget=budget)
        text = fill(
            OPENING,
            name=self.name,
            meaning=self.meaning(),
            unfinished=UNFINISHED if cuts_playouts(self.resolved) else "",
            outline=indent("\n".join(outline(self.resolved)) + "\n", "    "),
            module=self.module,
            budget=budget,
            example=example,
            version=version("mcsgrammar"),
            command=printable(shlex.join(self.command())) + "\n",
        )
        return '"""' + text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') + '"""\n'

    def meaning(self) -> str:
        paragraphs = []
        if self.name != str(self.resolved):
            paragraphs.append(f"That is {self.resolved}".replace(" ", UNBROKEN).replace(UNBROKEN, " ", 2) + self._why())
        kinds = {type(part) for part in self.resolved.walk()}
        changed = [rule for kind, rule in RULES_2013.items() if kind in kinds and self.semantics == "maes2013"]
        if changed:
            paragraphs.append(f"By the rules of the program of 2013 (maes2013): {'; '.join(changed)}.")
        wrapped = [wrap(paragraph, LINE, break_long_words=False, break_on_hyphens=False) for paragraph in paragraphs]
        return "".join(paragraph.replace(UNBROKEN, " ") + "\n\n" for paragraph in wrapped)

    def _why(self) -> str:
        """What the N of `uct(C)` was computed from."""
        if not self.computed:
            return "."
        of_domain = "" if self.domain is None else f" of {printable(self.domain)}"
        return (
            f", where N is max(1, round(B / T)) for a budget of B = {self.budget} evaluations and the horizon "
            f"T = {self.horizon}{of_domain}."
        )

    def command(self) -> list[str]:
        """The command line that writes the file."""
        options = {"-o": f"{self.module}.py"}
        if self.semantics != "standard":
            options = {"--semantics": self.semantics} | options
        if self.budget is not None:
            options = {"--budget": str(self.budget)} | options
        if self.domain is not None:
            options = {"--domain": self.domain} | options
        expression = str(self.resolved) if self.computed and self.domain is None else self.name
        return ["mcsgrammar", "export", expression, *(word for option in options.items() for word in option)]


def outline(expression: Component) -> list[str]:
    """What a component does, as nested loops in words."""
    inside = ["    " + line for child in expression.children for line in outline(child)]
    match expression:
        case Repeat():
            return [f"{expression.count} times:", *inside]
        case Lookahead():
            return ["after each legal action, in random order:", *inside]
        case Step():
            return ["until the end is reached:", *inside, f"    play {COMMITTED[str(expression.commit)]}"]
        case Select():
            return [
                f"from the leaf of a growing tree that {walk_in_words(expression.policy)} leads to:",
                *inside,
                "    tell the tree the best reward of that",
            ]
        case Simulate():
            return playout_in_words(expression.policy)
        case _:
            raise AssertionError(f"{expression} passed require_exportable")


COMMITTED = {
    "best": "the next action of the best sequence so far",
    "mean": "the action with the highest mean reward in the tree",
    "visits": "the action with the most visits in the tree",
    "max": "the action with the highest reward seen below it in the tree",
}


def walk_in_words(policy: SelectionPolicy) -> str:
    """What leads down the tree."""
    if isinstance(policy, Ucb1) and policy.is_only_c():
        return f"UCB1 with C = {value_text(policy.c)}"
    return str(policy)


def playout_in_words(policy: PlayoutPolicy) -> list[str]:
    depth: float = policy.depth  # type: ignore[attr-defined]
    most = "" if depth == math.inf else f", {depth:g} at most"
    if isinstance(policy, RandomPlayout):
        return [f"play random actions to the end{most}"]
    after = "" if isinstance(policy, Mast) else " after the last few"
    return [f"play actions that did well{after}, to the end{most}", "tell the actions the reward"]


def cuts_playouts(expression: Component) -> bool:
    """Whether playouts may end in unfinished states."""
    return any(
        isinstance(part, Simulate) and part.policy.depth != math.inf  # type: ignore[attr-defined]
        for part in expression.walk()
    )

"""Export an algorithm as one standalone Python file: what `mcsgrammar export` and `mcsgrammar.export` do.

The code of the file is written by `program.py`. Here is what is asked of the arguments, and the text that the file
opens with: what the algorithm does, how to use it and where it comes from.
"""

import json
import re
import shlex
from dataclasses import dataclass
from importlib.metadata import version
from itertools import groupby
from textwrap import fill as wrap

from domains.protocol import Domain
from domains.registry import canonical_text, domain_names, domain_of
from mcsgrammar.arguments import check_choice
from mcsgrammar.defaults import DEFAULT_BUDGET
from mcsgrammar.engines.searching import (
    SEMANTICS,
    Limits,
    SemanticsName,
    horizon_of,
    prepare,
)
from mcsgrammar.exporting.filling import block, fill
from mcsgrammar.exporting.program import LINE, ExportedProgram, require_exportable
from mcsgrammar.language.errors import InvalidExpression
from mcsgrammar.language.expressions import Component, Uct, require_closed, resolve
from mcsgrammar.language.named import NAMED
from mcsgrammar.language.parameters import value_text
from mcsgrammar.language.parsing import read_expression
from mcsgrammar.wording import printable


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
    parsed = read_expression(expression)
    found = None if domain is None else domain_of(domain)
    check_choice("the semantics", semantics, SEMANTICS)
    default_budget = DEFAULT_BUDGET if budget is None else budget
    limits = Limits(default_budget)
    horizon = None if found is None else horizon_of(found)
    resolved = require_exportable(_resolved(require_closed(parsed), horizon, budget))
    if found is not None:
        prepare(resolved, found, limits)  # says what the domain has not, such as features
    program = ExportedProgram(resolved, semantics == "maes2013", default_budget)
    opening = Opening(
        name=_name(expression if isinstance(expression, str) else str(parsed), parsed),
        resolved=resolved,
        cuts=program.cuts,
        computed=resolved != parsed,
        domain=domain if isinstance(domain, str) else _spoken(found),
        horizon=horizon,
        budget=budget,
        semantics=semantics,
        module=module,
    )
    return f"{opening.written()}\n{program.written()}"


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


UNBROKEN = "\xa0"
"""Stands for a space where no line may end."""


@dataclass(frozen=True)
class Opening:
    """The docstring of the file."""

    name: str
    resolved: Component
    cuts: bool
    """whether playouts may end in unfinished states"""
    computed: bool
    """whether there was a `uct(C)`, whose N is computed"""
    domain: str | None
    horizon: int | None
    budget: int | None
    semantics: SemanticsName
    module: str

    def written(self) -> str:
        text = fill(
            "opening.jinja",
            name=self.name,
            meaning=self.meaning(),
            outline=outline(self.resolved),
            needs=self.needs(),
            module=self.module,
            budget=str(DEFAULT_BUDGET if self.budget is None else self.budget),
            cuts=self.cuts,
            domain=None if self.domain is None else printable(self.domain),
            quoted=printable(json.dumps(self.domain, ensure_ascii=False)),
            version=version("mcsgrammar"),
            command=printable(shlex.join(self.command())),
        )
        return '"""' + text.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') + '\n"""\n'

    def meaning(self) -> list[str]:
        paragraphs = []
        if self.name != str(self.resolved):
            paragraphs.append(f"That is {self.resolved}".replace(" ", UNBROKEN).replace(UNBROKEN, " ", 2) + self._why())
        if self.semantics == "maes2013":
            parts = sorted(self.resolved.walk(), key=lambda part: part.name)
            kinds = [list(same) for _, same in groupby(parts, key=lambda part: part.name)]
            changed = [text for same in kinds if (text := block(same[0], "changed_in_2013", components=same))]
            if changed:
                paragraphs.append(f"By the rules of the program of 2013 (maes2013): {'; '.join(changed)}.")
        wrapped = [wrap(paragraph, LINE, break_long_words=False, break_on_hyphens=False) for paragraph in paragraphs]
        return [paragraph.replace(UNBROKEN, " ") for paragraph in wrapped]

    def _why(self) -> str:
        """What the N of `uct(C)` was computed from."""
        if not self.computed:
            return "."
        of_domain = "" if self.domain is None else f" of {printable(self.domain)}"
        return (
            f", where N is max(1, round(B / T)) for a budget of B = {self.budget} evaluations and the horizon "
            f"T = {self.horizon}{of_domain}."
        )

    def needs(self) -> list[str]:
        """What components and policies ask of the problem, each kind once."""
        parts = list(self.resolved.walk())
        policy = parts[-1].policy  # type: ignore[attr-defined]
        texts = [block(policy, "needs", policy=policy), *(block(part, "needs") for part in parts)]
        return list(filter(None, dict.fromkeys(texts)))

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


def outline(expression: Component, around: tuple[str, ...] = ()) -> str:
    """What a component does, as nested loops in words; `around` are the names of the components around it."""
    inside = "\n".join(outline(child, (*around, expression.name)) for child in expression.children)
    return block(expression, "outline", component=expression, inside=inside, around=around)

"""language.md: the language, from the grammar, the classes and the docstrings of what runs them."""

import re
from dataclasses import MISSING
from importlib import import_module
from pathlib import Path
from typing import Any

import mcsgrammar
from docs.markdown import block, code, docstring, fenced, page, sections_of, table
from mcsgrammar.engines.reference import playouts, selection
from mcsgrammar.enumeration.pruning import RULES, SPENT_INSIDE
from mcsgrammar.language import components, expressions, named, parsing
from mcsgrammar.language.explaining import tree_lines
from mcsgrammar.language.expressions import COMMIT_RULES
from mcsgrammar.language.parameters import Word, declaration, parameters_of, value_text, written_name
from mcsgrammar.language.policies import PLAYOUT_POLICIES, SELECTION_POLICIES
from mcsgrammar.language.tuners import TUNER_ALIASES, TUNERS
from mcsgrammar.tuning.making import DEFINITIONS

OPENING = """\
An algorithm is an *expression*. Its *canonical text* is what the program prints: sub-component first, one space after
a comma, numbers with the fewest digits, defaults left out. Parameters may also stand first (`repeat(10, sim)`),
`simulate` is `sim`, and white space is free."""


RULES_OF_2013 = """\
Everything here is meant by the rules `standard`, which hold everywhere unless `--semantics maes2013` is said. Those are
the rules of the program behind the tables of Maes, Lupien St-Pierre and Ernst (2013), to compare with them; the
paper's text does not have them. They differ in three points:

1. the constant of a `select` holds at its local root only, where it was invoked, and is 0.5 in every node below;
2. a tree learns rewards as they are, not clipped to [0, 1] (but for what is less than -10³⁰);
3. an action that a `step` commits brings along those that must follow: while only one action is legal, that is
   committed, too, without a sub-search. The first move of a step is searched for in any case. A move committed so is
   neither evaluated nor costs a draw, and is to `move_decay` a move as any other.

With few evaluations, the third decides how far a run comes: five simulations before every move have spent 1,000
evaluations after 200 moves, and a grid of `sudoku:5` takes some 400, unless those that must follow are free."""


def language_page() -> str:
    return page(
        "The language",
        OPENING,
        block("$ mcsgrammar show 'step(select(step(sim), 0.5))'\n" + _shown("step(select(step(sim), 0.5))"), "console"),
        docstring(expressions.__doc__ or "").partition("\n\n")[2],
        "## Components",
        *(_component(component) for component in expressions.COMPONENTS),
        "## Named algorithms",
        "They are read wherever a component may stand, and are that component.",
        _named(),
        "## Playout policies",
        "`sim(P)` draws the actions of its playouts by a policy P.",
        fenced(sections_of(playouts.__doc__ or "")[1].split("Glossary")[0].strip("\n")),
        *(_parametrised(cls) for cls in PLAYOUT_POLICIES.values()),
        "## Selection policies",
        "`select(S, P)` walks down its tree by a policy P; `select(S, 0.5)` is `select(S, ucb1(c=0.5))`.",
        fenced(sections_of(selection.__doc__ or "")[1]),
        *(_parametrised(cls) for cls in SELECTION_POLICIES.values()),
        "## Open parameters and tuners",
        _open(),
        *(_tuner(name) for name in TUNERS),
        "## The rules of 2013",
        RULES_OF_2013,
        "## Candidates and pruning",
        _pruning(),
        "## The grammar",
        "`mcsgrammar/language/grammar.lark`, read by [lark](https://lark-parser.readthedocs.io):",
        block((Path(mcsgrammar.__file__).parent / "language" / "grammar.lark").read_text(encoding="utf-8")),
        f"An expression has at most {parsing.TEXT_LIMIT:,} characters and {components.DEPTH_LIMIT} components.",
    )


def _shown(text: str) -> str:
    expression = parsing.parse(text)
    return "\n".join(
        [str(expression), f"depth {expression.depth}, size {expression.size}", "", *tree_lines(expression)]
    )


def _component(cls: type[components.Component]) -> str:
    remarks = cls.remarks
    if cls is expressions.Step:
        remarks += "\n\n" + table(("rule", "commits"), [(code(rule), words) for rule, words in COMMIT_RULES.items()])
    tree = block(_example(cls.example))
    return "\n\n".join(part for part in (f"### {cls.name}", code(cls.usage), docstring(cls), remarks, tree) if part)


def _named() -> str:
    rows = []
    for line in (named.__doc__ or "").split("\n")[2:]:
        if line:
            usage, stands_for, *known_as = [*re.split(r"  +", line), ""]
            rows.append((code(usage), stands_for if " same" in stands_for else code(stands_for), known_as[0]))
    forgotten = set(named.NAMED) - {usage.strip("`").partition("(")[0] for usage, *_ in rows}
    assert not forgotten, f"the docstring of named.py says nothing of {forgotten}"
    arguments = {argument.name: argument.kind.allowed() for each in named.NAMED.values() for argument in each.arguments}
    levels = ", ".join(
        f"{each.arguments[0].kind.allowed()} for `{name}`"
        for name, each in named.NAMED.items()
        if each.arguments and each.arguments[0].name == "the level"
    )
    kinds = ". ".join(f"{name}: {allowed}" for name, allowed in arguments.items() if name != "the level")
    return (
        table(("written", "is", "known as"), rows)
        + f"\n\nl: {levels}. {kinds}. In `uct(C)`, B is the budget in evaluations and T the domain's horizon.\n\n"
        + f"The *generic* algorithms that evaluations compare with: {', '.join(code(name) for name in named.GENERIC)}."
    )


def _parametrised(cls: Any) -> str:
    """A policy or tuner: its parameters."""
    said = sections_of(cls.__doc__ or "")[0] if cls.__doc__ and not cls.__doc__.startswith(f"{cls.__name__}(") else ""
    return "\n\n".join(part for part in (f"### {cls.name}", said, _parameters(cls)) if part)


def _parameters(cls: Any) -> str:
    rows = []
    for field in parameters_of(cls):
        name = written_name(field)
        declared = declaration(field)
        default = declared.unsaid or "-" if field.default is None else ""
        if field.default is not None and field.default is not MISSING:
            default = value_text(field.default)
        rows.append((code(name), default, declared.kind.allowed(), declared.meaning))
    return table(("parameter", "default", "takes", ""), rows)


def _open() -> str:
    words = Word(tuple(COMMIT_RULES)).allowed()
    return f"""\
In place of a number, or of a commit rule ({words}), may stand an *open parameter*: a list `{{0.1, 0.2}}`, or an
interval `[0..1]`; the levels of `la`, `nmc` and `nrpa` cannot be open, and whole numbers cannot be an interval. The
`tune` around it chooses a value before each invocation of S and is told the best reward of it, clipped to [0, 1];
where it keeps a combination for `b` invocations, the mean of these. An inner `tune` binds its parameters first; an
open parameter outside any `tune` is an error. Parameters of tuners cannot be open. All tuners choose from lists, but
for `cmaes`, which chooses from intervals.

Combinations that say what another says are left out: where `k` of grave is 0, `ref` means nothing. Where `ea` and
`ntbea` draw one of these two anew, they draw both, so that `k` = 0 can be reached from any `ref`.

{block(_example("step(repeat(tune(select(sim(mast(eps={0, 0.4})), grave(c={0.1, 0.2})), ntbea), 100))"))}"""


def _example(text: str) -> str:
    return "\n".join([text, "", *tree_lines(parsing.parse(text))])


def _tuner(name: str) -> str:
    module = import_module(DEFINITIONS[TUNERS[name]].__module__)
    text = re.sub(rf"^`{name}`: (\w)", lambda found: found[1].upper(), (module.__doc__ or "").strip())
    aliases = [f"`{alias}` is `{value()}`." for alias, value in TUNER_ALIASES.items() if value().name == name]
    return "\n\n".join([f"### {name}", fenced(text), *aliases, _parameters(TUNERS[name])])


def _pruning() -> str:
    rows = [(code(rule.name), rule.reason, code(rule.kept), code(rule.pruned)) for rule in RULES]
    spent = SPENT_INSIDE
    return (
        "`mcsgrammar enumerate` lists all expressions up to a depth, but for those that a rule prunes. Depth is "
        "counted before nested repeats collapse. Where playouts are cut off (`depth`), a select in a select stays: "
        "what counts into their length is another.\n\n"
        + table(("rule", "why", "kept", "pruned"), rows)
        + "\n\nWhere the budget is known, one more holds for candidates with `adapt` and for agents, "
        f"{code(spent.name)}: {spent.reason}. So `discover --budget` may take fewer candidates than `enumerate` counts."
    )

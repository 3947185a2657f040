"""python.md: the facade `mcsgrammar`, from its docstrings and signatures.

Everything is read from the source text, so that annotations appear as they are written there.
"""

import ast
import inspect
import re
from typing import Any

import domains.check.checking
import domains.protocol
import domains.randomness
import mcsgrammar
import mcsgrammar.facade.comparing
import mcsgrammar.facade.matches
import mcsgrammar.playing
from docs.markdown import block, code, docstring, page, sections_of, table

OPENING = """\
`import mcsgrammar as mg` gives all that follows; a name is imported when it is first used. What goes wrong through a
fault of the caller's raises a [`UserError`](#errors), whose text says what is wrong and what to do.

```python
import mcsgrammar as mg

expression = mg.parse("step(repeat(select(sim, 0.5), 10))")
print(expression.depth, [str(part) for part in expression.walk()])

best = mg.solve("sudoku:2", expression, budget=200)[0]
print(best.score, best.domain.unit)
print(best.draw())

table = mg.evaluate("sudoku:2", ["la(1)", expression], budgets=[50, 100], problems=10)
for setting in table.settings:
    print(setting.budget, setting.scores.mean(axis=1))
```

A campaign is kept in a folder, and the same call goes on with it:

```python
import tempfile

import mcsgrammar as mg

with tempfile.TemporaryDirectory() as folder:
    found = mg.discover("sudoku:2", folder, budget=20, candidates=mg.candidates(3), pulls_per_candidate=4)
    for candidate in found[:3]:
        print(candidate.rank, candidate.expression_text, candidate.pulls, candidate.mean)
    print(mg.compare("sudoku:2", [found.best, "la(1)"], budgets=20, problems=10))
```

In a notebook, solutions draw themselves, and evaluations, comparisons and campaigns are tables; `print` shows
evaluations and comparisons as tables, too, and `to_dataframe()` gives what pandas users expect, where pandas is
installed. [notebook.md](notebook.md) is an hour with all of this."""

WORDS = """\
| annotation | means |
| --- | --- |
| `EngineName` | `"auto"` (compiled where the domain has kernels), `"compiled"`, `"reference"` |
| `SemanticsName` | `"standard"`, or `"maes2013"`: the rules of the paper's program |
| `Think` | `"always"`, or `"own"`: search only where there is a choice |
| `PointsRule` | `"agents"` or `"roles"`: who shares the point of a match |
| `Split` | `"test"`, `"train"`, or, of a domain with instances in files, `"both"`: which problems |
| `Backend` | `"loky"`, `"threading"`, `"dask"`; see [workers.md](workers.md) |
| `Value` | a number, a word, or an open parameter: a `Choice` or an `Interval` |
| `OnProgress`, `OnBatch` | a function that is called now and then with how far the work is |
| `PAPER` | the constants of the paper, `mcsgrammar.enumeration.candidates.PAPER` |"""

FUNCTIONS = (
    *("parse", "candidates", "domain", "solve", "play", "evaluate", "compare"),
    *("discover", "load", "status", "report", "export", "check_domain"),
    *("match", "tournament"),
)
ERRORS = ("UserError", "ExpressionSyntaxError", "InvalidExpression", "UnknownDomain", "DomainError")
EXPRESSIONS = ("Component", "Simulate", "Repeat", "Lookahead", "Step", "Select", "Adapt", "Tune", "Uct")
GROUPS: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    (
        "Expressions",
        "Frozen dataclasses; `str` writes the canonical text, two are equal if and only if these are. Each has `name`, "
        "`depth` and `size`. The policies and tuners are in `mcsgrammar.language.policies`; [language.md](language.md) "
        "says what each does.",
        (*(getattr(mcsgrammar, name) for name in EXPRESSIONS), mcsgrammar.Choice, mcsgrammar.Interval),
    ),
    (
        "Candidates",
        "",
        (mcsgrammar.Candidates, mcsgrammar.Constants),
    ),
    (
        "Solutions",
        "",
        (mcsgrammar.Solutions, mcsgrammar.Solution, mcsgrammar.RunResult, mcsgrammar.Tuning),
    ),
    (
        "Games",
        "What `play` returns; [play.md](play.md) is about it.",
        (mcsgrammar.Games, mcsgrammar.Game, mcsgrammar.GameRecord, mcsgrammar.Agent),
    ),
    (
        "Evaluations and campaigns",
        "What `evaluate`, `compare` and `discover` return. [statistics.md](statistics.md) says what to make of the "
        "numbers; `discovery.statistics` has the tests, `discovery.evaluation.comparison` and "
        "`discovery.evaluation.tables` make the tables.",
        (
            mcsgrammar.Evaluation,
            mcsgrammar.Measured,
            mcsgrammar.Setting,
            mcsgrammar.Comparison,
            mcsgrammar.Compared,
            mcsgrammar.Campaign,
            mcsgrammar.Standing,
            mcsgrammar.Ranked,
        ),
    ),
    (
        "Matches",
        "What `match` and `tournament` return; [arena.md](arena.md) says what an agent is and what the numbers mean.",
        (mcsgrammar.Matches, mcsgrammar.PlayedAgent, mcsgrammar.PlayedMatch),
    ),
    (
        "A domain of one's own",
        "",
        (mcsgrammar.Domain, mcsgrammar.Random, mcsgrammar.Finding),
    ),
)


def python_page() -> str:
    named = {*FUNCTIONS, *ERRORS, *(cls.__name__ for _, _, classes in GROUPS for cls in classes)}
    assert named == set(mcsgrammar.__all__), f"python_page.py or mcsgrammar lacks {named ^ set(mcsgrammar.__all__)}"
    parts = [OPENING, "## Functions", WORDS, *(_function(name) for name in FUNCTIONS)]
    for title, about, classes in GROUPS:
        parts += [f"## {title}", about]
        if mcsgrammar.Domain in classes:
            parts.append(docstring(domains.protocol.__doc__ or ""))
        parts += [_class(cls) for cls in classes]
    parts += ["## Errors", "All are a `UserError`; the command line prints them and exits with status 2.", _errors()]
    return page("From Python", *parts)


def _function(name: str) -> str:
    function = getattr(mcsgrammar, name)
    node = _source(function)
    assert isinstance(node, ast.FunctionDef)
    defaults = node.args.defaults + [default for default in node.args.kw_defaults if default is not None]
    for default in defaults:  # a constant says more by its value than by its name
        if isinstance(default, ast.Name) and default.id.isupper():
            default.id = repr(function.__globals__[default.id])
    return "\n\n".join([f"### mg.{name}", block(_signature(node, f"mg.{name}"), "text"), docstring(function)])


def _source(thing: Any) -> ast.stmt:
    return ast.parse(inspect.cleandoc("\n" + inspect.getsource(thing))).body[0]


def _signature(node: ast.FunctionDef, name: str) -> str:
    """As it is written in the source, without self; on several lines if it is long."""
    arguments = node.args
    if arguments.args and arguments.args[0].arg in ("self", "cls"):
        arguments.args.pop(0)
    returns = f" -> {_annotation(node.returns)}"
    written = [re.sub("(?<=.)=", " = ", argument) for argument in _split(ast.unparse(arguments))]
    line = f"{name}({', '.join(written)}){returns}"
    if len(line) <= 100:
        return line
    return "\n".join([f"{name}(", *(f"    {argument}," for argument in written), f"){returns}"])


def _split(arguments: str) -> list[str]:
    """At the commas between arguments, not at those inside brackets."""
    parts, depth, start = [], 0, 0
    for i, character in enumerate(arguments):
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append(arguments[start:i].strip())
            start = i + 1
    return [*parts, arguments[start:].strip()]


def _annotation(node: ast.expr | None) -> str:
    """Quotes of forward references left out."""
    return ast.unparse(node).strip("'\"") if node is not None else "None"


def _class(cls: type) -> str:
    node = _source(cls)
    assert isinstance(node, ast.ClassDef)
    rows, members = [], []
    for i, item in enumerate(node.body):
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            following = node.body[i + 1] if i + 1 < len(node.body) else None
            if item.target.id.startswith(("_", "registered_")) or "ClassVar" in ast.unparse(item.annotation):
                continue
            default = "" if item.value is None else code(ast.unparse(item.value))
            rows.append((code(item.target.id), code(_annotation(item.annotation)), default, _said(following)))
        elif isinstance(item, ast.FunctionDef) and not item.name.startswith("_"):
            about = " ".join((ast.get_docstring(item) or "").split())
            is_property = any("property" in ast.unparse(decorator) for decorator in item.decorator_list)
            text = f"{item.name}: {_annotation(item.returns)}" if is_property else _signature(item, item.name)
            if about:
                members.append((code(" ".join(text.split())), about))
    return "\n\n".join(
        part
        for part in (
            f"### {cls.__name__}",
            docstring(cls),
            table(("field", "type", "default", ""), rows) if rows else "",
            table(("method or property", ""), members) if members else "",
        )
        if part
    )


def _said(following: ast.stmt | None) -> str:
    """The docstring of an attribute: the string after it."""
    if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
        return " ".join(str(following.value.value).split())
    return ""


def _errors() -> str:
    return table(
        ("error", "means"),
        [(code(f"mg.{name}"), sections_of(getattr(mcsgrammar, name).__doc__ or "")[0]) for name in ERRORS],
    )

"""How fast this machine plays: evaluations per second of a handful of expressions on a domain.

Times are CPU seconds of the search alone, so that compiling and what else runs on the machine count as little as they
can. An evaluation of `sim` is a random playout.
"""

import math
import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from domains.errors import UserError
from domains.protocol import Domain
from domains.registry import canonical_text
from mcsgrammar.engines.compiled.vetting import vet
from mcsgrammar.engines.guarding import initial_state, kernels_of
from mcsgrammar.engines.searching import Limits, compiled_engine, prepare, search
from mcsgrammar.language.parsing import parse

DOMAINS = ("sudoku:4", "regression", "morpion:5T")
EXPRESSIONS = (
    "sim",
    "step(lookahead(sim))",
    "step(repeat(select(sim, 0.5), 10))",
    "step(step(lookahead(lookahead(sim))))",
    "select(sim, 0.5)",
)
BUDGET = 10_000
"""Evaluations of one compiled run: trees get as large as in an experiment, and no larger."""
PROBLEMS = 16
"""Runs go round these, since some are slower than others."""


@dataclass(frozen=True)
class Speed:
    """One expression on one domain and engine."""

    domain: str
    expression: str
    engine: str
    evaluations: int
    seconds: float

    @property
    def what(self) -> str:
        return self.expression if self.engine == "compiled" else f"{self.expression}, {self.engine} engine"

    @property
    def per_second(self) -> float:
        return self.evaluations / self.seconds

    @property
    def unit(self) -> str:
        return "playouts" if self.expression == "sim" else "evaluations"


OnStart = Callable[[str, str], None]
"""Called with (domain, what is done now)."""


def bench(domain: Domain, seconds: float, on_start: OnStart = lambda domain, what: None) -> Iterator[Speed]:
    """The rows of a domain, each measured for at least `seconds`: all expressions on the compiled engine and `sim` on
    the reference engine; all on the reference engine where the domain has no kernels."""
    if not 0 < seconds < math.inf:
        raise UserError(f"the seconds of a row cannot be {seconds:g}; they are a finite number above 0")
    name = canonical_text(domain)
    initials = [initial_state(domain, k, "train", 0) for k in range(PROBLEMS)]
    has_kernels = kernels_of(domain) is not None
    vet(domain, "auto")
    if has_kernels:
        on_start(name, "compiling")
        compiled = compiled_engine(domain)
        compiled.warm_up(compiled.ready(initials[0]))
        for text in EXPRESSIONS:
            on_start(name, text)
            yield Speed(name, text, "compiled", *_compiled(domain, initials, text, seconds))
    for text in EXPRESSIONS[:1] if has_kernels else EXPRESSIONS:
        on_start(name, f"{text}, reference engine")
        yield Speed(name, text, "reference", *_reference(domain, initials, text, seconds))


def _compiled(domain: Domain, initials: list[Any], text: str, seconds: float) -> tuple[int, float]:
    """Run after run, until the time is up."""
    evaluations, elapsed, run = 0, 0.0, 0
    limits = Limits(BUDGET)
    expression = prepare(parse(text), domain, limits)
    while elapsed < seconds:
        result = search(domain, initials[run % PROBLEMS], expression, run, limits, engine="compiled")
        if result.stop_reason == "interrupted":
            raise KeyboardInterrupt
        evaluations, elapsed, run = evaluations + result.evaluations, elapsed + result.seconds, run + 1
    return evaluations, elapsed


def _reference(domain: Domain, initials: list[Any], text: str, seconds: float) -> tuple[int, float]:
    """Rounds of all problems, each with a share of the time, until it is up: a whole compiled run would take this
    engine minutes."""
    evaluations, elapsed, run = 0, 0.0, 0
    limits = Limits(seconds=seconds / PROBLEMS)
    expression = prepare(parse(text), domain, limits)
    while run % PROBLEMS or elapsed < seconds:
        result = search(domain, initials[run % PROBLEMS], expression, run, limits, engine="reference")
        if result.stop_reason == "interrupted":
            raise KeyboardInterrupt
        evaluations, elapsed, run = evaluations + result.evaluations, elapsed + result.seconds, run + 1
    return evaluations, elapsed


def machine_description() -> str:
    """The processor and the versions that speeds depend on."""
    import numba

    return f"{_processor()}, Python {platform.python_version()}, Numba {numba.__version__}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or platform.machine() or "unknown processor"
